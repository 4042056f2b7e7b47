#include "core/stats.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_POINTS = 2000, MOST_PAIRS = 2000000 };

/* The k-th smallest (from 0), by quickselect: three ranks of two million slopes need no sort. */
static double select_rank(double *x, size_t n, size_t k)
{
    struct ay_random random = { n };
    size_t from = 0, to = n; /* the wanted one is in x[from … to-1] */
    while (to - from > 1) {
        const double pivot = x[from + ay_random_below(&random, to - from)];
        size_t less = from, i = from, more = to;
        while (i < more) {
            const double v = x[i];
            if (v < pivot) {
                x[i++] = x[less];
                x[less++] = v;
            } else if (v > pivot) {
                x[i] = x[--more];
                x[more] = v;
            } else {
                i++;
            }
        }
        if (k < less) to = less;
        else if (k >= more) from = more;
        else return pivot;
    }
    return x[from];
}

static double median_of(double *x, size_t n)
{
    const double upper = select_rank(x, n, n / 2);
    return n % 2 ? upper : (upper + select_rank(x, n, n / 2 - 1)) / 2;
}

static size_t all_slopes(const double *x, const double *y, size_t n, double *slopes)
{
    size_t n_slopes = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (x[i] != x[j]) slopes[n_slopes++] = (y[j] - y[i]) / (x[j] - x[i]);
    return n_slopes;
}

static size_t some_slopes(const double *x, const double *y, size_t n, double *slopes)
{
    struct ay_random random = { n };
    size_t n_slopes = 0;
    for (size_t i = 0; i < 2 * (size_t)MOST_PAIRS && n_slopes < MOST_PAIRS; i++) {
        const size_t a = ay_random_below(&random, n), b = ay_random_below(&random, n);
        if (x[a] != x[b]) slopes[n_slopes++] = (y[b] - y[a]) / (x[b] - x[a]);
    }
    return n_slopes;
}

/* Sen's half width as a share of all pairs: 1.96 sigma of Kendall's S, where t points that share
 * an x say nothing of each other [sen1968]. x is sorted here. */
static double rank_half_width_ratio(double *x, size_t n)
{
    ay_sort(x, n);
    double variance = (double)n * (double)(n - 1) * (2 * (double)n + 5);
    double pairs = (double)n * (double)(n - 1) / 2;
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && x[j] == x[i]; j++) {}
        const double t = (double)(j - i);
        variance -= t * (t - 1) * (2 * t + 5);
        pairs -= t * (t - 1) / 2;
    }
    return 1.959964 * sqrt(fmax(0, variance) / 18) / pairs;
}

static bool is_sloped(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] != x[0]) return true;
    return false;
}

enum ay_status ay_theil_sen(const double *x, const double *y, size_t n, struct ay_estimate *out,
                            struct ay_error *err)
{
    *out = (struct ay_estimate){ 0 };
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return AY_FAIL(err, AY_VOID, "sample %zu is not a finite number", i);
    if (!is_sloped(x, n))
        return AY_FAIL(err, AY_VOID, "a slope needs two lengths; %zu samples have one", n);

    const bool is_sampled = n > MOST_POINTS;
    const size_t cap = is_sampled ? MOST_PAIRS : n * (n - 1) / 2;
    double *slopes = malloc((cap + n) * sizeof *slopes);
    if (!slopes) return AY_FAIL(err, AY_NOMEM, "no memory for the slopes of %zu samples", n);
    double *sorted_x = slopes + cap;
    for (size_t i = 0; i < n; i++) sorted_x[i] = x[i];
    double half = rank_half_width_ratio(sorted_x, n);
    const size_t m = is_sampled ? some_slopes(x, y, n, slopes) : all_slopes(x, y, n, slopes);
    if (m == 0) {
        free(slopes);
        return AY_FAIL(err, AY_VOID, "of %zu samples too few differ in length", n);
    }
    if (is_sampled) half += 1 / sqrt((double)m); /* two sigma of a rank among sampled pairs */
    out->n = n;
    out->value = median_of(slopes, m);
    const double below = floor((double)m * (1 - half) / 2);
    const size_t low = below < 1 ? 0 : (size_t)below - 1;
    out->low = select_rank(slopes, m, low);
    out->high = select_rank(slopes, m, m - 1 - low);
    if (out->high - out->low <= 1e-9 * fabs(out->value)) out->low = out->high = out->value;
    free(slopes);
    return AY_OK;
}
