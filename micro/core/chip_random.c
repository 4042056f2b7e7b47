#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/chip_table.h"
#include "core/stats.h"

/* A whole number in [low, high]. */
static uint64_t between(struct ay_random *r, uint64_t low, uint64_t high)
{
    return low + ay_random_below(r, high - low + 1);
}

static bool is_power_of_two(uint64_t x)
{
    return !(x & (x - 1));
}

static void draw_shape(struct ay_chip *c, struct ay_random *r)
{
    static const enum ay_chip_arch archs[] = {AY_ARCH_sm_80, AY_ARCH_sm_90a, AY_ARCH_sm_100a,
                                              AY_ARCH_sm_120a};
    c->arch = archs[ay_random_below(r, 4)];
    c->sms = between(r, 2, 16);
    c->gpcs = between(r, 1, 2);
    c->sm_clock_mhz = (double)between(r, 700, 2600);
    c->globaltimer_step_ns = between(r, 1, 1024);
    c->clock_read_cycles = between(r, 1, 6);
    c->clock_skew_cycles = ay_random_below(r, 2) * between(r, 1, 50);
    c->shared_latency_cycles = between(r, 15, 45);
    c->shared_conflict_cycles = between(r, 1, 4);
}

static void draw_l1(struct ay_chip *c, struct ay_random *r)
{
    c->l1_latency_cycles = between(r, 20, 80);
    c->l1_ways = between(r, 2, 16);
    const uint64_t set_bytes = c->l1_ways * c->l1_line_bytes;
    const uint64_t most = 262144 / set_bytes, least = (16384 + set_bytes - 1) / set_bytes;
    const bool wants_power = ay_random_below(r, 2);
    uint64_t sets;
    do {
        sets = between(r, least, most);
        if (wants_power)
            while (!is_power_of_two(sets)) sets &= sets - 1; /* the power below */
    } while (sets < least || is_power_of_two(sets) != wants_power);
    c->l1_bytes = sets * set_bytes;
    c->l1_policy = (enum ay_chip_policy)ay_random_below(r, AY_N_CHIP_POLICIES);
    c->l1_hash = (enum ay_chip_hash)ay_random_below(r, AY_N_CHIP_HASHES);
}

static void draw_l2(struct ay_chip *c, struct ay_random *r)
{
    c->l2_partitions = between(r, 1, 2);
    c->l2_slices = c->l2_partitions * between(r, 1, 12 / c->l2_partitions);
    c->l2_ways = between(r, 4, 16);
    const uint64_t unit = c->l2_slices * c->l2_ways * c->l2_line_bytes;
    c->l2_bytes = unit * between(r, (524288 + unit - 1) / unit, 4194304 / unit);
    c->l2_policy = (enum ay_chip_policy)ay_random_below(r, AY_N_CHIP_POLICIES);
    c->l2_hash = (enum ay_chip_hash)ay_random_below(r, AY_N_CHIP_HASHES);
    c->l2_replicate = ay_random_below(r, 3) == 0 ? AY_REPLICATE_read : AY_REPLICATE_none;
    c->l2_near_latency_cycles = between(r, 100, 350);
    c->l2_far_latency_cycles = c->l2_near_latency_cycles + between(r, 0, 300);
    c->l2_fill_bytes = (uint64_t)32 << ay_random_below(r, 3);
    c->dram_latency_ns = (double)between(r, 80, 600);
    c->dram_row_hit_saving_ns = (double)between(r, 0, 40);
    c->dram_channels = between(r, 1, 8);
    /* What SMs can take, what L2 gives, what DRAM gives: each a little less than the one before, so
     * that each is seen. */
    c->l2_bytes_per_clk = c->sms * c->noc_bytes_per_clk_per_sm / 2;
    c->dram_bytes_per_s = (double)(c->l2_bytes_per_clk / 4) * c->sm_clock_mhz * 1e6;
    c->copy_d2d_bytes_per_s = floor(c->dram_bytes_per_s * 0.4);
    c->mem_clock_mhz = 1500;
    c->mem_bus_bits = (uint64_t)(c->dram_bytes_per_s * 8 / (2 * 1500e6)) + 1;
}

static void draw_tlb(struct ay_chip *c, struct ay_random *r)
{
    c->tlb1_entries = between(r, 8, 128);
    c->tlb1_ways = c->tlb1_entries;
    c->tlb2_entries = between(r, 2 * c->tlb1_entries, 512);
    c->tlb2_ways = c->tlb2_entries;
    c->tlb1_miss_cycles = between(r, 10, 80);
    c->tlb2_miss_cycles = between(r, 100, 400);
    c->tlb1_scope = (enum ay_tlb_scope)ay_random_below(r, 2);
    c->dram_bytes = (uint64_t)8 << 30; /* four times the farthest reach of 512 x 2 MiB, and more */
}

static void draw_classes(struct ay_chip *c, struct ay_random *r)
{
    for (int i = 0; i < AY_N_ALU_CLASSES; i++) {
        c->alu_latency_cycles[i] = between(r, 2, 40);
        c->alu_interval_cycles[i] = between(r, 1, 8);
    }
    c->branch_cycles = between(r, 2, 16);
    c->reconverge_cycles = between(r, 0, 16);
    for (int i = 0; i < AY_N_WARP_OPS; i++) {
        c->warp_latency_cycles[i] = between(r, 4, 40);
        c->warp_interval_cycles[i] = between(r, 1, 8);
    }
    c->barrier_base_cycles = between(r, 10, 40);
    c->barrier_per_warp_cycles = between(r, 1, 4);
    c->atomic_shared_latency_cycles = c->shared_latency_cycles + between(r, 5, 30);
    c->atomic_l2_latency_cycles = c->l2_near_latency_cycles + between(r, 10, 100);
    c->atomic_l2_same_address_cycles = between(r, 8, 64);
    c->dsmem_latency_cycles = between(r, 100, 250);
}

static void draw_noise(struct ay_chip *c, struct ay_random *r, uint64_t seed)
{
    c->seed = seed & 0xffffffff;
    if (ay_random_below(r, 2)) c->noise_sigma_ratio = (double)between(r, 10, 100) * 1e-4;
    if (c->noise_sigma_ratio > 0) {
        c->outlier_probability = (double)between(r, 0, 10) * 1e-3;
        c->outlier_ratio = 1.5;
    }
    if (ay_random_below(r, 5) != 0) return;
    /* A lying driver: unknown, half, double. */
    static const double lies[] = {0, 0.5, 2};
    c->reported_l2_bytes =
        (struct ay_reported){true, floor(lies[ay_random_below(r, 3)] * (double)c->l2_bytes)};
    c->reported_sm_clock_mhz =
        (struct ay_reported){true, floor(lies[ay_random_below(r, 3)] * c->sm_clock_mhz)};
    c->reported_mem_clock_mhz =
        (struct ay_reported){true, floor(lies[ay_random_below(r, 3)] * c->mem_clock_mhz)};
}

enum ay_status ay_chip_draw(uint64_t seed, struct ay_chip *out, struct ay_error *err)
{
    struct ay_random r = {.state = seed};
    AY_TRY(ay_chip_base("plain", "", out, err));
    snprintf(out->name, sizeof out->name, "random:%" PRIu64, seed);
    draw_shape(out, &r);
    draw_l1(out, &r);
    draw_l2(out, &r);
    draw_tlb(out, &r);
    draw_classes(out, &r);
    draw_noise(out, &r, seed);
    return AY_OK;
}
