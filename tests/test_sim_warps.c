/* Warps of the simulated machine: divergence, barriers, collectives, CTAs, faults, ends. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim_world.h"

static struct sim_world w;
#define HEAD ".version 8.0\n.target sm_90a\n.address_size 64\n"
#define BEGIN(name) ".visible .entry " name "(.param .u64 a0, .param .u64 a1, .param .u64 a2) {\n" \
    ".reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .f32 %f<9>;\n" \
    "ld.param.u64 %rd1, [a0]; ld.param.u64 %rd2, [a1]; ld.param.u64 %rd3, [a2];\n" \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n" \
    "mad.lo.s32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd4, %rd4, %rd1;\n"

static const char KERNELS[] = HEAD
    /* each lane of each warp takes the lock in turn, spinning */
    BEGIN("lock")
    "again: atom.global.cas.b32 %r5, [%rd1], 0, 1; setp.ne.s32 %p1, %r5, 0; @%p1 bra again;\n"
    "ld.volatile.global.u32 %r6, [%rd1+8]; add.s32 %r6, %r6, 1;\n"
    "st.volatile.global.u32 [%rd1+8], %r6; membar.gl; atom.global.exch.b32 %r7, [%rd1], 0; ret; }\n"
    /* lane i loops i times; then all of the warp reduce */
    BEGIN("ragged")
    "and.b32 %r5, %r1, 31; mov.u32 %r6, 0;\n"
    "again: setp.ge.u32 %p1, %r6, %r5; @%p1 bra out; add.s32 %r6, %r6, 1; bra.uni again;\n"
    "out: redux.sync.add.u32 %r7, %r6, 0xffffffff;\n"
    "shfl.sync.down.b32 %r8|%p2, %r6, 1, 31, 0xffffffff; selp.u32 %r9, %r8, 99, %p2;\n"
    "vote.sync.ballot.b32 %r10, %p2, 0xffffffff; xor.b32 %r9, %r9, %r7;\n"
    "st.global.u32 [%rd4], %r9;\n"
    "st.global.u32 [%rd2], %r10; ret; }\n"
    /* a guarded ret of odd lanes, then a warp operation that names all */
    BEGIN("leavers")
    "and.b32 %r5, %r1, 1; setp.ne.s32 %p1, %r5, 0; @%p1 ret;\n"
    "match.any.sync.b32 %r6, %r5, 0xffffffff; st.global.u32 [%rd4], %r6; ret; }\n"
    /* barriers: n back to back */
    BEGIN("barriers")
    "bar.sync 0; bar.sync 0; mov.u64 %rd5, %clock64;\n"
    "bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;\n"
    "bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;\n"
    "mov.u64 %rd6, %clock64; sub.s64 %rd7, %rd6, %rd5; setp.ne.s32 %p1, %r4, 0; @%p1 ret;\n"
    "st.global.u64 [%rd1], %rd7; ret; }\n"
    /* sum over the CTA through a reduction of its barrier */
    BEGIN("reduce")
    "setp.lt.u32 %p1, %r1, 70; barrier.sync 3, %r3; bar.red.popc.u32 %r5, 1, %p1;\n"
    "bar.red.and.pred %p2, 2, %p1; bar.red.or.pred %p3, 2, %p1; selp.u32 %r6, 1000, 0, %p2;\n"
    "selp.u32 %r7, 2000, 0, %p3; add.s32 %r5, %r5, %r6; add.s32 %r5, %r5, %r7;\n"
    "st.global.u32 [%rd4], %r5; ret; }\n"
    /* warp 0 waits at one barrier, the others at another */
    BEGIN("deadlock")
    "setp.lt.u32 %p1, %r1, 32; @%p1 bra first; bar.sync 2; ret;\n"
    "first: bar.sync 1; ret; }\n"
    BEGIN("forever") "again: bra.uni again; }\n"
    BEGIN("trap") "setp.eq.s32 %p1, %r4, 37; @%p1 trap; ret; }\n"
    BEGIN("store_at") "st.global.u32 [%rd2], %r1; ret; }\n"
    BEGIN("vector_at") "ld.global.v2.u32 {%r5, %r6}, [%rd2]; st.global.u32 [%rd3], %r5; ret; }\n"
    BEGIN("where") "mov.u32 %r5, %smid; st.global.u32 [%rd4], %r5; ret; }\n"
    /* holds its place until told */
    BEGIN("hold")
    "again: ld.volatile.global.u32 %r5, [%rd1]; setp.eq.s32 %p1, %r5, 0; @%p1 bra again;\n"
    "add.s32 %r5, %r5, 1; st.volatile.global.u32 [%rd1+4], %r5; ret; }\n"
    BEGIN("local")
    ".local .align 16 .b8 mine[64]; .reg .b64 %l<3>; mov.u64 %l1, mine; cvta.local.u64 %l2, %l1;\n"
    "st.local.u32 [%l1+8], %r1; add.s32 %r5, %r1, 5; st.u32 [%l2+12], %r5;\n"
    "ld.local.v2.u32 {%r6, %r7}, [%l1+8]; add.s32 %r8, %r6, %r7;\n"
    "st.global.u32 [%rd4], %r8; ret; }\n"
    ".const .align 8 .b32 table[4] = { 7, 8, 9, 10 };\n.global .align 4 .b32 total = 5;\n"
    BEGIN("variables")
    "and.b32 %r5, %r1, 3; mul.wide.u32 %rd5, %r5, 4; mov.u64 %rd6, table;\n"
    "add.s64 %rd6, %rd6, %rd5;\n"
    "ld.const.u32 %r6, [%rd6]; ld.global.u32 %r7, [total]; add.s32 %r6, %r6, %r7;\n"
    "st.global.u32 [%rd4], %r6; ret; }\n"
    /* two arms of 16 links; a2: which lanes go left */
    BEGIN("arms")
    "cvt.u32.u64 %r5, %rd3; shr.u32 %r6, %r5, %r1; and.b32 %r6, %r6, 1; setp.ne.s32 %p1, %r6, 0;\n"
    "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000; bar.sync 0; mov.u64 %rd5, %clock64;\n"
    "@%p1 bra left;\n"
    "fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2;\n"
    "fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2; bra.uni both;\n"
    "left:\n"
    "fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2;\n"
    "fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2; bra.uni both;\n"
    "both: bar.warp.sync 0xffffffff; mov.u64 %rd6, %clock64; sub.s64 %rd7, %rd6, %rd5;\n"
    "st.global.u64 [%rd2], %rd7; cvt.rzi.u32.f32 %r7, %f1; st.global.u32 [%rd4], %r7; ret; }\n"
    /* neighbours in a cluster write into each other's shared memory */
    BEGIN("cluster")
    ".shared .align 4 .b32 box; mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1;\n"
    "mov.u32 %r7, box;\n"
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "mapa.shared::cluster.u32 %r8, %r7, %r6;\n"
    "add.s32 %r9, %r5, 100; st.shared::cluster.u32 [%r8], %r9;\n"
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ld.shared.u32 %r10, [box];\n"
    "mul.wide.u32 %rd5, %r2, 4; add.s64 %rd5, %rd5, %rd1; st.global.u32 [%rd5], %r10; ret; }\n"
    /* four dependent loads from rank a2's box, which holds its own address there */
    BEGIN("dsmem")
    ".shared .align 4 .b32 box; cvt.u32.u64 %r5, %rd3; mov.u32 %r6, box; mapa.shared::cluster.u32 "
    "%r7, %r6, %r5; st.shared.u32 [box], 0; barrier.cluster.arrive; barrier.cluster.wait;\n"
    "setp.ne.u32 %p1, %r4, 0; @%p1 bra out; mov.u64 %rd5, %clock64;\n"
    "ld.shared::cluster.u32 %r8, [%r7]; add.s32 %r7, %r7, %r8;\n"
    "ld.shared::cluster.u32 %r8, [%r7]; add.s32 %r7, %r7, %r8;\n"
    "ld.shared::cluster.u32 %r8, [%r7]; add.s32 %r7, %r7, %r8;\n"
    "ld.shared::cluster.u32 %r8, [%r7]; add.s32 %r7, %r7, %r8; st.shared.u32 [box], %r7;\n"
    "mov.u64 %rd6, %clock64; sub.s64 %rd7, %rd6, %rd5; st.global.u64 [%rd2], %rd7;\n"
    "mov.u32 %r9, %nsmid; st.global.u32 [%rd1], %r9;\n"
    "out: barrier.cluster.arrive; barrier.cluster.wait; ret; }\n"
    BEGIN("unknown") "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
    ".sync.aligned [%rd1], [%r1], 128; ret; }\n";

static void setup(void) { world_open(&w, "base = plain\n", KERNELS); }
static void teardown(void) { world_close(&w); }

static uint32_t *words32(uint64_t va, uint64_t n)
{
    return (uint32_t *)(void *)world_words(&w, va, (n + 1) / 2);
}

START_TEST(a_lock_is_passed_on_by_lanes_of_one_warp)
{
    const uint64_t lock = world_alloc(&w, 64);
    world_run(&w, &(struct world_launch){ .kernel = "lock", .ctas = 3, .threads = 96,
                                          .args = { lock } });
    ck_assert_uint_eq(words32(lock, 4)[2], 3 * 96);
}
END_TEST

START_TEST(lanes_that_parted_meet_again_at_a_warp_operation)
{
    const uint64_t out = world_alloc(&w, 4 * 64), ballot = world_alloc(&w, 64);
    world_run(&w, &(struct world_launch){ .kernel = "ragged", .threads = 64,
                                          .args = { out, ballot } });
    const uint32_t *r = words32(out, 64);
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_uint_eq(r[i], (31 * 16) ^ (i % 32 == 31 ? 99 : i % 32 + 1));
    ck_assert_uint_eq(words32(ballot, 1)[0], 0x7fffffff);
}
END_TEST

START_TEST(lanes_that_left_are_not_waited_for)
{
    const uint64_t out = world_alloc(&w, 4 * 32);
    world_run(&w, &(struct world_launch){ .kernel = "leavers", .args = { out } });
    for (uint32_t i = 0; i < 32; i += 2) ck_assert_uint_eq(words32(out, 32)[i], 0x55555555);
}
END_TEST

START_TEST(a_barrier_s_period_is_base_and_its_cost_a_warp)
{
    const uint64_t out = world_alloc(&w, 64);
    const uint32_t warps = 1u << _i;
    for (int lap = 0; lap < 2; lap++)
        world_run(&w, &(struct world_launch){ .kernel = "barriers", .threads = 32 * warps,
                                              .args = { out } });
    const uint64_t period = w.chip.barrier_base_cycles + warps * w.chip.barrier_per_warp_cycles;
    /* and the first clock's cost, which the last warp of an SMSP has paid later than the first */
    const uint64_t clock = w.chip.clock_read_cycles;
    ck_assert_uint_ge(*world_words(&w, out, 1), 8 * period + clock);
    ck_assert_uint_le(*world_words(&w, out, 1), 8 * period + clock + warps / 4);
}
END_TEST

START_TEST(a_barrier_reduces)
{
    const uint64_t out = world_alloc(&w, 4 * 128);
    world_run(&w, &(struct world_launch){ .kernel = "reduce", .threads = 128, .args = { out } });
    for (uint32_t i = 0; i < 128; i++) ck_assert_uint_eq(words32(out, 128)[i], 2070);
    world_run(&w, &(struct world_launch){ .kernel = "reduce", .threads = 64, .args = { out } });
    for (uint32_t i = 0; i < 64; i++) ck_assert_uint_eq(words32(out, 128)[i], 3064);
}
END_TEST

START_TEST(a_deadlock_names_who_waits_where)
{
    const struct sim_result r = world_try(&w, &(struct world_launch){ .kernel = "deadlock",
                                                                     .threads = 64 });
    ck_assert_int_eq(r.fault, SIM_DEADLOCK);
    ck_assert_msg(strstr(r.text, "warp 0") && strstr(r.text, "for barrier 1") &&
                  strstr(r.text, "warp 1") && strstr(r.text, "for barrier 2"), "%s", r.text);
    /* the machine is fit for the next launch */
    const uint64_t out = world_alloc(&w, 64);
    world_run(&w, &(struct world_launch){ .kernel = "barriers", .threads = 64, .args = { out } });
}
END_TEST

START_TEST(a_watchdog_ends_what_never_ends)
{
    sim_set_watchdog(w.m, 3000000, 0);
    struct sim_result r = world_try(&w, &(struct world_launch){ .kernel = "forever" });
    ck_assert_int_eq(r.fault, SIM_TIMEOUT);
    sim_set_watchdog(w.m, 0, 0.05);
    r = world_try(&w, &(struct world_launch){ .kernel = "forever" });
    ck_assert_int_eq(r.fault, SIM_TIMEOUT);
    ck_assert_msg(strstr(r.text, "real time") != NULL, "%s", r.text);
}
END_TEST

START_TEST(faults_name_the_line_of_the_ptx)
{
    struct sim_result r = world_try(&w, &(struct world_launch){ .kernel = "trap", .threads = 64 });
    ck_assert_int_eq(r.fault, SIM_TRAPPED);
    const uint64_t a = world_alloc(&w, 100);
    world_run(&w, &(struct world_launch){ .kernel = "store_at", .args = { a, a + 96 } });
    r = world_try(&w, &(struct world_launch){ .kernel = "store_at", .args = { a, a + 100 } });
    ck_assert_int_eq(r.fault, SIM_ILLEGAL_ADDRESS);
    ck_assert_msg(strstr(r.text, "line") && strstr(r.text, "st.global.u32"), "%s", r.text);
    r = world_try(&w, &(struct world_launch){ .kernel = "store_at", .args = { a, 0 } });
    ck_assert_int_eq(r.fault, SIM_ILLEGAL_ADDRESS);
    r = world_try(&w, &(struct world_launch){ .kernel = "vector_at", .args = { a, a + 4, a } });
    ck_assert_int_eq(r.fault, SIM_MISALIGNED);
}
END_TEST

START_TEST(what_cannot_run_is_refused_with_its_reason)
{
    struct sim_result r = world_try(&w, &(struct world_launch){ .kernel = "unknown" });
    ck_assert_int_eq(r.fault, SIM_NOT_SIMULATED);
    ck_assert_msg(strstr(r.text, "tensormap") && strstr(r.text, "line"), "%s", r.text);
    r = world_try(&w, &(struct world_launch){ .kernel = "where", .threads = 2048 });
    ck_assert_int_eq(r.fault, SIM_BAD_SHAPE);
    r = world_try(&w, &(struct world_launch){ .kernel = "where", .shared_bytes = 200000 });
    ck_assert_int_eq(r.fault, SIM_NO_RESOURCES);
    r = world_try(&w, &(struct world_launch){ .kernel = "where", .ctas = 6, .cluster = 4 });
    ck_assert_int_eq(r.fault, SIM_BAD_CLUSTER);
    r = world_try(&w, &(struct world_launch){ .kernel = "where", .threads = 1024, .ctas = 9,
                                              .is_cooperative = true });
    ck_assert_int_eq(r.fault, SIM_TOO_LARGE);
}
END_TEST

START_TEST(ctas_go_to_the_emptiest_sm)
{
    const uint64_t out = world_alloc(&w, 4 * 32 * 6);
    world_run(&w, &(struct world_launch){ .kernel = "where", .ctas = 6, .args = { out } });
    for (uint32_t i = 0; i < 6; i++) ck_assert_uint_eq(words32(out, 192)[32 * i], i % 4);
}
END_TEST

START_TEST(occupancy_follows_each_limit)
{
    struct sim_launch_config c = world_config(&w, &(struct world_launch){ .kernel = "where",
                                                                         .threads = 32 });
    ck_assert_uint_eq(sim_occupancy(w.m, &c), 32); /* CTAs */
    c.block[0] = 256;
    ck_assert_uint_eq(sim_occupancy(w.m, &c), 8); /* warps: 64 */
    c.dynamic_shared_bytes = 50000;
    ck_assert_uint_eq(sim_occupancy(w.m, &c), 3); /* 163840 / (50000 + 1024, by 128) */
}
END_TEST

START_TEST(a_kernel_can_be_left_half_way_and_the_host_lets_it_go)
{
    struct ay_error err = { 0 };
    uint32_t flags[2] = { 0 };
    uint64_t va;
    ck_assert_int_eq(sim_map_host(w.m, flags, sizeof flags, &va, &err), AY_OK);
    const struct sim_launch_config c = world_config(&w, &(struct world_launch){ .kernel = "hold",
        .threads = 1, .args = { va } });
    struct sim_launch *l;
    ck_assert_int_eq(sim_start(w.m, &c, &l, &err), AY_OK);
    ck_assert_int_eq(sim_run(w.m, 50000, l, &err), AY_OK);
    ck_assert(!sim_done(l));
    ck_assert_uint_eq(sim_cycle(w.m), 50000);
    flags[0] = 41;
    ck_assert_int_eq(sim_run(w.m, SIM_FOREVER, l, &err), AY_OK);
    ck_assert(sim_done(l));
    ck_assert_uint_eq(flags[1], 0); /* the store is still under way */
    sim_settle(w.m, sim_next_arrival_ns(w.m));
    ck_assert_uint_eq(flags[1], 42);
    sim_forget(w.m, l);
}
END_TEST

START_TEST(threads_have_memory_of_their_own)
{
    const uint64_t out = world_alloc(&w, 4 * 128);
    world_run(&w, &(struct world_launch){ .kernel = "local", .threads = 128, .args = { out } });
    for (uint32_t i = 0; i < 128; i++) ck_assert_uint_eq(words32(out, 128)[i], 2 * i + 5);
}
END_TEST

START_TEST(variables_of_the_module_are_there_and_the_host_can_set_them)
{
    const uint64_t out = world_alloc(&w, 4 * 32);
    uint64_t va, bytes;
    ck_assert(sim_symbol(w.image, "table", &va, &bytes));
    ck_assert_uint_eq(bytes, 16);
    words32(va, 4)[1] = 1000;
    world_run(&w, &(struct world_launch){ .kernel = "variables", .args = { out } });
    ck_assert_uint_eq(words32(out, 32)[4], 12);
    ck_assert_uint_eq(words32(out, 32)[5], 1005);
}
END_TEST

static uint64_t arms(uint32_t left, uint64_t out)
{
    for (int lap = 0; lap < 2; lap++)
        world_run(&w, &(struct world_launch){ .kernel = "arms", .args = { out, out + 256, left } });
    for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(words32(out, 32)[i], 6);
    return *world_words(&w, out + 256, 1);
}

START_TEST(each_further_path_costs_its_length_and_the_meeting)
{
    const uint64_t out = world_alloc(&w, 512);
    const uint64_t one = arms(0, out), other = arms(UINT32_MAX, out), both = arms(0xff00ff, out);
    ck_assert_uint_eq(one, other);
    /* five links of 4 and a branch, issued in turn, then the cost of meeting */
    ck_assert_uint_gt(both, one + 4 * 4 + w.chip.branch_cycles);
    ck_assert_uint_le(both, one + 5 * 4 + 2 * w.chip.branch_cycles + w.chip.reconverge_cycles);
}
END_TEST

START_TEST(ctas_of_a_cluster_reach_each_other_s_shared_memory)
{
    const uint64_t out = world_alloc(&w, 64);
    world_run(&w, &(struct world_launch){ .kernel = "cluster", .ctas = 4, .cluster = 2,
                                          .args = { out } });
    const uint32_t due[] = { 101, 100, 101, 100 };
    ck_assert_mem_eq(words32(out, 4), due, sizeof due);
}
END_TEST

START_TEST(another_sm_s_shared_memory_costs_its_latency_and_the_hops)
{
    const uint64_t out = world_alloc(&w, 64), at = world_alloc(&w, 64);
    /* plain: SMs 0 and 1 are a TPC; CTA i of the cluster is on SM i */
    const uint64_t hops[] = { 0, 0, 1, 1 };
    for (int lap = 0; lap < 2; lap++)
        world_run(&w, &(struct world_launch){ .kernel = "dsmem", .ctas = 4, .cluster = 4,
            .threads = 1, .args = { at, out, (uint64_t)_i } });
    const struct ay_chip *c = &w.chip;
    const uint64_t one = _i == 0 ? c->shared_latency_cycles
        : c->dsmem_latency_cycles + hops[_i] * c->dsmem_hop_cycles;
    /* clock, four loads with their additions, and the store that waits for the last */
    ck_assert_uint_eq(*world_words(&w, out, 1),
                      c->clock_read_cycles + 4 * (one + c->alu_latency_cycles[AY_ALU_iadd]) + 1);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("warps");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_lock_is_passed_on_by_lanes_of_one_warp);
    tcase_add_test(t, lanes_that_parted_meet_again_at_a_warp_operation);
    tcase_add_test(t, lanes_that_left_are_not_waited_for);
    tcase_add_loop_test(t, a_barrier_s_period_is_base_and_its_cost_a_warp, 0, 6);
    tcase_add_test(t, a_barrier_reduces);
    tcase_add_test(t, a_deadlock_names_who_waits_where);
    tcase_add_test(t, a_watchdog_ends_what_never_ends);
    tcase_add_test(t, faults_name_the_line_of_the_ptx);
    tcase_add_test(t, what_cannot_run_is_refused_with_its_reason);
    tcase_add_test(t, ctas_go_to_the_emptiest_sm);
    tcase_add_test(t, occupancy_follows_each_limit);
    tcase_add_test(t, a_kernel_can_be_left_half_way_and_the_host_lets_it_go);
    tcase_add_test(t, threads_have_memory_of_their_own);
    tcase_add_test(t, variables_of_the_module_are_there_and_the_host_can_set_them);
    tcase_add_test(t, each_further_path_costs_its_length_and_the_meeting);
    tcase_add_loop_test(t, another_sm_s_shared_memory_costs_its_latency_and_the_hops, 0, 4);
    tcase_add_test(t, ctas_of_a_cluster_reach_each_other_s_shared_memory);
    Suite *s = suite_create("sim_warps");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
