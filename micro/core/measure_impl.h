/* measure_impl.h - one probe being measured, for measure.c and measure_rows.c alone. */
#ifndef AY_MEASURE_IMPL_H
#define AY_MEASURE_IMPL_H

#include "core/bench_impl.h"

/* One probe being measured. */
struct ay_work {
    struct ay_device *device;
    const struct ay_probe *probe;
    const struct ay_effort *effort;
    const struct ay_heartbeat *heart;
    struct ay_bench bench;
    struct ay_rows *rows;
    double clock_mhz;
    size_t n_points, n_points_done;
    bool is_healthy;
};

/* The row for what did not give a number; after an error the device is no longer healthy. */
enum ay_status ay_failed_row(struct ay_work *w, const char *quantity, const struct ay_point *at,
                             const struct ay_error *why, struct ay_error *err) AY_CHECKED;

/* The row of one series; `all` has the warnings of its pass. */
enum ay_status ay_series_row(struct ay_work *w, const struct ay_series *s, enum ay_stop stop,
                             const struct ay_samples *all, struct ay_error *err) AY_CHECKED;

/* Completes a row that `conclude` made: unit, clock, kernel. */
void ay_derived_row(struct ay_work *w, struct ay_row *row);

#endif
