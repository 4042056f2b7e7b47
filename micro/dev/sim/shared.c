/* Shared memory: banks and their conflicts.
 *
 * A request passes in phases of as many lanes as the banks can serve at full width (16-byte lanes:
 * a quarter of the warp on 32 banks of 4 bytes). A phase takes a slot of the port, and
 * shared_conflict_cycles more for each further word that one of its banks must deliver; lanes that
 * want the same word share it. */
#include "dev/sim/lsu.h"
#include "dev/sim/machine.h"

struct cost {
    uint32_t n_phases, n_conflicts;
};

static uint32_t lanes_a_phase(const struct ay_chip *c, uint32_t bytes)
{
    const uint64_t full = c->shared_banks * c->shared_bank_bytes;
    const uint64_t lanes = full / bytes;
    return lanes < 1 ? 1 : lanes > SIM_LANES ? SIM_LANES : (uint32_t)lanes;
}

/* Most words that one bank must deliver to these lanes. */
static uint32_t ways_of(const struct ay_chip *c, const uint64_t *offset, uint32_t mask,
                        uint32_t bytes)
{
    uint64_t words[4 * SIM_LANES];
    uint8_t n_of_bank[128] = { 0 };
    uint32_t n = 0, most = 1;
    const uint64_t bank_bytes = c->shared_bank_bytes, n_banks = c->shared_banks;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint64_t at = offset[__builtin_ctz(left)];
        const uint64_t last = (at + bytes - 1) / bank_bytes;
        for (uint64_t word = at / bank_bytes; word <= last; word++) {
            const uint32_t bank = (uint32_t)(word % n_banks);
            bool is_new = true;
            if (n_of_bank[bank])
                for (uint32_t k = 0; k < n && is_new; k++) is_new = words[k] != word;
            if (!is_new || n == 4 * SIM_LANES) continue;
            words[n] = word;
            n++;
            if (++n_of_bank[bank] > most) most = n_of_bank[bank];
        }
    }
    return most;
}

static bool is_conflict_free(const struct ay_chip *c, const uint64_t *offset, uint32_t mask,
                             uint32_t bytes)
{
    if (!(mask & (mask - 1))) return true;
    if (mask != UINT32_MAX || offset[0] % c->shared_bank_bytes) return false;
    uint64_t differ = 0;
    for (uint64_t i = 0; i < SIM_LANES; i++) differ |= offset[i] ^ (offset[0] + i * bytes);
    return differ == 0;
}

static struct cost cost_of(const struct ay_chip *c, const uint64_t *offset, uint32_t mask,
                           uint32_t bytes)
{
    const uint32_t lanes = lanes_a_phase(c, bytes);
    struct cost cost = { 0, 0 };
    const bool is_free = is_conflict_free(c, offset, mask, bytes);
    for (uint32_t first = 0; first < SIM_LANES; first += lanes) {
        const uint32_t part = lanes >= SIM_LANES ? mask
            : mask & (uint32_t)((((1ull << lanes) - 1) << first));
        if (!part) continue;
        cost.n_phases++;
        if (!is_free) cost.n_conflicts += ways_of(c, offset, part, bytes) - 1;
    }
    return cost;
}

uint64_t sim_time_shared(const struct sim_op *o, const uint64_t *offset, uint32_t mask,
                         uint32_t bytes)
{
    const struct ay_chip *c = o->m->chip;
    const struct cost cost = cost_of(c, offset, mask, bytes);
    const uint64_t slots = cost.n_phases + cost.n_conflicts * c->shared_conflict_cycles;
    const uint64_t t = sim_lsu_start(o->sm, o->t, slots << SIM_LSU_SHIFT);
    o->count->shared_requests++;
    o->count->shared_wavefronts += cost.n_phases + cost.n_conflicts;
    o->count->shared_conflicts += cost.n_conflicts;
    return t + slots - 1 + c->shared_latency_cycles;
}

/* Lanes on one word take their turns, atomic.shared.same_address_cycles each. */
uint64_t sim_time_shared_atomic(const struct sim_op *o, const uint64_t *offset, uint32_t mask,
                                uint32_t bytes)
{
    const struct ay_chip *c = o->m->chip;
    const struct cost cost = cost_of(c, offset, mask, bytes);
    uint32_t most = 1;
    for (uint32_t lanes = mask; lanes;) {
        const uint64_t at = offset[__builtin_ctz(lanes)];
        uint32_t n = 0;
        for (uint32_t left = lanes; left; left &= left - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(left);
            if (offset[i] != at) continue;
            lanes &= ~(1u << i);
            n++;
        }
        if (n > most) most = n;
    }
    const uint64_t slots = cost.n_phases + cost.n_conflicts * c->shared_conflict_cycles +
                           (most - 1) * c->atomic_shared_same_address_cycles;
    const uint64_t t = sim_lsu_start(o->sm, o->t, slots << SIM_LSU_SHIFT);
    o->count->atomics_shared++;
    o->count->shared_conflicts += cost.n_conflicts;
    return t + slots - 1 + c->atomic_shared_latency_cycles;
}

/* --- shared memory of other CTAs of the cluster ----------------------------------------------- */

static const struct sim_cta *target_of(const struct sim_op *o, uint64_t address)
{
    const struct sim_cta *own = o->w->cta;
    const uint64_t rank = address >> SIM_CLUSTER_SHIFT;
    if (!rank || !own->cluster || rank > own->cluster->n_ctas) return own;
    const struct sim_cta *other = own->cluster->ctas[rank - 1];
    return other ? other : own;
}

uint32_t sim_remote_lanes(const struct sim_op *o, const uint64_t *address, uint32_t mask)
{
    uint32_t remote = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        if (target_of(o, address[i]) != o->w->cta) remote |= 1u << i;
    }
    return remote;
}

/* A pair of SMs costs the latency and a hop for each TPC they are apart; what passes is bounded by
 * the port of the SM that asks. */
uint64_t sim_time_remote(const struct sim_op *o, const uint64_t *address, uint32_t mask,
                         uint32_t bytes)
{
    const struct ay_chip *c = o->m->chip;
    uint64_t farthest = 0;
    uint32_t n = 0;
    for (uint32_t left = mask; left; left &= left - 1, n++) {
        const struct sim_cta *to = target_of(o, address[__builtin_ctz(left)]);
        const uint64_t a = c->sm_tpc.of[o->sm->number], b = c->sm_tpc.of[to->sm->number];
        farthest = sim_max(farthest, a > b ? a - b : b - a);
    }
    const uint64_t t = sim_lsu_start(o->sm, o->t, 1ull << SIM_LSU_SHIFT);
    const uint32_t piece = bytes * SIM_UNITS_PER_BYTE;
    const uint64_t start = sim_port_reserve(&o->sm->dsmem, t, n * piece, piece);
    o->count->shared_requests++;
    return start + c->dsmem_latency_cycles + farthest * c->dsmem_hop_cycles;
}
