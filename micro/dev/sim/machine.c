/* The machine as a whole: built from a chip, its clock. */
#include "dev/sim/machine.h"

#include <math.h>
#include <stdlib.h>

enum { NOC_BUCKETS = 256, LINK_BUCKETS = 1024, WORKSPACE_BYTES = 4096 };

/* --- time ------------------------------------------------------------------------------------- */

uint64_t sim_cycle(const struct sim_machine *m) { return m->cycle; }

double sim_ns_of(const struct sim_machine *m, uint64_t cycle)
{
    return m->clock_ns + ((double)cycle - (double)m->clock_cycle) * m->ns_per_cycle;
}

/* The tolerance keeps a whole number of cycles whole. */
static uint64_t ceil_cycles(double cycles)
{
    return cycles <= 0 ? 0 : (uint64_t)ceil(cycles - 1e-6);
}

uint64_t sim_cycle_of(const struct sim_machine *m, double ns)
{
    return m->clock_cycle + ceil_cycles((ns - m->clock_ns) / m->ns_per_cycle);
}

uint64_t sim_cycles(const struct sim_machine *m, double ns)
{
    return ceil_cycles(ns / m->ns_per_cycle);
}

double sim_clock_mhz(const struct sim_machine *m) { return m->mhz; }

static void set_clock_at(struct sim_machine *m, uint64_t cycle, double mhz)
{
    m->clock_ns = m->ns_per_cycle > 0 ? sim_ns_of(m, cycle) : 0;
    m->clock_cycle = cycle;
    m->mhz = mhz;
    m->ns_per_cycle = 1000 / mhz;
    m->host_cycles = sim_cycles(m, (double)m->chip->link_host_load_ns);
    m->peer_cycles = sim_cycles(m, (double)m->chip->peer_latency_ns);
    sim_dram_rates(m);
    if (!m->host_port.ring) return;
    sim_port_rate(&m->host_port, m->chip->copy_h2d_bytes_per_s * 1e-9 * m->ns_per_cycle);
    sim_port_rate(&m->peer_port, m->chip->peer_bytes_per_s * 1e-9 * m->ns_per_cycle);
}

void sim_set_clock(struct sim_machine *m, double mhz)
{
    m->is_warm = true;
    set_clock_at(m, m->cycle, mhz);
}

/* A cold machine runs at warmup_ratio of its clock for the first warmup_ms. */
void sim_warm_up(struct sim_machine *m, uint64_t now)
{
    if (m->is_warm || sim_ns_of(m, now) < m->chip->warmup_ms * 1e6) return;
    m->is_warm = true;
    set_clock_at(m, now, m->chip->sm_clock_mhz);
}

uint64_t sim_draw(struct sim_machine *m)
{
    m->random += 0x9e3779b97f4a7c15ull;
    return sim_mix(sim_mix(m->random));
}

/* --- built ------------------------------------------------------------------------------------ */

static bool is_pow2(uint64_t x) { return x && (x & (x - 1)) == 0; }

static enum ay_status check_shape(const struct ay_chip *c, struct ay_error *err)
{
    const bool lines = is_pow2(c->l1_line_bytes) && is_pow2(c->l1_sector_bytes) &&
                       is_pow2(c->l2_line_bytes) && is_pow2(c->l2_sector_bytes) &&
                       is_pow2(c->icache_line_bytes);
    if (!lines || c->l1_sector_bytes > c->l1_line_bytes || c->l2_sector_bytes > c->l2_line_bytes ||
        c->l1_line_bytes / c->l1_sector_bytes > 32 || c->l2_line_bytes / c->l2_sector_bytes > 32)
        return AY_FAIL(err, AY_USAGE, "chip %s: lines and sectors must be powers of two, at most "
                       "32 sectors a line", c->name);
    if (c->warps_per_smsp > SIM_MAX_SLOTS || c->smsps_per_sm * c->warps_per_smsp > 256)
        return AY_FAIL(err, AY_USAGE, "chip %s: more warps than the simulator has room for",
                       c->name);
    return AY_OK;
}

static bool open_code_cache(struct sim_tags *t, const struct ay_chip *c, uint64_t bytes)
{
    const uint64_t lines = bytes / c->icache_line_bytes;
    const uint32_t ways = lines % 4 == 0 ? 4 : 1;
    return sim_tags_open(t, lines >= ways ? lines / ways : 1, ways, AY_POLICY_lru, AY_HASH_none, 0);
}

static bool open_const_cache(struct sim_tags *t, const struct ay_chip *c, uint64_t bytes,
                             uint64_t ways)
{
    const uint64_t sets = bytes / (c->const_line_bytes * ways);
    return sim_tags_open(t, sets ? sets : 1, (uint32_t)ways, AY_POLICY_lru, AY_HASH_none, 0);
}

static bool open_sm(struct sim_machine *m, uint32_t i)
{
    const struct ay_chip *c = m->chip;
    struct sim_sm *sm = &m->sms[i];
    sm->number = i;
    sm->partition = c->sm_partition.of[i];
    sm->skew = i * c->clock_skew_cycles;
    sm->smsps = m->smsps + (size_t)i * m->n_smsps_per_sm;
    uint64_t most = c->l1_bytes;
    for (int percent = 0; percent <= 100; percent += 100)
        most = sim_max(most, ay_chip_l1_bytes_at(c, percent));
    sm->stores = calloc(SIM_STORE_QUEUE, sizeof *sm->stores);
    sm->ctas = calloc(c->ctas_per_sm, sizeof *sm->ctas);
    bool ok = sm->stores && sm->ctas &&
        sim_tags_open(&sm->l1, most / (c->l1_line_bytes * c->l1_ways) + 1, (uint32_t)c->l1_ways,
                      c->l1_policy, c->l1_hash, c->seed + i) &&
        open_const_cache(&sm->const1, c, c->const1_bytes, c->const1_ways) &&
        open_const_cache(&sm->const2, c, c->const2_bytes, c->const2_ways) &&
        open_code_cache(&sm->icache2, c, c->icache2_bytes) &&
        sim_port_open(&sm->noc, (double)c->noc_bytes_per_clk_per_sm, NOC_BUCKETS) &&
        sim_port_open(&sm->dsmem, (double)c->dsmem_bytes_per_clk, NOC_BUCKETS);
    if (ok) sim_tags_resize(&sm->l1, ay_chip_l1_sets(c));
    for (uint32_t k = 0; ok && k < m->n_smsps_per_sm; k++) {
        sm->smsps[k].sm = sm;
        sm->smsps[k].number = i * m->n_smsps_per_sm + k;
        ok = open_code_cache(&sm->smsps[k].icache, c, c->icache1_bytes);
    }
    return ok;
}

static bool open_tlb(struct sim_machine *m, uint32_t level, uint64_t entries, uint64_t ways,
                     uint64_t page, enum ay_tlb_scope scope)
{
    if (entries == 0) return true;
    const struct ay_chip *c = m->chip;
    const uint32_t n = scope == AY_TLB_SCOPE_sm ? m->n_sms
        : scope == AY_TLB_SCOPE_tpc ? ay_chip_n_tpcs(c)
        : scope == AY_TLB_SCOPE_gpc ? ay_chip_n_gpcs(c) : 1;
    m->tlbs[level] = calloc(n, sizeof *m->tlbs[level]);
    if (!m->tlbs[level]) return false;
    m->n_tlbs[level] = n;
    for (uint32_t i = 0; i < n; i++)
        if (!sim_tlb_open(&m->tlbs[level][i], entries, ways, page)) return false;
    for (uint32_t i = 0; i < m->n_sms; i++) {
        const uint32_t k = scope == AY_TLB_SCOPE_sm ? i
            : scope == AY_TLB_SCOPE_tpc ? c->sm_tpc.of[i]
            : scope == AY_TLB_SCOPE_gpc ? c->sm_gpc.of[i] : 0;
        m->sms[i].tlbs[level] = &m->tlbs[level][k];
    }
    return true;
}

static void derive(struct sim_machine *m)
{
    const struct ay_chip *c = m->chip;
    m->n_sms = (uint32_t)c->sms;
    m->n_smsps_per_sm = (uint32_t)c->smsps_per_sm;
    m->l1_shift = (uint32_t)__builtin_ctzll(c->l1_line_bytes);
    m->l1_sector_shift = (uint32_t)__builtin_ctzll(c->l1_sector_bytes);
    m->l2_shift = (uint32_t)__builtin_ctzll(c->l2_line_bytes);
    m->l2_sector_shift = (uint32_t)__builtin_ctzll(c->l2_sector_bytes);
    m->icache_shift = (uint32_t)__builtin_ctzll(c->icache_line_bytes);
    m->l1_line_sectors = 1u << (m->l1_shift - m->l1_sector_shift);
    m->l2_line_sectors = 1u << (m->l2_shift - m->l2_sector_shift);
    m->l2_fill_sectors = (uint32_t)(c->l2_fill_bytes >> m->l2_sector_shift);
    if (m->l2_fill_sectors < 1) m->l2_fill_sectors = 1;
    m->lsu_tag_cost = (uint32_t)((1u << SIM_LSU_SHIFT) / c->l1_tags_per_clk);
    m->lsu_byte_cost = (uint32_t)((1u << SIM_LSU_SHIFT) / c->l1_bytes_per_clk);
    m->random = c->seed;
    m->space.total_bytes = c->dram_bytes;
    sim_find_sets(m);
}

static bool open_parts(struct sim_machine *m)
{
    const struct ay_chip *c = m->chip;
    const size_t n_smsps = (size_t)m->n_sms * m->n_smsps_per_sm;
    m->sms = calloc(m->n_sms, sizeof *m->sms);
    m->smsps = calloc(n_smsps, sizeof *m->smsps);
    m->heap = calloc(n_smsps, sizeof *m->heap);
    if (!m->sms || !m->smsps || !m->heap) return false;
    for (uint32_t i = 0; i < m->n_sms; i++)
        if (!open_sm(m, i)) return false;
    return open_tlb(m, 0, c->tlb1_entries, c->tlb1_ways, c->tlb1_page_bytes, c->tlb1_scope) &&
           open_tlb(m, 1, c->tlb2_entries, c->tlb2_ways, c->tlb2_page_bytes, c->tlb2_scope) &&
           sim_port_open(&m->host_port, 1, LINK_BUCKETS) &&
           sim_port_open(&m->peer_port, 1, LINK_BUCKETS) && sim_l2_open(m) && sim_dram_open(m);
}

enum ay_status sim_open(const struct ay_chip *chip, struct sim_machine **out, struct ay_error *err)
{
    AY_TRY(check_shape(chip, err));
    struct sim_machine *m = calloc(1, sizeof *m);
    if (!m) return AY_FAIL(err, AY_NOMEM, "simulated machine: out of memory");
    m->chip = chip;
    derive(m);
    m->is_warm = chip->warmup_ms == 0;
    set_clock_at(m, 0, chip->sm_clock_mhz * (m->is_warm ? 1 : chip->warmup_ratio));
    enum ay_status status = open_parts(m) ? AY_OK
        : AY_FAIL(err, AY_NOMEM, "simulated machine %s: out of memory", chip->name);
    if (status == AY_OK) {
        set_clock_at(m, 0, m->mhz); /* the rates of the ports that are there now */
        status = sim_allocate(m, WORKSPACE_BYTES, &m->workspace, err);
    }
    if (status != AY_OK) sim_close(m);
    else *out = m;
    return status;
}

static void close_sm(struct sim_machine *m, struct sim_sm *sm)
{
    sim_tags_close(&sm->l1);
    sim_tags_close(&sm->const1);
    sim_tags_close(&sm->const2);
    sim_tags_close(&sm->icache2);
    sim_port_close(&sm->noc);
    sim_port_close(&sm->dsmem);
    for (uint32_t k = 0; sm->smsps && k < m->n_smsps_per_sm; k++)
        sim_tags_close(&sm->smsps[k].icache);
    free(sm->stores);
    free(sm->ctas);
}

void sim_close(struct sim_machine *m)
{
    if (!m) return;
    while (m->launches) sim_forget(m, m->launches);
    while (m->images) sim_unload(m, m->images);
    for (struct sim_warp_state *w = m->free_warps, *next; w; w = next) {
        next = w->next_free;
        free(w->rows);
        free(w);
    }
    for (uint32_t i = 0; m->sms && i < m->n_sms; i++) close_sm(m, &m->sms[i]);
    for (uint32_t level = 0; level < 2; level++) {
        for (uint32_t i = 0; i < m->n_tlbs[level]; i++) sim_tlb_close(&m->tlbs[level][i]);
        free(m->tlbs[level]);
    }
    sim_space_close(&m->space);
    sim_l2_close(m);
    sim_dram_close(m);
    sim_port_close(&m->host_port);
    sim_port_close(&m->peer_port);
    free(m->heap);
    free(m->smsps);
    free(m->sms);
    free(m);
}
