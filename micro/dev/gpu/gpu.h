/* gpu.h - a GPU as a device, on any provider of the driver table. */
#ifndef AY_GPU_H
#define AY_GPU_H

#include "core/device.h"
#include "dev/gpu/driver.h"

/* The CUDA library of this machine, or the stand-in driver where there is none and faults ask for
 * it, with the faults (may be NULL) before it. AY_DEVICE: no usable driver, and why. */
struct ay_faults;
enum ay_status ay_cuda_open(struct ay_faults *faults, struct ay_driver *out,
                            struct ay_error *err) AY_CHECKED;

/* One GPU of *driver, which is taken over (closed with the device, or at once on failure).
 * uuid: NULL, or "GPU-…" / "MIG-…", whole or abbreviated: then ordinal is not looked at. name:
 * as typed ("cuda:0"). */
enum ay_status ay_gpu_open(struct ay_driver *driver, int ordinal, const char *uuid,
                           const char *name, bool is_simulated, struct ay_device *out,
                           struct ay_error *err) AY_CHECKED;

struct ay_gpu_entry {
    char product[96], pci[32], uuid[48], arch[16]; /* "" where the driver does not say */
    uint32_t n_sms;
    uint64_t total_bytes;
};
/* The GPUs of a driver, without making a context on any; *out is freed by the caller. AY_OK with 0
 * GPUs is not returned: a driver without one is AY_DEVICE with the reason. */
enum ay_status ay_gpu_list(struct ay_driver *d, struct ay_gpu_entry **out, size_t *n,
                           struct ay_error *err) AY_CHECKED;

#endif
