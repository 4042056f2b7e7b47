#include "core/estimate.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"

const char *ay_estimator_text(enum ay_estimator how)
{
    switch (how) {
    case AY_SLOPE: return "slope";
    case AY_MEDIAN: return "median";
    case AY_GCD: return "gcd";
    case AY_MIDRANGE: return "midrange";
    case AY_DERIVED: return "derived";
    }
    return "";
}

/* --- samples ---------------------------------------------------------------------------------- */

static struct ay_series *add_series(struct ay_samples *s, const char *quantity,
                                    const struct ay_point *point)
{
    if (s->n == s->cap) {
        const size_t cap = s->cap ? 2 * s->cap : 4;
        struct ay_series *grown = realloc(s->series, cap * sizeof *grown);
        if (!grown) return NULL;
        s->series = grown;
        s->cap = cap;
    }
    struct ay_series *added = &s->series[s->n++];
    *added = (struct ay_series){ .point = *point };
    snprintf(added->quantity, sizeof added->quantity, "%s", quantity);
    return added;
}

static struct ay_series *series_of(struct ay_samples *s, const char *quantity,
                                   const struct ay_point *point)
{
    for (size_t i = s->n; i-- > 0; ) /* the row sampled last is the likeliest */
        if (!strncmp(s->series[i].quantity, quantity, AY_WORD_BYTES - 1) &&
            ay_same_point(&s->series[i].point, point))
            return &s->series[i];
    return add_series(s, quantity, point);
}

static bool make_room(struct ay_series *row)
{
    if (row->n < row->cap) return true;
    const size_t cap = row->cap ? 2 * row->cap : 16;
    double *work = realloc(row->work, cap * sizeof *work);
    if (work) row->work = work;
    double *cost = realloc(row->cost, cap * sizeof *cost);
    if (cost) row->cost = cost;
    if (!work || !cost) return false;
    row->cap = cap;
    return true;
}

void ay_sample(struct ay_samples *s, const char *quantity, const struct ay_point *point,
               double work, double cost)
{
    struct ay_series *row = series_of(s, quantity, point);
    if (!row || !make_room(row)) {
        s->is_out_of_memory = true;
        return;
    }
    row->work[row->n] = work;
    row->cost[row->n++] = cost;
}

void ay_warn(struct ay_samples *s, const char *fmt, ...)
{
    char text[sizeof s->warnings[0]];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < s->n_warnings; i++) /* each pass would say it again */
        if (!strcmp(s->warnings[i], text)) return;
    if (s->n_warnings < sizeof s->warnings / sizeof s->warnings[0])
        memcpy(s->warnings[s->n_warnings++], text, sizeof text);
}

void ay_samples_close(struct ay_samples *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n; i++) {
        free(s->series[i].work);
        free(s->series[i].cost);
    }
    free(s->series);
    *s = (struct ay_samples){ 0 };
}

/* --- estimators ------------------------------------------------------------------------------- */

/* Cost per work, or what the fitted line leaves of the cost, in the order of the samples. */
static void per_sample(const struct ay_series *s, enum ay_estimator how, double slope,
                       double *into)
{
    for (size_t i = 0; i < s->n; i++)
        into[i] = how == AY_SLOPE ? s->cost[i] - slope * s->work[i] : s->cost[i] / s->work[i];
}

static enum ay_status estimate_slope(const struct ay_series *s, double *scratch,
                                     struct ay_estimate *out, struct ay_error *err)
{
    AY_TRY(ay_theil_sen(s->work, s->cost, s->n, out, err));
    struct ay_estimate rest;
    per_sample(s, AY_SLOPE, out->value, scratch);
    AY_TRY(ay_median(scratch, s->n, &rest, err));
    out->n_outliers = rest.n_outliers;
    return AY_OK;
}

static enum ay_status estimate_median(const struct ay_series *s, double *scratch,
                                      struct ay_estimate *out, struct ay_error *err)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->work[i] == 0)
            return AY_FAIL(err, AY_VOID, "sample %zu of %s did no work", i, s->quantity);
    per_sample(s, AY_MEDIAN, 0, scratch);
    return ay_median(scratch, s->n, out, err);
}

static enum ay_status estimate_gcd(const struct ay_series *s, struct ay_estimate *out,
                                   struct ay_error *err)
{
    uint64_t step = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double cost = fabs(s->cost[i]), whole = nearbyint(cost);
        if (!(cost <= 0x1p53) || fabs(cost - whole) > 1e-6)
            return AY_FAIL(err, AY_VOID, "sample %zu of %s is no whole number of units", i,
                           s->quantity);
        for (uint64_t a = (uint64_t)whole; a; ) {
            const uint64_t rest = step % a;
            step = a;
            a = rest;
        }
    }
    if (step == 0)
        return AY_FAIL(err, AY_VOID, "all %zu samples of %s are zero: they have no common step",
                       s->n, s->quantity);
    out->value = out->low = out->high = (double)step;
    out->n = s->n;
    return AY_OK;
}

static enum ay_status estimate_midrange(const struct ay_series *s, struct ay_estimate *out)
{
    out->low = out->high = s->cost[0];
    for (size_t i = 1; i < s->n; i++) {
        if (s->cost[i] < out->low) out->low = s->cost[i];
        if (s->cost[i] > out->high) out->high = s->cost[i];
    }
    out->value = (out->low + out->high) / 2;
    out->n = s->n;
    return AY_OK;
}

enum ay_status ay_estimate(const struct ay_series *s, enum ay_estimator how,
                           struct ay_estimate *out, struct ay_error *err)
{
    *out = (struct ay_estimate){ 0 };
    if (s->n == 0) return AY_FAIL(err, AY_VOID, "%s has no samples", s->quantity);
    if (how == AY_GCD) return estimate_gcd(s, out, err);
    if (how == AY_MIDRANGE) return estimate_midrange(s, out);
    if (how != AY_SLOPE && how != AY_MEDIAN)
        return AY_FAIL(err, AY_USAGE, "%s does not follow from samples", s->quantity);
    double *scratch = malloc(s->n * sizeof *scratch);
    if (!scratch) return AY_FAIL(err, AY_NOMEM, "no memory for %zu samples", s->n);
    const enum ay_status status = how == AY_SLOPE ? estimate_slope(s, scratch, out, err)
                                                  : estimate_median(s, scratch, out, err);
    free(scratch);
    return status;
}

/* What a line leaves of the costs lies around nothing; a typical cost is added, so that a drift is
 * held against what was measured. */
double ay_series_worth(const struct ay_series *s, enum ay_estimator how, double value)
{
    double *rest = malloc(s->n ? s->n * sizeof *rest : 1);
    if (!rest) return (double)s->n;
    double least = INFINITY, most = -INFINITY, largest = 0, typical = 0;
    per_sample(s, how, value, rest);
    for (size_t i = 0; i < s->n; i++) {
        least = fmin(least, rest[i]);
        most = fmax(most, rest[i]);
        largest = fmax(largest, fabs(how == AY_SLOPE ? s->cost[i] : rest[i]));
        typical += fabs(s->cost[i]) / (double)s->n;
    }
    for (size_t i = 0; i < s->n && how == AY_SLOPE; i++) rest[i] += typical;
    double worth = (double)s->n;
    if (how == AY_SLOPE || how == AY_MEDIAN) {
        worth = ay_effective_n(rest, s->n);
        if (s->n >= 4 && most - least <= 1e-9 * largest) worth = INFINITY;
    }
    free(rest);
    return worth;
}

double ay_series_noise(const struct ay_series *s, enum ay_estimator how, double value)
{
    const double SIGMA_OF_MAD = 1.4826;
    double *rest = how == AY_SLOPE || how == AY_MEDIAN ? malloc(s->n * sizeof *rest) : NULL;
    if (!rest || s->n == 0) {
        free(rest);
        return 0;
    }
    struct ay_estimate middle = { 0 }, off = { 0 };
    struct ay_error ignored;
    per_sample(s, how, value, rest);
    bool is_known = ay_median(rest, s->n, &middle, &ignored) == AY_OK;
    for (size_t i = 0; i < s->n; i++) {
        const double cost = how == AY_SLOPE ? s->cost[i] : value;
        rest[i] = cost != 0 ? fabs((rest[i] - middle.value) / cost) : 0;
    }
    is_known = is_known && ay_median(rest, s->n, &off, &ignored) == AY_OK;
    free(rest);
    return is_known ? SIGMA_OF_MAD * off.value : 0;
}
