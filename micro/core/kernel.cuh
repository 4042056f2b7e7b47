/* kernel.cuh - what device code shares: clocks, loads by name, places. One asm statement a
 * function, each named for what it promises; raw stamps are stored and subtracted on the host,
 * since ptxas turns a device-side difference into a uniform read of the start [measured sass 13.0].
 */
#ifndef AY_KERNEL_CUH
#define AY_KERNEL_CUH

#include "core/launch.h"

/* A clock read that nothing volatile passes [ptx-isa special registers]. */
__device__ static inline uint64_t clock_cycles(void)
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}

__device__ static inline uint64_t globaltimer_ns(void)
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

__device__ static inline uint32_t this_sm(void)
{
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* Waits for `value`: a volatile store to shared memory needs its operand, and later instructions of
 * the warp issue behind it. Without it the last load of a chain is still in flight at the stamp. */
__device__ static inline void wait_for(uint64_t value)
{
    __shared__ volatile uint64_t sink;
    sink = value;
}

/* Is this CTA the one that works? See struct ay_place; one thread a CTA asks. */
__device__ static inline bool claims(struct ay_place place)
{
    if (place.claim == 0) return blockIdx.x == 0;
    if (this_sm() != place.sm) return false;
    return atomicExch((unsigned long long *)place.claim, 1ull) == 0;
}

/* All n_ctas CTAs, one thread each, wait here for each other; they must be resident together. */
__device__ static inline void start_together(uint64_t line, uint32_t n_ctas)
{
    unsigned long long *const count = (unsigned long long *)line;
    atomicAdd(count, 1ull);
    while (*(volatile unsigned long long *)count < n_ctas) {
    }
}

#endif
