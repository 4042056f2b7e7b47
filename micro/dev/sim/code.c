/* What each operation of a kernel costs on this chip, worked out once. */
#include <stdlib.h>

#include "dev/sim/machine.h"

/* Classes that may use any of several pipes get a resource of their own: free when one is. */
void sim_find_sets(struct sim_machine *m)
{
    const struct ay_chip *c = m->chip;
    for (uint32_t cls = 0; cls < AY_N_ALU_CLASSES; cls++) {
        const uint32_t pipes = c->alu_pipes[cls];
        if (c->alu_scope[cls] == AY_ALU_SCOPE_sm) m->shared_pipes |= pipes;
        if (__builtin_popcount(pipes) < 2) continue;
        uint32_t k = 0;
        while (k < m->n_sets && m->sets[k] != pipes) k++;
        if (k == m->n_sets) m->sets[m->n_sets++] = pipes;
    }
}

static uint8_t resource_of(const struct sim_machine *m, uint32_t cls)
{
    const uint32_t pipes = m->chip->alu_pipes[cls];
    if (!pipes) return SIM_RESOURCE_NONE;
    if (__builtin_popcount(pipes) == 1)
        return (uint8_t)(SIM_RESOURCE_PIPE + __builtin_ctz(pipes));
    uint32_t k = 0;
    while (m->sets[k] != pipes) k++;
    return (uint8_t)(SIM_RESOURCE_SET + k);
}

/* An interval is the class's own; with several pipes each is held that many times as long. */
static struct sim_static alu(const struct sim_machine *m, uint32_t cls)
{
    const struct ay_chip *c = m->chip;
    const uint32_t n_pipes = (uint32_t)__builtin_popcount(c->alu_pipes[cls]);
    const bool is_sm_wide = c->alu_scope[cls] == AY_ALU_SCOPE_sm;
    return (struct sim_static){ .latency = (uint32_t)c->alu_latency_cycles[cls],
        .busy = (uint32_t)c->alu_interval_cycles[cls] * (n_pipes ? n_pipes : 1),
        .resource = resource_of(m, cls), .is_ordered = is_sm_wide, .is_sm_wide = is_sm_wide };
}

static enum ay_warp_op family_of(uint32_t op)
{
    switch (op) {
    case SIM_SHFL_IDX:
    case SIM_SHFL_UP:
    case SIM_SHFL_DOWN:
    case SIM_SHFL_BFLY: return AY_WARP_shfl;
    case SIM_VOTE_ALL:
    case SIM_VOTE_ANY:
    case SIM_VOTE_UNI:
    case SIM_VOTE_BALLOT: return AY_WARP_vote;
    case SIM_MATCH_ANY:
    case SIM_MATCH_ALL: return AY_WARP_match;
    case SIM_ACTIVEMASK: return AY_WARP_activemask;
    case SIM_ELECT: return AY_WARP_elect;
    case SIM_WARP_BARRIER: return AY_WARP_syncwarp;
    default: return AY_WARP_redux;
    }
}

static struct sim_static warp(const struct sim_machine *m, const struct sim_uop *u)
{
    const enum ay_warp_op f = family_of(u->op);
    return (struct sim_static){ .latency = (uint32_t)m->chip->warp_latency_cycles[f],
        .busy = (uint32_t)m->chip->warp_interval_cycles[f],
        .resource = (uint8_t)(SIM_RESOURCE_WARP + f), .is_warp = u->op != SIM_ACTIVEMASK };
}

static bool is_simple_load(const struct sim_uop *u)
{
    const struct sim_mem *mem = &u->mem;
    return mem->space == SIM_SPACE_GLOBAL && mem->n_elems == 1 && mem->elem_bytes <= 8 &&
           mem->reg_bytes == mem->elem_bytes && u->d != SIM_NONE &&
           !(u->flags & SIM_F_VECTOR) && (u->flags & SIM_F_ADDR64);
}

static struct sim_static static_of(const struct sim_machine *m, const struct sim_uop *u)
{
    switch ((enum sim_kind)u->kind) {
    case SIM_ALU:
        return alu(m, u->cls);
    case SIM_WARP:
        return warp(m, u);
    case SIM_LOAD:
        if (u->mem.space == SIM_SPACE_PARAM)
            return (struct sim_static){ .waits_for_writes = true };
        return (struct sim_static){ .resource = SIM_RESOURCE_LSU, .is_ordered = true,
            .waits_for_writes = true, .latency = (uint32_t)sim_l1_latency(m->chip, &u->mem),
            .is_simple_load = is_simple_load(u),
            .is_l1_load = is_simple_load(u) && !sim_bypasses_l1(&u->mem) };
    case SIM_STORE:
    case SIM_RED:
    case SIM_PREFETCH:
    case SIM_ATOM:
    case SIM_GENERIC:
        return (struct sim_static){ .resource = SIM_RESOURCE_LSU, .is_ordered = true,
                                    .waits_for_writes = true };
    case SIM_SPECIAL:
        return (struct sim_static){ .latency = (uint32_t)m->chip->clock_read_cycles };
    case SIM_CLUSTER_MAP:
        return (struct sim_static){ .latency = (uint32_t)m->chip->alu_latency_cycles[AY_ALU_iadd] };
    case SIM_BRANCH:
    case SIM_BRX:
    case SIM_CALL:
    case SIM_RET:
    case SIM_NANOSLEEP:
    case SIM_NOP:
        return (struct sim_static){ 0 };
    default:
        return (struct sim_static){ .is_ordered = true };
    }
}

bool sim_code_open(struct sim_machine *m, struct sim_code *code)
{
    const struct sim_kernel *k = code->kernel;
    code->statics = calloc(k->n_uops + 1, sizeof *code->statics);
    if (!code->statics) return false;
    for (uint32_t i = 0; i < k->n_uops; i++) code->statics[i] = static_of(m, &k->uops[i]);
    code->address = m->next_code_address;
    m->next_code_address += ((uint64_t)k->n_uops * 16 + 4095) & ~4095ull;
    return true;
}
