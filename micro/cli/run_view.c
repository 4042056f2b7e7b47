#include "cli/run_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/reference.h"

enum { NAME_WIDTH = 52, VALUE_WIDTH = 9, UNIT_WIDTH = 19, INTERVAL_WIDTH = 19 };
enum { DIGITS = 6, BESIDE_DIGITS = 5 };

static const char *colour(const struct ay_run_view *v, const char *code)
{
    return v->has_colour ? code : "";
}

/* "[33, 33]"; a single number when there is no spread. */
static void interval_text(const struct ay_estimate *e, char *into, size_t bytes)
{
    char low[40], high[40];
    ay_format_number(e->low, DIGITS, low, sizeof low);
    ay_format_number(e->high, DIGITS, high, sizeof high);
    snprintf(into, bytes, "[%s, %s]", low, high);
}

static void verdict_text(const struct ay_row *row, char *into, size_t bytes)
{
    struct ay_reference planted;
    char want[40];
    if (row->sass[0] && strcmp(row->sass, "pass") != 0) snprintf(into, bytes, "sass %s", row->sass);
    else snprintf(into, bytes, "ok");
    if (!ay_planted_reference(row, &planted)) return;
    const enum ay_verdict_kind verdict = ay_judge(row, &planted);
    ay_format_number(row->planted.value, DIGITS, want, sizeof want);
    if (verdict == AY_PASS) snprintf(into, bytes, "ok = planted");
    else snprintf(into, bytes, "NOT the planted %s", want);
}

/* "cycles (22 ns)": the second value stands beside the first one's unit. */
static void unit_text(const struct ay_row *row, char *into, size_t bytes)
{
    char number[40];
    if (!row->beside_unit) {
        snprintf(into, bytes, "%s", ay_unit_text(row->unit));
        return;
    }
    ay_format_number(row->beside, BESIDE_DIGITS, number, sizeof number);
    snprintf(into, bytes, "%s (%s %s)", ay_unit_text(row->unit), number,
             ay_unit_text(row->beside_unit));
}

static void print_ok(const struct ay_run_view *v, const struct ay_row *row, const char *name)
{
    char value[80], unit[120], interval[100], verdict[80];
    if (row->label[0]) snprintf(value, sizeof value, "%s", row->label);
    else ay_format_number(row->estimate.value, DIGITS, value, sizeof value);
    unit_text(row, unit, sizeof unit);
    interval_text(&row->estimate, interval, sizeof interval);
    verdict_text(row, verdict, sizeof verdict);
    const bool is_good = strncmp(verdict, "ok", 2) == 0;
    printf("  %-*s %*s %-*s %-*s n=%-5zu %-9s %s%s%s\n", NAME_WIDTH, name, VALUE_WIDTH, value,
           UNIT_WIDTH, unit, INTERVAL_WIDTH, interval, row->estimate.n, row->stop,
           colour(v, is_good ? "\033[32m" : "\033[31m"), verdict, colour(v, "\033[0m"));
}

static void erase_bar(struct ay_run_view *v)
{
    if (!v->is_bar_drawn) return;
    fputs("\r\033[K", stderr);
    v->is_bar_drawn = false;
}

static void on_started(void *self, const json_t *record)
{
    struct ay_run_view *v = self;
    const json_t *device = json_object_get(record, "device");
    const char *kind = json_string_value(json_object_get(device, "kind"));
    const char *product = json_string_value(json_object_get(device, "product"));
    const char *arch = json_string_value(json_object_get(device, "arch"));
    erase_bar(v);
    v->probe[0] = 0;
    v->n_lines_done = 0;
    if (!v->has_table) return;
    printf("%s: %s%s%s%s\n", json_string_value(json_object_get(device, "name")),
           product ? product : "", arch ? ", " : "", arch ? arch : "",
           kind && strcmp(kind, "simulated") == 0 ? " (SIMULATED: no number here is silicon's)"
                                                  : "");
}

static void on_row(void *self, const struct ay_row *row)
{
    struct ay_run_view *v = self;
    char point[300], name[400];
    erase_bar(v);
    if (!v->has_table) return;
    if (strcmp(v->probe, row->probe) != 0) {
        snprintf(v->probe, sizeof v->probe, "%s", row->probe);
        printf("%s%s%s\n", colour(v, "\033[1m"), row->probe, colour(v, "\033[0m"));
    }
    ay_point_text(&row->point, point, sizeof point);
    snprintf(name, sizeof name, "%s%s%s", row->quantity, point[0] ? "  " : "", point);
    if (row->status == AY_ROW_OK)
        print_ok(v, row, name);
    else
        printf("  %-*s %s%s%s: %s\n", NAME_WIDTH, name,
               colour(v, row->status == AY_ROW_SKIP ? "\033[33m" : "\033[31m"),
               ay_row_status_text(row->status), colour(v, "\033[0m"), row->reason);
    fflush(stdout);
}

static void on_progress(void *self, const char *doing, size_t n_done, size_t n, double seconds_left)
{
    enum { BAR = 24 };
    struct ay_run_view *v = self;
    char left[40] = "";
    if (seconds_left >= 0) snprintf(left, sizeof left, ", about %.0f s left", ceil(seconds_left));
    if (v->has_bar) {
        char bar[BAR + 1];
        const size_t filled = n ? n_done * BAR / n : BAR;
        for (size_t i = 0; i < BAR; i++) bar[i] = i < filled ? '#' : '.';
        bar[BAR] = 0;
        if (n_done < n) {
            fprintf(stderr, "\r\033[K[%s] %zu/%zu %s%s", bar, n_done, n, doing ? doing : "", left);
            v->is_bar_drawn = true;
        } else {
            erase_bar(v);
        }
        fflush(stderr);
    } else if (n_done > v->n_lines_done) {
        v->n_lines_done = n_done;
        fprintf(stderr, "assay: %zu of %zu probes done%s\n", n_done, n, n_done < n ? left : "");
    }
}

struct ay_listener ay_run_listener(struct ay_run_view *v)
{
    return (struct ay_listener){v, on_started, on_row, on_progress};
}

void ay_run_view_end(struct ay_run_view *v)
{
    erase_bar(v);
    fflush(stdout);
}
