/* measure_rows.c - from a series, or a failure, to a row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure_impl.h"

static void copy_text(char *to, size_t to_bytes, const char *from)
{
    snprintf(to, to_bytes, "%s", from);
}

static struct ay_row *new_row(struct ay_work *w, const char *quantity, const struct ay_point *at)
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
enum ay_status ay_failed_row(struct ay_work *w, const char *quantity, const struct ay_point *at,
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
    const char *kind = why->status == AY_DEVICE ? "driver: " : "crash: ";
    snprintf(row->reason, sizeof row->reason, "%s%s",
             row->status == AY_ROW_ERROR && !has_kind ? kind : "", why->text);
    if (row->status == AY_ROW_ERROR) w->is_healthy = false;
    return AY_OK;
}

/* The verdict on one kernel's image and the image's hash; false: the device has no such image. */
static bool look_up(const struct ay_work *w, const struct ay_kernel *k, char sha256[65],
                    const struct ay_verdict **verdict)
{
    const struct ay_image *image;
    struct ay_error ignored;
    if (!k->entry || !w->device->ops->image_of ||
        w->device->ops->image_of(w->device->self, k, &image, &ignored) != AY_OK)
        return false;
    ay_sha256(image->begin, (size_t)(image->end - image->begin), sha256);
    *verdict = ay_find_verdict(sha256, k->entry);
    return true;
}

/* The row names the kernel that ran last. Its verdict is the worst of all kernels of the probe,
 * since a row may rest on several: one that sorts the lines, another that is timed. */
static void name_kernel(struct ay_work *w, struct ay_row *row)
{
    const struct ay_verdict *v;
    char sha256[65];
    if (!look_up(w, &w->bench.kernel, row->image_sha256, &v)) return;
    copy_text(row->entry, sizeof row->entry, w->bench.kernel.entry);
    copy_text(row->sass, sizeof row->sass, v ? v->verdict : "unchecked");
    for (const struct ay_kernel *k = w->probe->kernels; k && k->entry; k++) {
        if (!look_up(w, k, sha256, &v) || !v) {
            copy_text(row->sass, sizeof row->sass, "unchecked");
        } else if (strcmp(v->verdict, "fail") == 0) {
            copy_text(row->sass, sizeof row->sass, v->verdict);
            row->status = AY_ROW_VOID;
            snprintf(row->reason, sizeof row->reason,
                     "machine code of %s is not what was asked: %s", k->entry, v->why);
            return;
        }
    }
}

/* The second unit, where it follows from the clock or from the definition of a rate. */
static void stand_beside(const struct ay_work *w, const struct ay_quantity *q, struct ay_row *row)
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

enum ay_status ay_series_row(struct ay_work *w, const struct ay_series *s, enum ay_stop stop,
                             const struct ay_samples *all, struct ay_error *err)
{
    const struct ay_quantity *q = ay_quantity_of(w->probe, s->quantity);
    struct ay_estimate estimate = {0};
    struct ay_error why;
    if (!q) return AY_FAIL(err, AY_USAGE, "%s has no quantity %s", w->probe->name, s->quantity);
    if (ay_estimate(s, q->estimator, &estimate, &why) != AY_OK)
        return ay_failed_row(w, s->quantity, &s->point, &why, err);
    if (q->estimator == AY_SLOPE && estimate.value <= 0) {
        why.status = AY_FAIL(&why, AY_VOID, "more work cost less: a slope of %g %s",
                             estimate.value, ay_unit_text(q->unit));
        return ay_failed_row(w, s->quantity, &s->point, &why, err);
    }
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

void ay_derived_row(struct ay_work *w, struct ay_row *row)
{
    copy_text(row->probe, sizeof row->probe, w->probe->name);
    const struct ay_quantity *q = ay_quantity_of(w->probe, row->quantity);
    if (!q || row->status != AY_ROW_OK) return;
    row->unit = q->unit;
    row->clock_mhz = w->clock_mhz;
    if (!row->estimator[0])
        copy_text(row->estimator, sizeof row->estimator, ay_estimator_text(q->estimator));
    stand_beside(w, q, row);
    name_kernel(w, row);
}
