#include "report/page.h"

#include <stdio.h>
#include <string.h>

#include "report/format.h"
#include "report/order.h"
#include "report/verdicts.h"

/* --- warnings --------------------------------------------------------------------------------- */

static size_t n_row_warnings(const struct ay_run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->rows.n; i++)
        n += run->rows.rows[i].n_warnings;
    return n;
}

/* The same words of many points are said once, with how often. */
static size_t n_same(const struct ay_run *run, size_t row, size_t warning)
{
    const struct ay_row *first = &run->rows.rows[row];
    size_t n = 0;
    for (size_t i = 0; i < run->rows.n; i++) {
        const struct ay_row *other = &run->rows.rows[i];
        if (strcmp(first->probe, other->probe) != 0) continue;
        for (size_t k = 0; k < other->n_warnings; k++) {
            if (strcmp(first->warnings[warning], other->warnings[k]) != 0) continue;
            if (i < row || (i == row && k < warning)) return 0; /* said already */
            n++;
        }
    }
    return n;
}

static void put_warnings(struct ay_out *o, const struct ay_page *page, const struct ay_page_run *r)
{
    const struct ay_run *run = r->run;
    size_t n_file = 0;
    for (size_t i = 0; i < page->n_files; i++)
        if (strcmp(page->files[i]->path, r->path) == 0) n_file += page->files[i]->n_warnings;
    if (run->is_complete && n_file == 0 && n_row_warnings(run) == 0) return;
    ay_out_format(o, "<section class=\"warnings\">\n"
                  "<h3 id=\"warnings-%zu\">Warnings and notes</h3>\n<ul>\n", r->number);
    if (!run->is_complete)
        ay_out_put(o, "<li>This run did not come to its end: what is missing here was not "
                   "measured. Run it again to have it whole.</li>\n");
    for (size_t i = 0; i < page->n_files; i++)
        for (size_t k = 0; k < page->files[i]->n_warnings; k++) {
            if (strcmp(page->files[i]->path, r->path) != 0) continue;
            ay_out_put(o, "<li>Run file: ");
            ay_out_html(o, page->files[i]->warnings[k]);
            ay_out_put(o, "</li>\n");
        }
    for (size_t i = 0; i < run->rows.n; i++)
        for (size_t k = 0; k < run->rows.rows[i].n_warnings; k++) {
            const size_t n = n_same(run, i, k);
            if (n == 0) continue;
            ay_out_put(o, "<li><code>");
            ay_out_html(o, run->rows.rows[i].probe);
            ay_out_put(o, "</code> ");
            ay_out_html(o, run->rows.rows[i].warnings[k]);
            if (n > 1) ay_out_format(o, " (%zu times)", n);
            ay_out_put(o, "</li>\n");
        }
    ay_out_put(o, "</ul>\n</section>\n");
}

/* --- figures ---------------------------------------------------------------------------------- */

static void put_left_out(struct ay_out *o, const struct ay_curve *c)
{
    if (c->n_left_out == 0) return;
    ay_out_put(o, "<p class=\"note\">Left out of the figure, for want of a positive value that a "
               "log axis could show: ");
    for (size_t i = 0; i < c->n_left_out; i++) {
        const struct ay_row *row = c->left_out[i];
        char text[256];
        ay_out_put(o, i ? "; " : "");
        ay_out_html(o, ay_point_display(&row->point, text, sizeof text));
        ay_out_put(o, " (");
        if (row->status == AY_ROW_OK) ay_put_value(o, row);
        else ay_out_put(o, ay_row_status_text(row->status));
        ay_out_put(o, ")");
    }
    ay_out_put(o, ".</p>\n");
}

/* The picture as a document of its own: gnuplot repeats ids from one to the next. */
static void put_picture(struct ay_out *o, const struct ay_page *page, const struct ay_figure *f)
{
    struct ay_out svg = { 0 };
    struct ay_error err;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.svg", page->folder, f->stem);
    if (ay_out_load(&svg, path, &err) == AY_OK) {
        ay_out_put(o, "<iframe sandbox=\"allow-scripts\" title=\"");
        ay_out_html(o, f->title);
        ay_out_put(o, "\" src=\"data:image/svg+xml;base64,");
        ay_out_base64(o, svg.text, svg.n);
        ay_out_put(o, "\"></iframe>\n");
    } else {
        ay_out_put(o, "<p class=\"note\">");
        ay_out_html(o, err.text);
        ay_out_put(o, "</p>\n");
    }
    ay_out_close(&svg);
}

static void put_levels(struct ay_out *o, const struct ay_curve *c)
{
    for (size_t i = 0; i < c->n_levels; i++) {
        ay_out_put(o, i ? ", " : " Levels: ");
        ay_out_html(o, c->levels[i]->quantity);
        ay_out_put(o, " <b>");
        ay_put_value(o, c->levels[i]);
        ay_out_put(o, "</b>");
    }
    if (c->n_levels) ay_out_put(o, ".");
}

static void put_figure(struct ay_out *o, const struct ay_page *page, const struct ay_page_run *r,
                       const struct ay_figure *f)
{
    const bool is_simulated = ay_run_is_simulated(r->run);
    ay_out_format(o, "<figure%s>\n", is_simulated ? " class=\"is-simulated\"" : "");
    if (f->plotted.has_svg) put_picture(o, page, f);
    if (f->plotted.why[0]) {
        ay_out_put(o, "<p class=\"missing\">");
        ay_out_put(o, f->plotted.has_svg ? "Not all of this figure was drawn: "
                                         : "This figure was not drawn: ");
        ay_out_html(o, f->plotted.why);
        ay_out_put(o, "</p>\n");
    }
    ay_out_put(o, "<figcaption><p><code>");
    ay_out_html(o, f->curve.probe);
    ay_out_put(o, "</code> ");
    const struct ay_probe *probe = ay_probe_named(page->probes, f->curve.probe);
    ay_out_html(o, probe ? probe->question : "");
    put_levels(o, &f->curve);
    if (is_simulated) ay_out_put(o, " <b class=\"mark\">Simulated.</b>");
    ay_out_put(o, "</p>\n");
    put_left_out(o, &f->curve);
    static const char *const SUFFIXES[] = { "svg", "png", "gp", "dat" };
    ay_out_put(o, "<p class=\"files\">Beside this page:");
    for (size_t i = 0; i < 4; i++) {
        const bool is_there = i == 0 ? f->plotted.has_svg
                            : i == 1 ? f->plotted.has_png
                            : i == 2 ? f->curve.n_points > 0 : true;
        if (is_there)
            ay_out_format(o, " <a href=\"%s.%s\">%s.%s</a>", f->stem, SUFFIXES[i], f->stem,
                          SUFFIXES[i]);
    }
    if (f->curve.n_points)
        ay_out_format(o, ". Draw it again: <code>gnuplot %s.gp</code>", f->stem);
    ay_out_put(o, "</p></figcaption>\n</figure>\n");
}

void ay_put_figures(struct ay_out *o, const struct ay_page *page, const struct ay_page_run *r)
{
    if (r->n_figures == 0) return;
    ay_out_format(o, "<section class=\"figures\">\n<h3 id=\"figures-%zu\">Figures</h3>\n",
                  r->number);
    for (size_t i = 0; i < r->n_figures; i++)
        put_figure(o, page, r, &r->figures[i]);
    ay_out_put(o, "</section>\n");
}

/* --- the whole -------------------------------------------------------------------------------- */

static void put_run(struct ay_out *o, const struct ay_page *page, const struct ay_page_run *r)
{
    ay_out_format(o, "<section class=\"run\" id=\"run-%zu\">\n", r->number);
    ay_put_run_head(o, r, page->n_runs > 1);
    if (r->run->rows.n == 0)
        ay_out_put(o, "<p class=\"empty\">This run has no results: nothing was measured before it "
                   "ended. The run file is intact; run <code>assay run</code> again.</p>\n");
    ay_put_summary(o, r);
    put_warnings(o, page, r);
    ay_put_figures(o, page, r);
    ay_put_results(o, page, r);
    ay_put_environment(o, r);
    ay_out_put(o, "</section>\n");
}

void ay_put_page(struct ay_out *o, const struct ay_page *page)
{
    ay_put_head(o, page);
    ay_out_put(o, "<main id=\"main\">\n");
    for (size_t i = 0; i < page->n_runs; i++)
        put_run(o, page, &page->runs[i]);
    ay_out_put(o, "</main>\n<footer>\n<p>Made by assay ");
    ay_out_html(o, page->version);
    ay_out_put(o, " from ");
    for (size_t i = 0; i < page->n_files; i++) {
        ay_out_put(o, i ? ", <code>" : "<code>");
        ay_out_html(o, page->files[i]->path);
        ay_out_put(o, "</code>");
    }
    ay_out_put(o, ". The same numbers as tables: <a href=\"results.csv\">results.csv</a>, "
               "<a href=\"results.md\">results.md</a>.</p>\n"
               "<p>Interval: rank-based, 95&#8239;%. Stop: why sampling ended. Machine code: the "
               "kernel that ran, held against what its probe claims of it. Planted: on a simulated "
               "GPU the truth follows in closed form from its chip file, which the measurement "
               "cannot see.</p>\n</footer>\n</body>\n</html>\n");
}
