#include "core/plateau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"

static const double EXACT_RATIO = 1e-6, EXACT_STEP_RATIO = 0.005;
static const double DEFAULT_NOISE_RATIO = 0.03, DEFAULT_FLAT_RATIO = 0.06;
static const double DEFAULT_STEP_RATIO = 0.05;
enum { DEFAULT_MIN_SIZES = 3, MIN_EXACT_SIZES = 2 };

struct curve {
    const double *sizes, *values, *low, *high;
    size_t n;
    struct ay_plateau_rule rule;
};

static enum ay_status summarise(const struct curve *c, size_t first, size_t last,
                                struct ay_plateau *out, struct ay_error *err)
{
    struct ay_estimate e;
    AY_TRY(ay_median(c->values + first, last - first + 1, &e, err));
    *out = (struct ay_plateau){ .first = first, .last = last,
                                .value = e.value, .low = e.low, .high = e.high };
    return AY_OK;
}

/* --- exact runs ------------------------------------------------------------------------------- */

static bool has_spread(const struct curve *c, size_t i)
{
    return c->high[i] - c->low[i] > EXACT_RATIO * c->values[i];
}

/* The last size of the run of equal values that begins at `first`. */
static size_t exact_end(const struct curve *c, size_t first)
{
    const double value = c->values[first];
    size_t last = first;
    while (last + 1 < c->n && !has_spread(c, first) && !has_spread(c, last + 1) &&
           fabs(c->values[last + 1] - value) <= EXACT_RATIO * value)
        last++;
    return last;
}

/* --- flat runs among noise -------------------------------------------------------------------- */

/* The curve is parted into plateaus and rises so that the sum of these costs is least: a size of a
 * rise costs `noise` times its width in octaves; one of a plateau its distance from the plateau's
 * median in logarithms, at most the same; a plateau `plateau`. In a ramp of e an octave a plateau
 * pays when e < noise^2 / plateau, and a flat one when it is longer than plateau / noise octaves:
 * that sets the third from the rule. Optimal by dynamic programming over its last part, as
 * in [jackson2005]. */
struct costs {
    double noise, plateau;
};

struct part { /* of the best parting of the first sizes */
    double cost;
    size_t n_before; /* sizes before its last part */
    bool is_plateau; /* its last part */
};

/* Octaves that a size stands for. */
static double width(const struct curve *c, size_t i)
{
    const size_t before = i > 0 ? i - 1 : 0, after = i + 1 < c->n ? i + 1 : i;
    const double octaves = log2(c->sizes[after] / c->sizes[before]);
    return after - before == 2 ? octaves / 2 : octaves;
}

static double deviation(const struct curve *c, size_t i, double middle)
{
    return fabs(log(c->values[i]) - middle);
}

/* Infinite where too few sizes are near, or one at an end is not. sorted: logarithms of values
 * first … last, in order. */
static double plateau_cost(const struct curve *c, const struct costs *k, const double *sorted,
                           size_t first, size_t last)
{
    const double middle = ay_quantile_sorted(sorted, last - first + 1, 0.5);
    if (deviation(c, first, middle) > k->noise || deviation(c, last, middle) > k->noise)
        return INFINITY;
    double sum = k->plateau;
    size_t n_near = 0;
    for (size_t i = first; i <= last; i++) {
        const double off = deviation(c, i, middle);
        n_near += off <= k->noise;
        sum += width(c, i) * fmin(off, k->noise);
    }
    return n_near < c->rule.min_sizes || 2 * n_near < last - first + 1 ? INFINITY : sum;
}

static void insert(double *sorted, size_t n, double x)
{
    while (n > 0 && sorted[n - 1] > x) {
        sorted[n] = sorted[n - 1];
        n--;
    }
    sorted[n] = x;
}

static void part_curve(const struct curve *c, const struct costs *k, struct part *best,
                       double *sorted)
{
    best[0] = (struct part){ 0 };
    for (size_t n = 1; n <= c->n; n++) {
        best[n] = (struct part){ best[n - 1].cost + k->noise * width(c, n - 1), n - 1, false };
        for (size_t first = n; first-- > 0;) { /* a plateau of sizes first … n - 1 */
            insert(sorted, n - 1 - first, log(c->values[first]));
            if (n - first < c->rule.min_sizes) continue;
            const double cost = best[first].cost + plateau_cost(c, k, sorted, first, n - 1);
            if (cost < best[n].cost) best[n] = (struct part){ cost, first, true };
        }
    }
}

/* Exact runs are plateaus whatever lies around them; a noisy one around them joins them later. */
static enum ay_status find_parts(const struct curve *c, struct part *best, double *sorted,
                                 struct ay_plateau *found, size_t *n_found, struct ay_error *err)
{
    const double noise = log1p(c->rule.noise_ratio);
    const struct costs k = { noise, noise * noise / log1p(c->rule.flat_ratio) };
    part_curve(c, &k, best, sorted);
    for (size_t n = c->n; n > 0; n = best[n].n_before) {
        if (!best[n].is_plateau) continue;
        AY_TRY(summarise(c, best[n].n_before, n - 1, &found[(*n_found)++], err));
    }
    for (size_t i = 0, end; i < c->n; i = end + 1) {
        end = exact_end(c, i);
        if (end - i + 1 < MIN_EXACT_SIZES) continue;
        AY_TRY(summarise(c, i, end, &found[*n_found], err));
        found[(*n_found)++].is_exact = true;
    }
    return AY_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct ay_plateau *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
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

enum ay_status ay_find_plateaus(const double *sizes, const double *values, const double *low,
                                const double *high, size_t n, const struct ay_plateau_rule *rule,
                                struct ay_plateau *found, size_t cap, size_t *n_found,
                                struct ay_error *err)
{
    struct curve c = { sizes, values, low, high, n, *rule };
    if (c.rule.noise_ratio == 0) c.rule.noise_ratio = DEFAULT_NOISE_RATIO;
    if (c.rule.flat_ratio == 0) c.rule.flat_ratio = DEFAULT_FLAT_RATIO;
    if (c.rule.step_ratio == 0) c.rule.step_ratio = DEFAULT_STEP_RATIO;
    if (c.rule.min_sizes == 0) c.rule.min_sizes = DEFAULT_MIN_SIZES;
    *n_found = 0;
    if (n == 0) return AY_OK;
    AY_TRY(check(&c, err));

    struct part *const best = malloc((n + 1) * sizeof *best);
    double *const sorted = malloc(n * sizeof *sorted);
    struct ay_plateau *const all = malloc(2 * n * sizeof *all); /* noisy and exact ones */
    size_t n_all = 0;
    enum ay_status status = best && sorted && all
        ? find_parts(&c, best, sorted, all, &n_all, err)
        : AY_FAIL(err, AY_NOMEM, "no memory for a curve of %zu sizes", n);
    if (status == AY_OK) {
        qsort(all, n_all, sizeof *all, by_place);
        status = join_neighbours(&c, all, &n_all, err);
    }
    if (status == AY_OK && n_all > cap)
        status = AY_FAIL(err, AY_USAGE, "%zu plateaus, room for %zu", n_all, cap);
    if (status == AY_OK) {
        memcpy(found, all, n_all * sizeof *all);
        *n_found = n_all;
    }
    free(best);
    free(sorted);
    free(all);
    return status;
}
