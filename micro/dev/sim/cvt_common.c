/* cvt_common.c - the conversions that programs are full of, as loops over lanes. */
#include "dev/sim/alu.h"
#include "dev/sim/half.h"

#define PAIR(to, from) ((uint32_t)(to) | (uint32_t)(from) << CVT_FROM)
#define ROUND_ZERO ((uint32_t)CVT_INTEGRAL | 1u << CVT_ROUND)

/* NaN gives 0, what is too large the nearest end [ptx-isa 9.7.9.22]. */
LANE uint32_t to_s32(float x)
{
    const float inside = x >= 0x1p31f || x < -0x1p31f || x != x ? 0.0f : x;
    const uint32_t end = x >= 0x1p31f ? 0x7fffffffu : x < -0x1p31f ? 0x80000000u : 0;
    return (uint32_t)(int32_t)inside | end;
}
LANE uint32_t to_u32(float x)
{
    const float inside = x > 0.0f && x < 0x1p32f ? x : 0.0f;
    const float high = inside >= 0x1p31f ? 0x1p31f : 0.0f;
    const uint32_t value = (uint32_t)(int32_t)(inside - high) + (inside >= 0x1p31f ? 1u << 31 : 0);
    return x >= 0x1p32f ? ~0u : value;
}

#define FILL(T, A, expression)                                      \
    do {                                                            \
        T *const out = (T *)t;                                      \
        for (int i = 0; i < 32; i++) {                              \
            const __auto_type a = VALUE_##A(pa);                    \
            out[i] = (T)(expression);                               \
        }                                                           \
    } while (0)

/* Into 32 words at t; false where the conversion is not one of these. */
CLONES static bool to_words(uint32_t imm, const void *pa, const void *pb, uint32_t *t)
{
    switch (imm) {
    case PAIR(T_S32, T_F32) | ROUND_ZERO: FILL(u32_row, f32, to_s32(a)); return true;
    case PAIR(T_U32, T_F32) | ROUND_ZERO: FILL(u32_row, f32, to_u32(a)); return true;
    case PAIR(T_F32, T_F16): FILL(f32_row, u32, canonical(float_of_f16(a & 0xffff))); return true;
    case PAIR(T_F32, T_BF16): FILL(f32_row, u32, canonical(float_of_bf16(a & 0xffff))); return true;
    case PAIR(T_F16, T_F32): FILL(u32_row, f32, f16_of(a)); return true;
    case PAIR(T_BF16, T_F32): FILL(u32_row, f32, bf16_of(a)); return true;
    case PAIR(T_F32, T_F64): FILL(f32_row, f64, canonical((float)a)); return true;
    case PAIR(T_F32, T_S64): FILL(f32_row, s64, (float)a); return true;
    case PAIR(T_F32, T_U64): FILL(f32_row, u64, (float)a); return true;
    case PAIR(T_U16, T_U32): case PAIR(T_U16, T_S32): FILL(u32_row, u16, a); return true;
    case PAIR(T_S16, T_U32): case PAIR(T_S16, T_S32): FILL(u32_row, s16, a); return true;
    case PAIR(T_U8, T_U32): case PAIR(T_U8, T_S32): FILL(u32_row, u8, a); return true;
    case PAIR(T_S8, T_U32): case PAIR(T_S8, T_S32): FILL(u32_row, s8, a); return true;
    case PAIR(T_F16X2, T_F32) | CVT_PACK:
        for (int i = 0; i < 32; i++) t[i] = f16_of(VALUE_f32(pa)) << 16 | f16_of(VALUE_f32(pb));
        return true;
    case PAIR(T_BF16X2, T_F32) | CVT_PACK:
        for (int i = 0; i < 32; i++) t[i] = bf16_of(VALUE_f32(pa)) << 16 | bf16_of(VALUE_f32(pb));
        return true;
    default: return false;
    }
}

CLONES static bool to_doubles(uint32_t imm, const void *pa, uint64_t *t)
{
    switch (imm) {
    case PAIR(T_F64, T_F32): FILL(f64_row, f32, a); return true;
    case PAIR(T_F64, T_S32): FILL(f64_row, s32, a); return true;
    case PAIR(T_F64, T_U32): FILL(f64_row, u32, a); return true;
    case PAIR(T_F64, T_S64): FILL(f64_row, s64, a); return true;
    case PAIR(T_F64, T_U64): FILL(f64_row, u64, a); return true;
    default: return false;
    }
}

CLONES bool sim_cvt_common(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask)
{
    uint64_t wide[32];
    uint32_t narrow[32];
    if (to_words(u->imm, rows[u->a], rows[u->b], narrow)) {
        u32_row *d = (u32_row *)rows[u->d];
        for (int i = 0; i < 32; i++) d[i] = mask >> i & 1 ? narrow[i] : d[i];
        return true;
    }
    if (!to_doubles(u->imm, rows[u->a], wide)) return false;
    u64_row *d = (u64_row *)rows[u->d];
    for (int i = 0; i < 32; i++) d[i] = mask >> i & 1 ? wide[i] : d[i];
    return true;
}
