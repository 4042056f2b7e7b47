/* estimate.h - from samples to one number and how far to trust it. */
#ifndef AY_ESTIMATE_H
#define AY_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/point.h"
#include "core/status.h"

/* The name is written into the row, so that anyone can recompute `value` from `samples`. */
enum ay_estimator {
    AY_SLOPE,   /* cost over work: Theil-Sen; constant costs cancel */
    AY_MEDIAN,  /* median of cost / work, rank-based interval */
    AY_GCD,     /* greatest common divisor of the costs: the step of a quantised clock */
    AY_MIDRANGE, /* half way between least and greatest cost: two clocks that lag by chance */
    AY_DERIVED, /* follows from other rows of the probe (its `conclude` says how) */
};
const char *ay_estimator_text(enum ay_estimator);

enum { AY_MAX_MODES = 4 };

struct ay_mode {
    double value, weight; /* weights of one estimate sum to 1 */
};

struct ay_estimate {
    double value, low, high; /* low..high: 95 %; the unit is the quantity's */
    size_t n;                /* samples behind it */
    size_t n_outliers;       /* counted, never dropped */
    size_t n_modes;          /* 0: one mode */
    struct ay_mode modes[AY_MAX_MODES];
};

/* Samples of one row: `work` (loads, bytes, 1) and what it cost (cycles, ns). */
struct ay_series {
    char quantity[AY_WORD_BYTES];
    struct ay_point point;
    size_t n, cap;
    double *work, *cost;
};

/* All that one probe has collected at one point of its axes; the runner owns it. */
struct ay_samples {
    size_t n, cap;
    struct ay_series *series;
    bool is_out_of_memory;       /* set by ay_sample, looked at by the runner */
    char warnings[4][160];       /* what a reader of the row should know; runner copies them */
    size_t n_warnings;
};

/* Adds a sample to the row quantity + point, which is made on first use. Never fails: memory that
 * has run out is remembered in *s. */
void ay_sample(struct ay_samples *s, const char *quantity, const struct ay_point *point,
               double work, double cost);
void ay_warn(struct ay_samples *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ay_samples_close(struct ay_samples *s); /* safe on NULL and twice */

/* AY_VOID when the series cannot carry the estimator (one length has no slope). */
enum ay_status ay_estimate(const struct ay_series *s, enum ay_estimator how,
                           struct ay_estimate *out, struct ay_error *err) AY_CHECKED;

/* The number of independent samples that a series is worth for an estimate of that value: see
 * ay_effective_n. INFINITY when four samples or more fit it without any rest: more of them would
 * say nothing new. Without memory to look closer, all of them. */
double ay_series_worth(const struct ay_series *s, enum ay_estimator how, double value);

/* How far one sample is off, as a share of its cost: scaled MAD of what the estimate leaves. 0
 * where most fit exactly, and for estimators that do not average. */
double ay_series_noise(const struct ay_series *s, enum ay_estimator how, double value);

#endif
