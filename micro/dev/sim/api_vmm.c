/* api_vmm.c - physical memory apart from addresses: one piece may be mapped many times. */
#include "dev/sim/api.h"

static CUresult granularity(void *self, size_t *bytes, const CUmemAllocationProp *prop,
                            CUmemAllocationGranularity_flags option)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    (void)option;
    if (!prop) return CUDA_ERROR_INVALID_VALUE;
    *bytes = sim_vmm_granularity(d->gpus[0].machine);
    return CUDA_SUCCESS;
}

static CUresult create(void *self, CUmemGenericAllocationHandle *handle, size_t bytes,
                       const CUmemAllocationProp *prop, unsigned long long flags)
{
    struct ay_error err;
    uint64_t h = 0;
    SIM_ENTER_PRICED(SIM_CALL_NS);
    *handle = 0;
    if (!prop || flags || bytes == 0 || bytes % sim_vmm_granularity(d->gpus[0].machine))
        return CUDA_ERROR_INVALID_VALUE;
    if (prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE && prop->location.id != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (sim_vmm_create(d->gpus[0].machine, bytes, &h, &err) != AY_OK)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = h;
    return CUDA_SUCCESS;
}

static CUresult release(void *self, CUmemGenericAllocationHandle handle)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    return sim_vmm_release(d->gpus[0].machine, handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult reserve(void *self, CUdeviceptr *at, size_t bytes, size_t alignment,
                        CUdeviceptr hint, unsigned long long flags)
{
    struct ay_error err;
    uint64_t va = 0;
    SIM_ENTER_PRICED(SIM_CALL_NS);
    *at = 0;
    (void)hint; /* a wish, which the real driver need not grant either */
    const size_t unit = sim_vmm_granularity(d->gpus[0].machine);
    if (flags || bytes == 0 || bytes % unit || alignment > unit) return CUDA_ERROR_INVALID_VALUE;
    if (sim_vmm_reserve(d->gpus[0].machine, bytes, &va, &err) != AY_OK)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *at = va;
    return CUDA_SUCCESS;
}

static CUresult unreserve(void *self, CUdeviceptr at, size_t bytes)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    return sim_vmm_unreserve(d->gpus[0].machine, at, bytes) ? CUDA_SUCCESS
                                                            : CUDA_ERROR_INVALID_VALUE;
}

static CUresult map(void *self, CUdeviceptr at, size_t bytes, size_t offset,
                    CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    struct ay_error err;
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    return sim_vmm_map(d->gpus[0].machine, at, bytes, handle, offset, &err) == AY_OK
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

static CUresult unmap(void *self, CUdeviceptr at, size_t bytes)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    const CUresult r = sim_wait(d, NULL, 0);
    if (r != CUDA_SUCCESS) return r;
    return sim_vmm_unmap(d->gpus[0].machine, at, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* What is mapped may be used: there is nothing that would forbid it. */
static CUresult set_access(void *self, CUdeviceptr at, size_t bytes, const CUmemAccessDesc *desc,
                           size_t count)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    return at && bytes && desc && count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void sim_fill_vmm(struct ay_driver *t)
{
    t->MemGetAllocationGranularity = granularity;
    t->MemCreate = create;
    t->MemRelease = release;
    t->MemAddressReserve = reserve;
    t->MemAddressFree = unreserve;
    t->MemMap = map;
    t->MemUnmap = unmap;
    t->MemSetAccess = set_access;
}
