/* plot.h - gnuplot as a child whose word is not taken: the picture is looked at, then renamed. */
#ifndef AY_PLOT_H
#define AY_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

struct ay_plotter {
    const char *program;            /* "gnuplot": looked up in PATH */
    uint32_t version_ms, plot_ms;   /* how long it may take to say its version, to draw */
};

/* Which of the two pictures is there now; `why` says what is wrong where one is not, else "". */
struct ay_plotted {
    bool has_svg, has_png;
    char why[512];
};

/* Can it draw? Missing, older than 5.4, silent: false and the reason, with what to do. */
bool ay_can_plot(const struct ay_plotter *p, char *why, size_t why_bytes);

/* Runs folder/stem.gp, which draws into the variable `out` with .svg and .png behind it. A picture
 * that is whole takes the place of folder/stem.svg or .png; else what was there stays. */
void ay_plot(const struct ay_plotter *p, const char *folder, const char *stem,
             struct ay_plotted *out);

#endif
