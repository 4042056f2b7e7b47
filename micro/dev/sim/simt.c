/* Divergence: a warp is a list of splits, lanes at one place each. The lowest PC goes first, equal
 * PCs merge; a split that spins while others could go on gives way, so a lock taken by one lane of
 * a warp is released (independent thread scheduling's promise). No post-dominators are needed. */
#include <string.h>

#include "dev/sim/machine.h"

enum { SPIN_LIMIT = 32, BOOST = 256 };

bool sim_warp_members_here(const struct sim_warp_state *w, const struct sim_split *s,
                           uint32_t members)
{
    return (members & w->alive & ~s->mask) == 0;
}

static bool is_same_place(const struct sim_split *a, const struct sim_split *b)
{
    return a->pc == b->pc && a->depth == b->depth &&
           (a->depth == 0 || !memcmp(a->back, b->back, a->depth * sizeof *a->back));
}

static bool can_merge(const struct sim_split *a, const struct sim_split *b)
{
    const bool a_free = a->wait == SIM_RUNS || a->wait == SIM_AT_WARP;
    const bool b_free = b->wait == SIM_RUNS || b->wait == SIM_AT_WARP;
    return a_free && b_free && is_same_place(a, b);
}

static void remove_split(struct sim_warp_state *w, uint32_t i)
{
    w->splits[i] = w->splits[--w->n_splits];
    if (w->current == w->n_splits) w->current = i;
}

static void merge_all(struct sim_machine *m, struct sim_warp_state *w)
{
    for (uint32_t i = 0; i < w->n_splits; i++)
        for (uint32_t k = i + 1; k < w->n_splits;) {
            struct sim_split *a = &w->splits[i], *b = &w->splits[k];
            if (!can_merge(a, b)) {
                k++;
                continue;
            }
            a->mask |= b->mask;
            a->ready = sim_max(sim_max(a->ready, b->ready),
                               w->next + m->chip->reconverge_cycles);
            a->wait = SIM_RUNS; /* at a warp operation: it looks again */
            a->spins = 0;
            if (w->current == k) w->current = i;
            remove_split(w, k);
        }
}

static uint32_t lowest(const struct sim_warp_state *w)
{
    uint32_t best = w->n_splits;
    for (uint32_t i = 0; i < w->n_splits; i++)
        if (w->splits[i].wait == SIM_RUNS &&
            (best == w->n_splits || w->splits[i].pc < w->splits[best].pc))
            best = i;
    return best;
}

/* The runnable split that stands longest behind, for one that spins. */
static uint32_t other_than(const struct sim_warp_state *w, uint32_t i)
{
    for (uint32_t step = 1; step < w->n_splits; step++) {
        const uint32_t k = (i + step) % w->n_splits;
        if (w->splits[k].wait == SIM_RUNS) return k;
    }
    return i;
}

void sim_resettle(struct sim_machine *m, struct sim_warp_state *w)
{
    if (w->n_splits <= 1) return;
    merge_all(m, w);
    struct sim_split *s = &w->splits[w->current];
    if (s->wait == SIM_RUNS && s->spins > SPIN_LIMIT) {
        s->spins = 0;
        w->current = other_than(w, w->current);
        w->boost = BOOST;
        return;
    }
    if (w->boost && s->wait == SIM_RUNS) {
        w->boost--;
        return;
    }
    w->boost = 0;
    const uint32_t best = lowest(w);
    if (best < w->n_splits) w->current = best;
}

/* The lanes `taken` go to target, the split's others to `otherwise`. */
void sim_branch(struct sim_op *o, uint32_t taken, uint32_t target, uint32_t otherwise)
{
    struct sim_split *s = o->s;
    struct sim_warp_state *w = o->w;
    if (taken && target <= s->pc && w->n_splits > 1) s->spins++;
    if (taken == s->mask) {
        s->pc = target;
        return;
    }
    s->pc = otherwise;
    if (!taken) return;
    o->count->divergent_branches++;
    struct sim_split *other = &w->splits[w->n_splits++];
    *other = *s;
    other->mask = taken;
    other->pc = target;
    s->mask &= ~taken;
}
