#include "core/plateau_rows.h"

#include <stdio.h>
#include <string.h>

enum { MAX_SIZES = 256, MAX_PLATEAUS = 16 };

struct curve {
    size_t n;
    double sizes[MAX_SIZES], values[MAX_SIZES], low[MAX_SIZES], high[MAX_SIZES];
};

static void collect(const struct ay_rows *all, const char *quantity, const char *axis,
                    struct curve *c, const char **stop)
{
    for (size_t i = 0; i < all->n && c->n < MAX_SIZES; i++) {
        const struct ay_row *r = &all->rows[i];
        if (r->status != AY_ROW_OK || strcmp(r->quantity, quantity) != 0) continue;
        if (r->estimate.value <= 0) continue; /* a slope among mixtures: no level */
        const double size = (double)ay_number(&r->point, axis);
        size_t at = c->n++;
        for (; at > 0 && c->sizes[at - 1] > size; at--) { /* rows may come in any order */
            c->sizes[at] = c->sizes[at - 1];
            c->values[at] = c->values[at - 1];
            c->low[at] = c->low[at - 1];
            c->high[at] = c->high[at - 1];
        }
        c->sizes[at] = size;
        c->values[at] = r->estimate.value;
        c->low[at] = r->estimate.low;
        c->high[at] = r->estimate.high;
        *stop = r->stop;
    }
}

enum ay_status ay_plateau_rows(const struct ay_rows *all, const char *quantity, const char *axis,
                               const struct ay_plateau_rule *rule, struct ay_rows *more,
                               struct ay_error *err)
{
    struct ay_plateau found[MAX_PLATEAUS];
    struct curve c = {.n = 0};
    const char *stop = "";
    size_t n_found = 0;
    collect(all, quantity, axis, &c, &stop);
    if (c.n == 0) return AY_FAIL(err, AY_SKIP, "not identified: the curve has no points");
    AY_TRY(ay_find_plateaus(c.sizes, c.values, c.low, c.high, c.n, rule, found, MAX_PLATEAUS,
                            &n_found, err));
    if (n_found == 0) return AY_FAIL(err, AY_SKIP, "not identified: the curve is nowhere flat");
    for (size_t i = 0; i < n_found; i++) {
        const struct ay_plateau *p = &found[i];
        struct ay_row *row = ay_add_row(more);
        if (!row) return AY_FAIL(err, AY_NOMEM, "no memory for plateaus");
        snprintf(row->quantity, sizeof row->quantity, "plateau.%zu", i + 1);
        /* exact rows of different values make a plateau that is not */
        const bool is_blurred = !p->is_exact && strcmp(stop, "exact") == 0;
        snprintf(row->stop, sizeof row->stop, "%s",
                 p->is_exact ? "exact" : is_blurred ? "plateau" : stop);
        row->estimate = (struct ay_estimate){
            .value = p->value, .low = p->low, .high = p->high, .n = p->last - p->first + 1};
        ay_row_warn(row, "flat from %.0f to %.0f (%s)", c.sizes[p->first], c.sizes[p->last], axis);
    }
    return AY_OK;
}
