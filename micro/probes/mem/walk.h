/* walk.h - rings, and walks along them by the kernels of chase.cu: rounds, warm-up, proof. */
#ifndef AY_MEM_WALK_H
#define AY_MEM_WALK_H

#include "core/bench.h"
#include "probes/mem/chase.h"

enum { WALK_LINE_BYTES = 128 }; /* one node a line: no two nodes share a fill */

struct ring {
    ay_addr base;
    uint64_t n_nodes, stride_bytes;
    const uint64_t *offsets; /* NULL: node i at i * stride_bytes */
    uint64_t *order;         /* nodes in walking order */
};

/* A fresh ring of n_bytes / WALK_LINE_BYTES lines, in memory of its own. */
enum ay_status new_ring(struct ay_bench *b, uint64_t n_bytes, struct ring *out,
                        struct ay_error *err) AY_CHECKED;
/* A ring through lines of memory that is there: offsets and order are the bench's host scratch. */
enum ay_status ring_through(struct ay_bench *b, ay_addr base, uint64_t n_nodes,
                            const uint64_t *offsets, struct ring *out,
                            struct ay_error *err) AY_CHECKED;
ay_addr ring_at(const struct ring *r, uint64_t n_steps); /* where a walk from its start stands */

struct walk {
    const struct ay_kernel *kernel;
    uint32_t sm;
    const struct ring *warm;  /* pass 0 goes once around it; may be the timed one */
    const struct ring *timed;
    uint64_t warm_steps;      /* of pass 0; 0: a lap */
    uint64_t warm_end;        /* step of `warm` at which pass 0 ends; 0: where rounds take it */
    uint64_t skip_steps;      /* pass 1 begins so many steps behind the start of `timed` */
};

/* One walk of n_rounds x length x CHASE_STEP loads. AY_VOID when it did not end where it must, or
 * ran elsewhere. */
enum ay_status walk_once(struct ay_bench *b, const struct walk *w, uint32_t length,
                         uint32_t n_rounds, uint64_t *cycles, struct ay_error *err) AY_CHECKED;

/* The four lengths, each a sample (loads, cycles) of the row quantity + at. */
enum ay_status walk_lengths(struct ay_bench *b, const struct walk *w, uint32_t n_rounds,
                            struct ay_samples *out, const char *quantity, const struct ay_point *at,
                            struct ay_error *err) AY_CHECKED;

/* Rounds that make whole laps at every length, at least 16; where that would be over 2048, 2048. */
uint32_t lap_rounds(const struct ring *r);

#endif
