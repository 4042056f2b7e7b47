/* Rates of the simulated machine: pipes, ports, caches, memory, at saturation. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_world.h"

static struct sim_world w;
enum { TEXT = 60000 };
#define HEAD ".version 8.0\n.target sm_90a\n.address_size 64\n"

/* A kernel loop(n, out): n rounds of `line` times `copies`; out[0], out[1]: clocks of CTA 0's
 * thread 0. r1 … r9, f1 … f9, d1 … d3 are the thread's id, not 0; rd1 … rd5 too; rd6 = out. */
static char *loop_ptx(const char *line, uint32_t copies)
{
    char *t = malloc(TEXT);
    strcpy(t, HEAD
        ".visible .entry loop(.param .u64 a0, .param .u64 a1, .param .u64 a2) {\n"
        "  .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>;\n"
        "  .reg .f64 %d<9>; .reg .pred %p<4>;\n"
        "  .shared .align 128 .b8 smem[16384];\n"
        "  ld.param.u64 %rd10, [a0]; ld.param.u64 %rd6, [a1]; ld.param.u64 %rd5, [a2];\n"
        "  mov.u32 %r10, %tid.x; add.s32 %r1, %r10, 1; mov.u32 %r11, smem; mov.u32 %r2, %r1;\n"
        "  mov.u32 %r3, %r1; mov.u32 %r4, %r1; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, %f1;\n"
        "  mov.f32 %f3, %f1; mov.f32 %f4, %f1; cvt.f64.f32 %d1, %f1; mov.f64 %d2, %d1;\n"
        "  shl.b32 %r12, %r10, 2; add.s32 %r12, %r12, %r11; cvt.u64.u32 %rd1, %r1;\n"
        "  mov.u32 %r13, %ctaid.x; mov.u32 %r14, %ntid.x; mad.lo.s32 %r15, %r13, %r14, %r10;\n"
        "  mul.wide.u32 %rd7, %r15, 16; add.s64 %rd7, %rd7, %rd5; mov.u32 %r16, %nctaid.x;\n"
        "  mul.lo.s32 %r16, %r16, %r14; mul.wide.u32 %rd8, %r16, 16;\n"
        "  mul.wide.u32 %rd9, %r10, 4; add.s64 %rd9, %rd9, %rd5;\n"
        "  st.shared.u32 [%r11], %r1; bar.sync 0; mov.u64 %rd11, %clock64;\n"
        "again:\n");
    world_repeat(t, TEXT, line, copies);
    strcat(t,
        "  add.s64 %rd10, %rd10, -1; setp.ne.s64 %p1, %rd10, 0;\n  @%p1 bra again;\n"
        "  bar.sync 0; mov.u64 %rd12, %clock64; setp.ne.s32 %p2, %r15, 0; @%p2 bra done;\n"
        "  st.global.u64 [%rd6], %rd11; st.global.u64 [%rd6+8], %rd12;\n"
        "done: ret; }\n");
    return t;
}

static struct sim_result last;

static double run_loop(uint64_t n, uint32_t ctas, uint32_t threads, uint64_t out, uint64_t data)
{
    last = world_run(&w, &(struct world_launch){ .kernel = "loop", .ctas = ctas,
        .threads = threads, .args = { n, out, data } });
    const uint64_t *r = world_words(&w, out, 2);
    return (double)(r[1] - r[0]);
}

/* Cycles of one round, by two counts of rounds. */
static double round_cycles(const char *chip, const char *line, uint32_t copies, uint32_t ctas,
                           uint32_t threads, uint64_t n, uint64_t data_bytes)
{
    char *ptx = loop_ptx(line, copies);
    char keys[800] = "base = plain\n";
    world_open(&w, chip[0] == 'b' ? chip : strcat(keys, chip), ptx);
    free(ptx);
    const uint64_t out = world_alloc(&w, 64);
    const uint64_t data = data_bytes ? world_alloc(&w, data_bytes) : 0;
    run_loop(n, ctas, threads, out, data);
    const double one = run_loop(n, ctas, threads, out, data);
    const double two = run_loop(2 * n, ctas, threads, out, data);
    return (two - one) / (double)n;
}

/* --- pipes ------------------------------------------------------------------------------------ */

START_TEST(a_dependent_chain_costs_the_greatest_of_latency_interval_and_gap)
{
    const struct {
        const char *chip, *line;
        double cycles;
    } at[] = {
        { "", "fma.rn.f32 %f1, %f1, %f2, %f3;\n", 4 },
        { "", "xor.b32 %r1, %r1, %r2;\n", 4 },
        { "", "rcp.approx.ftz.f32 %f1, %f1;\n", 18 },
        { "", "fma.rn.f64 %d1, %d1, %d2, %d2;\n", 8 },
        { "alu.fma32.interval_cycles = 9\n", "fma.rn.f32 %f1, %f1, %f2, %f3;\n", 9 },
        { "issue_gap_cycles = 6\n", "fma.rn.f32 %f1, %f1, %f2, %f3;\n", 6 },
        { "alu.fma32.pipe = fma fmb\nalu.fma32.interval_cycles = 3\n",
          "fma.rn.f32 %f1, %f1, %f2, %f3;\n", 4 },
    };
    /* a whole round, loop included, against one with one chain link more in it */
    const double shorter = round_cycles(at[_i].chip, at[_i].line, 24, 1, 32, 50, 0);
    world_close(&w);
    const double longer = round_cycles(at[_i].chip, at[_i].line, 44, 1, 32, 50, 0);
    ck_assert_double_eq_tol((longer - shorter) / 20, at[_i].cycles, 1e-9);
    world_close(&w);
}
END_TEST

START_TEST(a_saturated_class_issues_once_an_interval_in_each_smsp)
{
    const struct {
        const char *chip, *line;
        double per_smsp; /* warp instructions a cycle */
    } at[] = {
        { "", "fma.rn.f32 %f1, %f1, %f2, %f3;\n", 1 },
        { "", "xor.b32 %r1, %r1, %r2;\n", 0.5 },
        { "", "rcp.approx.ftz.f32 %f1, %f1;\n", 0.125 },
        { "alu.fma32.pipe = fma fmb\nalu.fma32.interval_cycles = 3\n",
          "fma.rn.f32 %f1, %f1, %f2, %f3;\n", 1 / 3.0 },
        { "alu.fma64.scope = sm\nalu.fma64.interval_cycles = 8\nalu.add64f.scope = sm\n",
          "fma.rn.f64 %d1, %d1, %d2, %d2;\n", 1 / 32.0 },
        /* shfl goes its own way */
        { "shfl.interval_cycles = 2\n",
          "shfl.sync.bfly.b32 %r1, %r2, 1, 0x1f, 0xffffffff;\n", 0.5 },
    };
    const double shorter = round_cycles(at[_i].chip, at[_i].line, 32, 1, 1024, 20, 0);
    world_close(&w);
    const double longer = round_cycles(at[_i].chip, at[_i].line, 96, 1, 1024, 20, 0);
    world_close(&w);
    const double rate = 64.0 * 8 / (longer - shorter); /* 8 warps an SMSP */
    ck_assert_double_eq_tol(rate / at[_i].per_smsp, 1, 0.01);
}
END_TEST

START_TEST(classes_that_share_a_pipe_wait_for_each_other_and_others_do_not)
{
    const char *const xors = "xor.b32 %r1, %r1, %r2; xor.b32 %r3, %r3, %r2;\n";
    const char *const both = "xor.b32 %r1, %r1, %r2; fma.rn.f32 %f1, %f1, %f2, %f3;\n";
    const char *const same = "alu.fma32.pipe = int\nalu.fma32.interval_cycles = 2\n";
    const double one = round_cycles("", xors, 40, 1, 1024, 20, 0);
    world_close(&w);
    const double apart = round_cycles("", both, 40, 1, 1024, 20, 0);
    world_close(&w);
    const double shared = round_cycles(same, both, 40, 1, 1024, 20, 0);
    world_close(&w);
    ck_assert_double_eq_tol(one / (80 * 8 * 2), 1, 0.03);
    ck_assert_double_eq_tol(shared / one, 1, 0.01);
    ck_assert_double_eq_tol(apart / one, 0.5, 0.02);
}
END_TEST

/* --- shared memory ---------------------------------------------------------------------------- */

START_TEST(a_conflict_costs_its_cycles_a_way)
{
    const uint32_t ways = 1u << _i;
    char line[200];
    /* lane i at word i * ways: ways lanes a bank; the value is 0, so the address stays */
    snprintf(line, sizeof line, "ld.shared.u32 %%r1, [%%r12+%u]; add.s32 %%r12, %%r12, %%r1;\n",
             4096);
    char setup[300];
    snprintf(setup, sizeof setup, "mul.lo.s32 %%r12, %%r10, %u; add.s32 %%r12, %%r12, %%r11;\n",
             4 * ways);
    char *all = malloc(TEXT);
    strcpy(all, setup);
    world_repeat(all, TEXT, line, 32);
    const double got = round_cycles("shared_conflict_cycles = 3\n", all, 1, 1, 32, 40, 0);
    world_close(&w);
    strcpy(all, setup);
    world_repeat(all, TEXT, line, 64);
    const double more = round_cycles("shared_conflict_cycles = 3\n", all, 1, 1, 32, 40, 0);
    ck_assert_double_eq_tol((more - got) / 32, 23 + (ways - 1) * 3 + 4, 1e-9);
    world_close(&w);
    free(all);
}
END_TEST

START_TEST(shared_memory_moves_a_word_a_bank_and_cycle)
{
    const struct {
        const char *setup, *line;
        double bytes;
    } at[] = {
        { "", "ld.shared.u32 %r1, [%r12]; ld.shared.u32 %r2, [%r12];\n", 256 },
        { "shl.b32 %r12, %r10, 3; add.s32 %r12, %r12, %r11;\n",
          "ld.shared.u64 %rd1, [%r12]; ld.shared.u64 %rd2, [%r12];\n", 512 },
        { "shl.b32 %r12, %r10, 4; and.b32 %r12, %r12, 4095; add.s32 %r12, %r12, %r11;\n",
          "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r12];\n"
          "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r12];\n", 1024 },
        { "", "st.shared.u32 [%r12], %r10; st.shared.u32 [%r12], %r10;\n", 256 },
    };
    char *all = malloc(TEXT);
    double cycles[2];
    for (int k = 0; k < 2; k++) {
        strcpy(all, at[_i].setup);
        world_repeat(all, TEXT, at[_i].line, k ? 96 : 32);
        cycles[k] = round_cycles("", all, 1, 1, 512, 20, 0);
        world_close(&w);
    }
    free(all);
    ck_assert_double_eq_tol(64 * 16 * at[_i].bytes / (cycles[1] - cycles[0]) / 128, 1, 0.01);
}
END_TEST

/* --- global memory ---------------------------------------------------------------------------- */

START_TEST(l1_reads_at_its_bytes_a_clock)
{
    const char *const line = "ld.global.ca.v4.u32 {%r1, %r2, %r3, %r4}, [%rd7];\n"
                             "ld.global.ca.v4.u32 {%r5, %r6, %r7, %r8}, [%rd7];\n";
    double cycles[2];
    for (int k = 0; k < 2; k++) {
        cycles[k] = round_cycles("l1_bytes_per_clk = 100\n", line, k ? 72 : 8, 1, 512, 20, 1 << 16);
        world_close(&w);
    }
    ck_assert_double_eq_tol(64 * 16 * 1024 / (cycles[1] - cycles[0]) / 100, 1, 0.01);
}
END_TEST

START_TEST(a_request_holds_l1_for_its_lines_or_its_bytes)
{
    const struct {
        uint32_t stride; /* of a lane */
        double cycles;
    } at[] = { { 0, 1 }, { 4, 2 }, { 8, 4 }, { 32, 16 }, { 128, 32 } };
    char setup[200];
    snprintf(setup, sizeof setup, "and.b32 %%r9, %%r10, 31; mul.wide.u32 %%rd9, %%r9, %u;"
             "add.s64 %%rd9, %%rd9, %%rd5;\n", at[_i].stride);
    char *all = malloc(TEXT);
    double cycles[2];
    for (int k = 0; k < 2; k++) {
        strcpy(all, setup);
        world_repeat(all, TEXT, "ld.global.ca.u32 %r1, [%rd9];ld.global.ca.u32 %r2, [%rd9];\n",
                     k ? 20 : 4);
        cycles[k] = round_cycles("", all, 1, 1, 1024, 20, 1 << 16);
        world_close(&w);
    }
    free(all);
    ck_assert_double_eq_tol((cycles[1] - cycles[0]) / (32 * 32), at[_i].cycles,
                            0.02 * at[_i].cycles);
}
END_TEST

/* A stream of v4 accesses by all SMs: bytes a clock. */
static double stream(const char *chip, const char *line, uint32_t copies, uint64_t n,
                     uint64_t data_bytes, double bytes_a_thread)
{
    const double cycles = round_cycles(chip, line, copies, 8, 512, n, data_bytes);
    return 8 * 512 * bytes_a_thread / cycles;
}

static const char READ_ON[] =
    "ld.global.cg.v4.u32 {%r1, %r2, %r3, %r4}, [%rd7]; add.s64 %rd7, %rd7, %rd8;\n";

START_TEST(l2_reads_at_its_bytes_a_clock_or_the_noc_s)
{
    /* 8 CTAs of 512 threads read 64 KiB a step; the round ends where it began */
    char *all = malloc(TEXT);
    all[0] = 0;
    world_repeat(all, TEXT, READ_ON, 8);
    strcat(all, "shl.b64 %rd12, %rd8, 3; sub.s64 %rd7, %rd7, %rd12;\n");
    const char *const chips[] = { "l2_partitions = 1\n",
                                  "l2_partitions = 1\nnoc_bytes_per_clk_per_sm = 24\n" };
    const double got = stream(chips[_i], all, 1, 8, 8 << 16, 8 * 16);
    ck_assert_double_eq_tol(got / (_i ? 96 : 128), 1, 0.02);
    ck_assert_uint_eq(last.counters.dram_reads, 0);
    world_close(&w);
    free(all);
}
END_TEST

START_TEST(dram_reads_and_writes_at_its_bytes_a_clock)
{
    const char *const lines[] = { READ_ON,
        "st.global.v4.u32 [%rd7], {%r1, %r2, %r3, %r4}; add.s64 %rd7, %rd7, %rd8;\n" };
    const double got = stream("", lines[_i], 8, 16, 48 << 20, 8 * 16);
    ck_assert_double_eq_tol(got / 32, 1, 0.02);
    world_close(&w);
}
END_TEST

START_TEST(a_copy_pays_for_turning_the_bus)
{
    const char *const line = "ld.global.cg.v4.u32 {%r1, %r2, %r3, %r4}, [%rd7];\n"
        "st.global.v4.u32 [%rd7+33554432], {%r1, %r2, %r3, %r4}; add.s64 %rd7, %rd7, %rd8;\n";
    const double got = stream("", line, 8, 16, 96 << 20, 2 * 8 * 16);
    ck_assert_double_eq_tol(got / (32 * 0.9), 1, 0.02);
    world_close(&w);
}
END_TEST

/* --- atomics ---------------------------------------------------------------------------------- */

START_TEST(an_atomic_costs_its_latency_at_a_near_home_and_more_at_a_far_one)
{
    const char *const line = "atom.global.or.b64 %rd2, [%rd5], %rd3; add.s64 %rd5, %rd5, %rd2;\n";
    double cycles[2];
    for (int k = 0; k < 2; k++) {
        char *all = malloc(TEXT);
        strcpy(all, "mov.u64 %rd3, 0;\n");
        world_repeat(all, TEXT, line, k ? 24 : 8);
        cycles[k] = round_cycles("l2_partitions = 1\n", all, 1, 1, 1, 20, 64);
        free(all);
        if (k == 0) world_close(&w);
    }
    ck_assert_double_eq_tol((cycles[1] - cycles[0]) / 16,
                            (double)w.chip.atomic_l2_latency_cycles + 7, 1e-9);
    world_close(&w);
}
END_TEST

START_TEST(reductions_on_one_address_pass_at_the_rate_the_chip_says)
{
    /* 4 SMs, all lanes on one word */
    double cycles[2];
    for (int k = 0; k < 2; k++) {
        cycles[k] = round_cycles("", "red.global.add.u32 [%rd5], %r1;\n", k ? 40 : 8, 4, 256, 20,
                                 64);
        if (k == 0) world_close(&w);
    }
    const double a_request = (cycles[1] - cycles[0]) / (32 * 4 * 8);
    ck_assert_double_eq_tol(a_request / (double)w.chip.atomic_l2_same_address_cycles, 1, 0.02);
    const uint64_t lanes = 20 * 2 * 40 * 4 * 256;
    ck_assert_uint_eq(last.counters.atomics_global, lanes / 32);
    world_close(&w);
}
END_TEST

START_TEST(hits_and_misses_add_up_to_accesses)
{
    const char *const line = "ld.global.ca.u32 %r1, [%rd9]; ld.global.cg.u32 %r2, [%rd9+128];\n"
                             "ld.global.ca.u32 %r3, [%rd9+8];\n"
                             "st.global.u32 [%rd9+4096], %r1; add.s64 %rd9, %rd9, 4672;\n";
    round_cycles("base = odd\n", line, 7, 6, 192, 30, 64 << 20);
    const struct sim_counters *c = &last.counters;
    ck_assert_uint_gt(c->l1_hits, 0);
    ck_assert_uint_gt(c->l2_misses, 0);
    ck_assert_uint_eq(c->l1_hits + c->l1_misses, c->l1_sectors);
    ck_assert_uint_eq(c->l2_hits + c->l2_misses, c->l2_sectors);
    ck_assert_uint_eq(c->l2_near + c->l2_far, c->l2_hits);
    ck_assert_uint_eq(c->l1_misses + c->l1_bypasses, c->l2_sectors);
    ck_assert_uint_eq(c->dram_reads + c->dram_writes, c->dram_sectors);
    ck_assert_uint_eq(c->dram_row_hits + c->dram_row_misses, c->dram_sectors);
    world_close(&w);
}
END_TEST

START_TEST(the_same_launches_give_the_same_cycles_and_counters)
{
    const char *const line = "ld.global.ca.u32 %r1, [%rd9]; add.s64 %rd9, %rd9, 4672;\n"
                             "red.global.add.u32 [%rd9], %r1; fma.rn.f32 %f1, %f1, %f2, %f3;\n";
    struct sim_result first;
    for (int k = 0; k < 2; k++) {
        round_cycles("base = random-policy\n", line, 5, 7, 160, 30, 64 << 20);
        if (k) ck_assert_mem_eq(&first, &last, sizeof first);
        first = last;
        world_close(&w);
    }
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("rate");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_dependent_chain_costs_the_greatest_of_latency_interval_and_gap, 0, 7);
    tcase_add_loop_test(t, a_saturated_class_issues_once_an_interval_in_each_smsp, 0, 6);
    tcase_add_test(t, classes_that_share_a_pipe_wait_for_each_other_and_others_do_not);
    tcase_add_loop_test(t, a_conflict_costs_its_cycles_a_way, 0, 6);
    tcase_add_loop_test(t, shared_memory_moves_a_word_a_bank_and_cycle, 0, 4);
    tcase_add_test(t, l1_reads_at_its_bytes_a_clock);
    tcase_add_loop_test(t, a_request_holds_l1_for_its_lines_or_its_bytes, 0, 5);
    tcase_add_loop_test(t, l2_reads_at_its_bytes_a_clock_or_the_noc_s, 0, 2);
    tcase_add_loop_test(t, dram_reads_and_writes_at_its_bytes_a_clock, 0, 2);
    tcase_add_test(t, a_copy_pays_for_turning_the_bus);
    tcase_add_test(t, an_atomic_costs_its_latency_at_a_near_home_and_more_at_a_far_one);
    tcase_add_test(t, reductions_on_one_address_pass_at_the_rate_the_chip_says);
    tcase_add_test(t, hits_and_misses_add_up_to_accesses);
    tcase_add_test(t, the_same_launches_give_the_same_cycles_and_counters);
    Suite *s = suite_create("sim_rate");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
