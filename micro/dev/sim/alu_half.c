/* alu_half.c - 16-bit floats, one or two a register, and two 32-bit floats a register pair. */
#include "dev/sim/alu.h"
#include "dev/sim/half.h"

enum { N = 64 }; /* two halves of 32 lanes; the upper ones are wasted where there is one */

/* --- registers to floats and back --- */

CLONES static void widen(const uint32_t *row, bool is_bf16, float *x)
{
    if (is_bf16) {
        for (int i = 0; i < 32; i++) {
            x[i] = float_of_bf16(row[i] & 0xffff);
            x[i + 32] = float_of_bf16(row[i] >> 16);
        }
    } else {
        for (int i = 0; i < 32; i++) {
            x[i] = float_of_f16(row[i] & 0xffff);
            x[i + 32] = float_of_f16(row[i] >> 16);
        }
    }
}

CLONES static void narrow(const float *x, bool is_bf16, bool is_pair, uint32_t *row, uint32_t mask)
{
    uint32_t h[N];
    if (is_bf16)
        for (int i = 0; i < N; i++) h[i] = bf16_of(x[i]);
    else
        for (int i = 0; i < N; i++) h[i] = f16_of(x[i]);
    for (int i = 0; i < 32; i++) {
        const uint32_t t = is_pair ? h[i] | h[i + 32] << 16 : h[i];
        row[i] = mask >> i & 1 ? t : row[i];
    }
}

CLONES static void compute(unsigned op, const float *pa, const float *pb, const float *pc, float *d)
{
    switch (op) {
#define X(id, name, class, mods, sig, expression)                                      \
    case ALU_##id##_F16:                                                               \
        for (int i = 0; i < N; i++) {                                                  \
            const float a = pa[i], b = pb[i], c = pc[i];                               \
            (void)a, (void)b, (void)c;                                                 \
            d[i] = expression;                                                         \
        }                                                                              \
        break;
    ALU_HALF(X)
#undef X
    default: break;
    }
}

/* Subnormals of the format become zero. */
static void flush_halves(float *x, bool is_bf16)
{
    const float least = is_bf16 ? 0x1p-126f : 0x1p-14f;
    for (int i = 0; i < N; i++) x[i] = fabsf(x[i]) < least ? copysignf(0.0f, x[i]) : x[i];
}

static float rounded(float x, bool is_bf16)
{
    return is_bf16 ? float_of_bf16(bf16_of(x)) : float_of_f16(f16_of(x));
}

static void modify(float *x, uint32_t imm, bool is_bf16)
{
    for (int i = 0; i < N; i++) x[i] = rounded(x[i], is_bf16);
    if (imm & ALU_FTZ) flush_halves(x, is_bf16);
    for (int i = 0; i < N; i++) {
        if (imm & ALU_SAT) x[i] = saturate(x[i]);
        if (imm & ALU_RELU) x[i] = x[i] < 0.0f || (x[i] == 0.0f && signbit(x[i])) ? 0.0f : x[i];
    }
}

static void halves(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask)
{
    float a[N], b[N], c[N], d[N];
    const unsigned form = (u->op - ALU_FIRST_HALF) % 4u; /* f16, f16x2, bf16, bf16x2 */
    const bool is_bf16 = form >= 2, is_pair = form & 1;
    widen(rows[u->a], is_bf16, a);
    widen(rows[u->b], is_bf16, b);
    widen(rows[u->c], is_bf16, c);
    if (u->imm & ALU_FTZ) {
        flush_halves(a, is_bf16);
        flush_halves(b, is_bf16);
        flush_halves(c, is_bf16);
    }
    compute(u->op - form, a, b, c, d);
    if (u->imm) modify(d, u->imm, is_bf16);
    narrow(d, is_bf16, is_pair, rows[u->d], mask);
}

/* --- pairs of 32-bit floats --- */

CLONES static void pairs(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask)
{
    const f32_row *a = (const f32_row *)rows[u->a], *b = (const f32_row *)rows[u->b];
    const f32_row *c = (const f32_row *)rows[u->c];
    f32_row *d = (f32_row *)rows[u->d];
    float t[N];
    const bool ftz = u->imm & ALU_FTZ;
    for (int i = 0; i < N; i++) {
        const float x = ftz ? flush(a[i]) : a[i], y = ftz ? flush(b[i]) : b[i];
        const float z = ftz ? flush(c[i]) : c[i];
        switch (u->op) {
        case ALU_FADDX2: t[i] = x + y; break;
        case ALU_FSUBX2: t[i] = x - y; break;
        case ALU_FMULX2: t[i] = x * y; break;
        default: t[i] = fmaf(x, y, z); break;
        }
        t[i] = canonical(ftz ? flush(t[i]) : t[i]);
    }
    for (int i = 0; i < N; i++) d[i] = mask >> (i / 2) & 1 ? t[i] : d[i];
}

void sim_alu_half(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t *preds, uint32_t mask)
{
    (void)preds;
    if (u->op >= ALU_FIRST_HALF) halves(u, rows, mask);
    else pairs(u, rows, mask);
}
