#include "core/truth.h"

#include <math.h>

static const double EXACT_RATIO = 1e-6, MOST_RATIO = 0.05;

struct ay_truth ay_within(const struct ay_chip *chip, double value, double ratio)
{
    return (struct ay_truth){value,
                             fmin(ratio + chip->noise_sigma_ratio, MOST_RATIO) * fabs(value)};
}

struct ay_truth ay_exact(const struct ay_chip *chip, double value)
{
    return ay_within(chip, value, EXACT_RATIO);
}

struct ay_truth ay_chain(const struct ay_chip *chip, uint64_t latency_cycles,
                         uint64_t n_instructions)
{
    const uint64_t issue_cycles = chip->issue_gap_cycles * n_instructions;
    return ay_exact(chip, (double)(issue_cycles > latency_cycles ? issue_cycles : latency_cycles));
}

struct ay_truth ay_quantum(const struct ay_chip *chip, double value, double quantum)
{
    return (struct ay_truth){value, quantum + chip->noise_sigma_ratio * fabs(value)};
}
