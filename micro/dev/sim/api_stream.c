/* api_stream.c - streams, events, words that streams write and wait for, host functions. */
#include "dev/sim/api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- streams ---------------------------------------------------------------------------------- */

CUstream sim_stream_of(struct sim_driver *d, CUstream s)
{
    if (!s || s == CU_STREAM_LEGACY) {
        d->legacy.is_blocking = true;
        d->legacy.gpu = d->current < 0 ? 0 : d->current;
        return &d->legacy;
    }
    for (CUstream known = d->streams; known; known = known->next)
        if (known == s) return s;
    return NULL;
}

static CUresult stream_create(void *self, CUstream *stream, unsigned flags)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    *stream = NULL;
    if (flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    CUstream const s = calloc(1, sizeof *s);
    if (!s) return CUDA_ERROR_OUT_OF_MEMORY;
    s->is_blocking = flags == CU_STREAM_DEFAULT;
    s->gpu = d->current;
    s->next = d->streams;
    d->streams = s;
    *stream = s;
    return CUDA_SUCCESS;
}

static CUresult stream_create_priority(void *self, CUstream *stream, unsigned flags, int priority)
{
    (void)priority; /* all work of this machine is alike */
    return stream_create(self, stream, flags);
}

static CUresult stream_destroy(void *self, CUstream stream)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    CUstream *at = &d->streams;
    while (*at && *at != stream) at = &(*at)->next;
    if (!*at) return CUDA_ERROR_INVALID_HANDLE;
    const CUresult r = sim_wait(d, stream, 0);
    if (r == CUDA_SUCCESS || stream->tail == NULL) {
        *at = stream->next;
        free(stream);
    } /* else work still names it: it goes with the context */
    return r;
}

void sim_free_streams(struct sim_driver *d)
{
    while (d->streams) {
        CUstream const s = d->streams;
        d->streams = s->next;
        free(s);
    }
    memset(&d->legacy, 0, sizeof d->legacy);
    while (d->events) {
        CUevent const e = d->events;
        d->events = e->next;
        free(e);
    }
}

static CUresult stream_synchronize(void *self, CUstream s)
{
    SIM_ENTER_PRICED(0);
    CUstream const stream = sim_stream_of(d, s);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    return sim_wait(d, stream, (double)sim_current(d)->chip.launch_sync_ns);
}

static CUresult stream_query(void *self, CUstream s)
{
    SIM_ENTER_PRICED(sim_current(d)->chip.event_query_ns);
    CUstream const stream = sim_stream_of(d, s);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    return stream->tail ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

static CUresult stream_set_attribute(void *self, CUstream s, CUstreamAttrID a,
                                     const CUstreamAttrValue *value)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    CUstream const stream = sim_stream_of(d, s);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (a != CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW) return CUDA_ERROR_NOT_SUPPORTED;
    stream->window = *value;
    return CUDA_SUCCESS;
}

static CUresult stream_get_attribute(void *self, CUstream s, CUstreamAttrID a,
                                     CUstreamAttrValue *value)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    CUstream const stream = sim_stream_of(d, s);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (a != CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW) return CUDA_ERROR_NOT_SUPPORTED;
    *value = stream->window;
    return CUDA_SUCCESS;
}

/* --- events ----------------------------------------------------------------------------------- */

static bool is_event(const struct sim_driver *d, CUevent e)
{
    for (CUevent known = d->events; known; known = known->next)
        if (known == e) return true;
    return false;
}

static CUresult event_create(void *self, CUevent *event, unsigned flags)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    *event = NULL;
    if (flags > 7) return CUDA_ERROR_INVALID_VALUE;
    CUevent const e = calloc(1, sizeof *e);
    if (!e) return CUDA_ERROR_OUT_OF_MEMORY;
    e->has_timing = !(flags & CU_EVENT_DISABLE_TIMING);
    e->next = d->events;
    d->events = e;
    *event = e;
    return CUDA_SUCCESS;
}

static CUresult event_destroy(void *self, CUevent event)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    CUevent *at = &d->events;
    while (*at && *at != event) at = &(*at)->next;
    if (!*at) return CUDA_ERROR_INVALID_HANDLE;
    *at = event->next;
    if (event->pending) event->pending->event = NULL;
    free(event);
    return CUDA_SUCCESS;
}

static CUresult event_record(void *self, CUevent event, CUstream s)
{
    SIM_ENTER_PRICED(0);
    CUstream const stream = sim_stream_of(d, s);
    if (!stream || !is_event(d, event)) return CUDA_ERROR_INVALID_HANDLE;
    struct sim_item *const item = sim_new_item(SIM_ITEM_RECORD, stream);
    if (!item) return CUDA_ERROR_OUT_OF_MEMORY;
    if (event->pending) event->pending->event = NULL;
    item->event = event;
    item->earliest_ns = d->host_ns;
    event->pending = item;
    const CUresult r = sim_enqueue(d, item);
    sim_pass(d, sim_wavers(d, (double)sim_current(d)->chip.event_record_ns));
    return r;
}

static CUresult event_synchronize(void *self, CUevent event)
{
    SIM_ENTER_PRICED(0);
    if (!is_event(d, event)) return CUDA_ERROR_INVALID_HANDLE;
    return sim_wait_event(d, event, (double)sim_current(d)->chip.launch_sync_ns);
}

static CUresult event_query(void *self, CUevent event)
{
    SIM_ENTER_PRICED(sim_current(d)->chip.event_query_ns);
    if (!is_event(d, event)) return CUDA_ERROR_INVALID_HANDLE;
    return event->pending ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

static double stamp_ns(const struct ay_chip *c, double ns)
{
    const double step_ns = (double)c->event_step_ns;
    return floor(ns / step_ns) * step_ns;
}

static CUresult event_elapsed(void *self, float *ms, CUevent from, CUevent to)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if (!is_event(d, from) || !is_event(d, to)) return CUDA_ERROR_INVALID_HANDLE;
    if (!from->has_timing || !to->has_timing) return CUDA_ERROR_INVALID_HANDLE;
    if (from->pending || to->pending) return CUDA_ERROR_NOT_READY;
    if (!from->is_recorded || !to->is_recorded) return CUDA_ERROR_INVALID_HANDLE;
    const struct ay_chip *const c = &sim_current(d)->chip;
    *ms = (float)((stamp_ns(c, to->time_ns) - stamp_ns(c, from->time_ns)) * 1e-6);
    return CUDA_SUCCESS;
}

/* An event that was never recorded, or was reached, holds nothing up. */
static CUresult stream_wait_event(void *self, CUstream s, CUevent event, unsigned flags)
{
    SIM_ENTER_PRICED(0);
    (void)flags;
    CUstream const stream = sim_stream_of(d, s);
    if (!stream || !is_event(d, event)) return CUDA_ERROR_INVALID_HANDLE;
    struct sim_item *const item = sim_new_item(SIM_ITEM_EMPTY, stream);
    if (!item) return CUDA_ERROR_OUT_OF_MEMORY;
    item->earliest_ns = d->host_ns;
    sim_follow(item, event->pending);
    const CUresult r = sim_enqueue(d, item);
    sim_pass(d, sim_wavers(d, (double)sim_current(d)->chip.event_wait_ns));
    return r;
}

/* --- words in memory -------------------------------------------------------------------------- */

static CUresult word(struct sim_driver *d, enum sim_item_kind kind, CUstream s, uint64_t at,
                     uint64_t value, uint32_t bytes, unsigned flags)
{
    uint64_t va = at;
    CUstream const stream = sim_stream_of(d, s);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (at % bytes || flags > 7) return CUDA_ERROR_INVALID_VALUE;
    const int owner = sim_owner(d, &va);
    if (owner < 0 || !sim_host_pointer(d->gpus[owner].machine, va, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_item *const item = sim_new_item(kind, stream);
    if (!item) return CUDA_ERROR_OUT_OF_MEMORY;
    item->at = at;
    item->value = value;
    item->value_bytes = bytes;
    item->wait_flags = flags;
    item->earliest_ns = d->host_ns;
    return sim_enqueue(d, item);
}

static CUresult priced(struct sim_driver *d, CUresult r)
{
    sim_pass(d, sim_wavers(d, (double)sim_current(d)->chip.event_record_ns));
    return r;
}

static CUresult write32(void *self, CUstream s, CUdeviceptr at, cuuint32_t value, unsigned flags)
{
    SIM_ENTER_PRICED(0);
    return priced(d, word(d, SIM_ITEM_WRITE, s, at, value, 4, flags));
}

static CUresult wait32(void *self, CUstream s, CUdeviceptr at, cuuint32_t value, unsigned flags)
{
    SIM_ENTER_PRICED(0);
    return priced(d, word(d, SIM_ITEM_WAIT, s, at, value, 4, flags));
}

static CUresult write64(void *self, CUstream s, CUdeviceptr at, cuuint64_t value, unsigned flags)
{
    SIM_ENTER_PRICED(0);
    return priced(d, word(d, SIM_ITEM_WRITE, s, at, value, 8, flags));
}

static CUresult wait64(void *self, CUstream s, CUdeviceptr at, cuuint64_t value, unsigned flags)
{
    SIM_ENTER_PRICED(0);
    return priced(d, word(d, SIM_ITEM_WAIT, s, at, value, 8, flags));
}

static CUresult batch_one(struct sim_driver *d, CUstream s, const CUstreamBatchMemOpParams *p)
{
    switch (p->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        return word(d, SIM_ITEM_WAIT, s, p->waitValue.address, p->waitValue.value, 4,
                    p->waitValue.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return word(d, SIM_ITEM_WAIT, s, p->waitValue.address, p->waitValue.value64, 8,
                    p->waitValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        return word(d, SIM_ITEM_WRITE, s, p->writeValue.address, p->writeValue.value, 4,
                    p->writeValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return word(d, SIM_ITEM_WRITE, s, p->writeValue.address, p->writeValue.value64, 8,
                    p->writeValue.flags);
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
    case CU_STREAM_MEM_OP_BARRIER: return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult batch(void *self, CUstream s, unsigned count, CUstreamBatchMemOpParams *params,
                      unsigned flags)
{
    CUresult r = CUDA_SUCCESS;
    SIM_ENTER_PRICED(0);
    if (flags || count > 256) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count && r == CUDA_SUCCESS; i++) r = batch_one(d, s, &params[i]);
    return priced(d, r);
}

/* --- host functions --------------------------------------------------------------------------- */

static CUresult host_func(void *self, CUstream s, CUhostFn fn, void *user_data)
{
    SIM_ENTER_PRICED(0);
    CUstream const stream = sim_stream_of(d, s);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!fn) return CUDA_ERROR_INVALID_VALUE;
    struct sim_item *const item = sim_new_item(SIM_ITEM_CALL, stream);
    if (!item) return CUDA_ERROR_OUT_OF_MEMORY;
    item->host_fn = fn;
    item->user_data = user_data;
    item->earliest_ns = d->host_ns;
    return priced(d, sim_enqueue(d, item));
}

void sim_fill_stream(struct ay_driver *t)
{
    t->StreamCreate = stream_create;
    t->StreamCreateWithPriority = stream_create_priority;
    t->StreamDestroy = stream_destroy;
    t->StreamSynchronize = stream_synchronize;
    t->StreamQuery = stream_query;
    t->StreamSetAttribute = stream_set_attribute;
    t->StreamGetAttribute = stream_get_attribute;
    t->StreamWaitEvent = stream_wait_event;
    t->StreamWriteValue32 = write32;
    t->StreamWaitValue32 = wait32;
    t->StreamWriteValue64 = write64;
    t->StreamWaitValue64 = wait64;
    t->StreamBatchMemOp = batch;
    t->EventCreate = event_create;
    t->EventDestroy = event_destroy;
    t->EventRecord = event_record;
    t->EventSynchronize = event_synchronize;
    t->EventQuery = event_query;
    t->EventElapsedTime = event_elapsed;
    t->LaunchHostFunc = host_func;
}
