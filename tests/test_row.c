/* test_row.c - a row as a JSON record, and back: nothing is lost, nothing is made up. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comma_locale.h"
#include "core/row.h"
#include "core/utf8.h"

static const char HASH[] = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/* The example of the contract; its samples are made up. */
static struct ay_row example(void)
{
    struct ay_row r = { .status = AY_ROW_OK, .unit = AY_CYCLES, .beside_unit = AY_NS,
                        .beside = 22 };
    snprintf(r.probe, sizeof r.probe, "mem.l1.latency");
    snprintf(r.quantity, sizeof r.quantity, "latency");
    r.point = ay_with_word(ay_with_number(r.point, "ring_bytes", 16384), "op", "ca");
    r.estimate = (struct ay_estimate){ .value = 33, .low = 33, .high = 33, .n = 64 };
    snprintf(r.stop, sizeof r.stop, "exact");
    snprintf(r.estimator, sizeof r.estimator, "slope");
    r.clock_mhz = 1500;
    r.n_samples = 2;
    r.samples = malloc(4 * sizeof *r.samples);
    memcpy(r.samples, (double[]){ 128, 4265, 256, 8489 }, 4 * sizeof *r.samples);
    snprintf(r.entry, sizeof r.entry, "mem_chase_ca");
    snprintf(r.image_sha256, sizeof r.image_sha256, "%s", HASH);
    snprintf(r.sass, sizeof r.sass, "pass");
    r.has_planted = true;
    r.planted = (struct ay_truth){ 33, 0 };
    return r;
}

static char *line_of(const struct ay_row *row)
{
    json_t *json = ay_row_to_json(row);
    ck_assert_ptr_nonnull(json);
    char *line = ay_json_line(json);
    ck_assert_ptr_nonnull(line);
    json_decref(json);
    return line;
}

static struct ay_row row_of(const char *line)
{
    struct ay_row row;
    struct ay_error err = { 0 };
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_msg(json != NULL, "not JSON: %s", line);
    ck_assert_msg(ay_row_from_json(json, &row, &err) == AY_OK, "%s: %s", err.text, line);
    json_decref(json);
    return row;
}

START_TEST(an_ok_row_is_written_as_the_contract_shows)
{
    struct ay_row row = example();
    char *line = line_of(&row), due[1024];
    snprintf(due, sizeof due,
             "{\"record\":\"result\",\"probe\":\"mem.l1.latency\",\"quantity\":\"latency\","
             "\"point\":{\"ring_bytes\":16384,\"op\":\"ca\"},\"status\":\"ok\",\"unit\":\"cycles\","
             "\"value\":33,\"low\":33,\"high\":33,\"n\":64,\"stop\":\"exact\",\"outliers\":0,"
             "\"modes\":[],\"clock_mhz\":1500,\"ns\":22,\"samples\":[[128,4265],[256,8489]],"
             "\"estimator\":\"slope\",\"kernel\":{\"entry\":\"mem_chase_ca\","
             "\"image_sha256\":\"%s\",\"sass\":\"pass\"},\"planted\":{\"value\":33,"
             "\"tolerance\":0},\"warnings\":[]}", HASH);
    ck_assert_str_eq(line, due);
    free(line);
    free(row.samples);
}
END_TEST

START_TEST(a_skip_has_a_reason_and_no_number)
{
    struct ay_row row = { .status = AY_ROW_SKIP, .unit = AY_FLOP_PER_CLK };
    snprintf(row.probe, sizeof row.probe, "tensor.tcgen05.rate");
    snprintf(row.reason, sizeof row.reason, "needs sm_100a; sim:plain is sm_90a");
    row.estimate.value = 4711; /* whatever was left in there */
    char *line = line_of(&row);
    ck_assert_str_eq(line, "{\"record\":\"result\",\"probe\":\"tensor.tcgen05.rate\",\"point\":{},"
                           "\"status\":\"skip\",\"reason\":\"needs sm_100a; sim:plain is sm_90a\","
                           "\"value\":null}");
    struct ay_row back = row_of(line);
    ck_assert_int_eq(back.status, AY_ROW_SKIP);
    ck_assert_str_eq(back.reason, row.reason);
    free(line);
}
END_TEST

START_TEST(everything_survives_writing_and_reading)
{
    struct ay_row row = example();
    row.unit = AY_CLASS;
    row.beside_unit = AY_GB_PER_S;
    row.beside = 0.1 + 0.2;
    row.estimate.n_modes = 2;
    row.estimate.modes[0] = (struct ay_mode){ 1.0 / 3, 0.25 };
    row.estimate.modes[1] = (struct ay_mode){ 1e300, 0.75 };
    row.estimate.n_outliers = 3;
    snprintf(row.label, sizeof row.label, "near");
    ay_row_warn(&row, "the claim is %s", "wrong");
    char *line = line_of(&row);
    struct ay_row back = row_of(line);
    char *again = line_of(&back);
    ck_assert_str_eq(line, again);
    ck_assert_double_eq(back.beside, 0.1 + 0.2);
    ck_assert_int_eq((int)back.beside_unit, AY_GB_PER_S);
    ck_assert_double_eq(back.estimate.modes[1].value, 1e300);
    ck_assert_str_eq(back.label, "near");
    ck_assert_str_eq(back.warnings[0], "the claim is wrong");
    ck_assert_uint_eq(back.n_samples, 2);
    ck_assert_double_eq(back.samples[3], 8489);
    free(line);
    free(again);
    free(row.samples);
    free(back.samples);
}
END_TEST

static const struct {
    double value;
    const char *text;
} NUMBERS[] = {
    { 33, "33" }, { 0, "0" }, { -7, "-7" }, { 1.3e-9, "1.3e-09" }, { 1e12, "1000000000000" },
    { 9007199254740992.0, "9007199254740992" }, { 0.1, "0.1" }, { 1.0 / 3, "0.3333333333333333" },
    { 2.0 / 3, "0.6666666666666666" }, { 4.35, "4.35" }, { 1e300, "1e+300" },
    { 1234567.891, "1234567.891" }, { -0.0, "0" }, { 5e-324, NULL },
    { 1.7976931348623157e308, NULL },
};

START_TEST(a_number_has_no_more_digits_than_it_needs_and_reads_back)
{
    json_t *json = ay_json_number(NUMBERS[_i].value);
    char *text = ay_json_line(json);
    if (NUMBERS[_i].text) ck_assert_str_eq(text, NUMBERS[_i].text);
    json_t *back = json_loads(text, JSON_DECODE_ANY, NULL);
    ck_assert_double_eq(json_number_value(back), NUMBERS[_i].value);
    json_decref(json);
    json_decref(back);
    free(text);
}
END_TEST

START_TEST(what_is_no_number_is_null)
{
    const double x[] = { NAN, INFINITY, -INFINITY };
    for (size_t i = 0; i < 3; i++) {
        json_t *json = ay_json_number(x[i]);
        ck_assert(json_is_null(json));
        json_decref(json);
    }
}
END_TEST

START_TEST(an_ok_row_without_a_finite_number_is_written_void)
{
    for (int i = 0; i < 3; i++) {
        struct ay_row row = example();
        double *const at[] = { &row.estimate.value, &row.estimate.low, &row.estimate.high };
        *at[i] = i == 1 ? -INFINITY : NAN;
        char *line = line_of(&row);
        struct ay_row back = row_of(line);
        ck_assert_int_eq(back.status, AY_ROW_VOID);
        ck_assert_ptr_nonnull(strstr(line, "\"value\":null"));
        ck_assert_ptr_nonnull(strstr(back.reason, "not a finite number"));
        free(line);
        free(row.samples);
        free(back.samples);
    }
}
END_TEST

static const uint64_t COORDINATES[] = { 0, 1, 9007199254740993, INT64_MAX, UINT64_C(1) << 63,
                                        UINT64_MAX };

START_TEST(a_coordinate_of_64_bits_is_exact)
{
    struct ay_point p = { 0 }, back;
    struct ay_error err = { 0 };
    p = ay_with_number(p, "bytes", COORDINATES[_i]);
    json_t *json = ay_point_to_json(&p);
    char *text = ay_json_line(json);
    json_t *read = json_loads(text, 0, NULL);
    ck_assert_int_eq(ay_point_from_json(read, &back, &err), AY_OK);
    ck_assert_uint_eq(ay_number(&back, "bytes"), COORDINATES[_i]);
    ck_assert(ay_same_point(&p, &back));
    json_decref(json);
    json_decref(read);
    free(text);
}
END_TEST

START_TEST(text_from_outside_leaves_as_clean_utf8)
{
    struct ay_row row = { .status = AY_ROW_ERROR };
    snprintf(row.probe, sizeof row.probe, "a.b");
    snprintf(row.reason, sizeof row.reason, "%s",
             "driver: \x01\"caf\xe9\"\n\\ \xc3\xa9 \xed\xa0\x80 \x1b[1m");
    char *line = line_of(&row);
    static const char due[] = "driver:  \\\"caf\xef\xbf\xbd\\\" \\\\ \xc3\xa9 \xef\xbf\xbd";
    ck_assert_msg(strstr(line, due) != NULL, "%s", line);
    for (const char *c = line; *c; c++)
        ck_assert_msg((unsigned char)*c >= 0x20, "control byte %d", *c);
    row_of(line);
    free(line);
}
END_TEST

START_TEST(cleaning_cuts_between_characters)
{
    char into[6];
    ck_assert_str_eq(ay_clean_text("ab\xe2\x80\xa6" "cd", into, 5), "ab");
    ck_assert_str_eq(ay_clean_text("ab\xe2\x80\xa6" "cd", into, 6), "ab\xe2\x80\xa6");
    ck_assert_str_eq(ay_clean_text("\xff", into, 4), "\xef\xbf\xbd");
    ck_assert_str_eq(ay_clean_text("\xff", into, 3), "");
    ck_assert_str_eq(ay_clean_text("\xc2\x85" "x\x7f", into, 6), " x ");
}
END_TEST

START_TEST(members_of_a_later_version_are_ignored)
{
    struct ay_row row = row_of("{\"record\":\"result\",\"probe\":\"a.b\",\"quantity\":\"b\","
                               "\"point\":{},\"status\":\"ok\",\"unit\":\"cycles\",\"value\":1,"
                               "\"low\":1,\"high\":1,\"n\":1,\"stop\":\"exact\",\"colour\":[{}],"
                               "\"testcases\":null}");
    ck_assert_double_eq(row.estimate.value, 1);
    ck_assert_int_eq((int)row.beside_unit, AY_NO_UNIT);
}
END_TEST

#define HEAD "{\"probe\":\"a.b\",\"quantity\":\"b\","
#define OK HEAD "\"status\":\"ok\",\"unit\":\"cycles\","
static const struct {
    const char *line, *member;
} FAULTS[] = {
    { "{}", "probe:" },
    { "[]", "record:" },
    { "{\"probe\":3}", "probe:" },
    { "{\"probe\":\"0123456789012345678901234567890123456789012345678901234567890123\"}",
      "probe:" },
    { HEAD "\"status\":\"fine\"}", "status:" },
    { HEAD "\"point\":[]}", "point:" },
    { HEAD "\"point\":{\"x\":-1}}", "point:" },
    { HEAD "\"point\":{\"x\":1.5}}", "point:" },
    { HEAD "\"point\":{\"x\":\"\"}}", "point:" },
    { HEAD "\"point\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1}}", "point:" },
    { HEAD "\"status\":\"ok\",\"unit\":\"furlongs\",\"value\":1}", "unit:" },
    { HEAD "\"status\":\"ok\",\"value\":1}", "unit:" },
    { OK "\"low\":1,\"high\":1,\"n\":1}", "value:" },
    { OK "\"value\":\"1\",\"low\":1,\"high\":1,\"n\":1}", "value:" },
    { OK "\"value\":null,\"low\":1,\"high\":1,\"n\":1}", "value:" },
    { OK "\"value\":1,\"low\":2,\"high\":1,\"n\":1}", "low:" },
    { OK "\"value\":1,\"low\":1,\"high\":1,\"n\":0}", "n:" },
    { OK "\"value\":1,\"low\":1,\"high\":1,\"n\":1.5}", "n:" },
    { OK "\"value\":1,\"low\":1,\"high\":1,\"n\":1,\"samples\":[[1]]}", "samples:" },
    { OK "\"value\":1,\"low\":1,\"high\":1,\"n\":1,\"samples\":[[1,2],[1,2,3]]}", "samples:" },
    { OK "\"value\":1,\"low\":1,\"high\":1,\"n\":1,\"modes\":[{}]}", "value:" },
    { OK "\"value\":1,\"low\":1,\"high\":1,\"n\":1,\"warnings\":[1]}", "warnings:" },
    { OK "\"value\":1,\"low\":1,\"high\":1,\"n\":1,\"planted\":{\"value\":1}}", "tolerance:" },
    { OK "\"value\":1,\"low\":1,\"high\":1,\"n\":1,\"planted\":{\"value\":1,\"tolerance\":-1}}",
      "tolerance:" },
    { "{\"probe\":\"a.b\",\"status\":\"ok\",\"unit\":\"cycles\",\"value\":1,\"low\":1,\"high\":1,"
      "\"n\":1}", "quantity:" },
    { HEAD "\"status\":\"skip\",\"value\":0}", "value:" },
    { HEAD "\"status\":\"error\",\"value\":7}", "value:" },
};

START_TEST(a_fault_names_its_member)
{
    struct ay_row row;
    struct ay_error err = { 0 };
    json_t *json = json_loads(FAULTS[_i].line, 0, NULL);
    ck_assert_msg(json != NULL, "not JSON: %s", FAULTS[_i].line);
    ck_assert_int_eq(ay_row_from_json(json, &row, &err), AY_IO);
    ck_assert_msg(strncmp(err.text, FAULTS[_i].member, strlen(FAULTS[_i].member)) == 0,
                  "%s gave \"%s\"", FAULTS[_i].line, err.text);
    ck_assert_ptr_null(row.samples);
    json_decref(json);
}
END_TEST

START_TEST(a_decimal_comma_in_the_locale_changes_no_byte)
{
    struct ay_row row = example();
    row.beside = 22.5;
    row.samples[1] = 4265.25;
    char *before = line_of(&row);
    const bool is_open = comma_locale_open();
    ck_assert_msg(is_open, "no locale with a decimal comma to test with");
    char *after = line_of(&row);
    struct ay_row back = row_of(after);
    comma_locale_close();
    ck_assert_str_eq(before, after);
    ck_assert_double_eq(back.beside, 22.5);
    free(before);
    free(after);
    free(row.samples);
    free(back.samples);
}
END_TEST

START_TEST(rows_keep_their_place_while_more_are_added)
{
    struct ay_rows rows = { 0 };
    for (int i = 0; i < 1000; i++) {
        struct ay_row *row = ay_add_row(&rows);
        ck_assert_ptr_nonnull(row);
        ck_assert_ptr_null(row->samples);
        row->estimate.n = (size_t)i;
        row->samples = malloc(8);
    }
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(rows.rows[i].estimate.n, (size_t)i);
    ay_rows_close(&rows);
    ay_rows_close(&rows);
    ay_rows_close(NULL);
    ck_assert_uint_eq(rows.n, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("row");
    TCase *t = tcase_create("row");
    tcase_set_timeout(t, 60); /* localedef takes its time */
    tcase_add_test(t, an_ok_row_is_written_as_the_contract_shows);
    tcase_add_test(t, a_skip_has_a_reason_and_no_number);
    tcase_add_test(t, everything_survives_writing_and_reading);
    tcase_add_loop_test(t, a_number_has_no_more_digits_than_it_needs_and_reads_back, 0,
                        sizeof NUMBERS / sizeof NUMBERS[0]);
    tcase_add_test(t, what_is_no_number_is_null);
    tcase_add_test(t, an_ok_row_without_a_finite_number_is_written_void);
    tcase_add_loop_test(t, a_coordinate_of_64_bits_is_exact, 0,
                        sizeof COORDINATES / sizeof COORDINATES[0]);
    tcase_add_test(t, text_from_outside_leaves_as_clean_utf8);
    tcase_add_test(t, cleaning_cuts_between_characters);
    tcase_add_test(t, members_of_a_later_version_are_ignored);
    tcase_add_loop_test(t, a_fault_names_its_member, 0, sizeof FAULTS / sizeof FAULTS[0]);
    tcase_add_test(t, a_decimal_comma_in_the_locale_changes_no_byte);
    tcase_add_test(t, rows_keep_their_place_while_more_are_added);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
