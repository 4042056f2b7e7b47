/* Pointer chases, the most frequent load of all, in one piece: by one lane, hitting in L1.
 *
 * The same effects as sched.c, ldst.c and lsu.c have together; whatever is not plain is left to
 * them, untouched. A chase by a lone warp goes on here without a return to the scheduler. */
#include <string.h>

#include "dev/sim/lsu.h"
#include "dev/sim/machine.h"

/* Where L1 holds the sector, or SIM_NO_LINE. A tag is in one place at most, so a hint that names it
 * needs no look at the set. */
static inline uint32_t find_sector(const struct sim_machine *m, struct sim_sm *sm, uint64_t va)
{
    const struct sim_tags *l1 = &sm->l1;
    const uint64_t line = va >> m->l1_shift;
    const uint32_t sector = (uint32_t)(va >> m->l1_sector_shift) & (m->l1_line_sectors - 1);
    uint32_t *hint = &sm->l1_hints[line & (SIM_L1_HINTS - 1)], i = *hint;
    if (__builtin_expect(l1->tags[i] != (l1->generation << SIM_TAG_BITS | line), 0)) {
        i = sim_tags_find_in(l1, sim_tags_set(l1, line), line);
        if (i == SIM_NO_LINE) return i;
        *hint = i;
    }
    return l1->lines[i].valid >> sector & 1 ? i : SIM_NO_LINE;
}

/* One load at cycle t. false: nothing is done. */
static inline bool load(struct sim_machine *m, struct sim_warp_state *w, const struct sim_uop *u,
                        uint32_t latency, uint64_t t, uint32_t lane)
{
    struct sim_sm *sm = w->smsp->sm;
    const uint32_t bytes = u->mem.elem_bytes;
    const uint64_t va = ((const uint64_t *)(const void *)w->rows[u->a])[lane] +
                        (uint64_t)(int64_t)u->offset;
    const struct sim_region *r = sim_region(&m->space, va, bytes);
    if (__builtin_expect(!r || r->kind == SIM_REGION_HOST || (va & (bytes - 1)), 0)) return false;
    const uint32_t i = find_sector(m, sm, va);
    if (i == SIM_NO_LINE) return false;
    const uint8_t *p = r->host + (va - r->va);
    if (bytes == 8) memcpy(&((uint64_t *)(void *)w->rows[u->d])[lane], p, 8);
    else memcpy(&w->rows[u->d][lane], p, 4);
    sim_tags_touch(&sm->l1, i);
    const uint64_t start = sim_lsu_start(sm, t, m->lsu_tag_cost);
    w->ready[u->d] = sim_max(start + latency, sm->l1.lines[i].filled);
    return true;
}

/* Whether the operation at s->pc is such a load too and may issue before anything else; its t. */
static inline bool may_follow(const struct sim_machine *m, const struct sim_warp_state *w,
                              const struct sim_split *s, uint32_t mask, uint64_t *t)
{
    const struct sim_uop *u = &w->uops[s->pc];
    if (!w->statics[s->pc].is_l1_load ||
        (w->code_address + 16ull * s->pc) >> m->icache_shift != w->fetched ||
        (s->mask & (w->preds[u->guard] ^ u->guard_xor)) != mask)
        return false;
    uint64_t k = sim_max(sim_max(w->next, s->ready), w->smsp->issue_free);
    const uint16_t *deps = w->lists + u->deps;
    const uint32_t n = (uint32_t)u->n_reads + u->n_writes;
    for (uint32_t i = 0; i < n; i++) k = sim_max(k, w->ready[deps[i]]);
    *t = sim_max(k, sim_lsu_queue(w->smsp->sm));
    return *t <= m->until && *t <= m->limit;
}

bool sim_try_chase(struct sim_machine *m, struct sim_warp_state *w, uint64_t t, uint32_t mask)
{
    struct sim_split *s = &w->splits[w->current];
    struct sim_launch *l = w->cta->launch;
    const bool is_lone = w->smsp->n == 1 && w->n_splits == 1;
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint64_t n = 0;
    if (l->noise != 1) return false;
    while (load(m, w, &w->uops[s->pc], w->statics[s->pc].latency, t, lane)) {
        s->pc++;
        w->smsp->issue_free = t + 1;
        w->next = t + m->chip->issue_gap_cycles;
        n++;
        if (!is_lone || (m->n_issued + n) % SIM_INSTRUCTIONS_BETWEEN_LOOKS == 0 ||
            !may_follow(m, w, s, mask, &t))
            break;
    }
    if (n == 0) return false;
    m->n_issued += n - 1; /* the scheduler has counted the first */
    l->result.counters.warp_instructions += n - 1;
    l->result.counters.global_requests += n;
    l->result.counters.l1_sectors += n;
    l->result.counters.l1_hits += n;
    return true;
}
