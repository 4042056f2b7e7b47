/* run_view.h - what a person sees of a run: one line a row on stdout, progress on stderr. */
#ifndef AY_RUN_VIEW_H
#define AY_RUN_VIEW_H

#include "core/runner.h"

struct ay_run_view {
    bool has_table;     /* rows to stdout; false with --json */
    bool has_bar;       /* stderr is a terminal: a bar that is redrawn */
    bool has_colour;    /* stdout takes escape bytes */
    bool is_bar_drawn;
    bool has_head;      /* the column heads are printed */
    uint64_t n_lines_done; /* plain progress: probes already told */
    char probe[64];     /* of the last row: printed once a group */
};

struct ay_listener ay_run_listener(struct ay_run_view *v);
void ay_run_view_end(struct ay_run_view *v); /* takes the bar away */

#endif
