#include "report/figure.h"

#include <stdio.h>
#include <string.h>

#include "core/utf8.h"

/* A file is named with what our own names hold: a probe's name in a run file may hold anything. */
static void make_stem(const char *probe, size_t number, char *into, size_t into_bytes)
{
    static const char SAFE[] = "abcdefghijklmnopqrstuvwxyz0123456789._";
    char name[64];
    snprintf(name, sizeof name, "%s", probe);
    for (char *c = name; *c; c++)
        if (!strchr(SAFE, *c) || (c == name && *c == '.')) *c = '_';
    snprintf(into, into_bytes, "%s-%zu", name, number);
}

static void make_title(const struct ay_run *run, const char *probe, char *into, size_t into_bytes)
{
    char text[512];
    const char *name = ay_run_device_text(run, "name");
    const char *product = ay_run_device_text(run, "product");
    const bool has_product = product[0] && !strstr(name, product);
    snprintf(text, sizeof text, "%s on %s%s%s%s%s", probe, name, has_product ? " (" : "",
             has_product ? product : "", has_product ? ")" : "",
             ay_run_is_simulated(run) ? ", SIMULATED" : "");
    ay_clean_text(text, into, into_bytes);
}

enum ay_status ay_make_figure(const struct ay_run *run, size_t number, struct ay_curve *curve,
                              const char *folder, const struct ay_plotter *plotter,
                              const char *why_not, struct ay_figure *out, struct ay_error *err)
{
    memset(out, 0, sizeof *out);
    out->curve = *curve;
    memset(curve, 0, sizeof *curve);
    make_stem(out->curve.probe, number, out->stem, sizeof out->stem);
    make_title(run, out->curve.probe, out->title, sizeof out->title);

    char name[128];
    struct ay_out text = { 0 };
    ay_put_data(&text, out);
    snprintf(name, sizeof name, "%s.dat", out->stem);
    enum ay_status s = ay_out_save(&text, folder, name, err);
    ay_out_close(&text);
    if (s == AY_OK && out->curve.n_points > 0) {
        ay_put_script(&text, out, ay_run_is_simulated(run));
        snprintf(name, sizeof name, "%s.gp", out->stem);
        s = ay_out_save(&text, folder, name, err);
        ay_out_close(&text);
    }
    if (s != AY_OK) {
        ay_figure_close(out);
        return s;
    }
    if (out->curve.n_points == 0)
        snprintf(out->plotted.why, sizeof out->plotted.why, "no point can be drawn on a log axis");
    else if (plotter)
        ay_plot(plotter, folder, out->stem, &out->plotted);
    else
        snprintf(out->plotted.why, sizeof out->plotted.why, "%s", why_not);
    return AY_OK;
}

void ay_figure_close(struct ay_figure *f)
{
    ay_curve_close(&f->curve);
    memset(f, 0, sizeof *f);
}
