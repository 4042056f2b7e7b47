#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/probe_text.h"
#include "core/row.h"
#include "probes/registry.h"

static const struct ay_option OPTIONS[] = {
    { .name = "json", .help = "one JSON object a line" },
    { 0 },
};

static const struct ay_usage USAGE = {
    .command = "list",
    .operands = "[PATTERN…]",
    .summary = "the probes: name, unit, needs, question",
    .text = "PATTERN is a shell pattern over the whole name, in quotes: 'mem.*', '*latency'.\n"
            "assay explain PROBE says how one measures.",
    .options = OPTIONS,
};

enum { TEXT_BYTES = 96 };

static bool is_asked(const struct ay_probe *p, const struct ay_args *args)
{
    for (size_t i = 0; i < args->n_operands; i++)
        if (fnmatch(args->operands[i], p->name, 0) == 0) return true;
    return args->n_operands == 0;
}

/* A pattern that matches nothing is a mistyped one. */
static int check_patterns(const struct ay_args *args)
{
    for (size_t i = 0; i < args->n_operands; i++) {
        bool is_used = false;
        for (const struct ay_probe *const *p = ay_probes(); *p; p++)
            is_used |= fnmatch(args->operands[i], (*p)->name, 0) == 0;
        if (!is_used) return ay_no_such_probe(args->operands[i]);
    }
    return AY_GO_ON;
}

static int wider(int width, const char *text)
{
    const int n = (int)strlen(text);
    return n > width ? n : width;
}

static void print_table(const struct ay_args *args)
{
    char unit[TEXT_BYTES], needs[TEXT_BYTES];
    int name_width = 5, unit_width = 4, needs_width = 5;
    for (const struct ay_probe *const *p = ay_probes(); *p; p++) {
        if (!is_asked(*p, args)) continue;
        name_width = wider(name_width, (*p)->name);
        unit_width = wider(unit_width, ay_units_text(*p, unit, sizeof unit));
        needs_width = wider(needs_width, ay_needs_text(*p, needs, sizeof needs));
    }
    printf("%-*s  %-*s  %-*s  QUESTION\n", name_width, "PROBE", unit_width, "UNIT", needs_width,
           "NEEDS");
    for (const struct ay_probe *const *p = ay_probes(); *p; p++)
        if (is_asked(*p, args))
            printf("%-*s  %-*s  %-*s  %s\n", name_width, (*p)->name, unit_width,
                   ay_units_text(*p, unit, sizeof unit), needs_width,
                   ay_needs_text(*p, needs, sizeof needs), (*p)->question);
}

static json_t *quantities_of(const struct ay_probe *p)
{
    json_t *all = json_array();
    for (const struct ay_quantity *q = p->quantities; q->name; q++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "name", q->name, "unit",
                                             ay_unit_text(q->unit), "text", q->text));
    return all;
}

static json_t *axes_of(const struct ay_probe *p)
{
    json_t *all = json_array();
    for (const struct ay_axis *a = p->axes; a && a->name; a++)
        json_array_append_new(all, json_string(a->name));
    return all;
}

static bool print_json(const struct ay_probe *p)
{
    char needs[TEXT_BYTES];
    json_t *one = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "probe", p->name, "question",
                            p->question, "belongs", p->belongs == AY_ON_HOST ? "host" : "gpu",
                            "needs", ay_needs_text(p, needs, sizeof needs), "axes", axes_of(p),
                            "quantities", quantities_of(p));
    char *line = one ? ay_json_line(one) : NULL;
    if (line) puts(line);
    free(line);
    json_decref(one);
    return line != NULL;
}

int ay_cmd_list(int argc, char **argv)
{
    struct ay_args args;
    int code = ay_parse_args(&USAGE, argc, argv, &args);
    if (code == AY_GO_ON) code = check_patterns(&args);
    if (code != AY_GO_ON) return code;
    if (!ay_has_option(&args, "json")) {
        print_table(&args);
        return AY_EXIT_OK;
    }
    for (const struct ay_probe *const *p = ay_probes(); *p; p++)
        if (is_asked(*p, &args) && !print_json(*p))
            return ay_complain(AY_EXIT_BAD, "no memory for a line of JSON");
    return AY_EXIT_OK;
}
