/* gpu_identity.c - starting the driver, and which of its GPUs is meant. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "dev/gpu/gpu_impl.h"

static int attribute(struct ay_driver *d, CUdevice device, CUdevice_attribute a)
{
    int value = 0;
    return d->DeviceGetAttribute(d->self, &value, a, device) == CUDA_SUCCESS ? value : 0;
}

int gpu_attribute(struct gpu *g, CUdevice_attribute a)
{
    return attribute(&g->d, g->device, a);
}

enum ay_status gpu_start(struct ay_driver *d, int *version, int *n_devices, struct ay_error *err)
{
    CUresult r = d->Init(d->self, 0);
    if (r != CUDA_SUCCESS) return ay_diagnose_start(err, d, AY_ENTRY_cuInit, r);
    *version = 0;
    r = d->DriverGetVersion(d->self, version);
    if (r != CUDA_SUCCESS) return ay_diagnose_start(err, d, AY_ENTRY_cuDriverGetVersion, r);
    *n_devices = 0;
    r = d->DeviceGetCount(d->self, n_devices);
    if (r == CUDA_SUCCESS && *n_devices < 1) r = CUDA_ERROR_NO_DEVICE;
    if (r != CUDA_SUCCESS) return ay_diagnose_start(err, d, AY_ENTRY_cuDeviceGetCount, r);
    return AY_OK;
}

/* "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", as nvidia-smi writes it. */
static void format_uuid(const CUuuid *uuid, char into[48])
{
    int n = snprintf(into, 48, "GPU-");
    for (int i = 0; i < 16; i++)
        n += snprintf(into + n, 48 - (size_t)n, "%s%02x",
                      i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                      (unsigned)(unsigned char)uuid->bytes[i]);
}

void gpu_identify(struct ay_driver *d, CUdevice device, struct ay_gpu_entry *out)
{
    memset(out, 0, sizeof *out);
    char raw[sizeof out->product] = "";
    if (d->DeviceGetName(d->self, raw, sizeof raw - 1, device) != CUDA_SUCCESS) *raw = 0;
    ay_clean_text(raw, out->product, sizeof out->product);
    if (d->DeviceGetPCIBusId(d->self, out->pci, sizeof out->pci - 1, device)) *out->pci = 0;
    CUuuid uuid;
    memset(&uuid, 0, sizeof uuid);
    if (d->DeviceGetUuid && d->DeviceGetUuid(d->self, &uuid, device) == CUDA_SUCCESS)
        format_uuid(&uuid, out->uuid);
    const int sm = attribute(d, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                   attribute(d, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    /* From 9.0 on, the targets that use all of a chip end in `a` [ptx-isa 11.1.2]. */
    if (sm > 0) snprintf(out->arch, sizeof out->arch, "sm_%d%s", sm, sm >= 90 ? "a" : "");
    const int n_sms = attribute(d, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    out->n_sms = n_sms > 0 ? (uint32_t)n_sms : 0;
    size_t bytes = 0;
    if (d->DeviceTotalMem(d->self, &bytes, device) == CUDA_SUCCESS) out->total_bytes = bytes;
}

/* Digits alone, without prefix and dashes: MIG and GPU ids are compared by these. */
static void digits_of(const char *uuid, char into[48])
{
    size_t n = 0;
    const char *at = uuid;
    while (!strncmp(at, "GPU-", 4) || !strncmp(at, "MIG-", 4)) at += 4;
    for (; *at && *at != '/' && n < 47; at++) /* "MIG-GPU-<uuid>/1/2", as old drivers write it */
        if (isxdigit((unsigned char)*at)) into[n++] = (char)tolower((unsigned char)*at);
    into[n] = '\0';
}

static enum ay_status find_uuid(struct ay_driver *d, int n_devices, const char *uuid,
                                const char *name, CUdevice *out, struct ay_error *err)
{
    char wanted[48], has[48];
    digits_of(uuid, wanted);
    int n_found = 0;
    for (int i = 0; i < n_devices && *wanted; i++) {
        CUdevice device = 0;
        struct ay_gpu_entry id;
        if (d->DeviceGet(d->self, &device, i) != CUDA_SUCCESS) continue;
        gpu_identify(d, device, &id);
        digits_of(id.uuid, has);
        if (strncmp(has, wanted, strlen(wanted))) continue;
        *out = device;
        n_found++;
    }
    if (n_found == 1) return AY_OK;
    return AY_FAIL(err, AY_DEVICE, "%s: %s; assay devices lists them", name,
                   n_found ? "more than one GPU here has an id that begins so"
                           : "no GPU here has that id");
}

enum ay_status gpu_find(struct ay_driver *d, int ordinal, const char *uuid, const char *name,
                        CUdevice *out, int *version, struct ay_error *err)
{
    int n_devices;
    AY_TRY(gpu_start(d, version, &n_devices, err));
    if (uuid) return find_uuid(d, n_devices, uuid, name, out, err);
    if (ordinal < 0 || ordinal >= n_devices)
        return AY_FAIL(err, AY_DEVICE, "%s: no such GPU here, the driver shows %d, counted from 0",
                       name, n_devices);
    const CUresult r = d->DeviceGet(d->self, out, ordinal);
    return r == CUDA_SUCCESS ? AY_OK : ay_diagnose_start(err, d, AY_ENTRY_cuDeviceGet, r);
}

enum ay_status ay_gpu_list(struct ay_driver *d, struct ay_gpu_entry **out, size_t *n,
                           struct ay_error *err)
{
    int version, n_devices;
    *out = NULL;
    *n = 0;
    AY_TRY(gpu_start(d, &version, &n_devices, err));
    struct ay_gpu_entry *list = calloc((size_t)n_devices, sizeof *list);
    if (!list) return AY_FAIL(err, AY_NOMEM, "no memory for %d GPUs", n_devices);
    for (int i = 0; i < n_devices; i++) {
        CUdevice device = 0;
        if (d->DeviceGet(d->self, &device, i) == CUDA_SUCCESS) gpu_identify(d, device, &list[i]);
    }
    *out = list;
    *n = (size_t)n_devices;
    return AY_OK;
}
