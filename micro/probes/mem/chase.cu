/* Kernels of the latency probes: dependent walks along pointers. The questions are in mem/….c. */
#include "core/kernel.cuh"
#include "probes/mem/chase.h"

/* --- one load a path; each names its cache operator [ptx-isa cache operators] ----------------- */

struct load_plain { /* no operator: weak, what users' kernels have */
    __device__ uint64_t from(uint64_t at, int)
    {
        uint64_t next;
        asm volatile("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
    __device__ uint32_t checksum() const { return 0; }
};

struct load_ca { /* all levels; STRONG.SM in machine code, not the plain load [measured sass 13.0] */
    __device__ uint64_t from(uint64_t at, int)
    {
        uint64_t next;
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
    __device__ uint32_t checksum() const { return 0; }
};

struct load_cg { /* L2 only */
    __device__ uint64_t from(uint64_t at, int)
    {
        uint64_t next;
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
    __device__ uint32_t checksum() const { return 0; }
};

struct load_cv { /* fetched again each time */
    __device__ uint64_t from(uint64_t at, int)
    {
        uint64_t next;
        asm volatile("ld.global.cv.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
    __device__ uint32_t checksum() const { return 0; }
};

struct load_shared_4 {
    __device__ uint64_t from(uint64_t at, int)
    {
        uint32_t next;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"((uint32_t)at) : "memory");
        return next;
    }
    __device__ uint32_t checksum() const { return 0; }
};

/* The address is the low half; a high half that nobody reads would make ptxas narrow the load to 4
 * bytes, volatile or not [measured sass 13.0]. It is added up one load later, while the next one is
 * in flight, and into four sums, so that no sum is waited for. */
struct load_shared_8 {
    uint32_t high = 0, sum[4] = {0, 0, 0, 0};

    __device__ uint64_t from(uint64_t at, int i)
    {
        uint32_t low, next_high;
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(low), "=r"(next_high) : "r"((uint32_t)at) : "memory");
        asm volatile("xor.b32 %0, %0, %1;" : "+r"(sum[i & 3]) : "r"(high));
        high = next_high;
        return low;
    }
    __device__ uint32_t checksum() const { return high ^ sum[0] ^ sum[1] ^ sum[2] ^ sum[3]; }
};

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

extern "C" __global__ void mem_chase_shared_4(chase_shared_args a) { walk_shared<load_shared_4>(a); }
extern "C" __global__ void mem_chase_shared_8(chase_shared_args a) { walk_shared<load_shared_8>(a); }

/* --- the stamped walk ------------------------------------------------------------------------- */

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
    out->has_run = 1;
}
