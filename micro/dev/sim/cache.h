/* cache.h - a set-associative cache of sectored lines: tags, policies, index hashes.
 *
 * Data is not kept here: memory itself always holds the newest value. Any number of sets; each hash
 * is a permutation of lines over (set, tag), so no capacity is lost. */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chip.h"

/* Division by a number known at the start: exact while x * n < 2^64. */
struct sim_divider {
    uint64_t magic;
    uint32_t n;
};
static inline struct sim_divider sim_divider_of(uint32_t n)
{
    return (struct sim_divider){ n == 1 ? 0 : UINT64_MAX / n + 1, n };
}
__extension__ typedef unsigned __int128 sim_u128;
static inline uint64_t sim_divide(struct sim_divider d, uint64_t x)
{
    return d.n == 1 ? x : (uint64_t)(((sim_u128)x * d.magic) >> 64);
}

/* Most masks here have one bit, and the baseline has no instruction for the others. */
static inline uint32_t sim_count(uint32_t mask)
{
    return mask & (mask - 1) ? (uint32_t)__builtin_popcount(mask) : mask != 0;
}

static inline uint64_t sim_mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x7fb5d329728ea185ull;
    x ^= x >> 27;
    x *= 0x81dadef4bc2dd44dull;
    return x ^ x >> 33;
}

/* Where among n a line goes: (line % n) permuted by what is left of the line. */
static inline uint32_t sim_permute(struct sim_divider d, enum ay_chip_hash hash, uint64_t line,
                                   uint64_t *rest)
{
    const uint64_t q = sim_divide(d, line);
    uint32_t r = (uint32_t)(line - q * d.n);
    *rest = q;
    switch (hash) {
    case AY_HASH_xor: {
        const uint32_t pow2 = 1u << (31 - __builtin_clz(d.n)); /* the rest of the sets stay */
        if (r < pow2) r ^= (uint32_t)q & (pow2 - 1);
        break;
    }
    case AY_HASH_rotate:
        r += (uint32_t)(q % d.n);
        break;
    case AY_HASH_mix:
        r += (uint32_t)(sim_mix(q) % d.n);
        break;
    default:
        return r;
    }
    return r >= d.n ? r - d.n : r;
}

struct sim_line {
    uint64_t filled; /* cycle at which the newest of its sectors arrives */
    uint32_t valid, dirty; /* bit a sector */
    uint32_t stamp;
    bool is_copy; /* of a line whose home is another L2 partition */
};

struct sim_tags {
    uint64_t *tags; /* at set * ways + way: generation << 44 | line */
    struct sim_line *lines;
    uint64_t generation, random;
    struct sim_divider sets;
    uint32_t n_ways, max_lines, clock;
    enum ay_chip_policy policy;
    enum ay_chip_hash hash;
};

enum { SIM_TAG_BITS = 44 };
#define SIM_NO_LINE UINT32_MAX

bool sim_tags_open(struct sim_tags *c, uint64_t max_sets, uint32_t n_ways,
                    enum ay_chip_policy policy, enum ay_chip_hash hash, uint64_t seed);
void sim_tags_close(struct sim_tags *c);
void sim_tags_resize(struct sim_tags *c, uint64_t n_sets); /* empties it */
void sim_tags_clear(struct sim_tags *c);

static inline uint32_t sim_tags_set(const struct sim_tags *c, uint64_t line)
{
    uint64_t rest;
    return sim_permute(c->sets, c->hash, line, &rest);
}

/* Index of the line among c->lines, or SIM_NO_LINE. Changes nothing. */
static inline uint32_t sim_tags_find_in(const struct sim_tags *c, uint32_t set, uint64_t line)
{
    const uint64_t tag = c->generation << SIM_TAG_BITS | line;
    const uint32_t first = set * c->n_ways;
    for (uint32_t i = first; i < first + c->n_ways; i++)
        if (c->tags[i] == tag) return i;
    return SIM_NO_LINE;
}

void sim_tags_renumber(struct sim_tags *c);
void sim_tags_touch_plru(struct sim_tags *c, uint32_t index);

/* An access: what the replacement policy remembers of it. */
static inline void sim_tags_touch(struct sim_tags *c, uint32_t index)
{
    if (c->policy == AY_POLICY_lru) {
        if (++c->clock == UINT32_MAX) sim_tags_renumber(c);
        c->lines[index].stamp = c->clock;
    } else if (c->policy == AY_POLICY_plru) {
        sim_tags_touch_plru(c, index);
    }
}

/* The way that a new line of that set would take. With spare_homes only an empty way or a copy is
 * given up: SIM_NO_LINE when there is none. */
uint32_t sim_tags_victim(struct sim_tags *c, uint32_t set, bool spare_homes);
bool sim_tags_is_live(const struct sim_tags *c, uint32_t index);
static inline uint64_t sim_tags_line_at(const struct sim_tags *c, uint32_t index)
{
    return c->tags[index] & ((1ull << SIM_TAG_BITS) - 1);
}
/* Puts the line there, with no valid sector; the caller has seen to what was there. */
void sim_tags_put(struct sim_tags *c, uint32_t index, uint64_t line);
void sim_tags_drop(struct sim_tags *c, uint32_t index);

#endif
