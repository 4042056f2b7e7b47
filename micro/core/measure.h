/* measure.h - one probe on one open device: from descriptor to rows. Runs in a worker. */
#ifndef AY_MEASURE_H
#define AY_MEASURE_H

#include "core/device.h"
#include "core/row.h"

struct ay_effort {
    uint64_t seed;
    double precision_ratio; /* wanted half width of each interval */
    double budget_s;        /* seconds of sampling that the probe may take */
    bool is_quick;          /* at most 8 points an axis */
};

/* Tells that there is life; done_ratio 0 … 1, or negative: no news but life. */
struct ay_heartbeat {
    void (*beat)(void *self, double done_ratio);
    void *self;
};

/* Rows of the probe in order of its points, those of `conclude` last. What cannot be measured, must
 * not be believed or went wrong is a row too, so that the call fails only for AY_NOMEM.
 * *is_healthy: false after an error of the device, which should then not be used again. */
enum ay_status ay_measure(struct ay_device *d, const struct ay_probe *p,
                          const struct ay_effort *effort, const struct ay_heartbeat *heart,
                          struct ay_rows *out, bool *is_healthy, struct ay_error *err) AY_CHECKED;

#endif
