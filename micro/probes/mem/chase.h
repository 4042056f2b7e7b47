/* chase.h - what the walking kernels (chase.cu) and the probes of latency agree on. */
#ifndef AY_MEM_CHASE_H
#define AY_MEM_CHASE_H

#include "core/launch.h"

/* A walk is a loop of rounds; a round is length x CHASE_STEP loads, unrolled. The four lengths
 * differ in nothing but the loads of a round, so the slope over them at one number of rounds is
 * free of everything else: clock reads, loop, the exit of the pipeline. */
#define CHASE_STEP 16
#define CHASE_LENGTHS 4
#define CHASE_LOADS (CHASE_STEP * (1 + 2 + 3 + 4)) /* in the timed region, by the SASS rule */

struct chase_args {
    struct ay_place place;
    uint64_t warm;        /* where pass 0 begins: the ring itself, or one line a page */
    uint64_t ring;        /* where pass 1, the timed one, begins */
    uint64_t out;         /* one struct chase_out */
    uint64_t zero;        /* 0; the compiler must not know */
    uint64_t nonce;       /* comes back in the result */
    uint32_t n_warm_rounds, n_rounds;
    uint32_t length;      /* 1 … CHASE_LENGTHS */
    uint32_t n_passes;    /* 2: the same code warms and is timed */
};

struct chase_out {
    uint64_t start_cycles, stop_cycles; /* raw: subtracted on the host */
    uint64_t last;                      /* where pass 1 ended: proof that it ran */
    uint64_t warm_last;                 /* and pass 0 */
    uint64_t nonce;                     /* the one of this launch: no older result can pass */
    uint32_t sm, checksum; /* checksum: of what a wide load brought beside the address */
};

/* Shared memory: node i of the ring holds the offset of its successor, in 8 bytes. */
#define CHASE_SHARED_NODES 256
struct chase_shared_args {
    uint64_t offsets; /* CHASE_SHARED_NODES words of 8 bytes, copied to shared memory */
    uint64_t out;     /* one struct chase_out; `last` is an offset */
    uint64_t zero, nonce;
    uint32_t n_warm_rounds, n_rounds, length, n_passes;
};

/* Each step stamped: two clock reads around a load that is waited for. */
struct trace_args {
    struct ay_place place;
    uint64_t warm, ring, out, zero, nonce;
    uint64_t stamps; /* n_steps pairs of start and stop, 4 bytes each */
    uint32_t n_warm_steps, n_steps;
};

#endif
