/* sim_bed.h - a simulated GPU, a module of small kernels and a stream: what driver tests lie on. */
#ifndef SIM_BED_H
#define SIM_BED_H

#include <check.h>

#include "dev/sim/sim.h"

/* Fine steps, so that what is measured is what happened; no L2 miss is as long as 1 us. */
#define FINE "globaltimer_step_ns = 1\nevent_step_ns = 1\n"

extern const char sim_bed_ptx[];    /* the module's text */
extern const char sim_bed_ptx_90[]; /* kernels that need 9.0 */

struct bed {
    struct ay_driver d;
    CUcontext context;
    CUmodule module;
    CUstream s;
};

/* d.ENTRY(self, …) must succeed. */
#define OK(entry, ...)                                                                      \
    do {                                                                                    \
        const CUresult r_ = b.d.entry(b.d.self __VA_OPT__(, ) __VA_ARGS__);                 \
        ck_assert_msg(r_ == CUDA_SUCCESS, "cu" #entry ": %d %s", (int)r_,                   \
                      b.d.last_reason(b.d.self) ? b.d.last_reason(b.d.self) : "");          \
    } while (0)
#define GIVES(code, entry, ...) \
    ck_assert_int_eq(b.d.entry(b.d.self __VA_OPT__(, ) __VA_ARGS__), code)

struct bed bed_opened(const char *chip_text);
CUfunction bed_function(struct bed b, const char *name);
CUdeviceptr bed_memory(struct bed b, size_t bytes);
void bed_run(struct bed b, const char *name, void **params);
uint64_t bed_word(struct bed b, CUdeviceptr at);
double bed_now(struct bed b);
/* A launch whose cost is not looked at: the first in a context is dearer. */
void bed_warm(struct bed b);
void bed_close(struct bed b);

#endif
