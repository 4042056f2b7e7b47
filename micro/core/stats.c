#include "core/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- order ------------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void ay_sort(double *x, size_t n)
{
    if (n > 1) qsort(x, n, sizeof *x, ascending);
}

double ay_quantile_sorted(const double *sorted, size_t n, double q)
{
    if (n == 0) return 0;
    const double at = q * (double)(n - 1);
    const size_t i = at <= 0 ? 0 : at >= (double)(n - 1) ? n - 1 : (size_t)at;
    const double frac = at - (double)i;
    if (i + 1 >= n || frac <= 0) return sorted[i];
    return sorted[i] + frac * (sorted[i + 1] - sorted[i]);
}

/* Binomial weights relative to the middle one: none underflows, whatever n. `upto` of them to the
 * left of the middle are summed; those too small to count end the sum. */
static double weight_sum(size_t n, size_t left, size_t right)
{
    const size_t mid = n / 2;
    double sum = 1, w = 1;
    for (size_t k = mid; k > left && w > 1e-18; k--) {
        w *= (double)k / (double)(n - k + 1);
        sum += w;
    }
    w = 1;
    for (size_t k = mid; k < right && w > 1e-18; k++) {
        w *= (double)(n - k) / (double)(k + 1);
        sum += w;
    }
    return sum;
}

/* x_(l) … x_(n+1-l) holds the median when at least l and at most n - l of n values lie below it. */
double ay_rank_interval(size_t n, size_t *low, size_t *high)
{
    *low = n ? 1 : 0;
    *high = n;
    if (n < 2) return 0;
    const double all = weight_sum(n, 0, n);
    size_t l = n / 2;
    double inside = l == n - l ? 1 : 2; /* weights of l … n-l; the two middle ones are equal */
    double w = 1;
    while (l > 1 && inside / all < 0.95) {
        w *= (double)l / (double)(n - l + 1);
        inside += 2 * w;
        l--;
    }
    *low = l;
    *high = n + 1 - l;
    return inside / all;
}

/* --- median ----------------------------------------------------------------------------------- */

/* More than 5 scaled MAD from the median. When more than half of the values are equal the MAD is
 * 0, and the mean deviation of all other values takes its place: a value that half of the clock's
 * reads show is no outlier, one that stands alone is. */
static size_t count_outliers(const double *sorted, size_t n, double median, double *deviations)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += deviations[i] = fabs(sorted[i] - median);
    ay_sort(deviations, n);
    const double mad = ay_quantile_sorted(deviations, n, 0.5);
    size_t n_outliers = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = deviations[i];
        const double others = n > 1 ? (sum - d) / (double)(n - 1) : 0;
        const double scale = mad > 0 ? 1.4826 * mad : 1.2533 * others;
        if (d > 5 * scale && d > 1e-9 * fabs(median)) n_outliers++;
    }
    return n_outliers;
}

enum ay_status ay_median(const double *x, size_t n, struct ay_estimate *out, struct ay_error *err)
{
    *out = (struct ay_estimate){ 0 };
    if (n == 0) return AY_FAIL(err, AY_VOID, "a median needs a sample, there is none");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return AY_FAIL(err, AY_VOID, "sample %zu is not a finite number", i);
    double *sorted = malloc(2 * n * sizeof *sorted);
    if (!sorted) return AY_FAIL(err, AY_NOMEM, "no memory to sort %zu samples", n);
    memcpy(sorted, x, n * sizeof *sorted);
    ay_sort(sorted, n);

    enum ay_status status = ay_find_modes(sorted, n, out, err);
    if (out->n_modes == 1) out->n_modes = 0;
    size_t low, high;
    ay_rank_interval(n, &low, &high);
    out->n = n;
    out->value = ay_quantile_sorted(sorted, n, 0.5);
    out->low = sorted[low - 1];
    out->high = sorted[high - 1];
    if (out->high - out->low <= 1e-9 * fabs(out->value)) out->low = out->high = out->value;
    out->n_outliers = count_outliers(sorted, n, out->value, sorted + n);
    free(sorted);
    return status;
}

/* --- samples that depend on each other -------------------------------------------------------- */

double ay_autocorrelation(const double *x, size_t n)
{
    if (n < 3) return 0;
    double mean = 0, variance = 0, lagged = 0;
    for (size_t i = 0; i < n; i++) mean += (x[i] - mean) / (double)(i + 1);
    for (size_t i = 0; i < n; i++) {
        variance += (x[i] - mean) * (x[i] - mean);
        if (i) lagged += (x[i] - mean) * (x[i - 1] - mean);
    }
    /* What rounding leaves of a constant series is no variance. */
    if (variance <= (double)n * mean * mean * 1e-30) return 0;
    return lagged / variance;
}

/* Mann-Kendall's statistic in sigmas: of at most 500 samples, evenly chosen. */
static double kendall_z(const double *x, size_t n)
{
    const size_t step = n / 501 + 1;
    double s = 0, m = 0;
    for (size_t i = 0; i < n; i += step, m++)
        for (size_t j = 0; j < i; j += step) s += (x[i] > x[j]) - (x[i] < x[j]);
    return s / sqrt(m * (m - 1) * (2 * m + 5) / 18);
}

/* Two ways to be on the way: the newer half shows it; or the whole series does and the newer half
 * is not yet long enough to show that it is over, because noise often hides the end of a decay. The
 * noise is taken from neighbours, which a drift leaves alone. */
bool ay_has_trend(const double *x, size_t n)
{
    if (n < 16) return false;
    const double *newer = x + n / 2;
    const size_t m = n - n / 2, third = m / 3;
    const double whole = kendall_z(x, n), now = kendall_z(newer, m);
    double drift = 0, level = 0, sigma = 0; /* drift: of the last third against the first */
    for (size_t i = 0; i < third; i++) drift += (newer[m - 1 - i] - newer[i]) / (double)third;
    for (size_t i = 0; i < m; i++) level += fabs(newer[i]) / (double)m;
    for (size_t i = 1; i < m; i++) sigma += 0.886 * fabs(newer[i] - newer[i - 1]) / (double)(m - 1);
    const double at_most = (whole > 0 ? drift : -drift) + 2 * sigma * sqrt(2 / (double)third);
    if (fabs(now) > 2.576 && fabs(drift) > 1e-3 * level) return true;
    return fabs(whole) > 2.576 && at_most > fmax(0.5 * sigma, 1e-3 * level);
}

/* The newer half says how much samples depend on each other: the start of a series that settled
 * would make all of it look like one slow wave. */
double ay_effective_n(const double *x, size_t n)
{
    if (n < 2 || ay_has_trend(x, n)) return n ? 1 : 0;
    const size_t m = n < 32 ? n : n - n / 2;
    const double r = ay_autocorrelation(x + (n - m), m);
    if (r < 1.645 / sqrt((double)m)) return (double)n; /* as independent samples would look */
    return fmax(1, (double)n * (1 - r) / (1 + r));
}
