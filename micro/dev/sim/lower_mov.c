/* lower_mov.c - moves, conversions, and operands as written. */
#include "dev/sim/lower.h"

static void simple(struct lower *l, uint16_t op, uint16_t d, uint16_t a)
{
    l->u.op = op;
    l->u.d = d;
    l->u.a = a;
    lower_emit(l);
}

/* --- mov --- */

static void move_pred(struct lower *l, const struct ptx_operand *d, const struct ptx_operand *s)
{
    if (s->kind == PTX_O_SPECIAL || s->kind == PTX_O_UNKNOWN) {
        l->is_unsupported = true;
        return;
    }
    l->u.pd = lower_pred_destination(l, d);
    if (s->kind == PTX_O_IMM) {
        l->u.op = ALU_PSET;
        l->u.imm = s->imm != 0;
    } else {
        bool is_negated;
        l->u.op = ALU_PMOV;
        l->u.pa = lower_pred_source(l, s, &is_negated);
        l->u.pa_xor = is_negated ? ~0u : 0;
    }
    lower_emit(l);
}

/* A part of a packed register an operation; each reads the whole. */
static void unpack(struct lower *l, const struct ptx_operand *d, const struct ptx_operand *s,
                   uint32_t bits)
{
    const uint32_t n = d->n_sub, part = n ? bits / n : 0;
    if (n < 2 || part < 8 || n > 4 || bits % n) lower_fail(l, "such parts do not make the whole");
    const struct ptx_operand *o = d + 1;
    for (uint32_t i = 0; i < n; i++, o = lower_next(o)) {
        if (o->kind == PTX_O_SINK) continue;
        const uint16_t a = lower_source(l, s, bits / 8);
        if (bits == 128) {
            if (n != 2) lower_fail(l, "such parts do not make the whole");
            simple(l, ALU_MOV64, lower_destination(l, o, 8), (uint16_t)(a + 2 * i));
            continue;
        }
        l->u.imm = i * part;
        simple(l, bits == 64 ? ALU_FIELD64 : ALU_FIELD, lower_destination(l, o, 4), a);
    }
}

static void pack(struct lower *l, const struct ptx_operand *d, const struct ptx_operand *s,
                 uint32_t bits)
{
    const struct ptx_operand *o = s + 1;
    const uint32_t n = s->n_sub;
    const uint16_t row = lower_destination(l, d, bits / 8);
    uint16_t *const fields[] = {&l->u.a, &l->u.b, &l->u.c, &l->u.e};
    if (bits == 128 && n == 2) {
        const uint16_t low = lower_source(l, o, 8);
        simple(l, ALU_MOV64, row, low);
        const uint16_t high = lower_source(l, lower_next(o), 8);
        lower_writes(l, row);
        simple(l, ALU_MOV64, (uint16_t)(row + 2), high);
        return;
    }
    if (bits == 32 && n == 2) l->u.op = ALU_PACK16;
    else if (bits == 32 && n == 4) l->u.op = ALU_PACK8;
    else if (bits == 64 && n == 2) l->u.op = ALU_PACK64;
    else if (bits == 64 && n == 4) l->u.op = ALU_PACK64X16;
    else lower_fail(l, "such parts do not make the whole");
    for (uint32_t i = 0; i < n; i++, o = lower_next(o)) *fields[i] = lower_source(l, o, 4);
    l->u.d = row;
    lower_emit(l);
}

static void read_special(struct lower *l, const struct ptx_operand *d, uint32_t bits,
                         const struct ptx_special *r)
{
    if (r->bits != bits) {
        l->is_unsupported = true;
        return;
    }
    l->u.kind = SIM_SPECIAL;
    l->u.cls = AY_N_ALU_CLASSES;
    l->u.op = r->kind;
    l->u.mem.reg_bytes = (uint8_t)(bits / 8);
    l->u.d = lower_destination(l, d, bits / 8);
    lower_emit(l);
}

void lower_mov(struct lower *l, const struct ptx_operand *d)
{
    const uint32_t bits = l->inst->opcode->mov_bits;
    if (l->inst->n_operands != 2) lower_fail(l, "two operands were expected");
    const struct ptx_operand *s = lower_next(d);
    const bool is_dynamic = s->kind == PTX_O_SPECIAL && ptx_specials[s->reg].is_dynamic;
    if (bits == 1) move_pred(l, d, s);
    else if (d->kind == PTX_O_VEC) unpack(l, d, s, bits);
    else if (s->kind == PTX_O_VEC) pack(l, d, s, bits);
    else if (is_dynamic) read_special(l, d, bits, &ptx_specials[s->reg]);
    else if (bits == 128) {
        const uint16_t a = lower_source(l, s, 16), row = lower_destination(l, d, 16);
        simple(l, ALU_MOV64, row, a);
        lower_reads(l, a);
        lower_writes(l, row);
        simple(l, ALU_MOV64, (uint16_t)(row + 2), (uint16_t)(a + 2));
    } else {
        const uint32_t n_bytes = bits == 64 ? 8 : 4;
        const uint16_t a = lower_source(l, s, n_bytes);
        simple(l, bits == 64 ? ALU_MOV64 : ALU_MOV32, lower_destination(l, d, n_bytes), a);
    }
}

/* --- cvt: either register may be wider than its type --- */

static bool is_wide(uint8_t type)
{
    return type == T_U64 || type == T_S64 || type == T_F64;
}

void lower_cvt(struct lower *l, const struct ptx_operand *d)
{
    const struct ptx_opcode *op = l->inst->opcode;
    const struct sim_uop proto = l->u;
    const bool is_packed = proto.op == ALU_CVT && proto.imm & CVT_PACK;
    if (l->inst->n_operands != (is_packed ? 3u : 2u))
        lower_fail(l, "another number of operands than it takes");
    const struct ptx_operand *s = lower_next(d);
    const bool narrow_source = !is_wide(op->from_type) && lower_register_bytes(s) == 8;
    const bool widen_result = !is_wide(op->to_type) && lower_register_bytes(d) == 8;
    uint16_t a;
    if (narrow_source) {
        a = lower_new_row(l, 4);
        const uint16_t whole = lower_source(l, s, 8);
        lower_writes(l, a);
        l->u.imm = 0;
        simple(l, ALU_LOW32, a, whole);
        lower_reads(l, a);
    } else {
        a = lower_source(l, s, is_wide(op->from_type) ? 8 : 4);
    }
    l->u = proto;
    if (is_packed) l->u.b = lower_source(l, lower_next(s), 4);
    if (!widen_result) {
        simple(l, proto.op, lower_destination(l, d, is_wide(op->to_type) ? 8 : 4), a);
        return;
    }
    const uint16_t t = lower_new_row(l, 4);
    lower_writes(l, t);
    simple(l, proto.op, t, a);
    const bool is_signed = op->to_type < T_F16 && (op->to_type & 1);
    lower_reads(l, t);
    l->u.imm = 0;
    simple(l, is_signed ? ALU_CVT_S64_S32 : ALU_CVT_U64_U32, lower_destination(l, d, 8), t);
}

/* --- operands as written --- */

static void as_row(struct lower *l, const struct ptx_operand *o, struct sim_operand *out,
                   bool is_written, bool is_read)
{
    struct ptx_operand plain = *o;
    uint32_t n_bytes = lower_register_bytes(o);
    if (o->kind != PTX_O_REG) n_bytes = 8;
    plain.imm = o->kind == PTX_O_REG ? 0 : o->imm;
    plain.is_negated = false;
    out->kind = SIM_O_ROW;
    out->bytes = (uint8_t)n_bytes;
    out->is_imm = o->kind == PTX_O_IMM;
    out->value = out->is_imm || o->kind == PTX_O_REG ? o->imm : 0;
    if (is_written && o->kind == PTX_O_REG) out->row = lower_destination(l, &plain, n_bytes);
    if (is_read || !is_written || o->kind != PTX_O_REG)
        out->row = lower_source(l, &plain, n_bytes);
}

static void as_pred(struct lower *l, const struct ptx_operand *o, struct sim_operand *out,
                    bool is_written)
{
    bool is_negated = false;
    struct ptx_operand plain = *o;
    plain.is_negated = false;
    out->kind = SIM_O_PRED;
    out->value = o->is_negated;
    out->row = is_written ? lower_pred_destination(l, &plain)
                          : lower_pred_source(l, &plain, &is_negated);
}

static uint8_t group_kind(uint8_t kind)
{
    switch (kind) {
    case PTX_O_VEC: return SIM_O_VEC;
    case PTX_O_MEM: return SIM_O_MEM;
    case PTX_O_LIST: return SIM_O_LIST;
    default: return SIM_O_PAIR;
    }
}

void lower_generic(struct lower *l, const struct ptx_operand *first)
{
    const char mode = l->inst->opcode->signature[0];
    const struct ptx_operand *end = first + l->inst->n_flat;
    const struct ptx_operand *written_end =
        mode != 'r' && l->inst->n_operands && first->kind != PTX_O_MEM ? lower_next(first) : first;
    l->u.list = (uint32_t)l->n_operands;
    for (const struct ptx_operand *o = first; o < end; o++) {
        const bool is_written = o < written_end;
        struct sim_operand out = {.kind = SIM_O_SINK};
        if (o->kind >= PTX_O_VEC && o->kind <= PTX_O_PAIR) {
            out.kind = group_kind(o->kind);
            out.value = o->n_flat;
        } else if (o->kind == PTX_O_REG && o->sym->bits == 1) {
            as_pred(l, o, &out, is_written);
        } else if (o->kind != PTX_O_SINK && o->kind != PTX_O_UNKNOWN && o->kind != PTX_O_LABEL) {
            as_row(l, o, &out, is_written, mode == 'x');
        }
        SIM_GROW(l->b, l->operands, l->n_operands, l->cap_operands);
        l->operands[l->n_operands++] = out;
    }
    const size_t n = (size_t)(end - first);
    l->u.n_list = n < 255 ? (uint8_t)n : 255;
    l->u.imm = (uint32_t)n;
    lower_emit(l);
}
