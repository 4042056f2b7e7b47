/* test_validate.c - verdicts as a command gives them, and the commands' usage. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/table.h"
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

/* With ' for ": see world_write_json. */
#define DEVICE "{'record':'run','schema':'assay-run/1','device':{'name':'sim:plain'," \
               "'kind':'simulated'}}\n"
#define ROW(value, more) "{'record':'result','probe':'a.b','quantity':'b','point':{}," \
    "'status':'ok','unit':'cycles','value':" value ",'low':1,'high':9,'n':1" more "}\n"
#define PLANTED ",'planted':{'value':5,'tolerance':0.5}"
#define BAD(status) "{'record':'result','probe':'c.d','point':{},'status':'" status "'," \
    "'reason':'why <&>','value':null}\n"
#define END "{'record':'end','complete':true}\n"
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
    world_write_json("run.jsonl", VERDICTS[_i].run);
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
    world_write_json("run.jsonl", DEVICE END);
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
    world_write_json("deep/run.jsonl", DEVICE ROW("5", PLANTED) END);
    char *const argv[] = { "report", "deep/run.jsonl", NULL };
    ck_assert_int_eq(ay_cmd_report(2, (char **)argv), AY_EXIT_OK);
    ck_assert(world_has("deep/report/index.html"));
}
END_TEST

START_TEST(cells_of_a_table_never_touch)
{
    struct ay_table t = { .n_columns = 4, .titles = { "name", "n", "value", "" }, .right = 6 };
    const char *const cells[][4] = {
        { "0123456789012345678901234567890123456789", "1000000000000", "-1", NULL },
        { "a\tb\x1b[1m", NULL, "1", "\xc2\xb1 0.5" },
    };
    for (size_t i = 0; i < 2; i++)
        ay_table_add(&t, cells[i]);
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    ay_table_print(&t, out);
    fclose(out);
    ck_assert_str_eq(text, "name                                                  n  value\n"
                           "0123456789012345678901234567890123456789  1000000000000     -1\n"
                           "a b [1m                                                      1  "
                           "\xc2\xb1 0.5\n");
    free(text);
    ay_table_close(&t);
    ay_table_close(&t);
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

int main(void)
{
    Suite *s = suite_create("validate");
    TCase *t = tcase_create("validate");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, validate_ends_in_the_code_of_the_table, 0,
                        sizeof VERDICTS / sizeof VERDICTS[0]);
    tcase_add_test(t, what_a_command_cannot_do_is_a_usage_error);
    tcase_add_test(t, without_o_the_report_lies_beside_its_run);
    tcase_add_test(t, cells_of_a_table_never_touch);
    tcase_add_test(t, the_nearest_word_is_near);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
