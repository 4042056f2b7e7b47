#include "dev/gpu/diagnose.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct code {
    int code;
    const char *name;
};
static const struct code codes[] = {
#define X(name) {name, #name},
#include "dev/gpu/errors.def"
#undef X
};
enum { N_CODES = sizeof codes / sizeof codes[0] };

const char *ay_cuda_code_name(int code)
{
    for (size_t i = 0; i < N_CODES; i++)
        if (codes[i].code == code) return codes[i].name;
    return NULL;
}

int ay_cuda_code_of(const char *name)
{
    for (size_t i = 0; i < N_CODES; i++)
        if (!strcmp(codes[i].name, name)) return codes[i].code;
    return -1;
}

/* Advice on results that end the search for a device. "%s" is the path of the loaded library. 35 is
 * the runtime's word for an old driver; some driver libraries let it through. */
struct advice {
    int code;
    const char *text;
};
static const struct advice start_advice[] = {
    {CUDA_ERROR_NOT_INITIALIZED,
     "the driver is not initialised in this process: something called cuInit before a fork; start "
     "assay itself as a fresh process (%s)"},
    {CUDA_ERROR_STUB_LIBRARY,
     "%s is the toolkit's stub, which is no driver: take its stubs folder out of LD_LIBRARY_PATH "
     "and install the NVIDIA driver"},
    {35, "the driver (%s) is older than this program needs: install driver R580 or newer"},
    {CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER,
     "the kernel module is older than %s: install a newer driver, or take the compat folder out "
     "of the library path"},
    {CUDA_ERROR_DEVICE_UNAVAILABLE,
     "the GPU is busy or shut: compute mode is exclusive with another process on it, or "
     "prohibited; see nvidia-smi -q -d COMPUTE (%s)"},
    {CUDA_ERROR_NO_DEVICE,
     "the driver (%s) sees no GPU: look at CUDA_VISIBLE_DEVICES, at /dev/nvidia*, and in a "
     "container at --gpus"},
    {CUDA_ERROR_INVALID_DEVICE,
     "the driver (%s) knows no such GPU, or it is split by MIG without an instance: see assay "
     "devices and nvidia-smi -L"},
    {CUDA_ERROR_SYSTEM_NOT_READY,
     "the system is not ready; on an NVSwitch system: is nvidia-fabricmanager running, in the "
     "driver's own version? (%s)"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
     "%s does not belong to the loaded kernel module: look for a second one (often "
     "/usr/local/cuda/compat) with ldconfig -p | grep libcuda"},
    {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
     "%s is a forward compatibility library, which this GPU does not support: take the compat "
     "folder out of the library path, so that the driver's own is found"},
    {CUDA_ERROR_UNKNOWN,
     "the driver (%s) failed in its own set-up: after suspend reload it (rmmod nvidia_uvm; "
     "modprobe nvidia_uvm), and see that the device node /dev/nvidia-uvm is there"},
};

static const char *advice_on(const struct advice *table, size_t n, int code)
{
    for (size_t i = 0; i < n; i++)
        if (table[i].code == code) return table[i].text;
    return NULL;
}

static const char *name_of(CUresult code, char *buffer, size_t n_bytes)
{
    const char *name = ay_cuda_code_name((int)code);
    if (name) return name;
    snprintf(buffer, n_bytes, "unknown result");
    return buffer;
}

/* Replaces the one %s of an advice without handing a table's text to printf. */
static void fill_in(char *into, size_t n_bytes, const char *text, const char *origin)
{
    const char *at = strstr(text, "%s");
    if (at)
        snprintf(into, n_bytes, "%.*s%s%s", (int)(at - text), text, origin, at + 2);
    else
        snprintf(into, n_bytes, "%s", text);
}

enum ay_status ay_diagnose_start(struct ay_error *err, const struct ay_driver *d,
                                 enum ay_entry entry, CUresult code)
{
    char unknown[24], advice[400];
    const char *text = advice_on(start_advice, sizeof start_advice / sizeof start_advice[0],
                                 (int)code);
    const char *name = code == 35 ? "cudaErrorInsufficientDriver" : name_of(code, unknown,
                                                                            sizeof unknown);
    fill_in(advice, sizeof advice,
            text ? text : "no use can be made of this driver (%s): does nvidia-smi work?",
            d->origin ? d->origin : "libcuda.so.1");
    return AY_FAIL(err, AY_DEVICE, "%s: %s (%d): %s", ay_entry_name(entry), name, (int)code,
                   advice);
}

enum ay_status ay_diagnose_missing(struct ay_error *err, const char *loader_says)
{
    const char *folders = getenv("LD_LIBRARY_PATH");
    char path[256];
    while (folders && *folders) {
        const size_t n = strcspn(folders, ":;");
        snprintf(path, sizeof path, "%.*s/libcuda.so", (int)n, folders);
        /* Looked at, never loaded: under that name toolkits ship a stub. */
        if (n && n < sizeof path - 16 && !access(path, F_OK))
            return AY_FAIL(err, AY_DEVICE,
                           "no NVIDIA driver here: %s is the toolkit's stub, which is no driver; "
                           "libcuda.so.1 is what the driver installs (%s)",
                           path, loader_says);
        folders += n;
        folders += *folders != '\0';
    }
    return AY_FAIL(err, AY_DEVICE,
                   "no NVIDIA driver here: %s; install the driver, or start the container with "
                   "--gpus all",
                   loader_says);
}

static const struct advice work_advice[] = {
    {CUDA_ERROR_OUT_OF_MEMORY,
#ifdef __SANITIZE_ADDRESS__
     "memory is short, or this AddressSanitizer build hides it: set "
     "ASAN_OPTIONS=protect_shadow_gap=0"
#else
     "memory is short: end other processes on this GPU, or ask for less"
#endif
    },
    {CUDA_ERROR_INVALID_IMAGE, "the driver cannot read this image: rebuild with its toolkit"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "the image holds no code for this GPU: rebuild for its sm_xx"},
    {CUDA_ERROR_INVALID_PTX, "the driver's compiler rejects the PTX"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
     "the PTX is newer than this driver: install a newer driver"},
    {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "libnvidia-ptxjitcompiler.so.1 of the driver is missing"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many registers or threads for one SM"},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "not all CTAs fit at once"},
    {CUDA_ERROR_NOT_SUPPORTED, "this GPU or driver does not do that"},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, "the GPU is gone or busy: see nvidia-smi and dmesg for Xid"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, "a memory error: see nvidia-smi -q -d ECC, then reset the GPU"},
    {CUDA_ERROR_LAUNCH_TIMEOUT,
     "a watchdog ended the kernel: measure on a GPU without a display; the context is lost"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "the kernel touched foreign memory; the context is lost"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "a misaligned access; the context is lost"},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, "code for another chip; the context is lost"},
    {CUDA_ERROR_LAUNCH_FAILED, "the kernel failed; the context is lost"},
    {CUDA_ERROR_INVALID_CLUSTER_SIZE, "that cluster size does not fit this GPU"},
};

enum ay_status ay_refused(struct ay_error *err, const struct ay_driver *d, enum ay_entry entry,
                          CUresult code, const char *fmt, ...)
{
    const char *more = d->last_reason ? d->last_reason(d->self) : NULL;
    if (more && !*more) more = NULL;
    if (more && code == CUDA_ERROR_NOT_SUPPORTED) return AY_FAIL(err, AY_SKIP, "%s", more);
    char what[160], unknown[24];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    const char *text = more ? more : advice_on(work_advice,
                                               sizeof work_advice / sizeof work_advice[0],
                                               (int)code);
    return AY_FAIL(err, AY_DEVICE, "%s%s%s: %s (%d): %s", ay_entry_name(entry), *what ? " " : "",
                   what, name_of(code, unknown, sizeof unknown), (int)code,
                   text ? text : "the driver refused it; nvidia-smi and dmesg may say more");
}

enum ay_status ay_lacks(struct ay_error *err, enum ay_entry entry)
{
    return AY_FAIL(err, AY_SKIP, "driver lacks %s", ay_entry_name(entry));
}
