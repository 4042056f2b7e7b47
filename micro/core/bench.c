/* bench.c - facts, memory and launches: what every probe uses. */
#include "core/bench_impl.h"

#include <stdlib.h>
#include <string.h>

/* --- what a run has borrowed ------------------------------------------------------------------ */

struct ay_device *ay_bench_device(struct ay_bench *b)
{
    return b->device;
}

enum ay_status ay_bench_own(struct ay_bench *b, void (*release)(struct ay_device *, uint64_t),
                            uint64_t handle, struct ay_error *err)
{
    if (b->n_owned == b->cap_owned) {
        const size_t cap = b->cap_owned ? 2 * b->cap_owned : 16;
        struct ay_owned *more = realloc(b->owned, cap * sizeof *more);
        if (!more) {
            release(b->device, handle);
            return AY_FAIL(err, AY_NOMEM, "no memory to remember %zu borrowed things", cap);
        }
        b->owned = more;
        b->cap_owned = cap;
    }
    b->owned[b->n_owned++] = (struct ay_owned){release, handle};
    return AY_OK;
}

void ay_bench_reset(struct ay_bench *b)
{
    while (b->n_owned > 0) {
        const struct ay_owned last = b->owned[--b->n_owned];
        last.release(b->device, last.handle);
    }
}

void ay_bench_close(struct ay_bench *b)
{
    if (!b) return;
    ay_bench_reset(b);
    free(b->owned);
    b->owned = NULL;
    b->cap_owned = 0;
}

void ay_device_close(struct ay_device *d)
{
    if (!d || !d->ops) return;
    d->ops->close(d->self);
    d->ops = NULL;
    d->self = NULL;
}

/* --- facts ------------------------------------------------------------------------------------ */

const struct ay_facts *ay_device_facts(const struct ay_bench *b)
{
    return &b->device->facts;
}

struct ay_random *ay_bench_random(struct ay_bench *b)
{
    return &b->random;
}

uint64_t ay_nonce(struct ay_bench *b)
{
    return ay_random_next(&b->random) | 1;
}

bool ay_is_quick(const struct ay_bench *b)
{
    return b->is_quick;
}

/* --- memory ----------------------------------------------------------------------------------- */

static void release_device(struct ay_device *d, uint64_t at)
{
    d->ops->release(d->self, at);
}

enum ay_status ay_reserve(struct ay_bench *b, uint64_t bytes, ay_addr *out, struct ay_error *err)
{
    struct ay_device *d = b->device;
    *out = 0;
    if (!d->ops->alloc) return AY_FAIL(err, AY_SKIP, "%s has no device memory", d->name);
    AY_TRY(d->ops->alloc(d->self, bytes, out, err));
    return ay_bench_own(b, release_device, *out, err);
}

enum ay_status ay_scratch(struct ay_bench *b, uint64_t bytes, ay_addr *out, struct ay_error *err)
{
    AY_TRY(ay_reserve(b, bytes, out, err));
    return ay_fill(b, *out, 0, bytes, err);
}

enum ay_status ay_write(struct ay_bench *b, ay_addr to, const void *from, uint64_t bytes,
                        struct ay_error *err)
{
    return b->device->ops->write(b->device->self, to, from, bytes, err);
}

enum ay_status ay_read(struct ay_bench *b, void *to, ay_addr from, uint64_t bytes,
                       struct ay_error *err)
{
    memset(to, 0, bytes); /* a copy that did nothing must not look like one that did */
    return b->device->ops->read(b->device->self, to, from, bytes, err);
}

enum ay_status ay_fill(struct ay_bench *b, ay_addr to, uint8_t byte, uint64_t bytes,
                       struct ay_error *err)
{
    return b->device->ops->fill(b->device->self, to, byte, bytes, err);
}

static void release_host(struct ay_device *d, uint64_t at)
{
    (void)d;
    free((void *)(uintptr_t)at);
}

enum ay_status ay_host_scratch(struct ay_bench *b, uint64_t bytes, void **out,
                               struct ay_error *err)
{
    *out = calloc(1, bytes ? bytes : 1);
    if (!*out)
        return AY_FAIL(err, AY_NOMEM, "%llu bytes of host memory refused",
                       (unsigned long long)bytes);
    return ay_bench_own(b, release_host, (uintptr_t)*out, err);
}

/* Pinned memory is given back by kind, so the pair lives in host scratch until then. */
struct pinned_owner {
    struct ay_pinned pinned;
    enum ay_pinned_kind kind;
};

static void release_pinned(struct ay_device *d, uint64_t at)
{
    struct pinned_owner *o = (struct pinned_owner *)(uintptr_t)at;
    d->ops->unpin(d->self, &o->pinned, o->kind);
    free(o);
}

enum ay_status ay_pinned(struct ay_bench *b, uint64_t bytes, enum ay_pinned_kind kind,
                         struct ay_pinned *out, struct ay_error *err)
{
    struct ay_device *d = b->device;
    if (!d->ops->pin) return AY_FAIL(err, AY_SKIP, "%s has no pinned memory", d->name);
    struct pinned_owner *o = calloc(1, sizeof *o);
    if (!o) return AY_FAIL(err, AY_NOMEM, "no host memory");
    o->kind = kind;
    const enum ay_status status = d->ops->pin(d->self, bytes, kind, &o->pinned, err);
    if (status != AY_OK) {
        free(o);
        return status;
    }
    *out = o->pinned;
    AY_TRY(ay_bench_own(b, release_pinned, (uintptr_t)o, err));
    memset(out->host, 0, bytes);
    return AY_OK;
}

/* --- launches --------------------------------------------------------------------------------- */

/* CTAs for a launch on one SM, a multiple of the SMs: the dispatcher deals breadth first, so one
 * each is enough where nothing else runs; the rest is for cards where something does. */
enum { CTAS_A_SM = 2, PLACE_TRIES = 8 };

static enum ay_status launch_on_sm(struct ay_bench *b, struct ay_launch l, struct ay_error *err)
{
    struct ay_device *d = b->device;
    if (l.sm >= d->facts.n_sms)
        return AY_FAIL(err, AY_USAGE, "SM %u asked of %s, which has %u", l.sm, d->name,
                       d->facts.n_sms);
    if (l.args_bytes < sizeof(struct ay_place))
        return AY_FAIL(err, AY_USAGE, "kernel %s has no place in its arguments", l.kernel->entry);
    void *args;
    ay_addr claim;
    AY_TRY(ay_host_scratch(b, l.args_bytes, &args, err));
    AY_TRY(ay_scratch(b, sizeof(uint64_t), &claim, err));
    memcpy(args, l.args, l.args_bytes);
    const struct ay_place place = {.claim = claim, .sm = l.sm};
    memcpy(args, &place, sizeof place);
    l.args = args;
    l.n_ctas = CTAS_A_SM * d->facts.n_sms;
    if (l.stream) return d->ops->launch(d->self, &l, err);
    for (int i = 0; i < PLACE_TRIES; i++) {
        uint64_t taken = 0;
        AY_TRY(d->ops->launch(d->self, &l, err));
        AY_TRY(ay_read(b, &taken, claim, sizeof taken, err));
        if (taken) return AY_OK;
    }
    return AY_FAIL(err, AY_VOID, "no CTA of %s ran on SM %u in %d launches", l.kernel->entry, l.sm,
                   PLACE_TRIES);
}

enum ay_status ay_launch(struct ay_bench *b, const struct ay_launch *l, struct ay_error *err)
{
    struct ay_device *d = b->device;
    if (!d->ops->launch) return AY_FAIL(err, AY_SKIP, "%s runs no kernels", d->name);
    if (b->heart) b->heart->beat(b->heart->self, -1);
    b->kernel = *l->kernel;
    struct ay_launch full = *l;
    if (!full.n_ctas) full.n_ctas = 1;
    if (!full.n_threads) full.n_threads = 1;
    return full.is_on_sm ? launch_on_sm(b, full, err) : d->ops->launch(d->self, &full, err);
}

enum ay_status ay_occupancy(struct ay_bench *b, const struct ay_launch *l, uint32_t *ctas_per_sm,
                            struct ay_error *err)
{
    struct ay_device *d = b->device;
    if (!d->ops->occupancy) return AY_FAIL(err, AY_SKIP, "%s tells no occupancy", d->name);
    return d->ops->occupancy(d->self, l, ctas_per_sm, err);
}

enum ay_status ay_max_clusters(struct ay_bench *b, const struct ay_launch *l, uint32_t *n_clusters,
                               struct ay_error *err)
{
    struct ay_device *d = b->device;
    if (!d->ops->max_clusters) return AY_FAIL(err, AY_SKIP, "%s tells no clusters", d->name);
    return d->ops->max_clusters(d->self, l, n_clusters, err);
}

enum ay_status ay_start_line(struct ay_bench *b, ay_addr *out, struct ay_error *err)
{
    return ay_scratch(b, sizeof(uint64_t), out, err);
}

enum ay_status ay_trace(struct ay_bench *b, uint64_t n_steps, ay_addr *out, struct ay_error *err)
{
    return ay_scratch(b, n_steps * sizeof(uint64_t), out, err);
}

uint64_t ay_now_ns(struct ay_bench *b)
{
    return b->device->ops->now_ns(b->device->self);
}

void ay_sleep_ns(struct ay_bench *b, uint64_t ns)
{
    b->device->ops->sleep_ns(b->device->self, ns);
}
