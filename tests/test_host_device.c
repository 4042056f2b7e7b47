/* The CPU of this machine as a device, and rings on it. */
#include <check.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench_host.h"
#include "core/bench_impl.h"
#include "core/measure.h"
#include "dev/host/host.h"
#include "dev/host/memory.h"
#include "dev/host/topology.h"
#include "probes/registry.h"

static struct ay_device open_host(void)
{
    struct ay_device d;
    struct ay_error err;
    ck_assert_msg(ay_host_open(&d, &err) == AY_OK, "%s", err.text);
    return d;
}

static struct ay_bench bench_on(struct ay_device *d)
{
    return (struct ay_bench){ .device = d, .random = { 7 } };
}

/* --- the device ------------------------------------------------------------------------------- */

START_TEST(the_thread_stays_on_the_cpu_that_the_facts_name_until_closed)
{
    cpu_set_t before, within, after;
    ck_assert_int_eq(sched_getaffinity(0, sizeof before, &before), 0);
    struct ay_device d = open_host();
    const struct ay_host_facts *f = d.ops->host->facts(d.self);
    ck_assert_int_eq(sched_getaffinity(0, sizeof within, &within), 0);
    ck_assert_int_eq(CPU_COUNT(&within), 1);
    ck_assert_int_eq(sched_getcpu(), (int)f->cpu);
    ck_assert_int_eq(CPU_COUNT(&before), (int)f->n_cpus);
    ay_device_close(&d);
    ck_assert_int_eq(sched_getaffinity(0, sizeof after, &after), 0);
    ck_assert(CPU_EQUAL(&before, &after));
}
END_TEST

START_TEST(a_cpu_that_is_taken_away_is_not_used)
{
    cpu_set_t all, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all)) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
        struct ay_device d = open_host();
        ck_assert_uint_eq(d.ops->host->facts(d.self)->cpu, cpu);
        ay_device_close(&d);
    }
}
END_TEST

START_TEST(the_host_describes_itself_without_a_gpu)
{
    struct ay_device d = open_host();
    json_t *device, *environment;
    struct ay_error err;
    ck_assert_int_eq(d.ops->describe(d.self, &device, &environment, &err), AY_OK);
    ck_assert_int_gt((int)json_string_length(json_object_get(device, "product")), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(device, "sms")), 0);
    ck_assert_int_gt(json_integer_value(json_object_get(environment, "memory_bytes")), 0);
    ck_assert_int_gt((int)json_string_length(json_object_get(environment, "kernel")), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(environment, "cpus")),
                     (int)d.ops->host->facts(d.self)->n_cpus);
    json_decref(device);
    json_decref(environment);
    json_t *now = d.ops->telemetry(d.self);
    ck_assert_ptr_nonnull(json_object_get(now, "cpu_mhz"));
    json_decref(now);
    ay_device_close(&d);
}
END_TEST

START_TEST(memory_is_zeroed_and_refused_by_reason)
{
    struct ay_device d = open_host();
    struct ay_bench b = bench_on(&d);
    struct ay_error err;
    void *at;
    const uint32_t node = ay_host_facts(&b)->nodes[0];
    ck_assert_int_eq(ay_host_alloc(&b, 100000, node, AY_PAGES_SMALL, &at, &err), AY_OK);
    for (int i = 0; i < 100000; i++) ck_assert_int_eq(((char *)at)[i], 0);
    ck_assert_int_eq(ay_host_alloc(&b, 4096, 4242, AY_PAGES_SMALL, &at, &err), AY_SKIP);
    ck_assert_ptr_nonnull(strstr(err.text, "4242"));
    ck_assert_int_eq(ay_host_alloc(&b, UINT64_C(1) << 50, node, AY_PAGES_SMALL, &at, &err),
                     AY_NOMEM);
    ay_bench_close(&b);
    ay_device_close(&d);
}
END_TEST

START_TEST(the_nearest_node_needs_no_permission_to_bind)
{
    const struct ay_host_facts facts = { .n_nodes = 2, .nodes = { 4242, 4243 } };
    hwloc_topology_t t;
    struct ay_mapping m;
    struct ay_error err;
    ck_assert_int_eq(ay_load_topology(&t, &err), AY_OK); /* which has neither: binding fails */
    ck_assert_int_eq(ay_map_memory(t, &facts, &ay_host_roots, 4096, 4242, AY_PAGES_SMALL, &m,
                                   &err), AY_OK);
    ay_unmap_memory(&m);
    ck_assert_int_eq(ay_map_memory(t, &facts, &ay_host_roots, 4096, 4243, AY_PAGES_SMALL, &m,
                                   &err), AY_SKIP);
    ck_assert_ptr_nonnull(strstr(err.text, "node 4243"));
    ck_assert_ptr_null(m.at);
    hwloc_topology_destroy(t);
}
END_TEST

START_TEST(huge_pages_are_huge_or_skipped_with_a_reason)
{
    struct ay_device d = open_host();
    struct ay_bench b = bench_on(&d);
    struct ay_error err = { .text = "" };
    void *at;
    const enum ay_status status = ay_host_alloc(&b, 3 << 20, ay_host_facts(&b)->nodes[0],
                                                AY_PAGES_HUGE, &at, &err);
    ck_assert(status == AY_OK || (status == AY_SKIP && err.text[0]));
    if (status == AY_OK) ck_assert_uint_eq((uintptr_t)at % (2 << 20), 0);
    ay_bench_close(&b);
    ay_device_close(&d);
}
END_TEST

START_TEST(the_clock_does_not_go_back_and_the_counter_runs)
{
    struct ay_device d = open_host();
    struct ay_bench b = bench_on(&d);
    struct ay_error err;
    uint64_t last = ay_host_clock_ns(&b), first_ticks, ticks;
    for (int i = 0; i < 10000; i++) {
        const uint64_t now = ay_host_clock_ns(&b);
        ck_assert_uint_ge(now, last);
        last = now;
    }
    const enum ay_status status = ay_host_tsc(&b, &first_ticks, &err);
    ck_assert(status == AY_OK || status == AY_SKIP);
    if (status == AY_OK) {
        ck_assert_int_eq(ay_host_tsc(&b, &ticks, &err), AY_OK);
        ck_assert_uint_ge(ticks, first_ticks);
    }
    ay_device_close(&d);
}
END_TEST

/* --- rings ------------------------------------------------------------------------------------ */

/* Follows the ring by hand from its first node: each node once, then the first again. */
static void assert_one_cycle(const struct ay_host_ring *r, uint64_t bytes)
{
    char *seen = calloc(1, bytes / r->line_bytes);
    char *const first = r->base + r->order[0] * r->line_bytes, *at = first;
    for (uint64_t i = 0; i < r->n_nodes; i++) {
        const uint64_t offset = (uint64_t)(at - r->base);
        ck_assert_uint_lt(offset, bytes);
        ck_assert_uint_eq(offset % r->line_bytes, 0);
        ck_assert_int_eq(seen[offset / r->line_bytes]++, 0);
        memcpy(&at, at, sizeof at);
    }
    ck_assert_ptr_eq(at, first);
    free(seen);
}

START_TEST(a_ring_is_one_cycle_through_every_line)
{
    struct ay_device d = open_host();
    struct ay_bench b = bench_on(&d);
    struct ay_error err;
    struct ay_host_ring r;
    void *at;
    ck_assert_int_eq(ay_host_alloc(&b, 1 << 20, ay_host_facts(&b)->nodes[0], AY_PAGES_SMALL, &at,
                                   &err), AY_OK);
    for (uint64_t bytes = 128; bytes <= 1 << 20; bytes = bytes * 3 / 2 / 64 * 64) {
        ck_assert_int_eq(ay_host_ring(&b, at, bytes, 64, UINT64_MAX, &r, &err), AY_OK);
        ck_assert_uint_eq(r.n_nodes, bytes / 64);
        assert_one_cycle(&r, bytes);
    }
    ck_assert_int_eq(ay_host_ring(&b, at, 64, 64, UINT64_MAX, &r, &err), AY_USAGE);
    ay_bench_close(&b);
    ay_device_close(&d);
}
END_TEST

START_TEST(a_drawn_ring_has_one_line_of_each_block)
{
    struct ay_device d = open_host();
    struct ay_bench b = bench_on(&d);
    struct ay_error err;
    struct ay_host_ring r;
    void *at;
    enum { LINES = 10000, MOST = 3000, BLOCK = 4 };
    ck_assert_int_eq(ay_host_alloc(&b, LINES * 64, ay_host_facts(&b)->nodes[0], AY_PAGES_SMALL,
                                   &at, &err), AY_OK);
    ck_assert_int_eq(ay_host_ring(&b, at, LINES * 64, 64, MOST, &r, &err), AY_OK);
    ck_assert_uint_eq(r.n_nodes, LINES / BLOCK);
    assert_one_cycle(&r, LINES * 64);
    int n_in_block[LINES / BLOCK] = { 0 }, n_at[BLOCK] = { 0 };
    for (uint64_t i = 0; i < r.n_nodes; i++) {
        n_in_block[r.order[i] / BLOCK]++;
        n_at[r.order[i] % BLOCK]++;
    }
    for (int i = 0; i < LINES / BLOCK; i++) ck_assert_int_eq(n_in_block[i], 1);
    for (int i = 0; i < BLOCK; i++) ck_assert_int_gt(n_at[i], LINES / BLOCK / BLOCK / 2);
    ay_bench_close(&b);
    ay_device_close(&d);
}
END_TEST

START_TEST(a_walk_goes_on_where_the_last_one_ended)
{
    struct ay_device d = open_host();
    struct ay_bench b = bench_on(&d);
    struct ay_error err;
    struct ay_host_ring r;
    struct ay_host_timing t;
    void *at;
    ck_assert_int_eq(ay_host_alloc(&b, 1 << 16, ay_host_facts(&b)->nodes[0], AY_PAGES_SMALL, &at,
                                   &err), AY_OK);
    ck_assert_int_eq(ay_host_ring(&b, at, 1 << 16, 64, UINT64_MAX, &r, &err), AY_OK);
    uint64_t n_steps = 0;
    for (uint64_t n = 1; n < 100000; n = 3 * n + 5) { /* not multiples of the unrolled sixteen */
        ck_assert_msg(ay_host_walk(&b, &r, n, &t, &err) == AY_OK, "%s", err.text);
        ck_assert_uint_eq(r.n_walked, n_steps += n);
    }
    memcpy(at, &at, sizeof at); /* line 0 points at itself: the walk is caught there */
    ck_assert_int_eq(ay_host_walk(&b, &r, 3 * r.n_nodes + 1 + (r.n_nodes - r.n_walked % r.n_nodes),
                                  &t, &err), r.order[1] == 0 ? AY_OK : AY_VOID);
    ay_bench_close(&b);
    ay_device_close(&d);
}
END_TEST

/* A chase that claims to have walked, on top of the real device. */
static void *lazy_chase(void *self, void *from, uint64_t n_steps, struct ay_host_timing *out)
{
    (void)self, (void)n_steps;
    *out = (struct ay_host_timing){ .elapsed_ns = 1 };
    return from;
}

static void *timeless_chase(void *self, void *from, uint64_t n_steps, struct ay_host_timing *out)
{
    (void)self;
    *out = (struct ay_host_timing){ .elapsed_ns = 0 };
    for (; n_steps > 0; n_steps--) from = *(void **)from;
    return from;
}

START_TEST(a_walk_that_did_not_walk_is_void)
{
    struct ay_device d = open_host();
    struct ay_host_ops host = *d.ops->host;
    struct ay_device_ops ops = *d.ops;
    ops.host = &host;
    d.ops = &ops;
    struct ay_bench b = bench_on(&d);
    struct ay_error err;
    struct ay_host_ring r;
    struct ay_host_timing t;
    void *at;
    ck_assert_int_eq(ay_host_alloc(&b, 1 << 16, ay_host_facts(&b)->nodes[0], AY_PAGES_SMALL, &at,
                                   &err), AY_OK);
    ck_assert_int_eq(ay_host_ring(&b, at, 1 << 16, 64, UINT64_MAX, &r, &err), AY_OK);
    host.chase = lazy_chase;
    ck_assert_int_eq(ay_host_walk(&b, &r, 1000, &t, &err), AY_VOID);
    host.chase = timeless_chase;
    ck_assert_int_eq(ay_host_ring(&b, at, 1 << 16, 64, UINT64_MAX, &r, &err), AY_OK);
    ck_assert_int_eq(ay_host_walk(&b, &r, 1000, &t, &err), AY_VOID);
    ay_bench_close(&b);
    ay_device_close(&d);
}
END_TEST

START_TEST(another_device_is_no_host)
{
    static const struct ay_device_ops NONE = { 0 };
    struct ay_device d = { .name = "sim:plain", .ops = &NONE };
    struct ay_bench b = bench_on(&d);
    struct ay_error err;
    void *at;
    uint64_t ticks;
    ck_assert_ptr_null(ay_host_facts(&b));
    ck_assert_int_eq(ay_host_alloc(&b, 4096, 0, AY_PAGES_SMALL, &at, &err), AY_SKIP);
    ck_assert_int_eq(ay_host_tsc(&b, &ticks, &err), AY_SKIP);
}
END_TEST

/* --- probes ----------------------------------------------------------------------------------- */

static struct ay_rows measure(const char *probe, bool is_quick)
{
    struct ay_device d = open_host();
    const struct ay_effort effort = { .seed = 3, .precision_ratio = 0.02, .budget_s = 0.5,
                                      .is_quick = is_quick };
    struct ay_rows rows = { 0 };
    struct ay_error err;
    bool is_healthy;
    ck_assert_ptr_nonnull(ay_find_probe(probe));
    ck_assert_int_eq(ay_measure(&d, ay_find_probe(probe), &effort, NULL, &rows, &is_healthy, &err),
                     AY_OK);
    ck_assert(is_healthy);
    ay_device_close(&d);
    return rows;
}

START_TEST(the_clock_probe_gives_cost_step_and_rate)
{
    struct ay_rows rows = measure("host.clock", false);
    size_t n_cost = 0, n_step = 0;
    for (size_t i = 0; i < rows.n; i++) {
        const struct ay_row *r = &rows.rows[i];
        ck_assert_int_eq(r->status, AY_ROW_OK);
        ck_assert(r->estimate.low <= r->estimate.value && r->estimate.value <= r->estimate.high);
        ck_assert(r->estimate.value > 0);
        n_cost += strcmp(r->quantity, "cost") == 0 && r->estimate.value < 1e5;
        n_step += strcmp(r->quantity, "step") == 0;
    }
    ck_assert_uint_eq(n_cost, 1);
    ck_assert_uint_eq(n_step, 1);
    ay_rows_close(&rows);
}
END_TEST

START_TEST(rows_of_the_latency_probe_rise_in_size_and_small_rings_are_faster)
{
    struct ay_rows rows = measure("host.mem.latency", true);
    const struct ay_row *first = NULL, *last = NULL;
    for (size_t i = 0; i < rows.n; i++) {
        const struct ay_row *r = &rows.rows[i];
        if (strcmp(r->quantity, "value") != 0 || !ay_is_word(&r->point, "pages", "small")) continue;
        ck_assert_int_eq(r->status, AY_ROW_OK);
        if (last)
            ck_assert_uint_gt(ay_number(&r->point, "ring_bytes"),
                              ay_number(&last->point, "ring_bytes"));
        if (!first) first = r;
        last = r;
    }
    ck_assert_ptr_nonnull(first);
    ck_assert_uint_eq(ay_number(&first->point, "ring_bytes"), 4096);
    ck_assert(last->estimate.value > 3 * first->estimate.value);
    ay_rows_close(&rows);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("host");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, the_thread_stays_on_the_cpu_that_the_facts_name_until_closed);
    tcase_add_test(t, a_cpu_that_is_taken_away_is_not_used);
    tcase_add_test(t, the_host_describes_itself_without_a_gpu);
    tcase_add_test(t, memory_is_zeroed_and_refused_by_reason);
    tcase_add_test(t, the_nearest_node_needs_no_permission_to_bind);
    tcase_add_test(t, huge_pages_are_huge_or_skipped_with_a_reason);
    tcase_add_test(t, the_clock_does_not_go_back_and_the_counter_runs);
    tcase_add_test(t, a_ring_is_one_cycle_through_every_line);
    tcase_add_test(t, a_drawn_ring_has_one_line_of_each_block);
    tcase_add_test(t, a_walk_goes_on_where_the_last_one_ended);
    tcase_add_test(t, a_walk_that_did_not_walk_is_void);
    tcase_add_test(t, another_device_is_no_host);
    tcase_add_test(t, the_clock_probe_gives_cost_step_and_rate);
    tcase_add_test(t, rows_of_the_latency_probe_rise_in_size_and_small_rings_are_faster);
    Suite *s = suite_create("host device");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
