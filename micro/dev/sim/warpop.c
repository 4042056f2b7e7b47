/* Operations across the lanes of a warp: shuffles, votes, matches, reductions. */
#include "dev/sim/machine.h"

static void shuffle(struct sim_op *o)
{
    const struct sim_uop *u = o->u;
    const uint32_t *a = o->w->rows[u->a], *b = o->w->rows[u->b], *c = o->w->rows[u->c];
    uint32_t out[SIM_LANES], from_inside = 0;
    for (uint32_t i = 0; i < SIM_LANES; i++) {
        const uint32_t clamp = c[i] & 31, segment = c[i] >> 8 & 31, by = b[i] & 31;
        const uint32_t high = (i & segment) | (clamp & ~segment), low = i & segment;
        int32_t j = (int32_t)i;
        bool inside = false;
        switch (u->op) {
        case SIM_SHFL_UP:
            j = (int32_t)i - (int32_t)by;
            inside = j >= (int32_t)high;
            break;
        case SIM_SHFL_DOWN:
            j = (int32_t)(i + by);
            inside = j <= (int32_t)high;
            break;
        case SIM_SHFL_BFLY:
            j = (int32_t)(i ^ by);
            inside = j <= (int32_t)high;
            break;
        default:
            j = (int32_t)(low | (by & ~segment));
            inside = j <= (int32_t)high;
        }
        out[i] = a[inside ? (uint32_t)j & 31 : i];
        from_inside |= (uint32_t)inside << i;
    }
    for (uint32_t i = 0; i < SIM_LANES && u->d != SIM_NONE; i++)
        if (o->mask >> i & 1) o->w->rows[u->d][i] = out[i];
    if (u->pd != SIM_NONE)
        o->w->preds[u->pd] = (o->w->preds[u->pd] & ~o->mask) | (from_inside & o->mask);
}

static void set_all(struct sim_op *o, uint16_t row, uint32_t value)
{
    if (row == SIM_NONE) return;
    for (uint32_t i = 0; i < SIM_LANES; i++)
        if (o->mask >> i & 1) o->w->rows[row][i] = value;
}

static void set_pred(struct sim_op *o, uint16_t pred, uint32_t lanes)
{
    if (pred == SIM_NONE) return;
    o->w->preds[pred] = (o->w->preds[pred] & ~o->mask) | (lanes & o->mask);
}

static void vote(struct sim_op *o)
{
    const struct sim_uop *u = o->u;
    const uint32_t yes = (o->w->preds[u->pa] ^ u->pa_xor) & o->mask;
    switch (u->op) {
    case SIM_VOTE_ALL: set_pred(o, u->pd, yes == o->mask ? UINT32_MAX : 0); break;
    case SIM_VOTE_ANY: set_pred(o, u->pd, yes ? UINT32_MAX : 0); break;
    case SIM_VOTE_UNI: set_pred(o, u->pd, yes == 0 || yes == o->mask ? UINT32_MAX : 0); break;
    default: set_all(o, u->d, yes);
    }
}

static void match(struct sim_op *o)
{
    const struct sim_uop *u = o->u;
    const bool is_wide = u->mem.reg_bytes == 8;
    const uint64_t *wide = (const uint64_t *)(const void *)o->w->rows[u->a];
    uint64_t v[SIM_LANES];
    uint32_t peers[SIM_LANES] = { 0 };
    for (uint32_t i = 0; i < SIM_LANES; i++) v[i] = is_wide ? wide[i] : o->w->rows[u->a][i];
    for (uint32_t i = 0; i < SIM_LANES; i++)
        for (uint32_t k = 0; k < SIM_LANES; k++)
            if (o->mask >> i & o->mask >> k & 1 && v[i] == v[k]) peers[i] |= 1u << k;
    if (u->op == SIM_MATCH_ALL) {
        const bool all = peers[__builtin_ctz(o->mask)] == o->mask;
        set_all(o, u->d, all ? o->mask : 0);
        set_pred(o, u->pd, all ? UINT32_MAX : 0);
        return;
    }
    for (uint32_t i = 0; i < SIM_LANES; i++)
        if (o->mask >> i & 1) o->w->rows[u->d][i] = peers[i];
}

static void reduce(struct sim_op *o)
{
    const struct sim_uop *u = o->u;
    static const uint8_t OPS[] = { [SIM_REDUX_ADD] = SIM_ATOM_ADD, [SIM_REDUX_MIN] = SIM_ATOM_MIN,
                                   [SIM_REDUX_MAX] = SIM_ATOM_MAX, [SIM_REDUX_AND] = SIM_ATOM_AND,
                                   [SIM_REDUX_OR] = SIM_ATOM_OR, [SIM_REDUX_XOR] = SIM_ATOM_XOR };
    const uint32_t *a = o->w->rows[u->a];
    uint64_t sum = a[__builtin_ctz(o->mask)];
    for (uint32_t left = o->mask & (o->mask - 1); left; left &= left - 1)
        sum = sim_atom_apply((enum sim_atom)OPS[u->op], (enum sim_type)u->imm, sum,
                             a[__builtin_ctz(left)], 0);
    set_all(o, u->d, (uint32_t)sum);
}

void sim_exec_warp(struct sim_op *o)
{
    const struct sim_uop *u = o->u;
    if (!o->mask) return;
    switch (u->op) {
    case SIM_SHFL_IDX:
    case SIM_SHFL_UP:
    case SIM_SHFL_DOWN:
    case SIM_SHFL_BFLY: shuffle(o); break;
    case SIM_VOTE_ALL:
    case SIM_VOTE_ANY:
    case SIM_VOTE_UNI:
    case SIM_VOTE_BALLOT: vote(o); break;
    case SIM_MATCH_ANY:
    case SIM_MATCH_ALL: match(o); break;
    case SIM_ACTIVEMASK: set_all(o, u->d, o->mask); break;
    case SIM_ELECT:
        set_all(o, u->d, (uint32_t)__builtin_ctz(o->mask));
        set_pred(o, u->pd, o->mask & -o->mask);
        break;
    case SIM_WARP_BARRIER: break;
    default: reduce(o);
    }
}
