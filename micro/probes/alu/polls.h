/* polls.h - when each SM sees the global timer step, and what its own clock says then. */
#ifndef AY_ALU_POLLS_H
#define AY_ALU_POLLS_H

#include "core/bench.h"
#include "probes/alu/clock.h"

enum { POLL_BURSTS = 512, POLL_MOST_NS = 500000, POLL_MAX_STEPS = 4 * POLL_BURSTS };

/* The first clock that an SM read after each step of the timer, in bursts without a pause alone. */
struct steps {
    size_t n;
    uint64_t timer_ns[POLL_MAX_STEPS], clock_cycles[POLL_MAX_STEPS];
};

/* All SMs poll together; (*out)[sm], host scratch. cadence: cycles from poll to poll in a burst.
 * AY_VOID when an SM had no CTA of its own. */
enum ay_status poll_steps(struct ay_bench *b, const struct ay_kernel *kernel, uint64_t *cadence,
                          struct steps **out, struct ay_error *err) AY_CHECKED;

#endif
