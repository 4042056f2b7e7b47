/* walk.cuh - the timed walk itself: one body for every path, warmed and timed by the same code. */
#ifndef AY_MEM_WALK_CUH
#define AY_MEM_WALK_CUH

#include "probes/mem/chase.h"
#include "probes/mem/loads.cuh"

/* What a kernel does before a pass, outside of the timed region. The value given back is waited for
 * before the pass begins. */
struct nothing {
    __device__ uint64_t operator()(uint32_t) { return 0; }
};

/* Pass 0 warms data, pages and instructions; pass 1 is the same code over the ring. The end of pass
 * 0 is part of the start of pass 1 (times zero), so that no load of pass 0 is still in flight. */
template <class load, int LOADS, class args, class before>
__device__ static void walk(const args &a, uint64_t warm, uint64_t ring, before prepare)
{
    chase_out *const out = (chase_out *)a.out;
    uint64_t at = warm, start = 0, stop = 0, warm_last = 0;
    load l;
#pragma unroll 1
    for (uint32_t pass = 0; pass < a.n_passes; pass++) {
        const uint32_t n_rounds = pass ? a.n_rounds : a.n_warm_rounds;
        const uint64_t prepared = prepare(pass);
        warm_last = pass ? at : warm_last;
        at = pass ? ring + ((at ^ prepared) & a.zero) : at;

        start = clock_cycles();
#pragma unroll 1
        for (uint32_t r = 0; r < n_rounds; r++) {
#pragma unroll
            for (int i = 0; i < LOADS; i++) at = l.from(at, i);
        }
        wait_for(at);
        stop = clock_cycles();

    }
    out->start_cycles = start;
    out->stop_cycles = stop;
    out->last = at;
    out->warm_last = warm_last;
    out->checksum = l.checksum();
    out->sm = this_sm();
    out->nonce = a.nonce;
}

template <class load, class args, class before>
__device__ static void walk_of_length(const args &a, uint64_t warm, uint64_t ring, before prepare)
{
    switch (a.length) {
    case 1: walk<load, 1 * CHASE_STEP>(a, warm, ring, prepare); break;
    case 2: walk<load, 2 * CHASE_STEP>(a, warm, ring, prepare); break;
    case 3: walk<load, 3 * CHASE_STEP>(a, warm, ring, prepare); break;
    case 4: walk<load, 4 * CHASE_STEP>(a, warm, ring, prepare); break;
    }
}

#endif
