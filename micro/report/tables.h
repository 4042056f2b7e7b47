/* tables.h - the rows of runs as plain tables: CSV [rfc-4180] for programs, Markdown for people. */
#ifndef AY_TABLES_H
#define AY_TABLES_H

#include "report/page.h"

void ay_put_csv(struct ay_out *o, const struct ay_page_run *runs, size_t n_runs);
void ay_put_markdown(struct ay_out *o, const struct ay_page_run *runs, size_t n_runs);

#endif
