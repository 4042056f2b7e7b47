/* test_stats_stop.c - samples that depend on each other, and when enough have been taken. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/stats.h"

enum { N_TRIALS = 2000 };

static void fill_normal(struct ay_random *r, double *x, size_t n, double mean, double sigma)
{
    for (size_t i = 0; i < n; i++) x[i] = mean + sigma * ay_random_normal(r);
}

static struct ay_estimate median_of(const double *x, size_t n)
{
    struct ay_estimate e;
    struct ay_error err = { 0 };
    ck_assert_msg(ay_median(x, n, &e, &err) == AY_OK, "%s", err.text);
    return e;
}

/* --- dependence ------------------------------------------------------------------------------- */

START_TEST(independent_samples_are_worth_their_number)
{
    struct ay_random r = { 21 };
    double x[200], sum = 0;
    for (size_t t = 0; t < 500; t++) {
        fill_normal(&r, x, 200, 100, 1);
        sum += ay_effective_n(x, 200);
    }
    ck_assert(sum / 500 > 185 && sum / 500 <= 200);
}
END_TEST

START_TEST(a_wandering_series_is_worth_less)
{
    struct ay_random r = { 22 };
    double x[400], worth = 0, rho = 0;
    for (size_t t = 0; t < 200; t++) {
        x[0] = ay_random_normal(&r) / sqrt(1 - 0.64);
        for (size_t i = 1; i < 400; i++) x[i] = 0.8 * x[i - 1] + ay_random_normal(&r);
        rho += ay_autocorrelation(x, 400) / 200;
        for (size_t i = 0; i < 400; i++) x[i] += 10000; /* so that a drift is too small to count */
        worth += ay_effective_n(x, 400) / 200;
    }
    ck_assert_msg(fabs(rho - 0.8) < 0.03, "lag 1: %.3f", rho);
    ck_assert_msg(worth > 30 && worth < 70, "worth %.1f, 44 due", worth);
}
END_TEST

START_TEST(constant_and_short_series_have_no_autocorrelation)
{
    double x[100];
    for (size_t i = 0; i < 100; i++) x[i] = 0.1;
    for (size_t n = 0; n <= 100; n++) {
        ck_assert(ay_autocorrelation(x, n) == 0);
        ck_assert(ay_effective_n(x, n) == (double)n);
    }
}
END_TEST

START_TEST(noise_seldom_looks_like_a_trend)
{
    struct ay_random r = { 23 };
    size_t n_trends = 0;
    double x[60];
    for (size_t t = 0; t < N_TRIALS; t++) {
        fill_normal(&r, x, 60, 100, 2);
        n_trends += ay_has_trend(x, 60);
    }
    ck_assert_uint_le(n_trends, N_TRIALS / 40);
    for (size_t i = 0; i < 60; i++) x[i] = 100 + 0.1 * (double)i;
    ck_assert(ay_has_trend(x, 60));
    for (size_t i = 0; i < 60; i++) x[i] = 100 + 0.0001 * (double)i; /* a trend, and irrelevant */
    ck_assert(!ay_has_trend(x, 60));
}
END_TEST

/* --- stopping --------------------------------------------------------------------------------- */

static const struct ay_stop_rule RULE = { .precision_ratio = 0.005, .min_n = 16 };
enum { PASS = 8, MOST_PASSES = 500 };

/* Samples a source, PASS at a time, as a runner would; returns the reason and the samples taken. */
static enum ay_stop sample_until(double (*source)(struct ay_random *r, size_t i), uint64_t seed,
                                 size_t *n, double *value)
{
    static const double EXACT = 1e-9;
    struct ay_random r = { seed };
    double *x = calloc(PASS * MOST_PASSES, sizeof *x), history[MOST_PASSES];
    enum ay_stop stop = AY_STOP_NOT;
    *n = 0;
    for (size_t pass = 0; pass < MOST_PASSES && stop == AY_STOP_NOT; pass++) {
        for (size_t i = 0; i < PASS; i++, (*n)++) x[*n] = source(&r, *n);
        const struct ay_estimate e = median_of(x, *n);
        history[pass] = (e.high - e.low) / 2 / fabs(e.value);
        *value = e.value;
        stop = ay_should_stop(&RULE, history, pass + 1, ay_effective_n(x, *n),
                              history[pass] < EXACT && e.n_outliers == 0);
    }
    free(x);
    return stop;
}

static double steady(struct ay_random *r, size_t i)
{
    (void)i;
    return 100 * (1 + 0.01 * ay_random_normal(r));
}

static double exact(struct ay_random *r, size_t i)
{
    (void)r, (void)i;
    return 33;
}

static double stepped(struct ay_random *r, size_t i) /* between two readings of a coarse clock */
{
    (void)i;
    return 64 + 32 * (double)(ay_random_next(r) & 1);
}

static double decaying(struct ay_random *r, size_t i) /* 11.2 ms falls to 8.8 ms: a cold clock */
{
    return 8.79 * (1 + 0.28 * exp(-(double)i / 100)) * (1 + 0.002 * ay_random_normal(r));
}

static double decaying_slowly(struct ay_random *r, size_t i)
{
    return 8.79 * (1 + 0.28 * exp(-(double)i / 200)) * (1 + 0.005 * ay_random_normal(r));
}

START_TEST(steady_samples_stop_at_the_precision_asked_for)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        size_t n;
        double value;
        ck_assert_int_eq(sample_until(steady, seed, &n, &value), AY_STOP_PRECISION);
        ck_assert(n >= 16 && n < 200);
        ck_assert(fabs(value / 100 - 1) < 0.02);
    }
}
END_TEST

START_TEST(exact_samples_stop_at_once)
{
    size_t n;
    double value;
    ck_assert_int_eq(sample_until(exact, 1, &n, &value), AY_STOP_EXACT);
    ck_assert_uint_eq(n, PASS); /* the first pass */
}
END_TEST

START_TEST(samples_that_stop_improving_stop)
{
    size_t n;
    double value;
    ck_assert_int_eq(sample_until(stepped, 1, &n, &value), AY_STOP_PLATEAU);
}
END_TEST

/* What is still to fall when sampling stops, as a share of the value; and it does stop. */
START_TEST(a_decay_is_not_stopped_inside)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        size_t n;
        double value;
        ck_assert_int_eq(sample_until(decaying, seed, &n, &value), AY_STOP_PRECISION);
        ck_assert_msg(0.28 * exp(-(double)n / 100) < 0.01, "seed %zu: stopped at %zu",
                      (size_t)seed, n);
        ck_assert_int_eq(sample_until(decaying_slowly, seed, &n, &value), AY_STOP_PRECISION);
        ck_assert_msg(0.28 * exp(-(double)n / 200) < 0.01, "seed %zu: stopped at %zu",
                      (size_t)seed, n);
    }
}
END_TEST

START_TEST(below_min_n_only_exact_data_and_the_budget_stop)
{
    const double history[] = { 0, 0, 0 };
    ck_assert_int_eq(ay_should_stop(&RULE, history, 3, 15.9, false), AY_STOP_NOT);
    ck_assert_int_eq(ay_should_stop(&RULE, history, 3, 3.9, true), AY_STOP_NOT);
    ck_assert_int_eq(ay_should_stop(&RULE, history, 3, 4, true), AY_STOP_EXACT);
    ck_assert_int_eq(ay_should_stop(&RULE, history, 3, 16, true), AY_STOP_EXACT);
    ck_assert_int_eq(ay_should_stop(&RULE, history, 0, 16, true), AY_STOP_NOT);
    ck_assert_int_eq(ay_should_stop(&RULE, history, 1, 16, false), AY_STOP_NOT);
    ck_assert_int_eq(ay_should_stop(&RULE, history, 2, 16, false), AY_STOP_PRECISION);
}
END_TEST

START_TEST(an_interval_that_narrows_as_it_should_is_no_plateau)
{
    struct ay_random r = { 24 };
    double narrowing[400], level[400];
    for (size_t n = 1; n <= 400; n++) {
        narrowing[n - 1] = 1 / sqrt((double)n) * (1 + 0.1 * (ay_random_unit(&r) - 0.5));
        level[n - 1] = 0.4 + 1 / (double)(n * n);
        ck_assert_int_eq(ay_should_stop(&RULE, narrowing, n, 100, false), AY_STOP_NOT);
        ck_assert_int_eq(ay_should_stop(&RULE, level, n, 100, false),
                         n < 32 ? AY_STOP_NOT : AY_STOP_PLATEAU);
    }
}
END_TEST

START_TEST(every_reason_to_stop_has_its_word)
{
    ck_assert_str_eq(ay_stop_text(AY_STOP_EXACT), "exact");
    ck_assert_str_eq(ay_stop_text(AY_STOP_PRECISION), "precision");
    ck_assert_str_eq(ay_stop_text(AY_STOP_PLATEAU), "plateau");
    ck_assert_str_eq(ay_stop_text(AY_STOP_BUDGET), "budget");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dependence and stopping");
    TCase *t = tcase_create("dependence and stopping");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, independent_samples_are_worth_their_number);
    tcase_add_test(t, a_wandering_series_is_worth_less);
    tcase_add_test(t, constant_and_short_series_have_no_autocorrelation);
    tcase_add_test(t, noise_seldom_looks_like_a_trend);
    tcase_add_test(t, steady_samples_stop_at_the_precision_asked_for);
    tcase_add_test(t, exact_samples_stop_at_once);
    tcase_add_test(t, samples_that_stop_improving_stop);
    tcase_add_test(t, a_decay_is_not_stopped_inside);
    tcase_add_test(t, below_min_n_only_exact_data_and_the_budget_stop);
    tcase_add_test(t, an_interval_that_narrows_as_it_should_is_no_plateau);
    tcase_add_test(t, every_reason_to_stop_has_its_word);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
