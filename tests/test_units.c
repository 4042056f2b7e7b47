/* test_units.c - sizes and numbers as people and files write them, whatever the locale. */
#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comma_locale.h"
#include "core/units.h"

START_TEST(every_unit_has_a_word_and_is_found_by_it)
{
    for (int u = 1; u < AY_N_UNITS; u++) {
        const char *word = ay_unit_text((enum ay_unit)u);
        ck_assert_msg(word && word[0], "unit %d has no word", u);
        ck_assert_int_eq((int)ay_unit_of(word), u);
    }
    ck_assert_str_eq(ay_unit_text(AY_NO_UNIT), "");
    ck_assert_str_eq(ay_unit_text(AY_N_UNITS), "");
    ck_assert_int_eq((int)ay_unit_of("furlongs"), AY_NO_UNIT);
    ck_assert_int_eq((int)ay_unit_of(""), AY_NO_UNIT);
}
END_TEST

static const struct {
    const char *text;
    uint64_t bytes;
} SIZES[] = {
    { "64", 64 }, { "0", 0 }, { "4K", 4000 }, { "4k", 4000 }, { "4Ki", 4096 }, { "2M", 2000000 },
    { "2Mi", 2097152 }, { "3G", 3000000000 }, { "1.5Gi", 1610612736 }, { "4 KiB", 4096 },
    { "4000 B", 4000 }, { ".5K", 500 }, { "1T", 1000000000000 }, { "1Ti", 1099511627776 },
    { "9007199254740993", 9007199254740993 }, { "18446744073709551615", UINT64_MAX },
};

START_TEST(a_size_is_read_exactly)
{
    struct ay_error err = { 0 };
    uint64_t bytes = 77;
    ck_assert_msg(ay_parse_size(SIZES[_i].text, &bytes, &err) == AY_OK, "%s: %s", SIZES[_i].text,
                  err.text);
    ck_assert_uint_eq(bytes, SIZES[_i].bytes);
}
END_TEST

static const char *const NO_SIZES[] = {
    "", "K", "-1", "+1", "1.", "1..5K", "1.5", "4KiX", "4 Kib", "4  K", "1e6", "0x10", "nan", " 4",
    "18446744073709551616", "99999999999T", "1.0000000000000000000000000000K", "4K4",
};

START_TEST(what_is_no_size_is_refused_with_its_text)
{
    struct ay_error err = { 0 };
    uint64_t bytes = 77;
    ck_assert_msg(ay_parse_size(NO_SIZES[_i], &bytes, &err) == AY_USAGE, "%s was read as %lu",
                  NO_SIZES[_i], (unsigned long)bytes);
    ck_assert_ptr_nonnull(strstr(err.text, NO_SIZES[_i]));
    ck_assert_uint_eq(bytes, 77);
}
END_TEST

START_TEST(a_size_survives_writing_and_reading)
{
    const uint64_t sizes[] = { 0, 1, 1023, 1024, 4000, 4096, 1 << 20, 3 << 20, (1 << 30) + 1,
                               (uint64_t)5 << 40, UINT64_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char text[32];
        uint64_t back = 0;
        struct ay_error err = { 0 };
        ck_assert_int_eq(ay_parse_size(ay_format_size(sizes[i], text, sizeof text), &back, &err),
                         AY_OK);
        ck_assert_uint_eq(back, sizes[i]);
    }
    char text[32];
    ck_assert_str_eq(ay_format_size(4096, text, sizeof text), "4 KiB");
    ck_assert_str_eq(ay_format_size(4000, text, sizeof text), "4000 B");
    ck_assert_str_eq(ay_format_size((uint64_t)3 << 29, text, sizeof text), "1536 MiB");
}
END_TEST

static const char *const NO_NUMBERS[] = {
    "", " 1", "1 ", "1,5", "0x10", "inf", "nan", "1e", "--1", "1e999", "one", "1.5.5",
};

START_TEST(what_is_no_finite_number_is_refused)
{
    struct ay_error err = { 0 };
    double x = 77;
    ck_assert_msg(ay_parse_number(NO_NUMBERS[_i], &x, &err) == AY_USAGE, "%s was read as %g",
                  NO_NUMBERS[_i], x);
    ck_assert(x == 77);
}
END_TEST

START_TEST(seventeen_digits_read_back_the_same)
{
    const double numbers[] = { 0.5, -0.1, 1e300, 5e-324, 1.3, 1e12, 1980000000.123, 1.0 / 3 };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[40];
        double back = 0;
        struct ay_error err = { 0 };
        ay_format_number(numbers[i], 17, text, sizeof text);
        ck_assert_int_eq(ay_parse_number(text, &back, &err), AY_OK);
        ck_assert(back == numbers[i]);
    }
}
END_TEST

START_TEST(a_decimal_comma_in_the_locale_changes_nothing)
{
    if (!comma_locale_open()) return;
    char text[40];
    double x = 0;
    struct ay_error err = { 0 };
    ck_assert_str_eq(ay_format_number(2.5, 6, text, sizeof text), "2.5");
    ck_assert_int_eq(ay_parse_number("0.5", &x, &err), AY_OK);
    ck_assert(x == 0.5);
    ck_assert_int_eq(ay_parse_number("0,5", &x, &err), AY_USAGE);
    ck_assert_str_eq(localeconv()->decimal_point, ","); /* and the locale is back in its place */
    comma_locale_close();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("units");
    TCase *t = tcase_create("units");
    tcase_set_timeout(t, 60); /* localedef takes its time */
    tcase_add_test(t, every_unit_has_a_word_and_is_found_by_it);
    tcase_add_loop_test(t, a_size_is_read_exactly, 0, sizeof SIZES / sizeof SIZES[0]);
    tcase_add_loop_test(t, what_is_no_size_is_refused_with_its_text, 0,
                        sizeof NO_SIZES / sizeof NO_SIZES[0]);
    tcase_add_test(t, a_size_survives_writing_and_reading);
    tcase_add_loop_test(t, what_is_no_finite_number_is_refused, 0,
                        sizeof NO_NUMBERS / sizeof NO_NUMBERS[0]);
    tcase_add_test(t, seventeen_digits_read_back_the_same);
    tcase_add_test(t, a_decimal_comma_in_the_locale_changes_nothing);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
