/* curve.h - the rows of one probe that make a figure: points along an axis, levels beside them. */
#ifndef AY_CURVE_H
#define AY_CURVE_H

#include "core/runfile.h"

struct ay_curve {
    const char *probe;
    char axis[AY_WORD_BYTES];      /* the numeric axis with the most values */
    enum ay_unit unit;
    size_t n_points, n_series;     /* finite, positive, so that a log axis can show them */
    const struct ay_row **points;  /* by series, then along the axis */
    size_t *series;                /* of each point; 0 … n_series - 1 */
    size_t n_left_out;
    const struct ay_row **left_out; /* zero, negative, void, error: named in a note */
    size_t n_levels;
    const struct ay_row **levels;  /* ok rows plateau.N, in the run's order */
};

/* The curve whose first row is at or after *from in the run (rows of quantity `value`, three or
 * more along a numeric axis); *from moves past it. AY_NOMEM leaves *out empty. */
enum ay_status ay_next_curve(const struct ay_run *run, size_t *from, struct ay_curve *out,
                             bool *is_found, struct ay_error *err) AY_CHECKED;
void ay_curve_close(struct ay_curve *c); /* the rows stay the run's */

#endif
