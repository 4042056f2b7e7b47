/* pages.h - cold walks through more pages than the first level of the TLB holds. */
#ifndef AY_MEM_PAGES_H
#define AY_MEM_PAGES_H

#include "probes/mem/cold.h"

enum { PAGES_SETS = 24 };

/* One line a page, pages of 2 MiB one after the other, and more and more of them, four counts an
 * octave, until three counts in a row agree on a step up from `hit` (cycles a load where the TLB
 * hits): there the first level misses and the second, where there is one, hits. Fewer would take a
 * mixture for a level where noise lets it. Then PAGES_SETS sets at the middle count: cycles as in
 * walk_cold. AY_SKIP `not identified: …` where no three counts agree. */
enum ay_status walk_missed_pages(struct ay_bench *b, const struct ay_kernel *k, uint32_t sm,
                                 const struct ay_estimate *hit, uint64_t *cycles,
                                 uint64_t *n_pages, struct ay_error *err) AY_CHECKED;

#endif
