/* measure.c - passes over the points of a probe until each interval is narrow enough. */
#include "core/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/bench_impl.h"

enum {
    MAX_POINTS = 256,
    QUICK_POINTS = 8,
    MAX_PASSES = 512,
    /* On the simulator budget is passes, so that a seed repeats a run. They cost milliseconds, and
     * no time passes for the device: what noise asks for is given, whatever the axes' length. */
    SIM_PASSES_A_SECOND = 32,
    FEWEST_SIM_PASSES = 32,
};

/* One probe being measured. */
struct work {
    struct ay_device *device;
    const struct ay_probe *probe;
    const struct ay_effort *effort;
    const struct ay_heartbeat *heart;
    struct ay_bench bench;
    struct ay_rows *rows;
    double clock_mhz;
    size_t n_points, n_points_done;
    bool is_healthy;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void beat(struct work *w, double within_point)
{
    const double n = w->n_points ? (double)w->n_points : 1;
    if (w->heart) w->heart->beat(w->heart->self, ((double)w->n_points_done + within_point) / n);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void copy_text(char *to, size_t to_bytes, const char *from)
{
    snprintf(to, to_bytes, "%s", from);
}

static struct ay_row *new_row(struct work *w, const char *quantity, const struct ay_point *at)
{
    struct ay_row *row = ay_add_row(w->rows);
    if (!row) return NULL;
    copy_text(row->probe, sizeof row->probe, w->probe->name);
    copy_text(row->quantity, sizeof row->quantity, quantity);
    if (at) row->point = *at;
    const struct ay_quantity *q = ay_quantity_of(w->probe, quantity);
    if (q) row->unit = q->unit;
    return row;
}

/* The row for what did not give a number. kind: the word an error's reason begins with. */
static enum ay_status failed_row(struct work *w, const char *quantity, const struct ay_point *at,
                                 const struct ay_error *why, struct ay_error *err)
{
    struct ay_row *row = new_row(w, quantity, at);
    if (!row) return AY_FAIL(err, AY_NOMEM, "no memory for a row of %s", w->probe->name);
    row->status = why->status == AY_SKIP   ? AY_ROW_SKIP
                  : why->status == AY_VOID ? AY_ROW_VOID
                                           : AY_ROW_ERROR;
    const bool has_kind = strncmp(why->text, "timeout", 7) == 0 ||
                          strncmp(why->text, "corrupt", 7) == 0 ||
                          strncmp(why->text, "hung", 4) == 0;
    snprintf(row->reason, sizeof row->reason, "%s%s",
             row->status == AY_ROW_ERROR && !has_kind ? "driver: " : "", why->text);
    if (row->status == AY_ROW_ERROR) w->is_healthy = false;
    return AY_OK;
}

static void name_kernel(struct work *w, struct ay_row *row)
{
    const struct ay_kernel *k = &w->bench.kernel;
    const struct ay_image *image;
    struct ay_error ignored;
    if (!k->entry || !w->device->ops->image_of ||
        w->device->ops->image_of(w->device->self, k, &image, &ignored) != AY_OK)
        return;
    copy_text(row->entry, sizeof row->entry, k->entry);
    ay_sha256(image->begin, (size_t)(image->end - image->begin), row->image_sha256);
    const struct ay_verdict *v = ay_find_verdict(row->image_sha256, k->entry);
    copy_text(row->sass, sizeof row->sass, v ? v->verdict : "unchecked");
    if (v && strcmp(v->verdict, "fail") == 0) {
        row->status = AY_ROW_VOID;
        snprintf(row->reason, sizeof row->reason, "machine code of %s is not what was asked: %s",
                 k->entry, v->why);
    }
}

/* The second unit, where it follows from the clock or from the definition of a rate. */
static void stand_beside(const struct work *w, const struct ay_quantity *q, struct ay_row *row)
{
    const double mhz = w->clock_mhz, value = row->estimate.value;
    double beside = NAN;
    if (q->beside == AY_NS && q->unit == AY_CYCLES && mhz > 0) beside = 1e3 * value / mhz;
    if (q->beside == AY_CYCLES && q->unit == AY_NS && mhz > 0) beside = value * mhz / 1e3;
    if (q->beside == AY_GB_PER_S && q->unit == AY_BYTES_PER_CLK && mhz > 0)
        beside = value * mhz / 1e3;
    if (!isfinite(beside)) return;
    row->beside_unit = q->beside;
    row->beside = beside;
}

static enum ay_status keep_samples(struct ay_row *row, const struct ay_series *s,
                                   struct ay_error *err)
{
    row->samples = malloc(2 * s->n * sizeof *row->samples);
    if (!row->samples) return AY_FAIL(err, AY_NOMEM, "no memory for %zu samples", s->n);
    row->n_samples = s->n;
    for (size_t i = 0; i < s->n; i++) {
        row->samples[2 * i] = s->work[i];
        row->samples[2 * i + 1] = s->cost[i];
    }
    return AY_OK;
}

static enum ay_status series_row(struct work *w, const struct ay_series *s, enum ay_stop stop,
                                 const struct ay_samples *all, struct ay_error *err)
{
    const struct ay_quantity *q = ay_quantity_of(w->probe, s->quantity);
    struct ay_estimate estimate = {0};
    struct ay_error why;
    if (!q) return AY_FAIL(err, AY_USAGE, "%s has no quantity %s", w->probe->name, s->quantity);
    if (ay_estimate(s, q->estimator, &estimate, &why) != AY_OK)
        return failed_row(w, s->quantity, &s->point, &why, err);
    struct ay_row *row = new_row(w, s->quantity, &s->point);
    if (!row) return AY_FAIL(err, AY_NOMEM, "no memory for a row of %s", w->probe->name);
    row->status = AY_ROW_OK;
    row->estimate = estimate;
    row->clock_mhz = w->clock_mhz;
    copy_text(row->estimator, sizeof row->estimator, ay_estimator_text(q->estimator));
    const bool has_spread = estimate.low < estimate.value || estimate.value < estimate.high;
    if (!has_spread && estimate.n >= 4) stop = AY_STOP_EXACT; /* whatever its neighbours needed */
    copy_text(row->stop, sizeof row->stop, ay_stop_text(stop));
    for (size_t i = 0; i < all->n_warnings; i++) ay_row_warn(row, "%s", all->warnings[i]);
    if (q->unit == AY_CLASS && q->labels)
        copy_text(row->label, sizeof row->label, q->labels[(size_t)estimate.value]);
    stand_beside(w, q, row);
    name_kernel(w, row);
    return keep_samples(row, s, err);
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

static bool is_budget_spent(const struct work *w, size_t n_passes, double begun_s)
{
    const double n_left = (double)(w->n_points - w->n_points_done);
    const double share_s = w->effort->budget_s / (n_left > 1 ? n_left : 1);
    const uint32_t most = w->probe->max_passes;
    if (n_passes >= MAX_PASSES || (most && n_passes >= most)) return true;
    if (w->device->kind == AY_DEVICE_SIMULATED)
        return (double)n_passes >= fmax(FEWEST_SIM_PASSES, SIM_PASSES_A_SECOND * share_s);
    return seconds() - begun_s >= share_s;
}

/* Passes at one point until a reason to stop; the reason is kept. */
static enum ay_status sample_point(struct work *w, const struct ay_point *at,
                                   struct ay_samples *samples, enum ay_stop *stop,
                                   struct ay_error *err)
{
    const struct ay_stop_rule rule = {.precision_ratio = w->effort->precision_ratio, .min_n = 16};
    double history[MAX_PASSES];
    const double begun_s = seconds();
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

static enum ay_status measure_point(struct work *w, const struct ay_point *at,
                                    struct ay_error *err)
{
    struct ay_samples samples = {0};
    enum ay_stop stop = AY_STOP_NOT;
    struct ay_error why;
    enum ay_status status = sample_point(w, at, &samples, &stop, &why);
    if (status == AY_OK && samples.n == 0)
        status = AY_FAIL(&why, AY_VOID, "the probe ran and gave no sample");
    if (status == AY_OK && w->probe->kernels && w->clock_mhz <= 0) {
        struct ay_error no_clock;
        if (ay_sm_clock(&w->bench, &w->clock_mhz, &no_clock) != AY_OK)
            ay_warn(&samples, "no clock beside it: %.120s", no_clock.text);
        ay_bench_reset(&w->bench);
    }
    if (status != AY_OK) {
        status = failed_row(w, w->probe->quantities[0].name, at, &why, err);
    } else {
        for (size_t i = 0; i < samples.n && status == AY_OK; i++)
            status = series_row(w, &samples.series[i], stop, &samples, err);
    }
    ay_samples_close(&samples);
    return status;
}

/* --- the whole probe -------------------------------------------------------------------------- */

/* Does the device have what the probe needs? The text of the skip row otherwise. */
static enum ay_status check_needs(struct work *w, struct ay_error *err)
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
static enum ay_status measure_points(struct work *w, const struct ay_point *points,
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

static enum ay_status conclude(struct work *w, struct ay_error *err)
{
    struct ay_rows more = {0};
    struct ay_error why;
    if (!w->probe->conclude || !w->is_healthy) return AY_OK;
    enum ay_status status = w->probe->conclude(w->rows, &more, &why);
    if (status != AY_OK) {
        ay_rows_close(&more);
        return failed_row(w, w->probe->quantities[1].name, NULL, &why, err);
    }
    for (size_t i = 0; i < more.n; i++) {
        struct ay_row *row = ay_add_row(w->rows);
        if (!row) return AY_FAIL(err, AY_NOMEM, "no memory for rows");
        *row = more.rows[i];
        more.rows[i].samples = NULL;
        copy_text(row->probe, sizeof row->probe, w->probe->name);
        const struct ay_quantity *q = ay_quantity_of(w->probe, row->quantity);
        if (!q || row->status != AY_ROW_OK) continue;
        row->unit = q->unit;
        row->clock_mhz = w->clock_mhz;
        if (!row->estimator[0])
            copy_text(row->estimator, sizeof row->estimator, ay_estimator_text(q->estimator));
        stand_beside(w, q, row);
        name_kernel(w, row);
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
    struct work w = {.device = d, .probe = p, .effort = effort, .heart = heart, .rows = out,
                     .is_healthy = true};
    w.bench = (struct ay_bench){.device = d,
                                .random = {seed_of(p->name, effort->seed)},
                                .heart = heart,
                                .is_quick = effort->is_quick};
    struct ay_point points[MAX_POINTS];
    struct ay_error why;
    enum ay_status status = check_needs(&w, &why);
    if (status != AY_OK) {
        status = failed_row(&w, "", NULL, &why, err);
    } else {
        w.n_points = ay_points(p, effort->is_quick ? QUICK_POINTS : 0, points, MAX_POINTS);
        status = measure_points(&w, points, err);
        if (status == AY_OK) status = conclude(&w, err);
    }
    ay_bench_close(&w.bench);
    *is_healthy = w.is_healthy;
    return status;
}
