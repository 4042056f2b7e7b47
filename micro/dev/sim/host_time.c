/* host_time.c - the host's clock: it passes in calls alone. */
#include "dev/sim/api.h"

#include <math.h>

/* Half a clock read before and half after the moment it tells, and never less than a nanosecond. */
uint64_t sim_now_ns(void *self)
{
    struct sim_driver *const d = self;
    sim_pass(d, SIM_CLOCK_READ_NS);
    return (uint64_t)(SIM_EPOCH_NS + d->host_ns);
}

void sim_sleep_ns(void *self, uint64_t ns)
{
    sim_pass(self, (double)ns);
}

void sim_pass(struct sim_driver *d, double ns)
{
    d->host_ns += ns;
    sim_carry(d, d->host_ns);
}

/* Noise of the chip: every duration wavers, and now and then one is an outlier. Draws nothing on a
 * quiet chip, so that noise is no part of what a quiet one does. */
double sim_wavers(struct sim_driver *d, double ns)
{
    const struct ay_chip *const c = &d->gpus[0].chip;
    if (c->noise_sigma_ratio > 0) {
        const double factor = 1 + c->noise_sigma_ratio * ay_random_normal(&d->random);
        ns *= fmax(factor, 0.1);
    }
    if (c->outlier_probability > 0 && ay_random_unit(&d->random) < c->outlier_probability)
        ns *= c->outlier_ratio;
    return ns;
}
