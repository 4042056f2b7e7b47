/* bench.h - everything a probe may do to a device, and nothing else.
 *
 * The runner owns every byte, stream, event and graph handed out here and takes it all back when
 * run() returns, however it returns: a probe has no cleanup path. A call that this device cannot do
 * returns AY_SKIP and says so. Device addresses are plain numbers; sizes and counts are 64 bit. */
#ifndef AY_BENCH_H
#define AY_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/launch.h"
#include "core/probe.h"

/* --- facts about the device; what the driver *claims* is called so ---------------------------- */

struct ay_facts {
    int sm_arch;               /* 90 for sm_90a; 0 on the host */
    uint32_t n_sms;            /* multiprocessors that a launch is dealt to */
    uint32_t max_threads_per_cta, warp_lanes;
    uint64_t free_bytes, total_bytes;
    uint64_t claimed_l2_bytes; /* 0: unknown. May be a lie: start from it, never report it */
    uint64_t max_shared_bytes_per_cta; /* opt-in limit */
    uint64_t shared_bytes_per_sm;
    double claimed_sm_clock_mhz, claimed_mem_clock_mhz; /* 0: unknown */
};
const struct ay_facts *ay_device_facts(const struct ay_bench *b);
struct ay_random *ay_bench_random(struct ay_bench *b); /* seeded by the run's recorded seed */
/* A number for a kernel to give back: a result that lacks it is not this launch's. Never 0. */
uint64_t ay_nonce(struct ay_bench *b);
bool ay_is_quick(const struct ay_bench *b);            /* --quick: thin what is swept inside run */

/* --- memory ----------------------------------------------------------------------------------- */

typedef uint64_t ay_addr; /* an address on the device under test */

/* Zeroed device memory, aligned to at least 512 bytes. */
enum ay_status ay_scratch(struct ay_bench *b, uint64_t bytes, ay_addr *out,
                          struct ay_error *err) AY_CHECKED;
/* The same, not zeroed: for footprints of which little is touched. */
enum ay_status ay_reserve(struct ay_bench *b, uint64_t bytes, ay_addr *out,
                          struct ay_error *err) AY_CHECKED;
enum ay_status ay_write(struct ay_bench *b, ay_addr to, const void *from, uint64_t bytes,
                        struct ay_error *err) AY_CHECKED;
enum ay_status ay_read(struct ay_bench *b, void *to, ay_addr from, uint64_t bytes,
                       struct ay_error *err) AY_CHECKED;
enum ay_status ay_fill(struct ay_bench *b, ay_addr to, uint8_t byte, uint64_t bytes,
                       struct ay_error *err) AY_CHECKED;
/* Host memory that lives as long as this run() and is zeroed. */
enum ay_status ay_host_scratch(struct ay_bench *b, uint64_t bytes, void **out,
                               struct ay_error *err) AY_CHECKED;

enum ay_pinned_kind { AY_PINNED, AY_PINNED_WC, AY_PINNED_REGISTERED };
struct ay_pinned {
    void *host;
    ay_addr device; /* the same memory as kernels see it */
};
enum ay_status ay_pinned(struct ay_bench *b, uint64_t bytes, enum ay_pinned_kind kind,
                         struct ay_pinned *out, struct ay_error *err) AY_CHECKED;

/* --- rings of pointers (core/ring.c) ---------------------------------------------------------- */

/* A cycle in random order over n_nodes addresses base + offsets[i]; each node holds the device
 * address of its successor, in 8 bytes. offsets NULL: node i at i * stride_bytes. order (may be
 * NULL; n_nodes long) receives the nodes' indices in walking order: k steps after order[0] a walk
 * stands on order[k % n_nodes]. Steps that follow each other never share a DRAM row by accident. */
enum ay_status ay_write_ring(struct ay_bench *b, ay_addr base, uint64_t n_nodes,
                             uint64_t stride_bytes, const uint64_t *offsets, uint64_t *order,
                             struct ay_error *err) AY_CHECKED;
/* The same in a given order: node order[i] points to node order[(i + 1) % n_nodes]. */
enum ay_status ay_write_chain(struct ay_bench *b, ay_addr base, uint64_t n_nodes,
                              const uint64_t *offsets, const uint64_t *order,
                              struct ay_error *err) AY_CHECKED;

/* --- launches --------------------------------------------------------------------------------- */

struct ay_stream;
struct ay_event;
struct ay_graph;

struct ay_launch {
    const struct ay_kernel *kernel;
    uint32_t n_ctas, n_threads;    /* 0: 1 */
    uint32_t cluster_ctas;         /* 0: no cluster attribute */
    uint32_t shared_bytes;         /* dynamic */
    int carveout_percent; /* 0: the driver's default; 1 … 100: preferred shared carve-out */
    bool is_cooperative, is_pdl;   /* PDL: programmatic dependent launch */
    bool is_on_sm;                 /* run on `sm` alone: args begin with a struct ay_place, which
                                    * the bench fills (launch.h); n_ctas is then not looked at */
    uint32_t sm;
    const void *args;              /* the kernel's one parameter, a struct */
    uint64_t args_bytes;
    struct ay_stream *stream;      /* NULL: launch and wait until it is done */
};
enum ay_status ay_launch(struct ay_bench *b, const struct ay_launch *l,
                         struct ay_error *err) AY_CHECKED;
/* Resident CTAs an SM, and clusters on the device, as the API says. */
enum ay_status ay_occupancy(struct ay_bench *b, const struct ay_launch *l, uint32_t *ctas_per_sm,
                            struct ay_error *err) AY_CHECKED;
enum ay_status ay_max_clusters(struct ay_bench *b, const struct ay_launch *l, uint32_t *n_clusters,
                               struct ay_error *err) AY_CHECKED;
/* A zeroed counter for ay_start_together() of kernel.cuh: CTAs wait there for each other. */
enum ay_status ay_start_line(struct ay_bench *b, ay_addr *out, struct ay_error *err) AY_CHECKED;
/* One 8-byte slot a step, zeroed, for kernels that log each step. */
enum ay_status ay_trace(struct ay_bench *b, uint64_t n_steps, ay_addr *out,
                        struct ay_error *err) AY_CHECKED;

/* --- the state of the memory hierarchy -------------------------------------------------------- */

/* Reads enough other memory, from every SM but `but_sm` (AY_ANY: all), that L2 holds nothing older.
 * How much is enough is found by measuring, once a worker. */
enum ay_status ay_evict_l2(struct ay_bench *b, int but_sm, struct ay_error *err) AY_CHECKED;
/* How much that is: between two and a few times what L2 keeps. */
enum ay_status ay_evict_bytes(struct ay_bench *b, uint64_t *bytes, struct ay_error *err) AY_CHECKED;
/* Reads one word every step_bytes of [at, at + bytes) from `sm` with .cg: brings lines into L2 and
 * pages into that SM's TLB. */
enum ay_status ay_touch(struct ay_bench *b, ay_addr at, uint64_t bytes, uint64_t step_bytes,
                        uint32_t sm, struct ay_error *err) AY_CHECKED;
enum ay_limit { AY_LIMIT_PERSISTING_L2, AY_LIMIT_L2_FETCH_GRANULARITY, AY_LIMIT_STACK };
enum ay_status ay_set_limit(struct ay_bench *b, enum ay_limit limit, uint64_t value,
                            struct ay_error *err) AY_CHECKED;
enum ay_status ay_access_window(struct ay_bench *b, struct ay_stream *s, ay_addr base,
                                uint64_t bytes, double hit_ratio, struct ay_error *err) AY_CHECKED;

/* SM clock of the last launch's minute, from %clock64 against %globaltimer; 0: not known. */
enum ay_status ay_sm_clock(struct ay_bench *b, double *mhz, struct ay_error *err) AY_CHECKED;

/* --- virtual memory --------------------------------------------------------------------------- */

struct ay_vmm;
enum ay_status ay_vmm_granularity(struct ay_bench *b, uint64_t *bytes,
                                  struct ay_error *err) AY_CHECKED;
enum ay_status ay_vmm_create(struct ay_bench *b, uint64_t bytes, struct ay_vmm **out,
                             struct ay_error *err) AY_CHECKED;
/* n mappings of the same memory at consecutive addresses from *out on. */
enum ay_status ay_vmm_alias(struct ay_bench *b, struct ay_vmm *memory, uint64_t n_maps,
                            ay_addr *out, struct ay_error *err) AY_CHECKED;

/* --- streams, events, copies, graphs ---------------------------------------------------------- */

enum ay_status ay_stream(struct ay_bench *b, struct ay_stream **out,
                         struct ay_error *err) AY_CHECKED;
enum ay_status ay_stream_wait(struct ay_bench *b, struct ay_stream *s,
                              struct ay_error *err) AY_CHECKED;
enum ay_status ay_event(struct ay_bench *b, struct ay_event **out, struct ay_error *err) AY_CHECKED;
enum ay_status ay_record(struct ay_bench *b, struct ay_event *e, struct ay_stream *s,
                         struct ay_error *err) AY_CHECKED;
enum ay_status ay_event_done(struct ay_bench *b, struct ay_event *e, bool *is_done,
                             struct ay_error *err) AY_CHECKED;
enum ay_status ay_elapsed_ns(struct ay_bench *b, struct ay_event *from, struct ay_event *to,
                             double *ns, struct ay_error *err) AY_CHECKED;
enum ay_status ay_stream_after(struct ay_bench *b, struct ay_stream *s, struct ay_event *e,
                               struct ay_error *err) AY_CHECKED;

enum ay_direction { AY_H2D, AY_D2H, AY_D2D };
/* from and to are device addresses or host pointers as the direction says; asynchronous. */
enum ay_status ay_copy(struct ay_bench *b, enum ay_direction way, uint64_t to, uint64_t from,
                       uint64_t bytes, struct ay_stream *s, struct ay_error *err) AY_CHECKED;
enum ay_status ay_stream_write(struct ay_bench *b, struct ay_stream *s, ay_addr at, uint32_t value,
                               struct ay_error *err) AY_CHECKED;
enum ay_status ay_stream_until(struct ay_bench *b, struct ay_stream *s, ay_addr at, uint32_t value,
                               struct ay_error *err) AY_CHECKED; /* waits until *at >= value */

/* Holds a stream until the host opens it, so that submission is never inside a timed window. At
 * most AY_LATCH_OPS operations may be queued behind it; it gives up by itself after timeout_ns. */
enum { AY_LATCH_OPS = 512 };
struct ay_latch;
enum ay_status ay_latch(struct ay_bench *b, struct ay_stream *s, uint64_t timeout_ns,
                        struct ay_latch **out, struct ay_error *err) AY_CHECKED;
enum ay_status ay_open_latch(struct ay_bench *b, struct ay_latch *l,
                             struct ay_error *err) AY_CHECKED;

/* Two words in pinned memory, one written by each side. */
struct ay_flags {
    volatile uint32_t *to_device, *to_host; /* as the host sees them */
    ay_addr device_reads, device_writes;    /* as kernels see them */
};
enum ay_status ay_flags(struct ay_bench *b, struct ay_flags *out, struct ay_error *err) AY_CHECKED;
/* Host waits until *flag >= value, at most timeout_ns; AY_DEVICE `timeout` otherwise. */
enum ay_status ay_wait_flag(struct ay_bench *b, volatile uint32_t *flag, uint32_t value,
                            uint64_t timeout_ns, struct ay_error *err) AY_CHECKED;

/* %globaltimer = host_ns + offset_ns, within ± error_ns (half the best round trip). */
struct ay_correlation {
    double offset_ns, error_ns;
};
enum ay_status ay_correlate(struct ay_bench *b, struct ay_correlation *out,
                            struct ay_error *err) AY_CHECKED;

enum ay_node { AY_NODE_KERNEL, AY_NODE_COPY, AY_NODE_EMPTY };
enum ay_status ay_graph(struct ay_bench *b, struct ay_graph **out, struct ay_error *err) AY_CHECKED;
/* after < 0: no dependency; else the number of an earlier node. Nodes count from 0. */
enum ay_status ay_graph_add(struct ay_bench *b, struct ay_graph *g, enum ay_node kind,
                            const struct ay_launch *launch, int64_t after,
                            struct ay_error *err) AY_CHECKED;
enum ay_status ay_graph_ready(struct ay_bench *b, struct ay_graph *g, bool is_device_launch,
                              struct ay_error *err) AY_CHECKED;  /* instantiate */
enum ay_status ay_graph_upload(struct ay_bench *b, struct ay_graph *g, struct ay_stream *s,
                               struct ay_error *err) AY_CHECKED;
enum ay_status ay_graph_launch(struct ay_bench *b, struct ay_graph *g, struct ay_stream *s,
                               struct ay_error *err) AY_CHECKED;
enum ay_status ay_graph_update(struct ay_bench *b, struct ay_graph *g, struct ay_graph *like,
                               struct ay_error *err) AY_CHECKED;

/* --- peers, time ------------------------------------------------------------------------------ */

enum ay_status ay_peer_count(struct ay_bench *b, uint32_t *n, struct ay_error *err) AY_CHECKED;
/* Memory of peer `peer` (0 …), mapped for this device; AY_SKIP carries the driver's reason. */
enum ay_status ay_peer_scratch(struct ay_bench *b, uint32_t peer, uint64_t bytes, ay_addr *out,
                               struct ay_error *err) AY_CHECKED;
enum ay_status ay_peer_copy(struct ay_bench *b, uint32_t to_peer, ay_addr to, uint32_t from_peer,
                            ay_addr from, uint64_t bytes, struct ay_stream *s,
                            struct ay_error *err) AY_CHECKED; /* AY_SELF: the device under test */
enum { AY_SELF = 0xffffffffu };

uint64_t ay_now_ns(struct ay_bench *b); /* the host clock: CLOCK_MONOTONIC_RAW, or virtual */
void ay_sleep_ns(struct ay_bench *b, uint64_t ns);

#endif
