#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "report/page.h"
#include "report/verdicts.h"

void ay_put_badge(struct ay_out *o, const char *kind, const char *text)
{
    const char *mark = strcmp(kind, "pass") == 0 ? "\xe2\x9c\x93"
                     : strcmp(kind, "fail") == 0 ? "\xe2\x9c\x97"
                     : strcmp(kind, "warn") == 0 ? "!"
                     : strcmp(kind, "skip") == 0 ? "\xe2\x80\x93" : "\xc2\xb7";
    ay_out_format(o, "<span class=\"badge %s\"><span aria-hidden=\"true\">%s</span> ", kind, mark);
    ay_out_html(o, text);
    ay_out_put(o, "</span>");
}

/* --- the top of the page ---------------------------------------------------------------------- */

static void put_title(struct ay_out *o, const struct ay_page *page)
{
    ay_out_put(o, "Assay: ");
    for (size_t i = 0; i < page->n_runs; i++) {
        const struct ay_run *run = page->runs[i].run;
        ay_out_put(o, i ? ", " : "");
        ay_out_html(o, ay_run_device_text(run, "name"));
        if (ay_run_is_simulated(run)) ay_out_put(o, " (simulated)");
    }
}

void ay_put_head(struct ay_out *o, const struct ay_page *page)
{
    ay_out_put(o, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
               "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    put_title(o, page);
    ay_out_put(o, "</title>\n<style>\n");
    ay_out_put(o, page->css);
    ay_out_put(o, "</style>\n</head>\n<body>\n<a class=\"skip-link\" href=\"#main\">Skip to the "
               "results</a>\n<header class=\"masthead\">\n<h1><span>Assay</span> what this "
               "hardware really does</h1>\n");
    if (page->n_runs > 1) {
        ay_out_put(o, "<nav aria-label=\"Runs\"><ul>\n");
        for (size_t i = 0; i < page->n_runs; i++) {
            ay_out_format(o, "<li><a href=\"#run-%zu\">", page->runs[i].number);
            ay_out_html(o, ay_run_device_text(page->runs[i].run, "name"));
            ay_out_put(o, "</a></li>\n");
        }
        ay_out_put(o, "</ul></nav>\n");
    }
    ay_out_put(o, "</header>\n");
}

/* --- the head of a run ------------------------------------------------------------------------ */

static const char *run_text(const struct ay_run *run, const char *member)
{
    const char *text = json_string_value(json_object_get(run->record, member));
    return text ? text : "";
}

static void put_fact(struct ay_out *o, bool *is_first, const char *before, const char *text,
                     const char *after)
{
    if (!text[0]) return;
    if (!*is_first) ay_out_put(o, " <span class=\"dot\">\xc2\xb7</span> ");
    *is_first = false;
    ay_out_put(o, before);
    ay_out_html(o, text);
    ay_out_put(o, after);
}

static void put_facts(struct ay_out *o, const struct ay_run *run)
{
    const json_t *device = json_object_get(run->record, "device");
    const json_t *sms = json_object_get(device, "sms");
    const json_t *seed = json_object_get(run->record, "seed");
    char text[64];
    bool is_first = true;
    ay_out_put(o, "<p class=\"facts\">");
    put_fact(o, &is_first, "", ay_run_device_text(run, "product"), "");
    put_fact(o, &is_first, "", ay_run_device_text(run, "arch"), "");
    if (json_is_integer(sms)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(sms));
        put_fact(o, &is_first, "", text, json_integer_value(sms) == 1 ? " SM" : " SMs");
    }
    put_fact(o, &is_first, "measured <time>", run_text(run, "started"), "</time>");
    put_fact(o, &is_first, "assay ", run_text(run, "assay"), "");
    if (json_is_integer(seed)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(seed));
        put_fact(o, &is_first, "seed ", text, "");
    }
    ay_out_put(o, "</p>\n");
}

static void put_count(struct ay_out *o, const char *kind, size_t n, const char *what)
{
    char text[64];
    if (n == 0) return;
    snprintf(text, sizeof text, "%zu %s", n, what);
    ay_put_badge(o, kind, text);
    ay_out_put(o, "\n");
}

static void put_tally(struct ay_out *o, const struct ay_run *run)
{
    struct ay_verdicts v = { { 0 } };
    ay_count_verdicts(run, &v);
    const size_t n_not_ok = run->tally.n_void + run->tally.n_error;
    ay_out_put(o, "<p class=\"tally\">");
    if (!run->is_complete) ay_put_badge(o, "warn", "incomplete run");
    put_count(o, "info", run->tally.n_ok, "measured");
    put_count(o, "skip", run->tally.n_skip, "skipped");
    put_count(o, "fail", run->tally.n_void, "void");
    put_count(o, "fail", run->tally.n_error, run->tally.n_error == 1 ? "error" : "errors");
    put_count(o, "pass", v.n[AY_PASS], "agree with what was planted");
    put_count(o, "fail", v.n[AY_FAIL_VERDICT] + v.n[AY_ABOVE] - n_not_ok,
              "miss what was planted");
    ay_out_put(o, "</p>\n");
}

void ay_put_run_head(struct ay_out *o, const struct ay_page_run *r, bool has_many)
{
    const struct ay_run *run = r->run;
    ay_out_put(o, "<div class=\"run-head\">\n<h2>");
    ay_out_html(o, ay_run_device_text(run, "name"));
    if (ay_run_is_simulated(run)) ay_out_put(o, " <span class=\"mark\">simulated</span>");
    ay_out_put(o, "</h2>\n");
    put_facts(o, run);
    put_tally(o, run);
    if (has_many) {
        ay_out_put(o, "<p class=\"note\">Run file <code>");
        ay_out_html(o, r->path);
        ay_out_put(o, "</code></p>\n");
    }
    ay_out_put(o, "</div>\n");
    if (ay_run_is_simulated(run))
        ay_out_put(o, "<p class=\"simulated\" role=\"note\"><strong>Simulated device.</strong> "
                   "These numbers show whether the measurement finds what a chip file planted. "
                   "They say nothing about any real GPU.</p>\n");
}

/* --- environment ------------------------------------------------------------------------------ */

static void put_scalar(struct ay_out *o, const json_t *v)
{
    if (json_is_string(v)) {
        ay_out_html(o, json_string_value(v));
        return;
    }
    char *text = ay_json_line(v);
    ay_out_html(o, text ? text : "");
    free(text);
}

/* Nested objects are flattened: driver.version. */
static void put_members(struct ay_out *o, const char *prefix, json_t *object)
{
    const char *key;
    json_t *v;
    json_object_foreach(object, key, v) {
        char name[160];
        snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] ? "." : "", key);
        if (json_is_object(v)) {
            put_members(o, name, v);
            continue;
        }
        ay_out_put(o, "<tr><th scope=\"row\">");
        ay_out_html(o, name);
        ay_out_put(o, "</th><td>");
        if (json_is_null(v)) ay_out_put(o, "<i>not known</i>");
        else put_scalar(o, v);
        ay_out_put(o, "</td></tr>\n");
    }
}

void ay_put_environment(struct ay_out *o, const struct ay_page_run *r)
{
    ay_out_format(o, "<section class=\"environment\">\n<h3 id=\"environment-%zu\">Device and "
                  "environment</h3>\n<table class=\"plain\">\n<caption>What the run recorded about "
                  "where it measured%s</caption>\n<thead><tr><th scope=\"col\">Member</th>"
                  "<th scope=\"col\">Value</th></tr></thead>\n<tbody>\n", r->number,
                  ay_run_is_simulated(r->run) ? " (simulated)" : "");
    put_members(o, "device", json_object_get(r->run->record, "device"));
    put_members(o, "", json_object_get(r->run->record, "environment"));
    ay_out_put(o, "</tbody>\n</table>\n</section>\n");
}
