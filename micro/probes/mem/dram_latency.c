/* mem.dram.latency
 *
 * QUESTION  How many cycles and ns until a load that misses every cache can be used: with its page
 *           in the TLB or not, its DRAM row open or shut?
 * METHOD    Other SMs empty L2; the asking SM touches one line of each page and then walks lines
 *           that nobody has touched since, each once, no two steps near each other in one DRAM row.
 *           Four lengths of walks; the slope of cycles over loads is the latency. row = hit: steps
 *           in pairs of neighbours. tlb = miss: more and more pages, one after the other, until
 *           three counts agree on a step up: the first level of the TLB misses there.
 */
#include "core/truth.h"
#include "probes/mem/pages.h"
#include "probes/mem/rows.h"

/* --- method ----------------------------------------------------------------------------------- */

static const struct ay_kernel KERNELS[] = {{"mem/chase", "mem_chase_cg"}, {0}};

enum {
    PARTS = 256, PART_BYTES = 8 << 10, LINES_A_PART = 16, SETS = 24, /* 2 MiB: few pages */
};

static enum ay_status few_pages(struct ay_bench *b, enum cold_rows rows, uint64_t *cycles,
                                struct ay_error *err)
{
    struct cold cold;
    ay_addr base;
    AY_TRY(ay_scratch(b, PARTS * PART_BYTES, &base, err));
    AY_TRY(lay_cold(b, base, PARTS, PART_BYTES, LINES_A_PART, rows, NULL, &cold, err));
    AY_TRY(empty_l2(b, 0, err));
    return walk_cold(b, &KERNELS[0], 0, &cold, SETS, cycles, err);
}

static enum ay_status run(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out,
                          struct ay_error *err)
{
    uint64_t shut[SETS * CHASE_LENGTHS];
    struct ay_estimate hit;
    AY_TRY(few_pages(b, COLD_ROWS_SHUT, shut, err));
    if (ay_is_word(at, "row", "hit")) {
        uint64_t pairs[SETS * CHASE_LENGTHS];
        AY_TRY(few_pages(b, COLD_ROWS_OPEN, pairs, err));
        return add_open_rows(shut, pairs, SETS, out, "latency", at, err);
    }
    AY_TRY(cold_slope(shut, SETS, &hit, err));
    if (ay_is_word(at, "tlb", "miss")) {
        uint64_t missed[PAGES_SETS * CHASE_LENGTHS], n_pages;
        const enum ay_status status =
            walk_missed_pages(b, &KERNELS[0], 0, &hit, missed, &n_pages, err);
        if (status == AY_SKIP && out->n > 0) return AY_OK; /* a pass before this one could tell */
        AY_TRY(status);
        add_cold(out, "latency", at, missed, PAGES_SETS);
        ay_warn(out, "one line in each of %llu pages of 2 MiB", (unsigned long long)n_pages);
        return AY_OK;
    }
    add_cold(out, "latency", at, shut, SETS);
    return AY_OK;
}

/* --- analysis --------------------------------------------------------------------------------- */

/* A neighbour in an open row is in a page that was just touched: there is no hit after a miss. */
static bool is_point(const struct ay_point *at)
{
    return !(ay_is_word(at, "tlb", "miss") && ay_is_word(at, "row", "hit"));
}

static bool truth(const struct ay_chip *chip, const char *quantity, const struct ay_point *at,
                  struct ay_truth *out)
{
    (void)quantity;
    uint64_t cycles = ay_chip_dram_cycles(chip);
    if (ay_is_word(at, "row", "hit"))
        cycles = chip->l2_near_latency_cycles +
                 ay_chip_cycles_of_ns(chip, chip->dram_latency_ns - chip->dram_row_hit_saving_ns);
    if (ay_is_word(at, "tlb", "miss")) cycles += chip->tlb1_miss_cycles;
    if (ay_is_word(at, "tlb", "miss") && chip->tlb1_miss_cycles == 0) return false; /* no step */
    *out = ay_exact(chip, (double)cycles);
    return true;
}

static const struct ay_quantity QUANTITIES[] = {
    {"latency", AY_CYCLES, AY_NS, AY_SLOPE, "load-to-use latency of a load from DRAM", NULL},
    {0},
};

static const char *const OPS[] = {"cg", NULL};
static const char *const TLB[] = {"hit", "miss", NULL};
static const char *const ROW[] = {"miss", "hit", NULL};
static const struct ay_axis AXES[] = {
    {.name = "ring_bytes", .first = PARTS * PART_BYTES, .last = PARTS * PART_BYTES, .times = 2},
    {.name = "op", .words = OPS},
    {.name = "tlb", .words = TLB},
    {.name = "row", .words = ROW},
    {0},
};

static const struct ay_sass_rule SASS[] = {
    {"mem_chase_cg", "LDG.E.64.STRONG.GPU", CHASE_LOADS, CHASE_LOADS,
     "one .cg load a step, none merged", AY_IN_REGION, 0, 0},
    {NULL, "STG*|ST.*|CCTL*|MEMBAR*", 0, 0, "no store, no fence in the timed region", AY_IN_REGION,
     0, 0},
    {0},
};

static const char *const PITFALLS[] = {
    "DRAM time is nearer constant in ns than in cycles: compare at equal clocks, or in ns.",
    "Sequential or short-stride chains hit open rows: published values about 80 cycles lower.",
    "A footprint that fits L2 measures L2; here each line is touched once after an eviction.",
    NULL,
};

static const char *const SOURCES[] = {"nanobench", "luo2024", "jia2018", NULL};

const struct ay_probe mem_dram_latency = {
    .name = "mem.dram.latency",
    .question = "How many cycles until a load that misses every cache can be used?",
    .method = "Other SMs empty L2; the asking SM touches one line of each page, then walks lines "
              "touched by nobody since, each once; the slope over four lengths is the latency. "
              "Pairs of neighbours give the open row; more pages than the first TLB level holds, "
              "its miss.",
    .belongs = AY_ON_GPU,
    .quantities = QUANTITIES,
    .axes = AXES,
    .is_point = is_point,
    .kernels = KERNELS,
    .max_passes = 12,
    .run = run,
    .truth = truth,
    .sass = SASS,
    .pitfalls = PITFALLS,
    .sources = SOURCES,
};
