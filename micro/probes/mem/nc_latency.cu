/* Kernel of mem.nc.latency: a ring read with .nc, other lines in between, the ring again, timed. */
#include "probes/mem/loads.cuh"
#include "probes/mem/nc_latency.h"

struct load_nc { /* the read-only path; the data must not change while the kernel runs */
    __device__ uint64_t from(uint64_t at, int)
    {
        uint64_t next;
        asm volatile("ld.global.nc.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
};

template <int LOADS> __device__ static void walk(const nc_args &a)
{
    chase_out *const out = (chase_out *)a.chase.out;
    uint64_t at = a.chase.warm, other = a.others, start = 0, stop = 0;
    load_nc l;
    load_plain p;
#pragma unroll 1
    for (uint32_t pass = 0; pass < a.chase.n_passes; pass++) {
        const uint32_t n_rounds = pass ? a.chase.n_rounds : a.chase.n_warm_rounds;
#pragma unroll 1
        for (uint64_t i = 0; i < a.n_others * pass; i++) other = p.from(other, 0);
        out->warm_last = at;
        at = pass ? a.chase.ring + ((at ^ other) & a.chase.zero) : at;

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
    out->sm = this_sm();
    out->has_run = 1;
}

extern "C" __global__ void mem_nc_latency(nc_args a)
{
    if (!claims(a.chase.place)) return;
    switch (a.chase.length) {
    case 1: walk<1 * CHASE_STEP>(a); break;
    case 2: walk<2 * CHASE_STEP>(a); break;
    case 3: walk<3 * CHASE_STEP>(a); break;
    case 4: walk<4 * CHASE_STEP>(a); break;
    }
}
