#include "core/bench_host.h"

#include <string.h>

#include "core/bench_impl.h"
#include "core/measure.h"

static const struct ay_host_ops *host_ops(const struct ay_bench *b)
{
    return b->device->ops->host;
}

static enum ay_status no_host(const struct ay_bench *b, struct ay_error *err)
{
    return AY_FAIL(err, AY_SKIP, "%s is no host processor", b->device->name);
}

const struct ay_host_facts *ay_host_facts(const struct ay_bench *b)
{
    return host_ops(b) ? host_ops(b)->facts(b->device->self) : NULL;
}

static void release_memory(struct ay_device *d, uint64_t at)
{
    d->ops->host->release(d->self, (void *)(uintptr_t)at);
}

enum ay_status ay_host_alloc(struct ay_bench *b, uint64_t bytes, uint32_t node,
                             enum ay_pages pages, void **out, struct ay_error *err)
{
    if (!host_ops(b)) return no_host(b, err);
    AY_TRY(host_ops(b)->alloc(b->device->self, bytes, node, pages, out, err));
    return ay_bench_own(b, release_memory, (uintptr_t)*out, err);
}

void ay_host_sweep(struct ay_bench *b, const void *at, uint64_t bytes, uint64_t step_bytes)
{
    host_ops(b)->sweep(b->device->self, at, bytes, step_bytes);
}

uint64_t ay_host_clock_ns(struct ay_bench *b)
{
    return host_ops(b)->clock_ns(b->device->self);
}

enum ay_status ay_host_tsc(struct ay_bench *b, uint64_t *ticks, struct ay_error *err)
{
    if (!host_ops(b)) return no_host(b, err);
    return host_ops(b)->tsc(b->device->self, ticks, err);
}

/* --- rings ------------------------------------------------------------------------------------ */

/* Walking a shuffled list round is one cycle, each as likely as by Sattolo's exchange, and the list
 * says where k steps lead [sattolo1986]. */
static void shuffle(uint32_t *order, uint64_t n, struct ay_random *random)
{
    for (uint64_t i = n - 1; i > 0; i--) {
        const uint64_t j = ay_random_below(random, i + 1);
        const uint32_t other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
}

static char *node_at(const struct ay_host_ring *ring, uint64_t n_steps)
{
    return ring->base + ring->order[n_steps % ring->n_nodes] * ring->line_bytes;
}

enum ay_status ay_host_ring(struct ay_bench *b, void *base, uint64_t bytes, uint64_t line_bytes,
                            uint64_t n_most_nodes, struct ay_host_ring *out, struct ay_error *err)
{
    const uint64_t n_lines = bytes / line_bytes;
    if (b->heart) b->heart->beat(b->heart->self, -1); /* a pass over large caches takes seconds */
    if (n_lines < 2 || n_lines > UINT32_MAX || n_most_nodes < 2)
        return AY_FAIL(err, AY_USAGE, "a ring of %llu bytes in lines of %llu: too small or large",
                       (unsigned long long)bytes, (unsigned long long)line_bytes);
    const uint64_t block = 1 + (n_lines - 1) / n_most_nodes; /* lines a node */
    const uint64_t n_nodes = n_lines / block;
    void *room;
    AY_TRY(ay_host_scratch(b, n_nodes * sizeof(uint32_t), &room, err));
    uint32_t *const order = room;
    for (uint64_t i = 0; i < n_nodes; i++) {
        const uint64_t within = block == 1 ? 0 : ay_random_below(&b->random, block);
        order[i] = (uint32_t)(i * block + within);
    }
    shuffle(order, n_nodes, &b->random);
    *out = (struct ay_host_ring){ base, line_bytes, n_nodes, 0, order };
    for (uint64_t i = 0; i < n_nodes; i++) {
        void *const next = node_at(out, i + 1);
        memcpy(node_at(out, i), &next, sizeof next);
    }
    return AY_OK;
}

void ay_host_warm(struct ay_bench *b, const struct ay_host_ring *ring)
{
    const uint64_t at = ring->n_walked % ring->n_nodes;
    void *const self = b->device->self;
    host_ops(b)->gather(self, ring->base, ring->order + at, ring->n_nodes - at, ring->line_bytes);
    host_ops(b)->gather(self, ring->base, ring->order, at, ring->line_bytes);
}

enum ay_status ay_host_walk(struct ay_bench *b, struct ay_host_ring *ring, uint64_t n_steps,
                            struct ay_host_timing *out, struct ay_error *err)
{
    void *const from = node_at(ring, ring->n_walked);
    const void *const end = host_ops(b)->chase(b->device->self, from, n_steps, out);
    ring->n_walked += n_steps;
    const void *const due = node_at(ring, ring->n_walked);
    if (end != due)
        return AY_FAIL(err, AY_VOID, "a walk of %llu steps ended at %p, not at %p",
                       (unsigned long long)n_steps, end, due);
    if (!(out->elapsed_ns > 0))
        return AY_FAIL(err, AY_VOID, "a walk of %llu steps took no time",
                       (unsigned long long)n_steps);
    return AY_OK;
}
