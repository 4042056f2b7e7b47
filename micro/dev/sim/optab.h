/* optab.h - what an opcode's text means: a template of the operation and where operands go. */
#ifndef AY_SIM_OPTAB_H
#define AY_SIM_OPTAB_H

#include "dev/sim/ptx_ast.h"

/* How operands are bound to a template. */
enum ptx_bind {
    PTX_BIND_SIGNATURE,
    PTX_BIND_MOV,
    PTX_BIND_CVT,
    PTX_BIND_CALL,
    PTX_BIND_BRX,
    PTX_BIND_GENERIC, /* all operands as written; signature "w": the first is written, "x": also
                         read, "r": none is written */
    PTX_BIND_NONE,    /* operands are not looked at */
};

/* A signature has a letter an operand; '/' parts alternatives for other numbers of operands:
 *   d D Q   register that is written: 32, 64, 128 bits       -> d
 *   s S     source of 32, 64 bits                            -> a, b, c, e in order
 *   x       d or d|p                                         -> d, pd
 *   p       predicate that is written, p or p|q              -> pd, pq
 *   q       predicate that is read                           -> pa, pb in order
 *   i       integer constant                                 -> imm
 *   m       mask of lanes                                    -> e
 *   M       address                                          -> a, offset
 *   V W     data of a load, of a store: register or vector   -> d or list, b or list
 *   l       label                                            -> target
 *   h       64-bit source that only hints                    -> read, nothing else
 */
struct ptx_opcode {
    const char *text;
    uint32_t n, hash;
    uint16_t number;
    enum ptx_bind bind;
    const char *signature;
    struct sim_uop proto;
    bool is_branch, is_call;
    uint8_t mov_bits;         /* PTX_BIND_MOV */
    uint8_t to_type, from_type; /* PTX_BIND_CVT: enum alu_type */
};

/* A text being decoded: parts are taken one by one; one that nobody took is not understood. */
enum { PTX_MAX_PARTS = 24 };
struct ptx_decode {
    struct ptx_opcode *op;
    struct { const char *s; uint32_t n; } part[PTX_MAX_PARTS];
    uint32_t n_parts; /* part[0] is the base, and taken */
};

struct ptx_word {
    const char *name; /* NULL ends a table */
    int value;
};

bool ptx_take(struct ptx_decode *x, const char *word);
/* Takes the first part that is in the table; its value, or `absent`. */
int ptx_take_of(struct ptx_decode *x, const struct ptx_word *table, int absent);
/* As ptx_take_of, for words that begin with one of the table's. */
bool ptx_take_begin(struct ptx_decode *x, const char *begin);

/* Decoders of a family: false where the form is not simulated. */
bool ptx_decode_memory(struct ptx_decode *x);
bool ptx_decode_warp(struct ptx_decode *x);
bool ptx_decode_alu(struct ptx_decode *x);
bool ptx_decode_convert(struct ptx_decode *x);

#endif
