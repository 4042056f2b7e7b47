/* test_runfile.c - run files: the written is read, the torn is known, the foreign is left alone. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/runfile.h"

#define RUN "{\"record\":\"run\",\"schema\":\"assay-run/1\",\"device\":{\"name\":\"sim:plain\"," \
            "\"kind\":\"simulated\"}}\n"
#define ROW(probe) "{\"record\":\"result\",\"probe\":\"" probe "\",\"quantity\":\"b\",\"point\":" \
                   "{\"x\":1,\"op\":\"ca\"},\"status\":\"ok\",\"unit\":\"cycles\",\"value\":1," \
                   "\"low\":1,\"high\":1,\"n\":1,\"stop\":\"exact\"}\n"
#define END "{\"record\":\"end\",\"complete\":true,\"ok\":1}\n"

static char folder[] = "/tmp/assay-runfile-XXXXXX"; /* each test is a process of its own */
static char path[128];

static void open_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.jsonl", folder);
}

static void close_folder(void)
{
    unlink(path);
    rmdir(folder);
}

static void put(const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
}

static char *get(void)
{
    static const size_t MOST = 1 << 20;
    char *text = calloc(1, MOST);
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    const size_t n = fread(text, 1, MOST - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

static enum ay_status read_text(const char *text, struct ay_run_file *f, struct ay_error *err)
{
    put(text, strlen(text));
    return ay_run_read(path, f, err);
}

static json_t *record(const char *line)
{
    json_t *json = json_loads(line, 0, NULL);
    ck_assert_ptr_nonnull(json);
    return json;
}

static enum ay_status append(const char *line, struct ay_error *err)
{
    struct ay_run_writer *w;
    AY_TRY(ay_run_open(path, -1, &w, err));
    json_t *json = record(line);
    const enum ay_status s = ay_run_write(w, json, err);
    json_decref(json);
    ay_run_close(w);
    return s;
}

START_TEST(what_was_appended_is_read_and_several_runs_are_kept_apart)
{
    struct ay_error err = { 0 };
    const char *const lines[] = { RUN, ROW("a.b"), ROW("c.b"), END, RUN, ROW("a.b") };
    for (size_t i = 0; i < 6; i++)
        ck_assert_msg(append(lines[i], &err) == AY_OK, "%s", err.text);
    struct ay_run_file f;
    ck_assert_msg(ay_run_read(path, &f, &err) == AY_OK, "%s", err.text);
    ck_assert_uint_eq(f.n, 2);
    ck_assert_uint_eq(f.runs[0].rows.n, 2);
    ck_assert_uint_eq(f.runs[0].tally.n_ok, 2);
    ck_assert(f.runs[0].is_complete);
    ck_assert_uint_eq(f.runs[1].rows.n, 1);
    ck_assert(!f.runs[1].is_complete);
    ck_assert_uint_eq(f.n_warnings, 0);
    ck_assert_str_eq(ay_run_device_text(&f.runs[0], "name"), "sim:plain");
    ck_assert_str_eq(ay_run_device_text(&f.runs[0], "arch"), "");
    ck_assert(ay_run_is_simulated(&f.runs[0]));
    ay_run_file_close(&f);
}
END_TEST

START_TEST(a_file_cut_at_any_byte_keeps_each_whole_record)
{
    static const char text[] = RUN ROW("a.b") ROW("c.b") END;
    const size_t n_run = sizeof RUN - 1, n_row = sizeof ROW("a.b") - 1;
    size_t n_read = 0;
    for (size_t n = 1; n < sizeof text; n++) {
        struct ay_run_file f;
        struct ay_error err = { 0 };
        put(text, n);
        const enum ay_status s = ay_run_read(path, &f, &err);
        /* a record without its newline is whole */
        const size_t n_rows = n < n_run + n_row - 1 ? 0 : n < n_run + 2 * n_row - 1 ? 1 : 2;
        if (n < n_run - 1) {
            ck_assert_msg(s == AY_IO, "read %zu bytes of a run record", n);
            continue;
        }
        ck_assert_msg(s == AY_OK, "cut at %zu: %s", n, err.text);
        ck_assert_uint_eq(f.runs[0].rows.n, n_rows);
        ck_assert_int_eq(f.runs[0].is_complete, n >= sizeof text - 2);
        const bool is_torn = text[n - 1] != '\n' && text[n] != '\n';
        ck_assert_msg(f.n_warnings == is_torn, "cut at %zu: %zu warnings", n, f.n_warnings);
        ay_run_file_close(&f);
        n_read++;
    }
    ck_assert_uint_gt(n_read, 100);
}
END_TEST

START_TEST(a_later_run_can_follow_one_that_was_cut_at_any_byte)
{
    static const char text[] = RUN ROW("a.b");
    for (size_t n = 1; n < sizeof text; n++) {
        struct ay_run_file f;
        struct ay_error err = { 0 };
        put(text, n);
        ck_assert_msg(append(RUN, &err) == AY_OK, "cut at %zu: %s", n, err.text);
        ck_assert_msg(ay_run_read(path, &f, &err) == AY_OK, "cut at %zu: %s", n, err.text);
        ck_assert_uint_eq(f.n, n < sizeof RUN - 2 ? 1 : 2);
        ck_assert_uint_eq(f.runs[0].rows.n, n >= sizeof text - 2);
        ck_assert_uint_eq(f.n_warnings, 0);
        ay_run_file_close(&f);
    }
}
END_TEST

static const char *const FOREIGN[] = {
    "my thesis\n", "my thesis", "{\"record\":\"result\"}\n", "{}\n", "\n", "[1,2]\n", "\x7f" "ELF",
    "{\"record\":\"run\",\"schema\":\"assay-run/2\",\"device\":{}}\n",
    "{\"record\":\"run\",\"schema\":\"assay-run/10\",\"device\":{}}\n",
    "{\"record\":\"run\"}\n", "{\"record\":\"runner\"", "{\"schema\":\"assay-run/1\"}\n",
};

START_TEST(a_file_that_is_no_run_file_is_left_alone)
{
    struct ay_error err = { 0 };
    put(FOREIGN[_i], strlen(FOREIGN[_i]));
    ck_assert_int_eq(append(RUN, &err), AY_IO);
    ck_assert_ptr_nonnull(strstr(err.text, path));
    char *text = get();
    ck_assert_str_eq(text, FOREIGN[_i]);
    free(text);
}
END_TEST

START_TEST(an_empty_file_may_become_a_run_file)
{
    struct ay_error err = { 0 };
    put("", 0);
    ck_assert_int_eq(append(RUN, &err), AY_OK);
    char *text = get();
    ck_assert_str_eq(text, RUN);
    free(text);
}
END_TEST

START_TEST(a_full_disk_names_the_file_and_the_reason)
{
    struct ay_error err = { 0 };
    struct ay_run_writer *w;
    ck_assert_int_eq(ay_run_open("/dev/full", -1, &w, &err), AY_OK);
    json_t *json = record(RUN);
    ck_assert_int_eq(ay_run_write(w, json, &err), AY_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "/dev/full"));
    ck_assert_ptr_nonnull(strstr(err.text, strerror(ENOSPC)));
    json_decref(json);
    ay_run_close(w);
}
END_TEST

START_TEST(a_record_that_does_not_fit_leaves_the_one_before_whole)
{
    struct ay_error err = { 0 };
    struct ay_run_writer *w;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(append(RUN, &err), AY_OK);
    ck_assert_int_eq(ay_run_open(path, -1, &w, &err), AY_OK);
    const struct rlimit least = { sizeof RUN + 20, sizeof RUN + 20 };
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &least), 0);
    json_t *json = record(ROW("a.b"));
    ck_assert_int_eq(ay_run_write(w, json, &err), AY_IO);
    ck_assert_ptr_nonnull(strstr(err.text, path));
    json_decref(json);
    ay_run_close(w);
    char *text = get();
    ck_assert_str_eq(text, RUN);
    free(text);
}
END_TEST

START_TEST(a_path_that_cannot_be_written_is_named)
{
    struct ay_error err = { 0 };
    struct ay_run_writer *w;
    const char *const paths[] = { "/no/such/folder/run.jsonl", "/tmp" };
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(ay_run_open(paths[i], -1, &w, &err), AY_IO);
        ck_assert_ptr_null(w);
        ck_assert_ptr_nonnull(strstr(err.text, paths[i]));
    }
}
END_TEST

START_TEST(two_runs_cannot_write_one_file_at_once)
{
    struct ay_error err = { 0 };
    struct ay_run_writer *w;
    ck_assert_int_eq(ay_run_open(path, -1, &w, &err), AY_OK);
    ck_assert_int_eq(append(RUN, &err), AY_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "another run"));
    ay_run_close(w);
    ck_assert_int_eq(append(RUN, &err), AY_OK);
}
END_TEST

START_TEST(the_file_outlives_a_reader_that_went_away)
{
    struct ay_error err = { 0 };
    struct ay_run_writer *w;
    int fds[2];
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pipe(fds), 0);
    close(fds[0]);
    ck_assert_int_eq(ay_run_open(path, fds[1], &w, &err), AY_OK);
    json_t *json = record(RUN);
    ck_assert_int_eq(ay_run_write(w, json, &err), AY_OK);
    ay_run_close(w);
    char *text = get();
    ck_assert_str_eq(text, RUN);
    free(text);
    ck_assert_int_eq(ay_run_open(NULL, fds[1], &w, &err), AY_OK);
    ck_assert_int_eq(ay_run_write(w, json, &err), AY_IO); /* nothing keeps it: that is a fault */
    ay_run_close(w);
    json_decref(json);
}
END_TEST

START_TEST(both_outputs_get_the_same_bytes)
{
    struct ay_error err = { 0 };
    struct ay_run_writer *w;
    int fds[2];
    char said[512] = "";
    ck_assert_int_eq(pipe(fds), 0);
    ck_assert_int_eq(ay_run_open(path, fds[1], &w, &err), AY_OK);
    json_t *json = record(RUN);
    ck_assert_int_eq(ay_run_write(w, json, &err), AY_OK);
    ck_assert_int_gt(read(fds[0], said, sizeof said - 1), 0);
    char *text = get();
    ck_assert_str_eq(text, said);
    ck_assert_str_eq(text, RUN);
    free(text);
    json_decref(json);
    ay_run_close(w);
    ay_run_close(NULL);
}
END_TEST

START_TEST(a_closed_stdout_does_not_become_the_run_file)
{
    struct ay_error err = { 0 };
    struct ay_run_writer *w;
    const int kept = dup(1);
    close(1);
    ck_assert_int_eq(ay_run_open(path, -1, &w, &err), AY_OK);
    ck_assert_int_eq(write(1, "table", 5), -1);
    dup2(kept, 1);
    ay_run_close(w);
}
END_TEST

static const struct {
    const char *text, *where, *what;
} FAULTS[] = {
    { "", ":1:1: ", "no run record" },
    { ROW("a.b"), ":1:2: ", "before any run" },
    { RUN "{\"record\":\"result\",}\n", ":2:", "not JSON" },
    { RUN "not JSON\n" END, ":2:", "not JSON" },
    { RUN "\n" END, ":2:", "not JSON" },
    { RUN "{\"record\":\"result\",\"probe\":\"a.b\",\"probe\":\"c\"}\n", ":2:", "duplicate" },
    { RUN ROW("a.b") ROW("a.b"), ":3:20: ", "in this run already" },
    { RUN "{\"record\":\"result\",\"probe\":\"a.b\",\"status\":\"fine\"}\n", ":2:34: ", "fine" },
    { RUN END ROW("a.b"), ":3:2: ", "after its run's end" },
    { RUN "{\"probe\":\"a.b\"}\n", ":2:1: ", "record" },
    { RUN "[]\n", ":2:1: ", "record" },
    { "{\"record\":\"run\",\"schema\":\"assay-run/2\",\"device\":{}}\n", ":1:17: ", "newer" },
    { "{\"record\":\"run\",\"schema\":\"assay-run/11\",\"device\":{}}\n", ":1:17: ", "newer" },
    { "{\"record\":\"run\",\"schema\":\"2.0\",\"device\":{}}\n", ":1:17: ", "is not assay-run/1" },
    { "{\"record\":\"run\",\"schema\":2,\"device\":{}}\n", ":1:17: ", "no text" },
    { "{\"record\":\"run\",\"device\":{}}\n", ":1:1: ", "schema" },
    { "{\"record\":\"run\",\"schema\":\"assay-run/1\"}\n", ":1:1: ", "device" },
};

START_TEST(a_fault_has_a_line_and_a_column)
{
    struct ay_run_file f;
    struct ay_error err = { 0 };
    char begin[160];
    ck_assert_int_eq(read_text(FAULTS[_i].text, &f, &err), AY_IO);
    snprintf(begin, sizeof begin, "%s%s", path, FAULTS[_i].where);
    ck_assert_msg(strncmp(err.text, begin, strlen(begin)) == 0, "\"%s\" does not begin with \"%s\"",
                  err.text, begin);
    ck_assert_msg(strstr(err.text, FAULTS[_i].what), "\"%s\" lacks \"%s\"", err.text,
                  FAULTS[_i].what);
    ck_assert_uint_eq(f.n, 0);
}
END_TEST

START_TEST(a_row_is_the_same_whatever_the_order_of_its_axes)
{
    struct ay_run_file f;
    struct ay_error err = { 0 };
    static const char other[] = "{\"record\":\"result\",\"probe\":\"a.b\",\"quantity\":\"b\","
                                "\"point\":{\"op\":\"ca\",\"x\":1},\"status\":\"void\"}\n";
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s", RUN, ROW("a.b"), other);
    ck_assert_int_eq(read_text(text, &f, &err), AY_IO);
    snprintf(text, sizeof text, "%s%s%s%s", RUN, ROW("a.b"), RUN, other); /* another run */
    ck_assert_msg(read_text(text, &f, &err) == AY_OK, "%s", err.text);
    ay_run_file_close(&f);
}
END_TEST

START_TEST(many_rows_are_told_apart)
{
    struct ay_run_file f;
    struct ay_error err = { 0 };
    FILE *out = fopen(path, "w");
    fputs(RUN, out);
    for (int i = 0; i < 3000; i++)
        fprintf(out, "{\"record\":\"result\",\"probe\":\"a.b\",\"quantity\":\"q%d\",\"point\":"
                     "{\"x\":%d},\"status\":\"void\",\"reason\":\"r\"}\n", i % 3, i / 3);
    fclose(out);
    ck_assert_msg(ay_run_read(path, &f, &err) == AY_OK, "%s", err.text);
    ck_assert_uint_eq(f.runs[0].tally.n_void, 3000);
    ay_run_file_close(&f);
}
END_TEST

START_TEST(records_of_a_later_minor_version_are_counted_and_left_out)
{
    struct ay_run_file f;
    struct ay_error err = { 0 };
    ck_assert_int_eq(read_text("{\"record\":\"run\",\"schema\":\"assay-run/1.4\",\"device\":{},"
                               "\"x\":null}\n{\"record\":\"weather\"}\n" END, &f, &err), AY_OK);
    ck_assert_uint_eq(f.n_warnings, 1);
    ck_assert_ptr_nonnull(strstr(f.warnings[0], "1 records"));
    ay_run_file_close(&f);
}
END_TEST

START_TEST(control_bytes_of_a_device_name_do_not_come_in)
{
    struct ay_run_file f;
    struct ay_error err = { 0 };
    ck_assert_int_eq(read_text("{\"record\":\"run\",\"schema\":\"assay-run/1\",\"device\":"
                               "{\"name\":\"a\\u0001b\\u001b[1m\"}}\n", &f, &err), AY_OK);
    ck_assert_str_eq(ay_run_device_text(&f.runs[0], "name"), "a b [1m");
    ay_run_file_close(&f);
}
END_TEST

START_TEST(a_missing_file_and_a_folder_are_named)
{
    struct ay_run_file f;
    struct ay_error err = { 0 };
    ck_assert_int_eq(ay_run_read("/no/such/run.jsonl", &f, &err), AY_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "/no/such/run.jsonl"));
    ck_assert_int_eq(ay_run_read("/tmp", &f, &err), AY_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "/tmp"));
    ay_run_file_close(&f);
    ay_run_file_close(NULL);
}
END_TEST

START_TEST(no_damage_of_a_byte_crashes_the_reader)
{
    static const char text[] = RUN ROW("a.b") END;
    static const char BYTES[] = { 0, '\n', '"', '{', '}', ',', '9', '-', '\\', (char)0xff };
    size_t n_refused = 0;
    for (size_t i = 0; i < sizeof text - 1; i++)
        for (size_t k = 0; k < sizeof BYTES; k++) {
            struct ay_run_file f;
            struct ay_error err = { 0 };
            char damaged[sizeof text];
            memcpy(damaged, text, sizeof text);
            damaged[i] = BYTES[k];
            put(damaged, sizeof text - 1);
            if (ay_run_read(path, &f, &err) == AY_OK) {
                ay_run_file_close(&f);
                continue;
            }
            n_refused++;
            const size_t n_path = strlen(path);
            ck_assert_msg(strncmp(err.text, path, n_path) == 0 && err.text[n_path] == ':',
                          "no place in \"%s\"", err.text);
        }
    ck_assert_uint_gt(n_refused, sizeof text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("runfile");
    TCase *t = tcase_create("runfile");
    tcase_add_checked_fixture(t, open_folder, close_folder);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, what_was_appended_is_read_and_several_runs_are_kept_apart);
    tcase_add_test(t, a_file_cut_at_any_byte_keeps_each_whole_record);
    tcase_add_test(t, a_later_run_can_follow_one_that_was_cut_at_any_byte);
    tcase_add_loop_test(t, a_file_that_is_no_run_file_is_left_alone, 0,
                        sizeof FOREIGN / sizeof FOREIGN[0]);
    tcase_add_test(t, an_empty_file_may_become_a_run_file);
    tcase_add_test(t, a_full_disk_names_the_file_and_the_reason);
    tcase_add_test(t, a_record_that_does_not_fit_leaves_the_one_before_whole);
    tcase_add_test(t, a_path_that_cannot_be_written_is_named);
    tcase_add_test(t, two_runs_cannot_write_one_file_at_once);
    tcase_add_test(t, the_file_outlives_a_reader_that_went_away);
    tcase_add_test(t, both_outputs_get_the_same_bytes);
    tcase_add_test(t, a_closed_stdout_does_not_become_the_run_file);
    tcase_add_loop_test(t, a_fault_has_a_line_and_a_column, 0, sizeof FAULTS / sizeof FAULTS[0]);
    tcase_add_test(t, a_row_is_the_same_whatever_the_order_of_its_axes);
    tcase_add_test(t, many_rows_are_told_apart);
    tcase_add_test(t, records_of_a_later_minor_version_are_counted_and_left_out);
    tcase_add_test(t, control_bytes_of_a_device_name_do_not_come_in);
    tcase_add_test(t, a_missing_file_and_a_folder_are_named);
    tcase_add_test(t, no_damage_of_a_byte_crashes_the_reader);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
