/* mem.l1.latency
 *
 * QUESTION  How many SM cycles from issuing a global load that hits in L1 until its value can be
 *           used?
 * METHOD    One thread walks a ring of full pointers that fits in L1: each load's address is the
 *           last load's value, so loads cannot overlap and no arithmetic stands between them. Four
 *           loops that differ only in the loads of a round are timed; the latency is the slope of
 *           cycles over loads, so clock reads, loop and the last load's exit cancel [nanobench].
 *           That the ring stays in L1 is shown, not assumed: half of it costs the same a load, and
 *           the same ring read past L1 (.cg) costs more.
 */
#include <math.h>
#include <string.h>

#include "core/truth.h"
#include "probes/mem/walk.h"

/* --- method ----------------------------------------------------------------------------------- */

static const struct ay_kernel KERNELS[] = {
    {"mem/chase", "mem_chase_plain"}, {"mem/chase", "mem_chase_ca"}, {"mem/chase", "mem_chase_cg"},
    {0},
};
enum { PLAIN, CA, CG, REPEATS = 4 };

/* Cycles a load, of the quickest of some walks: one that was held up says nothing of the cache. */
static enum ay_status pace(struct ay_bench *b, const struct ay_kernel *k, const struct ring *r,
                           double *cycles_a_load, struct ay_error *err)
{
    const struct walk w = {.kernel = k, .warm = r, .timed = r};
    const uint32_t n_rounds = lap_rounds(r);
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < REPEATS; i++) {
        uint64_t cycles;
        AY_TRY(walk_once(b, &w, CHASE_LENGTHS, n_rounds, &cycles, err));
        if (cycles < least) least = cycles;
    }
    *cycles_a_load = (double)least / (n_rounds * CHASE_LENGTHS * CHASE_STEP);
    return AY_OK;
}

static enum ay_status is_in_l1(struct ay_bench *b, const struct ay_kernel *k,
                               const struct ring *whole, struct ay_error *err)
{
    struct ring half;
    double past_l1, of_whole, of_half;
    const uint64_t n_bytes = whole->n_nodes * WALK_LINE_BYTES;
    AY_TRY(new_ring(b, n_bytes / 2, &half, err));
    AY_TRY(pace(b, &KERNELS[CG], whole, &past_l1, err));
    AY_TRY(pace(b, k, &half, &of_half, err));
    AY_TRY(pace(b, k, whole, &of_whole, err));
    if (of_whole > 1.1 * of_half)
        return AY_FAIL(err, AY_SKIP, "not identified: a ring of %llu bytes does not stay in L1, "
                       "%.1f cycles a load against %.1f for half of it",
                       (unsigned long long)n_bytes, of_whole, of_half);
    if (past_l1 < 1.05 * of_whole)
        return AY_FAIL(err, AY_SKIP, "not identified: loads that pass L1 by (.cg) take %.1f cycles,"
                       " these %.1f: nothing shows that they hit in L1", past_l1, of_whole);
    return AY_OK;
}

static enum ay_status run(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out,
                          struct ay_error *err)
{
    struct ring ring;
    const struct ay_kernel *k = &KERNELS[ay_is_word(at, "op", "ca") ? CA : PLAIN];
    AY_TRY(new_ring(b, ay_number(at, "ring_bytes"), &ring, err));
    AY_TRY(is_in_l1(b, k, &ring, err));
    const struct walk w = {.kernel = k, .warm = &ring, .timed = &ring};
    for (int i = 0; i < REPEATS; i++)
        AY_TRY(walk_lengths(b, &w, lap_rounds(&ring), out, "latency", at, err));
    return AY_OK;
}

/* --- analysis --------------------------------------------------------------------------------- */

static bool truth(const struct ay_chip *chip, const char *quantity, const struct ay_point *at,
                  struct ay_truth *out)
{
    (void)quantity;
    if (ay_number(at, "ring_bytes") > chip->l1_bytes) return false;
    *out = ay_chain(chip, chip->l1_latency_cycles, 1);
    return true;
}

static const struct ay_quantity QUANTITIES[] = {
    {"latency", AY_CYCLES, AY_NS, AY_SLOPE, "load-to-use latency of a hit in L1", NULL},
    {0},
};

static const char *const OPS[] = {"plain", "ca", NULL};
static const struct ay_axis AXES[] = {
    {.name = "ring_bytes", .first = 4 << 10, .last = 8 << 10, .times = 2},
    {.name = "op", .words = OPS},
    {0},
};

static const struct ay_sass_rule SASS[] = {
    {"mem_chase_plain", "LDG.E.64", CHASE_LOADS, CHASE_LOADS, "one plain load a step, none merged",
     AY_IN_REGION, 80, 0},
    {"mem_chase_plain", "LDG.E.64.SYS", CHASE_LOADS, CHASE_LOADS,
     "one plain load a step, none merged", AY_IN_REGION, 75, 75},
    {"mem_chase_ca", "LDG.E.64.STRONG.SM|LDG.E.64.STRONG.CTA", CHASE_LOADS, CHASE_LOADS,
     "one .ca load a step, none merged", AY_IN_REGION, 0, 0},
    {"mem_chase_cg", "LDG.E.64.STRONG.GPU", CHASE_LOADS, CHASE_LOADS,
     "one .cg load a step, none merged", AY_IN_REGION, 0, 0},
    {NULL, "STG*|ST.*|IMAD.WIDE*|LEA.HI*", 0, 0,
     "neither stores nor address arithmetic in the timed region", AY_IN_REGION, 0, 0},
    {0},
};

static const char *const PITFALLS[] = {
    "Plain loads and .ca are different instructions (weak, STRONG.SM); users' kernels have plain.",
    "A chain that scales an index (base + 8 * i) reads 4 to 9 cycles more: published values of 38 "
    "to 41 for Hopper are of that kind, 32 to 34 of this one.",
    "Nanoseconds hold at the clock beside them; the cycles hold at any.",
    NULL,
};

static const char *const SOURCES[] = {"nanobench", "jia2018", "luo2024", NULL};

const struct ay_probe mem_l1_latency = {
    .name = "mem.l1.latency",
    .question = "How many cycles until a global load that hits in L1 can be used?",
    .method = "One thread walks a ring of pointers that fits in L1; four loops that differ only in "
              "the loads of a round are timed; the slope of cycles over loads is the latency. Half "
              "the ring must cost the same a load, and the ring read past L1 must cost more.",
    .belongs = AY_ON_GPU,
    .quantities = QUANTITIES,
    .axes = AXES,
    .kernels = KERNELS,
    .run = run,
    .truth = truth,
    .sass = SASS,
    .pitfalls = PITFALLS,
    .sources = SOURCES,
};
