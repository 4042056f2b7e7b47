/* report.h - from run files to a folder with a page, figures and tables. */
#ifndef AY_REPORT_H
#define AY_REPORT_H

#include "report/page.h"

struct ay_report_wants {
    const char *folder;                   /* made where it is missing */
    const struct ay_probe *const *probes; /* for questions and pitfalls; ends in NULL */
    const char *css;                      /* text of reports/style/report.css */
    const char *version;
    struct ay_plotter plotter;
};

struct ay_report_done {
    size_t n_runs, n_rows, n_figures, n_drawn;
    char plot_problem[512]; /* the first reason why a figure is not there, else "" */
};

/* Writes index.html, results.csv, results.md and the files of the figures, each replaced whole. A
 * figure that cannot be drawn is no failure: page and tables are there, and say why. */
enum ay_status ay_report(const struct ay_run_file *const *files, size_t n_files,
                         const struct ay_report_wants *wants, struct ay_report_done *done,
                         struct ay_error *err) AY_CHECKED;

#endif
