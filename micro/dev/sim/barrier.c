/* Barriers of a CTA and of a cluster.
 *
 * A barrier opens base + per_warp * warps after its last arrival. An arrival counts from when the
 * warp could have issued, not from the slot it got: so w warps that go round together have a period
 * of exactly that. */
#include "dev/sim/machine.h"

/* Lanes that a guard keeps out go on alone. */
static void leave_others(struct sim_op *o)
{
    if (o->mask != o->s->mask) sim_branch(o, o->s->mask & ~o->mask, o->s->pc + 1, o->s->pc);
}

static void finish_red(struct sim_warp_state *w, const struct sim_split *s,
                       const struct sim_barrier_state *b, uint64_t t)
{
    const struct sim_uop *u = &w->uops[s->pc];
    uint32_t pred = 0;
    if (u->op == SIM_BAR_RED_POPC && u->d != SIM_NONE)
        for (uint32_t i = 0; i < SIM_LANES; i++)
            if (s->mask >> i & 1) w->rows[u->d][i] = b->popc;
    if (u->op == SIM_BAR_RED_AND) pred = b->votes_and;
    if (u->op == SIM_BAR_RED_OR) pred = b->votes_or;
    if (u->op > SIM_BAR_RED_POPC && u->pd != SIM_NONE)
        w->preds[u->pd] = (w->preds[u->pd] & ~s->mask) | (pred & s->mask);
    const uint16_t *writes = w->lists + u->deps + u->n_reads;
    for (uint32_t i = 0; i < u->n_writes; i++) w->ready[writes[i]] = t;
}

static void wake(struct sim_machine *m, struct sim_cta *cta, uint32_t id, uint64_t t)
{
    for (uint32_t k = 0; k < cta->n_warps; k++) {
        struct sim_warp_state *w = cta->warps[k];
        bool any = false;
        for (uint32_t i = 0; w && i < w->n_splits; i++) {
            struct sim_split *s = &w->splits[i];
            if (s->wait != SIM_AT_BARRIER || s->barrier != id) continue;
            uint64_t at = t;
            if (w->uops[s->pc].op >= SIM_BAR_RED_POPC) {
                at += m->chip->barrier_red_cycles;
                finish_red(w, s, &cta->barriers[id], at);
            }
            s->wait = SIM_RUNS;
            s->ready = at;
            s->pc++;
            any = true;
        }
        if (!any) continue;
        sim_resettle(m, w);
        sim_rekey(m, w);
    }
}

static void release(struct sim_machine *m, struct sim_cta *cta, uint32_t id)
{
    struct sim_barrier_state *b = &cta->barriers[id];
    const uint32_t threads = b->expected ? b->expected : b->arrived;
    const uint64_t warps = (threads + SIM_LANES - 1) / SIM_LANES;
    wake(m, cta, id, b->last + m->chip->barrier_base_cycles +
                     m->chip->barrier_per_warp_cycles * warps);
    *b = (struct sim_barrier_state){ 0 };
}

static bool is_complete(const struct sim_cta *cta, const struct sim_barrier_state *b)
{
    return b->arrived && b->arrived >= (b->expected ? b->expected : cta->n_live_threads);
}

void sim_exec_barrier(struct sim_op *o)
{
    const struct sim_uop *u = o->u;
    struct sim_cta *cta = o->w->cta;
    if (!o->mask) {
        o->s->pc++;
        return;
    }
    leave_others(o);
    const uint32_t lane = (uint32_t)__builtin_ctz(o->mask);
    const uint32_t id = o->w->rows[u->a][lane];
    if (id >= SIM_NAMED_BARRIERS) {
        sim_fault_at(o, SIM_BAD_INSTRUCTION, "barrier %u: there are %d", id, SIM_NAMED_BARRIERS);
        return;
    }
    struct sim_barrier_state *b = &cta->barriers[id];
    if (!b->arrived) b->votes_and = UINT32_MAX;
    if (u->b != SIM_NONE) b->expected = o->w->rows[u->b][lane];
    /* a warp that was born with fewer lanes stands for 32 where the count is given */
    const bool is_whole = b->expected && o->mask == o->w->alive;
    b->arrived += is_whole ? SIM_LANES : (uint32_t)__builtin_popcount(o->mask);
    if (u->op >= SIM_BAR_RED_POPC) {
        const uint32_t yes = (o->w->preds[u->pa] ^ u->pa_xor) & o->mask;
        b->popc += (uint32_t)__builtin_popcount(yes);
        if (yes != o->mask) b->votes_and = 0;
        if (yes) b->votes_or = UINT32_MAX;
    }
    b->last = sim_max(b->last, o->key);
    o->count->barriers++;
    if (u->op == SIM_BAR_ARRIVE) {
        o->s->pc++;
        o->w->next = sim_max(o->w->next, o->t + o->m->chip->barrier_arrive_cycles);
    } else {
        o->s->wait = SIM_AT_BARRIER;
        o->s->barrier = (uint16_t)id;
    }
    if (is_complete(cta, b)) release(o->m, cta, id);
}

void sim_barrier_exit(struct sim_machine *m, struct sim_cta *cta, uint64_t t)
{
    for (uint32_t id = 0; id < SIM_NAMED_BARRIERS; id++) {
        struct sim_barrier_state *b = &cta->barriers[id];
        if (b->expected || !is_complete(cta, b)) continue;
        b->last = sim_max(b->last, t);
        release(m, cta, id);
    }
}

/* --- clusters --------------------------------------------------------------------------------- */

static void open_cluster(struct sim_machine *m, struct sim_cluster *c)
{
    const struct ay_chip *chip = m->chip;
    const uint64_t t = c->last + chip->cluster_barrier_base_cycles +
                       chip->cluster_barrier_per_cta_cycles * c->n_ctas +
                       (c->is_release ? chip->cluster_barrier_release_cycles : 0);
    c->phase++;
    c->arrived = 0;
    c->opened = t;
    c->last = 0;
    c->is_release = false;
    for (uint32_t k = 0; k < c->n_ctas; k++) {
        struct sim_cta *cta = c->ctas[k];
        for (uint32_t i = 0; cta && i < cta->n_warps; i++) {
            struct sim_warp_state *w = cta->warps[i];
            bool any = false;
            for (uint32_t n = 0; w && n < w->n_splits; n++) {
                if (w->splits[n].wait != SIM_AT_CLUSTER) continue;
                w->splits[n].wait = SIM_RUNS;
                w->splits[n].ready = t;
                w->splits[n].pc++;
                any = true;
            }
            if (!any) continue;
            sim_resettle(m, w);
            sim_rekey(m, w);
        }
    }
}

void sim_cluster_exit(struct sim_machine *m, struct sim_cluster *c, uint64_t t)
{
    if (c->arrived == 0 || c->arrived < c->n_live) return;
    c->last = sim_max(c->last, t);
    open_cluster(m, c);
}

/* A CTA without a cluster is one of one. */
void sim_exec_cluster_barrier(struct sim_op *o)
{
    struct sim_cluster *c = o->w->cta->cluster;
    if (!o->mask) {
        o->s->pc++;
        return;
    }
    leave_others(o);
    if (o->u->op == SIM_CBAR_ARRIVE) {
        o->s->pc++;
        for (uint32_t i = 0; i < SIM_LANES; i++)
            if (o->mask >> i & 1) o->w->cbar_phase[i] = c->phase;
        c->last = sim_max(c->last, o->key);
        if (o->u->mem.sem != SIM_SEM_RELAXED) c->is_release = true;
        c->arrived += (uint32_t)__builtin_popcount(o->mask);
        if (c->arrived >= c->n_live) open_cluster(o->m, c);
        return;
    }
    if (o->w->cbar_phase[__builtin_ctz(o->mask)] != c->phase) {
        o->s->pc++;
        o->s->ready = sim_max(o->s->ready, c->opened);
    } else {
        o->s->wait = SIM_AT_CLUSTER;
    }
}
