/* A driver without devices: start-up succeeds, there is no GPU, and nothing else works. */
#include <time.h>
#include <string.h>

#include "dev/gpu/driver.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define X(name, version, need, params, args, outs)  \
    static CUresult no_##name AY_WITH_SELF params   \
    {                                               \
        return CUDA_ERROR_NO_DEVICE;                \
    }
#include "dev/gpu/cuda.def"
#undef X
#define X(name, symbol, older, params, args, outs)         \
    static nvmlReturn_t nvml_no_##name AY_WITH_SELF params \
    {                                                      \
        return NVML_ERROR_DRIVER_NOT_LOADED;               \
    }
#include "dev/gpu/nvml.def"
#undef X

static CUresult init(void *self, unsigned flags)
{
    return CUDA_SUCCESS;
}

static CUresult driver_version(void *self, int *version)
{
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

static CUresult device_count(void *self, int *count)
{
    *count = 0;
    return CUDA_SUCCESS;
}

static uint64_t now_ns(void *self)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_ns(void *self, uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
                         .tv_nsec = (long)(ns % 1000000000u)};
    while (nanosleep(&t, &t)) continue;
}

void ay_standin_open(struct ay_driver *out)
{
    *out = (struct ay_driver){
        .origin = "the stand-in for libcuda.so.1",
        .now_ns = now_ns,
        .sleep_ns = sleep_ns,
#define X(name, version, need, params, args, outs) .name = no_##name,
#include "dev/gpu/cuda.def"
#undef X
#define X(name, symbol, older, params, args, outs) .nvml##name = nvml_no_##name,
#include "dev/gpu/nvml.def"
#undef X
    };
    out->Init = init;
    out->DriverGetVersion = driver_version;
    out->DeviceGetCount = device_count;
}
