/* optab_mem.c - opcodes that touch memory: ld, st, atom, red, prefetch, fences. */
#include <string.h>

#include "dev/sim/optab.h"

static const struct ptx_word spaces[] = {
    {"global", SIM_SPACE_GLOBAL}, {"shared", SIM_SPACE_SHARED},
    {"shared::cta", SIM_SPACE_SHARED}, {"shared::cluster", SIM_SPACE_SHARED_CLUSTER},
    {"local", SIM_SPACE_LOCAL}, {"const", SIM_SPACE_CONST}, {"param", SIM_SPACE_PARAM},
    {"param::entry", SIM_SPACE_PARAM}, {"param::func", SIM_SPACE_PARAM}, {NULL, 0}};

static const struct ptx_word sems[] = {
    {"weak", SIM_SEM_WEAK}, {"volatile", SIM_SEM_VOLATILE}, {"relaxed", SIM_SEM_RELAXED},
    {"acquire", SIM_SEM_ACQUIRE}, {"release", SIM_SEM_RELEASE}, {"acq_rel", SIM_SEM_ACQ_REL},
    {"sc", SIM_SEM_SC}, {"mmio", SIM_SEM_MMIO}, {NULL, 0}};

static const struct ptx_word scopes[] = {
    {"cta", SIM_SCOPE_CTA}, {"cluster", SIM_SCOPE_CLUSTER}, {"gpu", SIM_SCOPE_GPU},
    {"sys", SIM_SCOPE_SYS}, {"gl", SIM_SCOPE_GPU}, {NULL, 0}};

static const struct ptx_word caches[] = {
    {"ca", SIM_CACHE_CA}, {"cg", SIM_CACHE_CG}, {"cs", SIM_CACHE_CS}, {"lu", SIM_CACHE_LU},
    {"cv", SIM_CACHE_CV}, {"wb", SIM_CACHE_WB}, {"wt", SIM_CACHE_WT}, {NULL, 0}};

static const struct ptx_word hints[] = {
    {"L2::64B", SIM_HINT_L2_64B}, {"L2::128B", SIM_HINT_L2_128B},
    {"L2::256B", SIM_HINT_L2_256B}, {"L1::no_allocate", SIM_HINT_L1_NO_ALLOCATE},
    {"L1::evict_first", SIM_HINT_EVICT_FIRST}, {"L1::evict_last", SIM_HINT_EVICT_LAST},
    {"L1::evict_normal", 0}, {"L1::evict_unchanged", 0}, {"L2::evict_first", 0},
    {"L2::evict_last", 0}, {"L2::evict_normal", 0}, {"L2::cache_hint", 0}, {NULL, 0}};

static const struct ptx_word vectors[] = {{"v2", 2}, {"v4", 4}, {"v8", 8}, {NULL, 0}};

/* Bytes, and 64 where the type is signed. */
static const struct ptx_word data_types[] = {
    {"b8", 1}, {"u8", 1}, {"s8", 1 | 64}, {"b16", 2}, {"u16", 2}, {"s16", 2 | 64}, {"f16", 2},
    {"bf16", 2}, {"f16x2", 4}, {"bf16x2", 4}, {"b32", 4}, {"u32", 4}, {"s32", 4 | 64},
    {"f32", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}, {"b128", 16}, {NULL, 0}};

static void order(struct ptx_decode *x, struct sim_mem *mem)
{
    mem->sem = (uint8_t)ptx_take_of(x, sems, SIM_SEM_WEAK);
    mem->scope = (uint8_t)ptx_take_of(x, scopes, SIM_SCOPE_NONE);
}

static bool load_store(struct ptx_decode *x, bool is_load)
{
    struct ptx_opcode *op = x->op;
    struct sim_mem *mem = &op->proto.mem;
    op->proto.kind = is_load ? SIM_LOAD : SIM_STORE;
    op->signature = is_load ? "VM/VMh" : "MW/MWh";
    order(x, mem);
    mem->space = (uint8_t)ptx_take_of(x, spaces, SIM_SPACE_GENERIC);
    mem->cache = (uint8_t)ptx_take_of(x, caches, SIM_CACHE_PLAIN);
    if (is_load && ptx_take(x, "nc")) {
        if (mem->cache == SIM_CACHE_PLAIN) mem->cache = SIM_CACHE_NC;
        mem->hint |= SIM_HINT_NC;
    }
    for (int hint; (hint = ptx_take_of(x, hints, -1)) >= 0;) mem->hint |= (uint8_t)hint;
    mem->n_elems = (uint8_t)ptx_take_of(x, vectors, 1);
    const int type = ptx_take_of(x, data_types, 0);
    mem->elem_bytes = (uint8_t)(type & 63);
    if (type & 64 && is_load) op->proto.flags |= SIM_F_SIGNED;
    return type != 0 && mem->elem_bytes * mem->n_elems <= 32;
}

/* --- atomics --- */

static const struct ptx_word atoms[] = {
    {"add", SIM_ATOM_ADD}, {"min", SIM_ATOM_MIN}, {"max", SIM_ATOM_MAX}, {"inc", SIM_ATOM_INC},
    {"dec", SIM_ATOM_DEC}, {"and", SIM_ATOM_AND}, {"or", SIM_ATOM_OR}, {"xor", SIM_ATOM_XOR},
    {"exch", SIM_ATOM_EXCH}, {"cas", SIM_ATOM_CAS}, {NULL, 0}};

static const struct ptx_word atom_types[] = {
    {"u32", SIM_U32}, {"s32", SIM_S32}, {"b32", SIM_B32}, {"u64", SIM_U64}, {"s64", SIM_S64},
    {"b64", SIM_B64}, {"f32", SIM_F32}, {"f64", SIM_F64}, {"f16", SIM_F16}, {"bf16", SIM_BF16},
    {"f16x2", SIM_F16X2}, {"bf16x2", SIM_BF16X2}, {"b16", SIM_B16}, {"b128", SIM_B128},
    {NULL, 0}};

static uint8_t bytes_of(int type)
{
    switch (type) {
    case SIM_F16: case SIM_BF16: case SIM_B16: return 2;
    case SIM_U64: case SIM_S64: case SIM_B64: case SIM_F64: return 8;
    case SIM_B128: return 16;
    default: return 4;
    }
}

/* Not every operation has every type [ptx-isa 9.7.13.5]. */
static bool has_type(int atom, int type)
{
    switch (atom) {
    case SIM_ATOM_INC: case SIM_ATOM_DEC: return type == SIM_U32;
    case SIM_ATOM_AND: case SIM_ATOM_OR: case SIM_ATOM_XOR:
        return type == SIM_B32 || type == SIM_B64;
    case SIM_ATOM_EXCH: return type == SIM_B32 || type == SIM_B64;
    case SIM_ATOM_CAS: return type == SIM_B32 || type == SIM_B64 || type == SIM_B16;
    case SIM_ATOM_ADD: return type <= SIM_BF16X2 && type != SIM_B32 && type != SIM_B64;
    default: return type == SIM_U32 || type == SIM_S32 || type == SIM_U64 || type == SIM_S64 ||
                    (type >= SIM_F16 && type <= SIM_BF16X2);
    }
}

static bool atomic(struct ptx_decode *x, bool has_result)
{
    struct ptx_opcode *op = x->op;
    struct sim_mem *mem = &op->proto.mem;
    order(x, mem);
    mem->space = (uint8_t)ptx_take_of(x, spaces, SIM_SPACE_GENERIC);
    while (ptx_take(x, "noftz") || ptx_take(x, "L2::cache_hint")) {}
    mem->n_elems = (uint8_t)ptx_take_of(x, vectors, 1);
    const int atom = ptx_take_of(x, atoms, -1), type = ptx_take_of(x, atom_types, -1);
    if (atom < 0 || type < 0 || !has_type(atom, type)) return false;
    mem->elem_bytes = bytes_of(type);
    mem->reg_bytes = mem->elem_bytes == 8 ? 8 : 4;
    op->proto.kind = has_result ? SIM_ATOM : SIM_RED;
    op->proto.op = (uint16_t)atom;
    op->proto.type = (uint8_t)type;
    const bool is_wide = mem->elem_bytes == 8;
    if (mem->n_elems > 1) return false; /* vectors of atomics: two lists an operation */
    if (atom == SIM_ATOM_CAS) {
        op->signature = is_wide ? "DMSS/DMSSh" : "dMss/dMssh";
        return has_result;
    }
    if (has_result) op->signature = is_wide ? "DMS/DMSh" : "dMs/dMsh";
    else op->signature = is_wide ? "MS/MSh" : "Ms/Msh";
    return true;
}

/* --- prefetch, fences, cluster addresses --- */

static bool prefetch(struct ptx_decode *x, enum sim_prefetch what)
{
    struct ptx_opcode *op = x->op;
    op->proto.kind = SIM_PREFETCH;
    op->proto.op = (uint16_t)what;
    op->proto.mem.space = (uint8_t)ptx_take_of(x, spaces, SIM_SPACE_GENERIC);
    op->signature = what == SIM_PREFETCH_LINE ? "M" : "Mi";
    if (ptx_take(x, "L1")) op->proto.mem.hint = 1;
    else if (ptx_take(x, "L2") || ptx_take_begin(x, "L2::evict_")) op->proto.mem.hint = 2;
    else return false;
    return true;
}

static bool fence(struct ptx_decode *x)
{
    struct ptx_opcode *op = x->op;
    op->proto.kind = SIM_FENCE;
    op->signature = "";
    if (ptx_take(x, "proxy")) {
        op->proto.op = SIM_FENCE_PROXY;
        if (ptx_take(x, "alias") || ptx_take_begin(x, "async")) {
            (void)ptx_take_of(x, spaces, 0);
            return true;
        }
        return false; /* tensormap proxies */
    }
    if (ptx_take(x, "mbarrier_init")) {
        op->proto.op = SIM_FENCE_MBARRIER_INIT;
        op->proto.mem.scope = SIM_SCOPE_CLUSTER;
        return ptx_take(x, "release") && ptx_take(x, "cluster");
    }
    op->proto.op = SIM_FENCE_MEMBAR;
    order(x, &op->proto.mem);
    if (op->proto.mem.sem == SIM_SEM_WEAK) op->proto.mem.sem = SIM_SEM_ACQ_REL;
    return op->proto.mem.scope != SIM_SCOPE_NONE;
}

static bool membar(struct ptx_decode *x)
{
    struct ptx_opcode *op = x->op;
    op->proto.kind = SIM_FENCE;
    op->proto.op = SIM_FENCE_MEMBAR;
    op->proto.mem.sem = SIM_SEM_SC;
    op->proto.mem.scope = (uint8_t)ptx_take_of(x, scopes, SIM_SCOPE_NONE);
    op->signature = "";
    return op->proto.mem.scope != SIM_SCOPE_NONE;
}

static bool cluster_map(struct ptx_decode *x, enum sim_cluster_map what)
{
    struct ptx_opcode *op = x->op;
    op->proto.kind = SIM_CLUSTER_MAP;
    op->proto.op = (uint16_t)what;
    op->proto.mem.space = (uint8_t)ptx_take_of(x, spaces, SIM_SPACE_GENERIC);
    const bool is_wide = ptx_take(x, "u64");
    if (!is_wide && !ptx_take(x, "u32")) return false;
    op->proto.mem.reg_bytes = is_wide ? 8 : 4;
    if (what == SIM_MAPA) op->signature = is_wide ? "DSs" : "dss";
    else op->signature = is_wide ? "dS" : "ds";
    return true;
}

bool ptx_decode_memory(struct ptx_decode *x)
{
    static const struct { const char *base; int what; } bases[] = {
        {"ld", 0}, {"ldu", 0}, {"st", 1}, {"atom", 2}, {"red", 3}, {"prefetch", 4},
        {"prefetchu", 4}, {"discard", 5}, {"applypriority", 6}, {"membar", 7}, {"fence", 8},
        {"mapa", 9}, {"getctarank", 10}};
    int what = -1;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (strlen(bases[i].base) == x->part[0].n &&
            memcmp(bases[i].base, x->part[0].s, x->part[0].n) == 0) what = bases[i].what;
    switch (what) {
    case 0: case 1: return load_store(x, what == 0);
    case 2: case 3: return atomic(x, what == 2);
    case 4: return prefetch(x, SIM_PREFETCH_LINE);
    case 5: return prefetch(x, SIM_DISCARD);
    case 6: return prefetch(x, SIM_APPLY_PRIORITY);
    case 7: return membar(x);
    case 8: return fence(x);
    case 9: return cluster_map(x, SIM_MAPA);
    default: return cluster_map(x, SIM_GETCTARANK);
    }
}
