/* fault.h - a driver that fails on demand, around any provider: ENTRY@N=CODE|hang|corrupt.
 *
 * ENTRY is a driver or NVML entry point, with or without version suffix; N counts its calls from 1
 * over the whole run, across workers, so counts are handed on as JSON; @* is each call. CODE is a
 * number or a CUDA_ERROR_ or NVML_ERROR_ name. `hang` blocks in real time; `corrupt` reports
 * success and does nothing: a query repeats its last answer, other results are zero. */
#ifndef AY_GPU_FAULT_H
#define AY_GPU_FAULT_H

#include <jansson.h>

#include "dev/gpu/driver.h"

struct ay_faults; /* the faults and the counts of one run */

/* n may be 0: then calls are only counted and watched. AY_USAGE names what is wrong, and for an
 * entry point that no header knows the nearest one. */
enum ay_status ay_faults_parse(const char *const *texts, size_t n, struct ay_faults **out,
                               struct ay_error *err) AY_CHECKED;
void ay_faults_close(struct ay_faults *f); /* safe on NULL */

/* Puts the faults before *d, which is replaced; `f` is borrowed and outlives the driver. Entries
 * that *d lacks stay NULL. */
enum ay_status ay_faults_wrap(struct ay_driver *d, struct ay_faults *f,
                              struct ay_error *err) AY_CHECKED;

/* {"cuInit":1,…}, entries that were called only; a new reference, NULL when out of memory. */
json_t *ay_faults_counts(const struct ay_faults *f);
/* Counts go on from here. Unknown members are left out. */
void ay_faults_set_counts(struct ay_faults *f, const json_t *counts);

/* The entry points of faults that were never called, as typed: the first `max` of them into names.
 * Returns how many there are. Names live as long as f. */
size_t ay_faults_unused(const struct ay_faults *f, const char **names, size_t max);

/* A word (in memory shared with the parent, say) that holds 1 + the entry in progress, else 0: how
 * "hung in ENTRY" is known. NULL: none. */
void ay_faults_watch(struct ay_faults *f, volatile uint32_t *where);

/* A fault on cuInit, cuDriverGetVersion or cuDeviceGetCount: where no library can be loaded it is
 * shown on the stand-in driver. */
bool ay_faults_want_standin(const struct ay_faults *f);

#endif
