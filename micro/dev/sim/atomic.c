/* Atomics: lanes in order, each on the newest value. */
#include <string.h>

#include "dev/sim/machine.h"

static uint64_t value_of(const struct sim_op *o, uint16_t row, uint32_t lane)
{
    if (row == SIM_NONE) return 0;
    if (o->u->mem.reg_bytes <= 4) return o->w->rows[row][lane];
    return ((const uint64_t *)(const void *)o->w->rows[row])[lane];
}

static void apply(struct sim_op *o, uint32_t lane, uint8_t *p)
{
    const struct sim_uop *u = o->u;
    const struct sim_mem *mem = &u->mem;
    for (uint32_t e = 0; e < mem->n_elems; e++, p += mem->elem_bytes) {
        const bool is_list = u->flags & SIM_F_VECTOR;
        const uint32_t first_b = u->list + (u->kind == SIM_ATOM ? mem->n_elems : 0u);
        const uint16_t b = is_list ? o->w->lists[first_b + e] : u->b;
        const uint16_t d = is_list ? o->w->lists[u->list + e] : u->d;
        uint64_t old = 0;
        memcpy(&old, p, mem->elem_bytes);
        const uint64_t now = sim_atom_apply((enum sim_atom)u->op, (enum sim_type)u->type, old,
                                            value_of(o, b, lane), value_of(o, u->c, lane));
        memcpy(p, &now, mem->elem_bytes);
        if (u->kind == SIM_RED || d == SIM_NONE) continue;
        if (mem->reg_bytes <= 4) o->w->rows[d][lane] = (uint32_t)old;
        else ((uint64_t *)(void *)o->w->rows[d])[lane] = old;
    }
}

void sim_exec_atomic(struct sim_op *o, uint8_t space, const uint64_t *addr, uint32_t mask)
{
    const struct sim_mem *mem = &o->u->mem;
    const uint32_t bytes = (uint32_t)mem->elem_bytes * mem->n_elems;
    if (mem->elem_bytes > 8) {
        sim_fault_at(o, SIM_NOT_SIMULATED, "128-bit atomics are not simulated");
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        uint8_t *p = sim_lane_pointer(o, space, i, addr[i], bytes);
        if (!p) return;
        const struct sim_region *r = space == SIM_SPACE_GLOBAL
            ? sim_region(&o->m->space, addr[i], bytes) : NULL;
        if (r && r->kind == SIM_REGION_HOST) sim_settle_range(o->m, p, bytes);
        apply(o, i, p);
    }
    uint64_t ready;
    const uint32_t remote = space == SIM_SPACE_SHARED_CLUSTER ? sim_remote_lanes(o, addr, mask) : 0;
    if (remote) {
        o->count->atomics_shared++;
        ready = sim_time_remote(o, addr, remote, bytes);
    } else if (space == SIM_SPACE_SHARED || space == SIM_SPACE_SHARED_CLUSTER) {
        ready = sim_time_shared_atomic(o, addr, mask, bytes);
    } else {
        const struct sim_access a = { addr, mask, bytes };
        o->count->atomics_global++;
        ready = sim_time_atomic(o, &a);
    }
    const uint16_t *writes = o->w->lists + o->u->deps + o->u->n_reads;
    for (uint32_t i = 0; i < o->u->n_writes; i++)
        o->w->ready[writes[i]] = sim_max(o->w->ready[writes[i]], ready);
}
