/* levels.h - from a latency curve to rows for L1, L2, L3 and memory. */
#ifndef AY_LEVELS_H
#define AY_LEVELS_H

#include "core/row.h"

/* For each node and kind of pages among the ok rows `value`{ring_bytes, …}: rows plateau.l1,
 * plateau.l2, plateau.l3, plateau.dram, a skip where the curve does not show that level. What the
 * OS claims about caches is not asked. */
enum ay_status ay_conclude_levels(const struct ay_rows *all, struct ay_rows *more,
                                  struct ay_error *err);

#endif
