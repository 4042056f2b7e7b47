#include "dev/host/topology.h"

#include <errno.h>
#include <string.h>

enum ay_status ay_load_topology(hwloc_topology_t *out, struct ay_error *err)
{
    static const char *const DRIVERS[] = { "cuda", "nvml", "opencl", "gl", "rsmi", "levelzero" };
    if (hwloc_topology_init(out) != 0) return AY_FAIL(err, AY_NOMEM, "no memory for a topology");
    for (size_t i = 0; i < sizeof DRIVERS / sizeof *DRIVERS; i++) /* -1: not in this hwloc anyway */
        (void)hwloc_topology_set_components(*out, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                            DRIVERS[i]);
    if (hwloc_topology_load(*out) == 0) return AY_OK;
    const int why = errno;
    hwloc_topology_destroy(*out);
    return AY_FAIL(err, AY_DEVICE, "hwloc cannot read this machine's topology: %s; is /sys there?",
                   strerror(why));
}

/* --- the CPU ---------------------------------------------------------------------------------- */

static bool is_on_core_of_cpu_0(hwloc_topology_t t, hwloc_obj_t pu)
{
    const hwloc_obj_t zero = hwloc_get_pu_obj_by_os_index(t, 0);
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_CORE, pu);
    return zero && (zero == pu || (core && hwloc_bitmap_isset(core->cpuset, 0)));
}

/* hwloc numbers kinds of cores by rising speed; machines with one kind, or with none told, tie. */
static int kind_of(hwloc_topology_t t, hwloc_obj_t pu)
{
    const int kind = hwloc_cpukinds_get_by_cpuset(t, pu->cpuset, 0);
    return kind < 0 ? 0 : kind;
}

enum ay_status ay_choose_cpu(hwloc_topology_t t, hwloc_const_cpuset_t may_use, uint32_t *cpu,
                             struct ay_error *err)
{
    hwloc_obj_t best = NULL;
    for (hwloc_obj_t pu = NULL; (pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu));) {
        if (!hwloc_bitmap_isset(may_use, pu->os_index)) continue;
        const int faster = best ? kind_of(t, pu) - kind_of(t, best) : 1;
        if (faster > 0 ||
            (faster == 0 && is_on_core_of_cpu_0(t, best) && !is_on_core_of_cpu_0(t, pu)))
            best = pu;
    }
    if (!best) return AY_FAIL(err, AY_DEVICE, "this process may use none of the machine's CPUs");
    *cpu = best->os_index;
    return AY_OK;
}

/* --- facts ------------------------------------------------------------------------------------ */

static void read_cache(hwloc_obj_t o, struct ay_host_facts *out)
{
    const struct hwloc_cache_attr_s *c = &o->attr->cache;
    if (c->type == HWLOC_OBJ_CACHE_INSTRUCTION) return;
    if (c->depth == 1) out->l1_bytes = c->size;
    if (c->depth == 2) out->l2_bytes = c->size;
    if (c->depth == 3) out->l3_bytes = c->size;
    if (c->depth == 1) out->cache_line_bytes = c->linesize;
}

/* How far from the CPU: nodes whose CPUs include it, the tightest first; then its package's, then
 * the others. A node without CPUs (CXL, a GPU's memory) has those of the place that it is attached
 * to, in the end the whole machine's, and so comes behind. */
static int distance(hwloc_topology_t t, hwloc_obj_t node, hwloc_obj_t pu)
{
    enum { OTHER_PLACE = 1 << 24, OTHER_PACKAGE = 1 << 25 };
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_PACKAGE, pu);
    const int n_cpus = hwloc_bitmap_weight(node->cpuset);
    if (hwloc_bitmap_isset(node->cpuset, pu->os_index)) return n_cpus;
    const bool is_near = package && hwloc_bitmap_intersects(node->cpuset, package->cpuset);
    return n_cpus + (is_near ? OTHER_PLACE : OTHER_PACKAGE);
}

static void read_nodes(hwloc_topology_t t, hwloc_obj_t pu, struct ay_host_facts *out)
{
    hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(t);
    int distances[AY_MAX_NODES];
    for (hwloc_obj_t n = NULL; (n = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, n));) {
        const bool has_memory = n->attr->numanode.local_memory > 0;
        if (!has_memory || !hwloc_bitmap_isset(allowed, n->os_index) ||
            out->n_nodes == AY_MAX_NODES)
            continue;
        const int d = distance(t, n, pu);
        uint32_t at = out->n_nodes++;
        for (; at > 0 && distances[at - 1] > d; at--) {
            distances[at] = distances[at - 1];
            out->nodes[at] = out->nodes[at - 1];
        }
        distances[at] = d;
        out->nodes[at] = n->os_index;
    }
    if (out->n_nodes == 0) out->nodes[out->n_nodes++] = 0; /* a kernel without NUMA */
}

void ay_read_topology(hwloc_topology_t t, hwloc_const_cpuset_t may_use, uint32_t cpu,
                      struct ay_host_facts *out)
{
    const hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(t, cpu);
    const int n_cpus = hwloc_bitmap_weight(may_use);
    *out = (struct ay_host_facts){ .cpu = cpu, .n_cpus = n_cpus > 0 ? (uint32_t)n_cpus : 0 };
    for (hwloc_obj_t o = pu; o; o = o->parent)
        if (hwloc_obj_type_is_cache(o->type)) read_cache(o, out);
    read_nodes(t, pu, out);
}
