/* diagnose.h - what a driver's refusal means and what to do about it, in one line. */
#ifndef AY_GPU_DIAGNOSE_H
#define AY_GPU_DIAGNOSE_H

#include "dev/gpu/driver.h"

/* "CUDA_ERROR_OUT_OF_MEMORY"; NULL for a number that cuda.h does not know. */
const char *ay_cuda_code_name(int code);
/* The number of that name; -1: there is none. */
int ay_cuda_code_of(const char *name);

/* Why there is no usable driver or device: `entry` answered `code` before any work was done. Always
 * AY_DEVICE. */
enum ay_status ay_diagnose_start(struct ay_error *err, const struct ay_driver *d,
                                 enum ay_entry entry, CUresult code);

/* libcuda.so.1 could not be loaded; `loader_says` is the loader's text. Always AY_DEVICE. */
enum ay_status ay_diagnose_missing(struct ay_error *err, const char *loader_says);

/* `entry` answered `code` to what was asked (fmt: "of 4096 bytes", "of kernel x"; may be ""):
 * AY_SKIP when the provider says in words that it cannot do this at all, else AY_DEVICE. */
enum ay_status ay_refused(struct ay_error *err, const struct ay_driver *d, enum ay_entry entry,
                          CUresult code, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* The provider has no such entry point: AY_SKIP "driver lacks cuX". */
enum ay_status ay_lacks(struct ay_error *err, enum ay_entry entry);

#endif
