#include "core/plateau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"

static const double EXACT_RATIO = 1e-6, EXACT_STEP_RATIO = 0.005;
static const double DEFAULT_FLAT_RATIO = 0.04, DEFAULT_STEP_RATIO = 0.05;
enum { DEFAULT_MIN_SIZES = 3, MIN_EXACT_SIZES = 2 };

struct curve {
    const double *sizes, *values, *low, *high;
    size_t n;
    struct ay_plateau_rule rule;
};

/* --- the curve without its noise -------------------------------------------------------------- */

static double middle_of_three(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Logarithms, so that noise and steps are ratios. A median of three leaves a monotone curve as it
 * is and takes away a spike of one size, which the fit below would smear over its neighbours. */
static void log_without_spikes(const struct curve *c, double *y)
{
    const double sign = c->rule.is_falling ? -1 : 1;
    for (size_t i = 0; i < c->n; i++) {
        const double *v = c->values + i;
        const bool is_end = i == 0 || i + 1 == c->n;
        y[i] = sign * log(is_end ? v[0] : middle_of_three(v[-1], v[0], v[1]));
    }
}

/* Isotonic regression by pooling adjacent violators [ayer1955]: the non-decreasing curve nearest to
 * y. A deeper level is never faster, so whatever falls is noise. weight is scratch, n long. */
static void make_monotone(double *y, double *weight, size_t n)
{
    size_t n_blocks = 0; /* block b: mean y[b], weight[b] sizes; never ahead of the read at i */
    for (size_t i = 0; i < n; i++) {
        y[n_blocks] = y[i];
        weight[n_blocks++] = 1;
        while (n_blocks > 1 && y[n_blocks - 2] > y[n_blocks - 1]) {
            const double w = weight[n_blocks - 2] + weight[n_blocks - 1];
            y[n_blocks - 2] = (y[n_blocks - 2] * weight[n_blocks - 2] +
                               y[n_blocks - 1] * weight[n_blocks - 1]) / w;
            weight[n_blocks - 2] = w;
            n_blocks--;
        }
    }
    for (size_t i = n; n_blocks-- > 0;) {
        const double mean = y[n_blocks]; /* read before it is written over: i > n_blocks */
        for (double k = weight[n_blocks]; k > 0; k--) y[--i] = mean;
    }
}

/* --- flat runs -------------------------------------------------------------------------------- */

static bool has_spread(const struct curve *c, size_t i)
{
    return c->high[i] - c->low[i] > EXACT_RATIO * c->values[i];
}

static bool is_same(double a, double b)
{
    return fabs(a - b) <= EXACT_RATIO * fmin(a, b);
}

/* The last size of the run of equal values that begins at `first`. */
static size_t exact_end(const struct curve *c, size_t first)
{
    size_t last = first;
    while (last + 1 < c->n && !has_spread(c, first) && !has_spread(c, last + 1) &&
           is_same(c->values[first], c->values[last + 1]))
        last++;
    return last;
}

/* The last size of the run that begins at `first` and never rises faster than flat_ratio. */
static size_t flat_end(const struct curve *c, const double *fit, size_t first)
{
    size_t last = first;
    while (last + 1 < c->n) {
        const double n_doublings = log2(c->sizes[last + 1] / c->sizes[last]);
        if (fit[last + 1] - fit[last] > n_doublings * log1p(c->rule.flat_ratio)) break;
        last++;
    }
    return last;
}

static enum ay_status summarise(const struct curve *c, size_t first, size_t last,
                                struct ay_plateau *out, struct ay_error *err)
{
    struct ay_estimate e;
    AY_TRY(ay_median(c->values + first, last - first + 1, &e, err));
    *out = (struct ay_plateau){ .first = first, .last = last,
                                .value = e.value, .low = e.low, .high = e.high };
    return AY_OK;
}

/* The parts of a flat run: its exact stretches; without any, the run itself when it is long. */
static enum ay_status split_run(const struct curve *c, size_t first, size_t last,
                                struct ay_plateau *found, size_t *n_found, struct ay_error *err)
{
    const size_t n_before = *n_found;
    for (size_t i = first; i <= last;) {
        const size_t end = exact_end(c, i) < last ? exact_end(c, i) : last;
        if (end - i + 1 >= MIN_EXACT_SIZES) {
            AY_TRY(summarise(c, i, end, &found[*n_found], err));
            found[(*n_found)++].is_exact = true;
        }
        i = end + 1;
    }
    if (*n_found == n_before && last - first + 1 >= c->rule.min_sizes)
        AY_TRY(summarise(c, first, last, &found[(*n_found)++], err));
    return AY_OK;
}

/* --- plateaus that are one -------------------------------------------------------------------- */

static double step_between(const struct ay_plateau *a, const struct ay_plateau *b)
{
    return fabs(log(b->value / a->value));
}

static bool are_distinct(const struct curve *c, const struct ay_plateau *a,
                         const struct ay_plateau *b)
{
    const bool are_exact = a->is_exact && b->is_exact;
    return step_between(a, b) >= log1p(are_exact ? EXACT_STEP_RATIO : c->rule.step_ratio);
}

static size_t n_sizes(const struct ay_plateau *p)
{
    return p->last - p->first + 1;
}

/* found[at] takes found[at + 1] in. Exact ones know their value: beside one, an inexact neighbour
 * is the foot of a rise, and of two the longer is the level. */
static enum ay_status join(const struct curve *c, struct ay_plateau *found, size_t *n_found,
                           size_t at, struct ay_error *err)
{
    struct ay_plateau *const a = &found[at], *const b = &found[at + 1];
    if (!a->is_exact && !b->is_exact)
        AY_TRY(summarise(c, a->first, b->last, a, err));
    else if (!a->is_exact || (b->is_exact && n_sizes(b) > n_sizes(a)))
        *a = *b;
    memmove(b, b + 1, (*n_found - at - 2) * sizeof *b);
    --*n_found;
    return AY_OK;
}

static enum ay_status join_neighbours(const struct curve *c, struct ay_plateau *found,
                                      size_t *n_found, struct ay_error *err)
{
    while (*n_found > 1) {
        size_t at = 0;
        bool must = false;
        double least = INFINITY; /* among those that must go, else among all */
        for (size_t i = 0; i + 1 < *n_found; i++) {
            const bool is_one = !are_distinct(c, &found[i], &found[i + 1]);
            const double step = step_between(&found[i], &found[i + 1]);
            if (is_one < must || (is_one == must && step >= least)) continue;
            must = is_one;
            least = step;
            at = i;
        }
        if (!must && (c->rule.n_most == 0 || *n_found <= c->rule.n_most)) break;
        AY_TRY(join(c, found, n_found, at, err));
    }
    return AY_OK;
}

/* --- all of it -------------------------------------------------------------------------------- */

static enum ay_status check(const struct curve *c, struct ay_error *err)
{
    for (size_t i = 0; i < c->n; i++) {
        const bool is_good = isfinite(c->sizes[i]) && isfinite(c->values[i]) && c->sizes[i] > 0 &&
                             c->values[i] > 0 && c->low[i] <= c->high[i];
        if (!is_good || (i > 0 && c->sizes[i] <= c->sizes[i - 1]))
            return AY_FAIL(err, AY_USAGE, "a curve's sizes must rise and its values be positive; "
                           "number %zu does not", i);
    }
    return AY_OK;
}

static enum ay_status find(const struct curve *c, double *fit, struct ay_plateau *found,
                           size_t *n_found, struct ay_error *err)
{
    log_without_spikes(c, fit);
    make_monotone(fit, fit + c->n, c->n);
    for (size_t first = 0, last; first < c->n; first = last + 1) {
        last = flat_end(c, fit, first);
        AY_TRY(split_run(c, first, last, found, n_found, err));
    }
    return join_neighbours(c, found, n_found, err);
}

enum ay_status ay_find_plateaus(const double *sizes, const double *values, const double *low,
                                const double *high, size_t n, const struct ay_plateau_rule *rule,
                                struct ay_plateau *found, size_t cap, size_t *n_found,
                                struct ay_error *err)
{
    struct curve c = { sizes, values, low, high, n, *rule };
    if (c.rule.flat_ratio == 0) c.rule.flat_ratio = DEFAULT_FLAT_RATIO;
    if (c.rule.step_ratio == 0) c.rule.step_ratio = DEFAULT_STEP_RATIO;
    if (c.rule.min_sizes == 0) c.rule.min_sizes = DEFAULT_MIN_SIZES;
    *n_found = 0;
    if (n == 0) return AY_OK;
    AY_TRY(check(&c, err));

    double *const fit = malloc(2 * n * sizeof *fit);
    struct ay_plateau *const all = malloc(n * sizeof *all);
    size_t n_all = 0;
    enum ay_status status = fit && all ? find(&c, fit, all, &n_all, err)
                                       : AY_FAIL(err, AY_NOMEM, "no memory for %zu sizes", n);
    if (status == AY_OK && n_all > cap)
        status = AY_FAIL(err, AY_USAGE, "%zu plateaus, room for %zu", n_all, cap);
    if (status == AY_OK) {
        memcpy(found, all, n_all * sizeof *all);
        *n_found = n_all;
    }
    free(fit);
    free(all);
    return status;
}
