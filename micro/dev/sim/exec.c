/* One operation, once the scheduler has found its cycle: everything but arithmetic. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "dev/sim/machine.h"

void sim_fault_at(struct sim_op *o, enum sim_fault fault, const char *fmt, ...)
{
    struct sim_launch *l = o->w->cta->launch;
    if (o->m->faulty) return;
    o->m->faulty = l;
    o->m->fault_cycle = o->t;
    l->result.fault = fault;
    char what[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    const struct sim_cta *cta = o->w->cta;
    snprintf(l->result.text, sizeof l->result.text,
             "%s: %s (%s at line %u of its PTX, CTA %u,%u,%u, warp %u)", l->code->kernel->name,
             what, sim_opcode(l->config.image->module, o->u), o->u->line, cta->ctaid[0],
             cta->ctaid[1], cta->ctaid[2], o->w->number);
}

static void set_ready(const struct sim_op *o, uint64_t ready)
{
    const uint16_t *writes = o->w->lists + o->u->deps + o->u->n_reads;
    for (uint32_t i = 0; i < o->u->n_writes; i++) o->w->ready[writes[i]] = ready;
}

/* --- clocks ----------------------------------------------------------------------------------- */

static uint64_t global_timer(const struct sim_machine *m, uint64_t t)
{
    const uint64_t step = m->chip->globaltimer_step_ns;
    return (uint64_t)floor(sim_ns_of(m, t)) / step * step;
}

/* Sampled at issue; loads under way are not waited for. */
static void read_special(struct sim_op *o)
{
    const uint64_t clock = o->t + o->sm->skew;
    uint64_t v;
    switch (o->u->op) {
    case SIM_SR_CLOCK_HI: v = clock >> 32; break;
    case SIM_SR_GLOBALTIMER:
    case SIM_SR_GLOBALTIMER_LO: v = global_timer(o->m, o->t); break;
    case SIM_SR_GLOBALTIMER_HI: v = global_timer(o->m, o->t) >> 32; break;
    default: v = clock;
    }
    const bool is_wide = o->u->op == SIM_SR_CLOCK64 || o->u->op == SIM_SR_GLOBALTIMER;
    uint64_t *pair = (uint64_t *)(void *)o->w->rows[o->u->d];
    for (uint32_t i = 0; i < SIM_LANES; i++) {
        if (!(o->mask >> i & 1)) continue;
        if (is_wide) pair[i] = v;
        else o->w->rows[o->u->d][i] = (uint32_t)v;
    }
    set_ready(o, o->t + o->st->latency);
    o->w->next = sim_max(o->w->next, o->t + o->st->latency);
}

/* --- control ---------------------------------------------------------------------------------- */

static void branch(struct sim_op *o)
{
    o->count->branches++;
    o->w->next = sim_max(o->w->next, o->t + o->m->chip->branch_cycles);
    sim_branch(o, o->mask, o->u->target, o->s->pc + 1);
}

/* Lanes by target; those that the guard keeps out go on behind. */
static void indirect_branch(struct sim_op *o)
{
    const uint32_t *which = o->w->rows[o->u->a];
    uint32_t left = o->mask;
    const uint32_t behind = o->s->pc + 1;
    o->count->branches++;
    o->w->next = sim_max(o->w->next, o->t + o->m->chip->branch_cycles);
    while (left) {
        const uint32_t value = which[__builtin_ctz(left)];
        if (value >= o->u->n_list / 2u) {
            sim_fault_at(o, SIM_BAD_INSTRUCTION, "brx.idx %u beyond its list", value);
            return;
        }
        uint32_t same = 0;
        for (uint32_t k = left; k; k &= k - 1)
            if (which[__builtin_ctz(k)] == value) same |= 1u << __builtin_ctz(k);
        const uint16_t *entry = o->w->lists + o->u->list + 2 * value;
        left &= ~same;
        sim_branch(o, same, entry[0] | (uint32_t)entry[1] << 16, left ? o->s->pc : behind);
        if (same == o->s->mask) return;
    }
    if (!o->mask) o->s->pc = behind;
}

static void call(struct sim_op *o)
{
    o->w->next = sim_max(o->w->next, o->t + o->m->chip->branch_cycles);
    if (!o->mask) {
        o->s->pc++;
        return;
    }
    if (o->mask != o->s->mask) sim_branch(o, o->s->mask & ~o->mask, o->s->pc + 1, o->s->pc);
    if (o->s->depth == SIM_CALL_DEPTH) {
        sim_fault_at(o, SIM_BAD_INSTRUCTION, "calls nested deeper than %d", SIM_CALL_DEPTH);
        return;
    }
    o->s->back[o->s->depth++] = o->s->pc + 1;
    o->s->pc = o->u->target;
}

static void call_return(struct sim_op *o)
{
    o->w->next = sim_max(o->w->next, o->t + o->m->chip->branch_cycles);
    if (!o->mask) {
        o->s->pc++;
        return;
    }
    if (o->mask != o->s->mask) sim_branch(o, o->s->mask & ~o->mask, o->s->pc + 1, o->s->pc);
    if (o->s->depth == 0) {
        sim_fault_at(o, SIM_BAD_INSTRUCTION, "ret without a call");
        return;
    }
    o->s->pc = o->s->back[--o->s->depth];
}

/* --- fences, sleep, clusters ------------------------------------------------------------------ */

static enum ay_fence_scope fence_scope(uint8_t scope)
{
    switch (scope) {
    case SIM_SCOPE_GPU: return AY_FENCE_gpu;
    case SIM_SCOPE_SYS: return AY_FENCE_sys;
    case SIM_SCOPE_CLUSTER: return AY_FENCE_cluster;
    default: return AY_FENCE_cta;
    }
}

/* Fences at gpu and sys scope empty L1: machine code has the invalidate behind them
 * [binary-utilities]. */
static void fence(struct sim_op *o)
{
    const struct ay_chip *c = o->m->chip;
    struct sim_warp_state *w = o->w;
    if (o->u->op == SIM_FENCE_MBARRIER_INIT || !o->mask) return;
    const enum ay_fence_scope scope = fence_scope(o->u->mem.scope);
    const uint64_t pending = w->store_until > o->t ? w->n_stores : 0;
    const uint64_t cost = c->fence_base_cycles[scope] +
                          c->fence_per_pending_cycles[scope] * pending;
    w->next = sim_max(w->next, o->t + cost);
    w->n_stores = 0;
    w->store_until = 0;
    if (scope == AY_FENCE_gpu || scope == AY_FENCE_sys) sim_tags_clear(&o->sm->l1);
}

static void sleep(struct sim_op *o)
{
    const uint32_t *ns = o->w->rows[o->u->a];
    uint32_t longest = 0;
    for (uint32_t left = o->mask; left; left &= left - 1)
        if (ns[__builtin_ctz(left)] > longest) longest = ns[__builtin_ctz(left)];
    o->s->ready = sim_max(o->s->ready, o->t + sim_cycles(o->m, (double)longest));
}

/* mapa: an address of this CTA's shared memory, as it is in CTA b of the cluster. */
static void map_address(struct sim_op *o)
{
    const struct sim_uop *u = o->u;
    const bool is_wide = u->mem.reg_bytes == 8;
    const uint64_t low = (1u << SIM_CLUSTER_SHIFT) - 1;
    for (uint32_t left = o->mask; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        const uint64_t a = is_wide ? ((uint64_t *)(void *)o->w->rows[u->a])[i]
                                   : o->w->rows[u->a][i];
        const uint64_t rank = (uint32_t)a >> SIM_CLUSTER_SHIFT;
        if (u->op == SIM_GETCTARANK) {
            o->w->rows[u->d][i] = (uint32_t)(rank ? rank - 1 : o->w->cta->rank);
            continue;
        }
        const uint64_t to = (a & ~(0xffull << SIM_CLUSTER_SHIFT) & (~0xffffffffull | low)) |
                            (uint64_t)(o->w->rows[u->b][i] + 1) << SIM_CLUSTER_SHIFT;
        if (is_wide) ((uint64_t *)(void *)o->w->rows[u->d])[i] = to;
        else o->w->rows[u->d][i] = (uint32_t)to;
    }
    set_ready(o, o->t + o->st->latency);
}

/* Programmatic dependent launch. */
static void grid_dependency(struct sim_op *o)
{
    struct sim_launch *l = o->w->cta->launch;
    if (o->u->op == 1) {
        if (!l->config.after || sim_done(l->config.after)) {
            const uint64_t end = l->config.after ? sim_result(l->config.after)->end_cycle : 0;
            o->s->ready = sim_max(o->s->ready, end);
            return;
        }
        o->s->pc--; /* asked again when it has ended */
        o->s->wait = SIM_AT_EVENT;
        return;
    }
    if (o->w->cta->has_triggered) return;
    o->w->cta->has_triggered = true;
    if (++l->n_triggered == l->n_ctas) l->result.trigger_cycle = o->t;
}

void sim_exec(struct sim_op *o)
{
    switch ((enum sim_kind)o->u->kind) {
    case SIM_BRANCH: branch(o); return;
    case SIM_BRX: indirect_branch(o); return;
    case SIM_CALL: call(o); return;
    case SIM_RET: call_return(o); return;
    case SIM_BARRIER: sim_exec_barrier(o); return;
    case SIM_CLUSTER_BARRIER: sim_exec_cluster_barrier(o); return;
    case SIM_EXIT: sim_lanes_exit(o); return;
    default: break;
    }
    o->s->pc++;
    switch ((enum sim_kind)o->u->kind) {
    case SIM_SPECIAL: read_special(o); return;
    case SIM_LOAD:
    case SIM_STORE:
    case SIM_ATOM:
    case SIM_RED: sim_exec_memory(o); return;
    case SIM_WARP:
        sim_exec_warp(o);
        set_ready(o, o->t + o->st->latency);
        if (o->u->op == SIM_WARP_BARRIER)
            o->w->next = sim_max(o->w->next, o->t + o->st->latency);
        return;
    case SIM_FENCE: fence(o); return;
    case SIM_PREFETCH: sim_exec_prefetch(o); return;
    case SIM_NANOSLEEP: sleep(o); return;
    case SIM_CLUSTER_MAP: map_address(o); return;
    case SIM_GRIDDEP: grid_dependency(o); return;
    case SIM_GENERIC: sim_exec_generic(o); return;
    case SIM_NOP: return;
    case SIM_TRAP:
    case SIM_BRKPT:
        if (o->mask) sim_fault_at(o, SIM_TRAPPED, "trap");
        return;
    default: sim_fault_at(o, SIM_BAD_INSTRUCTION, "no such operation");
    }
}
