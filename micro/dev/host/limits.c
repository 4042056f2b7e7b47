#include "dev/host/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 1024, LINE_BYTES = 1024 };

const struct ay_host_roots ay_host_roots = { "/proc", "/sys" };

bool ay_read_line(const char *path, char *into, size_t into_bytes)
{
    FILE *f = fopen(path, "re");
    if (!f) return false;
    const bool is_read = fgets(into, (int)into_bytes, f) != NULL;
    fclose(f);
    if (is_read) into[strcspn(into, "\n")] = 0;
    return is_read;
}

uint64_t ay_meminfo_bytes(const struct ay_host_roots *r, const char *key)
{
    char path[PATH_BYTES], line[LINE_BYTES];
    snprintf(path, sizeof path, "%s/meminfo", r->proc);
    FILE *f = fopen(path, "re");
    uint64_t kib = 0;
    const size_t n = strlen(key);
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, n) == 0 && line[n] == ':') {
            kib = strtoull(line + n + 1, NULL, 10);
            break;
        }
    if (f) fclose(f);
    return kib << 10;
}

/* --- cgroups ---------------------------------------------------------------------------------- */

/* The two hierarchies that can limit memory [cgroup-v1] [cgroup-v2]. */
static const struct version {
    const char *controllers; /* field of proc/self/cgroup: "" for version 2 */
    const char *mounts[2];   /* below sys/fs/cgroup */
    const char *limit, *usage;
} VERSIONS[] = {
    { "", { "", "/unified" }, "memory.max", "memory.current" },
    { "memory", { "/memory", "" }, "memory.limit_in_bytes", "memory.usage_in_bytes" },
};

/* "max", and the version 1 way to say it, a number near 2^63, mean no limit. */
static uint64_t read_bytes(const char *folder, const char *name)
{
    char path[PATH_BYTES + 64], text[LINE_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!ay_read_line(path, text, sizeof text) || text[0] < '0' || text[0] > '9')
        return UINT64_MAX;
    const uint64_t bytes = strtoull(text, NULL, 10);
    return bytes >= UINT64_C(1) << 62 ? UINT64_MAX : bytes;
}

struct least {
    uint64_t limit_bytes, free_bytes;
};

static void look_at(const struct version *v, const char *folder, struct least *least)
{
    const uint64_t limit = read_bytes(folder, v->limit);
    if (limit == UINT64_MAX) return;
    const uint64_t used = read_bytes(folder, v->usage);
    const uint64_t rest = used == UINT64_MAX ? limit : used < limit ? limit - used : 0;
    if (limit < least->limit_bytes) least->limit_bytes = limit;
    if (rest < least->free_bytes) least->free_bytes = rest;
}

/* A limit of any ancestor binds. Inside a container the path may be the outer machine's: then the
 * folders that exist here are looked at, in the end the mount itself. */
static void climb(const struct ay_host_roots *r, const struct version *v, const char *group,
                  struct least *least)
{
    for (size_t i = 0; i < sizeof v->mounts / sizeof *v->mounts; i++) {
        char folder[PATH_BYTES];
        const int n = snprintf(folder, sizeof folder, "%s/fs/cgroup%s%s", r->sys, v->mounts[i],
                               group);
        if (n < 0 || (size_t)n >= sizeof folder) continue;
        const size_t mount = strlen(r->sys) + strlen("/fs/cgroup") + strlen(v->mounts[i]);
        for (;;) {
            look_at(v, folder, least);
            char *const slash = strrchr(folder, '/');
            if (!slash || (size_t)(slash - folder) < mount) break;
            *slash = 0;
        }
    }
}

static bool names(const char *list, const char *controller)
{
    const size_t n = strlen(controller);
    if (n == 0) return *list == 0;
    for (const char *at = list; (at = strstr(at, controller)); at += n)
        if ((at == list || at[-1] == ',') && (at[n] == ',' || at[n] == 0)) return true;
    return false;
}

/* Lines of proc/self/cgroup: number, controllers, path, set apart by colons. */
static struct least all_cgroups(const struct ay_host_roots *r)
{
    struct least least = { UINT64_MAX, UINT64_MAX };
    char path[PATH_BYTES], line[LINE_BYTES];
    snprintf(path, sizeof path, "%s/self/cgroup", r->proc);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *const controllers = strchr(line, ':');
        char *const group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) continue;
        *group = 0;
        for (size_t i = 0; i < sizeof VERSIONS / sizeof *VERSIONS; i++)
            if (names(controllers + 1, VERSIONS[i].controllers))
                climb(r, &VERSIONS[i], group + 1, &least);
    }
    if (f) fclose(f);
    return least;
}

uint64_t ay_cgroup_free_bytes(const struct ay_host_roots *r)
{
    return all_cgroups(r).free_bytes;
}

uint64_t ay_cgroup_limit_bytes(const struct ay_host_roots *r)
{
    return all_cgroups(r).limit_bytes;
}

uint64_t ay_host_free_bytes(const struct ay_host_roots *r)
{
    const uint64_t machine = ay_meminfo_bytes(r, "MemAvailable"), group = ay_cgroup_free_bytes(r);
    return machine < group ? machine : group;
}
