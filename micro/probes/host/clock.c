/* host.clock
 *
 * QUESTION  What does reading the host clock cost, how fine is it, and how fast does the
 *           processor's own counter run?
 * METHOD    Rows of reads of several lengths: the cost is the slope of time over reads. The step
 *           is the greatest common divisor of the differences of neighbouring reads. The counter's
 *           rate is the slope of its ticks over the clock, across waits of several lengths.
 */
#include "core/bench_host.h"

enum {
    LEAST_READS = 128,
    MOST_READS = 4096,
    N_STEPS = 64,
    LEAST_WAIT_NS = 250 * 1000,
    MOST_WAIT_NS = 4 * 1000 * 1000,
};

/* --- method ----------------------------------------------------------------------------------- */

static enum ay_status read_often(struct ay_bench *b, uint64_t n_reads, const struct ay_point *at,
                                 struct ay_samples *out, struct ay_error *err)
{
    const uint64_t start_ns = ay_host_clock_ns(b);
    uint64_t last_ns = start_ns;
    for (uint64_t i = 0; i < n_reads; i++) {
        const uint64_t now_ns = ay_host_clock_ns(b);
        if (now_ns < last_ns)
            return AY_FAIL(err, AY_VOID, "the clock went back by %llu ns",
                           (unsigned long long)(last_ns - now_ns));
        last_ns = now_ns;
    }
    ay_sample(out, "cost", at, (double)n_reads, (double)(last_ns - start_ns));
    return AY_OK;
}

static void step_once(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out)
{
    const uint64_t start_ns = ay_host_clock_ns(b);
    uint64_t now_ns = start_ns;
    while (now_ns == start_ns) now_ns = ay_host_clock_ns(b);
    ay_sample(out, "step", at, 1, (double)(now_ns - start_ns));
}

/* A counter read stands for the middle of the clock reads around it. */
struct stamp {
    double ns, ticks;
};

static enum ay_status read_both(struct ay_bench *b, struct stamp *out, struct ay_error *err)
{
    uint64_t ticks;
    const uint64_t before_ns = ay_host_clock_ns(b);
    AY_TRY(ay_host_tsc(b, &ticks, err));
    const uint64_t after_ns = ay_host_clock_ns(b);
    *out = (struct stamp){ (double)before_ns + (double)(after_ns - before_ns) / 2, (double)ticks };
    return AY_OK;
}

static enum ay_status run(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out,
                          struct ay_error *err)
{
    for (uint64_t n_reads = LEAST_READS; n_reads <= MOST_READS; n_reads *= 2)
        AY_TRY(read_often(b, n_reads, at, out, err));
    for (int i = 0; i < N_STEPS; i++) step_once(b, at, out);

    for (uint64_t wait_ns = LEAST_WAIT_NS; wait_ns <= MOST_WAIT_NS; wait_ns *= 2) {
        struct stamp start, stop;
        const enum ay_status status = read_both(b, &start, err);
        if (status == AY_SKIP) {
            ay_warn(out, "no tsc_rate: %.120s", err->text);
            return AY_OK;
        }
        AY_TRY(status);
        const uint64_t until_ns = ay_host_clock_ns(b) + wait_ns;
        while (ay_host_clock_ns(b) < until_ns) continue;
        AY_TRY(read_both(b, &stop, err));
        ay_sample(out, "tsc_rate", at, (stop.ns - start.ns) / 1000, stop.ticks - start.ticks);
    }
    return AY_OK;
}

/* --- analysis --------------------------------------------------------------------------------- */

static const struct ay_quantity QUANTITIES[] = {
    { "cost", AY_NS, AY_NO_UNIT, AY_SLOPE, "one read of CLOCK_MONOTONIC_RAW", NULL },
    { "step", AY_NS, AY_NO_UNIT, AY_GCD, "step of that clock", NULL },
    { "tsc_rate", AY_MHZ, AY_NO_UNIT, AY_SLOPE, "rate of the processor's counter", NULL },
    { 0 },
};

static const char *const PITFALLS[] = {
    "The cost includes the call through the device's table, as for each probe that reads it.",
    "A counter of a few MHz is rounded to whole ns: its differences then have the divisor 1, and"
    " tsc_rate tells its true step.",
    "Without a clock in user space (no vDSO entry) a read is a system call: hundreds of ns.",
    NULL,
};

static const char *const SOURCES[] = { "linux-vdso", NULL };

const struct ay_probe host_clock = {
    .name = "host.clock",
    .question = "What does a read of the host clock cost, how fine is it, how fast the TSC?",
    .method = "The cost is the slope of time over rows of reads of several lengths; the step is "
              "the greatest common divisor of differences of reads; the counter's rate is the "
              "slope of its ticks over the clock across waits of 0.25 to 4 ms.",
    .belongs = AY_ON_HOST,
    .quantities = QUANTITIES,
    .run = run,
    .pitfalls = PITFALLS,
    .sources = SOURCES,
};
