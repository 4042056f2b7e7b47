#include "fake_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define SELF struct fake *f = self
#define HANDLE(type, n) ((type)(uintptr_t)(0x1000u + (n)))

#define X(name, version, need, params, args, outs)  \
    static CUresult ok_##name AY_WITH_SELF params   \
    {                                               \
        return CUDA_SUCCESS;                        \
    }
#include "dev/gpu/cuda.def"
#undef X

static CUresult driver_version(void *self, int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

static CUresult device_count(void *self, int *count)
{
    SELF;
    *count = f->n_devices;
    return CUDA_SUCCESS;
}

static CUresult device_get(void *self, CUdevice *device, int ordinal)
{
    *device = 7 + ordinal;
    return CUDA_SUCCESS;
}

static CUresult device_name(void *self, char *name, int len, CUdevice device)
{
    snprintf(name, (size_t)len, "Fake GPU %d", device - 7);
    return CUDA_SUCCESS;
}

static CUresult device_pci(void *self, char *id, int len, CUdevice device)
{
    snprintf(id, (size_t)len, "0000:%02d:00.0", 40 + device);
    return CUDA_SUCCESS;
}

static CUresult device_uuid(void *self, CUuuid *uuid, CUdevice device)
{
    memset(uuid->bytes, 0x11, sizeof uuid->bytes);
    uuid->bytes[1] = (char)device;
    return CUDA_SUCCESS;
}

static CUresult total_mem(void *self, size_t *bytes, CUdevice device)
{
    *bytes = (size_t)1 << 32;
    return CUDA_SUCCESS;
}

static CUresult attribute(void *self, int *value, CUdevice_attribute a, CUdevice device)
{
    SELF;
    for (int i = 0; i < f->n_overrides; i++) {
        if (f->overrides[i].attribute != a) continue;
        if (f->overrides[i].result == CUDA_SUCCESS) *value = f->overrides[i].value;
        return f->overrides[i].result;
    }
    switch ((int)a) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 9; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = 1 << 20; break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: *value = 1500000; break;
    case CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE: *value = 4096; break;
    case CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE: *value = 4096; break;
    default: *value = 0;
    }
    return CUDA_SUCCESS;
}

static CUresult retain(void *self, CUcontext *context, CUdevice device)
{
    SELF;
    f->n_contexts++;
    *context = HANDLE(CUcontext, (unsigned)device);
    return CUDA_SUCCESS;
}

static CUresult release_context(void *self, CUdevice device)
{
    SELF;
    f->n_contexts--;
    return CUDA_SUCCESS;
}

/* --- memory ----------------------------------------------------------------------------------- */

static CUresult mem_info(void *self, size_t *n_free, size_t *total)
{
    *n_free = 3u << 30;
    *total = (size_t)1 << 32;
    return CUDA_SUCCESS;
}

static CUresult mem_alloc(void *self, CUdeviceptr *at, size_t n_bytes)
{
    SELF;
    f->n_allocations++;
    *at = (CUdeviceptr)(uintptr_t)calloc(1, n_bytes);
    return CUDA_SUCCESS;
}

static CUresult mem_free(void *self, CUdeviceptr at)
{
    SELF;
    f->n_allocations--;
    free((void *)(uintptr_t)at);
    return CUDA_SUCCESS;
}

static CUresult host_alloc(void *self, void **at, size_t n_bytes, unsigned flags)
{
    SELF;
    f->n_pinned++;
    *at = malloc(n_bytes);
    return CUDA_SUCCESS;
}

static CUresult host_free(void *self, void *at)
{
    SELF;
    f->n_pinned--;
    free(at);
    return CUDA_SUCCESS;
}

static CUresult host_pointer(void *self, CUdeviceptr *device, void *at, unsigned flags)
{
    *device = (CUdeviceptr)(uintptr_t)at;
    return CUDA_SUCCESS;
}

static CUresult to_device(void *self, CUdeviceptr to, const void *from, size_t n, CUstream s)
{
    memcpy((void *)(uintptr_t)to, from, n);
    return CUDA_SUCCESS;
}

static CUresult to_host(void *self, void *to, CUdeviceptr from, size_t n, CUstream s)
{
    memcpy(to, (void *)(uintptr_t)from, n);
    return CUDA_SUCCESS;
}

static CUresult within(void *self, CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)
{
    memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, n);
    return CUDA_SUCCESS;
}

static CUresult set_bytes(void *self, CUdeviceptr to, unsigned char byte, size_t n, CUstream s)
{
    memset((void *)(uintptr_t)to, byte, n);
    return CUDA_SUCCESS;
}

static CUresult granularity(void *self, size_t *n, const CUmemAllocationProp *prop,
                            CUmemAllocationGranularity_flags option)
{
    *n = 4096;
    return CUDA_SUCCESS;
}

static CUresult reserve(void *self, CUdeviceptr *at, size_t n, size_t alignment, CUdeviceptr wish,
                        unsigned long long flags)
{
    *at = 0x10000000;
    return CUDA_SUCCESS;
}

static CUresult create(void *self, CUmemGenericAllocationHandle *h, size_t n,
                       const CUmemAllocationProp *prop, unsigned long long flags)
{
    SELF;
    f->n_allocations++;
    *h = 5;
    return CUDA_SUCCESS;
}

static CUresult release_memory(void *self, CUmemGenericAllocationHandle h)
{
    SELF;
    f->n_allocations--;
    return CUDA_SUCCESS;
}

/* --- the table -------------------------------------------------------------------------------- */

static uint64_t now_ns(void *self)
{
    return 1234;
}

static void sleep_ns(void *self, uint64_t ns)
{
}

static const char *last_reason(void *self)
{
    SELF;
    return f->reason;
}

static void close_fake(void *self)
{
    SELF;
    f->n_closed++;
}

void fake_init(struct fake *f)
{
    memset(f, 0, sizeof *f);
    f->n_devices = FAKE_DEVICES;
    f->has_kernels = true;
}

void fake_override(struct fake *f, CUdevice_attribute a, int value, CUresult result)
{
    f->overrides[f->n_overrides].attribute = a;
    f->overrides[f->n_overrides].value = value;
    f->overrides[f->n_overrides].result = result;
    f->n_overrides++;
}

void fake_driver(struct fake *f, struct ay_driver *d)
{
    *d = (struct ay_driver){
        .self = f,
        .origin = "/opt/fake/libcuda.so.1",
        .now_ns = now_ns,
        .sleep_ns = sleep_ns,
        .last_reason = last_reason,
        .close = close_fake,
#define X(name, version, need, params, args, outs) .name = ok_##name,
#include "dev/gpu/cuda.def"
#undef X
    };
    d->DriverGetVersion = driver_version;
    d->DeviceGetCount = device_count;
    d->DeviceGet = device_get;
    d->DeviceGetName = device_name;
    d->DeviceGetPCIBusId = device_pci;
    d->DeviceGetUuid = device_uuid;
    d->DeviceTotalMem = total_mem;
    d->DeviceGetAttribute = attribute;
    d->DevicePrimaryCtxRetain = retain;
    d->DevicePrimaryCtxRelease = release_context;
    d->MemGetInfo = mem_info;
    d->MemAlloc = mem_alloc;
    d->MemFree = mem_free;
    d->MemHostAlloc = host_alloc;
    d->MemFreeHost = host_free;
    d->MemHostGetDevicePointer = host_pointer;
    d->MemcpyHtoDAsync = to_device;
    d->MemcpyDtoHAsync = to_host;
    d->MemcpyDtoDAsync = within;
    d->MemsetD8Async = set_bytes;
    d->MemGetAllocationGranularity = granularity;
    d->MemAddressReserve = reserve;
    d->MemCreate = create;
    d->MemRelease = release_memory;
    fake_work(d);
    fake_nvml(d);
}

static const unsigned char bytes[] = ".version 8.0\n.target sm_90a\n";
#define IMAGE(arch, kind) {"mem/x", arch, kind, bytes, bytes + sizeof bytes - 1}
const struct ay_image fake_images[] = {
    IMAGE("sm_75", AY_IMAGE_PTX),    IMAGE("sm_75", AY_IMAGE_CUBIN),
    IMAGE("sm_80", AY_IMAGE_PTX),    IMAGE("sm_80", AY_IMAGE_CUBIN),
    IMAGE("sm_86", AY_IMAGE_PTX),    IMAGE("sm_86", AY_IMAGE_CUBIN),
    IMAGE("sm_89", AY_IMAGE_PTX),    IMAGE("sm_89", AY_IMAGE_CUBIN),
    IMAGE("sm_90a", AY_IMAGE_PTX),   IMAGE("sm_90a", AY_IMAGE_CUBIN),
    IMAGE("sm_100a", AY_IMAGE_PTX),  IMAGE("sm_100a", AY_IMAGE_CUBIN),
    IMAGE("sm_103a", AY_IMAGE_PTX),  IMAGE("sm_103a", AY_IMAGE_CUBIN),
    IMAGE("sm_120a", AY_IMAGE_PTX),  IMAGE("sm_120a", AY_IMAGE_CUBIN),
    IMAGE("", AY_IMAGE_FATBIN),      {0},
};
