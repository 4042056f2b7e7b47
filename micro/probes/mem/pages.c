#include "probes/mem/pages.h"

#include <math.h>

#include "core/stats.h"

enum {
    STRIDE_BYTES = 2 << 20,
    FEWEST_PAGES = 4,
    MOST_PAGES = 2048,
    SEARCH_SETS = 12,
    AGREEING = 3,
    BATCH = 12, /* counts that share an eviction: three octaves */
};

/* 4, 5, 6, 7, 8, 10, 12, 14, 16, … */
static uint64_t more_pages(uint64_t n)
{
    uint64_t octave = 4;
    while (octave * 2 <= n) octave *= 2;
    return n + octave / 4;
}

struct counts { /* of pages, and the cycles a load at each */
    size_t n;
    uint64_t pages[64];
    struct ay_estimate slope[64];
};

/* The next counts, laid out side by side in untouched lines, L2 emptied once, then walked. */
static enum ay_status walk_batch(struct ay_bench *b, const struct ay_kernel *k, uint32_t sm,
                                 ay_addr base, uint64_t from, uint64_t most, struct counts *c,
                                 struct ay_error *err)
{
    struct cold_taken taken = {.places = NULL};
    struct cold cold[BATCH];
    uint64_t cycles[SEARCH_SETS * CHASE_LENGTHS];
    const size_t first = c->n;
    for (uint64_t n = from; n <= most && c->n < first + BATCH; n = more_pages(n)) {
        AY_TRY(lay_cold(b, base, n, STRIDE_BYTES, cold_steps(SEARCH_SETS) / n + 1, COLD_ROWS_SHUT,
                        &taken, &cold[c->n - first], err));
        c->pages[c->n++] = n;
    }
    AY_TRY(empty_l2(b, sm, err));
    for (size_t i = first; i < c->n; i++) {
        AY_TRY(walk_cold(b, k, sm, &cold[i - first], SEARCH_SETS, cycles, err));
        AY_TRY(cold_slope(cycles, SEARCH_SETS, &c->slope[i], err));
    }
    return AY_OK;
}

/* The least rise that counts: any at all where nothing varies. */
static double least_step(const struct ay_estimate *hit, double ratio)
{
    return hit->value * (hit->low == hit->high ? 1e-6 : ratio);
}

/* Is slope[i] above `hit`, by more than either may be off, and known well against that step? */
static bool is_step(const struct ay_estimate *hit, const struct ay_estimate *s)
{
    const double LEAST_STEP_RATIO = 0.002, WIDEST_RATIO = 0.2;
    const double step = s->value - hit->value;
    return step > least_step(hit, LEAST_STEP_RATIO) && s->low > hit->high &&
           s->high - s->low < 2 * WIDEST_RATIO * step;
}

/* Did the counts before the step already stand above `hit`, each too little to be told from noise?
 * Then a smaller step came first, and the one that shows is a second level's. The count right
 * before the step may be half way up and is not asked. */
static bool hides_a_step(const struct counts *c, const struct ay_estimate *hit, size_t n_hit)
{
    enum { ASKED = 3 };
    const double LEAST_RATIO = 0.0025;
    double value[ASKED];
    size_t n = 0;
    for (size_t i = n_hit; i-- > 1 && n < ASKED;) value[n++] = c->slope[i - 1].value;
    if (n == 0) return false;
    ay_sort(value, n);
    return value[n / 2] - hit->value > least_step(hit, LEAST_RATIO);
}

/* The middle of the first AGREEING counts in a row with one step; c->n: there are none. Between
 * them and the last count that hits stands one at most: where more do, there are several steps. */
static size_t agreeing(const struct counts *c, const struct ay_estimate *hit)
{
    const double SAME_RATIO = 0.001;
    size_t n_hit = 0;
    while (n_hit < c->n && !is_step(hit, &c->slope[n_hit])) n_hit++;
    if (hides_a_step(c, hit, n_hit)) return c->n;
    for (size_t i = n_hit; i + AGREEING <= c->n && i <= n_hit + 1; i++) {
        double low = INFINITY, high = 0, widest = 0;
        bool are_steps = true;
        for (size_t j = i; j < i + AGREEING; j++) {
            const struct ay_estimate *s = &c->slope[j];
            low = fmin(low, s->value);
            high = fmax(high, s->value);
            widest = fmax(widest, s->high - s->low);
            are_steps = are_steps && is_step(hit, s);
        }
        if (are_steps && high - low <= fmax(SAME_RATIO * low, widest)) return i + AGREEING / 2;
    }
    return c->n;
}

enum ay_status walk_missed_pages(struct ay_bench *b, const struct ay_kernel *k, uint32_t sm,
                                 const struct ay_estimate *hit, uint64_t *cycles,
                                 uint64_t *n_pages, struct ay_error *err)
{
    struct counts c = {.n = 0};
    struct cold cold;
    ay_addr base;
    size_t found = 0;
    uint64_t most = ay_device_facts(b)->free_bytes / 4 / STRIDE_BYTES;
    if (most > MOST_PAGES) most = MOST_PAGES;
    AY_TRY(ay_reserve(b, most * STRIDE_BYTES, &base, err));
    for (uint64_t n = FEWEST_PAGES; n <= most && found == c.n; n = more_pages(c.pages[c.n - 1])) {
        AY_TRY(walk_batch(b, k, sm, base, n, most, &c, err));
        found = agreeing(&c, hit);
    }
    if (found == c.n)
        return AY_FAIL(err, AY_SKIP,
                       "not identified: up to %llu pages of 2 MiB no three counts agree on a"
                       " first step up from %.1f cycles",
                       (unsigned long long)most, hit->value);
    *n_pages = c.pages[found];
    AY_TRY(lay_cold(b, base, *n_pages, STRIDE_BYTES, cold_steps(PAGES_SETS) / *n_pages + 1,
                    COLD_ROWS_SHUT, NULL, &cold, err));
    AY_TRY(empty_l2(b, sm, err));
    return walk_cold(b, k, sm, &cold, PAGES_SETS, cycles, err);
}
