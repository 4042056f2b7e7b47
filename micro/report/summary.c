#include <string.h>

#include "report/format.h"
#include "report/page.h"
#include "report/verdicts.h"

/* The key numbers, where a run has them. `axis=word` chooses among the points of a probe. */
static const struct tile {
    const char *title, *probe, *quantity, *axis, *word;
} TILES[] = {
    { "SM clock", "alu.clock", "sm_clock", NULL, NULL },
    { "Shared memory latency", "mem.shared.latency", "latency", NULL, NULL },
    { "L1 latency", "mem.l1.latency", "latency", "op", "ca" },
    { "L2 latency, near", "mem.l2.latency", "near", "op", "cg" },
    { "L2 latency, far", "mem.l2.latency", "far", "op", "cg" },
    { "L2 latency", "mem.l2.latency", "latency", "op", "cg" },
    { "DRAM latency", "mem.dram.latency", "latency", "row", "miss" },
    { "L1 capacity", "mem.l1.capacity", "capacity", "carveout", "default" },
    { "L2 capacity", "mem.l2.capacity", "capacity", "scope", "chip" },
    { "DRAM read", "mem.dram.bandwidth", "bandwidth", "op", "read" },
    { "DRAM copy", "mem.dram.bandwidth", "bandwidth", "op", "copy" },
    { "L2 read", "mem.l2.bandwidth", "bandwidth", "op", "read" },
    { "Shared memory read", "mem.shared.bandwidth", "bandwidth", "op", "read" },
    { "In flight for 90 %", "mem.inflight.curve", "bytes_for_90", NULL, NULL },
    { "FP32 FMA latency", "alu.latency", "latency", "op", "fma.rn.f32" },
    { "FP32 FMA rate", "alu.rate", "rate", "op", "fma.rn.f32" },
    { "FP64 FMA rate", "alu.rate", "rate", "op", "fma.rn.f64" },
    { "BF16 matrix rate", "tensor.mma.rate", "rate", "type", "bf16" },
    { "BF16 sustained", "tensor.power", "sustained", "type", "bf16" },
    { "Launch, call returns", "launch.stream", "call", NULL, NULL },
    { "Launch, device period", "launch.stream", "period_device", NULL, NULL },
    { "Host to device", "link.h2d.bandwidth", "asymptote", "engine", "ce" },
    { "Device to host", "link.d2h.bandwidth", "asymptote", "engine", "ce" },
    { "Host L1 latency", "host.mem.latency", "plateau.l1", NULL, NULL },
    { "Host L2 latency", "host.mem.latency", "plateau.l2", NULL, NULL },
    { "Host L3 latency", "host.mem.latency", "plateau.l3", NULL, NULL },
    { "Host DRAM latency", "host.mem.latency", "plateau.dram", NULL, NULL },
};
enum { N_TILES = sizeof TILES / sizeof TILES[0] };

/* The row at the point asked for, else the first that is ok. */
static const struct ay_row *find(const struct ay_page_run *r, const struct tile *t)
{
    const struct ay_row *first = NULL;
    for (size_t i = 0; i < r->run->rows.n; i++) {
        const struct ay_row *row = r->rows[i];
        if (row->status != AY_ROW_OK || strcmp(row->probe, t->probe) != 0 ||
            strcmp(row->quantity, t->quantity) != 0)
            continue;
        if (!first) first = row;
        if (!t->axis || ay_is_word(&row->point, t->axis, t->word)) return row;
    }
    /* Another instruction's rate under this title would be a wrong number. */
    const bool is_strict = t->axis && (strcmp(t->axis, "op") == 0 || strcmp(t->axis, "type") == 0);
    return is_strict && first && ay_word(&first->point, t->axis)[0] ? NULL : first;
}

static void put_tile(struct ay_out *o, const struct tile *t, const struct ay_row *row)
{
    char point[256], beside[2 * AY_VALUE_BYTES];
    ay_out_put(o, "<div><dt>");
    ay_out_html(o, t->title);
    ay_out_put(o, "</dt>\n<dd>");
    ay_put_value(o, row);
    if (row->beside_unit != AY_NO_UNIT)
        ay_out_format(o, " <span class=\"beside\">%s</span>", ay_row_beside_text(row, beside));
    ay_out_put(o, "<span class=\"where\">");
    if (row->point.n) ay_out_html(o, ay_point_display(&row->point, point, sizeof point));
    else ay_out_html(o, row->probe);
    ay_out_put(o, "</span>");
    const enum ay_verdict_kind v = ay_planted_verdict(row);
    if (v == AY_PASS) ay_put_badge(o, "pass", "as planted");
    if (v == AY_FAIL_VERDICT || v == AY_ABOVE) ay_put_badge(o, "fail", "not as planted");
    ay_out_put(o, "</dd></div>\n");
}

void ay_put_summary(struct ay_out *o, const struct ay_page_run *r)
{
    bool is_open = false;
    for (size_t i = 0; i < N_TILES && r->rows; i++) {
        const struct ay_row *row = find(r, &TILES[i]);
        if (!row) continue;
        if (!is_open)
            ay_out_format(o, "<section class=\"summary\">\n"
                          "<h3 id=\"summary-%zu\">Key numbers%s</h3>\n"
                          "<dl class=\"strip\">\n", r->number,
                          ay_run_is_simulated(r->run) ? " <span class=\"mark\">simulated</span>"
                                                      : "");
        is_open = true;
        put_tile(o, &TILES[i], row);
    }
    if (is_open) ay_out_put(o, "</dl>\n</section>\n");
}
