/* lower_call.c - calls of functions in the same module.
 *
 * A called function is lowered once a kernel, behind the entry, with registers of its own, and its
 * parameters lie at fixed places of local memory: so there is no recursion (refused), and a call
 * copies what is passed. Kernels that measure do not call; this is for printf's neighbours. */
#include "dev/sim/lower.h"

enum { MAX_CALL_DEPTH = 64 };

static struct ptx_func *callee_of(const struct ptx_func *f, const struct ptx_inst *inst)
{
    const struct ptx_operand *o = &f->operands[inst->operand];
    for (uint32_t i = 0; i < inst->n_operands; i++, o = lower_next(o))
        if (o->kind == PTX_O_SYM && o->sym->kind == PTX_SYM_FUNC) return o->sym->func;
    return NULL;
}

void lower_find_recursion(struct lower *l, struct ptx_func *f, int depth)
{
    if (f->visit == 2) return;
    if (f->visit == 1 || depth > MAX_CALL_DEPTH) {
        f->is_recursive = true;
        return;
    }
    f->visit = 1;
    for (size_t i = 0; i < f->n_insts; i++) {
        if (!f->insts[i].opcode->is_call) continue;
        struct ptx_func *callee = callee_of(f, &f->insts[i]);
        if (callee) lower_find_recursion(l, callee, depth + 1);
    }
    f->visit = 2;
}

/* One load or store of local memory at a constant place. */
static void access(struct lower *l, enum sim_kind kind, uint16_t row, uint64_t at, uint8_t n_bytes)
{
    const struct sim_uop call = l->u;
    struct sim_uop *u = &l->u;
    u->kind = (uint8_t)kind;
    u->flags = SIM_F_ADDR64 | SIM_F_CONST_ADDR;
    u->mem = (struct sim_mem){.space = SIM_SPACE_LOCAL, .elem_bytes = n_bytes, .n_elems = 1,
                              .reg_bytes = n_bytes == 8 ? 8 : 4};
    u->a = lower_constant(l, SIM_INIT_LOCAL, 8, 0);
    u->offset = (int32_t)at;
    if (kind == SIM_LOAD) {
        u->d = row;
        lower_writes(l, row);
    } else {
        u->b = row;
        lower_reads(l, row);
    }
    lower_emit(l);
    l->u = call;
}

static void copy(struct lower *l, struct ptx_sym *from, struct ptx_sym *to)
{
    const uint64_t source = lower_place(l, from), target = lower_place(l, to);
    const uint64_t n = from->bytes < to->bytes ? from->bytes : to->bytes;
    for (uint64_t at = 0; at < n;) {
        const uint64_t left = n - at, together = source | target | at;
        uint8_t size = 1;
        if (left >= 8 && !(together & 7)) size = 8;
        else if (left >= 4 && !(together & 3)) size = 4;
        const uint16_t row = lower_new_row(l, size == 8 ? 8 : 4);
        access(l, SIM_LOAD, row, source + at, size);
        access(l, SIM_STORE, row, target + at, size);
        at += size;
    }
}

/* Both ends of a list of arguments lie in memory; old PTX with registers there is refused. */
static bool can_pass(const struct ptx_operand *list, uint32_t n, struct ptx_sym *const *formals,
                     size_t n_formals)
{
    if (n != n_formals) return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_operand *o = &list[1 + i];
        if (o->kind != PTX_O_SYM || o->sym->kind != PTX_SYM_VAR) return false;
        if (o->sym->space != PTX_PARAM || formals[i]->space != PTX_PARAM) return false;
        if (o->sym->bytes > 4096) return false;
    }
    return true;
}

static void remember(struct lower *l, struct ptx_func *callee)
{
    for (size_t i = 0; i < l->n_called; i++)
        if (l->called[i] == callee) {
            l->u.target = (uint32_t)i;
            return;
        }
    SIM_GROW(l->b, l->called, l->n_called, l->cap_called);
    l->called[l->n_called] = callee;
    l->u.target = (uint32_t)l->n_called++;
}

void lower_call(struct lower *l, const struct ptx_operand *o)
{
    struct ptx_func *callee = callee_of(l->f, l->inst);
    const struct ptx_operand *rets = NULL, *params = NULL;
    for (uint32_t i = 0; i < l->inst->n_operands; i++, o = lower_next(o)) {
        if (o->kind != PTX_O_LIST) continue;
        if (i == 0) rets = o;
        else params = o;
    }
    l->is_unsupported = !callee || !callee->has_body || callee->is_recursive || callee->is_entry;
    if (l->is_unsupported) return;
    const uint32_t n_rets = rets ? rets->n_sub : 0, n_params = params ? params->n_sub : 0;
    l->is_unsupported = !can_pass(rets, n_rets, callee->rets, callee->n_rets) ||
                        !can_pass(params, n_params, callee->params, callee->n_params);
    if (l->is_unsupported) return;
    for (uint32_t i = 0; i < n_params; i++) copy(l, params[1 + i].sym, callee->params[i]);
    const struct sim_uop call = l->u;
    remember(l, callee);
    lower_emit(l);
    l->u = call;
    for (uint32_t i = 0; i < n_rets; i++) copy(l, callee->rets[i], rets[1 + i].sym);
}
