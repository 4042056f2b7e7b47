/* lower.h - from instructions to operations: rows for registers, one kernel at a time. */
#ifndef AY_SIM_LOWER_H
#define AY_SIM_LOWER_H

#include "dev/sim/alu.h"
#include "dev/sim/optab.h"

enum {
    LOWER_PREDICATE = 1 << 16, /* marks a predicate until all rows are counted */
    LOWER_MAX_ROWS = 60000,
    LOWER_MAX_PREDS = 5000,
    LOWER_MAX_UOPS = 4 << 20,  /* of a module */
    LOWER_DYNAMIC_SHARED = 255, /* kind of a constant whose value is known last */
};

struct lower_constant {
    uint64_t value;
    uint16_t row;
    uint8_t kind, bytes;
    bool is_used;
};

struct lower {
    struct sim_build *b;
    struct ptx_module *m;
    struct sim_kernel *k;
    uint32_t kernel_number;
    const struct ptx_func *f;
    bool is_entry;
    uint16_t *row_of; /* registers of the function: row or predicate, SIM_NONE while unused */

    struct sim_uop *uops;
    size_t n_uops, cap_uops;
    uint32_t *lists;
    size_t n_lists, cap_lists;
    struct sim_operand *operands;
    size_t n_operands, cap_operands;
    struct sim_row_init *inits;
    size_t n_inits, cap_inits;
    struct lower_constant *constants; /* hash table */
    size_t n_constants, cap_constants;
    struct ptx_func **called; /* functions to be lowered behind the entry */
    size_t n_called, cap_called;

    uint32_t n_rows, n_preds, n_register_rows;
    uint16_t spare_row; /* odd half of a pair nobody uses, or SIM_NONE */
    uint16_t scratch;   /* rows for results that nobody wants, or SIM_NONE */

    /* the instruction being lowered */
    const struct ptx_inst *inst;
    struct sim_uop u;
    uint32_t reads[256], writes[256];
    uint32_t n_reads, n_writes, n_sources, n_pred_sources;
    bool is_unsupported;
    size_t n_total_uops; /* of the kernels before */
};

/* --- lower_row.c --- */
uint16_t lower_new_row(struct lower *l, uint32_t n_bytes);
uint16_t lower_constant(struct lower *l, uint8_t kind, uint8_t n_bytes, uint64_t value);
void lower_reads(struct lower *l, uint32_t number);
void lower_writes(struct lower *l, uint32_t number);
/* Row of a source or a destination of 4, 8 or 16 bytes. */
uint16_t lower_source(struct lower *l, const struct ptx_operand *o, uint32_t n_bytes);
uint16_t lower_destination(struct lower *l, const struct ptx_operand *o, uint32_t n_bytes);
/* Number of a predicate; a negation goes to *is_negated. */
uint16_t lower_pred_source(struct lower *l, const struct ptx_operand *o, bool *is_negated);
uint16_t lower_pred_destination(struct lower *l, const struct ptx_operand *o);
/* 4, 8, 16 of a register operand; 0 for a predicate or what is no register. */
uint32_t lower_register_bytes(const struct ptx_operand *o);
/* Where a variable lies (placed at its first use in this kernel). */
uint64_t lower_place(struct lower *l, struct ptx_sym *sym);
enum sim_space lower_space(const struct ptx_sym *sym);
_Noreturn void lower_fail(struct lower *l, const char *what);

/* --- lower_bind.c --- */
const struct ptx_operand *lower_next(const struct ptx_operand *o);
void lower_start(struct lower *l, const struct ptx_inst *inst);
/* Appends l->u with its dependencies and forgets them. */
void lower_emit(struct lower *l);
void lower_signature(struct lower *l, const struct ptx_operand *o);

/* --- lower_mov.c --- */
void lower_mov(struct lower *l, const struct ptx_operand *o);
void lower_cvt(struct lower *l, const struct ptx_operand *o);
void lower_generic(struct lower *l, const struct ptx_operand *o);

/* --- lower_call.c --- */
void lower_call(struct lower *l, const struct ptx_operand *o);
/* Marks functions that call themselves, directly or not, from f on. */
void lower_find_recursion(struct lower *l, struct ptx_func *f, int depth);

/* --- lower.c --- */
const struct sim_kernel *lower_kernel(struct sim_build *b, struct ptx_module *m,
                                      struct ptx_func *entry, uint32_t number,
                                      size_t *n_total_uops);

#endif
