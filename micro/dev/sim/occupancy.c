/* How many CTAs an SM holds: registers, shared memory, warps, CTAs, in allocation units. */
#include "dev/sim/machine.h"

static uint64_t round_up(uint64_t x, uint64_t unit) { return (x + unit - 1) / unit * unit; }

struct sim_need sim_cta_needs(const struct sim_machine *m, const struct sim_launch_config *c)
{
    const struct ay_chip *chip = m->chip;
    const struct sim_kernel *k = c->kernel;
    struct sim_need need = { 0 };
    const uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2];
    need.warps = (uint32_t)((threads + SIM_LANES - 1) / SIM_LANES);
    need.shared_bytes = k->shared_bytes;
    if (k->dynamic_shared_offset + c->dynamic_shared_bytes > need.shared_bytes)
        need.shared_bytes = k->dynamic_shared_offset + c->dynamic_shared_bytes;
    need.registers = round_up((uint64_t)k->n_registers * SIM_LANES, chip->register_alloc_unit) *
                     need.warps;
    need.shared = round_up(need.shared_bytes + chip->shared_reserved_per_cta,
                           chip->shared_alloc_unit);
    return need;
}

static uint64_t quotient(uint64_t have, uint64_t used, uint64_t need, uint64_t least)
{
    const uint64_t fits = need == 0 ? least : (have > used ? have - used : 0) / need;
    return fits < least ? fits : least;
}

uint32_t sim_room_for(const struct sim_machine *m, const struct sim_sm *sm,
                      const struct sim_need *need)
{
    const struct ay_chip *c = m->chip;
    uint64_t n = quotient(c->ctas_per_sm, sm->n_ctas, 1, c->ctas_per_sm);
    n = quotient(c->smsps_per_sm * c->warps_per_smsp, sm->used_warps, need->warps, n);
    n = quotient(c->registers_per_sm, sm->used_registers, need->registers, n);
    n = quotient(c->shared_bytes_per_sm, sm->used_shared, need->shared, n);
    return (uint32_t)n;
}

uint32_t sim_occupancy(const struct sim_machine *m, const struct sim_launch_config *config)
{
    const struct sim_sm empty = { 0 };
    const struct sim_need need = sim_cta_needs(m, config);
    if (need.shared_bytes > m->chip->shared_bytes_per_cta) return 0;
    return sim_room_for(m, &empty, &need);
}

uint32_t sim_max_clusters(const struct sim_machine *m, const struct sim_launch_config *config)
{
    const uint32_t per_sm = sim_occupancy(m, config);
    const struct sim_kernel *k = config->kernel;
    uint32_t size = 1, n = 0;
    for (int d = 0; d < 3; d++) {
        const uint32_t extent = config->cluster[d] ? config->cluster[d] : k->cluster[d];
        if (extent) size *= extent;
    }
    for (uint32_t g = 0; g < ay_chip_n_gpcs(m->chip); g++) {
        uint32_t ctas = 0;
        for (uint32_t i = 0; i < m->n_sms; i++)
            if (m->chip->sm_gpc.of[i] == g) ctas += per_sm;
        n += ctas / size;
    }
    return size > m->chip->cluster_max_ctas ? 0 : n;
}
