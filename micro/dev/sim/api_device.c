/* api_device.c - what the simulated driver says of its devices: the chip, or the chip's lies. */
#include "dev/sim/api.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static struct sim_gpu *gpu_of(struct sim_driver *d, CUdevice device)
{
    return device >= 0 && device < d->n_gpus ? &d->gpus[device] : NULL;
}

static CUresult get_count(void *self, int *count)
{
    struct sim_driver *const d = self;
    *count = 0;
    if (!d->is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    *count = d->n_gpus;
    return CUDA_SUCCESS;
}

static CUresult get(void *self, CUdevice *device, int ordinal)
{
    struct sim_driver *const d = self;
    if (!d->is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (ordinal < 0 || ordinal >= d->n_gpus) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

static CUresult get_name(void *self, char *name, int len, CUdevice device)
{
    const struct sim_gpu *const g = gpu_of(self, device);
    if (!g) return CUDA_ERROR_INVALID_DEVICE;
    if (len < 1) return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)len, "%s", g->chip.name);
    return CUDA_SUCCESS;
}

/* The name's hash and the ordinal: the same chip is the same device from run to run. */
static CUresult get_uuid(void *self, CUuuid *uuid, CUdevice device)
{
    const struct sim_gpu *const g = gpu_of(self, device);
    if (!g) return CUDA_ERROR_INVALID_DEVICE;
    struct ay_random r = {.state = 1469598103934665603u};
    for (const char *c = g->chip.name; *c; c++)
        r.state = (r.state ^ (uint64_t)*c) * 1099511628211u;
    r.state += (uint64_t)device;
    for (size_t i = 0; i < sizeof uuid->bytes; i++)
        uuid->bytes[i] = (char)(ay_random_next(&r) & 0x7f);
    return CUDA_SUCCESS;
}

static CUresult total_mem(void *self, size_t *bytes, CUdevice device)
{
    const struct sim_gpu *const g = gpu_of(self, device);
    if (!g) return CUDA_ERROR_INVALID_DEVICE;
    *bytes = (size_t)ay_chip_claim(&g->chip.reported_dram_bytes, (double)g->chip.dram_bytes);
    return CUDA_SUCCESS;
}

static CUresult pci_bus_id(void *self, char *id, int len, CUdevice device)
{
    if (!gpu_of(self, device)) return CUDA_ERROR_INVALID_DEVICE;
    if (len < 13) return CUDA_ERROR_INVALID_VALUE;
    snprintf(id, (size_t)len, "0000:%02X:00.0", (1 + (unsigned)device) & 0xff);
    return CUDA_SUCCESS;
}

static CUresult by_pci_bus_id(void *self, CUdevice *device, const char *id)
{
    struct sim_driver *const d = self;
    for (int i = 0; i < d->n_gpus; i++) {
        char known[16];
        if (pci_bus_id(self, known, sizeof known, i) || strcmp(known, id) != 0) continue;
        *device = i;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_DEVICE;
}

/* --- attributes ------------------------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What the chip says in numbers. -1: it says nothing. */
static double number_of(const struct ay_chip *c, CUdevice_attribute a)
{
    switch (a) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        return ay_chip_claim(&c->reported_sms, (double)c->sms);
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        return ay_chip_claim(&c->reported_l2_bytes, (double)c->l2_bytes);
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        return 1000 * ay_chip_claim(&c->reported_sm_clock_mhz, c->sm_clock_mhz);
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        return 1000 * ay_chip_claim(&c->reported_mem_clock_mhz, c->mem_clock_mhz);
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        return ay_chip_claim(&c->reported_mem_bus_bits, (double)c->mem_bus_bits);
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        return ay_chip_claim(&c->reported_shared_bytes_per_sm, (double)c->shared_bytes_per_sm);
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        return ay_chip_claim(&c->reported_shared_bytes_per_cta, (double)c->shared_bytes_per_cta);
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        return (double)least(49152, c->shared_bytes_per_cta);
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
        return (double)c->shared_reserved_per_cta;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
        return ay_chip_claim(&c->reported_registers_per_sm, (double)c->registers_per_sm);
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
        return (double)least(65536, c->registers_per_sm);
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: return (double)c->threads_per_cta;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: return (double)least(64, c->threads_per_cta);
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        return 32.0 * (double)(c->warps_per_smsp * c->smsps_per_sm);
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: return (double)c->ctas_per_sm;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: return (double)c->copy_engines;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return ay_chip_arch_number(c) / 10;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return ay_chip_arch_number(c) % 10;
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: return ay_chip_arch_number(c) >= 90;
    case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED: return ay_chip_arch_number(c) >= 90;
    default: return -1;
    }
}

/* What is the same on every simulated GPU. Attributes that are not here are 0: no such feature. */
static int constant_of(CUdevice_attribute a, CUdevice device)
{
    switch (a) {
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: return INT_MAX;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: return 65535;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: return 65536;
    case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR: return 1;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: return 1 + device;
    default: return 0;
    }
}

static CUresult get_attribute(void *self, int *value, CUdevice_attribute a, CUdevice device)
{
    const struct sim_gpu *const g = gpu_of(self, device);
    if (!g) return CUDA_ERROR_INVALID_DEVICE;
    if (a < 1 || a >= CU_DEVICE_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
    const double x = number_of(&g->chip, a);
    *value = x < 0 ? constant_of(a, device) : x > INT_MAX ? INT_MAX : (int)x;
    return CUDA_SUCCESS;
}

/* --- peers ------------------------------------------------------------------------------------ */

static CUresult can_access(void *self, int *can, CUdevice device, CUdevice peer)
{
    if (!gpu_of(self, device) || !gpu_of(self, peer)) return CUDA_ERROR_INVALID_DEVICE;
    *can = device != peer;
    return CUDA_SUCCESS;
}

static CUresult p2p_attribute(void *self, int *value, CUdevice_P2PAttribute a, CUdevice from,
                              CUdevice to)
{
    if (!gpu_of(self, from) || !gpu_of(self, to) || from == to) return CUDA_ERROR_INVALID_DEVICE;
    *value = a == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
    return CUDA_SUCCESS;
}

/* Memory of a peer is mapped where it is allocated (api_memory.c): there is nothing left to do. */
static CUresult enable_peer(void *self, CUcontext peer, unsigned flags)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if (!peer || flags) return CUDA_ERROR_INVALID_VALUE;
    return peer->gpu == d->current ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

static CUresult disable_peer(void *self, CUcontext peer)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    return peer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void sim_fill_device(struct ay_driver *t)
{
    t->DeviceGetCount = get_count;
    t->DeviceGet = get;
    t->DeviceGetName = get_name;
    t->DeviceGetUuid = get_uuid;
    t->DeviceTotalMem = total_mem;
    t->DeviceGetPCIBusId = pci_bus_id;
    t->DeviceGetByPCIBusId = by_pci_bus_id;
    t->DeviceGetAttribute = get_attribute;
    t->DeviceCanAccessPeer = can_access;
    t->DeviceGetP2PAttribute = p2p_attribute;
    t->CtxEnablePeerAccess = enable_peer;
    t->CtxDisablePeerAccess = disable_peer;
}
