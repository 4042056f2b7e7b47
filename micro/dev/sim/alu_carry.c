/* alu_carry.c - additions and multiplications with the carry flag. */
#include "dev/sim/alu.h"
#include "dev/sim/alu_lane.h"

struct wide_sum {
    uint64_t value;
    bool carry;
};

/* a + b + carry in `bits` bits. */
static struct wide_sum add(uint64_t a, uint64_t b, bool carry, int bits)
{
    const unsigned __int128 sum = (unsigned __int128)a + b + carry;
    return (struct wide_sum){(uint64_t)sum, (sum >> bits & 1) != 0};
}

/* a - b - borrow; the flag is the borrow. */
static struct wide_sum sub(uint64_t a, uint64_t b, bool borrow, int bits)
{
    const unsigned __int128 difference = (unsigned __int128)a - b - borrow;
    return (struct wide_sum){(uint64_t)difference, (difference >> bits & 1) != 0};
}

static uint64_t high(uint64_t a, uint64_t b, bool is_signed, bool is_wide)
{
    if (is_wide) return is_signed ? high_s64(a, b) : high_u64(a, b);
    if (is_signed) return wide_s((int32_t)(uint32_t)a, (int32_t)(uint32_t)b) >> 32;
    return a * b >> 32;
}

static struct wide_sum lane(unsigned op, uint64_t a, uint64_t b, uint64_t c, bool in, bool is_wide)
{
    const int bits = is_wide ? 64 : 32;
    const uint64_t keep = is_wide ? ~0ull : 0xffffffffu;
    switch (op) {
    case ALU_ADDCC: return add(a, b, false, bits);
    case ALU_ADDC: case ALU_ADDCCC: return add(a, b, in, bits);
    case ALU_SUBCC: return sub(a, b, false, bits);
    case ALU_SUBC: case ALU_SUBCCC: return sub(a, b, in, bits);
    case ALU_MADLOCC: return add(a * b & keep, c, false, bits);
    case ALU_MADCLO: case ALU_MADCLOCC: return add(a * b & keep, c, in, bits);
    case ALU_MADHICC_U: return add(high(a, b, false, is_wide), c, false, bits);
    case ALU_MADCHI_U: case ALU_MADCHICC_U: return add(high(a, b, false, is_wide), c, in, bits);
    case ALU_MADHICC_S: return add(high(a, b, true, is_wide) & keep, c, false, bits);
    default: return add(high(a, b, true, is_wide) & keep, c, in, bits);
    }
}

static uint64_t lane_of(uint32_t (*rows)[32], uint16_t row, int i, bool is_wide)
{
    return is_wide ? ((const u64_row *)rows[row])[i] : rows[row][i];
}

/* The 32-bit additions, which multi-word arithmetic is made of, as a loop. */
CLONES static uint32_t add32(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t in,
                             uint32_t mask)
{
    const uint32_t *a = rows[u->a], *b = rows[u->b];
    uint32_t *d = rows[u->d];
    const uint32_t carry = u->op == ALU_ADDCC ? 0 : in;
    uint32_t out = 0;
    NO_CARRIED
    for (int i = 0; i < 32; i++) {
        const uint64_t sum = (uint64_t)a[i] + b[i] + (carry >> i & 1);
        d[i] = mask >> i & 1 ? (uint32_t)sum : d[i];
        out |= (uint32_t)(sum >> 32) << i;
    }
    return (in & ~mask) | (out & mask);
}

void sim_alu_carry(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t *preds, uint32_t mask)
{
    const bool is_wide = (u->op - ALU_ADDCC) & 1;
    const unsigned op = u->op - (unsigned)is_wide;
    const uint32_t in = preds[SIM_PRED_CC];
    uint32_t out = in;
    const bool is_add = u->op == ALU_ADDCC || u->op == ALU_ADDC || u->op == ALU_ADDCCC;
    if (is_add) out = add32(u, rows, in, mask);
    for (int i = 0; !is_add && i < 32; i++) {
        if (!(mask >> i & 1)) continue;
        const struct wide_sum sum =
            lane(op, lane_of(rows, u->a, i, is_wide), lane_of(rows, u->b, i, is_wide),
                 lane_of(rows, u->c, i, is_wide), in >> i & 1, is_wide);
        if (is_wide) ((u64_row *)rows[u->d])[i] = sum.value;
        else rows[u->d][i] = (uint32_t)sum.value;
        out = (out & ~(1u << i)) | (uint32_t)sum.carry << i;
    }
    if (u->pd == SIM_PRED_CC) preds[SIM_PRED_CC] = out;
}
