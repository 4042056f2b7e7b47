#include "dev/sim/cache.h"

#include <stdlib.h>
#include <string.h>

#define DEAD_TAG UINT64_MAX

bool sim_tags_open(struct sim_tags *c, uint64_t max_sets, uint32_t n_ways,
                    enum ay_chip_policy policy, enum ay_chip_hash hash, uint64_t seed)
{
    const uint64_t n = max_sets * n_ways;
    *c = (struct sim_tags){ .n_ways = n_ways, .policy = policy, .hash = hash };
    c->random = sim_mix(seed + 1) | 1;
    c->sets = sim_divider_of((uint32_t)max_sets);
    c->max_lines = (uint32_t)n;
    c->tags = malloc(n * sizeof *c->tags);
    c->lines = calloc(n, sizeof *c->lines);
    if (!c->tags || !c->lines) return false;
    memset(c->tags, 0xff, n * sizeof *c->tags);
    return true;
}

void sim_tags_close(struct sim_tags *c)
{
    free(c->tags);
    free(c->lines);
    c->tags = NULL;
    c->lines = NULL;
}

/* Emptying is a new generation of tags, so it costs nothing; real work only once in 2^19. */
void sim_tags_clear(struct sim_tags *c)
{
    if (++c->generation < 1u << 19) return;
    c->generation = 0;
    memset(c->tags, 0xff, c->max_lines * sizeof *c->tags);
}

void sim_tags_resize(struct sim_tags *c, uint64_t n_sets)
{
    c->sets = sim_divider_of((uint32_t)n_sets);
    sim_tags_clear(c);
}

bool sim_tags_is_live(const struct sim_tags *c, uint32_t index)
{
    return c->tags[index] >> SIM_TAG_BITS == c->generation;
}

/* The stamps ran out: all lines become equally old, once in four billion accesses. */
void sim_tags_renumber(struct sim_tags *c)
{
    for (uint32_t i = 0; i < c->max_lines; i++) c->lines[i].stamp = 0;
    c->clock = 1;
}

/* Pseudo-LRU by one bit a way, which works for any number of ways: an access sets its bit, and when
 * all are set the others are cleared. The victim is the first way without. */
void sim_tags_touch_plru(struct sim_tags *c, uint32_t index)
{
    const uint32_t first = index / c->n_ways * c->n_ways;
    c->lines[index].stamp = 1;
    for (uint32_t i = first; i < first + c->n_ways; i++)
        if (!c->lines[i].stamp) return;
    for (uint32_t i = first; i < first + c->n_ways; i++) c->lines[i].stamp = i == index;
}

static uint64_t draw(struct sim_tags *c)
{
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return c->random;
}

static uint32_t random_victim(struct sim_tags *c, uint32_t first, bool spare_homes)
{
    uint32_t n = 0;
    for (uint32_t i = first; i < first + c->n_ways; i++) n += !spare_homes || c->lines[i].is_copy;
    if (n == 0) return SIM_NO_LINE;
    uint32_t k = (uint32_t)(draw(c) % n);
    for (uint32_t i = first;; i++)
        if ((!spare_homes || c->lines[i].is_copy) && k-- == 0) return i;
}

/* In a replicating L2 copies go before homes, so that a copy never costs a trip to DRAM. */
uint32_t sim_tags_victim(struct sim_tags *c, uint32_t set, bool spare_homes)
{
    const uint32_t first = set * c->n_ways;
    uint32_t oldest = SIM_NO_LINE, oldest_copy = SIM_NO_LINE;
    for (uint32_t i = first; i < first + c->n_ways; i++) {
        if (!sim_tags_is_live(c, i)) return i;
        if (c->lines[i].is_copy &&
            (oldest_copy == SIM_NO_LINE || c->lines[i].stamp < c->lines[oldest_copy].stamp))
            oldest_copy = i;
        if (oldest == SIM_NO_LINE || c->lines[i].stamp < c->lines[oldest].stamp) oldest = i;
    }
    const bool only_copies = spare_homes || oldest_copy != SIM_NO_LINE;
    if (c->policy == AY_POLICY_random) return random_victim(c, first, only_copies);
    return only_copies ? oldest_copy : oldest;
}

void sim_tags_put(struct sim_tags *c, uint32_t index, uint64_t line)
{
    c->tags[index] = c->generation << SIM_TAG_BITS | line;
    c->lines[index] = (struct sim_line){ .stamp = c->lines[index].stamp };
    if (c->policy == AY_POLICY_fifo) {
        if (++c->clock == UINT32_MAX) sim_tags_renumber(c);
        c->lines[index].stamp = c->clock;
    } else {
        if (c->policy == AY_POLICY_plru) c->lines[index].stamp = 0;
        sim_tags_touch(c, index);
    }
}

void sim_tags_drop(struct sim_tags *c, uint32_t index)
{
    c->tags[index] = DEAD_TAG;
    c->lines[index] = (struct sim_line){ 0 };
}
