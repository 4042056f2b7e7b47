/* CTAs and their warps: made, given their constants, put away. */
#include <stdlib.h>
#include <string.h>

#include "dev/sim/machine.h"

/* --- memory of warps, used again -------------------------------------------------------------- */

static size_t aligned(size_t bytes) { return (bytes + 255) & ~(size_t)255; }

static struct sim_warp_state *take_warp(struct sim_machine *m, const struct sim_kernel *k)
{
    const size_t rows = aligned((size_t)k->n_rows * SIM_LANES * 4);
    const size_t preds = aligned((size_t)k->n_preds * 4);
    const size_t ready = aligned(((size_t)k->n_rows + k->n_preds) * 8);
    const size_t total = rows + preds + ready + aligned((size_t)k->local_bytes * SIM_LANES);
    struct sim_warp_state *w = m->free_warps;
    uint8_t *block = NULL;
    if (w) {
        m->free_warps = w->next_free;
        if (w->memory_bytes >= total) block = (uint8_t *)w->rows;
        else free(w->rows);
    } else {
        w = malloc(sizeof *w);
        if (!w) return NULL;
    }
    const size_t have = block ? w->memory_bytes : total;
    if (!block) block = aligned_alloc(256, total);
    if (!block) {
        free(w);
        return NULL;
    }
    memset(block, 0, total);
    memset(w, 0, offsetof(struct sim_warp_state, splits));
    w->memory_bytes = have;
    w->rows = (uint32_t (*)[SIM_LANES])(void *)block;
    w->preds = (uint32_t *)(void *)(block + rows);
    w->ready = (uint64_t *)(void *)(block + rows + preds);
    w->local = k->local_bytes ? block + rows + preds + ready : NULL;
    return w;
}

static void give_warp(struct sim_machine *m, struct sim_warp_state *w)
{
    sim_generic_end_warp(m, w);
    w->next_free = m->free_warps;
    m->free_warps = w;
}

/* --- constants of a thread -------------------------------------------------------------------- */

static uint32_t component(const uint32_t v[3], uint64_t which) { return v[which < 3 ? which : 2]; }

static uint32_t tid(const struct sim_warp_state *w, uint32_t lane, uint64_t which)
{
    const uint32_t *block = w->cta->launch->config.block;
    const uint32_t i = w->number * SIM_LANES + lane;
    if (which == 0) return i % block[0];
    return which == 1 ? i / block[0] % block[1] : i / block[0] / block[1];
}

static uint64_t of_cluster(const struct sim_warp_state *w, const struct sim_row_init *r)
{
    const struct sim_cta *cta = w->cta;
    const struct sim_launch *l = cta->launch;
    const uint32_t *size = l->cluster;
    const uint64_t d = r->value < 3 ? r->value : 2;
    switch (r->kind) {
    case SIM_INIT_CLUSTERID: return cta->ctaid[d] / size[d];
    case SIM_INIT_NCLUSTERID: return l->config.grid[d] / size[d];
    case SIM_INIT_CLUSTER_CTAID: return cta->ctaid[d] % size[d];
    case SIM_INIT_CLUSTER_NCTAID: return size[d];
    case SIM_INIT_CLUSTER_CTARANK: return cta->rank;
    case SIM_INIT_CLUSTER_NCTARANK: return l->cluster_ctas;
    default: return l->is_cluster;
    }
}

static uint64_t of_warp(const struct sim_machine *m, const struct sim_warp_state *w,
                        const struct sim_row_init *r)
{
    const struct sim_cta *cta = w->cta;
    const struct sim_launch *l = cta->launch;
    const struct sim_image *image = l->config.image;
    switch (r->kind) {
    case SIM_INIT_GLOBAL: return image->global_va + r->value;
    case SIM_INIT_NTID: return component(l->config.block, r->value);
    case SIM_INIT_CTAID: return component(cta->ctaid, r->value);
    case SIM_INIT_NCTAID: return component(l->config.grid, r->value);
    case SIM_INIT_WARPID: return w->warp_id;
    case SIM_INIT_NWARPID: return m->chip->smsps_per_sm * m->chip->warps_per_smsp;
    case SIM_INIT_SMID: return cta->sm->number;
    case SIM_INIT_NSMID: return m->n_sms;
    case SIM_INIT_GRIDID: return l->id;
    case SIM_INIT_DYNAMIC_SMEM: return l->config.dynamic_shared_bytes;
    case SIM_INIT_TOTAL_SMEM: return cta->shared_bytes;
    case SIM_INIT_AGGR_SMEM: return cta->shared_bytes + m->chip->shared_reserved_per_cta;
    case SIM_INIT_RESERVED_SMEM: return r->value ? m->chip->shared_reserved_per_cta : 0;
    case SIM_INIT_ENVREG:
        return r->value == 1 ? (uint32_t)(l->workspace >> 32)
             : r->value == 2 ? (uint32_t)l->workspace : 0;
    default:
        if (r->kind >= SIM_INIT_CLUSTERID && r->kind <= SIM_INIT_IS_EXPLICIT_CLUSTER)
            return of_cluster(w, r);
        return r->value; /* immediates; addresses that begin at 0 in their space */
    }
}

static uint32_t of_lane(const struct sim_warp_state *w, const struct sim_row_init *r, uint32_t i)
{
    switch (r->kind) {
    case SIM_INIT_TID: return tid(w, i, r->value);
    case SIM_INIT_LANEID: return i;
    case SIM_INIT_LANEMASK_EQ: return 1u << i;
    case SIM_INIT_LANEMASK_LT: return (1u << i) - 1;
    case SIM_INIT_LANEMASK_LE: return (1u << i) | ((1u << i) - 1);
    case SIM_INIT_LANEMASK_GT: return ~((1u << i) | ((1u << i) - 1));
    default: return ~((1u << i) - 1); /* GE */
    }
}

static bool is_by_lane(uint8_t kind)
{
    return kind == SIM_INIT_TID || kind == SIM_INIT_LANEID ||
           (kind >= SIM_INIT_LANEMASK_EQ && kind <= SIM_INIT_LANEMASK_GT);
}

void sim_fill_rows(const struct sim_machine *m, struct sim_warp_state *w)
{
    const struct sim_kernel *k = w->cta->launch->code->kernel;
    w->preds[SIM_PRED_TRUE] = UINT32_MAX;
    for (uint32_t n = 0; n < k->n_inits; n++) {
        const struct sim_row_init *r = &k->inits[n];
        const bool by_lane = is_by_lane(r->kind);
        const uint64_t v = by_lane ? 0 : of_warp(m, w, r);
        uint64_t *pair = (uint64_t *)(void *)w->rows[r->row];
        for (uint32_t i = 0; i < SIM_LANES; i++) {
            const uint64_t x = by_lane ? of_lane(w, r, i) : v;
            if (r->bytes == 8) pair[i] = x;
            else w->rows[r->row][i] = (uint32_t)x;
        }
    }
}

/* --- coming and going ------------------------------------------------------------------------- */

static struct sim_smsp *emptiest(struct sim_machine *m, struct sim_sm *sm)
{
    struct sim_smsp *best = &sm->smsps[0];
    for (uint32_t i = 1; i < m->n_smsps_per_sm; i++)
        if (sm->smsps[i].n < best->n) best = &sm->smsps[i];
    return best;
}

static uint32_t take_warp_id(struct sim_sm *sm)
{
    for (uint32_t i = 0; i < 4; i++) {
        if (sm->warp_ids[i] == UINT64_MAX) continue;
        const uint32_t bit = (uint32_t)__builtin_ctzll(~sm->warp_ids[i]);
        sm->warp_ids[i] |= 1ull << bit;
        return 64 * i + bit;
    }
    return 0;
}

static bool add_warp(struct sim_machine *m, struct sim_cta *cta, uint32_t number,
                     uint32_t n_lanes, uint64_t t)
{
    const struct sim_code *code = cta->launch->code;
    struct sim_warp_state *w = take_warp(m, code->kernel);
    if (!w) return false;
    w->uops = code->kernel->uops;
    w->statics = code->statics;
    w->lists = code->kernel->lists;
    w->code_address = code->address;
    w->fetched = SIM_NEVER;
    w->cta = cta;
    w->number = number;
    w->warp_id = take_warp_id(cta->sm);
    w->local_line = ((uint64_t)cta->sm->number * 256 + w->warp_id) << 24;
    w->next = t;
    w->alive = w->born = n_lanes >= SIM_LANES ? UINT32_MAX : (1u << n_lanes) - 1;
    w->n_splits = 1;
    w->splits[0] = (struct sim_split){ .mask = w->alive };
    for (uint32_t i = 0; i < SIM_LANES; i++) w->cbar_phase[i] = UINT32_MAX;
    cta->warps[number] = w;
    sim_fill_rows(m, w);
    sim_add_warp(m, emptiest(m, cta->sm), w);
    return true;
}

/* Coordinates: clusters in order of the grid, and CTAs in order of their rank in a cluster. */
static void place_in_grid(struct sim_cta *cta, const struct sim_launch *l, uint64_t index)
{
    uint64_t cluster = index / l->cluster_ctas;
    cta->rank = (uint32_t)(index % l->cluster_ctas);
    uint32_t rank = cta->rank;
    for (int d = 0; d < 3; d++) {
        const uint32_t n = l->config.grid[d] / l->cluster[d];
        cta->ctaid[d] = (uint32_t)(cluster % n) * l->cluster[d] + rank % l->cluster[d];
        cluster /= n;
        rank /= l->cluster[d];
    }
}

struct sim_cta *sim_cta_new(struct sim_machine *m, struct sim_launch *l, struct sim_sm *sm,
                            uint64_t index, uint64_t t)
{
    const struct sim_need need = sim_cta_needs(m, &l->config);
    struct sim_cta *cta = calloc(1, sizeof *cta);
    if (!cta) return NULL;
    cta->launch = l;
    cta->sm = sm;
    cta->shared_bytes = need.shared_bytes;
    cta->shared_alloc = need.shared;
    cta->registers = need.registers;
    cta->n_warps = need.warps;
    cta->shared = calloc(1, need.shared_bytes + 16u);
    cta->warps = calloc(need.warps, sizeof *cta->warps);
    place_in_grid(cta, l, index);
    sm->used_warps += need.warps;
    sm->used_registers += need.registers;
    sm->used_shared += need.shared;
    cta->resident_index = sm->n_ctas;
    sm->ctas[sm->n_ctas++] = cta;
    uint32_t threads = l->config.block[0] * l->config.block[1] * l->config.block[2];
    cta->n_live_threads = threads;
    bool ok = cta->shared && cta->warps;
    for (uint32_t i = 0; ok && i < need.warps; i++, threads -= SIM_LANES) {
        ok = add_warp(m, cta, i, threads, t);
        cta->n_live_warps += ok;
    }
    l->result.counters.ctas++;
    l->result.counters.warps += cta->n_live_warps;
    if (ok) return cta;
    sim_cta_free(m, cta);
    return NULL;
}

void sim_warp_free(struct sim_machine *m, struct sim_warp_state *w)
{
    struct sim_cta *cta = w->cta;
    sim_remove_warp(m, w);
    cta->sm->warp_ids[w->warp_id / 64] &= ~(1ull << w->warp_id % 64);
    cta->warps[w->number] = NULL;
    cta->n_live_warps--;
    give_warp(m, w);
}

void sim_cta_free(struct sim_machine *m, struct sim_cta *cta)
{
    struct sim_sm *sm = cta->sm;
    for (uint32_t i = 0; cta->warps && i < cta->n_warps; i++)
        if (cta->warps[i]) sim_warp_free(m, cta->warps[i]);
    sm->used_warps -= cta->n_warps;
    sm->used_registers -= cta->registers;
    sm->used_shared -= cta->shared_alloc;
    sm->ctas[cta->resident_index] = sm->ctas[--sm->n_ctas];
    sm->ctas[cta->resident_index]->resident_index = cta->resident_index;
    if (cta->cluster) {
        cta->cluster->ctas[cta->rank] = NULL;
        if (--cta->cluster->n_live_ctas == 0) free(cta->cluster);
    }
    free(cta->shared);
    free(cta->warps);
    free(cta);
}
