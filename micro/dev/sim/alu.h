/* alu.h - the operations that sim_alu executes, and how modifiers are packed in imm. */
#ifndef AY_SIM_ALU_H
#define AY_SIM_ALU_H

#include "dev/sim/alu_forms.h"
#include "dev/sim/program.h"

enum sim_alu_op {
#define X(id, ...) ALU_##id,
    ALU_INT(X)
    ALU_FIRST_F32,
    ALU_BEFORE_F32 = ALU_FIRST_F32 - 1,
    ALU_F32(X)
    ALU_FIRST_F64,
    ALU_BEFORE_F64 = ALU_FIRST_F64 - 1,
    ALU_F64(X)
    ALU_FIRST_OTHER,
    ALU_BEFORE_OTHER = ALU_FIRST_OTHER - 1,
    ALU_OTHER(X)
    ALU_F32X2(X)
#undef X
#define X(id, ...) ALU_##id, ALU_##id##_64,
    ALU_CARRY(X)
#undef X
    ALU_FIRST_HALF,
    ALU_BEFORE_HALF = ALU_FIRST_HALF - 1,
#define X(id, ...) ALU_##id##_F16, ALU_##id##_F16X2, ALU_##id##_BF16, ALU_##id##_BF16X2,
    ALU_HALF(X)
#undef X
    ALU_N_OPS
};

/* imm of float forms */
enum {
    ALU_ROUND = 3, /* bits 0-1: 0 nearest even, 1 zero, 2 minus, 3 plus infinity */
    ALU_FTZ = 4,
    ALU_SAT = 8,
    ALU_RELU = 16,
};

/* Types of cvt, setp, set. */
enum alu_type {
    T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_U64, T_S64,
    T_F16, T_BF16, T_F32, T_F64, T_TF32,
    T_F16X2, T_BF16X2, T_E4M3X2, T_E5M2X2,
    T_N
};

/* imm of cvt */
enum {
    CVT_TO = 0,          /* bits 0-4 */
    CVT_FROM = 5,        /* bits 5-9 */
    CVT_ROUND = 10,      /* bits 10-12: as ALU_ROUND, 4 nearest, ties away from zero */
    CVT_INTEGRAL = 1 << 13, /* .rni and the like */
    CVT_FTZ = 1 << 14,
    CVT_SAT = 1 << 15,
    CVT_RELU = 1 << 16,
    CVT_SATFINITE = 1 << 17,
    CVT_PACK = 1 << 18,  /* two sources, a for the upper half */
};

enum alu_cmp {
    CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE,
    CMP_EQU, CMP_NEU, CMP_LTU, CMP_LEU, CMP_GTU, CMP_GEU, CMP_NUM, CMP_NAN,
};

/* imm of setp, set */
enum {
    SETP_CMP = 0,   /* bits 0-4 */
    SETP_TYPE = 5,  /* bits 5-9 */
    SETP_BOOL = 10, /* bits 10-11: 0 none, 1 and, 2 or, 3 xor */
    SETP_FTZ = 1 << 12,
    SET_FLOAT = 1 << 13, /* set gives 1.0f, else ~0 */
};

/* The parts of sim_alu. */
void sim_alu_int(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask);
void sim_alu_f32(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask);
void sim_alu_f64(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask);
void sim_alu_half(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t *preds, uint32_t mask);
void sim_alu_carry(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t *preds, uint32_t mask);
void sim_alu_setp(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t *preds, uint32_t mask);
void sim_alu_cvt(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask);
/* The conversions that programs are full of, as loops; false for all others. */
bool sim_cvt_common(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t mask);
/* One conversion, as CVT does it: bits in, bits out. */
uint64_t sim_cvt_lane(uint32_t imm, uint64_t a, uint64_t b);

#endif
