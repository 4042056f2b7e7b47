#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chip_table.h"

#define U "%" PRIu64

/* --- complaints that name the line of the last key given -------------------------------------- */

/* The keys, parted by blanks: the fault is where the last of them was given. */
static int line_of(const struct ay_chip_draft *d, const char *names)
{
    int last = 0;
    while (*names) {
        char name[AY_KEY_TEXT_BYTES];
        size_t member = 0;
        const size_t n = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        const struct ay_key *const k = ay_find_key(name, &member);
        if (k && d->given_line[k->first + member] > last) last = d->given_line[k->first + member];
        names += n + (names[n] == ' ');
    }
    return last;
}

static enum ay_status misfit(const struct ay_chip_draft *d, const char *names, struct ay_error *err,
                             const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static enum ay_status misfit(const struct ay_chip_draft *d, const char *names, struct ay_error *err,
                             const char *fmt, ...)
{
    char what[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    const int line = line_of(d, names);
    if (line == 0) return AY_FAIL(err, AY_IO, "%s: %s", d->file_name, what);
    return AY_FAIL(err, AY_IO, "%s:%d: %s", d->file_name, line, what);
}

static bool is_power_of_two(uint64_t x)
{
    return x && !(x & (x - 1));
}

/* --- shape ------------------------------------------------------------------------------------ */

static uint16_t even_deal(uint64_t i, uint64_t n_items, uint64_t n_groups)
{
    return (uint16_t)(i * n_groups / n_items);
}

/* A list that the file itself gives must fit. One that is the base's stands for the base's shape:
 * where it does not fit, SMs are dealt evenly again. */
static enum ay_status settle_list(struct ay_chip_draft *d, struct ay_deal *deal, const char *key,
                                  uint64_t limit, struct ay_error *err)
{
    const uint64_t sms = d->chip.sms;
    const bool is_own = line_of(d, key) != 0;
    if (deal->is_even) return AY_OK;
    if (deal->n_given != sms && is_own)
        return misfit(d, key, err,
                      "%s lists %u SMs and sms is " U ": list each, or give `even`", key,
                      deal->n_given, sms);
    deal->is_even = deal->n_given != sms;
    for (uint64_t i = 0; i < sms && !deal->is_even; i++) {
        if (deal->of[i] >= limit && is_own)
            return misfit(d, key, err,
                          "%s: SM " U " is in number %u, but numbers end at " U, key, i,
                          deal->of[i], limit - 1);
        deal->is_even = deal->of[i] >= limit;
    }
    return AY_OK;
}

static enum ay_status settle_shape(struct ay_chip_draft *d, struct ay_error *err)
{
    struct ay_chip *const c = &d->chip;
    AY_TRY(settle_list(d, &c->sm_tpc, "sm_tpc", AY_MAX_SMS, err));
    AY_TRY(settle_list(d, &c->sm_gpc, "sm_gpc", AY_MAX_SMS, err));
    AY_TRY(settle_list(d, &c->sm_partition, "sm_partition", c->l2_partitions, err));
    for (uint64_t i = 0; i < c->sms; i++)
        if (c->sm_tpc.is_even) c->sm_tpc.of[i] = (uint16_t)(i / c->sms_per_tpc);
    const uint64_t n_tpcs = ay_chip_n_tpcs(c);
    const uint64_t n_gpcs = c->gpcs < n_tpcs ? c->gpcs : n_tpcs;
    for (uint64_t i = 0; i < c->sms; i++) {
        if (c->sm_gpc.is_even) c->sm_gpc.of[i] = even_deal(c->sm_tpc.of[i], n_tpcs, n_gpcs);
        if (c->sm_partition.is_even)
            c->sm_partition.of[i] = even_deal(c->sm_tpc.of[i], n_tpcs, c->l2_partitions);
    }
    if (c->threads_per_cta % 32)
        return misfit(d, "threads_per_cta", err, "threads_per_cta must be a multiple of 32");
    if (c->shared_bytes_per_cta > c->shared_bytes_per_sm)
        return misfit(d, "shared_bytes_per_cta shared_bytes_per_sm", err,
                      "shared_bytes_per_cta (" U ") is over shared_bytes_per_sm (" U ")",
                      c->shared_bytes_per_cta, c->shared_bytes_per_sm);
    if (c->power_idle_watts > c->power_limit_watts)
        return misfit(d, "power_idle_watts power_limit_watts", err,
                      "power_idle_watts is over power_limit_watts");
    return AY_OK;
}

/* --- sizes that must divide ------------------------------------------------------------------- */

static enum ay_status check_cache(const struct ay_chip_draft *d, const char *stem, uint64_t bytes,
                                  uint64_t unit, const char *unit_text, const char *names,
                                  struct ay_error *err)
{
    if (bytes % unit == 0) return AY_OK;
    return misfit(d, names, err,
                  "%s_bytes (" U ") is not a whole number of sets: it must divide by %s = " U
                  "; " U " and " U " would", stem, bytes, unit_text, unit,
                  bytes / unit ? bytes / unit * unit : unit, (bytes / unit + 1) * unit);
}

static enum ay_status check_line(const struct ay_chip_draft *d, const char *names, uint64_t line,
                                 uint64_t sector, struct ay_error *err)
{
    if (is_power_of_two(line) && is_power_of_two(sector) && sector <= line) return AY_OK;
    return misfit(d, names, err,
                  "%s: line (" U ") and sector (" U ") must be powers of two, and a sector no "
                  "longer than a line", names, line, sector);
}

static enum ay_status check_caches(const struct ay_chip_draft *d, struct ay_error *err)
{
    const struct ay_chip *const c = &d->chip;
    const uint64_t fill = c->l2_fill_bytes, cline = c->const_line_bytes;
    AY_TRY(check_line(d, "l1_line_bytes l1_sector_bytes", c->l1_line_bytes, c->l1_sector_bytes,
                      err));
    AY_TRY(check_line(d, "l2_line_bytes l2_sector_bytes", c->l2_line_bytes, c->l2_sector_bytes,
                      err));
    AY_TRY(check_line(d, "l2_line_bytes l2_fill_bytes", c->l2_line_bytes, fill, err));
    AY_TRY(check_line(d, "l2_fill_bytes l2_sector_bytes", fill, c->l2_sector_bytes, err));
    AY_TRY(check_line(d, "const_line_bytes", cline, cline, err));
    AY_TRY(check_line(d, "icache_line_bytes", c->icache_line_bytes, c->icache_line_bytes, err));
    AY_TRY(check_cache(d, "l1", c->l1_bytes, c->l1_line_bytes * c->l1_ways,
                       "l1_line_bytes × l1_ways", "l1_bytes l1_line_bytes l1_ways", err));
    AY_TRY(check_cache(d, "l2", c->l2_bytes, c->l2_line_bytes * c->l2_ways * c->l2_slices,
                       "l2_line_bytes × l2_ways × l2_slices",
                       "l2_bytes l2_line_bytes l2_ways l2_slices", err));
    AY_TRY(check_cache(d, "const1", c->const1_bytes, cline * c->const1_ways,
                       "const_line_bytes × const1_ways",
                       "const1_bytes const_line_bytes const1_ways", err));
    AY_TRY(check_cache(d, "const2", c->const2_bytes, cline * c->const2_ways,
                       "const_line_bytes × const2_ways",
                       "const2_bytes const_line_bytes const2_ways", err));
    AY_TRY(check_cache(d, "icache1", c->icache1_bytes, c->icache_line_bytes, "icache_line_bytes",
                       "icache1_bytes icache_line_bytes", err));
    return check_cache(d, "icache2", c->icache2_bytes, c->icache_line_bytes, "icache_line_bytes",
                       "icache2_bytes icache_line_bytes", err);
}

static enum ay_status check_memory(const struct ay_chip_draft *d, struct ay_error *err)
{
    const struct ay_chip *const c = &d->chip;
    if (c->l2_slices % c->l2_partitions)
        return misfit(d, "l2_slices l2_partitions", err,
                      "l2_slices (" U ") does not divide by l2_partitions (" U ")",
                      c->l2_slices, c->l2_partitions);
    if (c->l2_partitions > 1 && c->l2_far_latency_cycles < c->l2_near_latency_cycles)
        return misfit(d, "l2_near_latency_cycles l2_far_latency_cycles", err,
                      "l2_far_latency_cycles (" U ") is under l2_near_latency_cycles (" U
                      "): give both", c->l2_far_latency_cycles, c->l2_near_latency_cycles);
    if (!is_power_of_two(c->dram_row_bytes) || c->dram_row_bytes < c->l2_sector_bytes)
        return misfit(d, "dram_row_bytes l2_sector_bytes", err,
                      "dram_row_bytes must be a power of two and no less than l2_sector_bytes");
    if (!is_power_of_two(c->shared_bank_bytes))
        return misfit(d, "shared_bank_bytes", err, "shared_bank_bytes must be 4, 8 or 16");
    if (c->dram_row_hit_saving_ns > c->dram_latency_ns)
        return misfit(d, "dram_row_hit_saving_ns dram_latency_ns", err,
                      "dram_row_hit_saving_ns is over dram_latency_ns");
    return AY_OK;
}

static enum ay_status check_ways(const struct ay_chip_draft *d, int level, uint64_t entries,
                                 uint64_t ways, struct ay_error *err)
{
    if (entries % ways == 0) return AY_OK;
    return misfit(d, level == 1 ? "tlb1_entries tlb1_ways" : "tlb2_entries tlb2_ways", err,
                  "tlb%d_entries (" U ") does not divide by tlb%d_ways (" U "): give both", level,
                  entries, level, ways);
}

static enum ay_status check_tlb(const struct ay_chip_draft *d, struct ay_error *err)
{
    const struct ay_chip *const c = &d->chip;
    const uint64_t reach_bytes = c->tlb1_entries * c->tlb1_page_bytes;
    if (!is_power_of_two(c->tlb1_page_bytes) || !is_power_of_two(c->tlb2_page_bytes))
        return misfit(d, "tlb1_page_bytes tlb2_page_bytes", err,
                      "tlb1_page_bytes and tlb2_page_bytes must be powers of two");
    AY_TRY(check_ways(d, 1, c->tlb1_entries, c->tlb1_ways, err));
    AY_TRY(check_ways(d, 2, c->tlb2_entries, c->tlb2_ways, err));
    if (!c->tlb_small && reach_bytes < 4 * c->l2_bytes)
        return misfit(d, "tlb1_entries tlb1_page_bytes l2_bytes tlb_small", err,
                      "the first TLB level reaches " U " bytes, under 4 × l2_bytes (" U
                      "): no ring is then both in DRAM and TLB-warm; give more entries, larger "
                      "pages, or `tlb_small = 1`", reach_bytes, 4 * c->l2_bytes);
    return AY_OK;
}

/* --- pipes ------------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Numbers pipes by name, so that a chip does not depend on the order of its file's lines. */
static void sort_pipes(struct ay_chip *c)
{
    char before[AY_MAX_PIPES][AY_PIPE_NAME_BYTES];
    uint32_t used = 0;
    size_t n = 0;
    for (size_t i = 0; i < AY_N_ALU_CLASSES; i++) used |= c->alu_pipes[i];
    memcpy(before, c->pipe_names, sizeof before);
    memset(c->pipe_names, 0, sizeof c->pipe_names);
    for (size_t i = 0; i < AY_MAX_PIPES; i++)
        if (used >> i & 1) memcpy(c->pipe_names[n++], before[i], AY_PIPE_NAME_BYTES);
    qsort(c->pipe_names, n, AY_PIPE_NAME_BYTES, by_name);
    for (size_t k = 0; k < AY_N_ALU_CLASSES; k++) {
        uint32_t pipes = 0;
        for (size_t i = 0; i < AY_MAX_PIPES; i++)
            for (size_t j = 0; j < n && c->alu_pipes[k] >> i & 1; j++)
                if (strcmp(before[i], c->pipe_names[j]) == 0) pipes |= (uint32_t)1 << j;
        c->alu_pipes[k] = pipes;
    }
}

enum ay_status ay_chip_finish(struct ay_chip_draft *d, struct ay_error *err)
{
    struct ay_chip *const c = &d->chip;
    if (c->local_latency_cycles == 0) c->local_latency_cycles = c->l1_latency_cycles;
    if (c->nc_latency_cycles == 0) c->nc_latency_cycles = c->l1_latency_cycles;
    sort_pipes(c);
    AY_TRY(settle_shape(d, err));
    AY_TRY(check_caches(d, err));
    AY_TRY(check_memory(d, err));
    return check_tlb(d, err);
}
