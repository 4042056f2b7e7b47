/* lsu.h - the port of an SM's load/store unit: when a request may come, when it starts. */
#ifndef SIM_LSU_H
#define SIM_LSU_H

#include "dev/sim/machine.h"

/* The port is in order; its time is fixed point because tags and bytes a clock need not divide. */
static inline uint64_t sim_lsu_start(struct sim_sm *sm, uint64_t t, uint64_t cost)
{
    const uint64_t one = 1ull << SIM_LSU_SHIFT;
    const uint64_t start = sim_max(t << SIM_LSU_SHIFT, sm->lsu_free);
    sm->lsu_free = start + (cost > one ? cost : one);
    return (start + one - 1) >> SIM_LSU_SHIFT;
}

/* When the LSU takes the next operation: it may lag so far behind issue. */
static inline uint64_t sim_lsu_queue(const struct sim_sm *sm)
{
    const uint64_t lsu = sm->lsu_free >> SIM_LSU_SHIFT;
    return lsu > SIM_LSU_QUEUE_CYCLES ? lsu - SIM_LSU_QUEUE_CYCLES : 0;
}

#endif
