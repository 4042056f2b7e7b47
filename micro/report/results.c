#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "report/order.h"
#include "report/page.h"
#include "report/verdicts.h"

enum { N_COLUMNS = 9, MANY_POINTS = 6 };

/* --- cells ------------------------------------------------------------------------------------ */

void ay_put_value(struct ay_out *o, const struct ay_row *row)
{
    char text[AY_VALUE_BYTES];
    ay_row_value_text(row, text);
    const size_t n_whole = strspn(text, "0123456789");
    const bool is_grouped = n_whole >= 5 && (text[n_whole] == 0 || text[n_whole] == '.');
    ay_out_put(o, "<span class=\"num\">");
    for (size_t i = 0; is_grouped && i < n_whole; i++) {
        if (i && (n_whole - i) % 3 == 0) ay_out_put(o, "\xe2\x80\xaf"); /* narrow no-break space */
        ay_out_bytes(o, text + i, 1);
    }
    ay_out_html(o, is_grouped ? text + n_whole : text);
    ay_out_put(o, "</span>");
    const char *unit = ay_row_unit_display(row);
    if (unit[0]) ay_out_format(o, " <span class=\"unit\">%s</span>", unit);
}

static void put_modes(struct ay_out *o, const struct ay_estimate *e)
{
    if (e->n_modes < 2) return;
    ay_out_format(o, "<span class=\"sub\">%zu modes:", e->n_modes);
    for (size_t i = 0; i < e->n_modes && i < AY_MAX_MODES; i++) {
        char text[AY_VALUE_BYTES];
        ay_out_format(o, "%s %s (%ld&#8239;%%)", i ? "," : "",
                      ay_value_text(e->modes[i].value, e->modes[i].value / 100, text),
                      lround(100 * e->modes[i].weight));
    }
    ay_out_put(o, "</span>");
}

static void put_sass(struct ay_out *o, const struct ay_row *row)
{
    ay_out_put(o, "<td>");
    if (!row->entry[0]) {
        ay_out_put(o, "<span class=\"none\">no kernel</span></td>");
        return;
    }
    const char *kind = strcmp(row->sass, "pass") == 0 ? "pass"
                     : strcmp(row->sass, "fail") == 0 ? "fail" : "warn";
    ay_put_badge(o, kind, row->sass[0] ? row->sass : "unchecked");
    ay_out_put(o, "<span class=\"sub\"><code title=\"sha256 ");
    ay_out_html(o, row->image_sha256);
    ay_out_put(o, "\">");
    ay_out_html(o, row->entry);
    ay_out_put(o, "</code></span></td>");
}

static void put_planted(struct ay_out *o, const struct ay_row *row)
{
    char text[2 * AY_VALUE_BYTES];
    const enum ay_verdict_kind v = ay_planted_verdict(row);
    ay_out_put(o, "<td>");
    if (v == AY_NO_REFERENCE) {
        ay_out_put(o, "<span class=\"none\">none</span></td>");
        return;
    }
    ay_put_badge(o, v == AY_PASS ? "pass" : "fail", ay_verdict_text(v));
    if (row->has_planted)
        ay_out_format(o, "<span class=\"sub\">%s</span>", ay_row_planted_text(row, text));
    ay_out_put(o, "</td>");
}

static void put_numbers(struct ay_out *o, const struct ay_row *row)
{
    char text[2 * AY_VALUE_BYTES], value[AY_VALUE_BYTES];
    const struct ay_estimate *e = &row->estimate;
    ay_out_put(o, "<td class=\"value\">");
    ay_put_value(o, row);
    if (row->beside_unit != AY_NO_UNIT)
        ay_out_format(o, "<span class=\"sub\">%s</span>", ay_row_beside_text(row, text));
    put_modes(o, e);
    ay_out_format(o, "</td><td class=\"interval\">%s</td><td class=\"count\">%zu",
                  ay_row_interval_text(row, text), e->n);
    if (e->n_outliers)
        ay_out_format(o, "<span class=\"sub\">%zu outlier%s</span>", e->n_outliers,
                      e->n_outliers == 1 ? "" : "s");
    ay_out_put(o, "</td><td>");
    ay_out_html(o, row->stop);
    ay_out_put(o, "</td><td class=\"count\">");
    if (row->clock_mhz > 0)
        ay_out_format(o, "%s&#8239;MHz", ay_short_text(row->clock_mhz, value));
    else ay_out_put(o, "<span class=\"none\">none</span>");
    ay_out_put(o, "</td>");
    put_sass(o, row);
    put_planted(o, row);
}

/* What a quantity is, is said at its first row: `before` is the row above or NULL. */
static void put_quantity(struct ay_out *o, const struct ay_row *row, const struct ay_row *before,
                         const struct ay_probe *probe)
{
    const struct ay_quantity *q = probe ? ay_quantity_of(probe, row->quantity) : NULL;
    const bool is_said = q && before && ay_quantity_of(probe, before->quantity) == q;
    ay_out_put(o, "<th scope=\"row\">");
    ay_out_html(o, row->quantity[0] ? row->quantity : "all of it");
    if (q && q->text && !is_said) {
        ay_out_put(o, "<span class=\"sub\">");
        ay_out_html(o, q->text);
        ay_out_put(o, "</span>");
    }
    for (size_t i = 0; i < row->n_warnings; i++) {
        ay_out_put(o, "<span class=\"sub warned\">! ");
        ay_out_html(o, row->warnings[i]);
        ay_out_put(o, "</span>");
    }
    ay_out_put(o, "</th>");
}

static void put_row(struct ay_out *o, const struct ay_row *row, const struct ay_row *before,
                    const struct ay_probe *probe)
{
    char text[256];
    ay_out_format(o, "<tr class=\"%s\">", ay_row_status_text(row->status));
    put_quantity(o, row, before, probe);
    ay_out_put(o, "<td class=\"point\">");
    ay_out_html(o, ay_point_display(&row->point, text, sizeof text));
    ay_out_put(o, "</td>");
    if (row->status == AY_ROW_OK) {
        put_numbers(o, row);
    } else {
        ay_out_format(o, "<td class=\"reason\" colspan=\"%d\">", N_COLUMNS - 2);
        ay_put_badge(o, row->status == AY_ROW_SKIP ? "skip" : "fail",
                     ay_row_status_text(row->status));
        ay_out_put(o, " ");
        ay_out_html(o, row->reason);
        ay_out_put(o, "</td>");
    }
    ay_out_put(o, "</tr>\n");
}

/* --- tables ----------------------------------------------------------------------------------- */

static void put_columns(struct ay_out *o)
{
    static const char *const NAMES[N_COLUMNS] = {
        "Quantity", "Point", "Value", "Interval, 95&#8239;%", "n", "Stop", "Clock", "Machine code",
        "Planted",
    };
    ay_out_put(o, "<thead><tr>");
    for (size_t i = 0; i < N_COLUMNS; i++)
        ay_out_format(o, "<th scope=\"col\">%s</th>", NAMES[i]);
    ay_out_put(o, "</tr></thead>\n");
}

static void put_pitfalls(struct ay_out *o, const struct ay_probe *probe)
{
    ay_out_put(o, "<details><summary>Method and pitfalls</summary>\n<p>");
    ay_out_html(o, probe->method ? probe->method : "");
    ay_out_put(o, "</p>\n");
    if (probe->pitfalls && probe->pitfalls[0]) ay_out_put(o, "<ul>\n");
    for (const char *const *p = probe->pitfalls; p && *p; p++) {
        ay_out_put(o, "<li>");
        ay_out_html(o, *p);
        ay_out_put(o, "</li>\n");
    }
    if (probe->pitfalls && probe->pitfalls[0]) ay_out_put(o, "</ul>\n");
    ay_out_put(o, "</details>");
}

static bool is_point_of_curve(const struct ay_row *row)
{
    return row->status == AY_ROW_OK && strcmp(row->quantity, "value") == 0;
}

/* A curve's many points are folded away: its levels and its figure say what matters. */
static void put_folded(struct ay_out *o, const struct ay_page_run *r,
                       const struct ay_row *const *rows, size_t n, size_t n_points,
                       const struct ay_probe *probe)
{
    ay_out_format(o, "<tr class=\"folded\"><td colspan=\"%d\"><details><summary>%zu points of the "
                  "curve</summary>\n<table>\n<caption>Points of ", N_COLUMNS, n_points);
    ay_out_html(o, rows[0]->probe);
    ay_out_format(o, "%s</caption>\n", ay_run_is_simulated(r->run) ? " (simulated)" : "");
    put_columns(o);
    ay_out_put(o, "<tbody>\n");
    const struct ay_row *before = NULL;
    for (size_t i = 0; i < n; i++)
        if (is_point_of_curve(rows[i])) {
            put_row(o, rows[i], before, probe);
            before = rows[i];
        }
    ay_out_put(o, "</tbody>\n</table>\n</details></td></tr>\n");
}

/* The rows of one probe are one group of the family's table. */
static void put_probe(struct ay_out *o, const struct ay_page *page,
                      const struct ay_page_run *r, const struct ay_row *const *rows, size_t n)
{
    const struct ay_probe *probe = ay_probe_named(page->probes, rows[0]->probe);
    size_t n_points = 0;
    for (size_t i = 0; i < n; i++)
        n_points += is_point_of_curve(rows[i]);
    const bool is_folded = n_points > MANY_POINTS;
    ay_out_format(o, "<tbody>\n<tr class=\"probe\"><th colspan=\"%d\" scope=\"rowgroup\"><code>",
                  N_COLUMNS);
    ay_out_html(o, rows[0]->probe);
    ay_out_put(o, "</code>");
    if (probe) {
        ay_out_put(o, " <span class=\"question\">");
        ay_out_html(o, probe->question);
        ay_out_put(o, "</span>\n");
        put_pitfalls(o, probe);
    }
    ay_out_put(o, "</th></tr>\n");
    const struct ay_row *before = NULL;
    for (size_t i = 0; i < n; i++)
        if (!is_folded || !is_point_of_curve(rows[i])) {
            put_row(o, rows[i], before, probe);
            before = rows[i];
        }
    if (is_folded) put_folded(o, r, rows, n, n_points, probe);
    ay_out_put(o, "</tbody>\n");
}

static void put_family(struct ay_out *o, const struct ay_page *page, const struct ay_page_run *r,
                       const struct ay_row *const *rows, size_t n)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)ay_family_length(rows[0]->probe), rows[0]->probe);
    ay_out_put(o, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    ay_out_html(o, ay_family_title(word));
    ay_out_put(o, "\">\n<table class=\"results\">\n<caption>");
    ay_out_html(o, ay_family_title(word));
    ay_out_put(o, " <code>");
    ay_out_html(o, word);
    ay_out_put(o, "</code>");
    if (ay_run_is_simulated(r->run)) ay_out_put(o, " <span class=\"mark\">simulated</span>");
    ay_out_put(o, "</caption>\n");
    put_columns(o);
    for (size_t i = 0; i < n;) {
        size_t k = i + 1;
        while (k < n && strcmp(rows[k]->probe, rows[i]->probe) == 0)
            k++;
        put_probe(o, page, r, rows + i, k - i);
        i = k;
    }
    ay_out_put(o, "</table>\n</div>\n");
}

void ay_put_results(struct ay_out *o, const struct ay_page *page, const struct ay_page_run *r)
{
    const size_t n = r->run->rows.n;
    if (n == 0 || !r->rows) return;
    ay_out_format(o, "<section class=\"all-results\">\n<h3 id=\"results-%zu\">Results</h3>\n",
                  r->number);
    for (size_t i = 0; i < n;) {
        size_t k = i + 1;
        while (k < n && ay_same_family(r->rows[k]->probe, r->rows[i]->probe))
            k++;
        put_family(o, page, r, r->rows + i, k - i);
        i = k;
    }
    ay_out_put(o, "</section>\n");
}
