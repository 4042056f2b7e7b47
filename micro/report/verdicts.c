#include "report/verdicts.h"

#include <string.h>

#include "report/format.h"

enum ay_verdict_kind ay_planted_verdict(const struct ay_row *row)
{
    struct ay_reference ref;
    return ay_judge(row, ay_planted_reference(row, &ref) ? &ref : NULL);
}

void ay_count_verdicts(const struct ay_run *run, struct ay_verdicts *sum)
{
    for (size_t i = 0; i < run->rows.n; i++)
        sum->n[ay_planted_verdict(&run->rows.rows[i])]++;
}

/* --- JUnit ------------------------------------------------------------------------------------ */

static void put_attribute(struct ay_out *o, const char *name, const char *text)
{
    ay_out_format(o, " %s=\"", name);
    ay_out_html(o, text);
    ay_out_put(o, "\"");
}

/* "33 cycles, planted 34 ± 0" or the reason. */
static void put_why(struct ay_out *o, const struct ay_row *row)
{
    char value[AY_VALUE_BYTES], planted[64], tolerance[64];
    if (row->status != AY_ROW_OK) {
        ay_out_html(o, row->reason);
        return;
    }
    ay_out_html(o, ay_format_number(row->estimate.value, 9, value, sizeof value));
    ay_out_format(o, " %s", ay_unit_text(row->unit));
    if (!row->has_planted) return;
    ay_out_format(o, ", planted %s \xc2\xb1 %s",
                  ay_format_number(row->planted.value, 9, planted, sizeof planted),
                  ay_format_number(row->planted.tolerance, 6, tolerance, sizeof tolerance));
}

static void put_case(struct ay_out *o, const struct ay_run *run, const struct ay_row *row)
{
    char metric[256];
    const enum ay_verdict_kind v = ay_planted_verdict(row);
    ay_out_put(o, "    <testcase");
    put_attribute(o, "classname", ay_run_device_text(run, "name"));
    put_attribute(o, "name", ay_metric_of(row, metric, sizeof metric));
    if (v == AY_PASS) {
        ay_out_put(o, "/>\n");
        return;
    }
    const bool is_bad = v == AY_FAIL_VERDICT || v == AY_ABOVE;
    const char *element = row->status == AY_ROW_ERROR ? "error" : is_bad ? "failure" : "skipped";
    ay_out_format(o, "><%s", element);
    if (is_bad)
        put_attribute(o, "type", row->status == AY_ROW_OK ? ay_verdict_text(v)
                                                          : ay_row_status_text(row->status));
    ay_out_put(o, " message=\"");
    if (!is_bad && row->status == AY_ROW_OK) ay_out_put(o, ay_verdict_text(v));
    else put_why(o, row);
    ay_out_format(o, "\"/></testcase>\n");
}

static void put_suite(struct ay_out *o, const struct ay_run *run)
{
    struct ay_verdicts sum = { { 0 } };
    ay_count_verdicts(run, &sum);
    const size_t n_errors = run->tally.n_error;
    ay_out_put(o, "  <testsuite");
    put_attribute(o, "name", ay_run_device_text(run, "name"));
    const char *started = json_string_value(json_object_get(run->record, "started"));
    if (started) put_attribute(o, "timestamp", started);
    ay_out_format(o, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
                  run->rows.n, sum.n[AY_FAIL_VERDICT] + sum.n[AY_ABOVE] - n_errors, n_errors,
                  sum.n[AY_NOT_COMPARABLE] + sum.n[AY_NO_REFERENCE]);
    for (size_t i = 0; i < run->rows.n; i++)
        put_case(o, run, &run->rows.rows[i]);
    ay_out_put(o, "  </testsuite>\n");
}

void ay_put_junit(struct ay_out *o, const struct ay_run_file *f)
{
    ay_out_put(o, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<testsuites name=\"assay validate\">\n");
    for (size_t i = 0; i < f->n; i++)
        put_suite(o, &f->runs[i]);
    ay_out_put(o, "</testsuites>\n");
}
