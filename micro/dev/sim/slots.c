#include "dev/sim/slots.h"

#include <stdlib.h>

enum { BUCKET_SHIFT = 5 };
#define NOT_YET UINT64_MAX

void sim_port_rate(struct sim_port *p, double bytes_per_clk)
{
    const double per_bucket = bytes_per_clk * SIM_UNITS_PER_BYTE * (double)(1u << p->shift);
    p->capacity = per_bucket < 1 ? 1
                : per_bucket > 4e9 ? 4000000000u : (uint32_t)(per_bucket + 0.5);
    p->cycles_per_unit = (float)(1u << p->shift) / (float)p->capacity;
}

bool sim_port_open(struct sim_port *p, double bytes_per_clk, uint32_t n_buckets)
{
    *p = (struct sim_port){ .ring_mask = n_buckets - 1, .shift = BUCKET_SHIFT };
    sim_port_rate(p, bytes_per_clk);
    p->ring = calloc(n_buckets, sizeof *p->ring);
    return p->ring != NULL;
}

void sim_port_close(struct sim_port *p)
{
    free(p->ring);
    p->ring = NULL;
}

/* The bucket's slot, taken over from an older bucket; NULL: a later bucket holds it already. */
static struct sim_bucket *slot_of(struct sim_port *p, uint64_t bucket)
{
    struct sim_bucket *s = &p->ring[bucket & p->ring_mask];
    if (s->stamp == (uint32_t)bucket) return s;
    if ((int32_t)(s->stamp - (uint32_t)bucket) > 0 && s->used != 0) return NULL;
    *s = (struct sim_bucket){ .stamp = (uint32_t)bucket };
    return s;
}

static void note_full(struct sim_port *p, uint64_t bucket)
{
    if (bucket == p->full_to) {
        p->full_to++;
    } else if (bucket > p->full_to || bucket < p->full_from) {
        p->full_from = bucket;
        p->full_to = bucket + 1;
    }
}

/* When a request that comes at t can begin: behind what is through in order, or, if it comes out of
 * order, behind what is used of the bucket. Both in cycles from the bucket's begin. */
static float begin_in(const struct sim_port *p, const struct sim_bucket *s, float t)
{
    const float queue = t >= s->newest ? s->next : (float)s->used * p->cycles_per_unit;
    return t > queue ? t : queue;
}

uint64_t sim_port_reserve(struct sim_port *p, uint64_t t, uint32_t units, uint32_t piece)
{
    uint64_t bucket = t >> p->shift;
    uint32_t left = units;
    uint64_t start = NOT_YET;
    for (;; bucket++) {
        if (bucket >= p->full_from && bucket < p->full_to) bucket = p->full_to;
        struct sim_bucket *s = slot_of(p, bucket);
        if (!s || s->used >= p->capacity) continue;
        const uint64_t begin = bucket << p->shift;
        if (start == NOT_YET) {
            const float at = t > begin ? (float)(t - begin) : 0;
            const float from = begin_in(p, s, at);
            start = begin + (uint64_t)from;
            if (at >= s->newest) {
                s->newest = at;
                s->next = from + (float)units * p->cycles_per_unit;
            }
            if (s->used + left <= p->capacity) { /* the common case: all of it here */
                s->used += left;
                if (s->used == p->capacity) note_full(p, bucket);
                if (units == piece) return start;
                return begin + (uint64_t)(from + (float)(units - piece) * p->cycles_per_unit);
            }
        }
        const uint32_t room = p->capacity - s->used;
        if (left <= room) {
            s->used += left;
            const float end = (float)s->used * p->cycles_per_unit;
            s->next = end > s->next ? end : s->next;
            if (s->used == p->capacity) note_full(p, bucket);
            const double last = (double)begin + (double)(end - (float)piece * p->cycles_per_unit);
            return last > (double)start ? (uint64_t)last : start;
        }
        s->used = p->capacity;
        left -= room;
        note_full(p, bucket);
    }
}
