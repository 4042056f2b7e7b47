#include "report/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "report/order.h"
#include "report/verdicts.h"

/* --- CSV: every digit, a value that is none is an empty field --------------------------------- */

static void put_field(struct ay_out *o, const char *text)
{
    ay_out_put(o, ",");
    ay_out_csv(o, text);
}

/* The fewest digits that read back the same. */
static void put_number(struct ay_out *o, double x)
{
    json_t *json = ay_json_number(x);
    char *text = json ? ay_json_line(json) : NULL;
    put_field(o, text && strcmp(text, "null") != 0 ? text : "");
    free(text);
    json_decref(json);
}

static void put_integer(struct ay_out *o, size_t n)
{
    ay_out_format(o, ",%zu", n);
}

static void put_csv_estimate(struct ay_out *o, const struct ay_row *row)
{
    const struct ay_estimate *e = &row->estimate;
    if (row->status != AY_ROW_OK) {
        ay_out_put(o, ",,,,,,,,,");
        return;
    }
    put_number(o, e->value);
    put_field(o, row->label);
    put_number(o, e->low);
    put_number(o, e->high);
    put_integer(o, e->n);
    put_field(o, row->stop);
    put_integer(o, e->n_outliers);
    if (row->beside_unit != AY_NO_UNIT) put_number(o, row->beside);
    else put_field(o, "");
    put_field(o, ay_unit_text(row->beside_unit));
}

static void put_csv_row(struct ay_out *o, const struct ay_page_run *r, const struct ay_row *row)
{
    char point[256];
    ay_out_format(o, "%zu", r->number);
    put_field(o, ay_run_device_text(r->run, "name"));
    put_field(o, ay_run_device_text(r->run, "kind"));
    put_field(o, row->probe);
    put_field(o, row->quantity);
    put_field(o, row->point.n ? ay_point_text(&row->point, point, sizeof point) : "");
    put_field(o, ay_row_status_text(row->status));
    put_field(o, ay_unit_text(row->unit));
    put_csv_estimate(o, row);
    if (row->status == AY_ROW_OK && row->clock_mhz > 0) put_number(o, row->clock_mhz);
    else put_field(o, "");
    put_field(o, row->entry);
    put_field(o, row->sass);
    if (row->has_planted) {
        put_number(o, row->planted.value);
        put_number(o, row->planted.tolerance);
    } else {
        ay_out_put(o, ",,");
    }
    put_field(o, ay_verdict_text(ay_planted_verdict(row)));
    put_field(o, row->reason);
    struct ay_out warnings = { 0 };
    for (size_t i = 0; i < row->n_warnings; i++) {
        ay_out_put(&warnings, i ? "; " : "");
        ay_out_put(&warnings, row->warnings[i]);
    }
    put_field(o, warnings.text ? warnings.text : "");
    ay_out_close(&warnings);
    ay_out_put(o, "\r\n");
}

void ay_put_csv(struct ay_out *o, const struct ay_page_run *runs, size_t n_runs)
{
    ay_out_put(o, "run,device,device_kind,probe,quantity,point,status,unit,value,label,low,high,n,"
               "stop,outliers,beside,beside_unit,clock_mhz,kernel,sass,planted,tolerance,verdict,"
               "reason,warnings\r\n");
    for (size_t i = 0; i < n_runs; i++)
        for (size_t k = 0; runs[i].rows && k < runs[i].run->rows.n; k++)
            put_csv_row(o, &runs[i], runs[i].rows[k]);
}

/* --- Markdown --------------------------------------------------------------------------------- */

static void put_cell(struct ay_out *o, const char *text)
{
    ay_out_put(o, " ");
    ay_out_markdown(o, text);
    ay_out_put(o, " |");
}

static void put_markdown_row(struct ay_out *o, const struct ay_row *row)
{
    char text[2 * AY_VALUE_BYTES], point[256];
    const enum ay_verdict_kind v = ay_planted_verdict(row);
    ay_out_put(o, "|");
    put_cell(o, row->probe);
    put_cell(o, row->quantity);
    put_cell(o, row->point.n ? ay_point_text(&row->point, point, sizeof point) : "");
    if (row->status == AY_ROW_OK) {
        ay_out_put(o, " ");
        ay_out_markdown(o, ay_row_value_text(row, text));
        ay_out_format(o, " %s |", ay_row_unit_display(row));
        put_cell(o, ay_row_interval_text(row, text));
        ay_out_format(o, " %zu |", row->estimate.n);
        put_cell(o, row->stop);
    } else {
        ay_out_format(o, " %s: ", ay_row_status_text(row->status));
        ay_out_markdown(o, row->reason);
        ay_out_put(o, " | | | |");
    }
    put_cell(o, row->sass);
    put_cell(o, v == AY_NO_REFERENCE || v == AY_NOT_COMPARABLE ? "" : ay_verdict_text(v));
    ay_out_put(o, "\n");
}

static void put_markdown_run(struct ay_out *o, const struct ay_page_run *r)
{
    const bool is_simulated = ay_run_is_simulated(r->run);
    ay_out_put(o, "# ");
    ay_out_markdown(o, ay_run_device_text(r->run, "name"));
    ay_out_put(o, is_simulated ? " (simulated)\n\nSimulated device: these numbers say nothing "
                                 "about any real GPU.\n" : "\n");
    if (!r->run->is_complete) ay_out_put(o, "\nThis run did not come to its end.\n");
    if (!r->rows) ay_out_put(o, "\nThis run has no results.\n");
    for (size_t i = 0; r->rows && i < r->run->rows.n; i++) {
        const struct ay_row *row = r->rows[i];
        if (i == 0 || !ay_same_family(row->probe, r->rows[i - 1]->probe)) {
            char word[64];
            snprintf(word, sizeof word, "%.*s", (int)ay_family_length(row->probe), row->probe);
            ay_out_put(o, "\n## ");
            ay_out_markdown(o, ay_family_title(word));
            ay_out_put(o, is_simulated ? " (simulated)" : "");
            ay_out_put(o, "\n\n| probe | quantity | point | value | interval 95 % | n | stop | "
                       "machine code | planted |\n"
                       "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
        }
        put_markdown_row(o, row);
    }
    ay_out_put(o, "\n");
}

void ay_put_markdown(struct ay_out *o, const struct ay_page_run *runs, size_t n_runs)
{
    for (size_t i = 0; i < n_runs; i++)
        put_markdown_run(o, &runs[i]);
}
