/* truth.h - a planted value with the tolerance that validate allows it. */
#ifndef AY_TRUTH_H
#define AY_TRUTH_H

#include "core/chip.h"
#include "core/probe.h"

/* Exact: 1e-6 of the value, and on a noisy chip its noise_sigma_ratio on top. */
struct ay_truth ay_exact(const struct ay_chip *chip, double value);
/* Within a ratio of the value; noise on top; never over 5 %. */
struct ay_truth ay_within(const struct ay_chip *chip, double value, double ratio);
/* Within an absolute quantum (the step of a clock). */
struct ay_truth ay_quantum(const struct ay_chip *chip, double value, double quantum);

#endif
