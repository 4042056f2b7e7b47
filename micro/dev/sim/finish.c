/* Ends: of lanes, warps, CTAs and launches; and the calls that run a machine. */
#include <stdlib.h>
#include <string.h>

#include "dev/sim/machine.h"

static void drop_split(struct sim_warp_state *w, struct sim_split *s)
{
    const uint32_t i = (uint32_t)(s - w->splits);
    w->splits[i] = w->splits[--w->n_splits];
    if (w->current == w->n_splits) w->current = i;
    if (w->n_splits == 1) w->current = 0;
}

void sim_lanes_exit(struct sim_op *o)
{
    struct sim_machine *m = o->m;
    struct sim_warp_state *w = o->w;
    struct sim_cta *cta = w->cta;
    const uint32_t n = (uint32_t)__builtin_popcount(o->mask);
    w->alive &= ~o->mask;
    cta->n_live_threads -= n;
    cta->cluster->n_live -= n;
    o->s->mask &= ~o->mask;
    if (o->s->mask) o->s->pc++;
    else drop_split(w, o->s);
    for (uint32_t i = 0; i < w->n_splits; i++) /* whom they waited for may be gone */
        if (w->splits[i].wait == SIM_AT_WARP) w->splits[i].wait = SIM_RUNS;
    if (w->alive == 0) {
        o->is_gone = true;
        sim_warp_free(m, w);
    }
    if (n == 0) return;
    if (cta->n_live_threads) {
        sim_barrier_exit(m, cta, o->t);
        if (cta->cluster->n_live) sim_cluster_exit(m, cta->cluster, o->t);
        return;
    }
    struct sim_launch *l = cta->launch;
    struct sim_cluster *cluster = cta->cluster;
    if (!cta->has_triggered && ++l->n_triggered == l->n_ctas) l->result.trigger_cycle = o->t;
    const bool is_last = cluster->n_live_ctas == 1;
    sim_cta_free(m, cta);
    if (!is_last && cluster->n_live) sim_cluster_exit(m, cluster, o->t);
    l->live_ctas--;
    if (l->live_ctas == 0 && l->next_cta == l->n_ctas) sim_launch_end(m, l, o->t + 1);
    sim_dispatch(m, o->t + 1);
}

static void wake_dependants(struct sim_machine *m, const struct sim_launch *l, uint64_t t)
{
    for (uint32_t i = 0; i < m->n_sms; i++)
        for (uint32_t k = 0; k < m->sms[i].n_ctas; k++) {
            struct sim_cta *cta = m->sms[i].ctas[k];
            if (cta->launch->config.after != l) continue;
            for (uint32_t n = 0; n < cta->n_warps; n++) {
                struct sim_warp_state *w = cta->warps[n];
                bool any = false;
                for (uint32_t s = 0; w && s < w->n_splits; s++) {
                    if (w->splits[s].wait != SIM_AT_EVENT) continue;
                    w->splits[s].wait = SIM_RUNS;
                    w->splits[s].ready = sim_max(w->splits[s].ready, t);
                    any = true;
                }
                if (!any) continue;
                sim_resettle(m, w);
                sim_rekey(m, w);
            }
        }
}

static void count_flops(struct sim_counters *c)
{
    const uint64_t *n = c->class_issues;
    c->flops[0] += SIM_LANES * (2 * n[AY_ALU_fma32] + n[AY_ALU_add32] + n[AY_ALU_mul32]);
    c->flops[1] += SIM_LANES * (2 * n[AY_ALU_fma64] + n[AY_ALU_add64f]);
    c->flops[2] += SIM_LANES * 4 * n[AY_ALU_fma16x2];
}

void sim_launch_end(struct sim_machine *m, struct sim_launch *l, uint64_t t)
{
    for (uint32_t i = 0; i < m->n_sms; i++)
        for (uint32_t k = m->sms[i].n_ctas; k-- > 0;)
            if (m->sms[i].ctas[k]->launch == l) sim_cta_free(m, m->sms[i].ctas[k]);
    l->is_done = true;
    m->n_ended++;
    l->result.end_cycle = l->result.fault ? t : sim_max(t, l->stop_cycle);
    m->last_end = l->result.end_cycle;
    m->max_end = sim_max(m->max_end, m->last_end);
    if (!l->result.trigger_cycle) l->result.trigger_cycle = l->result.end_cycle;
    count_flops(&l->result.counters);
    wake_dependants(m, l, l->result.end_cycle);
}

/* --- what a driver calls ---------------------------------------------------------------------- */

bool sim_done(const struct sim_launch *l) { return l->is_done; }

bool sim_started(const struct sim_launch *l, uint64_t *first_cycle)
{
    *first_cycle = l->start_cycle;
    return l->has_started;
}

const struct sim_result *sim_result(const struct sim_launch *l) { return &l->result; }

/* Nothing can issue any more, yet somebody lives: each such launch is a deadlock. */
static bool end_deadlocks(struct sim_machine *m)
{
    bool any = false;
    if (m->n_heap || sim_next_start(m) != SIM_NEVER) return false;
    for (struct sim_launch *l = m->launches; l; l = l->next) {
        if (l->is_done || !l->has_started) continue;
        sim_describe_deadlock(m, l);
        sim_launch_end(m, l, m->cycle);
        any = true;
    }
    if (any) sim_dispatch(m, m->cycle);
    return any;
}

enum ay_status sim_run(struct sim_machine *m, uint64_t until, const struct sim_launch *only,
                       struct ay_error *err)
{
    (void)err; /* device faults are results; kept for what a host may refuse one day */
    const uint64_t n_before = m->n_ended;
    m->until = until;
    do {
        if (sim_is_enough(m, only, n_before)) break;
        sim_schedule(m, only);
    } while (!sim_is_enough(m, only, n_before) && end_deadlocks(m));
    uint64_t end = until;
    if (sim_is_enough(m, only, n_before) || until == SIM_FOREVER)
        end = only == SIM_ANY ? m->last_end : only ? only->result.end_cycle : m->max_end;
    if (end > until) end = until;
    m->cycle = sim_max(m->cycle, end);
    return AY_OK;
}

void sim_forget(struct sim_machine *m, struct sim_launch *l)
{
    if (!l->is_done) {
        l->result.fault = SIM_TRAPPED;
        sim_launch_end(m, l, m->cycle);
    }
    struct sim_launch **at = &m->launches;
    while (*at != l) at = &(*at)->next;
    *at = l->next;
    for (struct sim_launch *k = m->launches; k; k = k->next)
        if (k->config.after == l) k->config.after = NULL;
    free(l->params);
    free(l);
}

enum ay_status sim_launch(struct sim_machine *m, const struct sim_launch_config *config,
                          struct sim_result *out, struct ay_error *err)
{
    struct sim_launch *l;
    AY_TRY(sim_start(m, config, &l, err));
    const enum ay_status status = sim_run(m, SIM_FOREVER, l, err);
    *out = l->result;
    sim_forget(m, l);
    return status;
}

void sim_set_watchdog(struct sim_machine *m, uint64_t cycles, double seconds)
{
    m->watchdog_cycles = cycles;
    m->watchdog_seconds = seconds;
}
