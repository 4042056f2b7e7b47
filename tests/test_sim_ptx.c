/* The simulator's reader of PTX: what text becomes. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/image.h"
#include "dev/sim/program.h"
#include "sim_ptx_text.h"

/* --- helpers --- */

static struct sim_module *must_parse(const char *text)
{
    struct sim_module *m;
    struct ay_error err;
    ck_assert_msg(sim_module_parse(text, strlen(text), &m, &err) == AY_OK, "%s", err.text);
    return m;
}

/* A kernel k with these statements. Registers: 32 bits r0..r9, 64 bits d0..d9, 128 bits q0, q1,
 * 16 bits h0..h9, predicates p0..p3; parameters n (u32), ptr (u64); shared array s; global g. */
static struct sim_module *parse_body(const char *body)
{
    char text[8192];
    const int n = snprintf(
        text, sizeof text,
        SIM_PTX_HEAD ".global .align 16 .b8 g[256];\n.extern .shared .align 16 .b8 dyn[];\n"
                     ".const .align 4 .b8 k0[64];\n"
                     ".visible .entry k(.param .u32 n, .param .u64 ptr)\n{\n"
                     ".reg .b32 r<10>; .reg .b64 d<10>; .reg .b16 h<10>; .reg .pred p<4>;\n"
                     ".reg .b128 q<2>;\n.shared .align 8 .b8 s[64];\n%s\n}\n",
        body);
    ck_assert_int_lt(n, sizeof text);
    return must_parse(text);
}

static const struct sim_uop *uop_of(const struct sim_module *m, uint32_t i)
{
    ck_assert_uint_lt(i, m->kernels[0]->n_uops);
    return &m->kernels[0]->uops[i];
}

static const struct sim_row_init *init_of(const struct sim_kernel *k, uint16_t row)
{
    for (uint32_t i = 0; i < k->n_inits; i++)
        if (k->inits[i].row == row) return &k->inits[i];
    ck_abort_msg("row %u is no constant", row);
}

/* --- whole modules --- */

START_TEST(what_compilers_and_people_write_is_read)
{
    struct sim_module *m = must_parse(sim_ptx_texts[_i]);
    ck_assert_uint_eq(m->n_kernels, 1);
    const struct sim_kernel *k = m->kernels[0];
    ck_assert_int_eq(k->uops[k->n_uops - 1].kind == SIM_EXIT ||
                         k->uops[k->n_uops - 1].kind == SIM_RET, 1);
    ck_assert_uint_eq(k->n_rows % 2, 0);
    sim_module_close(m);
}
END_TEST

START_TEST(a_kernel_says_what_it_needs)
{
    struct sim_module *m = must_parse(sim_ptx_texts[0]);
    const struct sim_kernel *k = sim_find_kernel(m, "chase");
    ck_assert_ptr_nonnull(k);
    ck_assert_uint_eq(m->version, 90);
    ck_assert_str_eq(m->target, "sm_90a");
    ck_assert_uint_eq(k->n_params, 3);
    ck_assert_uint_eq(k->params[0].offset, 0);
    ck_assert_uint_eq(k->params[1].offset, 8);
    ck_assert_uint_eq(k->params[2].offset, 64);
    ck_assert_uint_eq(k->params[2].bytes, 128);
    ck_assert_uint_eq(k->param_bytes, 192);
    ck_assert_uint_eq(k->maxntid[0], 128);
    ck_assert_uint_eq(k->min_ctas_per_sm, 2);
    ck_assert_uint_eq(k->shared_bytes, 4096);
    ck_assert(!k->has_dynamic_shared);
    const struct sim_var *table = sim_find_var(m, "table");
    ck_assert_uint_eq(table->bytes, 32);
    ck_assert_uint_eq(m->global_image[table->offset + 4], 2);
    ck_assert_uint_eq(m->global_image[table->offset + 12], 0);
    ck_assert_int_eq(sim_find_var(m, "constants")->space, SIM_SPACE_CONST);
    ck_assert_ptr_null(sim_find_kernel(m, "chas"));
    ck_assert_ptr_null(sim_find_var(m, "chase"));
    sim_module_close(m);
}
END_TEST

START_TEST(every_embedded_kernel_is_simulated_or_waits_for_its_family)
{
    int n = 0;
    for (const struct ay_image *image = ay_images; image->source; image++) {
        if (image->kind != AY_IMAGE_PTX) continue;
        struct sim_module *m;
        struct ay_error err;
        const size_t n_bytes = (size_t)(image->end - image->begin);
        ck_assert_msg(sim_module_parse((const char *)image->begin, n_bytes, &m, &err) == AY_OK,
                      "%s %s: %s", image->source, image->arch, err.text);
        for (uint32_t i = 0; i < m->n_kernels; i++) {
            const struct sim_kernel *k = m->kernels[i];
            for (uint32_t j = k->unsupported; j < k->n_uops; j++)
                ck_assert_msg(k->uops[j].kind != SIM_UNSUPPORTED || k->uops[j].op != SIM_G_OTHER,
                              "%s %s: %s at line %u", image->source, image->arch,
                              sim_opcode(m, &k->uops[j]), k->uops[j].line);
        }
        ck_assert_str_eq(m->target, image->arch);
        sim_module_close(m);
        n++;
    }
    ck_assert_msg(n > 0 || ay_images[0].source == NULL, "no PTX among the images");
}
END_TEST

/* --- scopes, labels, registers --- */

START_TEST(inlined_blocks_keep_their_labels_and_registers)
{
    struct sim_module *m = must_parse(sim_ptx_texts[1]);
    const struct sim_kernel *k = m->kernels[0];
    uint32_t targets[3], n = 0, at[3];
    for (uint32_t i = 0; i < k->n_uops; i++)
        if (k->uops[i].kind == SIM_BRANCH) at[n] = i, targets[n++] = k->uops[i].target;
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(targets[0], at[0] - 2);     /* first L1 */
    ck_assert_uint_eq(targets[1], at[2] + 1);     /* DONE */
    ck_assert_uint_eq(targets[2], at[1] - 2);     /* second L1 */
    ck_assert_uint_ne(k->uops[at[1]].guard_xor, 0);
    ck_assert(k->uops[at[1]].flags & SIM_F_UNI);
    ck_assert_uint_ne(k->uops[at[0]].guard, k->uops[at[1]].guard);
    sim_module_close(m);
}
END_TEST

START_TEST(wide_registers_are_even_pairs_and_none_overlap)
{
    struct sim_module *m = parse_body("mov.u32 r0, 1; mov.u64 d0, 2; mov.u32 r1, 3; mov.u64 d1, 4;"
                                      "mov.b128 q0, {d0, d1}; mov.u32 r2, 5; ret;");
    const struct sim_kernel *k = m->kernels[0];
    char *used = calloc(k->n_rows, 1);
    for (uint32_t i = 0; i < 4; i++) {
        const uint16_t d = k->uops[i].d;
        const int n = i % 2 ? 2 : 1;
        if (n == 2) ck_assert_uint_eq(d % 2, 0);
        for (int j = 0; j < n; j++) ck_assert(!used[d + j]++);
    }
    ck_assert_uint_eq(k->uops[4].d % 2, 0);
    ck_assert_uint_eq(k->uops[5].d, k->uops[4].d + 2);
    for (int j = 0; j < 4; j++) ck_assert(!used[k->uops[4].d + j]++);
    for (uint32_t i = 0; i < k->n_inits; i++)
        for (int j = 0; j < k->inits[i].bytes / 4; j++) ck_assert(!used[k->inits[i].row + j]++);
    free(used);
    sim_module_close(m);
}
END_TEST

START_TEST(an_immediate_is_a_row_and_the_same_value_the_same_row)
{
    static const struct { const char *text; uint64_t value; uint8_t bytes; } cases[] = {
        {"mov.u32 r0, 17;", 17, 4}, {"mov.s32 r0, -1;", 0xffffffff, 4},
        {"mov.u64 d0, -1;", ~0ull, 8}, {"mov.u64 d0, 0x123456789abcdef0;", 0x123456789abcdef0, 8},
        {"mov.f32 r0, 0f40490FDB;", 0x40490fdb, 4}, {"mov.f32 r0, 1.5;", 0x3fc00000, 4},
        {"mov.f64 d0, 0d4000000000000000;", 0x4000000000000000, 8},
        {"mov.f64 d0, -2.5e1;", 0xc039000000000000, 8}, {"mov.u32 r0, 017;", 15, 4},
        {"mov.u32 r0, 0b1010;", 10, 4}, {"mov.u32 r0, 0xfU;", 15, 4}, {"mov.u32 r0, 1+2*3;", 7, 4},
        {"mov.u32 r0, ~0;", 0xffffffff, 4}, {"mov.u32 r0, WARP_SZ;", 32, 4},
        {"mov.f32 r0, -0f3F800000;", 0xbf800000, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char twice[256];
        snprintf(twice, sizeof twice, "%s %s", cases[i].text, cases[i].text);
        struct sim_module *m = parse_body(twice);
        const struct sim_row_init *init = init_of(m->kernels[0], uop_of(m, 0)->a);
        ck_assert_msg(init->value == cases[i].value && init->bytes == cases[i].bytes,
                      "%s became %#lx", cases[i].text, init->value);
        ck_assert_int_eq(init->kind, SIM_INIT_IMM);
        ck_assert_uint_eq(uop_of(m, 0)->a, uop_of(m, 1)->a);
        ck_assert_uint_eq(m->kernels[0]->n_inits, 1);
        sim_module_close(m);
    }
}
END_TEST

START_TEST(special_registers_are_rows_or_are_read)
{
    static const struct { const char *text; int kind; uint64_t value;
    } cases[] = {{"mov.u32 r0, %tid.x;", SIM_INIT_TID, 0},
                 {"mov.u32 r0, %ctaid.z;", SIM_INIT_CTAID, 2},
                 {"mov.u32 r0, %nctaid.y;", SIM_INIT_NCTAID, 1},
                 {"mov.u32 r0, %laneid;", SIM_INIT_LANEID, 0},
                 {"cvt.u64.u32 d0, %ntid.x;", SIM_INIT_NTID, 0},
                 {"mov.u32 r0, %smid;", SIM_INIT_SMID, 0},
                 {"add.u32 r0, %lanemask_lt, 1;", SIM_INIT_LANEMASK_LT, 0},
                 {"mov.u32 r0, %envreg2;", SIM_INIT_ENVREG, 2},
                 {"mov.u32 r0, %tid.w;", SIM_INIT_IMM, 0},
                 {"mov.u32 r0, %cluster_ctarank;", SIM_INIT_CLUSTER_CTARANK, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim_module *m = parse_body(cases[i].text);
        const struct sim_row_init *init = init_of(m->kernels[0], uop_of(m, 0)->a);
        ck_assert_msg(init->kind == cases[i].kind && init->value == cases[i].value, "%s",
                      cases[i].text);
        sim_module_close(m);
    }
    struct sim_module *m = parse_body("mov.u32 r0, %clock; mov.u64 d0, %clock64;"
                                      "mov.u64 d1, %globaltimer;");
    static const int specials[] = {SIM_SR_CLOCK, SIM_SR_CLOCK64, SIM_SR_GLOBALTIMER};
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_int_eq(uop_of(m, i)->kind, SIM_SPECIAL);
        ck_assert_int_eq(uop_of(m, i)->op, specials[i]);
        ck_assert_int_eq(uop_of(m, i)->mem.reg_bytes, i ? 8 : 4);
    }
    sim_module_close(m);
}
END_TEST

/* --- memory --- */

static const struct {
    const char *text;
    int kind;
    struct sim_mem mem;
    int32_t offset;
    int flags;
} ACCESSES[] = {
    {"ld.global.ca.u64 d0, [d1];", SIM_LOAD,
     {SIM_SPACE_GLOBAL, 8, 1, 8, SIM_CACHE_CA, 0, 0, 0}, 0, SIM_F_ADDR64},
    {"ld.global.nc.v4.f32 {r0,r1,r2,r3}, [d1+16];", SIM_LOAD,
     {SIM_SPACE_GLOBAL, 4, 4, 4, SIM_CACHE_NC, 0, 0, SIM_HINT_NC}, 16,
     SIM_F_ADDR64 | SIM_F_VECTOR},
    {"ld.global.L1::no_allocate.L2::256B.u32 r0, [d1];", SIM_LOAD,
     {SIM_SPACE_GLOBAL, 4, 1, 4, 0, 0, 0, SIM_HINT_L2_256B | SIM_HINT_L1_NO_ALLOCATE}, 0,
     SIM_F_ADDR64},
    {"ld.volatile.shared.s8 r0, [r1-4];", SIM_LOAD,
     {SIM_SPACE_SHARED, 1, 1, 4, 0, SIM_SEM_VOLATILE, 0, 0}, -4, SIM_F_SIGNED},
    {"ld.acquire.gpu.global.u16 h0, [d1];", SIM_LOAD,
     {SIM_SPACE_GLOBAL, 2, 1, 4, 0, SIM_SEM_ACQUIRE, SIM_SCOPE_GPU, 0}, 0, SIM_F_ADDR64},
    {"ld.relaxed.sys.b32 r0, [d1];", SIM_LOAD,
     {SIM_SPACE_GENERIC, 4, 1, 4, 0, SIM_SEM_RELAXED, SIM_SCOPE_SYS, 0}, 0, SIM_F_ADDR64},
    {"ld.global.s32 d0, [d1];", SIM_LOAD, {SIM_SPACE_GLOBAL, 4, 1, 8, 0, 0, 0, 0}, 0,
     SIM_F_ADDR64 | SIM_F_SIGNED},
    {"st.release.cluster.shared::cluster.u64 [r1+8], d0;", SIM_STORE,
     {SIM_SPACE_SHARED_CLUSTER, 8, 1, 8, 0, SIM_SEM_RELEASE, SIM_SCOPE_CLUSTER, 0}, 8, 0},
    {"st.global.cs.v2.u64 [d1], {d2, d3};", SIM_STORE,
     {SIM_SPACE_GLOBAL, 8, 2, 8, SIM_CACHE_CS, 0, 0, 0}, 0, SIM_F_ADDR64 | SIM_F_VECTOR},
    {"ld.param.u64 d0, [ptr];", SIM_LOAD, {SIM_SPACE_PARAM, 8, 1, 8, 0, 0, 0, 0}, 8,
     SIM_F_ADDR64 | SIM_F_CONST_ADDR},
    {"st.shared.u32 [s+12], r1;", SIM_STORE, {SIM_SPACE_SHARED, 4, 1, 4, 0, 0, 0, 0}, 12,
     SIM_F_ADDR64 | SIM_F_CONST_ADDR},
    {"ld.u32 r0, [g+8];", SIM_LOAD, {SIM_SPACE_GLOBAL, 4, 1, 4, 0, 0, 0, 0}, 8,
     SIM_F_ADDR64 | SIM_F_CONST_ADDR},
    {"ld.const.f32 r0, [k0+4];", SIM_LOAD, {SIM_SPACE_CONST, 4, 1, 4, 0, 0, 0, 0}, 4,
     SIM_F_ADDR64 | SIM_F_CONST_ADDR},
    {"ld.global.b128 q0, [d1];", SIM_LOAD, {SIM_SPACE_GLOBAL, 16, 1, 16, 0, 0, 0, 0}, 0,
     SIM_F_ADDR64},
    {"ld.global.v2.b32 {_, r1}, [d1];", SIM_LOAD, {SIM_SPACE_GLOBAL, 4, 2, 4, 0, 0, 0, 0}, 0,
     SIM_F_ADDR64 | SIM_F_VECTOR},
    {"st.global.u32 [d1], 5;", SIM_STORE, {SIM_SPACE_GLOBAL, 4, 1, 4, 0, 0, 0, 0}, 0,
     SIM_F_ADDR64},
};

START_TEST(a_memory_operation_says_all_that_its_opcode_says)
{
    for (size_t i = 0; i < sizeof ACCESSES / sizeof ACCESSES[0]; i++) {
        struct sim_module *m = parse_body(ACCESSES[i].text);
        const struct sim_uop *u = uop_of(m, 0);
        ck_assert_msg(u->kind == ACCESSES[i].kind, "%s", ACCESSES[i].text);
        ck_assert_msg(memcmp(&u->mem, &ACCESSES[i].mem, sizeof u->mem) == 0, "%s",
                      ACCESSES[i].text);
        ck_assert_msg(u->offset == ACCESSES[i].offset, "%s: %d", ACCESSES[i].text, u->offset);
        ck_assert_msg(u->flags == ACCESSES[i].flags, "%s: flags %d", ACCESSES[i].text, u->flags);
        sim_module_close(m);
    }
}
END_TEST

START_TEST(dynamic_shared_memory_begins_behind_the_static)
{
    struct sim_module *m = parse_body(".shared .align 4 .b8 t[20]; st.shared.u32 [t], r0;"
                                      "st.shared.u32 [s], r0; mov.u32 r1, dyn; mov.u64 d1, t;");
    const struct sim_kernel *k = m->kernels[0];
    ck_assert_uint_eq(k->shared_bytes, 24 + 64); /* s is aligned to 8 */
    ck_assert(k->has_dynamic_shared);
    ck_assert_uint_eq(k->dynamic_shared_offset, 96);
    ck_assert_int_eq(uop_of(m, 1)->offset, 24);
    ck_assert_uint_eq(init_of(k, uop_of(m, 2)->a)->value, 96);
    ck_assert_int_eq(init_of(k, uop_of(m, 2)->a)->kind, SIM_INIT_SHARED);
    ck_assert_uint_eq(init_of(k, uop_of(m, 3)->a)->value, 0);
    ck_assert_int_eq(init_of(k, uop_of(m, 3)->a)->bytes, 8);
    sim_module_close(m);
}
END_TEST

START_TEST(initialisers_may_be_shorter_than_the_array_and_hold_addresses)
{
    struct sim_module *m = must_parse(sim_ptx_texts[3]);
    const struct sim_var *scales = sim_find_var(m, "scales"), *scale = sim_find_var(m, "scale");
    const struct sim_var *pointers = sim_find_var(m, "pointers");
    const struct sim_var *numbers = sim_find_var(m, "numbers");
    float rows[4];
    memcpy(rows, m->global_image + scales->offset, sizeof rows);
    ck_assert(rows[0] == 1.5f && rows[1] == 2e0f && rows[2] == -0.25f && rows[3] == 0);
    ck_assert_uint_eq(pointers->bytes, 24);
    ck_assert_uint_eq(m->n_relocs, 2);
    ck_assert_uint_eq(m->relocs[0].offset, pointers->offset);
    ck_assert_uint_eq(m->relocs[0].addend, scale->offset);
    ck_assert_uint_eq(m->relocs[1].addend, scales->offset + 8);
    ck_assert(m->relocs[1].is_generic && !m->relocs[0].is_generic);
    static const uint32_t due[] = {15, 5, 15, ~0u, ~0u, 19, 3};
    ck_assert_uint_eq(numbers->bytes, sizeof due);
    ck_assert_mem_eq(m->global_image + numbers->offset, due, sizeof due);
    sim_module_close(m);
}
END_TEST

/* --- other operations --- */

START_TEST(warp_and_barrier_operations_are_told_apart)
{
    static const struct { const char *text; int kind, op; } cases[] = {
        {"shfl.sync.bfly.b32 r0|p0, r1, 1, 31, -1;", SIM_WARP, SIM_SHFL_BFLY},
        {"shfl.sync.idx.b32 r0, r1, r2, 31, r3;", SIM_WARP, SIM_SHFL_IDX},
        {"vote.sync.ballot.b32 r0, p1, -1;", SIM_WARP, SIM_VOTE_BALLOT},
        {"vote.sync.all.pred p0, !p1, -1;", SIM_WARP, SIM_VOTE_ALL},
        {"match.any.sync.b64 r0, d1, -1;", SIM_WARP, SIM_MATCH_ANY},
        {"match.all.sync.b32 r0|p0, r1, -1;", SIM_WARP, SIM_MATCH_ALL},
        {"redux.sync.min.s32 r0, r1, -1;", SIM_WARP, SIM_REDUX_MIN},
        {"activemask.b32 r0;", SIM_WARP, SIM_ACTIVEMASK},
        {"elect.sync _|p0, -1;", SIM_WARP, SIM_ELECT},
        {"bar.warp.sync -1;", SIM_WARP, SIM_WARP_BARRIER},
        {"bar.sync 0;", SIM_BARRIER, SIM_BAR_SYNC},
        {"barrier.cta.sync 1, 64;", SIM_BARRIER, SIM_BAR_SYNC},
        {"barrier.cta.arrive 1, 64;", SIM_BARRIER, SIM_BAR_ARRIVE},
        {"bar.red.popc.u32 r0, 0, p1;", SIM_BARRIER, SIM_BAR_RED_POPC},
        {"bar.red.or.pred p0, 0, 64, !p1;", SIM_BARRIER, SIM_BAR_RED_OR},
        {"barrier.cluster.arrive.release.aligned;", SIM_CLUSTER_BARRIER, SIM_CBAR_ARRIVE},
        {"barrier.cluster.wait;", SIM_CLUSTER_BARRIER, SIM_CBAR_WAIT},
        {"membar.gl;", SIM_FENCE, SIM_FENCE_MEMBAR}, {"fence.sc.sys;", SIM_FENCE, SIM_FENCE_MEMBAR},
        {"fence.proxy.async.shared::cta;", SIM_FENCE, SIM_FENCE_PROXY},
        {"fence.mbarrier_init.release.cluster;", SIM_FENCE, SIM_FENCE_MBARRIER_INIT},
        {"prefetch.global.L2 [d0];", SIM_PREFETCH, SIM_PREFETCH_LINE},
        {"discard.global.L2 [d0], 128;", SIM_PREFETCH, SIM_DISCARD},
        {"mapa.shared::cluster.u32 r0, r1, r2;", SIM_CLUSTER_MAP, SIM_MAPA},
        {"getctarank.u64 r0, d1;", SIM_CLUSTER_MAP, SIM_GETCTARANK},
        {"nanosleep.u32 100;", SIM_NANOSLEEP, 0}, {"trap;", SIM_TRAP, 0},
        {"griddepcontrol.wait;", SIM_GRIDDEP, 1}, {"exit;", SIM_EXIT, 0}, {"ret;", SIM_EXIT, 0},
        {"atom.global.add.u32 r0, [d1], r2;", SIM_ATOM, SIM_ATOM_ADD},
        {"atom.acq_rel.gpu.global.cas.b64 d0, [d1], d2, d3;", SIM_ATOM, SIM_ATOM_CAS},
        {"red.relaxed.gpu.global.max.s32 [d1], r2;", SIM_RED, SIM_ATOM_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim_module *m = parse_body(cases[i].text);
        ck_assert_msg(uop_of(m, 0)->kind == cases[i].kind, "%s: kind %d", cases[i].text,
                      uop_of(m, 0)->kind);
        ck_assert_msg(uop_of(m, 0)->op == cases[i].op, "%s", cases[i].text);
        sim_module_close(m);
    }
}
END_TEST

static bool has(const struct sim_kernel *k, uint32_t first, uint32_t n, uint32_t number)
{
    for (uint32_t i = 0; i < n; i++)
        if (k->lists[first + i] == number) return true;
    return false;
}

START_TEST(the_scoreboard_knows_what_is_read_and_written)
{
    struct sim_module *m = parse_body("mov.u32 r3, 1; @!p1 fma.rn.f32 r0, r1, r2, r3;"
                                      "ld.global.v2.u64 {d0, d1}, [d2]; setp.lt.s32 p0|p2, r0, 5;"
                                      "add.cc.u32 r0, r0, r1; addc.u32 r0, r0, r0;");
    const struct sim_kernel *k = m->kernels[0];
    const struct sim_uop *fma = uop_of(m, 1), *load = uop_of(m, 2), *setp = uop_of(m, 3);
    const struct sim_uop *add = uop_of(m, 4), *addc = uop_of(m, 5);
    ck_assert_uint_eq(fma->n_reads, 4);
    ck_assert_uint_eq(fma->n_writes, 1);
    ck_assert(has(k, fma->deps, 4, fma->a) && has(k, fma->deps, 4, fma->c));
    ck_assert(has(k, fma->deps, 4, k->n_rows + fma->guard));
    ck_assert_uint_eq(k->lists[fma->deps + 4], fma->d);
    ck_assert_uint_eq(load->n_writes, 2);
    ck_assert_uint_eq(load->n_list, 2);
    ck_assert_uint_eq(k->lists[load->list], k->lists[load->deps + 1]);
    ck_assert_uint_eq(setp->n_reads, 1); /* a constant is always ready */
    ck_assert_uint_eq(setp->n_writes, 2);
    ck_assert(has(k, setp->deps + 1, 2, k->n_rows + setp->pq));
    ck_assert(has(k, add->deps + add->n_reads, add->n_writes, k->n_rows + SIM_PRED_CC));
    ck_assert(has(k, addc->deps, addc->n_reads, k->n_rows + SIM_PRED_CC));
    ck_assert_uint_eq(addc->n_reads, 2); /* r0 once */
    sim_module_close(m);
}
END_TEST

START_TEST(a_call_passes_parameters_through_local_memory)
{
    struct sim_module *m = must_parse(sim_ptx_texts[3]);
    const struct sim_kernel *k = m->kernels[0];
    uint32_t call = 0, n_rets = 0;
    for (uint32_t i = 0; i < k->n_uops; i++) {
        if (k->uops[i].kind == SIM_CALL) call = i;
        n_rets += k->uops[i].kind == SIM_RET;
    }
    ck_assert_uint_ne(call, 0);
    ck_assert_uint_ge(n_rets, 1);
    const struct sim_uop *passed = &k->uops[call - 1], *taken = &k->uops[call + 1];
    ck_assert_int_eq(passed->kind, SIM_STORE);
    ck_assert_int_eq(passed->mem.space, SIM_SPACE_LOCAL);
    ck_assert_int_eq(taken->kind, SIM_LOAD);
    const struct sim_uop *callee = &k->uops[k->uops[call].target];
    ck_assert_int_eq(callee->kind, SIM_LOAD);
    ck_assert_int_eq(callee->offset, passed->offset); /* where the callee looks */
    ck_assert_uint_ge(k->local_bytes, 24 + 16);
    ck_assert_uint_eq(k->unsupported, k->n_uops);
    sim_module_close(m);
}
END_TEST

START_TEST(a_table_of_targets_names_operations)
{
    struct sim_module *m = parse_body("T: .branchtargets B, A; brx.idx r0, T; A: mov.u32 r1, 1;"
                                      "B: ret;");
    const struct sim_kernel *k = m->kernels[0];
    ck_assert_int_eq(k->uops[0].kind, SIM_BRX);
    ck_assert_uint_eq(k->uops[0].imm, 2);
    ck_assert_uint_eq(k->lists[k->uops[0].list], 2);
    ck_assert_uint_eq(k->lists[k->uops[0].list + 2], 1);
    sim_module_close(m);
}
END_TEST

/* --- what is not simulated, what is wrong --- */

START_TEST(an_unknown_opcode_refuses_its_kernel_alone)
{
    struct ay_error err;
    struct sim_module *m = must_parse(SIM_PTX_HEAD
                                      ".entry a() { .reg .b32 r;\nfrobnicate.x3 r, [r], {r, _};\n"
                                      "ret; }\n.entry b() { ret; }\n");
    ck_assert_int_eq(sim_kernel_check(sim_find_kernel(m, "b"), &err), AY_OK);
    ck_assert_int_eq(sim_kernel_check(sim_find_kernel(m, "a"), &err), AY_SKIP);
    ck_assert_ptr_nonnull(strstr(err.text, "opcode frobnicate.x3 at PTX line 5"));
    sim_module_close(m);
    static const char *const others[] = {
        "add.rz.ftz.s32 r0, r1, r2;", "ld.global.cq.u32 r0, [d0];", "mov.u64 d0, elsewhere;",
        "shfl.idx.b32 r0, r1, r2, r3;", "cvt.f32.s32 r0, r1, r2;", "mov.u32 r0, %pm3;",
        "tex.1d.v4.f32.s32 {r0,r1,r2,r3}, [d0, {r1}];"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, SIM_PTX_HEAD ".extern .func elsewhere();\n.entry k() {\n"
                 ".reg .b32 r<4>; .reg .b64 d<4>;\n%s\nret; }\n", others[i]);
        if (i == 4) continue; /* a wrong number of operands is an error, below */
        m = must_parse(text);
        ck_assert_msg(sim_kernel_check(m->kernels[0], &err) == AY_SKIP, "%s", others[i]);
        sim_module_close(m);
    }
}
END_TEST

static const struct { const char *body, *where;
} MISTAKES[] = {
    {"add.s32 r0, r1;", "line 10, column 1: add.s32: another number of operands"},
    {"add.s32 r0, r1, d1;", "another size"},
    {"add.s64 d0, r1, d1;", "another size"},
    {"add.s32 p0, r1, r2;", "predicate"},
    {"mov.u32 r0, r99;", "unknown name at 'r99'"},
    {"mov.u32 r0, %r99;", "column 13: an unknown register at '%r99'"},
    {"bra NOWHERE;", "unknown name"},
    {"@r0 ret;", "no predicate"},
    {"add.s32 r0, r1, r2", "';'"},
    {"mov.u32 r0, 0x;", "without digits"},
    {"mov.u32 r0, 99999999999999999999;", "64 bits"},
    {"ld.global.v2.u32 r0, [d0];", "number of elements"},
    {"{ {", "'}'"},
    {"ld.global.u64 r0, [d0];", "too small"},
    {".reg .b32 x<99999999>;", "too large a number"},
    {".reg .b33 x;", "a type was expected"},
    {"mov.u32 r0, (;", "operand"},
    {"5;", "instruction"},
    {".shared .b8 big[999999999];", "too large"},
    {"setp.lt.s32 r0, r1, r2;", "predicate"},
    {"lop3.b32 r0, r1, r2, r3, r4;", "constant"},
    {"st.global.u32 [d0+0x100000000], r0;", "too far"},
    {"mov.b64 d0, {r0, r1, r2};", "parts"},
    {"call;", NULL},
    {"mov.u32 r0, 1.5.5;", "expected"},
};

START_TEST(a_mistake_is_reported_with_its_place)
{
    struct sim_module *m = NULL;
    struct ay_error err;
    char text[1024];
    snprintf(text, sizeof text,
             SIM_PTX_HEAD ".entry k()\n{\n.reg .b32 r<10>;\n.reg .b64 d<10>;\n.reg .pred p<4>;\n"
                          "\n%s\n}\n", MISTAKES[_i].body);
    const enum ay_status status = sim_module_parse(text, strlen(text), &m, &err);
    if (!MISTAKES[_i].where) {
        ck_assert_int_eq(status, AY_OK);
        sim_module_close(m);
        return;
    }
    ck_assert_msg(status == AY_USAGE, "%s was taken", MISTAKES[_i].body);
    ck_assert_ptr_null(m);
    ck_assert_ptr_nonnull(strstr(err.text, "PTX line "));
    ck_assert_msg(strstr(err.text, MISTAKES[_i].where) ||
                      (strcmp(MISTAKES[_i].where, "operand") == 0 && strstr(err.text, "expected")),
                  "%s: %s", MISTAKES[_i].body, err.text);
}
END_TEST

/* --- atomics --- */

START_TEST(an_atomic_makes_the_new_word_from_the_old)
{
    static const struct { int op, type; uint64_t old, b, c, due;
    } cases[] = {
        {SIM_ATOM_ADD, SIM_U32, 0xffffffff, 2, 0, 1},
        {SIM_ATOM_ADD, SIM_U64, ~0ull, 2, 0, 1},
        {SIM_ATOM_MIN, SIM_S32, 5, 0xffffffff, 0, 0xffffffff},
        {SIM_ATOM_MIN, SIM_U32, 5, 0xffffffff, 0, 5},
        {SIM_ATOM_MAX, SIM_S64, 5, ~0ull, 0, 5},
        {SIM_ATOM_MAX, SIM_U64, 5, ~0ull, 0, ~0ull},
        {SIM_ATOM_INC, SIM_U32, 7, 7, 0, 0},
        {SIM_ATOM_INC, SIM_U32, 6, 7, 0, 7},
        {SIM_ATOM_DEC, SIM_U32, 0, 7, 0, 7},
        {SIM_ATOM_DEC, SIM_U32, 8, 7, 0, 7},
        {SIM_ATOM_DEC, SIM_U32, 7, 7, 0, 6},
        {SIM_ATOM_AND, SIM_B32, 12, 10, 0, 8},
        {SIM_ATOM_OR, SIM_B64, 12, 10, 0, 14},
        {SIM_ATOM_XOR, SIM_B32, 12, 10, 0, 6},
        {SIM_ATOM_EXCH, SIM_B32, 1, 2, 0, 2},
        {SIM_ATOM_CAS, SIM_B32, 1, 1, 9, 9},
        {SIM_ATOM_CAS, SIM_B32, 1, 2, 9, 1},
        {SIM_ATOM_CAS, SIM_B64, 1ull << 40, 1ull << 40, 9, 9},
        {SIM_ATOM_ADD, SIM_F32, 0x3f800000, 0x40000000, 0, 0x40400000},
        {SIM_ATOM_ADD, SIM_F64, 0x3ff0000000000000, 0x4000000000000000, 0, 0x4008000000000000},
        {SIM_ATOM_ADD, SIM_F16X2, 0x3c003c00, 0x40003c00, 0, 0x42004000},
        {SIM_ATOM_ADD, SIM_BF16X2, 0x3f803f80, 0x40003f80, 0, 0x40404000},
        {SIM_ATOM_MAX, SIM_F16X2, 0x3c00bc00, 0xbc003c00, 0, 0x3c003c00},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_msg(sim_atom_apply((enum sim_atom)cases[i].op, (enum sim_type)cases[i].type,
                                     cases[i].old, cases[i].b, cases[i].c) == cases[i].due,
                      "case %zu", i);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim_ptx");
    TCase *t = tcase_create("reader");
    int n_texts = 0;
    while (sim_ptx_texts[n_texts]) n_texts++;
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, what_compilers_and_people_write_is_read, 0, n_texts);
    tcase_add_test(t, a_kernel_says_what_it_needs);
    tcase_add_test(t, every_embedded_kernel_is_simulated_or_waits_for_its_family);
    tcase_add_test(t, inlined_blocks_keep_their_labels_and_registers);
    tcase_add_test(t, wide_registers_are_even_pairs_and_none_overlap);
    tcase_add_test(t, an_immediate_is_a_row_and_the_same_value_the_same_row);
    tcase_add_test(t, special_registers_are_rows_or_are_read);
    tcase_add_test(t, a_memory_operation_says_all_that_its_opcode_says);
    tcase_add_test(t, dynamic_shared_memory_begins_behind_the_static);
    tcase_add_test(t, initialisers_may_be_shorter_than_the_array_and_hold_addresses);
    tcase_add_test(t, warp_and_barrier_operations_are_told_apart);
    tcase_add_test(t, the_scoreboard_knows_what_is_read_and_written);
    tcase_add_test(t, a_call_passes_parameters_through_local_memory);
    tcase_add_test(t, a_table_of_targets_names_operations);
    tcase_add_test(t, an_unknown_opcode_refuses_its_kernel_alone);
    tcase_add_loop_test(t, a_mistake_is_reported_with_its_place, 0,
                        sizeof MISTAKES / sizeof MISTAKES[0]);
    tcase_add_test(t, an_atomic_makes_the_new_word_from_the_old);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
