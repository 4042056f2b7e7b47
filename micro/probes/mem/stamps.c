#include "probes/mem/stamps.h"

#include <string.h>

#include "core/stats.h"

static const struct ay_kernel TRACE = {"mem/trace", "mem_trace_cg"};

enum ay_status stamp_lines(struct ay_bench *b, uint32_t sm, const struct ring *lines,
                           const struct ring *page, double *cycles, struct ay_error *err)
{
    struct chase_out got = {0};
    ay_addr out, stamps;
    void *host;
    const uint64_t n = lines->n_nodes, stamp_bytes = n * 2 * sizeof(uint32_t);
    AY_TRY(ay_scratch(b, sizeof got, &out, err));
    AY_TRY(ay_trace(b, n, &stamps, err));
    AY_TRY(ay_host_scratch(b, stamp_bytes, &host, err));
    const struct trace_args args = {.warm = ring_at(page, 0),
                                    .ring = ring_at(lines, 0),
                                    .out = out,
                                    .nonce = ay_nonce(b),
                                    .stamps = stamps,
                                    .n_warm_steps = 2,
                                    .n_steps = (uint32_t)n};
    AY_TRY(ay_launch(b, &(struct ay_launch){.kernel = &TRACE,
                                            .is_on_sm = true,
                                            .sm = sm,
                                            .args = &args,
                                            .args_bytes = sizeof args}, err));
    AY_TRY(ay_read(b, &got, out, sizeof got, err));
    AY_TRY(ay_read(b, host, stamps, stamp_bytes, err));
    if (got.nonce != args.nonce || got.last != ring_at(lines, n) || got.sm != sm)
        return AY_FAIL(err, AY_VOID, "the stamped walk ended at %#llx, not at %#llx",
                       (unsigned long long)got.last, (unsigned long long)ring_at(lines, n));
    const uint32_t *pairs = host;
    for (uint64_t i = 0; i < n; i++) /* 32 bits wrap; their difference does not */
        cycles[lines->order[i]] = (double)(uint32_t)(pairs[2 * i + 1] - pairs[2 * i]);
    return AY_OK;
}

enum ay_status sorted_copy(struct ay_bench *b, const double *x, uint64_t n, double **out,
                           struct ay_error *err)
{
    AY_TRY(ay_host_scratch(b, n * sizeof *x, (void **)out, err));
    memcpy(*out, x, n * sizeof *x);
    ay_sort(*out, n);
    return AY_OK;
}

enum ay_status stamp_again(struct ay_bench *b, uint32_t sm, const struct ring *lines,
                           const struct ring *page, const double *before, double *cycles,
                           struct ay_error *err)
{
    const double LOWER_END = 0.05;
    const uint64_t n = lines->n_nodes;
    double *first, *now;
    AY_TRY(stamp_lines(b, sm, lines, page, cycles, err));
    AY_TRY(sorted_copy(b, before, n, &first, err));
    AY_TRY(sorted_copy(b, cycles, n, &now, err));
    const double ratio =
        ay_quantile_sorted(first, n, LOWER_END) / ay_quantile_sorted(now, n, LOWER_END);
    for (uint64_t i = 0; i < n; i++) cycles[i] *= ratio;
    return AY_OK;
}
