/* bench_host.h - what a probe of the host may do: chase, read clocks, choose a core and a page
 * size.
 *
 * The loops themselves live in dev/host, compiled for this processor: a probe of the host asks
 * questions, as a probe of a GPU does, and stays free of machine code. */
#ifndef AY_BENCH_HOST_H
#define AY_BENCH_HOST_H

#include "core/bench.h"

enum ay_pages { AY_PAGES_SMALL, AY_PAGES_HUGE };

struct ay_host_facts {
    uint32_t n_cpus, n_nodes;
    uint32_t cache_line_bytes;          /* 0: unknown */
    uint64_t l1_bytes, l2_bytes, l3_bytes; /* what the OS says, of the core we are pinned to */
    uint64_t free_bytes;                /* the smaller of MemAvailable and the cgroup's limit */
    char huge_pages[96];                /* "" when there are any, else the reason */
};

struct ay_host_ops {
    const struct ay_host_facts *(*facts)(void *self);
    /* Memory on that NUMA node; AY_SKIP says why not (no huge pages, no such node). Zeroed. */
    enum ay_status (*alloc)(void *self, uint64_t bytes, uint32_t node, enum ay_pages pages,
                            void **out, struct ay_error *err);
    void (*release)(void *self, void *at);
    /* Walks n_steps pointers from `from`: *elapsed_ns by the raw monotonic clock; returns the end.
     */
    void *(*chase)(void *self, void *from, uint64_t n_steps, double *elapsed_ns);
    uint64_t (*clock_ns)(void *self);                 /* CLOCK_MONOTONIC_RAW */
    enum ay_status (*tsc)(void *self, uint64_t *ticks, struct ay_error *err); /* AY_SKIP: none */
};

const struct ay_host_facts *ay_host_facts(const struct ay_bench *b);
enum ay_status ay_host_alloc(struct ay_bench *b, uint64_t bytes, uint32_t node,
                             enum ay_pages pages, void **out, struct ay_error *err) AY_CHECKED;
void *ay_host_chase(struct ay_bench *b, void *from, uint64_t n_steps, double *elapsed_ns);
uint64_t ay_host_clock_ns(struct ay_bench *b);
enum ay_status ay_host_tsc(struct ay_bench *b, uint64_t *ticks, struct ay_error *err) AY_CHECKED;

#endif
