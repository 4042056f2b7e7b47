/* api_copy.c - copies and fills: startup + bytes / rate each, one copy engine each copy. */
#include "dev/sim/api.h"

#include <math.h>
#include <string.h>

/* --- what a copy is --------------------------------------------------------------------------- */

/* One end of a copy: a GPU's memory, or the host's, and then pinned or pageable. */
struct end {
    int gpu; /* -1: host */
    uint64_t at;
    bool is_pageable;
};

/* Unified addressing: an address says itself whose it is. */
static CUresult find_end(struct sim_driver *d, uint64_t at, uint64_t bytes, bool must_be_device,
                         struct end *out)
{
    uint64_t va = at, begin, n;
    const int owner = sim_owner(d, &va);
    *out = (struct end){owner, owner < 0 ? at : va, false};
    if (owner >= 0) {
        if (!sim_find(d->gpus[owner].machine, va, &begin, &n) || bytes > n - (va - begin))
            return CUDA_ERROR_INVALID_VALUE;
        return CUDA_SUCCESS;
    }
    if (must_be_device || !at) return CUDA_ERROR_INVALID_VALUE;
    const struct sim_pinned *const p = sim_find_pinned(d, (const void *)(uintptr_t)at);
    out->is_pageable = !p;
    if (p && bytes > p->bytes - (uint64_t)((const uint8_t *)(uintptr_t)at - p->host))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static bool is_host_end(const struct sim_driver *d, const struct end *e)
{
    if (e->gpu < 0) return true;
    for (const struct sim_pinned *p = d->pinned; p; p = p->next)
        if (e->gpu == 0 && e->at >= p->va[0] && e->at - p->va[0] < p->bytes) return true;
    return false;
}

static double copy_ns(const struct sim_driver *d, const struct end *to, const struct end *from,
                      double bytes)
{
    const struct ay_chip *const c = &d->gpus[0].chip;
    const bool to_host = is_host_end(d, to), from_host = is_host_end(d, from);
    double startup_ns = (double)c->copy_d2d_startup_ns, rate = c->copy_d2d_bytes_per_s;
    if (from_host) {
        startup_ns = (double)c->copy_h2d_startup_ns;
        rate = c->copy_h2d_bytes_per_s;
    } else if (to_host) {
        startup_ns = (double)c->copy_d2h_startup_ns;
        rate = c->copy_d2h_bytes_per_s;
    } else if (to->gpu != from->gpu) {
        startup_ns = (double)c->peer_latency_ns;
        rate = c->peer_bytes_per_s;
    }
    if (to->is_pageable || from->is_pageable) rate = fmin(rate, c->copy_pageable_bytes_per_s);
    return startup_ns + bytes / rate * 1e9;
}

static void fill_transfer(struct sim_driver *d, struct sim_item *item, const struct end *to,
                          const struct end *from, uint64_t bytes)
{
    item->transfer = (struct sim_transfer){.to_gpu = to->gpu,
                                           .from_gpu = from->gpu,
                                           .to = to->at,
                                           .from = from->at,
                                           .bytes = bytes,
                                           .n_rows = 1,
                                           .duration_ns = copy_ns(d, to, from, (double)bytes)};
}

/* --- in a stream ------------------------------------------------------------------------------ */

/* The host's part of an asynchronous copy; one of pageable memory is over when the call returns. */
static CUresult submit(struct sim_driver *d, struct sim_item *item, bool is_to_wait)
{
    const struct ay_chip *const c = &sim_current(d)->chip;
    CUstream const stream = item->stream;
    const double call_ns = fmin((double)c->launch_call_ns, (double)c->copy_h2d_startup_ns);
    item->earliest_ns = d->host_ns;
    const CUresult r = sim_enqueue(d, item);
    if (r != CUDA_SUCCESS) return r;
    if (is_to_wait) return sim_wait(d, stream, (double)c->launch_sync_ns);
    sim_pass(d, sim_wavers(d, fmax(call_ns, SIM_CALL_NS)));
    return d->sticky;
}

struct request {
    uint64_t to, from, bytes;
    bool to_device, from_device; /* as the call's name says; else unified */
    bool is_waiting;
};

static CUresult copy(struct sim_driver *d, const struct request *r, CUstream s)
{
    struct end to, from;
    CUstream const stream = sim_stream_of(d, s);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (r->bytes == 0) return CUDA_SUCCESS;
    CUresult code = find_end(d, r->to, r->bytes, r->to_device, &to);
    if (code == CUDA_SUCCESS) code = find_end(d, r->from, r->bytes, r->from_device, &from);
    if (code != CUDA_SUCCESS) return code;
    struct sim_item *const item = sim_new_item(SIM_ITEM_COPY, stream);
    if (!item) return CUDA_ERROR_OUT_OF_MEMORY;
    fill_transfer(d, item, &to, &from, r->bytes);
    return submit(d, item, r->is_waiting || to.is_pageable || from.is_pageable);
}

#define COPY(to_at, from_at, is_to_device, is_from_device, is_to_wait, stream)            \
    SIM_ENTER_PRICED(0);                                                                  \
    const struct request r = {(uint64_t)(to_at), (uint64_t)(from_at), bytes, is_to_device, \
                              is_from_device, is_to_wait};                                \
    return copy(d, &r, stream)

static CUresult any(void *self, CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    COPY(to, from, false, false, true, NULL);
}

static CUresult any_async(void *self, CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s)
{
    COPY(to, from, false, false, false, s);
}

static CUresult h2d(void *self, CUdeviceptr to, const void *from, size_t bytes)
{
    COPY(to, (uintptr_t)from, true, false, true, NULL);
}

static CUresult h2d_async(void *self, CUdeviceptr to, const void *from, size_t bytes, CUstream s)
{
    COPY(to, (uintptr_t)from, true, false, false, s);
}

static CUresult d2h(void *self, void *to, CUdeviceptr from, size_t bytes)
{
    COPY((uintptr_t)to, from, false, true, true, NULL);
}

static CUresult d2h_async(void *self, void *to, CUdeviceptr from, size_t bytes, CUstream s)
{
    COPY((uintptr_t)to, from, false, true, false, s);
}

static CUresult d2d(void *self, CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    COPY(to, from, true, true, true, NULL);
}

static CUresult d2d_async(void *self, CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s)
{
    COPY(to, from, true, true, false, s);
}

static CUresult peer(void *self, CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                     CUcontext from_context, size_t bytes)
{
    if (!to_context || !from_context) return CUDA_ERROR_INVALID_CONTEXT;
    COPY(to, from, true, true, true, NULL);
}

static CUresult peer_async(void *self, CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream s)
{
    if (!to_context || !from_context) return CUDA_ERROR_INVALID_CONTEXT;
    COPY(to, from, true, true, false, s);
}

/* --- nodes of graphs -------------------------------------------------------------------------- */

CUresult sim_copy_item(struct sim_driver *d, const CUDA_MEMCPY3D *c, struct sim_item *item)
{
    struct end to, from;
    const uint64_t at_to = c->dstMemoryType == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)c->dstHost
                                                                  : c->dstDevice;
    const uint64_t at_from = c->srcMemoryType == CU_MEMORYTYPE_HOST
                                 ? (uint64_t)(uintptr_t)c->srcHost
                                 : c->srcDevice;
    if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY || c->dstMemoryType == CU_MEMORYTYPE_ARRAY ||
        c->Depth > 1)
        return CUDA_ERROR_NOT_SUPPORTED;
    const uint64_t n_rows = c->Height ? c->Height : 1;
    if (c->WidthInBytes == 0) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = find_end(d, at_to, c->WidthInBytes, false, &to);
    if (r == CUDA_SUCCESS) r = find_end(d, at_from, c->WidthInBytes, false, &from);
    if (r != CUDA_SUCCESS) return r;
    fill_transfer(d, item, &to, &from, c->WidthInBytes);
    item->transfer.n_rows = n_rows;
    item->transfer.to_pitch = c->dstPitch;
    item->transfer.from_pitch = c->srcPitch;
    item->transfer.duration_ns = copy_ns(d, &to, &from, (double)(c->WidthInBytes * n_rows));
    return CUDA_SUCCESS;
}

CUresult sim_set_item(struct sim_driver *d, const CUDA_MEMSET_NODE_PARAMS *s, struct sim_item *item)
{
    struct end to;
    const uint64_t row_bytes = s->width * s->elementSize, n_rows = s->height ? s->height : 1;
    const CUresult r = find_end(d, s->dst, row_bytes, true, &to);
    if (r != CUDA_SUCCESS) return r;
    const struct ay_chip *const c = &d->gpus[0].chip;
    item->transfer = (struct sim_transfer){
        .to_gpu = to.gpu,
        .from_gpu = -1,
        .to = to.at,
        .bytes = row_bytes,
        .n_rows = n_rows,
        .to_pitch = s->pitch,
        .value = s->value,
        .value_bytes = (uint8_t)s->elementSize,
        .duration_ns = (double)c->copy_d2d_startup_ns +
                       (double)(row_bytes * n_rows) / c->dram_bytes_per_s * 1e9};
    return CUDA_SUCCESS;
}

/* --- fills ------------------------------------------------------------------------------------ */

static CUresult fill(struct sim_driver *d, CUdeviceptr to, uint32_t value, uint8_t value_bytes,
                     size_t n, CUstream s, bool is_waiting)
{
    CUstream const stream = sim_stream_of(d, s);
    const CUDA_MEMSET_NODE_PARAMS p = {
        .dst = to, .value = value, .elementSize = value_bytes, .width = n, .height = 1};
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (n == 0) return CUDA_SUCCESS;
    if (to % value_bytes) return CUDA_ERROR_INVALID_VALUE;
    struct sim_item *const item = sim_new_item(SIM_ITEM_SET, stream);
    if (!item) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult r = sim_set_item(d, &p, item);
    if (r == CUDA_SUCCESS) return submit(d, item, is_waiting);
    sim_free_item(item);
    return r;
}

static CUresult fill8(void *self, CUdeviceptr to, unsigned char value, size_t n)
{
    SIM_ENTER_PRICED(0);
    return fill(d, to, value, 1, n, NULL, true);
}

static CUresult fill8_async(void *self, CUdeviceptr to, unsigned char value, size_t n, CUstream s)
{
    SIM_ENTER_PRICED(0);
    return fill(d, to, value, 1, n, s, false);
}

static CUresult fill32(void *self, CUdeviceptr to, unsigned value, size_t n)
{
    SIM_ENTER_PRICED(0);
    return fill(d, to, value, 4, n, NULL, true);
}

static CUresult fill32_async(void *self, CUdeviceptr to, unsigned value, size_t n, CUstream s)
{
    SIM_ENTER_PRICED(0);
    return fill(d, to, value, 4, n, s, false);
}

void sim_fill_copy(struct ay_driver *t)
{
    t->Memcpy = any;
    t->MemcpyAsync = any_async;
    t->MemcpyHtoD = h2d;
    t->MemcpyHtoDAsync = h2d_async;
    t->MemcpyDtoH = d2h;
    t->MemcpyDtoHAsync = d2h_async;
    t->MemcpyDtoD = d2d;
    t->MemcpyDtoDAsync = d2d_async;
    t->MemcpyPeer = peer;
    t->MemcpyPeerAsync = peer_async;
    t->MemsetD8 = fill8;
    t->MemsetD8Async = fill8_async;
    t->MemsetD32 = fill32;
    t->MemsetD32Async = fill32_async;
}
