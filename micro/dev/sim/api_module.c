/* api_module.c - PTX text becomes a module, its entries functions; what of them fits. */
#include "dev/sim/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- loading ---------------------------------------------------------------------------------- */

/* PTX for sm_75 runs on all later chips, PTX for sm_90a on 9.0 alone [ptx-isa 11.1.2]. */
static bool suits(const struct ay_chip *c, const char *target)
{
    char *end = NULL;
    if (strncmp(target, "sm_", 3) != 0) return false;
    const long number = strtol(target + 3, &end, 10);
    if (*end == 'a') return number == ay_chip_arch_number(c);
    if (*end == 'f') return number / 10 == ay_chip_arch_number(c) / 10;
    return number <= ay_chip_arch_number(c);
}

static bool is_machine_code(const void *image)
{
    static const unsigned char elf[4] = {0x7f, 'E', 'L', 'F'}, fatbin[4] = {0x50, 0xed, 0x55, 0xba};
    return memcmp(image, elf, 4) == 0 || memcmp(image, fatbin, 4) == 0;
}

static CUresult load_text(struct sim_driver *d, const char *text, CUmodule m, char *log,
                          size_t log_bytes)
{
    struct sim_gpu *const g = sim_current(d);
    struct ay_error err;
    if (sim_module_parse(text, strlen(text), &m->module, &err) != AY_OK) {
        snprintf(log, log_bytes, "%s", err.text);
        return CUDA_ERROR_INVALID_PTX;
    }
    if (!suits(&g->chip, m->module->target)) {
        snprintf(log, log_bytes, "the PTX is for %s and %s is %s", m->module->target,
                 g->chip.name, ay_chip_arch_text(&g->chip));
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    m->gpu = d->current;
    if (sim_load(g->machine, m->module, &m->image, &err) == AY_OK) return CUDA_SUCCESS;
    snprintf(log, log_bytes, "%s", err.text);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static void free_module(struct sim_driver *d, CUmodule m)
{
    if (m->image) sim_unload(d->gpus[m->gpu].machine, m->image);
    sim_module_close(m->module);
    while (m->functions) {
        CUfunction const f = m->functions;
        m->functions = f->next;
        free(f);
    }
    free(m);
}

static CUresult load(struct sim_driver *d, CUmodule *out, const void *image, char *log,
                     size_t log_bytes)
{
    *out = NULL;
    if (!image) return CUDA_ERROR_INVALID_VALUE;
    if (is_machine_code(image)) {
        snprintf(d->reason, sizeof d->reason,
                 "the simulator runs PTX text; this image is machine code");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    CUmodule const m = calloc(1, sizeof *m);
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult r = load_text(d, image, m, log, log_bytes);
    if (r != CUDA_SUCCESS) {
        free_module(d, m);
        return r;
    }
    m->next = d->modules;
    d->modules = m;
    *out = m;
    return CUDA_SUCCESS;
}

static CUresult load_data(void *self, CUmodule *module, const void *image)
{
    char log[512];
    SIM_ENTER_PRICED(SIM_CALL_NS);
    return load(d, module, image, log, sizeof log);
}

static CUresult load_data_ex(void *self, CUmodule *module, const void *image, unsigned n_options,
                             CUjit_option *options, void **values)
{
    char own_log[512] = "", *log = own_log;
    size_t log_bytes = sizeof own_log;
    SIM_ENTER_PRICED(SIM_CALL_NS);
    for (unsigned i = 0; i < n_options; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) log_bytes = (size_t)values[i];
    }
    if (log == own_log) log_bytes = sizeof own_log;
    return load(d, module, image, log, log_bytes);
}

static CUmodule *find_module(struct sim_driver *d, CUmodule m)
{
    CUmodule *at = &d->modules;
    while (*at && *at != m) at = &(*at)->next;
    return at;
}

static CUresult unload(void *self, CUmodule module)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    CUmodule *const at = find_module(d, module);
    if (!*at) return CUDA_ERROR_INVALID_HANDLE;
    const CUresult r = sim_wait(d, NULL, 0);
    *at = module->next;
    free_module(d, module);
    return r;
}

void sim_free_modules(struct sim_driver *d)
{
    while (d->modules) {
        CUmodule const m = d->modules;
        d->modules = m->next;
        free_module(d, m);
    }
}

static CUresult get_function(void *self, CUfunction *function, CUmodule module, const char *name)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    *function = NULL;
    if (!*find_module(d, module)) return CUDA_ERROR_INVALID_HANDLE;
    const struct sim_kernel *const kernel = sim_find_kernel(module->module, name);
    if (!kernel) return CUDA_ERROR_NOT_FOUND;
    for (CUfunction f = module->functions; f; f = f->next)
        if (f->kernel == kernel) *function = f;
    if (*function) return CUDA_SUCCESS;
    CUfunction const f = calloc(1, sizeof *f);
    if (!f) return CUDA_ERROR_OUT_OF_MEMORY;
    *f = (struct CUfunc_st){.next = module->functions,
                            .owner = module,
                            .kernel = kernel,
                            .max_dynamic_shared_bytes = 49152 - (int)kernel->shared_bytes,
                            .carveout_percent = -1};
    module->functions = f;
    *function = f;
    return CUDA_SUCCESS;
}

static CUresult get_global(void *self, CUdeviceptr *at, size_t *bytes, CUmodule module,
                           const char *name)
{
    uint64_t va = 0, n = 0;
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if (!*find_module(d, module)) return CUDA_ERROR_INVALID_HANDLE;
    if (!sim_symbol(module->image, name, &va, &n)) return CUDA_ERROR_NOT_FOUND;
    if (at) *at = va;
    if (bytes) *bytes = n;
    return CUDA_SUCCESS;
}

static CUresult loading_mode(void *self, CUmoduleLoadingMode *mode)
{
    (void)self;
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

static CUresult load_function(void *self, CUfunction f)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* --- functions -------------------------------------------------------------------------------- */

/* Warps of a CTA that the registers of an SM can hold. */
static int max_threads(const struct ay_chip *c, const struct sim_kernel *k)
{
    const uint64_t per_warp = 32 * (uint64_t)(k->n_registers ? k->n_registers : 1);
    const uint64_t unit = c->register_alloc_unit;
    const uint64_t threads =
        32 * (c->registers_per_sm / ((per_warp + unit - 1) / unit * unit));
    const uint64_t declared = (uint64_t)k->maxntid[0] * (k->maxntid[1] ? k->maxntid[1] : 1) *
                              (k->maxntid[2] ? k->maxntid[2] : 1);
    uint64_t n = threads < c->threads_per_cta ? threads : c->threads_per_cta;
    if (declared && declared < n) n = declared;
    return (int)n;
}

static CUresult get_attribute(void *self, int *value, CUfunction_attribute a, CUfunction f)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    const struct sim_kernel *const k = f->kernel;
    switch (a) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = max_threads(&sim_current(d)->chip, k);
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)k->shared_bytes; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)k->local_bytes; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)f->owner->module->const_bytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)k->n_registers; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = (int)f->owner->module->version; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = ay_chip_arch_number(&sim_current(d)->chip);
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = f->max_dynamic_shared_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = f->carveout_percent; break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *value = f->may_large_cluster; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = (int)k->cluster[0]; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = (int)k->cluster[1]; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = (int)k->cluster[2]; break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = k->explicit_cluster && !k->cluster[0];
        break;
    default: *value = 0;
    }
    return CUDA_SUCCESS;
}

static CUresult set_attribute(void *self, CUfunction f, CUfunction_attribute a, int value)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    const uint64_t most = sim_current(d)->chip.shared_bytes_per_cta;
    switch (a) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || (uint64_t)value + f->kernel->shared_bytes > most)
            return CUDA_ERROR_INVALID_VALUE;
        f->max_dynamic_shared_bytes = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
        f->carveout_percent = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        f->may_large_cluster = value != 0;
        return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

void sim_fill_module(struct ay_driver *t)
{
    t->ModuleLoadData = load_data;
    t->ModuleLoadDataEx = load_data_ex;
    t->ModuleUnload = unload;
    t->ModuleGetFunction = get_function;
    t->ModuleGetGlobal = get_global;
    t->ModuleGetLoadingMode = loading_mode;
    t->FuncLoad = load_function;
    t->FuncGetAttribute = get_attribute;
    t->FuncSetAttribute = set_attribute;
}
