#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cubin.h"
#include "cli/options.h"
#include "cli/probe_text.h"
#include "core/image.h"
#include "core/text.h"
#include "probes/registry.h"

static const struct ay_option OPTIONS[] = {
    { .name = "all", .help = "every probe" },
    { .name = "sass-rules" }, /* for the check of machine code: a table, not a page */
    { 0 },
};

static const struct ay_usage USAGE = {
    .command = "explain",
    .operands = "PROBE… | --all",
    .summary = "a probe's notebook page: method, quantities, kernels, rules, pitfalls, sources",
    .text = "Rules bound how often an instruction stands in a kernel's machine code, in the timed\n"
            "region or in all of it; a kernel that breaks one gives no number.",
    .options = OPTIONS,
};

enum { INDENT = 2, TEXT_BYTES = 160 };

static void heading(const char *text)
{
    printf("\n%s\n", text);
}

/* --- what is measured ------------------------------------------------------------------------- */

static void print_quantities(const struct ay_probe *p)
{
    heading("QUANTITIES");
    for (const struct ay_quantity *q = p->quantities; q->name; q++) {
        printf("  %s: %s", q->name, ay_unit_text(q->unit));
        if (q->beside) printf(" (and %s)", ay_unit_text(q->beside));
        printf(", %s; %s\n", ay_estimator_text(q->estimator), q->text);
        for (const char *const *l = q->labels; l && *l; l++)
            printf("%s%s%s", l == q->labels ? "      one of " : ", ", *l, l[1] ? "" : "\n");
    }
}

static void print_axes(const struct ay_probe *p)
{
    if (!p->axes || !p->axes[0].name) return;
    heading("POINT");
    for (const struct ay_axis *a = p->axes; a->name; a++) {
        printf("  %s = ", a->name);
        for (const char *const *w = a->words; w && *w; w++) printf("%s%s", *w, w[1] ? ", " : "\n");
        if (a->words) continue;
        printf("%llu", (unsigned long long)a->first);
        if (a->last > a->first)
            printf(" … %llu, times %llu", (unsigned long long)a->last,
                   (unsigned long long)a->times);
        putchar('\n');
    }
    printf("  %zu points, %zu when quick\n", ay_points(p, 0, NULL, 0), ay_points(p, 8, NULL, 0));
}

/* --- kernels and their rules ------------------------------------------------------------------ */

static void print_image(const struct ay_image *image, const char *entry)
{
    struct ay_code_facts facts;
    char hash[65];
    const size_t n_bytes = (size_t)(image->end - image->begin);
    if (!ay_code_facts(image->begin, n_bytes, entry, &facts)) return;
    ay_sha256(image->begin, n_bytes, hash);
    const struct ay_verdict *v = ay_find_verdict(hash, entry);
    const bool is_bad = v && strcmp(v->verdict, "pass");
    printf("    %-8s %5zu instructions, %3u registers, %s%s\n", image->arch,
           facts.n_instructions, facts.n_registers,
           is_bad ? "breaks a rule: " : v ? "keeps its rules" : "unchecked", is_bad ? v->why : "");
}

static void print_kernels(const struct ay_probe *p)
{
    if (!p->kernels || !p->kernels[0].entry) return;
    heading("KERNELS");
    for (const struct ay_kernel *k = p->kernels; k->entry; k++) {
        printf("  %s, from %s\n", k->entry, k->source);
        for (const struct ay_image *i = ay_images; i->source; i++)
            if (i->kind == AY_IMAGE_CUBIN && !strcmp(i->source, k->source))
                print_image(i, k->entry);
    }
}

static void print_bounds(const struct ay_sass_rule *r)
{
    if (r->at_least == r->at_most) printf("exactly %d", r->at_least);
    else if (r->at_most == AY_ANY) printf("at least %d", r->at_least);
    else if (r->at_least == AY_ANY) printf("at most %d", r->at_most);
    else printf("%d to %d", r->at_least, r->at_most);
}

static void print_rules(const struct ay_probe *p)
{
    if (!p->sass || !p->sass[0].op) return;
    heading("SASS RULES");
    for (const struct ay_sass_rule *r = p->sass; r->op; r++) {
        fputs("  ", stdout);
        print_bounds(r);
        printf(" %s in the %s of %s", r->op, r->where == AY_IN_REGION ? "timed region" : "code",
               r->entry ? r->entry : "every kernel");
        if (r->min_sm && r->min_sm == r->max_sm) printf(", on sm_%d alone", r->min_sm);
        else if (r->min_sm) printf(", from sm_%d", r->min_sm);
        if (r->max_sm && r->max_sm != r->min_sm) printf(", up to sm_%d", r->max_sm);
        fputs("\n      ", stdout);
        ay_print_wrapped(r->why, 6);
    }
}

/* --- pitfalls, sources ------------------------------------------------------------------------ */

static void print_list(const char *title, const char *const *texts)
{
    if (!texts || !texts[0]) return;
    heading(title);
    for (; *texts; texts++) {
        fputs("  - ", stdout);
        ay_print_wrapped(*texts, 4);
    }
}

/* "key: reference" of SOURCES.md; `key` may name a section behind a blank. */
static void print_source(const char *key)
{
    const struct ay_text *list = ay_find_text("micro/SOURCES.md");
    const size_t n = strcspn(key, " ");
    char line[512];
    printf("  [%s]", key);
    for (const char *at = list ? list->begin : NULL; at && at < list->end; ) {
        const char *end = memchr(at, '\n', (size_t)(list->end - at));
        if (!end) end = list->end;
        if ((size_t)(end - at) > n && !strncmp(at, key, n) && at[n] == ':') {
            snprintf(line, sizeof line, "%.*s", (int)(end - at - (ptrdiff_t)n - 1), at + n + 1);
            fputs("\n      ", stdout);
            ay_print_wrapped(line + strspn(line, " "), 6);
            return;
        }
        at = end + 1;
    }
    putchar('\n');
}

static void print_sources(const struct ay_probe *p)
{
    if (!p->sources || !p->sources[0]) return;
    heading("SOURCES");
    for (const char *const *key = p->sources; *key; key++) print_source(*key);
}

static void print_page(const struct ay_probe *p)
{
    char needs[TEXT_BYTES];
    printf("%s\n\n", p->name);
    ay_print_wrapped(p->question, 0);
    heading("METHOD");
    fputs("  ", stdout);
    ay_print_wrapped(p->method, INDENT);
    print_quantities(p);
    print_axes(p);
    heading("NEEDS");
    printf("  %s\n", ay_needs_text(p, needs, sizeof needs));
    print_kernels(p);
    print_rules(p);
    print_list("PITFALLS", p->pitfalls);
    print_sources(p);
}

/* --- the table of rules ----------------------------------------------------------------------- */

/* A kernel that is built for some architectures alone is asked for there alone. */
static int least_sm(const struct ay_probe *p, const struct ay_sass_rule *r)
{
    return r && r->min_sm > p->needs.min_sm ? r->min_sm : p->needs.min_sm;
}

static void print_rule(const struct ay_probe *p, const struct ay_kernel *k,
                       const struct ay_sass_rule *r)
{
    printf("%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\n", p->name, k->source, k->entry,
           r && r->where == AY_IN_REGION ? "region" : "kernel", r ? r->op : "-",
           r ? r->at_least : AY_ANY, r ? r->at_most : AY_ANY, least_sm(p, r), r ? r->max_sm : 0,
           r ? r->why : "no rule: the kernel exists");
}

static void print_rule_table(void)
{
    for (const struct ay_probe *const *p = ay_probes(); *p; p++)
        for (const struct ay_kernel *k = (*p)->kernels; k && k->entry; k++) {
            bool has_rule = false;
            for (const struct ay_sass_rule *r = (*p)->sass; r && r->op; r++) {
                if (r->entry && strcmp(r->entry, k->entry)) continue;
                print_rule(*p, k, r);
                has_rule = true;
            }
            if (!has_rule) print_rule(*p, k, NULL);
        }
}

int ay_cmd_explain(int argc, char **argv)
{
    struct ay_args args;
    const int code = ay_parse_args(&USAGE, argc, argv, &args);
    if (code != AY_GO_ON) return code;
    if (ay_has_option(&args, "sass-rules")) {
        print_rule_table();
        return AY_EXIT_OK;
    }
    const bool is_all = ay_has_option(&args, "all");
    if (is_all == (args.n_operands > 0))
        return ay_complain(AY_EXIT_USAGE, "explain wants a probe's name, or --all; assay list "
                           "shows the names");
    for (size_t i = 0; i < args.n_operands; i++)
        if (!ay_find_probe(args.operands[i])) return ay_no_such_probe(args.operands[i]);
    const char *gap = "";
    for (size_t i = 0; i < args.n_operands; i++, gap = "\n\n") {
        fputs(gap, stdout);
        print_page(ay_find_probe(args.operands[i]));
    }
    for (const struct ay_probe *const *p = ay_probes(); is_all && *p; p++, gap = "\n\n") {
        fputs(gap, stdout);
        print_page(*p);
    }
    return AY_EXIT_OK;
}
