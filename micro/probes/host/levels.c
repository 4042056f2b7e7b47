#include "probes/host/levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plateau.h"

/* Levels differ by a factor of two and more, all of them; page walks raise a level by less an
 * octave. What rises beyond the last flat region by more than this was not memory yet. */
static const struct ay_plateau_rule RULE = {
    .noise_ratio = 0.2, .flat_ratio = 0.5, .step_ratio = 1.2, .n_most = 4
};
static const double MOST_RISE_RATIO = 3;

enum { N_LEVELS = 4, MAX_SIZES = 256, FEW_SIZES = 16 };
static const char *const LEVELS[N_LEVELS] = { "l1", "l2", "l3", "dram" };

struct curve {
    struct ay_point at; /* node, pages */
    const struct ay_row *rows[MAX_SIZES];
    double sizes[MAX_SIZES], values[MAX_SIZES], low[MAX_SIZES], high[MAX_SIZES];
    size_t n, n_found;
    struct ay_plateau found[N_LEVELS];
};

static bool is_value(const struct ay_row *row)
{
    return row->status == AY_ROW_OK && strcmp(row->quantity, "value") == 0;
}

static uint64_t ring_bytes(const struct ay_row *row)
{
    return ay_number(&row->point, "ring_bytes");
}

static bool is_on(const struct ay_row *row, const struct ay_point *at)
{
    const struct ay_point rest = ay_without(row->point, "ring_bytes");
    return is_value(row) && ay_same_point(&rest, at);
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = ring_bytes(*(const struct ay_row *const *)a);
    const uint64_t y = ring_bytes(*(const struct ay_row *const *)b);
    return (x > y) - (x < y);
}

static void collect(const struct ay_rows *all, struct curve *c)
{
    for (size_t i = 0; i < all->n && c->n < MAX_SIZES; i++)
        if (is_on(&all->rows[i], &c->at)) c->rows[c->n++] = &all->rows[i];
    qsort(c->rows, c->n, sizeof *c->rows, by_size);
    for (size_t i = 0; i < c->n; i++) {
        const struct ay_estimate *e = &c->rows[i]->estimate;
        c->sizes[i] = (double)ring_bytes(c->rows[i]);
        c->values[i] = e->value;
        c->low[i] = e->low;
        c->high[i] = e->high;
    }
}

/* Which flat region is that level, by order alone; NULL: none. */
static const struct ay_plateau *plateau_of(const struct curve *c, size_t level)
{
    const size_t last = c->n_found - 1;
    if (c->n_found < 2) return NULL;
    if (level == N_LEVELS - 1)
        return c->values[c->n - 1] > MOST_RISE_RATIO * c->found[last].value ? NULL
                                                                           : &c->found[last];
    return level < last ? &c->found[level] : NULL;
}

static void say_missing(const struct curve *c, struct ay_row *row)
{
    char values[128] = "";
    size_t n = 0;
    for (size_t i = 0; i < c->n_found; i++) {
        char text[32];
        ay_format_number(c->found[i].value, 3, text, sizeof text);
        n += (size_t)snprintf(values + n, sizeof values - n, "%s%s", i ? ", " : "", text);
    }
    row->status = AY_ROW_SKIP;
    snprintf(row->reason, sizeof row->reason, "not identified: the curve of %zu sizes has %zu flat "
             "regions%s%s%s%s", c->n, c->n_found, n ? " (" : "", values, n ? " ns)" : "",
             c->n < FEW_SIZES ? "; run without --quick" : "");
}

static void fill(const struct curve *c, const struct ay_plateau *p, struct ay_row *row)
{
    row->status = AY_ROW_OK;
    row->unit = AY_NS;
    row->estimate = (struct ay_estimate){ .value = p->value, .low = p->low, .high = p->high };
    for (size_t i = p->first; i <= p->last; i++) row->estimate.n += c->rows[i]->estimate.n;
    memcpy(row->stop, c->rows[p->first]->stop, sizeof row->stop);
    char first[32], last[32];
    ay_format_size(ring_bytes(c->rows[p->first]), first, sizeof first);
    ay_format_size(ring_bytes(c->rows[p->last]), last, sizeof last);
    if (c->n_found < N_LEVELS)
        ay_row_warn(row, "named by order, of %zu flat regions: this one is %s to %s", c->n_found,
                    first, last);
    if (p == &c->found[c->n_found - 1] && c->values[c->n - 1] > (1 + RULE.step_ratio) * p->value)
        ay_row_warn(row, "flat from %s to %s, and rising beyond: page walks", first, last);
}

static enum ay_status conclude_curve(const struct ay_rows *all, struct curve *c,
                                     struct ay_rows *more, struct ay_error *err)
{
    collect(all, c);
    AY_TRY(ay_find_plateaus(c->sizes, c->values, c->low, c->high, c->n, &RULE, c->found, N_LEVELS,
                            &c->n_found, err));
    for (size_t level = 0; level < N_LEVELS; level++) {
        struct ay_row *const row = ay_add_row(more);
        if (!row) return AY_FAIL(err, AY_NOMEM, "no memory for the rows of levels");
        snprintf(row->quantity, sizeof row->quantity, "plateau.%s", LEVELS[level]);
        row->point = c->at;
        const struct ay_plateau *const p = plateau_of(c, level);
        if (p) fill(c, p, row);
        else say_missing(c, row);
    }
    return AY_OK;
}

enum ay_status ay_conclude_levels(const struct ay_rows *all, struct ay_rows *more,
                                  struct ay_error *err)
{
    for (size_t i = 0; i < all->n; i++) {
        if (!is_value(&all->rows[i])) continue;
        struct curve c = { .at = ay_without(all->rows[i].point, "ring_bytes") };
        bool is_done = false;
        for (size_t j = 0; j < i; j++) is_done |= is_on(&all->rows[j], &c.at);
        if (!is_done) AY_TRY(conclude_curve(all, &c, more, err));
    }
    return AY_OK;
}
