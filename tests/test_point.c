/* test_point.c - points, and what start-up asks of a descriptor. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/probe.h"

/* --- points ----------------------------------------------------------------------------------- */

START_TEST(a_point_reads_as_people_write_it)
{
    char text[64];
    struct ay_point p = ay_with_number((struct ay_point){ 0 }, "ring_bytes", 4096);
    p = ay_with_word(p, "op", "ca");
    ck_assert_str_eq(ay_point_text(&p, text, sizeof text), "ring_bytes=4096, op=ca");
    const struct ay_point none = { 0 };
    ck_assert_str_eq(ay_point_text(&none, text, sizeof text), "");
    ck_assert_str_eq(ay_point_text(&p, text, 6), "ring_");
}
END_TEST

START_TEST(an_axis_set_twice_has_the_last_value)
{
    struct ay_point p = ay_with_word((struct ay_point){ 0 }, "op", "ca");
    p = ay_with_word(p, "op", "cg");
    ck_assert_uint_eq(p.n, 1);
    ck_assert_str_eq(ay_word(&p, "op"), "cg");
    p = ay_with_number(p, "op", 7);
    ck_assert_str_eq(ay_word(&p, "op"), "");
    ck_assert_uint_eq(ay_number(&p, "op"), 7);
}
END_TEST

START_TEST(what_a_point_has_not_is_zero_and_empty)
{
    const struct ay_point p = ay_with_number((struct ay_point){ 0 }, "sm", 3);
    ck_assert_uint_eq(ay_number(&p, "ways"), 0);
    ck_assert_str_eq(ay_word(&p, "ways"), "");
    ck_assert(!ay_is_word(&p, "sm", "3"));
}
END_TEST

START_TEST(the_order_of_coordinates_says_nothing)
{
    struct ay_point a = ay_with_number((struct ay_point){ 0 }, "sm", 3), b = { 0 };
    a = ay_with_word(a, "op", "ca");
    b = ay_with_number(ay_with_word(b, "op", "ca"), "sm", 3);
    ck_assert(ay_same_point(&a, &b));
    b = ay_with_number(b, "sm", 4);
    ck_assert(!ay_same_point(&a, &b));
    b = ay_without(b, "sm");
    ck_assert(!ay_same_point(&a, &b));
    ck_assert_uint_eq(b.n, 1);
}
END_TEST

START_TEST(a_seventh_coordinate_finds_no_room)
{
    const char *const names[] = { "a", "b", "c", "d", "e", "f", "g" };
    struct ay_point p = { 0 };
    for (size_t i = 0; i < 7; i++) p = ay_with_number(p, names[i], i);
    ck_assert_uint_eq(p.n, AY_MAX_COORDS);
    ck_assert_uint_eq(ay_number(&p, "f"), 5);
}
END_TEST

/* --- descriptors ------------------------------------------------------------------------------ */

static enum ay_status no_run(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out,
                             struct ay_error *err)
{
    (void)b, (void)at, (void)out;
    return AY_FAIL(err, AY_SKIP, "never run");
}

static const struct ay_quantity QUANTITIES[] = {
    { .name = "latency", .unit = AY_CYCLES, .text = "latency" },
    { .name = "plateau", .unit = AY_CYCLES, .text = "plateau" },
    { .name = "latency.slope", .unit = AY_CYCLES, .text = "slope" },
    { 0 },
};
static const char *const OPS[] = { "ca", "cg", 0 };
static const struct ay_axis AXES[] = {
    { .name = "op", .words = OPS },
    { .name = "ring_bytes", .first = 4096, .last = 70000, .times = 2 },
    { 0 },
};
static const struct ay_kernel KERNELS[] = { { "t/k", "k_ca" }, { 0 } };

static const struct ay_probe GOOD = {
    .name = "t.latency", .question = "How long?", .method = "m", .quantities = QUANTITIES,
    .axes = AXES, .kernels = KERNELS, .run = no_run,
};

static void refuses(const struct ay_probe *p, const char *field)
{
    struct ay_error err = { 0 };
    ck_assert_int_eq(ay_check_probe(p, &err), AY_USAGE);
    ck_assert_msg(strstr(err.text, field) != NULL, "\"%s\" does not name %s", err.text, field);
}

START_TEST(a_good_descriptor_passes)
{
    struct ay_error err = { 0 };
    ck_assert_int_eq(ay_check_probe(&GOOD, &err), AY_OK);
}
END_TEST

START_TEST(a_descriptor_at_fault_is_named_with_its_field)
{
    struct ay_probe p = GOOD;
    p.name = "Mem.latency"; refuses(&p, "name");
    p.name = "latency"; refuses(&p, "name");
    p.name = "mem..latency"; refuses(&p, "name");
    p.name = "mem.latency."; refuses(&p, "name");
    p = GOOD; p.question = "A statement."; refuses(&p, "t.latency: question");
    p = GOOD; p.method = NULL; refuses(&p, "method");
    p = GOOD; p.run = NULL; refuses(&p, "run");
    p = GOOD; p.quantities = NULL; refuses(&p, "quantities");
    p = GOOD; p.belongs = AY_ON_HOST; refuses(&p, "kernels");
}
END_TEST

START_TEST(quantities_have_a_name_a_unit_and_labels_if_a_class)
{
    struct ay_quantity q[3] = { QUANTITIES[0], { 0 } };
    struct ay_probe p = GOOD;
    p.quantities = q;
    q[0].unit = AY_NO_UNIT; refuses(&p, "unit");
    q[0].unit = AY_N_UNITS; refuses(&p, "unit");
    q[0].unit = AY_CLASS; refuses(&p, "labels");
    q[0] = QUANTITIES[0]; q[0].labels = OPS; refuses(&p, "labels");
    q[0] = QUANTITIES[0]; q[0].text = NULL; refuses(&p, "text");
    q[0] = QUANTITIES[0]; q[0].name = "two words"; refuses(&p, "name");
    q[0] = q[1] = QUANTITIES[0]; refuses(&p, "twice");
}
END_TEST

START_TEST(an_axis_must_reach_its_end)
{
    struct ay_axis a[3] = { AXES[1], { 0 } };
    struct ay_probe p = GOOD;
    p.axes = a;
    a[0].times = 1; refuses(&p, "last number");
    a[0] = AXES[1]; a[0].first = 0; refuses(&p, "last number");
    a[0] = AXES[1]; a[0].last = 1; refuses(&p, "before it begins");
    a[0] = a[1] = AXES[1]; refuses(&p, "twice");
    static const char *const doubled[] = { "ca", "ca", 0 }, *const none[] = { 0 };
    a[1] = (struct ay_axis){ .name = "op", .words = doubled }; refuses(&p, "word twice");
    a[1].words = none; refuses(&p, "no words");
}
END_TEST

START_TEST(a_sass_rule_bounds_something_in_a_kernel_of_the_probe)
{
    struct ay_sass_rule r[2] = { { .op = "LDG*", .at_least = 1, .at_most = 1, .why = "w" }, { 0 } };
    struct ay_error err = { 0 };
    struct ay_probe p = GOOD;
    p.sass = r;
    ck_assert_int_eq(ay_check_probe(&p, &err), AY_OK);
    r[0].entry = "k_cg"; refuses(&p, "has not");
    r[0].entry = "k_ca"; r[0].at_least = 2; refuses(&p, "bounds nothing");
    r[0].at_least = r[0].at_most = AY_ANY; refuses(&p, "bounds nothing");
    r[0].at_least = 1; r[0].why = ""; refuses(&p, "why");
    r[0].why = "w"; r[0].min_sm = 90; r[0].max_sm = 80; refuses(&p, "architecture");
}
END_TEST

START_TEST(a_list_that_does_not_end_is_refused)
{
    struct ay_axis many[AY_MAX_COORDS + 1];
    const char *const names[] = { "a", "b", "c", "d", "e", "f", "g" };
    for (size_t i = 0; i <= AY_MAX_COORDS; i++)
        many[i] = (struct ay_axis){ .name = names[i], .first = 1, .last = 1 };
    struct ay_probe p = GOOD;
    p.axes = many;
    refuses(&p, "no end");
}
END_TEST

/* --- rows and points of a probe --------------------------------------------------------------- */

START_TEST(a_numbered_row_belongs_to_its_quantity)
{
    ck_assert_ptr_eq(ay_quantity_of(&GOOD, "latency"), &QUANTITIES[0]);
    ck_assert_ptr_eq(ay_quantity_of(&GOOD, "plateau.2"), &QUANTITIES[1]);
    ck_assert_ptr_eq(ay_quantity_of(&GOOD, "plateau.l1.x"), &QUANTITIES[1]);
    ck_assert_ptr_eq(ay_quantity_of(&GOOD, "latency.slope"), &QUANTITIES[2]);
    ck_assert_ptr_null(ay_quantity_of(&GOOD, "late"));
    ck_assert_ptr_null(ay_quantity_of(&GOOD, "plateaus.1"));
    ck_assert_ptr_null(ay_quantity_of(&GOOD, ""));
}
END_TEST

START_TEST(points_are_the_product_of_the_axes)
{
    struct ay_point at[16] = { 0 };
    ck_assert_uint_eq(ay_points(&GOOD, 0, at, 16), 10); /* 2 words × 4096 … 65536 */
    ck_assert(ay_is_word(&at[0], "op", "ca"));
    ck_assert_uint_eq(ay_number(&at[4], "ring_bytes"), 65536);
    ck_assert(ay_is_word(&at[9], "op", "cg"));
    for (size_t i = 0; i < 10; i++)
        for (size_t j = 0; j < i; j++) ck_assert(!ay_same_point(&at[i], &at[j]));
    ck_assert_uint_eq(ay_points(&GOOD, 0, at, 3), 10);
    ck_assert_uint_eq(ay_points(&GOOD, 0, NULL, 0), 10);
}
END_TEST

START_TEST(a_probe_without_axes_has_one_point)
{
    struct ay_probe p = GOOD;
    struct ay_point at = ay_with_number((struct ay_point){ 0 }, "old", 1);
    p.axes = NULL;
    ck_assert_uint_eq(ay_points(&p, 8, &at, 1), 1);
    ck_assert_uint_eq(at.n, 0);
}
END_TEST

START_TEST(thinning_keeps_both_ends_and_every_word)
{
    struct ay_point at[16] = { 0 };
    ck_assert_uint_eq(ay_points(&GOOD, 3, at, 16), 6);
    ck_assert_uint_eq(ay_number(&at[0], "ring_bytes"), 4096);
    ck_assert_uint_eq(ay_number(&at[1], "ring_bytes"), 16384);
    ck_assert_uint_eq(ay_number(&at[2], "ring_bytes"), 65536);
    ck_assert_uint_eq(ay_points(&GOOD, 1, at, 16), 2);
    ck_assert_uint_eq(ay_number(&at[1], "ring_bytes"), 4096);
}
END_TEST

START_TEST(an_axis_up_to_the_last_64_bit_number_ends)
{
    const struct ay_axis axes[] = {
        { .name = "x", .first = 1, .last = UINT64_MAX, .times = 2 }, { 0 }
    };
    struct ay_probe p = GOOD;
    p.axes = axes;
    ck_assert_uint_eq(ay_points(&p, 0, NULL, 0), 64);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("point");
    TCase *t = tcase_create("point");
    tcase_add_test(t, a_point_reads_as_people_write_it);
    tcase_add_test(t, an_axis_set_twice_has_the_last_value);
    tcase_add_test(t, what_a_point_has_not_is_zero_and_empty);
    tcase_add_test(t, the_order_of_coordinates_says_nothing);
    tcase_add_test(t, a_seventh_coordinate_finds_no_room);
    suite_add_tcase(s, t);
    t = tcase_create("descriptor");
    tcase_add_test(t, a_good_descriptor_passes);
    tcase_add_test(t, a_descriptor_at_fault_is_named_with_its_field);
    tcase_add_test(t, quantities_have_a_name_a_unit_and_labels_if_a_class);
    tcase_add_test(t, an_axis_must_reach_its_end);
    tcase_add_test(t, a_sass_rule_bounds_something_in_a_kernel_of_the_probe);
    tcase_add_test(t, a_list_that_does_not_end_is_refused);
    tcase_add_test(t, a_numbered_row_belongs_to_its_quantity);
    tcase_add_test(t, points_are_the_product_of_the_axes);
    tcase_add_test(t, a_probe_without_axes_has_one_point);
    tcase_add_test(t, thinning_keeps_both_ends_and_every_word);
    tcase_add_test(t, an_axis_up_to_the_last_64_bit_number_ends);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
