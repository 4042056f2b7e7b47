/* mem.l2.latency
 *
 * QUESTION  How many cycles until a load that misses L1 and hits L2 can be used: in the partition
 * of the asking SM, and in the other one? METHOD    First the lines are sorted: another SM brings
 * them into L2, the asking SM touches each once between two clock reads, and the brackets fall into
 * one mode or two. Then each class is walked without stamps in four lengths; the slope is its
 * latency [nanobench]. Where a far line that was read leaves a copy in the near partition, L2 is
 * emptied and filled by the other SM again before each walk, and each line is touched once
 * [luo2024].
 */
#include "core/truth.h"
#include "probes/mem/homes.h"

/* --- method ----------------------------------------------------------------------------------- */

static const struct ay_kernel KERNELS[] = {
    {"mem/chase", "mem_chase_cg"},
    {"mem/chase", "mem_chase_cv"},
    {"mem/trace", "mem_trace_cg"},
    {0},
};
enum { CG, CV, STEPS_A_SET = CHASE_LOADS, FEWEST_LINES = STEPS_A_SET, FILLS = 4, REPEATS = 6 };

/* Each line once a fill: laps would read copies. */
static enum ay_status walk_single(struct ay_bench *b, const struct homes *h, struct walk *w,
                                  struct ay_samples *out, const char *quantity,
                                  const struct ay_point *at, struct ay_error *err)
{
    for (int fill = 0; fill < FILLS; fill++) {
        AY_TRY(prepare_homes(b, h, err));
        w->skip_steps = 0;
        for (uint64_t set = 0; set < w->timed->n_nodes / STEPS_A_SET; set++)
            for (uint32_t length = 1; length <= CHASE_LENGTHS; length++) {
                uint64_t cycles;
                AY_TRY(walk_once(b, w, length, 1, &cycles, err));
                ay_sample(out, quantity, at, (double)length * CHASE_STEP, (double)cycles);
                w->skip_steps += (uint64_t)length * CHASE_STEP;
            }
    }
    return AY_OK;
}

static enum ay_status walk_class(struct ay_bench *b, const struct homes *h,
                                 const struct ay_kernel *k, const uint64_t *offsets, uint64_t n,
                                 struct ay_samples *out, const char *quantity,
                                 const struct ay_point *at, struct ay_error *err)
{
    struct ring lines, page;
    if (n < FEWEST_LINES)
        return AY_FAIL(err, AY_SKIP, "not identified: %llu of %llu lines are %s, too few to walk",
                       (unsigned long long)n, (unsigned long long)h->n_lines, quantity);
    AY_TRY(ring_through(b, h->base, n, offsets, &lines, err));
    AY_TRY(page_ring(b, h, &page, err));
    struct walk w = {.kernel = k, .warm = h->is_replicated ? &page : &lines, .timed = &lines};
    if (h->is_replicated) return walk_single(b, h, &w, out, quantity, at, err);
    for (int i = 0; i < REPEATS; i++)
        AY_TRY(walk_lengths(b, &w, lap_rounds(&lines), out, quantity, at, err));
    return AY_OK;
}

static enum ay_status run(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out,
                          struct ay_error *err)
{
    const double WIDEST_GAP_RATIO = 0.01;
    const struct ay_kernel *k = &KERNELS[ay_is_word(at, "op", "cv") ? CV : CG];
    const uint64_t n_lines = ay_number(at, "ring_bytes") / WALK_LINE_BYTES;
    struct homes h;
    AY_TRY(find_homes(b, 0, n_lines, &h, err));
    if (h.split == 0) {
        if (h.spread_ratio > WIDEST_GAP_RATIO)
            return AY_FAIL(err, AY_SKIP, "not identified: first touches spread over %.1f %% without"
                           " two clear modes; near and far cannot be told apart",
                           100 * h.spread_ratio);
        return walk_class(b, &h, k, h.near, h.n_near, out, "latency", at, err);
    }
    AY_TRY(walk_class(b, &h, k, h.near, h.n_near, out, "near", at, err));
    AY_TRY(walk_class(b, &h, k, h.far, h.n_far, out, "far", at, err));
    ay_warn(out, "%.1f %% of the lines are near%s", 100.0 * (double)h.n_near / (double)n_lines,
            h.is_replicated ? "; a far line that is read becomes near" : "");
    return AY_OK;
}

/* --- analysis --------------------------------------------------------------------------------- */

static bool truth(const struct ay_chip *chip, const char *quantity, const struct ay_point *at,
                  struct ay_truth *out)
{
    const bool is_far = quantity[0] == 'f', is_one = quantity[0] == 'l';
    (void)at;
    if (is_one && ay_chip_has_far(chip)) return false; /* near and far, not told apart */
    *out = ay_exact(chip, (double)(is_far ? chip->l2_far_latency_cycles
                                          : chip->l2_near_latency_cycles));
    return is_one || ay_chip_has_far(chip);
}

static const struct ay_quantity QUANTITIES[] = {
    {"latency", AY_CYCLES, AY_NS, AY_SLOPE, "load-to-use latency of a hit in L2", NULL},
    {"near", AY_CYCLES, AY_NS, AY_SLOPE, "the same, in the asking SM's partition", NULL},
    {"far", AY_CYCLES, AY_NS, AY_SLOPE, "the same, in the other partition", NULL},
    {0},
};

static const char *const OPS[] = {"cg", "cv", NULL};
static const struct ay_axis AXES[] = {
    {.name = "ring_bytes", .first = 128 << 10, .last = 128 << 10, .times = 2},
    {.name = "op", .words = OPS},
    {0},
};

static const struct ay_sass_rule SASS[] = {
    {"mem_chase_cg", "LDG.E.64.STRONG.GPU", CHASE_LOADS, CHASE_LOADS,
     "one .cg load a step: past L1, none merged", AY_IN_REGION, 0, 0},
    {"mem_chase_cv", "LDG.E.64.STRONG.SYS", CHASE_LOADS, CHASE_LOADS,
     "one .cv load a step: past L1, none merged", AY_IN_REGION, 0, 0},
    {"mem_trace_cg", "LDG.E.64.STRONG.GPU", 1, 1, "one load between two stamps", AY_IN_REGION, 0,
     0},
    {NULL, "STG*|ST.*|CCTL*|MEMBAR*", 0, 0, "no store, no fence in the timed region", AY_IN_REGION,
     0, 0},
    {0},
};

static const char *const PITFALLS[] = {
    "One SM is not the GPU: which lines are near differs from SM to SM (mem.l2.map).",
    "A ring above half a partition mixes near hits, far hits and misses: a plateau of a footprint "
    "curve between the two is no far latency.",
    "Lines brought in by an SM of one's own partition look near where L2 replicates.",
    NULL,
};

static const char *const SOURCES[] = {"nanobench", "luo2024", "jin2024", NULL};

const struct ay_probe mem_l2_latency = {
    .name = "mem.l2.latency",
    .question = "How many cycles until a load that misses L1 and hits L2 can be used?",
    .method = "Another SM brings lines into L2; stamped first touches sort them into near and far; "
              "each class is walked in four lengths, and the slope of cycles over loads is its "
              "latency. Where L2 replicates far lines, it is refilled before each walk.",
    .belongs = AY_ON_GPU,
    .quantities = QUANTITIES,
    .axes = AXES,
    .kernels = KERNELS,
    .max_passes = 24,
    .run = run,
    .truth = truth,
    .sass = SASS,
    .pitfalls = PITFALLS,
    .sources = SOURCES,
};
