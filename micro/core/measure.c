/* measure.c - passes over the points of a probe until each interval is narrow enough. */
#include "core/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure_impl.h"
#include "core/seconds.h"

enum {
    MAX_POINTS = 256,
    QUICK_POINTS = 8,
    MAX_PASSES = 512,
    /* On the simulator budget is passes, so that a seed repeats a run. They cost milliseconds, and
     * no time passes for the device: what noise asks for is given, whatever the axes' length. */
    SIM_PASSES_A_SECOND = 32,
    FEWEST_SIM_PASSES = 32,
};

static void beat(struct ay_work *w, double within_point)
{
    const double n = w->n_points ? (double)w->n_points : 1;
    if (w->heart) w->heart->beat(w->heart->self, ((double)w->n_points_done + within_point) / n);
}

/* --- sampling --------------------------------------------------------------------------------- */

/* Half an interval over its value; more where the interval is wide against the noise of one sample:
 * a chip that wavers by a thousandth is then not known to half a per cent and believed. A fifth of
 * the noise is left to the error of the estimate, two of which are half an interval. */
static double width_of(const struct ay_series *s, enum ay_estimator how,
                       const struct ay_estimate *e, double precision_ratio)
{
    const double NOISE_SHARE = 0.4;
    const double half = (e->high - e->low) / 2;
    const double ratio = e->value != 0 ? half / fabs(e->value) : half;
    const double noise = NOISE_SHARE * ay_series_noise(s, how, e->value);
    return noise > 0 && noise < precision_ratio ? ratio * precision_ratio / noise : ratio;
}

/* The widest interval of all rows so far, and what the fewest samples are worth. */
static double widest(const struct ay_probe *p, const struct ay_samples *s, double precision_ratio,
                     double *effective_n, bool *is_exact)
{
    double worst = 0;
    *effective_n = INFINITY;
    *is_exact = s->n > 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct ay_series *one = &s->series[i];
        const struct ay_quantity *q = ay_quantity_of(p, one->quantity);
        struct ay_estimate e;
        struct ay_error ignored;
        if (!q || ay_estimate(one, q->estimator, &e, &ignored) != AY_OK) continue;
        const double ratio = width_of(one, q->estimator, &e, precision_ratio);
        if (ratio > worst) worst = ratio;
        *effective_n = fmin(*effective_n, ay_series_worth(one, q->estimator, e.value));
        if (ratio > 1e-9) *is_exact = false;
    }
    return worst;
}

static bool is_budget_spent(const struct ay_work *w, size_t n_passes, double begun_s)
{
    const double n_left = (double)(w->n_points - w->n_points_done);
    const double share_s = w->effort->budget_s / (n_left > 1 ? n_left : 1);
    const uint32_t most = w->probe->max_passes;
    if (n_passes >= MAX_PASSES || (most && n_passes >= most)) return true;
    if (w->device->kind == AY_DEVICE_SIMULATED)
        return (double)n_passes >= fmax(FEWEST_SIM_PASSES, SIM_PASSES_A_SECOND * share_s);
    return ay_seconds() - begun_s >= share_s;
}

/* Passes at one point until a reason to stop; the reason is kept. */
static enum ay_status sample_point(struct ay_work *w, const struct ay_point *at,
                                   struct ay_samples *samples, enum ay_stop *stop,
                                   struct ay_error *err)
{
    const struct ay_stop_rule rule = {.precision_ratio = w->effort->precision_ratio, .min_n = 16};
    double history[MAX_PASSES];
    const double begun_s = ay_seconds();
    for (size_t n_passes = 1;; n_passes++) {
        const enum ay_status status = w->probe->run(&w->bench, at, samples, err);
        ay_bench_reset(&w->bench);
        if (status != AY_OK) return status;
        if (samples->is_out_of_memory) return AY_FAIL(err, AY_NOMEM, "no memory for samples");
        double effective_n;
        bool is_exact;
        history[n_passes - 1] = widest(w->probe, samples, rule.precision_ratio, &effective_n,
                                       &is_exact);
        *stop = ay_should_stop(&rule, history, n_passes, effective_n, is_exact);
        if (*stop == AY_STOP_NOT && is_budget_spent(w, n_passes, begun_s)) *stop = AY_STOP_BUDGET;
        if (*stop != AY_STOP_NOT) return AY_OK;
        beat(w, 0.5);
    }
}

/* --- the clock beside the numbers ------------------------------------------------------------- */

/* A GPU that idled runs at a fraction of its clock and climbs for tens of milliseconds, whatever
 * its P-state says: looks until two looks agree. A failure shows in the probe's own launches. */
static void warm_up(struct ay_work *w)
{
    enum { MOST_LOOKS = 200 };
    const double STEADY_RATIO = 0.005;
    double last = 0;
    for (int i = 0; i < MOST_LOOKS; i++) {
        double now;
        struct ay_error ignored;
        const enum ay_status status = ay_sm_clock(&w->bench, &now, &ignored);
        ay_bench_reset(&w->bench);
        if (status != AY_OK) return;
        w->clock_mhz = now;
        if (fabs(now - last) < STEADY_RATIO * now) return;
        last = now;
    }
}

/* On hardware the clock is looked at after each point; a simulated one is what it was. */
static void look_at_clock(struct ay_work *w, struct ay_samples *samples)
{
    const double MOVED_RATIO = 0.01;
    const double before = w->clock_mhz;
    struct ay_error why;
    if (!w->probe->kernels || (before > 0 && w->device->kind == AY_DEVICE_SIMULATED)) return;
    if (ay_sm_clock(&w->bench, &w->clock_mhz, &why) != AY_OK)
        ay_warn(samples, "no clock beside it: %.120s", why.text);
    else if (before > 0 && fabs(w->clock_mhz - before) > MOVED_RATIO * before)
        ay_warn(samples, "the SM clock went from %.0f to %.0f MHz: cycles hold, ns do not",
                before, w->clock_mhz);
    ay_bench_reset(&w->bench);
}

static enum ay_status measure_point(struct ay_work *w, const struct ay_point *at,
                                    struct ay_error *err)
{
    struct ay_samples samples = {0};
    enum ay_stop stop = AY_STOP_NOT;
    struct ay_error why;
    enum ay_status status = sample_point(w, at, &samples, &stop, &why);
    if (status == AY_OK && samples.n == 0)
        status = AY_FAIL(&why, AY_VOID, "the probe ran and gave no sample");
    if (status == AY_OK) look_at_clock(w, &samples);
    if (status != AY_OK) {
        status = ay_failed_row(w, w->probe->quantities[0].name, at, &why, err);
    } else {
        for (size_t i = 0; i < samples.n && status == AY_OK; i++)
            status = ay_series_row(w, &samples.series[i], stop, &samples, err);
    }
    ay_samples_close(&samples);
    return status;
}

/* --- the whole probe -------------------------------------------------------------------------- */

/* Does the device have what the probe needs? The text of the skip row otherwise. */
static enum ay_status check_needs(struct ay_work *w, struct ay_error *err)
{
    const struct ay_needs *n = &w->probe->needs;
    const struct ay_facts *f = &w->device->facts;
    if (n->min_sm > f->sm_arch)
        return AY_FAIL(err, AY_SKIP, "needs sm_%d; %s is sm_%d", n->min_sm, w->device->name,
                       f->sm_arch);
    if ((n->features & (AY_HAS_CLUSTERS | AY_HAS_TMA)) && f->sm_arch < 90)
        return AY_FAIL(err, AY_SKIP, "needs thread-block clusters, sm_90; %s is sm_%d",
                       w->device->name, f->sm_arch);
    if (n->features & AY_HAS_PEERS) {
        uint32_t n_peers = 0;
        AY_TRY(ay_peer_count(&w->bench, &n_peers, err));
        if (n_peers == 0)
            return AY_FAIL(err, AY_SKIP, "needs a second GPU; %s has no peer", w->device->name);
    }
    for (const struct ay_kernel *k = w->probe->kernels; k && k->entry; k++) {
        const struct ay_image *image;
        if (!w->device->ops->image_of)
            return AY_FAIL(err, AY_SKIP, "%s runs no kernels", w->device->name);
        AY_TRY(w->device->ops->image_of(w->device->self, k, &image, err));
    }
    return AY_OK;
}

/* Points are measured in shuffled order, so that drift does not look like an effect of an axis;
 * rows are told in order. */
static enum ay_status measure_points(struct ay_work *w, const struct ay_point *points,
                                     struct ay_error *err)
{
    struct ay_rows *const ordered = w->rows;
    struct ay_rows found[MAX_POINTS] = {{0}};
    size_t order[MAX_POINTS];
    struct ay_random shuffle = {w->effort->seed};
    enum ay_status status = AY_OK;
    for (size_t i = 0; i < w->n_points; i++) {
        const size_t j = (size_t)ay_random_below(&shuffle, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (size_t i = 0; i < w->n_points && status == AY_OK && w->is_healthy; i++) {
        w->rows = &found[order[i]];
        status = measure_point(w, &points[order[i]], err);
        w->n_points_done++;
        beat(w, 0);
    }
    w->rows = ordered;
    for (size_t i = 0; i < w->n_points; i++) {
        for (size_t r = 0; r < found[i].n && status == AY_OK; r++) {
            struct ay_row *row = ay_add_row(ordered);
            if (!row) status = AY_FAIL(err, AY_NOMEM, "no memory for rows");
            else *row = found[i].rows[r];
            found[i].rows[r].samples = NULL;
        }
        ay_rows_close(&found[i]);
    }
    return status;
}

static enum ay_status conclude(struct ay_work *w, struct ay_error *err)
{
    struct ay_rows more = {0};
    struct ay_error why;
    if (!w->probe->conclude || !w->is_healthy) return AY_OK;
    enum ay_status status = w->probe->conclude(w->rows, &more, &why);
    if (status != AY_OK) {
        ay_rows_close(&more);
        return ay_failed_row(w, w->probe->quantities[1].name, NULL, &why, err);
    }
    for (size_t i = 0; i < more.n; i++) {
        struct ay_row *row = ay_add_row(w->rows);
        if (!row) return AY_FAIL(err, AY_NOMEM, "no memory for rows");
        *row = more.rows[i];
        more.rows[i].samples = NULL;
        ay_derived_row(w, row);
    }
    ay_rows_close(&more);
    return AY_OK;
}

/* Each probe draws its own numbers, whatever ran before it [fnv-1a]. */
static uint64_t seed_of(const char *name, uint64_t seed)
{
    uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return h;
}

enum ay_status ay_measure(struct ay_device *d, const struct ay_probe *p,
                          const struct ay_effort *effort, const struct ay_heartbeat *heart,
                          struct ay_rows *out, bool *is_healthy, struct ay_error *err)
{
    struct ay_work w = {.device = d, .probe = p, .effort = effort, .heart = heart, .rows = out,
                     .is_healthy = true};
    w.bench = (struct ay_bench){.device = d,
                                .random = {seed_of(p->name, effort->seed)},
                                .heart = heart,
                                .is_quick = effort->is_quick};
    struct ay_point points[MAX_POINTS];
    struct ay_error why;
    enum ay_status status = check_needs(&w, &why);
    if (status != AY_OK) {
        status = ay_failed_row(&w, "", NULL, &why, err);
    } else {
        w.n_points = ay_points(p, effort->is_quick ? QUICK_POINTS : 0, points, MAX_POINTS);
        if (p->kernels) warm_up(&w);
        status = measure_points(&w, points, err);
        if (status == AY_OK) status = conclude(&w, err);
    }
    ay_bench_close(&w.bench);
    *is_healthy = w.is_healthy;
    return status;
}
