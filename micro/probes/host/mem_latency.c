/* host.mem.latency
 *
 * QUESTION  How many nanoseconds does a load of this processor take, from each level of its memory?
 * METHOD    One pinned thread walks a ring of pointers through all cache lines of a footprint, in
 *           random order: each load's address is the last load's value, so loads cannot overlap.
 *           After a warm lap, a stretch is timed; the next one goes on where it ended. A lap
 *           over more than 1.5 x L3 takes too long: there the ring is drawn from all of the
 *           footprint and thrown out of the caches by reading other memory; its first part brings
 *           page tables back, and the rest is timed, no node twice. Levels are the flat regions
 *           of the measured curve.
 */
#include "probes/host/levels.h"
#include "probes/host/rings.h"

enum {
    CHEAP_BYTES = 4 << 20, /* rings up to here are built and walked N_SWEEPS times a pass */
    N_SWEEPS = 6,
};

/* --- method ----------------------------------------------------------------------------------- */

/* In random order, so that a busy neighbour does not look like a level; but for the first time,
 * when the order is that of the rows. Each ring lies elsewhere, since caches are indexed by
 * physical pages. */
static enum ay_status sweep_sizes(struct ay_bench *b, const struct ay_ground *g, bool is_first,
                                  struct ay_samples *out, struct ay_error *err)
{
    uint64_t sizes[AY_MAX_RINGS], n_interrupted = 0;
    const size_t n = ay_ring_sizes(g->largest_bytes, ay_is_quick(b), sizes);
    for (int k = 0; k < N_SWEEPS; k++)
        for (size_t i = 0; i < n; i++) {
            const bool is_shuffled = k > 0 || !is_first;
            const size_t j = i + (is_shuffled ? ay_random_below(ay_bench_random(b), n - i) : 0);
            const uint64_t bytes = sizes[j];
            sizes[j] = sizes[i];
            sizes[i] = bytes;
            if (k == 0 || bytes <= CHEAP_BYTES)
                AY_TRY(ay_time_ring(b, g, bytes, out, &n_interrupted, err));
        }
    if (is_first && n_interrupted > 0)
        ay_warn(out, "first pass: %llu stretches interrupted by other work on this CPU were "
                "walked again; stop that work", (unsigned long long)n_interrupted);
    return AY_OK;
}

static enum ay_status run(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out,
                          struct ay_error *err)
{
    const struct ay_host_facts *f = ay_host_facts(b);
    const enum ay_pages pages = ay_is_word(at, "pages", "huge") ? AY_PAGES_HUGE : AY_PAGES_SMALL;
    const bool is_first = out->n == 0;
    for (uint32_t i = 0; i < f->n_nodes; i++) {
        struct ay_ground g = { .at = ay_with_number(*at, "node", f->nodes[i]) };
        const enum ay_status status = ay_ring_ground(b, f->nodes[i], pages, &g, err);
        if (status == AY_SKIP && i > 0) {
            if (is_first) ay_warn(out, "node %u is left out: %.100s", f->nodes[i], err->text);
            continue;
        }
        AY_TRY(status);
        if (is_first && !f->l3_bytes)
            ay_warn(out, "the OS names no L3: rings beyond 64 MiB are walked cold");
        if (is_first && g.largest_bytes < 8 * f->l3_bytes)
            ay_warn(out, "a quarter of the free memory is below 8 x L3: free some for dram");
        AY_TRY(sweep_sizes(b, &g, is_first, out, err));
    }
    return AY_OK;
}

/* --- analysis --------------------------------------------------------------------------------- */

static const struct ay_quantity QUANTITIES[] = {
    { "value", AY_NS, AY_NO_UNIT, AY_MEDIAN, "load-to-use latency at one footprint", NULL },
    { "plateau", AY_NS, AY_NO_UNIT, AY_DERIVED, "latency of one level of the memory", NULL },
    { 0 },
};

static const char *const PAGES[] = { "small", "huge", NULL };
static const struct ay_axis AXES[] = { { .name = "pages", .words = PAGES }, { 0 } };

static const char *const PITFALLS[] = {
    "On small pages the far end holds page walks too: huge pages tell the memory's own latency.",
    "A guest sees the host's caches and TLBs shared: its part of L3 may be far below the claim.",
    "A level is a flat region of this curve, whatever its true name: two levels of like latency, or"
    " one too small here, are not told apart.",
    "A neighbour who shares L3 takes it away within a millisecond: a value is what a ring costs"
    " right after a warm lap, the median of passes at several times and places.",
    "Lines come in random order; the adjacent-line prefetcher still brings in pairs.",
    NULL,
};

static const char *const SOURCES[] = { "sattolo1986", NULL };

const struct ay_probe host_mem_latency = {
    .name = "host.mem.latency",
    .question = "How long does a load of this processor take from each level of its memory?",
    .method = "One pinned thread walks a random ring of pointers through a footprint; the time a "
              "load takes is taken over stretches of dependent loads, at footprints from 4 KiB "
              "to 8 x L3; a stretch that other work interrupted is walked again. Flat regions "
              "of the curve are the levels.",
    .belongs = AY_ON_HOST,
    .quantities = QUANTITIES,
    .axes = AXES,
    .run = run,
    .conclude = ay_conclude_levels,
    .pitfalls = PITFALLS,
    .sources = SOURCES,
};
