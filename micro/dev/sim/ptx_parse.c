/* ptx_parse.c - the module, function headers, statements. */
#include <string.h>

#include "dev/sim/ptx_ast.h"

enum { MAX_FUNCS = 1 << 16 };

/* --- statements --- */

static void add_target(struct ptx_parser *p, struct ptx_sym *sym, size_t *cap)
{
    struct ptx_lexer *l = &p->l;
    if (l->t.kind != PTX_WORD) ptx_fail(l, "a label was expected");
    SIM_GROW(p->b, sym->targets, sym->n_targets, *cap);
    SIM_GROW(p->b, p->pending, p->n_pending, p->cap_pending);
    p->pending[p->n_pending++] = (struct ptx_pending){
        .operand = sym->n_targets, .targets = sym, .at = l->t};
    sym->targets[sym->n_targets++] = 0;
    ptx_next(l);
}

/* NAME: or NAME: .branchtargets ...; */
static void label(struct ptx_parser *p, struct ptx_token t)
{
    struct ptx_lexer *l = &p->l;
    struct ptx_sym *sym = ptx_declare(p, PTX_SYM_LABEL, t.s, t.n);
    sym->first = (uint32_t)p->f->n_insts;
    sym->n_parts = 1;
    if (ptx_accept_word(l, ".branchtargets")) {
        size_t cap = 0;
        sym->kind = PTX_SYM_TARGETS;
        do add_target(p, sym, &cap);
        while (ptx_accept(l, ','));
        ptx_expect(l, ';');
    } else if (ptx_accept_word(l, ".callprototype") || ptx_accept_word(l, ".calltargets")) {
        sym->kind = PTX_SYM_PROTO;
        ptx_skip_past(l, ';');
    }
}

static void guard(struct ptx_parser *p, struct ptx_inst *inst)
{
    struct ptx_lexer *l = &p->l;
    uint32_t index = 0;
    inst->is_guard_negated = ptx_accept(l, '!');
    const struct ptx_sym *sym = NULL;
    if (l->t.kind == PTX_WORD || l->t.kind == PTX_REGISTER)
        sym = ptx_lookup(p, l->t.s, l->t.n, &index);
    if (!sym || (sym->kind != PTX_SYM_REG && sym->kind != PTX_SYM_RANGE) || sym->bits != 1)
        ptx_fail(l, "no predicate");
    inst->guard = sym->first + index;
    ptx_next(l);
}

static void instruction(struct ptx_parser *p)
{
    struct ptx_lexer *l = &p->l;
    struct ptx_func *f = p->f;
    struct ptx_inst inst = {.guard = PTX_NO_GUARD, .line = l->t.line, .column = l->t.column};
    const bool is_guarded = ptx_accept(l, '@');
    if (is_guarded) guard(p, &inst);
    if (l->t.kind != PTX_WORD) ptx_fail(l, "an instruction was expected");
    const struct ptx_token t = l->t;
    ptx_next(l);
    if (!is_guarded && ptx_accept(l, ':')) {
        label(p, t);
        return;
    }
    inst.opcode = ptx_opcode_of(p, t.s, t.n);
    ptx_operands(p, &inst, ptx_is_call(inst.opcode));
    if (f->n_insts >= UINT32_MAX / 4) ptx_fail(l, "too many instructions");
    SIM_GROW(p->b, f->insts, f->n_insts, f->cap_insts);
    f->insts[f->n_insts++] = inst;
}

static void body_directive(struct ptx_parser *p)
{
    struct ptx_lexer *l = &p->l;
    enum ptx_space space;
    if (ptx_accept_space(p, &space)) {
        ptx_declaration(p, space, false, false);
        ptx_expect(l, ';');
    } else if (ptx_is_word(l, ".loc") || ptx_is_word(l, ".file")) {
        ptx_skip_line(l);
    } else if (ptx_is_word(l, ".pragma") || ptx_is_word(l, ".noreturn") ||
               ptx_is_word(l, ".callprototype") || ptx_is_word(l, ".calltargets")) {
        ptx_skip_past(l, ';');
    } else {
        ptx_fail(l, "an unknown directive");
    }
}

void ptx_body(struct ptx_parser *p, int depth)
{
    struct ptx_lexer *l = &p->l;
    struct ptx_sym *const mark = p->newest;
    const size_t first_pending = p->n_pending;
    if (depth > PTX_MAX_DEPTH) ptx_fail(l, "blocks nested too deeply");
    while (!ptx_accept(l, '}')) {
        if (l->t.kind == PTX_END) ptx_fail(l, "'}' was expected");
        if (ptx_accept(l, '{')) ptx_body(p, depth + 1);
        else if (l->t.kind == PTX_DIRECTIVE) body_directive(p);
        else if (!ptx_accept(l, ';')) instruction(p);
    }
    ptx_resolve(p, first_pending);
    ptx_close_scope(p, mark);
}

/* --- functions --- */

static void formals(struct ptx_parser *p, struct ptx_sym ***list, size_t *n, size_t *cap)
{
    struct ptx_lexer *l = &p->l;
    *n = 0;
    if (!ptx_accept(l, '(')) return;
    while (!ptx_accept(l, ')')) {
        enum ptx_space space;
        if (!ptx_accept_space(p, &space)) ptx_fail(l, "a parameter was expected");
        ptx_declaration(p, space, false, true);
        SIM_GROW(p->b, *list, *n, *cap);
        (*list)[(*n)++] = p->newest;
        if (!ptx_accept(l, ',') && !ptx_is(l, ')')) ptx_expect(l, ')');
    }
}

static void counts(struct ptx_parser *p, uint32_t *out, int most)
{
    int n = 0;
    do out[n++] = (uint32_t)ptx_take_count(&p->l, UINT32_MAX);
    while (n < most && ptx_accept(&p->l, ','));
    for (; n < most; n++) out[n] = 1;
}

static bool performance_directive(struct ptx_parser *p)
{
    struct ptx_lexer *l = &p->l;
    struct ptx_func *f = p->f;
    uint32_t ignored[3];
    if (ptx_accept_word(l, ".maxntid")) counts(p, f->maxntid, 3);
    else if (ptx_accept_word(l, ".reqntid")) counts(p, f->reqntid, 3);
    else if (ptx_accept_word(l, ".reqnctapercluster")) counts(p, f->cluster, 3);
    else if (ptx_accept_word(l, ".minnctapersm")) counts(p, &f->min_ctas_per_sm, 1);
    else if (ptx_accept_word(l, ".maxnctapersm")) counts(p, ignored, 1);
    else if (ptx_accept_word(l, ".maxnreg")) counts(p, &f->max_registers, 1);
    else if (ptx_accept_word(l, ".maxclusterrank")) counts(p, &f->max_cluster_rank, 1);
    else if (ptx_accept_word(l, ".explicitcluster")) f->explicit_cluster = true;
    else if (ptx_accept_word(l, ".noreturn")) return true;
    else if (ptx_accept_word(l, ".blocksareclusters")) return true;
    else if (ptx_accept_word(l, ".abi_preserve")) counts(p, ignored, 1);
    else if (ptx_accept_word(l, ".abi_preserve_control")) counts(p, ignored, 1);
    else if (ptx_is_word(l, ".pragma")) ptx_skip_past(l, ';');
    else return false;
    return true;
}

static struct ptx_func *function(struct ptx_parser *p, bool is_entry, struct ptx_token t)
{
    uint32_t index;
    struct ptx_sym *sym = ptx_lookup(p, t.s, t.n, &index);
    if (sym && sym->kind == PTX_SYM_FUNC && sym->func->is_entry == is_entry) return sym->func;
    if (p->m->n_funcs == MAX_FUNCS) ptx_fail(&p->l, "too many functions");
    struct ptx_func *f = sim_take(p->b, &p->b->temp, sizeof *f);
    f->name = sim_keep_text(p->b, t.s, t.n);
    f->is_entry = is_entry;
    f->line = t.line;
    SIM_GROW(p->b, p->m->funcs, p->m->n_funcs, p->m->cap_funcs);
    p->m->funcs[p->m->n_funcs++] = f;
    return f;
}

/* Unknown names are no error here where the lowering refuses them by name (a call of a function
 * that is elsewhere). */
static void close_function(struct ptx_parser *p)
{
    for (size_t i = 0; i < p->n_pending; i++) {
        if (p->pending[i].may_stay_unknown) continue;
        p->l.t = p->pending[i].at;
        ptx_fail(&p->l, "an unknown name");
    }
    p->n_pending = 0;
}

/* The name of a function comes after its results, so those are declared before it is known. */
static void function_header(struct ptx_parser *p, bool is_entry, struct ptx_func *header)
{
    struct ptx_lexer *l = &p->l;
    p->f = header;
    formals(p, &header->rets, &header->n_rets, &header->cap_rets);
    if (l->t.kind != PTX_WORD) ptx_fail(l, "a name was expected");
    const struct ptx_token t = l->t;
    struct ptx_func *f = function(p, is_entry, t);
    ptx_next(l);
    formals(p, &header->params, &header->n_params, &header->cap_params);
    while (l->t.kind == PTX_DIRECTIVE && performance_directive(p)) {}
    if (ptx_is(l, '{') && f->has_body) ptx_fail(l, "a second body");
    if (f->has_body) return;
    header->name = f->name;
    header->is_entry = is_entry;
    header->line = f->line;
    *f = *header;
    p->f = f;
}

static void read_function(struct ptx_parser *p, bool is_entry)
{
    struct ptx_lexer *l = &p->l;
    struct ptx_func header = {0};
    struct ptx_sym *const mark = p->newest;
    function_header(p, is_entry, &header);
    struct ptx_func *f = p->f;
    if (ptx_accept(l, '{')) {
        f->has_body = true;
        /* Visible in its own body: it may call itself. */
        struct ptx_sym *self =
            ptx_declare(p, PTX_SYM_FUNC, f->name, (uint32_t)strlen(f->name));
        self->func = f;
        ptx_body(p, 0);
        close_function(p);
    } else {
        (void)ptx_accept(l, ';'); /* old PTX: a prototype that ends in nothing */
    }
    ptx_close_scope(p, mark);
    p->f = NULL;
    if (f == &header) return;
    struct ptx_sym *sym = ptx_declare(p, PTX_SYM_FUNC, f->name, (uint32_t)strlen(f->name));
    sym->func = f;
    sym->n_parts = 1;
}

/* --- the module --- */

static void version(struct ptx_parser *p)
{
    struct ptx_lexer *l = &p->l;
    uint32_t part[2] = {0, 0};
    int n = 0;
    if (l->t.kind != PTX_NUMBER || l->t.n > 6) ptx_fail(l, "a version was expected");
    for (uint32_t i = 0; i < l->t.n; i++) {
        if (l->t.s[i] == '.' && n == 0) n = 1;
        else if (l->t.s[i] >= '0' && l->t.s[i] <= '9')
            part[n] = part[n] * 10 + (uint32_t)(l->t.s[i] - '0');
        else ptx_fail(l, "a version was expected");
    }
    p->m->version = part[0] * 10 + part[1];
    ptx_next(l);
}

static void target(struct ptx_parser *p)
{
    struct ptx_lexer *l = &p->l;
    bool is_first = true;
    do {
        if (l->t.kind != PTX_WORD) ptx_fail(l, "a target was expected");
        if (is_first) p->m->target = sim_keep_text(p->b, l->t.s, l->t.n);
        is_first = false;
        ptx_next(l);
    } while (ptx_accept(l, ','));
}

static void section(struct ptx_parser *p)
{
    struct ptx_lexer *l = &p->l;
    while (!ptx_is(l, '{')) {
        if (l->t.kind == PTX_END) ptx_fail(l, "'{' was expected");
        ptx_next(l);
    }
    int depth = 0;
    do {
        if (l->t.kind == PTX_END) ptx_fail(l, "'}' was expected");
        depth += ptx_is(l, '{') - ptx_is(l, '}');
        ptx_next(l);
    } while (depth > 0);
}

static bool header_directive(struct ptx_parser *p)
{
    struct ptx_lexer *l = &p->l;
    if (ptx_accept_word(l, ".version")) version(p);
    else if (ptx_accept_word(l, ".target")) target(p);
    else if (ptx_accept_word(l, ".address_size")) {
        if (ptx_take_count(l, 64) != 64) ptx_fail(l, "an address size that is not 64, before that");
    } else if (ptx_is_word(l, ".file") || ptx_is_word(l, ".loc")) ptx_skip_line(l);
    else if (ptx_is_word(l, ".section")) section(p);
    else if (ptx_is_word(l, ".pragma") || ptx_is_word(l, ".alias")) ptx_skip_past(l, ';');
    else return false;
    return true;
}

void ptx_read_module(struct ptx_parser *p)
{
    struct ptx_lexer *l = &p->l;
    while (l->t.kind != PTX_END) {
        if (header_directive(p) || ptx_accept(l, ';')) continue;
        bool is_extern = false;
        for (;;) {
            if (ptx_accept_word(l, ".extern")) is_extern = true;
            else if (!ptx_accept_word(l, ".visible") && !ptx_accept_word(l, ".weak") &&
                     !ptx_accept_word(l, ".common")) break;
        }
        enum ptx_space space;
        if (ptx_accept_word(l, ".entry")) read_function(p, true);
        else if (ptx_accept_word(l, ".func")) {
            /* .func .noreturn (…) name: attributes may come first */
            while (ptx_accept_word(l, ".noreturn")) {}
            read_function(p, false);
        } else if (ptx_accept_space(p, &space)) {
            ptx_declaration(p, space, is_extern, false);
            ptx_expect(l, ';');
        } else {
            ptx_fail(l, "a variable or a function was expected");
        }
    }
    if (!p->m->target) ptx_fail(l, "no .target");
}
