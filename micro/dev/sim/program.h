/* program.h - PTX text decoded into micro-operations: what a simulated warp executes. */
#ifndef AY_SIM_PROGRAM_H
#define AY_SIM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/chip.h"
#include "core/status.h"

/* --- registers ------------------------------------------------------------------------------ *
 *
 * A warp's registers are rows of 32 lanes: uint32_t rows[n_rows][32], aligned to 256 bytes.
 *  - A register of 1..32 bits is one row. Above 16 bits of a 16-bit register nothing is promised:
 *    who reads one masks, who writes one need not.
 *  - A 64-bit register is an even row and the next, seen as one uint64_t[32] (lane i at byte 8 i).
 *  - A 128-bit register is two 64-bit ones, low half first.
 *  - Immediates and what is constant in a thread (%tid, addresses of variables, ...) are rows that
 *    the launch fills from `inits`, so every operand is a row. They are never written.
 *  - A register is known by its first row, everywhere, scoreboard included.
 * Predicates are masks, one bit a lane: uint32_t preds[n_preds], zero at the start but for
 * preds[SIM_PRED_TRUE] = ~0. The lanes that execute an operation are
 *      active & (preds[u->guard] ^ u->guard_xor)
 */
#define SIM_NONE      0xffffu /* no such row or predicate */
#define SIM_PRED_CC   0u      /* the carry flag of add.cc, subc, ... */
#define SIM_PRED_TRUE 1u      /* guard of what is not guarded */

/* Windows of the generic address space. Outside of them generic is global, so device memory must
 * lie below SIM_WINDOWS. An address in a window is its base plus a 32-bit offset. */
#define SIM_WINDOWS       0x0000700000000000ull
#define SIM_SHARED_WINDOW 0x0000700000000000ull
#define SIM_LOCAL_WINDOW  0x0000710000000000ull
#define SIM_CONST_WINDOW  0x0000720000000000ull
#define SIM_PARAM_WINDOW  0x0000730000000000ull

/* shared::cluster addresses: upper byte 0 is the own CTA, else rank + 1 (mapa makes them). */
#define SIM_CLUSTER_SHIFT 24

/* What a row holds at the start of a thread. `value` is the immediate, or as said. */
enum sim_init_kind {
    SIM_INIT_IMM,
    SIM_INIT_GLOBAL, /* value = offset in the module's global segment; the row holds the address */
    SIM_INIT_CONST,  /* value = offset in the module's constant segment (address in .const space) */
    SIM_INIT_SHARED, /* value = offset in the CTA's shared memory */
    SIM_INIT_LOCAL,  /* value = offset in the thread's local memory */
    SIM_INIT_PARAM,  /* value = offset in the kernel's parameters */
    SIM_INIT_TID,    /* value = 0 x, 1 y, 2 z (so for all that have components) */
    SIM_INIT_NTID,
    SIM_INIT_CTAID,
    SIM_INIT_NCTAID,
    SIM_INIT_CLUSTERID,
    SIM_INIT_NCLUSTERID,
    SIM_INIT_CLUSTER_CTAID,
    SIM_INIT_CLUSTER_NCTAID,
    SIM_INIT_CLUSTER_CTARANK,
    SIM_INIT_CLUSTER_NCTARANK,
    SIM_INIT_IS_EXPLICIT_CLUSTER,
    SIM_INIT_LANEID,
    SIM_INIT_WARPID,
    SIM_INIT_NWARPID,
    SIM_INIT_SMID,
    SIM_INIT_NSMID,
    SIM_INIT_GRIDID,
    SIM_INIT_LANEMASK_EQ,
    SIM_INIT_LANEMASK_LE,
    SIM_INIT_LANEMASK_LT,
    SIM_INIT_LANEMASK_GE,
    SIM_INIT_LANEMASK_GT,
    SIM_INIT_DYNAMIC_SMEM,
    SIM_INIT_TOTAL_SMEM,
    SIM_INIT_AGGR_SMEM,
    SIM_INIT_RESERVED_SMEM, /* value = 0 begin, 1 end, 2 cap */
    SIM_INIT_ENVREG,        /* value = which */
};

struct sim_row_init {
    uint16_t row;
    uint8_t kind;  /* enum sim_init_kind */
    uint8_t bytes; /* 4: one row, 8: a pair */
    uint64_t value;
};

/* --- operations ------------------------------------------------------------------------------ */

enum sim_kind {
    SIM_ALU,       /* all of it by sim_alu */
    SIM_SPECIAL,   /* d = a register that changes; op = enum sim_special */
    SIM_LOAD,      /* d or the list = [a + offset]; mem */
    SIM_STORE,     /* [a + offset] = b or the list; mem */
    SIM_ATOM,      /* d = [a + offset], then op with b (and c); op = enum sim_atom; mem */
    SIM_RED,       /* as SIM_ATOM without d */
    SIM_BRANCH,    /* to target; SIM_F_UNI: the PTX promises no divergence */
    SIM_BRX,       /* to the entry, of imm in the list, that a gives: numbers of uops, each two
                      halves, low first */
    SIM_CALL,      /* to target, back behind it on SIM_RET */
    SIM_RET,       /* only inside a called function: `ret` of an entry is SIM_EXIT */
    SIM_EXIT,
    SIM_BARRIER,   /* op = enum sim_barrier; a = barrier row; b = thread count row or SIM_NONE */
    SIM_CLUSTER_BARRIER, /* op = enum sim_cluster_barrier; mem.sem */
    SIM_WARP,      /* op = enum sim_warp: needs the lanes of the mask in row e together */
    SIM_FENCE,     /* op = enum sim_fence; mem.sem, mem.scope */
    SIM_PREFETCH,  /* op = enum sim_prefetch; [a + offset]; mem.space, mem.hint = level 1 or 2 */
    SIM_NANOSLEEP, /* a = row with ns */
    SIM_CLUSTER_MAP, /* op = enum sim_cluster_map */
    SIM_GRIDDEP,   /* op = 0 launch_dependents, 1 wait */
    SIM_NOP,
    SIM_TRAP,
    SIM_BRKPT,
    SIM_GENERIC,   /* op = enum sim_generic: imm operands from `list` on (struct sim_operand) */
    SIM_UNSUPPORTED, /* never executed: a launch of a kernel that has one is refused */
    SIM_N_KINDS
};

enum sim_special {
    SIM_SR_CLOCK,       /* 32 bit */
    SIM_SR_CLOCK_HI,    /* 32 bit */
    SIM_SR_CLOCK64,     /* 64 bit */
    SIM_SR_GLOBALTIMER, /* 64 bit */
    SIM_SR_GLOBALTIMER_LO,
    SIM_SR_GLOBALTIMER_HI,
};

enum sim_space {
    SIM_SPACE_GENERIC,
    SIM_SPACE_GLOBAL,
    SIM_SPACE_SHARED,         /* shared::cta */
    SIM_SPACE_SHARED_CLUSTER,
    SIM_SPACE_LOCAL,
    SIM_SPACE_CONST,
    SIM_SPACE_PARAM,          /* of the kernel: read only */
    SIM_N_SPACES
};

enum sim_cache {
    SIM_CACHE_PLAIN,
    SIM_CACHE_CA,
    SIM_CACHE_CG,
    SIM_CACHE_CS,
    SIM_CACHE_LU,
    SIM_CACHE_CV,
    SIM_CACHE_WB,
    SIM_CACHE_WT,
    SIM_CACHE_NC, /* with ld.nc; bits below may be set as well */
};

enum sim_sem {
    SIM_SEM_WEAK, /* nothing said */
    SIM_SEM_VOLATILE,
    SIM_SEM_RELAXED,
    SIM_SEM_ACQUIRE,
    SIM_SEM_RELEASE,
    SIM_SEM_ACQ_REL,
    SIM_SEM_SC,
    SIM_SEM_MMIO,
};

enum sim_scope { SIM_SCOPE_NONE, SIM_SCOPE_CTA, SIM_SCOPE_CLUSTER, SIM_SCOPE_GPU, SIM_SCOPE_SYS };

/* mem.hint, bits: what L2 is asked to fetch and what L1 is asked to keep. */
enum {
    SIM_HINT_L2_64B = 1,
    SIM_HINT_L2_128B = 2,
    SIM_HINT_L2_256B = 4,
    SIM_HINT_L1_NO_ALLOCATE = 8,
    SIM_HINT_EVICT_FIRST = 16,
    SIM_HINT_EVICT_LAST = 32,
    SIM_HINT_NC = 64, /* .nc beside another cache operator */
};

/* How memory is touched. One element a register; n_elems registers a lane, adjacent in memory. */
struct sim_mem {
    uint8_t space;      /* enum sim_space */
    uint8_t elem_bytes; /* 1 2 4 8 16 */
    uint8_t n_elems;    /* 1 2 4 8 */
    uint8_t reg_bytes;  /* of a data register: 4, 8 or 16; a load extends to it */
    uint8_t cache;      /* enum sim_cache */
    uint8_t sem;        /* enum sim_sem */
    uint8_t scope;      /* enum sim_scope */
    uint8_t hint;       /* SIM_HINT_... */
};

enum sim_type { /* of atomics, redux */
    SIM_U32,
    SIM_S32,
    SIM_B32,
    SIM_U64,
    SIM_S64,
    SIM_B64,
    SIM_F32,
    SIM_F64,
    SIM_F16,
    SIM_BF16,
    SIM_F16X2,
    SIM_BF16X2,
    SIM_B16,
    SIM_B128,
};

enum sim_atom {
    SIM_ATOM_ADD,
    SIM_ATOM_MIN,
    SIM_ATOM_MAX,
    SIM_ATOM_INC,
    SIM_ATOM_DEC,
    SIM_ATOM_AND,
    SIM_ATOM_OR,
    SIM_ATOM_XOR,
    SIM_ATOM_EXCH,
    SIM_ATOM_CAS, /* b = compare, c = new value */
};

/* d is a row, pd a predicate; unused ones are SIM_NONE. Source predicate: preds[pa] ^ pa_xor. */
enum sim_barrier {
    SIM_BAR_SYNC,
    SIM_BAR_ARRIVE,
    SIM_BAR_RED_POPC, /* d = count of lanes with source predicate */
    SIM_BAR_RED_AND,  /* pd */
    SIM_BAR_RED_OR,   /* pd */
};

enum sim_cluster_barrier { SIM_CBAR_ARRIVE, SIM_CBAR_WAIT };

enum sim_warp { /* mask of members: row e (SIM_NONE for activemask) */
    SIM_SHFL_IDX, /* d and pd (or SIM_NONE), a = value, b = lane, c = segment mask and clamp */
    SIM_SHFL_UP,
    SIM_SHFL_DOWN,
    SIM_SHFL_BFLY,
    SIM_VOTE_ALL, /* pd, source predicate pa */
    SIM_VOTE_ANY,
    SIM_VOTE_UNI,
    SIM_VOTE_BALLOT, /* d, source predicate pa */
    SIM_MATCH_ANY,   /* d, a; mem.reg_bytes 4 or 8 */
    SIM_MATCH_ALL,   /* d, pd or SIM_NONE */
    SIM_REDUX_ADD,   /* d, a; type in imm (enum sim_type) */
    SIM_REDUX_MIN,
    SIM_REDUX_MAX,
    SIM_REDUX_AND,
    SIM_REDUX_OR,
    SIM_REDUX_XOR,
    SIM_ACTIVEMASK,   /* d */
    SIM_ELECT,        /* d (may be a scratch row), pd */
    SIM_WARP_BARRIER, /* bar.warp.sync */
};

enum sim_fence {
    SIM_FENCE_MEMBAR,     /* membar and fence: mem.scope, mem.sem */
    SIM_FENCE_PROXY,      /* fence.proxy.* */
    SIM_FENCE_MBARRIER_INIT,
};

enum sim_prefetch { SIM_PREFETCH_LINE, SIM_DISCARD, SIM_APPLY_PRIORITY };

enum sim_cluster_map {
    SIM_MAPA,        /* d = address a seen in CTA b of the cluster; mem.reg_bytes, mem.space */
    SIM_GETCTARANK,  /* d (32 bit) = rank of the CTA that address a lies in */
};

/* Families whose operands are kept as written, for the parts that execute them. */
enum sim_generic {
    SIM_G_LDMATRIX,
    SIM_G_STMATRIX,
    SIM_G_MMA,
    SIM_G_CP_ASYNC,
    SIM_G_BULK,
    SIM_G_MBARRIER,
    SIM_G_WGMMA,
    SIM_G_TCGEN05,
    SIM_G_OTHER,
};

/* An operand as written. Vectors and lists are a SIM_O_OPEN with the count of operands up to the
 * matching close (nested ones included), which follow it. */
enum sim_operand_kind {
    SIM_O_ROW,  /* row: a register, immediate or constant; bytes 4, 8, 16 */
    SIM_O_PRED, /* row = predicate number, value = 1: negated */
    SIM_O_SINK, /* _ */
    SIM_O_VEC,  /* { ... }: value operands follow */
    SIM_O_MEM,  /* [ ... ]: value operands follow, first is the address row */
    SIM_O_LIST, /* ( ... ) */
    SIM_O_PAIR, /* d|p: two operands follow */
};
struct sim_operand {
    uint8_t kind;
    uint8_t bytes;
    bool is_imm;    /* value is the immediate (the row holds it as well) */
    uint16_t row;
    int64_t value;  /* immediate, count of followers, or what is added to an address row */
};

/* flags */
enum {
    SIM_F_UNI = 1,       /* .uni */
    SIM_F_ALIGNED = 2,   /* .aligned, or .sync of old style: all lanes of the warp together */
    SIM_F_ADDR64 = 4,    /* the address row a is a 64-bit pair */
    SIM_F_SIGNED = 8,    /* a load extends the sign */
    SIM_F_CONST_ADDR = 16, /* the address row is a constant: same in all lanes unless local */
    SIM_F_VECTOR = 32,   /* data registers are in the list, not in d or b */
    SIM_F_PB_NOT = 64,   /* the second source predicate is negated */
};

/* One operation, one cache line. Rows, predicates that are not used are SIM_NONE (rows of
 * SIM_ALU: 0, so that their addresses may be formed). */
struct sim_uop {
    uint8_t kind;  /* enum sim_kind */
    uint8_t cls;   /* enum ay_alu_class; AY_N_ALU_CLASSES where kind is not SIM_ALU */
    uint8_t flags; /* SIM_F_... */
    uint8_t type;  /* enum sim_type of atomics and redux */
    uint16_t op;   /* meaning depends on kind */
    uint16_t opcode; /* its text: sim_opcode */
    uint16_t guard;
    uint16_t d, a, b, c, e;
    uint16_t pd, pq, pa, pb;
    uint32_t guard_xor, pa_xor; /* 0, or ~0 where negated */
    union {
        uint32_t imm;
        uint32_t target; /* of a branch: number of a uop */
        int32_t offset;  /* added to an address */
    };
    uint32_t list; /* first entry in lists (SIM_F_VECTOR, SIM_BRX) or operands (SIM_GENERIC) */
    uint32_t deps; /* first entry in lists: n_reads then n_writes scoreboard numbers */
    uint8_t n_reads, n_writes, n_list, reserved;
    struct sim_mem mem;
    uint32_t line; /* of the PTX text, from 1 */
};
_Static_assert(sizeof(struct sim_uop) == 64, "one cache line");

/* Scoreboard numbers: a register's first row, or n_rows + predicate. Constants, scratch rows and
 * SIM_PRED_TRUE are left out; the guard and the carry flag are in. A list longer than 255 ends
 * there, which only wgmma of 256 registers could reach. */

struct sim_param {
    uint32_t offset, bytes, align;
};

struct sim_module;

struct sim_kernel {
    const char *name;
    const struct sim_module *module;
    const struct sim_uop *uops; /* ends in SIM_EXIT, so that no fall-through leaves it */
    uint32_t n_uops;
    uint32_t n_rows, n_preds; /* n_rows is even */
    const struct sim_row_init *inits;
    uint32_t n_inits;
    const uint16_t *lists; /* vectors and dependencies */
    uint32_t n_lists;
    const struct sim_operand *operands;
    uint32_t n_operands;
    const struct sim_param *params;
    uint32_t n_params, param_bytes;
    uint32_t shared_bytes; /* static; dynamic shared memory follows, aligned */
    uint32_t shared_align, dynamic_shared_offset;
    bool has_dynamic_shared;
    uint32_t local_bytes;
    uint32_t reqntid[3], maxntid[3], cluster[3]; /* 0: not said */
    uint32_t min_ctas_per_sm, max_registers, max_cluster_rank; /* 0: not said */
    bool explicit_cluster;
    uint32_t n_registers; /* estimate for occupancy: what a compiler would need at most */
    uint32_t unsupported; /* number of the first SIM_UNSUPPORTED, or n_uops */
};

/* A variable of module scope. */
struct sim_var {
    const char *name;
    uint8_t space; /* SIM_SPACE_GLOBAL or SIM_SPACE_CONST */
    bool is_extern;
    uint32_t align;
    uint64_t offset, bytes;
};

/* An address inside an initialiser, to be written at load: base of the target + addend. */
struct sim_reloc {
    uint8_t space;        /* where it is written */
    uint8_t target_space; /* GLOBAL, CONST */
    uint8_t bytes;        /* 4 or 8 */
    bool is_generic;
    uint64_t offset;      /* where, in its segment */
    uint64_t addend;      /* offset in the target's segment included */
};

/* What PTX text is. Owned by the caller of sim_module_parse; immutable, so it may be shared. */
struct sim_module {
    uint32_t version; /* 90 is 9.0 */
    const char *target; /* "sm_90a" */
    const struct sim_kernel *const *kernels;
    uint32_t n_kernels;
    const struct sim_var *vars;
    uint32_t n_vars;
    const uint8_t *global_image, *const_image; /* initial contents of the segments */
    uint64_t global_bytes, const_bytes;
    const struct sim_reloc *relocs;
    uint32_t n_relocs;
    const char *const *opcodes;
    uint32_t n_opcodes;
};

/* Decodes PTX text (no NUL needed). A syntax error is AY_USAGE with line and column; an opcode that
 * is not simulated becomes SIM_UNSUPPORTED and is no error here. */
enum ay_status sim_module_parse(const char *ptx, size_t n_bytes, struct sim_module **out,
                                struct ay_error *err) AY_CHECKED;
void sim_module_close(struct sim_module *module);

/* NULL when the module has no such entry or variable. */
const struct sim_kernel *sim_find_kernel(const struct sim_module *module, const char *name);
const struct sim_var *sim_find_var(const struct sim_module *module, const char *name);

/* The opcode as written, "ld.global.ca.u64". Never NULL. */
const char *sim_opcode(const struct sim_module *module, const struct sim_uop *u);

/* AY_SKIP "opcode X at line N is not simulated" where the kernel holds such an operation. */
enum ay_status sim_kernel_check(const struct sim_kernel *kernel, struct ay_error *err) AY_CHECKED;

/* Executes an SIM_ALU operation for the lanes of `mask`. */
void sim_alu(const struct sim_uop *u, uint32_t (*rows)[32], uint32_t *preds, uint32_t mask);

/* New value of a memory word under an atomic; c is looked at by SIM_ATOM_CAS alone. Values are in
 * the low bytes. */
uint64_t sim_atom_apply(enum sim_atom op, enum sim_type type, uint64_t old, uint64_t b, uint64_t c);

#endif
