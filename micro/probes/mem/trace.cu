/* Walks with a stamp on each step: which lines are where. The slopes of chase.cu say how long. */
#include "probes/mem/chase.h"
#include "probes/mem/loads.cuh"

extern "C" __global__ void mem_trace_cg(trace_args a)
{
    if (!claims(a.place)) return;
    uint32_t *const stamps = (uint32_t *)a.stamps;
    chase_out *const out = (chase_out *)a.out;
    uint64_t at = a.warm;
    load_cg l;
#pragma unroll 1
    for (uint32_t i = 0; i < a.n_warm_steps; i++) at = l.from(at, 0);
    out->warm_last = at;
    at = a.ring + (at & a.zero);
#pragma unroll 1
    for (uint32_t i = 0; i < a.n_steps; i++) {
        const uint64_t start = clock_cycles();
        at = l.from(at, 0);
        wait_for(at);
        const uint64_t stop = clock_cycles();
        stamps[2 * i] = (uint32_t)start;
        stamps[2 * i + 1] = (uint32_t)stop;
    }
    out->last = at;
    out->sm = this_sm();
    out->nonce = a.nonce;
}
