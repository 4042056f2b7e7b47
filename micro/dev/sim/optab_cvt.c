/* optab_cvt.c - opcodes with a type on either side: mov, cvt, cvta, setp, set, isspacep. */
#include <string.h>

#include "dev/sim/alu.h"
#include "dev/sim/optab.h"

static const struct ptx_word types[] = {
    {"u8", T_U8}, {"s8", T_S8}, {"b8", T_U8}, {"u16", T_U16}, {"s16", T_S16}, {"b16", T_U16},
    {"u32", T_U32}, {"s32", T_S32}, {"b32", T_U32}, {"u64", T_U64}, {"s64", T_S64},
    {"b64", T_U64}, {"f16", T_F16}, {"bf16", T_BF16}, {"f32", T_F32}, {"f64", T_F64},
    {"tf32", T_TF32}, {"f16x2", T_F16X2}, {"bf16x2", T_BF16X2}, {"e4m3x2", T_E4M3X2},
    {"e5m2x2", T_E5M2X2}, {NULL, 0}};

static bool is_base(const struct ptx_decode *x, const char *base)
{
    return strlen(base) == x->part[0].n && memcmp(base, x->part[0].s, x->part[0].n) == 0;
}

static bool is_wide(int type)
{
    return type == T_U64 || type == T_S64 || type == T_F64;
}

static bool is_float(int type)
{
    return type >= T_F16 && type <= T_TF32;
}

/* --- mov --- */

static bool mov(struct ptx_decode *x)
{
    static const struct ptx_word bits[] = {
        {"pred", 1}, {"b16", 16}, {"u16", 16}, {"s16", 16}, {"f16", 16}, {"bf16", 16},
        {"b32", 32}, {"u32", 32}, {"s32", 32}, {"f32", 32}, {"f16x2", 32}, {"bf16x2", 32},
        {"b64", 64}, {"u64", 64}, {"s64", 64}, {"f64", 64}, {"b128", 128}, {NULL, 0}};
    x->op->mov_bits = (uint8_t)ptx_take_of(x, bits, 0);
    x->op->bind = PTX_BIND_MOV;
    x->op->proto.kind = SIM_ALU;
    x->op->proto.cls = AY_ALU_mov;
    return x->op->mov_bits != 0;
}

/* --- cvt --- */

/* Which pairs exist [ptx-isa 9.7.9.22]. */
static bool has_pair(int to, int from, uint32_t imm)
{
    if (imm & CVT_PACK) return from == T_F32 && to >= T_F16X2;
    if (from == T_E4M3X2 || from == T_E5M2X2) return to == T_F16X2;
    if (from == T_F16X2) return to == T_E4M3X2 || to == T_E5M2X2;
    if (to == T_TF32) return from == T_F32;
    return to < T_TF32 && from < T_TF32;
}

static bool rounding(struct ptx_decode *x, uint32_t *imm, bool *is_given)
{
    static const struct ptx_word rounds[] = {
        {"rn", 0}, {"rz", 1}, {"rm", 2}, {"rp", 3}, {"rna", 4}, {"rni", 8}, {"rzi", 9},
        {"rmi", 10}, {"rpi", 11}, {NULL, 0}};
    const int round = ptx_take_of(x, rounds, -1);
    *is_given = round >= 0;
    if (round < 0) return true;
    *imm |= (uint32_t)(round & 7) << CVT_ROUND;
    if (round & 8) *imm |= CVT_INTEGRAL;
    return true;
}

static bool cvt(struct ptx_decode *x)
{
    struct ptx_opcode *op = x->op;
    struct sim_uop *u = &op->proto;
    struct ptx_decode plain = *x;
    uint32_t imm = 0;
    bool has_round;
    if (ptx_take(x, "pack") || !rounding(x, &imm, &has_round)) return false;
    if (ptx_take(x, "ftz")) imm |= CVT_FTZ;
    if (ptx_take(x, "sat")) imm |= CVT_SAT;
    if (ptx_take(x, "satfinite")) imm |= CVT_SATFINITE;
    if (ptx_take(x, "relu")) imm |= CVT_RELU;
    /* The parts are in order: the first type that is left is the result's. */
    const int to = x->n_parts == 3 ? ptx_take_of(x, types, -1) : -1;
    const int from = ptx_take_of(x, types, -1);
    if (to < 0 || from < 0) return false;
    if (to >= T_F16X2 && from == T_F32) imm |= CVT_PACK;
    if (!has_pair(to, from, imm)) return false;
    const bool to_integer = to < T_F16;
    if (to_integer && is_float(from) && !(imm & CVT_INTEGRAL)) return false;
    if (to_integer && imm & (CVT_RELU | CVT_SATFINITE)) return false;
    imm |= (uint32_t)to | (uint32_t)from << CVT_FROM;
    op->to_type = (uint8_t)to;
    op->from_type = (uint8_t)from;
    /* Forms that are loops; the rest goes lane by lane. */
    const bool is_form = ptx_decode_alu(&plain);
    op->bind = PTX_BIND_CVT;
    if (is_form && !(imm & CVT_SAT)) return true;
    *u = (struct sim_uop){.kind = SIM_ALU, .cls = AY_ALU_cvt, .opcode = u->opcode,
                          .op = ALU_CVT, .guard = SIM_PRED_TRUE, .imm = imm,
                          .d = SIM_NONE, .a = SIM_NONE, .b = SIM_NONE, .c = SIM_NONE,
                          .e = SIM_NONE, .pd = SIM_NONE, .pq = SIM_NONE, .pa = SIM_NONE,
                          .pb = SIM_NONE};
    if (to_integer && !is_float(from)) u->cls = AY_ALU_mov;
    if (imm & CVT_PACK) op->signature = "dss";
    else if (is_wide(to)) op->signature = is_wide(from) ? "DS" : "Ds";
    else op->signature = is_wide(from) ? "dS" : "ds";
    return true;
}

/* --- addresses --- */

static const struct { const char *name; uint64_t window; int space; } windows[] = {
    {"global", 0, SIM_SPACE_GLOBAL},
    {"shared", SIM_SHARED_WINDOW, SIM_SPACE_SHARED},
    {"shared::cta", SIM_SHARED_WINDOW, SIM_SPACE_SHARED},
    {"shared::cluster", SIM_SHARED_WINDOW, SIM_SPACE_SHARED_CLUSTER},
    {"local", SIM_LOCAL_WINDOW, SIM_SPACE_LOCAL},
    {"const", SIM_CONST_WINDOW, SIM_SPACE_CONST},
    {"param", SIM_PARAM_WINDOW, SIM_SPACE_PARAM},
    {"param::entry", SIM_PARAM_WINDOW, SIM_SPACE_PARAM},
};

static bool cvta(struct ptx_decode *x)
{
    struct sim_uop *u = &x->op->proto;
    const bool is_to_space = ptx_take(x, "to");
    u->kind = SIM_ALU;
    u->cls = AY_ALU_mov;
    x->op->signature = "DS";
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        if (!ptx_take(x, windows[i].name)) continue;
        u->op = windows[i].window == 0 ? ALU_MOV64 : is_to_space ? ALU_FROM_WINDOW : ALU_TO_WINDOW;
        if (u->op == ALU_TO_WINDOW) u->imm = (uint32_t)(windows[i].window >> 32);
        return ptx_take(x, "u64");
    }
    return false;
}

static bool isspacep(struct ptx_decode *x)
{
    struct sim_uop *u = &x->op->proto;
    u->kind = SIM_ALU;
    u->cls = AY_ALU_setp;
    u->op = ALU_ISSPACEP;
    x->op->signature = "pS";
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        if (!ptx_take(x, windows[i].name)) continue;
        u->imm = (uint32_t)windows[i].space;
        return true;
    }
    return false;
}

/* --- comparisons --- */

static bool comparison(struct ptx_decode *x, bool is_setp)
{
    static const struct ptx_word cmps[] = {
        {"eq", CMP_EQ}, {"ne", CMP_NE}, {"lt", CMP_LT}, {"le", CMP_LE}, {"gt", CMP_GT},
        {"ge", CMP_GE}, {"lo", CMP_LT}, {"ls", CMP_LE}, {"hi", CMP_GT}, {"hs", CMP_GE},
        {"equ", CMP_EQU}, {"neu", CMP_NEU}, {"ltu", CMP_LTU}, {"leu", CMP_LEU},
        {"gtu", CMP_GTU}, {"geu", CMP_GEU}, {"num", CMP_NUM}, {"nan", CMP_NAN}, {NULL, 0}};
    static const struct ptx_word bools[] = {{"and", 1}, {"or", 2}, {"xor", 3}, {NULL, 0}};
    static const struct ptx_word results[] = {{"u32", 0}, {"s32", 0}, {"b32", 0},
                                              {"f32", SET_FLOAT}, {NULL, 0}};
    struct sim_uop *u = &x->op->proto;
    const int cmp = ptx_take_of(x, cmps, -1);
    const int with = ptx_take_of(x, bools, 0);
    if (ptx_take(x, "ftz")) u->imm |= SETP_FTZ;
    if (!is_setp) {
        const int result = x->n_parts == 3 ? ptx_take_of(x, results, -1) : -1;
        if (result < 0) return false;
        u->imm |= (uint32_t)result;
    }
    const int type = ptx_take_of(x, types, -1);
    if (cmp < 0 || type < T_U16 || type == T_TF32 || type >= T_E4M3X2) return false;
    if (cmp > CMP_GE && type < T_F16) return false;
    if (!is_setp && type >= T_F16X2) return false;
    u->kind = SIM_ALU;
    u->cls = AY_ALU_setp;
    u->op = is_setp ? ALU_SETP : ALU_SET;
    u->imm |= (uint32_t)cmp | (uint32_t)type << SETP_TYPE | (uint32_t)with << SETP_BOOL;
    if (is_setp) x->op->signature = with ? (is_wide(type) ? "pSSq" : "pssq")
                                         : (is_wide(type) ? "pSS" : "pss");
    else x->op->signature = with ? (is_wide(type) ? "dSSq" : "dssq")
                                 : (is_wide(type) ? "dSS" : "dss");
    return true;
}

bool ptx_decode_convert(struct ptx_decode *x)
{
    if (is_base(x, "mov")) return mov(x);
    if (is_base(x, "cvt")) return cvt(x);
    if (is_base(x, "cvta")) return cvta(x);
    if (is_base(x, "isspacep")) return isspacep(x);
    return comparison(x, is_base(x, "setp"));
}
