/* mem.latency.curve
 *
 * QUESTION  How does the latency of a load grow with the memory that it may fall into?
 * METHOD    A ring of full pointers, one a line, in random order, for footprints from 4 KiB to
 *           well past L2; plain loads. While L2 may hold the ring it is walked in whole laps, warm;
 *           beyond, L2 is emptied, one line of each part brings the pages into the TLB, and lines
 *           that nobody has touched are walked: a lap would say no more. The slope of cycles over
 *           loads is the value; flat stretches of the curve are its plateaus.
 */
#include <stdlib.h>
#include <string.h>

#include "core/plateau_rows.h"
#include "core/truth.h"
#include "probes/mem/cold.h"

/* --- method ----------------------------------------------------------------------------------- */

static const struct ay_kernel KERNELS[] = {{"mem/chase", "mem_chase_plain"}, {0}};

enum { FIRST_BYTES = 4 << 10, PARTS = 256, WINDOW_BYTES = 8 << 20, COLD_SETS = 4 };

/* 4, 5, 6, 7, 8, 10, 12, 14, 16 KiB … ; quick: 4, 6, 8, 12, 16, … */
static uint64_t next_footprint(uint64_t bytes, bool is_quick)
{
    uint64_t octave = FIRST_BYTES;
    while (octave * 2 <= bytes) octave *= 2;
    return bytes + octave / (is_quick ? 2 : 4);
}

/* One walk is not timed: under random replacement it takes laps until all that fits has a place. */
static enum ay_status warm_laps(struct ay_bench *b, uint64_t bytes, struct ay_samples *out,
                                const struct ay_point *at, struct ay_error *err)
{
    struct ring ring;
    AY_TRY(new_ring(b, bytes, &ring, err));
    const uint32_t n_rounds = lap_rounds(&ring);
    struct walk w = {.kernel = &KERNELS[0], .warm = &ring, .timed = &ring};
    const bool is_lap = ring.n_nodes <= (uint64_t)n_rounds * CHASE_STEP;
    uint64_t cycles;
    if (is_lap) AY_TRY(walk_once(b, &w, CHASE_LENGTHS, n_rounds, &cycles, err));
    for (uint32_t length = 1; length <= CHASE_LENGTHS; length++) {
        AY_TRY(walk_once(b, &w, length, n_rounds, &cycles, err));
        ay_sample(out, "value", at, (double)n_rounds * length * CHASE_STEP, (double)cycles);
        w.warm_steps = is_lap ? 0 : CHASE_STEP; /* the next part of the lap */
        w.skip_steps += is_lap ? 0 : (uint64_t)n_rounds * length * CHASE_STEP;
    }
    return AY_OK;
}

/* Lines of a window that few pages cover: else the curve would end in misses of the TLB. */
static enum ay_status cold_lines(struct ay_bench *b, uint64_t bytes, struct ay_samples *out,
                                 const struct ay_point *at, struct ay_error *err)
{
    const uint64_t part_bytes = (bytes < WINDOW_BYTES ? bytes : WINDOW_BYTES) / PARTS;
    uint64_t cycles[COLD_SETS * CHASE_LENGTHS];
    struct cold cold;
    ay_addr base;
    AY_TRY(ay_reserve(b, bytes, &base, err));
    AY_TRY(lay_cold(b, base, PARTS, part_bytes, cold_steps(COLD_SETS) / PARTS + 1, COLD_ROWS_SHUT,
                    NULL, &cold, err));
    AY_TRY(empty_l2(b, 0, err));
    AY_TRY(walk_cold(b, &KERNELS[0], 0, &cold, COLD_SETS, cycles, err));
    add_cold(out, "value", at, cycles, COLD_SETS);
    return AY_OK;
}

static enum ay_status run(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out,
                          struct ay_error *err)
{
    uint64_t evict_bytes;
    AY_TRY(ay_evict_bytes(b, &evict_bytes, err));
    for (uint64_t bytes = FIRST_BYTES; bytes <= 2 * evict_bytes;
         bytes = next_footprint(bytes, ay_is_quick(b))) {
        const struct ay_point here = ay_with_number(*at, "ring_bytes", bytes);
        if (bytes <= evict_bytes / 2) AY_TRY(warm_laps(b, bytes, out, &here, err));
        else AY_TRY(cold_lines(b, bytes, out, &here, err));
    }
    return AY_OK;
}

/* --- analysis --------------------------------------------------------------------------------- */

static const double LEAST_STEP_RATIO = 0.1; /* a ramp that flattens before its end is no level */

static enum ay_status conclude(const struct ay_rows *all, struct ay_rows *more,
                               struct ay_error *err)
{
    const struct ay_plateau_rule rule = {.n_most = 8, .step_ratio = LEAST_STEP_RATIO};
    return ay_plateau_rows(all, "value", "ring_bytes", &rule, more, err);
}

/* L1, L2, DRAM where nothing blurs them: no copies of far lines, room for L2, no slight step. */
static bool truth(const struct ay_chip *chip, const char *quantity, const struct ay_point *at,
                  struct ay_truth *out)
{
    const double APART = 1 + 2 * LEAST_STEP_RATIO;
    const double near = (double)chip->l2_near_latency_cycles;
    const double far = ay_chip_has_far(chip) ? (double)chip->l2_far_latency_cycles : near;
    const double l1 = ay_chain(chip, chip->l1_latency_cycles, 1).value, l2 = (near + far) / 2;
    const double dram = (double)ay_chip_dram_cycles(chip);
    const unsigned long n = strncmp(quantity, "plateau.", 8) ? 0 : strtoul(quantity + 8, NULL, 10);
    const bool is_random = chip->l1_policy == AY_POLICY_random || /* levels run into each other */
                           chip->l2_policy == AY_POLICY_random;
    const bool is_blurred = chip->l2_bytes < 8 * chip->l1_bytes || dram < APART * l2 ||
                            chip->l2_replicate == AY_REPLICATE_read;
    (void)at;
    if (n < 1 || n > 3 || l2 < APART * l1) return false;
    if ((n > 1 && is_blurred) || (n == 2 && is_random)) return false;
    *out = ay_within(chip, n == 1 ? l1 : n == 2 ? l2 : dram, n == 2 && near != far ? 0.01 : 1e-6);
    return true;
}

static const struct ay_quantity QUANTITIES[] = {
    {"value", AY_CYCLES, AY_NS, AY_SLOPE, "latency at this footprint", NULL},
    {"plateau", AY_CYCLES, AY_NS, AY_DERIVED, "latency of a level: a flat stretch", NULL},
    {0},
};

static const struct ay_sass_rule SASS[] = {
    {NULL, "LDG.E.64|LDG.E.64.SYS", CHASE_LOADS, CHASE_LOADS, "one load a step, none merged",
     AY_IN_REGION, 0, 0},
    {NULL, "STG*|ST.*|IMAD.WIDE*", 0, 0, "no store, no address arithmetic", AY_IN_REGION, 0, 0},
    {0},
};

static const char *const PITFALLS[] = {
    "A point between plateaus mixes levels: it belongs to the footprint, not to a level.",
    "With two L2 partitions the L2 plateau is the mean of near and far (mem.l2.latency has both).",
    "Beyond L2 lines are touched once, few pages wide: no lap, no miss of the TLB is in it.",
    NULL,
};

static const char *const SOURCES[] = {"nanobench", "luo2024", "gpu-benches", NULL};
const struct ay_probe mem_latency_curve = {
    .name = "mem.latency.curve",
    .question = "How does the latency of a load grow with the memory that it may fall into?",
    .method = "Random rings of pointers, one a line: warm whole laps while L2 may hold them, else "
              "lines touched once after an eviction. Value: the slope of cycles over loads.",
    .belongs = AY_ON_GPU,
    .quantities = QUANTITIES,
    .kernels = KERNELS,
    .max_passes = 2,
    .run = run,
    .conclude = conclude,
    .truth = truth,
    .sass = SASS,
    .pitfalls = PITFALLS,
    .sources = SOURCES,
};
