/* alu_lane.h - one lane: what the expressions of alu_forms.h are made of. */
#ifndef AY_SIM_ALU_LANE_H
#define AY_SIM_ALU_LANE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LANE static inline __attribute__((always_inline, unused))

/* Loops over lanes become vectors; a build for any x86-64 runs as fast as the machine it is on. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default"), \
                              optimize("O3", "no-math-errno", "no-trapping-math")))
#else
#define CLONES __attribute__((optimize("O3", "no-math-errno", "no-trapping-math")))
#endif
#define NO_CARRIED _Pragma("GCC ivdep")

/* Rows are uint32_t; these may look at them as what the operation says. */
typedef uint32_t __attribute__((may_alias)) u32_row;
typedef uint64_t __attribute__((may_alias)) u64_row;
typedef float __attribute__((may_alias)) f32_row;
typedef double __attribute__((may_alias)) f64_row;

/* Lane i of an operand, by the name of its type. 8 and 16 bits come as 32, extended. */
#define VALUE_none(row) 0u
#define VALUE_u8(row)  ((uint32_t)(uint8_t)((const u32_row *)(row))[i])
#define VALUE_s8(row)  ((int32_t)(int8_t)((const u32_row *)(row))[i])
#define VALUE_u16(row) ((uint32_t)(uint16_t)((const u32_row *)(row))[i])
#define VALUE_s16(row) ((int32_t)(int16_t)((const u32_row *)(row))[i])
#define VALUE_u32(row) (((const u32_row *)(row))[i])
#define VALUE_s32(row) ((int32_t)((const u32_row *)(row))[i])
#define VALUE_u64(row) (((const u64_row *)(row))[i])
#define VALUE_s64(row) ((int64_t)((const u64_row *)(row))[i])
#define VALUE_f32(row) (((const f32_row *)(row))[i])
#define VALUE_f64(row) (((const f64_row *)(row))[i])

/* --- bits of floats --- */

LANE uint32_t bits_of(float x) { uint32_t u; memcpy(&u, &x, sizeof u); return u; }
LANE float float_of(uint32_t u) { float x; memcpy(&x, &u, sizeof x); return x; }
LANE uint64_t bits_of64(double x) { uint64_t u; memcpy(&u, &x, sizeof u); return u; }
LANE double double_of(uint64_t u) { double x; memcpy(&x, &u, sizeof x); return x; }

#define CANONICAL_NAN 0x7fffffffu

LANE float canonical(float x) { return x != x ? float_of(CANONICAL_NAN) : x; }
LANE float flush(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x; }
LANE float saturate(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

/* The lesser; a number before a NaN, -0 before +0. */
LANE float least_f32(float a, float b)
{
    const float equal = float_of(bits_of(a) | bits_of(b));
    const float least = a < b ? a : b < a ? b : equal;
    return a != a ? b : b != b ? a : least;
}
LANE double least_f64(double a, double b)
{
    const double equal = double_of(bits_of64(a) | bits_of64(b));
    const double least = a < b ? a : b < a ? b : equal;
    return a != a ? b : b != b ? a : least;
}
LANE float xor_sign(float magnitude, float a, float b)
{
    return float_of(bits_of(magnitude) | ((bits_of(a) ^ bits_of(b)) & 0x80000000u));
}
LANE double upper(double x) { return double_of(bits_of64(x) & 0xffffffff00000000u); }

/* --- integers --- */

LANE uint32_t clamp32(int64_t x)
{
    return (uint32_t)(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x);
}
LANE uint32_t magnitude32(int32_t x) { return x < 0 ? 0u - (uint32_t)x : (uint32_t)x; }
LANE uint64_t magnitude64(int64_t x) { return x < 0 ? 0u - (uint64_t)x : (uint64_t)x; }
LANE uint32_t distance32(int32_t a, int32_t b)
{
    return a < b ? (uint32_t)b - (uint32_t)a : (uint32_t)a - (uint32_t)b;
}
LANE uint64_t distance64(int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}
LANE uint32_t unsign32(int32_t x) { return (uint32_t)(x < 0 ? ~x : x); }
LANE uint64_t unsign64(int64_t x) { return (uint64_t)(x < 0 ? ~x : x); }
LANE uint32_t add16x2(uint32_t a, uint32_t b)
{
    return ((a & 0xffff0000u) + (b & 0xffff0000u)) | ((a + b) & 0xffffu);
}
LANE uint32_t extend24(uint32_t x) { return (uint32_t)((int32_t)(x << 8) >> 8); }
LANE uint64_t wide_u(uint32_t a, uint32_t b) { return (uint64_t)a * b; }
LANE uint64_t wide_s(int32_t a, int32_t b) { return (uint64_t)((int64_t)a * b); }
LANE uint64_t high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}
LANE uint64_t high_s64(uint64_t a, uint64_t b)
{
    const uint64_t high = high_u64(a, b);
    return high - (a >> 63 ? b : 0) - (b >> 63 ? a : 0);
}
LANE uint64_t join(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

LANE uint32_t byte_of(uint32_t x, int which, bool is_signed)
{
    const uint32_t byte = x >> (8 * which) & 0xff;
    return is_signed ? (uint32_t)(int32_t)(int8_t)byte : byte;
}
LANE uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, bool is_a_signed, bool is_b_signed)
{
    for (int k = 0; k < 4; k++) c += byte_of(a, k, is_a_signed) * byte_of(b, k, is_b_signed);
    return c;
}
LANE uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, bool is_a_signed, bool is_b_signed)
{
    for (int k = 0; k < 2; k++) {
        const uint32_t half = a >> (16 * k) & 0xffff;
        c += (is_a_signed ? (uint32_t)(int32_t)(int16_t)half : half) * byte_of(b, k, is_b_signed);
    }
    return c;
}

/* By zero: all ones, and the remainder is the dividend (what the manual leaves open). */
LANE uint64_t quotient_u(uint64_t a, uint64_t b) { return b ? a / b : ~0ull; }
LANE uint64_t remainder_u(uint64_t a, uint64_t b) { return b ? a % b : a; }
LANE uint64_t quotient_s(int64_t a, int64_t b)
{
    if (b == 0) return ~0ull;
    return b == -1 ? 0u - (uint64_t)a : (uint64_t)(a / b);
}
LANE uint64_t remainder_s(int64_t a, int64_t b)
{
    if (b == 0) return (uint64_t)a;
    return b == -1 ? 0 : (uint64_t)(a % b);
}

LANE int32_t relu32(int32_t x) { return x > 0 ? x : 0; }
LANE uint32_t least_u16x2(uint32_t a, uint32_t b)
{
    const uint32_t low = (a & 0xffff) < (b & 0xffff) ? a : b, high = a >> 16 < b >> 16 ? a : b;
    return (high & 0xffff0000u) | (low & 0xffff);
}
LANE uint32_t least_s16x2(uint32_t a, uint32_t b)
{
    return least_u16x2(a ^ 0x80008000u, b ^ 0x80008000u) ^ 0x80008000u;
}
LANE uint32_t relu16x2(uint32_t x)
{
    return (x & 0x8000u ? 0 : x & 0xffffu) | (x & 0x80000000u ? 0 : x & 0xffff0000u);
}

/* --- bits --- */

/* Without branches, so that loops over lanes become vectors. */
LANE uint32_t ones32(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
LANE uint32_t leading32(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return 32 - ones32(x);
}
LANE uint32_t leading64(uint64_t x)
{
    const uint32_t high = (uint32_t)(x >> 32);
    return high ? leading32(high) : 32 + leading32((uint32_t)x);
}
LANE uint32_t reverse32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
LANE uint64_t reverse64(uint64_t x)
{
    return join(reverse32((uint32_t)(x >> 32)), reverse32((uint32_t)x));
}

LANE uint32_t shl32(uint32_t x, uint32_t n) { return n < 32 ? x << (n & 31) : 0; }
LANE uint32_t shr32(uint32_t x, uint32_t n) { return n < 32 ? x >> (n & 31) : 0; }
LANE uint32_t sar32(int32_t x, uint32_t n) { return (uint32_t)(x >> (n < 31 ? n : 31)); }

/* Position and length are 8 bits [ptx-isa 9.7.1.20]. */
LANE uint32_t extract_u32(uint32_t x, uint32_t at, uint32_t n)
{
    at &= 0xff;
    n &= 0xff;
    return shr32(x, at) & ~shl32(~0u, n);
}
/* Bits beyond the top are the sign: of the field's last bit, or of x where the field ends above. */
LANE uint32_t extract_s32(uint32_t x, uint32_t at, uint32_t n)
{
    at &= 0xff;
    n &= 0xff;
    const uint32_t last = at + n - 1 < 31 ? at + n - 1 : 31, room = 32 - (at < 32 ? at : 32);
    const uint32_t sign = 0u - (x >> (last & 31) & 1);
    const uint32_t keep = ~shl32(~0u, n < room ? n : room);
    return n == 0 ? 0 : (shr32(x, at) & keep) | (sign & ~keep);
}
LANE uint64_t ones_below64(uint32_t n) { return n < 64 ? (1ull << (n & 63)) - 1 : ~0ull; }
LANE uint64_t extract_u64(uint64_t x, uint32_t at, uint32_t n)
{
    at &= 0xff;
    n &= 0xff;
    return (at < 64 ? x >> (at & 63) : 0) & ones_below64(n);
}
LANE uint64_t extract_s64(uint64_t x, uint32_t at, uint32_t n)
{
    at &= 0xff;
    n &= 0xff;
    const uint32_t last = at + n - 1 < 63 ? at + n - 1 : 63, room = 64 - (at < 64 ? at : 64);
    const uint64_t sign = 0u - (x >> (last & 63) & 1);
    const uint64_t keep = ones_below64(n < room ? n : room);
    const uint64_t field = at < 64 ? x >> (at & 63) : 0;
    return n == 0 ? 0 : (field & keep) | (sign & ~keep);
}
LANE uint32_t insert32(uint32_t a, uint32_t b, uint32_t at, uint32_t n)
{
    const uint32_t field = shl32(~shl32(~0u, n & 0xff), at & 0xff);
    return (shl32(a, at & 0xff) & field) | (b & ~field);
}
LANE uint64_t insert64(uint64_t a, uint64_t b, uint32_t at, uint32_t n)
{
    at &= 0xff;
    n &= 0xff;
    if (at > 63) return b;
    const uint64_t field = ones_below64(n) << at;
    return (a << at & field) | (b & ~field);
}

/* Position of the n-th set bit of x from `base`, upwards for n > 0, downwards for n < 0. */
LANE uint32_t nth_set(uint32_t x, uint32_t base, int32_t n)
{
    if (base > 31) return ~0u;
    if (n == 0) return x >> base & 1 ? base : ~0u;
    uint32_t left = magnitude32(n);
    for (uint32_t at = base; at < 32; at += n > 0 ? 1u : ~0u)
        if ((x >> at & 1) && --left == 0) return at;
    return ~0u;
}

LANE uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t pool = join(a, b);
    uint32_t out = 0;
    for (int k = 0; k < 4; k++) {
        const uint32_t s = selector >> (4 * k) & 15;
        const uint32_t byte = (uint32_t)(pool >> (8 * (s & 7))) & 0xff;
        out |= (s & 8 ? (0u - (byte >> 7)) & 0xff : byte) << (8 * k);
    }
    return out;
}
LANE uint32_t edge_left(uint32_t n)
{
    return n == 0 ? 0x3210 : n == 1 ? 0x3211 : n == 2 ? 0x3222 : 0x3333;
}
LANE uint32_t edge_right(uint32_t n)
{
    return n == 0 ? 0x0000 : n == 1 ? 0x1110 : n == 2 ? 0x2210 : 0x3210;
}

/* Seven multiplexers that pick a bit of the table: by c, then b, then a. */
LANE uint32_t mux(uint32_t pick, uint32_t zero, uint32_t one)
{
    return zero ^ (pick & (zero ^ one));
}
LANE uint32_t table_bit(uint32_t table, int k) { return 0u - (table >> k & 1); }
LANE uint32_t table3(uint32_t a, uint32_t b, uint32_t c, uint32_t t)
{
    const uint32_t b00 = mux(c, table_bit(t, 0), table_bit(t, 1));
    const uint32_t b01 = mux(c, table_bit(t, 2), table_bit(t, 3));
    const uint32_t b10 = mux(c, table_bit(t, 4), table_bit(t, 5));
    const uint32_t b11 = mux(c, table_bit(t, 6), table_bit(t, 7));
    return mux(a, mux(b, b00, b01), mux(b, b10, b11));
}

#endif
