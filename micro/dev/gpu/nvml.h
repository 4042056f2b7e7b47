/* nvml.h - the part of NVML that telemetry needs; many toolkits come without its header.
 *
 * Values and layouts are those of NVIDIA's nvml.h [nvml-api]; names are kept so that they can be
 * looked up there. */
#ifndef AY_GPU_NVML_H
#define AY_GPU_NVML_H

typedef struct nvmlDevice_st *nvmlDevice_t;
typedef int nvmlReturn_t; /* an enum there: an int in this binary interface */

enum {
    NVML_SUCCESS = 0,
    NVML_ERROR_UNINITIALIZED = 1,
    NVML_ERROR_INVALID_ARGUMENT = 2,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_NO_PERMISSION = 4,
    NVML_ERROR_NOT_FOUND = 6,
    NVML_ERROR_DRIVER_NOT_LOADED = 9,
    NVML_ERROR_FUNCTION_NOT_FOUND = 13,
    NVML_ERROR_GPU_IS_LOST = 15,
    NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18,
    NVML_ERROR_UNKNOWN = 999,
};
enum { NVML_CLOCK_GRAPHICS = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 }; /* MHz */
enum { NVML_TEMPERATURE_GPU = 0 };                                       /* degrees C */
enum {
    NVML_FI_DEV_POWER_AVERAGE = 185, /* mW */
    NVML_FI_DEV_POWER_INSTANT = 186, /* mW */
};

/* Why clocks are not at their maximum, as bits. */
enum {
    NVML_REASON_GPU_IDLE = 0x1,
    NVML_REASON_APP_CLOCKS = 0x2,
    NVML_REASON_SW_POWER_CAP = 0x4,
    NVML_REASON_HW_SLOWDOWN = 0x8,
    NVML_REASON_SYNC_BOOST = 0x10,
    NVML_REASON_SW_THERMAL = 0x20,
    NVML_REASON_HW_THERMAL = 0x40,
    NVML_REASON_HW_POWER_BRAKE = 0x80,
    NVML_REASON_DISPLAY_CLOCK = 0x100,
};

typedef union {
    double dVal;
    int siVal;
    unsigned uiVal;
    unsigned long ulVal;
    unsigned long long ullVal;
    long long sllVal;
} nvmlValue_t;

typedef struct {
    unsigned fieldId, scopeId;
    long long timestamp, latencyUsec;
    int valueType;
    nvmlReturn_t nvmlReturn;
    nvmlValue_t value;
} nvmlFieldValue_t;
_Static_assert(sizeof(nvmlFieldValue_t) == 40, "layout of nvmlFieldValue_t");

#endif
