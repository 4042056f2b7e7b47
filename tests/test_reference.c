/* test_reference.c - verdicts: what may pass, and what never does. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/reference.h"

static struct ay_row row_of(double value, enum ay_unit unit)
{
    struct ay_row r = { .status = AY_ROW_OK, .unit = unit };
    snprintf(r.probe, sizeof r.probe, "mem.l1.latency");
    snprintf(r.quantity, sizeof r.quantity, "latency");
    r.estimate = (struct ay_estimate){ .value = value, .low = value, .high = value, .n = 9 };
    return r;
}

static enum ay_verdict_kind judge(double value, struct ay_reference ref)
{
    const struct ay_row row = row_of(value, AY_GB_PER_S);
    ref.unit = AY_GB_PER_S;
    return ay_judge(&row, &ref);
}

START_TEST(a_metric_leaves_out_the_quantity_that_the_name_ends_in)
{
    char text[160];
    struct ay_row row = row_of(33, AY_CYCLES);
    ck_assert_str_eq(ay_metric_of(&row, text, sizeof text), "mem.l1.latency");
    row.point = ay_with_word(ay_with_number(row.point, "ring_bytes", 4096), "op", "ca");
    ck_assert_str_eq(ay_metric_of(&row, text, sizeof text),
                     "mem.l1.latency{ring_bytes=4096,op=ca}");
    snprintf(row.quantity, sizeof row.quantity, "near");
    ck_assert_str_eq(ay_metric_of(&row, text, sizeof text),
                     "mem.l1.latency{ring_bytes=4096,op=ca}/near");
    row.quantity[0] = 0; /* a skip of the whole probe */
    row.point.n = 0;
    ck_assert_str_eq(ay_metric_of(&row, text, sizeof text), "mem.l1.latency");
    char small[8];
    ck_assert_str_eq(ay_metric_of(&row, small, sizeof small), "mem.l1.");
}
END_TEST

START_TEST(a_planted_value_passes_up_to_its_tolerance)
{
    struct ay_row row = row_of(33, AY_CYCLES);
    struct ay_reference ref;
    ck_assert(!ay_planted_reference(&row, &ref));
    row.has_planted = true;
    row.planted = (struct ay_truth){ 33, 0 };
    ck_assert(ay_planted_reference(&row, &ref));
    ck_assert_str_eq(ref.metric, "mem.l1.latency");
    ck_assert_int_eq(ay_judge(&row, &ref), AY_PASS);
    row.estimate.value = 33.0001;
    ck_assert_int_eq(ay_judge(&row, &ref), AY_FAIL_VERDICT);
    row.planted.tolerance = 0.5;
    ck_assert(ay_planted_reference(&row, &ref));
    const double values[] = { 32.49, 32.5, 33.5, 33.51 };
    const enum ay_verdict_kind due[] = { AY_FAIL_VERDICT, AY_PASS, AY_PASS, AY_FAIL_VERDICT };
    for (size_t i = 0; i < 4; i++) {
        row.estimate.value = values[i];
        ck_assert_int_eq(ay_judge(&row, &ref), due[i]);
    }
}
END_TEST

START_TEST(above_a_physical_limit_the_measurement_is_wrong)
{
    const struct ay_reference limit = { .low = 0, .high = 4814, .is_physical = true };
    ck_assert_int_eq(judge(4600, limit), AY_PASS);
    ck_assert_int_eq(judge(4814 * 1.0049, limit), AY_PASS);
    ck_assert_int_eq(judge(4814 * 1.0051, limit), AY_ABOVE);
    ck_assert_int_eq(judge(9000, limit), AY_ABOVE);
}
END_TEST

START_TEST(above_a_data_sheet_a_rate_passes_and_a_latency_does_not)
{
    struct ay_reference claim = { .low = 95, .high = 100, .kind = AY_CLAIM };
    ck_assert_int_eq(judge(104, claim), AY_PASS);
    ck_assert_int_eq(judge(94, claim), AY_FAIL_VERDICT);
    claim.kind = AY_PUBLISHED;
    ck_assert_int_eq(judge(104, claim), AY_FAIL_VERDICT);
    const struct ay_row slow = row_of(104, AY_NS);
    claim.kind = AY_CLAIM;
    claim.unit = AY_NS;
    ck_assert_int_eq(ay_judge(&slow, &claim), AY_FAIL_VERDICT);
}
END_TEST

START_TEST(another_unit_is_not_comparable_but_the_second_value_is)
{
    struct ay_row row = row_of(33, AY_CYCLES);
    struct ay_reference ref = { .low = 20, .high = 24, .unit = AY_NS };
    ck_assert_int_eq(ay_judge(&row, &ref), AY_NOT_COMPARABLE);
    row.beside_unit = AY_NS;
    row.beside = 22;
    ck_assert_int_eq(ay_judge(&row, &ref), AY_PASS);
    row.beside = 33;
    ck_assert_int_eq(ay_judge(&row, &ref), AY_FAIL_VERDICT);
    ref.unit = AY_NO_UNIT;
    row.beside_unit = AY_NO_UNIT;
    ck_assert_int_eq(ay_judge(&row, &ref), AY_NOT_COMPARABLE);
}
END_TEST

/* Every status against every kind of reference, in and out of its band, with and without a reason:
 * what has an error can never pass, and nothing passes that was not compared. */
START_TEST(nothing_but_an_ok_row_inside_its_band_can_pass)
{
    size_t n_seen = 0, n_pass = 0;
    for (unsigned bits = 0; bits < 1u << 9; bits++) {
        struct ay_row row = row_of(bits & 1 ? 33 : 66, bits & 2 ? AY_CYCLES : AY_NS);
        row.status = (enum ay_row_status)(bits >> 2 & 3);
        if (bits & 16) snprintf(row.reason, sizeof row.reason, "timeout");
        if (bits & 32) row.estimate.value = NAN;
        const struct ay_reference ref = {
            .low = 33, .high = 33, .tolerance = 1, .unit = AY_CYCLES,
            .kind = (enum ay_reference_kind)((bits >> 6 & 3) % 3), .is_physical = bits >> 8 & 1,
        };
        const enum ay_verdict_kind v = ay_judge(&row, &ref);
        const enum ay_verdict_kind alone = ay_judge(&row, NULL);
        ck_assert_int_ne(alone, AY_PASS);
        ck_assert_int_ne(alone, AY_ABOVE);
        n_seen++;
        if (row.status == AY_ROW_SKIP) ck_assert_int_eq(v, AY_NOT_COMPARABLE);
        if (row.status == AY_ROW_VOID || row.status == AY_ROW_ERROR) {
            ck_assert_int_eq(v, AY_FAIL_VERDICT);
            ck_assert_int_eq(alone, AY_FAIL_VERDICT);
        }
        if (v != AY_PASS) continue;
        n_pass++;
        ck_assert_int_eq(row.status, AY_ROW_OK);
        ck_assert_str_eq(row.reason, "");
        ck_assert(isfinite(row.estimate.value));
        ck_assert_int_eq((int)row.unit, AY_CYCLES);
    }
    ck_assert_uint_eq(n_seen, 512);
    ck_assert_uint_gt(n_pass, 0);
}
END_TEST

START_TEST(each_verdict_has_its_word)
{
    ck_assert_str_eq(ay_verdict_text(AY_PASS), "pass");
    ck_assert_str_eq(ay_verdict_text(AY_FAIL_VERDICT), "fail");
    ck_assert_str_eq(ay_verdict_text(AY_ABOVE), "above");
    ck_assert_str_eq(ay_verdict_text(AY_NOT_COMPARABLE), "not comparable");
    ck_assert_str_eq(ay_verdict_text(AY_NO_REFERENCE), "no reference");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("reference");
    TCase *t = tcase_create("reference");
    tcase_add_test(t, a_metric_leaves_out_the_quantity_that_the_name_ends_in);
    tcase_add_test(t, a_planted_value_passes_up_to_its_tolerance);
    tcase_add_test(t, above_a_physical_limit_the_measurement_is_wrong);
    tcase_add_test(t, above_a_data_sheet_a_rate_passes_and_a_latency_does_not);
    tcase_add_test(t, another_unit_is_not_comparable_but_the_second_value_is);
    tcase_add_test(t, nothing_but_an_ok_row_inside_its_band_can_pass);
    tcase_add_test(t, each_verdict_has_its_word);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
