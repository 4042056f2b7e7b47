#include "dev/host/describe.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/units.h"
#include "core/utf8.h"
#include "dev/host/memory.h"

enum { TEXT_BYTES = 512 };

/* The value behind "key : value", of the n-th such line of proc/cpuinfo. */
static bool read_cpuinfo(const struct ay_host_roots *r, const char *key, uint32_t nth, char *into,
                         size_t into_bytes)
{
    char path[256], line[8192];
    snprintf(path, sizeof path, "%s/cpuinfo", r->proc);
    FILE *f = fopen(path, "re");
    bool is_found = false;
    const size_t n = strlen(key);
    while (f && !is_found && fgets(line, sizeof line, f)) {
        const char *const colon = strchr(line, ':');
        if (!colon || strncmp(line, key, n) != 0 || !strchr(" \t:", line[n]) || nth-- > 0) continue;
        line[strcspn(line, "\n")] = 0;
        const char *value = colon + 1;
        while (*value == ' ') value++;
        ay_clean_text(value, into, into_bytes);
        is_found = true;
    }
    if (f) fclose(f);
    return is_found;
}

static const char *product(const struct ay_host_roots *r, char *into, size_t into_bytes)
{
    struct utsname u;
    if (read_cpuinfo(r, "model name", 0, into, into_bytes)) return into;
    char maker[64] = "", part[64] = ""; /* Arm kernels print numbers, no name */
    if (read_cpuinfo(r, "CPU implementer", 0, maker, sizeof maker) &&
        read_cpuinfo(r, "CPU part", 0, part, sizeof part))
        snprintf(into, into_bytes, "Arm implementer %s part %s", maker, part);
    else
        snprintf(into, into_bytes, "%s processor", uname(&u) == 0 ? u.machine : "unknown");
    return into;
}

static json_t *file_text(const char *root, const char *rest)
{
    char path[256], text[TEXT_BYTES], clean[TEXT_BYTES];
    snprintf(path, sizeof path, "%s/%s", root, rest);
    if (!ay_read_line(path, text, sizeof text)) return json_null();
    ay_clean_text(text, clean, sizeof clean);
    return json_string(clean);
}

static json_t *bytes_or_null(uint64_t bytes, uint64_t none)
{
    return bytes == none ? json_null() : json_integer((json_int_t)bytes);
}

static json_t *is_virtual(const struct ay_host_roots *r)
{
    char flags[8192];
    if (!read_cpuinfo(r, "flags", 0, flags, sizeof flags)) return json_null();
    return json_boolean(strstr(flags, "hypervisor") != NULL);
}

json_t *ay_describe_machine(const struct ay_host_roots *r)
{
    char cpu[TEXT_BYTES], huge[96];
    struct utsname u = { .release = "" };
    cpu_set_t may_use;
    const bool is_told = sched_getaffinity(0, sizeof may_use, &may_use) == 0;
    (void)uname(&u);
    ay_no_huge_pages(r, huge, sizeof huge);
    return json_pack("{s:s, s:o, s:o, s:i, s:o, s:s, s:o, s:o, s:s}",
                     "cpu", product(r, cpu, sizeof cpu),
                     "cpu_is_virtual", is_virtual(r),
                     "governor", file_text(r->sys,
                                           "devices/system/cpu/cpu0/cpufreq/scaling_governor"),
                     "cpus", is_told ? CPU_COUNT(&may_use) : 0,
                     "numa_nodes", file_text(r->sys, "devices/system/node/has_memory"),
                     "kernel", u.release,
                     "memory_bytes", bytes_or_null(ay_meminfo_bytes(r, "MemTotal"), 0),
                     "cgroup_memory_bytes", bytes_or_null(ay_cgroup_limit_bytes(r), UINT64_MAX),
                     "huge_pages", huge[0] ? huge : "available");
}

json_t *ay_describe_cpu(const struct ay_host_roots *r, const struct ay_host_facts *facts)
{
    char cpu[TEXT_BYTES];
    struct utsname u = { .machine = "" };
    (void)uname(&u);
    return json_pack("{s:s, s:s, s:i, s:i, s:o, s:o, s:o}",
                     "product", product(r, cpu, sizeof cpu), "arch", u.machine, "sms", 0,
                     "cpu", (int)facts->cpu,
                     "claimed_l1_bytes", bytes_or_null(facts->l1_bytes, 0),
                     "claimed_l2_bytes", bytes_or_null(facts->l2_bytes, 0),
                     "claimed_l3_bytes", bytes_or_null(facts->l3_bytes, 0));
}

double ay_cpu_mhz(const struct ay_host_roots *r, uint32_t cpu)
{
    char path[256], text[64];
    struct ay_error ignored;
    double value;
    snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", r->sys,
             cpu);
    if (ay_read_line(path, text, sizeof text) &&
        ay_parse_number(text, &value, &ignored) == AY_OK)
        return value / 1000; /* kHz */
    if (read_cpuinfo(r, "cpu MHz", cpu, text, sizeof text) &&
        ay_parse_number(text, &value, &ignored) == AY_OK)
        return value;
    return NAN;
}
