/* ptx_sym.c - names in nested scopes, special registers. */
#include <string.h>

#include "dev/sim/ptx_ast.h"

#define CONSTANT(name, bits, kind, value) {name, bits, false, kind, value, false}
#define VECTOR(name, kind) {name, 32, false, kind, 0, true}
#define DYNAMIC(name, bits, kind) {name, bits, true, kind, 0, false}

const struct ptx_special ptx_specials[] = {
    VECTOR("%tid", SIM_INIT_TID),
    VECTOR("%ntid", SIM_INIT_NTID),
    VECTOR("%ctaid", SIM_INIT_CTAID),
    VECTOR("%nctaid", SIM_INIT_NCTAID),
    CONSTANT("%laneid", 32, SIM_INIT_LANEID, 0),
    CONSTANT("%warpid", 32, SIM_INIT_WARPID, 0),
    CONSTANT("%nwarpid", 32, SIM_INIT_NWARPID, 0),
    CONSTANT("%smid", 32, SIM_INIT_SMID, 0),
    CONSTANT("%nsmid", 32, SIM_INIT_NSMID, 0),
    CONSTANT("%gridid", 64, SIM_INIT_GRIDID, 0),
    CONSTANT("%lanemask_eq", 32, SIM_INIT_LANEMASK_EQ, 0),
    CONSTANT("%lanemask_le", 32, SIM_INIT_LANEMASK_LE, 0),
    CONSTANT("%lanemask_lt", 32, SIM_INIT_LANEMASK_LT, 0),
    CONSTANT("%lanemask_ge", 32, SIM_INIT_LANEMASK_GE, 0),
    CONSTANT("%lanemask_gt", 32, SIM_INIT_LANEMASK_GT, 0),
    DYNAMIC("%clock", 32, SIM_SR_CLOCK),
    DYNAMIC("%clock_hi", 32, SIM_SR_CLOCK_HI),
    DYNAMIC("%clock64", 64, SIM_SR_CLOCK64),
    DYNAMIC("%globaltimer", 64, SIM_SR_GLOBALTIMER),
    DYNAMIC("%globaltimer_lo", 32, SIM_SR_GLOBALTIMER_LO),
    DYNAMIC("%globaltimer_hi", 32, SIM_SR_GLOBALTIMER_HI),
    CONSTANT("%dynamic_smem_size", 32, SIM_INIT_DYNAMIC_SMEM, 0),
    CONSTANT("%total_smem_size", 32, SIM_INIT_TOTAL_SMEM, 0),
    CONSTANT("%aggr_smem_size", 32, SIM_INIT_AGGR_SMEM, 0),
    CONSTANT("%reserved_smem_offset_begin", 32, SIM_INIT_RESERVED_SMEM, 0),
    CONSTANT("%reserved_smem_offset_end", 32, SIM_INIT_RESERVED_SMEM, 1),
    CONSTANT("%reserved_smem_offset_cap", 32, SIM_INIT_RESERVED_SMEM, 2),
    VECTOR("%clusterid", SIM_INIT_CLUSTERID),
    VECTOR("%nclusterid", SIM_INIT_NCLUSTERID),
    VECTOR("%cluster_ctaid", SIM_INIT_CLUSTER_CTAID),
    VECTOR("%cluster_nctaid", SIM_INIT_CLUSTER_NCTAID),
    CONSTANT("%cluster_ctarank", 32, SIM_INIT_CLUSTER_CTARANK, 0),
    CONSTANT("%cluster_nctarank", 32, SIM_INIT_CLUSTER_NCTARANK, 0),
    CONSTANT("%is_explicit_cluster", 1, SIM_INIT_IS_EXPLICIT_CLUSTER, 0),
    CONSTANT("%envreg1", 32, SIM_INIT_ENVREG, 1),
    CONSTANT("%envreg2", 32, SIM_INIT_ENVREG, 2),
    {NULL, 0, false, 0, 0, false},
};

static uint32_t hash_of(const char *s, uint32_t n)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

/* Registers of a range share the stem, so one look-up finds ranges and names, newest first. */
static uint32_t stem_of(const char *s, uint32_t n)
{
    while (n > 0 && s[n - 1] >= '0' && s[n - 1] <= '9') n--;
    return n;
}

struct ptx_sym *ptx_declare(struct ptx_parser *p, enum ptx_sym_kind kind, const char *s,
                            uint32_t n)
{
    struct ptx_sym *sym = sim_take(p->b, &p->b->temp, sizeof *sym);
    sym->kind = kind;
    sym->name = s;
    sym->n = n;
    sym->n_stem = kind == PTX_SYM_RANGE ? n : stem_of(s, n);
    sym->hash = hash_of(s, sym->n_stem);
    struct ptx_sym **bucket = &p->buckets[sym->hash % PTX_BUCKETS];
    sym->chain = *bucket;
    *bucket = sym;
    sym->opened = p->newest;
    p->newest = sym;
    return sym;
}

/* 0..count-1 written without leading zeros. */
static bool index_in(const char *s, uint32_t n, uint32_t count, uint32_t *index)
{
    uint32_t value = 0;
    if (n == 0 || n > 8 || (n > 1 && s[0] == '0')) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9') return false;
        value = value * 10 + (uint32_t)(s[i] - '0');
    }
    *index = value;
    return value < count;
}

static bool is_range(const struct ptx_sym *sym, const char *s, uint32_t n, uint32_t *index)
{
    return n > sym->n && memcmp(sym->name, s, sym->n) == 0 &&
           index_in(s + sym->n, n - sym->n, sym->count, index);
}

static struct ptx_sym *search(struct ptx_parser *p, uint32_t hash, const char *s, uint32_t n,
                              uint32_t *index)
{
    for (struct ptx_sym *sym = p->buckets[hash % PTX_BUCKETS]; sym; sym = sym->chain) {
        if (sym->hash != hash) continue;
        if (sym->kind == PTX_SYM_RANGE) {
            if (is_range(sym, s, n, index)) return sym;
        } else if (sym->n == n && memcmp(sym->name, s, n) == 0) {
            *index = 0;
            return sym;
        }
    }
    return NULL;
}

struct ptx_sym *ptx_lookup(struct ptx_parser *p, const char *s, uint32_t n, uint32_t *index)
{
    const uint32_t n_stem = stem_of(s, n);
    struct ptx_sym *sym = search(p, hash_of(s, n_stem), s, n, index);
    /* A range whose own name ends in digits: %r1_2<4> is found by its stem, %r1<4> is not. */
    for (uint32_t k = n_stem + 1; !sym && k < n && k < n_stem + 9; k++)
        sym = search(p, hash_of(s, k), s, n, index);
    return sym;
}

void ptx_close_scope(struct ptx_parser *p, struct ptx_sym *mark)
{
    for (; p->newest != mark; p->newest = p->newest->opened)
        p->buckets[p->newest->hash % PTX_BUCKETS] = p->newest->chain;
}
