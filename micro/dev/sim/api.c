/* api.c - opening and closing the simulated driver; contexts. */
#include "dev/sim/api.h"

#include <stdlib.h>
#include <string.h>

/* --- start ------------------------------------------------------------------------------------ */

static CUresult init(void *self, unsigned flags)
{
    struct sim_driver *const d = self;
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    d->is_initialised = true;
    return CUDA_SUCCESS;
}

static CUresult driver_version(void *self, int *version)
{
    (void)self;
    *version = 13000;
    return CUDA_SUCCESS;
}

#define X(name) {name, #name},
static const struct {
    CUresult code;
    const char *name;
} results[] = {
#include "dev/gpu/errors.def"
};
#undef X

static CUresult error_name(void *self, CUresult code, const char **name)
{
    (void)self;
    *name = NULL;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].code == code) *name = results[i].name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The name again: the real driver's sentences are not ours to copy. The simulator's own word on a
 * lost context is more than they say. */
static CUresult error_string(void *self, CUresult code, const char **text)
{
    struct sim_driver *const d = self;
    if (code != CUDA_SUCCESS && code == d->sticky && d->fault[0]) {
        *text = d->fault;
        return CUDA_SUCCESS;
    }
    return error_name(self, code, text);
}

static const char *last_reason(void *self)
{
    const struct sim_driver *const d = self;
    if (d->reason[0]) return d->reason;
    return d->sticky && d->fault[0] ? d->fault : NULL;
}

/* --- contexts --------------------------------------------------------------------------------- */

void sim_empty_context(struct sim_driver *d)
{
    sim_drop_items(d);
    sim_free_graphs(d);
    sim_free_streams(d);
    sim_free_modules(d);
    sim_free_memory(d);
    d->sticky = d->pending = CUDA_SUCCESS;
    d->fault[0] = '\0';
    for (int i = 0; i < d->n_gpus; i++) d->gpus[i].has_launched = false;
}

static CUresult retain(void *self, CUcontext *context, CUdevice device)
{
    SIM_ENTER;
    *context = NULL;
    if (!d->is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (device < 0 || device >= d->n_gpus) return CUDA_ERROR_INVALID_DEVICE;
    d->gpus[device].n_retained++;
    sim_pass(d, SIM_CALL_NS);
    *context = &d->contexts[device];
    return CUDA_SUCCESS;
}

/* Objects are kept in one list for all GPUs, so they go with the last context. */
static CUresult release(void *self, CUdevice device)
{
    struct sim_driver *const d = self;
    int n_left = 0;
    if (device < 0 || device >= d->n_gpus) return CUDA_ERROR_INVALID_DEVICE;
    if (d->gpus[device].n_retained < 1) return CUDA_ERROR_INVALID_CONTEXT;
    if (--d->gpus[device].n_retained == 0 && d->current == device) d->current = -1;
    for (int i = 0; i < d->n_gpus; i++) n_left += d->gpus[i].n_retained;
    if (n_left == 0) sim_empty_context(d);
    return CUDA_SUCCESS;
}

static CUresult reset(void *self, CUdevice device)
{
    struct sim_driver *const d = self;
    if (device < 0 || device >= d->n_gpus) return CUDA_ERROR_INVALID_DEVICE;
    sim_empty_context(d);
    sim_pass(d, SIM_CALL_NS);
    return CUDA_SUCCESS;
}

static CUresult set_flags(void *self, CUdevice device, unsigned flags)
{
    SIM_ENTER;
    (void)flags; /* how a thread waits: there is none here that could do other work */
    return device < 0 || device >= d->n_gpus ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

static CUresult get_state(void *self, CUdevice device, unsigned *flags, int *is_active)
{
    struct sim_driver *const d = self;
    if (device < 0 || device >= d->n_gpus) return CUDA_ERROR_INVALID_DEVICE;
    *flags = 0;
    *is_active = d->gpus[device].n_retained > 0;
    return CUDA_SUCCESS;
}

static CUresult set_current(void *self, CUcontext context)
{
    struct sim_driver *const d = self;
    if (context && !d->gpus[context->gpu].n_retained) return CUDA_ERROR_INVALID_CONTEXT;
    d->current = context ? context->gpu : -1;
    return CUDA_SUCCESS;
}

static CUresult get_current(void *self, CUcontext *context)
{
    struct sim_driver *const d = self;
    *context = d->current < 0 ? NULL : &d->contexts[d->current];
    return CUDA_SUCCESS;
}

static CUresult synchronize(void *self)
{
    SIM_ENTER_PRICED(0);
    return sim_wait(d, NULL, (double)sim_current(d)->chip.launch_sync_ns);
}

static CUresult set_limit(void *self, CUlimit limit, size_t value)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if ((unsigned)limit >= sizeof d->limits / sizeof *d->limits)
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    d->limits[limit] = value;
    return CUDA_SUCCESS;
}

static CUresult get_limit(void *self, size_t *value, CUlimit limit)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    if ((unsigned)limit >= sizeof d->limits / sizeof *d->limits)
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    *value = d->limits[limit];
    return CUDA_SUCCESS;
}

static CUresult priorities(void *self, int *least, int *greatest)
{
    (void)self;
    *least = 0;
    *greatest = 0;
    return CUDA_SUCCESS;
}

/* --- opening, closing ------------------------------------------------------------------------- */

static void close_driver(void *self)
{
    struct sim_driver *const d = self;
    if (!d) return;
    sim_empty_context(d);
    for (int i = 0; i < d->n_gpus; i++) sim_close(d->gpus[i].machine);
    free(d);
}

static void fill(struct ay_driver *t, struct sim_driver *d)
{
    *t = (struct ay_driver){
        .self = d,
        .origin = "simulator",
        .wants_ptx = true,
        .now_ns = sim_now_ns,
        .sleep_ns = sim_sleep_ns,
        .last_reason = last_reason,
        .close = close_driver,
        .Init = init,
        .DriverGetVersion = driver_version,
        .GetErrorName = error_name,
        .GetErrorString = error_string,
        .DevicePrimaryCtxRetain = retain,
        .DevicePrimaryCtxRelease = release,
        .DevicePrimaryCtxReset = reset,
        .DevicePrimaryCtxSetFlags = set_flags,
        .DevicePrimaryCtxGetState = get_state,
        .CtxSetCurrent = set_current,
        .CtxGetCurrent = get_current,
        .CtxSynchronize = synchronize,
        .CtxSetLimit = set_limit,
        .CtxGetLimit = get_limit,
        .CtxGetStreamPriorityRange = priorities,
    };
    sim_fill_device(t);
    sim_fill_module(t);
    sim_fill_launch(t);
    sim_fill_memory(t);
    sim_fill_vmm(t);
    sim_fill_copy(t);
    sim_fill_stream(t);
    sim_fill_graph(t);
    sim_fill_tensor(t);
    sim_fill_nvml(t);
}

enum ay_status sim_driver_open(const struct ay_chip *chip, struct ay_driver *out,
                               struct ay_error *err)
{
    memset(out, 0, sizeof *out);
    struct sim_driver *const d = calloc(1, sizeof *d);
    if (!d) return AY_FAIL(err, AY_NOMEM, "no memory for a simulated driver");
    d->n_gpus = 1 + (int)chip->peers;
    d->current = -1;
    d->random.state = chip->seed;
    for (int i = 0; i < d->n_gpus; i++) {
        d->gpus[i].chip = *chip;
        d->gpus[i].over_since_ns = d->gpus[i].under_since_ns = -1;
        d->contexts[i].gpu = i;
        const enum ay_status status = sim_open(&d->gpus[i].chip, &d->gpus[i].machine, err);
        if (status == AY_OK) continue;
        d->n_gpus = i;
        close_driver(d);
        return status;
    }
    fill(out, d);
    return AY_OK;
}

const struct sim_counters *sim_driver_counters(const struct ay_driver *t)
{
    return &((const struct sim_driver *)t->self)->total[0];
}

const struct sim_counters *sim_driver_last_counters(const struct ay_driver *t)
{
    return &((const struct sim_driver *)t->self)->last;
}

struct sim_machine *sim_driver_machine(const struct ay_driver *t)
{
    return ((const struct sim_driver *)t->self)->gpus[0].machine;
}

const char *sim_driver_fault_text(const struct ay_driver *t)
{
    return ((const struct sim_driver *)t->self)->fault;
}
