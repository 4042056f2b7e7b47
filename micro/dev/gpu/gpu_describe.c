/* gpu_describe.c - what the driver claims about the GPU: facts for probes, members for the record.
 *
 * A claim may be 0, wrong or refused: then it is 0 here and null in the record, and what probes
 * need is measured all the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "dev/gpu/gpu_impl.h"

static uint64_t claim(struct gpu *g, CUdevice_attribute a, uint64_t otherwise)
{
    const int value = gpu_attribute(g, a);
    return value > 0 ? (uint64_t)value : otherwise;
}

/* NVML knows the boost clock, the attribute on some drivers only the base clock, or nothing. */
static double claimed_clock_mhz(struct gpu *g, int nvml_clock, CUdevice_attribute in_khz)
{
    unsigned mhz = 0;
    if (g->nvml && g->d.nvmlDeviceGetMaxClockInfo &&
        g->d.nvmlDeviceGetMaxClockInfo(g->d.self, g->nvml, nvml_clock, &mhz) == NVML_SUCCESS && mhz)
        return mhz;
    return (double)claim(g, in_khz, 0) / 1000;
}

/* What the OS could give away without swapping; UINT64_MAX where it does not say. */
static uint64_t host_available(void)
{
    unsigned long long kib = 0;
    char line[128];
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1) break;
    if (f) fclose(f);
    return kib ? (uint64_t)kib * 1024 : UINT64_MAX;
}

static void fill_memory(struct gpu *g, struct ay_facts *f)
{
    size_t n_free = 0, total = 0;
    if (g->d.MemGetInfo(g->d.self, &n_free, &total) != CUDA_SUCCESS) {
        n_free = total = 0;
        if (g->d.DeviceTotalMem(g->d.self, &total, g->device) != CUDA_SUCCESS) total = 0;
        n_free = total;
    }
    f->free_bytes = n_free;
    f->total_bytes = total;
    /* The memory of an integrated GPU is the host's: taking what the driver calls free can stop the
     * machine. */
    if (!g->is_simulated && gpu_attribute(g, CU_DEVICE_ATTRIBUTE_INTEGRATED)) {
        const uint64_t host = host_available();
        if (host < f->free_bytes) f->free_bytes = host;
    }
}

enum ay_status gpu_fill_facts(struct gpu *g, struct ay_facts *f, struct ay_error *err)
{
    *f = (struct ay_facts){.sm_arch = g->sm_arch};
    f->n_sms = (uint32_t)claim(g, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    if (!g->sm_arch || !f->n_sms)
        return AY_FAIL(err, AY_DEVICE, "%s: the driver does not say its %s: does nvidia-smi work?",
                       g->name, g->sm_arch ? "number of SMs" : "compute capability");
    f->max_threads_per_cta =
        (uint32_t)claim(g, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024);
    f->warp_lanes = (uint32_t)claim(g, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32);
    f->claimed_l2_bytes = claim(g, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 0);
    f->max_shared_bytes_per_cta =
        claim(g, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
              claim(g, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024));
    f->shared_bytes_per_sm = claim(g, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 0);
    f->claimed_sm_clock_mhz =
        claimed_clock_mhz(g, NVML_CLOCK_SM, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    if (!gpu_attribute(g, CU_DEVICE_ATTRIBUTE_INTEGRATED))
        f->claimed_mem_clock_mhz =
            claimed_clock_mhz(g, NVML_CLOCK_MEM, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    fill_memory(g, f);
    return AY_OK;
}

/* --- for the record --------------------------------------------------------------------------- */

static json_t *text_or_null(const char *text)
{
    char clean[320];
    return *text ? json_string(ay_clean_text(text, clean, sizeof clean)) : json_null();
}

static json_t *count_or_null(uint64_t n)
{
    return n ? json_integer((json_int_t)n) : json_null();
}

static json_t *number_or_null(double x)
{
    return x > 0 ? json_real(x) : json_null();
}

static json_t *device_members(struct gpu *g, const struct ay_facts *f)
{
    json_t *d = json_object();
    json_object_set_new(d, "product", text_or_null(g->product));
    json_object_set_new(d, "arch", text_or_null(g->arch));
    json_object_set_new(d, "sms", count_or_null(f->n_sms));
    json_object_set_new(d, "uuid", text_or_null(g->uuid));
    json_object_set_new(d, "pci", text_or_null(g->pci));
    json_object_set_new(d, "pci_ids", gpu_pci_ids(g));
    json_object_set_new(d, "memory_bytes", count_or_null(f->total_bytes));
    json_object_set_new(d, "memory_bus_bits",
                        count_or_null(claim(g, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 0)));
    json_object_set_new(d, "claimed_l2_bytes", count_or_null(f->claimed_l2_bytes));
    json_object_set_new(d, "claimed_sm_clock_mhz", number_or_null(f->claimed_sm_clock_mhz));
    json_object_set_new(d, "claimed_mem_clock_mhz", number_or_null(f->claimed_mem_clock_mhz));
    json_object_set_new(d, "shared_bytes_per_sm", count_or_null(f->shared_bytes_per_sm));
    json_object_set_new(d, "integrated",
                        json_boolean(gpu_attribute(g, CU_DEVICE_ATTRIBUTE_INTEGRATED)));
    return d;
}

enum ay_status gpu_describe(void *self, json_t **device, json_t **environment,
                            struct ay_error *err)
{
    struct gpu *g = self;
    struct ay_facts f;
    AY_TRY(gpu_fill_facts(g, &f, err));
    *device = device_members(g, &f);
    *environment = gpu_environment(g);
    if (*device && *environment) return AY_OK;
    json_decref(*device);
    json_decref(*environment);
    return AY_FAIL(err, AY_NOMEM, "no memory for the description of %s", g->name);
}
