/* optab.c - opcodes by base name, each distinct text decoded once a module. */
#include "dev/sim/optab.h"

#include <string.h>

/* --- parts of an opcode --- */

static void split(struct ptx_decode *x, const char *s, uint32_t n)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i <= n; i++) {
        if (i < n && s[i] != '.') continue;
        if (x->n_parts == PTX_MAX_PARTS) return;
        x->part[x->n_parts].s = s + start;
        x->part[x->n_parts++].n = i - start;
        start = i + 1;
    }
}

static bool is_part(const struct ptx_decode *x, uint32_t i, const char *word)
{
    return strlen(word) == x->part[i].n && memcmp(word, x->part[i].s, x->part[i].n) == 0;
}

static void remove_part(struct ptx_decode *x, uint32_t i)
{
    x->n_parts--;
    memmove(&x->part[i], &x->part[i + 1], (x->n_parts - i) * sizeof x->part[0]);
}

bool ptx_take(struct ptx_decode *x, const char *word)
{
    for (uint32_t i = 1; i < x->n_parts; i++) {
        if (!is_part(x, i, word)) continue;
        remove_part(x, i);
        return true;
    }
    return false;
}

int ptx_take_of(struct ptx_decode *x, const struct ptx_word *table, int absent)
{
    for (uint32_t i = 1; i < x->n_parts; i++)
        for (const struct ptx_word *w = table; w->name; w++) {
            if (!is_part(x, i, w->name)) continue;
            remove_part(x, i);
            return w->value;
        }
    return absent;
}

bool ptx_take_begin(struct ptx_decode *x, const char *begin)
{
    const size_t n = strlen(begin);
    for (uint32_t i = 1; i < x->n_parts; i++) {
        if (x->part[i].n < n || memcmp(x->part[i].s, begin, n) != 0) continue;
        remove_part(x, i);
        return true;
    }
    return false;
}

/* --- flow --- */

static bool flow(struct ptx_decode *x)
{
    struct ptx_opcode *op = x->op;
    if (ptx_take(x, "uni")) op->proto.flags |= SIM_F_UNI;
    op->signature = "";
    if (is_part(x, 0, "bra")) {
        op->proto.kind = SIM_BRANCH;
        op->signature = "l";
        op->is_branch = true;
    } else if (is_part(x, 0, "brx")) {
        op->bind = PTX_BIND_BRX;
        op->proto.kind = SIM_BRX;
        return ptx_take(x, "idx");
    } else if (is_part(x, 0, "call")) {
        op->proto.kind = SIM_CALL;
        op->bind = PTX_BIND_CALL;
        op->is_call = true;
    } else if (is_part(x, 0, "ret")) op->proto.kind = SIM_RET;
    else if (is_part(x, 0, "exit")) op->proto.kind = SIM_EXIT;
    else if (is_part(x, 0, "trap")) op->proto.kind = SIM_TRAP;
    else if (is_part(x, 0, "brkpt")) op->proto.kind = SIM_BRKPT;
    else if (is_part(x, 0, "nanosleep")) {
        op->proto.kind = SIM_NANOSLEEP;
        op->signature = "s";
        return ptx_take(x, "u32");
    } else if (is_part(x, 0, "pmevent")) {
        op->proto.kind = SIM_NOP;
        op->bind = PTX_BIND_NONE;
        (void)ptx_take(x, "mask");
    } else { /* griddepcontrol */
        op->proto.kind = SIM_GRIDDEP;
        if (ptx_take(x, "launch_dependents")) return true;
        op->proto.op = 1;
        return ptx_take(x, "wait");
    }
    return true;
}

/* --- families whose operands are kept as written --- */

struct generic_form {
    const char *name;     /* base, or base and first parts */
    enum sim_generic family;
    const char *writes;   /* as the signature of PTX_BIND_GENERIC */
    bool is_simulated;
};

/* The first that fits counts. */
static const struct generic_form generic_forms[] = {
    {"ldmatrix", SIM_G_LDMATRIX, "w", false},
    {"stmatrix", SIM_G_STMATRIX, "r", false},
    {"movmatrix", SIM_G_OTHER, "w", false},
    {"mma", SIM_G_MMA, "w", false},
    {"wmma.store", SIM_G_OTHER, "r", false},
    {"wmma", SIM_G_OTHER, "w", false},
    {"wgmma.mma_async", SIM_G_WGMMA, "x", false},
    {"wgmma", SIM_G_WGMMA, "r", false},
    {"cp.async.bulk", SIM_G_BULK, "r", false},
    {"cp.reduce.async.bulk", SIM_G_BULK, "r", false},
    {"cp.async", SIM_G_CP_ASYNC, "r", false},
    {"mbarrier.arrive", SIM_G_MBARRIER, "w", false},
    {"mbarrier.arrive_drop", SIM_G_MBARRIER, "w", false},
    {"mbarrier.test_wait", SIM_G_MBARRIER, "w", false},
    {"mbarrier.try_wait", SIM_G_MBARRIER, "w", false},
    {"mbarrier.pending_count", SIM_G_MBARRIER, "w", false},
    {"mbarrier", SIM_G_MBARRIER, "r", false},
    {"tcgen05.ld", SIM_G_TCGEN05, "w", false},
    {"tcgen05", SIM_G_TCGEN05, "r", false},
    {"tensormap", SIM_G_OTHER, "r", false},
    {"clusterlaunchcontrol.query_cancel", SIM_G_OTHER, "w", false},
    {"clusterlaunchcontrol", SIM_G_OTHER, "r", false},
    {"multimem.ld_reduce", SIM_G_OTHER, "w", false},
    {"multimem", SIM_G_OTHER, "r", false},
    {"createpolicy", SIM_G_OTHER, "w", false},
    {"setmaxnreg", SIM_G_OTHER, "r", false},
    {NULL, SIM_G_OTHER, NULL, false},
};

static bool generic(struct ptx_decode *x)
{
    struct ptx_opcode *op = x->op;
    for (const struct generic_form *form = generic_forms; form->name; form++) {
        const size_t n = strlen(form->name);
        if (op->n < n || memcmp(op->text, form->name, n) != 0) continue;
        if (op->n > n && op->text[n] != '.') continue;
        op->bind = PTX_BIND_GENERIC;
        op->signature = form->writes;
        op->proto.op = (uint16_t)form->family;
        op->proto.kind = form->is_simulated ? SIM_GENERIC : SIM_UNSUPPORTED;
        if (memcmp(op->text, "setmaxnreg", 10) == 0) op->proto.kind = SIM_NOP;
        x->n_parts = 1;
        return true;
    }
    return false;
}

/* --- all --- */

static const struct {
    const char *base;
    bool (*decode)(struct ptx_decode *x);
} families[] = {
    {"bra", flow}, {"brx", flow}, {"call", flow}, {"ret", flow}, {"exit", flow},
    {"trap", flow}, {"brkpt", flow}, {"nanosleep", flow}, {"pmevent", flow},
    {"griddepcontrol", flow},
    {"ld", ptx_decode_memory}, {"ldu", ptx_decode_memory}, {"st", ptx_decode_memory},
    {"atom", ptx_decode_memory}, {"red", ptx_decode_memory}, {"prefetch", ptx_decode_memory},
    {"prefetchu", ptx_decode_memory}, {"discard", ptx_decode_memory},
    {"applypriority", ptx_decode_memory}, {"membar", ptx_decode_memory},
    {"fence", ptx_decode_memory}, {"mapa", ptx_decode_memory},
    {"getctarank", ptx_decode_memory},
    {"shfl", ptx_decode_warp}, {"vote", ptx_decode_warp}, {"match", ptx_decode_warp},
    {"redux", ptx_decode_warp}, {"activemask", ptx_decode_warp}, {"elect", ptx_decode_warp},
    {"bar", ptx_decode_warp}, {"barrier", ptx_decode_warp},
    {"mov", ptx_decode_convert}, {"cvt", ptx_decode_convert}, {"cvta", ptx_decode_convert},
    {"setp", ptx_decode_convert}, {"set", ptx_decode_convert},
    {"isspacep", ptx_decode_convert},
};

static void decode(struct ptx_opcode *op)
{
    struct ptx_decode x = {.op = op};
    split(&x, op->text, op->n);
    bool is_known = false, is_family = false;
    for (size_t i = 0; i < sizeof families / sizeof *families && !is_family; i++) {
        is_family = is_part(&x, 0, families[i].base);
        if (is_family) is_known = families[i].decode(&x) && x.n_parts == 1;
    }
    if (!is_known && !is_family) is_known = generic(&x) || ptx_decode_alu(&x);
    if (is_known) return;
    const bool is_call = op->is_call;
    op->bind = PTX_BIND_NONE;
    op->proto.kind = SIM_UNSUPPORTED;
    op->proto.op = SIM_G_OTHER;
    op->is_call = is_call;
}

static uint32_t hash_of(const char *s, uint32_t n)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

static void rehash(struct ptx_parser *p)
{
    struct ptx_module *m = p->m;
    const size_t cap = m->cap_opcode_hash ? m->cap_opcode_hash * 2 : 256;
    m->opcode_hash = sim_take(p->b, &p->b->temp, cap * sizeof(struct ptx_opcode *));
    m->cap_opcode_hash = cap;
    for (size_t i = 0; i < m->n_opcodes; i++) {
        size_t at = m->opcodes[i]->hash % cap;
        while (m->opcode_hash[at]) at = (at + 1) % cap;
        m->opcode_hash[at] = m->opcodes[i];
    }
}

const struct ptx_opcode *ptx_opcode_of(struct ptx_parser *p, const char *s, uint32_t n)
{
    struct ptx_module *m = p->m;
    if (m->n_opcodes * 2 >= m->cap_opcode_hash) rehash(p);
    const uint32_t hash = hash_of(s, n);
    size_t at = hash % m->cap_opcode_hash;
    for (; m->opcode_hash[at]; at = (at + 1) % m->cap_opcode_hash) {
        const struct ptx_opcode *old = m->opcode_hash[at];
        if (old->hash == hash && old->n == n && memcmp(old->text, s, n) == 0) return old;
    }
    if (m->n_opcodes == UINT16_MAX) ptx_fail(&p->l, "too many opcodes");
    struct ptx_opcode *op = sim_take(p->b, &p->b->temp, sizeof *op);
    op->text = sim_keep_text(p->b, s, n);
    op->n = n;
    op->hash = hash;
    op->number = (uint16_t)m->n_opcodes;
    struct sim_uop *u = &op->proto;
    u->cls = AY_N_ALU_CLASSES;
    u->opcode = op->number;
    u->guard = SIM_PRED_TRUE;
    u->d = u->a = u->b = u->c = u->e = u->pd = u->pq = u->pa = u->pb = SIM_NONE;
    decode(op);
    SIM_GROW(p->b, m->opcodes, m->n_opcodes, m->cap_opcodes);
    m->opcodes[m->n_opcodes++] = op;
    m->opcode_hash[at] = op;
    return op;
}

bool ptx_is_branch(const struct ptx_opcode *opcode)
{
    return opcode->is_branch;
}

bool ptx_is_call(const struct ptx_opcode *opcode)
{
    return opcode->is_call;
}
