/* test_report.c - the folder that a report writes: page, tables, figures, and what goes wrong. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "comma_locale.h"
#include "report/child.h"
#include "report/tables.h"
#include "report/verdicts.h"
#include "report_world.h"

static struct world world;

static void setup(void)
{
    world_open(&world);
}

static void teardown(void)
{
    world_close(&world);
}

static const struct ay_plotter NONE = { "./no-gnuplot-here", 2000, 2000 };
static const struct ay_plotter FAKE = { "./gnuplot", 1000, 1000 };
static const struct ay_plotter REAL = { "gnuplot", 10000, 60000 };

static struct ay_report_done report(const char *run, const char *folder,
                                    const struct ay_plotter *plotter)
{
    struct ay_report_done done;
    struct ay_error err = { 0 };
    ck_assert_msg(world_report(&run, 1, folder, plotter, &done, &err) == AY_OK, "%s", err.text);
    return done;
}

static void assert_in_file(const char *path, const char *due)
{
    char *text = world_read(path);
    ck_assert_msg(text != NULL, "there is no %s", path);
    ck_assert_msg(strstr(text, due) != NULL, "%s does not hold \"%s\"", path, due);
    free(text);
}

static void assert_not_in_file(const char *path, const char *text)
{
    char *whole = world_read(path);
    ck_assert_msg(whole != NULL, "there is no %s", path);
    ck_assert_msg(strstr(whole, text) == NULL, "%s holds \"%s\"", path, text);
    free(whole);
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
    const struct ay_report_done done = report("run.jsonl", "out", &NONE);
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
    report("run.jsonl", "a", &NONE);
    ck_assert_msg(comma_locale_open(), "no locale with a decimal comma to test with");
    report("run.jsonl", "b", &NONE);
    comma_locale_close();
    ck_assert_int_eq(system("diff -r a b"), 0);
    ck_assert_int_ge(world_count("a", ""), 5);
}
END_TEST

/* --- the page --------------------------------------------------------------------------------- */

START_TEST(the_page_needs_no_other_file_and_no_network)
{
    world_curve("run.jsonl", "sim:plain", 12);
    report("run.jsonl", "out", &NONE);
    const char *const absent[] = { "http://", "https://", "src=\"http", "<link", "@import", "url(" };
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        assert_not_in_file("out/index.html", absent[i]);
    const char *const present[] = { "<style>\n/* style */", "lang=\"en\"", "<caption>", "scope=\"col\"",
                                    "scope=\"row\"", "scope=\"rowgroup\"", "href=\"#main\"" };
    for (size_t i = 0; i < sizeof present / sizeof present[0]; i++)
        assert_in_file("out/index.html", present[i]);
}
END_TEST

START_TEST(a_simulated_device_is_called_so_in_each_table_figure_and_file)
{
    world_curve("run.jsonl", "sim:plain", 12);
    report("run.jsonl", "out", &NONE);
    assert_in_file("out/index.html", "<title>Assay: sim:plain (simulated)</title>");
    assert_in_file("out/index.html", "<strong>Simulated device.</strong>");
    assert_in_file("out/results.md", "# sim:plain (simulated)");
    assert_in_file("out/results.csv", ",sim:plain,simulated,");
    assert_in_file("out/mem.latency.curve-1.gp", "set label 90 'SIMULATED'");
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
    world_write("run.jsonl", "{\"record\":\"run\",\"schema\":\"assay-run/1\",\"device\":{}}\n");
    const struct ay_report_done done = report("run.jsonl", "out", &NONE);
    ck_assert_uint_eq(done.n_rows, 0);
    ck_assert_str_eq(done.plot_problem, "");
    assert_in_file("out/index.html", "This run has no results");
    assert_in_file("out/index.html", "did not come to its end");
    char *const argv[] = { "report", "run.jsonl", "-o", "cli", NULL };
    ck_assert_int_eq(ay_cmd_report(4, (char **)argv), AY_EXIT_OK);
    assert_in_file("cli/index.html", "This run has no results");
}
END_TEST

START_TEST(one_probe_alone_is_a_report)
{
    world_write("run.jsonl", "{\"record\":\"run\",\"schema\":\"assay-run/1\",\"device\":{\"name\":\"d\"}}\n"
                "{\"record\":\"result\",\"probe\":\"mem.l1.latency\",\"point\":{},\"status\":\"skip\","
                "\"reason\":\"needs sm_80\",\"value\":null}\n");
    report("run.jsonl", "out", &NONE);
    assert_in_file("out/index.html", "needs sm_80");
    assert_in_file("out/index.html", "How many SM cycles");
    assert_in_file("out/index.html", "&lt; 4 pages &amp; &quot;cold&quot;");
}
END_TEST

/* --- names that mean mischief ----------------------------------------------------------------- */

static const char *const NAMES[] = {
    "l2_read_bw", "a^{x}", "@HOME", "~&\\t%d", "it's \"H200\", <b>rev</b> 1",
    "`touch canary`", "$(touch canary)", "< touch canary", "| touch canary", "'.system('touch canary').'",
    "\\\nsystem 'touch canary'\n", "caf\xe9 \x01\x02 \xc3\xa9 \xf0\x9f\x98\x80", "<script>alert(1)</script>",
};

START_TEST(a_name_from_outside_is_only_ever_text)
{
    world_curve("run.jsonl", NAMES[_i], 12);
    const struct ay_report_done done = report("run.jsonl", "out", &REAL);
    ck_assert_msg(!world_has("canary") && !world_has("out/canary"), "a name was run as a command");
    ck_assert_msg(done.n_drawn == 1, "%s", done.plot_problem);
    char *svg = world_read("out/mem.latency.curve-1.svg");
    ck_assert_msg(!xml_fault(svg), "the SVG has %s", xml_fault(svg));
    assert_not_in_file("out/index.html", "<script>alert");
    assert_not_in_file("out/index.html", "<b>rev");
    struct ay_out escaped = { 0 }; /* the picture says the name as it is, without sub- or superscript */
    ay_out_html(&escaped, NAMES[_i]);
    char *page = world_read("out/index.html");
    ck_assert_msg(strstr(page, escaped.text) != NULL, "the page lacks \"%s\"", escaped.text);
    ay_out_close(&escaped);
    free(page);
    free(svg);
}
END_TEST

START_TEST(a_title_in_a_picture_is_the_text_as_it_is)
{
    world_curve("run.jsonl", "l2_read_bw a^{x} @x", 12);
    report("run.jsonl", "out", &REAL);
    assert_in_file("out/mem.latency.curve-1.svg", "l2_read_bw a^{x} @x");
    assert_in_file("out/mem.latency.curve-1.svg", ">SIMULATED<");
}
END_TEST

START_TEST(a_probe_name_cannot_leave_the_folder)
{
    world_write("run.jsonl", "{\"record\":\"run\",\"schema\":\"assay-run/1\",\"device\":{\"name\":\"d\"}}\n"
                "{\"record\":\"result\",\"probe\":\"../../up|x\",\"quantity\":\"value\",\"point\":{\"x\":1},"
                "\"status\":\"void\",\"reason\":\"r\"}\n"
                "{\"record\":\"result\",\"probe\":\"../../up|x\",\"quantity\":\"value\",\"point\":{\"x\":2},"
                "\"status\":\"void\",\"reason\":\"r\"}\n"
                "{\"record\":\"result\",\"probe\":\"../../up|x\",\"quantity\":\"value\",\"point\":{\"x\":3},"
                "\"status\":\"void\",\"reason\":\"r\"}\n");
    report("run.jsonl", "out", &NONE);
    ck_assert(world_has("out/_._.._up_x-1.dat"));
    assert_in_file("out/index.html", "no point can be drawn on a log axis");
    assert_in_file("out/_._.._up_x-1.dat", "# left out: x=1 (void)");
}
END_TEST

/* --- gnuplot ---------------------------------------------------------------------------------- */

START_TEST(gnuplot_draws_whole_pictures_and_leaves_nothing_else)
{
    world_curve("run.jsonl", "sim:plain", 12);
    const struct ay_report_done done = report("run.jsonl", "out", &REAL);
    ck_assert_msg(done.n_drawn == 1, "%s", done.plot_problem);
    ck_assert_str_eq(done.plot_problem, "");
    char *svg = world_read("out/mem.latency.curve-1.svg");
    ck_assert_msg(!xml_fault(svg), "the SVG has %s", xml_fault(svg));
    free(svg);
    assert_in_file("out/mem.latency.curve-1.svg", "plateau.2 200 cycles");
    assert_in_file("out/index.html", "src=\"data:image/svg+xml;base64,");
    ck_assert_int_eq(world_count("out", ""), 7); /* page, two tables, svg, png, gp, dat */
    ck_assert_int_eq(world_count("out", "."), 0);
}
END_TEST

START_TEST(the_script_draws_the_same_again_in_anyones_hands)
{
    world_curve("run.jsonl", "sim:plain", 12);
    report("run.jsonl", "out", &REAL);
    ck_assert_int_eq(system("cd out && cp mem.latency.curve-1.svg first && "
                            "rm mem.latency.curve-1.svg && gnuplot mem.latency.curve-1.gp 2>/dev/null "
                            "&& cmp first mem.latency.curve-1.svg"), 0);
    assert_not_in_file("out/mem.latency.curve-1.gp", "decimalsign");
    assert_not_in_file("out/mem.latency.curve-1.gp", "locale");
}
END_TEST

static const struct {
    const char *body, *why;
} FAKES[] = {
    { "echo 'gnuplot 4.2 patchlevel 6'", "is version 4.2: figures need gnuplot 5.4" },
    { "echo 'gnuplot 5.2 patchlevel 8'", "is version 5.2: figures need gnuplot 5.4" },
    { "echo garbage; printf '\\001\\377'", "did not tell its version" },
    { "exit 139", "did not tell its version" },
    { "kill -SEGV $$", "did not tell its version" },
    { "sleep 60", "did not tell its version within 1000 ms" },
    { "exec 1>&- 2>&-; sleep 60", "did not tell its version within 1000 ms" },
    { "[ $1 = --version ] && echo 'gnuplot 5.4 patchlevel 4' && exit; exit 139", "no picture" },
    { "[ $1 = --version ] && echo 'gnuplot 6.0 patchlevel 1' && exit; kill -SEGV $$", "signal 11" },
    { "[ $1 = --version ] && echo 'gnuplot 6.0 patchlevel 1' && exit; sleep 60", "stopped after" },
    { "[ $1 = --version ] && echo 'gnuplot 6.0 patchlevel 1' && exit; echo bad terminal >&2; exit 1",
      "bad terminal" },
    { "[ $1 = --version ] && echo 'gnuplot 6.0 patchlevel 1' && exit; exit 0", "no picture" },
    { "[ $1 = --version ] && echo 'gnuplot 6.0 patchlevel 1' && exit; n=${3#out = ?}; n=${n%?}; "
      ": >$n.svg; : >$n.png", "no picture" },
    { "[ $1 = --version ] && echo 'gnuplot 6.0 patchlevel 1' && exit; n=${3#out = ?}; n=${n%?}; "
      "echo '<svg><g>' >$n.svg; echo PNG >$n.png", "no picture" },
    { "[ $1 = --version ] && echo 'gnuplot 6.0 patchlevel 1' && exit; n=${3#out = ?}; n=${n%?}; "
      "echo '<?xml version=\"1.0\"?><svg></svg>' >$n.svg", "no PNG" },
};

START_TEST(whatever_gnuplot_does_results_script_and_one_reason_are_there)
{
    world_curve("run.jsonl", "sim:plain", 12);
    world_script("gnuplot", FAKES[_i].body);
    const struct ay_report_done done = report("run.jsonl", "out", &FAKE);
    ck_assert_msg(strstr(done.plot_problem, FAKES[_i].why) != NULL, "\"%s\" lacks \"%s\"",
                  done.plot_problem, FAKES[_i].why);
    assert_in_file("out/index.html", "drawn: ");
    assert_in_file("out/results.csv", "plateau.2");
    ck_assert(world_has("out/mem.latency.curve-1.gp"));
    ck_assert(world_has("out/mem.latency.curve-1.dat"));
    ck_assert_int_eq(world_count("out", "."), 0); /* no half picture is left */
    const bool has_svg = strcmp(FAKES[_i].why, "no PNG") == 0;
    ck_assert_int_eq(world_has("out/mem.latency.curve-1.svg"), has_svg);
}
END_TEST

START_TEST(without_gnuplot_the_message_says_what_to_install)
{
    world_curve("run.jsonl", "sim:plain", 12);
    const struct ay_report_done done = report("run.jsonl", "out", &NONE);
    ck_assert_ptr_nonnull(strstr(done.plot_problem, "was not found"));
    ck_assert_ptr_nonnull(strstr(done.plot_problem, "gnuplot-nox"));
    assert_in_file("out/index.html", "This figure was not drawn: ./no-gnuplot-here was not found");
}
END_TEST

START_TEST(a_picture_of_before_survives_a_drawing_that_fails)
{
    world_curve("run.jsonl", "sim:plain", 12);
    report("run.jsonl", "out", &REAL);
    char *before = world_read("out/mem.latency.curve-1.svg");
    world_script("gnuplot", FAKES[12].body);
    report("run.jsonl", "out", &FAKE);
    char *after = world_read("out/mem.latency.curve-1.svg");
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
}
END_TEST

START_TEST(a_signal_while_gnuplot_hangs_ends_both_and_leaves_no_half_file)
{
    world_curve("run.jsonl", "sim:plain", 12);
    world_script("gnuplot", "[ $1 = --version ] && echo 'gnuplot 6.0 patchlevel 1' && exit; "
                            "n=${3#out = ?}; echo half >${n%?}.svg; echo $$ >../pid; sleep 600");
    const struct ay_plotter slow = { "./gnuplot", 5000, 600000 };
    const pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_DFL); /* Check has a handler of its own */
        report("run.jsonl", "out", &slow);
        _exit(0);
    }
    for (int i = 0; i < 1000 && !world_has("pid"); i++)
        usleep(10000);
    char *child = NULL;
    for (int i = 0; i < 1000 && (!child || !child[0]); i++) {
        free(child);
        child = world_read("pid");
        usleep(1000);
    }
    kill(pid, SIGINT);
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    ck_assert_int_eq(world_count("out", "."), 0);
    ck_assert_int_eq(kill((pid_t)atol(child), 0), -1);
    free(child);
}
END_TEST

START_TEST(points_that_a_log_axis_cannot_show_are_named)
{
    world_curve("run.jsonl", "sim:plain", 8);
    char *run = world_read("run.jsonl");
    char more[8192];
    snprintf(more, sizeof more, "%.*s%s%s", (int)(strstr(run, "{\"record\":\"end\"") - run), run,
             "{\"record\":\"result\",\"probe\":\"mem.latency.curve\",\"quantity\":\"value\",\"point\":"
             "{\"ring_bytes\":0},\"status\":\"ok\",\"unit\":\"cycles\",\"value\":12,\"low\":12,"
             "\"high\":12,\"n\":9}\n{\"record\":\"result\",\"probe\":\"mem.latency.curve\",\"quantity\":"
             "\"value\",\"point\":{\"ring_bytes\":64},\"status\":\"ok\",\"unit\":\"cycles\",\"value\":-5,"
             "\"low\":-6,\"high\":-4,\"n\":9}\n",
             "{\"record\":\"result\",\"probe\":\"mem.latency.curve\",\"quantity\":\"value\",\"point\":"
             "{\"ring_bytes\":128},\"status\":\"ok\",\"unit\":\"cycles\",\"value\":5,\"low\":-6,"
             "\"high\":14,\"n\":9}\n");
    world_write("run.jsonl", more);
    free(run);
    const struct ay_report_done done = report("run.jsonl", "out", &REAL);
    ck_assert_msg(done.n_drawn == 1, "%s", done.plot_problem);
    assert_in_file("out/index.html", "ring_bytes\xc2\xa0" "0 B (<span class=\"num\">12</span>");
    assert_in_file("out/index.html", "ring_bytes\xc2\xa0" "64 B (<span class=\"num\">-5.0</span>");
    assert_in_file("out/mem.latency.curve-1.dat", "\n128 5 1 14\n"); /* its bar ends at the axis */
    assert_not_in_file("out/mem.latency.curve-1.dat", "\n64 ");
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
    assert_in_file("index.html", "the page of before");
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

/* --- commands --------------------------------------------------------------------------------- */

#define DEVICE "{\"record\":\"run\",\"schema\":\"assay-run/1\",\"device\":{\"name\":\"sim:plain\"," \
               "\"kind\":\"simulated\"}}\n"
#define ROW(value, more) "{\"record\":\"result\",\"probe\":\"a.b\",\"quantity\":\"b\",\"point\":{}," \
    "\"status\":\"ok\",\"unit\":\"cycles\",\"value\":" value ",\"low\":1,\"high\":9,\"n\":1" more "}\n"
#define PLANTED ",\"planted\":{\"value\":5,\"tolerance\":0.5}"
#define BAD(status) "{\"record\":\"result\",\"probe\":\"c.d\",\"point\":{},\"status\":\"" status "\"," \
    "\"reason\":\"why <&>\",\"value\":null}\n"
#define END "{\"record\":\"end\",\"complete\":true}\n"
static const struct {
    const char *run;
    int code;
} VERDICTS[] = {
    { DEVICE ROW("5", PLANTED) END, AY_EXIT_OK },
    { DEVICE ROW("5.5", PLANTED) BAD("skip") END, AY_EXIT_OK },
    { DEVICE ROW("6", PLANTED) END, AY_EXIT_BAD },
    { DEVICE ROW("5", PLANTED) BAD("void") END, AY_EXIT_BAD },
    { DEVICE ROW("5", PLANTED) BAD("error") END, AY_EXIT_BAD },
    { DEVICE ROW("5", "") BAD("skip") END, AY_EXIT_NOTHING },
    { DEVICE END, AY_EXIT_NOTHING },
    { DEVICE ROW("5", PLANTED), AY_EXIT_OK }, /* killed: what there is, is judged */
    { "something else\n", AY_EXIT_IO },
};

START_TEST(validate_ends_in_the_code_of_the_table)
{
    world_write("run.jsonl", VERDICTS[_i].run);
    char *const plain[] = { "validate", "run.jsonl", NULL };
    char *const full[] = { "validate", "run.jsonl", "--against", "planted", "--junit", "j.xml",
                           "--json", NULL };
    ck_assert_int_eq(ay_cmd_validate(2, (char **)plain), VERDICTS[_i].code);
    ck_assert_int_eq(ay_cmd_validate(7, (char **)full), VERDICTS[_i].code);
    char *junit = world_read("j.xml");
    ck_assert_int_eq(junit != NULL, VERDICTS[_i].code != AY_EXIT_IO);
    if (!junit) return;
    ck_assert_msg(!xml_fault(junit), "the JUnit file has %s", xml_fault(junit));
    const bool is_bad = strstr(junit, "<failure") || strstr(junit, "<error");
    ck_assert_int_eq(is_bad, VERDICTS[_i].code == AY_EXIT_BAD);
    free(junit);
}
END_TEST

START_TEST(what_a_command_cannot_do_is_a_usage_error)
{
    world_write("run.jsonl", DEVICE END);
    char *const nothing[] = { "validate", NULL };
    char *const later[] = { "validate", "run.jsonl", "--against", "H200", NULL };
    char *const odd[] = { "report", "run.jsonl", "--colour", NULL };
    char *const none[] = { "report", NULL };
    char *const missing[] = { "report", "no.jsonl", NULL };
    ck_assert_int_eq(ay_cmd_validate(1, (char **)nothing), AY_EXIT_USAGE);
    ck_assert_int_eq(ay_cmd_validate(4, (char **)later), AY_EXIT_USAGE);
    ck_assert_int_eq(ay_cmd_report(3, (char **)odd), AY_EXIT_USAGE);
    ck_assert_int_eq(ay_cmd_report(1, (char **)none), AY_EXIT_USAGE);
    ck_assert_int_eq(ay_cmd_report(2, (char **)missing), AY_EXIT_IO);
}
END_TEST

START_TEST(without_o_the_report_lies_beside_its_run)
{
    ck_assert_int_eq(system("mkdir -p deep"), 0);
    world_write("deep/run.jsonl", DEVICE ROW("5", PLANTED) END);
    char *const argv[] = { "report", "deep/run.jsonl", NULL };
    ck_assert_int_eq(ay_cmd_report(2, (char **)argv), AY_EXIT_OK);
    ck_assert(world_has("deep/report/index.html"));
}
END_TEST

START_TEST(the_nearest_word_is_near)
{
    static const char *const words[] = { "mem.l1.latency", "mem.l2.latency", "alu.rate", NULL };
    ck_assert_str_eq(ay_nearest("mem.l1.latnecy", words), "mem.l1.latency");
    ck_assert_str_eq(ay_nearest("alu.rat", words), "alu.rate");
    ck_assert_ptr_null(ay_nearest("tensor", words));
    ck_assert_ptr_null(ay_nearest("", words));
}
END_TEST

static void add_tests(TCase *t)
{
    tcase_add_test(t, the_report_of_the_sample_run_is_as_committed);
    tcase_add_test(t, a_decimal_comma_in_the_locale_changes_no_byte_of_a_report);
    tcase_add_test(t, the_page_needs_no_other_file_and_no_network);
    tcase_add_test(t, a_simulated_device_is_called_so_in_each_table_figure_and_file);
    tcase_add_test(t, a_run_without_results_makes_a_page_that_says_so);
    tcase_add_test(t, one_probe_alone_is_a_report);
    tcase_add_loop_test(t, a_name_from_outside_is_only_ever_text, 0,
                        sizeof NAMES / sizeof NAMES[0]);
    tcase_add_test(t, a_title_in_a_picture_is_the_text_as_it_is);
    tcase_add_test(t, a_probe_name_cannot_leave_the_folder);
    tcase_add_test(t, gnuplot_draws_whole_pictures_and_leaves_nothing_else);
    tcase_add_test(t, the_script_draws_the_same_again_in_anyones_hands);
    tcase_add_loop_test(t, whatever_gnuplot_does_results_script_and_one_reason_are_there, 0,
                        sizeof FAKES / sizeof FAKES[0]);
    tcase_add_test(t, without_gnuplot_the_message_says_what_to_install);
    tcase_add_test(t, a_picture_of_before_survives_a_drawing_that_fails);
    tcase_add_test(t, a_signal_while_gnuplot_hangs_ends_both_and_leaves_no_half_file);
    tcase_add_test(t, points_that_a_log_axis_cannot_show_are_named);
    tcase_add_test(t, a_page_that_cannot_be_written_leaves_the_old_one);
    tcase_add_test(t, a_folder_that_cannot_be_made_is_named);
    tcase_add_test(t, csv_fields_come_back_whatever_is_in_them);
    tcase_add_test(t, each_csv_row_has_as_many_fields_as_the_first);
    tcase_add_loop_test(t, validate_ends_in_the_code_of_the_table, 0,
                        sizeof VERDICTS / sizeof VERDICTS[0]);
    tcase_add_test(t, what_a_command_cannot_do_is_a_usage_error);
    tcase_add_test(t, without_o_the_report_lies_beside_its_run);
    tcase_add_test(t, the_nearest_word_is_near);
}

int main(void)
{
    Suite *s = suite_create("report");
    TCase *t = tcase_create("report");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    add_tests(t);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
