/* Kernels of alu.clock: what a clock read costs, and when each SM sees the timer step. */
#include "core/kernel.cuh"
#include "probes/alu/clock.h"

template <int READS> __device__ static void read_clocks(uint64_t *out)
{
    uint64_t stamp[READS];

#pragma unroll
    for (int i = 0; i < READS; i++) stamp[i] = clock_cycles();

#pragma unroll
    for (int i = 0; i < READS; i++) out[i] = stamp[i];
}

extern "C" __global__ void alu_clock_read(clock_read_args a)
{
    uint64_t *const out = (uint64_t *)a.out;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) { /* the first brings the instructions in */
        switch (a.length) {
        case 1: read_clocks<1 * CLOCK_READ_STEP>(out); break;
        case 2: read_clocks<2 * CLOCK_READ_STEP>(out); break;
        case 3: read_clocks<3 * CLOCK_READ_STEP>(out); break;
        case 4: read_clocks<4 * CLOCK_READ_STEP>(out); break;
        }
    }
}

/* A pause that no pattern of the SM's own follows, so that polls meet the timer's steps at all
 * phases and two SMs never keep in step (multiplicative hashing [knuth3]). */
__device__ static uint32_t dither(uint32_t i)
{
    const uint32_t n = i * 2654435761u >> 29;
    uint32_t x = i;
#pragma unroll 1
    for (uint32_t k = 0; k < n; k++) asm volatile("add.u32 %0, %0, 1;" : "+r"(x));
    if (n & 1) asm volatile("mul.lo.u32 %0, %0, 5;" : "+r"(x));
    return x;
}

extern "C" __global__ void alu_clock_poll(clock_poll_args a)
{
    clock_poll *const mine =
        (clock_poll *)a.polls + (uint64_t)blockIdx.x * a.n_bursts * CLOCK_BURST;
    clock_head *const head = (clock_head *)a.heads + blockIdx.x;
    uint32_t n_kept = 0, junk = 0;
    start_together(a.line, a.n_ctas);
    const uint64_t begin_ns = globaltimer_ns();
#pragma unroll 1
    for (uint32_t i = this_sm() * 4099 + (uint32_t)begin_ns; n_kept < a.n_bursts; i++) {
        uint64_t timer[CLOCK_BURST], clock[CLOCK_BURST];
#pragma unroll
        for (int k = 0; k < CLOCK_BURST; k++) {
            timer[k] = globaltimer_ns();
            clock[k] = clock_cycles();
        }
        if (timer[0] - begin_ns > a.most_ns) break;
        if (timer[0] != timer[CLOCK_BURST - 1]) {
            clock_poll *const burst = mine + (uint64_t)n_kept * CLOCK_BURST;
#pragma unroll
            for (int k = 0; k < CLOCK_BURST; k++) burst[k] = clock_poll{timer[k], clock[k]};
            n_kept++;
        }
        if (i % 4 == 0) junk ^= dither(i);
    }
    head->sm = this_sm();
    head->n_bursts = junk == 0x5eed5eed ? 0 : n_kept;
}
