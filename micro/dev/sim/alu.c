/* alu.c - integer and float arithmetic over the lanes of a warp: loops that become vectors. */
#include "dev/sim/alu.h"

#include <fenv.h>
#include <math.h>

#include "dev/sim/alu_lane.h"

/* Results of lanes outside the mask stay as they were. */
LANE void blend32(u32_row *d, const u32_row *t, uint32_t mask)
{
    NO_CARRIED
    for (int i = 0; i < 32; i++) d[i] = mask >> i & 1 ? t[i] : d[i];
}

LANE void blend64(u64_row *d, const u64_row *t, uint32_t mask)
{
    NO_CARRIED
    for (int i = 0; i < 32; i++) d[i] = mask >> i & 1 ? t[i] : d[i];
}

#define blend_u32(d, t, mask) blend32((u32_row *)(d), (const u32_row *)(t), mask)
#define blend_f32(d, t, mask) blend32((u32_row *)(d), (const u32_row *)(t), mask)
#define blend_u64(d, t, mask) blend64((u64_row *)(d), (const u64_row *)(t), mask)
#define blend_f64(d, t, mask) blend64((u64_row *)(d), (const u64_row *)(t), mask)

/* One operation for 32 lanes. An operand may be the destination, never a part of it, so no lane
 * waits for another. */
#define LANES(TD, TA, TB, TC, TE, expression)                                         \
    do {                                                                              \
        TD##_row *const out = full ? (TD##_row *)d_row : (TD##_row *)spare;           \
        NO_CARRIED                                                                    \
        for (int i = 0; i < 32; i++) {                                                \
            const __auto_type a = VALUE_##TA(a_row);                                  \
            const __auto_type b = VALUE_##TB(b_row);                                  \
            const __auto_type c = VALUE_##TC(c_row);                                  \
            const __auto_type e = VALUE_##TE(e_row);                                  \
            (void)a, (void)b, (void)c, (void)e;                                       \
            out[i] = (TD##_row)(expression);                                          \
        }                                                                             \
        if (!full) blend_##TD(d_row, spare, mask);                                    \
    } while (0)

#define OPERANDS                                                                      \
    const bool full = mask == ~0u;                                                    \
    uint64_t spare[32];                                                               \
    void *const d_row = rows[u->d];                                                   \
    const void *const a_row = rows[u->a], *const b_row = rows[u->b];                  \
    const void *const c_row = rows[u->c], *const e_row = rows[u->e];                  \
    const uint32_t imm = u->imm;                                                      \
    (void)e_row, (void)c_row, (void)b_row, (void)imm

CLONES void sim_alu_int(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask)
{
    OPERANDS;
    switch (u->op) {
#define X(id, names, class, mods, sig, TD, TA, TB, TC, TE, expression) \
    case ALU_##id: LANES(TD, TA, TB, TC, TE, expression); break;
    ALU_INT(X)
#undef X
    default: break;
    }
}

/* --- floats without modifiers --- */

CLONES static void f32_plain(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask)
{
    OPERANDS;
    switch (u->op) {
#define X(id, names, class, mods, sig, TD, TA, TB, TC, TE, expression) \
    case ALU_##id: LANES(TD, TA, TB, TC, TE, canonical(expression)); break;
    ALU_F32(X)
#undef X
    default: break;
    }
}

CLONES static void f64_plain(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask)
{
    OPERANDS;
    switch (u->op) {
#define X(id, names, class, mods, sig, TD, TA, TB, TC, TE, expression) \
    case ALU_##id: LANES(TD, TA, TB, TC, TE, expression); break;
    ALU_F64(X)
#undef X
    default: break;
    }
}

/* --- floats with modifiers: operands and result pass through flush and saturation --- */

CLONES static void flush_rows(const struct sim_uop *u, uint32_t (*rows)[32],
                              uint32_t (*flushed)[32])
{
    const uint16_t from[3] = {u->a, u->b, u->c};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 32; i++)
            flushed[k][i] = bits_of(flush(float_of(rows[from[k]][i])));
}

CLONES static void f32_modified(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask)
{
    uint32_t work[4][32];
    struct sim_uop inner = *u;
    const bool ftz = u->imm & ALU_FTZ;
    if (ftz) flush_rows(u, rows, work);
    else {
        memcpy(work[0], rows[u->a], sizeof work[0]);
        memcpy(work[1], rows[u->b], sizeof work[1]);
        memcpy(work[2], rows[u->c], sizeof work[2]);
    }
    inner.a = 0;
    inner.b = 1;
    inner.c = 2;
    inner.d = 3;
    inner.e = 0;
    f32_plain(&inner, work, ~0u);
    for (int i = 0; i < 32; i++) {
        float x = float_of(work[3][i]);
        if (ftz) x = flush(x);
        if (u->imm & ALU_SAT) x = saturate(x);
        work[3][i] = bits_of(x);
    }
    blend32(rows[u->d], work[3], mask);
}

/* The host's FPU rounds as asked: one call more exact than any trick with error terms. */
static int host_rounding(uint32_t imm)
{
    static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    return modes[imm & ALU_ROUND];
}

void sim_alu_f32(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask)
{
    if (u->imm == 0) {
        f32_plain(u, rows, mask);
        return;
    }
    if ((u->imm & ALU_ROUND) == 0) {
        f32_modified(u, rows, mask);
        return;
    }
    const int before = fegetround();
    fesetround(host_rounding(u->imm));
    f32_modified(u, rows, mask);
    fesetround(before);
}

void sim_alu_f64(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask)
{
    if ((u->imm & ALU_ROUND) == 0) {
        f64_plain(u, rows, mask);
        return;
    }
    const int before = fegetround();
    fesetround(host_rounding(u->imm));
    f64_plain(u, rows, mask);
    fesetround(before);
}

/* --- all --- */

CLONES static void select32(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t pick,
                            uint32_t mask)
{
    const uint32_t *a = rows[u->a], *b = rows[u->b];
    uint32_t *d = rows[u->d];
    NO_CARRIED
    for (int i = 0; i < 32; i++) {
        const uint32_t t = pick >> i & 1 ? a[i] : b[i];
        d[i] = mask >> i & 1 ? t : d[i];
    }
}

CLONES static void select64(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t pick,
                            uint32_t mask)
{
    const u64_row *a = (const u64_row *)rows[u->a], *b = (const u64_row *)rows[u->b];
    u64_row *d = (u64_row *)rows[u->d];
    NO_CARRIED
    for (int i = 0; i < 32; i++) {
        const uint64_t t = pick >> i & 1 ? a[i] : b[i];
        d[i] = mask >> i & 1 ? t : d[i];
    }
}

static bool in_space(uint64_t address, uint32_t space)
{
    switch (space) {
    case SIM_SPACE_SHARED: case SIM_SPACE_SHARED_CLUSTER:
        return address >> 32 == SIM_SHARED_WINDOW >> 32;
    case SIM_SPACE_LOCAL: return address >> 32 == SIM_LOCAL_WINDOW >> 32;
    case SIM_SPACE_CONST: return address >> 32 == SIM_CONST_WINDOW >> 32;
    case SIM_SPACE_PARAM: return address >> 32 == SIM_PARAM_WINDOW >> 32;
    default: return address < SIM_WINDOWS;
    }
}

static uint32_t is_in_space(const struct sim_uop *u, uint32_t (*rows)[32])
{
    const u64_row *a = (const u64_row *)rows[u->a];
    uint32_t in = 0;
    for (int i = 0; i < 32; i++) in |= (uint32_t)in_space(a[i], u->imm) << i;
    return in;
}

static void put_pred(uint32_t *preds, uint16_t which, uint32_t value, uint32_t mask)
{
    preds[which] = (preds[which] & ~mask) | (value & mask);
}

CLONES static void int_to_f32(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask)
{
    const uint32_t *a = rows[u->a];
    const bool is_signed = u->op == ALU_CVT_F32_S32;
    uint32_t t[32];
    if (is_signed)
        for (int i = 0; i < 32; i++) t[i] = bits_of((float)(int32_t)a[i]);
    else
        for (int i = 0; i < 32; i++) t[i] = bits_of((float)a[i]);
    blend32(rows[u->d], t, mask);
}

static void other(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t *preds, uint32_t mask)
{
    const uint32_t p = u->pa == SIM_NONE ? 0 : preds[u->pa] ^ u->pa_xor;
    const uint32_t q_xor = u->flags & SIM_F_PB_NOT ? ~0u : 0;
    const uint32_t q = u->pb == SIM_NONE ? 0 : preds[u->pb] ^ q_xor;
    switch (u->op) {
    case ALU_SELP32: select32(u, rows, p, mask); break;
    case ALU_SELP64: select64(u, rows, p, mask); break;
    case ALU_PAND: put_pred(preds, u->pd, p & q, mask); break;
    case ALU_POR: put_pred(preds, u->pd, p | q, mask); break;
    case ALU_PXOR: put_pred(preds, u->pd, p ^ q, mask); break;
    case ALU_PNOT: put_pred(preds, u->pd, ~p, mask); break;
    case ALU_PMOV: put_pred(preds, u->pd, p, mask); break;
    case ALU_PSET: put_pred(preds, u->pd, u->imm ? ~0u : 0, mask); break;
    case ALU_ISSPACEP: put_pred(preds, u->pd, is_in_space(u, rows), mask); break;
    case ALU_CVT_F32_U32: case ALU_CVT_F32_S32: int_to_f32(u, rows, mask); break;
    case ALU_CVT: sim_alu_cvt(u, rows, mask); break;
    default: sim_alu_setp(u, rows, preds, mask); break;
    }
}

void sim_alu(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t *preds, uint32_t mask)
{
    if (u->op < ALU_FIRST_F32) sim_alu_int(u, rows, mask);
    else if (u->op < ALU_FIRST_F64) sim_alu_f32(u, rows, mask);
    else if (u->op < ALU_FIRST_OTHER) sim_alu_f64(u, rows, mask);
    else if (u->op < ALU_FADDX2) other(u, rows, preds, mask);
    else if (u->op >= ALU_ADDCC && u->op < ALU_FIRST_HALF) sim_alu_carry(u, rows, preds, mask);
    else sim_alu_half(u, rows, preds, mask);
}
