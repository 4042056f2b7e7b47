/* host.h - the CPU of this machine as a device: one pinned thread, its caches, its memory. */
#ifndef AY_HOST_H
#define AY_HOST_H

#include "core/bench_host.h"
#include "core/device.h"

/* Pins the calling thread to one of the cores it may use, until the device is closed. AY_DEVICE:
 * the topology cannot be read or the thread not be pinned. */
enum ay_status ay_host_open(struct ay_device *out, struct ay_error *err) AY_CHECKED;

/* What a run record says of the machine, with a GPU or without: cpu, governor, numa_nodes, kernel,
 * memory and its cgroup's limits, huge pages. New reference; NULL: out of memory. */
json_t *ay_host_environment(void);

#endif
