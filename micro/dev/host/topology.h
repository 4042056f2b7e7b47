/* topology.h - which CPU to measure on, its caches and the NUMA nodes, as hwloc sees them. */
#ifndef AY_HOST_TOPOLOGY_H
#define AY_HOST_TOPOLOGY_H

#include <hwloc.h>

#include "core/bench_host.h"

/* This machine's, without the components that would open a GPU driver. */
enum ay_status ay_load_topology(hwloc_topology_t *out, struct ay_error *err) AY_CHECKED;

/* A CPU of `may_use`: of the fastest kind where kinds differ, and not on CPU 0's core, where
 * interrupts go, when there is another. AY_DEVICE: none. */
enum ay_status ay_choose_cpu(hwloc_topology_t t, hwloc_const_cpuset_t may_use, uint32_t *cpu,
                             struct ay_error *err) AY_CHECKED;

/* All facts but memory: caches of that CPU, nodes with memory in order of distance. */
void ay_read_topology(hwloc_topology_t t, hwloc_const_cpuset_t may_use, uint32_t cpu,
                      struct ay_host_facts *out);

#endif
