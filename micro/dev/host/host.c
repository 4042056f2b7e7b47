#include "dev/host/host.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dev/host/describe.h"
#include "dev/host/limits.h"
#include "dev/host/loops.h"
#include "dev/host/memory.h"
#include "dev/host/topology.h"

enum { MAX_MAPPINGS = 64 };

struct host {
    hwloc_topology_t topology;
    hwloc_cpuset_t may_use; /* where the thread ran before it was pinned */
    struct ay_host_facts facts;
    struct ay_mapping mappings[MAX_MAPPINGS];
};

/* --- what bench_host asks --------------------------------------------------------------------- */

static const struct ay_host_facts *facts(void *self)
{
    struct host *const h = self;
    h->facts.free_bytes = ay_host_free_bytes(&ay_host_roots);
    return &h->facts;
}

static enum ay_status alloc_pages(void *self, uint64_t bytes, uint32_t node, enum ay_pages pages,
                                  void **out, struct ay_error *err)
{
    struct host *const h = self;
    for (size_t i = 0; i < MAX_MAPPINGS; i++) {
        struct ay_mapping *const m = &h->mappings[i];
        if (m->at) continue;
        AY_TRY(ay_map_memory(h->topology, &h->facts, &ay_host_roots, bytes, node, pages, m, err));
        *out = m->at;
        return AY_OK;
    }
    return AY_FAIL(err, AY_NOMEM, "more than %d buffers at a time", MAX_MAPPINGS);
}

static void release_pages(void *self, void *at)
{
    struct host *const h = self;
    for (size_t i = 0; i < MAX_MAPPINGS; i++)
        if (h->mappings[i].at == at) ay_unmap_memory(&h->mappings[i]);
}

static void *chase(void *self, void *from, uint64_t n_steps, struct ay_host_timing *out)
{
    (void)self;
    return ay_chase(from, n_steps, out);
}

static void sweep(void *self, const void *at, uint64_t bytes, uint64_t step_bytes)
{
    (void)self;
    ay_sweep(at, bytes, step_bytes);
}

static void gather(void *self, const void *base, const uint32_t *lines, uint64_t n_lines,
                   uint64_t line_bytes)
{
    (void)self;
    ay_gather(base, lines, n_lines, line_bytes);
}

static uint64_t clock_ns(void *self)
{
    (void)self;
    return ay_clock_ns();
}

static enum ay_status tsc(void *self, uint64_t *ticks, struct ay_error *err)
{
    (void)self;
    return ay_tsc(ticks, err);
}

static const struct ay_host_ops HOST_OPS = {
    .facts = facts,
    .alloc = alloc_pages,
    .release = release_pages,
    .chase = chase,
    .sweep = sweep,
    .gather = gather,
    .clock_ns = clock_ns,
    .tsc = tsc,
};

/* --- what every device is asked --------------------------------------------------------------- */

static enum ay_status describe(void *self, json_t **device, json_t **environment,
                               struct ay_error *err)
{
    const struct host *const h = self;
    *device = ay_describe_cpu(&ay_host_roots, &h->facts);
    *environment = ay_describe_machine(&ay_host_roots);
    if (*device && *environment) {
        /* Asked of this thread, which is pinned, the answer would be one. */
        json_object_set_new(*environment, "cpus", json_integer(h->facts.n_cpus));
        return AY_OK;
    }
    json_decref(*device);
    json_decref(*environment);
    *device = *environment = NULL;
    return AY_FAIL(err, AY_NOMEM, "no memory to describe the host");
}

static json_t *telemetry(void *self)
{
    const struct host *const h = self;
    const double mhz = ay_cpu_mhz(&ay_host_roots, h->facts.cpu);
    return json_pack("{s:o}", "cpu_mhz", isfinite(mhz) ? json_real(mhz) : json_null());
}

static void sleep_ns(void *self, uint64_t ns)
{
    (void)self;
    struct timespec left = { .tv_sec = (time_t)(ns / 1000000000u),
                             .tv_nsec = (long)(ns % 1000000000u) };
    while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

static void close_host(void *self)
{
    struct host *const h = self;
    if (!h) return;
    for (size_t i = 0; i < MAX_MAPPINGS; i++) ay_unmap_memory(&h->mappings[i]);
    if (h->may_use) {
        (void)hwloc_set_cpubind(h->topology, h->may_use, HWLOC_CPUBIND_THREAD);
        hwloc_bitmap_free(h->may_use);
    }
    hwloc_topology_destroy(h->topology);
    free(h);
}

static const struct ay_device_ops OPS = {
    .close = close_host,
    .describe = describe,
    .telemetry = telemetry,
    .now_ns = clock_ns,
    .sleep_ns = sleep_ns,
    .host = &HOST_OPS,
};

/* --- opening ---------------------------------------------------------------------------------- */

/* On error, h holds what close_host gives back. */
static enum ay_status pin(struct host *h, struct ay_error *err)
{
    h->may_use = hwloc_bitmap_alloc();
    hwloc_cpuset_t one = hwloc_bitmap_alloc();
    uint32_t cpu = 0;
    enum ay_status status = AY_OK;
    if (!h->may_use || !one)
        status = AY_FAIL(err, AY_NOMEM, "no memory for a set of CPUs");
    else if (hwloc_get_cpubind(h->topology, h->may_use, HWLOC_CPUBIND_THREAD) != 0)
        status = AY_FAIL(err, AY_DEVICE, "cannot tell which CPUs may be used: %s", strerror(errno));
    if (status == AY_OK) status = ay_choose_cpu(h->topology, h->may_use, &cpu, err);
    if (status == AY_OK) {
        hwloc_bitmap_only(one, cpu);
        if (hwloc_set_cpubind(h->topology, one, HWLOC_CPUBIND_THREAD) != 0)
            status = AY_FAIL(err, AY_DEVICE, "cannot pin to CPU %u: %s", cpu, strerror(errno));
    }
    if (status == AY_OK) ay_read_topology(h->topology, h->may_use, cpu, &h->facts);
    hwloc_bitmap_free(one);
    return status;
}

enum ay_status ay_host_open(struct ay_device *out, struct ay_error *err)
{
    *out = (struct ay_device){ .name = "host", .kind = AY_DEVICE_HOST };
    struct host *const h = calloc(1, sizeof *h);
    if (!h) return AY_FAIL(err, AY_NOMEM, "no memory for the host device");
    enum ay_status status = ay_load_topology(&h->topology, err);
    if (status != AY_OK) {
        free(h);
        return status;
    }
    status = pin(h, err);
    if (status != AY_OK) {
        close_host(h);
        return status;
    }
    struct ay_host_facts *const f = &h->facts;
    f->total_bytes = ay_meminfo_bytes(&ay_host_roots, "MemTotal");
    f->free_bytes = ay_host_free_bytes(&ay_host_roots);
    ay_no_huge_pages(&ay_host_roots, f->huge_pages, sizeof f->huge_pages);
    out->facts.free_bytes = f->free_bytes;
    out->facts.total_bytes = f->total_bytes;
    out->self = h;
    out->ops = &OPS;
    return AY_OK;
}

json_t *ay_host_environment(void)
{
    return ay_describe_machine(&ay_host_roots);
}
