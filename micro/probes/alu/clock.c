/* alu.clock
 *
 * QUESTION  How fast is the SM clock, how coarse the global timer, what does a clock read cost, and
 *           by how much do the SMs' clocks differ?
 * METHOD    sm_clock: %clock64 against %globaltimer from step to step, over a millisecond.
 *           read_cost: straight lines of clock reads in four lengths; the slope. globaltimer_step:
 *           the greatest common divisor of the times between steps. skew: all SMs poll timer and
 *           clock at once; the clocks read first after the same step of the timer are compared with
 *           SM 0's. Each is late by chance, at most one poll, so the true difference lies half way
 *           between the least and the greatest possible, and is told once both were seen.
 */
#include <string.h>

#include "core/truth.h"
#include "probes/alu/skew.h"

/* --- method ----------------------------------------------------------------------------------- */

static const struct ay_kernel KERNELS[] = {
    {"alu/clock", "alu_clock_read"}, {"alu/clock", "alu_clock_poll"}, {0}};
enum { READ, POLL, CLOCKS = 4, ROUNDS = 16 };

static enum ay_status read_cost(struct ay_bench *b, struct ay_samples *out,
                                const struct ay_point *sm0, struct ay_error *err)
{
    uint64_t stamp[CLOCK_READ_LENGTHS * CLOCK_READ_STEP];
    ay_addr result;
    AY_TRY(ay_scratch(b, sizeof stamp, &result, err));
    for (uint32_t length = 1; length <= CLOCK_READ_LENGTHS; length++) {
        const uint32_t n = length * CLOCK_READ_STEP;
        const struct clock_read_args args = {.out = result, .length = length};
        AY_TRY(ay_fill(b, result, 0, sizeof stamp, err));
        AY_TRY(ay_launch(b, &(struct ay_launch){.kernel = &KERNELS[READ], .args = &args,
                                                .args_bytes = sizeof args}, err));
        AY_TRY(ay_read(b, stamp, result, sizeof stamp, err));
        for (uint32_t i = 1; i < n; i++)
            if (stamp[i] <= stamp[i - 1])
                return AY_FAIL(err, AY_VOID, "clock read %u of %u did not come after the last", i,
                               n);
        ay_sample(out, "read_cost", sm0, n - 1, (double)(stamp[n - 1] - stamp[0]));
    }
    return AY_OK;
}

/* Once a run: rounds of polls are long, and what is whole does not get better. */
static enum ay_status compare_clocks(struct ay_bench *b, double mhz, const struct ay_point *at,
                                     struct ay_samples *out, struct ay_error *err)
{
    const struct ay_point sm0 = ay_with_number(*at, "sm", 0);
    const uint32_t n_sms = ay_device_facts(b)->n_sms;
    struct skews found;
    uint32_t n_open = 0;
    AY_TRY(find_skews(b, &KERNELS[POLL], mhz, ROUNDS, &found, err));
    for (size_t i = 0; i < found.n_jumps; i++)
        ay_sample(out, "globaltimer_step", &sm0, 1, (double)found.timer_jumps_ns[i]);
    for (uint32_t sm = 1; sm < n_sms; sm++) {
        const struct ay_point here = ay_with_number(*at, "sm", sm);
        n_open += !found.lags[sm].is_whole;
        if (!found.lags[sm].is_whole) continue;
        ay_sample(out, "skew", &here, 1, found.lags[sm].least);
        ay_sample(out, "skew", &here, 1, found.lags[sm].most);
    }
    if (n_open)
        ay_warn(out, "the skew of %u SMs is not identified: too few steps of the timer were seen "
                "by them and SM 0", n_open);
    return AY_OK;
}

static enum ay_status run(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out,
                          struct ay_error *err)
{
    const struct ay_point sm0 = ay_with_number(*at, "sm", 0);
    const bool is_first = out->n == 0;
    double mhz = 0;
    for (int i = 0; i < CLOCKS; i++) {
        AY_TRY(ay_sm_clock(b, &mhz, err));
        ay_sample(out, "sm_clock", &sm0, 1, mhz);
    }
    AY_TRY(read_cost(b, out, &sm0, err));
    return is_first ? compare_clocks(b, mhz, at, out, err) : AY_OK;
}

/* --- analysis --------------------------------------------------------------------------------- */

static bool truth(const struct ay_chip *chip, const char *quantity, const struct ay_point *at,
                  struct ay_truth *out)
{
    if (strcmp(quantity, "sm_clock") == 0)
        *out = ay_within(chip, chip->sm_clock_mhz, 0.001);
    else if (strcmp(quantity, "globaltimer_step") == 0)
        *out = ay_exact(chip, (double)chip->globaltimer_step_ns);
    else if (strcmp(quantity, "read_cost") == 0)
        *out = ay_chain(chip, chip->clock_read_cycles, 1);
    else
        *out = ay_exact(chip, (double)(chip->clock_skew_cycles * ay_number(at, "sm")));
    return true;
}

static const struct ay_quantity QUANTITIES[] = {
    {"sm_clock", AY_MHZ, AY_NO_UNIT, AY_MEDIAN, "SM clock", NULL},
    {"globaltimer_step", AY_NS, AY_NO_UNIT, AY_GCD, "step of %globaltimer", NULL},
    {"read_cost", AY_CYCLES, AY_NS, AY_SLOPE, "one read of %clock64", NULL},
    {"skew", AY_CYCLES, AY_NO_UNIT, AY_MIDRANGE, "how far this SM's clock is ahead of SM 0's",
     NULL},
    {0},
};

static const struct ay_sass_rule SASS[] = {
    {"alu_clock_read", "CS2R|CS2R.*", 80, AY_ANY, "8 + 16 + 24 + 32 clock reads, none merged",
     AY_IN_KERNEL, 0, 0},
    {"alu_clock_poll", "CS2R|CS2R.*", 16, AY_ANY, "a clock read beside each look at the timer",
     AY_IN_KERNEL, 0, 0},
    {"alu_clock_read", "S2UR*|S2R*", 0, 0, "no clock read takes the slow path", AY_IN_REGION, 0, 0},
    {0},
};

static const char *const PITFALLS[] = {
    "The timer steps by 32 ns on Hopper and about a microsecond on A100: never time short things "
    "with it.",
    "The clock of the moment is the one a light load gets; under tensor load it falls.",
    NULL,
};

static const char *const SOURCES[] = {"ptx-isa", "nanobench", NULL};

const struct ay_probe alu_clock = {
    .name = "alu.clock",
    .question = "How fast is the SM clock, how coarse the timer, how dear a clock read?",
    .method = "Clock against timer over a millisecond; straight lines of clock reads; times "
              "between steps of the timer; and the clocks of all SMs at the same steps of it.",
    .belongs = AY_ON_GPU,
    .quantities = QUANTITIES,
    .kernels = KERNELS,
    .max_passes = 4,
    .run = run,
    .truth = truth,
    .sass = SASS,
    .pitfalls = PITFALLS,
    .sources = SOURCES,
};
