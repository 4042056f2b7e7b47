/* From rows of a latency curve to rows of levels. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/host/levels.h"

static void add_value(struct ay_rows *rows, const char *pages, uint64_t bytes, double ns)
{
    struct ay_row *r = ay_add_row(rows);
    ck_assert_ptr_nonnull(r);
    strcpy(r->quantity, "value");
    strcpy(r->stop, "budget");
    r->unit = AY_NS;
    r->point = ay_with_number(ay_with_word((struct ay_point){ 0 }, "pages", pages), "node", 0);
    r->point = ay_with_number(r->point, "ring_bytes", bytes);
    r->estimate = (struct ay_estimate){ .value = ns, .low = ns * 0.98, .high = ns * 1.03, .n = 8 };
}

/* ns[k] from from_bytes[k] on, with a rise of one size before, and 3 % of ripple. */
static void add_curve(struct ay_rows *rows, const char *pages, const double *ns,
                      const double *from_bytes, size_t n_levels, double last_bytes)
{
    size_t level = 0;
    int i = 0;
    for (double bytes = 4096; bytes <= last_bytes; bytes *= sqrt(sqrt(2)), i++) {
        double value = ns[level];
        if (level + 1 < n_levels && bytes >= from_bytes[level + 1])
            value = sqrt(ns[level] * ns[level + 1]), level++;
        add_value(rows, pages, (uint64_t)bytes, value * (1 + 0.03 * ((i * 7) % 5 - 2) / 2));
    }
}

static const struct ay_row *row_of(const struct ay_rows *rows, const char *quantity,
                                   const char *pages)
{
    for (size_t i = 0; i < rows->n; i++)
        if (strcmp(rows->rows[i].quantity, quantity) == 0 &&
            ay_is_word(&rows->rows[i].point, "pages", pages))
            return &rows->rows[i];
    return NULL;
}

static struct ay_rows conclude(const struct ay_rows *all)
{
    struct ay_rows more = { 0 };
    struct ay_error err;
    ck_assert_int_eq(ay_conclude_levels(all, &more, &err), AY_OK);
    return more;
}

static void assert_level(const struct ay_rows *more, const char *quantity, double ns)
{
    const struct ay_row *r = row_of(more, quantity, "small");
    ck_assert_ptr_nonnull(r);
    ck_assert_int_eq(r->status, AY_ROW_OK);
    ck_assert_double_eq_tol(r->estimate.value, ns, 0.05 * ns);
    ck_assert(r->estimate.low <= r->estimate.value && r->estimate.value <= r->estimate.high);
    ck_assert_uint_ge(r->estimate.n, 3 * 8);
    ck_assert_str_eq(r->stop, "budget");
}

static void assert_missing(const struct ay_rows *more, const char *quantity)
{
    const struct ay_row *r = row_of(more, quantity, "small");
    ck_assert_ptr_nonnull(r);
    ck_assert_int_eq(r->status, AY_ROW_SKIP);
    ck_assert_int_eq(strncmp(r->reason, "not identified: ", 16), 0);
}

static const double MIB = 1 << 20;

START_TEST(four_flat_regions_are_four_levels)
{
    const double ns[] = { 1.5, 4.2, 26, 110 }, from[] = { 0, 48e3, 1.25 * MIB, 40 * MIB };
    struct ay_rows all = { 0 };
    add_curve(&all, "small", ns, from, 4, 400 * MIB);
    struct ay_rows more = conclude(&all);
    ck_assert_uint_eq(more.n, 4);
    assert_level(&more, "plateau.l1", 1.5);
    assert_level(&more, "plateau.l2", 4.2);
    assert_level(&more, "plateau.l3", 26);
    assert_level(&more, "plateau.dram", 110);
    ck_assert_uint_eq(ay_number(&more.rows[0].point, "ring_bytes"), 0);
    ck_assert_uint_eq(more.rows[0].point.n, 2); /* pages and node */
    ay_rows_close(&more);
    ay_rows_close(&all);
}
END_TEST

START_TEST(a_level_that_does_not_show_is_not_identified)
{
    const double ns[] = { 1.3, 5, 120 }, from[] = { 0, 64e3, 4 * MIB };
    struct ay_rows all = { 0 };
    add_curve(&all, "small", ns, from, 3, 400 * MIB);
    struct ay_rows more = conclude(&all);
    assert_level(&more, "plateau.l1", 1.3);
    assert_level(&more, "plateau.l2", 5);
    assert_missing(&more, "plateau.l3");
    assert_level(&more, "plateau.dram", 120);
    ck_assert_uint_gt(more.rows[1].n_warnings, 0); /* named by order alone */
    ay_rows_close(&more);
    ay_rows_close(&all);
}
END_TEST

START_TEST(memory_that_was_not_reached_is_not_identified)
{
    /* The largest rings are far up the rise beyond L3: what is flat before is no memory. */
    const double ns[] = { 1.5, 4.2, 26 }, from[] = { 0, 48e3, 1.25 * MIB };
    struct ay_rows all = { 0 };
    add_curve(&all, "small", ns, from, 3, 32 * MIB);
    add_value(&all, "small", 40 << 20, 55);
    add_value(&all, "small", 48 << 20, 90);
    struct ay_rows more = conclude(&all);
    assert_level(&more, "plateau.l1", 1.5);
    assert_level(&more, "plateau.l2", 4.2);
    assert_missing(&more, "plateau.dram");
    ay_rows_close(&more);
    ay_rows_close(&all);
}
END_TEST

START_TEST(page_walks_at_the_far_end_are_no_level)
{
    const double ns[] = { 1.5, 4.2, 26, 110 }, from[] = { 0, 48e3, 1.25 * MIB, 4 * MIB };
    struct ay_rows all = { 0 };
    add_curve(&all, "small", ns, from, 4, 64 * MIB);
    double walked = 125;
    for (uint64_t bytes = 96; bytes <= 512; bytes += bytes / 3, walked *= 1.18)
        add_value(&all, "small", bytes << 20, walked);
    struct ay_rows more = conclude(&all);
    assert_level(&more, "plateau.l3", 26);
    const struct ay_row *dram = row_of(&more, "plateau.dram", "small");
    ck_assert_int_eq(dram->status, AY_ROW_OK);
    ck_assert_double_eq_tol(dram->estimate.value, 115, 12);
    ck_assert_uint_gt(dram->n_warnings, 0);
    ay_rows_close(&more);
    ay_rows_close(&all);
}
END_TEST

START_TEST(each_kind_of_pages_has_its_levels)
{
    const double ns[] = { 1.5, 4.2, 26, 110 }, from[] = { 0, 48e3, 1.25 * MIB, 40 * MIB };
    const double slow[] = { 1.5, 4.2, 31, 180 };
    struct ay_rows all = { 0 };
    add_curve(&all, "small", slow, from, 4, 400 * MIB);
    add_curve(&all, "huge", ns, from, 4, 400 * MIB);
    struct ay_rows more = conclude(&all);
    ck_assert_uint_eq(more.n, 8);
    assert_level(&more, "plateau.dram", 180);
    ck_assert_double_eq_tol(row_of(&more, "plateau.dram", "huge")->estimate.value, 110, 5);
    ay_rows_close(&more);
    ay_rows_close(&all);
}
END_TEST

START_TEST(rows_in_any_order_and_skips_among_them_change_nothing)
{
    const double ns[] = { 1.5, 4.2, 26, 110 }, from[] = { 0, 48e3, 1.25 * MIB, 40 * MIB };
    struct ay_rows all = { 0 };
    add_curve(&all, "small", ns, from, 4, 400 * MIB);
    struct ay_row *skipped = ay_add_row(&all);
    strcpy(skipped->quantity, "value");
    skipped->status = AY_ROW_SKIP;
    skipped->point = ay_with_word((struct ay_point){ 0 }, "pages", "huge");
    for (size_t i = 0; i + 1 < all.n; i++) {
        const size_t j = (i * 31 + 7) % all.n;
        const struct ay_row other = all.rows[i];
        all.rows[i] = all.rows[j];
        all.rows[j] = other;
    }
    struct ay_rows more = conclude(&all);
    ck_assert_uint_eq(more.n, 4);
    assert_level(&more, "plateau.l1", 1.5);
    assert_level(&more, "plateau.dram", 110);
    ay_rows_close(&more);
    ay_rows_close(&all);
}
END_TEST

START_TEST(too_few_sizes_say_what_to_do)
{
    struct ay_rows all = { 0 };
    for (uint64_t bytes = 4096; bytes < 512 << 20; bytes *= 8)
        add_value(&all, "small", bytes, 1 + (double)bytes / 1e6);
    struct ay_rows more = conclude(&all);
    assert_missing(&more, "plateau.l1");
    ck_assert_ptr_nonnull(strstr(more.rows[0].reason, "--quick"));
    ay_rows_close(&more);
    ay_rows_close(&all);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("levels");
    tcase_add_test(t, four_flat_regions_are_four_levels);
    tcase_add_test(t, a_level_that_does_not_show_is_not_identified);
    tcase_add_test(t, memory_that_was_not_reached_is_not_identified);
    tcase_add_test(t, page_walks_at_the_far_end_are_no_level);
    tcase_add_test(t, each_kind_of_pages_has_its_levels);
    tcase_add_test(t, rows_in_any_order_and_skips_among_them_change_nothing);
    tcase_add_test(t, too_few_sizes_say_what_to_do);
    Suite *s = suite_create("host levels");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
