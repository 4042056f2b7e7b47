/* The provider that is the machine's own driver. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dev/gpu/diagnose.h"

/* cuda.h renames entry points to the symbols of their newest versions, which is what a driver
 * without cuGetProcAddress is asked for. This one alone was renamed after that time. */
#undef cuEventElapsedTime

struct libcuda {
    void *cuda, *nvml;
    char origin[512];
    int version; /* 13000 for CUDA 13.0 */
    PFN_cuGetProcAddress_v12000 get;
    PFN_cuGetProcAddress_v11030 get_11030;
#define X(name, version_, need, params, args, outs) PFN_cu##name##_v##version_ cu_##name;
#include "dev/gpu/cuda.def"
#undef X
#define X(name, symbol, older, params, args, outs) nvmlReturn_t(*nvml_##name) AY_PLAIN params;
#include "dev/gpu/nvml.def"
#undef X
};

#define X(name, version_, need, params, args, outs)    \
    static CUresult call_##name AY_WITH_SELF params    \
    {                                                  \
        return ((struct libcuda *)self)->cu_##name args; \
    }
#include "dev/gpu/cuda.def"
#undef X
#define X(name, symbol, older, params, args, outs)       \
    static nvmlReturn_t nvml_##name AY_WITH_SELF params  \
    {                                                    \
        return ((struct libcuda *)self)->nvml_##name args; \
    }
#include "dev/gpu/nvml.def"
#undef X

static uint64_t now_ns(void *self)
{
    (void)self;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_ns(void *self, uint64_t ns)
{
    (void)self;
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
                         .tv_nsec = (long)(ns % 1000000000u)};
    while (nanosleep(&t, &t)) continue;
}

/* The libraries stay loaded: libcuda runs threads of its own, under which it cannot be unmapped. */
static void close_libcuda(void *self)
{
    free(self);
}

/* A driver older than CUDA 11.3 has no cuGetProcAddress; its symbols carry their versions. */
static void *find(const struct libcuda *l, const char *name, const char *symbol, int version)
{
    void *p = NULL;
    if (version > l->version) return NULL;
    if (l->get) {
        CUdriverProcAddressQueryResult found;
        const CUresult r = l->get(name, &p, version, CU_GET_PROC_ADDRESS_DEFAULT, &found);
        return r == CUDA_SUCCESS && found == CU_GET_PROC_ADDRESS_SUCCESS ? p : NULL;
    }
    if (l->get_11030) {
        const CUresult r = l->get_11030(name, &p, version, CU_GET_PROC_ADDRESS_DEFAULT);
        return r == CUDA_SUCCESS ? p : NULL;
    }
    return dlsym(l->cuda, symbol);
}

/* Function pointers by memcpy: ISO C has no cast from void *. */
static void set(void *field, void *p)
{
    memcpy(field, &p, sizeof p);
}

#define TEXT(x) #x
#define SYMBOL(x) TEXT(x)

static enum ay_status fill_cuda(struct libcuda *l, struct ay_driver *d, struct ay_error *err)
{
    enum { REQUIRED, OPTIONAL };
    const char *lacks = NULL;
#define X(name, version_, need, params, args, outs)                                \
    {                                                                              \
        void *p = find(l, "cu" #name, SYMBOL(cu##name), version_);                 \
        set(&l->cu_##name, p);                                                     \
        d->name = p ? call_##name : NULL;                                          \
        if (!p && need == REQUIRED && !lacks) lacks = "cu" #name;                  \
    }
#include "dev/gpu/cuda.def"
#undef X
    if (!lacks) return AY_OK;
    return AY_FAIL(err, AY_DEVICE,
                   "the driver (%s, CUDA %d.%d) lacks %s: install a newer driver", l->origin,
                   l->version / 1000, l->version % 1000 / 10, lacks);
}

static void fill_nvml(struct libcuda *l, struct ay_driver *d)
{
    l->nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!l->nvml) l->nvml = dlopen("/usr/lib/wsl/lib/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!l->nvml) return;
#define X(name, symbol, older, params, args, outs)        \
    {                                                     \
        void *p = dlsym(l->nvml, symbol);                 \
        if (!p && *older) p = dlsym(l->nvml, older);      \
        set(&l->nvml_##name, p);                          \
        d->nvml##name = p ? nvml_##name : NULL;           \
    }
#include "dev/gpu/nvml.def"
#undef X
}

static enum ay_status load(struct libcuda *l, struct ay_error *err)
{
    l->cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!l->cuda) {
        char said[256];
        const char *text = dlerror();
        snprintf(said, sizeof said, "%s", text ? text : "libcuda.so.1 cannot be loaded");
        l->cuda = dlopen("/usr/lib/wsl/lib/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!l->cuda) return ay_diagnose_missing(err, said);
    }
    struct link_map *map = NULL;
    const bool is_known = !dlinfo(l->cuda, RTLD_DI_LINKMAP, &map) && map && *map->l_name;
    snprintf(l->origin, sizeof l->origin, "%s", is_known ? map->l_name : "libcuda.so.1");
    return AY_OK;
}

static enum ay_status ask_version(struct libcuda *l, struct ay_driver *d, struct ay_error *err)
{
    PFN_cuDriverGetVersion_v2020 version = NULL;
    set(&version, dlsym(l->cuda, "cuDriverGetVersion"));
    if (!version)
        return AY_FAIL(err, AY_DEVICE, "%s has no cuDriverGetVersion: it is no CUDA driver",
                       l->origin);
    const CUresult r = version(&l->version);
    if (r != CUDA_SUCCESS) return ay_diagnose_start(err, d, AY_ENTRY_cuDriverGetVersion, r);
    set(&l->get, dlsym(l->cuda, "cuGetProcAddress_v2"));
    set(&l->get_11030, dlsym(l->cuda, "cuGetProcAddress"));
    return AY_OK;
}

enum ay_status ay_libcuda_open(struct ay_driver *out, struct ay_error *err)
{
    memset(out, 0, sizeof *out);
    struct libcuda *l = calloc(1, sizeof *l);
    if (!l) return AY_FAIL(err, AY_NOMEM, "no memory for the driver's table");
    struct ay_driver d = {.self = l,
                          .origin = l->origin,
                          .now_ns = now_ns,
                          .sleep_ns = sleep_ns,
                          .close = close_libcuda};
    enum ay_status s = load(l, err);
    if (s == AY_OK) s = ask_version(l, &d, err);
    if (s == AY_OK) s = fill_cuda(l, &d, err);
    if (s != AY_OK) {
        free(l);
        return s;
    }
    fill_nvml(l, &d);
    *out = d;
    return AY_OK;
}
