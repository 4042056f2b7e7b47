/* ptx_var.c - declarations: registers, variables, initialisers. */
#include <string.h>

#include "dev/sim/ptx_ast.h"

enum { MAX_DIMS = 8 };
#define MAX_GLOBAL_BYTES (256ull << 20)
#define MAX_OTHER_BYTES  (16ull << 20)

uint32_t ptx_accept_type(struct ptx_parser *p)
{
    static const struct { const char *name; uint32_t bits; } types[] = {
        {".b32", 32}, {".b64", 64}, {".f32", 32}, {".pred", 1}, {".b8", 8}, {".u32", 32},
        {".u64", 64}, {".b16", 16}, {".f64", 64}, {".s32", 32}, {".s64", 64}, {".u8", 8},
        {".s8", 8}, {".u16", 16}, {".s16", 16}, {".f16", 16}, {".f16x2", 32}, {".bf16", 16},
        {".bf16x2", 32}, {".b128", 128}, {".texref", 64}, {".samplerref", 64}, {".surfref", 64},
    };
    if (p->l.t.kind != PTX_DIRECTIVE) return 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ptx_accept_word(&p->l, types[i].name)) return types[i].bits;
    return 0;
}

bool ptx_accept_space(struct ptx_parser *p, enum ptx_space *space)
{
    static const struct { const char *name; enum ptx_space space; } spaces[] = {
        {".reg", PTX_REG}, {".param", PTX_PARAM}, {".shared", PTX_SHARED},
        {".global", PTX_GLOBAL}, {".const", PTX_CONST}, {".local", PTX_LOCAL},
    };
    if (p->l.t.kind != PTX_DIRECTIVE) return false;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        *space = spaces[i].space;
        if (ptx_accept_word(&p->l, spaces[i].name)) return true;
    }
    return false;
}

/* --- initialisers --- */

struct shape {
    uint64_t bytes[MAX_DIMS + 1]; /* of what a brace at that depth holds; last: an element */
    int n_dims;
};

static void put(struct ptx_parser *p, const struct ptx_sym *sym, uint64_t at, uint64_t value,
                size_t n)
{
    struct ptx_module *m = p->m;
    const bool is_const = sym->space == PTX_CONST;
    uint8_t **image = is_const ? &m->const_image : &m->global_image;
    size_t *cap = is_const ? &m->cap_const : &m->cap_global;
    if (at + n > *cap) {
        size_t more = *cap ? *cap * 2 : 4096;
        while (more < at + n) more *= 2;
        uint8_t *bigger = sim_take(p->b, &p->b->temp, more);
        if (*cap) memcpy(bigger, *image, *cap);
        *image = bigger;
        *cap = more;
    }
    memcpy(*image + at, &value, n);
}

static uint64_t as_element(struct ptx_parser *p, struct ptx_number x, uint32_t bits)
{
    float narrow;
    double wide;
    if (!x.kind || x.kind * 8 == bits) return x.bits;
    if (bits == 32) {
        uint32_t out;
        memcpy(&wide, &x.bits, sizeof wide);
        narrow = (float)wide;
        memcpy(&out, &narrow, sizeof out);
        return out;
    }
    if (bits != 64) ptx_fail(&p->l, "a float for an element of another size");
    const uint32_t low = (uint32_t)x.bits;
    uint64_t out;
    memcpy(&narrow, &low, sizeof narrow);
    wide = (double)narrow;
    memcpy(&out, &wide, sizeof out);
    return out;
}

static void address(struct ptx_parser *p, const struct ptx_sym *sym, uint64_t at)
{
    struct ptx_lexer *l = &p->l;
    struct ptx_module *m = p->m;
    const bool is_generic = ptx_accept_word(l, "generic");
    if (is_generic) ptx_expect(l, '(');
    uint32_t index;
    const struct ptx_sym *target =
        l->t.kind == PTX_WORD ? ptx_lookup(p, l->t.s, l->t.n, &index) : NULL;
    if (!target || target->kind != PTX_SYM_VAR || target->is_formal ||
        (target->space != PTX_GLOBAL && target->space != PTX_CONST))
        ptx_fail(l, "no variable whose address is known");
    if (sym->bits < 32) ptx_fail(l, "an address in too small an element");
    ptx_next(l);
    if (is_generic) ptx_expect(l, ')');
    uint64_t addend = target->offset;
    while (ptx_is(l, '+') || ptx_is(l, '-')) {
        const bool is_minus = ptx_is(l, '-');
        ptx_next(l);
        const uint64_t x = ptx_take_count(l, UINT32_MAX);
        addend += is_minus ? 0 - x : x;
    }
    SIM_GROW(p->b, m->relocs, m->n_relocs, m->cap_relocs);
    m->relocs[m->n_relocs++] = (struct sim_reloc){
        .space = sym->space == PTX_CONST ? SIM_SPACE_CONST : SIM_SPACE_GLOBAL,
        .target_space = target->space == PTX_CONST ? SIM_SPACE_CONST : SIM_SPACE_GLOBAL,
        .bytes = (uint8_t)(sym->bits == 32 ? 4 : 8), .is_generic = is_generic, .offset = at,
        .addend = addend};
}

/* Elements from `at` on, none of them at `end` or beyond; returns where it stopped. */
static uint64_t initialise(struct ptx_parser *p, const struct ptx_sym *sym,
                           const struct shape *shape, int depth, uint64_t at, uint64_t end)
{
    struct ptx_lexer *l = &p->l;
    const uint32_t element = sym->bits / 8;
    if (depth > MAX_DIMS + 1) ptx_fail(l, "an initialiser nested too deeply");
    if (ptx_accept(l, '{')) {
        const uint64_t stop = at + shape->bytes[depth < shape->n_dims ? depth : shape->n_dims];
        uint64_t next = at;
        if (!ptx_is(l, '}')) {
            do next = initialise(p, sym, shape, depth + 1, next, stop < end ? stop : end);
            while (ptx_accept(l, ','));
        }
        ptx_expect(l, '}');
        return depth == 0 ? next : stop;
    }
    if (at + element > end) ptx_fail(l, "more values than the variable holds");
    if (l->t.kind == PTX_WORD && !ptx_is_word(l, "WARP_SZ")) {
        address(p, sym, at);
    } else {
        const struct ptx_number x = ptx_constant(p, 0);
        if (element > 8) ptx_fail(l, "an initialiser of 128 bits");
        put(p, sym, at, as_element(p, x, sym->bits), element);
    }
    return at + element;
}

/* --- declarations --- */

struct declarator {
    enum ptx_space space;
    bool is_extern, is_formal;
    uint32_t bits, n_parts, align;
};

static void attributes(struct ptx_parser *p, struct declarator *d)
{
    struct ptx_lexer *l = &p->l;
    *d = (struct declarator){.space = d->space, .is_extern = d->is_extern,
                             .is_formal = d->is_formal, .n_parts = 1};
    for (;;) {
        if (ptx_accept_word(l, ".align")) {
            d->align = (uint32_t)ptx_take_count(l, 1u << 20);
            if (d->align == 0 || (d->align & (d->align - 1))) ptx_fail(l, "not an alignment");
        } else if (ptx_accept_word(l, ".v2")) d->n_parts = 2;
        else if (ptx_accept_word(l, ".v4")) d->n_parts = 4;
        else if (ptx_accept_word(l, ".v8")) d->n_parts = 8;
        else if (ptx_accept_word(l, ".attribute")) {
            ptx_expect(l, '(');
            for (int depth = 1; depth > 0; ptx_next(l)) {
                if (l->t.kind == PTX_END) ptx_fail(l, "')' was expected");
                depth += ptx_is(l, '(') - ptx_is(l, ')');
            }
        } else if ((d->bits = ptx_accept_type(p)) != 0) break;
        else ptx_fail(l, "a type was expected");
    }
    if (!ptx_accept_word(l, ".ptr")) return;
    while (l->t.kind == PTX_DIRECTIVE)
        if (ptx_accept_word(l, ".align")) (void)ptx_take_count(l, UINT32_MAX);
        else ptx_next(l);
}

static void registers(struct ptx_parser *p, struct ptx_sym *sym)
{
    struct ptx_lexer *l = &p->l;
    if (!p->f) ptx_fail(l, "a register outside of a function");
    sym->count = 1;
    if (ptx_accept(l, '<')) {
        sym->count = (uint32_t)ptx_take_count(l, PTX_MAX_REGS);
        ptx_expect(l, '>');
    }
    sym->first = p->f->n_regs;
    const uint64_t total = (uint64_t)p->f->n_regs + (uint64_t)sym->count * sym->n_parts;
    if (total > PTX_MAX_REGS) ptx_fail(l, "too many registers");
    p->f->n_regs = (uint32_t)total;
}

static void dimensions(struct ptx_parser *p, struct ptx_sym *sym, uint64_t dims[MAX_DIMS], int *n)
{
    struct ptx_lexer *l = &p->l;
    const uint64_t max = sym->space == PTX_GLOBAL ? MAX_GLOBAL_BYTES : MAX_OTHER_BYTES;
    while (ptx_accept(l, '[')) {
        if (*n == MAX_DIMS) ptx_fail(l, "too many dimensions");
        uint64_t size = 0;
        if (!ptx_is(l, ']')) {
            const struct ptx_number x = ptx_constant(p, 0);
            size = x.bits;
            if (x.kind || size > max) ptx_fail(l, "too large an array");
        }
        ptx_expect(l, ']');
        dims[(*n)++] = size;
    }
    sym->bytes = (uint64_t)sym->bits / 8 * sym->n_parts;
    for (int i = 0; i < *n; i++) {
        sym->bytes *= dims[i];
        if (sym->bytes > max) ptx_fail(l, "too large an array");
    }
}

static void place(struct ptx_parser *p, struct ptx_sym *sym)
{
    struct ptx_module *m = p->m;
    uint64_t *total = sym->space == PTX_CONST ? &m->const_bytes : &m->global_bytes;
    sym->offset = (*total + sym->align - 1) / sym->align * sym->align;
    *total = sym->offset + sym->bytes;
    if (*total > (sym->space == PTX_CONST ? MAX_OTHER_BYTES : MAX_GLOBAL_BYTES))
        ptx_fail(&p->l, "too many bytes of variables");
    SIM_GROW(p->b, m->vars, m->n_vars, m->cap_vars);
    m->vars[m->n_vars++] = sym;
}

static void variable(struct ptx_parser *p, struct ptx_sym *sym)
{
    struct ptx_lexer *l = &p->l;
    uint64_t dims[MAX_DIMS] = {0};
    struct shape shape = {.n_dims = 0};
    dimensions(p, sym, dims, &shape.n_dims);
    if (!sym->align) sym->align = sym->bits / 8 * sym->n_parts;
    if (!sym->align) ptx_fail(l, "a predicate in memory");
    const bool is_segment =
        (sym->space == PTX_GLOBAL || sym->space == PTX_CONST) && !sym->is_formal;
    const bool has_init = ptx_is(l, '=');
    const bool is_open = shape.n_dims > 0 && dims[0] == 0;
    if (has_init && (!is_segment || p->f)) ptx_fail(l, "an initialiser of no global variable");
    if (is_segment && !has_init) place(p, sym);
    if (!has_init) return;
    ptx_next(l);
    uint64_t *total = sym->space == PTX_CONST ? &p->m->const_bytes : &p->m->global_bytes;
    const uint64_t start = (*total + sym->align - 1) / sym->align * sym->align;
    const uint64_t room = is_open ? MAX_OTHER_BYTES : sym->bytes;
    uint64_t stride = sym->bits / 8;
    shape.bytes[shape.n_dims] = stride * sym->n_parts;
    for (int i = shape.n_dims - 1; i > 0; i--) {
        shape.bytes[i] = shape.bytes[i + 1] * dims[i];
        if (shape.bytes[i] > MAX_GLOBAL_BYTES) ptx_fail(l, "too large an array");
    }
    shape.bytes[0] = room;
    const uint64_t stop = initialise(p, sym, &shape, 0, start, start + room);
    if (is_open) sym->bytes = stop - start;
    place(p, sym);
}

void ptx_declaration(struct ptx_parser *p, enum ptx_space space, bool is_extern, bool is_formal)
{
    struct ptx_lexer *l = &p->l;
    struct declarator d = {.space = space, .is_extern = is_extern, .is_formal = is_formal};
    attributes(p, &d);
    do {
        if (l->t.kind != PTX_WORD && l->t.kind != PTX_REGISTER) ptx_fail(l, "a name was expected");
        const struct ptx_token t = l->t;
        ptx_next(l);
        const bool is_range = space == PTX_REG && ptx_is(l, '<');
        struct ptx_sym *sym = ptx_declare(
            p, is_range ? PTX_SYM_RANGE : space == PTX_REG ? PTX_SYM_REG : PTX_SYM_VAR, t.s, t.n);
        sym->space = space;
        sym->bits = d.bits;
        sym->n_parts = d.n_parts;
        sym->align = d.align;
        sym->is_extern = is_extern;
        sym->is_formal = is_formal;
        if (space == PTX_REG) registers(p, sym);
        else variable(p, sym);
    } while (!is_formal && ptx_accept(l, ','));
}
