#include "dev/sim/tlb.h"

#include <stdlib.h>

bool sim_tlb_open(struct sim_tlb *t, uint64_t n_entries, uint64_t n_ways, uint64_t page_bytes)
{
    if (n_ways > n_entries) n_ways = n_entries;
    const uint32_t n_sets = (uint32_t)(n_entries / n_ways);
    *t = (struct sim_tlb){ .n_ways = (uint32_t)n_ways, .page_bytes = page_bytes,
                           .last_page = UINT64_MAX, .page_shift = -1 };
    if ((page_bytes & (page_bytes - 1)) == 0) t->page_shift = __builtin_ctzll(page_bytes);
    t->sets = sim_divider_of(n_sets);
    uint32_t n_buckets = 16;
    while (n_buckets < 4 * n_entries) n_buckets *= 2;
    t->bucket_mask = n_buckets - 1;
    t->entries = calloc(n_entries, sizeof *t->entries);
    t->buckets = calloc(n_buckets, sizeof *t->buckets);
    t->oldest = calloc(n_sets, sizeof *t->oldest);
    t->newest = calloc(n_sets, sizeof *t->newest);
    t->n_used = calloc(n_sets, sizeof *t->n_used);
    return t->entries && t->buckets && t->oldest && t->newest && t->n_used;
}

void sim_tlb_close(struct sim_tlb *t)
{
    free(t->entries);
    free(t->buckets);
    free(t->oldest);
    free(t->newest);
    free(t->n_used);
    *t = (struct sim_tlb){ 0 };
}

static uint32_t *bucket_of(struct sim_tlb *t, uint64_t page)
{
    return &t->buckets[(uint32_t)(sim_mix(page) >> 20) & t->bucket_mask];
}

static void unlink_age(struct sim_tlb *t, uint32_t set, uint32_t i)
{
    struct sim_tlb_entry *e = &t->entries[i];
    if (e->older) t->entries[e->older - 1].newer = e->newer;
    else t->oldest[set] = e->newer;
    if (e->newer) t->entries[e->newer - 1].older = e->older;
    else t->newest[set] = e->older;
}

static void append_age(struct sim_tlb *t, uint32_t set, uint32_t i)
{
    struct sim_tlb_entry *e = &t->entries[i];
    e->older = t->newest[set];
    e->newer = 0;
    if (e->older) t->entries[e->older - 1].newer = i + 1;
    else t->oldest[set] = i + 1;
    t->newest[set] = i + 1;
}

static uint32_t take_entry(struct sim_tlb *t, uint32_t set)
{
    if (t->n_used[set] < t->n_ways) return set * t->n_ways + t->n_used[set]++;
    const uint32_t i = t->oldest[set] - 1;
    unlink_age(t, set, i);
    uint32_t *at = bucket_of(t, t->entries[i].page);
    while (*at != i + 1) at = &t->entries[*at - 1].chain;
    *at = t->entries[i].chain;
    return i;
}

bool sim_tlb_access(struct sim_tlb *t, uint64_t page)
{
    if (page == t->last_page) return true;
    t->last_page = page;
    uint64_t rest;
    const uint32_t set = sim_permute(t->sets, AY_HASH_none, page, &rest);
    uint32_t *bucket = bucket_of(t, page);
    for (uint32_t i = *bucket; i; i = t->entries[i - 1].chain) {
        if (t->entries[i - 1].page != page) continue;
        if (t->newest[set] != i) {
            unlink_age(t, set, i - 1);
            append_age(t, set, i - 1);
        }
        return true;
    }
    const uint32_t i = take_entry(t, set);
    t->entries[i].page = page;
    bucket = bucket_of(t, page);
    t->entries[i].chain = *bucket;
    *bucket = i + 1;
    append_age(t, set, i);
    return false;
}
