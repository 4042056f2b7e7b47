/* gpu.c - opening and closing a GPU; the table of what it can do. */
#include "dev/gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev/gpu/fault.h"
#include "dev/gpu/gpu_ops.h"

enum ay_status ay_cuda_open(struct ay_faults *faults, struct ay_driver *out, struct ay_error *err)
{
    const enum ay_status s = ay_libcuda_open(out, err);
    if (s != AY_OK) {
        if (!faults || !ay_faults_want_standin(faults)) return s;
        ay_standin_open(out);
    }
    if (!faults) return AY_OK;
    const enum ay_status wrapped = ay_faults_wrap(out, faults, err);
    if (wrapped != AY_OK) ay_driver_close(out);
    return wrapped;
}

/* --- closing ---------------------------------------------------------------------------------- */

static void close_gpu(void *self)
{
    struct gpu *g = self;
    if (g->context) {
        if (g->copy_from) GPU_QUIET(MemFree, (g->copy_from));
        gpu_unload_modules(g);
        if (g->main) GPU_QUIET(StreamDestroy, (g->main));
        gpu_close_peers(g);
        GPU_QUIET(DevicePrimaryCtxRelease, (g->device));
    }
    gpu_stop_nvml(g);
    ay_driver_close(&g->d);
    free(g);
}

/* --- opening ---------------------------------------------------------------------------------- */

static uint64_t now_ns(void *self)
{
    struct gpu *g = self;
    return g->d.now_ns(g->d.self);
}

static void sleep_ns(void *self, uint64_t ns)
{
    struct gpu *g = self;
    g->d.sleep_ns(g->d.self, ns);
}

static const struct ay_device_ops ops = {
    .close = close_gpu,
    .describe = gpu_describe,
    .telemetry = gpu_telemetry,
    .alloc = gpu_alloc,
    .release = gpu_release,
    .write = gpu_write,
    .read = gpu_read,
    .fill = gpu_fill,
    .pin = gpu_pin,
    .unpin = gpu_unpin,
    .image_of = gpu_image_of,
    .launch = gpu_launch,
    .occupancy = gpu_occupancy,
    .max_clusters = gpu_max_clusters,
    .set_limit = gpu_set_limit,
    .access_window = gpu_access_window,
    .vmm_granularity = gpu_vmm_granularity,
    .vmm_create = gpu_vmm_create,
    .vmm_alias = gpu_vmm_alias,
    .vmm_release = gpu_vmm_release,
    .stream = gpu_stream,
    .stream_release = gpu_stream_release,
    .stream_wait = gpu_stream_wait,
    .event = gpu_event,
    .event_release = gpu_event_release,
    .record = gpu_record,
    .event_done = gpu_event_done,
    .elapsed_ns = gpu_elapsed_ns,
    .stream_after = gpu_stream_after,
    .copy = gpu_copy,
    .stream_write = gpu_stream_write,
    .stream_until = gpu_stream_until,
    .graph = gpu_graph,
    .graph_release = gpu_graph_release,
    .graph_add = gpu_graph_add,
    .graph_ready = gpu_graph_ready,
    .graph_upload = gpu_graph_upload,
    .graph_launch = gpu_graph_launch,
    .graph_update = gpu_graph_update,
    .peer_count = gpu_peer_count,
    .peer_alloc = gpu_peer_alloc,
    .peer_release = gpu_peer_release,
    .peer_copy = gpu_peer_copy,
    .now_ns = now_ns,
    .sleep_ns = sleep_ns,
};

static enum ay_status make_context(struct gpu *g, struct ay_error *err)
{
    CUcontext context = NULL;
    CUresult r = g->d.DevicePrimaryCtxRetain(g->d.self, &context, g->device);
    if (r != CUDA_SUCCESS)
        return ay_diagnose_start(err, &g->d, AY_ENTRY_cuDevicePrimaryCtxRetain, r);
    GPU_GIVEN(context, DevicePrimaryCtxRetain);
    g->context = context;
    r = g->d.CtxSetCurrent(g->d.self, context);
    if (r != CUDA_SUCCESS) return ay_diagnose_start(err, &g->d, AY_ENTRY_cuCtxSetCurrent, r);
    GPU_CALL(StreamCreate, (&g->main, CU_STREAM_NON_BLOCKING), "%s", "");
    GPU_GIVEN(g->main, StreamCreate);
    return AY_OK;
}

static enum ay_status open_gpu(struct gpu *g, int ordinal, const char *uuid, struct ay_facts *facts,
                               struct ay_error *err)
{
    struct ay_gpu_entry id;
    AY_TRY(gpu_find(&g->d, ordinal, uuid, g->name, &g->device, &g->driver_version, err));
    gpu_identify(&g->d, g->device, &id);
    snprintf(g->product, sizeof g->product, "%s", id.product);
    snprintf(g->pci, sizeof g->pci, "%s", id.pci);
    snprintf(g->uuid, sizeof g->uuid, "%s", id.uuid);
    snprintf(g->arch, sizeof g->arch, "%s", id.arch);
    g->sm_arch = gpu_attribute(g, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                 gpu_attribute(g, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    AY_TRY(make_context(g, err));
    gpu_start_nvml(g);
    return gpu_fill_facts(g, facts, err);
}

enum ay_status ay_gpu_open(struct ay_driver *driver, int ordinal, const char *uuid,
                           const char *name, bool is_simulated, struct ay_device *out,
                           struct ay_error *err)
{
    memset(out, 0, sizeof *out);
    struct gpu *g = calloc(1, sizeof *g);
    if (!g) {
        ay_driver_close(driver);
        return AY_FAIL(err, AY_NOMEM, "no memory for %s", name);
    }
    g->d = *driver;
    memset(driver, 0, sizeof *driver);
    g->images = ay_images;
    g->is_simulated = is_simulated;
    snprintf(g->name, sizeof g->name, "%s", name);
    struct ay_facts facts;
    const enum ay_status s = open_gpu(g, ordinal, uuid, &facts, err);
    if (s != AY_OK) {
        close_gpu(g);
        return s;
    }
    snprintf(out->name, sizeof out->name, "%s", name);
    out->kind = is_simulated ? AY_DEVICE_SIMULATED : AY_DEVICE_GPU;
    out->facts = facts;
    out->ops = &ops;
    out->self = g;
    return AY_OK;
}
