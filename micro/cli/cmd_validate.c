#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/table.h"
#include "core/runfile.h"
#include "report/format.h"
#include "report/verdicts.h"

static const struct ay_option OPTIONS[] = {
    { .name = "against", .value = "planted",
      .help = "what to hold it against; default: the truth that the simulated chip planted" },
    { .name = "junit", .value = "FILE", .help = "the verdicts as JUnit XML, too" },
    { .name = "json", .help = "one JSON object a verdict, and nothing else" },
    { 0 },
};

static const struct ay_usage USAGE = {
    .command = "validate",
    .operands = "RUN",
    .summary = "hold a run on a simulated device against the truth that its chip file planted",
    .n_least = 1,
    .n_most = 1,
    .options = OPTIONS,
};

struct wants {
    const char *run, *junit;
    bool is_json;
};

/* --- one row ---------------------------------------------------------------------------------- */

static void add_row(struct ay_table *t, const struct ay_row *row)
{
    char metric[256], value[AY_VALUE_BYTES], with_unit[96], interval[2 * AY_VALUE_BYTES] = "";
    char n[24] = "", due[2 * AY_VALUE_BYTES];
    snprintf(with_unit, sizeof with_unit, "%s %s", ay_row_value_text(row, value),
             ay_row_unit_display(row));
    if (row->status == AY_ROW_OK) {
        ay_row_interval_text(row, interval);
        snprintf(n, sizeof n, "%zu", row->estimate.n);
    }
    const char *const cells[] = {
        ay_metric_of(row, metric, sizeof metric), row->status == AY_ROW_OK ? with_unit : "",
        interval, n, ay_row_planted_text(row, due), ay_verdict_text(ay_planted_verdict(row)),
        row->status == AY_ROW_OK ? "" : row->reason,
    };
    ay_table_add(t, cells);
}

static int print_json(const struct ay_row *row)
{
    char metric[256];
    json_t *json = json_object();
    json_object_set_new(json, "record", json_string("verdict"));
    json_object_set_new(json, "metric", ay_json_text(ay_metric_of(row, metric, sizeof metric)));
    json_object_set_new(json, "verdict", json_string(ay_verdict_text(ay_planted_verdict(row))));
    json_object_set_new(json, "status", json_string(ay_row_status_text(row->status)));
    const bool is_ok = row->status == AY_ROW_OK;
    json_object_set_new(json, "value", is_ok ? ay_json_number(row->estimate.value) : json_null());
    if (!is_ok) json_object_set_new(json, "reason", ay_json_text(row->reason));
    json_object_set_new(json, "unit", json_string(ay_unit_text(row->unit)));
    if (row->has_planted) {
        json_object_set_new(json, "planted", ay_json_number(row->planted.value));
        json_object_set_new(json, "tolerance", ay_json_number(row->planted.tolerance));
    }
    char *line = ay_json_line(json);
    json_decref(json);
    if (!line) return ay_complain(AY_EXIT_BAD, "out of memory");
    puts(line);
    free(line);
    return AY_EXIT_OK;
}

/* --- a run ------------------------------------------------------------------------------------ */

static void print_table(const struct ay_run *run)
{
    struct ay_table t = {
        .n_columns = 7,
        .titles = { "metric", "value", "interval", "n", "planted", "verdict", "" },
        .right = 1u << 1 | 1u << 3,
    };
    for (size_t i = 0; i < run->rows.n; i++) {
        const enum ay_verdict_kind v = ay_planted_verdict(&run->rows.rows[i]);
        if (v == AY_PASS || v == AY_FAIL_VERDICT || v == AY_ABOVE) add_row(&t, &run->rows.rows[i]);
    }
    printf("%s%s against planted\n", ay_run_device_text(run, "name"),
           ay_run_is_simulated(run) ? " (simulated)" : "");
    if (t.n_rows) ay_table_print(&t, stdout);
    ay_table_close(&t);
}

static int judge(const struct wants *w, const struct ay_run_file *f)
{
    struct ay_verdicts sum = { { 0 } };
    for (size_t i = 0; i < f->n; i++) {
        const struct ay_run *run = &f->runs[i];
        ay_count_verdicts(run, &sum);
        if (!run->is_complete)
            ay_warn_user("the run of %s did not come to its end: what is missing was not judged",
                         ay_run_device_text(run, "name"));
        for (size_t k = 0; w->is_json && k < run->rows.n; k++)
            if (print_json(&run->rows.rows[k]) != AY_EXIT_OK) return AY_EXIT_BAD;
        if (!w->is_json) print_table(run);
    }
    const size_t n_bad = sum.n[AY_FAIL_VERDICT] + sum.n[AY_ABOVE];
    fprintf(w->is_json ? stderr : stdout,
            "%zu pass, %zu fail, %zu above, %zu not comparable, %zu without reference\n",
            sum.n[AY_PASS], sum.n[AY_FAIL_VERDICT], sum.n[AY_ABOVE], sum.n[AY_NOT_COMPARABLE],
            sum.n[AY_NO_REFERENCE]);
    if (n_bad) return AY_EXIT_BAD;
    if (sum.n[AY_PASS]) return AY_EXIT_OK;
    return ay_complain(AY_EXIT_NOTHING, "nothing could be judged: no row of %s carries a planted "
                       "value (only runs on simulated devices do)", f->path);
}

static int save_junit(const char *path, const struct ay_run_file *f)
{
    struct ay_out o = { 0 };
    struct ay_error err;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + (slash == path)) : strdup(".");
    if (!folder) return ay_complain(AY_EXIT_BAD, "out of memory");
    ay_put_junit(&o, f);
    const enum ay_status s = ay_out_save(&o, folder, slash ? slash + 1 : path, &err);
    ay_out_close(&o);
    free(folder);
    return s == AY_OK ? AY_EXIT_OK : ay_complain(ay_exit_of(s), "%s", err.text);
}

static int validate(const struct wants *w)
{
    struct ay_run_file f;
    struct ay_error err;
    const enum ay_status s = ay_run_read(w->run, &f, &err);
    if (s != AY_OK) return ay_complain(ay_exit_of(s), "%s", err.text);
    for (size_t i = 0; i < f.n_warnings; i++)
        ay_warn_user("%s: %s", f.path, f.warnings[i]);
    int code = judge(w, &f);
    if (w->junit) {
        const int saved = save_junit(w->junit, &f);
        if (saved != AY_EXIT_OK) code = saved;
    }
    ay_run_file_close(&f);
    return code;
}

int ay_cmd_validate(int argc, char **argv)
{
    struct ay_args args;
    const int code = ay_parse_args(&USAGE, argc, argv, &args);
    if (code != AY_GO_ON) return code;
    const char *against = ay_option_value(&args, "against", 0);
    if (against && strcmp(against, "planted") != 0)
        return ay_complain(AY_EXIT_USAGE, "validate: --against %s: this version judges against "
                           "`planted` alone; reference files and SKUs come later", against);
    const struct wants w = {
        .run = args.operands[0],
        .junit = ay_option_value(&args, "junit", 0),
        .is_json = ay_has_option(&args, "json"),
    };
    return validate(&w);
}
