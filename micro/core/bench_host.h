/* bench_host.h - what a probe of the host may do: walk rings, read clocks, choose node and pages.
 *
 * The loops themselves live in dev/host, compiled for this processor: a probe of the host asks
 * questions, as a probe of a GPU does, and stays free of machine code. */
#ifndef AY_BENCH_HOST_H
#define AY_BENCH_HOST_H

#include "core/bench.h"

enum ay_pages { AY_PAGES_SMALL, AY_PAGES_HUGE };

enum { AY_MAX_NODES = 64 };

struct ay_host_facts {
    uint32_t cpu;                       /* the OS number of the one this thread is pinned to */
    uint32_t n_cpus;                    /* that this process may use */
    uint32_t n_nodes, nodes[AY_MAX_NODES]; /* OS numbers of NUMA nodes with memory, nearest first */
    uint32_t cache_line_bytes;          /* 0: unknown */
    uint64_t l1_bytes, l2_bytes, l3_bytes; /* what the OS claims for that CPU; 0: unknown */
    uint64_t free_bytes;                /* the smaller of MemAvailable and what cgroups leave */
    uint64_t total_bytes;
    char huge_pages[96];                /* "" when there are any, else the reason */
};

struct ay_host_timing {
    double elapsed_ns;   /* by the raw monotonic clock */
    bool was_interrupted; /* other work ran on this CPU meanwhile: not this walk's time */
};

struct ay_host_ops {
    const struct ay_host_facts *(*facts)(void *self);
    /* Zeroed memory on that NUMA node, every page of it there already, aligned to a page of its
     * kind; AY_SKIP says why not (no huge pages, no such node, no permission to bind). */
    enum ay_status (*alloc)(void *self, uint64_t bytes, uint32_t node, enum ay_pages pages,
                            void **out, struct ay_error *err);
    void (*release)(void *self, void *at);
    /* Follows n_steps pointers from `from`; returns the end. */
    void *(*chase)(void *self, void *from, uint64_t n_steps, struct ay_host_timing *out);
    /* Reads one word every step_bytes of [at, at + bytes), in order. */
    void (*sweep)(void *self, const void *at, uint64_t bytes, uint64_t step_bytes);
    /* Reads one word of each of those lines of `base`, in order, many at a time. */
    void (*gather)(void *self, const void *base, const uint32_t *lines, uint64_t n_lines,
                   uint64_t line_bytes);
    uint64_t (*clock_ns)(void *self);                 /* CLOCK_MONOTONIC_RAW */
    /* The counter beneath that clock: invariant TSC, cntvct. AY_SKIP: none. */
    enum ay_status (*tsc)(void *self, uint64_t *ticks, struct ay_error *err);
};

/* NULL when the device is not the host. */
const struct ay_host_facts *ay_host_facts(const struct ay_bench *b);
enum ay_status ay_host_alloc(struct ay_bench *b, uint64_t bytes, uint32_t node,
                             enum ay_pages pages, void **out, struct ay_error *err) AY_CHECKED;
void ay_host_sweep(struct ay_bench *b, const void *at, uint64_t bytes, uint64_t step_bytes);
uint64_t ay_host_clock_ns(struct ay_bench *b);
enum ay_status ay_host_tsc(struct ay_bench *b, uint64_t *ticks, struct ay_error *err) AY_CHECKED;

/* One cycle in random order through n_nodes cache lines, and how far it has been walked. */
struct ay_host_ring {
    char *base;
    uint64_t line_bytes, n_nodes, n_walked;
    const uint32_t *order; /* lines from base on, in walking order */
};
/* Writes a ring over [base, base + bytes): through every line, or, where there are more than
 * n_most_nodes, through one line drawn from each of at most n_most_nodes equal blocks. bytes: at
 * most 2^32 lines. The order lives as long as this run(). */
enum ay_status ay_host_ring(struct ay_bench *b, void *base, uint64_t bytes, uint64_t line_bytes,
                            uint64_t n_most_nodes, struct ay_host_ring *out,
                            struct ay_error *err) AY_CHECKED;
/* Reads every node once in walking order, from where the next walk begins, but without waiting for
 * one before the next: a warm lap that leaves the caches as a walked one would, in a tenth of the
 * time. */
void ay_host_warm(struct ay_bench *b, const struct ay_host_ring *ring);
/* Walks on from where the last walk ended. AY_VOID when it does not end where it is due. */
enum ay_status ay_host_walk(struct ay_bench *b, struct ay_host_ring *ring, uint64_t n_steps,
                            struct ay_host_timing *out, struct ay_error *err) AY_CHECKED;

#endif
