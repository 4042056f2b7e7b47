/* bench_args.h - arguments of the bench's own kernels (core/bench.cu). */
#ifndef AY_BENCH_ARGS_H
#define AY_BENCH_ARGS_H

#include "core/launch.h"

enum {
    EVICT_THREADS = 256,
    EVICT_LINE_BYTES = 32,
    TOUCH_THREADS = 32,
    SCATTER_THREADS = 256,
    DOZE_NS = 8000
};

struct evict_args { /* reads n_bytes from `from`, a ticket of EVICT_THREADS sectors at a time */
    uint64_t from, n_bytes;
    uint64_t ticket; /* zeroed counter */
    uint64_t sum;    /* tickets done, added up: the proof */
    uint32_t but_sm; /* CTAs on that SM leave; ~0: none */
};

struct touch_args {
    struct ay_place place;
    uint64_t from, n_bytes, step_bytes;
    uint64_t count; /* words touched, added up: the proof */
};

struct scatter_args { /* pairs[2i] = address, pairs[2i + 1] = the value to store there */
    uint64_t pairs, n_pairs, count;
};

struct clock_args {
    uint64_t out; /* cycles at start, ns at start, cycles at stop, ns at stop */
    uint64_t min_ns;
};

struct latch_args { /* waits until the host word is not 0 */
    uint64_t flag, timeout_ns;
};

struct echo_args { /* answers the host's flag n_trips times, each with %globaltimer in stamps */
    uint64_t reads, writes, stamps, timeout_ns;
    uint32_t n_trips, unused;
};

struct walk_args { /* n_steps dependent .cg loads from `at`; out: start, stop, last */
    struct ay_place place;
    uint64_t at, out;
    uint32_t n_steps, unused;
};

#endif
