/* reference.h - what a number is held against: a claim, a published value, or a planted truth. */
#ifndef AY_REFERENCE_H
#define AY_REFERENCE_H

#include "core/row.h"

enum ay_reference_kind { AY_CLAIM, AY_PUBLISHED, AY_PLANTED };
enum ay_verdict_kind {
    AY_PASS, AY_FAIL_VERDICT, AY_ABOVE, AY_NOT_COMPARABLE, AY_NO_REFERENCE
};
const char *ay_verdict_text(enum ay_verdict_kind); /* "pass", "fail", "above", … */

struct ay_reference {
    char metric[160];   /* probe{axis=value,…}/quantity */
    double low, high;   /* band; equal for a value */
    double tolerance;   /* absolute; added on both sides */
    enum ay_unit unit;
    bool is_physical;   /* a limit that nothing real exceeds: above by > 0.5 % is `above` */
    char condition[96], source[96];
    enum ay_reference_kind kind;
};

/* "mem.l1.latency{ring_bytes=4096,op=ca}/latency": `/quantity` left out when it is the last word of
 * the probe's name. Returns `into`. */
const char *ay_metric_of(const struct ay_row *row, char *into, size_t into_bytes);

/* The reference that a simulated row carries; false: it has none. */
bool ay_planted_reference(const struct ay_row *row, struct ay_reference *out);

/* A row that is not ok can never pass, whatever the reference: void and error fail, skip is not
 * comparable; neither can an ok row that carries a reason. ref NULL: no reference. A reference in
 * the row's second unit judges the second value. A value over a claim passes where more is better.
 */
enum ay_verdict_kind ay_judge(const struct ay_row *row, const struct ay_reference *ref);

#endif
