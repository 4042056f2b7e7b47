/* options.h - the arguments of a command, and its help text, from one table. */
#ifndef AY_OPTIONS_H
#define AY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct ay_option {
    const char *name;  /* "output" is --output; { 0 } ends a table */
    char letter;       /* 'o' is -o; 0: none */
    const char *value; /* what it takes, as help says it: "FILE"; NULL: nothing */
    const char *help;  /* NULL: not in help */
    bool is_repeatable;
};

struct ay_usage {
    const char *command;  /* "run" */
    const char *operands; /* "[PATTERN…]" or "" */
    const char *summary;  /* one line, without full stop, for the overview too */
    const char *text;     /* paragraphs after the options; each line up to 79 columns; or NULL */
    size_t n_least, n_most; /* operands; n_most 0: any number */
    const struct ay_option *options;
};

enum { AY_MAX_GIVEN = 128, AY_GO_ON = -1 };

struct ay_args {
    const struct ay_usage *usage;
    size_t n_operands;
    char **operands; /* in argv */
    size_t n_given;
    struct {
        const struct ay_option *option;
        const char *value; /* NULL: takes none */
    } given[AY_MAX_GIVEN];
};

/* Reads argv[1 …]: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, -abc of letters without values,
 * "--" ends options, "-" is an operand; options and operands may mix. Operands are gathered in
 * argv. AY_GO_ON, or the exit code to end with: 0 after --help or -h was printed, 2 after a
 * complaint that names the nearest option. */
int ay_parse_args(const struct ay_usage *usage, int argc, char **argv, struct ay_args *out);

bool ay_has_option(const struct ay_args *a, const char *name);
/* The value of the i-th --name, in order; NULL: there is none. */
const char *ay_option_value(const struct ay_args *a, const char *name, size_t i);

/* The help text of a command, to stdout. */
void ay_print_help(const struct ay_usage *usage);
/* Words of `text` to stdout in lines up to 79 columns; the cursor is at column `indent` already. */
void ay_print_wrapped(const char *text, int indent);

#endif
