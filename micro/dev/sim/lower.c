/* lower.c - one kernel: its functions' operations in one array, its rows, its needs. */
#include "dev/sim/lower.h"

#include <string.h>

/* --- instructions --- */

static void brx(struct lower *l, const struct ptx_operand *o)
{
    if (l->inst->n_operands != 2) lower_fail(l, "two operands were expected");
    l->u.a = lower_source(l, o, 4);
    o = lower_next(o);
    if (o->kind != PTX_O_SYM || o->sym->kind != PTX_SYM_TARGETS)
        lower_fail(l, "a list of targets was expected");
    l->u.list = (uint32_t)l->n_lists;
    l->u.imm = o->sym->n_targets;
    for (uint32_t i = 0; i < o->sym->n_targets; i++)
        for (int half = 0; half < 2; half++) {
            SIM_GROW(l->b, l->lists, l->n_lists, l->cap_lists);
            l->lists[l->n_lists++] = o->sym->targets[i] >> (16 * half) & 0xffff;
        }
    lower_emit(l);
}

/* What cannot be executed keeps its guard and its text. */
static void unsupported(struct lower *l)
{
    l->n_reads = l->n_writes = 0;
    l->u = (struct sim_uop){
        .kind = SIM_UNSUPPORTED, .cls = AY_N_ALU_CLASSES, .op = SIM_G_OTHER,
        .opcode = l->inst->opcode->number, .line = l->inst->line, .guard = SIM_PRED_TRUE,
        .d = SIM_NONE, .a = SIM_NONE, .b = SIM_NONE, .c = SIM_NONE, .e = SIM_NONE,
        .pd = SIM_NONE, .pq = SIM_NONE, .pa = SIM_NONE, .pb = SIM_NONE};
    lower_emit(l);
}

static void instruction(struct lower *l, const struct ptx_inst *inst)
{
    const struct ptx_operand *o = &l->f->operands[inst->operand];
    const size_t n_before = l->n_uops;
    lower_start(l, inst);
    switch (inst->opcode->bind) {
    case PTX_BIND_MOV: lower_mov(l, o); break;
    case PTX_BIND_CVT: lower_cvt(l, o); break;
    case PTX_BIND_CALL: lower_call(l, o); break;
    case PTX_BIND_BRX: brx(l, o); break;
    case PTX_BIND_GENERIC: lower_generic(l, o); break;
    case PTX_BIND_NONE:
        if (l->u.kind == SIM_UNSUPPORTED) l->is_unsupported = true;
        else lower_emit(l);
        break;
    case PTX_BIND_SIGNATURE:
        if (l->u.kind == SIM_RET && l->is_entry) l->u.kind = SIM_EXIT;
        lower_signature(l, o);
        break;
    }
    if (!l->is_unsupported || inst->opcode->bind == PTX_BIND_GENERIC) return;
    l->n_uops = n_before;
    unsupported(l);
}

/* --- functions --- */

static void end_of_function(struct lower *l)
{
    const struct sim_uop last = {
        .kind = l->is_entry ? SIM_EXIT : SIM_RET, .cls = AY_N_ALU_CLASSES,
        .guard = SIM_PRED_TRUE, .d = SIM_NONE, .a = SIM_NONE, .b = SIM_NONE, .c = SIM_NONE,
        .e = SIM_NONE, .pd = SIM_NONE, .pq = SIM_NONE, .pa = SIM_NONE, .pb = SIM_NONE,
        .opcode = UINT16_MAX, .line = l->f->line};
    if (l->n_total_uops + l->n_uops >= LOWER_MAX_UOPS)
        sim_build_fail(l->b, l->f->line, 0, "too many operations");
    SIM_GROW(l->b, l->uops, l->n_uops, l->cap_uops);
    l->uops[l->n_uops++] = last;
}

/* Branches know instructions until the function is complete. */
static void resolve(struct lower *l, size_t first, const uint32_t *uop_of)
{
    for (size_t i = first; i < l->n_uops; i++) {
        struct sim_uop *u = &l->uops[i];
        if (u->kind == SIM_BRANCH) u->target = uop_of[u->target];
        if (u->kind != SIM_BRX) continue;
        for (uint32_t k = 0; k < u->imm; k++) {
            uint32_t *half = &l->lists[u->list + 2 * k];
            const uint32_t target = uop_of[half[0] | half[1] << 16];
            half[0] = target & 0xffff;
            half[1] = target >> 16;
        }
    }
}

static uint32_t function(struct lower *l, const struct ptx_func *f)
{
    const size_t first = l->n_uops;
    l->f = f;
    l->is_entry = f->is_entry;
    l->row_of = sim_take(l->b, &l->b->temp, ((size_t)f->n_regs + 1) * sizeof *l->row_of);
    memset(l->row_of, 0xff, ((size_t)f->n_regs + 1) * sizeof *l->row_of);
    uint32_t *uop_of = sim_take(l->b, &l->b->temp, (f->n_insts + 1) * sizeof *uop_of);
    for (size_t i = 0; i < f->n_insts; i++) {
        uop_of[i] = (uint32_t)l->n_uops;
        instruction(l, &f->insts[i]);
    }
    uop_of[f->n_insts] = (uint32_t)l->n_uops;
    end_of_function(l);
    resolve(l, first, uop_of);
    return (uint32_t)first;
}

/* --- the kernel --- */

static void parameters(struct lower *l, const struct ptx_func *f)
{
    struct sim_kernel *k = l->k;
    struct sim_param *params = sim_take(l->b, &l->b->keep, (f->n_params + 1) * sizeof *params);
    uint64_t total = 0;
    for (size_t i = 0; i < f->n_params; i++) {
        struct ptx_sym *sym = f->params[i];
        if (sym->space != PTX_PARAM)
            sim_build_fail(l->b, f->line, 0, "a kernel parameter that is no .param");
        sym->is_kernel_param = true;
        sym->offset = (total + sym->align - 1) / sym->align * sym->align;
        total = sym->offset + sym->bytes;
        if (total > 1 << 20) sim_build_fail(l->b, f->line, 0, "too many bytes of parameters");
        params[i] = (struct sim_param){.offset = (uint32_t)sym->offset,
                                       .bytes = (uint32_t)sym->bytes, .align = sym->align};
    }
    k->params = params;
    k->n_params = (uint32_t)f->n_params;
    k->param_bytes = (uint32_t)total;
}

static void launch_bounds(struct sim_kernel *k, const struct ptx_func *f)
{
    memcpy(k->reqntid, f->reqntid, sizeof k->reqntid);
    memcpy(k->maxntid, f->maxntid, sizeof k->maxntid);
    memcpy(k->cluster, f->cluster, sizeof k->cluster);
    k->min_ctas_per_sm = f->min_ctas_per_sm;
    k->max_registers = f->max_registers;
    k->max_cluster_rank = f->max_cluster_rank;
    k->explicit_cluster = f->explicit_cluster;
}

/* Dynamic shared memory begins where the static ends. */
static void shared_layout(struct lower *l)
{
    struct sim_kernel *k = l->k;
    if (k->shared_align == 0) k->shared_align = 1;
    k->dynamic_shared_offset =
        (k->shared_bytes + k->shared_align - 1) / k->shared_align * k->shared_align;
    for (size_t i = 0; i < l->n_inits; i++) {
        if (l->inits[i].kind != LOWER_DYNAMIC_SHARED) continue;
        l->inits[i].kind = SIM_INIT_SHARED;
        l->inits[i].value += k->dynamic_shared_offset;
    }
}

static void *kept(struct lower *l, const void *data, size_t n_bytes)
{
    void *copy = sim_take(l->b, &l->b->keep, n_bytes ? n_bytes : 1);
    if (n_bytes) memcpy(copy, data, n_bytes);
    return copy;
}

static void finish(struct lower *l)
{
    struct sim_kernel *k = l->k;
    k->n_rows = (l->n_rows + 1) & ~1u;
    if (k->n_rows == 0) k->n_rows = 2; /* operands that are not used look at row 0 */
    k->n_preds = l->n_preds;
    uint16_t *lists = sim_take(l->b, &l->b->keep, (l->n_lists + 1) * sizeof *lists);
    for (size_t i = 0; i < l->n_lists; i++) {
        const uint32_t entry = l->lists[i];
        lists[i] = (uint16_t)(entry & LOWER_PREDICATE ? k->n_rows + (entry & 0xffff) : entry);
    }
    k->lists = lists;
    k->n_lists = (uint32_t)l->n_lists;
    k->uops = kept(l, l->uops, l->n_uops * sizeof *l->uops);
    k->n_uops = (uint32_t)l->n_uops;
    k->inits = kept(l, l->inits, l->n_inits * sizeof *l->inits);
    k->n_inits = (uint32_t)l->n_inits;
    k->operands = kept(l, l->operands, l->n_operands * sizeof *l->operands);
    k->n_operands = (uint32_t)l->n_operands;
    k->unsupported = 0;
    while (k->unsupported < k->n_uops && k->uops[k->unsupported].kind != SIM_UNSUPPORTED)
        k->unsupported++;
    const uint32_t rows = l->n_register_rows;
    k->n_registers = rows < 16 ? 16 : rows > 255 ? 255 : rows;
    if (k->max_registers && k->n_registers > k->max_registers) k->n_registers = k->max_registers;
}

const struct sim_kernel *lower_kernel(struct sim_build *b, struct ptx_module *m,
                                      struct ptx_func *entry, uint32_t number,
                                      size_t *n_total_uops)
{
    struct lower *l = sim_take(b, &b->temp, sizeof *l);
    struct sim_kernel *k = sim_take(b, &b->keep, sizeof *k);
    l->b = b;
    l->m = m;
    l->k = k;
    l->kernel_number = number;
    l->n_preds = 2;
    l->spare_row = l->scratch = SIM_NONE;
    l->n_total_uops = *n_total_uops;
    k->name = entry->name;
    parameters(l, entry);
    launch_bounds(k, entry);
    lower_find_recursion(l, entry, 0);
    function(l, entry);
    uint32_t *starts = NULL;
    size_t cap_starts = 0;
    for (size_t i = 0; i < l->n_called; i++) { /* grows while functions call others */
        SIM_GROW(b, starts, i, cap_starts);
        starts[i] = function(l, l->called[i]);
    }
    for (size_t i = 0; i < l->n_uops; i++)
        if (l->uops[i].kind == SIM_CALL) l->uops[i].target = starts[l->uops[i].target];
    shared_layout(l);
    finish(l);
    *n_total_uops += l->n_uops;
    return k;
}
