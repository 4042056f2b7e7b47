#include "core/reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ay_verdict_text(enum ay_verdict_kind v)
{
    switch (v) {
    case AY_PASS: return "pass";
    case AY_FAIL_VERDICT: return "fail";
    case AY_ABOVE: return "above";
    case AY_NOT_COMPARABLE: return "not comparable";
    case AY_NO_REFERENCE: return "no reference";
    }
    return "fail";
}

/* snprintf at *at, which stays inside; a metric that does not fit is cut. */
static void add(char *into, size_t into_bytes, size_t *at, const char *a, const char *b,
                const char *c)
{
    const int n = snprintf(into + *at, into_bytes - *at, "%s%s%s", a, b, c);
    if (n > 0) *at += (size_t)n < into_bytes - *at ? (size_t)n : into_bytes - *at - 1;
}

const char *ay_metric_of(const struct ay_row *row, char *into, size_t into_bytes)
{
    if (into_bytes == 0) return into;
    size_t at = 0;
    into[0] = 0;
    add(into, into_bytes, &at, row->probe, "", "");
    for (size_t i = 0; i < row->point.n; i++) {
        const struct ay_coord *c = &row->point.at[i];
        char number[24];
        snprintf(number, sizeof number, "%llu", (unsigned long long)c->number);
        add(into, into_bytes, &at, i ? "," : "{", c->axis, "=");
        add(into, into_bytes, &at, c->word[0] ? c->word : number, "", "");
    }
    if (row->point.n) add(into, into_bytes, &at, "}", "", "");
    const char *dot = strrchr(row->probe, '.');
    if (row->quantity[0] && strcmp(dot ? dot + 1 : row->probe, row->quantity) != 0)
        add(into, into_bytes, &at, "/", row->quantity, "");
    return into;
}

bool ay_planted_reference(const struct ay_row *row, struct ay_reference *out)
{
    memset(out, 0, sizeof *out);
    if (!row->has_planted) return false;
    ay_metric_of(row, out->metric, sizeof out->metric);
    out->low = out->high = row->planted.value;
    out->tolerance = row->planted.tolerance;
    out->unit = row->unit;
    out->kind = AY_PLANTED;
    snprintf(out->source, sizeof out->source, "chip file");
    return true;
}

/* A claim says how much there is: having more breaks no promise. Of a time, less would be more. */
static bool is_exceeded_gladly(const struct ay_reference *ref)
{
    return ref->kind == AY_CLAIM && ref->unit != AY_CYCLES && ref->unit != AY_NS &&
           ref->unit != AY_CLASS;
}

enum ay_verdict_kind ay_judge(const struct ay_row *row, const struct ay_reference *ref)
{
    if (row->status == AY_ROW_SKIP) return AY_NOT_COMPARABLE;
    if (row->status != AY_ROW_OK || row->reason[0]) return AY_FAIL_VERDICT;
    if (!ref) return AY_NO_REFERENCE;

    double value = row->estimate.value;
    if (row->unit != ref->unit) {
        if (ref->unit == AY_NO_UNIT || row->beside_unit != ref->unit) return AY_NOT_COMPARABLE;
        value = row->beside;
    }
    if (!isfinite(value)) return AY_FAIL_VERDICT;
    if (ref->is_physical && value > ref->high * 1.005) return AY_ABOVE;
    if (!(value >= ref->low - ref->tolerance)) return AY_FAIL_VERDICT;
    if (value <= ref->high + ref->tolerance || ref->is_physical || is_exceeded_gladly(ref))
        return AY_PASS;
    return AY_FAIL_VERDICT;
}
