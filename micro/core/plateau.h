/* plateau.h - the flat regions of a measured curve: levels of a memory hierarchy, of a rate. */
#ifndef AY_PLATEAU_H
#define AY_PLATEAU_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

struct ay_plateau {
    size_t first, last; /* indices of its smallest and largest size */
    double value;       /* median over its sizes; where they are equal to 1e-6, that value */
    double low, high;   /* 95 % for that median; n < 6 sizes: their smallest and largest */
    bool is_exact;      /* equal to 1e-6 at each of its sizes, each without spread */
};

/* Zero in a member: the value in parentheses. */
struct ay_plateau_rule {
    double noise_ratio; /* what a value may be off its plateau (0.03) */
    double flat_ratio;  /* rise a doubling of the size that still is flat (0.06); without noise a
                         * plateau must last noise_ratio / flat_ratio doublings */
    double step_ratio;  /* neighbours closer than this are one plateau (0.05; exact ones 0.005) */
    size_t min_sizes;   /* sizes that make a plateau (3); exact ones need two */
    size_t n_most;      /* plateaus wanted at most: the smallest steps go first (any number) */
};

/* Sizes rise strictly and are positive, as values are; low and high bound the value of each size.
 * Writes *n_found plateaus, in order of size, to found[0 … cap - 1]; a curve without a flat part
 * has none. Curves may rise or fall. Spikes inside a plateau are noise.
 * AY_USAGE: sizes or values out of order or range, or cap too small; AY_NOMEM. */
enum ay_status ay_find_plateaus(const double *sizes, const double *values, const double *low,
                                const double *high, size_t n, const struct ay_plateau_rule *rule,
                                struct ay_plateau *found, size_t cap, size_t *n_found,
                                struct ay_error *err) AY_CHECKED;

#endif
