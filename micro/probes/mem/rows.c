#include "probes/mem/rows.h"

#include "core/stats.h"

/* Noise of a difference is that of its parts together, and one is doubled: a sample is made of
 * medians over so many sets. */
enum { SETS_A_SAMPLE = 8 };

/* Of the walks of one length, in cycles. */
static double median_walk(const uint64_t *cycles, uint32_t first_set, uint32_t length)
{
    double of_length[SETS_A_SAMPLE];
    for (uint32_t i = 0; i < SETS_A_SAMPLE; i++)
        of_length[i] = (double)cycles[(first_set + i) * CHASE_LENGTHS + length - 1];
    ay_sort(of_length, SETS_A_SAMPLE);
    return ay_quantile_sorted(of_length, SETS_A_SAMPLE, 0.5);
}

static enum ay_status tell_apart(const uint64_t *shut, const uint64_t *pairs, uint32_t n_sets,
                                 struct ay_error *err)
{
    const double LEAST_SAVING_RATIO = 0.002;
    struct ay_estimate alone, paired;
    AY_TRY(cold_slope(shut, n_sets, &alone, err));
    AY_TRY(cold_slope(pairs, n_sets, &paired, err));
    if (paired.value > (1 - LEAST_SAVING_RATIO) * alone.value || paired.high >= alone.low)
        return AY_FAIL(err, AY_SKIP, "not identified: a neighbour's load takes as long (%.1f cycles"
                       " a step in pairs, %.1f alone): no open row shows", paired.value,
                       alone.value);
    return AY_OK;
}

/* Twice a walk of pairs less one of misses is what hits alone would cost. */
enum ay_status add_open_rows(const uint64_t *shut, const uint64_t *pairs, uint32_t n_sets,
                             struct ay_samples *out, const char *quantity,
                             const struct ay_point *at, struct ay_error *err)
{
    if (out->n == 0) AY_TRY(tell_apart(shut, pairs, n_sets, err));
    for (uint32_t set = 0; set + SETS_A_SAMPLE <= n_sets; set += SETS_A_SAMPLE)
        for (uint32_t length = 1; length <= CHASE_LENGTHS; length++)
            ay_sample(out, quantity, at, cold_loads(length - 1),
                      2 * median_walk(pairs, set, length) - median_walk(shut, set, length));
    return AY_OK;
}
