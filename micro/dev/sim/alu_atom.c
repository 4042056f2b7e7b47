/* alu_atom.c - the arithmetic of atomics: a new memory word from the old one. */
#include "dev/sim/half.h"
#include "dev/sim/program.h"

static bool is_signed(enum sim_type type)
{
    return type == SIM_S32 || type == SIM_S64;
}

static uint64_t extended(enum sim_type type, uint64_t x)
{
    switch (type) {
    case SIM_U64: case SIM_S64: case SIM_B64: case SIM_F64: case SIM_B128: return x;
    case SIM_S32: return (uint64_t)(int64_t)(int32_t)(uint32_t)x;
    case SIM_F16: case SIM_BF16: case SIM_B16: return x & 0xffff;
    default: return x & 0xffffffffu;
    }
}

static uint32_t half(enum sim_atom op, bool is_bf16, uint32_t x, uint32_t y)
{
    const float a = is_bf16 ? float_of_bf16(x) : float_of_f16(x);
    const float b = is_bf16 ? float_of_bf16(y) : float_of_f16(y);
    float r = odd_fma(1.0f, a, b);
    if (op == SIM_ATOM_MIN) r = least_f32(a, b);
    if (op == SIM_ATOM_MAX) r = -least_f32(-a, -b);
    return is_bf16 ? bf16_of(r) : f16_of(r);
}

static uint64_t add(enum sim_type type, uint64_t a, uint64_t b)
{
    if (type == SIM_F32) /* a memory unit flushes nothing but the canonical NaN is its NaN */
        return bits_of(canonical(float_of((uint32_t)a) + float_of((uint32_t)b)));
    if (type == SIM_F64) return bits_of64(double_of(a) + double_of(b));
    return a + b;
}

static bool is_less(enum sim_type type, uint64_t a, uint64_t b)
{
    return is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

uint64_t sim_atom_apply(enum sim_atom op, enum sim_type type, uint64_t old, uint64_t b, uint64_t c)
{
    old = extended(type, old);
    b = extended(type, b);
    c = extended(type, c);
    if (op != SIM_ATOM_EXCH && op != SIM_ATOM_CAS && type >= SIM_F16 && type <= SIM_BF16X2) {
        const bool is_bf16 = type == SIM_BF16 || type == SIM_BF16X2;
        const uint32_t low = half(op, is_bf16, (uint32_t)old & 0xffff, (uint32_t)b & 0xffff);
        if (type == SIM_F16 || type == SIM_BF16) return low;
        return half(op, is_bf16, (uint32_t)old >> 16, (uint32_t)b >> 16) << 16 | low;
    }
    uint64_t new = old;
    switch (op) {
    case SIM_ATOM_ADD: new = add(type, old, b); break;
    case SIM_ATOM_MIN: new = is_less(type, b, old) ? b : old; break;
    case SIM_ATOM_MAX: new = is_less(type, old, b) ? b : old; break;
    case SIM_ATOM_INC: new = old >= b ? 0 : old + 1; break;
    case SIM_ATOM_DEC: new = old == 0 || old > b ? b : old - 1; break;
    case SIM_ATOM_AND: new = old & b; break;
    case SIM_ATOM_OR: new = old | b; break;
    case SIM_ATOM_XOR: new = old ^ b; break;
    case SIM_ATOM_EXCH: new = b; break;
    case SIM_ATOM_CAS: new = old == b ? c : old; break;
    }
    return type == SIM_S32 ? (uint32_t)new : extended(type, new);
}
