/* timeline.c - what was asked of the device, carried out in the order of its time.
 *
 * An item is ready when all that it waits for has ended. The next thing to happen is the earliest
 * of: a ready item begins, a copy ends, a kernel ends. Kernels' ends are not known before, so the
 * machine runs until any of them ends, or to the next known moment. */
#include "dev/sim/api.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far the machine may run past a look at what it does not announce: a word in device memory
 * that a stream waits for, a kernel's trigger. */
#define LOOK_AGAIN_NS 500.0
#define FULL_QUEUE_NS 1e9

/* --- lists ------------------------------------------------------------------------------------ */

static void push(struct sim_list *l, struct sim_item *item)
{
    if (l->n == l->room) {
        const size_t room = l->room ? 2 * l->room : 64;
        struct sim_item **const more = realloc(l->items, room * sizeof *more);
        if (!more) return; /* the item is then never reached: the wait for it says so */
        l->items = more;
        l->room = room;
    }
    l->items[l->n++] = item;
}

/* Keeps the order, in which equal times are broken. */
static void take_out(struct sim_list *l, const struct sim_item *item)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i] != item) l->items[kept++] = l->items[i];
    l->n = kept;
}

struct sim_item *sim_new_item(enum sim_item_kind kind, CUstream s)
{
    struct sim_item *const item = calloc(1, sizeof *item);
    if (!item) return NULL;
    item->kind = kind;
    item->stream = s;
    item->gpu = s ? s->gpu : 0;
    return item;
}

void sim_free_item(struct sim_item *item)
{
    if (!item) return;
    sim_free_call(&item->call);
    free(item->after);
    free(item);
}

void sim_follow(struct sim_item *item, struct sim_item *before)
{
    if (!before) return;
    if (before->n_after == before->after_room) {
        const uint32_t room = before->after_room ? 2 * before->after_room : 2;
        struct sim_item **const more = realloc(before->after, room * sizeof *more);
        if (!more) return;
        before->after = more;
        before->after_room = room;
    }
    before->after[before->n_after++] = item;
    item->n_before++;
}

/* What only the host could end, and the host waits: on a real machine for ever. */
static CUresult stuck(struct sim_driver *d)
{
    d->sticky = CUDA_ERROR_LAUNCH_TIMEOUT;
    snprintf(d->fault, sizeof d->fault,
             "the host waits for a stream that waits for a word that nobody writes");
    return d->sticky;
}

/* --- handing over ----------------------------------------------------------------------------- */

void sim_hand_over(struct sim_driver *d, struct sim_item *item)
{
    d->n_items++;
    if (item->n_before == 0) push(&d->ready, item);
}

/* The legacy stream waits for all blocking ones, and they for it. */
static void follow_legacy(struct sim_driver *d, struct sim_item *item)
{
    CUstream const s = item->stream;
    if (s != &d->legacy) {
        if (s->is_blocking) sim_follow(item, d->legacy.tail);
        return;
    }
    for (CUstream other = d->streams; other; other = other->next)
        if (other->is_blocking) sim_follow(item, other->tail);
}

static void follow_kernel(struct sim_item *item)
{
    CUstream const s = item->stream;
    if (s->last_kernel && s->last_kernel != s->tail)
        sim_follow(item, s->last_kernel);
    else if (!s->last_kernel && s->is_kernel_done)
        item->earliest_ns =
            fmax(item->earliest_ns,
                 sim_after_kernel(s->kernel_start_ns, s->kernel_end_ns, item->gap_ns));
    s->last_kernel = item;
}

CUresult sim_enqueue(struct sim_driver *d, struct sim_item *item)
{
    CUstream const s = item->stream;
    item->earliest_ns = fmax(item->earliest_ns, s->end_ns);
    follow_legacy(d, item);
    if (item->call.is_pdl && s->tail && s->tail->kind == SIM_ITEM_KERNEL) {
        item->pdl_before = s->tail;
        s->tail->pdl_after = item;
        s->last_kernel = item;
    } else {
        sim_follow(item, s->tail);
        if (item->kind == SIM_ITEM_KERNEL) follow_kernel(item);
    }
    s->tail = item;
    s->n_queued++;
    sim_hand_over(d, item);
    /* A full queue holds the call; ever longer looks, so that one that never empties ends. */
    for (double look_ns = 1000; s->n_queued > SIM_QUEUE_LIMIT && !d->sticky; look_ns *= 1.01) {
        if (look_ns > FULL_QUEUE_NS) return stuck(d);
        sim_pass(d, look_ns);
    }
    return d->sticky;
}

/* --- ends ------------------------------------------------------------------------------------- */

static void release_followers(struct sim_driver *d, struct sim_item *item)
{
    const uint64_t group = ++d->next_group;
    for (uint32_t i = 0; i < item->n_after; i++) {
        struct sim_item *const next = item->after[i];
        double from_ns = item->end_ns;
        if (item->kind == SIM_ITEM_KERNEL && next->kind == SIM_ITEM_KERNEL &&
            (item->stream ? item->stream == next->stream : item->run == next->run))
            from_ns = sim_after_kernel(item->start_ns, item->end_ns, next->gap_ns);
        next->earliest_ns = fmax(next->earliest_ns, from_ns);
        next->group = group;
        if (--next->n_before == 0) push(&d->ready, next);
    }
}

static void leave_stream(struct sim_item *item)
{
    CUstream const s = item->stream;
    if (!s) return;
    s->n_queued--;
    s->end_ns = fmax(s->end_ns, item->end_ns);
    if (s->tail == item) s->tail = NULL;
    if (item->kind != SIM_ITEM_KERNEL) return;
    if (s->last_kernel == item) s->last_kernel = NULL;
    s->is_kernel_done = true;
    s->kernel_start_ns = item->start_ns;
    s->kernel_end_ns = item->end_ns;
}

static void end_item(struct sim_driver *d, struct sim_item *item)
{
    sim_complete(d, item);
    take_out(&d->running, item);
    leave_stream(item);
    release_followers(d, item);
    if (item->run && --item->run->n_items == 0) free(item->run);
    if (item->kind >= SIM_ITEM_KERNEL && item->kind <= SIM_ITEM_SET)
        d->gpus[item->gpu].last_busy_ns = fmax(d->gpus[item->gpu].last_busy_ns, item->end_ns);
    d->n_items--;
    sim_free_item(item);
}

void sim_drop_items(struct sim_driver *d)
{
    while (d->running.n) {
        struct sim_item *const item = d->running.items[--d->running.n];
        if (item->launch) sim_forget(d->gpus[item->gpu].machine, item->launch);
        if (item->held) sim_forget(d->gpus[item->gpu].machine, item->held);
        item->launch = item->held = NULL;
        push(&d->ready, item);
    }
    /* What waits for another is reached through it alone. */
    while (d->ready.n) {
        struct sim_item *const item = d->ready.items[--d->ready.n];
        for (uint32_t i = 0; i < item->n_after; i++)
            if (--item->after[i]->n_before == 0) push(&d->ready, item->after[i]);
        if (item->run && --item->run->n_items == 0) free(item->run);
        sim_free_item(item);
    }
    d->n_items = 0;
    free(d->ready.items);
    free(d->running.items);
    d->ready = d->running = (struct sim_list){0};
}

/* --- carrying the device on ------------------------------------------------------------------- */

struct next {
    struct sim_item *item;
    bool is_end; /* it ends; else it begins */
    double ns;
};

/* The earliest moment that is known now. Words that are waited for have none. */
static struct next find_next(struct sim_driver *d)
{
    struct next n = {.ns = SIM_ENDLESS};
    for (size_t i = 0; i < d->running.n; i++) {
        struct sim_item *const item = d->running.items[i];
        if (item->kind != SIM_ITEM_KERNEL && item->end_ns < n.ns)
            n = (struct next){item, true, item->end_ns};
    }
    for (size_t i = 0; i < d->ready.n; i++) {
        struct sim_item *const item = d->ready.items[i];
        const double ns = sim_startable_ns(d, item);
        if (item->kind != SIM_ITEM_WAIT && ns < n.ns) n = (struct next){item, false, ns};
    }
    return n;
}

static bool end_finished_kernel(struct sim_driver *d)
{
    for (size_t i = 0; i < d->running.n; i++) {
        struct sim_item *const item = d->running.items[i];
        if (item->kind != SIM_ITEM_KERNEL || item->pdl_before || !sim_done(item->launch)) continue;
        end_item(d, item);
        return true;
    }
    return false;
}

static bool end_reached_wait(struct sim_driver *d)
{
    for (size_t i = 0; i < d->ready.n; i++) {
        struct sim_item *const item = d->ready.items[i];
        if (item->kind != SIM_ITEM_WAIT || item->earliest_ns > d->device_ns ||
            !sim_is_word_reached(d, item))
            continue;
        take_out(&d->ready, item);
        item->start_ns = item->end_ns = fmax(item->earliest_ns, d->device_ns);
        end_item(d, item);
        return true;
    }
    return false;
}

static double first_wait_ns(const struct sim_driver *d)
{
    double earliest_ns = SIM_ENDLESS;
    for (size_t i = 0; i < d->ready.n; i++)
        if (d->ready.items[i]->kind == SIM_ITEM_WAIT)
            earliest_ns = fmin(earliest_ns, d->ready.items[i]->earliest_ns);
    return earliest_ns;
}

/* Runs the machines to that moment, or until a kernel ends. true: one did. */
static bool run_machines(struct sim_driver *d, double until_ns)
{
    bool is_any = false;
    for (size_t i = 0; i < d->running.n && !is_any; i++) {
        struct sim_item *const item = d->running.items[i];
        struct ay_error err;
        if (item->kind != SIM_ITEM_KERNEL) continue;
        struct sim_machine *const m = d->gpus[item->gpu].machine;
        const uint64_t until = until_ns >= SIM_ENDLESS ? SIM_FOREVER : sim_cycle_of(m, until_ns);
        if (sim_run(m, until, SIM_ANY, &err) != AY_OK) {
            d->sticky = CUDA_ERROR_UNKNOWN;
            snprintf(d->fault, sizeof d->fault, "%s", err.text);
            return true;
        }
        for (size_t k = 0; k < d->running.n; k++)
            is_any |= d->running.items[k]->kind == SIM_ITEM_KERNEL &&
                      !d->running.items[k]->pdl_before && sim_done(d->running.items[k]->launch);
    }
    return is_any;
}

/* Until when the machine may run without a look. */
static double next_look_ns(const struct sim_driver *d, double wait_ns)
{
    double ns = SIM_ENDLESS;
    if (wait_ns < SIM_ENDLESS) ns = fmax(wait_ns, d->device_ns + LOOK_AGAIN_NS);
    ns = fmin(ns, sim_look_at_power_ns(d));
    for (size_t i = 0; i < d->ready.n; i++) {
        const struct sim_item *const item = d->ready.items[i];
        /* Looked for so often that a trigger is seen before what it lets begin must begin. */
        if (item->pdl_before && item->pdl_before->launch)
            ns = fmin(ns, d->device_ns + fmax(item->gap_ns, 50));
    }
    return ns;
}

static bool is_kernel_running(const struct sim_driver *d)
{
    for (size_t i = 0; i < d->running.n; i++)
        if (d->running.items[i]->kind == SIM_ITEM_KERNEL) return true;
    return false;
}

/* One thing happens, or time reaches `until_ns`. false: nothing can happen any more before that. */
static bool step(struct sim_driver *d, double until_ns)
{
    if (end_finished_kernel(d) || end_reached_wait(d)) return true;
    const struct next n = find_next(d);
    const double wait_ns = first_wait_ns(d);
    double to_ns = fmin(n.ns, until_ns);
    const bool is_running = is_kernel_running(d);
    if (is_running)
        to_ns = fmin(to_ns, next_look_ns(d, wait_ns));
    else if (wait_ns < SIM_ENDLESS && wait_ns > d->device_ns)
        to_ns = fmin(to_ns, wait_ns);
    if (is_running && run_machines(d, to_ns)) return !d->sticky;
    if (to_ns >= SIM_ENDLESS) return false;
    d->device_ns = fmax(d->device_ns, to_ns);
    sim_watch_power(d);
    if (!n.item || n.ns > to_ns) return to_ns < until_ns;
    if (n.is_end) {
        end_item(d, n.item);
        return true;
    }
    take_out(&d->ready, n.item);
    push(&d->running, n.item);
    sim_begin(d, n.item, n.ns);
    return true;
}

void sim_carry(struct sim_driver *d, double until_ns)
{
    while (!d->sticky && step(d, until_ns)) continue;
    d->device_ns = fmax(d->device_ns, until_ns);
    sim_watch_power(d);
    for (int i = 0; i < d->n_gpus; i++) sim_settle(d->gpus[i].machine, d->device_ns);
}

/* --- waiting ---------------------------------------------------------------------------------- */

static bool is_idle(const struct sim_driver *d, CUstream s)
{
    return s ? s->tail == NULL : d->n_items == 0;
}

static CUresult told(struct sim_driver *d)
{
    const CUresult r = d->sticky ? d->sticky : d->pending;
    if (r == CUDA_ERROR_NOT_SUPPORTED) memcpy(d->reason, d->pending_reason, sizeof d->reason);
    d->pending = CUDA_SUCCESS;
    return r;
}

static double last_end_ns(const struct sim_driver *d, CUstream s)
{
    double ns = s ? s->end_ns : d->legacy.end_ns;
    for (CUstream other = d->streams; other && !s; other = other->next)
        ns = fmax(ns, other->end_ns);
    return ns;
}

CUresult sim_wait(struct sim_driver *d, CUstream s, double cost_ns)
{
    while (!d->sticky && !is_idle(d, s))
        if (!step(d, SIM_ENDLESS) && !d->sticky && !is_idle(d, s)) return stuck(d);
    if (d->sticky) return d->sticky;
    const double end_ns = last_end_ns(d, s) + sim_wavers(d, cost_ns);
    sim_pass(d, fmax(SIM_CALL_NS, end_ns - d->host_ns));
    return told(d);
}

CUresult sim_wait_event(struct sim_driver *d, CUevent e, double cost_ns)
{
    while (!d->sticky && e->pending)
        if (!step(d, SIM_ENDLESS) && !d->sticky && e->pending) return stuck(d);
    if (d->sticky) return d->sticky;
    const double end_ns = e->is_recorded ? e->time_ns + sim_wavers(d, cost_ns) : 0;
    sim_pass(d, fmax(SIM_CALL_NS, end_ns - d->host_ns));
    return told(d);
}
