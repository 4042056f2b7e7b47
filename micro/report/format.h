/* format.h - numbers of a row as people read them: as many digits as the interval supports. */
#ifndef AY_FORMAT_H
#define AY_FORMAT_H

#include "core/row.h"

enum { AY_VALUE_BYTES = 48 };

/* `x` with two digits of `half_width` behind it, at most six significant digits where that is zero;
 * large and small ones with an exponent; never depends on the locale. Returns `into`. */
const char *ay_value_text(double x, double half_width, char into[AY_VALUE_BYTES]);
/* With five significant digits: for numbers that follow from others, and clocks. */
const char *ay_short_text(double x, char into[AY_VALUE_BYTES]);
/* The value of an ok row ("33", "192 KiB", "near" of a class), else "". */
const char *ay_row_value_text(const struct ay_row *row, char into[AY_VALUE_BYTES]);
/* The unit that goes with it: "" where the text has it ("192 KiB") or there is none. */
const char *ay_row_unit_display(const struct ay_row *row);
/* "32.9 … 33.1", or "no spread" where low = high. */
const char *ay_row_interval_text(const struct ay_row *row, char into[2 * AY_VALUE_BYTES]);

/* The second value with its unit ("22 ns"), or "" where there is none. */
const char *ay_row_beside_text(const struct ay_row *row, char into[2 * AY_VALUE_BYTES]);
/* "33, exact", "341 ± 3.4", or "" where nothing is planted. */
const char *ay_row_planted_text(const struct ay_row *row, char into[2 * AY_VALUE_BYTES]);

/* "GB/s" for gb_per_s; units of architecture's table else as they are. */
const char *ay_unit_display(enum ay_unit unit);

/* The point with byte sizes as people say them: "ring_bytes 4 KiB, op ca". Returns `into`. */
const char *ay_point_display(const struct ay_point *p, char *into, size_t into_bytes);

#endif
