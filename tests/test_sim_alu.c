/* Integer instructions of the simulator against references that work another way: bit by bit, or
 * in 128 bits. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_op.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

static const uint64_t EDGES[] = {
    0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff,
    0x8000, 0x8001, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x7ffffffe, 0x7fffffff,
    0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000, 0x180000000, 0xdeadbeef01234567,
    0x0123456789abcdef, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001,
    0xfffffffffffffffe, 0xffffffffffffffff, 0x00ff80017f0080ff, 0x8080808080808080,
};
enum { N_EDGES = sizeof EDGES / sizeof EDGES[0] };

/* --- how a number is seen --- */

static wide s(uint64_t x, int bits)
{
    const uint64_t low = bits == 64 ? x : x & ((1ull << bits) - 1);
    return low >> (bits - 1) ? (wide)low - ((wide)1 << bits) : (wide)low;
}
static wide u(uint64_t x, int bits)
{
    return bits == 64 ? (wide)x : (wide)(x & ((1ull << bits) - 1));
}
static int bit(uint64_t x, int n) { return n >= 0 && n < 64 ? (int)(x >> n & 1) : 0; }

/* --- references: a, b, c, e and the width of the type --- */

typedef wide reference(const struct sim_op_in *in, int bits);
#define REF(name) static wide name(const struct sim_op_in *in, int bits)
#define A in->a
#define B in->b
#define C in->c
#define E in->e

REF(add) { return u(A, bits) + u(B, bits); }
REF(sub) { return u(A, bits) - u(B, bits); }
REF(mul) { return (wide)((uwide)u(A, bits) * (uwide)u(B, bits)); }
REF(mad) { return (wide)((uwide)u(A, bits) * (uwide)u(B, bits) + (uwide)u(C, bits)); }
REF(hi_u) { return (wide)((uwide)u(A, bits) * (uwide)u(B, bits) >> bits); }
REF(hi_s) { return s(A, bits) * s(B, bits) >> bits; }
REF(madhi_u) { return hi_u(in, bits) + u(C, bits); }
REF(madhi_s) { return hi_s(in, bits) + s(C, bits); }
REF(wide_u) { return u(A, bits) * u(B, bits); }
REF(wide_s) { return s(A, bits) * s(B, bits); }
REF(madwide_u) { return wide_u(in, bits) + u(C, 2 * bits); }
REF(madwide_s) { return wide_s(in, bits) + u(C, 2 * bits); }
REF(mul24_u) { (void)bits; return u(A, 24) * u(B, 24); }
REF(mul24_s) { (void)bits; return s(A, 24) * s(B, 24); }
REF(mul24hi_u) { (void)bits; return u(A, 24) * u(B, 24) >> 16; }
REF(mul24hi_s) { (void)bits; return s(A, 24) * s(B, 24) >> 16; }
static wide saturated(wide x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x; }
REF(addsat) { (void)bits; return saturated(s(A, 32) + s(B, 32)); }
REF(subsat) { (void)bits; return saturated(s(A, 32) - s(B, 32)); }
REF(madhisat) { (void)bits; return saturated((s(A, 32) * s(B, 32) >> 32) + s(C, 32)); }
REF(neg) { return -s(A, bits); }
REF(absolute) { return s(A, bits) < 0 ? -s(A, bits) : s(A, bits); }
REF(sad_u) { wide x = u(A, bits) - u(B, bits); return u(C, bits) + (x < 0 ? -x : x); }
REF(sad_s) { wide x = s(A, bits) - s(B, bits); return u(C, bits) + (x < 0 ? -x : x); }
REF(div_u) { return u(B, bits) ? u(A, bits) / u(B, bits) : -1; }
REF(div_s) { return s(B, bits) ? s(A, bits) / s(B, bits) : -1; }
REF(rem_u) { return u(B, bits) ? u(A, bits) % u(B, bits) : u(A, bits); }
REF(rem_s) { return s(B, bits) ? s(A, bits) % s(B, bits) : s(A, bits); }
REF(min_u) { return u(A, bits) < u(B, bits) ? u(A, bits) : u(B, bits); }
REF(min_s) { return s(A, bits) < s(B, bits) ? s(A, bits) : s(B, bits); }
REF(max_u) { return u(A, bits) > u(B, bits) ? u(A, bits) : u(B, bits); }
REF(max_s) { return s(A, bits) > s(B, bits) ? s(A, bits) : s(B, bits); }
REF(minrelu) { wide x = min_s(in, bits); return x < 0 ? 0 : x; }
REF(maxrelu) { wide x = max_s(in, bits); return x < 0 ? 0 : x; }
static wide pairs(const struct sim_op_in *in, reference *f)
{
    const struct sim_op_in low = *in;
    const struct sim_op_in high = {.a = A >> 16, .b = B >> 16};
    return (f(&low, 16) & 0xffff) | (f(&high, 16) & 0xffff) << 16;
}
REF(add_x2) { (void)bits; return pairs(in, add); }
REF(minu_x2) { (void)bits; return pairs(in, min_u); }
REF(mins_x2) { (void)bits; return pairs(in, min_s); }
REF(maxu_x2) { (void)bits; return pairs(in, max_u); }
REF(maxs_x2) { (void)bits; return pairs(in, max_s); }
REF(minrelu_x2) { (void)bits; return pairs(in, minrelu); }
REF(popc) { int n = 0; for (int i = 0; i < bits; i++) n += bit(A, i); return n; }
REF(clz) { int n = 0; while (n < bits && !bit(A, bits - 1 - n)) n++; return n; }
REF(brev)
{
    uint64_t r = 0;
    for (int i = 0; i < bits; i++) r |= (uint64_t)bit(A, i) << (bits - 1 - i);
    return (wide)r;
}
REF(bfind_u) { int i = bits - 1; while (i >= 0 && !bit(A, i)) i--; return i; }
REF(bfind_s) { int i = bits - 1; while (i >= 0 && bit(A, i) == bit(A, bits - 1)) i--; return i; }
REF(bfindsh_u) { wide i = bfind_u(in, bits); return i < 0 ? -1 : bits - 1 - i; }
REF(bfindsh_s) { wide i = bfind_s(in, bits); return i < 0 ? -1 : bits - 1 - i; }
/* The manual's own loop. */
static wide bfe(const struct sim_op_in *in, int bits, bool is_signed)
{
    const int pos = (int)(B & 0xff), len = (int)(C & 0xff), msb = bits - 1;
    const int last = pos + len - 1 < msb ? pos + len - 1 : msb;
    const int sbit = !is_signed || len == 0 ? 0 : bit(A, last);
    uint64_t d = 0;
    for (int i = 0; i <= msb; i++)
        d |= (uint64_t)(i < len && pos + i <= msb ? bit(A, pos + i) : sbit) << i;
    return (wide)d;
}
REF(bfe_u) { return bfe(in, bits, false); }
REF(bfe_s) { return bfe(in, bits, true); }
REF(bfi)
{
    const int pos = (int)(C & 0xff), len = (int)(E & 0xff);
    uint64_t d = (uint64_t)u(B, bits);
    for (int i = 0; i < len && pos + i < bits; i++)
        d = (d & ~(1ull << (pos + i))) | (uint64_t)bit(A, i) << (pos + i);
    return (wide)d;
}
REF(bmsk_clamp)
{
    (void)bits;
    const uint64_t at = A & 0xffffffff, n = B & 0xffffffff;
    uint64_t d = 0;
    for (uint64_t i = at; i < 32 && i - at < n; i++) d |= 1ull << i;
    return (wide)d;
}
static int length(uint64_t b) { return (b & 0xffffffff) < 32 ? (int)(b & 31) : 32; }
REF(szext_u) { (void)bits; return length(B) ? u(A, length(B)) : 0; }
REF(szext_s) { (void)bits; return length(B) ? s(A, length(B)) : 0; }
REF(fns)
{
    (void)bits;
    const uint64_t base = B & 0xffffffff;
    const wide n = s(C, 32);
    if (base > 31) return -1;
    if (n == 0) return bit(A, (int)base) ? (wide)base : -1;
    wide found = 0;
    for (int i = (int)base; i >= 0 && i < 32; i += n > 0 ? 1 : -1)
        if (bit(A, i) && ++found == (n > 0 ? n : -n)) return i;
    return -1;
}
static wide pick(const struct sim_op_in *in, const int selector[4])
{
    uint64_t d = 0;
    for (int k = 0; k < 4; k++) {
        const int from = selector[k] & 7;
        const uint64_t byte = (from < 4 ? A >> (8 * from) : B >> (8 * (from - 4))) & 0xff;
        d |= (selector[k] & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << (8 * k);
    }
    return (wide)d;
}
REF(prmt)
{
    (void)bits;
    const int c[4] = {(int)(C & 15), (int)(C >> 4 & 15), (int)(C >> 8 & 15), (int)(C >> 12 & 15)};
    return pick(in, c);
}
static wide table(const struct sim_op_in *in, const int rows[4][4])
{
    const int *row = rows[C & 3]; /* written as in the manual: highest byte first */
    const int selector[4] = {row[3], row[2], row[1], row[0]};
    return pick(in, selector);
}
static const int F4E[4][4] = {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}};
REF(prmt_f4e) { (void)bits; return table(in, F4E); }
static const int B4E[4][4] = {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}};
REF(prmt_b4e) { (void)bits; return table(in, B4E); }
static const int RC8[4][4] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
REF(prmt_rc8) { (void)bits; return table(in, RC8); }
static const int ECL[4][4] = {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}};
REF(prmt_ecl) { (void)bits; return table(in, ECL); }
static const int ECR[4][4] = {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}};
REF(prmt_ecr) { (void)bits; return table(in, ECR); }
static const int RC16[4][4] = {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}};
REF(prmt_rc16) { (void)bits; return table(in, RC16); }
REF(and_) { (void)bits; return (wide)(A & B); }
REF(or_) { (void)bits; return (wide)(A | B); }
REF(xor_) { (void)bits; return (wide)(A ^ B); }
REF(not_) { (void)bits; return (wide)~A; }
REF(cnot) { return u(A, bits) == 0; }
static wide lop3(const struct sim_op_in *in, int table_byte)
{
    uint64_t d = 0;
    for (int i = 0; i < 32; i++)
        d |= (uint64_t)(table_byte >> (4 * bit(A, i) + 2 * bit(B, i) + bit(C, i)) & 1) << i;
    return (wide)d;
}
REF(lop3_96) { (void)bits; return lop3(in, 0x96); }
REF(lop3_e8) { (void)bits; return lop3(in, 0xe8); }
REF(lop3_ca) { (void)bits; return lop3(in, 0xca); }
REF(lop3_40) { (void)bits; return lop3(in, 0x40); }
static wide clamp_shift(uint64_t n, int bits)
{
    n &= 0xffffffff;
    return n < (uint64_t)bits ? (wide)n : bits;
}
REF(shl) { const wide n = clamp_shift(B, bits); return (wide)((uwide)u(A, bits) << n); }
REF(shr_u) { return u(A, bits) >> clamp_shift(B, bits); }
REF(shr_s) { return s(A, bits) >> clamp_shift(B, bits); }
static uwide both(const struct sim_op_in *in) { return (uwide)u(B, 32) << 32 | (uwide)u(A, 32); }
REF(shf_lw) { (void)bits; return (wide)(both(in) << (C & 31) >> 32); }
REF(shf_lc) { (void)bits; return (wide)(both(in) << clamp_shift(C, 32) >> 32); }
REF(shf_rw) { (void)bits; return (wide)(both(in) >> (C & 31)); }
REF(shf_rc) { (void)bits; return (wide)(both(in) >> clamp_shift(C, 32)); }
static wide dot(const struct sim_op_in *in, int n, int step, int from, bool sa, bool sb)
{
    wide d = u(C, 32);
    for (int k = 0; k < n; k++) {
        const uint64_t x = A >> (step * k), y = B >> (8 * (k + from));
        d += (sa ? s(x, step) : u(x, step)) * (sb ? s(y, 8) : u(y, 8));
    }
    return d;
}
REF(dp4a_uu) { (void)bits; return dot(in, 4, 8, 0, 0, 0); }
REF(dp4a_us) { (void)bits; return dot(in, 4, 8, 0, 0, 1); }
REF(dp4a_su) { (void)bits; return dot(in, 4, 8, 0, 1, 0); }
REF(dp4a_ss) { (void)bits; return dot(in, 4, 8, 0, 1, 1); }
REF(dp2a_lo) { (void)bits; return dot(in, 2, 16, 0, 1, 1); }
REF(dp2a_hi) { (void)bits; return dot(in, 2, 16, 2, 0, 1); }
REF(slct) { return s(C, 32) >= 0 ? u(A, bits) : u(B, bits); }
REF(selp) { return in->x ? u(A, bits) : u(B, bits); }
REF(selp_not) { return in->x ? u(B, bits) : u(A, bits); }
REF(move) { return u(A, bits); }
REF(pack2) { return (u(A, bits) | u(B, bits) << bits); }
REF(pack4) { return pack2(in, bits) | u(C, bits) << 2 * bits | u(E, bits) << 3 * bits; }
REF(copysign32) { (void)bits; return (wide)((A & 0x80000000) | (B & 0x7fffffff)); }

struct op_case {
    const char *text;
    int bits, out_bits; /* of the type; of the result */
    reference *reference;
};

static const struct op_case CASES[] = {
    {"add.s32 d, a, b;", 32, 32, add}, {"add.u16 hd, ha, hb;", 16, 16, add},
    {"add.u64 D, A, B;", 64, 64, add}, {"sub.u32 d, a, b;", 32, 32, sub},
    {"sub.s16 hd, ha, hb;", 16, 16, sub}, {"sub.s64 D, A, B;", 64, 64, sub},
    {"add.sat.s32 d, a, b;", 32, 32, addsat}, {"sub.sat.s32 d, a, b;", 32, 32, subsat},
    {"add.u16x2 d, a, b;", 32, 32, add_x2},
    {"neg.s16 hd, ha;", 16, 16, neg}, {"neg.s32 d, a;", 32, 32, neg},
    {"neg.s64 D, A;", 64, 64, neg}, {"abs.s16 hd, ha;", 16, 16, absolute},
    {"abs.s32 d, a;", 32, 32, absolute}, {"abs.s64 D, A;", 64, 64, absolute},
    {"sad.u16 hd, ha, hb, hc;", 16, 16, sad_u}, {"sad.s16 hd, ha, hb, hc;", 16, 16, sad_s},
    {"sad.u32 d, a, b, c;", 32, 32, sad_u}, {"sad.s32 d, a, b, c;", 32, 32, sad_s},
    {"sad.u64 D, A, B, C;", 64, 64, sad_u}, {"sad.s64 D, A, B, C;", 64, 64, sad_s},
    {"mul.lo.u16 hd, ha, hb;", 16, 16, mul}, {"mul.lo.s32 d, a, b;", 32, 32, mul},
    {"mul.lo.u64 D, A, B;", 64, 64, mul}, {"mul.hi.u16 hd, ha, hb;", 16, 16, hi_u},
    {"mul.hi.s16 hd, ha, hb;", 16, 16, hi_s}, {"mul.hi.u32 d, a, b;", 32, 32, hi_u},
    {"mul.hi.s32 d, a, b;", 32, 32, hi_s}, {"mul.hi.u64 D, A, B;", 64, 64, hi_u},
    {"mul.hi.s64 D, A, B;", 64, 64, hi_s}, {"mul.wide.u16 d, ha, hb;", 16, 32, wide_u},
    {"mul.wide.s16 d, ha, hb;", 16, 32, wide_s}, {"mul.wide.u32 D, a, b;", 32, 64, wide_u},
    {"mul.wide.s32 D, a, b;", 32, 64, wide_s}, {"mad.lo.s16 hd, ha, hb, hc;", 16, 16, mad},
    {"mad.lo.u32 d, a, b, c;", 32, 32, mad}, {"mad.lo.s64 D, A, B, C;", 64, 64, mad},
    {"mad.hi.u16 hd, ha, hb, hc;", 16, 16, madhi_u},
    {"mad.hi.s16 hd, ha, hb, hc;", 16, 16, madhi_s},
    {"mad.hi.u32 d, a, b, c;", 32, 32, madhi_u}, {"mad.hi.s32 d, a, b, c;", 32, 32, madhi_s},
    {"mad.hi.sat.s32 d, a, b, c;", 32, 32, madhisat},
    {"mad.hi.u64 D, A, B, C;", 64, 64, madhi_u}, {"mad.hi.s64 D, A, B, C;", 64, 64, madhi_s},
    {"mad.wide.u16 d, ha, hb, c;", 16, 32, madwide_u},
    {"mad.wide.s16 d, ha, hb, c;", 16, 32, madwide_s},
    {"mad.wide.u32 D, a, b, C;", 32, 64, madwide_u},
    {"mad.wide.s32 D, a, b, C;", 32, 64, madwide_s},
    {"mul24.lo.u32 d, a, b;", 32, 32, mul24_u}, {"mul24.lo.s32 d, a, b;", 32, 32, mul24_s},
    {"mul24.hi.u32 d, a, b;", 32, 32, mul24hi_u}, {"mul24.hi.s32 d, a, b;", 32, 32, mul24hi_s},
    {"div.u16 hd, ha, hb;", 16, 16, div_u}, {"div.s16 hd, ha, hb;", 16, 16, div_s},
    {"div.u32 d, a, b;", 32, 32, div_u}, {"div.s32 d, a, b;", 32, 32, div_s},
    {"div.u64 D, A, B;", 64, 64, div_u}, {"div.s64 D, A, B;", 64, 64, div_s},
    {"rem.u16 hd, ha, hb;", 16, 16, rem_u}, {"rem.s16 hd, ha, hb;", 16, 16, rem_s},
    {"rem.u32 d, a, b;", 32, 32, rem_u}, {"rem.s32 d, a, b;", 32, 32, rem_s},
    {"rem.u64 D, A, B;", 64, 64, rem_u}, {"rem.s64 D, A, B;", 64, 64, rem_s},
    {"min.u16 hd, ha, hb;", 16, 16, min_u}, {"min.s16 hd, ha, hb;", 16, 16, min_s},
    {"min.u32 d, a, b;", 32, 32, min_u}, {"min.s32 d, a, b;", 32, 32, min_s},
    {"min.u64 D, A, B;", 64, 64, min_u}, {"min.s64 D, A, B;", 64, 64, min_s},
    {"max.u16 hd, ha, hb;", 16, 16, max_u}, {"max.s16 hd, ha, hb;", 16, 16, max_s},
    {"max.u32 d, a, b;", 32, 32, max_u}, {"max.s32 d, a, b;", 32, 32, max_s},
    {"max.u64 D, A, B;", 64, 64, max_u}, {"max.s64 D, A, B;", 64, 64, max_s},
    {"min.relu.s32 d, a, b;", 32, 32, minrelu}, {"max.relu.s32 d, a, b;", 32, 32, maxrelu},
    {"min.u16x2 d, a, b;", 32, 32, minu_x2}, {"min.s16x2 d, a, b;", 32, 32, mins_x2},
    {"max.u16x2 d, a, b;", 32, 32, maxu_x2}, {"max.s16x2 d, a, b;", 32, 32, maxs_x2},
    {"min.relu.s16x2 d, a, b;", 32, 32, minrelu_x2},
    {"popc.b32 d, a;", 32, 32, popc}, {"popc.b64 d, A;", 64, 32, popc},
    {"clz.b32 d, a;", 32, 32, clz}, {"clz.b64 d, A;", 64, 32, clz},
    {"brev.b32 d, a;", 32, 32, brev}, {"brev.b64 D, A;", 64, 64, brev},
    {"bfind.u32 d, a;", 32, 32, bfind_u}, {"bfind.s32 d, a;", 32, 32, bfind_s},
    {"bfind.u64 d, A;", 64, 32, bfind_u}, {"bfind.s64 d, A;", 64, 32, bfind_s},
    {"bfind.shiftamt.u32 d, a;", 32, 32, bfindsh_u},
    {"bfind.shiftamt.s32 d, a;", 32, 32, bfindsh_s},
    {"bfind.shiftamt.u64 d, A;", 64, 32, bfindsh_u},
    {"bfind.shiftamt.s64 d, A;", 64, 32, bfindsh_s},
    {"bfe.u32 d, a, b, c;", 32, 32, bfe_u}, {"bfe.s32 d, a, b, c;", 32, 32, bfe_s},
    {"bfe.u64 D, A, b, c;", 64, 64, bfe_u}, {"bfe.s64 D, A, b, c;", 64, 64, bfe_s},
    {"bfi.b32 d, a, b, c, e;", 32, 32, bfi}, {"bfi.b64 D, A, B, c, e;", 64, 64, bfi},
    {"bmsk.clamp.b32 d, a, b;", 32, 32, bmsk_clamp},
    {"szext.clamp.u32 d, a, b;", 32, 32, szext_u}, {"szext.clamp.s32 d, a, b;", 32, 32, szext_s},
    {"fns.b32 d, a, b, c;", 32, 32, fns}, {"prmt.b32 d, a, b, c;", 32, 32, prmt},
    {"prmt.b32.f4e d, a, b, c;", 32, 32, prmt_f4e}, {"prmt.b32.b4e d, a, b, c;", 32, 32, prmt_b4e},
    {"prmt.b32.rc8 d, a, b, c;", 32, 32, prmt_rc8}, {"prmt.b32.ecl d, a, b, c;", 32, 32, prmt_ecl},
    {"prmt.b32.ecr d, a, b, c;", 32, 32, prmt_ecr},
    {"prmt.b32.rc16 d, a, b, c;", 32, 32, prmt_rc16},
    {"and.b16 hd, ha, hb;", 16, 16, and_}, {"and.b32 d, a, b;", 32, 32, and_},
    {"and.b64 D, A, B;", 64, 64, and_}, {"or.b32 d, a, b;", 32, 32, or_},
    {"or.b64 D, A, B;", 64, 64, or_}, {"xor.b32 d, a, b;", 32, 32, xor_},
    {"xor.b64 D, A, B;", 64, 64, xor_}, {"not.b32 d, a;", 32, 32, not_},
    {"not.b16 hd, ha;", 16, 16, not_}, {"not.b64 D, A;", 64, 64, not_},
    {"cnot.b16 hd, ha;", 16, 16, cnot}, {"cnot.b32 d, a;", 32, 32, cnot},
    {"cnot.b64 D, A;", 64, 64, cnot},
    {"lop3.b32 d, a, b, c, 0x96;", 32, 32, lop3_96}, {"lop3.b32 d, a, b, c, 232;", 32, 32, lop3_e8},
    {"lop3.b32 d, a, b, c, 0xca;", 32, 32, lop3_ca}, {"lop3.b32 d, a, b, c, 64;", 32, 32, lop3_40},
    {"shl.b16 hd, ha, b;", 16, 16, shl}, {"shl.b32 d, a, b;", 32, 32, shl},
    {"shl.b64 D, A, b;", 64, 64, shl}, {"shr.u16 hd, ha, b;", 16, 16, shr_u},
    {"shr.s16 hd, ha, b;", 16, 16, shr_s}, {"shr.b32 d, a, b;", 32, 32, shr_u},
    {"shr.s32 d, a, b;", 32, 32, shr_s}, {"shr.u64 D, A, b;", 64, 64, shr_u},
    {"shr.s64 D, A, b;", 64, 64, shr_s}, {"shf.l.wrap.b32 d, a, b, c;", 32, 32, shf_lw},
    {"shf.l.clamp.b32 d, a, b, c;", 32, 32, shf_lc}, {"shf.r.wrap.b32 d, a, b, c;", 32, 32, shf_rw},
    {"shf.r.clamp.b32 d, a, b, c;", 32, 32, shf_rc},
    {"dp4a.u32.u32 d, a, b, c;", 32, 32, dp4a_uu}, {"dp4a.u32.s32 d, a, b, c;", 32, 32, dp4a_us},
    {"dp4a.s32.u32 d, a, b, c;", 32, 32, dp4a_su}, {"dp4a.s32.s32 d, a, b, c;", 32, 32, dp4a_ss},
    {"dp2a.lo.s32.s32 d, a, b, c;", 32, 32, dp2a_lo},
    {"dp2a.hi.u32.s32 d, a, b, c;", 32, 32, dp2a_hi},
    {"slct.b32.s32 d, a, b, c;", 32, 32, slct}, {"slct.u64.s32 D, A, B, c;", 64, 64, slct},
    {"selp.b32 d, a, b, x;", 32, 32, selp}, {"selp.s16 hd, ha, hb, x;", 16, 16, selp},
    {"selp.f64 D, A, B, x;", 64, 64, selp}, {"selp.u32 d, a, b, !x;", 32, 32, selp_not},
    {"mov.u32 d, a;", 32, 32, move}, {"mov.b64 D, A;", 64, 64, move},
    {"mov.b16 hd, ha;", 16, 16, move}, {"mov.b32 d, {ha, hb};", 16, 32, pack2},
    {"mov.b64 D, {a, b};", 32, 64, pack2}, {"mov.b64 D, {ha, hb, hc, he};", 16, 64, pack4},
    {"cvta.to.global.u64 D, A;", 64, 64, move}, {"copysign.f32 d, a, b;", 32, 32, copysign32},
};
enum { N_CASES = sizeof CASES / sizeof CASES[0] };

/* All pairs of edges; the third and fourth operand walk through the edges in other steps. */
START_TEST(an_integer_operation_gives_what_its_reference_gives)
{
    const struct op_case *k = &CASES[_i];
    struct sim_op *op = sim_op_open(k->text);
    struct sim_op_in in[32];
    struct sim_op_out out[32];
    const uint64_t keep = k->out_bits == 64 ? ~0ull : (1ull << k->out_bits) - 1;
    int n = 0;
    for (int i = 0; i < N_EDGES * N_EDGES; i++) {
        in[n++] = (struct sim_op_in){.a = EDGES[i / N_EDGES], .b = EDGES[i % N_EDGES],
                                     .c = EDGES[(i * 7 + 3) % N_EDGES],
                                     .e = EDGES[(i * 11 + i / N_EDGES) % N_EDGES],
                                     .x = i % 3 == 0};
        if (n < 32 && i + 1 < N_EDGES * N_EDGES) continue;
        sim_op_run(op, in, n, out);
        for (int j = 0; j < n; j++) {
            const uint64_t due = (uint64_t)k->reference(&in[j], k->bits) & keep;
            ck_assert_msg((out[j].d & keep) == due,
                          "%s a=%#lx b=%#lx c=%#lx e=%#lx gave %#lx, not %#lx", k->text,
                          in[j].a, in[j].b, in[j].c, in[j].e, out[j].d & keep, due);
        }
        n = 0;
    }
    sim_op_close(op);
}
END_TEST

START_TEST(lanes_outside_the_guard_keep_their_value)
{
    static const char *const texts[] = {
        "@x add.s32 d, a, b;", "@x mul.wide.u32 D, a, b;", "@x mad.lo.u64 D, A, B, C;",
        "@x fma.rn.f32 d, a, b, c;", "@x add.rz.f32 d, a, b;", "@x fma.rn.f64 D, A, B, C;",
        "@x fma.rn.f16x2 d, a, b, c;", "@x cvt.rn.f32.s64 d, A;", "@x cvt.rzi.s64.f32 D, a;",
        "@x selp.b32 d, a, b, y;", "@x add.cc.u32 d, a, b;", "@x cvt.u64.u32 D, a;",
        "@x set.lt.u32.s32 d, a, b;", "@x add.rn.f32x2 D, A, B;", "@x cvt.rn.f32.u32 d, a;"};
    struct sim_op *op = sim_op_open(texts[_i]);
    struct sim_op_in in[32];
    struct sim_op_out out[32];
    for (int i = 0; i < 32; i++)
        in[i] = (struct sim_op_in){.a = 0x3f800000u + (unsigned)i, .b = 0x40000000u + (unsigned)i,
                                   .c = 0x4040000040400000u, .old = 0x5555aaaa5555u, .x = i & 1};
    sim_op_run(op, in, 32, out);
    for (int i = 0; i < 32; i++) {
        const uint64_t old = strchr(texts[_i], 'D') ? 0x5555aaaa5555u : 0xaaaa5555u;
        if (i & 1) ck_assert_msg(out[i].d != old, "%s lane %d", texts[_i], i);
        else ck_assert_msg(out[i].d == old, "%s lane %d: %#lx", texts[_i], i, out[i].d);
    }
    sim_op_close(op);
}
END_TEST

START_TEST(a_packed_register_comes_apart_as_it_was_put_together)
{
    const struct sim_op_in in = {.a = 0x1111222233334444u, .b = 0};
    struct sim_op_out out = sim_op_once("mov.b64 {d0, d1}, A;", in);
    ck_assert_uint_eq(out.parts[0], 0x33334444u);
    ck_assert_uint_eq(out.parts[1], 0x11112222u);
    out = sim_op_once("mov.b64 {_, d1}, A;", in);
    ck_assert_uint_eq(out.parts[0], 0);
    ck_assert_uint_eq(out.parts[1], 0x11112222u);
    out = sim_op_once("mov.b64 {hd, ha, hb, hc}, A; mov.b32 d0, {ha, hd};", in);
    ck_assert_uint_eq(out.parts[0], 0x44443333u);
    out = sim_op_once("mov.b32 {ha, hb}, a; mov.b32 d0, {hb, ha};", in);
    ck_assert_uint_eq(out.parts[0], 0x44443333u);
    out = sim_op_once("mov.b32 {ha, hb}, a; cvt.u32.u16 d0, hb; mov.b32 d1, 7;", in);
    ck_assert_uint_eq(out.parts[0], 0x3333u);
    ck_assert_uint_eq(out.parts[1], 7);
}
END_TEST

/* 128-bit sums in steps, the way compilers use the carry. */
START_TEST(carries_make_long_sums)
{
    static const char *const sum32 = "mov.b64 {d0, d1}, A; mov.b64 {d2, d3}, B;"
                                     "add.cc.u32 d0, d0, d2; addc.u32 d1, d1, d3;"
                                     "mov.b64 D, {d0, d1};";
    static const char *const difference = "mov.b64 {d0, d1}, A; mov.b64 {d2, d3}, B;"
                                          "sub.cc.u32 d0, d0, d2; subc.u32 d1, d1, d3;"
                                          "mov.b64 D, {d0, d1};";
    for (int i = 0; i < N_EDGES; i++)
        for (int j = 0; j < N_EDGES; j++) {
            const struct sim_op_in in = {.a = EDGES[i], .b = EDGES[j]};
            ck_assert_uint_eq(sim_op_once(sum32, in).d, EDGES[i] + EDGES[j]);
            ck_assert_uint_eq(sim_op_once(difference, in).d, EDGES[i] - EDGES[j]);
            const uwide sum = (uwide)EDGES[i] + EDGES[j];
            ck_assert_uint_eq(sim_op_once("add.cc.u64 D, A, B; addc.u64 D, 0, 0;", in).d,
                              (uint64_t)(sum >> 64));
            ck_assert_uint_eq(sim_op_once("sub.cc.u64 D, A, B; subc.u64 D, 0, 0;", in).d,
                              EDGES[i] < EDGES[j] ? ~0ull : 0);
        }
}
END_TEST

START_TEST(multiplications_carry_into_long_products)
{
    static const char *const product = /* 64 x 64 to the upper 64, by 32-bit pieces */
        "mov.b64 {a, b}, A; mov.b64 {c, e}, B;"
        "mul.hi.u32 d0, a, c;"
        "mad.lo.cc.u32 d0, b, c, d0; madc.hi.u32 d1, b, c, 0;"
        "mad.lo.cc.u32 d0, a, e, d0; madc.hi.cc.u32 d1, a, e, d1; addc.u32 d2, 0, 0;"
        "mad.lo.cc.u32 d1, b, e, d1; madc.hi.u32 d2, b, e, d2;"
        "mov.b64 D, {d1, d2};";
    for (int i = 0; i < N_EDGES; i++)
        for (int j = 0; j < N_EDGES; j++) {
            const struct sim_op_in in = {.a = EDGES[i], .b = EDGES[j]};
            ck_assert_uint_eq(sim_op_once(product, in).d,
                              (uint64_t)((uwide)EDGES[i] * EDGES[j] >> 64));
        }
}
END_TEST

START_TEST(integers_compare_as_their_type_says)
{
    static const struct { const char *cmp; int code; } cmps[] = {
        {"eq", 0}, {"ne", 1}, {"lt", 2}, {"le", 3}, {"gt", 4}, {"ge", 5}};
    static const struct { const char *type, *operands; int bits; bool is_signed; } types[] = {
        {"u16", "ha, hb", 16, false}, {"s16", "ha, hb", 16, true}, {"u32", "a, b", 32, false},
        {"s32", "a, b", 32, true}, {"b32", "a, b", 32, false}, {"u64", "A, B", 64, false},
        {"s64", "A, B", 64, true}};
    char text[80];
    const int n_cmps = 6;
    snprintf(text, sizeof text, "setp.%s.%s p|q, %s;", cmps[_i % n_cmps].cmp,
             types[_i / n_cmps].type, types[_i / n_cmps].operands);
    for (int i = 0; i < N_EDGES; i++)
        for (int j = 0; j < N_EDGES; j++) {
            const int bits = types[_i / n_cmps].bits;
            const bool is_signed = types[_i / n_cmps].is_signed;
            const wide a = is_signed ? s(EDGES[i], bits) : u(EDGES[i], bits);
            const wide b = is_signed ? s(EDGES[j], bits) : u(EDGES[j], bits);
            const bool due[] = {a == b, a != b, a < b, a <= b, a > b, a >= b};
            const struct sim_op_out out =
                sim_op_once(text, (struct sim_op_in){.a = EDGES[i], .b = EDGES[j]});
            ck_assert_msg(out.p == due[cmps[_i % n_cmps].code], "%s %#lx %#lx", text, EDGES[i],
                          EDGES[j]);
            ck_assert_msg(out.q == !out.p, "%s", text);
        }
}
END_TEST

START_TEST(a_comparison_combines_with_a_predicate)
{
    static const char *const words[] = {"and", "or", "xor"};
    for (int i = 0; i < 24; i++) {
        char text[80];
        const bool is_less = i & 1, x = i & 2, is_negated = i & 4, y = x != is_negated;
        const int with = i / 8;
        snprintf(text, sizeof text, "setp.lt.%s.s32 p|q, a, b, %sx;", words[with],
                 is_negated ? "!" : "");
        const struct sim_op_out out =
            sim_op_once(text, (struct sim_op_in){.a = 1, .b = is_less ? 2 : 1, .x = x});
        const bool due[] = {is_less && y, is_less || y, is_less != y};
        const bool due_not[] = {!is_less && y, !is_less || y, !is_less != y};
        ck_assert_msg(out.p == due[with], "%s", text);
        ck_assert_msg(out.q == due_not[with], "%s", text);
    }
    ck_assert_uint_eq(sim_op_once("set.gt.u32.s32 d, a, b;", (struct sim_op_in){.a = 1}).d, ~0u);
    ck_assert_uint_eq(sim_op_once("set.gt.f32.s32 d, a, b;", (struct sim_op_in){.a = 1}).d,
                      0x3f800000u);
    ck_assert_uint_eq(sim_op_once("set.lt.u32.s32 d, a, b;", (struct sim_op_in){.a = 1}).d, 0);
}
END_TEST

START_TEST(predicates_have_a_logic)
{
    for (int i = 0; i < 4; i++) {
        const struct sim_op_in in = {.x = i & 1, .y = i & 2};
        ck_assert(sim_op_once("and.pred p, x, y;", in).p == (in.x && in.y));
        ck_assert(sim_op_once("or.pred p, x, y;", in).p == (in.x || in.y));
        ck_assert(sim_op_once("xor.pred p, x, y;", in).p == (in.x != in.y));
        ck_assert(sim_op_once("not.pred p, x;", in).p == !in.x);
        ck_assert(sim_op_once("mov.pred p, y;", in).p == in.y);
        ck_assert(sim_op_once("mov.pred p, 1;", in).p);
        ck_assert(sim_op_once("and.pred p, x, !y;", in).p == (in.x && !in.y));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim_alu");
    TCase *t = tcase_create("integers");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, an_integer_operation_gives_what_its_reference_gives, 0, N_CASES);
    tcase_add_loop_test(t, lanes_outside_the_guard_keep_their_value, 0, 15);
    tcase_add_test(t, a_packed_register_comes_apart_as_it_was_put_together);
    tcase_add_test(t, carries_make_long_sums);
    tcase_add_test(t, multiplications_carry_into_long_products);
    tcase_add_loop_test(t, integers_compare_as_their_type_says, 0, 6 * 7);
    tcase_add_test(t, a_comparison_combines_with_a_predicate);
    tcase_add_test(t, predicates_have_a_logic);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
