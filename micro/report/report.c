#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/order.h"
#include "report/tables.h"

/* --- figures ---------------------------------------------------------------------------------- */

struct drawing {
    const struct ay_report_wants *wants;
    struct ay_report_done *done;
    bool is_asked, can_plot; /* gnuplot is asked for its version once, when a figure wants it */
    char why_not[512];
};

static void note(struct drawing *d, const struct ay_figure *f)
{
    d->done->n_figures++;
    d->done->n_drawn += f->plotted.has_svg;
    if (f->plotted.why[0] && f->curve.n_points && !d->done->plot_problem[0])
        snprintf(d->done->plot_problem, sizeof d->done->plot_problem, "%s", f->plotted.why);
}

static enum ay_status add_figure(struct drawing *d, struct ay_page_run *r, struct ay_curve *curve,
                                 struct ay_error *err)
{
    struct ay_figure *more = realloc(r->figures, (r->n_figures + 1) * sizeof *more);
    if (!more) {
        ay_curve_close(curve);
        return AY_FAIL(err, AY_NOMEM, "out of memory for a figure");
    }
    r->figures = more;
    if (!d->is_asked)
        d->can_plot = ay_can_plot(&d->wants->plotter, d->why_not, sizeof d->why_not);
    d->is_asked = true;
    struct ay_figure *f = &r->figures[r->n_figures];
    AY_TRY(ay_make_figure(r->run, r->number, curve, d->wants->folder,
                          d->can_plot ? &d->wants->plotter : NULL, d->why_not, f, err));
    r->n_figures++;
    note(d, f);
    return AY_OK;
}

static enum ay_status add_figures(struct drawing *d, struct ay_page_run *r, struct ay_error *err)
{
    for (size_t from = 0;;) {
        struct ay_curve curve;
        bool is_found;
        AY_TRY(ay_next_curve(r->run, &from, &curve, &is_found, err));
        if (!is_found) return AY_OK;
        AY_TRY(add_figure(d, r, &curve, err));
    }
}

/* --- the folder ------------------------------------------------------------------------------- */

static enum ay_status save(struct ay_out *o, const char *folder, const char *name,
                           struct ay_error *err)
{
    const enum ay_status s = ay_out_save(o, folder, name, err);
    ay_out_close(o);
    return s;
}

static enum ay_status write_all(const struct ay_page *page, struct ay_error *err)
{
    struct ay_out o = { 0 };
    ay_put_csv(&o, page->runs, page->n_runs);
    AY_TRY(save(&o, page->folder, "results.csv", err));
    ay_put_markdown(&o, page->runs, page->n_runs);
    AY_TRY(save(&o, page->folder, "results.md", err));
    ay_put_page(&o, page);
    return save(&o, page->folder, "index.html", err);
}

static enum ay_status fill(struct ay_page_run *runs, size_t n_runs, struct drawing *d,
                           struct ay_error *err)
{
    for (size_t i = 0; i < n_runs; i++) {
        runs[i].rows = ay_ordered_rows(runs[i].run);
        if (!runs[i].rows && runs[i].run->rows.n)
            return AY_FAIL(err, AY_NOMEM, "out of memory for the report");
        d->done->n_rows += runs[i].run->rows.n;
        AY_TRY(add_figures(d, &runs[i], err));
    }
    return AY_OK;
}

static void close_runs(struct ay_page_run *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < runs[i].n_figures; k++)
            ay_figure_close(&runs[i].figures[k]);
        free(runs[i].figures);
        free(runs[i].rows);
    }
    free(runs);
}

enum ay_status ay_report(const struct ay_run_file *const *files, size_t n_files,
                         const struct ay_report_wants *wants, struct ay_report_done *done,
                         struct ay_error *err)
{
    memset(done, 0, sizeof *done);
    for (size_t i = 0; i < n_files; i++)
        done->n_runs += files[i]->n;
    struct ay_page_run *runs = calloc(done->n_runs + 1, sizeof *runs);
    if (!runs) return AY_FAIL(err, AY_NOMEM, "out of memory for the report");
    size_t n = 0;
    for (size_t i = 0; i < n_files; i++)
        for (size_t k = 0; k < files[i]->n; k++, n++)
            runs[n] = (struct ay_page_run){ .run = &files[i]->runs[k], .path = files[i]->path,
                                            .number = n + 1 };
    struct drawing d = { .wants = wants, .done = done };
    const struct ay_page page = {
        .runs = runs, .n_runs = n, .probes = wants->probes, .files = files, .n_files = n_files,
        .css = wants->css, .version = wants->version, .folder = wants->folder,
    };
    enum ay_status s = ay_make_folder(wants->folder, err);
    if (s == AY_OK) s = fill(runs, n, &d, err);
    if (s == AY_OK) s = write_all(&page, err);
    close_runs(runs, n);
    return s;
}
