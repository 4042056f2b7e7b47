/* gpu_stream.c - streams, events, asynchronous copies, stream memory operations. */
#include "dev/gpu/gpu_ops.h"

typedef unsigned long long ull;

enum ay_status gpu_stream(void *self, struct ay_stream **out, struct ay_error *err)
{
    struct gpu *g = self;
    CUstream s = NULL;
    GPU_CALL(StreamCreate, (&s, CU_STREAM_NON_BLOCKING), "%s", "");
    GPU_GIVEN(s, StreamCreate);
    *out = (struct ay_stream *)s;
    return AY_OK;
}

void gpu_stream_release(void *self, struct ay_stream *s)
{
    struct gpu *g = self;
    GPU_QUIET(StreamDestroy, ((CUstream)s));
}

enum ay_status gpu_stream_wait(void *self, struct ay_stream *s, struct ay_error *err)
{
    struct gpu *g = self;
    GPU_CALL(StreamSynchronize, (gpu_stream_of(g, s)), "%s", "");
    return AY_OK;
}

enum ay_status gpu_event(void *self, struct ay_event **out, struct ay_error *err)
{
    struct gpu *g = self;
    CUevent e = NULL;
    GPU_CALL(EventCreate, (&e, CU_EVENT_DEFAULT), "%s", "");
    GPU_GIVEN(e, EventCreate);
    *out = (struct ay_event *)e;
    return AY_OK;
}

void gpu_event_release(void *self, struct ay_event *e)
{
    struct gpu *g = self;
    GPU_QUIET(EventDestroy, ((CUevent)e));
}

enum ay_status gpu_record(void *self, struct ay_event *e, struct ay_stream *s, struct ay_error *err)
{
    struct gpu *g = self;
    GPU_CALL(EventRecord, ((CUevent)e, gpu_stream_of(g, s)), "%s", "");
    return AY_OK;
}

enum ay_status gpu_event_done(void *self, struct ay_event *e, bool *is_done, struct ay_error *err)
{
    struct gpu *g = self;
    const CUresult r = g->d.EventQuery(g->d.self, (CUevent)e);
    *is_done = r == CUDA_SUCCESS;
    if (r == CUDA_SUCCESS || r == CUDA_ERROR_NOT_READY) return AY_OK;
    return ay_refused(err, &g->d, AY_ENTRY_cuEventQuery, r, "%s", "");
}

enum ay_status gpu_elapsed_ns(void *self, struct ay_event *from, struct ay_event *to, double *ns,
                              struct ay_error *err)
{
    struct gpu *g = self;
    float ms = 0;
    GPU_CALL(EventElapsedTime, (&ms, (CUevent)from, (CUevent)to), "%s", "");
    *ns = (double)ms * 1e6;
    return AY_OK;
}

enum ay_status gpu_stream_after(void *self, struct ay_stream *s, struct ay_event *e,
                                struct ay_error *err)
{
    struct gpu *g = self;
    GPU_CALL(StreamWaitEvent, (gpu_stream_of(g, s), (CUevent)e, 0), "%s", "");
    return AY_OK;
}

enum ay_status gpu_copy(void *self, enum ay_direction way, uint64_t to, uint64_t from,
                        uint64_t bytes, struct ay_stream *s, struct ay_error *err)
{
    struct gpu *g = self;
    const CUstream on = gpu_stream_of(g, s);
    switch (way) {
    case AY_H2D:
        GPU_CALL(MemcpyHtoDAsync, (to, (const void *)(uintptr_t)from, bytes, on),
                 "of %llu bytes", (ull)bytes);
        return AY_OK;
    case AY_D2H:
        GPU_CALL(MemcpyDtoHAsync, ((void *)(uintptr_t)to, from, bytes, on), "of %llu bytes",
                 (ull)bytes);
        return AY_OK;
    case AY_D2D:
        GPU_CALL(MemcpyDtoDAsync, (to, from, bytes, on), "of %llu bytes", (ull)bytes);
        return AY_OK;
    }
    return AY_FAIL(err, AY_USAGE, "copy: no direction %d", (int)way);
}

enum ay_status gpu_stream_write(void *self, struct ay_stream *s, ay_addr at, uint32_t value,
                                struct ay_error *err)
{
    struct gpu *g = self;
    GPU_CALL(StreamWriteValue32,
             (gpu_stream_of(g, s), at, value, CU_STREAM_WRITE_VALUE_DEFAULT), "of %u", value);
    return AY_OK;
}

enum ay_status gpu_stream_until(void *self, struct ay_stream *s, ay_addr at, uint32_t value,
                                struct ay_error *err)
{
    struct gpu *g = self;
    GPU_CALL(StreamWaitValue32, (gpu_stream_of(g, s), at, value, CU_STREAM_WAIT_VALUE_GEQ),
             "for %u", value);
    return AY_OK;
}
