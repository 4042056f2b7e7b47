/* limits.h - how much memory this process may take: the machine's word and each cgroup's. */
#ifndef AY_HOST_LIMITS_H
#define AY_HOST_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where to look; tests point it at a folder of their own. */
struct ay_host_roots {
    const char *proc;   /* "/proc" */
    const char *sys;    /* "/sys" */
};
extern const struct ay_host_roots ay_host_roots;

/* The first line of a file without its newline; false: cannot be read. */
bool ay_read_line(const char *path, char *into, size_t into_bytes);

/* A value of proc/meminfo in bytes ("MemAvailable"); 0: not there. */
uint64_t ay_meminfo_bytes(const struct ay_host_roots *r, const char *key);

/* What the cgroups of this process, version 1 or 2, from its own to the root, leave of their limits
 * (limit - usage, the least); UINT64_MAX: none has one. */
uint64_t ay_cgroup_free_bytes(const struct ay_host_roots *r);
/* The least limit itself; UINT64_MAX: none. */
uint64_t ay_cgroup_limit_bytes(const struct ay_host_roots *r);

/* The smaller of MemAvailable and what cgroups leave: a container sees the whole machine in
 * meminfo. */
uint64_t ay_host_free_bytes(const struct ay_host_roots *r);

#endif
