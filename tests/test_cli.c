/* test_cli.c - the command line: tests/cli.txt line by line, and what no single line can say. */
#include <check.h>
#include <jansson.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comma_locale.h"
#include "shell.h"

enum { MOST_LINES = 400, LINE_BYTES = 1024, FLAT_BYTES = 1 << 17 };

struct line {
    int number, exit_code;
    char arguments[LINE_BYTES], out[LINE_BYTES], err[LINE_BYTES];
};

/* --- the table -------------------------------------------------------------------------------- */

/* Cuts " | " off at the end of *at and moves behind it; NULL: there is none. */
static char *field(char **at)
{
    char *begin = *at, *bar = begin ? strstr(begin, " | ") : NULL;
    *at = bar ? bar + 3 : NULL;
    if (bar) *bar = 0;
    return begin;
}

static void keep(char *into, const char *text, int number)
{
    ck_assert_msg(strlen(text) < LINE_BYTES, "tests/cli.txt:%d: a field is too long", number);
    strcpy(into, text);
}

static size_t read_table(struct line *lines)
{
    FILE *f = fopen("tests/cli.txt", "r");
    ck_assert_msg(f != NULL, "tests/cli.txt is not to be read from here");
    char text[3 * LINE_BYTES];
    size_t n = 0;
    for (int number = 1; fgets(text, sizeof text, f); number++) {
        text[strcspn(text, "\n")] = 0;
        if (!text[0] || text[0] == '#') continue;
        char *at = text;
        const char *arguments = field(&at), *code = field(&at), *out = field(&at), *err = at;
        ck_assert_msg(err != NULL, "tests/cli.txt:%d: four fields are wanted", number);
        ck_assert_uint_lt(n, MOST_LINES);
        struct line *l = &lines[n++];
        *l = (struct line){ .number = number, .exit_code = atoi(code) };
        keep(l->arguments, arguments, number);
        keep(l->out, out, number);
        keep(l->err, err, number);
    }
    fclose(f);
    ck_assert_msg(n > 40, "only %zu lines in tests/cli.txt", n);
    return n;
}

static void check_stream(const struct line *l, const char *name, const char *pattern,
                         const char *text, size_t n)
{
    regex_t re;
    char flat[FLAT_BYTES];
    ck_assert_msg(memchr(text, 0x1b, n) == NULL, "tests/cli.txt:%d: an escape byte in %s",
                  l->number, name);
    if (!strcmp(pattern, "-")) {
        ck_assert_msg(n == 0, "tests/cli.txt:%d: %s is to be empty, not: %.300s", l->number, name,
                      text);
        return;
    }
    snprintf(flat, sizeof flat, "%s", text);
    if (n && flat[strlen(flat) - 1] == '\n') flat[strlen(flat) - 1] = 0;
    ck_assert_msg(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) == 0,
                  "tests/cli.txt:%d: no regular expression: %s", l->number, pattern);
    const int missed = pattern[0] && regexec(&re, flat, 0, NULL, 0) != 0;
    regfree(&re);
    ck_assert_msg(!missed, "tests/cli.txt:%d: assay %s: %s does not match %s:\n%.1000s", l->number,
                  l->arguments, name, pattern, text);
}

START_TEST(every_line_of_the_table_holds)
{
    struct line *lines = calloc(MOST_LINES, sizeof *lines);
    const size_t n = read_table(lines);
    for (size_t i = 0; i < n; i++) {
        struct shell_output o = shell_assay(lines[i].arguments);
        ck_assert_msg(o.exit_code == lines[i].exit_code,
                      "tests/cli.txt:%d: assay %s: exit code %d, not %d\n%.500s%.500s",
                      lines[i].number, lines[i].arguments, o.exit_code, lines[i].exit_code, o.out,
                      o.err);
        check_stream(&lines[i], "stdout", lines[i].out, o.out, o.n_out);
        check_stream(&lines[i], "stderr", lines[i].err, o.err, o.n_err);
        shell_end(&o);
    }
    free(lines);
}
END_TEST

START_TEST(a_german_locale_changes_no_byte_of_stdout)
{
    struct line *lines = calloc(MOST_LINES, sizeof *lines);
    const size_t n = read_table(lines);
    if (comma_locale_open()) {
        for (size_t i = 0; i < n; i++) {
            struct shell_output german = shell_assay(lines[i].arguments);
            char command[LINE_BYTES + 512];
            snprintf(command, sizeof command, "LC_ALL=C '%s' %s", shell_assay_path(),
                     lines[i].arguments);
            struct shell_output plain = shell_run(command);
            ck_assert_msg(german.n_out == plain.n_out && !memcmp(german.out, plain.out,
                                                                 plain.n_out) &&
                              german.exit_code == plain.exit_code,
                          "tests/cli.txt:%d: assay %s speaks German", lines[i].number,
                          lines[i].arguments);
            shell_end(&german);
            shell_end(&plain);
        }
        comma_locale_close();
    }
    free(lines);
}
END_TEST

/* --- what no line can say --------------------------------------------------------------------- */

/* The k-th command of the overview: lines that begin with two blanks and a word. */
static bool command_of(const char *overview, size_t k, char *into, size_t into_bytes)
{
    for (const char *at = overview; (at = strstr(at, "\n  ")); ) {
        at += 3;
        const size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        if (n == 0 || at[n] != ' ' || k--) continue;
        snprintf(into, into_bytes, "%.*s", (int)n, at);
        return true;
    }
    return false;
}

START_TEST(every_command_of_the_overview_explains_itself)
{
    struct shell_output overview = shell_assay("help");
    char name[32], arguments[64];
    size_t n = 0;
    for (; command_of(overview.out, n, name, sizeof name); n++) {
        snprintf(arguments, sizeof arguments, "help %s", name);
        struct shell_output a = shell_assay(arguments);
        snprintf(arguments, sizeof arguments, "%s --help", strcmp(name, "help") ? name : "");
        struct shell_output b = shell_assay(arguments);
        ck_assert_msg(a.exit_code == 0 && b.exit_code == 0, "%s: %d, %d", name, a.exit_code,
                      b.exit_code);
        ck_assert_msg(!strcmp(a.out, b.out) && strstr(a.out, "usage: assay") == a.out,
                      "help of %s", name);
        shell_end(&a);
        shell_end(&b);
        snprintf(arguments, sizeof arguments, "%s --no-such-option", name);
        struct shell_output c = shell_assay(arguments);
        if (strcmp(name, "help"))
            ck_assert_msg(c.exit_code == 2 && c.n_out == 0, "%s takes any option", name);
        shell_end(&c);
    }
    ck_assert_uint_ge(n, 7);
    shell_end(&overview);
}
END_TEST

START_TEST(a_reader_that_has_seen_enough_is_no_failure)
{
    char command[1024];
    const char *const talkative[] = { "explain --all", "list", "help" };
    for (size_t i = 0; i < 3; i++) {
        snprintf(command, sizeof command,
                 "exec 3>&1; { sleep 0.1; '%s' %s; echo \"exit $?\" >&3; } | true",
                 shell_assay_path(), talkative[i]);
        struct shell_output o = shell_run(command);
        ck_assert_str_eq(o.out, "exit 0\n");
        ck_assert_str_eq(o.err, "");
        shell_end(&o);
    }
}
END_TEST

START_TEST(each_line_of_json_is_a_probe_and_each_probe_has_a_line)
{
    struct shell_output json = shell_assay("list --json"), table = shell_assay("list");
    size_t n = 0, n_rows = 0;
    for (char *at = strtok(json.out, "\n"); at; at = strtok(NULL, "\n"), n++) {
        json_error_t why;
        json_t *one = json_loads(at, JSON_REJECT_DUPLICATES, &why);
        ck_assert_msg(one != NULL, "%s: %s", why.text, at);
        const char *name = json_string_value(json_object_get(one, "probe"));
        ck_assert(name && strstr(table.out, name));
        ck_assert(json_array_size(json_object_get(one, "quantities")) > 0);
        json_decref(one);
    }
    for (const char *c = table.out; *c; c++) n_rows += *c == '\n';
    ck_assert(n > 0 && n == n_rows - 1);
    shell_end(&json);
    shell_end(&table);
}
END_TEST

START_TEST(a_rule_has_ten_fields)
{
    struct shell_output rules = shell_assay("explain --sass-rules");
    size_t n = 0;
    for (char *at = strtok(rules.out, "\n"); at; at = strtok(NULL, "\n"), n++) {
        size_t n_tabs = 0;
        for (const char *c = at; *c; c++) n_tabs += *c == '\t';
        ck_assert_msg(n_tabs == 9, "%zu fields: %s", n_tabs + 1, at);
    }
    ck_assert_uint_gt(n, 0);
    shell_end(&rules);
}
END_TEST

int main(void)
{
    setenv("TERM", "xterm-256color", 1); /* colours are wanted, but there is no terminal */
    unsetenv("NO_COLOR");
    unsetenv("LC_ALL");
    Suite *s = suite_create("cli");
    TCase *t = tcase_create("cli");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, every_line_of_the_table_holds);
    tcase_add_test(t, a_german_locale_changes_no_byte_of_stdout);
    tcase_add_test(t, every_command_of_the_overview_explains_itself);
    tcase_add_test(t, a_reader_that_has_seen_enough_is_no_failure);
    tcase_add_test(t, each_line_of_json_is_a_probe_and_each_probe_has_a_line);
    tcase_add_test(t, a_rule_has_ten_fields);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
