/* Loads and stores: addresses to pointers, bytes to registers and back; timing is lsu.c's. */
#include <string.h>

#include "dev/sim/machine.h"

void sim_lane_addresses(const struct sim_op *o, uint64_t addr[SIM_LANES])
{
    const struct sim_uop *u = o->u;
    const uint64_t offset = (uint64_t)(int64_t)u->offset;
    if (u->flags & SIM_F_ADDR64) {
        const uint64_t *row = (const uint64_t *)(const void *)o->w->rows[u->a];
        for (uint32_t i = 0; i < SIM_LANES; i++) addr[i] = row[i] + offset;
    } else {
        const uint32_t *row = o->w->rows[u->a];
        for (uint32_t i = 0; i < SIM_LANES; i++) addr[i] = (uint32_t)(row[i] + (uint32_t)offset);
    }
}

static uint8_t space_of_generic(uint64_t va)
{
    switch (va & 0xffffffff00000000ull) {
    case SIM_SHARED_WINDOW: return SIM_SPACE_SHARED_CLUSTER;
    case SIM_LOCAL_WINDOW: return SIM_SPACE_LOCAL;
    case SIM_CONST_WINDOW: return SIM_SPACE_CONST;
    case SIM_PARAM_WINDOW: return SIM_SPACE_PARAM;
    default: return SIM_SPACE_GLOBAL;
    }
}

uint32_t sim_generic(const struct sim_op *o, uint64_t *addr, uint32_t mask, uint8_t *space)
{
    (void)o;
    uint32_t same = 0;
    *space = space_of_generic(addr[__builtin_ctz(mask)]);
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        if (space_of_generic(addr[i]) != *space) continue;
        same |= 1u << i;
        if (*space != SIM_SPACE_GLOBAL) addr[i] = (uint32_t)addr[i];
    }
    return same;
}

static uint8_t *shared_pointer(struct sim_op *o, uint8_t space, uint64_t address, uint32_t bytes)
{
    struct sim_cta *cta = o->w->cta;
    const uint64_t rank = address >> SIM_CLUSTER_SHIFT;
    uint64_t offset = address;
    if (space == SIM_SPACE_SHARED_CLUSTER && rank) {
        if (!cta->cluster || rank > cta->cluster->n_ctas || !cta->cluster->ctas[rank - 1])
            return NULL;
        cta = cta->cluster->ctas[rank - 1];
        offset &= (1u << SIM_CLUSTER_SHIFT) - 1;
    }
    return offset + bytes <= cta->shared_bytes ? cta->shared + offset : NULL;
}

static uint8_t *pointer_in(struct sim_op *o, uint8_t space, uint32_t lane, uint64_t address,
                           uint32_t bytes)
{
    const struct sim_launch *l = o->w->cta->launch;
    switch (space) {
    case SIM_SPACE_GLOBAL: {
        const struct sim_region *r = sim_region(&o->m->space, address, bytes);
        return r ? r->host + (address - r->va) : NULL;
    }
    case SIM_SPACE_SHARED:
    case SIM_SPACE_SHARED_CLUSTER:
        return shared_pointer(o, space, address, bytes);
    case SIM_SPACE_LOCAL:
        if (!o->w->local || address + bytes > l->code->kernel->local_bytes) return NULL;
        return o->w->local + (uint64_t)lane * l->code->kernel->local_bytes + address;
    case SIM_SPACE_CONST:
        if (!l->config.image->const_host ||
            address + bytes > l->config.image->module->const_bytes)
            return NULL;
        return l->config.image->const_host + address;
    case SIM_SPACE_PARAM:
        return address + bytes <= l->config.params_bytes ? l->params + address : NULL;
    default:
        return NULL;
    }
}

uint8_t *sim_lane_pointer(struct sim_op *o, uint8_t space, uint32_t lane, uint64_t address,
                          uint32_t bytes)
{
    uint8_t *p = pointer_in(o, space, lane, address, bytes);
    if (__builtin_expect((address & (bytes - 1)) != 0, 0))
        sim_fault_at(o, SIM_MISALIGNED, "address %#llx is no multiple of %u",
                     (unsigned long long)address, bytes);
    else if (__builtin_expect(!p, 0))
        sim_fault_at(o, SIM_ILLEGAL_ADDRESS, "%u bytes at %#llx, lane %u, are not mapped", bytes,
                     (unsigned long long)address, lane);
    else
        return p;
    return NULL;
}

/* --- registers and bytes ---------------------------------------------------------------------- */

static uint16_t data_row(const struct sim_op *o, uint32_t elem, uint16_t single)
{
    return o->u->flags & SIM_F_VECTOR ? o->w->lists[o->u->list + elem] : single;
}

static uint64_t widen(const uint8_t *p, uint32_t bytes, bool is_signed)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes > 8 ? 8 : bytes);
    if (is_signed && bytes < 8) {
        const uint32_t up = 64 - 8 * bytes;
        v = (uint64_t)((int64_t)(v << up) >> up);
    }
    return v;
}

static void put(struct sim_op *o, uint16_t row, uint32_t lane, const uint8_t *p)
{
    const struct sim_mem *mem = &o->u->mem;
    if (row == SIM_NONE) return;
    uint64_t *pair = (uint64_t *)(void *)o->w->rows[row];
    const uint64_t v = widen(p, mem->elem_bytes, o->u->flags & SIM_F_SIGNED);
    if (mem->reg_bytes <= 4) o->w->rows[row][lane] = (uint32_t)v;
    else pair[lane] = v;
    if (mem->reg_bytes == 16)
        pair[SIM_LANES + lane] = mem->elem_bytes == 16 ? widen(p + 8, 8, false) : 0;
}

static void get(const struct sim_op *o, uint16_t row, uint32_t lane, uint8_t *p)
{
    const struct sim_mem *mem = &o->u->mem;
    const uint64_t *pair = (const uint64_t *)(const void *)o->w->rows[row];
    if (mem->reg_bytes <= 4) {
        const uint64_t v = o->w->rows[row][lane];
        memcpy(p, &v, mem->elem_bytes > 8 ? 8 : mem->elem_bytes);
        return;
    }
    memcpy(p, &pair[lane], mem->elem_bytes > 8 ? 8 : mem->elem_bytes);
    if (mem->elem_bytes == 16 && mem->reg_bytes == 16) memcpy(p + 8, &pair[SIM_LANES + lane], 8);
}

static void load_lane(struct sim_op *o, uint32_t lane, const uint8_t *p)
{
    const struct sim_mem *mem = &o->u->mem;
    for (uint32_t e = 0; e < mem->n_elems; e++)
        put(o, data_row(o, e, o->u->d), lane, p + e * mem->elem_bytes);
}

static void store_lane(struct sim_op *o, uint32_t lane, uint8_t *p)
{
    const struct sim_mem *mem = &o->u->mem;
    for (uint32_t e = 0; e < mem->n_elems; e++)
        get(o, data_row(o, e, o->u->b), lane, p + e * mem->elem_bytes);
}

/* --- all lanes -------------------------------------------------------------------------------- */

static bool is_in_host_memory(const struct sim_op *o, uint8_t space, uint64_t address)
{
    if (space != SIM_SPACE_GLOBAL) return false;
    const struct sim_region *r = sim_region(&o->m->space, address, 1);
    return r && r->kind == SIM_REGION_HOST;
}

/* One register of 32 lanes, `stride` bytes apart in memory. Four loops without a choice inside. */
static void move_row(uint8_t *row, uint8_t *at, uint32_t bytes, uint32_t stride, bool is_load)
{
    if (stride == bytes) {
        if (is_load) memcpy(row, at, SIM_LANES * (size_t)bytes);
        else memcpy(at, row, SIM_LANES * (size_t)bytes);
    } else if (bytes == 4 && is_load) {
        for (uint32_t i = 0; i < SIM_LANES; i++) memcpy(row + 4 * i, at + (size_t)i * stride, 4);
    } else if (bytes == 4) {
        for (uint32_t i = 0; i < SIM_LANES; i++) memcpy(at + (size_t)i * stride, row + 4 * i, 4);
    } else if (is_load) {
        for (uint32_t i = 0; i < SIM_LANES; i++) memcpy(row + 8 * i, at + (size_t)i * stride, 8);
    } else {
        for (uint32_t i = 0; i < SIM_LANES; i++) memcpy(at + (size_t)i * stride, row + 8 * i, 8);
    }
}

/* The data of 32 lanes side by side, of 4 or 8 bytes or vectors of them. */
static void move_run(struct sim_op *o, uint8_t *p)
{
    const struct sim_mem *mem = &o->u->mem;
    const bool is_load = o->u->kind == SIM_LOAD;
    const uint32_t stride = (uint32_t)mem->elem_bytes * mem->n_elems;
    for (uint32_t e = 0; e < mem->n_elems; e++) {
        const uint16_t row = data_row(o, e, is_load ? o->u->d : o->u->b);
        if (row == SIM_NONE) continue;
        move_row((uint8_t *)o->w->rows[row], p + (size_t)e * mem->elem_bytes, mem->elem_bytes,
                 stride, is_load);
    }
}

static bool try_run(struct sim_op *o, uint8_t space, const uint64_t *addr, uint32_t mask,
                    uint32_t bytes)
{
    const struct sim_mem *mem = &o->u->mem;
    if (mask != UINT32_MAX || mem->reg_bytes != mem->elem_bytes || mem->elem_bytes < 4 ||
        mem->elem_bytes > 8 || (addr[0] & (bytes - 1)))
        return false;
    uint64_t differ = 0;
    for (uint64_t i = 0; i < SIM_LANES; i++) differ |= addr[i] ^ (addr[0] + i * bytes);
    if (differ || space == SIM_SPACE_LOCAL || is_in_host_memory(o, space, addr[0])) return false;
    uint8_t *p = pointer_in(o, space, 0, addr[0], SIM_LANES * bytes);
    if (p) move_run(o, p);
    return p != NULL;
}

static void move(struct sim_op *o, uint8_t space, const uint64_t *addr, uint32_t mask,
                 uint32_t bytes)
{
    if (try_run(o, space, addr, mask, bytes)) return;
    const bool is_load = o->u->kind == SIM_LOAD;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        uint8_t *p = sim_lane_pointer(o, space, i, addr[i], bytes);
        if (!p) return;
        if (is_in_host_memory(o, space, addr[i])) {
            if (is_load) {
                sim_settle_range(o->m, p, bytes);
            } else {
                uint8_t data[32];
                store_lane(o, i, data);
                for (uint32_t k = 0; k < bytes; k += 16)
                    sim_store_to_host(o->m, o->t, p + k, data + k, bytes - k > 16 ? 16 : bytes - k);
                continue;
            }
        }
        if (is_load) load_lane(o, i, p);
        else store_lane(o, i, p);
    }
}

/* Local addresses as L1 sees them: word by word, the lanes' words side by side. */
static void interleave(const struct sim_op *o, uint64_t *addr, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        addr[i] = SIM_LOCAL_WINDOW + o->w->local_line + (addr[i] / 4) * 128 + i * 4 + addr[i] % 4;
    }
}

static uint64_t time_of_cluster(const struct sim_op *o, const uint64_t *addr, uint32_t mask,
                                uint32_t bytes)
{
    const uint32_t remote = sim_remote_lanes(o, addr, mask);
    uint64_t offset[SIM_LANES], ready = o->t;
    if (remote) ready = sim_time_remote(o, addr, remote, bytes);
    if (remote == mask) return ready;
    for (uint32_t i = 0; i < SIM_LANES; i++)
        offset[i] = addr[i] & ((1u << SIM_CLUSTER_SHIFT) - 1);
    return sim_max(ready, sim_time_shared(o, offset, mask & ~remote, bytes));
}

static uint64_t time_of(struct sim_op *o, uint8_t space, uint64_t *addr, uint32_t mask,
                        uint32_t bytes)
{
    const bool is_load = o->u->kind == SIM_LOAD;
    const struct sim_access a = { addr, mask, bytes };
    switch (space) {
    case SIM_SPACE_SHARED:
        return sim_time_shared(o, addr, mask, bytes);
    case SIM_SPACE_SHARED_CLUSTER:
        return time_of_cluster(o, addr, mask, bytes);
    case SIM_SPACE_LOCAL:
        interleave(o, addr, mask);
        return sim_time_local(o, &a, !is_load);
    case SIM_SPACE_CONST:
        return sim_time_const(o, &a);
    case SIM_SPACE_PARAM:
        return o->t + o->m->chip->const1_latency_cycles;
    default:
        if (is_load) return sim_time_load(o, &a);
        sim_time_store(o, &a);
        return o->t;
    }
}

/* An acquiring load that finds the address and the value that it found before is a poll, which the
 * chip makes wait grid_poll_cycles before the next. */
static void charge_poll(const struct sim_op *o, uint64_t va)
{
    const struct sim_uop *u = o->u;
    if (u->mem.sem != SIM_SEM_ACQUIRE || u->mem.scope < SIM_SCOPE_GPU || u->d == SIM_NONE) return;
    struct sim_warp_state *w = o->w;
    const uint64_t value = w->rows[u->d][__builtin_ctz(o->mask)];
    if (w->poll_va == va && w->poll_value == value) {
        const uint16_t *writes = w->lists + u->deps + u->n_reads;
        for (uint32_t i = 0; i < u->n_writes; i++)
            w->ready[writes[i]] += o->m->chip->grid_poll_cycles;
    }
    w->poll_va = va;
    w->poll_value = value;
}

static void set_ready(const struct sim_op *o, uint64_t ready)
{
    const uint16_t *writes = o->w->lists + o->u->deps + o->u->n_reads;
    for (uint32_t i = 0; i < o->u->n_writes; i++) o->w->ready[writes[i]] = ready;
}

/* Pointer chases: a load by one lane, of one register, from device memory. false: not that. */
static bool try_one_lane(struct sim_op *o)
{
    const struct sim_uop *u = o->u;
    const struct sim_mem *mem = &u->mem;
    const uint32_t bytes = mem->elem_bytes;
    if (!o->st->is_simple_load) return false;
    const uint32_t lane = (uint32_t)__builtin_ctz(o->mask);
    const uint64_t va = ((const uint64_t *)(const void *)o->w->rows[u->a])[lane] +
                        (uint64_t)(int64_t)u->offset;
    const struct sim_region *r = sim_region(&o->m->space, va, bytes);
    if (!r || r->kind == SIM_REGION_HOST || (va & (bytes - 1))) return false;
    const uint8_t *p = r->host + (va - r->va);
    if (bytes == 8) memcpy(&((uint64_t *)(void *)o->w->rows[u->d])[lane], p, 8);
    else memcpy(&o->w->rows[u->d][lane], p, 4);
    o->w->ready[u->d] = sim_time_load_one(o, va, r);
    charge_poll(o, va);
    return true;
}

void sim_exec_memory(struct sim_op *o)
{
    uint64_t addr[SIM_LANES];
    const struct sim_mem *mem = &o->u->mem;
    const uint32_t bytes = (uint32_t)mem->elem_bytes * mem->n_elems;
    const bool is_atomic = o->u->kind == SIM_ATOM || o->u->kind == SIM_RED;
    uint64_t ready = o->t;
    if (!o->mask || (!(o->mask & (o->mask - 1)) && try_one_lane(o))) return;
    sim_lane_addresses(o, addr);
    for (uint32_t left = o->mask; left && !o->m->faulty;) {
        uint8_t space = mem->space;
        uint32_t mask = left;
        if (space == SIM_SPACE_GENERIC) mask = sim_generic(o, addr, left, &space);
        left &= ~mask;
        if (is_atomic) {
            sim_exec_atomic(o, space, addr, mask);
            continue;
        }
        move(o, space, addr, mask, bytes);
        if (!o->m->faulty) ready = sim_max(ready, time_of(o, space, addr, mask, bytes));
    }
    if (o->u->kind != SIM_LOAD) return;
    const uint64_t first = addr[__builtin_ctz(o->mask)];
    set_ready(o, ready);
    charge_poll(o, first);
}

void sim_exec_prefetch(struct sim_op *o)
{
    uint64_t addr[SIM_LANES];
    uint32_t mask = 0;
    sim_lane_addresses(o, addr);
    for (uint32_t left = o->mask; left; left &= left - 1) { /* of what is not mapped: nothing */
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        if (sim_region(&o->m->space, addr[i], 1)) mask |= 1u << i;
    }
    const struct sim_access a = { addr, mask, 1 };
    if (mask && o->u->op == SIM_PREFETCH_LINE) sim_time_prefetch(o, &a);
}
