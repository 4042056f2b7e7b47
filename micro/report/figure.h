/* figure.h - a curve as a figure: data and gnuplot script for anyone to run again, SVG, PNG. */
#ifndef AY_FIGURE_H
#define AY_FIGURE_H

#include "report/curve.h"
#include "report/output.h"
#include "report/plot.h"

struct ay_figure {
    struct ay_curve curve;
    char stem[96];             /* "mem.latency.curve-1": the files' name without ending */
    char title[256];           /* "Latency against footprint: mem.latency.curve on sim:plain …" */
    struct ay_plotted plotted; /* `why` also when no drawing was tried */
};

/* Takes the curve over and writes folder/STEM.dat and STEM.gp, always; the pictures where `plotter`
 * is not NULL, else why_not says why there are none. `number` counts the report's runs from 1. */
enum ay_status ay_make_figure(const struct ay_run *run, size_t number, struct ay_curve *curve,
                              const char *folder, const struct ay_plotter *plotter,
                              const char *why_not, struct ay_figure *out,
                              struct ay_error *err) AY_CHECKED;
void ay_figure_close(struct ay_figure *f);

/* The script and the data (script.c). */
void ay_put_script(struct ay_out *o, const struct ay_figure *f, bool is_simulated);
void ay_put_data(struct ay_out *o, const struct ay_figure *f);

#endif
