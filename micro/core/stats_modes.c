#include "core/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mode is at least a twentieth of the samples, and four; a gap sets it apart when it is three
 * times the widest spread inside the groups (more where few samples make a gap likely and a spread
 * uncertain) and one percent of the median. Fewer than sixteen samples have one mode. */
enum { LEAST_SAMPLES = 16, LEAST_IN_MODE = 4, SHARES = 20 };
static const double GAP_OVER_SPREAD = 3, GAP_OVER_VALUE = 0.01;

/* cuts[0] = 0 < … < cuts[n_groups] = n; a gap lies before each inner cut. */
struct cuts {
    size_t n_groups;
    size_t at[AY_MAX_MODES + 1];
};

static double spread(const double *sorted, size_t n, double *scratch)
{
    const double median = ay_quantile_sorted(sorted, n, 0.5);
    for (size_t i = 0; i < n; i++) scratch[i] = fabs(sorted[i] - median);
    ay_sort(scratch, n);
    return 1.4826 * ay_quantile_sorted(scratch, n, 0.5);
}

/* The widest gap that leaves every group at least `least` samples becomes a cut. */
static bool cut_once(const double *sorted, struct cuts *c, size_t least)
{
    size_t best = 0, group = 0;
    double widest = 0;
    for (size_t g = 0; g < c->n_groups; g++)
        for (size_t i = c->at[g] + least; i + least <= c->at[g + 1]; i++)
            if (sorted[i] - sorted[i - 1] > widest) {
                widest = sorted[i] - sorted[i - 1];
                best = i;
                group = g;
            }
    if (widest == 0) return false;
    memmove(&c->at[group + 2], &c->at[group + 1], (c->n_groups - group) * sizeof c->at[0]);
    c->at[group + 1] = best;
    c->n_groups++;
    return true;
}

/* Noise read off a coarse clock leaves groups without spread, one step apart. So gaps as narrow as
 * the finest step between values set nothing apart, unless the values are just two, or each group
 * is one value and the gaps differ. A gap wider than every cut has an outlier behind it. */
static bool is_clock_grid(const double *sorted, size_t n, size_t n_groups, double least_gap,
                          double widest_gap)
{
    const double equal = 1e-9 * fmax(fabs(sorted[0]), fabs(sorted[n - 1]));
    double step = INFINITY;
    size_t n_values = 1;
    for (size_t i = 1; i < n; i++) {
        const double gap = sorted[i] - sorted[i - 1];
        if (gap <= equal || gap > widest_gap) continue;
        n_values++;
        step = fmin(step, gap);
    }
    if (least_gap > 1.5 * step) return false;
    return n_values != n_groups || (n_groups > 2 && widest_gap <= 1.5 * least_gap);
}

static bool is_apart(const double *sorted, size_t n, const struct cuts *c, double *scratch)
{
    double least_gap = INFINITY, widest_gap = 0, widest = 0;
    for (size_t g = 0; g < c->n_groups; g++) {
        const size_t from = c->at[g], to = c->at[g + 1];
        widest = fmax(widest, spread(sorted + from, to - from, scratch));
        if (g == 0) continue;
        const double gap = sorted[from] - sorted[from - 1];
        least_gap = fmin(least_gap, gap);
        widest_gap = fmax(widest_gap, gap);
    }
    return least_gap > GAP_OVER_SPREAD * (1 + 8.0 / (double)n) * widest &&
           least_gap >= GAP_OVER_VALUE * fabs(ay_quantile_sorted(sorted, n, 0.5)) &&
           !is_clock_grid(sorted, n, c->n_groups, least_gap, widest_gap);
}

/* All cuts are judged together: the spread of a group that is still two modes would hide a third.
 * So the most groups that stand apart are taken. */
static struct cuts best_cuts(const double *sorted, size_t n, double *scratch)
{
    struct cuts best = { 1, { 0, n } }, c = best;
    if (n < LEAST_SAMPLES) return best;
    const size_t least = n / SHARES > LEAST_IN_MODE ? n / SHARES : LEAST_IN_MODE;
    while (c.n_groups < AY_MAX_MODES && cut_once(sorted, &c, least))
        if (is_apart(sorted, n, &c, scratch)) best = c;
    return best;
}

enum ay_status ay_find_modes(const double *x, size_t n, struct ay_estimate *out,
                             struct ay_error *err)
{
    memset(out->modes, 0, sizeof out->modes);
    out->n_modes = 0;
    if (n == 0) return AY_FAIL(err, AY_VOID, "modes need a sample, there is none");
    double *sorted = malloc(2 * n * sizeof *sorted);
    if (!sorted) return AY_FAIL(err, AY_NOMEM, "no memory to sort %zu samples", n);
    memcpy(sorted, x, n * sizeof *sorted);
    ay_sort(sorted, n);
    const struct cuts c = best_cuts(sorted, n, sorted + n);
    for (size_t g = 0; g < c.n_groups; g++) {
        const size_t from = c.at[g], to = c.at[g + 1];
        out->modes[g].value = ay_quantile_sorted(sorted + from, to - from, 0.5);
        out->modes[g].weight = (double)(to - from) / (double)n;
    }
    out->n_modes = c.n_groups;
    free(sorted);
    return AY_OK;
}
