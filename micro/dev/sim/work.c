/* work.c - what an item does when its turn comes, and when it has ended. */
#include "dev/sim/api.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The next kernel of a stream is prepared while one runs. One that is over before that is done
 * hides in it, so that empty kernels follow each other gap_ns apart from start to start; behind a
 * longer one gap_ns lie between its end and the next start. */
double sim_after_kernel(double start_ns, double end_ns, double gap_ns)
{
    if (end_ns - start_ns < gap_ns / 2) return fmax(start_ns + gap_ns, end_ns);
    return end_ns + gap_ns;
}

/* --- turns ------------------------------------------------------------------------------------ */

static int free_engine(const struct sim_driver *d)
{
    const int n_engines = (int)d->gpus[0].chip.copy_engines;
    int best = 0;
    for (int i = 1; i < n_engines; i++)
        if (d->engine_free_ns[i] < d->engine_free_ns[best]) best = i;
    return best;
}

double sim_startable_ns(struct sim_driver *d, const struct sim_item *item)
{
    double ns = item->earliest_ns;
    if (item->kind == SIM_ITEM_COPY) ns = fmax(ns, d->engine_free_ns[free_engine(d)]);
    if (item->pdl_before) {
        const struct sim_launch *const before = item->pdl_before->launch;
        const uint64_t trigger = before ? sim_result(before)->trigger_cycle : 0;
        if (!trigger) return SIM_ENDLESS;
        ns = fmax(ns, sim_ns_of(d->gpus[item->gpu].machine, trigger) + item->gap_ns);
    }
    if (item->run && item->run->has_issued && item->run->group == item->group)
        ns = fmax(ns, item->run->last_issue_ns + d->gpus[item->gpu].chip.graph_fan_node_ns);
    return ns;
}

static void begin_kernel(struct sim_driver *d, struct sim_item *item, double ns)
{
    struct sim_gpu *const g = &d->gpus[item->gpu];
    struct ay_error err;
    item->call.config.start_cycle = sim_cycle_of(g->machine, ns);
    item->call.config.after = item->pdl_before ? item->pdl_before->launch : NULL;
    if (sim_start(g->machine, &item->call.config, &item->launch, &err) == AY_OK) return;
    d->sticky = CUDA_ERROR_LAUNCH_FAILED;
    snprintf(d->fault, sizeof d->fault, "%s", err.text);
}

void sim_begin(struct sim_driver *d, struct sim_item *item, double ns)
{
    item->start_ns = item->end_ns = ns;
    if (item->run) {
        item->run->has_issued = true;
        item->run->last_issue_ns = ns;
        item->run->group = item->group;
    }
    if (item->kind == SIM_ITEM_KERNEL) begin_kernel(d, item, ns);
    if (item->kind == SIM_ITEM_COPY || item->kind == SIM_ITEM_SET)
        item->end_ns = ns + sim_wavers(d, item->transfer.duration_ns);
    if (item->kind == SIM_ITEM_COPY) d->engine_free_ns[free_engine(d)] = item->end_ns;
}

/* --- words in memory -------------------------------------------------------------------------- */

static uint8_t *word_at(struct sim_driver *d, const struct sim_item *item, int *gpu)
{
    uint64_t at = item->at;
    const int owner = sim_owner(d, &at);
    *gpu = owner < 0 ? item->gpu : owner;
    return sim_host_pointer(d->gpus[*gpu].machine, at, item->value_bytes);
}

bool sim_is_word_reached(struct sim_driver *d, const struct sim_item *item)
{
    int gpu;
    uint64_t now = 0;
    const uint8_t *const at = word_at(d, item, &gpu);
    if (!at) return true; /* its memory is gone */
    memcpy(&now, at, item->value_bytes);
    const uint64_t mask = item->value_bytes == 4 ? 0xffffffffu : UINT64_MAX;
    const uint64_t ahead = (now - item->value) & mask; /* cyclic, as the driver's manual has it */
    switch (item->wait_flags & 3) {
    case CU_STREAM_WAIT_VALUE_GEQ: return ahead <= mask >> 1;
    case CU_STREAM_WAIT_VALUE_EQ: return ahead == 0;
    case CU_STREAM_WAIT_VALUE_AND: return (now & item->value) != 0;
    default: return (~(now | item->value) & mask) != 0;
    }
}

static void write_word(struct sim_driver *d, const struct sim_item *item)
{
    int gpu;
    uint8_t *const at = word_at(d, item, &gpu);
    if (!at) return;
    memcpy(at, &item->value, item->value_bytes);
    sim_copied(d->gpus[gpu].machine, item->at, item->value_bytes, true);
}

/* --- copies ----------------------------------------------------------------------------------- */

static uint8_t *side(struct sim_driver *d, int gpu, uint64_t at, uint64_t bytes)
{
    if (gpu < 0) return (uint8_t *)(uintptr_t)at;
    return sim_host_pointer(d->gpus[gpu].machine, at, bytes);
}

static void move(struct sim_driver *d, const struct sim_transfer *t)
{
    for (uint64_t row = 0; row < t->n_rows; row++) {
        const uint64_t to = t->to + row * t->to_pitch, from = t->from + row * t->from_pitch;
        uint8_t *const into = side(d, t->to_gpu, to, t->bytes);
        const uint8_t *const out_of = side(d, t->from_gpu, from, t->bytes);
        if (!into || !out_of) continue; /* freed meanwhile */
        if (t->from_gpu >= 0) sim_copied(d->gpus[t->from_gpu].machine, from, t->bytes, false);
        memmove(into, out_of, t->bytes);
        if (t->to_gpu >= 0) sim_copied(d->gpus[t->to_gpu].machine, to, t->bytes, true);
    }
}

static void set(struct sim_driver *d, const struct sim_transfer *t)
{
    for (uint64_t row = 0; row < t->n_rows; row++) {
        const uint64_t to = t->to + row * t->to_pitch;
        uint8_t *const into = side(d, t->to_gpu, to, t->bytes);
        if (!into) continue;
        if (t->value_bytes == 1)
            memset(into, (int)(t->value & 0xff), t->bytes);
        else
            for (uint64_t i = 0; i < t->bytes; i += t->value_bytes)
                memcpy(into + i, &t->value, t->value_bytes);
        if (t->to_gpu >= 0) sim_copied(d->gpus[t->to_gpu].machine, to, t->bytes, true);
    }
}

/* --- kernels ---------------------------------------------------------------------------------- */

static CUresult code_of(enum sim_fault fault)
{
    switch (fault) {
    case SIM_FINE: return CUDA_SUCCESS;
    case SIM_NOT_SIMULATED: return CUDA_ERROR_NOT_SUPPORTED;
    case SIM_BAD_SHAPE: return CUDA_ERROR_INVALID_VALUE;
    case SIM_NO_RESOURCES: return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    case SIM_TOO_LARGE: return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    case SIM_BAD_CLUSTER: return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    case SIM_ILLEGAL_ADDRESS: return CUDA_ERROR_ILLEGAL_ADDRESS;
    case SIM_MISALIGNED: return CUDA_ERROR_MISALIGNED_ADDRESS;
    case SIM_TRAPPED: return CUDA_ERROR_LAUNCH_FAILED;
    case SIM_BAD_INSTRUCTION: return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case SIM_DEADLOCK:
    case SIM_TIMEOUT: return CUDA_ERROR_LAUNCH_TIMEOUT;
    }
    return CUDA_ERROR_UNKNOWN;
}

static void add_counters(struct sim_counters *sum, const struct sim_counters *more)
{
    uint64_t *const into = (uint64_t *)sum;
    const uint64_t *const from = (const uint64_t *)more;
    for (size_t i = 0; i < sizeof *sum / sizeof *into; i++) into[i] += from[i];
}

/* A fault of the device loses the context; a refusal is told once, by the next call that waits. */
static void note_fault(struct sim_driver *d, const struct sim_item *item,
                       const struct sim_result *r)
{
    const CUresult code = code_of(r->fault);
    if (code == CUDA_SUCCESS) return;
    if (r->fault >= SIM_ILLEGAL_ADDRESS) {
        d->sticky = code;
        snprintf(d->fault, sizeof d->fault, "%s", r->text);
        return;
    }
    d->pending = code;
    if (r->fault == SIM_NOT_SIMULATED)
        snprintf(d->pending_reason, sizeof d->pending_reason, "%s: %s",
                 item->call.function->kernel->name, r->text);
}

/* One that runs already may still ask for this launch's end, so it keeps it. */
static void release_dependant(struct sim_driver *d, struct sim_item *item)
{
    struct sim_item *const next = item->pdl_after;
    if (!next) return;
    next->earliest_ns =
        fmax(next->earliest_ns,
             sim_ns_of(d->gpus[item->gpu].machine, sim_result(item->launch)->trigger_cycle) +
                 next->gap_ns);
    next->pdl_before = NULL;
    next->least_end_ns = item->end_ns;
    if (!next->launch) return;
    next->held = item->launch;
    item->launch = NULL;
}

static void complete_kernel(struct sim_driver *d, struct sim_item *item)
{
    struct sim_gpu *const g = &d->gpus[item->gpu];
    if (!item->launch) return;
    const struct sim_result *const r = sim_result(item->launch);
    if (r->end_cycle) {
        item->start_ns = sim_ns_of(g->machine, r->first_cycle);
        item->end_ns = fmax(item->least_end_ns, sim_ns_of(g->machine, r->end_cycle));
    }
    d->last = r->counters;
    add_counters(&d->total[item->gpu], &r->counters);
    note_fault(d, item, r);
    release_dependant(d, item);
    if (item->launch) sim_forget(g->machine, item->launch);
    if (item->held) sim_forget(g->machine, item->held);
    item->launch = item->held = NULL;
}

static void complete_record(struct sim_item *item)
{
    CUevent const e = item->event;
    if (!e || e->pending != item) return; /* recorded again since, or destroyed */
    e->pending = NULL;
    e->is_recorded = true;
    e->time_ns = item->end_ns;
}

void sim_complete(struct sim_driver *d, struct sim_item *item)
{
    switch (item->kind) {
    case SIM_ITEM_KERNEL: complete_kernel(d, item); break;
    case SIM_ITEM_COPY: move(d, &item->transfer); break;
    case SIM_ITEM_SET: set(d, &item->transfer); break;
    case SIM_ITEM_RECORD: complete_record(item); break;
    case SIM_ITEM_WRITE: write_word(d, item); break;
    case SIM_ITEM_CALL: item->host_fn(item->user_data); break;
    case SIM_ITEM_EMPTY:
    case SIM_ITEM_WAIT: break;
    }
}
