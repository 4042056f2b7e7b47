/* gpu_peer.c - the other GPUs: their memory as this one sees it, and copies between them. */
#include <stdlib.h>

#include "dev/gpu/gpu_ops.h"

typedef unsigned long long ull;

static enum ay_status find_peers(struct gpu *g, struct ay_error *err)
{
    int n = 0;
    if (g->peers) return AY_OK;
    GPU_CALL(DeviceGetCount, (&n), "%s", "");
    struct gpu_peer *peers = calloc(n > 0 ? (size_t)n : 1, sizeof *peers);
    if (!peers) return AY_FAIL(err, AY_NOMEM, "no memory for %d peers", n);
    size_t n_peers = 0;
    for (int i = 0; i < n; i++) {
        CUdevice device = 0;
        const CUresult r = g->d.DeviceGet(g->d.self, &device, i);
        if (r != CUDA_SUCCESS) {
            free(peers);
            return ay_refused(err, &g->d, AY_ENTRY_cuDeviceGet, r, "%d", i);
        }
        if (device != g->device) peers[n_peers++].device = device;
    }
    g->peers = peers;
    g->n_peers = n_peers;
    return AY_OK;
}

enum ay_status gpu_peer_count(void *self, uint32_t *n, struct ay_error *err)
{
    struct gpu *g = self;
    AY_TRY(find_peers(g, err));
    *n = (uint32_t)g->n_peers;
    return AY_OK;
}

static enum ay_status peer_of(struct gpu *g, uint32_t peer, struct gpu_peer **out,
                              struct ay_error *err)
{
    AY_TRY(find_peers(g, err));
    if (peer >= g->n_peers)
        return AY_FAIL(err, AY_SKIP, "needs a peer %u; %s has %zu", peer, g->name, g->n_peers);
    struct gpu_peer *p = &g->peers[peer];
    *out = p;
    if (p->context) return AY_OK;
    GPU_CALL(DevicePrimaryCtxRetain, (&p->context, p->device), "of peer %u", peer);
    GPU_GIVEN(p->context, DevicePrimaryCtxRetain);
    return AY_OK;
}

/* A pair that cannot is no fault of the rest: a skip with the driver's reason. */
static enum ay_status map_peer(struct gpu *g, struct gpu_peer *p, uint32_t peer,
                               struct ay_error *err)
{
    int can = 0;
    if (p->is_mapped) return AY_OK;
    GPU_CALL(DeviceCanAccessPeer, (&can, g->device, p->device), "of peer %u", peer);
    if (!can)
        return AY_FAIL(err, AY_SKIP, "the driver says that %s cannot reach peer %u's memory",
                       g->name, peer);
    if (!g->d.CtxEnablePeerAccess) return ay_lacks(err, AY_ENTRY_cuCtxEnablePeerAccess);
    const CUresult r = g->d.CtxEnablePeerAccess(g->d.self, p->context, 0);
    if (r != CUDA_SUCCESS && r != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
        const char *name = ay_cuda_code_name((int)r);
        return AY_FAIL(err, AY_SKIP, "cuCtxEnablePeerAccess of peer %u: %s (%d), though the "
                       "driver says that it can: see nvidia-smi topo -p2p r", peer,
                       name ? name : "unknown result", (int)r);
    }
    p->is_mapped = true;
    return AY_OK;
}

static enum ay_status alloc_there(struct gpu *g, uint64_t bytes, CUdeviceptr *at,
                                  struct ay_error *err)
{
    GPU_CALL(MemAlloc, (at, bytes ? bytes : 1), "of %llu bytes on a peer", (ull)bytes);
    GPU_GIVEN(*at, MemAlloc);
    return AY_OK;
}

enum ay_status gpu_peer_alloc(void *self, uint32_t peer, uint64_t bytes, ay_addr *out,
                              struct ay_error *err)
{
    struct gpu *g = self;
    struct gpu_peer *p;
    CUdeviceptr at = 0;
    AY_TRY(peer_of(g, peer, &p, err));
    AY_TRY(map_peer(g, p, peer, err));
    GPU_CALL(CtxSetCurrent, (p->context), "to peer %u", peer);
    const enum ay_status s = alloc_there(g, bytes, &at, err);
    if (s != AY_OK) {
        GPU_QUIET(CtxSetCurrent, (g->context));
        return s;
    }
    GPU_CALL(CtxSetCurrent, (g->context), "back from peer %u", peer);
    *out = at;
    return AY_OK;
}

void gpu_peer_release(void *self, uint32_t peer, ay_addr at)
{
    struct gpu *g = self;
    if (peer >= g->n_peers) return;
    GPU_QUIET(CtxSetCurrent, (g->peers[peer].context));
    GPU_QUIET(MemFree, (at));
    GPU_QUIET(CtxSetCurrent, (g->context));
}

static enum ay_status context_of(struct gpu *g, uint32_t peer, CUcontext *out,
                                 struct ay_error *err)
{
    struct gpu_peer *p;
    *out = g->context;
    if (peer == AY_SELF) return AY_OK;
    AY_TRY(peer_of(g, peer, &p, err));
    *out = p->context;
    return AY_OK;
}

enum ay_status gpu_peer_copy(void *self, uint32_t to_peer, ay_addr to, uint32_t from_peer,
                             ay_addr from, uint64_t bytes, struct ay_stream *s,
                             struct ay_error *err)
{
    struct gpu *g = self;
    CUcontext to_context, from_context;
    AY_TRY(context_of(g, to_peer, &to_context, err));
    AY_TRY(context_of(g, from_peer, &from_context, err));
    GPU_CALL(MemcpyPeerAsync,
             (to, to_context, from, from_context, bytes, gpu_stream_of(g, s)), "of %llu bytes",
             (ull)bytes);
    return AY_OK;
}

void gpu_close_peers(struct gpu *g)
{
    for (size_t i = 0; i < g->n_peers; i++)
        if (g->peers[i].context) GPU_QUIET(DevicePrimaryCtxRelease, (g->peers[i].device));
    free(g->peers);
    g->peers = NULL;
    g->n_peers = 0;
}
