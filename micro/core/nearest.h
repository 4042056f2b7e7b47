/* nearest.h - which of the known words somebody may have meant. */
#ifndef AY_NEAREST_H
#define AY_NEAREST_H

#include <stddef.h>

/* Letters to insert, delete, replace or swap with their neighbour to get from a to b. Words longer
 * than 127 bytes are compared by their first 127. */
size_t ay_edit_distance(const char *a, const char *b);

#endif
