#include "core/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Enough for p = 0.001; a series that reaches ENOUGH_ABOVE earlier has p > 0.03 and is let go
 * (sequential test of Besag and Clifford [besag1991]). */
enum { N_PERMUTATIONS = 999, ENOUGH_ABOVE = 30 };

/* Stands for the ratio of a step up from zero, so that no infinity gets into a file. */
static const double LARGE = 1e9;

struct ranked {
    double value;
    size_t index;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Midranks less their mean; ties share one, so that equal values say nothing. */
static void centred_ranks(const double *y, size_t n, struct ranked *scratch, double *ranks)
{
    for (size_t i = 0; i < n; i++) scratch[i] = (struct ranked){ y[i], i };
    qsort(scratch, n, sizeof *scratch, by_value);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && scratch[j].value == scratch[i].value; j++) {}
        const double rank = ((double)i + (double)j - (double)n) / 2;
        for (size_t k = i; k < j; k++) ranks[scratch[k].index] = rank;
    }
}

/* The largest rank sum over all splits, each against its own spread: |W_k| / sqrt(k (n - k)). What
 * depends on n and ties alone is the same for every permutation and left out. */
static double largest_split(const double *ranks, size_t n, size_t *at)
{
    double sum = 0, best = -1;
    for (size_t k = 1; k < n; k++) {
        sum += ranks[k - 1];
        const double s = fabs(sum) / sqrt((double)k * (double)(n - k));
        if (s > best * (1 + 1e-12)) {
            best = s;
            *at = k;
        }
    }
    return best;
}

static double permutation_p(double *ranks, size_t n, double observed, uint64_t seed)
{
    struct ay_random random = { seed };
    size_t n_above = 0, ignored = 0;
    for (size_t i = 1; i <= N_PERMUTATIONS; i++) {
        for (size_t k = n - 1; k > 0; k--) {
            const size_t j = ay_random_below(&random, k + 1);
            const double r = ranks[k];
            ranks[k] = ranks[j];
            ranks[j] = r;
        }
        if (largest_split(ranks, n, &ignored) >= observed * (1 - 1e-12) &&
            ++n_above == ENOUGH_ABOVE)
            return (double)n_above / (double)i;
    }
    return (double)(n_above + 1) / (N_PERMUTATIONS + 1);
}

static double median_of(const double *y, size_t n, double *scratch)
{
    memcpy(scratch, y, n * sizeof *scratch);
    ay_sort(scratch, n);
    return ay_quantile_sorted(scratch, n, 0.5);
}

enum ay_status ay_change_point(const double *y, size_t n, double min_effect_ratio, uint64_t seed,
                               struct ay_change *out, struct ay_error *err)
{
    *out = (struct ay_change){ .p_value = 1 };
    if (n == 0) return AY_FAIL(err, AY_VOID, "a change point needs a series, it is empty");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(y[i])) return AY_FAIL(err, AY_VOID, "point %zu is not a finite number", i);
    struct ranked *scratch = malloc(n * (sizeof *scratch + 2 * sizeof(double)));
    if (!scratch) return AY_FAIL(err, AY_NOMEM, "no memory for a series of %zu", n);
    double *ranks = (double *)(scratch + n), *sorted = ranks + n;

    centred_ranks(y, n, scratch, ranks);
    const double observed = n > 1 ? largest_split(ranks, n, &out->at) : 0;
    if (observed > 0) {
        out->p_value = permutation_p(ranks, n, observed, seed);
        out->below = median_of(y, out->at, sorted);
        out->above = median_of(y + out->at, n - out->at, sorted);
        const double step = fabs(out->above - out->below), base = fabs(out->below);
        out->effect_ratio = step == 0 ? 0 : step < base * LARGE ? step / base : LARGE;
    } else {
        out->at = n;
        out->below = out->above = median_of(y, n, sorted);
    }
    out->is_change = out->p_value < 0.01 && out->effect_ratio >= min_effect_ratio;
    free(scratch);
    return AY_OK;
}
