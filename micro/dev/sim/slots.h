/* slots.h - a port that several users share, reserved by time slot.
 *
 * Requests come in any order of time: one that asks for the far future (behind a TLB miss) must
 * not hold up one that comes later in the program but earlier in time. So a port is a ring of
 * buckets of 2^shift cycles, each with what is used of it, and not one "next free". A request on
 * an idle port starts at once. */
#ifndef SIM_SLOTS_H
#define SIM_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_UNITS_PER_BYTE = 1024 };

struct sim_bucket {
    uint32_t stamp, used; /* number of the bucket this slot stands for; units used of it */
    float newest, next;   /* newest request that came in order, and when it is through: cycles
                           * from the bucket's begin */
};

struct sim_port {
    struct sim_bucket *ring;
    uint32_t ring_mask, shift;
    uint32_t capacity;          /* units a bucket */
    float cycles_per_unit;
    uint64_t full_from, full_to; /* buckets known to be full: [from, to) */
};

bool sim_port_open(struct sim_port *p, double bytes_per_clk, uint32_t n_buckets);
void sim_port_close(struct sim_port *p);
void sim_port_rate(struct sim_port *p, double bytes_per_clk); /* from now on */

/* Reserves `units` from cycle t on; returns when the last `piece` units of them begin to pass. An
 * idle port returns t for units == piece. */
uint64_t sim_port_reserve(struct sim_port *p, uint64_t t, uint32_t units, uint32_t piece);

#endif
