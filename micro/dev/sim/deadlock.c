/* Who waits for what when nothing can go on. */
#include <stdio.h>
#include <string.h>

#include "dev/sim/machine.h"

static const char *reason(const struct sim_split *s)
{
    switch (s->wait) {
    case SIM_AT_BARRIER: return "barrier";
    case SIM_AT_WARP: return "lanes of its warp";
    case SIM_AT_CLUSTER: return "cluster barrier";
    case SIM_AT_EVENT: return "event";
    default: return "nothing";
    }
}

static void add_warp(struct sim_launch *l, const struct sim_warp_state *w, uint32_t *n_left_out)
{
    char one[120];
    for (uint32_t i = 0; i < w->n_splits; i++) {
        const struct sim_split *s = &w->splits[i];
        snprintf(one, sizeof one, "; CTA %u warp %u lanes %08x at line %u for %s", w->cta->ctaid[0],
                 w->number, s->mask, w->uops[s->pc].line, reason(s));
        if (s->wait == SIM_AT_BARRIER) {
            const size_t n = strlen(one);
            snprintf(one + n, sizeof one - n, " %u", s->barrier);
        }
        const size_t at = strlen(l->result.text);
        if (at + strlen(one) + 24 < sizeof l->result.text)
            memcpy(l->result.text + at, one, strlen(one) + 1);
        else
            ++*n_left_out;
    }
}

void sim_describe_deadlock(struct sim_machine *m, struct sim_launch *l)
{
    uint32_t n_left_out = 0;
    l->result.fault = SIM_DEADLOCK;
    snprintf(l->result.text, sizeof l->result.text, "%s: deadlock, %llu CTAs wait",
             l->code->kernel->name, (unsigned long long)l->live_ctas);
    for (uint32_t i = 0; i < m->n_sms; i++)
        for (uint32_t k = 0; k < m->sms[i].n_ctas; k++) {
            const struct sim_cta *cta = m->sms[i].ctas[k];
            for (uint32_t n = 0; cta->launch == l && n < cta->n_warps; n++)
                if (cta->warps[n]) add_warp(l, cta->warps[n], &n_left_out);
        }
    const size_t at = strlen(l->result.text);
    if (n_left_out)
        snprintf(l->result.text + at, sizeof l->result.text - at, "; and %u more", n_left_out);
}
