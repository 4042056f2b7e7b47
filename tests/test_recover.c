/* test_recover.c - the probes find what a chip file plants, and nothing that was not measured. */
#include <stdlib.h>
#include <string.h>

#include "core/bench_impl.h"
#include "dev/gpu/gpu_impl.h"
#include "dev/gpu/gpu_ops.h"
#include "dev/sim/engine.h"
#include "dev/sim/sim.h"
#include "probes/registry.h"
#include "recover_world.h"

/* --- chips ------------------------------------------------------------------------------------ */

static const char *const BUILT_IN[] = {"plain", "odd"};

START_TEST(every_probe_recovers_what_the_built_in_chips_plant)
{
    ck_assert_uint_ge(must_recover_all(BUILT_IN[_i], false, true), 15);
}
END_TEST

START_TEST(every_probe_recovers_what_a_file_plants)
{
    must_recover_all("base = plain\nsm_clock_mhz = 1337\nl1_latency_cycles = 41\n"
                     "shared_latency_cycles = 27\nl2_near_latency_cycles = 233\n"
                     "l2_far_latency_cycles = 391\ndram_latency_ns = 311\nl1_bytes = 49152\n"
                     "reported.l2_bytes = 0\n", false, true);
}
END_TEST

/* Issue slower than the load; a TLB miss of one cycle, not to be taken for the next level's. */
static const char *const HARD[] = {"base = plain\nissue_gap_cycles = 40\n",
                                   "base = plain\ntlb1_miss_cycles = 1\n"};

START_TEST(every_probe_recovers_what_is_planted_to_mislead)
{
    must_recover_all(HARD[_i], true, true);
}
END_TEST

static const char *const LIES[] = {
    "reported.l2_bytes = 1024\n",
    "reported.l2_bytes = 67108864\n",
    "reported.l2_bytes = 0\nreported.sm_clock_mhz = 0\n",
    "reported.sm_clock_mhz = 2750\nreported.mem_clock_mhz = 100\n",
};

START_TEST(a_driver_that_lies_changes_no_row)
{
    char text[128];
    snprintf(text, sizeof text, "base = odd\n%s", LIES[_i]);
    must_recover_all(text, true, true);
}
END_TEST

static const char *const ARCHS[] = {"sm_75", "sm_80", "sm_86", "sm_89",
                                    "sm_90a", "sm_100a", "sm_103a", "sm_120a"};

START_TEST(every_probe_recovers_what_is_planted_on_every_architecture)
{
    char text[64];
    snprintf(text, sizeof text, "base = plain\narch = %s\n", ARCHS[_i]);
    ck_assert_uint_ge(must_recover_all(text, true, false), 15);
}
END_TEST

static const char *const DRAWN[] = {"random:1", "random:4", "random:8", "random:9", "random:74"};

START_TEST(what_a_drawn_chip_plants_is_recovered_or_said_to_be_unknown)
{
    ck_assert_uint_ge(must_recover_all(DRAWN[_i], false, false), 5);
}
END_TEST

/* --- what a row may depend on ----------------------------------------------------------------- */

static const char *const REPEATED[] = {"mem.l2.latency", "mem.dram.latency", "alu.clock"};

START_TEST(one_seed_gives_one_answer)
{
    char *text[2];
    for (int i = 0; i < 2; i++) {
        struct bench_chip c;
        chip_begin(&c, "noisy", NULL);
        chip_measure(&c, ay_find_probe(REPEATED[_i]), true);
        text[i] = rows_text(&c.rows, false);
        chip_end(&c);
    }
    ck_assert_str_eq(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}
END_TEST

/* Kernels under names that nobody could know: "mem_chase_cg" is "qem_chase_cg". */
static enum ay_status launch_renamed(void *self, const struct ay_launch *l, struct ay_error *err)
{
    char entry[64];
    snprintf(entry, sizeof entry, "%s", l->kernel->entry);
    if (strncmp(entry, "mem_", 4) == 0) entry[0] = 'q';
    const struct ay_kernel kernel = {l->kernel->source, entry};
    struct ay_launch renamed = *l;
    renamed.kernel = &kernel;
    return gpu_launch(self, &renamed, err);
}

static size_t rename_entries(char *ptx)
{
    size_t n = 0;
    for (char *at = ptx; (at = strstr(at, "mem_")) != NULL; at += 4) {
        const bool is_word = at > ptx && (strchr(" \t\n\"[(", at[-1]) != NULL);
        if (!is_word) continue;
        at[0] = 'q';
        n++;
    }
    return n;
}

struct renamed { /* what the device borrows: freed after it is closed */
    struct ay_image *images;
    char *ptx;
    struct ay_device_ops ops;
};

static void rename_kernels(struct bench_chip *c, const char *source, struct renamed *r)
{
    struct gpu *g = c->dev.self;
    const struct ay_image *is = ay_find_image(source, "sm_90a", AY_IMAGE_PTX);
    size_t n_images = 0;
    ck_assert_ptr_nonnull(is);
    while (g->images[n_images].source) n_images++;
    const size_t n_bytes = (size_t)(is->end - is->begin);
    r->images = calloc(n_images + 1, sizeof *r->images);
    r->ptx = calloc(1, n_bytes + 1);
    ck_assert(r->images && r->ptx);
    memcpy(r->images, g->images, n_images * sizeof *r->images);
    memcpy(r->ptx, is->begin, n_bytes);
    ck_assert_uint_ge(rename_entries(r->ptx), 4);
    r->images[is - g->images].begin = (const unsigned char *)r->ptx;
    r->images[is - g->images].end = (const unsigned char *)r->ptx + n_bytes;
    g->images = r->images;
    r->ops = *c->dev.ops;
    r->ops.launch = launch_renamed;
    c->dev.ops = &r->ops;
}

START_TEST(a_kernel_by_another_name_gives_the_same_rows)
{
    struct bench_chip c;
    struct renamed renamed;
    const struct ay_probe *p = ay_find_probe("mem.l1.latency");
    chip_begin(&c, "odd", NULL);
    chip_measure(&c, p, false);
    char *before = rows_text(&c.rows, true);
    chip_end(&c);
    chip_begin(&c, "odd", NULL);
    rename_kernels(&c, "mem/chase", &renamed);
    chip_measure(&c, p, false);
    char *after = rows_text(&c.rows, true);
    chip_end(&c);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
    free(renamed.images);
    free(renamed.ptx);
}
END_TEST

START_TEST(a_launch_that_does_not_run_gives_no_number)
{
    size_t n_probes = 0;
    for (const struct ay_probe *const *p = ay_probes(); *p; p++) {
        struct bench_chip c;
        if ((*p)->belongs != AY_ON_GPU || !(*p)->kernels) continue;
        chip_begin(&c, "plain", "cuLaunchKernel@*=corrupt");
        chip_measure(&c, *p, true);
        for (size_t i = 0; i < c.rows.n; i++)
            ck_assert_msg(c.rows.rows[i].status != AY_ROW_OK, "%s gives %s = %g", (*p)->name,
                          c.rows.rows[i].quantity, c.rows.rows[i].estimate.value);
        chip_end(&c);
        n_probes++;
    }
    ck_assert_uint_gt(n_probes, 0);
}
END_TEST

/* --- where the last walk of a pass went, by the machine's own counters ------------------------ */

static const struct sim_counters *last_walk(const struct ay_bench *b)
{
    const struct gpu *g = b->device->self;
    return sim_driver_last_counters(&g->d);
}

/* The kernel claims its SM and stores its result: that few requests are no loads of the walk. */
static enum ay_status claim(bool is_true, const char *what, struct ay_error *err)
{
    return is_true ? AY_OK : AY_FAIL(err, AY_VOID, "the counters deny that %s", what);
}

static enum ay_status walk_in_l1(struct ay_bench *b, const struct ay_point *at,
                                 struct ay_samples *out, struct ay_error *err)
{
    AY_TRY(ay_find_probe("mem.l1.latency")->run(b, at, out, err));
    const struct sim_counters *n = last_walk(b);
    const uint64_t n_lines = ay_number(at, "ring_bytes") / 128;
    return claim(n->l1_hits > 10 * n_lines && n->l1_misses <= n_lines && n->l1_bypasses == 0,
                 "all but the first lap hit L1", err);
}

static enum ay_status walk_in_l2(struct ay_bench *b, const struct ay_point *at,
                                 struct ay_samples *out, struct ay_error *err)
{
    AY_TRY(ay_find_probe("mem.l2.latency")->run(b, at, out, err));
    const struct sim_counters *n = last_walk(b);
    AY_TRY(claim(n->l1_hits == 0 && n->l1_misses == 0, "no load looks into L1", err));
    AY_TRY(claim(n->l2_hits > 1000 && n->l2_misses <= 2 && n->dram_reads <= 2, "all hit L2", err));
    return claim(n->l2_far > 1000 && n->l2_near <= 2, "the far walk, the last one, is far", err);
}

static enum ay_status walk_in_dram(struct ay_bench *b, const struct ay_point *at,
                                   struct ay_samples *out, struct ay_error *err)
{
    AY_TRY(ay_find_probe("mem.dram.latency")->run(b, at, out, err));
    const struct sim_counters *n = last_walk(b);
    enum { LAST = 64 }; /* loads of the longest walk; its lines were touched by nobody */
    AY_TRY(claim(n->l1_hits == 0 && n->l1_misses == 0, "no load looks into L1", err));
    AY_TRY(claim(n->dram_reads >= LAST, "each load of the timed walk goes to DRAM", err));
    if (!ay_is_word(at, "tlb", "miss"))
        return claim(n->tlb_misses[1] == 0, "the second level of the TLB is never asked", err);
    return claim(n->tlb_misses[0] >= LAST, "each load misses the first level of the TLB", err);
}

static const struct {
    const char *probe;
    enum ay_status (*run)(struct ay_bench *, const struct ay_point *, struct ay_samples *,
                          struct ay_error *);
} WALKS[] = {{"mem.l1.latency", walk_in_l1},
             {"mem.l2.latency", walk_in_l2},
             {"mem.dram.latency", walk_in_dram}};

START_TEST(the_timed_loads_are_served_by_the_level_that_the_row_names)
{
    struct bench_chip c;
    struct ay_probe p = *ay_find_probe(WALKS[_i].probe);
    p.run = WALKS[_i].run;
    chip_begin(&c, "plain", NULL);
    chip_measure(&c, &p, false);
    ck_assert_uint_ge(must_recover(&c, &p), 2);
    chip_end(&c);
}
END_TEST

#define N(list) (int)(sizeof list / sizeof list[0])

int main(void)
{
    Suite *s = suite_create("recover");
    TCase *c = tcase_create("recover");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, every_probe_recovers_what_the_built_in_chips_plant, 0, N(BUILT_IN));
    tcase_add_test(c, every_probe_recovers_what_a_file_plants);
    tcase_add_loop_test(c, every_probe_recovers_what_is_planted_to_mislead, 0, N(HARD));
    tcase_add_loop_test(c, a_driver_that_lies_changes_no_row, 0, N(LIES));
    tcase_add_loop_test(c, every_probe_recovers_what_is_planted_on_every_architecture, 0, N(ARCHS));
    tcase_add_loop_test(c, what_a_drawn_chip_plants_is_recovered_or_said_to_be_unknown, 0,
                        N(DRAWN));
    tcase_add_loop_test(c, one_seed_gives_one_answer, 0, N(REPEATED));
    tcase_add_test(c, a_kernel_by_another_name_gives_the_same_rows);
    tcase_add_test(c, a_launch_that_does_not_run_gives_no_number);
    tcase_add_loop_test(c, the_timed_loads_are_served_by_the_level_that_the_row_names, 0,
                        N(WALKS));
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
