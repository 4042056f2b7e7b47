/* power.c - what the arithmetic draws, and the clock that falls when that is over the limit. */
#include "dev/sim/api.h"

#include <math.h>

/* Looks a window: the moment of a change is known to that fraction of it. */
enum { LOOKS = 16 };

/* FLOP of a launch that may still run; matrix units' by what they were fed with. */
static double weighted_flops(const struct sim_counters *c)
{
    const uint64_t *const n = c->class_issues;
    const double lanes = 32;
    double flops = lanes * (double)(2 * n[AY_ALU_fma32] + n[AY_ALU_add32] + n[AY_ALU_mul32]);
    flops += lanes * (double)(2 * n[AY_ALU_fma64] + n[AY_ALU_add64f]);
    flops += lanes * 4 * (double)n[AY_ALU_fma16x2];
    return flops + (c->tensor_power ? (double)c->tensor_power / 1000 : (double)c->flops[3]);
}

double sim_joules(const struct sim_driver *d, int gpu)
{
    double flops = weighted_flops(&d->total[gpu]);
    for (size_t i = 0; i < d->running.n; i++) {
        const struct sim_item *const item = d->running.items[i];
        if (item->launch && item->gpu == gpu)
            flops += weighted_flops(&sim_result(item->launch)->counters);
    }
    return flops * d->gpus[gpu].chip.power_per_flop_pj * 1e-12;
}

static double interval_ns(const struct ay_chip *c)
{
    return c->power_window_ms * 1e6 / LOOKS;
}

double sim_look_at_power_ns(const struct sim_driver *d)
{
    double ns = SIM_ENDLESS;
    for (int i = 0; i < d->n_gpus; i++)
        ns = fmin(ns, d->gpus[i].seen_ns + interval_ns(&d->gpus[i].chip));
    return fmax(ns, d->device_ns + 1);
}

/* Since when: the beginning of the first look of an unbroken row of them; -1: not now. */
static void note_since(double *since_ns, bool is_so, double begin_ns)
{
    if (!is_so) *since_ns = -1;
    else if (*since_ns < 0) *since_ns = begin_ns;
}

static void judge(struct sim_gpu *g, double begin_ns, double now_ns)
{
    const struct ay_chip *const c = &g->chip;
    /* Whether it would be over the limit at the full clock: else a clock that has fallen would rise
     * at once. */
    const double full_watts = c->power_idle_watts + (g->watts - c->power_idle_watts) *
                                                        c->sm_clock_mhz / sim_clock_mhz(g->machine);
    const double window_ns = c->power_window_ms * 1e6;
    note_since(&g->over_since_ns, full_watts > c->power_limit_watts, begin_ns);
    note_since(&g->under_since_ns, full_watts <= c->power_limit_watts, begin_ns);
    const bool is_over = g->over_since_ns >= 0 && now_ns - g->over_since_ns >= window_ns;
    const bool is_under = g->under_since_ns >= 0 && now_ns - g->under_since_ns >= window_ns;
    if (is_over && !g->is_throttled && c->throttle_clock_mhz < c->sm_clock_mhz) {
        sim_set_clock(g->machine, c->throttle_clock_mhz);
        g->is_throttled = true;
    } else if (is_under && g->is_throttled) {
        sim_set_clock(g->machine, c->sm_clock_mhz);
        g->is_throttled = false;
    }
}

void sim_watch_power(struct sim_driver *d)
{
    for (int i = 0; i < d->n_gpus; i++) {
        struct sim_gpu *const g = &d->gpus[i];
        const double begin_ns = g->seen_ns, ns = d->device_ns - begin_ns;
        if (ns < interval_ns(&g->chip) * 0.999) continue;
        const double joules = sim_joules(d, i);
        g->watts = g->chip.power_idle_watts + (joules - g->seen_joules) / (ns * 1e-9);
        g->seen_ns = d->device_ns;
        g->seen_joules = joules;
        judge(g, begin_ns, d->device_ns);
    }
}
