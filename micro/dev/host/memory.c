#include "dev/host/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE /* Linux 5.14; older headers lack the number [madvise-2] */
#define MADV_POPULATE_WRITE 23
#endif

/* --- what the kernel offers ------------------------------------------------------------------- */

static uint64_t page_bytes(void)
{
    const long bytes = sysconf(_SC_PAGESIZE);
    return bytes > 0 ? (uint64_t)bytes : 4096;
}

static bool read_thp(const struct ay_host_roots *r, const char *name, char *into, size_t bytes)
{
    char path[256];
    snprintf(path, sizeof path, "%s/kernel/mm/transparent_hugepage/%s", r->sys, name);
    return ay_read_line(path, into, bytes);
}

static uint64_t transparent_bytes(const struct ay_host_roots *r)
{
    char text[64];
    if (!read_thp(r, "hpage_pmd_size", text, sizeof text)) return UINT64_C(2) << 20;
    const uint64_t bytes = strtoull(text, NULL, 10);
    return bytes ? bytes : UINT64_C(2) << 20;
}

static bool has_transparent(const struct ay_host_roots *r)
{
    char text[128];
    return read_thp(r, "enabled", text, sizeof text) && !strstr(text, "[never]");
}

/* A count, which ay_meminfo_bytes takes for KiB. */
static uint64_t n_reserved(const struct ay_host_roots *r)
{
    return ay_meminfo_bytes(r, "HugePages_Free") >> 10;
}

const char *ay_no_huge_pages(const struct ay_host_roots *r, char *into, size_t into_bytes)
{
    const bool is_there = has_transparent(r) || n_reserved(r) > 0;
    snprintf(into, into_bytes, "%s", is_there ? "" :
             "none reserved (vm.nr_hugepages) and transparent_hugepage is off");
    return into;
}

/* --- mappings --------------------------------------------------------------------------------- */

/* `bytes` rounded up to `align`, at a multiple of it. */
static bool map_aligned(uint64_t bytes, uint64_t align, struct ay_mapping *out)
{
    const uint64_t whole = (bytes + align - 1) / align * align;
    char *const p = mmap(NULL, whole + align, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    const uint64_t before = (align - (uintptr_t)p % align) % align;
    if (before > 0) munmap(p, before);
    if (align > before) munmap(p + before + whole, align - before);
    *out = (struct ay_mapping){ p + before, whole };
    return true;
}

static enum ay_status bind_to(hwloc_topology_t t, const struct ay_host_facts *facts, uint32_t node,
                              const struct ay_mapping *m, struct ay_error *err)
{
    bool is_known = false;
    for (uint32_t i = 0; i < facts->n_nodes; i++) is_known |= facts->nodes[i] == node;
    if (!is_known) return AY_FAIL(err, AY_SKIP, "there is no NUMA node %u with memory", node);
    if (facts->n_nodes == 1) return AY_OK; /* all memory is there */
    hwloc_nodeset_t set = hwloc_bitmap_alloc();
    if (!set) return AY_FAIL(err, AY_NOMEM, "no memory for a set of nodes");
    hwloc_bitmap_only(set, node);
    const int flags = HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_STRICT;
    const int failed = hwloc_set_area_membind(t, m->at, m->bytes, set, HWLOC_MEMBIND_BIND, flags);
    const int why = errno;
    hwloc_bitmap_free(set);
    /* Containers forbid mbind; the nearest node is where a first touch from here lands anyway. */
    if (!failed || node == facts->nodes[0]) return AY_OK;
    return AY_FAIL(err, AY_SKIP, "memory cannot be bound to NUMA node %u: %s", node, strerror(why));
}

static void touch(const struct ay_mapping *m)
{
    const uint64_t step = page_bytes();
    for (uint64_t at = 0; at < m->bytes; at += step) ((volatile char *)m->at)[at] = 0;
}

/* The kernel may hand out small pages without a word: its own account of the mapping decides. The
 * entry may span neighbours that are huge too, so it must be huge as a whole [proc-5]. */
static enum ay_status check_transparent(const struct ay_host_roots *r, const struct ay_mapping *m,
                                        struct ay_error *err)
{
    char path[256], line[512];
    snprintf(path, sizeof path, "%s/self/smaps", r->proc);
    FILE *f = fopen(path, "re");
    if (!f) return AY_FAIL(err, AY_SKIP, "cannot tell whether pages are huge: no %s", path);
    bool is_inside = false;
    uint64_t size_kib = 0, huge_kib = 0, low, high;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &low, &high) == 2)
            is_inside = low <= (uintptr_t)m->at && (uintptr_t)m->at < high;
        if (is_inside && strncmp(line, "Size:", 5) == 0) size_kib = strtoull(line + 5, NULL, 10);
        if (is_inside && strncmp(line, "AnonHugePages:", 14) == 0)
            huge_kib = strtoull(line + 14, NULL, 10);
    }
    fclose(f);
    if (size_kib > 0 && huge_kib == size_kib) return AY_OK;
    return AY_FAIL(err, AY_SKIP, "the kernel made %" PRIu64 " of %" PRIu64 " MiB huge pages: memory"
                   " is scattered or they are off for this process", huge_kib >> 10,
                   size_kib >> 10);
}

/* --- kinds of pages --------------------------------------------------------------------------- */

static enum ay_status map_small(hwloc_topology_t t, const struct ay_host_facts *facts,
                                uint64_t bytes, uint32_t node, struct ay_mapping *out,
                                struct ay_error *err)
{
    if (!map_aligned(bytes, page_bytes(), out))
        return AY_FAIL(err, AY_NOMEM, "mmap of %" PRIu64 " bytes: %s", bytes, strerror(errno));
    (void)madvise(out->at, out->bytes, MADV_NOHUGEPAGE); /* refused where there are none anyway */
    AY_TRY(bind_to(t, facts, node, out, err));
    touch(out);
    return AY_OK;
}

/* Reserved huge pages; false: not enough, which MADV_POPULATE_WRITE says where a touch would be a
 * SIGBUS. */
static bool map_reserved(hwloc_topology_t t, const struct ay_host_facts *facts,
                         const struct ay_host_roots *r, uint64_t bytes, uint32_t node,
                         struct ay_mapping *out)
{
    struct ay_error ignored;
    const uint64_t page = ay_meminfo_bytes(r, "Hugepagesize");
    if (page == 0 || n_reserved(r) < (bytes + page - 1) / page) return false;
    const uint64_t whole = (bytes + page - 1) / page * page;
    void *const p = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (p == MAP_FAILED) return false;
    *out = (struct ay_mapping){ p, whole };
    if (bind_to(t, facts, node, out, &ignored) == AY_OK &&
        madvise(p, whole, MADV_POPULATE_WRITE) == 0)
        return true;
    ay_unmap_memory(out);
    return false;
}

static enum ay_status map_huge(hwloc_topology_t t, const struct ay_host_facts *facts,
                               const struct ay_host_roots *r, uint64_t bytes, uint32_t node,
                               struct ay_mapping *out, struct ay_error *err)
{
    if (map_reserved(t, facts, r, bytes, node, out)) return AY_OK;
    if (!has_transparent(r))
        return AY_FAIL(err, AY_SKIP, "no huge pages: %" PRIu64 " free ones reserved "
                       "(vm.nr_hugepages) and transparent_hugepage is off", n_reserved(r));
    if (!map_aligned(bytes, transparent_bytes(r), out))
        return AY_FAIL(err, AY_NOMEM, "mmap of %" PRIu64 " bytes: %s", bytes, strerror(errno));
    if (madvise(out->at, out->bytes, MADV_HUGEPAGE) != 0)
        return AY_FAIL(err, AY_SKIP, "no huge pages: madvise says %s", strerror(errno));
    AY_TRY(bind_to(t, facts, node, out, err));
    touch(out);
    return check_transparent(r, out, err);
}

enum ay_status ay_map_memory(hwloc_topology_t t, const struct ay_host_facts *facts,
                             const struct ay_host_roots *r, uint64_t bytes, uint32_t node,
                             enum ay_pages pages, struct ay_mapping *out, struct ay_error *err)
{
    *out = (struct ay_mapping){ 0 };
    const uint64_t free_bytes = ay_host_free_bytes(r);
    if (bytes == 0 || bytes > free_bytes)
        return AY_FAIL(err, AY_NOMEM, "%" PRIu64 " bytes of memory asked for, %" PRIu64 " are free",
                       bytes, free_bytes);
    const enum ay_status status = pages == AY_PAGES_HUGE
        ? map_huge(t, facts, r, bytes, node, out, err)
        : map_small(t, facts, bytes, node, out, err);
    if (status != AY_OK) ay_unmap_memory(out);
    return status;
}

void ay_unmap_memory(struct ay_mapping *m)
{
    if (m->at) munmap(m->at, m->bytes);
    *m = (struct ay_mapping){ 0 };
}
