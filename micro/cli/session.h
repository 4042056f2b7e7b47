/* session.h - what commands that open devices share: faults, device names, chips of simulated ones.
 */
#ifndef AY_SESSION_H
#define AY_SESSION_H

#include "cli/open.h"
#include "cli/options.h"
#include "core/runner.h"

/* The rows that such a command adds to its option table. */
#define AY_FAULT_OPTION                                                                       \
    { .name = "fault", .value = "FAULT", .is_repeatable = true,                               \
      .help = "make a driver call fail: ENTRY@N=CODE|hang|corrupt (@*: each call)" }

struct ay_session {
    json_t *faults, *counts, *unused; /* arrays and object of the plan; owned */
};

/* An exit code to end with (after a complaint), or AY_GO_ON. */
int ay_session_open(const struct ay_args *args, struct ay_session *out);
void ay_session_close(struct ay_session *s);
/* A plan with the session's faults and hooks; the rest is the caller's. */
struct ay_plan ay_session_plan(struct ay_session *s);
/* Warns of faults that no call has reached. */
void ay_session_warn_unused(const struct ay_session *s);
/* What is here: the list answer's "devices"; new reference, NULL after a complaint. */
json_t *ay_session_list(struct ay_session *s);

#endif
