/* memory.h - host memory by node and kind of page, all of it there before it is handed out. */
#ifndef AY_HOST_MEMORY_H
#define AY_HOST_MEMORY_H

#include <hwloc.h>

#include "core/bench_host.h"
#include "dev/host/limits.h"

struct ay_mapping {
    void *at;
    uint64_t bytes;
};

/* Zeroed and touched; node: OS number. AY_SKIP says why this kind or place cannot be had; memory
 * that the machine has not is AY_NOMEM, said before it is tried. */
enum ay_status ay_map_memory(hwloc_topology_t t, const struct ay_host_facts *facts,
                             const struct ay_host_roots *r, uint64_t bytes, uint32_t node,
                             enum ay_pages pages, struct ay_mapping *out,
                             struct ay_error *err) AY_CHECKED;
void ay_unmap_memory(struct ay_mapping *m); /* safe on a zeroed one */

/* Why there are no huge pages here, by the kernel's settings; "" when there may be some. */
const char *ay_no_huge_pages(const struct ay_host_roots *r, char *into, size_t into_bytes);

#endif
