#include "probes/alu/polls.h"

#include "core/stats.h"

static uint64_t pause_before(const struct clock_poll *burst, uint32_t k)
{
    return burst[k].clock_cycles - burst[k - 1].clock_cycles;
}

/* A step between polls counts where nothing held the polls around it up: a fetch, an interrupt. */
static bool is_regular(const struct clock_poll *burst, uint32_t k, uint64_t cadence)
{
    return pause_before(burst, k) == cadence &&
           (k < 2 || pause_before(burst, k - 1) == cadence) &&
           (k + 1 == CLOCK_BURST || pause_before(burst, k + 1) == cadence);
}

static void find_steps(const struct clock_poll *polls, uint32_t n_bursts, uint64_t cadence,
                       struct steps *s)
{
    s->n = 0;
    for (uint32_t burst = 0; burst < n_bursts; burst++)
        for (uint32_t k = 1; k < CLOCK_BURST; k++) {
            const struct clock_poll *b = polls + burst * CLOCK_BURST;
            if (b[k].timer_ns == b[k - 1].timer_ns || s->n == POLL_MAX_STEPS ||
                !is_regular(b, k, cadence))
                continue;
            s->timer_ns[s->n] = b[k].timer_ns;
            s->clock_cycles[s->n++] = b[k].clock_cycles;
        }
}

/* The usual pause between polls: their median, over one SM. */
static enum ay_status find_cadence(struct ay_bench *b, const struct clock_poll *polls,
                                   uint32_t n_bursts, uint64_t *cadence, struct ay_error *err)
{
    void *sorted;
    size_t n = 0;
    AY_TRY(ay_host_scratch(b, n_bursts * CLOCK_BURST * sizeof(double), &sorted, err));
    double *pause = sorted;
    for (uint32_t burst = 0; burst < n_bursts; burst++)
        for (uint32_t k = 1; k < CLOCK_BURST; k++)
            pause[n++] = (double)pause_before(polls + burst * CLOCK_BURST, k);
    ay_sort(pause, n);
    *cadence = (uint64_t)pause[n / 2];
    return AY_OK;
}

static enum ay_status launch(struct ay_bench *b, const struct ay_kernel *kernel,
                             const struct clock_poll **polls, const struct clock_head **heads,
                             struct ay_error *err)
{
    const uint32_t n_sms = ay_device_facts(b)->n_sms;
    const uint64_t bytes = n_sms * (uint64_t)POLL_BURSTS * CLOCK_BURST * sizeof **polls;
    struct clock_poll_args args = {
        .n_ctas = n_sms, .n_bursts = POLL_BURSTS, .most_ns = POLL_MOST_NS};
    void *host_polls, *host_heads;
    AY_TRY(ay_scratch(b, bytes, &args.polls, err));
    AY_TRY(ay_scratch(b, n_sms * sizeof **heads, &args.heads, err));
    AY_TRY(ay_start_line(b, &args.line, err));
    AY_TRY(ay_host_scratch(b, bytes, &host_polls, err));
    AY_TRY(ay_host_scratch(b, n_sms * sizeof **heads, &host_heads, err));
    AY_TRY(ay_launch(b, &(struct ay_launch){.kernel = kernel, .n_ctas = n_sms, .args = &args,
                                            .args_bytes = sizeof args}, err));
    AY_TRY(ay_read(b, host_polls, args.polls, bytes, err));
    AY_TRY(ay_read(b, host_heads, args.heads, n_sms * sizeof **heads, err));
    *polls = host_polls;
    *heads = host_heads;
    return AY_OK;
}

enum ay_status poll_steps(struct ay_bench *b, const struct ay_kernel *kernel, uint64_t *cadence,
                          struct steps **out, struct ay_error *err)
{
    const uint32_t n_sms = ay_device_facts(b)->n_sms;
    const struct clock_poll *polls;
    const struct clock_head *heads;
    void *all, *seen;
    AY_TRY(ay_host_scratch(b, n_sms * sizeof(struct steps), &all, err));
    AY_TRY(ay_host_scratch(b, n_sms * sizeof(bool), &seen, err));
    AY_TRY(launch(b, kernel, &polls, &heads, err));
    *out = all;
    for (uint32_t i = 0; i < n_sms; i++) {
        const struct clock_head *h = &heads[i];
        const struct clock_poll *mine = polls + i * (uint64_t)POLL_BURSTS * CLOCK_BURST;
        if (h->n_bursts == 0 || h->n_bursts > POLL_BURSTS || h->sm >= n_sms ||
            ((bool *)seen)[h->sm])
            return AY_FAIL(err, AY_VOID, "CTA %u of %u did not poll on an SM of its own", i, n_sms);
        ((bool *)seen)[h->sm] = true;
        if (i == 0) AY_TRY(find_cadence(b, mine, h->n_bursts, cadence, err));
        find_steps(mine, h->n_bursts, *cadence, &(*out)[h->sm]);
    }
    return AY_OK;
}
