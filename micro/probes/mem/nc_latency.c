/* mem.nc.latency
 *
 * QUESTION  How many cycles until a load through the read-only path (ld.global.nc) that hits can be
 *           used, and does that path share L1 with plain loads?
 * METHOD    As mem.l1.latency, with .nc. For the second question the ring is warmed with .nc, more
 *           lines than any L1 holds are read with plain loads, and the ring is timed again: dearer
 *           than without them means that both live in one cache.
 */
#include <string.h>

#include "core/truth.h"
#include "probes/mem/nc_latency.h"
#include "probes/mem/walk.h"

/* --- method ----------------------------------------------------------------------------------- */

static const struct ay_kernel KERNELS[] = {{"mem/nc_latency", "mem_nc_latency"}, {0}};
enum { RING_BYTES = 4 << 10, OTHERS_BYTES = 1 << 20, ROUNDS = 16 };

static enum ay_status walk_nc(struct ay_bench *b, const struct ring *ring,
                              const struct ring *others, uint32_t length, uint32_t n_rounds,
                              double *cycles, struct ay_error *err)
{
    const uint64_t round = (uint64_t)length * CHASE_STEP;
    struct chase_out got = {0};
    struct nc_args args = {.chase = {.nonce = ay_nonce(b),
                                     .warm = ring_at(ring, 0),
                                     .ring = ring_at(ring, 0),
                                     .n_warm_rounds = (uint32_t)((ring->n_nodes - 1) / round + 1),
                                     .n_rounds = n_rounds,
                                     .length = length,
                                     .n_passes = 2}};
    if (others) {
        args.others = ring_at(others, 0);
        args.n_others = others->n_nodes;
    }
    AY_TRY(ay_scratch(b, sizeof got, &args.chase.out, err));
    AY_TRY(ay_launch(b, &(struct ay_launch){.kernel = &KERNELS[0],
                                            .is_on_sm = true,
                                            .args = &args,
                                            .args_bytes = sizeof args}, err));
    AY_TRY(ay_read(b, &got, args.chase.out, sizeof got, err));
    if (got.nonce != args.chase.nonce || got.sm != 0 ||
        got.last != ring_at(ring, n_rounds * round) || got.stop_cycles <= got.start_cycles)
        return AY_FAIL(err, AY_VOID, "the walk ended at %#llx, not at %#llx",
                       (unsigned long long)got.last,
                       (unsigned long long)ring_at(ring, n_rounds * round));
    *cycles = (double)(got.stop_cycles - got.start_cycles);
    return AY_OK;
}

static enum ay_status run(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out,
                          struct ay_error *err)
{
    const double DEARER_RATIO = 1.5;
    struct ring ring, others;
    double cycles, alone, after;
    AY_TRY(new_ring(b, RING_BYTES, &ring, err));
    AY_TRY(new_ring(b, OTHERS_BYTES, &others, err));
    for (uint32_t length = 1; length <= CHASE_LENGTHS; length++) {
        AY_TRY(walk_nc(b, &ring, NULL, length, ROUNDS, &cycles, err));
        ay_sample(out, "latency", at, (double)(ROUNDS * length * CHASE_STEP), cycles);
    }
    AY_TRY(walk_nc(b, &ring, NULL, 1, 1, &alone, err)); /* half the ring, each line once */
    AY_TRY(walk_nc(b, &ring, &others, 1, 1, &after, err));
    ay_sample(out, "shares_l1", at, 1, after > DEARER_RATIO * alone);
    return AY_OK;
}

/* --- analysis --------------------------------------------------------------------------------- */

static bool truth(const struct ay_chip *chip, const char *quantity, const struct ay_point *at,
                  struct ay_truth *out)
{
    (void)at;
    if (strcmp(quantity, "latency") != 0) return false; /* no key says that paths are apart */
    *out = ay_chain(chip, chip->nc_latency_cycles, 1);
    return true;
}

static const char *const SHARES[] = {"apart", "shared", NULL};
static const struct ay_quantity QUANTITIES[] = {
    {"latency", AY_CYCLES, AY_NS, AY_SLOPE, "load-to-use latency of a hit by ld.global.nc", NULL},
    {"shares_l1", AY_CLASS, AY_NO_UNIT, AY_MEDIAN, "does the path share L1 with plain loads",
     SHARES},
    {0},
};

static const struct ay_sass_rule SASS[] = {
    {NULL, "LDG.E.64.CONSTANT|LDG.E.64.CONSTANT.SYS", CHASE_LOADS, CHASE_LOADS,
     "one .nc load a step, none merged", AY_IN_REGION, 0, 0},
    {NULL, "LDG.E.64|LDG.E.64.SYS", 0, AY_ANY, "plain loads only between the passes", AY_IN_KERNEL,
     0, 0},
    {0},
};

static const char *const PITFALLS[] = {
    "The compiler may turn plain loads of const __restrict__ data into .nc: see what yours has.",
    NULL,
};

static const char *const SOURCES[] = {"ptx-isa", "luo2024", NULL};

const struct ay_probe mem_nc_latency = {
    .name = "mem.nc.latency",
    .question = "How many cycles until a load through the read-only path can be used?",
    .method = "A ring of pointers walked with ld.global.nc in four lengths; the slope is the "
              "latency. Then with a megabyte of plain loads between warming and timing it.",
    .belongs = AY_ON_GPU,
    .quantities = QUANTITIES,
    .kernels = KERNELS,
    .run = run,
    .truth = truth,
    .sass = SASS,
    .pitfalls = PITFALLS,
    .sources = SOURCES,
};
