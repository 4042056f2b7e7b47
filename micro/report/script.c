#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/utf8.h"
#include "report/figure.h"
#include "report/format.h"

/* Colours that colour-blind readers can tell apart [okabe-ito]. */
static const char *const COLOURS[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                       "#E69F00", "#56B4E9", "#444444" };
enum { N_COLOURS = sizeof COLOURS / sizeof COLOURS[0] };

static uint64_t x_of(const struct ay_curve *c, size_t i)
{
    return ay_number(&c->points[i]->point, c->axis);
}

/* 17 digits, or fewer that are the same; nothing here asks the locale. */
static void put_number(struct ay_out *o, double x)
{
    char text[64];
    ay_out_put(o, ay_format_number(x, 17, text, sizeof text));
}

/* In single quotes gnuplot expands nothing: no backquote, no @macro, no escape. */
static void put_quoted(struct ay_out *o, const char *text)
{
    char clean[512];
    ay_clean_text(text, clean, sizeof clean);
    ay_out_put(o, "'");
    for (const char *c = clean; *c; c++)
        ay_out_bytes(o, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1);
    ay_out_put(o, "'");
}

static const char *series_text(const struct ay_curve *c, size_t i, char *into, size_t into_bytes)
{
    const struct ay_point rest = ay_without(c->points[i]->point, c->axis);
    ay_point_display(&rest, into, into_bytes);
    if (!into[0]) snprintf(into, into_bytes, "measured");
    return into;
}

/* --- axes ------------------------------------------------------------------------------------- */

struct range {
    double low, high;
};

static struct range range_of_values(const struct ay_curve *c)
{
    struct range r = { INFINITY, 0 };
    for (size_t i = 0; i < c->n_points; i++) {
        const double v = c->points[i]->estimate.value;
        r.low = fmin(r.low, v);
        r.high = fmax(r.high, v);
    }
    for (size_t i = 0; i < c->n_levels; i++) {
        r.low = fmin(r.low, c->levels[i]->estimate.value);
        r.high = fmax(r.high, c->levels[i]->estimate.value);
    }
    return r;
}

/* Whole powers of `base` around a range of positive numbers. */
static struct range decades(struct range r, double base)
{
    struct range d = { pow(base, floor(log(r.low) / log(base) + 1e-9)),
                       pow(base, ceil(log(r.high) / log(base) - 1e-9)) };
    if (d.high <= d.low) d.high = d.low * base;
    return d;
}

static void put_range(struct ay_out *o, char axis, struct range r)
{
    ay_out_format(o, "set %crange [", axis);
    put_number(o, r.low * (1 - 1e-9)); /* gnuplot leaves out a tic that stands on the very end */
    ay_out_put(o, ":");
    put_number(o, r.high * (1 + 1e-9));
    ay_out_put(o, "]\n");
}

/* 1, 2, 5 of each decade; of many decades only the 1. */
static void put_decade_tics(struct ay_out *o, char axis, struct range r)
{
    const bool is_wide = r.high / r.low > 1e4;
    static const double STEPS[] = { 1, 2, 5 };
    bool is_first = true;
    ay_out_format(o, "set logscale %c 10\nset %ctics (", axis, axis);
    const int first = (int)lround(log10(r.low)), last = (int)lround(log10(r.high));
    for (int decade = first; decade <= last; decade++)
        for (size_t k = 0; k < (is_wide ? 1 : sizeof STEPS / sizeof STEPS[0]); k++) {
            const double tic = pow(10, decade) * STEPS[k];
            if (tic > r.high * 1.001) break;
            char text[AY_VALUE_BYTES];
            ay_out_put(o, is_first ? "" : ", ");
            is_first = false;
            put_quoted(o, ay_value_text(tic, 0, text));
            ay_out_put(o, " ");
            put_number(o, tic);
        }
    ay_out_put(o, ")\n");
}

/* Sizes by powers of two, at most about twelve labels. */
static void put_size_tics(struct ay_out *o, struct range r)
{
    const int n_doublings = (int)lround(log2(r.high / r.low));
    const int step = n_doublings / 12 + 1;
    ay_out_put(o, "set logscale x 2\nset xtics (");
    for (int i = 0; i <= n_doublings; i += step) {
        const double size = ldexp(r.low, i);
        char text[32];
        ay_out_put(o, i ? ", " : "");
        put_quoted(o, ay_format_size((uint64_t)size, text, sizeof text));
        ay_out_put(o, " ");
        put_number(o, size);
    }
    ay_out_put(o, ")\n");
}

static void put_axes(struct ay_out *o, const struct ay_curve *c, struct range y)
{
    struct range x = { INFINITY, 0 };
    for (size_t i = 0; i < c->n_points; i++) {
        x.low = fmin(x.low, (double)x_of(c, i));
        x.high = fmax(x.high, (double)x_of(c, i));
    }
    const size_t n = strlen(c->axis);
    if (n >= 5 && strcmp(c->axis + n - 5, "bytes") == 0) {
        x = decades(x, 2);
        put_size_tics(o, x);
    } else {
        x = decades(x, 10);
        put_decade_tics(o, 'x', x);
    }
    put_range(o, 'x', x);
    put_decade_tics(o, 'y', y);
    put_range(o, 'y', y);
    ay_out_put(o, "set xlabel ");
    put_quoted(o, c->axis);
    ay_out_put(o, " noenhanced\nset ylabel ");
    put_quoted(o, ay_unit_display(c->unit));
    ay_out_put(o, " noenhanced\n");
}

/* --- levels ----------------------------------------------------------------------------------- */

/* Where the names of levels stand, in decades: at least `least` apart, ordered by value. */
static void spread(const struct ay_curve *c, struct range y, double *at, size_t n)
{
    const double least = log10(y.high / y.low) / 22;
    for (size_t i = 0; i < n; i++)
        at[i] = log10(c->levels[i]->estimate.value);
    for (size_t pass = 0; pass < n; pass++)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                if (k != i && at[k] >= at[i] && at[k] - at[i] < least && (at[k] > at[i] || k > i))
                    at[k] = at[i] + least;
}

static void put_levels(struct ay_out *o, const struct ay_curve *c, struct range y)
{
    enum { MOST = 12 };
    double at[MOST];
    const size_t n = c->n_levels < MOST ? c->n_levels : MOST;
    spread(c, y, at, n);
    for (size_t i = 0; i < n; i++) {
        const struct ay_row *row = c->levels[i];
        char value[AY_VALUE_BYTES], text[160];
        ay_out_format(o, "set arrow %zu from graph 0, first ", i + 1);
        put_number(o, row->estimate.value);
        ay_out_put(o, " to graph 1, first ");
        put_number(o, row->estimate.value);
        ay_out_put(o, " nohead linewidth 1 dashtype 2 linecolor rgb '#888888' back\n");
        snprintf(text, sizeof text, "%s %s %s", row->quantity, ay_row_value_text(row, value),
                 ay_unit_display(row->unit));
        ay_out_format(o, "set label %zu ", i + 1);
        put_quoted(o, text);
        ay_out_put(o, " at graph 1.012, first ");
        put_number(o, pow(10, at[i]));
        ay_out_put(o, " left noenhanced textcolor rgb '#444444' font ',12'\n");
    }
    ay_out_format(o, "set rmargin %d\n", n ? 24 : 4);
}

/* --- the whole -------------------------------------------------------------------------------- */

static const char HEAD[] =
    "set encoding utf8\n"
    "if (!exists('out')) out = '%s'\n"
    "data = './%s.dat'\n"
    "set border 3 linewidth 1 linecolor rgb '#666666'\n"
    "set tics nomirror textcolor rgb '#333333'\n"
    "set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb '#E4E4E4'\n"
    "set key top left reverse Left opaque noenhanced font ',12' samplen 2\n";

static const char MARK[] =
    "set label 90 'SIMULATED' at graph 0.5, 0.5 center rotate by 24 font ',72' "
    "textcolor rgb '#EEE6DA' noenhanced back\n";

/* SVG first: a gnuplot without cairo draws that all the same. */
static const char TAIL[] =
    "set terminal svg size 960,540 dynamic mouse standalone noenhanced "
    "font 'Helvetica,14' background '#FFFFFF'\n"
    "set output out.'.svg'\n"
    "replot\n"
    "unset output\n"
    "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {\n"
    "    set terminal pngcairo size 1440,810 noenhanced font 'Sans,16' background '#FFFFFF'\n"
    "} else {\n"
    "    set terminal png size 1440,810 noenhanced\n"
    "}\n"
    "set output out.'.png'\n"
    "replot\n"
    "unset output\n";

static void put_plot(struct ay_out *o, const struct ay_curve *c)
{
    ay_out_put(o, "set terminal unknown\nplot \\\n");
    for (size_t s = 0; s < c->n_series; s++) {
        size_t first = 0;
        while (c->series[first] != s)
            first++;
        char text[200];
        const char *colour = COLOURS[s % N_COLOURS];
        ay_out_format(o, "    data index %zu using 1:2:3:4 with yerrorbars linewidth 1 "
                      "pointtype -1 linecolor rgb '%s' notitle, \\\n", s, colour);
        ay_out_format(o, "    data index %zu using 1:2 with linespoints linewidth 2 pointtype %d "
                      "pointsize 0.6 linecolor rgb '%s' title ", s, 7, colour);
        put_quoted(o, series_text(c, first, text, sizeof text));
        ay_out_put(o, s + 1 < c->n_series ? " noenhanced, \\\n" : " noenhanced\n");
    }
}

void ay_put_script(struct ay_out *o, const struct ay_figure *f, bool is_simulated)
{
    const struct ay_curve *c = &f->curve;
    const struct range y = decades(range_of_values(c), 10);
    ay_out_format(o, "# gnuplot %s.gp draws %s.svg and %s.png from %s.dat (gnuplot 5.4 or newer)\n",
                  f->stem, f->stem, f->stem, f->stem);
    ay_out_format(o, HEAD, f->stem, f->stem);
    ay_out_put(o, "set title ");
    put_quoted(o, f->title);
    ay_out_put(o, " noenhanced textcolor rgb '#222222'\n");
    if (is_simulated) ay_out_put(o, MARK);
    put_axes(o, c, y);
    put_levels(o, c, y);
    put_plot(o, c);
    ay_out_put(o, TAIL);
}

void ay_put_data(struct ay_out *o, const struct ay_figure *f)
{
    const struct ay_curve *c = &f->curve;
    char clean[256];
    ay_out_format(o, "# %s\n# %s  value  low  high   (%s; 95 %% interval)\n",
                  ay_clean_text(f->title, clean, sizeof clean), c->axis, ay_unit_text(c->unit));
    const double floor_y = c->n_points ? decades(range_of_values(c), 10).low : 0;
    for (size_t i = 0; i < c->n_points; i++) {
        const struct ay_estimate *e = &c->points[i]->estimate;
        char text[200];
        if (i && c->series[i] != c->series[i - 1]) ay_out_put(o, "\n\n"); /* gnuplot's `index` */
        if (!i || c->series[i] != c->series[i - 1])
            ay_out_format(o, "# %s\n", series_text(c, i, text, sizeof text));
        ay_out_format(o, "%llu ", (unsigned long long)x_of(c, i));
        put_number(o, e->value);
        ay_out_put(o, " ");
        put_number(o, e->low > 0 ? e->low : fmin(floor_y, e->value)); /* zero has no logarithm */
        ay_out_put(o, " ");
        put_number(o, fmax(e->high, e->value));
        ay_out_put(o, "\n");
    }
    for (size_t i = 0; i < c->n_left_out; i++) {
        char text[200];
        ay_out_format(o, "# left out: %s (%s)\n",
                      ay_point_text(&c->left_out[i]->point, text, sizeof text),
                      ay_row_status_text(c->left_out[i]->status));
    }
}
