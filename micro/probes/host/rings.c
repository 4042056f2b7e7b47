#include "probes/host/rings.h"

#include "core/stats.h"

enum {
    SMALLEST_BYTES = 4 << 10,
    DENSE_BYTES = 16 << 20,        /* four sizes an octave below: a small share of L3 must show */
    LEAST_FULL_BYTES = 64 << 20,   /* these three whatever the OS claims */
    LEAST_LARGE_BYTES = 256 << 20,
    UNKNOWN_LARGE_BYTES = 1 << 30,
    LINE_BYTES = 64,
    SMALL_PAGE_BYTES = 4 << 10,
    N_STRETCHES = 4, N_TRIES = 16,
    NEAR_BYTES = 512 << 10, NEAR_STEPS = 1 << 15, /* the clock's own cost is below 0.1 % */
    FAR_STEPS = 1 << 13,  /* shorter than what a scheduler gives others at a time */
    WARM_STEPS = 1 << 16, /* of a drawn ring: brings page tables back into the caches */
    QUICK_SIZES = 8,
};

/* --- where and how large ---------------------------------------------------------------------- */

size_t ay_ring_sizes(uint64_t largest_bytes, bool is_quick, uint64_t sizes[AY_MAX_RINGS])
{
    uint64_t all[AY_MAX_RINGS], octave = SMALLEST_BYTES;
    size_t n = 0;
    for (uint64_t bytes = octave; bytes < largest_bytes && n < AY_MAX_RINGS - 1;) {
        all[n++] = bytes;
        bytes += octave / (octave < DENSE_BYTES ? 4 : 2);
        if (bytes >= 2 * octave) octave *= 2;
    }
    all[n++] = largest_bytes;
    const size_t n_wanted = is_quick && n > QUICK_SIZES ? QUICK_SIZES : n;
    for (size_t i = 0; i < n_wanted; i++) sizes[i] = all[i * (n - 1) / (n_wanted - 1)];
    return n_wanted;
}

static uint64_t between(uint64_t least, uint64_t wanted, uint64_t most)
{
    const uint64_t x = wanted < least ? least : wanted;
    return x < most ? x : most;
}

enum ay_status ay_ring_ground(struct ay_bench *b, uint32_t node, enum ay_pages pages,
                              struct ay_ground *out, struct ay_error *err)
{
    const struct ay_host_facts *f = ay_host_facts(b);
    const uint64_t l3_bytes = f->l3_bytes, most = f->free_bytes / 4;
    const uint64_t large_bytes = l3_bytes ? 8 * l3_bytes : UNKNOWN_LARGE_BYTES;
    void *base, *other;
    out->largest_bytes = between(LEAST_LARGE_BYTES, large_bytes, most);
    out->other_bytes = between(LEAST_LARGE_BYTES, 2 * l3_bytes, most);
    out->full_bytes = between(LEAST_FULL_BYTES, l3_bytes + l3_bytes / 2, UINT64_MAX);
    out->line_bytes = f->cache_line_bytes ? f->cache_line_bytes : LINE_BYTES;
    AY_TRY(ay_host_alloc(b, out->largest_bytes, node, pages, &base, err));
    AY_TRY(ay_host_alloc(b, out->other_bytes, node, pages, &other, err));
    out->base = base;
    out->other = other;
    return AY_OK;
}

/* --- one ring --------------------------------------------------------------------------------- */

/* Timed stretches, each going on where the last one ended. A whole ring is read in walking order
 * right before: a neighbour who shares L3 has then had no time to take it away. A stretch during
 * which other work had this CPU is walked again; of nothing but such, the last is kept. */
static enum ay_status time_stretches(struct ay_bench *b, struct ay_host_ring *ring, bool is_drawn,
                                     const struct ay_point *at, struct ay_samples *out,
                                     uint64_t *n_interrupted, struct ay_error *err)
{
    const bool is_near = ring->n_nodes * ring->line_bytes <= NEAR_BYTES;
    const uint64_t n_steps = is_near ? NEAR_STEPS : FAR_STEPS;
    int n_kept = 0;
    for (int i = 1; i <= N_TRIES && n_kept < N_STRETCHES; i++) {
        struct ay_host_timing t;
        if (!is_drawn) ay_host_warm(b, ring);
        AY_TRY(ay_host_walk(b, ring, n_steps, &t, err));
        *n_interrupted += t.was_interrupted;
        if (t.was_interrupted && (i < N_TRIES || n_kept > 0)) continue;
        ay_sample(out, "value", at, (double)n_steps, t.elapsed_ns);
        n_kept++;
    }
    return AY_OK;
}

enum ay_status ay_time_ring(struct ay_bench *b, const struct ay_ground *g, uint64_t ring_bytes,
                            struct ay_samples *out, uint64_t *n_interrupted, struct ay_error *err)
{
    const struct ay_point at = ay_with_number(g->at, "ring_bytes", ring_bytes);
    const uint64_t n_places = 1 + (g->largest_bytes - ring_bytes) / SMALL_PAGE_BYTES;
    const uint64_t place = ay_random_below(ay_bench_random(b), n_places);
    char *const base = g->base + place * SMALL_PAGE_BYTES;
    const bool is_drawn = ring_bytes > g->full_bytes;
    struct ay_host_ring ring;
    AY_TRY(ay_host_ring(b, base, ring_bytes, g->line_bytes,
                        is_drawn ? WARM_STEPS + N_TRIES * FAR_STEPS : UINT64_MAX, &ring, err));
    if (is_drawn) {
        struct ay_host_timing untimed;
        ay_host_sweep(b, g->other, g->other_bytes, g->line_bytes);
        AY_TRY(ay_host_walk(b, &ring, WARM_STEPS, &untimed, err));
    }
    return time_stretches(b, &ring, is_drawn, &at, out, n_interrupted, err);
}
