/* Load latencies of the simulated machine against their closed forms, to the cycle. */
#include <check.h>
#include <string.h>

#include "sim_world.h"

static struct sim_world w;
#define QUIET "arch=sm_90a\nbranch_cycles=5\nnoise_sigma_ratio=0\noutlier_probability=0\n"
#define NO_TLB "tlb1_miss_cycles = 0\ntlb2_miss_cycles = 0\n"

static void open_plain(const char *keys)
{
    char text[600] = "base = plain\n";
    strcat(text, keys);
    world_open(&w, text, world_chases);
}

START_TEST(an_l1_hit_costs_l1_latency_on_any_chip)
{
    const char *const chips[] = { "base = plain\n", "base = odd\n", "base = hashed\n",
                                  "base = geforce\narch = sm_90a\n", "base = random:3\n" QUIET,
                                  "base = random:8\n" QUIET };
    world_open(&w, chips[_i], world_chases);
    const uint64_t ring = world_alloc(&w, 4096);
    world_ring(&w, ring, 16, w.chip.l1_line_bytes);
    const char *const ops[] = { "chase_ca", "chase_plain", "chase_generic" };
    for (int k = 0; k < 3; k++) {
        const double got = world_latency(&w, ops[k], ring, 160);
        ck_assert_double_eq(got, (double)w.chip.l1_latency_cycles);
    }
    world_close(&w);
}
END_TEST

START_TEST(nc_has_its_own_latency_where_the_chip_says_so)
{
    open_plain("nc_latency_cycles = 57\n");
    const uint64_t ring = world_alloc(&w, 4096);
    world_ring(&w, ring, 16, 128);
    ck_assert_double_eq(world_latency(&w, "chase_nc", ring, 160), 57);
    ck_assert_double_eq(world_latency(&w, "chase_ca", ring, 160), 33);
    world_close(&w);
}
END_TEST

/* The last launch's counters of a walk in a ring of one line. */
static struct sim_result walk(const char *kernel, uint64_t p, uint64_t n, uint64_t out)
{
    return world_run(&w, &(struct world_launch){ .kernel = kernel, .threads = 1,
                                                 .args = { p, n, out } });
}

START_TEST(an_l2_hit_costs_near_or_far_by_the_home_of_its_line)
{
    const char *const ops[] = { "chase_cg", "chase_volatile", "chase_acquire" };
    open_plain("");
    const uint64_t buffer = world_alloc(&w, 64 * 128), out = world_alloc(&w, 64);
    uint32_t n_near = 0;
    for (uint64_t i = 0; i < 64; i++) {
        const uint64_t line = buffer + i * 128;
        world_words(&w, line, 2)[0] = line + 8; /* two nodes: one alone would be a poll */
        world_words(&w, line, 2)[1] = line;
        const double got = world_latency(&w, ops[_i], line, 16);
        const struct sim_result r = walk(ops[_i], line, 16, out);
        ck_assert_uint_eq(r.counters.l2_hits, 16);
        ck_assert_uint_eq(r.counters.l1_hits, 0);
        ck_assert(r.counters.l2_near == 16 || r.counters.l2_far == 16);
        ck_assert_double_eq(got, r.counters.l2_near ? 210 : 330);
        n_near += r.counters.l2_near == 16;
    }
    ck_assert_uint_eq(n_near, 32);
    world_close(&w);
}
END_TEST

START_TEST(a_poll_that_finds_nothing_new_waits_before_the_next)
{
    open_plain("grid_poll_cycles = 55\nl2_partitions = 1\n");
    const uint64_t line = world_alloc(&w, 64);
    *world_words(&w, line, 1) = line;
    ck_assert_double_eq(world_latency(&w, "chase_acquire", line, 64), 210 + 55);
    ck_assert_double_eq(world_latency(&w, "chase_volatile", line, 64), 210);
    world_close(&w);
}
END_TEST

START_TEST(an_l1_miss_costs_what_l2_costs)
{
    open_plain("l2_partitions = 1\nl1_bytes = 1024\nl1_ways = 1\n");
    const uint64_t ring = world_alloc(&w, 64 * 1024);
    world_ring(&w, ring, 64, 1024); /* all in one set */
    ck_assert_double_eq(world_latency(&w, "chase_ca", ring, 256), 210);
    world_close(&w);
}
END_TEST

/* A ring of one node a stride, walked once: never in L2. */
static double single_touch(uint64_t stride, uint64_t n, const char *kernel)
{
    const uint64_t buffer = world_alloc(&w, n * stride), out = world_alloc(&w, 64);
    uint64_t *p = world_words(&w, buffer, n * stride / 8);
    for (uint64_t i = 0; i < n; i++) p[i * stride / 8] = buffer + (i + 1) % n * stride;
    walk(kernel, buffer, n / 4, out);
    return world_cold_latency(&w, kernel, world_words(&w, out, 3)[2], n / 4 - 16);
}

START_TEST(a_dram_access_costs_near_and_the_dram_s_time_rounded_up)
{
    open_plain("dram_latency_ns = 333.1\nsm_clock_mhz = 1470\ndram_row_hit_saving_ns = 0\n"
               "l2_fill_bytes = 32\n" NO_TLB);
    /* 333.1 ns at 1470 MHz are 489.66 cycles */
    ck_assert_double_eq(single_touch(64, 4096, "chase_cg"), 210 + 490);
    ck_assert_double_eq(single_touch(64, 4096, "chase_ca"), 210 + 490);
    world_close(&w);
}
END_TEST

START_TEST(a_hint_widens_what_a_miss_brings)
{
    const char *const hints[] = { "chase_cg", "chase_64", "chase_128", "chase_256" };
    const uint32_t sectors[] = { 1, 2, 4, 8 };
    open_plain("l2_fill_bytes = 32\n");
    const uint64_t line = world_alloc(&w, 4096), out = line + 2048;
    *world_words(&w, line, 1) = line + 1024;
    *world_words(&w, line + 1024, 1) = line;
    const struct sim_result r = walk(hints[_i], line, 16, out);
    ck_assert_uint_eq(r.counters.dram_reads, 2 * sectors[_i]);
    ck_assert_uint_eq(r.counters.l2_misses, 2);
    world_close(&w);
}
END_TEST

START_TEST(an_open_row_saves_its_time_and_another_row_does_not)
{
    open_plain(NO_TLB);
    ck_assert_double_eq(single_touch(8192, 2048, "chase_cg"), 210 + 600);
    /* 64 bytes a fill, 2048 a row: 31 of 32 accesses find their row open */
    /* 1008 loads, 32 a row */
    ck_assert_double_eq_tol(single_touch(64, 4096, "chase_cg"), 210 + 600 - 90.0 * 31 / 32, 0.1);
    world_close(&w);
}
END_TEST

START_TEST(each_tlb_level_that_misses_adds_its_cycles)
{
    const struct {
        uint64_t pages;
        double adds;
    } at[] = { { 32, 0 }, { 33, 40 }, { 128, 40 }, { 129, 340 } };
    open_plain("l2_partitions = 1\n");
    const uint64_t page = 2097152, n = at[_i].pages;
    const uint64_t buffer = world_alloc(&w, n * page), out = world_alloc(&w, 64);
    uint64_t *p = world_words(&w, buffer, n * page / 8);
    for (uint64_t i = 0; i < n; i++)
        p[(i * page + i * 128) / 8] = buffer + (i + 1) % n * page + (i + 1) % n * 128;
    walk("chase_cg", buffer, 160 * 16, out); /* warm */
    const uint64_t from = world_words(&w, out, 3)[2];
    ck_assert_double_eq(world_latency(&w, "chase_cg", from, 640), 210 + at[_i].adds);
    world_close(&w);
}
END_TEST

START_TEST(a_tlb_of_the_chip_is_shared_and_one_of_the_sm_is_not)
{
    for (int is_chip = 0; is_chip < 2; is_chip++) {
        open_plain(is_chip ? "tlb1_scope = chip\ntlb2_entries = 0\n" : "tlb2_entries = 0\n");
        const uint64_t line = world_alloc(&w, 4096), out = world_alloc(&w, 4096);
        *world_words(&w, line, 1) = line;
        struct sim_result r = world_run(&w, &(struct world_launch){ .kernel = "chase_cg",
            .ctas = 4, .threads = 1, .args = { line, 16, out } });
        ck_assert_uint_eq(r.counters.tlb_misses[0], is_chip ? 1 : 4); /* a page */
        world_close(&w);
    }
}
END_TEST

START_TEST(a_replicating_l2_is_near_up_to_its_share_and_never_loses_a_line_below_its_size)
{
    world_open(&w, "base = replica\n", world_chases);
    const uint64_t line = w.chip.l2_line_bytes, share = w.chip.l2_bytes / w.chip.l2_partitions;
    const uint64_t buffer = world_alloc(&w, w.chip.l2_bytes);
    const uint64_t out = buffer + w.chip.l2_bytes - 64; /* a line with room for it */
    const struct {
        uint64_t bytes;
        bool is_all_near;
    } at[] = { { share / 2, true }, { share - 4096, true }, { share + share / 4, false },
               { w.chip.l2_bytes - 4096, false } };
    const uint64_t n = at[_i].bytes / line / 16 * 16;
    world_ring(&w, buffer, n, line);
    walk("chase_cg", buffer, n, out);
    walk("chase_cg", buffer, n, out);
    const struct sim_result r = walk("chase_cg", buffer, n, out);
    ck_assert_uint_eq(r.counters.l2_misses, 0);
    ck_assert_uint_eq(r.counters.l2_near + r.counters.l2_far, n);
    if (at[_i].is_all_near) ck_assert_uint_eq(r.counters.l2_far, 0);
    else ck_assert_uint_gt(r.counters.l2_far, n / 16);
    world_close(&w);
}
END_TEST

START_TEST(a_far_line_is_far_at_its_first_touch_and_near_after_it)
{
    world_open(&w, "base = replica\n", world_chases);
    const uint64_t buffer = world_alloc(&w, 256 * 128), out = world_alloc(&w, 64);
    world_ring(&w, buffer, 256, 128);
    /* brought in by every SM but one, which looks at them twice */
    struct sim_result r = world_run(&w, &(struct world_launch){ .kernel = "chase_cg", .ctas = 2,
        .threads = 1, .args = { buffer, 256, out } });
    r = walk("chase_cg", buffer, 256, out);
    r = walk("chase_cg", buffer, 256, out);
    ck_assert_uint_eq(r.counters.l2_near, 256);
    world_close(&w);
}
END_TEST

START_TEST(l2_holds_its_bytes_and_one_line_more_is_too_many)
{
    open_plain("l2_partitions = 1\n");
    const uint64_t n = 1048576 / 128, out = world_alloc(&w, 64);
    const uint64_t buffer = world_alloc(&w, 2 * 1048576);
    sim_release(w.m, out);
    world_ring(&w, buffer, n, 128);
    /* the words that the kernel writes are lines too, so their place is taken from the ring's */
    for (int lap = 0; lap < 2; lap++) walk("chase_cg", buffer, n, buffer + 64);
    struct sim_result r = walk("chase_cg", buffer, n, buffer + 64);
    ck_assert_uint_eq(r.counters.l2_misses, 0);
    world_ring(&w, buffer, n + 16, 128);
    for (int lap = 0; lap < 2; lap++) walk("chase_cg", buffer, n + 16, buffer + 64);
    r = walk("chase_cg", buffer, n + 16, buffer + 64);
    ck_assert_uint_eq(r.counters.l2_misses, 16 * 17); /* LRU: each of the 16 sets that has 17 */
    world_close(&w);
}
END_TEST

START_TEST(two_clock_reads_differ_by_their_cost_and_wait_for_no_load)
{
    const char *const ptx =
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        ".visible .entry two(.param .u64 a0, .param .u64 a1) {\n"
        "  .reg .b64 %rd<9>;\n"
        "  ld.param.u64 %rd1, [a0]; ld.param.u64 %rd2, [a1];\n"
        "  .shared .b64 sink; st.shared.u64 [sink], %rd1; st.shared.u64 [sink], %rd2;\n"
        "  mov.u64 %rd3, %clock64; mov.u64 %rd4, %clock64;\n"
        "  ld.global.cg.u64 %rd5, [%rd1];\n"
        "  mov.u64 %rd6, %clock64;\n"
        "  st.global.u64 [%rd2], %rd3; st.global.u64 [%rd2+8], %rd4;\n"
        "  st.global.u64 [%rd2+16], %rd6; st.global.u64 [%rd2+24], %rd5; ret; }\n";
    world_open(&w, "base = plain\nclock_read_cycles = 7\n", ptx);
    const uint64_t line = world_alloc(&w, 64), out = world_alloc(&w, 64);
    for (int i = 0; i < 2; i++)
        world_run(&w, &(struct world_launch){ .kernel = "two", .threads = 1,
                                              .args = { line, out } });
    const uint64_t *r = world_words(&w, out, 3);
    ck_assert_uint_eq(r[1] - r[0], 7);
    ck_assert_uint_eq(r[2] - r[1], 7 + 1);
    world_close(&w);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("latency");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, an_l1_hit_costs_l1_latency_on_any_chip, 0, 6);
    tcase_add_test(t, nc_has_its_own_latency_where_the_chip_says_so);
    tcase_add_loop_test(t, an_l2_hit_costs_near_or_far_by_the_home_of_its_line, 0, 3);
    tcase_add_test(t, a_poll_that_finds_nothing_new_waits_before_the_next);
    tcase_add_test(t, an_l1_miss_costs_what_l2_costs);
    tcase_add_test(t, a_dram_access_costs_near_and_the_dram_s_time_rounded_up);
    tcase_add_loop_test(t, a_hint_widens_what_a_miss_brings, 0, 4);
    tcase_add_test(t, an_open_row_saves_its_time_and_another_row_does_not);
    tcase_add_loop_test(t, each_tlb_level_that_misses_adds_its_cycles, 0, 4);
    tcase_add_test(t, a_tlb_of_the_chip_is_shared_and_one_of_the_sm_is_not);
    tcase_add_loop_test(
        t, a_replicating_l2_is_near_up_to_its_share_and_never_loses_a_line_below_its_size, 0, 4);
    tcase_add_test(t, a_far_line_is_far_at_its_first_touch_and_near_after_it);
    tcase_add_test(t, l2_holds_its_bytes_and_one_line_more_is_too_many);
    tcase_add_test(t, two_clock_reads_differ_by_their_cost_and_wait_for_no_load);
    Suite *s = suite_create("sim_latency");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
