/* api_memory.c - device memory, pinned host memory, and whose an address is. */
#include "dev/sim/api.h"

#include <stdlib.h>
#include <string.h>

enum { MEM_CALL_NS = 2000 }; /* an allocation asks the operating system's driver */

/* --- whose memory ----------------------------------------------------------------------------- */

int sim_owner(struct sim_driver *d, uint64_t *va)
{
    uint64_t begin, bytes;
    for (const struct sim_peer_range *r = d->peer_ranges; r; r = r->next) {
        if (*va < r->va || *va - r->va >= r->bytes) continue;
        *va = r->peer_va + (*va - r->va);
        return r->gpu;
    }
    return sim_find(d->gpus[0].machine, *va, &begin, &bytes) ? 0 : -1;
}

struct sim_pinned *sim_find_pinned(struct sim_driver *d, const void *p)
{
    for (struct sim_pinned *x = d->pinned; x; x = x->next)
        if ((const uint8_t *)p >= x->host && (const uint8_t *)p < x->host + x->bytes) return x;
    return NULL;
}

/* --- device memory ---------------------------------------------------------------------------- */

static CUresult code_of(enum ay_status status)
{
    return status == AY_OK ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* GPU 0 is the one that is measured: memory of another is handed out at the address at which GPU 0
 * sees it, and copies translate it back. */
static CUresult alloc_on_peer(struct sim_driver *d, int gpu, uint64_t bytes, uint64_t *va)
{
    struct ay_error err;
    struct sim_peer_range *const r = calloc(1, sizeof *r);
    if (!r) return CUDA_ERROR_OUT_OF_MEMORY;
    r->gpu = gpu;
    r->bytes = bytes;
    enum ay_status status = sim_allocate(d->gpus[gpu].machine, bytes, &r->peer_va, &err);
    if (status == AY_OK) {
        status = sim_map_peer(d->gpus[0].machine, d->gpus[gpu].machine, r->peer_va, bytes, &r->va,
                              &err);
        if (status != AY_OK) sim_release(d->gpus[gpu].machine, r->peer_va);
    }
    if (status != AY_OK) {
        free(r);
        return code_of(status);
    }
    r->next = d->peer_ranges;
    d->peer_ranges = r;
    *va = r->va;
    return CUDA_SUCCESS;
}

static CUresult alloc(struct sim_driver *d, CUdeviceptr *at, size_t bytes)
{
    struct ay_error err;
    uint64_t va = 0;
    *at = 0;
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    struct sim_alloc *const a = calloc(1, sizeof *a);
    if (!a) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult r = d->current > 0
                           ? alloc_on_peer(d, d->current, bytes, &va)
                           : code_of(sim_allocate(d->gpus[0].machine, bytes, &va, &err));
    if (r != CUDA_SUCCESS) {
        free(a);
        return r;
    }
    *a = (struct sim_alloc){.next = d->allocs, .va = va, .bytes = bytes,
                            .gpu = d->current > 0 ? d->current : 0};
    d->allocs = a;
    *at = va;
    return CUDA_SUCCESS;
}

static void release(struct sim_driver *d, struct sim_alloc *a)
{
    sim_release(d->gpus[0].machine, a->va); /* of a peer: its mapping */
    for (struct sim_peer_range **at = &d->peer_ranges; *at;) {
        struct sim_peer_range *const r = *at;
        if (r->va != a->va) {
            at = &r->next;
            continue;
        }
        sim_release(d->gpus[r->gpu].machine, r->peer_va);
        *at = r->next;
        free(r);
    }
    free(a);
}

static CUresult mem_alloc(void *self, CUdeviceptr *at, size_t bytes)
{
    SIM_ENTER_PRICED(MEM_CALL_NS);
    return alloc(d, at, bytes);
}

/* The driver waits for all work before it frees. */
static CUresult mem_free(void *self, CUdeviceptr at)
{
    SIM_ENTER_PRICED(MEM_CALL_NS);
    if (!at) return CUDA_SUCCESS;
    for (struct sim_alloc **a = &d->allocs; *a; a = &(*a)->next) {
        if ((*a)->va != at) continue;
        const CUresult r = sim_wait(d, NULL, 0);
        struct sim_alloc *const gone = *a;
        *a = gone->next;
        release(d, gone);
        return r;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult mem_get_info(void *self, size_t *n_free, size_t *total)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    const struct sim_machine *const m = sim_current(d)->machine;
    if (n_free) *n_free = sim_free_bytes(m);
    if (total) *total = sim_total_bytes(m);
    return CUDA_SUCCESS;
}

/* --- pinned memory ---------------------------------------------------------------------------- */

static CUresult pin(struct sim_driver *d, uint8_t *host, size_t bytes, bool is_own)
{
    struct ay_error err;
    struct sim_pinned *const p = calloc(1, sizeof *p);
    if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
    *p = (struct sim_pinned){.next = d->pinned, .host = host, .bytes = bytes, .is_own = is_own};
    for (int i = 0; i < d->n_gpus; i++) {
        if (sim_map_host(d->gpus[i].machine, host, bytes, &p->va[i], &err) == AY_OK) continue;
        while (i-- > 0) sim_release(d->gpus[i].machine, p->va[i]);
        free(p);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    d->pinned = p;
    return CUDA_SUCCESS;
}

static CUresult unpin(struct sim_driver *d, const void *host, bool is_own)
{
    for (struct sim_pinned **at = &d->pinned; *at; at = &(*at)->next) {
        struct sim_pinned *const p = *at;
        if (p->host != host || p->is_own != is_own) continue;
        *at = p->next;
        for (int i = 0; i < d->n_gpus; i++) sim_release(d->gpus[i].machine, p->va[i]);
        if (is_own) free(p->host);
        free(p);
        return CUDA_SUCCESS;
    }
    return is_own ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

static CUresult host_alloc(void *self, void **host, size_t bytes, unsigned flags)
{
    SIM_ENTER_PRICED(MEM_CALL_NS);
    *host = NULL;
    (void)flags; /* portable, mapped, write-combined: all of it is, or costs the same here */
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    uint8_t *const p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
    memset(p, 0, bytes);
    const CUresult r = pin(d, p, bytes, true);
    if (r != CUDA_SUCCESS) {
        free(p);
        return r;
    }
    *host = p;
    return CUDA_SUCCESS;
}

static CUresult host_free(void *self, void *host)
{
    SIM_ENTER_PRICED(MEM_CALL_NS);
    const CUresult waited = sim_wait(d, NULL, 0);
    const CUresult r = unpin(d, host, true);
    return waited != CUDA_SUCCESS ? waited : r;
}

static CUresult host_register(void *self, void *host, size_t bytes, unsigned flags)
{
    SIM_ENTER_PRICED(MEM_CALL_NS);
    (void)flags;
    if (!host || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (sim_find_pinned(d, host)) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    return pin(d, host, bytes, false);
}

static CUresult host_unregister(void *self, void *host)
{
    SIM_ENTER_PRICED(MEM_CALL_NS);
    const CUresult waited = sim_wait(d, NULL, 0);
    const CUresult r = unpin(d, host, false);
    return waited != CUDA_SUCCESS ? waited : r;
}

static CUresult host_device_pointer(void *self, CUdeviceptr *at, void *host, unsigned flags)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    *at = 0;
    const struct sim_pinned *const p = sim_find_pinned(d, host);
    if (!p || flags) return CUDA_ERROR_INVALID_VALUE;
    *at = p->va[d->current] + (uint64_t)((uint8_t *)host - p->host);
    return CUDA_SUCCESS;
}

static CUresult pointer_attribute(void *self, void *data, CUpointer_attribute a, CUdeviceptr at)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    uint64_t va = at;
    const struct sim_pinned *const p = sim_find_pinned(d, (const void *)(uintptr_t)at);
    const int owner = p ? 0 : sim_owner(d, &va);
    if (owner < 0) return CUDA_ERROR_INVALID_VALUE;
    switch (a) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = p ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = owner; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = &d->contexts[owner];
        return CUDA_SUCCESS;
    default: return CUDA_ERROR_NOT_SUPPORTED;
    }
}

void sim_free_memory(struct sim_driver *d)
{
    while (d->allocs) {
        struct sim_alloc *const a = d->allocs;
        d->allocs = a->next;
        release(d, a);
    }
    while (d->pinned) (void)unpin(d, d->pinned->host, d->pinned->is_own);
}

void sim_fill_memory(struct ay_driver *t)
{
    t->MemAlloc = mem_alloc;
    t->MemFree = mem_free;
    t->MemGetInfo = mem_get_info;
    t->MemHostAlloc = host_alloc;
    t->MemFreeHost = host_free;
    t->MemHostRegister = host_register;
    t->MemHostUnregister = host_unregister;
    t->MemHostGetDevicePointer = host_device_pointer;
    t->PointerGetAttribute = pointer_attribute;
}
