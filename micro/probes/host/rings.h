/* rings.h - the time of a load in one ring: what the host's latency and capacity probes share. */
#ifndef AY_HOST_RINGS_H
#define AY_HOST_RINGS_H

#include "core/bench_host.h"

enum { AY_MAX_RINGS = 128 };

struct ay_ground {
    char *base, *other; /* where rings lie, and what is read to empty the caches */
    uint64_t largest_bytes, other_bytes; /* of each */
    uint64_t full_bytes; /* rings up to here go through every line and are walked warm */
    uint64_t line_bytes;
    struct ay_point at; /* node, pages */
};

/* 4, 5, 6, 7, 8, 10 … KiB, four an octave and beyond 16 MiB two, up to the largest, which ends the
 * list whatever it is; quick: eight of them. Returns how many. */
size_t ay_ring_sizes(uint64_t largest_bytes, bool is_quick, uint64_t sizes[AY_MAX_RINGS]);

/* Memory for rings on that node, sized by what the OS claims of L3, and never less than shows
 * whether the claim is true; other and sizes are set, at is the caller's. */
enum ay_status ay_ring_ground(struct ay_bench *b, uint32_t node, enum ay_pages pages,
                              struct ay_ground *out, struct ay_error *err) AY_CHECKED;

/* A few samples `value`{ring_bytes, as g->at}: loads and the time they took, in a ring somewhere in
 * the ground. *n_interrupted counts stretches that other work on this CPU spoilt; they are walked
 * again. */
enum ay_status ay_time_ring(struct ay_bench *b, const struct ay_ground *g, uint64_t ring_bytes,
                            struct ay_samples *out, uint64_t *n_interrupted,
                            struct ay_error *err) AY_CHECKED;

#endif
