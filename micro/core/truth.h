/* truth.h - a planted value with the tolerance that validate allows it. */
#ifndef AY_TRUTH_H
#define AY_TRUTH_H

#include "core/chip.h"
#include "core/probe.h"

/* Exact: 1e-6 of the value, and on a noisy chip its noise_sigma_ratio on top. */
struct ay_truth ay_exact(const struct ay_chip *chip, double value);
/* A chain of dependent steps of n_instructions each, issued by one warp: a step takes its latency,
 * or what it takes to issue them where that is longer. */
struct ay_truth ay_chain(const struct ay_chip *chip, uint64_t latency_cycles,
                         uint64_t n_instructions);
/* Within a ratio of the value; noise on top; never over 5 %. */
struct ay_truth ay_within(const struct ay_chip *chip, double value, double ratio);
/* Within an absolute quantum (the step of a clock). */
struct ay_truth ay_quantum(const struct ay_chip *chip, double value, double quantum);

#endif
