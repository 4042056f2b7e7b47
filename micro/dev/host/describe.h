/* describe.h - what a run record says of the host. */
#ifndef AY_HOST_DESCRIBE_H
#define AY_HOST_DESCRIBE_H

#include <jansson.h>

#include "core/bench_host.h"
#include "dev/host/limits.h"

/* New references; NULL: out of memory. */
json_t *ay_describe_machine(const struct ay_host_roots *r);
json_t *ay_describe_cpu(const struct ay_host_roots *r, const struct ay_host_facts *facts);

/* The clock of that CPU as the kernel tells it, or NaN. */
double ay_cpu_mhz(const struct ay_host_roots *r, uint32_t cpu);

#endif
