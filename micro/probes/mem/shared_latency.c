/* mem.shared.latency
 *
 * QUESTION  How many cycles from issuing ld.shared with a ready address until its value can be
 * used? METHOD    As mem.l1.latency, along a ring of shared-memory addresses that the kernel itself
 * lays out. At width 8 the address is the low half and the high half is added up off the path: left
 * unread, ptxas narrows the load to 4 bytes.
 */
#include "core/truth.h"
#include "probes/mem/walk.h"

/* --- method ----------------------------------------------------------------------------------- */

static const struct ay_kernel KERNELS[] = {
    {"mem/chase", "mem_chase_shared_4"},
    {"mem/chase", "mem_chase_shared_8"},
    {0},
};
enum { NODE_BYTES = 8, ROUNDS = 64 };

/* The ring as offsets: node order[i] holds the offset of node order[i + 1]. It starts at node 0. */
static enum ay_status lay_out(struct ay_bench *b, struct ring *r, ay_addr *offsets,
                              struct ay_error *err)
{
    void *order, *words;
    *r = (struct ring){.n_nodes = CHASE_SHARED_NODES, .stride_bytes = NODE_BYTES};
    AY_TRY(ay_scratch(b, CHASE_SHARED_NODES * NODE_BYTES, offsets, err));
    AY_TRY(ay_host_scratch(b, CHASE_SHARED_NODES * sizeof(uint64_t), &order, err));
    AY_TRY(ay_host_scratch(b, CHASE_SHARED_NODES * sizeof(uint64_t), &words, err));
    r->order = order;
    AY_TRY(ay_write_ring(b, *offsets, r->n_nodes, NODE_BYTES, NULL, r->order, err));
    for (uint64_t i = 0; i < r->n_nodes; i++)
        ((uint64_t *)words)[r->order[i]] = r->order[(i + 1) % r->n_nodes] * NODE_BYTES;
    return ay_write(b, *offsets, words, CHASE_SHARED_NODES * NODE_BYTES, err);
}

static enum ay_status run(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out,
                          struct ay_error *err)
{
    const struct ay_kernel *k = &KERNELS[ay_number(at, "width") == 8];
    struct ring ring;
    ay_addr offsets, result;
    AY_TRY(lay_out(b, &ring, &offsets, err));
    AY_TRY(ay_scratch(b, sizeof(struct chase_out), &result, err));
    for (uint32_t length = 1; length <= CHASE_LENGTHS; length++) {
        const uint64_t n_loads = (uint64_t)ROUNDS * length * CHASE_STEP;
        struct chase_out got = {0};
        const struct chase_shared_args args = {.nonce = ay_nonce(b),
                                               .offsets = offsets,
                                               .out = result,
                                               .n_warm_rounds = 1,
                                               .n_rounds = ROUNDS,
                                               .length = length,
                                               .n_passes = 2};
        AY_TRY(ay_fill(b, result, 0, sizeof got, err));
        AY_TRY(ay_launch(b, &(struct ay_launch){.kernel = k, .args = &args,
                                                .args_bytes = sizeof args}, err));
        AY_TRY(ay_read(b, &got, result, sizeof got, err));
        if (got.nonce != args.nonce)
            return AY_FAIL(err, AY_VOID, "%s left no result: it did not run", k->entry);
        if (got.last != ring_at(&ring, n_loads))
            return AY_FAIL(err, AY_VOID, "the walk ended at offset %llu, not at %llu",
                           (unsigned long long)got.last,
                           (unsigned long long)ring_at(&ring, n_loads));
        ay_sample(out, "latency", at, (double)n_loads,
                  (double)(got.stop_cycles - got.start_cycles));
    }
    return AY_OK;
}

/* --- analysis --------------------------------------------------------------------------------- */

static bool truth(const struct ay_chip *chip, const char *quantity, const struct ay_point *at,
                  struct ay_truth *out)
{
    (void)quantity;
    /* at width 8 an addition goes with each load, off the path of the data */
    *out = ay_chain(chip, chip->shared_latency_cycles, ay_number(at, "width") == 8 ? 2 : 1);
    return true;
}

static const struct ay_quantity QUANTITIES[] = {
    {"latency", AY_CYCLES, AY_NS, AY_SLOPE, "load-to-use latency of ld.shared", NULL},
    {0},
};

static const struct ay_axis AXES[] = {
    {.name = "width", .first = 4, .last = 8, .times = 2},
    {0},
};

static const struct ay_sass_rule SASS[] = {
    {"mem_chase_shared_4", "LDS|LDS.U", CHASE_LOADS, CHASE_LOADS, "one 4-byte load a step",
     AY_IN_REGION, 0, 0},
    {"mem_chase_shared_8", "LDS.64|LDS.U.64", CHASE_LOADS, CHASE_LOADS,
     "one 8-byte load a step, not narrowed", AY_IN_REGION, 0, 0},
    {NULL, "STG*|ST.*|LDG*|LD.*", 0, 0, "nothing but shared memory in the timed region",
     AY_IN_REGION, 0, 0},
    {0},
};

static const char *const PITFALLS[] = {
    "29 cycles in the literature is ld.shared with index arithmetic, 23 is the load alone.",
    "One lane asks: no bank conflict is possible here (mem.shared.conflict has those).",
    NULL,
};

static const char *const SOURCES[] = {"nanobench", "luo2024", NULL};

const struct ay_probe mem_shared_latency = {
    .name = "mem.shared.latency",
    .question = "How many cycles until ld.shared with a ready address gives its value?",
    .method = "One thread walks a ring of shared-memory addresses; four loops that differ only in "
              "the loads of a round are timed; the slope of cycles over loads is the latency.",
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
