/* Families of operations that keep their operands as written: who executes which. */
#include "dev/sim/machine.h"

bool sim_generic_is_known(const struct sim_kernel *k, const struct sim_uop *u)
{
    (void)k;
    (void)u;
    return false;
}

void sim_exec_generic(struct sim_op *o)
{
    sim_fault_at(o, SIM_NOT_SIMULATED, "not simulated");
}

void sim_generic_end_warp(struct sim_machine *m, struct sim_warp_state *w)
{
    (void)m;
    (void)w;
}
