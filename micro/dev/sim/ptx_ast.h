/* ptx_ast.h - PTX text as functions, instructions, operands, symbols: before any meaning. */
#ifndef AY_SIM_PTX_AST_H
#define AY_SIM_PTX_AST_H

#include "dev/sim/program.h"
#include "dev/sim/ptx_lex.h"

struct ptx_opcode;

enum ptx_space {
    PTX_REG,
    PTX_PARAM,
    PTX_SHARED,
    PTX_GLOBAL,
    PTX_CONST,
    PTX_LOCAL,
};

enum ptx_sym_kind {
    PTX_SYM_REG,
    PTX_SYM_RANGE, /* %r<19> */
    PTX_SYM_VAR,
    PTX_SYM_LABEL,
    PTX_SYM_FUNC,
    PTX_SYM_TARGETS, /* of brx.idx */
    PTX_SYM_PROTO,
};

struct ptx_func;

struct ptx_sym {
    const char *name;
    uint32_t n, n_stem; /* length with and without trailing digits */
    uint32_t hash;      /* of the stem */
    enum ptx_sym_kind kind;
    struct ptx_sym *chain;  /* next older of the hash bucket */
    struct ptx_sym *opened; /* next older of all that are visible */
    uint32_t bits;      /* of a register or of an element; 1: predicate */
    uint32_t first;     /* of the registers: number in the function; label: instruction */
    uint32_t count;     /* of the registers */
    enum ptx_space space;
    bool is_extern, is_formal; /* formal: parameter of the function */
    bool is_kernel_param;      /* ... of an entry, once that is lowered */
    uint32_t align;
    uint64_t bytes;
    uint64_t offset;    /* in its segment, once laid out */
    uint32_t placed_in; /* number of the kernel that `offset` is for (shared, local, param) */
    uint32_t n_parts;   /* of a vector register, else 1 */
    struct ptx_func *func;
    uint32_t *targets; /* instruction numbers */
    uint32_t n_targets;
};

enum ptx_operand_kind {
    PTX_O_REG,     /* sym, reg = number in the function */
    PTX_O_IMM,
    PTX_O_SYM,     /* address of sym + imm */
    PTX_O_SPECIAL, /* reg = number in ptx_specials, part = 0..3 */
    PTX_O_LABEL,   /* reg = instruction */
    PTX_O_SINK,
    PTX_O_VEC,
    PTX_O_MEM,
    PTX_O_LIST,
    PTX_O_PAIR,
    PTX_O_UNKNOWN, /* a name nobody declared; sym is NULL */
};

/* Operands lie in the order of the text, a vector before its elements. */
struct ptx_operand {
    uint8_t kind;
    uint8_t part;       /* of a special register */
    uint8_t float_kind; /* of an immediate: as ptx_number.kind */
    bool is_negated;    /* !p, or -r */
    uint32_t reg;
    uint32_t n_sub, n_flat; /* elements; operands that follow and belong to it */
    struct ptx_sym *sym;
    int64_t imm;        /* immediate, or what is added to a register or symbol */
};

struct ptx_inst {
    const struct ptx_opcode *opcode;
    uint32_t operand, n_operands; /* first, count of top-level ones */
    uint32_t n_flat;
    uint32_t guard;               /* register number of the predicate, or PTX_NO_GUARD */
    bool is_guard_negated;
    uint32_t line, column;
};
#define PTX_NO_GUARD UINT32_MAX

struct ptx_func {
    const char *name;
    bool is_entry, has_body;
    struct ptx_inst *insts;
    size_t n_insts, cap_insts;
    struct ptx_operand *operands;
    size_t n_operands, cap_operands;
    uint32_t n_regs; /* registers declared */
    struct ptx_sym **params, **rets;
    size_t n_params, n_rets, cap_params, cap_rets;
    uint32_t reqntid[3], maxntid[3], cluster[3];
    uint32_t min_ctas_per_sm, max_registers, max_cluster_rank;
    bool explicit_cluster;
    uint32_t line;
    uint32_t visit; /* lowering: 0 not seen, 1 open, 2 done */
    bool is_recursive;
};

/* A name that was not known when it was read: label or function. */
struct ptx_pending {
    uint32_t operand; /* of the function, or entry of `targets` */
    struct ptx_sym *targets;
    struct ptx_token at;
    bool may_stay_unknown;
};

enum { PTX_BUCKETS = 1024, PTX_MAX_DEPTH = 64, PTX_MAX_REGS = 1 << 17 };

struct ptx_module {
    uint32_t version;
    const char *target;
    struct ptx_func **funcs;
    size_t n_funcs, cap_funcs;
    struct ptx_sym **vars; /* .global and .const */
    size_t n_vars, cap_vars;
    uint64_t global_bytes, const_bytes;
    uint8_t *global_image, *const_image;
    size_t cap_global, cap_const; /* bytes of the images that exist; the rest is zero */
    struct sim_reloc *relocs;
    size_t n_relocs, cap_relocs;
    const struct ptx_opcode **opcodes; /* by number */
    size_t n_opcodes, cap_opcodes;
    const struct ptx_opcode **opcode_hash;
    size_t cap_opcode_hash;
};

struct ptx_parser {
    struct ptx_lexer l;
    struct sim_build *b;
    struct ptx_module *m;
    struct ptx_func *f; /* being read, or NULL */
    struct ptx_sym *buckets[PTX_BUCKETS];
    struct ptx_sym *newest;
    struct ptx_pending *pending;
    size_t n_pending, cap_pending;
};

/* Special registers by name: "%tid". The table ends in a NULL name. */
struct ptx_special {
    const char *name;
    uint8_t bits;
    bool is_dynamic;     /* kind is enum sim_special, else enum sim_init_kind */
    uint8_t kind;
    uint8_t value;
    bool has_parts;
};
extern const struct ptx_special ptx_specials[];

/* --- symbols (ptx_sym.c) --- */
struct ptx_sym *ptx_declare(struct ptx_parser *p, enum ptx_sym_kind kind, const char *s,
                            uint32_t n);
/* The newest visible symbol of that name; for a range *index is the register's number. */
struct ptx_sym *ptx_lookup(struct ptx_parser *p, const char *s, uint32_t n, uint32_t *index);
/* Forgets what was declared after `mark` (what p->newest was). */
void ptx_close_scope(struct ptx_parser *p, struct ptx_sym *mark);

/* --- expressions and operands (ptx_operand.c) --- */
struct ptx_number ptx_constant(struct ptx_parser *p, int depth);
void ptx_operands(struct ptx_parser *p, struct ptx_inst *inst, bool may_stay_unknown);

/* --- declarations (ptx_var.c) --- */
/* Past a type; bits of it, or 0 when the token is none. */
uint32_t ptx_accept_type(struct ptx_parser *p);
bool ptx_accept_space(struct ptx_parser *p, enum ptx_space *space);
/* After the state space, up to but not past the ';' or ')' or ','. */
void ptx_declaration(struct ptx_parser *p, enum ptx_space space, bool is_extern, bool is_formal);

/* --- functions and the module --- */
void ptx_body(struct ptx_parser *p, int depth); /* after '{', past '}' */
/* What name the pending operand has, looked up when a scope closes. */
void ptx_resolve(struct ptx_parser *p, size_t first);
void ptx_read_module(struct ptx_parser *p);
/* The decoded opcode, once a distinct text (optab.c). */
const struct ptx_opcode *ptx_opcode_of(struct ptx_parser *p, const char *s, uint32_t n);
bool ptx_is_branch(const struct ptx_opcode *opcode);
bool ptx_is_call(const struct ptx_opcode *opcode);

#endif
