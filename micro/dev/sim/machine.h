/* machine.h - the simulated machine from inside: what memory.h, warps and scheduler share. */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "core/chip.h"
#include "dev/sim/cache.h"
#include "dev/sim/engine.h"
#include "dev/sim/program.h"
#include "dev/sim/slots.h"
#include "dev/sim/tlb.h"

#define SIM_NEVER UINT64_MAX
#define SIM_LOCAL_PHYSICAL 0x0000600000000000ull /* where local memory lies for L2 */

enum {
    SIM_LANES = 32,
    SIM_CALL_DEPTH = 8,
    SIM_NAMED_BARRIERS = 16,
    /* What an operation waits for at issue: nothing, the LSU's queue, a pipe (the chip's, then one
     * for each warp operation), or the first free of a set of pipes. */
    SIM_RESOURCE_NONE = 0,
    SIM_RESOURCE_LSU = 1,
    SIM_RESOURCE_PIPE = 2,
    SIM_RESOURCE_WARP = SIM_RESOURCE_PIPE + AY_MAX_PIPES, /* + enum ay_warp_op */
    SIM_RESOURCE_SET = SIM_RESOURCE_WARP + AY_N_WARP_OPS, /* + number of the set */
    SIM_MAX_SETS = AY_N_ALU_CLASSES,
    SIM_RESOURCES = SIM_RESOURCE_SET + SIM_MAX_SETS,
    SIM_MAX_SLOTS = 32,    /* warps of one SMSP */
    SIM_REGION_HINTS = 64,
    SIM_LSU_QUEUE_CYCLES = 128, /* how far an SM's LSU may lag before issue to it stops */
    SIM_STORE_QUEUE = 1024,    /* sectors an SM may have on their way into L2 */
    SIM_L1_HINTS = 2048,       /* of an SM: where in L1 a line was seen last */
    SIM_INSTRUCTIONS_BETWEEN_LOOKS = 1 << 18, /* at the watchdog */
    SIM_LSU_SHIFT = 20,        /* LSU times are fixed point: rates need not divide */
};

/* --- memory ----------------------------------------------------------------------------------- */

enum sim_region_kind { SIM_REGION_DEVICE, SIM_REGION_HOST, SIM_REGION_PEER };

/* A mapped range of device addresses. */
struct sim_region {
    uint64_t va, end, physical; /* device memory: physical address of va */
    uint8_t *host;              /* where va lies in this process */
    enum sim_region_kind kind;
    uint64_t mapped_bytes; /* of the mmap behind it; 0: not owned */
    uint64_t handle;       /* of sim_vmm_create; 0: none */
};

struct sim_store { /* one under way to host memory */
    double arrival_ns;
    uint8_t *host;
    uint8_t bytes, data[16];
};

struct sim_map {
    struct sim_region **regions; /* sorted by va */
    uint32_t n, capacity;
    const struct sim_region *hints[SIM_REGION_HINTS];
    uint64_t used_bytes, total_bytes, next_physical;
    struct sim_vmm {
        uint64_t handle, bytes, physical;
        uint8_t *host;
        uint32_t n_maps;
        bool is_released;
    } *vmms;
    uint32_t n_vmms;
    uint64_t next_handle;
    struct sim_reservation {
        uint64_t va, bytes;
    } *reservations;
    uint32_t n_reservations;
    struct sim_store *stores;
    uint32_t n_stores, stores_capacity;
};

struct sim_l2_slice {
    struct sim_tags tags;
    struct sim_port port, atomics;
    uint32_t partition;
};

struct sim_channel {
    struct sim_port port;
    uint64_t open_row;
    double write_share; /* of the newest traffic: what the turn-arounds cost */
};

/* --- warps ------------------------------------------------------------------------------------ */

enum sim_wait { SIM_RUNS = 0, SIM_AT_BARRIER, SIM_AT_WARP, SIM_AT_CLUSTER, SIM_AT_EVENT };

/* Lanes of a warp that are at the same place. */
struct sim_split {
    uint64_t ready;    /* not before this cycle */
    uint32_t mask, pc;
    uint8_t wait, depth;
    uint16_t barrier;  /* where it waits */
    uint32_t spins;    /* backward branches while others were pending */
    uint32_t back[SIM_CALL_DEPTH];
};

struct sim_warp_state {
    uint32_t (*rows)[SIM_LANES];
    uint32_t *preds;
    uint64_t *ready; /* by scoreboard number */
    const struct sim_uop *uops;
    const struct sim_static *statics;
    const uint16_t *lists;
    uint64_t next; /* earliest issue of the whole warp */
    struct sim_smsp *smsp;
    struct sim_cta *cta;
    uint32_t number, slot; /* in the CTA; in the SMSP's lists */
    uint32_t warp_id;      /* %warpid */
    uint32_t alive, born;  /* lanes */
    uint32_t n_splits, current, boost;
    uint32_t cbar_phase[SIM_LANES]; /* cluster phase in which each lane arrived */
    uint64_t code_address, fetched; /* of its kernel; instruction line last fetched */
    uint64_t store_until;  /* last store on its way */
    uint64_t poll_va, poll_value; /* of the newest acquiring load */
    uint32_t n_stores;     /* since the last fence */
    uint8_t *local;        /* local memory, word by word and lane by lane */
    uint64_t local_line;   /* its place among local addresses */
    void *async;           /* of generic operations: copies, matrix units */
    size_t memory_bytes;   /* of the block behind rows */
    struct sim_warp_state *next_free;
    struct sim_split splits[SIM_LANES];
};

struct sim_barrier_state {
    uint32_t arrived, expected; /* threads; 0 expected: all of the CTA */
    uint32_t n_warps;           /* warps that take part, for the cost */
    uint64_t last;              /* newest arrival */
    uint32_t votes_and, votes_or, popc; /* of bar.red */
};

struct sim_cta {
    struct sim_launch *launch;
    struct sim_sm *sm;
    struct sim_cluster *cluster;
    uint8_t *shared;
    uint32_t shared_bytes, ctaid[3], rank;
    uint32_t n_warps, n_live_warps, n_live_threads;
    struct sim_warp_state **warps;
    struct sim_barrier_state barriers[SIM_NAMED_BARRIERS];
    uint64_t shared_alloc, registers;
    uint32_t resident_index; /* in the SM's list */
    bool has_triggered;      /* has issued launch_dependents */
};

struct sim_cluster {
    struct sim_cta *ctas[16];
    uint32_t n_ctas, n_live_ctas;
    uint32_t n_live, arrived; /* threads */
    uint32_t phase;
    uint64_t last, opened; /* newest arrival; when the barrier opened last */
    bool is_release;
};

/* --- processors ------------------------------------------------------------------------------- */

struct sim_smsp {
    uint64_t key[SIM_MAX_SLOTS]; /* earliest issue of each warp, resources apart */
    uint8_t resource[SIM_MAX_SLOTS]; /* that its next operation needs */
    struct sim_warp_state *warp[SIM_MAX_SLOTS];
    uint32_t n, number, heap_at; /* heap_at: place in the heap + 1, 0 outside */
    uint64_t issue_free, heap_key;
    uint64_t free_at[SIM_RESOURCES];
    struct sim_sm *sm;
    struct sim_tags icache;
};

struct sim_sm {
    struct sim_smsp *smsps;
    uint32_t number, partition;
    struct sim_tags l1, const1, const2, icache2;
    struct sim_tlb *tlbs[2];
    struct sim_port noc, dsmem;
    uint64_t lsu_free;           /* fixed point */
    uint64_t free_at[SIM_RESOURCES]; /* of pipes that all SMSPs share */
    uint64_t *stores;            /* ring: when the newest sectors got into L2 */
    uint32_t store_at;
    uint64_t skew;
    uint32_t l1_hints[SIM_L1_HINTS]; /* by line: index in l1, to be checked against the tag */
    struct sim_bulk *bulk;
    uint32_t used_warps;
    uint64_t used_registers, used_shared;
    struct sim_cta **ctas;
    uint32_t n_ctas;
    uint64_t warp_ids[4];        /* bit n: %warpid n is taken */
};

/* Facts of an operation on this chip. */
struct sim_static {
    uint32_t latency, busy;
    uint8_t resource;
    bool is_ordered; /* touches what other SMSPs touch: runs in order of time */
    bool waits_for_writes; /* variable latency: its destinations must be ready */
    bool is_sm_wide;       /* its pipes are the SM's */
    bool is_warp;          /* needs named lanes together */
    bool is_simple_load;   /* of one register of 4 or 8 bytes from .global, by a 64-bit address */
    bool is_l1_load;       /* a simple load that looks into L1; `latency` is that of a hit */
};

struct sim_code { /* a kernel on this machine */
    const struct sim_kernel *kernel;
    struct sim_static *statics;
    uint64_t address; /* of its first instruction, for the instruction caches */
};

struct sim_image {
    const struct sim_module *module;
    struct sim_code *codes;
    uint64_t global_va, const_va;
    uint8_t *const_host;
    struct sim_image *next;
};

struct sim_launch {
    struct sim_launch_config config;
    const struct sim_code *code;
    uint8_t *params;
    struct sim_result result;
    uint64_t id, n_ctas, next_cta, live_ctas, start_cycle, stop_cycle, n_triggered;
    double start_ns;
    uint32_t cluster_ctas, cluster[3];
    bool is_done, has_started, is_cluster;
    double noise; /* factor of memory latencies in this launch; 1 without */
    uint64_t workspace; /* address that %envreg1 and 2 hold */
    struct sim_launch *next;
};

struct sim_machine {
    const struct ay_chip *chip;
    struct sim_map space;
    struct sim_sm *sms;
    struct sim_smsp *smsps;
    uint32_t n_sms, n_smsps_per_sm;

    /* time: cycle c is clock_ns + (c - clock_cycle) * ns_per_cycle */
    uint64_t cycle, clock_cycle;
    bool is_warm;
    double clock_ns, ns_per_cycle, mhz;

    /* the memory hierarchy */
    struct sim_l2_slice *slices;
    struct sim_channel *channels;
    struct sim_divider slice_div, channel_div, row_div;
    struct sim_tlb *tlbs[2];
    uint32_t n_tlbs[2];
    struct sim_port host_port, peer_port;
    uint32_t l1_shift, l1_sector_shift, l2_shift, l2_sector_shift;
    uint32_t l1_line_sectors, l2_line_sectors, l2_fill_sectors;
    uint64_t dram_cycles, dram_hit_cycles, host_cycles, peer_cycles;
    uint32_t lsu_tag_cost, lsu_byte_cost; /* fixed point cycles a line, a byte */
    uint32_t sets[SIM_MAX_SETS], n_sets; /* sets of pipes, as alu_pipes[class] */
    uint32_t shared_pipes;               /* pipes that all SMSPs of an SM share */
    uint32_t icache_shift;

    /* the scheduler */
    struct sim_smsp **heap;
    uint32_t n_heap;
    uint64_t limit; /* an ordered operation after this cycle must wait for others */
    struct sim_launch *launches; /* in order of their start */
    struct sim_image *images;
    struct sim_warp_state *free_warps;
    uint64_t next_launch_id, next_code_address;
    uint64_t workspace; /* what %envreg1 and 2 hold in a cooperative launch */
    uint64_t watchdog_cycles, until;
    double watchdog_seconds, deadline;
    uint64_t random;
    struct sim_launch *faulty;  /* a launch that has just faulted, to be taken down */
    struct sim_smsp *issuing;
    uint64_t fault_cycle, n_issued, n_ended, last_end, max_end;
};

/* One operation being issued. */
struct sim_op {
    struct sim_machine *m;
    struct sim_sm *sm;
    struct sim_smsp *smsp;
    struct sim_warp_state *w;
    struct sim_split *s;
    const struct sim_uop *u;
    const struct sim_static *st;
    struct sim_counters *count;
    uint64_t t;
    uint64_t key;  /* when it could have issued but for the port */
    uint32_t mask; /* lanes that execute it */
    bool is_gone;  /* the warp has ended with it */
};

static inline uint64_t sim_max(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* --- machine.c */
void sim_warm_up(struct sim_machine *m, uint64_t now);
uint64_t sim_cycles(const struct sim_machine *m, double ns); /* a span, rounded up */
uint64_t sim_draw(struct sim_machine *m);

/* --- space.c */
const struct sim_region *sim_region_find(const struct sim_map *s, uint64_t va);
enum ay_status sim_region_add(struct sim_map *s, const struct sim_region *r,
                              struct ay_error *err) AY_CHECKED;
struct sim_region *sim_region_at(const struct sim_map *s, uint64_t va); /* begins there */
void sim_region_drop(struct sim_map *s, struct sim_region *r);
bool sim_place_va(const struct sim_map *s, uint64_t bytes, bool is_host, uint64_t *va);
void sim_space_close(struct sim_map *s);
/* The region that holds [va, va + bytes), or NULL. */
static inline const struct sim_region *sim_region(struct sim_map *s, uint64_t va, uint64_t bytes)
{
    const struct sim_region **hint = &s->hints[va >> 21 & (SIM_REGION_HINTS - 1)];
    const struct sim_region *r = *hint;
    if (__builtin_expect(!r || va < r->va || va + bytes > r->end || va + bytes < va, 0)) {
        r = sim_region_find(s, va);
        if (!r || va + bytes > r->end || va + bytes < va) return NULL;
        *hint = r;
    }
    return r;
}

/* --- host_store.c */
void sim_store_to_host(struct sim_machine *m, uint64_t t, uint8_t *host, const void *data,
                       uint32_t bytes);
/* What the device sees of host memory: its own stores too. */
void sim_settle_range(struct sim_machine *m, const uint8_t *host, uint32_t bytes);

/* --- dram.c: when the wanted sectors pass, which come first, and how long a read takes */
bool sim_dram_open(struct sim_machine *m);
void sim_dram_close(struct sim_machine *m);
void sim_dram_rates(struct sim_machine *m);
uint64_t sim_dram(struct sim_machine *m, struct sim_counters *count, uint64_t t, uint64_t physical,
                  uint32_t n_sectors, uint32_t n_wanted, bool is_write, uint64_t *latency);

/* --- l2.c */
bool sim_l2_open(struct sim_machine *m);
void sim_l2_close(struct sim_machine *m);
struct sim_request;
uint32_t sim_l2_home(const struct sim_machine *m, uint64_t line);
uint32_t sim_l2_set(const struct sim_machine *m, uint64_t line);
/* Sectors of one L2 line (physical) read by an SM from cycle t on: when the last has come. */
uint64_t sim_l2_read(const struct sim_op *o, uint64_t t, uint64_t line, uint32_t sectors,
                     uint32_t fill_sectors);
/* When the sectors are in L2. */
uint64_t sim_l2_write(const struct sim_op *o, uint64_t t, uint64_t line, uint32_t sectors);
/* At the line's home: n_ops lanes' atomics, at most n_same of them on one address. */
uint64_t sim_l2_atomic(const struct sim_op *o, uint64_t t, uint64_t line, uint32_t sectors,
                       uint32_t n_ops, uint32_t n_same);
void sim_l2_forget(struct sim_machine *m, uint64_t physical, uint64_t bytes);

/* --- lsu.c: timing of vector memory operations. addr: of the lanes in mask, in device space. */
struct sim_access {
    const uint64_t *addr;
    uint32_t mask, bytes; /* lanes; bytes a lane */
};
uint64_t sim_time_load(const struct sim_op *o, const struct sim_access *a);
/* One lane's load of no more than a sector, from region r. */
uint64_t sim_time_load_one(const struct sim_op *o, uint64_t va, const struct sim_region *r);
void sim_time_store(const struct sim_op *o, const struct sim_access *a);
uint64_t sim_time_atomic(const struct sim_op *o, const struct sim_access *a);
void sim_time_prefetch(const struct sim_op *o, const struct sim_access *a);
uint64_t sim_time_local(const struct sim_op *o, const struct sim_access *a, bool is_store);
uint64_t sim_time_const(const struct sim_op *o, const struct sim_access *a);
bool sim_bypasses_l1(const struct sim_mem *mem);
uint64_t sim_l1_latency(const struct ay_chip *c, const struct sim_mem *mem);
uint64_t sim_translate(const struct sim_op *o, uint64_t va); /* cycles that TLB misses add */
uint64_t sim_noisy(const struct sim_op *o, uint64_t ready);

/* --- shared.c: when the data of a shared access has come; the port is taken */
uint64_t sim_time_shared(const struct sim_op *o, const uint64_t *offset, uint32_t mask,
                         uint32_t bytes);
uint64_t sim_time_shared_atomic(const struct sim_op *o, const uint64_t *offset, uint32_t mask,
                                uint32_t bytes);
/* The lanes whose address lies in another CTA of the cluster, and what their access costs. */
uint32_t sim_remote_lanes(const struct sim_op *o, const uint64_t *address, uint32_t mask);
uint64_t sim_time_remote(const struct sim_op *o, const uint64_t *address, uint32_t mask,
                         uint32_t bytes);

/* --- ldst.c, atom.c: memory operations, all of it */
void sim_exec_memory(struct sim_op *o);
void sim_exec_prefetch(struct sim_op *o);
/* Where lane's [address, + bytes) lies, or NULL after a fault. */
uint8_t *sim_lane_pointer(struct sim_op *o, uint8_t space, uint32_t lane, uint64_t address,
                          uint32_t bytes);
void sim_lane_addresses(const struct sim_op *o, uint64_t addr[SIM_LANES]);
void sim_exec_atomic(struct sim_op *o, uint8_t space, const uint64_t *addr, uint32_t mask);
/* Splits generic addresses by window: space of the first lane, its offset; lanes of that space. */
uint32_t sim_generic(const struct sim_op *o, uint64_t *addr, uint32_t mask, uint8_t *space);

/* --- chase.c: a load by the lane in mask, issued at t, that is_l1_load and hits, and those that
 * can follow it at once; false: nothing is done */
bool sim_try_chase(struct sim_machine *m, struct sim_warp_state *w, uint64_t t, uint32_t mask);

/* --- warpop.c, barrier.c, simt.c */
void sim_exec_warp(struct sim_op *o);
void sim_exec_barrier(struct sim_op *o);
void sim_exec_cluster_barrier(struct sim_op *o);
void sim_barrier_exit(struct sim_machine *m, struct sim_cta *cta, uint64_t t); /* threads left */
void sim_cluster_exit(struct sim_machine *m, struct sim_cluster *cluster, uint64_t t);
void sim_branch(struct sim_op *o, uint32_t taken, uint32_t target, uint32_t otherwise);
/* Chooses the split that runs next. */
void sim_resettle(struct sim_machine *m, struct sim_warp_state *w);
bool sim_warp_members_here(const struct sim_warp_state *w, const struct sim_split *s,
                           uint32_t members);

/* --- exec.c */
void sim_exec(struct sim_op *o);
void sim_fault_at(struct sim_op *o, enum sim_fault fault, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* --- sched.c */
void sim_rekey(struct sim_machine *m, struct sim_warp_state *w); /* after a change from outside */
void sim_add_warp(struct sim_machine *m, struct sim_smsp *p, struct sim_warp_state *w);
void sim_remove_warp(struct sim_machine *m, struct sim_warp_state *w);
/* Issues until nothing is left before m->until, a fault, or `only` is done. */
void sim_schedule(struct sim_machine *m, const struct sim_launch *only);
bool sim_is_enough(const struct sim_machine *m, const struct sim_launch *only, uint64_t n_before);

/* --- code.c */
bool sim_code_open(struct sim_machine *m, struct sim_code *code);
void sim_find_sets(struct sim_machine *m);

/* --- cta.c: CTAs and warps come and go */
struct sim_cta *sim_cta_new(struct sim_machine *m, struct sim_launch *l, struct sim_sm *sm,
                            uint64_t index, uint64_t t);
void sim_cta_free(struct sim_machine *m, struct sim_cta *cta);
void sim_warp_free(struct sim_machine *m, struct sim_warp_state *w);
void sim_fill_rows(const struct sim_machine *m, struct sim_warp_state *w);

/* --- launch.c */
void sim_dispatch(struct sim_machine *m, uint64_t now);
void sim_lanes_exit(struct sim_op *o); /* the lanes of o->mask leave */
void sim_launch_end(struct sim_machine *m, struct sim_launch *l, uint64_t t);
bool sim_start_due(struct sim_machine *m, uint64_t now); /* launches whose time has come */
uint64_t sim_next_start(const struct sim_machine *m);

/* --- occupancy.c */
struct sim_need {
    uint64_t registers, shared;
    uint32_t warps, shared_bytes; /* shared_bytes: static and dynamic, before rounding */
};
struct sim_need sim_cta_needs(const struct sim_machine *m, const struct sim_launch_config *c);
uint32_t sim_room_for(const struct sim_machine *m, const struct sim_sm *sm,
                      const struct sim_need *need); /* CTAs that fit beside what is there */

/* --- deadlock.c */
void sim_describe_deadlock(struct sim_machine *m, struct sim_launch *l);

/* --- generic.c: families that other modules execute */
bool sim_generic_is_known(const struct sim_kernel *k, const struct sim_uop *u);
void sim_exec_generic(struct sim_op *o);
void sim_generic_end_warp(struct sim_machine *m, struct sim_warp_state *w); /* frees w->async */

#endif
