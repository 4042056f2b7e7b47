/* gpu_environment.c - around the GPU: driver, modes, variables, processor, kernel. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/utf8.h"
#include "dev/gpu/gpu_impl.h"

/* --- from files and variables ----------------------------------------------------------------- */

static json_t *text_of(const char *raw)
{
    char clean[1024];
    return json_string(ay_clean_text(raw, clean, sizeof clean));
}

/* The rest of the first line that begins with `key` (after blanks and a colon), or null. */
static json_t *line_of(const char *path, const char *key)
{
    char line[512];
    FILE *f = fopen(path, "re");
    json_t *found = NULL;
    while (f && !found && fgets(line, sizeof line, f)) {
        if (strncmp(line, key, strlen(key))) continue;
        char *at = line + strlen(key);
        at += strspn(at, " \t:");
        at[strcspn(at, "\n")] = '\0';
        found = text_of(at);
    }
    if (f) fclose(f);
    return found ? found : json_null();
}

/* "/sys/bus/pci/devices/0000:1b:00.0/NAME" of this GPU; false: it has no place in sysfs. */
static bool sysfs_path(const struct gpu *g, const char *name, char *into, size_t n_bytes)
{
    char pci[sizeof g->pci];
    size_t i = 0;
    if (g->is_simulated || !*g->pci) return false;
    for (; g->pci[i]; i++) pci[i] = (char)tolower((unsigned char)g->pci[i]);
    pci[i] = '\0';
    snprintf(into, n_bytes, "/sys/bus/pci/devices/%s/%s", pci, name);
    return true;
}

static json_t *numa_node(const struct gpu *g)
{
    char path[128];
    json_t *text = sysfs_path(g, "numa_node", path, sizeof path) ? line_of(path, "") : json_null();
    const char *s = json_string_value(text);
    /* -1: the firmware does not say. */
    const bool is_node = s && isdigit((unsigned char)*s);
    json_t *node = is_node ? json_integer(strtol(s, NULL, 10)) : json_null();
    json_decref(text);
    return node;
}

json_t *gpu_pci_ids(const struct gpu *g)
{
    char path[128], ids[64] = "";
    const char *parts[] = {"vendor", "device"};
    for (int i = 0; i < 2; i++) {
        json_t *text = sysfs_path(g, parts[i], path, sizeof path) ? line_of(path, "0x") : NULL;
        const char *s = json_string_value(text);
        if (s) snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "%s%.8s", i ? ":" : "", s);
        json_decref(text);
    }
    return strchr(ids, ':') ? json_string(ids) : json_null();
}

static json_t *iommu(void)
{
    DIR *d = opendir("/sys/class/iommu");
    if (!d) return json_null();
    bool is_on = false;
    for (const struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') is_on = true;
    closedir(d);
    return json_boolean(is_on);
}

/* CUDA_VISIBLE_DEVICES and the like: recorded as they are, never parsed. */
static json_t *variables(void)
{
    json_t *found = json_object();
    for (char **v = environ; v && *v; v++) {
        const char *is = strchr(*v, '=');
        char name[128];
        if (!is || strncmp(*v, "CUDA_", 5) || is - *v >= (long)sizeof name / 3) continue;
        char raw[128];
        snprintf(raw, sizeof raw, "%.*s", (int)(is - *v), *v);
        json_object_set_new(found, ay_clean_text(raw, name, sizeof name), text_of(is + 1));
    }
    return found;
}

static json_t *kernel_release(void)
{
    struct utsname u;
    return uname(&u) ? json_null() : text_of(u.release);
}

/* --- from the driver -------------------------------------------------------------------------- */

static json_t *driver_text(struct gpu *g)
{
    char version[96] = "";
    if (!g->is_nvml_on || !g->d.nvmlSystemGetDriverVersion ||
        g->d.nvmlSystemGetDriverVersion(g->d.self, version, sizeof version - 1) || !*version)
        return json_null();
    return text_of(version);
}

static json_t *cuda_version(int version)
{
    char text[32];
    if (version <= 0) return json_null();
    snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
    return json_string(text);
}

static json_t *compute_mode(struct gpu *g)
{
    static const char *const words[] = {"default", "exclusive", "prohibited", "exclusive_process"};
    int mode = 0;
    if (g->d.DeviceGetAttribute(g->d.self, &mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, g->device) ||
        mode < 0 || mode > 3)
        return json_null();
    return json_string(words[mode]);
}

static json_t *persistence(struct gpu *g)
{
    int mode = 0;
    if (!g->nvml || !g->d.nvmlDeviceGetPersistenceMode ||
        g->d.nvmlDeviceGetPersistenceMode(g->d.self, g->nvml, &mode))
        return json_null();
    return json_boolean(mode);
}

json_t *gpu_environment(struct gpu *g)
{
    json_t *e = json_object();
    json_object_set_new(e, "driver", driver_text(g));
    json_object_set_new(e, "cuda_driver", cuda_version(g->driver_version));
    json_object_set_new(e, "library", g->d.origin ? text_of(g->d.origin) : json_null());
    json_object_set_new(e, "toolkit", cuda_version(CUDA_VERSION));
    json_object_set_new(e, "nvml", g->nvml_why ? json_string(g->nvml_why) : json_string("ok"));
    json_object_set_new(e, "ecc", gpu_ecc(g));
    json_object_set_new(e, "mig", gpu_mig(g));
    json_object_set_new(e, "persistence", persistence(g));
    json_object_set_new(e, "compute_mode", compute_mode(g));
    json_object_set_new(e, "watchdog",
                        json_boolean(gpu_attribute(g, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT)));
    json_object_set_new(e, "variables", variables());
    json_object_set_new(e, "iommu", iommu());
    json_object_set_new(e, "numa_node", numa_node(g));
    json_object_set_new(e, "cpu", line_of("/proc/cpuinfo", "model name"));
    json_object_set_new(e, "kernel", kernel_release());
    return e;
}
