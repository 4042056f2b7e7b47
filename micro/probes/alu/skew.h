/* skew.h - by how much the SMs' clocks differ, from the steps of the timer that they all see. */
#ifndef AY_ALU_SKEW_H
#define AY_ALU_SKEW_H

#include "probes/alu/polls.h"

/* How far the clocks of two SMs, read first after the same step, lay apart. Each is late by 0 to
 * `late` - 1 cycles, as chance has it: lags spread over 2 * (late - 1) once both extremes were
 * seen, and the skew is their middle. Before, nothing is known but where it may lie. */
struct lags {
    size_t n;
    double least, most;
    bool is_whole;
};

/* (*lags)[sm] against SM 0, host scratch; mhz: of the SM clock. Polls round after round, at most
 * n_rounds, until the lags of each SM are whole. timer_jumps_ns: n_jumps differences between steps
 * that SM 0 saw. */
enum { SKEW_JUMPS = 64 };
struct skews {
    struct lags *lags;
    size_t n_jumps;
    uint64_t timer_jumps_ns[SKEW_JUMPS];
};
enum ay_status find_skews(struct ay_bench *b, const struct ay_kernel *kernel, double mhz,
                          uint32_t n_rounds, struct skews *out, struct ay_error *err) AY_CHECKED;

#endif
