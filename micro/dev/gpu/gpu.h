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

/* The device's members of the run record: product, arch ("sm_90a"), sms, uuid, pci, pci_ids,
 * memory_bytes, memory_bus_bits, claimed_l2_bytes, claimed_sm_clock_mhz, claimed_mem_clock_mhz,
 * shared_bytes_per_sm, integrated. Its environment: driver ("580.65.06"), cuda_driver ("13.0"),
 * library, toolkit, nvml ("ok" or why not), ecc, mig, persistence, compute_mode, watchdog,
 * variables (CUDA_*), iommu, numa_node, cpu, kernel. Telemetry: sm_clock_mhz, mem_clock_mhz,
 * power_average_w, power_instant_w, power_limit_w, energy_j, temperature_c, throttle (words: idle,
 * application_clocks, power_cap, hardware_slowdown, sync_boost, thermal, hardware_thermal,
 * power_brake, display_clock), ecc, mig. Each may be null. */

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
