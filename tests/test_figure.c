/* test_figure.c - figures: what gnuplot draws, and all that it may do instead. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static const struct ay_plotter FAKE = { "./gnuplot", 1000, 1000 };

START_TEST(a_title_in_a_picture_is_the_text_as_it_is)
{
    world_curve("run.jsonl", "l2_read_bw a^{x} @x", 12);
    world_make("run.jsonl", "out", &WORLD_GNUPLOT);
    world_assert_in("out/mem.latency.curve-1.svg", "l2_read_bw a^{x} @x");
    world_assert_in("out/mem.latency.curve-1.svg", ">SIMULATED<");
}
END_TEST

START_TEST(gnuplot_draws_whole_pictures_and_leaves_nothing_else)
{
    world_curve("run.jsonl", "sim:plain", 12);
    const struct ay_report_done done = world_make("run.jsonl", "out", &WORLD_GNUPLOT);
    ck_assert_msg(done.n_drawn == 1, "%s", done.plot_problem);
    ck_assert_str_eq(done.plot_problem, "");
    char *svg = world_read("out/mem.latency.curve-1.svg");
    ck_assert_msg(!xml_fault(svg), "the SVG has %s", xml_fault(svg));
    free(svg);
    world_assert_in("out/mem.latency.curve-1.svg", "plateau.2 200 cycles");
    world_assert_in("out/index.html", "src=\"data:image/svg+xml;base64,");
    ck_assert_int_eq(world_count("out", ""), 7); /* page, two tables, svg, png, gp, dat */
    ck_assert_int_eq(world_count("out", "."), 0);
}
END_TEST

START_TEST(the_script_draws_the_same_again_in_anyones_hands)
{
    world_curve("run.jsonl", "sim:plain", 12);
    world_make("run.jsonl", "out", &WORLD_GNUPLOT);
    ck_assert_int_eq(system("cd out && mv mem.latency.curve-1.svg first && "
                            "gnuplot mem.latency.curve-1.gp 2>/dev/null && "
                            "cmp first mem.latency.curve-1.svg"), 0);
    world_assert_not_in("out/mem.latency.curve-1.gp", "decimalsign");
    world_assert_not_in("out/mem.latency.curve-1.gp", "locale");
}
END_TEST

/* A gnuplot that tells a good version; the name it shall draw to, without ending. */
#define GOOD "[ $1 = --version ] && echo 'gnuplot 6.0 patchlevel 1' && exit; "
#define OUT "n=${3#out = ?}; n=${n%?}; "
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
    { GOOD "exit 139", "no picture" },
    { GOOD "kill -SEGV $$", "signal 11" },
    { GOOD "sleep 60", "stopped after" },
    { GOOD "echo bad terminal >&2; exit 1", "bad terminal" },
    { GOOD "exit 0", "no picture" },
    { GOOD OUT ": >$n.svg; : >$n.png", "no picture" },
    { GOOD OUT "echo '<svg><g>' >$n.svg; echo PNG >$n.png", "no picture" },
    { GOOD OUT "echo '<?xml version=\"1.0\"?><svg></svg>' >$n.svg", "no PNG" },
};

START_TEST(whatever_gnuplot_does_results_script_and_one_reason_are_there)
{
    world_curve("run.jsonl", "sim:plain", 12);
    world_script("gnuplot", FAKES[_i].body);
    const struct ay_report_done done = world_make("run.jsonl", "out", &FAKE);
    ck_assert_msg(strstr(done.plot_problem, FAKES[_i].why) != NULL, "\"%s\" lacks \"%s\"",
                  done.plot_problem, FAKES[_i].why);
    world_assert_in("out/index.html", "drawn: ");
    world_assert_in("out/results.csv", "plateau.2");
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
    const struct ay_report_done done = world_make("run.jsonl", "out", &WORLD_NO_GNUPLOT);
    ck_assert_ptr_nonnull(strstr(done.plot_problem, "was not found"));
    ck_assert_ptr_nonnull(strstr(done.plot_problem, "gnuplot-nox"));
    world_assert_in("out/index.html", "This figure was not drawn: ./no-gnuplot-here was not found");
}
END_TEST

START_TEST(a_picture_of_before_survives_a_drawing_that_fails)
{
    world_curve("run.jsonl", "sim:plain", 12);
    world_make("run.jsonl", "out", &WORLD_GNUPLOT);
    char *before = world_read("out/mem.latency.curve-1.svg");
    world_script("gnuplot", FAKES[12].body);
    world_make("run.jsonl", "out", &FAKE);
    char *after = world_read("out/mem.latency.curve-1.svg");
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
}
END_TEST

START_TEST(a_signal_while_gnuplot_hangs_ends_both_and_leaves_no_half_file)
{
    world_curve("run.jsonl", "sim:plain", 12);
    world_script("gnuplot", GOOD OUT "echo half >$n.svg; echo $$ >../pid; sleep 600");
    const struct ay_plotter slow = { "./gnuplot", 5000, 600000 };
    const pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_DFL); /* Check has a handler of its own */
        world_make("run.jsonl", "out", &slow);
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
#define POINT(bytes, value, low, high) \
    "{'record':'result','probe':'mem.latency.curve','quantity':'value','point':" \
    "{'ring_bytes':" bytes "},'status':'ok','unit':'cycles','value':" value \
    ",'low':" low ",'high':" high ",'n':9}\n"
    *strstr(run, "{\"record\":\"end\"") = 0;
    snprintf(more, sizeof more, "%s%s", run, POINT("0", "12", "12", "12")
             POINT("64", "-5", "-6", "-4") POINT("128", "5", "-6", "14"));
    world_write_json("run.jsonl", more);
    free(run);
    const struct ay_report_done done = world_make("run.jsonl", "out", &WORLD_GNUPLOT);
    ck_assert_msg(done.n_drawn == 1, "%s", done.plot_problem);
    world_assert_in("out/index.html", "ring_bytes\xc2\xa0" "0 B (<span class=\"num\">12</span>");
    world_assert_in("out/index.html", "ring_bytes\xc2\xa0" "64 B (<span class=\"num\">-5.0</span>");
    world_assert_in("out/mem.latency.curve-1.dat", "\n128 5 1 14\n"); /* its bar ends at the axis */
    world_assert_not_in("out/mem.latency.curve-1.dat", "\n64 ");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("figure");
    TCase *t = tcase_create("figure");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, a_title_in_a_picture_is_the_text_as_it_is);
    tcase_add_test(t, gnuplot_draws_whole_pictures_and_leaves_nothing_else);
    tcase_add_test(t, the_script_draws_the_same_again_in_anyones_hands);
    tcase_add_loop_test(t, whatever_gnuplot_does_results_script_and_one_reason_are_there, 0,
                        sizeof FAKES / sizeof FAKES[0]);
    tcase_add_test(t, without_gnuplot_the_message_says_what_to_install);
    tcase_add_test(t, a_picture_of_before_survives_a_drawing_that_fails);
    tcase_add_test(t, a_signal_while_gnuplot_hangs_ends_both_and_leaves_no_half_file);
    tcase_add_test(t, points_that_a_log_axis_cannot_show_are_named);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
