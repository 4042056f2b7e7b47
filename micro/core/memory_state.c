/* memory_state.c - bringing L2 and TLB into a known state, and the clock of the moment. */
#include <math.h>

#include "core/bench_args.h"
#include "core/bench_impl.h"

static const struct ay_kernel EVICT = {"core/bench", "bench_evict"};
static const struct ay_kernel TOUCH = {"core/bench", "bench_touch"};
static const struct ay_kernel WALK = {"core/bench", "bench_walk"};
static const struct ay_kernel CLOCK = {"core/bench", "bench_clock"};

/* A launch of the bench's own: what the row says it ran stays the probe's kernel. */
static enum ay_status launch(struct ay_bench *b, const struct ay_launch *l, struct ay_error *err)
{
    const struct ay_kernel before = b->kernel;
    const enum ay_status status = ay_launch(b, l, err);
    b->kernel = before;
    return status;
}

/* --- eviction --------------------------------------------------------------------------------- */

enum { EVICT_CTAS_A_SM = 2 };

static enum ay_status evict(struct ay_bench *b, ay_addr from, uint64_t n_bytes, int but_sm,
                            struct ay_error *err)
{
    const uint64_t piece_bytes = (uint64_t)EVICT_THREADS * EVICT_LINE_BYTES;
    ay_addr counters;
    AY_TRY(ay_scratch(b, 2 * sizeof(uint64_t), &counters, err));
    const struct evict_args args = {.from = from,
                                    .n_bytes = n_bytes,
                                    .ticket = counters,
                                    .sum = counters + sizeof(uint64_t),
                                    .but_sm = (uint32_t)but_sm};
    AY_TRY(launch(b, &(struct ay_launch){.kernel = &EVICT,
                                         .n_ctas = b->device->facts.n_sms * EVICT_CTAS_A_SM,
                                         .n_threads = EVICT_THREADS,
                                         .args = &args,
                                         .args_bytes = sizeof args}, err));
    uint64_t n_done = 0;
    AY_TRY(ay_read(b, &n_done, args.sum, sizeof n_done, err));
    if (n_done != n_bytes / piece_bytes)
        return AY_FAIL(err, AY_VOID, "the eviction read %llu pieces of %llu",
                       (unsigned long long)n_done, (unsigned long long)(n_bytes / piece_bytes));
    return AY_OK;
}

/* Cycles to walk n_nodes once from SM 0. */
static enum ay_status walk(struct ay_bench *b, ay_addr ring, uint32_t n_nodes, double *cycles,
                           struct ay_error *err)
{
    ay_addr out;
    uint64_t got[3] = {0};
    AY_TRY(ay_scratch(b, sizeof got, &out, err));
    const struct walk_args args = {.at = ring, .out = out, .n_steps = n_nodes};
    AY_TRY(launch(b, &(struct ay_launch){.kernel = &WALK,
                                         .is_on_sm = true,
                                         .args = &args,
                                         .args_bytes = sizeof args}, err));
    AY_TRY(ay_read(b, got, out, sizeof got, err));
    if (got[2] != ring || got[1] <= got[0])
        return AY_FAIL(err, AY_VOID, "a walk of %u nodes did not come back to its start", n_nodes);
    *cycles = (double)(got[1] - got[0]);
    return AY_OK;
}

/* What a walk costs after so many bytes were read elsewhere: the median of three, for noise. */
static enum ay_status walk_after(struct ay_bench *b, ay_addr ring, uint32_t n_nodes,
                                 uint64_t bytes, double *cycles, struct ay_error *err)
{
    enum { TIMES = 3 };
    double found[TIMES];
    ay_addr buffer;
    AY_TRY(ay_scratch(b, bytes, &buffer, err));
    for (int i = 0; i < TIMES; i++) {
        AY_TRY(walk(b, ring, n_nodes, &found[i], err)); /* into L2 */
        AY_TRY(evict(b, buffer, bytes, AY_ANY, err));
        AY_TRY(walk(b, ring, n_nodes, &found[i], err));
    }
    ay_sort(found, TIMES);
    *cycles = found[TIMES / 2];
    return AY_OK;
}

/* Reads more and more until a ring that was in L2 is slower to walk and twice as much changes
 * nothing any more. All smaller sizes together cost as much as the last: the driver's word about L2
 * would save little where it is true, and cost minutes where it is not. */
static enum ay_status find_evict_bytes(struct ay_bench *b, struct ay_error *err)
{
    enum { NODES = 256, STRIDE_BYTES = 128, LEAST_BYTES = 1 << 20 };
    const struct ay_facts *f = &b->device->facts;
    const uint64_t most_bytes = f->free_bytes / 4;
    ay_addr ring;
    double hot, cold = 0;
    AY_TRY(ay_scratch(b, NODES * STRIDE_BYTES, &ring, err));
    AY_TRY(ay_write_ring(b, ring, NODES, STRIDE_BYTES, NULL, NULL, err));
    AY_TRY(walk(b, ring, NODES, &hot, err));
    AY_TRY(walk(b, ring, NODES, &hot, err));
    for (uint64_t bytes = LEAST_BYTES; bytes <= most_bytes; bytes *= 2) {
        double now;
        AY_TRY(walk_after(b, ring, NODES, bytes, &now, err));
        if (cold > 1.1 * hot && fabs(now - cold) < 0.01 * cold) {
            b->evict_bytes = bytes;
            return AY_OK;
        }
        cold = now;
    }
    return AY_FAIL(err, AY_SKIP, "not identified: reading %llu bytes, a quarter of the free memory,"
                   " does not push a ring out of L2", (unsigned long long)most_bytes);
}

enum ay_status ay_evict_bytes(struct ay_bench *b, uint64_t *bytes, struct ay_error *err)
{
    if (!b->evict_bytes) AY_TRY(find_evict_bytes(b, err));
    *bytes = b->evict_bytes;
    return AY_OK;
}

enum ay_status ay_evict_l2(struct ay_bench *b, int but_sm, struct ay_error *err)
{
    ay_addr buffer;
    if (!b->evict_bytes) AY_TRY(find_evict_bytes(b, err));
    AY_TRY(ay_scratch(b, b->evict_bytes, &buffer, err));
    return evict(b, buffer, b->evict_bytes, but_sm, err);
}

enum ay_status ay_touch(struct ay_bench *b, ay_addr at, uint64_t bytes, uint64_t step_bytes,
                        uint32_t sm, struct ay_error *err)
{
    ay_addr count;
    AY_TRY(ay_scratch(b, sizeof(uint64_t), &count, err));
    const struct touch_args args = {
        .from = at, .n_bytes = bytes, .step_bytes = step_bytes, .count = count};
    AY_TRY(launch(b, &(struct ay_launch){.kernel = &TOUCH,
                                         .is_on_sm = true,
                                         .sm = sm,
                                         .n_threads = TOUCH_THREADS,
                                         .args = &args,
                                         .args_bytes = sizeof args}, err));
    uint64_t n_touched = 0;
    AY_TRY(ay_read(b, &n_touched, count, sizeof n_touched, err));
    if (n_touched != (bytes + step_bytes - 1) / step_bytes)
        return AY_FAIL(err, AY_VOID, "%llu words were touched, not %llu",
                       (unsigned long long)n_touched,
                       (unsigned long long)((bytes + step_bytes - 1) / step_bytes));
    return AY_OK;
}

/* --- the clock of the moment ------------------------------------------------------------------ */

enum { CLOCK_NS = 1100000 }; /* over 1000 steps of the coarsest timer known, 1024 ns */

enum ay_status ay_sm_clock(struct ay_bench *b, double *mhz, struct ay_error *err)
{
    struct { uint64_t start, start_ns, stop, stop_ns; } got = {0};
    ay_addr out;
    *mhz = 0;
    AY_TRY(ay_scratch(b, sizeof got, &out, err));
    const struct clock_args args = {.out = out, .min_ns = CLOCK_NS};
    AY_TRY(launch(b, &(struct ay_launch){.kernel = &CLOCK,
                                         .args = &args,
                                         .args_bytes = sizeof args}, err));
    AY_TRY(ay_read(b, &got, out, sizeof got, err));
    if (got.stop_ns < got.start_ns + CLOCK_NS || got.stop <= got.start)
        return AY_FAIL(err, AY_VOID, "the clock kernel's stamps do not make %d ns", CLOCK_NS);
    *mhz = 1e3 * (double)(got.stop - got.start) / (double)(got.stop_ns - got.start_ns);
    return AY_OK;
}
