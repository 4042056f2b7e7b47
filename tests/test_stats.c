/* test_stats.c - random numbers, ranks, medians, modes. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/stats.h"

enum { N_TRIALS = 2000 };

static double binomial_tail(size_t n, size_t upto) /* P(X ≤ upto), X of n fair coins */
{
    double sum = 0;
    for (size_t k = 0; k <= upto; k++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) -
                   (double)n * log(2));
    return sum;
}

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

/* --- random numbers --------------------------------------------------------------------------- */

START_TEST(splitmix64_gives_its_published_numbers)
{
    struct ay_random r = { 1234567 };
    ck_assert_uint_eq(ay_random_next(&r), 6457827717110365317u);
    ck_assert_uint_eq(ay_random_next(&r), 3203168211198807973u);
    ck_assert_uint_eq(ay_random_next(&r), 9817491932198370423u);
}
END_TEST

START_TEST(below_n_every_number_is_as_likely)
{
    struct ay_random r = { 7 };
    size_t seen[6] = { 0 };
    for (size_t i = 0; i < 60000; i++) {
        const uint64_t x = ay_random_below(&r, 6);
        ck_assert_uint_lt(x, 6);
        seen[x]++;
    }
    for (size_t i = 0; i < 6; i++) ck_assert(seen[i] > 9600 && seen[i] < 10400);
    ck_assert_uint_eq(ay_random_below(&r, 1), 0);
    const uint64_t large = UINT64_MAX / 2 + 2; /* where a plain remainder would favour a half */
    size_t upper = 0;
    for (size_t i = 0; i < 10000; i++) upper += ay_random_below(&r, large) >= large / 2;
    ck_assert(upper > 4800 && upper < 5200);
}
END_TEST

START_TEST(normal_numbers_have_the_moments_of_a_normal)
{
    struct ay_random r = { 3 };
    double sum = 0, squares = 0, fourth = 0;
    size_t within = 0;
    const size_t n = 200000;
    for (size_t i = 0; i < n; i++) {
        const double x = ay_random_normal(&r);
        ck_assert(isfinite(x));
        sum += x;
        squares += x * x;
        fourth += x * x * x * x;
        within += fabs(x) < 1.959964;
    }
    ck_assert(fabs(sum / (double)n) < 0.01);
    ck_assert(fabs(squares / (double)n - 1) < 0.015);
    ck_assert(fabs(fourth / (double)n - 3) < 0.12);
    ck_assert(fabs((double)within / (double)n - 0.95) < 0.003);
}
END_TEST

/* What libm's log gives with the same numbers; ours is the same on every machine. */
START_TEST(normal_numbers_are_exact)
{
    struct ay_random ours = { 4 }, theirs = { 4 };
    for (size_t i = 0; i < 10000; i++) {
        double u, q;
        do {
            const double v = 2 * (u = 2 * ay_random_unit(&theirs) - 1, ay_random_unit(&theirs)) - 1;
            q = u * u + v * v;
        } while (q >= 1 || q == 0);
        const double due = u * sqrt(-2 * log(q) / q);
        ck_assert(fabs(ay_random_normal(&ours) - due) <= 1e-14 * fabs(due));
    }
}
END_TEST

/* --- ranks ------------------------------------------------------------------------------------ */

START_TEST(quantiles_are_linear_between_ranks)
{
    const double x[] = { 1, 2, 4, 8 };
    ck_assert(ay_quantile_sorted(x, 4, 0) == 1 && ay_quantile_sorted(x, 4, 1) == 8);
    ck_assert(ay_quantile_sorted(x, 4, 0.5) == 3);
    ck_assert(ay_quantile_sorted(x, 1, 0.9) == 1);
    ck_assert(ay_quantile_sorted(x, 4, -1) == 1 && ay_quantile_sorted(x, 4, 2) == 8);
}
END_TEST

static const struct {
    size_t n, low;
    double coverage; /* known: 97.9 % at 10 and 16, 95.9 % at 20, 96.7 % at 64 */
} RANKS[] = { { 6, 1, 0.969 }, { 10, 2, 0.979 }, { 16, 4, 0.979 }, { 20, 6, 0.959 },
              { 64, 24, 0.967 } };

START_TEST(rank_intervals_are_the_textbook_ones)
{
    size_t low, high;
    const double coverage = ay_rank_interval(RANKS[_i].n, &low, &high);
    ck_assert_uint_eq(low, RANKS[_i].low);
    ck_assert_uint_eq(high, RANKS[_i].n + 1 - low);
    ck_assert(fabs(coverage - RANKS[_i].coverage) < 5e-4);
}
END_TEST

START_TEST(rank_intervals_are_the_narrowest_that_cover)
{
    for (size_t n = 6; n < 900; n++) {
        size_t low, high;
        const double coverage = ay_rank_interval(n, &low, &high);
        ck_assert_uint_eq(low + high, n + 1);
        ck_assert(fabs(coverage - (1 - 2 * binomial_tail(n, low - 1))) < 1e-9);
        ck_assert(coverage >= 0.95);
        if (low < n / 2) ck_assert(1 - 2 * binomial_tail(n, low) < 0.95);
    }
}
END_TEST

START_TEST(rank_intervals_of_a_million_do_not_underflow)
{
    size_t low, high;
    const double coverage = ay_rank_interval(1000000, &low, &high);
    ck_assert(fabs((double)low - (500000 - 0.98 * 1000)) < 2);
    ck_assert(coverage >= 0.95 && coverage < 0.951);
}
END_TEST

START_TEST(too_few_samples_say_how_little_they_cover)
{
    size_t low = 9, high = 9;
    ck_assert(ay_rank_interval(0, &low, &high) == 0);
    ck_assert(low == 0 && high == 0);
    ck_assert(ay_rank_interval(1, &low, &high) == 0);
    ck_assert(low == 1 && high == 1);
    for (size_t n = 2; n < 6; n++) {
        ck_assert(fabs(ay_rank_interval(n, &low, &high) - (1 - pow(0.5, (double)n - 1))) < 1e-12);
        ck_assert(low == 1 && high == n);
    }
}
END_TEST

/* --- median ----------------------------------------------------------------------------------- */

static const size_t COVERED[] = { 6, 10, 16, 20, 64, 101 };

START_TEST(an_interval_holds_the_median_as_often_as_its_ranks_say)
{
    const size_t n = COVERED[_i];
    struct ay_random r = { 100 + n };
    size_t low, high, n_held = 0;
    double x[128];
    const double due = ay_rank_interval(n, &low, &high);
    for (size_t t = 0; t < N_TRIALS; t++) {
        for (size_t i = 0; i < n; i++) /* skewed: a median of log 2, a mean of 1 */
            x[i] = -log(1 - ay_random_unit(&r));
        const struct ay_estimate e = median_of(x, n);
        n_held += e.low <= log(2) && log(2) <= e.high;
    }
    const double held = (double)n_held / N_TRIALS;
    const double sigma = sqrt(due * (1 - due) / N_TRIALS);
    ck_assert_msg(fabs(held - due) < 3.5 * sigma, "n = %zu: %.4f held, %.4f due", n, held, due);
}
END_TEST

static void is_sane(const struct ay_estimate *e)
{
    ck_assert(isfinite(e->value) && isfinite(e->low) && isfinite(e->high));
    ck_assert(e->low <= e->value && e->value <= e->high);
    ck_assert_uint_le(e->n_outliers, e->n);
}

START_TEST(few_or_equal_samples_give_finite_answers)
{
    struct ay_estimate e;
    struct ay_error err = { 0 };
    ck_assert_int_eq(ay_median(NULL, 0, &e, &err), AY_VOID);
    ck_assert(e.value == 0 && e.n == 0);
    double x[20];
    for (size_t i = 0; i < 20; i++) x[i] = 33;
    for (size_t n = 1; n <= 20; n++) {
        e = median_of(x, n);
        is_sane(&e);
        ck_assert(e.low == 33 && e.value == 33 && e.high == 33 && e.n == n);
        ck_assert(e.n_outliers == 0 && e.n_modes == 0);
    }
    const double two[] = { 3, 5 };
    e = median_of(two, 2);
    ck_assert(e.low == 3 && e.value == 4 && e.high == 5);
    const double zeros[4] = { 0 };
    e = median_of(zeros, 4);
    ck_assert(e.value == 0 && e.n_outliers == 0);
}
END_TEST

START_TEST(a_sample_that_is_no_number_voids_the_median)
{
    struct ay_estimate e;
    struct ay_error err = { 0 };
    const double x[] = { 1, NAN, 3 }, y[] = { 1, 2, INFINITY };
    ck_assert_int_eq(ay_median(x, 3, &e, &err), AY_VOID);
    ck_assert_int_eq(ay_median(y, 3, &e, &err), AY_VOID);
}
END_TEST

START_TEST(one_far_sample_is_counted_and_not_dropped)
{
    double x[21];
    struct ay_random r = { 5 };
    fill_normal(&r, x, 20, 100, 1);
    x[20] = 1000;
    struct ay_estimate e = median_of(x, 21);
    ck_assert_uint_eq(e.n_outliers, 1);
    ck_assert_uint_eq(e.n, 21);
    for (size_t i = 0; i < 20; i++) x[i] = 100; /* no spread: a MAD of zero */
    for (size_t n = 4; n <= 20; n++) {
        x[n - 1] = 1000;
        e = median_of(x, n);
        ck_assert_uint_eq(e.n_outliers, 1);
        is_sane(&e);
        x[n - 1] = 100;
    }
}
END_TEST

START_TEST(the_other_step_of_a_clock_is_no_outlier)
{
    double x[50];
    for (size_t i = 0; i < 50; i++) x[i] = i % 5 < 3 ? 4000 : 4032; /* MAD 0 */
    ck_assert_uint_eq(median_of(x, 50).n_outliers, 0);
}
END_TEST

START_TEST(normal_noise_has_next_to_no_outliers)
{
    struct ay_random r = { 6 };
    size_t n_outliers = 0;
    double x[50];
    for (size_t t = 0; t < N_TRIALS; t++) {
        fill_normal(&r, x, 50, 100, 1);
        n_outliers += median_of(x, 50).n_outliers;
    }
    ck_assert_uint_lt(n_outliers, 20); /* of 100,000 */
}
END_TEST

/* --- modes ------------------------------------------------------------------------------------ */

static struct ay_estimate modes_of(const double *x, size_t n)
{
    struct ay_estimate e = { 0 };
    struct ay_error err = { 0 };
    ck_assert_msg(ay_find_modes(x, n, &e, &err) == AY_OK, "%s", err.text);
    double sum = 0;
    for (size_t i = 0; i < e.n_modes; i++) sum += e.modes[i].weight;
    ck_assert(fabs(sum - 1) < 1e-12);
    return e;
}

enum shape { NORMAL, UNIFORM, SKEWED, HEAVY, TRIANGLE, STEPS, N_SHAPES };

static double draw(struct ay_random *r, enum shape shape)
{
    const double u = ay_random_unit(r);
    switch (shape) {
    case NORMAL: return 100 + 5 * ay_random_normal(r);
    case UNIFORM: return 100 + 50 * u;
    case SKEWED: return 100 - 20 * log(1 - u);
    case HEAVY: return 100 + 3 * tan(1.5 * (u - 0.5) * 2); /* long tails on both sides */
    case TRIANGLE: return 100 + 30 * (u + ay_random_unit(r));
    default: return 32 * floor(50 + 2 * ay_random_normal(r)); /* steps of a clock */
    }
}

START_TEST(one_noisy_mode_is_one_mode)
{
    const size_t sizes[] = { 15, 16, 40, 64, 200, 1000 };
    struct ay_random r = { 11 };
    double x[1000];
    for (size_t k = 0; k < 6; k++) {
        size_t n_split = 0;
        const size_t n_trials = 60000 / sizes[k] < N_TRIALS ? 60000 / sizes[k] : N_TRIALS;
        for (size_t t = 0; t < n_trials; t++) {
            for (size_t i = 0; i < sizes[k]; i++) x[i] = draw(&r, (enum shape)_i);
            n_split += modes_of(x, sizes[k]).n_modes != 1;
        }
        ck_assert_msg(n_split <= n_trials / 50, "shape %d: %zu of %zu trials of %zu split", _i,
                      n_split, n_trials, sizes[k]);
    }
}
END_TEST

static const struct {
    size_t n, n_far;
    double near, far, sigma;
} PAIRS[] = {
    { 64, 32, 262, 414, 3 },   { 64, 8, 262, 414, 3 },   { 200, 20, 262, 414, 8 },
    { 1000, 500, 200, 212, 1 }, { 40, 10, 273, 273 * 1.02, 0 }, { 16, 5, 200, 400, 2 },
};

START_TEST(near_and_far_are_two_modes_with_their_weights)
{
    struct ay_random r = { 12 };
    double x[1000];
    for (size_t t = 0; t < 100; t++) {
        for (size_t i = 0; i < PAIRS[_i].n; i++)
            x[i] = (i < PAIRS[_i].n_far ? PAIRS[_i].far : PAIRS[_i].near) +
                   PAIRS[_i].sigma * ay_random_normal(&r);
        const struct ay_estimate e = modes_of(x, PAIRS[_i].n);
        ck_assert_msg(e.n_modes == 2, "trial %zu: %zu modes", t, e.n_modes);
        ck_assert(fabs(e.modes[0].value - PAIRS[_i].near) <= 1.5 * PAIRS[_i].sigma);
        ck_assert(fabs(e.modes[1].value - PAIRS[_i].far) <= 1.5 * PAIRS[_i].sigma);
        ck_assert(fabs(e.modes[1].weight -
                       (double)PAIRS[_i].n_far / (double)PAIRS[_i].n) < 1e-12);
    }
}
END_TEST

START_TEST(three_and_four_modes_are_found_and_outliers_are_none)
{
    double x[80];
    const double values[] = { 100, 200, 400, 900 };
    for (size_t i = 0; i < 60; i++) x[i] = values[i % 3];
    struct ay_estimate e = modes_of(x, 60);
    ck_assert_uint_eq(e.n_modes, 3);
    ck_assert(e.modes[0].value == 100 && e.modes[1].value == 200 && e.modes[2].value == 400);
    x[60] = 5000; /* alone: an outlier */
    ck_assert_uint_eq(modes_of(x, 61).n_modes, 3);
    for (size_t i = 0; i < 80; i++) x[i] = values[i % 4];
    ck_assert_uint_eq(modes_of(x, 80).n_modes, 4);
    for (size_t i = 0; i < 80; i++) x[i] = 4000 + 20 * (double)(i % 2); /* half a percent apart */
    ck_assert_uint_eq(modes_of(x, 80).n_modes, 1);
}
END_TEST

START_TEST(modes_reach_the_median_and_its_value_stays)
{
    double x[40];
    for (size_t i = 0; i < 40; i++) x[i] = i % 4 ? 262 : 414;
    const struct ay_estimate e = median_of(x, 40);
    ck_assert_uint_eq(e.n_modes, 2);
    ck_assert(e.modes[0].weight == 0.75 && e.modes[1].weight == 0.25);
    ck_assert(e.value == 262);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("stats");
    TCase *t = tcase_create("random");
    tcase_add_test(t, splitmix64_gives_its_published_numbers);
    tcase_add_test(t, below_n_every_number_is_as_likely);
    tcase_add_test(t, normal_numbers_have_the_moments_of_a_normal);
    tcase_add_test(t, normal_numbers_are_exact);
    suite_add_tcase(s, t);
    t = tcase_create("ranks and medians");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, quantiles_are_linear_between_ranks);
    tcase_add_loop_test(t, rank_intervals_are_the_textbook_ones, 0,
                        sizeof RANKS / sizeof RANKS[0]);
    tcase_add_test(t, rank_intervals_are_the_narrowest_that_cover);
    tcase_add_test(t, rank_intervals_of_a_million_do_not_underflow);
    tcase_add_test(t, too_few_samples_say_how_little_they_cover);
    tcase_add_loop_test(t, an_interval_holds_the_median_as_often_as_its_ranks_say, 0,
                        sizeof COVERED / sizeof COVERED[0]);
    tcase_add_test(t, few_or_equal_samples_give_finite_answers);
    tcase_add_test(t, a_sample_that_is_no_number_voids_the_median);
    tcase_add_test(t, one_far_sample_is_counted_and_not_dropped);
    tcase_add_test(t, the_other_step_of_a_clock_is_no_outlier);
    tcase_add_test(t, normal_noise_has_next_to_no_outliers);
    suite_add_tcase(s, t);
    t = tcase_create("modes");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, one_noisy_mode_is_one_mode, 0, N_SHAPES);
    tcase_add_loop_test(t, near_and_far_are_two_modes_with_their_weights, 0,
                        sizeof PAIRS / sizeof PAIRS[0]);
    tcase_add_test(t, three_and_four_modes_are_found_and_outliers_are_none);
    tcase_add_test(t, modes_reach_the_median_and_its_value_stays);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
