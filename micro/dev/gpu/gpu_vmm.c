/* gpu_vmm.c - virtual memory: one piece of memory, mapped at several addresses. */
#include <stdlib.h>
#include <string.h>

#include "dev/gpu/gpu_ops.h"

typedef unsigned long long ull;

struct range {
    struct range *next;
    CUdeviceptr at;
    uint64_t n_maps, n_mapped;
};

struct ay_vmm {
    CUmemGenericAllocationHandle handle;
    uint64_t bytes;
    struct range *ranges;
};

static CUmemAllocationProp properties(const struct gpu *g)
{
    CUmemAllocationProp p;
    memset(&p, 0, sizeof p);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = g->device;
    return p;
}

enum ay_status gpu_vmm_granularity(void *self, uint64_t *bytes, struct ay_error *err)
{
    struct gpu *g = self;
    const CUmemAllocationProp p = properties(g);
    size_t n = 0;
    GPU_CALL(MemGetAllocationGranularity, (&n, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
             "of device memory");
    GPU_GIVEN(n, MemGetAllocationGranularity);
    *bytes = n;
    return AY_OK;
}

enum ay_status gpu_vmm_create(void *self, uint64_t bytes, struct ay_vmm **out, struct ay_error *err)
{
    struct gpu *g = self;
    uint64_t unit;
    AY_TRY(gpu_vmm_granularity(g, &unit, err));
    const CUmemAllocationProp p = properties(g);
    const uint64_t whole = (bytes + unit - 1) / unit * unit;
    CUmemGenericAllocationHandle handle = 0;
    GPU_CALL(MemCreate, (&handle, whole, &p, 0), "of %llu bytes", (ull)whole);
    GPU_GIVEN(handle, MemCreate);
    struct ay_vmm *m = calloc(1, sizeof *m);
    if (!m) {
        GPU_QUIET(MemRelease, (handle));
        return AY_FAIL(err, AY_NOMEM, "no memory for a handle");
    }
    m->handle = handle;
    m->bytes = whole;
    *out = m;
    return AY_OK;
}

static void unmap(struct gpu *g, const struct ay_vmm *m, struct range *r)
{
    for (uint64_t i = 0; i < r->n_mapped; i++)
        GPU_QUIET(MemUnmap, (r->at + i * m->bytes, m->bytes));
    if (r->at) GPU_QUIET(MemAddressFree, (r->at, r->n_maps * m->bytes));
    free(r);
}

static enum ay_status map_range(struct gpu *g, const struct ay_vmm *m, struct range *r,
                                struct ay_error *err)
{
    const uint64_t whole = r->n_maps * m->bytes;
    GPU_CALL(MemAddressReserve, (&r->at, whole, 0, 0, 0), "of %llu bytes", (ull)whole);
    GPU_GIVEN(r->at, MemAddressReserve);
    for (; r->n_mapped < r->n_maps; r->n_mapped++)
        GPU_CALL(MemMap, (r->at + r->n_mapped * m->bytes, m->bytes, 0, m->handle, 0),
                 "of mapping %llu of %llu", (ull)r->n_mapped + 1, (ull)r->n_maps);
    CUmemAccessDesc access;
    memset(&access, 0, sizeof access);
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = g->device;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    GPU_CALL(MemSetAccess, (r->at, whole, &access, 1), "of %llu bytes", (ull)whole);
    return AY_OK;
}

enum ay_status gpu_vmm_alias(void *self, struct ay_vmm *m, uint64_t n_maps, ay_addr *out,
                             struct ay_error *err)
{
    struct gpu *g = self;
    struct range *r = calloc(1, sizeof *r);
    if (!r) return AY_FAIL(err, AY_NOMEM, "no memory for a mapping");
    r->n_maps = n_maps ? n_maps : 1;
    const enum ay_status s = map_range(g, m, r, err);
    if (s != AY_OK) {
        unmap(g, m, r);
        return s;
    }
    r->next = m->ranges;
    m->ranges = r;
    *out = r->at;
    return AY_OK;
}

void gpu_vmm_release(void *self, struct ay_vmm *m)
{
    struct gpu *g = self;
    if (!m) return;
    while (m->ranges) {
        struct range *r = m->ranges;
        m->ranges = r->next;
        unmap(g, m, r);
    }
    GPU_QUIET(MemRelease, (m->handle));
    free(m);
}
