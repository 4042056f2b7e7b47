#include "probes/alu/polls.h"

static void find_steps(const struct clock_poll *polls, uint32_t n_bursts, struct steps *s)
{
    s->n = 0;
    for (uint32_t burst = 0; burst < n_bursts; burst++)
        for (uint32_t k = 1; k < CLOCK_BURST; k++) {
            const struct clock_poll *p = polls + burst * CLOCK_BURST + k;
            if (p->timer_ns == p[-1].timer_ns || s->n == POLL_MAX_STEPS) continue;
            s->timer_ns[s->n] = p->timer_ns;
            s->jump_ns[s->n] = p->timer_ns - p[-1].timer_ns;
            s->clock_cycles[s->n++] = p->clock_cycles;
        }
}

enum ay_status poll_steps(struct ay_bench *b, const struct ay_kernel *kernel, struct steps **out,
                          struct ay_error *err)
{
    const uint32_t n_sms = ay_device_facts(b)->n_sms;
    const uint64_t cta_polls = (uint64_t)POLL_BURSTS * CLOCK_BURST;
    const uint64_t bytes = n_sms * cta_polls * sizeof(struct clock_poll);
    struct clock_poll_args args = {
        .n_ctas = n_sms, .n_bursts = POLL_BURSTS, .most_ns = POLL_MOST_NS};
    void *polls, *heads, *all;
    AY_TRY(ay_scratch(b, bytes, &args.polls, err));
    AY_TRY(ay_scratch(b, n_sms * sizeof(struct clock_head), &args.heads, err));
    AY_TRY(ay_start_line(b, &args.line, err));
    AY_TRY(ay_host_scratch(b, bytes, &polls, err));
    AY_TRY(ay_host_scratch(b, n_sms * sizeof(struct clock_head), &heads, err));
    AY_TRY(ay_host_scratch(b, n_sms * sizeof(struct steps), &all, err));
    AY_TRY(ay_launch(b, &(struct ay_launch){.kernel = kernel, .n_ctas = n_sms, .args = &args,
                                            .args_bytes = sizeof args}, err));
    AY_TRY(ay_read(b, polls, args.polls, bytes, err));
    AY_TRY(ay_read(b, heads, args.heads, n_sms * sizeof(struct clock_head), err));
    *out = all;
    for (uint32_t i = 0; i < n_sms; i++) {
        const struct clock_head *h = (const struct clock_head *)heads + i;
        if (h->n_bursts == 0 || h->n_bursts > POLL_BURSTS || h->sm >= n_sms || (*out)[h->sm].n)
            return AY_FAIL(err, AY_VOID, "CTA %u of %u did not poll on an SM of its own", i, n_sms);
        find_steps((const struct clock_poll *)polls + i * cta_polls, h->n_bursts, &(*out)[h->sm]);
    }
    return AY_OK;
}
