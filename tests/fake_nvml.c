/* fake_nvml.c - the NVML of the fake driver: one answer for all. */
#include <stdio.h>

#include "fake_driver.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define SELF struct fake *f = self
#define HANDLE(type, n) ((type)(uintptr_t)(0x1000u + (n)))

static nvmlReturn_t nvml_ok(void *self)
{
    return NVML_SUCCESS;
}

static nvmlReturn_t nvml_version(void *self, char *version, unsigned n)
{
    snprintf(version, n, "580.65.06");
    return NVML_SUCCESS;
}

static nvmlReturn_t nvml_handle(void *self, const char *pci, nvmlDevice_t *device)
{
    SELF;
    snprintf(f->nvml_pci, sizeof f->nvml_pci, "%s", pci);
    *device = HANDLE(nvmlDevice_t, 9);
    return NVML_SUCCESS;
}

static nvmlReturn_t nvml_clock(void *self, nvmlDevice_t device, int type, unsigned *mhz)
{
    SELF;
    *mhz = type == NVML_CLOCK_SM ? 1980 : 2619;
    return f->nvml_result;
}

static nvmlReturn_t nvml_unsigned(void *self, nvmlDevice_t device, unsigned *value)
{
    SELF;
    *value = 350000;
    return f->nvml_result;
}

static nvmlReturn_t nvml_wide(void *self, nvmlDevice_t device, unsigned long long *value)
{
    SELF;
    *value = NVML_REASON_SW_POWER_CAP | NVML_REASON_SW_THERMAL;
    return f->nvml_result;
}

static nvmlReturn_t nvml_temperature(void *self, nvmlDevice_t device, int sensor, unsigned *value)
{
    SELF;
    *value = 61;
    return f->nvml_result;
}

static nvmlReturn_t nvml_fields(void *self, nvmlDevice_t device, int n, nvmlFieldValue_t *values)
{
    SELF;
    for (int i = 0; i < n; i++) {
        values[i].nvmlReturn = NVML_SUCCESS;
        values[i].valueType = 1;
        values[i].value.uiVal = 420000;
    }
    return f->nvml_result;
}

static nvmlReturn_t nvml_pair(void *self, nvmlDevice_t device, int *now, int *later)
{
    SELF;
    *now = *later = 1;
    return f->nvml_result;
}

static nvmlReturn_t nvml_mig(void *self, nvmlDevice_t device, unsigned *now, unsigned *later)
{
    SELF;
    *now = *later = 0;
    return f->nvml_result;
}

static nvmlReturn_t nvml_mode(void *self, nvmlDevice_t device, int *mode)
{
    SELF;
    *mode = 1;
    return f->nvml_result;
}

void fake_nvml(struct ay_driver *d)
{
    d->nvmlInit = d->nvmlShutdown = nvml_ok;
    d->nvmlSystemGetDriverVersion = nvml_version;
    d->nvmlDeviceGetHandleByPciBusId = nvml_handle;
    d->nvmlDeviceGetClockInfo = d->nvmlDeviceGetMaxClockInfo = nvml_clock;
    d->nvmlDeviceGetPowerUsage = d->nvmlDeviceGetEnforcedPowerLimit = nvml_unsigned;
    d->nvmlDeviceGetTotalEnergyConsumption = nvml_wide;
    d->nvmlDeviceGetCurrentClocksEventReasons = nvml_wide;
    d->nvmlDeviceGetTemperature = nvml_temperature;
    d->nvmlDeviceGetFieldValues = nvml_fields;
    d->nvmlDeviceGetEccMode = nvml_pair;
    d->nvmlDeviceGetMigMode = nvml_mig;
    d->nvmlDeviceGetPersistenceMode = nvml_mode;
}
