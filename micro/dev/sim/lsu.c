/* Timing of a warp's loads, stores and atomics: LSU port, L1, translation, L2 and beyond. */
#include "dev/sim/coalesce.h"
#include "dev/sim/lsu.h"
#include "dev/sim/machine.h"

/* Cycles that a request of n lines and that many bytes holds the port. */
static uint64_t port_cost(const struct sim_machine *m, uint64_t n_lines, uint64_t bytes)
{
    return sim_max(n_lines * m->lsu_tag_cost, bytes * m->lsu_byte_cost);
}

/* The i-th line's tag is looked up that much after the first. */
static uint64_t tag_delay(const struct sim_machine *m, uint32_t i)
{
    return (uint64_t)i * m->lsu_tag_cost >> SIM_LSU_SHIFT;
}

uint64_t sim_noisy(const struct sim_op *o, uint64_t ready)
{
    const double noise = o->w->cta->launch->noise;
    if (__builtin_expect(noise == 1, 1) || ready <= o->t) return ready;
    return o->t + (uint64_t)((double)(ready - o->t) * noise + 0.5);
}

uint64_t sim_translate(const struct sim_op *o, uint64_t va)
{
    uint64_t extra = 0;
    const struct ay_chip *c = o->m->chip;
    for (uint32_t level = 0; level < 2; level++) {
        struct sim_tlb *tlb = o->sm->tlbs[level];
        if (!tlb) break;
        if (sim_tlb_access(tlb, sim_tlb_page(tlb, va))) {
            o->count->tlb_hits[level]++;
            break;
        }
        o->count->tlb_misses[level]++;
        extra += level == 0 ? c->tlb1_miss_cycles : c->tlb2_miss_cycles;
    }
    return extra;
}

static uint32_t fill_sectors(const struct sim_op *o)
{
    if (o->u->kind == SIM_PREFETCH) return o->m->l2_fill_sectors; /* its hint is a level */
    const uint32_t hint = o->u->mem.hint;
    uint64_t bytes = hint & SIM_HINT_L2_256B ? 256 : hint & SIM_HINT_L2_128B ? 128
                   : hint & SIM_HINT_L2_64B ? 64 : 0;
    const uint32_t asked = (uint32_t)(bytes >> o->m->l2_sector_shift);
    return asked > o->m->l2_fill_sectors ? asked : o->m->l2_fill_sectors;
}

static uint64_t foreign_read(const struct sim_op *o, uint64_t t, const struct sim_region *r,
                             uint32_t bytes)
{
    struct sim_machine *m = o->m;
    const uint32_t units = bytes * SIM_UNITS_PER_BYTE;
    if (r->kind == SIM_REGION_HOST) {
        o->count->host_requests++;
        return sim_port_reserve(&m->host_port, t, units, units) + m->host_cycles;
    }
    o->count->peer_requests++;
    return sim_port_reserve(&m->peer_port, t, units, units) + m->peer_cycles;
}

/* A physical run of L1 sectors as L2 lines and sectors: read or written. */
static uint64_t l2_run(const struct sim_op *o, uint64_t t, uint64_t physical, uint64_t bytes,
                       uint32_t fill, bool is_store)
{
    const struct sim_machine *m = o->m;
    const uint64_t first = physical >> m->l2_sector_shift;
    const uint64_t last = (physical + bytes - 1) >> m->l2_sector_shift;
    const uint32_t per_line = m->l2_shift - m->l2_sector_shift;
    uint64_t ready = 0;
    for (uint64_t s = first; s <= last;) {
        const uint64_t line = s >> per_line;
        uint32_t sectors = 0;
        for (; s <= last && s >> per_line == line; s++)
            sectors |= 1u << (s & ((1u << per_line) - 1));
        ready = sim_max(ready, is_store ? sim_l2_write(o, t, line, sectors)
                                        : sim_l2_read(o, t, line, sectors, fill));
    }
    return ready;
}

/* Sectors of one line, of L1's or L2's shape, in L2 or beyond. r: where it lies; NULL: local. */
static uint64_t beyond_l1(const struct sim_op *o, uint64_t t, uint64_t line_number,
                          uint64_t lane_va, const struct sim_region *r, uint32_t sectors,
                          bool is_l1_shape, bool is_store)
{
    struct sim_machine *m = o->m;
    const uint32_t line_shift = is_l1_shape ? m->l1_shift : m->l2_shift;
    const uint32_t sector_shift = is_l1_shape ? m->l1_sector_shift : m->l2_sector_shift;
    const uint64_t line_va = line_number << line_shift;
    uint64_t physical = line_va - SIM_LOCAL_WINDOW + SIM_LOCAL_PHYSICAL;
    if (r) {
        t += sim_translate(o, lane_va);
        if (r->kind != SIM_REGION_DEVICE) {
            const uint32_t bytes = sim_count(sectors) << sector_shift;
            if (!is_store) return foreign_read(o, t, r, bytes);
            return sim_port_reserve(r->kind == SIM_REGION_HOST ? &m->host_port : &m->peer_port, t,
                                    bytes * SIM_UNITS_PER_BYTE, bytes * SIM_UNITS_PER_BYTE);
        }
        physical = line_va - r->va + r->physical;
    }
    const uint32_t fill = is_store ? 1 : fill_sectors(o);
    if (line_shift == m->l2_shift && sector_shift == m->l2_sector_shift) {
        const uint64_t line = physical >> m->l2_shift;
        return is_store ? sim_l2_write(o, t, line, sectors)
                        : sim_l2_read(o, t, line, sectors, fill);
    }
    uint64_t ready = 0;
    for (uint32_t left = sectors; left;) { /* runs of neighbouring sectors */
        const uint32_t from = (uint32_t)__builtin_ctz(left);
        const uint32_t n = (uint32_t)__builtin_ctzll(~((uint64_t)left >> from));
        ready = sim_max(ready, l2_run(o, t, physical + ((uint64_t)from << sector_shift),
                                      (uint64_t)n << sector_shift, fill, is_store));
        left &= ~(uint32_t)(((1ull << n) - 1) << from);
    }
    return ready;
}

/* One line through L1. */
static inline uint64_t line_through_l1(const struct sim_op *o, uint64_t t, uint64_t line,
                                       uint64_t lane_va, const struct sim_region *r,
                                       uint32_t sectors, uint64_t latency)
{
    struct sim_tags *l1 = &o->sm->l1;
    const uint32_t set = sim_tags_set(l1, line);
    uint32_t i = sim_tags_find_in(l1, set, line);
    uint32_t hits = 0;
    uint64_t ready = 0;
    if (i != SIM_NO_LINE) {
        sim_tags_touch(l1, i);
        hits = sectors & l1->lines[i].valid;
        if (hits) ready = sim_max(t + latency, l1->lines[i].filled);
    }
    const uint32_t n_hits = sim_count(hits);
    o->count->l1_hits += n_hits;
    if (hits == sectors) return ready;
    o->count->l1_misses += sim_count(sectors) - n_hits;
    const uint64_t came = beyond_l1(o, t, line, lane_va, r, sectors & ~hits, true, false);
    if (!(o->u->mem.hint & SIM_HINT_L1_NO_ALLOCATE)) {
        if (i == SIM_NO_LINE) {
            i = sim_tags_victim(l1, set, false);
            sim_tags_put(l1, i, line);
        }
        l1->lines[i].valid |= sectors;
        l1->lines[i].filled = sim_max(l1->lines[i].filled, came);
    }
    return sim_max(ready, came);
}

/* In machine code .cg is relaxed at gpu scope, .cv and volatile are relaxed at sys scope; all of
 * them are served by L2 [binary-utilities]. */
bool sim_bypasses_l1(const struct sim_mem *mem)
{
    if (mem->cache == SIM_CACHE_CG || mem->cache == SIM_CACHE_CV) return true;
    if (mem->sem == SIM_SEM_VOLATILE || mem->sem == SIM_SEM_MMIO) return true;
    return mem->sem != SIM_SEM_WEAK && mem->scope >= SIM_SCOPE_CLUSTER;
}

/* The most frequent access of all: one lane, one sector. */
static inline uint64_t load_one_lane(const struct sim_op *o, uint64_t va,
                                     const struct sim_region *r)
{
    struct sim_machine *m = o->m;
    const uint64_t t = sim_lsu_start(o->sm, o->t, m->lsu_tag_cost);
    if (!o->st->is_l1_load) {
        o->count->l1_bypasses++;
        const uint64_t line = va >> m->l2_shift;
        const uint32_t bit = (uint32_t)(va >> m->l2_sector_shift) & (m->l2_line_sectors - 1);
        return beyond_l1(o, t, line, va, r, 1u << bit, false, false);
    }
    o->count->l1_sectors++;
    const uint32_t bit = (uint32_t)(va >> m->l1_sector_shift) & (m->l1_line_sectors - 1);
    return line_through_l1(o, t, va >> m->l1_shift, va, r, 1u << bit, o->st->latency);
}

static uint64_t load_lines(const struct sim_op *o, const struct sim_access *a, bool is_bypass,
                           uint64_t latency)
{
    struct sim_machine *m = o->m;
    struct sim_request r;
    const uint32_t line_shift = is_bypass ? m->l2_shift : m->l1_shift;
    const uint32_t sector_shift = is_bypass ? m->l2_sector_shift : m->l1_sector_shift;
    sim_coalesce(a->addr, a->mask, a->bytes, line_shift, sector_shift, &r);
    /* what goes past L1 takes its tags' turn, not its bytes': those are the NoC's */
    const uint64_t bytes = is_bypass ? 0 : (uint64_t)r.n_sectors << sector_shift;
    const uint64_t t = sim_lsu_start(o->sm, o->t, port_cost(m, r.n, bytes));
    if (is_bypass) o->count->l1_bypasses += r.n_sectors;
    else o->count->l1_sectors += r.n_sectors;
    uint64_t ready = 0;
    for (uint32_t i = 0; i < r.n; i++) {
        const uint64_t at = t + tag_delay(m, i);
        const struct sim_region *g = sim_region(&m->space, r.address[i], 1);
        const uint64_t came = is_bypass
            ? beyond_l1(o, at, r.line[i], r.address[i], g, r.sectors[i], false, false)
            : line_through_l1(o, at, r.line[i], r.address[i], g, r.sectors[i], latency);
        ready = sim_max(ready, came);
    }
    return ready;
}

uint64_t sim_l1_latency(const struct ay_chip *c, const struct sim_mem *mem)
{
    const bool is_nc = mem->cache == SIM_CACHE_NC || mem->hint & SIM_HINT_NC;
    return is_nc && c->nc_latency_cycles ? c->nc_latency_cycles : c->l1_latency_cycles;
}

static inline uint64_t after_load(const struct sim_op *o, uint64_t ready)
{
    const struct sim_mem *mem = &o->u->mem;
    if (mem->sem == SIM_SEM_ACQUIRE && mem->scope >= SIM_SCOPE_GPU) sim_tags_clear(&o->sm->l1);
    return sim_noisy(o, ready);
}

uint64_t sim_time_load(const struct sim_op *o, const struct sim_access *a)
{
    o->count->global_requests++;
    const struct sim_mem *mem = &o->u->mem;
    return after_load(o, load_lines(o, a, sim_bypasses_l1(mem), sim_l1_latency(o->m->chip, mem)));
}

uint64_t sim_time_load_one(const struct sim_op *o, uint64_t va, const struct sim_region *r)
{
    o->count->global_requests++;
    return after_load(o, load_one_lane(o, va, r));
}

uint64_t sim_time_local(const struct sim_op *o, const struct sim_access *a, bool is_store)
{
    const struct ay_chip *c = o->m->chip;
    o->count->local_requests++;
    if (is_store) {
        sim_time_store(o, a);
        return o->t;
    }
    const uint64_t latency = c->local_latency_cycles ? c->local_latency_cycles
                                                     : c->l1_latency_cycles;
    return sim_noisy(o, load_lines(o, a, false, latency));
}

/* An SM may have so many sectors on their way: the port waits for the oldest. */
static uint64_t wait_for_store_queue(struct sim_sm *sm, uint64_t t, uint32_t n_sectors)
{
    const uint32_t oldest = (sm->store_at + n_sectors) & (SIM_STORE_QUEUE - 1);
    return sim_max(t, sm->stores[oldest]);
}

void sim_time_store(const struct sim_op *o, const struct sim_access *a)
{
    struct sim_machine *m = o->m;
    struct sim_sm *sm = o->sm;
    struct sim_request r;
    sim_coalesce(a->addr, a->mask, a->bytes, m->l2_shift, m->l2_sector_shift, &r);
    o->count->global_requests++;
    const uint64_t ready = wait_for_store_queue(sm, o->t, r.n_sectors);
    const uint64_t t = sim_lsu_start(sm, ready, port_cost(m, r.n, 0));
    uint64_t done = 0;
    for (uint32_t i = 0; i < r.n; i++) {
        const struct sim_region *g = sim_region(&m->space, r.address[i], 1);
        const uint64_t accepted = beyond_l1(o, t + tag_delay(m, i), r.line[i], r.address[i], g,
                                            r.sectors[i], false, true);
        for (uint32_t n = sim_count(r.sectors[i]); n > 0; n--)
            sm->stores[sm->store_at++ & (SIM_STORE_QUEUE - 1)] = accepted;
        done = sim_max(done, accepted);
    }
    sm->store_at &= SIM_STORE_QUEUE - 1;
    done += m->chip->l2_near_latency_cycles;
    struct sim_warp_state *w = o->w;
    w->n_stores = w->store_until > o->t ? w->n_stores + 1 : 1;
    w->store_until = sim_max(w->store_until, done);
    struct sim_launch *l = w->cta->launch;
    l->stop_cycle = sim_max(l->stop_cycle, done);
}

/* The most lanes of a line that share one address. */
static uint32_t count_same(const struct sim_access *a, uint64_t line, uint32_t shift,
                           uint32_t *n_ops)
{
    uint32_t most = 1, lanes = 0;
    for (uint32_t left = a->mask; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        if (a->addr[i] >> shift == line) lanes |= 1u << i;
    }
    *n_ops = sim_count(lanes);
    while (lanes) {
        const uint64_t va = a->addr[__builtin_ctz(lanes)];
        uint32_t n = 0;
        for (uint32_t left = lanes; left; left &= left - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(left);
            if (a->addr[i] != va) continue;
            lanes &= ~(1u << i);
            n++;
        }
        if (n > most) most = n;
    }
    return most;
}

uint64_t sim_time_atomic(const struct sim_op *o, const struct sim_access *a)
{
    struct sim_machine *m = o->m;
    struct sim_request r;
    sim_coalesce(a->addr, a->mask, a->bytes, m->l2_shift, m->l2_sector_shift, &r);
    o->count->global_requests++;
    const uint64_t queued = wait_for_store_queue(o->sm, o->t, r.n);
    const uint64_t t = sim_lsu_start(o->sm, queued, port_cost(m, r.n, 0));
    uint64_t done = 0;
    for (uint32_t i = 0; i < r.n; i++) {
        uint64_t at = t + tag_delay(m, i);
        const struct sim_region *g = sim_region(&m->space, r.address[i], 1);
        if (!g) continue;
        at += sim_translate(o, r.address[i]);
        uint64_t came;
        if (g->kind != SIM_REGION_DEVICE) {
            came = foreign_read(o, at, g, (uint32_t)m->chip->l2_sector_bytes);
        } else {
            uint32_t n_ops;
            const uint32_t n_same = count_same(a, r.line[i], m->l2_shift, &n_ops);
            const uint64_t line = (r.address[i] - g->va + g->physical) >> m->l2_shift;
            came = sim_l2_atomic(o, at, line, r.sectors[i], n_ops, n_same);
        }
        o->sm->stores[o->sm->store_at++ & (SIM_STORE_QUEUE - 1)] = came;
        done = sim_max(done, came);
    }
    o->sm->store_at &= SIM_STORE_QUEUE - 1;
    struct sim_launch *l = o->w->cta->launch;
    l->stop_cycle = sim_max(l->stop_cycle, done);
    if (o->u->kind == SIM_RED) {
        o->w->n_stores = o->w->store_until > o->t ? o->w->n_stores + 1 : 1;
        o->w->store_until = sim_max(o->w->store_until, done);
    }
    return sim_noisy(o, done);
}

void sim_time_prefetch(const struct sim_op *o, const struct sim_access *a)
{
    (void)load_lines(o, a, o->u->mem.hint != 1, o->m->chip->l1_latency_cycles);
}
