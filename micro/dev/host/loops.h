/* loops.h - the timed code of the host: dependent loads, sweeps, clocks. */
#ifndef AY_HOST_LOOPS_H
#define AY_HOST_LOOPS_H

#include "core/bench_host.h"

/* CLOCK_MONOTONIC_RAW: no slewing by NTP inside a timed stretch. */
uint64_t ay_clock_ns(void);
/* Follows n_steps pointers and nothing else between two clock reads. */
void *ay_chase(void *from, uint64_t n_steps, struct ay_host_timing *out);
void ay_gather(const void *base, const uint32_t *lines, uint64_t n_lines, uint64_t line_bytes);
void ay_sweep(const void *at, uint64_t bytes, uint64_t step_bytes);
/* Reads the processor's counter behind everything before it. AY_SKIP: none that keeps its rate. */
enum ay_status ay_tsc(uint64_t *ticks, struct ay_error *err) AY_CHECKED;

#endif
