/* ptx_operand.c - constant expressions and the operands of an instruction. */
#include <string.h>

#include "dev/sim/ptx_ast.h"

static struct ptx_number primary(struct ptx_parser *p, int depth)
{
    struct ptx_lexer *l = &p->l;
    if (depth > PTX_MAX_DEPTH) ptx_fail(l, "an expression nested too deeply");
    if (ptx_accept(l, '(')) {
        if (l->t.kind == PTX_DIRECTIVE) { /* a cast, (.s64) */
            ptx_next(l);
            ptx_expect(l, ')');
            return primary(p, depth + 1);
        }
        const struct ptx_number inner = ptx_constant(p, depth + 1);
        ptx_expect(l, ')');
        return inner;
    }
    if (ptx_accept_word(l, "WARP_SZ")) return (struct ptx_number){.bits = 32};
    const char sign = l->t.punct;
    if (sign == 0 || !strchr("-+~!", sign)) return ptx_take_number(l);
    ptx_next(l);
    struct ptx_number x = primary(p, depth + 1);
    if (sign == '-' && x.kind) x.bits ^= x.kind == 4 ? 1ull << 31 : 1ull << 63;
    else if (sign == '-') x.bits = 0 - x.bits;
    else if (sign == '~') x.bits = ~x.bits;
    else if (sign == '!') x.bits = x.bits == 0;
    return x;
}

static int precedence(char c)
{
    switch (c) {
    case '*': case '/': case '%': return 6;
    case '+': case '-': return 5;
    case '<': case '>': return 4;
    case '&': return 3;
    case '^': return 2;
    case '|': return 1;
    default: return 0;
    }
}

static uint64_t binary(struct ptx_lexer *l, char op, uint64_t a, uint64_t b)
{
    if ((op == '/' || op == '%') && b == 0) ptx_fail(l, "division by zero");
    switch (op) {
    case '*': return a * b;
    case '/': return a / b;
    case '%': return a % b;
    case '+': return a + b;
    case '-': return a - b;
    case '<': return b > 63 ? 0 : a << b;
    case '>': return b > 63 ? 0 : a >> b;
    case '&': return a & b;
    case '^': return a ^ b;
    default: return a | b;
    }
}

static struct ptx_number climb(struct ptx_parser *p, int depth, int least)
{
    struct ptx_lexer *l = &p->l;
    struct ptx_number x = primary(p, depth);
    for (;;) {
        const char op = l->t.punct;
        const int level = precedence(op);
        if (level == 0 || level < least) return x;
        ptx_next(l);
        if (level == 4) ptx_expect(l, op);
        const struct ptx_number y = climb(p, depth + 1, level + 1);
        if (x.kind || y.kind) ptx_fail(l, "an expression of floats");
        x.bits = binary(l, op, x.bits, y.bits);
    }
}

struct ptx_number ptx_constant(struct ptx_parser *p, int depth)
{
    return climb(p, depth, 1);
}

/* --- operands --- */

static uint32_t append(struct ptx_parser *p, struct ptx_operand operand)
{
    struct ptx_func *f = p->f;
    if (f->n_operands >= UINT32_MAX / 2) ptx_fail(&p->l, "too many operands");
    SIM_GROW(p->b, f->operands, f->n_operands, f->cap_operands);
    f->operands[f->n_operands] = operand;
    return (uint32_t)f->n_operands++;
}

static void operand(struct ptx_parser *p, int depth, bool may_stay_unknown);

static void group(struct ptx_parser *p, int depth, enum ptx_operand_kind kind, char close,
                  bool may_stay_unknown)
{
    struct ptx_lexer *l = &p->l;
    const uint32_t at = append(p, (struct ptx_operand){.kind = (uint8_t)kind});
    uint32_t n = 0;
    if (!ptx_is(l, close)) {
        do {
            operand(p, depth + 1, may_stay_unknown);
            n++;
        } while (ptx_accept(l, ','));
    }
    ptx_expect(l, close);
    p->f->operands[at].n_sub = n;
    p->f->operands[at].n_flat = (uint32_t)p->f->n_operands - at - 1;
}

/* %tid.x has a part; what is not simulated but exists stays unknown. */
static bool special(struct ptx_operand *o, const char *s, uint32_t n)
{
    static const char *const other[] = {"%pm", "%envreg", "%current_graph_exec", "%nreserved"};
    uint32_t base = n;
    if (n > 2 && s[n - 2] == '.') base -= 2;
    for (uint32_t i = 0; ptx_specials[i].name; i++) {
        const struct ptx_special *r = &ptx_specials[i];
        if (strlen(r->name) != base || memcmp(r->name, s, base) != 0) continue;
        if (r->has_parts != (base < n)) return false;
        o->kind = PTX_O_SPECIAL;
        o->reg = i;
        o->part = base < n ? (uint8_t)(s[n - 1] == 'w' ? 3 : s[n - 1] - 'x') : 0;
        return true;
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (n >= strlen(other[i]) && memcmp(s, other[i], strlen(other[i])) == 0) return true;
    return false;
}

static void vector_register(struct ptx_parser *p, const struct ptx_operand *whole)
{
    append(p, (struct ptx_operand){
                  .kind = PTX_O_VEC, .n_sub = whole->sym->n_parts, .n_flat = whole->sym->n_parts});
    for (uint32_t i = 0; i < whole->sym->n_parts; i++) {
        struct ptx_operand part = *whole;
        part.reg += i;
        append(p, part);
    }
}

static void pend(struct ptx_parser *p, uint32_t at, struct ptx_token t, bool may_stay_unknown)
{
    SIM_GROW(p->b, p->pending, p->n_pending, p->cap_pending);
    p->pending[p->n_pending++] = (struct ptx_pending){
        .operand = at, .at = t, .may_stay_unknown = may_stay_unknown};
}

/* Reads what the token names into *o; false where only the end of a scope can tell. */
static bool name(struct ptx_parser *p, struct ptx_operand *o)
{
    const struct ptx_token t = p->l.t;
    uint32_t index = 0, n = t.n;
    struct ptx_sym *sym = ptx_lookup(p, t.s, n, &index);
    if (!sym && n > 2 && t.s[n - 2] == '.' && strchr("xyzw", t.s[n - 1])) {
        sym = ptx_lookup(p, t.s, n - 2, &index);
        const uint32_t part = t.s[n - 1] == 'w' ? 3 : (uint32_t)(t.s[n - 1] - 'x');
        if (sym && part >= sym->n_parts) sym = NULL;
        else if (sym) o->reg = part, o->part = 1;
    }
    if (!sym && t.s[0] == '%') {
        if (!special(o, t.s, n)) ptx_fail(&p->l, "an unknown register");
        return true;
    }
    if (!sym || sym->kind == PTX_SYM_LABEL) return false;
    o->sym = sym;
    o->kind = PTX_O_SYM;
    if (sym->kind == PTX_SYM_REG || sym->kind == PTX_SYM_RANGE) {
        o->kind = PTX_O_REG;
        o->reg += sym->first + index * sym->n_parts;
    }
    return true;
}

static void named(struct ptx_parser *p, int depth, struct ptx_operand o, bool may_stay_unknown)
{
    struct ptx_lexer *l = &p->l;
    const struct ptx_token t = l->t;
    o.kind = PTX_O_UNKNOWN;
    const bool is_known = name(p, &o);
    ptx_next(l);
    while (ptx_is(l, '+') || ptx_is(l, '-')) {
        const bool is_minus = ptx_is(l, '-');
        ptx_next(l);
        const struct ptx_number x = primary(p, 0);
        if (x.kind) ptx_fail(l, "an offset that is a float");
        o.imm = (int64_t)((uint64_t)o.imm + (is_minus ? 0 - x.bits : x.bits));
    }
    if (o.kind == PTX_O_REG && o.sym->n_parts > 1 && !o.part) {
        vector_register(p, &o);
        return;
    }
    const bool is_pair = ptx_accept(l, '|');
    const uint32_t pair =
        is_pair ? append(p, (struct ptx_operand){.kind = PTX_O_PAIR, .n_sub = 2}) : 0;
    const uint32_t at = append(p, o);
    if (!is_known) pend(p, at, t, may_stay_unknown);
    if (!is_pair) return;
    if (depth > PTX_MAX_DEPTH) ptx_fail(l, "operands nested too deeply");
    operand(p, depth + 1, may_stay_unknown);
    p->f->operands[pair].n_flat = (uint32_t)p->f->n_operands - pair - 1;
}

static void operand(struct ptx_parser *p, int depth, bool may_stay_unknown)
{
    struct ptx_lexer *l = &p->l;
    struct ptx_operand o = {.kind = PTX_O_SINK};
    if (depth > 8) ptx_fail(l, "operands nested too deeply");
    if (ptx_accept(l, '{')) { group(p, depth, PTX_O_VEC, '}', may_stay_unknown); return; }
    if (ptx_accept(l, '[')) { group(p, depth, PTX_O_MEM, ']', may_stay_unknown); return; }
    if (ptx_accept(l, '(')) { group(p, depth, PTX_O_LIST, ')', may_stay_unknown); return; }
    const bool is_sign = ptx_is(l, '-') || ptx_is(l, '!');
    const struct ptx_lexer before = *l;
    if (is_sign) ptx_next(l);
    const bool is_name = l->t.kind == PTX_REGISTER ||
                         (l->t.kind == PTX_WORD && !ptx_is_word(l, "WARP_SZ"));
    if (is_name && ptx_is_word(l, "_")) {
        ptx_next(l);
        if (ptx_accept(l, '|')) { /* _|p: only the predicate is wanted */
            const uint32_t pair = append(p, (struct ptx_operand){.kind = PTX_O_PAIR, .n_sub = 2});
            append(p, o);
            operand(p, depth + 1, may_stay_unknown);
            p->f->operands[pair].n_flat = (uint32_t)p->f->n_operands - pair - 1;
        } else append(p, o);
    } else if (is_name) {
        o.is_negated = is_sign;
        named(p, depth, o, may_stay_unknown);
    } else {
        *l = before;
        const struct ptx_number x = ptx_constant(p, 0);
        o = (struct ptx_operand){
            .kind = PTX_O_IMM, .float_kind = x.kind, .imm = (int64_t)x.bits};
        append(p, o);
    }
}

void ptx_operands(struct ptx_parser *p, struct ptx_inst *inst, bool may_stay_unknown)
{
    inst->operand = (uint32_t)p->f->n_operands;
    if (!ptx_is(&p->l, ';')) {
        do {
            operand(p, 0, may_stay_unknown);
            inst->n_operands++;
        } while (ptx_accept(&p->l, ','));
    }
    inst->n_flat = (uint32_t)p->f->n_operands - inst->operand;
    ptx_expect(&p->l, ';');
}

void ptx_resolve(struct ptx_parser *p, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < p->n_pending; i++) {
        const struct ptx_pending pending = p->pending[i];
        uint32_t index;
        struct ptx_sym *sym = ptx_lookup(p, pending.at.s, pending.at.n, &index);
        const bool is_label = sym && sym->kind == PTX_SYM_LABEL;
        if (!sym || (pending.targets && !is_label)) {
            p->pending[kept++] = pending;
        } else if (pending.targets) {
            pending.targets->targets[pending.operand] = sym->first;
        } else {
            struct ptx_operand *o = &p->f->operands[pending.operand];
            o->kind = is_label ? PTX_O_LABEL : PTX_O_SYM;
            o->sym = sym;
            o->reg = is_label ? sym->first : 0;
        }
    }
    p->n_pending = kept;
}
