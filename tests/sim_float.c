#include "sim_float.h"

#include <math.h>
#include <string.h>

uint32_t bits32(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
float float32(uint64_t u) { uint32_t v = (uint32_t)u; float x; memcpy(&x, &v, 4); return x; }
uint64_t bits64(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
double float64(uint64_t u) { double x; memcpy(&x, &u, 8); return x; }

const struct format F16 = {"f16", 10, 5}, BF16 = {"bf16", 7, 8}, F32 = {"f32", 23, 8},
                    E4M3 = {"e4m3", 3, 4}, E5M2 = {"e5m2", 2, 5};

uint64_t infinity_of(const struct format *f)
{
    if (f == &E4M3) return 0x7f; /* first code that is no number */
    return ((1ull << f->exponent) - 1) << f->mantissa;
}

exact value_of(const struct format *f, uint64_t code)
{
    const uint64_t sign = code >> (f->mantissa + f->exponent) & 1;
    const int e = (int)(code >> f->mantissa & ((1u << f->exponent) - 1));
    const uint64_t m = code & ((1ull << f->mantissa) - 1);
    const int bias = (1 << (f->exponent - 1)) - 1;
    const double significand = (double)(e ? m | 1ull << f->mantissa : m);
    const exact x = (exact)ldexp(significand, (e ? e : 1) - bias - f->mantissa);
    return sign ? -x : x;
}

uint64_t rounded(const struct format *f, exact x, char how)
{
    const uint64_t sign = x < 0 ? 1ull << (f->mantissa + f->exponent) : 0;
    if (x < 0) x = -x;
    uint64_t low = 0, high = infinity_of(f);
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;
        if (value_of(f, middle) <= x) low = middle;
        else high = middle;
    }
    const exact below = value_of(f, low);
    /* Where the largest ends, rounding goes on as if there were one more. */
    const exact above =
        high == infinity_of(f) ? 2 * below - value_of(f, low - 1) : value_of(f, high);
    if (below == x || how == 'z') return sign | low;
    if (how == 'u') return sign | high;
    const exact rest = x - below, room = above - x;
    if (rest != room) return sign | (rest < room ? low : high);
    return sign | (how == 'a' || low & 1 ? high : low);
}

char direction(char mode, exact x)
{
    if (mode == 'm') return x < 0 ? 'u' : 'z';
    if (mode == 'p') return x < 0 ? 'z' : 'u';
    return mode;
}
