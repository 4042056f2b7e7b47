/* Kernels of the bench itself: they bring memory into a state, they time nothing. */
#include "core/bench_args.h"
#include "core/kernel.cuh"

/* .cg: L2 only, so that no L1 keeps a copy [ptx-isa cache operators]. */
__device__ static uint32_t load_cg(uint64_t at)
{
    uint32_t word;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    return word;
}

/* One word of each sector is enough: the sector is what is fetched, and a full line follows from
 * its sectors. Tickets, because CTAs on one SM must leave and nobody knows how many those are. */
extern "C" __global__ void bench_evict(struct evict_args a)
{
    __shared__ unsigned long long ticket;
    const uint64_t piece_bytes = (uint64_t)EVICT_THREADS * EVICT_LINE_BYTES;
    const uint64_t n_tickets = a.n_bytes / piece_bytes;
    uint32_t junk = 0;
    unsigned long long n_done = 0;
    if (this_sm() == a.but_sm) return;
    for (;;) {
        if (threadIdx.x == 0) ticket = atomicAdd((unsigned long long *)a.ticket, 1ull);
        __syncthreads();
        const uint64_t mine = ticket;
        __syncthreads();
        if (mine >= n_tickets) break;
        junk ^= load_cg(a.from + mine * piece_bytes + (uint64_t)threadIdx.x * EVICT_LINE_BYTES);
        n_done++;
    }
    if (threadIdx.x == 0 && junk != 0x5eed5eedu) atomicAdd((unsigned long long *)a.sum, n_done);
}

extern "C" __global__ void bench_touch(struct touch_args a)
{
    __shared__ uint32_t is_mine;
    if (threadIdx.x == 0) is_mine = claims(a.place);
    __syncthreads();
    if (!is_mine) return;
    uint32_t junk = 0;
    unsigned long long n_touched = 0;
    for (uint64_t i = threadIdx.x * a.step_bytes; i < a.n_bytes;
         i += TOUCH_THREADS * a.step_bytes) {
        junk ^= load_cg(a.from + i);
        n_touched++;
    }
    if (junk != 0x5eed5eedu) atomicAdd((unsigned long long *)a.count, n_touched);
}

extern "C" __global__ void bench_scatter(struct scatter_args a)
{
    const uint64_t *const pairs = (const uint64_t *)a.pairs;
    const uint64_t i = (uint64_t)blockIdx.x * SCATTER_THREADS + threadIdx.x;
    if (i >= a.n_pairs) return;
    *(uint64_t *)pairs[2 * i] = pairs[2 * i + 1];
    atomicAdd((unsigned long long *)a.count, 1ull);
}

/* SM clock against %globaltimer, from edge to edge of the timer, at least min_ns apart. Most of the
 * time is slept away (a sleep takes up to twice what is asked [ptx-isa nanosleep]). */
extern "C" __global__ void bench_clock(struct clock_args a)
{
    uint64_t *const out = (uint64_t *)a.out;
    const uint64_t first_ns = globaltimer_ns();
    uint64_t start_ns = first_ns;
    while (start_ns == first_ns) start_ns = globaltimer_ns(); /* begin on a step of the timer */
    const uint64_t start = clock_cycles();
    uint64_t stop_ns = start_ns;
    while (stop_ns + DOZE_NS < start_ns + a.min_ns) {
        __nanosleep(DOZE_NS / 4);
        stop_ns = globaltimer_ns();
    }
    while (stop_ns < start_ns + a.min_ns) stop_ns = globaltimer_ns();
    uint64_t edge_ns = stop_ns;
    while (edge_ns == stop_ns) edge_ns = globaltimer_ns(); /* and end on one */
    const uint64_t stop = clock_cycles();
    out[0] = start;
    out[1] = start_ns;
    out[2] = stop;
    out[3] = edge_ns;
}

/* How long it takes to walk a chain, loop and all: says whether lines are in L2, no more. */
extern "C" __global__ void bench_walk(struct walk_args a)
{
    if (!claims(a.place)) return;
    uint64_t *const out = (uint64_t *)a.out;
    uint64_t at = a.at;
    const uint64_t start = clock_cycles();
#pragma unroll 1
    for (uint32_t i = 0; i < a.n_steps; i++)
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    wait_for(at);
    out[0] = start;
    out[1] = clock_cycles();
    out[2] = at;
}

__device__ static uint32_t host_word(uint64_t at)
{
    return *(volatile uint32_t *)at;
}

extern "C" __global__ void bench_latch(struct latch_args a)
{
    const uint64_t begin_ns = globaltimer_ns();
    while (host_word(a.flag) == 0 && globaltimer_ns() - begin_ns < a.timeout_ns) {
    }
}

extern "C" __global__ void bench_echo(struct echo_args a)
{
    for (uint32_t i = 1; i <= a.n_trips; i++) {
        const uint64_t begin_ns = globaltimer_ns();
        while (host_word(a.reads) < i)
            if (globaltimer_ns() - begin_ns > a.timeout_ns) return;
        ((uint64_t *)a.stamps)[i - 1] = globaltimer_ns();
        __threadfence_system();
        *(volatile uint32_t *)a.writes = i;
    }
}
