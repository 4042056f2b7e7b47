/* page.h - the HTML page of a report: one file that needs nothing else, on screen and on paper. */
#ifndef AY_PAGE_H
#define AY_PAGE_H

#include "report/figure.h"

/* One run of the report, with its figures. */
struct ay_page_run {
    const struct ay_run *run;
    const struct ay_row **rows;  /* ordered (order.h); NULL where there is none */
    const char *path;            /* of its run file */
    size_t number;               /* from 1 */
    struct ay_figure *figures;
    size_t n_figures;
};

struct ay_page {
    const struct ay_page_run *runs;
    size_t n_runs;
    const struct ay_probe *const *probes; /* texts of questions and pitfalls; ends in NULL */
    const struct ay_run_file *const *files; /* their warnings */
    size_t n_files;
    const char *css, *version;
    const char *folder;                   /* where the pictures lie */
};

void ay_put_page(struct ay_out *o, const struct ay_page *page);

/* --- parts, each in its own file -------------------------------------------------------------- */

void ay_put_head(struct ay_out *o, const struct ay_page *page);                /* page_head.c */
void ay_put_run_head(struct ay_out *o, const struct ay_page_run *r, bool has_many);
void ay_put_environment(struct ay_out *o, const struct ay_page_run *r);
void ay_put_summary(struct ay_out *o, const struct ay_page_run *r);            /* summary.c */
void ay_put_figures(struct ay_out *o, const struct ay_page *page, const struct ay_page_run *r);
void ay_put_results(struct ay_out *o, const struct ay_page *page, const struct ay_page_run *r);
/* The value of an ok row with its unit, digits in groups of three. */
void ay_put_value(struct ay_out *o, const struct ay_row *row);
/* A word with a mark, so that not colour alone tells: kind is pass, fail, skip, warn or info. */
void ay_put_badge(struct ay_out *o, const char *kind, const char *text);

#endif
