#include "core/units.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const WORDS[AY_N_UNITS] = {
    [AY_NO_UNIT] = "",
    [AY_CYCLES] = "cycles",
    [AY_NS] = "ns",
    [AY_MHZ] = "MHz",
    [AY_BYTES] = "bytes",
    [AY_BYTES_PER_CLK] = "bytes/clk",
    [AY_BYTES_PER_CLK_PER_SM] = "bytes/clk/SM",
    [AY_GB_PER_S] = "gb_per_s",
    [AY_OPS_PER_CLK] = "ops/clk",
    [AY_OPS_PER_CLK_PER_SM] = "ops/clk/SM",
    [AY_TOP_PER_S] = "top_per_s",
    [AY_FLOP_PER_CLK] = "FLOP/clk",
    [AY_FLOP_PER_CLK_PER_SM] = "FLOP/clk/SM",
    [AY_GFLOP_PER_S] = "gflop_per_s",
    [AY_TFLOP_PER_S] = "tflop_per_s",
    [AY_COUNT] = "count",
    [AY_RATIO] = "ratio",
    [AY_CLASS] = "class",
    [AY_WAYS] = "ways",
    [AY_CTAS] = "CTAs",
    [AY_CTA_PER_US] = "CTA/us",
    [AY_BITS] = "bits",
};

const char *ay_unit_text(enum ay_unit unit)
{
    return (unsigned)unit < AY_N_UNITS ? WORDS[unit] : "";
}

enum ay_unit ay_unit_of(const char *text)
{
    for (unsigned u = 1; u < AY_N_UNITS; u++)
        if (!strcmp(WORDS[u], text)) return (enum ay_unit)u;
    return AY_NO_UNIT;
}

/* --- sizes ------------------------------------------------------------------------------------ */

struct prefix {
    const char *text;
    uint64_t bytes;
};

/* Binary units from large to small come last, so that formatting can walk them. */
static const struct prefix PREFIXES[] = {
    { "", 1 },
    { "K", 1000 }, { "k", 1000 },
    { "M", 1000000 },
    { "G", 1000000000 },
    { "T", 1000000000000 },
    { "Ti", (uint64_t)1 << 40 }, { "Gi", 1 << 30 }, { "Mi", 1 << 20 }, { "Ki", 1 << 10 },
};
enum { N_PREFIXES = sizeof PREFIXES / sizeof PREFIXES[0], FIRST_BINARY = 6 };

/* "4", "4 ", "4Ki", "4 KiB": what stands behind the digits. 0: no such suffix. */
static uint64_t suffix_bytes(const char *text)
{
    if (*text == ' ') text++;
    size_t n = strlen(text);
    if (n && text[n - 1] == 'B') n--;
    for (size_t i = 0; i < N_PREFIXES; i++)
        if (strlen(PREFIXES[i].text) == n && !strncmp(PREFIXES[i].text, text, n))
            return PREFIXES[i].bytes;
    return 0;
}

/* Integer arithmetic throughout: a size of 2^53 + 1 bytes is not rounded. */
enum ay_status ay_parse_size(const char *text, uint64_t *bytes, struct ay_error *err)
{
    uint64_t digits = 0, scale = 1;
    size_t n_digits = 0;
    bool has_point = false;
    const char *c = text;
    for (; (*c >= '0' && *c <= '9') || (*c == '.' && !has_point); c++) {
        if (*c == '.') {
            has_point = true;
            continue;
        }
        n_digits++;
        if ((has_point && __builtin_mul_overflow(scale, (uint64_t)10, &scale)) ||
            __builtin_mul_overflow(digits, (uint64_t)10, &digits) ||
            __builtin_add_overflow(digits, (uint64_t)(*c - '0'), &digits))
            return AY_FAIL(err, AY_USAGE, "size \"%.40s\" does not fit 64 bits", text);
    }
    const uint64_t unit = suffix_bytes(c);
    if (n_digits == 0 || c[-1] == '.' || unit == 0)
        return AY_FAIL(err, AY_USAGE,
                       "\"%.40s\" is no size; write a number of bytes, with K, M, G, T (powers of "
                       "1000) or Ki, Mi, Gi, Ti (powers of 1024) behind it if you like", text);
    const unsigned __int128 product = (unsigned __int128)digits * unit;
    if (product % scale)
        return AY_FAIL(err, AY_USAGE, "size \"%.40s\" is not a whole number of bytes", text);
    if (product / scale > UINT64_MAX)
        return AY_FAIL(err, AY_USAGE, "size \"%.40s\" does not fit 64 bits", text);
    *bytes = (uint64_t)(product / scale);
    return AY_OK;
}

const char *ay_format_size(uint64_t bytes, char *into, size_t into_bytes)
{
    for (size_t i = FIRST_BINARY; bytes && i < N_PREFIXES; i++)
        if (bytes % PREFIXES[i].bytes == 0) {
            snprintf(into, into_bytes, "%llu %sB",
                     (unsigned long long)(bytes / PREFIXES[i].bytes), PREFIXES[i].text);
            return into;
        }
    snprintf(into, into_bytes, "%llu B", (unsigned long long)bytes);
    return into;
}

/* --- numbers ---------------------------------------------------------------------------------- */

enum ay_status ay_parse_number(const char *text, double *out, struct ay_error *err)
{
    /* strtod also takes blanks, hexadecimal, "inf" and "nan": no number that we write. */
    const size_t n = strspn(text, "0123456789+-.eE");
    if (n == 0 || text[n]) return AY_FAIL(err, AY_USAGE, "\"%.40s\" is no number", text);
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale) return AY_FAIL(err, AY_NOMEM, "no memory to read a number");
    char *end;
    const double x = strtod_l(text, &end, c_locale);
    freelocale(c_locale);
    if (end != text + n) return AY_FAIL(err, AY_USAGE, "\"%.40s\" is no number", text);
    if (!isfinite(x)) return AY_FAIL(err, AY_USAGE, "\"%.40s\" is too large a number", text);
    *out = x;
    return AY_OK;
}

/* There is no snprintf with a locale: this thread's is put aside for the moment of the call. */
const char *ay_format_number(double x, int n_digits, char *into, size_t into_bytes)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = c_locale ? uselocale(c_locale) : (locale_t)0;
    snprintf(into, into_bytes, "%.*g", n_digits, x);
    if (!c_locale) return into;
    uselocale(before);
    freelocale(c_locale);
    return into;
}
