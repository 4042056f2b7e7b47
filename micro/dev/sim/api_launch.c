/* api_launch.c - launches: what was asked for, whether it can be had, when it begins. */
#include "dev/sim/api.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what was asked for ----------------------------------------------------------------------- */

/* Parameters as PTX lays them out, from one pointer each, or from one buffer. */
static CUresult gather(const struct sim_kernel *k, void **params, void **extra, uint8_t *into)
{
    const void *buffer = NULL;
    size_t bytes = 0;
    for (void **e = extra; e && *e != CU_LAUNCH_PARAM_END; e += 2) {
        if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = e[1];
        if (*e == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *(const size_t *)e[1];
    }
    if (buffer) {
        if (params || bytes < k->param_bytes) return CUDA_ERROR_INVALID_VALUE;
        memcpy(into, buffer, k->param_bytes);
        return CUDA_SUCCESS;
    }
    if (k->n_params && !params) return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < k->n_params; i++) {
        if (!params[i]) return CUDA_ERROR_INVALID_VALUE;
        memcpy(into + k->params[i].offset, params[i], k->params[i].bytes);
    }
    return CUDA_SUCCESS;
}

void sim_free_call(struct sim_call *call)
{
    free(call->params);
    call->params = NULL;
}

CUresult sim_prepare(struct sim_driver *d, CUfunction f, struct sim_call *call, void **params,
                     void **extra)
{
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (f->owner->gpu != d->current) return CUDA_ERROR_INVALID_CONTEXT;
    const struct sim_gpu *const g = sim_current(d);
    const struct sim_kernel *const k = f->kernel;
    call->function = f;
    call->params = calloc(1, k->param_bytes + 1);
    if (!call->params) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult r = gather(k, params, extra, call->params);
    if (r != CUDA_SUCCESS) {
        sim_free_call(call);
        return r;
    }
    call->config.image = f->owner->image;
    call->config.kernel = k;
    call->config.params = call->params;
    call->config.params_bytes = k->param_bytes;
    call->config.carveout_percent = f->carveout_percent;
    call->config.cta_interval_ns = g->chip.launch_cta_ns;
    return CUDA_SUCCESS;
}

CUresult sim_attribute(struct sim_call *call, CUlaunchAttributeID id,
                       const CUlaunchAttributeValue *value)
{
    switch (id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        call->config.cluster[0] = value->clusterDim.x;
        call->config.cluster[1] = value->clusterDim.y;
        call->config.cluster[2] = value->clusterDim.z;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        call->config.is_cooperative = value->cooperative != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        call->is_pdl = value->programmaticStreamSerializationAllowed != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value->sharedMemCarveout > 100) return CUDA_ERROR_INVALID_VALUE;
        call->config.carveout_percent = (int)value->sharedMemCarveout;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return CUDA_SUCCESS;
    default: return CUDA_ERROR_NOT_SUPPORTED;
    }
}

/* --- whether it can be had -------------------------------------------------------------------- */

static uint64_t volume(const uint32_t n[3])
{
    return (uint64_t)n[0] * n[1] * n[2];
}

static CUresult check_cluster(struct sim_driver *d, const struct sim_call *call)
{
    const struct sim_launch_config *const c = &call->config;
    const uint32_t *const cluster = c->cluster[0] ? c->cluster : c->kernel->cluster;
    const struct ay_chip *const chip = &sim_current(d)->chip;
    if (!cluster[0]) return CUDA_SUCCESS;
    if (ay_chip_arch_number(chip) < 90) return CUDA_ERROR_NOT_SUPPORTED;
    uint64_t n = 1;
    for (int i = 0; i < 3; i++) {
        const uint32_t side = cluster[i] ? cluster[i] : 1;
        if (c->grid[i] % side) return CUDA_ERROR_INVALID_VALUE;
        n *= side;
    }
    if (n > chip->cluster_max_ctas || (n > 8 && !call->function->may_large_cluster))
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    return n > 1 && sim_max_clusters(sim_current(d)->machine, c) == 0
               ? CUDA_ERROR_INVALID_CLUSTER_SIZE
               : CUDA_SUCCESS;
}

static CUresult check_shape(struct sim_driver *d, const struct sim_call *call)
{
    const struct sim_launch_config *const c = &call->config;
    const struct sim_kernel *const k = c->kernel;
    const struct ay_chip *const chip = &sim_current(d)->chip;
    const uint64_t n_threads = volume(c->block);
    if (volume(c->grid) == 0 || n_threads == 0 || n_threads > chip->threads_per_cta)
        return CUDA_ERROR_INVALID_VALUE;
    if (c->grid[0] > INT32_MAX || c->grid[1] > 65535 || c->grid[2] > 65535)
        return CUDA_ERROR_INVALID_VALUE;
    if (k->reqntid[0] && memcmp(k->reqntid, c->block, sizeof k->reqntid) != 0 &&
        n_threads != (uint64_t)k->reqntid[0] * (k->reqntid[1] ? k->reqntid[1] : 1) *
                         (k->reqntid[2] ? k->reqntid[2] : 1))
        return CUDA_ERROR_INVALID_VALUE;
    if (c->dynamic_shared_bytes > (uint32_t)call->function->max_dynamic_shared_bytes ||
        (uint64_t)c->dynamic_shared_bytes + k->shared_bytes > chip->shared_bytes_per_cta)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult sim_check(struct sim_driver *d, const struct sim_call *call)
{
    const struct sim_launch_config *const c = &call->config;
    struct sim_gpu *const g = sim_current(d);
    struct ay_error err;
    CUresult r = check_shape(d, call);
    if (r == CUDA_SUCCESS) r = check_cluster(d, call);
    if (r != CUDA_SUCCESS) return r;
    const uint64_t n_resident = sim_occupancy(g->machine, c);
    if (n_resident == 0) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (c->is_cooperative && volume(c->grid) > n_resident * g->chip.sms)
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    if (sim_kernel_check(c->kernel, &err) == AY_OK) return CUDA_SUCCESS;
    snprintf(d->reason, sizeof d->reason, "kernel %.100s: %.390s", c->kernel->name, err.text);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* --- when it begins --------------------------------------------------------------------------- */

double sim_call_extra_ns(const struct sim_gpu *g, const struct sim_call *call)
{
    const struct ay_chip *const c = &g->chip;
    const uint32_t *const cluster =
        call->config.cluster[0] ? call->config.cluster : call->config.kernel->cluster;
    double ns = (double)call->config.params_bytes / 1024 * c->launch_arg_ns_per_kib;
    if ((uint64_t)cluster[0] * (cluster[1] ? cluster[1] : 1) * (cluster[2] ? cluster[2] : 1) > 1)
        ns += (double)c->launch_cluster_ns;
    if (call->config.is_cooperative) ns += (double)c->launch_cooperative_ns;
    return ns;
}

/* The first launch of a context costs the host more; one after a pause keeps the device waiting. */
static double cold_ns(struct sim_driver *d, struct sim_gpu *g, double *idle_ns)
{
    const bool is_cold = !g->has_launched;
    g->has_launched = true;
    *idle_ns = 0;
    if (!is_cold && d->n_items == 0 &&
        d->host_ns - g->last_busy_ns >= g->chip.launch_idle_after_ms * 1e6)
        *idle_ns = (double)g->chip.launch_idle_ns;
    return is_cold ? (double)g->chip.launch_cold_ns : 0;
}

static CUresult hand_over(struct sim_driver *d, CUstream stream, struct sim_call *call)
{
    struct sim_gpu *const g = sim_current(d);
    const struct ay_chip *const c = &g->chip;
    double idle_ns;
    const double extra_ns = sim_call_extra_ns(g, call) + cold_ns(d, g, &idle_ns);
    struct sim_item *const item = sim_new_item(SIM_ITEM_KERNEL, stream);
    if (!item) return CUDA_ERROR_OUT_OF_MEMORY;
    item->call = *call;
    call->params = NULL; /* the item's now */
    item->gpu = d->current;
    item->gap_ns =
        sim_wavers(d, (double)(call->is_pdl ? c->launch_pdl_gap_ns : c->launch_gap_ns));
    item->earliest_ns =
        d->host_ns + sim_wavers(d, (double)c->launch_start_ns + extra_ns + idle_ns);
    const double call_ns = sim_wavers(d, (double)c->launch_call_ns + extra_ns);
    const CUresult r = sim_enqueue(d, item);
    sim_pass(d, call_ns);
    return r != CUDA_SUCCESS ? r : d->sticky;
}

static CUresult launch(struct sim_driver *d, const CUlaunchConfig *config, CUfunction f,
                       void **params, void **extra)
{
    struct sim_call call = {0};
    CUstream const stream = sim_stream_of(d, config->hStream);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    CUresult r = sim_prepare(d, f, &call, params, extra);
    if (r != CUDA_SUCCESS) return r;
    memcpy(call.config.grid, (uint32_t[3]){config->gridDimX, config->gridDimY, config->gridDimZ},
           sizeof call.config.grid);
    memcpy(call.config.block,
           (uint32_t[3]){config->blockDimX, config->blockDimY, config->blockDimZ},
           sizeof call.config.block);
    call.config.dynamic_shared_bytes = config->sharedMemBytes;
    for (unsigned i = 0; i < config->numAttrs && r == CUDA_SUCCESS; i++)
        r = sim_attribute(&call, config->attrs[i].id, &config->attrs[i].value);
    if (r == CUDA_SUCCESS) r = sim_check(d, &call);
    if (r == CUDA_SUCCESS) r = hand_over(d, stream, &call);
    sim_free_call(&call);
    return r;
}

/* --- calls ------------------------------------------------------------------------------------ */

static CUresult launch_ex(void *self, const CUlaunchConfig *config, CUfunction f, void **params,
                          void **extra)
{
    SIM_ENTER_PRICED(0);
    return launch(d, config, f, params, extra);
}

static CUresult launch_kernel(void *self, CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                              unsigned bx, unsigned by, unsigned bz, unsigned shared_bytes,
                              CUstream stream, void **params, void **extra)
{
    SIM_ENTER_PRICED(0);
    const CUlaunchConfig config = {gx, gy, gz, bx, by, bz, shared_bytes, stream, NULL, 0};
    return launch(d, &config, f, params, extra);
}

static CUresult launch_cooperative(void *self, CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                   unsigned bx, unsigned by, unsigned bz, unsigned shared_bytes,
                                   CUstream stream, void **params)
{
    SIM_ENTER_PRICED(0);
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE};
    attribute.value.cooperative = 1;
    const CUlaunchConfig config = {gx, gy, gz, bx, by, bz, shared_bytes, stream, &attribute, 1};
    return launch(d, &config, f, params, NULL);
}

/* --- occupancy -------------------------------------------------------------------------------- */

static struct sim_launch_config plain_config(CUfunction f, int n_threads, size_t shared_bytes)
{
    return (struct sim_launch_config){.image = f->owner->image,
                                      .kernel = f->kernel,
                                      .grid = {1, 1, 1},
                                      .block = {(uint32_t)n_threads, 1, 1},
                                      .dynamic_shared_bytes = (uint32_t)shared_bytes,
                                      .carveout_percent = f->carveout_percent};
}

static CUresult max_blocks(void *self, int *n, CUfunction f, int n_threads, size_t shared_bytes)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if (!f || n_threads < 1) return CUDA_ERROR_INVALID_VALUE;
    const struct sim_launch_config config = plain_config(f, n_threads, shared_bytes);
    *n = (int)sim_occupancy(sim_current(d)->machine, &config);
    return CUDA_SUCCESS;
}

static struct sim_launch_config cluster_config(CUfunction f, const CUlaunchConfig *config)
{
    struct sim_call call = {.config = plain_config(f, (int)config->blockDimX,
                                                   config->sharedMemBytes)};
    call.config.block[1] = config->blockDimY;
    call.config.block[2] = config->blockDimZ;
    call.config.grid[0] = config->gridDimX;
    for (unsigned i = 0; i < config->numAttrs; i++)
        (void)sim_attribute(&call, config->attrs[i].id, &config->attrs[i].value);
    return call.config;
}

static CUresult max_clusters(void *self, int *n, CUfunction f, const CUlaunchConfig *config)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (ay_chip_arch_number(&sim_current(d)->chip) < 90) return CUDA_ERROR_NOT_SUPPORTED;
    const struct sim_launch_config c = cluster_config(f, config);
    *n = (int)sim_max_clusters(sim_current(d)->machine, &c);
    return CUDA_SUCCESS;
}

static CUresult max_cluster_size(void *self, int *size, CUfunction f, const CUlaunchConfig *config)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    const struct sim_gpu *const g = sim_current(d);
    if (ay_chip_arch_number(&g->chip) < 90) return CUDA_ERROR_NOT_SUPPORTED;
    struct sim_launch_config c = cluster_config(f, config);
    const uint32_t most = f->may_large_cluster ? 16 : 8;
    *size = 0;
    for (uint32_t n = 1; n <= most && n <= g->chip.cluster_max_ctas; n *= 2) {
        memcpy(c.cluster, (uint32_t[3]){n, 1, 1}, sizeof c.cluster);
        if (sim_max_clusters(g->machine, &c)) *size = (int)n;
    }
    return CUDA_SUCCESS;
}

/* The most that still lets n_blocks be resident, found by halving. */
static CUresult available_shared(void *self, size_t *bytes, CUfunction f, int n_blocks,
                                 int n_threads)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if (!f || n_blocks < 1 || n_threads < 1) return CUDA_ERROR_INVALID_VALUE;
    size_t low = 0, high = (size_t)sim_current(d)->chip.shared_bytes_per_cta;
    while (low < high) {
        const size_t middle = (low + high + 1) / 2;
        const struct sim_launch_config c = plain_config(f, n_threads, middle);
        if (sim_occupancy(sim_current(d)->machine, &c) >= (uint32_t)n_blocks)
            low = middle;
        else
            high = middle - 1;
    }
    *bytes = low;
    return CUDA_SUCCESS;
}

void sim_fill_launch(struct ay_driver *t)
{
    t->LaunchKernel = launch_kernel;
    t->LaunchKernelEx = launch_ex;
    t->LaunchCooperativeKernel = launch_cooperative;
    t->OccupancyMaxActiveBlocksPerMultiprocessor = max_blocks;
    t->OccupancyMaxActiveClusters = max_clusters;
    t->OccupancyMaxPotentialClusterSize = max_cluster_size;
    t->OccupancyAvailableDynamicSMemPerBlock = available_shared;
}
