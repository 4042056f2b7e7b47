/* engine.h - the simulated machine as its driver sees it: memory, modules, launches, device time.
 *
 * Device time is counted in SM cycles since the machine was opened (`cycle`); a nanosecond scale
 * runs beside it. Nothing here waits for real time. A launch is started, then run: sim_run()
 * carries the machine up to a cycle, so a kernel that spins on a host flag can be left half way,
 * the host can write the flag, and the machine runs on. Caches, TLBs, DRAM rows and the clock
 * persist between launches; L1 is emptied at each launch's start. One machine is used by one
 * thread. */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/chip.h"
#include "core/status.h"

struct sim_module;  /* program.h: decoded PTX */
struct sim_kernel;
struct sim_machine;

/* The chip is borrowed and must outlive the machine. */
enum ay_status sim_open(const struct ay_chip *chip, struct sim_machine **out,
                        struct ay_error *err) AY_CHECKED;
void sim_close(struct sim_machine *m); /* safe on NULL; frees all memory, modules, launches */

/* --- time ------------------------------------------------------------------------------------- */

#define SIM_FOREVER UINT64_MAX

uint64_t sim_cycle(const struct sim_machine *m); /* how far the machine has been carried */
double sim_ns_of(const struct sim_machine *m, uint64_t cycle);
uint64_t sim_cycle_of(const struct sim_machine *m, double ns); /* rounded up */
double sim_clock_mhz(const struct sim_machine *m);
/* From the present cycle on the SMs run at mhz (throttling). */
void sim_set_clock(struct sim_machine *m, double mhz);

/* --- memory ----------------------------------------------------------------------------------- */

/* Zeroed memory at a device address: 512 B aligned below 2 MiB, else 2 MiB aligned. AY_NOMEM when
 * the chip's memory is used up. */
enum ay_status sim_allocate(struct sim_machine *m, uint64_t bytes, uint64_t *va,
                         struct ay_error *err) AY_CHECKED;
/* Host memory as kernels see it, at *va. Kernels' stores to it become visible to the host
 * link.flag_ns later: see sim_settle. host stays the caller's. */
enum ay_status sim_map_host(struct sim_machine *m, void *host, uint64_t bytes, uint64_t *va,
                            struct ay_error *err) AY_CHECKED;
/* Memory of another machine (peer_latency_ns, peer_bytes_per_s). peer_va is peer's address. */
enum ay_status sim_map_peer(struct sim_machine *m, struct sim_machine *peer, uint64_t peer_va,
                            uint64_t bytes, uint64_t *va, struct ay_error *err) AY_CHECKED;
/* Frees or unmaps what begins at va; false: nothing does. */
bool sim_release(struct sim_machine *m, uint64_t va);
/* Begin and length of the allocation that holds va; false: none does. */
bool sim_find(const struct sim_machine *m, uint64_t va, uint64_t *begin, uint64_t *bytes);
/* Where [va, va + bytes) lies in this process; NULL: not inside one allocation. */
void *sim_host_pointer(const struct sim_machine *m, uint64_t va, uint64_t bytes);
uint64_t sim_total_bytes(const struct sim_machine *m);
uint64_t sim_free_bytes(const struct sim_machine *m);

/* Virtual memory apart from physical: caches go by physical lines, TLBs by virtual pages. */
uint64_t sim_vmm_granularity(const struct sim_machine *m);
enum ay_status sim_vmm_create(struct sim_machine *m, uint64_t bytes, uint64_t *handle,
                              struct ay_error *err) AY_CHECKED;
bool sim_vmm_release(struct sim_machine *m, uint64_t handle);
enum ay_status sim_vmm_reserve(struct sim_machine *m, uint64_t bytes, uint64_t *va,
                               struct ay_error *err) AY_CHECKED;
enum ay_status sim_vmm_map(struct sim_machine *m, uint64_t va, uint64_t bytes, uint64_t handle,
                           uint64_t offset, struct ay_error *err) AY_CHECKED;
bool sim_vmm_unmap(struct sim_machine *m, uint64_t va, uint64_t bytes);
bool sim_vmm_unreserve(struct sim_machine *m, uint64_t va, uint64_t bytes);

/* What a copy or memset by the driver does to the caches: lines of [va, va + bytes) leave L2 (a
 * copy into memory) or stay as they are (a copy out of it). */
void sim_copied(struct sim_machine *m, uint64_t va, uint64_t bytes, bool is_write);
/* Makes stores to host memory visible that have arrived by device time ns. */
void sim_settle(struct sim_machine *m, double ns);
/* Device time at which the last store still under way to host memory arrives; 0: none is. */
double sim_next_arrival_ns(const struct sim_machine *m);

/* --- modules ---------------------------------------------------------------------------------- */

/* Places the module's .global and .const variables in device memory and initialises them. The
 * module is borrowed until unload. sim_symbol: a .const variable's va is where its bytes lie. */
struct sim_image;
enum ay_status sim_load(struct sim_machine *m, const struct sim_module *module,
                        struct sim_image **out, struct ay_error *err) AY_CHECKED;
void sim_unload(struct sim_machine *m, struct sim_image *image);
bool sim_symbol(const struct sim_image *image, const char *name, uint64_t *va, uint64_t *bytes);
const struct sim_module *sim_image_module(const struct sim_image *image);

/* --- launches --------------------------------------------------------------------------------- */

enum sim_fault {
    SIM_FINE = 0,
    SIM_NOT_SIMULATED,   /* an opcode of the kernel is not: "opcode X at FILE:LINE is not …" */
    SIM_BAD_SHAPE,       /* CUDA_ERROR_INVALID_VALUE */
    SIM_NO_RESOURCES,    /* CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES */
    SIM_TOO_LARGE,       /* CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE */
    SIM_BAD_CLUSTER,     /* CUDA_ERROR_INVALID_CLUSTER_SIZE */
    SIM_ILLEGAL_ADDRESS, /* CUDA_ERROR_ILLEGAL_ADDRESS; with it all below are sticky */
    SIM_MISALIGNED,      /* CUDA_ERROR_MISALIGNED_ADDRESS */
    SIM_TRAPPED,         /* CUDA_ERROR_LAUNCH_FAILED */
    SIM_BAD_INSTRUCTION, /* CUDA_ERROR_ILLEGAL_INSTRUCTION */
    SIM_DEADLOCK,        /* no warp can ever go on; the text says who waits for what */
    SIM_TIMEOUT,         /* watchdog: CUDA_ERROR_LAUNCH_TIMEOUT */
};

struct sim_launch_config {
    const struct sim_image *image;
    const struct sim_kernel *kernel; /* of the image's module: sim_find_kernel */
    uint32_t grid[3], block[3];    /* all >= 1 */
    uint32_t cluster[3];           /* 0 0 0: the kernel's own .reqnctapercluster, or none */
    uint32_t dynamic_shared_bytes;
    int carveout_percent;          /* -1: the chip's default */
    bool is_cooperative;
    const void *params;            /* the parameter block laid out as PTX lays it out; copied */
    size_t params_bytes;
    uint64_t start_cycle;          /* not before this device cycle: the first instruction */
    double cta_interval_ns;        /* at least this long between two CTAs starts (launch.cta_ns) */
    const struct sim_launch *after; /* griddepcontrol.wait: until this one is done; may be NULL */
};

/* What happened in one launch. Sectors are l?_sector_bytes. Sums: hits + misses = accesses. */
struct sim_counters {
    uint64_t warp_instructions;
    uint64_t class_issues[AY_N_ALU_CLASSES]; /* of them, by enum ay_alu_class */
    uint64_t global_requests;      /* warp-level global and local loads, stores, atomics */
    uint64_t l1_sectors, l1_hits, l1_misses, l1_bypasses; /* of loads */
    uint64_t l2_sectors, l2_hits, l2_misses, l2_near, l2_far, l2_writes, l2_copies;
    uint64_t dram_sectors, dram_reads, dram_writes, dram_row_hits, dram_row_misses;
    uint64_t tlb_hits[4], tlb_misses[4]; /* level 1 … */
    uint64_t const_hits[3], const_misses[3], icache_hits, icache_misses;
    uint64_t shared_requests, shared_wavefronts, shared_conflicts; /* extra wavefronts */
    uint64_t local_requests, host_requests, peer_requests;
    uint64_t atomics_shared, atomics_global;
    uint64_t branches, divergent_branches, barriers, ctas, warps;
    uint64_t flops[8];             /* 0: fp32, 1: fp64, 2: fp16, 3: tensor; at the end */
    uint64_t tensor_power;         /* tensor FLOP x power_data ratio of the operands x 1000 */
    uint64_t async_copies, async_bytes;
};

struct sim_result {
    enum sim_fault fault;
    char text[480];                /* one line; empty when fine */
    uint64_t first_cycle, end_cycle; /* first instruction; all stores done */
    uint64_t trigger_cycle; /* every CTA has issued launch_dependents or left; 0: not yet */
    struct sim_counters counters;
};

struct sim_launch;
/* Queues a launch; *out is valid until sim_forget. Refusals (not simulated, shape, resources) give
 * AY_OK and a launch that is done with that fault: sim_done at once. Several launches may be under
 * way together; CTAs of earlier ones go first. */
enum ay_status sim_start(struct sim_machine *m, const struct sim_launch_config *config,
                         struct sim_launch **out, struct ay_error *err) AY_CHECKED;
/* Carries the machine to `until` (SIM_FOREVER: until nothing is left to do). Stops early when
 * `only` (may be NULL) is done; SIM_ANY: when any launch ends that was not done at the call, so
 * that what waits for it in a stream can begin. sim_cycle is then that launch's end_cycle, or a
 * little later. Device faults are in the launch's result, not in the status. */
#define SIM_ANY ((const struct sim_launch *)(uintptr_t)1)
enum ay_status sim_run(struct sim_machine *m, uint64_t until, const struct sim_launch *only,
                       struct ay_error *err) AY_CHECKED;
bool sim_done(const struct sim_launch *l);
bool sim_started(const struct sim_launch *l, uint64_t *first_cycle);
const struct sim_result *sim_result(const struct sim_launch *l); /* counters live while running */
void sim_forget(struct sim_machine *m, struct sim_launch *l);    /* one still running is killed */
/* Start, run to the end, forget. */
enum ay_status sim_launch(struct sim_machine *m, const struct sim_launch_config *config,
                          struct sim_result *out, struct ay_error *err) AY_CHECKED;

/* Resident CTAs an SM, from registers, shared memory, threads and limits; 0: does not fit. */
uint32_t sim_occupancy(const struct sim_machine *m, const struct sim_launch_config *config);
/* Clusters of config->cluster that fit on the whole chip at once. */
uint32_t sim_max_clusters(const struct sim_machine *m, const struct sim_launch_config *config);

/* Watchdogs: simulated cycles of one launch (0: none), seconds of real time of one sim_run. */
void sim_set_watchdog(struct sim_machine *m, uint64_t cycles, double real_seconds);

#endif
