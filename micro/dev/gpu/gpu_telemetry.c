/* gpu_telemetry.c - what NVML says of the GPU now; each getter may fail alone and is then null. */
#include <string.h>

#include "dev/gpu/gpu_impl.h"

/* NVML counts GPUs in another order than CUDA does where CUDA_VISIBLE_DEVICES is set, so the PCI id
 * is the only way to the same one. */
void gpu_start_nvml(struct gpu *g)
{
    g->nvml = NULL;
    g->nvml_why = NULL;
    if (!g->d.nvmlInit || !g->d.nvmlDeviceGetHandleByPciBusId) {
        g->nvml_why = "libnvidia-ml.so.1 cannot be loaded";
        return;
    }
    g->is_nvml_on = g->d.nvmlInit(g->d.self) == NVML_SUCCESS;
    if (!g->is_nvml_on)
        g->nvml_why = "nvmlInit failed";
    else if (!*g->pci || g->d.nvmlDeviceGetHandleByPciBusId(g->d.self, g->pci, &g->nvml) ||
             !g->nvml) {
        g->nvml = NULL;
        g->nvml_why = "NVML does not know this PCI id";
    }
}

void gpu_stop_nvml(struct gpu *g)
{
    if (g->is_nvml_on && g->d.nvmlShutdown) (void)g->d.nvmlShutdown(g->d.self);
    g->is_nvml_on = false;
    g->nvml = NULL;
}

/* A getter's answer in units of `per`, or null. The answer is read after the call, by pointer: the
 * order of a call's arguments is nobody's. */
#define GET(entry, ...)                                                                   \
    (g->nvml && g->d.nvml##entry ? g->d.nvml##entry(g->d.self, g->nvml, __VA_ARGS__)      \
                                 : NVML_ERROR_NOT_SUPPORTED)

static json_t *number(nvmlReturn_t r, const unsigned *value, double per)
{
    return r == NVML_SUCCESS ? json_real(*value / per) : json_null();
}

static json_t *field_watts(struct gpu *g, unsigned field)
{
    nvmlFieldValue_t f;
    memset(&f, 0, sizeof f);
    f.fieldId = field;
    if (!g->nvml || !g->d.nvmlDeviceGetFieldValues ||
        g->d.nvmlDeviceGetFieldValues(g->d.self, g->nvml, 1, &f) || f.nvmlReturn)
        return json_null();
    enum { TYPE_DOUBLE, TYPE_UINT, TYPE_ULONG, TYPE_ULLONG };
    switch (f.valueType) {
    case TYPE_DOUBLE: return json_real(f.value.dVal / 1000);
    case TYPE_UINT: return json_real(f.value.uiVal / 1000.0);
    case TYPE_ULONG: return json_real((double)f.value.ulVal / 1000);
    case TYPE_ULLONG: return json_real((double)f.value.ullVal / 1000);
    }
    return json_null();
}

static json_t *throttle_words(struct gpu *g)
{
    static const struct {
        unsigned long long bit;
        const char *word;
    } words[] = {
        {NVML_REASON_GPU_IDLE, "idle"},
        {NVML_REASON_APP_CLOCKS, "application_clocks"},
        {NVML_REASON_SW_POWER_CAP, "power_cap"},
        {NVML_REASON_HW_SLOWDOWN, "hardware_slowdown"},
        {NVML_REASON_SYNC_BOOST, "sync_boost"},
        {NVML_REASON_SW_THERMAL, "thermal"},
        {NVML_REASON_HW_THERMAL, "hardware_thermal"},
        {NVML_REASON_HW_POWER_BRAKE, "power_brake"},
        {NVML_REASON_DISPLAY_CLOCK, "display_clock"},
    };
    unsigned long long reasons = 0;
    if (!g->nvml || !g->d.nvmlDeviceGetCurrentClocksEventReasons ||
        g->d.nvmlDeviceGetCurrentClocksEventReasons(g->d.self, g->nvml, &reasons))
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (reasons & words[i].bit) json_array_append_new(list, json_string(words[i].word));
    return list;
}

static json_t *energy(struct gpu *g)
{
    unsigned long long mj = 0;
    if (GET(DeviceGetTotalEnergyConsumption, &mj) != NVML_SUCCESS) return json_null();
    return json_real((double)mj / 1000);
}

json_t *gpu_ecc(struct gpu *g)
{
    int now = 0, later = 0;
    if (!g->nvml || !g->d.nvmlDeviceGetEccMode ||
        g->d.nvmlDeviceGetEccMode(g->d.self, g->nvml, &now, &later))
        return json_null();
    return json_boolean(now);
}

json_t *gpu_mig(struct gpu *g)
{
    unsigned now = 0, later = 0;
    if (!g->nvml || !g->d.nvmlDeviceGetMigMode ||
        g->d.nvmlDeviceGetMigMode(g->d.self, g->nvml, &now, &later))
        return json_null();
    return json_boolean(now);
}

static json_t *clock_mhz(struct gpu *g, int which)
{
    unsigned mhz = 0;
    return number(GET(DeviceGetClockInfo, which, &mhz), &mhz, 1);
}

json_t *gpu_telemetry(void *self)
{
    struct gpu *g = self;
    unsigned mw = 0, limit_mw = 0, degrees = 0;
    json_t *t = json_object();
    /* An integrated GPU has no memory clock of its own: what NVML then says is meaningless. */
    const bool is_integrated = gpu_attribute(g, CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
    json_object_set_new(t, "sm_clock_mhz", clock_mhz(g, NVML_CLOCK_SM));
    json_object_set_new(t, "mem_clock_mhz",
                        is_integrated ? json_null() : clock_mhz(g, NVML_CLOCK_MEM));
    json_object_set_new(t, "power_average_w", number(GET(DeviceGetPowerUsage, &mw), &mw, 1000));
    json_object_set_new(t, "power_instant_w", field_watts(g, NVML_FI_DEV_POWER_INSTANT));
    json_object_set_new(t, "power_limit_w",
                        number(GET(DeviceGetEnforcedPowerLimit, &limit_mw), &limit_mw, 1000));
    json_object_set_new(t, "energy_j", energy(g));
    json_object_set_new(t, "temperature_c",
                        number(GET(DeviceGetTemperature, NVML_TEMPERATURE_GPU, &degrees),
                               &degrees, 1));
    json_object_set_new(t, "throttle", throttle_words(g));
    json_object_set_new(t, "ecc", gpu_ecc(g));
    json_object_set_new(t, "mig", gpu_mig(g));
    return t;
}
