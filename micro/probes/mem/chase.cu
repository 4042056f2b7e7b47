/* Kernels of the latency probes: dependent walks along pointers. The questions are in mem/….c. */
#include "probes/mem/chase.h"
#include "probes/mem/loads.cuh"

/* --- the walk --------------------------------------------------------------------------------- */

/* Pass 0 warms data, pages and instructions; pass 1 is the same code over the ring. The end of pass
 * 0 is part of the start of pass 1 (times zero), so that no load of pass 0 is still in flight. */
template <class load, int LOADS, class args>
__device__ static void walk(const args &a, uint64_t warm, uint64_t ring, chase_out *out)
{
    uint64_t at = warm, start = 0, stop = 0, warm_last = 0;
    load l;
#pragma unroll 1
    for (uint32_t pass = 0; pass < a.n_passes; pass++) {
        const uint32_t n_rounds = pass ? a.n_rounds : a.n_warm_rounds;
        warm_last = pass ? at : warm_last;
        at = pass ? ring + (at & a.zero) : at;

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
    out->has_run = 1;
}

template <class load, class args>
__device__ static void walk_of_length(const args &a, uint64_t warm, uint64_t ring)
{
    chase_out *const out = (chase_out *)a.out;
    switch (a.length) {
    case 1: walk<load, 1 * CHASE_STEP>(a, warm, ring, out); break;
    case 2: walk<load, 2 * CHASE_STEP>(a, warm, ring, out); break;
    case 3: walk<load, 3 * CHASE_STEP>(a, warm, ring, out); break;
    case 4: walk<load, 4 * CHASE_STEP>(a, warm, ring, out); break;
    }
}

template <class load> __device__ static void walk_global(const chase_args &a)
{
    if (claims(a.place)) walk_of_length<load>(a, a.warm, a.ring);
}

extern "C" __global__ void mem_chase_plain(chase_args a) { walk_global<load_plain>(a); }
extern "C" __global__ void mem_chase_ca(chase_args a) { walk_global<load_ca>(a); }
extern "C" __global__ void mem_chase_cg(chase_args a) { walk_global<load_cg>(a); }
extern "C" __global__ void mem_chase_cv(chase_args a) { walk_global<load_cv>(a); }

template <class load> __device__ static void walk_shared(const chase_shared_args &a)
{
    __shared__ uint64_t ring[CHASE_SHARED_NODES];
    const uint64_t base = __cvta_generic_to_shared(ring);
    const uint64_t *const offsets = (const uint64_t *)a.offsets;
#pragma unroll 1
    for (int i = 0; i < CHASE_SHARED_NODES; i++) ring[i] = base + offsets[i];
    walk_of_length<load>(a, base, base);
    chase_out *const out = (chase_out *)a.out;
    out->last -= base;
}

extern "C" __global__ void mem_chase_shared_4(chase_shared_args a)
{
    walk_shared<load_shared_4>(a);
}
extern "C" __global__ void mem_chase_shared_8(chase_shared_args a)
{
    walk_shared<load_shared_8>(a);
}
