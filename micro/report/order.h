/* order.h - the rows of a run as a reader looks for them: by family, probe, quantity, point. */
#ifndef AY_ORDER_H
#define AY_ORDER_H

#include "core/runfile.h"

/* Pointers to all rows of the run, sorted; the caller frees the array, the rows stay the run's.
 * NULL only when memory has run out or there is no row. */
const struct ay_row **ay_ordered_rows(const struct ay_run *run);

/* "Memory hierarchy" for a probe of `mem`; an unknown family is called by its word. */
const char *ay_family_title(const char *family);
/* Length of the family's word at the begin of a probe's name. */
size_t ay_family_length(const char *probe);
bool ay_same_family(const char *a, const char *b);

const struct ay_probe *ay_probe_named(const struct ay_probe *const *probes, const char *name);

#endif
