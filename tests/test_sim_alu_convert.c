/* Conversions of the simulator. References: exact values in 113 bits, then a search for the
 * neighbour that the rounding asks for. */
#include <check.h>
#include <math.h>
#include <stdio.h>

#include "sim_float.h"
#include "sim_op.h"

static const uint32_t FLOATS[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x40490fdb, 0x3eaaaaab, 0xc0a00000,
    0x4b7fffff, 0x4b800000, 0x4b800001, 0x34000000, 0xb4000001, 0x41200000, 0x3dcccccd, 0x42f6e979,
    0x4f000000, 0xcf000000, 0x4effffff, 0x4f7fffff, 0x3f7fffff, 0x3effffff, 0x3f000000, 0x3f000001,
    0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x477fe000, 0x477fefff, 0x477ff000, 0x38800000,
    0x387fc000, 0x33000000, 0x33000001, 0x337fffff, 0x42ff0000, 0x43000000, 0xc3010000, 0x437f8000,
};
enum { N_FLOATS = sizeof FLOATS / 4 };

static const double REALS[] = {0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 1e-40, 126.5, 127.5,
                               128, 255.5, 256, -128.5, -129, 32767.5, 65535.5, 65536, 2147483520,
                               2147483648.0, -2147483648.0, -2147484000.0, 4294967040.0,
                               4294967296.0, 9.2e18, 9.3e18, -9.3e18, 1.8e19, 1.9e19, -1e30, 1e30,
                               (double)INFINITY, -(double)INFINITY};
enum { N_REALS = sizeof REALS / sizeof REALS[0] };

static double integral(double x, int mode)
{
    switch (mode) {
    case 0: return nearbyint(x);
    case 1: return trunc(x);
    case 2: return floor(x);
    default: return ceil(x);
    }
}

START_TEST(floats_become_the_nearest_integer_of_the_type)
{
    static const struct { const char *type, *d; int bits; bool is_signed; } types[] = {
        {"s32", "d", 32, true}, {"u32", "d", 32, false}, {"s64", "D", 64, true},
        {"u64", "D", 64, false}, {"s16", "hd", 16, true}, {"u16", "hd", 16, false},
        {"u8", "d", 8, false}, {"s8", "d", 8, true}};
    static const char *const modes[] = {"rni", "rzi", "rmi", "rpi"};
    const int bits = types[_i / 4].bits;
    const bool is_signed = types[_i / 4].is_signed;
    const exact least = is_signed ? -(exact)ldexp(1, bits - 1) : 0;
    const exact most = (exact)ldexp(1, is_signed ? bits - 1 : bits) - 1;
    char text[64];
    for (int i = 0; i < N_REALS * 2; i++) {
        const bool is_wide = i >= N_REALS;
        const double x = is_wide ? REALS[i - N_REALS] : (double)(float)REALS[i];
        snprintf(text, sizeof text, "cvt.%s.%s.%s %s, %s;", modes[_i % 4], types[_i / 4].type,
                 is_wide ? "f64" : "f32", types[_i / 4].d, is_wide ? "A" : "a");
        exact due = integral(x, _i % 4);
        due = due < least ? least : due > most ? most : due;
        const uint64_t keep = bits == 64 ? ~0ull : (1ull << bits) - 1;
        const uint64_t code = due < 0 ? 0 - (uint64_t)-due : (uint64_t)due;
        const struct sim_op_in in = {.a = is_wide ? bits64(x) : bits32((float)x)};
        const uint64_t got = sim_op_once(text, in).d;
        ck_assert_msg((got & keep) == (code & keep), "%s %a gave %#lx, not %#lx", text, x,
                      got & keep, code & keep);
    }
}
END_TEST

START_TEST(a_nan_becomes_what_the_manual_says)
{
    const struct sim_op_in f = {.a = 0x7fc00000}, d = {.a = 0x7ff8000000000000};
    ck_assert_uint_eq(sim_op_once("cvt.rzi.s32.f32 d, a;", f).d, 0);
    ck_assert_uint_eq(sim_op_once("cvt.rzi.u32.f32 d, a;", f).d, 0);
    ck_assert_uint_eq(sim_op_once("cvt.rzi.s64.f32 D, a;", f).d, 1ull << 63);
    ck_assert_uint_eq(sim_op_once("cvt.rzi.s32.f64 d, A;", d).d, 1u << 31);
    ck_assert_uint_eq(sim_op_once("cvt.rn.f32.f64 d, A;", d).d, 0x7fffffff);
    ck_assert_uint_eq(sim_op_once("cvt.rn.f16.f32 hd, a;", f).d, 0x7fff);
}
END_TEST

START_TEST(floats_become_halves_by_one_rounding)
{
    static const struct { const char *text; const struct format *f; char how; bool is_wide;
    } c[] = {{"cvt.rn.f16.f32 hd, a;", &F16, 'n', false},
             {"cvt.rz.f16.f32 hd, a;", &F16, 'z', false},
             {"cvt.rm.f16.f32 hd, a;", &F16, 'm', false},
             {"cvt.rp.f16.f32 hd, a;", &F16, 'p', false},
             {"cvt.rn.bf16.f32 hd, a;", &BF16, 'n', false},
             {"cvt.rz.bf16.f32 hd, a;", &BF16, 'z', false},
             {"cvt.rn.f16.f64 hd, A;", &F16, 'n', true},
             {"cvt.rn.f32.f64 d, A;", &F32, 'n', true},
             {"cvt.rz.f32.f64 d, A;", &F32, 'z', true},
             {"cvt.rp.f32.f64 d, A;", &F32, 'p', true}};
    uint64_t random = 99;
    for (int i = 0; i < 4000; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        double x = i < N_FLOATS
                       ? (double)float32(FLOATS[i])
                       : ldexp((double)(int64_t)random, -63 + (int)(random >> 8) % 30 - 20);
        if (!c[_i].is_wide) x = (double)(float)x;
        if (i % 5 == 0)
            x = (double)value_of(c[_i].f, rounded(c[_i].f, (exact)x, 'z')); /* exact ones */
        const struct sim_op_in in = {.a = c[_i].is_wide ? bits64(x) : bits32((float)x)};
        const uint64_t got = sim_op_once(c[_i].text, in).d;
        if (x == 0) continue;
        const uint64_t due = rounded(c[_i].f, (exact)x, direction(c[_i].how, (exact)x));
        ck_assert_msg(got == due, "%s %a gave %#lx, not %#lx", c[_i].text, x, got, due);
    }
}
END_TEST

START_TEST(every_half_survives_widening_and_narrowing)
{
    for (uint64_t h = 0; h < 0x10000; h += _i ? 7 : 5) {
        const struct format *f = _i ? &BF16 : &F16;
        const bool is_number = (h & 0x7fff) < infinity_of(f);
        const struct sim_op_in in = {.a = h};
        const char *widen = _i ? "cvt.f32.bf16 d, ha;" : "cvt.f32.f16 d, ha;";
        const char *back = _i ? "cvt.rn.bf16.f32 hd, a;" : "cvt.rn.f16.f32 hd, a;";
        const uint64_t wide = sim_op_once(widen, in).d;
        if (is_number) ck_assert((exact)float32(wide) == value_of(f, h));
        if (is_number || (h & 0x7fff) == infinity_of(f))
            ck_assert_uint_eq(sim_op_once(back, (struct sim_op_in){.a = wide}).d, h);
        else
            ck_assert_uint_eq(wide, 0x7fffffff);
    }
}
END_TEST

START_TEST(integers_become_floats_by_one_rounding)
{
    static const int64_t ints[] = {0,
                                   1,
                                   -1,
                                   255,
                                   16777216,
                                   16777217,
                                   16777219,
                                   -16777217,
                                   INT32_MAX,
                                   INT32_MIN,
                                   0x7fffff8000000001,
                                   0x7fffffffffffffff,
                                   INT64_MIN,
                                   0x4000004000000001,
                                   0x4000004000000000,
                                   2049,
                                   65519,
                                   65520,
                                   257};
    static const struct { const char *text; const struct format *f; int bits; bool is_signed; }
        c[] = {
        {"cvt.rn.f32.s32 d, a;", &F32, 32, true}, {"cvt.rn.f32.u32 d, a;", &F32, 32, false},
        {"cvt.rn.f32.s64 d, A;", &F32, 64, true}, {"cvt.rn.f32.u64 d, A;", &F32, 64, false},
        {"cvt.rn.f16.s32 hd, a;", &F16, 32, true}, {"cvt.rn.f16.u64 hd, A;", &F16, 64, false},
        {"cvt.rn.bf16.s64 hd, A;", &BF16, 64, true}, {"cvt.rn.f32.s16 d, ha;", &F32, 16, true},
        {"cvt.rn.f32.u8 d, a;", &F32, 8, false}};
    for (size_t i = 0; i < sizeof ints / sizeof ints[0]; i++)
        for (size_t k = 0; k < sizeof c / sizeof c[0]; k++) {
            uint64_t raw = (uint64_t)ints[i];
            if (c[k].bits < 64) raw &= (1ull << c[k].bits) - 1;
            exact x = (exact)raw;
            if (c[k].is_signed && raw >> (c[k].bits - 1)) x -= (exact)ldexp(1, c[k].bits);
            const uint64_t got =
                sim_op_once(c[k].text, (struct sim_op_in){.a = (uint64_t)ints[i]}).d;
            ck_assert_msg(got == rounded(c[k].f, x, 'n'), "%s %#lx gave %#lx, not %#lx", c[k].text,
                          ints[i], got, rounded(c[k].f, x, 'n'));
        }
    ck_assert_uint_eq(sim_op_once("cvt.rp.f32.s32 d, a;", (struct sim_op_in){.a = 0xfeffffff}).d,
                      0xcb800000);
    ck_assert_uint_eq(sim_op_once("cvt.rm.f32.s32 d, a;", (struct sim_op_in){.a = 0xfeffffff}).d,
                      0xcb800001);
}
END_TEST

START_TEST(integers_of_other_widths_are_extended_or_clamped)
{
    static const struct { const char *text; uint64_t a, d;
    } c[] = {
        {"cvt.u32.u16 d, ha;", 0x8000, 0x8000},
        {"cvt.s32.s16 d, ha;", 0x8000, 0xffff8000},
        {"cvt.u32.u8 d, a;", 0x1ff, 0xff},
        {"cvt.s32.s8 d, a;", 0x180, 0xffffff80},
        {"cvt.s64.s32 D, a;", 0x80000000, 0xffffffff80000000},
        {"cvt.u64.u32 D, a;", 0x80000000, 0x80000000},
        {"cvt.u32.u64 d, A;", 0x123456789a, 0x3456789a},
        {"cvt.u16.u32 hd, a;", 0x12345678, 0x5678},
        {"cvt.s8.s32 d, a;", 0x1280, 0xffffff80},
        {"cvt.u8.u32 d, a;", 0x1280, 0x80},
        {"cvt.sat.s8.s32 d, a;", 0x1280, 0x7f},
        {"cvt.sat.s8.s32 d, a;", 0x80000000, 0xffffff80},
        {"cvt.sat.u8.s32 d, a;", 0xffffffff, 0},
        {"cvt.sat.u16.u32 d, a;", 0x10000, 0xffff},
        {"cvt.sat.s32.u32 d, a;", 0xffffffff, 0x7fffffff},
        {"cvt.sat.u32.s64 d, A;", 0x8000000000000000, 0},
        {"cvt.s64.s16 D, ha;", 0x8000, 0xffffffffffff8000},
        {"cvt.u32.u32 d, A;", 0x1122334455, 0x22334455},
        {"cvt.s32.s64 D, A;", 0x80000000, 0xffffffff80000000},
        {"cvt.u8.u32 D, a;", 0x1ff, 0xff},
        {"cvt.f64.f32 D, a;", 0x3fc00000, 0x3ff8000000000000},
        {"cvt.ftz.f64.f32 D, a;", 1, 0},
        {"cvt.sat.f32.f32 d, a;", 0x40000000, 0x3f800000},
        {"cvt.rni.f32.f32 d, a;", 0x40200000, 0x40000000},
        {"cvt.rpi.f32.f32 d, a;", 0xbf000000, 0x80000000},
        {"cvt.rna.tf32.f32 d, a;", 0x3f801000, 0x3f802000},
        {"cvt.rna.tf32.f32 d, a;", 0x3f800fff, 0x3f800000},
        {"cvt.rn.tf32.f32 d, a;", 0x3f801000, 0x3f800000},
    };
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        const uint64_t got = sim_op_once(c[i].text, (struct sim_op_in){.a = c[i].a}).d;
        ck_assert_msg(got == c[i].d, "%s %#lx gave %#lx, not %#lx", c[i].text, c[i].a, got, c[i].d);
    }
}
END_TEST

START_TEST(packed_conversions_put_the_first_source_on_top)
{
    const struct sim_op_in in = {.a = 0x3f800000, .b = 0xc0000000};
    ck_assert_uint_eq(sim_op_once("cvt.rn.f16x2.f32 d, a, b;", in).d, 0x3c00c000);
    ck_assert_uint_eq(sim_op_once("cvt.rn.bf16x2.f32 d, a, b;", in).d, 0x3f80c000);
    ck_assert_uint_eq(sim_op_once("cvt.rn.relu.bf16x2.f32 d, a, b;", in).d, 0x3f800000);
    ck_assert_uint_eq(sim_op_once("cvt.rn.satfinite.e4m3x2.f32 hd, a, b;", in).d, 0x38c0);
    ck_assert_uint_eq(sim_op_once("cvt.rn.satfinite.e5m2x2.f32 hd, a, b;", in).d, 0x3cc0);
    ck_assert_uint_eq(sim_op_once("cvt.rn.f16x2.e4m3x2 d, ha;", (struct sim_op_in){.a = 0x38c0}).d,
                      0x3c00c000);
}
END_TEST

START_TEST(eight_bit_floats_round_to_the_nearest_and_saturate)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < N_FLOATS; i++) {
            const struct format *f = k ? &E5M2 : &E4M3;
            const char *text = k ? "cvt.rn.satfinite.e5m2x2.f32 hd, a, b;"
                                 : "cvt.rn.satfinite.e4m3x2.f32 hd, a, b;";
            const exact x = float32(FLOATS[i]);
            uint64_t due = rounded(f, x, 'n');
            if ((due & 0x7f) >= infinity_of(f)) due = (due & 0x80) | (infinity_of(f) - 1);
            if (x == 0) due = FLOATS[i] >> 24;
            const uint64_t got = sim_op_once(text, (struct sim_op_in){.b = FLOATS[i]}).d;
            ck_assert_msg(got == due || x == 0, "%s %#x gave %#lx, not %#lx", text, FLOATS[i], got,
                          due);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim_alu_convert");
    TCase *t = tcase_create("sim_alu_convert");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, floats_become_the_nearest_integer_of_the_type, 0, 32);
    tcase_add_test(t, a_nan_becomes_what_the_manual_says);
    tcase_add_loop_test(t, floats_become_halves_by_one_rounding, 0, 10);
    tcase_add_loop_test(t, every_half_survives_widening_and_narrowing, 0, 2);
    tcase_add_test(t, integers_become_floats_by_one_rounding);
    tcase_add_test(t, integers_of_other_widths_are_extended_or_clamped);
    tcase_add_test(t, packed_conversions_put_the_first_source_on_top);
    tcase_add_test(t, eight_bit_floats_round_to_the_nearest_and_saturate);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
