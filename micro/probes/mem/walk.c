#include "probes/mem/walk.h"

ay_addr ring_at(const struct ring *r, uint64_t n_steps)
{
    const uint64_t node = r->order[n_steps % r->n_nodes];
    return r->base + (r->offsets ? r->offsets[node] : node * r->stride_bytes);
}

static enum ay_status write_ring(struct ay_bench *b, struct ring *r, struct ay_error *err)
{
    void *order;
    AY_TRY(ay_host_scratch(b, r->n_nodes * sizeof *r->order, &order, err));
    r->order = order;
    return ay_write_ring(b, r->base, r->n_nodes, r->stride_bytes, r->offsets, r->order, err);
}

enum ay_status new_ring(struct ay_bench *b, uint64_t n_bytes, struct ring *out,
                        struct ay_error *err)
{
    *out = (struct ring){.n_nodes = n_bytes / WALK_LINE_BYTES, .stride_bytes = WALK_LINE_BYTES};
    AY_TRY(ay_scratch(b, n_bytes, &out->base, err));
    return write_ring(b, out, err);
}

enum ay_status ring_through(struct ay_bench *b, ay_addr base, uint64_t n_nodes,
                            const uint64_t *offsets, struct ring *out, struct ay_error *err)
{
    *out = (struct ring){.base = base, .n_nodes = n_nodes, .offsets = offsets};
    return write_ring(b, out, err);
}

uint32_t lap_rounds(const struct ring *r)
{
    enum { LEAST = 16, MOST = 2048 };
    uint64_t lap = r->n_nodes; /* rounds of so many loads make whole laps */
    for (uint64_t step = CHASE_STEP; step > 1 && lap % 2 == 0; step /= 2) lap /= 2;
    const uint64_t n_laps = (LEAST + lap - 1) / lap;
    return lap * n_laps > MOST ? MOST : (uint32_t)(lap * n_laps);
}

static uint64_t warm_start(const struct walk *w, uint64_t n_warm)
{
    const uint64_t n = w->warm->n_nodes;
    return w->warm_end ? (w->warm_end % n + n - n_warm % n) % n : 0;
}

static enum ay_status prove(const struct walk *w, const struct chase_out *got, uint64_t nonce,
                            uint64_t n_warm, uint64_t n_timed, struct ay_error *err)
{
    const ay_addr due = ring_at(w->timed, w->skip_steps + n_timed);
    const ay_addr warm_due = ring_at(w->warm, warm_start(w, n_warm) + n_warm);
    if (got->nonce != nonce)
        return AY_FAIL(err, AY_VOID, "%s left no result: it did not run", w->kernel->entry);
    if (got->last != due || got->warm_last != warm_due)
        return AY_FAIL(err, AY_VOID, "the walk ended at %#llx, not at %#llx",
                       (unsigned long long)got->last, (unsigned long long)due);
    if (got->sm != w->sm)
        return AY_FAIL(err, AY_VOID, "%s ran on SM %u, not on %u", w->kernel->entry, got->sm,
                       w->sm);
    if (got->stop_cycles <= got->start_cycles)
        return AY_FAIL(err, AY_VOID, "the clock of SM %u did not go on", w->sm);
    return AY_OK;
}

enum ay_status walk_once(struct ay_bench *b, const struct walk *w, uint32_t length,
                         uint32_t n_rounds, uint64_t *cycles, struct ay_error *err)
{
    const uint64_t round = (uint64_t)length * CHASE_STEP;
    uint64_t n_warm = w->warm_steps ? w->warm_steps : w->warm->n_nodes;
    struct chase_out got = {0};
    ay_addr out;
    AY_TRY(ay_scratch(b, sizeof got, &out, err));
    n_warm = (n_warm + round - 1) / round * round;
    const struct chase_args args = {
        .warm = ring_at(w->warm, warm_start(w, n_warm)),
        .ring = ring_at(w->timed, w->skip_steps),
        .out = out,
        .nonce = ay_nonce(b),
        .n_warm_rounds = (uint32_t)(n_warm / round),
        .n_rounds = n_rounds,
        .length = length,
        .n_passes = 2,
    };
    AY_TRY(ay_launch(b, &(struct ay_launch){.kernel = w->kernel,
                                            .is_on_sm = true,
                                            .sm = w->sm,
                                            .args = &args,
                                            .args_bytes = sizeof args}, err));
    AY_TRY(ay_read(b, &got, out, sizeof got, err));
    AY_TRY(prove(w, &got, args.nonce, n_warm, n_rounds * round, err));
    *cycles = got.stop_cycles - got.start_cycles;
    return AY_OK;
}

enum ay_status walk_lengths(struct ay_bench *b, const struct walk *w, uint32_t n_rounds,
                            struct ay_samples *out, const char *quantity,
                            const struct ay_point *at, struct ay_error *err)
{
    for (uint32_t length = 1; length <= CHASE_LENGTHS; length++) {
        uint64_t cycles;
        AY_TRY(walk_once(b, w, length, n_rounds, &cycles, err));
        ay_sample(out, quantity, at, (double)n_rounds * length * CHASE_STEP, (double)cycles);
    }
    return AY_OK;
}
