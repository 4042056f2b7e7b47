/* L2: slices in partitions, near and far; write-back; copies of far lines where there are any.
 *
 * A line's home is one slice. With replication a far line that is read leaves a copy in the
 * reader's partition, in the slice that corresponds to its home; a copy gives way to homes, so that
 * the whole of l2_bytes stays usable for lines. A write goes to the home and drops the copies. */
#include <stdlib.h>

#include "dev/sim/machine.h"

enum { BUCKETS = 1024 };

static double slice_rate(const struct ay_chip *c)
{
    return (double)c->l2_bytes_per_clk / (double)c->l2_slices;
}

bool sim_l2_open(struct sim_machine *m)
{
    const struct ay_chip *c = m->chip;
    const uint32_t n = (uint32_t)c->l2_slices;
    m->slices = calloc(n, sizeof *m->slices);
    if (!m->slices) return false;
    m->slice_div = sim_divider_of(n);
    for (uint32_t i = 0; i < n; i++) {
        struct sim_l2_slice *s = &m->slices[i];
        s->partition = i % (uint32_t)c->l2_partitions;
        if (!sim_tags_open(&s->tags, ay_chip_l2_sets(c), (uint32_t)c->l2_ways, c->l2_policy,
                           c->l2_hash, c->seed + i) ||
            !sim_port_open(&s->port, slice_rate(c), BUCKETS) ||
            !sim_port_open(&s->atomics, (double)c->atomic_l2_ops_per_clk_per_slice, BUCKETS))
            return false;
    }
    return true;
}

void sim_l2_close(struct sim_machine *m)
{
    for (uint32_t i = 0; m->slices && i < m->chip->l2_slices; i++) {
        sim_tags_close(&m->slices[i].tags);
        sim_port_close(&m->slices[i].port);
        sim_port_close(&m->slices[i].atomics);
    }
    free(m->slices);
}

/* The slice; tags hold the whole line, sets follow from what the slice leaves of it. */
uint32_t sim_l2_home(const struct sim_machine *m, uint64_t line)
{
    uint64_t rest;
    return sim_permute(m->slice_div, m->chip->l2_hash, line, &rest);
}

uint32_t sim_l2_set(const struct sim_machine *m, uint64_t line)
{
    return sim_tags_set(&m->slices[0].tags, sim_divide(m->slice_div, line));
}

/* Copies go half the sets further: where an odd number of ways leaves one way more to homes, the
 * copies find it free, and the reach of one SM is l2_bytes / l2_partitions to the line. */
static uint32_t copy_set(const struct sim_machine *m, uint32_t set)
{
    const uint32_t n = m->slices[0].tags.sets.n;
    const uint32_t at = set + n / 2;
    return at >= n ? at - n : at;
}

static uint32_t copy_slice(const struct sim_machine *m, uint32_t home, uint32_t partition)
{
    const uint32_t at = home - m->slices[home].partition + partition;
    return at < m->slice_div.n ? at : partition;
}

static void write_back(struct sim_machine *m, struct sim_counters *count, uint64_t t, uint64_t line,
                       uint32_t dirty, uint64_t *accepted)
{
    uint64_t latency;
    const uint32_t n = sim_count(dirty);
    const uint64_t at = sim_dram(m, count, t, line << m->l2_shift, n, n, true, &latency);
    if (accepted) *accepted = sim_max(*accepted, at);
}

/* Makes room and puts the line in; SIM_NO_LINE where a copy finds none. */
static uint32_t install(const struct sim_op *o, struct sim_tags *tags, uint32_t set, uint64_t line,
                        bool is_copy, uint64_t t, uint64_t *accepted)
{
    const uint32_t i = sim_tags_victim(tags, set, is_copy);
    if (i == SIM_NO_LINE) return i;
    if (sim_tags_is_live(tags, i) && tags->lines[i].dirty)
        write_back(o->m, o->count, t, sim_tags_line_at(tags, i), tags->lines[i].dirty, accepted);
    sim_tags_put(tags, i, line);
    tags->lines[i].is_copy = is_copy;
    return i;
}

static uint32_t widen(const struct sim_machine *m, uint32_t sectors, uint32_t fill)
{
    if (fill <= 1) return sectors;
    const uint32_t block = fill >= 32 ? UINT32_MAX : (1u << fill) - 1;
    uint32_t wide = 0;
    for (uint32_t i = 0; i < m->l2_line_sectors; i += fill)
        if (sectors >> i & block) wide |= block << i;
    return m->l2_line_sectors >= 32 ? wide : wide & ((1u << m->l2_line_sectors) - 1);
}

/* Sectors that neither level holds: from DRAM into the home. */
static uint64_t fill(const struct sim_op *o, uint64_t t, uint64_t line, struct sim_line *at,
                     uint32_t sectors, uint32_t fill_sectors)
{
    struct sim_machine *m = o->m;
    const uint32_t wide = widen(m, sectors, fill_sectors) & ~at->valid;
    uint64_t latency;
    const uint64_t start = sim_dram(m, o->count, t, line << m->l2_shift, sim_count(wide),
                                    sim_count(sectors), false, &latency);
    const uint64_t ready = start + m->chip->l2_near_latency_cycles + latency;
    at->valid |= wide;
    at->filled = sim_max(at->filled, ready);
    o->count->l2_misses += sim_count(sectors);
    return ready;
}

/* Reads what the home holds, the rest from DRAM. */
static uint64_t read_home(const struct sim_op *o, uint64_t t, uint64_t line, uint32_t home,
                          uint32_t sectors, uint32_t fill_sectors)
{
    struct sim_machine *m = o->m;
    struct sim_l2_slice *s = &m->slices[home];
    const uint32_t n = sim_count(sectors);
    const uint32_t piece = (uint32_t)m->chip->l2_sector_bytes * SIM_UNITS_PER_BYTE;
    const uint64_t start = sim_port_reserve(&s->port, t, n * piece, piece);
    const uint32_t set = sim_l2_set(m, line);
    uint32_t i = sim_tags_find_in(&s->tags, set, line);
    if (i == SIM_NO_LINE) i = install(o, &s->tags, set, line, false, start, NULL);
    else sim_tags_touch(&s->tags, i);
    struct sim_line *at = &s->tags.lines[i];
    const uint32_t hits = sectors & at->valid;
    uint64_t ready = 0;
    if (hits) {
        const bool is_near = s->partition == o->sm->partition;
        const uint32_t n_hits = sim_count(hits);
        const uint64_t latency = is_near ? m->chip->l2_near_latency_cycles
                                         : m->chip->l2_far_latency_cycles;
        ready = sim_max(start + latency, at->filled);
        o->count->l2_hits += n_hits;
        if (is_near) o->count->l2_near += n_hits;
        else o->count->l2_far += n_hits;
    }
    if (hits == sectors) return ready;
    return sim_max(ready, fill(o, start, line, at, sectors & ~hits, fill_sectors));
}

/* A far line: its copy here if there is one, else the home, which leaves one. */
static uint64_t read_replicated(const struct sim_op *o, uint64_t t, uint64_t line, uint32_t home,
                                uint32_t sectors, uint32_t fill_sectors)
{
    struct sim_machine *m = o->m;
    struct sim_l2_slice *s = &m->slices[copy_slice(m, home, o->sm->partition)];
    const uint32_t piece = (uint32_t)m->chip->l2_sector_bytes * SIM_UNITS_PER_BYTE;
    const uint32_t set = copy_set(m, sim_l2_set(m, line));
    uint32_t i = sim_tags_find_in(&s->tags, set, line);
    uint32_t hits = 0;
    uint64_t ready = 0;
    if (i != SIM_NO_LINE && (hits = sectors & s->tags.lines[i].valid) != 0) {
        const uint32_t n = sim_count(hits);
        const uint64_t start = sim_port_reserve(&s->port, t, n * piece, piece);
        sim_tags_touch(&s->tags, i);
        ready = sim_max(start + m->chip->l2_near_latency_cycles, s->tags.lines[i].filled);
        o->count->l2_hits += n;
        o->count->l2_near += n;
    }
    if (hits == sectors) return ready;
    ready = sim_max(ready, read_home(o, t, line, home, sectors & ~hits, fill_sectors));
    if (i == SIM_NO_LINE) i = install(o, &s->tags, set, line, true, t, NULL);
    if (i == SIM_NO_LINE) return ready;
    s->tags.lines[i].valid |= sectors;
    s->tags.lines[i].filled = sim_max(s->tags.lines[i].filled, ready);
    o->count->l2_copies++;
    return ready;
}

/* A fill wider than a line brings the other lines of its block, which nobody waits for. */
static void fetch_block(const struct sim_op *o, uint64_t t, uint64_t line, uint32_t fill_sectors)
{
    struct sim_machine *m = o->m;
    const uint64_t n_lines = fill_sectors / m->l2_line_sectors, first = line / n_lines * n_lines;
    const uint32_t all = widen(m, 1, m->l2_line_sectors);
    for (uint64_t k = first; k < first + n_lines; k++) {
        struct sim_tags *tags = &m->slices[sim_l2_home(m, k)].tags;
        const uint32_t set = sim_l2_set(m, k);
        uint32_t i = sim_tags_find_in(tags, set, k);
        if (i == SIM_NO_LINE) i = install(o, tags, set, k, false, t, NULL);
        const uint32_t missing = all & ~tags->lines[i].valid;
        if (!missing) continue;
        uint64_t latency;
        const uint32_t n = sim_count(missing);
        const uint64_t start = sim_dram(m, o->count, t, k << m->l2_shift, n, n, false, &latency);
        tags->lines[i].valid = all;
        tags->lines[i].filled = sim_max(tags->lines[i].filled,
                                        start + m->chip->l2_near_latency_cycles + latency);
    }
}

uint64_t sim_l2_read(const struct sim_op *o, uint64_t t, uint64_t line, uint32_t sectors,
                     uint32_t fill_sectors)
{
    struct sim_machine *m = o->m;
    const uint32_t n = sim_count(sectors);
    const uint32_t piece = (uint32_t)m->chip->l2_sector_bytes * SIM_UNITS_PER_BYTE;
    const uint64_t start = sim_port_reserve(&o->sm->noc, t, n * piece, piece);
    o->count->l2_sectors += n;
    const uint32_t home = sim_l2_home(m, line);
    if (m->chip->l2_replicate == AY_REPLICATE_read &&
        m->slices[home].partition != o->sm->partition)
        return read_replicated(o, start, line, home, sectors, fill_sectors);
    const uint64_t misses = o->count->l2_misses;
    const uint64_t ready = read_home(o, start, line, home, sectors, fill_sectors);
    if (fill_sectors > m->l2_line_sectors && o->count->l2_misses != misses)
        fetch_block(o, start, line, fill_sectors);
    return ready;
}

static void drop_copies(struct sim_machine *m, uint64_t line, uint32_t home)
{
    if (m->chip->l2_replicate != AY_REPLICATE_read) return;
    const uint32_t set = copy_set(m, sim_l2_set(m, line));
    for (uint32_t p = 0; p < m->chip->l2_partitions; p++) {
        if (p == m->slices[home].partition) continue;
        struct sim_tags *tags = &m->slices[copy_slice(m, home, p)].tags;
        const uint32_t i = sim_tags_find_in(tags, set, line);
        if (i != SIM_NO_LINE && tags->lines[i].is_copy) sim_tags_drop(tags, i);
    }
}

/* No fetch of what a write does not cover: the model keeps no byte masks. */
uint64_t sim_l2_write(const struct sim_op *o, uint64_t t, uint64_t line, uint32_t sectors)
{
    struct sim_machine *m = o->m;
    const uint32_t n = sim_count(sectors);
    const uint32_t piece = (uint32_t)m->chip->l2_sector_bytes * SIM_UNITS_PER_BYTE;
    uint64_t start = sim_port_reserve(&o->sm->noc, t, n * piece, piece);
    const uint32_t home = sim_l2_home(m, line);
    struct sim_l2_slice *s = &m->slices[home];
    start = sim_port_reserve(&s->port, start, n * piece, piece);
    o->count->l2_writes += n;
    drop_copies(m, line, home);
    const uint32_t set = sim_l2_set(m, line);
    uint32_t i = sim_tags_find_in(&s->tags, set, line);
    uint64_t accepted = start;
    if (i == SIM_NO_LINE) i = install(o, &s->tags, set, line, false, start, &accepted);
    else sim_tags_touch(&s->tags, i);
    s->tags.lines[i].valid |= sectors;
    s->tags.lines[i].dirty |= sectors;
    return accepted;
}

/* One request: its lanes pass the slice's atomic unit ops_per_clk at a time, or, on one address, in
 * the time that the chip says for 32 of them. Latency is that of a single lane at a near home. */
uint64_t sim_l2_atomic(const struct sim_op *o, uint64_t t, uint64_t line, uint32_t sectors,
                       uint32_t n_ops, uint32_t n_same)
{
    struct sim_machine *m = o->m;
    const struct ay_chip *c = m->chip;
    const uint32_t n = sim_count(sectors);
    const uint32_t piece = (uint32_t)c->l2_sector_bytes * SIM_UNITS_PER_BYTE;
    uint64_t start = sim_port_reserve(&o->sm->noc, t, n * piece, piece);
    const uint32_t home = sim_l2_home(m, line);
    struct sim_l2_slice *s = &m->slices[home];
    const double same = (double)(c->atomic_l2_same_address_cycles *
                                 c->atomic_l2_ops_per_clk_per_slice) * (n_same - 1) / 31.0;
    const double ops = same > n_ops ? same : n_ops;
    start = sim_port_reserve(&s->atomics, start, (uint32_t)(ops * SIM_UNITS_PER_BYTE + 0.5),
                             SIM_UNITS_PER_BYTE);
    drop_copies(m, line, home);
    const uint32_t set = sim_l2_set(m, line);
    uint32_t i = sim_tags_find_in(&s->tags, set, line);
    if (i == SIM_NO_LINE) i = install(o, &s->tags, set, line, false, start, NULL);
    else sim_tags_touch(&s->tags, i);
    struct sim_line *at = &s->tags.lines[i];
    uint64_t latency = c->atomic_l2_latency_cycles;
    if (s->partition != o->sm->partition)
        latency += c->l2_far_latency_cycles - c->l2_near_latency_cycles;
    uint64_t ready = sim_max(start, at->filled);
    o->count->l2_sectors += n;
    o->count->l2_hits += sim_count(sectors & at->valid);
    if (sectors & ~at->valid)
        ready = sim_max(ready, fill(o, start, line, at, sectors & ~at->valid, 1) -
                               c->l2_near_latency_cycles);
    at->dirty |= sectors;
    return ready + latency;
}

/* What a copy engine wrote is not in L2; freed memory need not be written back. */
void sim_l2_forget(struct sim_machine *m, uint64_t physical, uint64_t bytes)
{
    const uint64_t first = physical >> m->l2_shift, last = (physical + bytes - 1) >> m->l2_shift;
    const uint64_t n_lines = (uint64_t)m->slice_div.n * m->slices[0].tags.max_lines;
    if (last - first >= n_lines) { /* walking the tags is shorter */
        for (uint32_t k = 0; k < m->slice_div.n; k++) {
            struct sim_tags *tags = &m->slices[k].tags;
            for (uint32_t i = 0; i < tags->max_lines; i++) {
                const uint64_t line = sim_tags_line_at(tags, i);
                if (sim_tags_is_live(tags, i) && line >= first && line <= last)
                    sim_tags_drop(tags, i);
            }
        }
        return;
    }
    for (uint64_t line = first; line <= last; line++) {
        const uint32_t home = sim_l2_home(m, line);
        struct sim_tags *tags = &m->slices[home].tags;
        const uint32_t i = sim_tags_find_in(tags, sim_l2_set(m, line), line);
        if (i != SIM_NO_LINE) sim_tags_drop(tags, i);
        drop_copies(m, line, home);
    }
}

void sim_copied(struct sim_machine *m, uint64_t va, uint64_t bytes, bool is_write)
{
    const struct sim_region *r = is_write ? sim_region_find(&m->space, va) : NULL;
    if (r && r->kind == SIM_REGION_DEVICE && bytes)
        sim_l2_forget(m, va - r->va + r->physical, bytes);
}
