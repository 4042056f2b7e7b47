/* Constant memory: two levels of cache, one address at a time. */
#include "dev/sim/machine.h"

static bool is_held(struct sim_tags *tags, uint64_t line)
{
    const uint32_t set = sim_tags_set(tags, line);
    uint32_t i = sim_tags_find_in(tags, set, line);
    const bool hit = i != SIM_NO_LINE;
    if (hit) {
        sim_tags_touch(tags, i);
    } else {
        i = sim_tags_victim(tags, set, false);
        sim_tags_put(tags, i, line);
    }
    return hit;
}

static uint64_t latency_of(const struct sim_op *o, uint64_t t, uint64_t address)
{
    const struct ay_chip *c = o->m->chip;
    const struct sim_image *image = o->w->cta->launch->config.image;
    const uint64_t va = image->const_va + address;
    if (is_held(&o->sm->const1, va / c->const_line_bytes)) {
        o->count->const_hits[0]++;
        return c->const1_latency_cycles;
    }
    o->count->const_misses[0]++;
    if (is_held(&o->sm->const2, va / c->const_line_bytes)) {
        o->count->const_hits[1]++;
        return c->const2_latency_cycles;
    }
    o->count->const_misses[1]++;
    const struct sim_region *r = sim_region(&o->m->space, va, 1);
    if (!r) return c->const2_latency_cycles;
    const uint64_t physical = va - r->va + r->physical;
    const uint64_t sector = physical >> o->m->l2_sector_shift;
    const uint32_t bit = (uint32_t)sector & (o->m->l2_line_sectors - 1);
    const uint64_t came = sim_l2_read(o, t, physical >> o->m->l2_shift, 1u << bit, 1);
    return c->const2_latency_cycles + (came - t);
}

/* Lanes with different addresses take their turns, a cycle each. */
uint64_t sim_time_const(const struct sim_op *o, const struct sim_access *a)
{
    uint64_t ready = o->t, turn = 0;
    for (uint32_t lanes = a->mask; lanes; turn++) {
        const uint64_t address = a->addr[__builtin_ctz(lanes)];
        for (uint32_t left = lanes; left; left &= left - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(left);
            if (a->addr[i] == address) lanes &= ~(1u << i);
        }
        ready = sim_max(ready, o->t + turn + latency_of(o, o->t + turn, address));
    }
    return ready;
}
