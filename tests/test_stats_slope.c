/* test_stats_slope.c - slopes and their intervals, steps in a series. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/stats.h"

enum { N_TRIALS = 2000 };

static struct ay_estimate slope_of(const double *x, const double *y, size_t n)
{
    struct ay_estimate e;
    struct ay_error err = { 0 };
    ck_assert_msg(ay_theil_sen(x, y, n, &e, &err) == AY_OK, "%s", err.text);
    ck_assert(isfinite(e.value) && e.low <= e.value && e.value <= e.high);
    return e;
}

/* --- slopes ----------------------------------------------------------------------------------- */

START_TEST(a_slope_ignores_a_constant_cost)
{
    const double x[] = { 64, 128, 256, 512 };
    double y[4];
    for (size_t i = 0; i < 4; i++) y[i] = 77 + 33 * x[i];
    const struct ay_estimate e = slope_of(x, y, 4);
    ck_assert(e.value == 33 && e.low == 33 && e.high == 33 && e.n == 4);
}
END_TEST

START_TEST(an_exact_slope_that_no_double_holds_has_no_width)
{
    double x[40], y[40];
    for (size_t i = 0; i < 40; i++) {
        x[i] = 64 * (double)(1 + i % 5);
        y[i] = 1e6 / 7 + x[i] * (100.0 / 3);
    }
    const struct ay_estimate e = slope_of(x, y, 40);
    ck_assert(fabs(e.value - 100.0 / 3) < 1e-9);
    ck_assert(e.low == e.value && e.high == e.value);
}
END_TEST

START_TEST(one_length_has_no_slope)
{
    const double x[] = { 64, 64, 64 }, y[] = { 1, 2, 3 }, bad[] = { 1, NAN, 3 };
    struct ay_estimate e;
    struct ay_error err = { 0 };
    ck_assert_int_eq(ay_theil_sen(x, y, 3, &e, &err), AY_VOID);
    ck_assert_int_eq(ay_theil_sen(x, y, 1, &e, &err), AY_VOID);
    ck_assert_int_eq(ay_theil_sen(x, y, 0, &e, &err), AY_VOID);
    ck_assert_int_eq(ay_theil_sen(y, bad, 3, &e, &err), AY_VOID);
    ck_assert(e.value == 0 && e.low == 0 && e.high == 0);
}
END_TEST

START_TEST(two_lengths_have_a_slope_and_all_equal_costs_none)
{
    const double x[] = { 64, 128, 192 }, y[] = { 100, 164, 228 }, flat[] = { 5, 5, 5 };
    ck_assert(slope_of(x, y, 2).value == 1);
    const struct ay_estimate e = slope_of(x, flat, 3);
    ck_assert(e.value == 0 && e.low == 0 && e.high == 0);
}
END_TEST

START_TEST(a_quarter_of_wild_samples_does_not_move_a_slope)
{
    struct ay_random r = { 31 };
    double x[40], y[40];
    for (size_t i = 0; i < 40; i++) {
        x[i] = 64 * (double)(1 + i % 8);
        y[i] = 50 + 33 * x[i] + ay_random_normal(&r) + (i % 4 == 0 ? 1e5 * ay_random_unit(&r) : 0);
    }
    ck_assert(fabs(slope_of(x, y, 40).value / 33 - 1) < 0.01);
}
END_TEST

/* --- intervals of slopes ---------------------------------------------------------------------- */

static const struct {
    size_t n, n_lengths;
    enum { NORMAL, SKEWED, HEAVY } noise;
    double t975; /* Student's t, n - 2 degrees of freedom */
} LINES[] = {
    { 12, 12, NORMAL, 2.228139 }, { 20, 20, NORMAL, 2.100922 }, { 20, 4, NORMAL, 2.100922 },
    { 64, 4, NORMAL, 1.998972 },  { 40, 2, NORMAL, 2.024394 },
    { 100, 100, NORMAL, 1.984467 }, { 40, 5, SKEWED, 2.024394 },
    { 40, 40, HEAVY, 2.024394 },
};

/* The exact interval for normal noise is Student's on least squares. */
static double student_width(const double *x, const double *y, size_t n, double t)
{
    double mx = 0, my = 0, sxx = 0, sxy = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        mx += x[i] / (double)n;
        my += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        sxx += (x[i] - mx) * (x[i] - mx);
        sxy += (x[i] - mx) * (y[i] - my);
    }
    for (size_t i = 0; i < n; i++) {
        const double e = y[i] - my - sxy / sxx * (x[i] - mx);
        rest += e * e;
    }
    return 2 * t * sqrt(rest / (double)(n - 2) / sxx);
}

START_TEST(intervals_hold_the_slope_of_a_noisy_line_and_are_not_wide)
{
    const size_t n = LINES[_i].n;
    struct ay_random r = { 40 + (uint64_t)_i };
    double x[100], y[100], width = 0, exact = 0;
    size_t n_held = 0;
    for (size_t t = 0; t < N_TRIALS; t++) {
        for (size_t i = 0; i < n; i++) {
            x[i] = 64 * (double)(1 + i % LINES[_i].n_lengths);
            const double u = ay_random_unit(&r);
            y[i] = 200 + 33 * x[i] +
                   10 * (LINES[_i].noise == NORMAL ? ay_random_normal(&r)
                         : LINES[_i].noise == SKEWED ? -log(1 - u) : tan(3.1 * (u - 0.5)));
        }
        const struct ay_estimate e = slope_of(x, y, n);
        n_held += e.low <= 33 && 33 <= e.high;
        width += e.high - e.low;
        exact += student_width(x, y, n, LINES[_i].t975);
    }
    ck_assert_msg(n_held >= N_TRIALS * 94 / 100, "%zu of %d intervals hold the slope", n_held,
                  N_TRIALS);
    if (LINES[_i].n_lengths == 2) /* where ties count most: 97.4 % if they were forgotten */
        ck_assert_msg(n_held <= N_TRIALS * 965 / 1000, "%zu of %d", n_held, N_TRIALS);
    if (LINES[_i].noise == NORMAL)
        ck_assert_msg(width < 1.3 * exact, "%.2f times as wide as Student's", width / exact);
}
END_TEST

START_TEST(five_thousand_points_are_sampled_and_agree)
{
    enum { N = 5000 };
    struct ay_random r = { 51 };
    double *x = calloc(2 * N, sizeof *x), *y = x + N;
    for (size_t i = 0; i < N; i++) {
        x[i] = 64 * (double)(1 + i % 50);
        y[i] = 200 + 33 * x[i] + 1000 * ay_random_normal(&r);
    }
    const struct ay_estimate all = slope_of(x, y, N), again = slope_of(x, y, N);
    ck_assert(all.low <= 33 && 33 <= all.high);
    ck_assert(all.value == again.value && all.low == again.low && all.high == again.high);
    const double width = student_width(x, y, N, 1.960439);
    ck_assert(all.high - all.low > 0.9 * width && all.high - all.low < 1.3 * width);
    free(x);
}
END_TEST

START_TEST(a_rare_second_length_is_found_among_many_points)
{
    enum { N = 3000 };
    double *x = calloc(2 * N, sizeof *x), *y = x + N;
    for (size_t i = 0; i < N; i++) {
        x[i] = i == N / 2 ? 128 : 64;
        y[i] = 5 + 2 * x[i];
    }
    ck_assert(slope_of(x, y, N).value == 2);
    free(x);
}
END_TEST

/* --- steps ------------------------------------------------------------------------------------ */

static struct ay_change change_of(const double *y, size_t n, double least, uint64_t seed)
{
    struct ay_change c;
    struct ay_error err = { 0 };
    ck_assert_msg(ay_change_point(y, n, least, seed, &c, &err) == AY_OK, "%s", err.text);
    ck_assert(isfinite(c.p_value) && isfinite(c.effect_ratio) && isfinite(c.below) &&
              isfinite(c.above));
    return c;
}

START_TEST(an_exact_step_is_found_where_it_is)
{
    double y[40];
    for (size_t at = 6; at <= 34; at++) {
        for (size_t i = 0; i < 40; i++) y[i] = i < at ? 33 : 262;
        const struct ay_change c = change_of(y, 40, 0.05, 1);
        ck_assert_msg(c.is_change && c.at == at, "step at %zu, found at %zu, p = %g", at, c.at,
                      c.p_value);
        ck_assert(c.below == 33 && c.above == 262);
        ck_assert(fabs(c.effect_ratio - (262.0 / 33 - 1)) < 1e-12);
    }
}
END_TEST

START_TEST(noise_is_seldom_taken_for_a_step)
{
    struct ay_random r = { 61 };
    double y[40];
    size_t n_found = 0;
    for (uint64_t t = 0; t < N_TRIALS; t++) {
        for (size_t i = 0; i < 40; i++) y[i] = 100 + 20 * ay_random_normal(&r);
        n_found += change_of(y, 40, 0, t).is_change;
    }
    ck_assert_msg(n_found <= N_TRIALS / 50, "%zu of %d", n_found, N_TRIALS);
    ck_assert_msg(n_found > 0, "a test at 1 %% that never errs in %d trials cannot see", N_TRIALS);
}
END_TEST

START_TEST(steps_in_noise_are_found_near_where_they_are)
{
    struct ay_random r = { 62 };
    double y[40];
    size_t n_found = 0, n_near = 0;
    for (uint64_t t = 0; t < 500; t++) {
        const size_t at = 10 + (size_t)ay_random_below(&r, 21);
        for (size_t i = 0; i < 40; i++)
            y[i] = (i < at ? 200 : 230) + 12 * ay_random_normal(&r); /* 2.5 sigma */
        const struct ay_change c = change_of(y, 40, 0.05, t);
        n_found += c.is_change;
        n_near += c.is_change && c.at + 2 >= at && c.at <= at + 2;
    }
    ck_assert_msg(n_found >= 490, "%zu of 500 found", n_found);
    ck_assert_msg(n_near >= 475, "%zu of 500 within two points", n_near);
}
END_TEST

START_TEST(a_sure_but_small_step_is_no_change)
{
    double y[40];
    for (size_t i = 0; i < 40; i++) y[i] = i < 20 ? 200 : 202;
    const struct ay_change c = change_of(y, 40, 0.05, 1);
    ck_assert(!c.is_change && c.p_value < 0.01 && c.at == 20);
    ck_assert(change_of(y, 40, 0.005, 1).is_change);
}
END_TEST

START_TEST(outliers_are_no_step)
{
    struct ay_random r = { 63 };
    double y[60];
    size_t n_found = 0;
    for (uint64_t t = 0; t < 500; t++) {
        for (size_t i = 0; i < 60; i++) y[i] = 100 + ay_random_normal(&r);
        for (size_t k = 0; k < 3; k++) y[ay_random_below(&r, 60)] = 10000;
        n_found += change_of(y, 60, 0, t).is_change;
    }
    ck_assert_uint_le(n_found, 15);
}
END_TEST

START_TEST(one_seed_gives_one_answer)
{
    struct ay_random r = { 64 };
    double y[30];
    for (size_t i = 0; i < 30; i++) y[i] = 100 + ay_random_normal(&r) + (i > 20);
    const struct ay_change a = change_of(y, 30, 0, 9), b = change_of(y, 30, 0, 9);
    ck_assert(a.p_value == b.p_value && a.at == b.at);
}
END_TEST

START_TEST(short_and_constant_series_have_no_step)
{
    struct ay_change c;
    struct ay_error err = { 0 };
    const double y[] = { 1, 5, 9, 200, 300 }, zeros[30] = { 0 };
    ck_assert_int_eq(ay_change_point(y, 0, 0, 1, &c, &err), AY_VOID);
    for (size_t n = 1; n <= 5; n++) {
        c = change_of(y, n, 0, 1);
        ck_assert_msg(!c.is_change, "a step among %zu points", n);
    }
    c = change_of(zeros, 30, 0, 1);
    ck_assert(!c.is_change && c.p_value == 1 && c.at == 30);
    double up[30] = { 0 };
    for (size_t i = 15; i < 30; i++) up[i] = 4; /* from zero: no ratio, and no infinity */
    c = change_of(up, 30, 0.05, 1);
    ck_assert(c.is_change && c.at == 15);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("slopes and steps");
    TCase *t = tcase_create("slopes");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, a_slope_ignores_a_constant_cost);
    tcase_add_test(t, an_exact_slope_that_no_double_holds_has_no_width);
    tcase_add_test(t, one_length_has_no_slope);
    tcase_add_test(t, two_lengths_have_a_slope_and_all_equal_costs_none);
    tcase_add_test(t, a_quarter_of_wild_samples_does_not_move_a_slope);
    tcase_add_loop_test(t, intervals_hold_the_slope_of_a_noisy_line_and_are_not_wide, 0,
                        sizeof LINES / sizeof LINES[0]);
    tcase_add_test(t, five_thousand_points_are_sampled_and_agree);
    tcase_add_test(t, a_rare_second_length_is_found_among_many_points);
    suite_add_tcase(s, t);
    t = tcase_create("steps");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, an_exact_step_is_found_where_it_is);
    tcase_add_test(t, noise_is_seldom_taken_for_a_step);
    tcase_add_test(t, steps_in_noise_are_found_near_where_they_are);
    tcase_add_test(t, a_sure_but_small_step_is_no_change);
    tcase_add_test(t, outliers_are_no_step);
    tcase_add_test(t, one_seed_gives_one_answer);
    tcase_add_test(t, short_and_constant_series_have_no_step);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
