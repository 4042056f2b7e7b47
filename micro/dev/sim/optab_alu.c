/* optab_alu.c - arithmetic opcodes: a look-up in the forms of alu_forms.h. */
#include <string.h>

#include "dev/sim/alu.h"
#include "dev/sim/optab.h"

struct form {
    const char *names, *mods, *signature;
    uint16_t op;
    uint8_t cls;
    bool reads_carry, writes_carry;
};

static const struct form forms[] = {
#define X(id, names, class, mods, signature, ...) \
    {names, mods, signature, ALU_##id, AY_ALU_##class, false, false},
    ALU_F32(X) ALU_INT(X) ALU_F64(X) ALU_OTHER(X) ALU_F32X2(X)
#undef X
#define X(id, name, class, mods, signature, expression)                                      \
    {name ".f16", mods, signature, ALU_##id##_F16, AY_ALU_##class, false, false},            \
    {name ".f16x2", mods, signature, ALU_##id##_F16X2, AY_ALU_##class, false, false},        \
    {name ".bf16", mods, signature, ALU_##id##_BF16, AY_ALU_##class, false, false},          \
    {name ".bf16x2", mods, signature, ALU_##id##_BF16X2, AY_ALU_##class, false, false},
    ALU_HALF(X)
#undef X
#define X(id, class, wide_class, narrow, wide, sig, wide_sig, reads, writes)   \
    {narrow, "", sig, ALU_##id, AY_ALU_##class, reads, writes},                \
    {wide, "", wide_sig, ALU_##id##_64, AY_ALU_##wide_class, reads, writes},
    ALU_CARRY(X)
#undef X
};

/* Does `s` fit the pattern up to its end or '|'? */
static bool fits(const char *pattern, const char *s)
{
    for (; *pattern && *pattern != '|'; s++) {
        if (*pattern != '[') {
            if (*pattern++ != *s) return false;
            continue;
        }
        bool found = false;
        for (pattern++; *pattern != ']'; pattern++) found |= *pattern == *s;
        if (!found) return false;
        pattern++;
    }
    return *s == 0;
}

static bool fits_any(const char *patterns, const char *s)
{
    while (patterns && *patterns) {
        if (fits(patterns, s)) return true;
        patterns = strchr(patterns, '|');
        if (patterns) patterns++;
    }
    return false;
}

static const struct form *find(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].names[0] == name[0] && fits_any(forms[i].names, name)) return &forms[i];
    return NULL;
}

static bool join_parts(const struct ptx_decode *x, char *into, size_t into_bytes)
{
    size_t n = 0;
    for (uint32_t i = 0; i < x->n_parts; i++) {
        if (n + x->part[i].n + 2 > into_bytes) return false;
        if (i) into[n++] = '.';
        memcpy(into + n, x->part[i].s, x->part[i].n);
        n += x->part[i].n;
    }
    into[n] = 0;
    return true;
}

/* Takes the modifiers that forms share; false where the form has not got one of them. */
static bool modifiers(struct ptx_decode *x, char taken[8], uint32_t *imm)
{
    static const struct ptx_word rounds[] = {{"rn", 0}, {"rz", 1}, {"rm", 2}, {"rp", 3}, {NULL, 0}};
    size_t n = 0;
    const int round = ptx_take_of(x, rounds, -1);
    if (round >= 0) *imm |= (uint32_t)round;
    if (round >= 0) taken[n++] = round ? 'r' : 'n';
    if (ptx_take(x, "ftz")) *imm |= ALU_FTZ, taken[n++] = 'f';
    if (ptx_take(x, "sat")) *imm |= ALU_SAT, taken[n++] = 's';
    if (ptx_take(x, "relu")) *imm |= ALU_RELU, taken[n++] = 'l';
    taken[n] = 0;
    return n > 0;
}

static bool allows(const char *mods, const char *taken)
{
    for (; *taken; taken++)
        if (!strchr(mods, *taken) && !(*taken == 'n' && strchr(mods, 'r'))) return false;
    return true;
}

bool ptx_decode_alu(struct ptx_decode *x)
{
    char name[64], taken[8] = "";
    uint32_t imm = 0;
    struct sim_uop *u = &x->op->proto;
    if (!join_parts(x, name, sizeof name)) return false;
    const struct form *form = find(name);
    if (!form && modifiers(x, taken, &imm) && join_parts(x, name, sizeof name)) form = find(name);
    if (!form || !allows(form->mods, taken)) return false;
    u->kind = SIM_ALU;
    u->op = form->op;
    u->cls = form->cls;
    u->imm = imm;
    if (form->reads_carry) u->pa = SIM_PRED_CC;
    if (form->writes_carry) u->pd = SIM_PRED_CC;
    x->op->signature = form->signature;
    x->n_parts = 1;
    return true;
}
