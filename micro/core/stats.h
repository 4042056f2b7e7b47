/* stats.h - order statistics and tests that assume no distribution. No state, no locale, no device.
 *
 * Arrays are plain doubles, finite, at least one long unless said; functions that sort work on a
 * copy. A function that allocates returns AY_NOMEM when it cannot. */
#ifndef AY_STATS_H
#define AY_STATS_H

#include <stdint.h>

#include "core/estimate.h"

/* A small deterministic generator (splitmix64): same seed, same numbers, on every machine. */
struct ay_random {
    uint64_t state;
};
uint64_t ay_random_next(struct ay_random *r);
uint64_t ay_random_below(struct ay_random *r, uint64_t n); /* 0 … n-1 without bias; n ≥ 1 */
double ay_random_unit(struct ay_random *r);                /* [0, 1) */
double ay_random_normal(struct ay_random *r);              /* mean 0, sigma 1 */

void ay_sort(double *x, size_t n);
double ay_quantile_sorted(const double *sorted, size_t n, double q); /* linear between ranks */

/* 1-based ranks of the order statistics that bound a median with at least 95 % (binomial; exact).
 * n < 6 has no such pair: *low = 1, *high = n and the true coverage is returned all the same. */
double ay_rank_interval(size_t n, size_t *low, size_t *high);

/* Median with rank-based 95 % interval, outliers (beyond 5 scaled MAD), modes. */
enum ay_status ay_median(const double *x, size_t n, struct ay_estimate *out,
                         struct ay_error *err) AY_CHECKED;

/* Theil-Sen: median of the slopes of all pairs with different x; interval by Sen's rank method
 * (Kendall's variance with ties). AY_VOID when fewer than two x differ. Falls back to a
 * deterministic sub-sample of pairs above 2000 points. */
enum ay_status ay_theil_sen(const double *x, const double *y, size_t n, struct ay_estimate *out,
                            struct ay_error *err) AY_CHECKED;

/* Where a series steps. */
struct ay_change {
    size_t at;            /* first index of the upper part */
    double below, above;  /* medians of the two parts */
    double p_value;       /* permutation test of the maximum two-sample statistic over all splits */
    double effect_ratio;  /* |above - below| / below */
    bool is_change;       /* p_value < 0.01 and effect_ratio ≥ min_effect_ratio */
};
enum ay_status ay_change_point(const double *y, size_t n, double min_effect_ratio, uint64_t seed,
                               struct ay_change *out, struct ay_error *err) AY_CHECKED;

/* Splits x into up to AY_MAX_MODES groups that a gap sets apart (gap against the spread inside the
 * groups); weights are shares of n. out->n_modes = 1 when there is one. */
enum ay_status ay_find_modes(const double *x, size_t n, struct ay_estimate *out,
                             struct ay_error *err) AY_CHECKED;

/* Autocorrelation at lag 1; whether x, in the order taken, still drifts (Mann-Kendall, by more than
 * a thousandth; level noise is taken for a drift once in fifty, n < 16 never); and the number of
 * independent samples that n such samples are worth: 1 while they drift. */
double ay_autocorrelation(const double *x, size_t n);
bool ay_has_trend(const double *x, size_t n);
double ay_effective_n(const double *x, size_t n);

/* When to stop sampling. Feed each pass's estimates; asks nothing of the clock. */
enum ay_stop { AY_STOP_NOT, AY_STOP_EXACT, AY_STOP_PRECISION, AY_STOP_PLATEAU, AY_STOP_BUDGET };
const char *ay_stop_text(enum ay_stop);
struct ay_stop_rule {
    double precision_ratio; /* wanted half width of the interval over the value */
    size_t min_n;           /* effective samples below which only the budget stops, or exact
                             * data (from 4 on); a drift is seen from 16 on */
};
/* `history` holds the half-width ratio after each pass, newest last; effective_n counts what the
 * samples are worth. exact: the spread is zero (every sample fits to 1e-9). */
enum ay_stop ay_should_stop(const struct ay_stop_rule *rule, const double *history, size_t n_passes,
                            double effective_n, bool is_exact);

#endif
