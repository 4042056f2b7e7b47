/* DRAM: channels with one open row each, in nanoseconds of their own.
 *
 * A row of dram_row_bytes bytes lies in one channel; the rows of n consecutive rows lie in n
 * channels. Traffic with a share f of writes moves at peak * (1 - turnaround * 4 f (1 - f)): a pure
 * stream at the peak, an even mix at peak * (1 - turnaround). */
#include <stdlib.h>

#include "dev/sim/machine.h"

enum { BUCKETS = 1024 };
#define WRITE_SHARE_WEIGHT (1.0 / 256) /* of one sector, in the running share of writes */

static double channel_rate(const struct sim_machine *m)
{
    return m->chip->dram_bytes_per_s * 1e-9 * m->ns_per_cycle / (double)m->chip->dram_channels;
}

bool sim_dram_open(struct sim_machine *m)
{
    const uint32_t n = (uint32_t)m->chip->dram_channels;
    m->channels = calloc(n, sizeof *m->channels);
    if (!m->channels) return false;
    m->channel_div = sim_divider_of(n);
    m->row_div = sim_divider_of((uint32_t)m->chip->dram_row_bytes);
    for (uint32_t i = 0; i < n; i++) {
        m->channels[i].open_row = UINT64_MAX;
        if (!sim_port_open(&m->channels[i].port, channel_rate(m), BUCKETS)) return false;
    }
    return true;
}

void sim_dram_close(struct sim_machine *m)
{
    for (uint32_t i = 0; m->channels && i < m->chip->dram_channels; i++)
        sim_port_close(&m->channels[i].port);
    free(m->channels);
}

void sim_dram_rates(struct sim_machine *m)
{
    const struct ay_chip *c = m->chip;
    for (uint32_t i = 0; m->channels && i < c->dram_channels; i++)
        sim_port_rate(&m->channels[i].port, channel_rate(m));
    double saving = c->dram_row_hit_saving_ns;
    if (saving > c->dram_latency_ns) saving = c->dram_latency_ns;
    m->dram_cycles = sim_cycles(m, c->dram_latency_ns);
    m->dram_hit_cycles = sim_cycles(m, c->dram_latency_ns - saving);
}

/* The sectors asked for pass first, those that the fill brings along after them. */
uint64_t sim_dram(struct sim_machine *m, struct sim_counters *count, uint64_t t, uint64_t physical,
                  uint32_t n_sectors, uint32_t n_wanted, bool is_write, uint64_t *latency)
{
    const uint64_t row = sim_divide(m->row_div, physical);
    uint64_t rest;
    struct sim_channel *ch = &m->channels[sim_permute(m->channel_div, AY_HASH_mix, row, &rest)];
    *latency = ch->open_row == row ? m->dram_hit_cycles : m->dram_cycles;
    if (ch->open_row == row) count->dram_row_hits += n_sectors;
    else count->dram_row_misses += n_sectors;
    ch->open_row = row;
    count->dram_sectors += n_sectors;
    if (is_write) count->dram_writes += n_sectors;
    else count->dram_reads += n_sectors;
    const uint32_t piece = (uint32_t)m->chip->l2_sector_bytes * SIM_UNITS_PER_BYTE;
    uint32_t units = n_sectors * piece;
    if (m->chip->dram_turnaround_ratio > 0) {
        const double f = ch->write_share;
        const double slower = 1 - m->chip->dram_turnaround_ratio * 4 * f * (1 - f);
        units = (uint32_t)((double)units / (slower > 0.01 ? slower : 0.01));
        ch->write_share += ((is_write ? 1.0 : 0.0) - f) * WRITE_SHARE_WEIGHT * (double)n_sectors;
        if (ch->write_share > 1) ch->write_share = 1;
        if (ch->write_share < 0) ch->write_share = 0;
    }
    const uint32_t before = (n_wanted - 1) * (units / n_sectors);
    return sim_port_reserve(&ch->port, t, units, units - before);
}
