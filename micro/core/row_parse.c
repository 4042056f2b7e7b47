#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/row.h"
#include "core/utf8.h"

#define FAULT(err, ...) AY_FAIL((err), AY_IO, __VA_ARGS__)

/* --- members ---------------------------------------------------------------------------------- */

/* Copies a text member; one that is absent leaves "". Must it fit, or may it be cut? */
enum fit { FITS, CUT };
static enum ay_status get_text(const json_t *from, const char *name, enum fit fit, char *into,
                               size_t into_bytes, struct ay_error *err)
{
    const json_t *v = json_object_get(from, name);
    into[0] = 0;
    if (!v || json_is_null(v)) return AY_OK;
    if (!json_is_string(v)) return FAULT(err, "%s: must be text", name);
    if (fit == FITS && json_string_length(v) >= into_bytes)
        return FAULT(err, "%s: longer than %zu bytes", name, into_bytes - 1);
    ay_clean_text(json_string_value(v), into, into_bytes);
    return AY_OK;
}

static enum ay_status get_number(const json_t *from, const char *name, double *out,
                                 struct ay_error *err)
{
    const json_t *v = json_object_get(from, name);
    if (!json_is_number(v)) return FAULT(err, "%s: must be a number", name);
    *out = json_number_value(v);
    return AY_OK;
}

static enum ay_status get_count(const json_t *from, const char *name, json_int_t least,
                                size_t *out, struct ay_error *err)
{
    const json_t *v = json_object_get(from, name);
    if (!json_is_integer(v) || json_integer_value(v) < least)
        return FAULT(err, "%s: must be an integer of at least %" JSON_INTEGER_FORMAT, name, least);
    *out = (size_t)json_integer_value(v);
    return AY_OK;
}

/* An array or nothing. */
static enum ay_status get_list(const json_t *from, const char *name, const json_t **out,
                               struct ay_error *err)
{
    *out = json_object_get(from, name);
    if (!*out || json_is_null(*out)) {
        *out = NULL;
        return AY_OK;
    }
    return json_is_array(*out) ? AY_OK : FAULT(err, "%s: must be a list", name);
}

/* --- the point -------------------------------------------------------------------------------- */

/* A number that JSON integers cannot hold travels as text: see ay_point_to_json. */
static bool is_large_number(const char *text, uint64_t *out)
{
    if (strspn(text, "0123456789") != strlen(text) || strlen(text) < 19 || strlen(text) > 20)
        return false;
    uint64_t n = 0;
    for (const char *c = text; *c; c++) {
        const uint64_t digit = (uint64_t)(*c - '0');
        if (n > (UINT64_MAX - digit) / 10) return false;
        n = 10 * n + digit;
    }
    *out = n;
    return n > INT64_MAX;
}

static enum ay_status coord_from(const char *axis, const json_t *v, struct ay_coord *c,
                                 struct ay_error *err)
{
    if (!axis[0] || strlen(axis) >= sizeof c->axis)
        return FAULT(err, "point: an axis name has 1 to %zu bytes", sizeof c->axis - 1);
    ay_clean_text(axis, c->axis, sizeof c->axis);
    if (json_is_integer(v) && json_integer_value(v) >= 0) {
        c->number = (uint64_t)json_integer_value(v);
        return AY_OK;
    }
    if (!json_is_string(v) || json_string_length(v) == 0)
        return FAULT(err, "point: %s is neither a whole number nor a word", c->axis);
    const char *word = json_string_value(v);
    if (is_large_number(word, &c->number)) return AY_OK;
    if (strlen(word) >= sizeof c->word)
        return FAULT(err, "point: the word of %s is longer than %zu bytes", c->axis,
                     sizeof c->word - 1);
    ay_clean_text(word, c->word, sizeof c->word);
    return AY_OK;
}

enum ay_status ay_point_from_json(const json_t *json, struct ay_point *p, struct ay_error *err)
{
    memset(p, 0, sizeof *p);
    if (!json) return AY_OK;
    if (!json_is_object(json)) return FAULT(err, "point: must be an object");
    if (json_object_size(json) > AY_MAX_COORDS)
        return FAULT(err, "point: more than %d axes", AY_MAX_COORDS);
    const char *axis;
    json_t *v, *object = (json_t *)(uintptr_t)json; /* jansson iterates non-const only */
    json_object_foreach(object, axis, v)
        AY_TRY(coord_from(axis, v, &p->at[p->n++], err));
    return AY_OK;
}

/* --- parts of a row --------------------------------------------------------------------------- */

static enum ay_status modes_from(const json_t *json, struct ay_estimate *e, struct ay_error *err)
{
    const json_t *list;
    AY_TRY(get_list(json, "modes", &list, err));
    if (json_array_size(list) > AY_MAX_MODES)
        return FAULT(err, "modes: more than %d", AY_MAX_MODES);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct ay_mode *m = &e->modes[e->n_modes++];
        AY_TRY(get_number(json_array_get(list, i), "value", &m->value, err));
        AY_TRY(get_number(json_array_get(list, i), "weight", &m->weight, err));
    }
    return AY_OK;
}

static enum ay_status samples_from(const json_t *json, struct ay_row *row, struct ay_error *err)
{
    const json_t *list;
    AY_TRY(get_list(json, "samples", &list, err));
    const size_t n = json_array_size(list);
    if (n == 0) return AY_OK;
    row->samples = malloc(2 * n * sizeof *row->samples);
    if (!row->samples) return AY_FAIL(err, AY_NOMEM, "samples: out of memory for %zu pairs", n);
    for (size_t i = 0; i < n; i++) {
        const json_t *pair = json_array_get(list, i);
        const json_t *work = json_array_get(pair, 0), *cost = json_array_get(pair, 1);
        if (json_array_size(pair) != 2 || !json_is_number(work) || !json_is_number(cost))
            return FAULT(err, "samples: entry %zu is not a pair of numbers", i);
        row->samples[2 * i] = json_number_value(work);
        row->samples[2 * i + 1] = json_number_value(cost);
    }
    row->n_samples = n;
    return AY_OK;
}

static enum ay_status warnings_from(const json_t *json, struct ay_row *row, struct ay_error *err)
{
    const json_t *list;
    AY_TRY(get_list(json, "warnings", &list, err));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *text = json_array_get(list, i);
        if (!json_is_string(text)) return FAULT(err, "warnings: entry %zu is not text", i);
        ay_row_warn(row, "%s", json_string_value(text));
    }
    return AY_OK;
}

static enum ay_status kernel_from(const json_t *json, struct ay_row *row, struct ay_error *err)
{
    const json_t *kernel = json_object_get(json, "kernel");
    if (!kernel || json_is_null(kernel)) return AY_OK;
    if (!json_is_object(kernel)) return FAULT(err, "kernel: must be an object");
    AY_TRY(get_text(kernel, "entry", FITS, row->entry, sizeof row->entry, err));
    AY_TRY(get_text(kernel, "image_sha256", FITS, row->image_sha256, sizeof row->image_sha256,
                    err));
    return get_text(kernel, "sass", FITS, row->sass, sizeof row->sass, err);
}

static enum ay_status planted_from(const json_t *json, struct ay_row *row, struct ay_error *err)
{
    const json_t *planted = json_object_get(json, "planted");
    if (!planted || json_is_null(planted)) return AY_OK;
    if (!json_is_object(planted)) return FAULT(err, "planted: must be an object");
    AY_TRY(get_number(planted, "value", &row->planted.value, err));
    AY_TRY(get_number(planted, "tolerance", &row->planted.tolerance, err));
    if (row->planted.tolerance < 0) return FAULT(err, "tolerance: must not be negative");
    row->has_planted = true;
    return AY_OK;
}

/* The second value stands under its unit's word. */
static enum ay_status beside_from(const json_t *json, struct ay_row *row, struct ay_error *err)
{
    for (int u = AY_NO_UNIT + 1; u < AY_N_UNITS; u++) {
        const char *name = ay_unit_text((enum ay_unit)u);
        if (!json_is_number(json_object_get(json, name))) continue;
        row->beside_unit = (enum ay_unit)u;
        return get_number(json, name, &row->beside, err);
    }
    return AY_OK;
}

static enum ay_status estimate_from(const json_t *json, struct ay_row *row, struct ay_error *err)
{
    struct ay_estimate *e = &row->estimate;
    if (row->unit == AY_NO_UNIT) return FAULT(err, "unit: an ok row has one");
    AY_TRY(get_number(json, "value", &e->value, err));
    AY_TRY(get_number(json, "low", &e->low, err));
    AY_TRY(get_number(json, "high", &e->high, err));
    if (e->low > e->high) return FAULT(err, "low: above high");
    AY_TRY(get_count(json, "n", 1, &e->n, err));
    if (json_object_get(json, "outliers"))
        AY_TRY(get_count(json, "outliers", 0, &e->n_outliers, err));
    const json_t *clock = json_object_get(json, "clock_mhz");
    if (clock && !json_is_null(clock)) AY_TRY(get_number(json, "clock_mhz", &row->clock_mhz, err));
    AY_TRY(get_text(json, "stop", FITS, row->stop, sizeof row->stop, err));
    AY_TRY(get_text(json, "label", FITS, row->label, sizeof row->label, err));
    AY_TRY(modes_from(json, e, err));
    return beside_from(json, row, err);
}

static enum ay_status status_from(const json_t *json, enum ay_row_status *out,
                                  struct ay_error *err)
{
    char word[16];
    AY_TRY(get_text(json, "status", FITS, word, sizeof word, err));
    for (int s = AY_ROW_OK; s <= AY_ROW_ERROR; s++)
        if (strcmp(word, ay_row_status_text((enum ay_row_status)s)) == 0) {
            *out = (enum ay_row_status)s;
            return AY_OK;
        }
    return FAULT(err, "status: \"%s\" is none of ok, skip, void, error", word);
}

static enum ay_status head_from(const json_t *json, struct ay_row *row, struct ay_error *err)
{
    if (!json_is_object(json)) return FAULT(err, "record: must be an object");
    AY_TRY(get_text(json, "probe", FITS, row->probe, sizeof row->probe, err));
    if (!row->probe[0]) return FAULT(err, "probe: is missing");
    AY_TRY(get_text(json, "quantity", FITS, row->quantity, sizeof row->quantity, err));
    AY_TRY(ay_point_from_json(json_object_get(json, "point"), &row->point, err));
    AY_TRY(status_from(json, &row->status, err));
    AY_TRY(get_text(json, "reason", CUT, row->reason, sizeof row->reason, err));
    char unit[32];
    AY_TRY(get_text(json, "unit", FITS, unit, sizeof unit, err));
    row->unit = ay_unit_of(unit);
    if (unit[0] && row->unit == AY_NO_UNIT)
        return FAULT(err, "unit: \"%s\" is not known here", unit);
    return AY_OK;
}

static enum ay_status row_from(const json_t *json, struct ay_row *row, struct ay_error *err)
{
    AY_TRY(head_from(json, row, err));
    if (row->status == AY_ROW_OK) {
        if (!row->quantity[0]) return FAULT(err, "quantity: an ok row has one");
        AY_TRY(estimate_from(json, row, err));
    } else if (json_is_number(json_object_get(json, "value"))) {
        return FAULT(err, "value: only an ok row has one");
    }
    AY_TRY(get_text(json, "estimator", FITS, row->estimator, sizeof row->estimator, err));
    AY_TRY(kernel_from(json, row, err));
    AY_TRY(planted_from(json, row, err));
    AY_TRY(warnings_from(json, row, err));
    return samples_from(json, row, err);
}

enum ay_status ay_row_from_json(const json_t *json, struct ay_row *row, struct ay_error *err)
{
    memset(row, 0, sizeof *row);
    const enum ay_status s = row_from(json, row, err);
    if (s != AY_OK) {
        free(row->samples);
        memset(row, 0, sizeof *row);
    }
    return s;
}
