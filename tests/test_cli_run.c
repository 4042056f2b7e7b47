/* test_cli_run.c - a run on the simulated chip, from the command line to the file. */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comma_locale.h"
#include "core/image.h"
#include "shell.h"

#define RUN "run -d sim:plain --quick mem.l1.latency"

/* Records of JSON Lines as an array; fails where a line is none. */
static json_t *records_of(const char *text)
{
    json_t *all = json_array();
    for (const char *at = text; *at; ) {
        const size_t n = strcspn(at, "\n");
        json_error_t why;
        json_t *one = json_loadb(at, n, JSON_REJECT_DUPLICATES, &why);
        ck_assert_msg(one != NULL, "%s: %.*s", why.text, (int)n, at);
        json_array_append_new(all, one);
        at += n + (at[n] == '\n');
    }
    return all;
}

static const char *text_of(const json_t *record, const char *member)
{
    const char *text = json_string_value(json_object_get(record, member));
    return text ? text : "";
}

/* `run`, one result or more of which all are ok, and `end`, which says that it is complete. */
static json_t *whole_run(const char *text)
{
    json_t *all = records_of(text);
    const size_t n = json_array_size(all);
    ck_assert_msg(n >= 3, "%zu records: %s", n, text);
    ck_assert_str_eq(text_of(json_array_get(all, 0), "record"), "run");
    for (size_t i = 1; i < n - 1; i++) {
        const json_t *row = json_array_get(all, i);
        ck_assert_str_eq(text_of(row, "record"), "result");
        ck_assert_str_eq(text_of(row, "status"), "ok");
    }
    const json_t *end = json_array_get(all, n - 1);
    ck_assert_str_eq(text_of(end, "record"), "end");
    ck_assert(json_is_true(json_object_get(end, "complete")));
    return all;
}

/* What `RUN arguments -o FILE redirection` leaves in FILE; *exit_code is the command's. */
static char *file_of(const char *arguments, const char *redirection, int *exit_code)
{
    char folder[] = "/tmp/assay-run-XXXXXX", command[1024];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(command, sizeof command,
             "exec 3>&1; { '%s' " RUN " %s -o %s/r.jsonl; echo $? >&3; } %s", shell_assay_path(),
             arguments, folder, redirection);
    struct shell_output o = shell_run(command);
    *exit_code = atoi(o.out);
    shell_end(&o);
    snprintf(command, sizeof command, "cat %s/r.jsonl; rm -rf %s", folder, folder);
    o = shell_run(command);
    free(o.err);
    return o.out;
}

START_TEST(json_is_records_and_nothing_else)
{
    struct shell_output o = shell_assay(RUN " --json");
    ck_assert_msg(o.exit_code == 0, "exit code %d: %s", o.exit_code, o.err);
    ck_assert_ptr_null(memchr(o.out, 0x1b, o.n_out));
    ck_assert_ptr_null(memchr(o.err, 0x1b, o.n_err));
    json_decref(whole_run(o.out));
    shell_end(&o);
}
END_TEST

START_TEST(one_seed_gives_the_same_results_in_any_locale)
{
    struct shell_output plain = shell_assay(RUN " --json --seed 7");
    if (comma_locale_open()) {
        struct shell_output german = shell_assay(RUN " --json --seed 7");
        json_t *a = whole_run(plain.out), *b = whole_run(german.out);
        ck_assert_uint_eq(json_array_size(a), json_array_size(b));
        for (size_t i = 1; i + 1 < json_array_size(a); i++)
            ck_assert_msg(json_equal(json_array_get(a, i), json_array_get(b, i)), "row %zu", i);
        json_decref(a);
        json_decref(b);
        shell_end(&german);
        comma_locale_close();
    }
    shell_end(&plain);
}
END_TEST

static const struct {
    const char *redirection;
    int exit_code;
} READERS[] = { { ">/dev/null", 0 }, { "| true", 0 }, { ">&-", 3 }, { ">/dev/full", 3 } };

START_TEST(results_are_whole_in_their_file_whoever_reads_stdout)
{
    int exit_code;
    char *text = file_of("", READERS[_i].redirection, &exit_code);
    ck_assert_msg(exit_code == READERS[_i].exit_code, "%s: exit code %d",
                  READERS[_i].redirection, exit_code);
    json_decref(whole_run(text));
    free(text);
}
END_TEST

START_TEST(a_table_shows_what_was_measured)
{
    struct shell_output o = shell_assay(RUN);
    ck_assert_int_eq(o.exit_code, 0);
    ck_assert_ptr_nonnull(strstr(o.out, "mem.l1.latency"));
    ck_assert_ptr_nonnull(strstr(o.out, "cycles"));
    ck_assert_ptr_null(memchr(o.out, 0x1b, o.n_out));
    shell_end(&o);
}
END_TEST

START_TEST(a_file_that_is_no_run_file_is_left_alone)
{
    struct shell_output o = shell_run("echo precious >/tmp/assay-precious-$$ && \"$ASSAY\" " RUN
                                      " -o /tmp/assay-precious-$$; echo $?; "
                                      "cat /tmp/assay-precious-$$; rm /tmp/assay-precious-$$");
    ck_assert_msg(strstr(o.out, "3\nprecious\n") != NULL, "%s%s", o.out, o.err);
    shell_end(&o);
}
END_TEST

int main(void)
{
    if (!ay_images[0].source) {
        puts("built without nvcc: there is no kernel to run");
        return 0;
    }
    setenv("TERM", "xterm-256color", 1);
    unsetenv("NO_COLOR");
    unsetenv("LC_ALL");
    Suite *s = suite_create("run from the command line");
    TCase *t = tcase_create("run");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, json_is_records_and_nothing_else);
    tcase_add_test(t, one_seed_gives_the_same_results_in_any_locale);
    tcase_add_loop_test(t, results_are_whole_in_their_file_whoever_reads_stdout, 0,
                        sizeof READERS / sizeof READERS[0]);
    tcase_add_test(t, a_table_shows_what_was_measured);
    tcase_add_test(t, a_file_that_is_no_run_file_is_left_alone);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
