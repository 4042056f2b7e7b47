#include "cli/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static const struct ay_option HELP = { .name = "help", .letter = 'h', .help = "this text" };

/* --- help ------------------------------------------------------------------------------------- */

/* Columns, where each code point takes one: "…" is three bytes. */
static int columns(const char *text)
{
    int n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

void ay_print_wrapped(const char *text, int indent)
{
    int at = indent;
    while (*text) {
        char word[128];
        size_t n = strcspn(text, " ");
        while (text[n] == ' ' && text[n + 1] == '%') n += 1 + strcspn(text + n + 1, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        text += n + (text[n] == ' ');
        if (at > indent && at + 1 + columns(word) > 79) {
            printf("\n%*s", indent, "");
            at = indent;
        }
        at += printf("%s", at > indent ? " " : "") + columns(word);
        fputs(word, stdout);
    }
    putchar('\n');
}

static void describe(const struct ay_option *o, char *into, size_t into_bytes)
{
    char letter[5] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(into, into_bytes, "  %s--%s%s%s", letter, o->name, o->value ? " " : "",
             o->value ? o->value : "");
}

static void print_option(const struct ay_option *o, int width)
{
    char text[80];
    describe(o, text, sizeof text);
    printf("%s%*s", text, width + 2 - columns(text), "");
    ay_print_wrapped(o->help, width + 2);
}

void ay_print_help(const struct ay_usage *u)
{
    char text[80];
    int width = 0;
    for (const struct ay_option *o = u->options; o && o->name; o++) {
        describe(o, text, sizeof text);
        if (o->help && columns(text) > width) width = columns(text);
    }
    describe(&HELP, text, sizeof text);
    if (columns(text) > width) width = columns(text);

    printf("usage: assay %s [OPTION…]%s%s\n\n%c%s.\n\n", u->command, u->operands[0] ? " " : "",
           u->operands, toupper((unsigned char)u->summary[0]), u->summary + 1);
    for (const struct ay_option *o = u->options; o && o->name; o++)
        if (o->help) print_option(o, width);
    print_option(&HELP, width);
    if (u->text) printf("\n%s%s", u->text, u->text[strlen(u->text) - 1] == '\n' ? "" : "\n");
}

/* --- reading ---------------------------------------------------------------------------------- */

static const struct ay_option *by_name(const struct ay_usage *u, const char *name, size_t n)
{
    for (const struct ay_option *o = u->options; o && o->name; o++)
        if (strlen(o->name) == n && !strncmp(o->name, name, n)) return o;
    return n == 4 && !strncmp(name, "help", 4) ? &HELP : NULL;
}

static const struct ay_option *by_letter(const struct ay_usage *u, char letter)
{
    for (const struct ay_option *o = u->options; o && o->name; o++)
        if (o->letter == letter) return o;
    return letter == 'h' ? &HELP : NULL;
}

static int unknown(const struct ay_usage *u, const char *name)
{
    const char *names[AY_MAX_GIVEN + 2];
    size_t n = 0;
    for (const struct ay_option *o = u->options; o && o->name && n < AY_MAX_GIVEN; o++)
        if (o->help) names[n++] = o->name;
    names[n++] = HELP.name;
    names[n] = NULL;
    const char *near = ay_nearest(name, names);
    if (!near)
        return ay_complain(AY_EXIT_USAGE, "%s has no option --%s; see assay help %s", u->command,
                           name, u->command);
    return ay_complain(AY_EXIT_USAGE, "%s has no option --%s; did you mean --%s?", u->command, name,
                       near);
}

static int add(struct ay_args *a, const struct ay_option *o, const char *value)
{
    for (size_t i = 0; i < a->n_given && !o->is_repeatable; i++)
        if (a->given[i].option == o)
            return ay_complain(AY_EXIT_USAGE, "--%s is given twice", o->name);
    if (a->n_given == AY_MAX_GIVEN)
        return ay_complain(AY_EXIT_USAGE, "more than %d options", AY_MAX_GIVEN);
    a->given[a->n_given].option = o;
    a->given[a->n_given++].value = value;
    return AY_GO_ON;
}

/* What an argument before it may have left to take: argv[*i + 1]. */
static int add_with_next(struct ay_args *a, const struct ay_option *o, int argc, char **argv,
                         int *i)
{
    if (*i + 1 >= argc)
        return ay_complain(AY_EXIT_USAGE, "--%s wants a value: --%s %s", o->name, o->name,
                           o->value);
    return add(a, o, argv[++*i]);
}

static int read_long(struct ay_args *a, int argc, char **argv, int *i)
{
    const char *name = argv[*i] + 2, *equals = strchr(name, '=');
    const size_t n = equals ? (size_t)(equals - name) : strlen(name);
    const struct ay_option *o = by_name(a->usage, name, n);
    if (!o) {
        char bare[80];
        snprintf(bare, sizeof bare, "%.*s", (int)(n < sizeof bare ? n : sizeof bare - 1), name);
        return unknown(a->usage, bare);
    }
    if (!o->value && equals)
        return ay_complain(AY_EXIT_USAGE, "--%s takes no value", o->name);
    if (!o->value) return add(a, o, NULL);
    return equals ? add(a, o, equals + 1) : add_with_next(a, o, argc, argv, i);
}

static int read_letters(struct ay_args *a, int argc, char **argv, int *i)
{
    for (const char *c = argv[*i] + 1; *c; c++) {
        const struct ay_option *o = by_letter(a->usage, *c);
        if (!o)
            return ay_complain(AY_EXIT_USAGE, "%s has no option -%c; see assay help %s",
                               a->usage->command, *c, a->usage->command);
        if (o->value && c[1]) return add(a, o, c + 1);
        const int code = o->value ? add_with_next(a, o, argc, argv, i) : add(a, o, NULL);
        if (code != AY_GO_ON || o->value) return code;
    }
    return AY_GO_ON;
}

static int check_operands(const struct ay_args *a)
{
    const struct ay_usage *u = a->usage;
    if (a->n_operands < u->n_least)
        return ay_complain(AY_EXIT_USAGE, "%s wants more: assay %s %s", u->command, u->command,
                           u->operands);
    if (u->n_most && a->n_operands > u->n_most)
        return ay_complain(AY_EXIT_USAGE, "%s does not know what to do with \"%s\"", u->command,
                           a->operands[u->n_most]);
    return AY_GO_ON;
}

int ay_parse_args(const struct ay_usage *usage, int argc, char **argv, struct ay_args *out)
{
    *out = (struct ay_args){ .usage = usage, .operands = argv + 1 };
    bool is_over = false;
    for (int i = 1; i < argc; i++) {
        int code = AY_GO_ON;
        if (is_over || argv[i][0] != '-' || !argv[i][1])
            out->operands[out->n_operands++] = argv[i];
        else if (!strcmp(argv[i], "--"))
            is_over = true;
        else if (argv[i][1] == '-')
            code = read_long(out, argc, argv, &i);
        else
            code = read_letters(out, argc, argv, &i);
        if (code != AY_GO_ON) return code;
    }
    if (ay_has_option(out, "help")) {
        ay_print_help(usage);
        return AY_EXIT_OK;
    }
    return check_operands(out);
}

bool ay_has_option(const struct ay_args *a, const char *name)
{
    for (size_t i = 0; i < a->n_given; i++)
        if (!strcmp(a->given[i].option->name, name)) return true;
    return false;
}

const char *ay_option_value(const struct ay_args *a, const char *name, size_t i)
{
    for (size_t k = 0; k < a->n_given; k++)
        if (!strcmp(a->given[k].option->name, name) && i-- == 0) return a->given[k].value;
    return NULL;
}
