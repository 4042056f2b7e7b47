/* optab_warp.c - opcodes that need other lanes, warps or CTAs. */
#include <string.h>

#include "dev/sim/optab.h"

static bool is_base(const struct ptx_decode *x, const char *base)
{
    return strlen(base) == x->part[0].n && memcmp(base, x->part[0].s, x->part[0].n) == 0;
}

/* --- one warp --- */

static bool shuffle(struct ptx_decode *x)
{
    static const struct ptx_word modes[] = {{"idx", SIM_SHFL_IDX}, {"up", SIM_SHFL_UP},
                                            {"down", SIM_SHFL_DOWN}, {"bfly", SIM_SHFL_BFLY},
                                            {NULL, 0}};
    const int mode = ptx_take_of(x, modes, -1);
    x->op->proto.op = (uint16_t)mode;
    x->op->signature = "xsssm";
    return mode >= 0 && ptx_take(x, "b32");
}

static bool vote(struct ptx_decode *x)
{
    static const struct ptx_word modes[] = {{"all", SIM_VOTE_ALL}, {"any", SIM_VOTE_ANY},
                                            {"uni", SIM_VOTE_UNI}, {"ballot", SIM_VOTE_BALLOT},
                                            {NULL, 0}};
    const int mode = ptx_take_of(x, modes, -1);
    x->op->proto.op = (uint16_t)mode;
    x->op->signature = mode == SIM_VOTE_BALLOT ? "dqm" : "pqm";
    return mode >= 0 && ptx_take(x, mode == SIM_VOTE_BALLOT ? "b32" : "pred");
}

static bool match(struct ptx_decode *x)
{
    const bool is_all = ptx_take(x, "all");
    if (!is_all && !ptx_take(x, "any")) return false;
    const bool is_wide = ptx_take(x, "b64");
    x->op->proto.op = is_all ? SIM_MATCH_ALL : SIM_MATCH_ANY;
    x->op->proto.mem.reg_bytes = is_wide ? 8 : 4;
    if (is_all) x->op->signature = is_wide ? "xSm" : "xsm";
    else x->op->signature = is_wide ? "dSm" : "dsm";
    return is_wide || ptx_take(x, "b32");
}

static bool redux(struct ptx_decode *x)
{
    static const struct ptx_word ops[] = {
        {"add", SIM_REDUX_ADD}, {"min", SIM_REDUX_MIN}, {"max", SIM_REDUX_MAX},
        {"and", SIM_REDUX_AND}, {"or", SIM_REDUX_OR}, {"xor", SIM_REDUX_XOR}, {NULL, 0}};
    static const struct ptx_word types[] = {
        {"u32", SIM_U32}, {"s32", SIM_S32}, {"b32", SIM_B32}, {NULL, 0}};
    const int op = ptx_take_of(x, ops, -1), type = ptx_take_of(x, types, -1);
    if (op < 0 || type < 0) return false;
    x->op->proto.op = (uint16_t)op;
    x->op->proto.type = (uint8_t)type;
    x->op->proto.imm = (uint32_t)type;
    x->op->signature = "dsm";
    return (type == SIM_B32) == (op >= SIM_REDUX_AND);
}

static bool warp(struct ptx_decode *x)
{
    struct ptx_opcode *op = x->op;
    op->proto.kind = SIM_WARP;
    if (is_base(x, "activemask")) {
        op->proto.op = SIM_ACTIVEMASK;
        op->signature = "d";
        return ptx_take(x, "b32");
    }
    op->proto.flags |= SIM_F_ALIGNED;
    if (!ptx_take(x, "sync")) return false; /* the forms before Volta */
    if (is_base(x, "shfl")) return shuffle(x);
    if (is_base(x, "vote")) return vote(x);
    if (is_base(x, "match")) return match(x);
    if (is_base(x, "redux")) return redux(x);
    op->proto.op = SIM_ELECT;
    op->signature = "xm";
    return true;
}

/* --- a CTA, a cluster --- */

static bool cluster_barrier(struct ptx_decode *x)
{
    static const struct ptx_word sems[] = {{"acquire", SIM_SEM_ACQUIRE},
                                           {"release", SIM_SEM_RELEASE},
                                           {"relaxed", SIM_SEM_RELAXED}, {NULL, 0}};
    struct ptx_opcode *op = x->op;
    op->proto.kind = SIM_CLUSTER_BARRIER;
    op->signature = "";
    const bool is_wait = ptx_take(x, "wait");
    if (!is_wait && !ptx_take(x, "arrive")) return false;
    op->proto.op = is_wait ? SIM_CBAR_WAIT : SIM_CBAR_ARRIVE;
    op->proto.mem.sem =
        (uint8_t)ptx_take_of(x, sems, is_wait ? SIM_SEM_ACQUIRE : SIM_SEM_RELEASE);
    if (ptx_take(x, "aligned")) op->proto.flags |= SIM_F_ALIGNED;
    return true;
}

static bool reduction(struct ptx_decode *x)
{
    struct ptx_opcode *op = x->op;
    if (ptx_take(x, "popc")) {
        op->proto.op = SIM_BAR_RED_POPC;
        op->signature = "dsq/dssq";
        return ptx_take(x, "u32");
    }
    op->signature = "psq/pssq";
    if (ptx_take(x, "and")) op->proto.op = SIM_BAR_RED_AND;
    else if (ptx_take(x, "or")) op->proto.op = SIM_BAR_RED_OR;
    else return false;
    return ptx_take(x, "pred");
}

static bool barrier(struct ptx_decode *x)
{
    struct ptx_opcode *op = x->op;
    if (ptx_take(x, "cluster")) return cluster_barrier(x);
    const bool is_bar = is_base(x, "bar");
    (void)ptx_take(x, "cta");
    if (is_bar && ptx_take(x, "warp")) {
        op->proto.kind = SIM_WARP;
        op->proto.op = SIM_WARP_BARRIER;
        op->proto.flags |= SIM_F_ALIGNED;
        op->signature = "m";
        return ptx_take(x, "sync");
    }
    op->proto.kind = SIM_BARRIER;
    if (ptx_take(x, "aligned") || is_bar) op->proto.flags |= SIM_F_ALIGNED;
    if (ptx_take(x, "sync")) {
        op->proto.op = SIM_BAR_SYNC;
        op->signature = "s/ss";
        return true;
    }
    if (ptx_take(x, "arrive")) {
        op->proto.op = SIM_BAR_ARRIVE;
        op->signature = "ss";
        return true;
    }
    return ptx_take(x, "red") && reduction(x);
}

bool ptx_decode_warp(struct ptx_decode *x)
{
    return is_base(x, "bar") || is_base(x, "barrier") ? barrier(x) : warp(x);
}
