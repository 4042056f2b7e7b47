/* cvt.c - conversions between any two types, lane by lane. */
#include <fenv.h>

#include "dev/sim/alu.h"
#include "dev/sim/half.h"

/* A value on its way: an integer with its sign, or a double (exact for each float source). */
struct value {
    bool is_float;
    bool is_negative; /* integers: value is -magnitude */
    uint64_t magnitude;
    double x;
};

static bool is_float_type(unsigned type)
{
    return type >= T_F16 && type <= T_TF32;
}

static unsigned bits_of_type(unsigned type)
{
    static const uint8_t bits[T_N] = {8, 8, 16, 16, 32, 32, 64, 64, 16, 16, 32, 64, 32,
                                      32, 32, 16, 16};
    return bits[type];
}

static bool is_signed_type(unsigned type)
{
    return type < T_F16 && (type & 1);
}

static struct value load(unsigned type, uint64_t raw, bool ftz)
{
    struct value v = {.is_float = is_float_type(type)};
    const unsigned bits = bits_of_type(type);
    if (bits < 64) raw &= (1ull << bits) - 1;
    switch (type) {
    case T_F16: v.x = (double)float_of_f16((uint32_t)raw); return v;
    case T_BF16: v.x = (double)float_of_bf16((uint32_t)raw); return v;
    case T_F32: case T_TF32: {
        const float x = float_of((uint32_t)raw);
        v.x = (double)(ftz ? flush(x) : x);
        return v;
    }
    case T_F64: v.x = double_of(raw); return v;
    default: break;
    }
    v.is_negative = is_signed_type(type) && (raw >> (bits - 1) & 1);
    const uint64_t extended = v.is_negative && bits < 64 ? raw | ~0ull << bits : raw;
    v.magnitude = v.is_negative ? 0 - extended : extended;
    return v;
}

/* --- to integers --- */

static uint64_t clamp_integer(struct value v, unsigned type)
{
    const unsigned bits = bits_of_type(type);
    const bool is_signed = is_signed_type(type);
    const uint64_t most = is_signed ? (1ull << (bits - 1)) - 1 : ~0ull >> (64 - bits);
    if (!v.is_negative) return v.magnitude < most ? v.magnitude : most;
    if (!is_signed) return 0;
    return 0 - (v.magnitude < most + 1 ? v.magnitude : most + 1);
}

static double to_integral(double x, unsigned round)
{
    switch (round) {
    case 0: {
        const double down = floor(x), rest = x - down;
        if (rest < 0.5) return copysign(down, x);
        if (rest > 0.5) return copysign(down + 1, x);
        return copysign(fmod(down, 2) == 0 ? down : down + 1, x);
    }
    case 1: return trunc(x);
    case 2: return floor(x);
    default: return ceil(x);
    }
}

static uint64_t float_to_integer(double x, unsigned to, unsigned from, unsigned round)
{
    const unsigned bits = bits_of_type(to);
    if (x != x) return from == T_F64 || bits == 64 ? 1ull << (bits - 1) : 0;
    x = to_integral(x, round);
    struct value v = {.is_negative = x < 0};
    const double m = fabs(x);
    v.magnitude = m < 0x1p64 ? (uint64_t)m : ~0ull;
    return clamp_integer(v, to);
}

/* --- to floats --- */

/* Bits of the float x (exact, or rounded to odd) in a format of `mantissa` bits below the leading
 * one, smallest normal exponent `least`, largest finite value `most`. */
struct format {
    int mantissa, least;
    double most;
};

/* x / quantum rounded to an integer: quantum is a power of two, so the division is exact. */
static double round_quanta(double n, unsigned round, bool is_negative)
{
    switch (round) {
    case 0: return to_integral(n, 0);
    case 1: return floor(n);
    case 2: return is_negative ? ceil(n) : floor(n);
    case 3: return is_negative ? floor(n) : ceil(n);
    default: return floor(n + 0.5);
    }
}

/* Nearest value of the format; beyond `most` it is infinity or, rounding towards zero, `most`. */
static double to_format(double x, const struct format *f, unsigned round)
{
    if (x != x || x == 0 || isinf(x)) return x;
    int e;
    const double m = fabs(x);
    (void)frexp(m, &e);
    int quantum = e - 1 - f->mantissa;
    if (e - 1 < f->least) quantum = f->least - f->mantissa;
    const double r = ldexp(round_quanta(ldexp(m, -quantum), round, x < 0), quantum);
    if (r > f->most) {
        const bool towards_zero = round == 1 || (round == 2 && x > 0) || (round == 3 && x < 0);
        return copysign(towards_zero ? f->most : (double)INFINITY, x);
    }
    return copysign(r, x);
}

static const struct format f16_format = {10, -14, 65504.0};
static const struct format bf16_format = {7, -126, 0x1.fep127};
static const struct format tf32_format = {10, -126, 0x1.ffcp127};
static const struct format e4m3_format = {3, -6, 448.0};
static const struct format e5m2_format = {2, -14, 57344.0};

/* Signs, exponents and mantissas of an 8-bit float. */
static uint32_t fp8_of(double x, const struct format *f)
{
    const bool is_e4m3 = f->mantissa == 3;
    const uint32_t sign = signbit(x) ? 0x80 : 0;
    if (x != x) return 0x7f;
    if (isinf(x)) return sign | (is_e4m3 ? 0x7f : 0x7c);
    int e;
    const double m = fabs(x);
    if (m == 0) return sign;
    (void)frexp(m, &e);
    if (e - 1 < f->least) return sign | (uint32_t)ldexp(m, f->mantissa - f->least);
    const uint32_t fraction = (uint32_t)ldexp(m, f->mantissa - (e - 1)) - (1u << f->mantissa);
    return sign | (uint32_t)(e - 1 - f->least + 1) << f->mantissa | fraction;
}

static double fp8_value(uint32_t h, bool is_e4m3)
{
    const int mantissa = is_e4m3 ? 3 : 2, least = is_e4m3 ? -6 : -14;
    const uint32_t exponent = (h & 0x7f) >> mantissa, fraction = h & ((1u << mantissa) - 1);
    const double sign = h & 0x80 ? -1 : 1;
    if (is_e4m3 && (h & 0x7f) == 0x7f) return (double)NAN;
    if (!is_e4m3 && exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, least - mantissa);
    const double significand = (double)(fraction + (1u << mantissa));
    return sign * ldexp(significand, (int)exponent - 1 + least - mantissa);
}

/* x to f32 under the rounding; the host does it exactly as asked. */
static float to_f32(double x, unsigned round)
{
    static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    const int before = fegetround();
    volatile double from = x;
    fesetround(modes[round & 3]);
    const volatile float to = (float)from;
    fesetround(before);
    return to;
}

static double integer_to_double(struct value v, bool as_odd)
{
    const double m = (double)v.magnitude;
    double rest = 0;
    if (as_odd && v.magnitude >> 53) {
        const uint64_t back = m < 0x1p64 ? (uint64_t)m : 0;
        rest = m < 0x1p64 && back <= v.magnitude ? (double)(v.magnitude - back)
                                                 : -(double)(back - v.magnitude);
    }
    const double x = as_odd ? to_odd(m, rest) : m;
    return v.is_negative ? -x : x;
}

/* Integers of 64 bits under any rounding: by the host, from the integer at once. */
static double integer_rounded(struct value v, unsigned to, unsigned round)
{
    static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    const int before = fegetround();
    unsigned mode = round & 3;
    if (v.is_negative && mode >= 2) mode ^= 1; /* on the magnitude up is down */
    volatile uint64_t m = v.magnitude;
    fesetround(modes[mode]);
    const volatile double x = to == T_F32 ? (double)(float)m : (double)m;
    fesetround(before);
    return v.is_negative ? -x : x;
}

static const struct format *format_of(unsigned to)
{
    switch (to) {
    case T_F16: case T_F16X2: return &f16_format;
    case T_BF16: case T_BF16X2: return &bf16_format;
    case T_E4M3X2: return &e4m3_format;
    case T_E5M2X2: return &e5m2_format;
    default: return &tf32_format;
    }
}

static uint64_t to_small(double x, unsigned to, uint32_t imm)
{
    const struct format *f = format_of(to);
    double r = to_format(x, f, imm >> CVT_ROUND & 7);
    if (imm & CVT_RELU) r = r > 0 || r != r ? r : 0;
    if (imm & CVT_SAT) r = r > 0 ? (r < 1 ? r : 1) : 0;
    if (imm & CVT_SATFINITE && fabs(r) > f->most) r = copysign(f->most, r);
    switch (to) {
    case T_F16: case T_F16X2: return f16_of((float)r);
    case T_BF16: case T_BF16X2: return bf16_of((float)r);
    case T_E4M3X2: case T_E5M2X2: return fp8_of(r, f);
    default: return r != r ? CANONICAL_NAN : bits_of((float)r);
    }
}

static uint64_t to_float(struct value v, unsigned to, uint32_t imm)
{
    const unsigned round = imm >> CVT_ROUND & 7;
    const bool is_wide = to == T_F32 || to == T_F64;
    double x = v.x;
    if (!v.is_float)
        x = is_wide ? integer_rounded(v, to, round) : integer_to_double(v, true);
    else if (imm & CVT_INTEGRAL)
        x = to_integral(x, round);
    if (!is_wide) return to_small(x, to, imm);
    if (imm & CVT_SAT) x = x > 0 ? (x < 1 ? x : 1) : 0;
    if (imm & CVT_RELU) x = x > 0 || x != x ? x : 0;
    if (to == T_F64) return bits_of64(x);
    float f = to_f32(x, imm & CVT_INTEGRAL ? 0 : round);
    if (imm & CVT_FTZ) f = flush(f);
    return f != f ? CANONICAL_NAN : bits_of(f);
}

/* --- packed --- */

static uint64_t pack(uint32_t imm, uint64_t a, uint64_t b)
{
    const unsigned to = imm & 31;
    const unsigned bits = to == T_F16X2 || to == T_BF16X2 ? 16 : 8;
    const struct value high = load(T_F32, a, false), low = load(T_F32, b, false);
    return to_small(high.x, to, imm) << bits | to_small(low.x, to, imm);
}

static uint64_t unpack_fp8(uint32_t imm, uint64_t a, bool is_e4m3)
{
    const uint64_t high = to_small(fp8_value((uint32_t)a >> 8 & 0xff, is_e4m3), T_F16, imm);
    return high << 16 | to_small(fp8_value((uint32_t)a & 0xff, is_e4m3), T_F16, imm);
}

static uint64_t f16x2_to_fp8(uint32_t imm, uint64_t a)
{
    const unsigned to = imm & 31;
    const double high = (double)float_of_f16((uint32_t)a >> 16 & 0xffff);
    const double low = (double)float_of_f16((uint32_t)a & 0xffff);
    return to_small(high, to, imm) << 8 | to_small(low, to, imm);
}

uint64_t sim_cvt_lane(uint32_t imm, uint64_t a, uint64_t b)
{
    const unsigned to = imm & 31, from = imm >> CVT_FROM & 31;
    if (imm & CVT_PACK) return pack(imm, a, b);
    if (from == T_E4M3X2 || from == T_E5M2X2) return unpack_fp8(imm, a, from == T_E4M3X2);
    if (from == T_F16X2) return f16x2_to_fp8(imm, a);
    const struct value v = load(from, a, imm & CVT_FTZ);
    if (is_float_type(to)) return to_float(v, to, imm);
    uint64_t out;
    if (v.is_float) out = float_to_integer(v.x, to, from, imm >> CVT_ROUND & 3);
    else if (imm & CVT_SAT) out = clamp_integer(v, to);
    else out = v.is_negative ? 0 - v.magnitude : v.magnitude;
    /* The register is filled from the type: a narrow result is extended. */
    const unsigned bits = bits_of_type(to);
    if (bits == 64) return out;
    const uint64_t low = out & ((1ull << bits) - 1);
    const bool extend = is_signed_type(to) && (low >> (bits - 1) & 1);
    return extend ? low | ~0ull << bits : low;
}

void sim_alu_cvt(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask)
{
    if (sim_cvt_common(u, rows, mask)) return;
    const unsigned to = u->imm & 31, from = u->imm >> CVT_FROM & 31;
    const bool is_from_wide = bits_of_type(from) == 64, is_to_wide = bits_of_type(to) == 64;
    for (int i = 0; i < 32; i++) {
        if (!(mask >> i & 1)) continue;
        const uint64_t a = is_from_wide ? ((const u64_row *)rows[u->a])[i] : rows[u->a][i];
        const uint64_t b = u->imm & CVT_PACK ? rows[u->b][i] : 0;
        const uint64_t out = sim_cvt_lane(u->imm, a, b);
        if (is_to_wide) ((u64_row *)rows[u->d])[i] = out;
        else rows[u->d][i] = (uint32_t)out;
    }
}
