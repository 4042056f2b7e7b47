/* half.h - 16-bit floats: widening, rounding. */
#ifndef AY_SIM_HALF_H
#define AY_SIM_HALF_H

#include "dev/sim/alu_lane.h"

/* The double nearest to s + rest, but with an odd last bit where that is not exact, so that
 * rounding it once more to half the bits is rounding once [boldo2008]. */
LANE double to_odd(double s, double rest)
{
    const uint64_t bits = bits_of64(s);
    const bool adjust = (rest > 0 || rest < 0) && !(bits & 1);
    const uint64_t step = (rest > 0) == (s > 0) ? 1 : ~0ull;
    return double_of(adjust ? bits + step : bits);
}

/* As to_odd, from double to float. */
LANE float odd_float(double x)
{
    const float f = (float)x;
    const double back = (double)f;
    const uint32_t bits = bits_of(f);
    const bool adjust = (back < x || back > x) && !(bits & 1);
    return float_of(adjust ? bits + (fabs(x) > fabs(back) ? 1u : ~0u) : bits);
}

/* a * b + c rounded to odd; a, b, c are 16-bit floats, so the product is exact in double. */
LANE float odd_fma(float a, float b, float c)
{
    const double p = (double)a * (double)b, s = p + (double)c;
    const double part = s - p, rest = (p - (s - part)) + ((double)c - part);
    return odd_float(to_odd(s, rest));
}

LANE float float_of_bf16(uint32_t h) { return float_of(h << 16); }

LANE float float_of_f16(uint32_t h)
{
    const uint32_t sign = (h & 0x8000) << 16, magnitude = h & 0x7fff;
    const uint32_t normal = (magnitude << 13) + (112u << 23);
    const uint32_t special = magnitude >= 0x7c00 ? 0x7f800000u | magnitude << 13 : normal;
    const uint32_t small = bits_of((float)(int32_t)magnitude * 0x1p-24f);
    return float_of(sign | (magnitude < 0x400 ? small : special));
}

/* Nearest, ties to even; NaN becomes the canonical one. */
LANE uint32_t bf16_of(float x)
{
    const uint32_t u = bits_of(x);
    return x != x ? 0x7fff : (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

LANE uint32_t f16_of(float x)
{
    const uint32_t u = bits_of(x), sign = u >> 16 & 0x8000, m = u & 0x7fffffff;
    /* Normal: rebias and round the 13 bits that go; a carry runs into the exponent as it should. */
    const uint32_t normal = (m + 0xfff + (m >> 13 & 1) - (112u << 23)) >> 13;
    /* Subnormal: adding 0.5 leaves the wanted bits, rounded, at the bottom. */
    const uint32_t small = bits_of(float_of(m) + 0.5f) - 0x3f000000u;
    const uint32_t finite = m < 0x38800000u ? small : m >= 0x477ff000u ? 0x7c00 : normal;
    return x != x ? 0x7fff : sign | finite;
}

#endif
