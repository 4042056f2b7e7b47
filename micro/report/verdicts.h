/* verdicts.h - how the rows of a run stand against what a chip file planted. */
#ifndef AY_VERDICTS_H
#define AY_VERDICTS_H

#include "core/reference.h"
#include "core/runfile.h"
#include "report/output.h"

struct ay_verdicts {
    size_t n[AY_NO_REFERENCE + 1]; /* by enum ay_verdict_kind */
};

/* Of one row, by what it carries itself. */
enum ay_verdict_kind ay_planted_verdict(const struct ay_row *row);
/* Adds the rows of a run to *sum. */
void ay_count_verdicts(const struct ay_run *run, struct ay_verdicts *sum);

/* The verdicts of all runs of a file as JUnit XML: a suite a run, a case a row. A row that was not
 * judged is `skipped`. */
void ay_put_junit(struct ay_out *o, const struct ay_run_file *f);

#endif
