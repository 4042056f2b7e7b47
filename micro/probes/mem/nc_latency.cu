/* Kernel of mem.nc.latency: a ring read with .nc, other lines in between, the ring again, timed. */
#include "probes/mem/nc_latency.h"
#include "probes/mem/walk.cuh"

struct load_nc { /* the read-only path; the data must not change while the kernel runs */
    __device__ uint64_t from(uint64_t at, int)
    {
        uint64_t next;
        asm volatile("ld.global.nc.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
    __device__ uint32_t checksum() const { return 0; }
};

struct read_others { /* with plain loads, between warming and timing */
    uint64_t at, n_steps;

    __device__ uint64_t operator()(uint32_t pass)
    {
        load_plain p;
#pragma unroll 1
        for (uint64_t i = 0; i < n_steps * pass; i++) at = p.from(at, 0);
        return at;
    }
};

extern "C" __global__ void mem_nc_latency(nc_args a)
{
    if (!claims(a.chase.place)) return;
    walk_of_length<load_nc>(a.chase, a.chase.warm, a.chase.ring,
                            read_others{a.others, a.n_others});
}
