/* tlb.h - one level of address translation: pages, set-associative, LRU; any number of entries. */
#ifndef SIM_TLB_H
#define SIM_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "dev/sim/cache.h"

struct sim_tlb_entry {
    uint64_t page;
    uint32_t older, newer; /* of the same set; + 1, 0 none */
    uint32_t chain;        /* next with the same hash; + 1 */
};

/* Found by hash, because a fully associative level of hundreds of entries is common. */
struct sim_tlb {
    struct sim_tlb_entry *entries; /* set s: [s * ways, (s + 1) * ways) */
    uint32_t *buckets;             /* + 1, 0 none */
    uint32_t *oldest, *newest, *n_used; /* of a set */
    uint32_t n_ways, bucket_mask;
    struct sim_divider sets;
    uint64_t last_page; /* the newest, so it hits and changes nothing */
    uint64_t page_bytes;
    int page_shift; /* -1: page_bytes is no power of two */
};

bool sim_tlb_open(struct sim_tlb *t, uint64_t n_entries, uint64_t n_ways, uint64_t page_bytes);
void sim_tlb_close(struct sim_tlb *t);
/* true: hit. A miss brings the page in. */
bool sim_tlb_access(struct sim_tlb *t, uint64_t page);

static inline uint64_t sim_tlb_page(const struct sim_tlb *t, uint64_t va)
{
    return t->page_shift >= 0 ? va >> t->page_shift : va / t->page_bytes;
}

#endif
