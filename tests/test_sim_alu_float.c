/* Float instructions and conversions of the simulator. References: exact arithmetic in 113 bits,
 * then a search for the neighbour that the rounding asks for. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_float.h"
#include "sim_op.h"

/* --- f32 --- */

static const uint32_t FLOATS[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x40490fdb, 0x3eaaaaab, 0xc0a00000,
    0x4b7fffff, 0x4b800000, 0x4b800001, 0x34000000, 0xb4000001, 0x41200000, 0x3dcccccd, 0x42f6e979,
    0x4f000000, 0xcf000000, 0x4effffff, 0x4f7fffff, 0x3f7fffff, 0x3effffff, 0x3f000000, 0x3f000001,
    0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x477fe000, 0x477fefff, 0x477ff000, 0x38800000,
    0x387fc000, 0x33000000, 0x33000001, 0x337fffff, 0x42ff0000, 0x43000000, 0xc3010000, 0x437f8000,
};
enum { N_FLOATS = sizeof FLOATS / 4 };

START_TEST(f32_arithmetic_is_exact_but_for_one_rounding)
{
    static const char *const modes[] = {"rn", "rz", "rm", "rp"};
    static const char how[] = "nzmp";
    char text[64];
    for (int op = 0; op < 4; op++) {
        static const char *const forms[] = {"add.%s.f32 d, a, b;", "sub.%s.f32 d, a, b;",
                                            "mul.%s.f32 d, a, b;", "fma.%s.f32 d, a, b, c;"};
        snprintf(text, sizeof text, forms[op], modes[_i]);
        for (int i = 0; i < N_FLOATS; i++)
            for (int j = 0; j < N_FLOATS; j++) {
                const struct sim_op_in in = {.a = FLOATS[i], .b = FLOATS[j],
                                             .c = FLOATS[(i * 5 + j) % N_FLOATS]};
                const exact a = float32(in.a), b = float32(in.b), c = float32(in.c);
                const exact x[] = {a + b, a - b, a * b, a * b + c};
                const uint64_t due = rounded(&F32, x[op], direction(how[_i], x[op]));
                const uint64_t got = sim_op_once(text, in).d;
                if (x[op] == 0) ck_assert_uint_eq(got << 33, 0);
                else ck_assert_msg(got == due, "%s %#lx %#lx %#lx gave %#lx, not %#lx", text,
                                   in.a, in.b, in.c, got, due);
            }
    }
}
END_TEST

START_TEST(f32_quotients_and_roots_lie_between_their_neighbours)
{
    for (int i = 0; i < N_FLOATS; i++) {
        const struct sim_op_in in = {.a = FLOATS[i], .b = FLOATS[(i * 3 + 1) % N_FLOATS]};
        const float a = float32(in.a), b = float32(in.b);
        if (b != 0) {
            const float q = float32(sim_op_once("div.rn.f32 d, a, b;", in).d);
            const exact rest = (exact)a - (exact)q * b, step = (exact)(nextafterf(q, 1e9f) - q) * b;
            ck_assert(2 * (rest < 0 ? -rest : rest) <= (step < 0 ? -step : step));
            ck_assert_uint_eq(bits32(q), sim_op_once("div.full.f32 d, a, b;", in).d);
        }
        const float r = float32(sim_op_once("sqrt.rn.f32 d, a;", in).d);
        if (a > 0) {
            const exact below = nextafterf(r, 0), above = nextafterf(r, 1e30f);
            ck_assert((below + r) / 2 * ((below + r) / 2) <= a);
            ck_assert((above + r) / 2 * ((above + r) / 2) >= a);
        } else if (a < 0) ck_assert_uint_eq(bits32(r), 0x7fffffffu);
    }
    const struct sim_op_in third = {.a = 0x40400000};
    ck_assert_uint_eq(sim_op_once("rcp.rn.f32 d, a;", third).d, 0x3eaaaaab);
    ck_assert_uint_eq(sim_op_once("rcp.rz.f32 d, a;", third).d, 0x3eaaaaaa);
    ck_assert_uint_eq(sim_op_once("rcp.rp.f32 d, a;", third).d, 0x3eaaaaab);
}
END_TEST

/* What the manual's tables for 0, infinity, NaN, subnormals say. */
static const struct { const char *text; uint32_t a, b, c, d; } SPECIALS[] = {
    {"add.f32 d, a, b;", 0x7f800000, 0xff800000, 0, 0x7fffffff},
    {"add.f32 d, a, b;", 0x7fc12345, 0x3f800000, 0, 0x7fffffff},
    {"fma.rn.f32 d, a, b, c;", 0x7f800000, 0x00000000, 0x3f800000, 0x7fffffff},
    {"mul.f32 d, a, b;", 0x80000000, 0x3f800000, 0, 0x80000000},
    {"add.ftz.f32 d, a, b;", 0x00000001, 0x00000001, 0, 0},
    {"add.ftz.f32 d, a, b;", 0x80000001, 0x80000001, 0, 0x80000000},
    {"mul.ftz.f32 d, a, b;", 0x00800000, 0x3f000000, 0, 0},
    {"mul.f32 d, a, b;", 0x00800000, 0x3f000000, 0, 0x00400000},
    {"add.sat.f32 d, a, b;", 0x3f800000, 0x3f800000, 0, 0x3f800000},
    {"add.sat.f32 d, a, b;", 0xbf800000, 0x00000000, 0, 0},
    {"add.sat.f32 d, a, b;", 0x7fc00000, 0x00000000, 0, 0},
    {"fma.rn.ftz.sat.f32 d, a, b, c;", 0x40000000, 0x3e800000, 0, 0x3f000000},
    {"min.f32 d, a, b;", 0x7fc00000, 0x3f800000, 0, 0x3f800000},
    {"min.f32 d, a, b;", 0x3f800000, 0xffc00000, 0, 0x3f800000},
    {"min.f32 d, a, b;", 0x7fc00000, 0xffc00000, 0, 0x7fffffff},
    {"min.f32 d, a, b;", 0x00000000, 0x80000000, 0, 0x80000000},
    {"max.f32 d, a, b;", 0x80000000, 0x00000000, 0, 0},
    {"max.f32 d, a, b;", 0x7fc00000, 0xbf800000, 0, 0xbf800000},
    {"max.f32 d, a, b;", 0xff800000, 0x00000001, 0, 0x00000001},
    {"min.NaN.f32 d, a, b;", 0x7fc00000, 0x3f800000, 0, 0x7fffffff},
    {"max.NaN.f32 d, a, b;", 0x3f800000, 0x40000000, 0, 0x40000000},
    {"max.xorsign.abs.f32 d, a, b;", 0xc0000000, 0x40400000, 0, 0xc0400000},
    {"abs.f32 d, a;", 0xbf800000, 0, 0, 0x3f800000},
    {"neg.f32 d, a;", 0x00000000, 0, 0, 0x80000000},
    {"abs.ftz.f32 d, a;", 0x80000001, 0, 0, 0},
    {"rcp.approx.ftz.f32 d, a;", 0x00000000, 0, 0, 0x7f800000},
    {"rcp.approx.f32 d, a;", 0xff800000, 0, 0, 0x80000000},
    {"rsqrt.approx.f32 d, a;", 0x00000000, 0, 0, 0x7f800000},
    {"rsqrt.approx.f32 d, a;", 0x80000000, 0, 0, 0xff800000},
    {"rsqrt.approx.f32 d, a;", 0x40800000, 0, 0, 0x3f000000},
    {"rsqrt.approx.f32 d, a;", 0xbf800000, 0, 0, 0x7fffffff},
    {"sqrt.approx.f32 d, a;", 0x80000000, 0, 0, 0x80000000},
    {"lg2.approx.f32 d, a;", 0x41000000, 0, 0, 0x40400000},
    {"lg2.approx.f32 d, a;", 0x00000000, 0, 0, 0xff800000},
    {"lg2.approx.f32 d, a;", 0xbf800000, 0, 0, 0x7fffffff},
    {"ex2.approx.ftz.f32 d, a;", 0x40400000, 0, 0, 0x41000000},
    {"ex2.approx.ftz.f32 d, a;", 0xff800000, 0, 0, 0},
    {"sin.approx.f32 d, a;", 0x00000000, 0, 0, 0},
    {"cos.approx.f32 d, a;", 0x00000000, 0, 0, 0x3f800000},
    {"sin.approx.f32 d, a;", 0x7f800000, 0, 0, 0x7fffffff},
    {"tanh.approx.f32 d, a;", 0x7f800000, 0, 0, 0x3f800000},
};

START_TEST(f32_special_values_follow_the_manual)
{
    for (size_t i = 0; i < sizeof SPECIALS / sizeof SPECIALS[0]; i++) {
        const struct sim_op_in in = {.a = SPECIALS[i].a, .b = SPECIALS[i].b, .c = SPECIALS[i].c};
        const uint64_t got = sim_op_once(SPECIALS[i].text, in).d;
        ck_assert_msg(got == SPECIALS[i].d, "%s %#x %#x gave %#lx, not %#x", SPECIALS[i].text,
                      SPECIALS[i].a, SPECIALS[i].b, got, SPECIALS[i].d);
    }
}
END_TEST

START_TEST(approximations_are_close)
{
    for (int i = 0; i < 2000; i++) {
        const float x = (float)(i - 1000) * 0.0137f + 0.001f;
        const struct sim_op_in in = {.a = bits32(x)};
        const double sine = (double)float32(sim_op_once("sin.approx.ftz.f32 d, a;", in).d);
        const double power = (double)float32(sim_op_once("ex2.approx.ftz.f32 d, a;", in).d);
        const double tangent = (double)float32(sim_op_once("tanh.approx.f32 d, a;", in).d);
        ck_assert_double_eq_tol(sine, sin((double)x), 0x1p-20);
        ck_assert_double_eq_tol(power / exp2((double)x), 1, 0x1p-21);
        ck_assert_double_eq_tol(tangent, tanh((double)x), 0x1p-10);
        if (x <= 0) continue;
        const double log = (double)float32(sim_op_once("lg2.approx.ftz.f32 d, a;", in).d);
        ck_assert_double_eq_tol(log, log2((double)x), 0x1p-20);
    }
}
END_TEST

/* --- f64 --- */

START_TEST(f64_arithmetic_rounds_as_asked)
{
    static const struct { const char *text; double a, b, c, d;
    } cases[] = {
        {"add.f64 D, A, B;", 1, 0x1p-53, 0, 1},
        {"add.rp.f64 D, A, B;", 1, 0x1p-53, 0, 0x1.0000000000001p0},
        {"add.rz.f64 D, A, B;", -1, -0x1p-60, 0, -1},
        {"add.rm.f64 D, A, B;", -1, -0x1p-60, 0, -0x1.0000000000001p0},
        {"mul.rn.f64 D, A, B;", 0x1.0000000000001p0, 0x1.0000000000001p0, 0, 0x1.0000000000002p0},
        {"mul.rp.f64 D, A, B;", 0x1.0000000000001p0, 0x1.0000000000001p0, 0, 0x1.0000000000003p0},
        {"fma.rn.f64 D, A, B, C;", 0x1.0000000000001p0, 0x1.0000000000001p0, -1,
         0x1.00000000000008p-51},
        {"div.rn.f64 D, A, B;", 1, 3, 0, 0x1.5555555555555p-2},
        {"div.rp.f64 D, A, B;", 1, 3, 0, 0x1.5555555555556p-2},
        {"sqrt.rn.f64 D, A;", 2, 0, 0, 0x1.6a09e667f3bcdp0},
        {"rcp.rz.f64 D, A;", 3, 0, 0, 0x1.5555555555555p-2},
        {"rcp.approx.ftz.f64 D, A;", 2, 0, 0, 0.5},
        {"min.f64 D, A, B;", 1, -2, 0, -2},
        {"max.f64 D, A, B;", 1, (double)NAN, 0, 1},
        {"abs.f64 D, A;", -3, 0, 0, 3},
        {"neg.f64 D, A;", -3, 0, 0, 3},
        {"copysign.f64 D, A, B;", -1, 5, 0, -5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct sim_op_in in = {.a = bits64(cases[i].a), .b = bits64(cases[i].b),
                                     .c = bits64(cases[i].c)};
        const double got = float64(sim_op_once(cases[i].text, in).d);
        ck_assert_msg(got == cases[i].d, "%s gave %a, not %a", cases[i].text, got, cases[i].d);
    }
}
END_TEST

/* --- halves --- */

static const uint16_t HALVES[] = {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3c01,
                                  0x3555, 0x4248, 0x7bff, 0x1000, 0x9001, 0x2e66, 0xc900, 0x5640,
                                  0x3bff, 0x0801, 0x83ff, 0x6bff, 0x3f80, 0xbf81, 0x4049, 0x0080};
enum { N_HALVES = sizeof HALVES / sizeof HALVES[0] };

static void check_half(const struct format *f, const char *op, int which)
{
    char text[64], pair[64];
    snprintf(text, sizeof text, "%s.rn.%s hd, ha, hb%s;", op, f->name, which == 3 ? ", hc" : "");
    snprintf(pair, sizeof pair, "%s.rn.%sx2 d, a, b%s;", op, f->name, which == 3 ? ", c" : "");
    const uint64_t nan = 0x7fff;
    for (int i = 0; i < N_HALVES * N_HALVES; i++) {
        const uint64_t a = HALVES[i / N_HALVES], b = HALVES[i % N_HALVES];
        const uint64_t c = HALVES[(i * 7 + i / N_HALVES) % N_HALVES];
        const exact x = value_of(f, a), y = value_of(f, b), z = value_of(f, c);
        const exact all[] = {x + y, x - y, x * y, x * y + z};
        const uint64_t due = rounded(f, all[which], 'n');
        const struct sim_op_in in = {.a = a, .b = b, .c = c};
        const uint64_t got = sim_op_once(text, in).d;
        if (all[which] == 0) ck_assert_uint_eq(got & 0x7fff, 0);
        else ck_assert_msg(got == due, "%s %#lx %#lx %#lx gave %#lx, not %#lx", text, a, b, c, got,
                           due);
        const struct sim_op_in two = {.a = a | 0x3c000000, .b = b | 0x40000000, .c = c};
        const uint64_t both = sim_op_once(pair, two).d;
        ck_assert_uint_eq(both & 0xffff, got);
        ck_assert(both >> 16 != nan);
    }
}

START_TEST(half_arithmetic_rounds_once)
{
    static const char *const ops[] = {"add", "sub", "mul", "fma"};
    check_half(_i < 4 ? &F16 : &BF16, ops[_i % 4], _i % 4);
}
END_TEST

/* The product needs 22 bits and the sum more than a float has: rounding twice would show. */
START_TEST(a_half_multiply_add_is_not_rounded_on_the_way)
{
    uint32_t random = 12345;
    for (int i = 0; i < 20000; i++) {
        uint64_t h[3];
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            h[k] = random >> 16 & 0xffff;
            if ((h[k] & 0x7c00) == 0x7c00) h[k] ^= 0x4000;
        }
        const exact x = value_of(&F16, h[0]) * value_of(&F16, h[1]) + value_of(&F16, h[2]);
        if (x == 0) continue;
        const uint64_t got =
            sim_op_once("fma.rn.f16 hd, ha, hb, hc;",
                        (struct sim_op_in){.a = h[0], .b = h[1], .c = h[2]}).d;
        ck_assert_uint_eq(got, rounded(&F16, x, 'n'));
    }
}
END_TEST

START_TEST(half_modifiers_do_what_they_say)
{
    static const struct { const char *text; uint32_t a, b, c, d; } cases[] = {
        {"fma.rn.relu.f16x2 d, a, b, c;", 0x3c00bc00, 0x3c003c00, 0, 0x3c000000},
        {"add.sat.f16x2 d, a, b;", 0x4000bc00, 0, 0, 0x3c000000},
        {"add.ftz.f16 hd, ha, hb;", 0x0001, 0x0001, 0, 0},
        {"min.f16x2 d, a, b;", 0x7e003c00, 0x3c004000, 0, 0x3c003c00},
        {"max.NaN.bf16x2 d, a, b;", 0x7fc03f80, 0x3f804000, 0, 0x7fff4000},
        {"neg.bf16x2 d, a;", 0x3f80bf80, 0, 0, 0xbf803f80},
        {"abs.f16x2 d, a;", 0xbc003c00, 0, 0, 0x3c003c00},
        {"ex2.approx.f16x2 d, a;", 0x40003c00, 0, 0, 0x44004000},
        {"ex2.approx.ftz.bf16x2 d, a;", 0x40003f80, 0, 0, 0x40804000},
        {"tanh.approx.f16 hd, ha;", 0x7c00, 0, 0, 0x3c00},
        {"add.f16 hd, ha, hb;", 0x7c00, 0xfc00, 0, 0x7fff},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct sim_op_in in = {.a = cases[i].a, .b = cases[i].b, .c = cases[i].c};
        const uint64_t got = sim_op_once(cases[i].text, in).d;
        ck_assert_msg(got == cases[i].d, "%s gave %#lx, not %#x", cases[i].text, got, cases[i].d);
    }
}
END_TEST

START_TEST(pairs_of_floats_are_two_sums)
{
    const struct sim_op_in in = {.a = 0x3f80000040000000, .b = 0x4040000040800000,
                                 .c = 0x3f8000003f800000};
    ck_assert_uint_eq(sim_op_once("add.rn.f32x2 D, A, B;", in).d, 0x4080000040c00000);
    ck_assert_uint_eq(sim_op_once("mul.rn.f32x2 D, A, B;", in).d, 0x4040000041000000);
    ck_assert_uint_eq(sim_op_once("fma.rn.f32x2 D, A, B, C;", in).d, 0x4080000041100000);
}
END_TEST

/* --- comparisons and tests --- */

START_TEST(floats_compare_as_ordered_and_unordered)
{
    static const char *const cmps[] = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu",
                                       "leu", "gtu", "geu", "num", "nan"};
    static const double values[] = {
        0, -0.0, 1, -1, 2.5, (double)INFINITY, -(double)INFINITY, (double)NAN};
    for (int i = 0; i < 64; i++) {
        const double a = values[i / 8], b = values[i % 8];
        const bool u = isnan(a) || isnan(b);
        const bool due[] = {a == b, !u && a != b, a < b, a <= b, a > b, a >= b, u || a == b,
                            u || a != b, u || a < b, u || a <= b, u || a > b, u || a >= b, !u, u};
        char text[64];
        snprintf(text, sizeof text, "setp.%s.f64 p, A, B;", cmps[_i]);
        struct sim_op_in in = {.a = bits64(a), .b = bits64(b)};
        ck_assert_msg(sim_op_once(text, in).p == due[_i], "%s %g %g", text, a, b);
        snprintf(text, sizeof text, "setp.%s.f32 p, a, b;", cmps[_i]);
        in = (struct sim_op_in){.a = bits32((float)a), .b = bits32((float)b)};
        ck_assert_msg(sim_op_once(text, in).p == due[_i], "%s %g %g", text, a, b);
    }
}
END_TEST

START_TEST(subnormals_equal_zero_where_they_are_flushed)
{
    const struct sim_op_in in = {.a = 1};
    ck_assert(!sim_op_once("setp.eq.f32 p, a, b;", in).p);
    ck_assert(sim_op_once("setp.eq.ftz.f32 p, a, b;", in).p);
    ck_assert(!sim_op_once("setp.eq.f16 p, ha, hb;", in).p);
    const struct sim_op_in pair = {.a = 0x3c004000, .b = 0x3c003c00};
    const struct sim_op_out out = sim_op_once("setp.gt.f16x2 p|q, a, b;", pair);
    ck_assert(out.p && !out.q);
}
END_TEST

START_TEST(a_float_knows_its_class)
{
    static const char *const tests[] = {"finite", "infinite", "number", "notanumber", "normal",
                                        "subnormal"};
    static const uint32_t values[] = {0, 0x80000001, 0x00800000, 0x3f800000, 0x7f7fffff, 0x7f800000,
                                      0xff800000, 0x7fc00000};
    char text[64];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 6; k++) {
            snprintf(text, sizeof text, "testp.%s.f32 p, a;", tests[k]);
            const bool is = sim_op_once(text, (struct sim_op_in){.a = values[i]}).p;
            const float x = float32(values[i]);
            const int class = fpclassify(x);
            const bool expected[] = {class != FP_INFINITE && class != FP_NAN, class == FP_INFINITE,
                                     class != FP_NAN, class == FP_NAN, class == FP_NORMAL,
                                     class == FP_SUBNORMAL};
            ck_assert_msg(is == expected[k], "%s %#x", text, values[i]);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim_alu_float");
    TCase *t = tcase_create("sim_alu_float");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, f32_arithmetic_is_exact_but_for_one_rounding, 0, 4);
    tcase_add_test(t, f32_quotients_and_roots_lie_between_their_neighbours);
    tcase_add_test(t, f32_special_values_follow_the_manual);
    tcase_add_test(t, approximations_are_close);
    tcase_add_test(t, f64_arithmetic_rounds_as_asked);
    tcase_add_loop_test(t, half_arithmetic_rounds_once, 0, 8);
    tcase_add_test(t, a_half_multiply_add_is_not_rounded_on_the_way);
    tcase_add_test(t, half_modifiers_do_what_they_say);
    tcase_add_test(t, pairs_of_floats_are_two_sums);
    tcase_add_loop_test(t, floats_compare_as_ordered_and_unordered, 0, 14);
    tcase_add_test(t, subnormals_equal_zero_where_they_are_flushed);
    tcase_add_test(t, a_float_knows_its_class);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
