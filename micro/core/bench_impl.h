/* bench_impl.h - inside of struct ay_bench, for core alone: a device and what a run has borrowed.
 */
#ifndef AY_BENCH_IMPL_H
#define AY_BENCH_IMPL_H

#include "core/device.h"
#include "core/measure.h"
#include "core/stats.h"

/* Something to give back when run() returns; `handle` is an address or a pointer. */
struct ay_owned {
    void (*release)(struct ay_device *d, uint64_t handle);
    uint64_t handle;
};

struct ay_bench {
    struct ay_device *device;
    struct ay_random random;
    const struct ay_heartbeat *heart; /* NULL: nobody listens */
    bool is_quick;
    size_t n_owned, cap_owned;
    struct ay_owned *owned;
    uint64_t evict_bytes; /* enough to push all out of L2; 0: not measured yet */
    struct ay_kernel kernel; /* the last one launched: what the row says it ran */
};

struct ay_device *ay_bench_device(struct ay_bench *b);

/* Remembers to give `handle` back. On AY_NOMEM it is given back at once. */
enum ay_status ay_bench_own(struct ay_bench *b, void (*release)(struct ay_device *, uint64_t),
                            uint64_t handle, struct ay_error *err) AY_CHECKED;

/* Gives everything back, newest first. The bench can be used again. */
void ay_bench_reset(struct ay_bench *b);
void ay_bench_close(struct ay_bench *b); /* reset, and frees its own memory; not the device */

#endif
