/* lower_row.c - rows for registers, immediates, special registers, addresses. */
#include <string.h>

#include "dev/sim/lower.h"

_Noreturn void lower_fail(struct lower *l, const char *what)
{
    sim_build_fail(l->b, l->inst->line, l->inst->column, "%.80s: %s", l->inst->opcode->text, what);
}

/* --- rows --- */

uint16_t lower_new_row(struct lower *l, uint32_t n_bytes)
{
    if (n_bytes == 4 && l->spare_row != SIM_NONE) {
        const uint16_t spare = l->spare_row;
        l->spare_row = SIM_NONE;
        return spare;
    }
    if (n_bytes > 4 && (l->n_rows & 1)) {
        /* An odd row before a pair waits for the next single register. */
        if (l->spare_row == SIM_NONE) l->spare_row = (uint16_t)l->n_rows;
        l->n_rows++;
    }
    if (l->n_rows + n_bytes / 4 > LOWER_MAX_ROWS) lower_fail(l, "too many registers");
    const uint16_t row = (uint16_t)l->n_rows;
    l->n_rows += n_bytes / 4;
    return row;
}

static size_t slot_of(const struct lower *l, uint8_t kind, uint8_t n_bytes, uint64_t value)
{
    uint64_t h = (value + kind * 0x9e37u + n_bytes) * 0x9e3779b97f4a7c15ull;
    size_t at = (size_t)(h >> 32) % l->cap_constants;
    for (; l->constants[at].is_used; at = (at + 1) % l->cap_constants) {
        const struct lower_constant *c = &l->constants[at];
        if (c->value == value && c->kind == kind && c->bytes == n_bytes) break;
    }
    return at;
}

static void grow_constants(struct lower *l)
{
    const struct lower_constant *old = l->constants;
    const size_t n_old = l->cap_constants;
    l->cap_constants = n_old ? n_old * 2 : 64;
    l->constants = sim_take(l->b, &l->b->temp, l->cap_constants * sizeof *l->constants);
    for (size_t i = 0; i < n_old; i++)
        if (old[i].is_used)
            l->constants[slot_of(l, old[i].kind, old[i].bytes, old[i].value)] = old[i];
}

uint16_t lower_constant(struct lower *l, uint8_t kind, uint8_t n_bytes, uint64_t value)
{
    if (l->n_constants * 2 >= l->cap_constants) grow_constants(l);
    struct lower_constant *c = &l->constants[slot_of(l, kind, n_bytes, value)];
    if (c->is_used) return c->row;
    *c = (struct lower_constant){.value = value, .kind = kind, .bytes = n_bytes, .is_used = true};
    c->row = lower_new_row(l, n_bytes);
    l->n_constants++;
    SIM_GROW(l->b, l->inits, l->n_inits, l->cap_inits);
    l->inits[l->n_inits++] = (struct sim_row_init){
        .row = c->row, .kind = kind, .bytes = n_bytes, .value = value};
    return c->row;
}

/* --- the scoreboard's numbers --- */

static void note(uint32_t list[256], uint32_t *n, uint32_t number)
{
    for (uint32_t i = 0; i < *n && i < 8; i++)
        if (list[i] == number) return;
    if (*n < 255) list[(*n)++] = number;
}

void lower_reads(struct lower *l, uint32_t number)
{
    note(l->reads, &l->n_reads, number);
}

void lower_writes(struct lower *l, uint32_t number)
{
    note(l->writes, &l->n_writes, number);
}

/* --- registers --- */

uint32_t lower_register_bytes(const struct ptx_operand *o)
{
    if (o->kind != PTX_O_REG || o->sym->bits == 1) return 0;
    return o->sym->bits <= 32 ? 4 : o->sym->bits / 8;
}

static uint16_t row_of_register(struct lower *l, const struct ptx_operand *o)
{
    uint16_t *row = &l->row_of[o->reg];
    if (*row == SIM_NONE) {
        const uint32_t n_bytes = lower_register_bytes(o);
        *row = lower_new_row(l, n_bytes);
        l->n_register_rows += n_bytes / 4;
    }
    return *row;
}

static void check_width(struct lower *l, const struct ptx_operand *o, uint32_t n_bytes)
{
    if (o->sym->bits == 1) lower_fail(l, "a predicate where a register was expected");
    if (lower_register_bytes(o) != n_bytes) lower_fail(l, "a register of another size");
    if (o->imm || o->is_negated) lower_fail(l, "an expression where a register was expected");
}

uint16_t lower_destination(struct lower *l, const struct ptx_operand *o, uint32_t n_bytes)
{
    if (o->kind == PTX_O_SINK) {
        if (l->scratch == SIM_NONE) l->scratch = lower_new_row(l, 16);
        return l->scratch;
    }
    if (o->kind != PTX_O_REG) lower_fail(l, "a result that is no register");
    check_width(l, o, n_bytes);
    const uint16_t row = row_of_register(l, o);
    lower_writes(l, row);
    return row;
}

/* --- predicates --- */

static uint16_t pred_of(struct lower *l, const struct ptx_operand *o)
{
    if (o->kind != PTX_O_REG || o->sym->bits != 1) lower_fail(l, "a predicate was expected");
    uint16_t *pred = &l->row_of[o->reg];
    if (*pred == SIM_NONE) {
        if (l->n_preds == LOWER_MAX_PREDS) lower_fail(l, "too many predicates");
        *pred = (uint16_t)l->n_preds++;
    }
    return *pred;
}

uint16_t lower_pred_source(struct lower *l, const struct ptx_operand *o, bool *is_negated)
{
    *is_negated = o->is_negated;
    if (o->kind == PTX_O_IMM) {
        *is_negated = o->imm == 0;
        return SIM_PRED_TRUE;
    }
    const uint16_t pred = pred_of(l, o);
    lower_reads(l, LOWER_PREDICATE | pred);
    return pred;
}

uint16_t lower_pred_destination(struct lower *l, const struct ptx_operand *o)
{
    if (o->kind == PTX_O_SINK) return SIM_NONE;
    const uint16_t pred = pred_of(l, o);
    if (o->is_negated) lower_fail(l, "a result that is negated");
    lower_writes(l, LOWER_PREDICATE | pred);
    return pred;
}

/* --- variables --- */

enum sim_space lower_space(const struct ptx_sym *sym)
{
    switch (sym->space) {
    case PTX_GLOBAL: return SIM_SPACE_GLOBAL;
    case PTX_CONST: return SIM_SPACE_CONST;
    case PTX_SHARED: return SIM_SPACE_SHARED;
    case PTX_PARAM: return sym->is_kernel_param ? SIM_SPACE_PARAM : SIM_SPACE_LOCAL;
    default: return SIM_SPACE_LOCAL;
    }
}

/* Parameters of called functions live in local memory, at one place a kernel: see lower_call.c. */
uint64_t lower_place(struct lower *l, struct ptx_sym *sym)
{
    const enum sim_space space = lower_space(sym);
    if (space == SIM_SPACE_GLOBAL || space == SIM_SPACE_CONST || space == SIM_SPACE_PARAM)
        return sym->offset;
    if (sym->placed_in == l->kernel_number) return sym->offset;
    uint32_t *total = space == SIM_SPACE_SHARED ? &l->k->shared_bytes : &l->k->local_bytes;
    const uint64_t offset = ((uint64_t)*total + sym->align - 1) / sym->align * sym->align;
    if (offset + sym->bytes > 1u << 30) lower_fail(l, "too much shared or local memory");
    sym->offset = offset;
    sym->placed_in = l->kernel_number;
    *total = (uint32_t)(offset + sym->bytes);
    if (space == SIM_SPACE_SHARED && sym->align > l->k->shared_align)
        l->k->shared_align = sym->align;
    return offset;
}

static uint16_t address_row(struct lower *l, struct ptx_sym *sym, int64_t addend, uint32_t n_bytes)
{
    static const uint8_t kinds[SIM_N_SPACES] = {
        [SIM_SPACE_GLOBAL] = SIM_INIT_GLOBAL, [SIM_SPACE_SHARED] = SIM_INIT_SHARED,
        [SIM_SPACE_LOCAL] = SIM_INIT_LOCAL, [SIM_SPACE_CONST] = SIM_INIT_CONST,
        [SIM_SPACE_PARAM] = SIM_INIT_PARAM};
    if (sym->kind != PTX_SYM_VAR) {
        l->is_unsupported = true; /* the address of a function */
        return 0;
    }
    if (sym->space == PTX_SHARED && sym->is_extern) {
        l->k->has_dynamic_shared = true;
        if (sym->align > l->k->shared_align) l->k->shared_align = sym->align;
        return lower_constant(l, LOWER_DYNAMIC_SHARED, (uint8_t)n_bytes, (uint64_t)addend);
    }
    const uint64_t offset = lower_place(l, sym) + (uint64_t)addend;
    return lower_constant(l, kinds[lower_space(sym)], (uint8_t)n_bytes, offset);
}

/* --- sources --- */

static uint64_t immediate(struct lower *l, const struct ptx_operand *o, uint32_t n_bytes)
{
    const uint64_t bits = (uint64_t)o->imm;
    float narrow;
    double wide;
    if (o->float_kind == 8 && n_bytes == 4) {
        uint32_t out;
        memcpy(&wide, &bits, sizeof wide);
        narrow = (float)wide;
        memcpy(&out, &narrow, sizeof out);
        return out;
    }
    if (o->float_kind == 4 && n_bytes == 8) {
        const uint32_t low = (uint32_t)bits;
        uint64_t out;
        memcpy(&narrow, &low, sizeof narrow);
        wide = (double)narrow;
        memcpy(&out, &wide, sizeof out);
        return out;
    }
    if (n_bytes == 16) lower_fail(l, "an immediate of 128 bits");
    return n_bytes == 4 ? (uint32_t)bits : bits;
}

static uint16_t special(struct lower *l, const struct ptx_operand *o, uint32_t n_bytes)
{
    const struct ptx_special *r = &ptx_specials[o->reg];
    if (r->is_dynamic || n_bytes > 8 || r->bits == 1) {
        l->is_unsupported = true;
        return 0;
    }
    if (o->part == 3) return lower_constant(l, SIM_INIT_IMM, (uint8_t)n_bytes, 0);
    return lower_constant(l, r->kind, (uint8_t)n_bytes, r->has_parts ? o->part : r->value);
}

uint16_t lower_source(struct lower *l, const struct ptx_operand *o, uint32_t n_bytes)
{
    switch (o->kind) {
    case PTX_O_REG: {
        check_width(l, o, n_bytes);
        const uint16_t row = row_of_register(l, o);
        lower_reads(l, row);
        return row;
    }
    case PTX_O_IMM:
        return lower_constant(l, SIM_INIT_IMM, (uint8_t)n_bytes, immediate(l, o, n_bytes));
    case PTX_O_SPECIAL:
        return special(l, o, n_bytes);
    case PTX_O_SYM:
        if (n_bytes > 8) lower_fail(l, "an address of 128 bits");
        return address_row(l, o->sym, o->imm, n_bytes);
    case PTX_O_UNKNOWN:
        l->is_unsupported = true;
        return 0;
    default:
        lower_fail(l, "an operand that is no value");
    }
}
