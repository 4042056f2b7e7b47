#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/row.h"

/* Adds a new reference; false, and the caller gives up, when memory has run out. */
static bool add(json_t *to, const char *name, json_t *value)
{
    return value && json_object_set_new(to, name, value) == 0;
}

static bool append(json_t *to, json_t *value)
{
    return value && json_array_append_new(to, value) == 0;
}

json_t *ay_point_to_json(const struct ay_point *p)
{
    json_t *json = json_object();
    if (!json) return NULL;
    for (size_t i = 0; i < p->n; i++) {
        const struct ay_coord *c = &p->at[i];
        json_t *value;
        if (c->word[0]) {
            value = ay_json_text(c->word);
        } else if (c->number <= INT64_MAX) {
            value = json_integer((json_int_t)c->number);
        } else { /* JSON integers here are signed 64 bit: what is larger is written as text */
            char text[24];
            snprintf(text, sizeof text, "%llu", (unsigned long long)c->number);
            value = json_string(text);
        }
        if (!add(json, c->axis, value)) {
            json_decref(json);
            return NULL;
        }
    }
    return json;
}

static json_t *modes_json(const struct ay_estimate *e)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < e->n_modes && i < AY_MAX_MODES; i++) {
        const struct ay_mode *m = &e->modes[i];
        json_t *mode = json_object();
        if (!append(list, mode) || !add(mode, "value", ay_json_number(m->value)) ||
            !add(mode, "weight", ay_json_number(m->weight))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *samples_json(const struct ay_row *row)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < row->n_samples; i++) {
        json_t *pair = json_array();
        if (!append(list, pair) || !append(pair, ay_json_number(row->samples[2 * i])) ||
            !append(pair, ay_json_number(row->samples[2 * i + 1]))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *warnings_json(const struct ay_row *row)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < row->n_warnings; i++)
        if (!append(list, ay_json_text(row->warnings[i]))) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static bool add_head(json_t *to, const struct ay_row *row, enum ay_row_status status,
                     const char *reason)
{
    return add(to, "record", json_string("result")) && add(to, "probe", ay_json_text(row->probe)) &&
           (!row->quantity[0] || add(to, "quantity", ay_json_text(row->quantity))) &&
           add(to, "point", ay_point_to_json(&row->point)) &&
           add(to, "status", json_string(ay_row_status_text(status))) &&
           (status == AY_ROW_OK || add(to, "reason", ay_json_text(reason)));
}

static bool add_estimate(json_t *to, const struct ay_row *row)
{
    const struct ay_estimate *e = &row->estimate;
    return add(to, "value", ay_json_number(e->value)) &&
           (!row->label[0] || add(to, "label", ay_json_text(row->label))) &&
           add(to, "low", ay_json_number(e->low)) && add(to, "high", ay_json_number(e->high)) &&
           add(to, "n", json_integer((json_int_t)e->n)) &&
           add(to, "stop", ay_json_text(row->stop)) &&
           add(to, "outliers", json_integer((json_int_t)e->n_outliers)) &&
           add(to, "modes", modes_json(e)) &&
           add(to, "clock_mhz",
               row->clock_mhz > 0 ? ay_json_number(row->clock_mhz) : json_null()) &&
           (row->beside_unit == AY_NO_UNIT ||
            add(to, ay_unit_text(row->beside_unit), ay_json_number(row->beside)));
}

static bool add_evidence(json_t *to, const struct ay_row *row, bool is_ok)
{
    if ((is_ok || row->n_samples > 0) && !add(to, "samples", samples_json(row))) return false;
    if (row->estimator[0] && !add(to, "estimator", ay_json_text(row->estimator))) return false;
    if (row->entry[0]) {
        json_t *kernel = json_object();
        if (!add(to, "kernel", kernel) || !add(kernel, "entry", ay_json_text(row->entry)) ||
            !add(kernel, "image_sha256", ay_json_text(row->image_sha256)) ||
            !add(kernel, "sass", ay_json_text(row->sass[0] ? row->sass : "unchecked")))
            return false;
    }
    if (row->has_planted) {
        json_t *planted = json_object();
        if (!add(to, "planted", planted) ||
            !add(planted, "value", ay_json_number(row->planted.value)) ||
            !add(planted, "tolerance", ay_json_number(row->planted.tolerance)))
            return false;
    }
    return true;
}

json_t *ay_row_to_json(const struct ay_row *row)
{
    const struct ay_estimate *e = &row->estimate;
    enum ay_row_status status = row->status;
    const char *reason = row->reason[0] ? row->reason : "no reason was given";
    /* A number that is none must not leave under `ok`. */
    if (status == AY_ROW_OK && !(isfinite(e->value) && isfinite(e->low) && isfinite(e->high))) {
        status = AY_ROW_VOID;
        reason = "the estimate or its interval is not a finite number";
    }
    const bool is_ok = status == AY_ROW_OK, is_skip = status == AY_ROW_SKIP;

    json_t *json = json_object();
    if (!json) return NULL;
    bool is_good = add_head(json, row, status, reason);
    if (!is_skip && row->unit != AY_NO_UNIT)
        is_good = is_good && add(json, "unit", json_string(ay_unit_text(row->unit)));
    is_good = is_good && (is_ok ? add_estimate(json, row) : add(json, "value", json_null()));
    if (!is_skip) is_good = is_good && add_evidence(json, row, is_ok);
    if (is_ok || row->n_warnings) is_good = is_good && add(json, "warnings", warnings_json(row));
    if (is_good) return json;
    json_decref(json);
    return NULL;
}
