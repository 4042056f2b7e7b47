/* alu_pred.c - comparisons and tests: setp, set, testp. */
#include "dev/sim/alu.h"
#include "dev/sim/half.h"

/* A bit a lane. */
#define COMPARE(T, expression)                                                   \
    do {                                                                         \
        for (int i = 0; i < 32; i++) {                                           \
            const __auto_type a = VALUE_##T(pa);                                 \
            const __auto_type b = VALUE_##T(pb);                                 \
            bits |= (uint32_t)(expression) << i;                                 \
        }                                                                        \
        return bits;                                                             \
    } while (0)

#define ORDERED(T)                                                               \
    switch (cmp) {                                                               \
    case CMP_EQ: COMPARE(T, a == b);                                             \
    case CMP_NE: COMPARE(T, a != b);                                             \
    case CMP_LT: COMPARE(T, a < b);                                              \
    case CMP_LE: COMPARE(T, a <= b);                                             \
    case CMP_GT: COMPARE(T, a > b);                                              \
    case CMP_GE: COMPARE(T, a >= b);                                             \
    default: return 0;                                                           \
    }

CLONES static uint32_t compare_int(const void *pa, const void *pb, unsigned type, unsigned cmp)
{
    uint32_t bits = 0;
    switch (type) {
    case T_U16: ORDERED(u16)
    case T_S16: ORDERED(s16)
    case T_U32: ORDERED(u32)
    case T_S32: ORDERED(s32)
    case T_U64: ORDERED(u64)
    default: ORDERED(s64)
    }
}

/* Unordered ones are true for a NaN; a plain `ne` is not. */
#define FLOATS(T)                                                                \
    switch (cmp) {                                                               \
    case CMP_EQ: COMPARE(T, a == b);                                             \
    case CMP_NE: COMPARE(T, a < b || a > b);                                     \
    case CMP_LT: COMPARE(T, a < b);                                              \
    case CMP_LE: COMPARE(T, a <= b);                                             \
    case CMP_GT: COMPARE(T, a > b);                                              \
    case CMP_GE: COMPARE(T, a >= b);                                             \
    case CMP_EQU: COMPARE(T, !(a < b || a > b));                                 \
    case CMP_NEU: COMPARE(T, a != b);                                            \
    case CMP_LTU: COMPARE(T, !(a >= b));                                         \
    case CMP_LEU: COMPARE(T, !(a > b));                                          \
    case CMP_GTU: COMPARE(T, !(a <= b));                                         \
    case CMP_GEU: COMPARE(T, !(a < b));                                          \
    case CMP_NUM: COMPARE(T, a == a && b == b);                                  \
    default: COMPARE(T, a != a || b != b);                                       \
    }

CLONES static uint32_t compare_float(const void *pa, const void *pb, bool is_wide, unsigned cmp)
{
    uint32_t bits = 0;
    if (is_wide) FLOATS(f64)
    FLOATS(f32)
}

/* Half `which` of each lane as a float. */
static void half_floats(const uint32_t *row, unsigned type, int which, float *x)
{
    const bool is_bf16 = type == T_BF16 || type == T_BF16X2;
    for (int i = 0; i < 32; i++) {
        const uint32_t h = row[i] >> (16 * which) & 0xffff;
        x[i] = is_bf16 ? float_of_bf16(h) : float_of_f16(h);
    }
}

static uint32_t compare_half(const uint32_t *a, const uint32_t *b, uint32_t imm, int which)
{
    float x[32], y[32];
    const unsigned type = imm >> SETP_TYPE & 31;
    half_floats(a, type, which, x);
    half_floats(b, type, which, y);
    for (int i = 0; imm & SETP_FTZ && i < 32; i++) {
        if (fabsf(x[i]) < 0x1p-14f) x[i] = 0;
        if (fabsf(y[i]) < 0x1p-14f) y[i] = 0;
    }
    return compare_float(x, y, false, imm & 31);
}

static uint32_t compare(const struct sim_uop *u, uint32_t (*rows)[32])
{
    const unsigned type = u->imm >> SETP_TYPE & 31, cmp = u->imm & 31;
    if (type < T_F16) return compare_int(rows[u->a], rows[u->b], type, cmp);
    if (type == T_F64) return compare_float(rows[u->a], rows[u->b], true, cmp);
    if (type != T_F32) return compare_half(rows[u->a], rows[u->b], u->imm, 0);
    if (!(u->imm & SETP_FTZ)) return compare_float(rows[u->a], rows[u->b], false, cmp);
    float x[32], y[32];
    for (int i = 0; i < 32; i++) {
        x[i] = flush(float_of(rows[u->a][i]));
        y[i] = flush(float_of(rows[u->b][i]));
    }
    return compare_float(x, y, false, cmp);
}

static uint32_t combine(uint32_t imm, uint32_t bits, uint32_t with)
{
    switch (imm >> SETP_BOOL & 3) {
    case 1: return bits & with;
    case 2: return bits | with;
    case 3: return bits ^ with;
    default: return bits;
    }
}

static void put(uint32_t *preds, uint16_t which, uint32_t value, uint32_t mask)
{
    if (which != SIM_NONE) preds[which] = (preds[which] & ~mask) | (value & mask);
}

static void setp(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t *preds, uint32_t mask)
{
    const unsigned type = u->imm >> SETP_TYPE & 31;
    const uint32_t with = u->pa == SIM_NONE ? 0 : preds[u->pa] ^ u->pa_xor;
    const uint32_t bits = compare(u, rows);
    if (type == T_F16X2 || type == T_BF16X2) { /* the second predicate is the upper half's */
        const uint32_t upper_bits = compare_half(rows[u->a], rows[u->b], u->imm, 1);
        put(preds, u->pd, combine(u->imm, bits, with), mask);
        put(preds, u->pq, combine(u->imm, upper_bits, with), mask);
        return;
    }
    put(preds, u->pd, combine(u->imm, bits, with), mask);
    put(preds, u->pq, combine(u->imm, ~bits, with), mask);
}

static void set(const struct sim_uop *u, uint32_t (*rows)[32], const uint32_t *preds,
                uint32_t mask)
{
    const uint32_t with = u->pa == SIM_NONE ? 0 : preds[u->pa] ^ u->pa_xor;
    const uint32_t bits = combine(u->imm, compare(u, rows), with);
    const uint32_t yes = u->imm & SET_FLOAT ? 0x3f800000u : ~0u;
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1) rows[u->d][i] = bits >> i & 1 ? yes : 0;
}

static bool is_class(double x, double least_normal, unsigned test)
{
    const double m = fabs(x);
    switch (test) {
    case 0: return m <= 0x1.fffffffffffffp1023;
    case 1: return m > 0x1.fffffffffffffp1023;
    case 2: return x == x;
    case 3: return x != x;
    case 4: return m >= least_normal && m <= 0x1.fffffffffffffp1023;
    default: return m < least_normal && m > 0;
    }
}

static void testp(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t *preds, uint32_t mask)
{
    const bool is_wide = u->op >= ALU_TESTP_FINITE64;
    const unsigned first = is_wide ? ALU_TESTP_FINITE64 : ALU_TESTP_FINITE32;
    const unsigned test = u->op - first;
    uint32_t bits = 0;
    for (int i = 0; i < 32; i++) {
        const double x = is_wide ? ((const f64_row *)rows[u->a])[i]
                                 : (double)((const f32_row *)rows[u->a])[i];
        bits |= (uint32_t)is_class(x, is_wide ? 0x1p-1022 : 0x1p-126, test) << i;
    }
    put(preds, u->pd, bits, mask);
}

void sim_alu_setp(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t *preds, uint32_t mask)
{
    if (u->op == ALU_SETP) setp(u, rows, preds, mask);
    else if (u->op == ALU_SET) set(u, rows, preds, mask);
    else testp(u, rows, preds, mask);
}
