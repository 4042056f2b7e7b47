/* test_report.c - the folder that a report writes: page, tables, figures, and what goes wrong. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cli.h"
#include "comma_locale.h"
#include "report/tables.h"
#include "report_world.h"

static struct world world;

static void setup(void)
{
    folder_open(&world);
}

static void teardown(void)
{
    folder_close(&world);
}

/* --- golden ----------------------------------------------------------------------------------- */

static const char *const GOLDEN[] = { "index.html", "results.csv", "results.md",
                                      "mem.latency.curve-1.gp", "mem.latency.curve-1.dat",
                                      "host.mem.latency-2.gp", "host.mem.latency-2.dat" };

/* AY_BLESS=1 writes the expectations anew. */
START_TEST(the_report_of_the_sample_run_is_as_committed)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/golden/report/run.jsonl", world.home);
    char *run = world_read(path);
    ck_assert_msg(run != NULL, "no %s", path);
    world_write("run.jsonl", run);
    free(run);
    const struct ay_report_done done = world_make("run.jsonl", "out", &WORLD_NO_GNUPLOT);
    ck_assert_uint_eq(done.n_runs, 2);
    ck_assert_uint_eq(done.n_figures, 2);
    ck_assert_uint_eq(done.n_drawn, 0);
    for (size_t i = 0; i < sizeof GOLDEN / sizeof GOLDEN[0]; i++) {
        char mine[64];
        snprintf(mine, sizeof mine, "out/%s", GOLDEN[i]);
        snprintf(path, sizeof path, "%s/tests/golden/report/%s", world.home, GOLDEN[i]);
        char *made = world_read(mine);
        ck_assert_msg(made != NULL, "%s was not made", mine);
        if (getenv("AY_BLESS")) world_write(path, made);
        char *due = world_read(path);
        ck_assert_msg(due && strcmp(made, due) == 0,
                      "%s differs from tests/golden/report (AY_BLESS=1 writes it anew)", GOLDEN[i]);
        free(made);
        free(due);
    }
}
END_TEST

START_TEST(a_decimal_comma_in_the_locale_changes_no_byte_of_a_report)
{
    world_curve("run.jsonl", "sim:plain", 12);
    world_make("run.jsonl", "a", &WORLD_NO_GNUPLOT);
    ck_assert_msg(comma_locale_open(), "no locale with a decimal comma to test with");
    world_make("run.jsonl", "b", &WORLD_NO_GNUPLOT);
    comma_locale_close();
    ck_assert_int_eq(system("diff -r a b"), 0);
    ck_assert_int_ge(world_count("a", ""), 5);
}
END_TEST

/* --- the page --------------------------------------------------------------------------------- */

START_TEST(the_page_needs_no_other_file_and_no_network)
{
    world_curve("run.jsonl", "sim:plain", 12);
    world_make("run.jsonl", "out", &WORLD_NO_GNUPLOT);
    const char *const absent[] = { "http://", "https://", "src=\"http", "<link", "@import",
                                   "url(" };
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        world_assert_not_in("out/index.html", absent[i]);
    const char *const present[] = { "<style>\n/* style */", "lang=\"en\"", "<caption>",
                                    "scope=\"col\"", "scope=\"row\"", "scope=\"rowgroup\"",
                                    "href=\"#main\"" };
    for (size_t i = 0; i < sizeof present / sizeof present[0]; i++)
        world_assert_in("out/index.html", present[i]);
}
END_TEST

START_TEST(a_simulated_device_is_called_so_in_each_table_figure_and_file)
{
    world_curve("run.jsonl", "sim:plain", 12);
    world_make("run.jsonl", "out", &WORLD_NO_GNUPLOT);
    world_assert_in("out/index.html", "<title>Assay: sim:plain (simulated)</title>");
    world_assert_in("out/index.html", "<strong>Simulated device.</strong>");
    world_assert_in("out/results.md", "# sim:plain (simulated)");
    world_assert_in("out/results.csv", ",sim:plain,simulated,");
    world_assert_in("out/mem.latency.curve-1.gp", "set label 90 'SIMULATED'");
    char *page = world_read("out/index.html");
    size_t n_tables = 0;
    for (const char *c = page; (c = strstr(c, "<caption>")); c++, n_tables++) {
        const char *end = strstr(c, "</caption>");
        const char *mark = strcasestr(c, "simulated");
        ck_assert_msg(mark && mark < end, "a caption without the word: %.*s", (int)(end - c), c);
    }
    ck_assert_uint_ge(n_tables, 2);
    free(page);
}
END_TEST

START_TEST(a_run_without_results_makes_a_page_that_says_so)
{
    world_write_json("run.jsonl", "{'record':'run','schema':'assay-run/1','device':{}}\n");
    const struct ay_report_done done = world_make("run.jsonl", "out", &WORLD_NO_GNUPLOT);
    ck_assert_uint_eq(done.n_rows, 0);
    ck_assert_str_eq(done.plot_problem, "");
    world_assert_in("out/index.html", "This run has no results");
    world_assert_in("out/index.html", "did not come to its end");
    char *const argv[] = { "report", "run.jsonl", "-o", "cli", NULL };
    ck_assert_int_eq(ay_cmd_report(4, (char **)argv), AY_EXIT_OK);
    world_assert_in("cli/index.html", "This run has no results");
}
END_TEST

START_TEST(one_probe_alone_is_a_report)
{
    world_write_json("run.jsonl",
                     "{'record':'run','schema':'assay-run/1','device':{'name':'d'}}\n"
                     "{'record':'result','probe':'mem.l1.latency','point':{},'status':'skip',"
                     "'reason':'needs sm_80','value':null}\n");
    world_make("run.jsonl", "out", &WORLD_NO_GNUPLOT);
    world_assert_in("out/index.html", "needs sm_80");
    world_assert_in("out/index.html", "How many SM cycles");
    world_assert_in("out/index.html", "&lt; 4 pages &amp; &quot;cold&quot;");
}
END_TEST

/* --- the reader of XML that other claims rest on ---------------------------------------------- */

static const struct {
    const char *text;
    bool is_good;
} XML[] = {
    { "<a/>", true },
    { "<?xml version=\"1.0\"?><!-- < & --><a b = 'x' c=\"&lt;\"><d/>y</a>", true },
    { "<a><![CDATA[<&]]></a>", true }, { "<a>&#39;</a>", true },
    { "", false }, { "text", false }, { "<a>", false }, { "</a>", false }, { "<a></b>", false },
    { "<a><b></a></b>", false }, { "<a>&</a>", false }, { "<a>& b</a>", false },
    { "<a b></a>", false }, { "<a b=c></a>", false }, { "<a b='<'/>", false },
    { "<a b='x></a>", false }, { "<a>1 < 2</a>", false }, { "<a>\x01</a>", false },
    { "<a>\xe9</a>", false }, { "<a>\xef\xbf\xbf</a>", false }, { "<a><!-- </a>", false },
};

START_TEST(the_reader_of_xml_tells_good_from_bad)
{
    ck_assert_msg((xml_fault(XML[_i].text) == NULL) == XML[_i].is_good, "\"%s\"", XML[_i].text);
}
END_TEST

/* --- names that mean mischief ----------------------------------------------------------------- */

static const char *const NAMES[] = {
    "l2_read_bw", "a^{x}", "@HOME", "~&\\t%d", "it's \"H200\", <b>rev</b> 1",
    "`touch canary`", "$(touch canary)", "< touch canary", "| touch canary",
    "'.system('touch canary').'", "\\\nsystem 'touch canary'\n",
    "caf\xe9 \x01\x02 \xc3\xa9 \xf0\x9f\x98\x80", "<script>alert(1)</script>",
};

START_TEST(a_name_from_outside_is_only_ever_text)
{
    world_curve("run.jsonl", NAMES[_i], 12);
    const struct ay_report_done done = world_make("run.jsonl", "out", &WORLD_GNUPLOT);
    ck_assert_msg(!world_has("canary") && !world_has("out/canary"), "a name was run as a command");
    ck_assert_msg(done.n_drawn == 1, "%s", done.plot_problem);
    char *svg = world_read("out/mem.latency.curve-1.svg");
    ck_assert_msg(!xml_fault(svg), "the SVG has %s", xml_fault(svg));
    world_assert_not_in("out/index.html", "<script>alert");
    world_assert_not_in("out/index.html", "<b>rev");
    struct ay_out escaped = { 0 };
    ay_out_html(&escaped, NAMES[_i]);
    char *page = world_read("out/index.html");
    ck_assert_msg(strstr(page, escaped.text) != NULL, "the page lacks \"%s\"", escaped.text);
    ay_out_close(&escaped);
    free(page);
    free(svg);
}
END_TEST

START_TEST(a_probe_name_cannot_leave_the_folder)
{
#define VOID_AT(x) "{'record':'result','probe':'../../up|x','quantity':'value','point':{'x':" x \
                   "},'status':'void','reason':'r'}\n"
    world_write_json("run.jsonl",
                     "{'record':'run','schema':'assay-run/1','device':{'name':'d'}}\n"
                     VOID_AT("1") VOID_AT("2") VOID_AT("3"));
    world_make("run.jsonl", "out", &WORLD_NO_GNUPLOT);
    ck_assert(world_has("out/_._.._up_x-1.dat"));
    world_assert_in("out/index.html", "no point can be drawn on a log axis");
    world_assert_in("out/_._.._up_x-1.dat", "# left out: x=1 (void)");
}
END_TEST

/* --- files that are replaced whole ------------------------------------------------------------ */

START_TEST(a_page_that_cannot_be_written_leaves_the_old_one)
{
    struct ay_error err = { 0 };
    struct ay_out o = { 0 };
    world_write("index.html", "the page of before");
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 2000; i++)
        ay_out_put(&o, "0123456789");
    const struct rlimit least = { 4096, 4096 };
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &least), 0);
    ck_assert_int_eq(ay_out_save(&o, ".", "index.html", &err), AY_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "index.html"));
    ay_out_close(&o);
    world_assert_in("index.html", "the page of before");
    ck_assert_int_eq(world_count(".", ".index"), 0);
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_named)
{
    struct ay_error err = { 0 };
    world_write("file", "x");
    ck_assert_int_eq(ay_make_folder("file/report", &err), AY_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "file/report"));
    ck_assert_int_eq(ay_make_folder("file", &err), AY_IO);
    ck_assert_int_eq(ay_make_folder("a/b/c", &err), AY_OK);
    ck_assert_int_eq(ay_make_folder("a/b/c", &err), AY_OK);
}
END_TEST

/* --- tables ----------------------------------------------------------------------------------- */

START_TEST(csv_fields_come_back_whatever_is_in_them)
{
    static const char *const fields[] = { "NVIDIA \"H200\", rev 1", "a\nb", "=1+1", "+x", "", " ",
                                          "plain", "\"", "\r\n", "x,y" };
    struct ay_out o = { 0 };
    enum { N = sizeof fields / sizeof fields[0] };
    for (size_t i = 0; i < N; i++) {
        if (i) ay_out_put(&o, ",");
        ay_out_csv(&o, fields[i]);
    }
    const char *c = o.text;
    for (size_t i = 0; i < N; i++) { /* [rfc-4180] read back */
        char field[64];
        size_t n = 0;
        const bool is_quoted = *c == '"';
        c += is_quoted;
        while (*c && (is_quoted || *c != ',')) {
            if (is_quoted && c[0] == '"' && *++c != '"') break;
            field[n++] = *c++;
        }
        field[n] = 0;
        ck_assert_str_eq(field, fields[i]);
        ck_assert(*c == ',' || i + 1 == N);
        c += *c == ',';
    }
    ay_out_close(&o);
}
END_TEST

START_TEST(each_csv_row_has_as_many_fields_as_the_first)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/golden/report/results.csv", world.home);
    char *text = world_read(path);
    ck_assert_ptr_nonnull(text);
    size_t n_first = 0, n_lines = 0, n = 1;
    bool is_quoted = false;
    for (const char *c = text; *c; c++) {
        if (*c == '"') is_quoted = !is_quoted;
        n += *c == ',' && !is_quoted;
        if (*c != '\n' || is_quoted) continue;
        ck_assert(c[-1] == '\r');
        if (n_lines++ == 0) n_first = n;
        ck_assert_msg(n == n_first, "line %zu has %zu fields, not %zu", n_lines, n, n_first);
        n = 1;
    }
    ck_assert_uint_gt(n_lines, 30);
    free(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("report");
    TCase *t = tcase_create("report");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, the_report_of_the_sample_run_is_as_committed);
    tcase_add_test(t, a_decimal_comma_in_the_locale_changes_no_byte_of_a_report);
    tcase_add_test(t, the_page_needs_no_other_file_and_no_network);
    tcase_add_test(t, a_simulated_device_is_called_so_in_each_table_figure_and_file);
    tcase_add_test(t, a_run_without_results_makes_a_page_that_says_so);
    tcase_add_test(t, one_probe_alone_is_a_report);
    tcase_add_loop_test(t, the_reader_of_xml_tells_good_from_bad, 0, sizeof XML / sizeof XML[0]);
    tcase_add_loop_test(t, a_name_from_outside_is_only_ever_text, 0,
                        sizeof NAMES / sizeof NAMES[0]);
    tcase_add_test(t, a_probe_name_cannot_leave_the_folder);
    tcase_add_test(t, a_page_that_cannot_be_written_leaves_the_old_one);
    tcase_add_test(t, a_folder_that_cannot_be_made_is_named);
    tcase_add_test(t, csv_fields_come_back_whatever_is_in_them);
    tcase_add_test(t, each_csv_row_has_as_many_fields_as_the_first);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
