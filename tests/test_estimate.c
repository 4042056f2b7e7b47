/* test_estimate.c - samples gathered by row, and the estimators that a row names. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/estimate.h"
#include "core/stats.h"

static struct ay_samples samples_of(const double (*pairs)[2], size_t n)
{
    struct ay_samples s = { 0 };
    const struct ay_point at = { 0 };
    for (size_t i = 0; i < n; i++) ay_sample(&s, "latency", &at, pairs[i][0], pairs[i][1]);
    ck_assert(!s.is_out_of_memory);
    return s;
}

static enum ay_status estimate(const double (*pairs)[2], size_t n, enum ay_estimator how,
                               struct ay_estimate *out)
{
    struct ay_samples s = samples_of(pairs, n);
    struct ay_series none = { .quantity = "latency" };
    struct ay_error err = { 0 };
    const enum ay_status status = ay_estimate(n ? &s.series[0] : &none, how, out, &err);
    if (status != AY_OK) ck_assert_msg(strlen(err.text) > 10, "no reason given");
    ck_assert(isfinite(out->value) && isfinite(out->low) && isfinite(out->high));
    ay_samples_close(&s);
    return status;
}

/* --- samples ---------------------------------------------------------------------------------- */

START_TEST(a_row_is_its_quantity_and_its_point)
{
    struct ay_samples s = { 0 };
    const struct ay_point none = { 0 };
    const struct ay_point sm = ay_with_number(none, "sm", 3);
    for (size_t i = 0; i < 100; i++) {
        ay_sample(&s, "latency", &none, 1, (double)i);
        ay_sample(&s, "near", &none, 2, (double)i);
        ay_sample(&s, "near", &sm, 3, (double)i);
        ay_sample(&s, "latency.slope", &none, 4, (double)i);
    }
    ck_assert_uint_eq(s.n, 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(s.series[i].n, 100);
        for (size_t k = 0; k < 100; k++) {
            ck_assert(s.series[i].work[k] == (double)(i + 1));
            ck_assert(s.series[i].cost[k] == (double)k);
        }
    }
    ck_assert_str_eq(s.series[1].quantity, "near");
    ck_assert(ay_same_point(&s.series[2].point, &sm));
    ay_samples_close(&s);
    ck_assert(s.n == 0 && s.series == NULL);
    ay_samples_close(&s);
    ay_samples_close(NULL);
}
END_TEST

START_TEST(a_warning_said_each_pass_is_kept_once)
{
    struct ay_samples s = { 0 };
    for (int i = 0; i < 20; i++) ay_warn(&s, "driver claims %d MiB of L2", 50);
    ck_assert_uint_eq(s.n_warnings, 1);
    ck_assert_str_eq(s.warnings[0], "driver claims 50 MiB of L2");
    for (int i = 0; i < 20; i++) ay_warn(&s, "warning %d %0200d", i, i); /* long ones are cut */
    ck_assert_uint_eq(s.n_warnings, 4);
    ay_samples_close(&s);
}
END_TEST

/* --- estimators ------------------------------------------------------------------------------- */

START_TEST(a_slope_ignores_what_every_sample_costs)
{
    const double pairs[][2] = { { 128, 4265 }, { 256, 8489 }, { 512, 16937 }, { 1024, 33833 } };
    struct ay_estimate e;
    ck_assert_int_eq(estimate(pairs, 4, AY_SLOPE, &e), AY_OK);
    ck_assert(e.value == 33 && e.low == 33 && e.high == 33);
    ck_assert(e.n == 4 && e.n_outliers == 0 && e.n_modes == 0);
}
END_TEST

START_TEST(a_sample_off_the_line_is_counted)
{
    double pairs[21][2];
    for (size_t i = 0; i < 21; i++) {
        pairs[i][0] = 64 * (double)(1 + i % 5);
        pairs[i][1] = 33 * pairs[i][0] + 41;
    }
    pairs[7][1] += 5000; /* an interrupt */
    struct ay_estimate e;
    ck_assert_int_eq(estimate(pairs, 21, AY_SLOPE, &e), AY_OK);
    ck_assert(e.value == 33);
    ck_assert_uint_eq(e.n_outliers, 1);
    ck_assert_uint_eq(e.n, 21);
}
END_TEST

START_TEST(a_median_is_of_cost_over_work)
{
    const double pairs[][2] = { { 1, 10 }, { 2, 22 }, { 4, 48 } };
    struct ay_estimate e;
    ck_assert_int_eq(estimate(pairs, 3, AY_MEDIAN, &e), AY_OK);
    ck_assert(e.value == 11 && e.low == 10 && e.high == 12);
}
END_TEST

START_TEST(samples_that_cannot_carry_an_estimator_void_it)
{
    const double one_length[][2] = { { 64, 1 }, { 64, 2 }, { 64, 3 } };
    const double no_work[][2] = { { 1, 1 }, { 0, 2 } };
    const double not_finite[][2] = { { 1, NAN }, { 2, 2 }, { 3, INFINITY } };
    struct ay_estimate e;
    ck_assert_int_eq(estimate(one_length, 3, AY_SLOPE, &e), AY_VOID);
    ck_assert_int_eq(estimate(one_length, 1, AY_SLOPE, &e), AY_VOID);
    ck_assert_int_eq(estimate(no_work, 2, AY_MEDIAN, &e), AY_VOID);
    ck_assert_int_eq(estimate(not_finite, 3, AY_MEDIAN, &e), AY_VOID);
    ck_assert_int_eq(estimate(not_finite, 3, AY_SLOPE, &e), AY_VOID);
    ck_assert_int_eq(estimate(not_finite, 3, AY_GCD, &e), AY_VOID);
    for (int how = AY_SLOPE; how <= AY_GCD; how++)
        ck_assert_int_eq(estimate(NULL, 0, (enum ay_estimator)how, &e), AY_VOID);
    ck_assert_int_eq(estimate(one_length, 3, AY_DERIVED, &e), AY_USAGE);
}
END_TEST

START_TEST(two_samples_have_a_median_and_two_lengths_a_slope)
{
    const double pairs[][2] = { { 64, 100 }, { 128, 164 } };
    struct ay_estimate e;
    ck_assert_int_eq(estimate(pairs, 2, AY_SLOPE, &e), AY_OK);
    ck_assert(e.value == 1 && e.n == 2);
    ck_assert_int_eq(estimate(pairs, 1, AY_MEDIAN, &e), AY_OK);
    ck_assert(e.value == 100.0 / 64 && e.low == e.value && e.high == e.value);
}
END_TEST

/* --- the step of a clock ---------------------------------------------------------------------- */

START_TEST(the_step_of_a_clock_divides_all_that_it_shows)
{
    const double pairs[][2] = { { 1, 96 }, { 1, 0 }, { 1, 64 }, { 1, 160 }, { 1, 96 } };
    struct ay_estimate e;
    ck_assert_int_eq(estimate(pairs, 5, AY_GCD, &e), AY_OK);
    ck_assert(e.value == 32 && e.low == 32 && e.high == 32 && e.n == 5);
    const double large[][2] = { { 1, 1024.0 * 1e12 }, { 1, 1024.0 * (1e12 + 1) } };
    ck_assert_int_eq(estimate(large, 2, AY_GCD, &e), AY_OK);
    ck_assert(e.value == 1024);
    const double nearly[][2] = { { 1, 500.0000001 }, { 1, -999.9999999 }, { 1, 1500 } };
    ck_assert_int_eq(estimate(nearly, 3, AY_GCD, &e), AY_OK);
    ck_assert(e.value == 500);
}
END_TEST

START_TEST(zeros_and_fractions_have_no_common_step)
{
    const double zeros[][2] = { { 1, 0 }, { 1, 0 } }, half[][2] = { { 1, 32.5 }, { 1, 64 } };
    const double vast[][2] = { { 1, 1e300 } };
    struct ay_estimate e;
    ck_assert_int_eq(estimate(zeros, 2, AY_GCD, &e), AY_VOID);
    ck_assert_int_eq(estimate(half, 2, AY_GCD, &e), AY_VOID);
    ck_assert_int_eq(estimate(vast, 1, AY_GCD, &e), AY_VOID);
}
END_TEST

static double worth(const double (*pairs)[2], size_t n, enum ay_estimator how, double value)
{
    struct ay_samples s = samples_of(pairs, n);
    const double w = ay_series_worth(&s.series[0], how, value);
    ay_samples_close(&s);
    return w;
}

START_TEST(samples_are_worth_what_they_still_tell)
{
    double pairs[100][2];
    struct ay_random r = { 8 };
    for (size_t i = 0; i < 100; i++) {
        pairs[i][0] = 64 * (double)(1 + i % 5); /* the constant cost falls out, by order of work */
        pairs[i][1] = 500 + 33 * pairs[i][0];
    }
    ck_assert(isinf(worth(pairs, 100, AY_SLOPE, 33)));
    ck_assert(isinf(worth(pairs, 4, AY_SLOPE, 33)));
    ck_assert(worth(pairs, 3, AY_SLOPE, 33) == 3);
    for (size_t i = 0; i < 100; i++) pairs[i][1] += 20 * ay_random_normal(&r);
    ck_assert(worth(pairs, 100, AY_SLOPE, 33) > 80);
    ck_assert(worth(pairs, 100, AY_SLOPE, 33) <= 100);
    for (size_t i = 0; i < 100; i++) pairs[i][1] += 5 * (double)i; /* a clock that slows down */
    ck_assert(worth(pairs, 100, AY_SLOPE, 33) == 1);
    for (size_t i = 0; i < 100; i++) {
        pairs[i][0] = 1;
        pairs[i][1] = 100 + ay_random_normal(&r);
    }
    ck_assert(worth(pairs, 100, AY_MEDIAN, 100) > 80);
    for (size_t i = 0; i < 100; i++) pairs[i][1] += 0.2 * (double)i;
    ck_assert(worth(pairs, 100, AY_MEDIAN, 100) == 1);
    ck_assert(worth(pairs, 7, AY_GCD, 1) == 7);
}
END_TEST

static double noise(const double (*pairs)[2], size_t n, enum ay_estimator how, double value)
{
    struct ay_samples s = samples_of(pairs, n);
    const double share = ay_series_noise(&s.series[0], how, value);
    ay_samples_close(&s);
    return share;
}

START_TEST(noise_is_the_share_that_one_sample_is_off)
{
    double pairs[400][2];
    struct ay_random r = { 9 };
    for (size_t i = 0; i < 400; i++) {
        pairs[i][0] = 64 * (double)(1 + i % 4);
        pairs[i][1] = 33 * pairs[i][0];
    }
    ck_assert(noise(pairs, 400, AY_SLOPE, 33) == 0);
    for (size_t i = 0; i < 400; i++) pairs[i][1] *= 1 + 0.01 * ay_random_normal(&r);
    ck_assert_double_eq_tol(noise(pairs, 400, AY_SLOPE, 33), 0.01, 0.0015);
    ck_assert_double_eq_tol(noise(pairs, 400, AY_MEDIAN, 33), 0.01, 0.0015);
    for (size_t i = 0; i < 400; i += 50) pairs[i][1] *= 1.5; /* outliers are no noise */
    ck_assert_double_eq_tol(noise(pairs, 400, AY_SLOPE, 33), 0.01, 0.0015);
    ck_assert(noise(pairs, 400, AY_MIDRANGE, 33) == 0);
}
END_TEST

START_TEST(every_estimator_has_its_word)
{
    ck_assert_str_eq(ay_estimator_text(AY_SLOPE), "slope");
    ck_assert_str_eq(ay_estimator_text(AY_MEDIAN), "median");
    ck_assert_str_eq(ay_estimator_text(AY_GCD), "gcd");
    ck_assert_str_eq(ay_estimator_text(AY_DERIVED), "derived");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("estimate");
    TCase *t = tcase_create("estimate");
    tcase_add_test(t, a_row_is_its_quantity_and_its_point);
    tcase_add_test(t, a_warning_said_each_pass_is_kept_once);
    tcase_add_test(t, a_slope_ignores_what_every_sample_costs);
    tcase_add_test(t, a_sample_off_the_line_is_counted);
    tcase_add_test(t, a_median_is_of_cost_over_work);
    tcase_add_test(t, samples_that_cannot_carry_an_estimator_void_it);
    tcase_add_test(t, two_samples_have_a_median_and_two_lengths_a_slope);
    tcase_add_test(t, the_step_of_a_clock_divides_all_that_it_shows);
    tcase_add_test(t, zeros_and_fractions_have_no_common_step);
    tcase_add_test(t, samples_are_worth_what_they_still_tell);
    tcase_add_test(t, noise_is_the_share_that_one_sample_is_off);
    tcase_add_test(t, every_estimator_has_its_word);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
