/* Kernels of the latency probes: dependent walks along pointers. The questions are in mem/….c. */
#include "probes/mem/walk.cuh"

template <class load> __device__ static void walk_global(const chase_args &a)
{
    if (claims(a.place)) walk_of_length<load>(a, a.warm, a.ring, nothing());
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
    walk_of_length<load>(a, base, base, nothing());
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
