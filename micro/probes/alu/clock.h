/* clock.h - what alu.clock and its kernels agree on. */
#ifndef AY_ALU_CLOCK_H
#define AY_ALU_CLOCK_H

#include "core/launch.h"

/* Back-to-back clock reads, straight-line, in four lengths. */
#define CLOCK_READ_STEP 8
#define CLOCK_READ_LENGTHS 4

struct clock_read_args {
    uint64_t out;    /* n_reads stamps of 8 bytes, n_reads = length * CLOCK_READ_STEP */
    uint32_t length; /* 1 … CLOCK_READ_LENGTHS */
    uint32_t unused;
};

/* Polls of timer and clock, all SMs at once. A burst with a step of the timer inside is kept. */
#define CLOCK_BURST 16

struct clock_poll { /* raw stamps */
    uint64_t timer_ns, clock_cycles;
};

struct clock_poll_args {
    uint64_t polls;    /* n_ctas x n_bursts x CLOCK_BURST struct clock_poll */
    uint64_t heads;    /* n_ctas struct clock_head */
    uint64_t line;     /* a zeroed counter: the start line */
    uint64_t most_ns;  /* a CTA gives up after that long */
    uint32_t n_ctas, n_bursts;
};

struct clock_head {
    uint32_t sm, n_bursts; /* kept by this CTA */
};

#endif
