/* lower_bind.c - operands to the fields of an operation, by its signature. */
#include <string.h>

#include "dev/sim/lower.h"

const struct ptx_operand *lower_next(const struct ptx_operand *o)
{
    return o + 1 + o->n_flat;
}

void lower_start(struct lower *l, const struct ptx_inst *inst)
{
    l->inst = inst;
    l->u = inst->opcode->proto;
    l->u.line = inst->line;
    l->n_reads = l->n_writes = l->n_sources = l->n_pred_sources = 0;
    l->is_unsupported = false;
}

static void guard(struct lower *l)
{
    const struct ptx_inst *inst = l->inst;
    if (inst->guard == PTX_NO_GUARD) return;
    uint16_t *pred = &l->row_of[inst->guard];
    if (*pred == SIM_NONE) {
        if (l->n_preds == LOWER_MAX_PREDS) lower_fail(l, "too many predicates");
        *pred = (uint16_t)l->n_preds++;
    }
    l->u.guard = *pred;
    l->u.guard_xor = inst->is_guard_negated ? ~0u : 0;
    lower_reads(l, LOWER_PREDICATE | *pred);
}

static void append(struct lower *l, uint32_t entry)
{
    SIM_GROW(l->b, l->lists, l->n_lists, l->cap_lists);
    l->lists[l->n_lists++] = entry;
}

void lower_emit(struct lower *l)
{
    struct sim_uop *u = &l->u;
    guard(l);
    if (u->kind == SIM_ALU) {
        uint16_t *rows[] = {&u->d, &u->a, &u->b, &u->c, &u->e};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (*rows[i] == SIM_NONE) *rows[i] = 0;
        if (u->pa == SIM_PRED_CC) lower_reads(l, LOWER_PREDICATE | SIM_PRED_CC);
        if (u->pd == SIM_PRED_CC) lower_writes(l, LOWER_PREDICATE | SIM_PRED_CC);
    }
    if (l->n_total_uops + l->n_uops >= LOWER_MAX_UOPS) lower_fail(l, "too many operations");
    u->deps = (uint32_t)l->n_lists;
    u->n_reads = (uint8_t)l->n_reads;
    u->n_writes = (uint8_t)l->n_writes;
    for (uint32_t i = 0; i < l->n_reads; i++) append(l, l->reads[i]);
    for (uint32_t i = 0; i < l->n_writes; i++) append(l, l->writes[i]);
    SIM_GROW(l->b, l->uops, l->n_uops, l->cap_uops);
    l->uops[l->n_uops++] = *u;
    l->n_reads = l->n_writes = 0;
}

/* --- memory --- */

/* sym + n: the row is the space's base, the rest goes to the offset; the space of the symbol is
 * the one that counts where the opcode names none. */
static void address_of_symbol(struct lower *l, const struct ptx_operand *o)
{
    struct ptx_sym *sym = o->sym;
    struct sim_uop *u = &l->u;
    u->flags |= SIM_F_ADDR64 | SIM_F_CONST_ADDR;
    if (sym->kind != PTX_SYM_VAR) {
        l->is_unsupported = true;
        return;
    }
    const enum sim_space space = lower_space(sym);
    if (u->mem.space == SIM_SPACE_GENERIC || sym->space == PTX_PARAM) u->mem.space = (uint8_t)space;
    const bool is_dynamic = sym->space == PTX_SHARED && sym->is_extern;
    const int64_t offset =
        (int64_t)((uint64_t)o->imm + (is_dynamic ? 0 : lower_place(l, sym)));
    if (offset < INT32_MIN || offset > INT32_MAX) lower_fail(l, "too far an address");
    struct ptx_operand base = {.kind = PTX_O_SYM, .sym = sym};
    if (is_dynamic) u->a = lower_source(l, &base, 8);
    else {
        static const uint8_t kinds[SIM_N_SPACES] = {
            [SIM_SPACE_GLOBAL] = SIM_INIT_GLOBAL, [SIM_SPACE_SHARED] = SIM_INIT_SHARED,
            [SIM_SPACE_LOCAL] = SIM_INIT_LOCAL, [SIM_SPACE_CONST] = SIM_INIT_CONST,
            [SIM_SPACE_PARAM] = SIM_INIT_PARAM};
        u->a = lower_constant(l, kinds[space], 8, 0);
    }
    u->offset = (int32_t)offset;
}

static void address(struct lower *l, const struct ptx_operand *o)
{
    struct sim_uop *u = &l->u;
    l->n_sources = 1; /* a */
    if (o->kind != PTX_O_MEM || o->n_sub != 1) lower_fail(l, "an address was expected");
    o++;
    if (o->kind == PTX_O_SYM) {
        address_of_symbol(l, o);
        return;
    }
    if (o->kind == PTX_O_REG) {
        struct ptx_operand base = *o;
        const uint32_t n_bytes = lower_register_bytes(o);
        base.imm = 0;
        if (n_bytes != 4 && n_bytes != 8) lower_fail(l, "an address in such a register");
        if (o->imm < INT32_MIN || o->imm > INT32_MAX) lower_fail(l, "too far an address");
        if (n_bytes == 8) u->flags |= SIM_F_ADDR64;
        u->a = lower_source(l, &base, n_bytes);
        u->offset = (int32_t)o->imm;
        return;
    }
    u->flags |= SIM_F_ADDR64 | SIM_F_CONST_ADDR;
    u->a = lower_source(l, o, 8);
}

/* Bytes of the register of a datum: what it has, else what the element needs. */
static uint32_t data_bytes(const struct lower *l, const struct ptx_operand *o)
{
    const uint32_t n_bytes = lower_register_bytes(o);
    if (n_bytes) return n_bytes;
    return l->u.mem.elem_bytes < 4 ? 4 : l->u.mem.elem_bytes;
}

static void data(struct lower *l, const struct ptx_operand *o, bool is_load)
{
    struct sim_uop *u = &l->u;
    const uint32_t n = o->kind == PTX_O_VEC ? o->n_sub : 1;
    if (n != u->mem.n_elems) lower_fail(l, "another number of elements than the type has");
    if (o->kind == PTX_O_VEC) o++;
    uint32_t n_bytes = 0;
    uint16_t rows[8];
    for (uint32_t i = 0; i < n; i++, o = lower_next(o)) {
        if (o->kind == PTX_O_SINK && n_bytes == 0 && i + 1 < n) {
            /* the first that is wanted tells the size */
            for (const struct ptx_operand *p = o; p < o + (n - i); p++)
                if (lower_register_bytes(p)) n_bytes = lower_register_bytes(p);
        }
        if (n_bytes == 0) n_bytes = data_bytes(l, o);
        rows[i] = is_load ? lower_destination(l, o, n_bytes) : lower_source(l, o, n_bytes);
    }
    if (n_bytes < u->mem.elem_bytes) lower_fail(l, "a register too small for the type");
    u->mem.reg_bytes = (uint8_t)n_bytes;
    if (n == 1) {
        if (is_load) u->d = rows[0];
        else u->b = rows[0];
        return;
    }
    u->flags |= SIM_F_VECTOR;
    u->n_list = (uint8_t)n;
    u->list = (uint32_t)l->n_lists;
    for (uint32_t i = 0; i < n; i++) append(l, rows[i]);
}

/* --- signatures --- */

static void source(struct lower *l, const struct ptx_operand *o, uint32_t n_bytes)
{
    uint16_t *const fields[] = {&l->u.a, &l->u.b, &l->u.c, &l->u.e};
    if (l->n_sources == 4) lower_fail(l, "too many operands");
    *fields[l->n_sources++] = lower_source(l, o, n_bytes);
}

static void pred_source(struct lower *l, const struct ptx_operand *o)
{
    struct sim_uop *u = &l->u;
    bool is_negated;
    const uint16_t pred = lower_pred_source(l, o, &is_negated);
    if (l->n_pred_sources++ == 0) {
        u->pa = pred;
        u->pa_xor = is_negated ? ~0u : 0;
    } else {
        u->pb = pred;
        if (is_negated) u->flags |= SIM_F_PB_NOT;
    }
}

static void results(struct lower *l, const struct ptx_operand *o, bool is_pred)
{
    const bool is_pair = o->kind == PTX_O_PAIR;
    const struct ptx_operand *first = is_pair ? o + 1 : o, *second = is_pair ? o + 2 : NULL;
    if (is_pred) {
        l->u.pd = lower_pred_destination(l, first);
        if (second) l->u.pq = lower_pred_destination(l, second);
    } else {
        l->u.d = lower_destination(l, first, 4);
        if (second) l->u.pd = lower_pred_destination(l, second);
    }
}

static void bind(struct lower *l, const struct ptx_operand *o, char letter)
{
    switch (letter) {
    case 'd': l->u.d = lower_destination(l, o, 4); break;
    case 'D': l->u.d = lower_destination(l, o, 8); break;
    case 'Q': l->u.d = lower_destination(l, o, 16); break;
    case 's': source(l, o, 4); break;
    case 'S': source(l, o, 8); break;
    case 'x': results(l, o, false); break;
    case 'p': results(l, o, true); break;
    case 'q': pred_source(l, o); break;
    case 'i':
        if (o->kind != PTX_O_IMM) lower_fail(l, "a constant was expected");
        l->u.imm = (uint32_t)o->imm;
        break;
    case 'm': l->u.e = lower_source(l, o, 4); break;
    case 'M': address(l, o); break;
    case 'V': data(l, o, true); break;
    case 'W': data(l, o, false); break;
    case 'l':
        if (o->kind != PTX_O_LABEL) lower_fail(l, "a label was expected");
        l->u.target = o->reg;
        break;
    default: (void)lower_source(l, o, 8); break; /* h */
    }
}

/* The alternative with as many letters as there are operands. */
static const char *alternative(const char *signature, uint32_t n)
{
    for (;;) {
        const size_t length = strcspn(signature, "/");
        if (length == n) return signature;
        if (signature[length] == 0) return NULL;
        signature += length + 1;
    }
}

void lower_signature(struct lower *l, const struct ptx_operand *o)
{
    const uint32_t n = l->inst->n_operands;
    const char *letters = alternative(l->inst->opcode->signature, n);
    if (!letters) lower_fail(l, "another number of operands than it takes");
    for (uint32_t i = 0; i < n; i++, o = lower_next(o)) bind(l, o, letters[i]);
    lower_emit(l);
}
