#include "probes/alu/skew.h"

#include <math.h>

/* The step of the timer: what all differences between steps are whole multiples of. */
static uint64_t find_step(const struct steps *s, struct skews *out)
{
    uint64_t step_ns = 0;
    for (size_t i = 1; i < s->n; i++) {
        uint64_t jump_ns = s->timer_ns[i] - s->timer_ns[i - 1];
        if (out->n_jumps < SKEW_JUMPS) out->timer_jumps_ns[out->n_jumps++] = jump_ns;
        while (jump_ns) {
            const uint64_t rest = step_ns % jump_ns;
            step_ns = jump_ns;
            jump_ns = rest;
        }
    }
    return step_ns;
}

/* The first clock behind a step may come any time before the next poll, and the next step. */
static uint64_t most_late(uint64_t cadence, uint64_t step_ns, double mhz)
{
    const double CLOCK_RATIO = 0.001; /* how well mhz is known */
    const double step = ceil((double)step_ns * mhz / 1e3 * (1 - CLOCK_RATIO));
    return step < (double)cadence ? (uint64_t)step : cadence;
}

static void add_lags(const struct steps *base, const struct steps *other, struct lags *l)
{
    for (size_t i = 0, k = 0; i < base->n && k < other->n;) { /* both lists rise */
        if (base->timer_ns[i] < other->timer_ns[k]) i++;
        else if (base->timer_ns[i] > other->timer_ns[k]) k++;
        else {
            const double lag = (double)(int64_t)(other->clock_cycles[k++] -
                                                 base->clock_cycles[i++]);
            if (l->n == 0 || lag < l->least) l->least = lag;
            if (l->n == 0 || lag > l->most) l->most = lag;
            l->n++;
        }
    }
}

static bool are_whole(const struct lags *l, uint64_t late)
{
    const double due = 2 * ((double)late - 1), slack = (double)(late / 8); /* pauses that waver */
    const double spread = l->most - l->least;
    return l->n > 0 && late > 0 && spread >= due && spread <= due + slack;
}

enum ay_status find_skews(struct ay_bench *b, const struct ay_kernel *kernel, double mhz,
                          uint32_t n_rounds, struct skews *out, struct ay_error *err)
{
    const uint32_t n_sms = ay_device_facts(b)->n_sms;
    uint32_t n_open = n_sms;
    void *lags;
    *out = (struct skews){.n_jumps = 0};
    AY_TRY(ay_host_scratch(b, n_sms * sizeof(struct lags), &lags, err));
    out->lags = lags;
    for (uint32_t round = 0; round < n_rounds && n_open > 0; round++) {
        struct steps *steps;
        uint64_t cadence;
        AY_TRY(poll_steps(b, kernel, &cadence, &steps, err));
        const uint64_t late = most_late(cadence, find_step(&steps[0], out), mhz);
        n_open = 0;
        for (uint32_t sm = 1; sm < n_sms; sm++) {
            struct lags *l = &out->lags[sm];
            if (!l->is_whole) add_lags(&steps[0], &steps[sm], l);
            l->is_whole = l->is_whole || are_whole(l, late);
            n_open += !l->is_whole;
        }
    }
    return AY_OK;
}
