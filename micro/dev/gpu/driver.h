/* driver.h - the seam: a table of CUDA driver and NVML entry points that a provider fills.
 *
 * The GPU backend calls nothing else, so what runs on hardware is what runs on the simulator. Each
 * entry has the signature of cudaTypedefs.h with `void *self` before it, because nothing here may
 * be mutable at file scope: call it as d->MemAlloc(d->self, &at, n_bytes). An entry is NULL where
 * the provider has none; the REQUIRED ones of cuda.def never are. */
#ifndef AY_GPU_DRIVER_H
#define AY_GPU_DRIVER_H

#include <cuda.h>
#include <cudaTypedefs.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "dev/gpu/nvml.h"

/* A parameter list of the .def files with `self` before it, and without. */
#define AY_WITH_SELF(...) (void *self __VA_OPT__(, ) __VA_ARGS__)
#define AY_PLAIN(...) AY_PLAIN_##__VA_OPT__(SOME)(__VA_ARGS__)
#define AY_PLAIN_(...) (void)
#define AY_PLAIN_SOME(...) (__VA_ARGS__)

struct ay_driver {
    void *self;
    /* Where it comes from, for messages: the path of the loaded library, "simulator". Lives as
     * long as self. */
    const char *origin;
    /* The one thing the backend asks: PTX text of the chip's own architecture (true) or fatbins? */
    bool wants_ptx;

    uint64_t (*now_ns)(void *self); /* the host clock: CLOCK_MONOTONIC_RAW, or virtual */
    void (*sleep_ns)(void *self, uint64_t ns);
    /* What the last call's result alone does not say ("opcode X at FILE:LINE is not simulated").
     * With CUDA_ERROR_NOT_SUPPORTED the backend then answers AY_SKIP with that text, with any other
     * result it stands in the error. The entry may be NULL, and so may its answer. */
    const char *(*last_reason)(void *self);
    void (*close)(void *self);

#define X(name, version, need, params, args, outs) CUresult(*name) AY_WITH_SELF params;
#include "dev/gpu/cuda.def"
#undef X
#define X(name, symbol, older, params, args, outs) nvmlReturn_t(*nvml##name) AY_WITH_SELF params;
#include "dev/gpu/nvml.def"
#undef X
};

/* Each entry point's number: AY_ENTRY_cuMemAlloc, AY_ENTRY_nvmlInit. */
enum ay_entry {
#define X(name, version, need, params, args, outs) AY_ENTRY_cu##name,
#include "dev/gpu/cuda.def"
#undef X
#define X(name, symbol, older, params, args, outs) AY_ENTRY_nvml##name,
#include "dev/gpu/nvml.def"
#undef X
    AY_N_ENTRIES
};

/* "cuMemAlloc", without version suffix. */
const char *ay_entry_name(enum ay_entry e);

/* The driver's library (libcuda.so.1, also where WSL keeps it) and NVML. AY_DEVICE when there is
 * none that works; the text says which of the known causes it is and what to do. */
enum ay_status ay_libcuda_open(struct ay_driver *out, struct ay_error *err) AY_CHECKED;

/* A driver without devices, for looking at diagnoses where no library can be loaded. */
void ay_standin_open(struct ay_driver *out);

void ay_driver_close(struct ay_driver *d); /* safe on NULL and on a zeroed one */

#endif
