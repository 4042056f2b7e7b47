/* fake_driver.h - a driver in a few lines: device memory is host memory, a kernel is a note. */
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include "core/image.h"
#include "dev/gpu/driver.h"

enum { FAKE_DEVICES = 2, FAKE_OVERRIDES = 8 };

struct fake {
    int n_devices;
    struct {
        CUdevice_attribute attribute;
        int value;
        CUresult result;
    } overrides[FAKE_OVERRIDES]; /* value of an attribute, or the result of asking */
    int n_overrides;
    bool has_kernels;    /* else ModuleGetFunction finds none */
    const char *jit_log; /* written to the log of ModuleLoadDataEx, which then fails */
    CUresult result;     /* so; 0: with 218 */
    const char *reason;  /* what last_reason answers */
    nvmlReturn_t nvml_result; /* of every getter */
    char nvml_pci[32];   /* the id that NVML was asked for */
    const void *loaded;  /* the last image */
    unsigned n_launches, n_ex, n_attributes, n_closed, n_streams, n_allocations, n_modules;
    unsigned n_contexts, n_pinned, n_graphs;
    CUlaunchConfig last_config;
};

/* Good defaults: two GPUs of sm_90 with 4 SMs; the driver borrows *f. */
void fake_init(struct fake *f);
void fake_driver(struct fake *f, struct ay_driver *out);
/* Its parts. */
void fake_work(struct ay_driver *d);
void fake_nvml(struct ay_driver *d);
void fake_override(struct fake *f, CUdevice_attribute a, int value, CUresult result);

/* Images of "mem/x" as the binary embeds them; end in { 0 }. */
extern const struct ay_image fake_images[];

#endif
