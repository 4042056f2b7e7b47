/* runner_ask.h - one question to one worker, and what both kinds of talk share; for the runner. */
#ifndef AY_RUNNER_ASK_H
#define AY_RUNNER_ASK_H

#include "core/process.h"
#include "core/runner.h"

/* Sends the job and waits for `done`: *answer is the first answer before it (new reference, or
 * NULL). An error that the worker reports, its end and its silence are failures. */
enum ay_status ay_ask(struct ay_process *p, const json_t *job, const struct ay_plan *plan,
                      json_t **answer, struct ay_error *err) AY_CHECKED;

/* How long a worker may be silent: it is hung after that. */
double ay_silence_s(const struct ay_plan *plan);

/* Call counts and unreached faults of a `done`, into the plan's. */
void ay_take_counts(const struct ay_plan *plan, const json_t *answer);

#endif
