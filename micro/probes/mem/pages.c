#include "probes/mem/pages.h"

#include <math.h>

enum { STRIDE_BYTES = 2 << 20, FEWEST_PAGES = 4, MOST_PAGES = 2048 };

/* 4, 5, 6, 7, 8, 10, 12, 14, 16, … */
static uint64_t more_pages(uint64_t n)
{
    uint64_t octave = 4;
    while (octave * 2 <= n) octave *= 2;
    return n + octave / 4;
}

enum ay_status walk_missed_pages(struct ay_bench *b, const struct ay_kernel *k, uint32_t sm,
                                 double hit, uint64_t *cycles, uint64_t *n_pages,
                                 struct ay_error *err)
{
    const double LEAST_STEP_RATIO = 0.002, SAME_RATIO = 0.001;
    const uint64_t n_lines = cold_steps(PAGES_SETS);
    uint64_t most = ay_device_facts(b)->free_bytes / 4 / STRIDE_BYTES;
    double last = hit, now;
    ay_addr base;
    if (most > MOST_PAGES) most = MOST_PAGES;
    AY_TRY(ay_reserve(b, most * STRIDE_BYTES, &base, err));
    for (uint64_t n = FEWEST_PAGES; n <= most; n = more_pages(n)) {
        struct cold cold;
        AY_TRY(lay_cold(b, base, n, STRIDE_BYTES, n_lines / n + 1, COLD_ROWS_SHUT, &cold, err));
        AY_TRY(walk_cold(b, k, sm, &cold, PAGES_SETS, cycles, err));
        AY_TRY(cold_slope(cycles, PAGES_SETS, &now, err));
        if (now > hit * (1 + LEAST_STEP_RATIO) && fabs(now - last) < SAME_RATIO * last) {
            *n_pages = n;
            return AY_OK;
        }
        last = now;
    }
    return AY_FAIL(err, AY_SKIP,
                   "not identified: up to %llu pages of 2 MiB no two counts agree on a"
                   " step up from %.1f cycles",
                   (unsigned long long)most, hit);
}
