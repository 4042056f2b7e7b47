#include "report/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Digits behind the point so that two digits of the half width show. */
static int decimals_for(double x, double half_width)
{
    const double magnitude = floor(log10(fabs(x)));
    const int most = (int)fmax(0, 5 - magnitude); /* six significant digits in all */
    if (!(half_width > 0)) return most < 6 ? most : 6;
    const int wanted = (int)(1 - floor(log10(half_width)));
    const int n = wanted < 0 ? 0 : wanted > most ? most : wanted;
    return n < 6 ? n : 6;
}

const char *ay_value_text(double x, double half_width, char into[AY_VALUE_BYTES])
{
    if (!isfinite(x)) {
        snprintf(into, AY_VALUE_BYTES, "none");
        return into;
    }
    if (x == trunc(x) && fabs(x) < 1e15 && !(half_width > 0)) {
        snprintf(into, AY_VALUE_BYTES, "%lld", (long long)x);
        return into;
    }
    if (fabs(x) >= 1e15 || fabs(x) < 1e-3) return ay_format_number(x, 6, into, AY_VALUE_BYTES);
    int n = decimals_for(x, half_width);
    long long unit = 1;
    for (int i = 0; i < n; i++)
        unit *= 10;
    long long whole = llround(fabs(x) * (double)unit);
    for (; n > 0 && !(half_width > 0) && whole % 10 == 0; n--, unit /= 10)
        whole /= 10; /* an exact 33.5 is not 33.5000; a measured 33.50 is */
    const char *sign = x < 0 && whole != 0 ? "-" : "";
    if (n == 0) snprintf(into, AY_VALUE_BYTES, "%s%lld", sign, whole);
    else
        snprintf(into, AY_VALUE_BYTES, "%s%lld.%0*lld", sign, whole / unit, n < 9 ? n : 9,
                 whole % unit);
    return into;
}

const char *ay_short_text(double x, char into[AY_VALUE_BYTES])
{
    if (fabs(x) >= 1e-3 && fabs(x) < 1e5) return ay_format_number(x, 5, into, AY_VALUE_BYTES);
    return ay_value_text(x, 0, into);
}

static double half_width(const struct ay_row *row)
{
    return (row->estimate.high - row->estimate.low) / 2;
}

const char *ay_row_value_text(const struct ay_row *row, char into[AY_VALUE_BYTES])
{
    into[0] = 0;
    if (row->status != AY_ROW_OK) return into;
    if (row->unit == AY_CLASS && row->label[0]) {
        snprintf(into, AY_VALUE_BYTES, "%.*s", AY_VALUE_BYTES - 1, row->label);
        return into;
    }
    const double value = row->estimate.value;
    if (row->unit == AY_BYTES && value == trunc(value) && value >= 0 && value < 1e15)
        return ay_format_size((uint64_t)value, into, AY_VALUE_BYTES);
    return ay_value_text(value, half_width(row), into);
}

const char *ay_row_unit_display(const struct ay_row *row)
{
    const double value = row->estimate.value;
    const bool is_size = row->unit == AY_BYTES && value == trunc(value) && value >= 0;
    return is_size && value < 1e15 ? "" : ay_unit_display(row->unit);
}

const char *ay_row_beside_text(const struct ay_row *row, char into[2 * AY_VALUE_BYTES])
{
    char value[AY_VALUE_BYTES];
    into[0] = 0;
    if (row->status != AY_ROW_OK || row->beside_unit == AY_NO_UNIT) return into;
    snprintf(into, 2 * AY_VALUE_BYTES, "%s %s", ay_short_text(row->beside, value),
             ay_unit_display(row->beside_unit));
    return into;
}

const char *ay_row_planted_text(const struct ay_row *row, char into[2 * AY_VALUE_BYTES])
{
    char value[AY_VALUE_BYTES], tolerance[AY_VALUE_BYTES];
    const struct ay_truth *t = &row->planted;
    into[0] = 0;
    if (!row->has_planted) return into;
    ay_value_text(t->value, 0, value);
    if (t->tolerance <= 1.0001e-6 * fabs(t->value)) /* how `exact` is written into a run file */
        snprintf(into, 2 * AY_VALUE_BYTES, "%s, exact", value);
    else
        snprintf(into, 2 * AY_VALUE_BYTES, "%s \xc2\xb1 %s", value,
                 ay_value_text(t->tolerance, 0, tolerance));
    return into;
}

const char *ay_row_interval_text(const struct ay_row *row, char into[2 * AY_VALUE_BYTES])
{
    const struct ay_estimate *e = &row->estimate;
    char low[AY_VALUE_BYTES], high[AY_VALUE_BYTES];
    if (e->low == e->high) snprintf(into, 2 * AY_VALUE_BYTES, "no spread");
    else
        snprintf(into, 2 * AY_VALUE_BYTES, "%s \xe2\x80\xa6 %s",
                 ay_value_text(e->low, half_width(row), low),
                 ay_value_text(e->high, half_width(row), high));
    return into;
}

const char *ay_unit_display(enum ay_unit unit)
{
    switch (unit) {
    case AY_GB_PER_S: return "GB/s";
    case AY_TOP_PER_S: return "Top/s";
    case AY_GFLOP_PER_S: return "GFLOP/s";
    case AY_TFLOP_PER_S: return "TFLOP/s";
    case AY_CLASS: return "";
    default: return ay_unit_text(unit);
    }
}

static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

const char *ay_point_display(const struct ay_point *p, char *into, size_t into_bytes)
{
    size_t at = 0;
    into[0] = 0;
    for (size_t i = 0; i < p->n && at < into_bytes; i++) {
        const struct ay_coord *c = &p->at[i];
        char number[32];
        if (ends_in(c->axis, "bytes")) ay_format_size(c->number, number, sizeof number);
        else snprintf(number, sizeof number, "%llu", (unsigned long long)c->number);
        const int n = snprintf(into + at, into_bytes - at, "%s%s\xc2\xa0%s", i ? ", " : "", c->axis,
                               c->word[0] ? c->word : number);
        at += n > 0 ? (size_t)n : 0;
    }
    return into;
}
