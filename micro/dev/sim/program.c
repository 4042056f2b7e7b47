/* program.c - a module: read, lowered, kept. */
#include "dev/sim/program.h"

#include <stdlib.h>
#include <string.h>

#include "dev/sim/lower.h"

struct owner {
    struct sim_module module; /* first, so that the module's address is the owner's */
    struct sim_arena keep;
};

static uint8_t *image(struct sim_build *b, const uint8_t *begun, size_t n_begun, uint64_t n_bytes)
{
    uint8_t *whole = sim_take(b, &b->keep, (size_t)n_bytes + 1);
    const size_t n = n_begun < n_bytes ? n_begun : (size_t)n_bytes;
    if (n) memcpy(whole, begun, n);
    return whole;
}

static void keep_variables(struct sim_build *b, const struct ptx_module *m, struct sim_module *out)
{
    struct sim_var *vars = sim_take(b, &b->keep, (m->n_vars + 1) * sizeof *vars);
    for (size_t i = 0; i < m->n_vars; i++) {
        const struct ptx_sym *sym = m->vars[i];
        vars[i] = (struct sim_var){
            .name = sim_keep_text(b, sym->name, sym->n),
            .space = sym->space == PTX_CONST ? SIM_SPACE_CONST : SIM_SPACE_GLOBAL,
            .is_extern = sym->is_extern, .align = sym->align, .offset = sym->offset,
            .bytes = sym->bytes};
    }
    struct sim_reloc *relocs = sim_take(b, &b->keep, (m->n_relocs + 1) * sizeof *relocs);
    if (m->n_relocs) memcpy(relocs, m->relocs, m->n_relocs * sizeof *relocs);
    out->vars = vars;
    out->n_vars = (uint32_t)m->n_vars;
    out->relocs = relocs;
    out->n_relocs = (uint32_t)m->n_relocs;
    out->global_bytes = m->global_bytes;
    out->const_bytes = m->const_bytes;
    out->global_image = image(b, m->global_image, m->cap_global, m->global_bytes);
    out->const_image = image(b, m->const_image, m->cap_const, m->const_bytes);
}

static void keep_opcodes(struct sim_build *b, const struct ptx_module *m, struct sim_module *out)
{
    const char **opcodes = sim_take(b, &b->keep, (m->n_opcodes + 1) * sizeof *opcodes);
    for (size_t i = 0; i < m->n_opcodes; i++) opcodes[i] = m->opcodes[i]->text;
    out->opcodes = opcodes;
    out->n_opcodes = (uint32_t)m->n_opcodes;
}

static void build(struct sim_build *b, const char *text, size_t n_bytes, struct sim_module *out)
{
    char *copy = sim_take(b, &b->temp, n_bytes + 16); /* NULs behind the end stop every scan */
    if (n_bytes) memcpy(copy, text, n_bytes);
    while (n_bytes && copy[n_bytes - 1] == 0) n_bytes--;
    struct ptx_module *m = sim_take(b, &b->temp, sizeof *m);
    struct ptx_parser *p = sim_take(b, &b->temp, sizeof *p);
    p->b = b;
    p->m = m;
    ptx_lex_open(&p->l, b, copy, n_bytes);
    ptx_read_module(p);
    out->version = m->version;
    out->target = m->target;
    const struct sim_kernel **kernels =
        sim_take(b, &b->keep, (m->n_funcs + 1) * sizeof *kernels);
    size_t n_total_uops = 0;
    for (size_t i = 0; i < m->n_funcs; i++) {
        if (!m->funcs[i]->is_entry || !m->funcs[i]->has_body) continue;
        struct sim_kernel *k = (struct sim_kernel *)(uintptr_t)lower_kernel(
            b, m, m->funcs[i], out->n_kernels + 1, &n_total_uops);
        k->module = out;
        kernels[out->n_kernels++] = k;
    }
    out->kernels = kernels;
    keep_variables(b, m, out);
    keep_opcodes(b, m, out);
}

enum ay_status sim_module_parse(const char *ptx, size_t n_bytes, struct sim_module **out,
                                struct ay_error *err)
{
    *out = NULL;
    struct owner *owner = calloc(1, sizeof *owner);
    struct sim_build *b = calloc(1, sizeof *b);
    if (!owner || !b) {
        free(owner);
        free(b);
        return AY_FAIL(err, AY_NOMEM, "no memory to decode PTX");
    }
    b->err = err;
    if (setjmp(b->trap) == 0) build(b, ptx, n_bytes, &owner->module);
    const enum ay_status status = b->status;
    sim_arena_free(&b->temp);
    owner->keep = b->keep;
    free(b);
    if (status == AY_OK) *out = &owner->module;
    else sim_module_close(&owner->module);
    return status;
}

void sim_module_close(struct sim_module *module)
{
    if (!module) return;
    struct owner *owner = (struct owner *)module;
    sim_arena_free(&owner->keep);
    free(owner);
}

const struct sim_kernel *sim_find_kernel(const struct sim_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->n_kernels; i++)
        if (strcmp(module->kernels[i]->name, name) == 0) return module->kernels[i];
    return NULL;
}

const struct sim_var *sim_find_var(const struct sim_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->n_vars; i++)
        if (strcmp(module->vars[i].name, name) == 0) return &module->vars[i];
    return NULL;
}

const char *sim_opcode(const struct sim_module *module, const struct sim_uop *u)
{
    return u->opcode < module->n_opcodes ? module->opcodes[u->opcode] : "exit";
}

enum ay_status sim_kernel_check(const struct sim_kernel *kernel, struct ay_error *err)
{
    if (kernel->unsupported == kernel->n_uops) return AY_OK;
    const struct sim_uop *u = &kernel->uops[kernel->unsupported];
    return AY_FAIL(err, AY_SKIP, "opcode %s at PTX line %u is not simulated",
                   sim_opcode(kernel->module, u), u->line);
}
