/* gpu_memory.c - device memory, pinned memory, limits, virtual memory. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dev/gpu/gpu_ops.h"

typedef unsigned long long ull;

enum ay_status gpu_alloc(void *self, uint64_t bytes, ay_addr *out, struct ay_error *err)
{
    struct gpu *g = self;
    CUdeviceptr at = 0;
    GPU_CALL(MemAlloc, (&at, bytes ? bytes : 1), "of %llu bytes", (ull)bytes);
    GPU_GIVEN(at, MemAlloc);
    *out = at;
    return AY_OK;
}

void gpu_release(void *self, ay_addr at)
{
    struct gpu *g = self;
    GPU_QUIET(MemFree, (at));
}

/* All three wait: what they did is there when they return. */
static enum ay_status wait_main(struct gpu *g, const char *after, struct ay_error *err)
{
    GPU_CALL(StreamSynchronize, (g->main), "after %s", after);
    return AY_OK;
}

enum ay_status gpu_write(void *self, ay_addr to, const void *from, uint64_t bytes,
                         struct ay_error *err)
{
    struct gpu *g = self;
    if (!bytes) return AY_OK;
    GPU_CALL(MemcpyHtoDAsync, (to, from, bytes, g->main), "of %llu bytes", (ull)bytes);
    return wait_main(g, "a copy to the device", err);
}

enum ay_status gpu_read(void *self, void *to, ay_addr from, uint64_t bytes, struct ay_error *err)
{
    struct gpu *g = self;
    if (!bytes) return AY_OK;
    GPU_CALL(MemcpyDtoHAsync, (to, from, bytes, g->main), "of %llu bytes", (ull)bytes);
    return wait_main(g, "a copy from the device", err);
}

enum ay_status gpu_fill(void *self, ay_addr to, uint8_t byte, uint64_t bytes, struct ay_error *err)
{
    struct gpu *g = self;
    if (!bytes) return AY_OK;
    GPU_CALL(MemsetD8Async, (to, byte, bytes, g->main), "of %llu bytes", (ull)bytes);
    return wait_main(g, "a fill", err);
}

/* --- pinned memory ---------------------------------------------------------------------------- */

static enum ay_status pin_own_pages(struct gpu *g, uint64_t bytes, void **out, struct ay_error *err)
{
    const long page = sysconf(_SC_PAGESIZE);
    const size_t unit = page > 0 ? (size_t)page : 4096;
    void *p = NULL;
    if (!g->d.MemHostRegister) return ay_lacks(err, AY_ENTRY_cuMemHostRegister);
    if (posix_memalign(&p, unit, (bytes + unit - 1) / unit * unit))
        return AY_FAIL(err, AY_NOMEM, "%llu bytes of host memory refused", (ull)bytes);
    const CUresult r = g->d.MemHostRegister(g->d.self, p, bytes, CU_MEMHOSTREGISTER_DEVICEMAP);
    if (r != CUDA_SUCCESS) {
        free(p);
        return ay_refused(err, &g->d, AY_ENTRY_cuMemHostRegister, r, "of %llu bytes", (ull)bytes);
    }
    *out = p;
    return AY_OK;
}

void gpu_unpin(void *self, struct ay_pinned *p, enum ay_pinned_kind kind)
{
    struct gpu *g = self;
    if (kind == AY_PINNED_REGISTERED) {
        GPU_QUIET(MemHostUnregister, (p->host));
        free(p->host);
    } else {
        GPU_QUIET(MemFreeHost, (p->host));
    }
    p->host = NULL;
}

static enum ay_status map_pinned(struct gpu *g, struct ay_pinned *p, struct ay_error *err)
{
    CUdeviceptr at = 0;
    GPU_CALL(MemHostGetDevicePointer, (&at, p->host, 0), "of pinned memory");
    GPU_GIVEN(at, MemHostGetDevicePointer);
    p->device = at;
    return AY_OK;
}

enum ay_status gpu_pin(void *self, uint64_t bytes, enum ay_pinned_kind kind, struct ay_pinned *out,
                       struct ay_error *err)
{
    struct gpu *g = self;
    *out = (struct ay_pinned){0};
    if (!bytes) bytes = 1;
    if (kind == AY_PINNED_REGISTERED) {
        AY_TRY(pin_own_pages(g, bytes, &out->host, err));
    } else {
        unsigned flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
        if (kind == AY_PINNED_WC) flags |= CU_MEMHOSTALLOC_WRITECOMBINED;
        GPU_CALL(MemHostAlloc, (&out->host, bytes, flags), "of %llu bytes", (ull)bytes);
        GPU_GIVEN(out->host, MemHostAlloc);
    }
    memset(out->host, 0, bytes);
    const enum ay_status s = map_pinned(g, out, err);
    if (s != AY_OK) gpu_unpin(g, out, kind);
    return s;
}

/* --- limits ----------------------------------------------------------------------------------- */

enum ay_status gpu_set_limit(void *self, enum ay_limit limit, uint64_t value, struct ay_error *err)
{
    struct gpu *g = self;
    static const struct {
        CUlimit limit;
        const char *text;
    } known[] = {
        [AY_LIMIT_PERSISTING_L2] = {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, "persisting L2"},
        [AY_LIMIT_L2_FETCH_GRANULARITY] = {CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
                                           "L2 fetch granularity"},
        [AY_LIMIT_STACK] = {CU_LIMIT_STACK_SIZE, "stack"},
    };
    if (limit == AY_LIMIT_PERSISTING_L2 &&
        gpu_attribute(g, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE) <= 0)
        return AY_FAIL(err, AY_SKIP, "%s has no persisting part of L2", g->name);
    const CUresult r = g->d.CtxSetLimit(g->d.self, known[limit].limit, value);
    if (r == CUDA_ERROR_UNSUPPORTED_LIMIT)
        return AY_FAIL(err, AY_SKIP, "%s does not let the %s be set", g->name, known[limit].text);
    if (r != CUDA_SUCCESS)
        return ay_refused(err, &g->d, AY_ENTRY_cuCtxSetLimit, r, "of %s to %llu",
                          known[limit].text, (ull)value);
    return AY_OK;
}

enum ay_status gpu_access_window(void *self, struct ay_stream *s, ay_addr base, uint64_t bytes,
                                 double hit_ratio, struct ay_error *err)
{
    struct gpu *g = self;
    const int most = gpu_attribute(g, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);
    if (most <= 0) return AY_FAIL(err, AY_SKIP, "%s has no access-policy windows", g->name);
    /* A larger one would be cut without a word [cuda-driver-api]. */
    if (bytes > (uint64_t)most)
        return AY_FAIL(err, AY_SKIP, "an access-policy window of %llu bytes; %s has at most %d",
                       (ull)bytes, g->name, most);
    CUstreamAttrValue v;
    memset(&v, 0, sizeof v);
    v.accessPolicyWindow.base_ptr = (void *)(uintptr_t)base;
    v.accessPolicyWindow.num_bytes = bytes;
    v.accessPolicyWindow.hitRatio = (float)hit_ratio;
    v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    v.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
    GPU_CALL(StreamSetAttribute,
             (gpu_stream_of(g, s), CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v),
             "of a window of %llu bytes", (ull)bytes);
    return AY_OK;
}
