/* rows.h - what a load costs whose DRAM row is open, from walks in pairs of neighbours. */
#ifndef AY_MEM_ROWS_H
#define AY_MEM_ROWS_H

#include "probes/mem/cold.h"

/* Walks of n_sets sets of steps in shut rows, and of steps in pairs (cold.h): samples of what the
 * second steps of the pairs alone would cost. AY_SKIP `not identified: …` where pairs take as long,
 * unless an earlier pass has told them apart. */
enum ay_status add_open_rows(const uint64_t *shut, const uint64_t *pairs, uint32_t n_sets,
                             struct ay_samples *out, const char *quantity,
                             const struct ay_point *at, struct ay_error *err) AY_CHECKED;

#endif
