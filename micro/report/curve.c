#include "report/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_POINTS = 3 };

static bool is_value_of(const struct ay_row *row, const char *probe)
{
    return strcmp(row->probe, probe) == 0 && strcmp(row->quantity, "value") == 0 &&
           row->status != AY_ROW_SKIP;
}

/* --- which axis ------------------------------------------------------------------------------- */

static const struct ay_coord *number_on(const struct ay_row *row, const char *axis)
{
    for (size_t i = 0; i < row->point.n; i++)
        if (strcmp(row->point.at[i].axis, axis) == 0)
            return row->point.at[i].word[0] ? NULL : &row->point.at[i];
    return NULL;
}

/* Different numbers that the probe's value rows have on that axis. */
static size_t n_numbers(const struct ay_run *run, const char *probe, const char *axis)
{
    size_t n = 0;
    for (size_t i = 0; i < run->rows.n; i++) {
        const struct ay_row *row = &run->rows.rows[i];
        const struct ay_coord *c = is_value_of(row, probe) ? number_on(row, axis) : NULL;
        if (!c) continue;
        bool is_new = true;
        for (size_t k = 0; k < i && is_new; k++) {
            const struct ay_row *other = &run->rows.rows[k];
            const struct ay_coord *d = is_value_of(other, probe) ? number_on(other, axis) : NULL;
            is_new = !d || d->number != c->number;
        }
        n += is_new;
    }
    return n;
}

static bool choose_axis(const struct ay_run *run, const struct ay_row *first, char *axis)
{
    size_t most = LEAST_POINTS - 1;
    for (size_t i = 0; i < first->point.n; i++) {
        const char *name = first->point.at[i].axis;
        const size_t n = n_numbers(run, first->probe, name);
        if (n <= most) continue;
        most = n;
        memcpy(axis, name, AY_WORD_BYTES);
    }
    return most >= LEAST_POINTS;
}

/* --- collect ---------------------------------------------------------------------------------- */

static bool is_drawable(const struct ay_row *row, const struct ay_curve *c)
{
    const struct ay_coord *x = number_on(row, c->axis);
    return row->status == AY_ROW_OK && row->unit == c->unit && x && x->number > 0 &&
           isfinite(row->estimate.value) && row->estimate.value > 0;
}

static bool is_level_of(const struct ay_row *row, const struct ay_curve *c)
{
    return strcmp(row->probe, c->probe) == 0 && row->status == AY_ROW_OK && row->unit == c->unit &&
           strncmp(row->quantity, "plateau", 7) == 0 && row->estimate.value > 0 &&
           isfinite(row->estimate.value);
}

static enum ay_status make_room(struct ay_curve *c, size_t n, struct ay_error *err)
{
    c->points = calloc(n, sizeof *c->points);
    c->left_out = calloc(n, sizeof *c->left_out);
    c->levels = calloc(n, sizeof *c->levels);
    c->series = calloc(n, sizeof *c->series);
    if (c->points && c->left_out && c->levels && c->series) return AY_OK;
    ay_curve_close(c);
    return AY_FAIL(err, AY_NOMEM, "out of memory for a figure");
}

/* Inserts behind the points of the same series with smaller x: curves are short. */
static void insert(struct ay_curve *c, const struct ay_row *row, size_t series)
{
    const uint64_t x = number_on(row, c->axis)->number;
    size_t at = c->n_points++;
    for (; at > 0; at--) {
        const uint64_t other = number_on(c->points[at - 1], c->axis)->number;
        if (c->series[at - 1] < series || (c->series[at - 1] == series && other <= x)) break;
        c->points[at] = c->points[at - 1];
        c->series[at] = c->series[at - 1];
    }
    c->points[at] = row;
    c->series[at] = series;
}

static size_t series_of(struct ay_curve *c, const struct ay_row *row)
{
    const struct ay_point rest = ay_without(row->point, c->axis);
    for (size_t i = 0; i < c->n_points; i++) {
        const struct ay_point other = ay_without(c->points[i]->point, c->axis);
        if (ay_same_point(&rest, &other)) return c->series[i];
    }
    return c->n_series++;
}

static bool is_seen_before(const struct ay_run *run, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (is_value_of(&run->rows.rows[i], run->rows.rows[at].probe)) return true;
    return false;
}

static enum ay_status collect(const struct ay_run *run, const struct ay_row *first,
                              struct ay_curve *c, struct ay_error *err)
{
    AY_TRY(make_room(c, run->rows.n, err));
    for (size_t i = 0; i < run->rows.n; i++) {
        const struct ay_row *row = &run->rows.rows[i];
        if (c->unit == AY_NO_UNIT && is_value_of(row, c->probe)) c->unit = row->unit;
    }
    for (size_t i = 0; i < run->rows.n; i++) {
        const struct ay_row *row = &run->rows.rows[i];
        if (is_value_of(row, first->probe) && is_drawable(row, c))
            insert(c, row, series_of(c, row));
        else if (is_value_of(row, first->probe))
            c->left_out[c->n_left_out++] = row;
        else if (is_level_of(row, c))
            c->levels[c->n_levels++] = row;
    }
    return AY_OK;
}

enum ay_status ay_next_curve(const struct ay_run *run, size_t *from, struct ay_curve *out,
                             bool *is_found, struct ay_error *err)
{
    memset(out, 0, sizeof *out);
    *is_found = false;
    while (*from < run->rows.n) {
        const size_t at = (*from)++;
        const struct ay_row *row = &run->rows.rows[at];
        if (!is_value_of(row, row->probe) || is_seen_before(run, at) ||
            !choose_axis(run, row, out->axis))
            continue;
        out->probe = row->probe;
        *is_found = true;
        return collect(run, row, out, err);
    }
    return AY_OK;
}

void ay_curve_close(struct ay_curve *c)
{
    free(c->points);
    free(c->left_out);
    free(c->levels);
    free(c->series);
    memset(c, 0, sizeof *c);
}
