#include "recover_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dev/gpu/gpu.h"
#include "dev/sim/sim.h"
#include "probes/registry.h"

void chip_begin(struct bench_chip *c, const char *text, const char *fault)
{
    struct ay_driver driver;
    memset(c, 0, sizeof *c);
    c->chip = malloc(sizeof *c->chip);
    ck_assert_ptr_nonnull(c->chip);
    const enum ay_status s = strchr(text, '=') ? ay_chip_parse(text, "keys", c->chip, &c->err)
                                               : ay_chip_load(text, c->chip, &c->err);
    ck_assert_msg(s == AY_OK, "%s", c->err.text);
    ck_assert_msg(sim_driver_open(c->chip, &driver, &c->err) == AY_OK, "%s", c->err.text);
    if (fault) {
        ck_assert_int_eq(ay_faults_parse(&fault, 1, &c->faults, &c->err), AY_OK);
        ck_assert_int_eq(ay_faults_wrap(&driver, c->faults, &c->err), AY_OK);
    }
    ck_assert_msg(ay_gpu_open(&driver, 0, NULL, "sim:x", true, &c->dev, &c->err) == AY_OK, "%s",
                  c->err.text);
}

void chip_end(struct bench_chip *c)
{
    ay_rows_close(&c->rows);
    ay_device_close(&c->dev);
    ay_faults_close(c->faults);
    free(c->chip);
}

void chip_measure(struct bench_chip *c, const struct ay_probe *p, bool is_quick)
{
    const struct ay_effort effort = {.seed = 1,
                                     .precision_ratio = is_quick ? 0.02 : 0.005,
                                     .budget_s = is_quick ? 1 : 5,
                                     .is_quick = is_quick};
    bool is_healthy;
    ay_rows_close(&c->rows);
    const enum ay_status s = ay_measure(&c->dev, p, &effort, NULL, &c->rows, &is_healthy, &c->err);
    ck_assert_msg(s == AY_OK, "%s: %s", p->name, c->err.text);
    ck_assert_uint_ge(c->rows.n, 1);
}

static const char *row_text(const struct ay_row *row)
{
    json_t *json = ay_row_to_json(row);
    json_object_del(json, "samples");
    return ay_json_line(json); /* both left to the end of a test that failed */
}

size_t must_recover(const struct bench_chip *c, const struct ay_probe *p)
{
    size_t n_planted = 0;
    for (size_t i = 0; i < c->rows.n; i++) {
        const struct ay_row *row = &c->rows.rows[i];
        struct ay_truth truth;
        if (row->status == AY_ROW_SKIP) continue;
        ck_assert_msg(row->status == AY_ROW_OK, "%s: %s", c->chip->name, row_text(row));
        if (!p->truth || !p->truth(c->chip, row->quantity, &row->point, &truth)) continue;
        ck_assert_msg(fabs(row->estimate.value - truth.value) <= truth.tolerance,
                      "%s: %s: planted %.17g, tolerance %g", c->chip->name, row_text(row),
                      truth.value, truth.tolerance);
        n_planted++;
    }
    return n_planted;
}

/* Where everything is planted plainly nothing may be given up either. */
static void must_not_skip(const struct bench_chip *c)
{
    for (size_t i = 0; i < c->rows.n; i++)
        ck_assert_msg(c->rows.rows[i].status != AY_ROW_SKIP, "%s: %s", c->chip->name,
                      row_text(&c->rows.rows[i]));
}

size_t must_recover_all(const char *text, bool is_quick, bool is_each)
{
    struct bench_chip c;
    size_t n_planted = 0, n_probes = 0;
    chip_begin(&c, text, NULL);
    for (const struct ay_probe *const *p = ay_probes(); *p; p++) {
        if ((*p)->belongs != AY_ON_GPU) continue;
        chip_measure(&c, *p, is_quick);
        const size_t n = must_recover(&c, *p);
        if (is_each) must_not_skip(&c);
        ck_assert_msg(n > 0 || !is_each, "no row of %s has a truth on %s", (*p)->name, text);
        n_planted += n;
        n_probes++;
    }
    ck_assert_uint_gt(n_probes, 0);
    chip_end(&c);
    return n_planted;
}

char *rows_text(const struct ay_rows *rows, bool is_bare)
{
    char *all = calloc(1, 1);
    size_t n_bytes = 0;
    for (size_t i = 0; i < rows->n; i++) {
        json_t *json = ay_row_to_json(&rows->rows[i]);
        if (is_bare) json_object_del(json, "kernel");
        char *line = ay_json_line(json);
        ck_assert_ptr_nonnull(line);
        const size_t n = strlen(line);
        all = realloc(all, n_bytes + n + 2);
        ck_assert_ptr_nonnull(all);
        memcpy(all + n_bytes, line, n);
        strcpy(all + n_bytes + n, "\n");
        n_bytes += n + 1;
        free(line);
        json_decref(json);
    }
    return all;
}
