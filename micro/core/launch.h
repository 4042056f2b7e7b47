/* launch.h - what host and device code of a launch agree on; plain C, read by nvcc too. */
#ifndef AY_LAUNCH_H
#define AY_LAUNCH_H

#include <stdint.h>

/* First member of the arguments of a kernel that can be run on a chosen SM. The bench launches more
 * CTAs than SMs; the first CTA that finds itself on `sm` claims the work and the others leave. */
struct ay_place {
    uint64_t claim; /* device address of a zeroed word; 0: CTA 0 works, wherever it is */
    uint32_t sm;
    uint32_t unused;
};

#endif
