/* Which CPU, which caches, which nodes: on machines that are not here. */
#include <check.h>
#include <stdlib.h>

#include "dev/host/topology.h"

static hwloc_topology_t synthetic(const char *text)
{
    hwloc_topology_t t;
    ck_assert_int_eq(hwloc_topology_init(&t), 0);
    ck_assert_int_eq(hwloc_topology_set_synthetic(t, text), 0);
    ck_assert_int_eq(hwloc_topology_load(t), 0);
    return t;
}

static const char TWO_SOCKETS[] = "Package:2 [NUMANode(memory=8589934592)] "
                                  "L3Cache:1(size=33554432) L2Cache:4(size=1048576) "
                                  "L1dCache:1(size=49152) Core:1 PU:2";

/* May use the CPUs of `list` ("0,5-7"). */
static uint32_t choose(hwloc_topology_t t, const char *list)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    uint32_t cpu = 999;
    struct ay_error err;
    ck_assert_int_eq(hwloc_bitmap_list_sscanf(set, list), 0);
    ck_assert_int_eq(ay_choose_cpu(t, set, &cpu, &err), AY_OK);
    ck_assert(hwloc_bitmap_isset(set, cpu));
    hwloc_bitmap_free(set);
    return cpu;
}

static struct ay_host_facts facts_of(hwloc_topology_t t, uint32_t cpu)
{
    struct ay_host_facts f;
    ay_read_topology(t, hwloc_topology_get_topology_cpuset(t), cpu, &f);
    return f;
}

START_TEST(the_core_of_cpu_0_is_left_to_interrupts)
{
    hwloc_topology_t t = synthetic(TWO_SOCKETS);
    ck_assert_uint_eq(choose(t, "0-15"), 2); /* CPUs 0 and 1 are one core */
    hwloc_topology_destroy(t);
}
END_TEST

START_TEST(only_an_allowed_cpu_is_chosen)
{
    hwloc_topology_t t = synthetic(TWO_SOCKETS);
    ck_assert_uint_eq(choose(t, "0"), 0);
    ck_assert_uint_eq(choose(t, "0-1"), 0);
    ck_assert_uint_eq(choose(t, "0,13"), 13);
    hwloc_bitmap_t none = hwloc_bitmap_alloc();
    uint32_t cpu;
    struct ay_error err;
    ck_assert_int_eq(ay_choose_cpu(t, none, &cpu, &err), AY_DEVICE);
    hwloc_bitmap_free(none);
    hwloc_topology_destroy(t);
}
END_TEST

START_TEST(the_fastest_kind_of_core_is_chosen)
{
    hwloc_topology_t t = synthetic("Package:1 Core:8 PU:1");
    hwloc_bitmap_t slow = hwloc_bitmap_alloc(), fast = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(slow, 0, 5);
    hwloc_bitmap_set_range(fast, 6, 7);
    ck_assert_int_eq(hwloc_cpukinds_register(t, slow, 1, 0, NULL, 0), 0);
    ck_assert_int_eq(hwloc_cpukinds_register(t, fast, 2, 0, NULL, 0), 0);
    ck_assert_uint_eq(choose(t, "0-7"), 6);
    ck_assert_uint_eq(choose(t, "0-3"), 1);
    hwloc_bitmap_free(slow);
    hwloc_bitmap_free(fast);
    hwloc_topology_destroy(t);
}
END_TEST

START_TEST(caches_are_those_of_the_chosen_cpu)
{
    hwloc_topology_t t = synthetic(TWO_SOCKETS);
    const struct ay_host_facts f = facts_of(t, 12);
    ck_assert_uint_eq(f.cpu, 12);
    ck_assert_uint_eq(f.n_cpus, 16);
    ck_assert_uint_eq(f.l1_bytes, 48 << 10);
    ck_assert_uint_eq(f.l2_bytes, 1 << 20);
    ck_assert_uint_eq(f.l3_bytes, 32 << 20);
    ck_assert_uint_eq(f.cache_line_bytes, 64);
    hwloc_topology_destroy(t);
}
END_TEST

START_TEST(a_cache_that_is_not_told_is_unknown)
{
    hwloc_topology_t t = synthetic("Package:1 [NUMANode(memory=1073741824)] "
                                   "L2Cache:2(size=1048576) Core:1 PU:1");
    const struct ay_host_facts f = facts_of(t, 1);
    ck_assert_uint_eq(f.l1_bytes, 0);
    ck_assert_uint_eq(f.l2_bytes, 1 << 20);
    ck_assert_uint_eq(f.l3_bytes, 0);
    hwloc_topology_destroy(t);
}
END_TEST

START_TEST(the_nearest_node_comes_first)
{
    hwloc_topology_t t = synthetic("Package:2 Group:2 [NUMANode(memory=1073741824)] Core:2 PU:1");
    const struct ay_host_facts f = facts_of(t, 6); /* node 3, of package 1 with node 2 */
    const uint32_t due[] = { 3, 2, 0, 1 };
    ck_assert_uint_eq(f.n_nodes, 4);
    for (int i = 0; i < 4; i++) ck_assert_uint_eq(f.nodes[i], due[i]);
    hwloc_topology_destroy(t);
}
END_TEST

#define SETS(cpus, nodes) \
    "cpuset=\"" cpus "\" complete_cpuset=\"" cpus "\" " \
    "nodeset=\"" nodes "\" complete_nodeset=\"" nodes "\" "

/* Two packages with memory; node 2 has memory and no CPU, node 3 neither. */
static const char CPULESS[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<topology version=\"2.0\">"
    "<object type=\"Machine\" os_index=\"0\" " SETS("0x3", "0xf")
    "allowed_cpuset=\"0x3\" allowed_nodeset=\"0xf\" gp_index=\"1\">"
    "<object type=\"NUMANode\" os_index=\"2\" " SETS("0x0", "0x4")
    "gp_index=\"2\" local_memory=\"68719476736\"/>"
    "<object type=\"NUMANode\" os_index=\"3\" " SETS("0x0", "0x8")
    "gp_index=\"3\" local_memory=\"0\"/>"
    "<object type=\"Package\" os_index=\"0\" " SETS("0x1", "0x1") "gp_index=\"4\">"
    "<object type=\"NUMANode\" os_index=\"0\" " SETS("0x1", "0x1")
    "gp_index=\"5\" local_memory=\"8589934592\"/>"
    "<object type=\"PU\" os_index=\"0\" " SETS("0x1", "0x1") "gp_index=\"6\"/></object>"
    "<object type=\"Package\" os_index=\"1\" " SETS("0x2", "0x2") "gp_index=\"7\">"
    "<object type=\"NUMANode\" os_index=\"1\" " SETS("0x2", "0x2")
    "gp_index=\"8\" local_memory=\"8589934592\"/>"
    "<object type=\"PU\" os_index=\"1\" " SETS("0x2", "0x2") "gp_index=\"9\"/></object>"
    "</object></topology>\n";

START_TEST(memory_without_cpus_is_a_node_and_a_node_without_memory_is_none)
{
    hwloc_topology_t t;
    ck_assert_int_eq(hwloc_topology_init(&t), 0);
    ck_assert_int_eq(hwloc_topology_set_xmlbuffer(t, CPULESS, (int)sizeof CPULESS), 0);
    ck_assert_int_eq(hwloc_topology_load(t), 0);
    const struct ay_host_facts f = facts_of(t, 1);
    ck_assert_uint_eq(f.n_nodes, 3);
    ck_assert_uint_eq(f.nodes[0], 1);
    ck_assert_uint_eq(f.nodes[1], 2);
    ck_assert_uint_eq(f.nodes[2], 0);
    hwloc_topology_destroy(t);
}
END_TEST

START_TEST(this_machine_can_be_read)
{
    hwloc_topology_t t;
    struct ay_error err;
    ck_assert_int_eq(ay_load_topology(&t, &err), AY_OK);
    const uint32_t cpu = (uint32_t)hwloc_bitmap_first(hwloc_topology_get_topology_cpuset(t));
    const struct ay_host_facts f = facts_of(t, cpu);
    ck_assert_uint_ge(f.n_cpus, 1);
    ck_assert_uint_ge(f.n_nodes, 1);
    hwloc_topology_destroy(t);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("topology");
    tcase_add_test(t, the_core_of_cpu_0_is_left_to_interrupts);
    tcase_add_test(t, only_an_allowed_cpu_is_chosen);
    tcase_add_test(t, the_fastest_kind_of_core_is_chosen);
    tcase_add_test(t, caches_are_those_of_the_chosen_cpu);
    tcase_add_test(t, a_cache_that_is_not_told_is_unknown);
    tcase_add_test(t, the_nearest_node_comes_first);
    tcase_add_test(t, memory_without_cpus_is_a_node_and_a_node_without_memory_is_none);
    tcase_add_test(t, this_machine_can_be_read);
    Suite *s = suite_create("host topology");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
