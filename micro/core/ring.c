/* ring.c - rings and chains of pointers in device memory. */
#include <stdlib.h>
#include <string.h>

#include "core/bench_args.h"
#include "core/bench_impl.h"

/* Above this span a ring is scattered by a kernel rather than staged on the host. */
enum { STAGE_BYTES_MAX = 64 << 20 };

static const struct ay_kernel SCATTER = {"core/bench", "bench_scatter"};

/* The order of a walk: one cycle through all n nodes, drawn at random. A random permutation of
 * pointers would fall into several short cycles [sattolo1986]; a random order of nodes cannot.
 *
 * Short rings: any order is as likely as any other; order[0] is node 0. Long ones go through STRATA
 * equal parts of the ring in one fixed order, at each visit to a node of the part not visited yet.
 * Neighbours in space are then over a hundred steps apart in time, so a DRAM row that one step
 * opened is shut again before the next step in it: no row hits by accident. */
enum { STRATA = 256, STRATUM_STEP = 97 }; /* coprime; 97 / 256 is near the golden ratio's square */

static void shuffle(uint64_t *x, uint64_t n, struct ay_random *random)
{
    for (uint64_t i = n; i > 1; i--) {
        const uint64_t j = ay_random_below(random, i);
        const uint64_t other = x[j];
        x[j] = x[i - 1];
        x[i - 1] = other;
    }
}

static enum ay_status draw_order(uint64_t *order, uint64_t n, struct ay_random *random,
                                 struct ay_error *err)
{
    for (uint64_t i = 0; i < n; i++) order[i] = i;
    if (n < 4 * STRATA || n % STRATA) {
        shuffle(order + 1, n - 1, random);
        return AY_OK;
    }
    const uint64_t part = n / STRATA;
    uint64_t *nodes = malloc(n * sizeof *nodes);
    if (!nodes) return AY_FAIL(err, AY_NOMEM, "no host memory for a ring's order");
    memcpy(nodes, order, n * sizeof *nodes);
    for (uint64_t s = 0; s < STRATA; s++) shuffle(nodes + s * part, part, random);
    for (uint64_t i = 0; i < n; i++)
        order[i] = nodes[i * STRATUM_STEP % STRATA * part + i / STRATA];
    free(nodes);
    return AY_OK;
}

static uint64_t offset_of(const uint64_t *offsets, uint64_t stride_bytes, uint64_t i)
{
    return offsets ? offsets[i] : i * stride_bytes;
}

/* Contiguous rings: the whole span is built on the host and copied once. */
static enum ay_status stage(struct ay_bench *b, ay_addr base, uint64_t n, uint64_t stride_bytes,
                            const uint64_t *order, struct ay_error *err)
{
    unsigned char *image = calloc(n, stride_bytes);
    if (!image) return AY_FAIL(err, AY_NOMEM, "no host memory for a ring");
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t next = base + order[(i + 1) % n] * stride_bytes;
        memcpy(image + order[i] * stride_bytes, &next, sizeof next);
    }
    const enum ay_status status = ay_write(b, base, image, n * stride_bytes, err);
    free(image);
    return status;
}

/* Anything else: address and value of each node, stored by a kernel. Nothing between the nodes is
 * touched, so several chains can share a buffer. */
static enum ay_status scatter(struct ay_bench *b, ay_addr base, uint64_t n, uint64_t stride_bytes,
                              const uint64_t *offsets, const uint64_t *order, struct ay_error *err)
{
    void *host;
    ay_addr pairs, count;
    AY_TRY(ay_host_scratch(b, 2 * n * sizeof(uint64_t), &host, err));
    AY_TRY(ay_scratch(b, 2 * n * sizeof(uint64_t), &pairs, err));
    AY_TRY(ay_scratch(b, sizeof(uint64_t), &count, err));
    uint64_t *pair = host;
    for (uint64_t i = 0; i < n; i++) {
        pair[2 * i] = base + offset_of(offsets, stride_bytes, order[i]);
        pair[2 * i + 1] = base + offset_of(offsets, stride_bytes, order[(i + 1) % n]);
    }
    AY_TRY(ay_write(b, pairs, host, 2 * n * sizeof(uint64_t), err));
    const struct ay_kernel before = b->kernel; /* a helper is not what the row measured */
    const struct scatter_args args = {.pairs = pairs, .n_pairs = n, .count = count};
    AY_TRY(ay_launch(b, &(struct ay_launch){.kernel = &SCATTER,
                                            .n_ctas = (uint32_t)((n + SCATTER_THREADS - 1) /
                                                                 SCATTER_THREADS),
                                            .n_threads = SCATTER_THREADS,
                                            .args = &args,
                                            .args_bytes = sizeof args}, err));
    b->kernel = before;
    uint64_t n_stored = 0;
    AY_TRY(ay_read(b, &n_stored, count, sizeof n_stored, err));
    if (n_stored != n)
        return AY_FAIL(err, AY_VOID, "a chain of %llu nodes was written with %llu",
                       (unsigned long long)n, (unsigned long long)n_stored);
    return AY_OK;
}

enum ay_status ay_write_ring(struct ay_bench *b, ay_addr base, uint64_t n_nodes,
                             uint64_t stride_bytes, const uint64_t *offsets, uint64_t *order,
                             struct ay_error *err)
{
    if (n_nodes < 2) return AY_FAIL(err, AY_USAGE, "a ring needs two nodes");
    void *own = order;
    if (!own) AY_TRY(ay_host_scratch(b, n_nodes * sizeof *order, &own, err));
    AY_TRY(draw_order(own, n_nodes, &b->random, err));
    if (!offsets && n_nodes * stride_bytes <= STAGE_BYTES_MAX)
        return stage(b, base, n_nodes, stride_bytes, own, err);
    return scatter(b, base, n_nodes, stride_bytes, offsets, own, err);
}

enum ay_status ay_write_chain(struct ay_bench *b, ay_addr base, uint64_t n_nodes,
                              const uint64_t *offsets, const uint64_t *order, struct ay_error *err)
{
    if (n_nodes < 1) return AY_FAIL(err, AY_USAGE, "a chain needs a node");
    return scatter(b, base, n_nodes, 0, offsets, order, err);
}
