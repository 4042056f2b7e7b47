/* gpu_impl.h - inside of a GPU device, for the gpu*.c files alone. */
#ifndef AY_GPU_IMPL_H
#define AY_GPU_IMPL_H

#include "dev/gpu/diagnose.h"
#include "dev/gpu/gpu.h"

struct gpu_function {
    struct gpu_function *next;
    const char *entry; /* owned */
    CUfunction handle;
    uint32_t max_shared_bytes; /* dynamic shared memory asked for so far */
    int carveout_percent;      /* last one set; 0: the driver's default */
};

struct gpu_module {
    struct gpu_module *next;
    const char *source; /* owned */
    const struct ay_image *image;
    CUmodule handle;
    struct gpu_function *functions;
};

struct gpu_peer {
    CUdevice device;
    CUcontext context; /* NULL: not retained yet */
    bool is_mapped;    /* kernels of this device may use its memory */
};

struct gpu {
    struct ay_driver d;
    const struct ay_image *images; /* the embedded ones */
    char name[128];
    bool is_simulated;
    CUdevice device;
    CUcontext context;
    /* What has no stream runs here and is waited for: the legacy stream would also wait for every
     * blocking stream, and its copies from pageable memory return before they have arrived. */
    CUstream main;
    int driver_version, sm_arch; /* 13000; 90 */
    char product[96], pci[32], uuid[48], arch[16];
    bool is_nvml_on;     /* nvmlInit has succeeded */
    nvmlDevice_t nvml;   /* NULL: no telemetry */
    const char *nvml_why; /* why not */
    uint64_t granularity; /* of virtual memory; 0: not asked yet */
    CUdeviceptr copy_from, copy_to; /* what copy nodes of graphs move */
    struct gpu_module *modules;
    size_t n_peers;
    struct gpu_peer *peers;
};

enum { GPU_COPY_NODE_BYTES = 64 };

/* g->d.ENTRY(self, args…) inside of a function that has `g` and `err`: returns the failure. */
#define GPU_SELF(...) (g->d.self __VA_OPT__(, ) __VA_ARGS__)
#define GPU_CALL(entry, args, ...)                                                    \
    do {                                                                              \
        if (!g->d.entry) return ay_lacks(err, AY_ENTRY_cu##entry);                    \
        const CUresult r_ = g->d.entry GPU_SELF args;                                 \
        if (r_ != CUDA_SUCCESS)                                                       \
            return ay_refused(err, &g->d, AY_ENTRY_cu##entry, r_, __VA_ARGS__);       \
    } while (0)
/* A handle or address that a successful call must have given. */
#define GPU_GIVEN(what, entry)                                                        \
    do {                                                                              \
        if (!(what))                                                                  \
            return AY_FAIL(err, AY_DEVICE, "corrupt: cu" #entry                       \
                           " reported success and gave nothing");                     \
    } while (0)
/* Where no failure can be passed up: releases. */
#define GPU_QUIET(entry, args) ((void)(g->d.entry && g->d.entry GPU_SELF args))

static inline CUstream gpu_stream_of(const struct gpu *g, struct ay_stream *s)
{
    return s ? (CUstream)s : g->main;
}

/* 0 when the driver does not say. */
int gpu_attribute(struct gpu *g, CUdevice_attribute a);

/* gpu_identity.c: names and ids of a device; what cannot be had is "". */
void gpu_identify(struct ay_driver *d, CUdevice device, struct ay_gpu_entry *out);
enum ay_status gpu_find(struct ay_driver *d, int ordinal, const char *uuid, const char *name,
                        CUdevice *out, int *version, struct ay_error *err) AY_CHECKED;
enum ay_status gpu_start(struct ay_driver *d, int *version, int *n_devices,
                         struct ay_error *err) AY_CHECKED;

/* gpu_describe.c, gpu_environment.c, gpu_telemetry.c */
enum ay_status gpu_fill_facts(struct gpu *g, struct ay_facts *out, struct ay_error *err) AY_CHECKED;
enum ay_status gpu_describe(void *self, json_t **device, json_t **environment,
                            struct ay_error *err);
json_t *gpu_environment(struct gpu *g);
json_t *gpu_pci_ids(const struct gpu *g); /* "10de:2335" */
json_t *gpu_telemetry(void *self);
json_t *gpu_ecc(struct gpu *g); /* on, off, or null */
json_t *gpu_mig(struct gpu *g);
void gpu_start_nvml(struct gpu *g);
void gpu_stop_nvml(struct gpu *g);

/* gpu_module.c: images, modules, functions. The function stays the module's. */
const struct ay_image *gpu_pick_image(const struct ay_image *images, const char *source,
                                      int sm_arch, bool wants_ptx, bool is_to_load);
enum ay_status gpu_image_of(void *self, const struct ay_kernel *k, const struct ay_image **out,
                            struct ay_error *err);
enum ay_status gpu_function_of(struct gpu *g, const struct ay_kernel *k, struct gpu_function **out,
                               struct ay_error *err) AY_CHECKED;
void gpu_unload_modules(struct gpu *g);

/* A kernel's one parameter as a buffer with its size: where kernel and host disagree about it, the
 * driver refuses instead of reading on. args and *n_bytes must outlive the launch call. */
enum { GPU_ARGS_WORDS = 5 };
static inline void **gpu_args_of(const struct ay_launch *l, size_t *n_bytes,
                                 void *args[GPU_ARGS_WORDS])
{
    if (!l->args) return NULL;
    *n_bytes = l->args_bytes;
    args[0] = CU_LAUNCH_PARAM_BUFFER_POINTER;
    args[1] = (void *)(uintptr_t)l->args;
    args[2] = CU_LAUNCH_PARAM_BUFFER_SIZE;
    args[3] = n_bytes;
    args[4] = CU_LAUNCH_PARAM_END;
    return args;
}

/* gpu_launch.c */
enum ay_status gpu_prepare(struct gpu *g, const struct ay_launch *l, struct gpu_function **out,
                           struct ay_error *err) AY_CHECKED;
enum ay_status gpu_launch(void *self, const struct ay_launch *l, struct ay_error *err);
enum ay_status gpu_occupancy(void *self, const struct ay_launch *l, uint32_t *ctas_per_sm,
                             struct ay_error *err);
enum ay_status gpu_max_clusters(void *self, const struct ay_launch *l, uint32_t *n,
                                struct ay_error *err);

void gpu_close_peers(struct gpu *g);

#endif
