/* units.h - the units a row may have, and sizes as people type them. */
#ifndef AY_UNITS_H
#define AY_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

enum ay_unit {
    AY_NO_UNIT = 0,
    AY_CYCLES,
    AY_NS,
    AY_MHZ,
    AY_BYTES,
    AY_BYTES_PER_CLK,
    AY_BYTES_PER_CLK_PER_SM,
    AY_GB_PER_S,
    AY_OPS_PER_CLK,
    AY_OPS_PER_CLK_PER_SM,
    AY_TOP_PER_S,
    AY_FLOP_PER_CLK,
    AY_FLOP_PER_CLK_PER_SM,
    AY_GFLOP_PER_S,
    AY_TFLOP_PER_S,
    AY_COUNT,
    AY_RATIO,
    AY_CLASS, /* value is an index into the quantity's labels */
    AY_WAYS,
    AY_CTAS,
    AY_CTA_PER_US,
    AY_BITS,
    AY_N_UNITS
};

/* The word in run files and tables: "cycles", "bytes/clk/SM", "gb_per_s". Never NULL. */
const char *ay_unit_text(enum ay_unit unit);

/* The unit with that word, or AY_NO_UNIT. */
enum ay_unit ay_unit_of(const char *text);

/* "64", "4K" (4000), "4Ki" (4096), "1.5Gi" -> bytes. AY_USAGE with the text otherwise. */
enum ay_status ay_parse_size(const char *text, uint64_t *bytes, struct ay_error *err) AY_CHECKED;

/* 4096 -> "4 KiB", 4000 -> "4000 B": the largest binary unit that divides. Returns `into`. */
const char *ay_format_size(uint64_t bytes, char *into, size_t into_bytes);

/* strtod and "%.*g" that do not ask the locale. ay_parse_number wants the whole text. */
enum ay_status ay_parse_number(const char *text, double *out, struct ay_error *err) AY_CHECKED;
const char *ay_format_number(double x, int n_digits, char *into, size_t into_bytes);

#endif
