/* nvml_sim.c - the small NVML of a simulated machine: clocks and power as the chip has them, or as
 * it claims; no throttling that did not happen, no ECC, no MIG. */
#include "dev/sim/api.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEMPERATURE_C = 40, PCIE_GENERATION = 5, PCIE_WIDTH = 16, FIELD_UINT = 1 };

static struct sim_gpu *gpu_of(nvmlDevice_t device)
{
    return (struct sim_gpu *)device; /* handed out by by_pci */
}

static nvmlReturn_t init(void *self)
{
    (void)self;
    return NVML_SUCCESS;
}

static nvmlReturn_t driver_version(void *self, char *version, unsigned length)
{
    (void)self;
    snprintf(version, length, "simulated");
    return NVML_SUCCESS;
}

/* NVML writes the domain with eight digits, the driver with four. */
static nvmlReturn_t by_pci(void *self, const char *id, nvmlDevice_t *device)
{
    struct sim_driver *const d = self;
    const char *const bus = strchr(id, ':');
    for (int i = 0; i < d->n_gpus && bus; i++) {
        char known[16];
        snprintf(known, sizeof known, ":%02X:00.0", (1 + (unsigned)i) & 0xff);
        if (strcmp(bus, known) != 0) continue;
        *device = (nvmlDevice_t)&d->gpus[i];
        return NVML_SUCCESS;
    }
    return NVML_ERROR_NOT_FOUND;
}

static nvmlReturn_t clock_of(const struct ay_chip *c, int type, double sm_mhz, unsigned *clock)
{
    double mhz = -1;
    if (type == NVML_CLOCK_MEM) mhz = ay_chip_claim(&c->reported_mem_clock_mhz, c->mem_clock_mhz);
    if (type == NVML_CLOCK_SM || type == NVML_CLOCK_GRAPHICS)
        mhz = ay_chip_claim(&c->reported_sm_clock_mhz, sm_mhz);
    if (mhz < 0) return NVML_ERROR_INVALID_ARGUMENT;
    if (mhz == 0) return NVML_ERROR_NOT_SUPPORTED;
    *clock = (unsigned)(mhz + 0.5);
    return NVML_SUCCESS;
}

static nvmlReturn_t clock_info(void *self, nvmlDevice_t device, int type, unsigned *clock)
{
    (void)self;
    const struct sim_gpu *const g = gpu_of(device);
    return clock_of(&g->chip, type, sim_clock_mhz(g->machine), clock);
}

static nvmlReturn_t max_clock_info(void *self, nvmlDevice_t device, int type, unsigned *clock)
{
    (void)self;
    const struct ay_chip *const c = &gpu_of(device)->chip;
    return clock_of(c, type, c->sm_clock_mhz, clock);
}

static nvmlReturn_t reasons(void *self, nvmlDevice_t device, unsigned long long *bits)
{
    (void)self;
    const struct sim_gpu *const g = gpu_of(device);
    *bits = g->is_throttled ? NVML_REASON_SW_POWER_CAP : 0;
    return NVML_SUCCESS;
}

static nvmlReturn_t power(void *self, nvmlDevice_t device, unsigned *milliwatts)
{
    (void)self;
    const struct sim_gpu *const g = gpu_of(device);
    *milliwatts = (unsigned)(fmax(g->watts, g->chip.power_idle_watts) * 1000);
    return NVML_SUCCESS;
}

static nvmlReturn_t power_limit(void *self, nvmlDevice_t device, unsigned *milliwatts)
{
    (void)self;
    *milliwatts = (unsigned)(gpu_of(device)->chip.power_limit_watts * 1000);
    return NVML_SUCCESS;
}

static nvmlReturn_t energy(void *self, nvmlDevice_t device, unsigned long long *millijoules)
{
    const struct sim_driver *const d = self;
    const struct sim_gpu *const g = gpu_of(device);
    const double joules =
        sim_joules(d, (int)(g - d->gpus)) + g->chip.power_idle_watts * d->host_ns * 1e-9;
    *millijoules = (unsigned long long)(joules * 1000);
    return NVML_SUCCESS;
}

static nvmlReturn_t temperature(void *self, nvmlDevice_t device, int sensor, unsigned *celsius)
{
    (void)self;
    (void)device;
    if (sensor != NVML_TEMPERATURE_GPU) return NVML_ERROR_INVALID_ARGUMENT;
    *celsius = TEMPERATURE_C;
    return NVML_SUCCESS;
}

static nvmlReturn_t no_ecc(void *self, nvmlDevice_t device, int *current, int *pending)
{
    (void)self;
    (void)device;
    *current = *pending = 0;
    return NVML_SUCCESS;
}

static nvmlReturn_t no_mig(void *self, nvmlDevice_t device, unsigned *current, unsigned *pending)
{
    (void)self;
    (void)device;
    *current = *pending = 0;
    return NVML_ERROR_NOT_SUPPORTED;
}

static nvmlReturn_t persistence(void *self, nvmlDevice_t device, int *mode)
{
    (void)self;
    (void)device;
    *mode = 1;
    return NVML_SUCCESS;
}

static nvmlReturn_t fields(void *self, nvmlDevice_t device, int n, nvmlFieldValue_t *values)
{
    for (int i = 0; i < n; i++) {
        unsigned milliwatts = 0;
        const bool is_power = values[i].fieldId == NVML_FI_DEV_POWER_AVERAGE ||
                              values[i].fieldId == NVML_FI_DEV_POWER_INSTANT;
        values[i].nvmlReturn = is_power ? power(self, device, &milliwatts)
                                        : NVML_ERROR_NOT_SUPPORTED;
        values[i].valueType = FIELD_UINT;
        values[i].value.uiVal = milliwatts;
    }
    return NVML_SUCCESS;
}

static nvmlReturn_t pcie_generation(void *self, nvmlDevice_t device, unsigned *generation)
{
    (void)self;
    (void)device;
    *generation = PCIE_GENERATION;
    return NVML_SUCCESS;
}

static nvmlReturn_t pcie_width(void *self, nvmlDevice_t device, unsigned *width)
{
    (void)self;
    (void)device;
    *width = PCIE_WIDTH;
    return NVML_SUCCESS;
}

static nvmlReturn_t nvlink(void *self, nvmlDevice_t device, unsigned link, int *is_active)
{
    const struct sim_driver *const d = self;
    (void)device;
    *is_active = d->n_gpus > 1 && link == 0;
    return NVML_SUCCESS;
}

void sim_fill_nvml(struct ay_driver *t)
{
    t->nvmlInit = init;
    t->nvmlShutdown = init;
    t->nvmlSystemGetDriverVersion = driver_version;
    t->nvmlDeviceGetHandleByPciBusId = by_pci;
    t->nvmlDeviceGetClockInfo = clock_info;
    t->nvmlDeviceGetMaxClockInfo = max_clock_info;
    t->nvmlDeviceGetCurrentClocksEventReasons = reasons;
    t->nvmlDeviceGetPowerUsage = power;
    t->nvmlDeviceGetEnforcedPowerLimit = power_limit;
    t->nvmlDeviceGetTotalEnergyConsumption = energy;
    t->nvmlDeviceGetTemperature = temperature;
    t->nvmlDeviceGetEccMode = no_ecc;
    t->nvmlDeviceGetMigMode = no_mig;
    t->nvmlDeviceGetPersistenceMode = persistence;
    t->nvmlDeviceGetFieldValues = fields;
    t->nvmlDeviceGetCurrPcieLinkGeneration = pcie_generation;
    t->nvmlDeviceGetCurrPcieLinkWidth = pcie_width;
    t->nvmlDeviceGetNvLinkState = nvlink;
}
