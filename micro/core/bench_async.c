/* bench_async.c - streams, events, copies, graphs, virtual memory, peers: one call, one operation.
 */
#include <stdlib.h>

#include "core/bench_impl.h"

/* The operation, or a skip that names what this device lacks. */
#define NEED(op, what)                                                                  \
    do {                                                                                \
        if (!b->device->ops->op)                                                        \
            return AY_FAIL(err, AY_SKIP, "%s has no %s", b->device->name, what);        \
    } while (0)
#define OPS (b->device->ops)
#define SELF (b->device->self)

static void release_stream(struct ay_device *d, uint64_t h)
{
    d->ops->stream_release(d->self, (struct ay_stream *)(uintptr_t)h);
}

static void release_event(struct ay_device *d, uint64_t h)
{
    d->ops->event_release(d->self, (struct ay_event *)(uintptr_t)h);
}

static void release_graph(struct ay_device *d, uint64_t h)
{
    d->ops->graph_release(d->self, (struct ay_graph *)(uintptr_t)h);
}

static void release_vmm(struct ay_device *d, uint64_t h)
{
    d->ops->vmm_release(d->self, (struct ay_vmm *)(uintptr_t)h);
}

enum ay_status ay_stream(struct ay_bench *b, struct ay_stream **out, struct ay_error *err)
{
    NEED(stream, "streams");
    AY_TRY(OPS->stream(SELF, out, err));
    return ay_bench_own(b, release_stream, (uintptr_t)*out, err);
}

enum ay_status ay_stream_wait(struct ay_bench *b, struct ay_stream *s, struct ay_error *err)
{
    NEED(stream_wait, "streams");
    return OPS->stream_wait(SELF, s, err);
}

enum ay_status ay_event(struct ay_bench *b, struct ay_event **out, struct ay_error *err)
{
    NEED(event, "events");
    AY_TRY(OPS->event(SELF, out, err));
    return ay_bench_own(b, release_event, (uintptr_t)*out, err);
}

enum ay_status ay_record(struct ay_bench *b, struct ay_event *e, struct ay_stream *s,
                         struct ay_error *err)
{
    NEED(record, "events");
    return OPS->record(SELF, e, s, err);
}

enum ay_status ay_event_done(struct ay_bench *b, struct ay_event *e, bool *is_done,
                             struct ay_error *err)
{
    NEED(event_done, "events");
    return OPS->event_done(SELF, e, is_done, err);
}

enum ay_status ay_elapsed_ns(struct ay_bench *b, struct ay_event *from, struct ay_event *to,
                             double *ns, struct ay_error *err)
{
    NEED(elapsed_ns, "events");
    return OPS->elapsed_ns(SELF, from, to, ns, err);
}

enum ay_status ay_stream_after(struct ay_bench *b, struct ay_stream *s, struct ay_event *e,
                               struct ay_error *err)
{
    NEED(stream_after, "events");
    return OPS->stream_after(SELF, s, e, err);
}

enum ay_status ay_copy(struct ay_bench *b, enum ay_direction way, uint64_t to, uint64_t from,
                       uint64_t bytes, struct ay_stream *s, struct ay_error *err)
{
    NEED(copy, "asynchronous copies");
    return OPS->copy(SELF, way, to, from, bytes, s, err);
}

enum ay_status ay_stream_write(struct ay_bench *b, struct ay_stream *s, ay_addr at, uint32_t value,
                               struct ay_error *err)
{
    NEED(stream_write, "stream memory operations");
    return OPS->stream_write(SELF, s, at, value, err);
}

enum ay_status ay_stream_until(struct ay_bench *b, struct ay_stream *s, ay_addr at, uint32_t value,
                               struct ay_error *err)
{
    NEED(stream_until, "stream memory operations");
    return OPS->stream_until(SELF, s, at, value, err);
}

enum ay_status ay_graph(struct ay_bench *b, struct ay_graph **out, struct ay_error *err)
{
    NEED(graph, "graphs");
    AY_TRY(OPS->graph(SELF, out, err));
    return ay_bench_own(b, release_graph, (uintptr_t)*out, err);
}

enum ay_status ay_graph_add(struct ay_bench *b, struct ay_graph *g, enum ay_node kind,
                            const struct ay_launch *launch, int64_t after, struct ay_error *err)
{
    NEED(graph_add, "graphs");
    return OPS->graph_add(SELF, g, kind, launch, after, err);
}

enum ay_status ay_graph_ready(struct ay_bench *b, struct ay_graph *g, bool is_device_launch,
                              struct ay_error *err)
{
    NEED(graph_ready, "graphs");
    return OPS->graph_ready(SELF, g, is_device_launch, err);
}

enum ay_status ay_graph_upload(struct ay_bench *b, struct ay_graph *g, struct ay_stream *s,
                               struct ay_error *err)
{
    NEED(graph_upload, "graphs");
    return OPS->graph_upload(SELF, g, s, err);
}

enum ay_status ay_graph_launch(struct ay_bench *b, struct ay_graph *g, struct ay_stream *s,
                               struct ay_error *err)
{
    NEED(graph_launch, "graphs");
    return OPS->graph_launch(SELF, g, s, err);
}

enum ay_status ay_graph_update(struct ay_bench *b, struct ay_graph *g, struct ay_graph *like,
                               struct ay_error *err)
{
    NEED(graph_update, "graphs");
    return OPS->graph_update(SELF, g, like, err);
}

enum ay_status ay_set_limit(struct ay_bench *b, enum ay_limit limit, uint64_t value,
                            struct ay_error *err)
{
    NEED(set_limit, "context limits");
    return OPS->set_limit(SELF, limit, value, err);
}

enum ay_status ay_access_window(struct ay_bench *b, struct ay_stream *s, ay_addr base,
                                uint64_t bytes, double hit_ratio, struct ay_error *err)
{
    NEED(access_window, "access-policy windows");
    return OPS->access_window(SELF, s, base, bytes, hit_ratio, err);
}

enum ay_status ay_vmm_granularity(struct ay_bench *b, uint64_t *bytes, struct ay_error *err)
{
    NEED(vmm_granularity, "virtual memory management");
    return OPS->vmm_granularity(SELF, bytes, err);
}

enum ay_status ay_vmm_create(struct ay_bench *b, uint64_t bytes,
                             struct ay_vmm **out, struct ay_error *err)
{
    NEED(vmm_create, "virtual memory management");
    AY_TRY(OPS->vmm_create(SELF, bytes, out, err));
    return ay_bench_own(b, release_vmm, (uintptr_t)*out, err);
}

enum ay_status ay_vmm_alias(struct ay_bench *b, struct ay_vmm *memory, uint64_t n_maps,
                            ay_addr *out, struct ay_error *err)
{
    NEED(vmm_alias, "virtual memory management");
    return OPS->vmm_alias(SELF, memory, n_maps, out, err);
}

enum ay_status ay_peer_count(struct ay_bench *b, uint32_t *n, struct ay_error *err)
{
    NEED(peer_count, "peers");
    return OPS->peer_count(SELF, n, err);
}

enum ay_status ay_peer_copy(struct ay_bench *b, uint32_t to_peer, ay_addr to, uint32_t from_peer,
                            ay_addr from, uint64_t bytes, struct ay_stream *s, struct ay_error *err)
{
    NEED(peer_copy, "peers");
    return OPS->peer_copy(SELF, to_peer, to, from_peer, from, bytes, s, err);
}

/* Peer memory is given back by peer and address, kept in a small box until then. */
struct peer_owner {
    uint32_t peer;
    ay_addr at;
};

static void release_peer(struct ay_device *d, uint64_t h)
{
    struct peer_owner *o = (struct peer_owner *)(uintptr_t)h;
    d->ops->peer_release(d->self, o->peer, o->at);
    free(o);
}

enum ay_status ay_peer_scratch(struct ay_bench *b, uint32_t peer, uint64_t bytes, ay_addr *out,
                               struct ay_error *err)
{
    NEED(peer_alloc, "peers");
    struct peer_owner *o = calloc(1, sizeof *o);
    if (!o) return AY_FAIL(err, AY_NOMEM, "no host memory");
    o->peer = peer;
    const enum ay_status status = OPS->peer_alloc(SELF, peer, bytes, &o->at, err);
    if (status != AY_OK) {
        free(o);
        return status;
    }
    *out = o->at;
    return ay_bench_own(b, release_peer, (uintptr_t)o, err);
}
