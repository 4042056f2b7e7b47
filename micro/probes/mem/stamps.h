/* stamps.h - what each line of a ring costs one SM, clock read to clock read. */
#ifndef AY_MEM_STAMPS_H
#define AY_MEM_STAMPS_H

#include "core/bench.h"
#include "probes/mem/walk.h"

/* One stamped walk over all lines, pages warm by the ring `page`; cycles[i] of line i. */
enum ay_status stamp_lines(struct ay_bench *b, uint32_t sm, const struct ring *lines,
                           const struct ring *page, double *cycles,
                           struct ay_error *err) AY_CHECKED;
/* Another such walk, scaled so that its lower end is where that of `before` was: whole launches
 * waver, and the nearest lines are as near as they were. */
enum ay_status stamp_again(struct ay_bench *b, uint32_t sm, const struct ring *lines,
                           const struct ring *page, const double *before, double *cycles,
                           struct ay_error *err) AY_CHECKED;

/* x in order, in host scratch. */
enum ay_status sorted_copy(struct ay_bench *b, const double *x, uint64_t n, double **out,
                           struct ay_error *err) AY_CHECKED;

#endif
