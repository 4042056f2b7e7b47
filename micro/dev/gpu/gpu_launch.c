/* gpu_launch.c - running kernels, and what the driver says would fit. */
#include "dev/gpu/gpu_impl.h"

/* What one ay_launch becomes; the attributes point into it, so it does not move. */
struct config {
    CUlaunchConfig c;
    CUlaunchAttribute attributes[3];
};

static uint32_t at_least_1(uint32_t n)
{
    return n ? n : 1;
}

static void add(struct config *c, CUlaunchAttributeID id, CUlaunchAttributeValue value)
{
    c->attributes[c->c.numAttrs].id = id;
    c->attributes[c->c.numAttrs].value = value;
    c->c.numAttrs++;
}

static void configure(const struct gpu *g, const struct ay_launch *l, struct config *c)
{
    *c = (struct config){.c = {.gridDimX = at_least_1(l->n_ctas),
                               .gridDimY = 1,
                               .gridDimZ = 1,
                               .blockDimX = at_least_1(l->n_threads),
                               .blockDimY = 1,
                               .blockDimZ = 1,
                               .sharedMemBytes = l->shared_bytes,
                               .hStream = gpu_stream_of(g, l->stream)}};
    c->c.attrs = c->attributes;
    if (l->cluster_ctas)
        add(c, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
            (CUlaunchAttributeValue){.clusterDim = {l->cluster_ctas, 1, 1}});
    if (l->is_cooperative)
        add(c, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, (CUlaunchAttributeValue){.cooperative = 1});
    if (l->is_pdl)
        add(c, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            (CUlaunchAttributeValue){.programmaticStreamSerializationAllowed = 1});
}

/* More than 8 CTAs a cluster must be allowed by name, and so must more than 48 KiB of shared memory
 * a CTA [cuda-driver-api]. A preference stays with the function, so it is set when it changes. */
enum { PORTABLE_CLUSTER_CTAS = 8 };

enum ay_status gpu_prepare(struct gpu *g, const struct ay_launch *l, struct gpu_function **out,
                           struct ay_error *err)
{
    AY_TRY(gpu_function_of(g, l->kernel, out, err));
    struct gpu_function *f = *out;
    if (l->shared_bytes > f->max_shared_bytes) {
        GPU_CALL(FuncSetAttribute,
                 (f->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)l->shared_bytes),
                 "(%u bytes of shared memory) of kernel %s", l->shared_bytes, f->entry);
        f->max_shared_bytes = l->shared_bytes;
    }
    if (l->carveout_percent != f->carveout_percent) {
        const int percent = l->carveout_percent ? l->carveout_percent : -1;
        GPU_CALL(FuncSetAttribute,
                 (f->handle, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent),
                 "(shared carve-out of %d %%) of kernel %s", percent, f->entry);
        f->carveout_percent = l->carveout_percent;
    }
    if (l->cluster_ctas > PORTABLE_CLUSTER_CTAS)
        GPU_CALL(FuncSetAttribute,
                 (f->handle, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                 "(clusters of %u) of kernel %s", l->cluster_ctas, f->entry);
    return AY_OK;
}

enum ay_status gpu_launch(void *self, const struct ay_launch *l, struct ay_error *err)
{
    struct gpu *g = self;
    struct gpu_function *f;
    struct config c;
    AY_TRY(gpu_prepare(g, l, &f, err));
    configure(g, l, &c);
    size_t n_bytes;
    void *args[GPU_ARGS_WORDS];
    void **extra = gpu_args_of(l, &n_bytes, args);
    if (c.c.numAttrs)
        GPU_CALL(LaunchKernelEx, (&c.c, f->handle, NULL, extra), "of kernel %s (%u x %u)",
                 f->entry, c.c.gridDimX, c.c.blockDimX);
    else
        GPU_CALL(LaunchKernel,
                 (f->handle, c.c.gridDimX, 1, 1, c.c.blockDimX, 1, 1, l->shared_bytes, c.c.hStream,
                  NULL, extra),
                 "of kernel %s (%u x %u)", f->entry, c.c.gridDimX, c.c.blockDimX);
    if (!l->stream)
        GPU_CALL(StreamSynchronize, (g->main), "after kernel %s", f->entry);
    return AY_OK;
}

enum ay_status gpu_occupancy(void *self, const struct ay_launch *l, uint32_t *ctas_per_sm,
                             struct ay_error *err)
{
    struct gpu *g = self;
    struct gpu_function *f;
    int n = 0;
    AY_TRY(gpu_prepare(g, l, &f, err));
    GPU_CALL(OccupancyMaxActiveBlocksPerMultiprocessor,
             (&n, f->handle, (int)at_least_1(l->n_threads), l->shared_bytes), "of kernel %s",
             f->entry);
    *ctas_per_sm = n > 0 ? (uint32_t)n : 0;
    return AY_OK;
}

enum ay_status gpu_max_clusters(void *self, const struct ay_launch *l, uint32_t *n_clusters,
                                struct ay_error *err)
{
    struct gpu *g = self;
    struct gpu_function *f;
    struct config c;
    int n = 0;
    AY_TRY(gpu_prepare(g, l, &f, err));
    configure(g, l, &c);
    GPU_CALL(OccupancyMaxActiveClusters, (&n, f->handle, &c.c), "of kernel %s (clusters of %u)",
             f->entry, l->cluster_ctas);
    *n_clusters = n > 0 ? (uint32_t)n : 0;
    return AY_OK;
}
