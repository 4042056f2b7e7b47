/* The scheduler: which warp issues next, and when.
 *
 * Each SMSP keeps, for each of its warps, the earliest cycle its next operation could issue; the
 * smallest goes. SMSPs stand in a heap by that cycle. An SMSP runs ahead through operations that
 * touch nothing but itself; one that touches what others share (memory, barriers, a pipe of the
 * whole SM) waits until no other SMSP is earlier, so those happen in order of time. Nothing is
 * reserved ahead at issue: a saturated machine would crawl. */
#include <time.h>

#include "dev/sim/lsu.h"
#include "dev/sim/machine.h"

/* --- the heap of SMSPs ------------------------------------------------------------------------ */

static bool is_before(const struct sim_smsp *a, const struct sim_smsp *b)
{
    return a->heap_key < b->heap_key || (a->heap_key == b->heap_key && a->number < b->number);
}

static void put_at(struct sim_machine *m, uint32_t i, struct sim_smsp *p)
{
    m->heap[i] = p;
    p->heap_at = i + 1;
}

static void sift(struct sim_machine *m, uint32_t i)
{
    struct sim_smsp *p = m->heap[i];
    for (; i > 0 && is_before(p, m->heap[(i - 1) / 2]); i = (i - 1) / 2)
        put_at(m, i, m->heap[(i - 1) / 2]);
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= m->n_heap) break;
        if (child + 1 < m->n_heap && is_before(m->heap[child + 1], m->heap[child])) child++;
        if (!is_before(m->heap[child], p)) break;
        put_at(m, i, m->heap[child]);
        i = child;
    }
    put_at(m, i, p);
}

static void heap_set(struct sim_machine *m, struct sim_smsp *p, uint64_t key)
{
    p->heap_key = key;
    if (!p->heap_at) {
        if (key == SIM_NEVER) return;
        put_at(m, m->n_heap++, p);
    } else if (key == SIM_NEVER) {
        const uint32_t i = p->heap_at - 1;
        p->heap_at = 0;
        if (i == --m->n_heap) return;
        put_at(m, i, m->heap[m->n_heap]);
        sift(m, i);
        return;
    }
    sift(m, p->heap_at - 1);
}

/* --- keys ------------------------------------------------------------------------------------- */

static bool is_in_icache(struct sim_tags *tags, uint64_t line)
{
    const uint32_t set = sim_tags_set(tags, line);
    uint32_t i = sim_tags_find_in(tags, set, line);
    if (i != SIM_NO_LINE) {
        sim_tags_touch(tags, i);
        return true;
    }
    i = sim_tags_victim(tags, set, false);
    sim_tags_put(tags, i, line);
    return false;
}

/* A warp that comes to another line of instructions fetches it. Its first is there at its start. */
static __attribute__((noinline)) void fetch(struct sim_machine *m, struct sim_warp_state *w,
                                            uint64_t line)
{
    const bool is_first = w->fetched == SIM_NEVER;
    struct sim_counters *count = &w->cta->launch->result.counters;
    w->fetched = line;
    if (is_in_icache(&w->smsp->icache, line)) {
        count->icache_hits++;
        return;
    }
    count->icache_misses++;
    uint64_t cost = m->chip->icache1_miss_cycles;
    if (!is_in_icache(&w->smsp->sm->icache2, line)) cost += m->chip->icache2_miss_cycles;
    if (!is_first) w->next += cost;
}

static inline void key_of(struct sim_machine *m, struct sim_warp_state *w, struct sim_smsp *p)
{
    const struct sim_split *s = &w->splits[w->current];
    if (__builtin_expect(s->wait != SIM_RUNS, 0)) {
        p->key[w->slot] = SIM_NEVER;
        p->resource[w->slot] = SIM_RESOURCE_NONE;
        return;
    }
    const uint64_t line = (w->code_address + 16ull * s->pc) >> m->icache_shift;
    if (line != w->fetched) fetch(m, w, line);
    const struct sim_uop *u = &w->uops[s->pc];
    const struct sim_static *st = &w->statics[s->pc];
    uint64_t k = sim_max(w->next, s->ready);
    const uint16_t *deps = w->lists + u->deps;
    const uint32_t n = u->n_reads + (st->waits_for_writes ? u->n_writes : 0u);
    for (uint32_t i = 0; i < n; i++) k = sim_max(k, w->ready[deps[i]]);
    p->key[w->slot] = k;
    p->resource[w->slot] = st->resource;
}

static uint64_t smallest_key(const struct sim_smsp *p)
{
    uint64_t k = SIM_NEVER;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->key[i] < k) k = p->key[i];
    return k;
}

/* After a change that did not come from the warp's own issue. The SMSP that is issuing now looks at
 * its keys anyway; another one may have become the earliest. */
void sim_rekey(struct sim_machine *m, struct sim_warp_state *w)
{
    struct sim_smsp *p = w->smsp;
    key_of(m, w, p);
    if (p == m->issuing) return;
    const uint64_t key = smallest_key(p);
    heap_set(m, p, key);
    if (key < m->limit) m->limit = key;
}

void sim_add_warp(struct sim_machine *m, struct sim_smsp *p, struct sim_warp_state *w)
{
    w->smsp = p;
    w->slot = p->n++;
    p->warp[w->slot] = w;
    sim_rekey(m, w);
}

void sim_remove_warp(struct sim_machine *m, struct sim_warp_state *w)
{
    struct sim_smsp *p = w->smsp;
    const uint32_t last = --p->n;
    p->warp[w->slot] = p->warp[last];
    p->key[w->slot] = p->key[last];
    p->resource[w->slot] = p->resource[last];
    p->warp[w->slot]->slot = w->slot;
    if (p != m->issuing) heap_set(m, p, smallest_key(p));
}

/* --- issue ------------------------------------------------------------------------------------ */

static inline void refresh_lsu(struct sim_smsp *p)
{
    p->free_at[SIM_RESOURCE_LSU] = sim_lsu_queue(p->sm);
}

static void refresh_shared(struct sim_machine *m, struct sim_smsp *p)
{
    struct sim_sm *sm = p->sm;
    refresh_lsu(p);
    for (uint32_t left = m->shared_pipes; left; left &= left - 1) {
        const uint32_t r = SIM_RESOURCE_PIPE + (uint32_t)__builtin_ctz(left);
        p->free_at[r] = sm->free_at[r];
    }
    for (uint32_t k = 0; m->shared_pipes && k < m->n_sets; k++)
        if (m->sets[k] & m->shared_pipes)
            p->free_at[SIM_RESOURCE_SET + k] = sm->free_at[SIM_RESOURCE_SET + k];
}

static void refresh_sets(const struct sim_machine *m, uint64_t *free_at)
{
    for (uint32_t k = 0; k < m->n_sets; k++) {
        uint64_t first = SIM_NEVER;
        for (uint32_t left = m->sets[k]; left; left &= left - 1) {
            const uint64_t f = free_at[SIM_RESOURCE_PIPE + __builtin_ctz(left)];
            if (f < first) first = f;
        }
        free_at[SIM_RESOURCE_SET + k] = first;
    }
}

/* The pipe is taken from now on, never added to: an idle pipe saves no credit. */
static inline void take_resource(struct sim_machine *m, struct sim_smsp *p,
                                 const struct sim_static *st, uint64_t t)
{
    uint32_t r = st->resource;
    if (r < SIM_RESOURCE_PIPE) return;
    if (r >= SIM_RESOURCE_SET) {
        uint32_t left = m->sets[r - SIM_RESOURCE_SET];
        for (r = 0; left; left &= left - 1) {
            const uint32_t k = SIM_RESOURCE_PIPE + (uint32_t)__builtin_ctz(left);
            if (!r || p->free_at[k] < p->free_at[r]) r = k;
        }
    }
    p->free_at[r] = t + st->busy;
    if (st->is_sm_wide) p->sm->free_at[r] = t + st->busy;
    if (m->n_sets == 0) return;
    refresh_sets(m, p->free_at);
    if (st->is_sm_wide) refresh_sets(m, p->sm->free_at);
}

/* A warp operation whose lanes are not all here waits for them, and costs nothing meanwhile. */
static bool must_gather(struct sim_machine *m, struct sim_warp_state *w, struct sim_split *s,
                        const struct sim_uop *u, uint32_t mask)
{
    if (!mask || u->e == SIM_NONE) return false;
    const uint32_t members = w->rows[u->e][__builtin_ctz(mask)];
    if (sim_warp_members_here(w, s, members)) return false;
    s->wait = SIM_AT_WARP;
    sim_resettle(m, w);
    return true;
}

static inline void issue(struct sim_machine *m, struct sim_smsp *p, struct sim_warp_state *w,
                         uint64_t t, uint64_t key)
{
    struct sim_split *s = &w->splits[w->current];
    const struct sim_uop *u = &w->uops[s->pc];
    const struct sim_static *st = &w->statics[s->pc];
    const uint32_t mask = s->mask & (w->preds[u->guard] ^ u->guard_xor);
    if (__builtin_expect(st->is_warp && w->n_splits > 1, 0) && must_gather(m, w, s, u, mask)) {
        key_of(m, w, p);
        return;
    }
    p->issue_free = t + 1;
    w->next = t + m->chip->issue_gap_cycles;
    take_resource(m, p, st, t);
    struct sim_counters *count = &w->cta->launch->result.counters;
    count->warp_instructions++;
    if (u->kind == SIM_ALU) { /* by far the most frequent */
        if (mask) sim_alu(u, w->rows, w->preds, mask);
        count->class_issues[u->cls]++;
        const uint16_t *writes = w->lists + u->deps + u->n_reads;
        for (uint32_t i = 0; i < u->n_writes; i++) w->ready[writes[i]] = t + st->latency;
        s->pc++;
    } else if (st->is_l1_load && mask && !(mask & (mask - 1)) &&
               sim_try_chase(m, w, t, mask)) { /* the next most frequent */
        refresh_lsu(p);
    } else {
        struct sim_op o = { .m = m, .sm = p->sm, .smsp = p, .w = w, .s = s, .u = u, .st = st,
                            .count = count, .t = t, .key = key, .mask = mask };
        if (st->is_simple_load) {
            s->pc++;
            sim_exec_memory(&o);
        } else {
            sim_exec(&o);
        }
        if (st->resource == SIM_RESOURCE_LSU) refresh_lsu(p);
        if (m->faulty || o.is_gone) return;
    }
    if (__builtin_expect(w->n_splits > 1, 0)) sim_resettle(m, w);
    key_of(m, w, p);
}

static double real_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static bool is_overdue(struct sim_machine *m, struct sim_warp_state *w, uint64_t t)
{
    struct sim_launch *l = w->cta->launch;
    const bool cycles = m->watchdog_cycles && t > l->start_cycle + m->watchdog_cycles;
    if (!cycles && (m->deadline == 0 || real_seconds() < m->deadline)) return false;
    struct sim_op o = { .m = m, .w = w, .u = &w->uops[w->splits[w->current].pc], .t = t };
    sim_fault_at(&o, SIM_TIMEOUT, cycles ? "watchdog: too many simulated cycles"
                                         : "watchdog: too much real time");
    return true;
}

/* Issues on one SMSP; returns its next key. */
static uint64_t run_smsp(struct sim_machine *m, struct sim_smsp *p)
{
    refresh_shared(m, p);
    for (;;) {
        uint64_t t = SIM_NEVER, k = SIM_NEVER;
        uint32_t best = 0;
        for (uint32_t i = 0; i < p->n; i++) {
            const uint64_t key = p->key[i];
            uint64_t at = sim_max(key, p->free_at[p->resource[i]]);
            at = sim_max(at, p->issue_free);
            if (at < t || (at == t && key < k)) {
                t = at;
                k = key;
                best = i;
            }
        }
        if (k == SIM_NEVER) return SIM_NEVER;
        if (t > m->until) return t;
        struct sim_warp_state *w = p->warp[best];
        if (t > m->limit && w->statics[w->splits[w->current].pc].is_ordered) return t;
        if (++m->n_issued % SIM_INSTRUCTIONS_BETWEEN_LOOKS == 0 && is_overdue(m, w, t)) return t;
        issue(m, p, w, t, k);
        if (__builtin_expect(m->faulty != NULL, 0)) return smallest_key(p);
    }
}

bool sim_is_enough(const struct sim_machine *m, const struct sim_launch *only, uint64_t n_before)
{
    if (only == SIM_ANY) return m->n_ended != n_before;
    return only && only->is_done;
}

void sim_schedule(struct sim_machine *m, const struct sim_launch *only)
{
    const uint64_t n_before = m->n_ended;
    m->deadline = m->watchdog_seconds > 0 ? real_seconds() + m->watchdog_seconds : 0;
    for (;;) {
        const uint64_t due = sim_next_start(m);
        const uint64_t first = m->n_heap ? m->heap[0]->heap_key : SIM_NEVER;
        if (due != SIM_NEVER && due <= first && due <= m->until) {
            sim_start_due(m, due);
            if (sim_is_enough(m, only, n_before)) return;
            continue;
        }
        if (first == SIM_NEVER || first > m->until) return;
        struct sim_smsp *p = m->heap[0];
        m->limit = due;
        for (uint32_t i = 1; i < 3 && i < m->n_heap; i++)
            if (m->heap[i]->heap_key < m->limit) m->limit = m->heap[i]->heap_key;
        m->issuing = p;
        const uint64_t key = run_smsp(m, p);
        m->issuing = NULL;
        heap_set(m, p, m->faulty ? smallest_key(p) : key);
        if (m->faulty) {
            struct sim_launch *l = m->faulty;
            m->faulty = NULL;
            sim_launch_end(m, l, sim_max(m->fault_cycle, l->start_cycle));
        }
        if (sim_is_enough(m, only, n_before)) return;
    }
}
