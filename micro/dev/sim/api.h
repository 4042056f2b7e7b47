/* api.h - inside of the simulated driver: its objects, its time, its calls. */
#ifndef AY_SIM_API_H
#define AY_SIM_API_H

#include "core/stats.h"
#include "dev/sim/engine.h"
#include "dev/sim/program.h"
#include "dev/sim/sim.h"

enum {
    SIM_MAX_GPUS = 16,
    SIM_QUEUE_LIMIT = 1024, /* operations that a stream takes before the call blocks */
    SIM_CLOCK_READ_NS = 10, /* what a look at the host's clock costs */
    SIM_CALL_NS = 100,      /* any call that the chip does not price */
};
#define SIM_EPOCH_NS 1000000000000.0 /* what the host's clock said when the device's said 0 */
#define SIM_ENDLESS 1e300

/* --- objects ---------------------------------------------------------------------------------- */

struct sim_gpu {
    struct sim_machine *machine;
    struct ay_chip chip;
    int n_retained;
    bool has_launched;    /* since its context was made: the next launch is not cold */
    double last_busy_ns;  /* end of what ran last */
    /* power.c: what was seen when power was last looked at, and since when it is over or under the
     * limit. */
    double seen_ns, seen_joules, watts, over_since_ns, under_since_ns;
    bool is_throttled;
};

struct CUctx_st {
    int gpu;
};

struct CUmod_st {
    struct CUmod_st *next;
    struct sim_module *module;
    struct sim_image *image;
    struct CUfunc_st *functions;
    int gpu;
};

struct CUfunc_st {
    struct CUfunc_st *next;
    struct CUmod_st *owner;
    const struct sim_kernel *kernel;
    int max_dynamic_shared_bytes, carveout_percent;
    bool may_large_cluster;
};

struct CUevent_st {
    struct CUevent_st *next;
    struct sim_item *pending; /* its newest record, not reached yet */
    double time_ns;
    bool is_recorded, has_timing;
};

struct CUstream_st {
    struct CUstream_st *next;
    bool is_blocking;                  /* waits for the legacy stream and the other way round */
    struct sim_item *tail;             /* newest operation, NULL: all have ended */
    struct sim_item *last_kernel;      /* newest kernel not ended */
    double kernel_start_ns, kernel_end_ns; /* of the newest one ended */
    bool is_kernel_done;
    double end_ns;                     /* of the newest operation ended */
    uint32_t n_queued;
    CUstreamAttrValue window;
    int gpu;
};

/* --- work ------------------------------------------------------------------------------------- */

enum sim_item_kind {
    SIM_ITEM_EMPTY,
    SIM_ITEM_KERNEL,
    SIM_ITEM_COPY,
    SIM_ITEM_SET,
    SIM_ITEM_RECORD,
    SIM_ITEM_WRITE,
    SIM_ITEM_WAIT, /* for a word in memory */
    SIM_ITEM_CALL, /* a host function */
};

/* A launch as it was asked for; owns its parameters. */
struct sim_call {
    CUfunction function;
    struct sim_launch_config config;
    uint8_t *params;
    bool is_pdl;
};

struct sim_transfer {
    int to_gpu, from_gpu; /* -1: host memory */
    uint64_t to, from;    /* addresses, or host pointers */
    uint64_t bytes;       /* of a row */
    uint64_t n_rows, to_pitch, from_pitch;
    double duration_ns;
    uint32_t value;       /* of a memset, and how wide it is */
    uint8_t value_bytes;
};

/* Something that happens on the device's time line, after others. */
struct sim_item {
    enum sim_item_kind kind;
    int gpu;
    CUstream stream;     /* NULL: inside of a graph */
    uint32_t n_before;   /* items not ended that it waits for */
    struct sim_item **after; /* items that wait for it */
    uint32_t n_after, after_room;
    double earliest_ns, start_ns, end_ns;
    double gap_ns;       /* of a kernel, after another kernel */
    struct sim_call call;
    struct sim_launch *launch;
    /* Programmatic dependent launch: the kernel whose trigger lets this one begin, until it ends,
     * and the one that this one lets begin. held: a launch ended, which this one still asks. */
    struct sim_item *pdl_before, *pdl_after;
    struct sim_launch *held;
    double least_end_ns; /* a stream's kernels end in its order */
    struct sim_transfer transfer;
    CUevent event;
    uint64_t at, value;  /* of WRITE and WAIT */
    uint32_t value_bytes, wait_flags;
    CUhostFn host_fn;
    void *user_data;
    struct sim_graph_run *run; /* the launch of a graph that it is part of */
    uint64_t group;         /* in it: nodes that became ready together */
};

/* One launch of a graph: nodes that become ready together are handed out one by one. */
struct sim_graph_run {
    double last_issue_ns;
    bool has_issued;
    uint64_t group; /* that the newest node was of */
    uint32_t n_items;
};

struct sim_list {
    struct sim_item **items;
    size_t n, room;
};

/* --- the driver ------------------------------------------------------------------------------- */

struct sim_pinned {
    struct sim_pinned *next;
    uint8_t *host;
    uint64_t bytes, va[SIM_MAX_GPUS];
    bool is_own;
};

struct sim_alloc {
    struct sim_alloc *next;
    uint64_t va, bytes; /* as handed out */
    int gpu;
};

struct sim_peer_range { /* memory of another GPU as GPU 0 sees it */
    struct sim_peer_range *next;
    uint64_t va, peer_va, bytes;
    int gpu;
};

struct sim_driver {
    int n_gpus, current; /* -1: no context is current */
    struct sim_gpu gpus[SIM_MAX_GPUS];
    struct CUctx_st contexts[SIM_MAX_GPUS];
    double host_ns, device_ns; /* of the host; up to where the device has been carried */
    struct ay_random random;
    bool is_initialised;
    CUresult sticky, pending;  /* pending: told once, by the next call that waits */
    char reason[512], pending_reason[512], fault[512];
    size_t limits[16];
    struct CUmod_st *modules;
    struct CUevent_st *events;
    struct CUstream_st *streams, legacy;
    struct sim_list ready, running; /* whose turn it is; what has begun */
    size_t n_items;                 /* not ended, all told */
    uint64_t next_group;
    double engine_free_ns[16];
    struct sim_alloc *allocs;
    struct sim_pinned *pinned;
    struct sim_peer_range *peer_ranges;
    struct CUgraph_st *graphs;
    struct CUgraphExec_st *execs;
    struct sim_counters total[SIM_MAX_GPUS], last;
};

/* Begins each call: a lost context answers with its error alone. */
#define SIM_ENTER                             \
    struct sim_driver *const d = self;        \
    do {                                      \
        d->reason[0] = '\0';                  \
        if (d->sticky) return d->sticky;      \
    } while (0)
/* The same, and time for a call that the chip does not price. */
#define SIM_ENTER_PRICED(ns)                  \
    SIM_ENTER;                                \
    do {                                      \
        if (d->current < 0) return CUDA_ERROR_INVALID_CONTEXT; \
        sim_pass(d, (double)(ns));            \
        if (d->sticky) return d->sticky;      \
    } while (0)

static inline struct sim_gpu *sim_current(struct sim_driver *d)
{
    return &d->gpus[d->current < 0 ? 0 : d->current];
}

/* host_time.c */
void sim_pass(struct sim_driver *d, double ns); /* host time goes on, and the device with it */
double sim_wavers(struct sim_driver *d, double ns); /* with the chip's noise */
uint64_t sim_now_ns(void *self);
void sim_sleep_ns(void *self, uint64_t ns);

/* timeline.c: items in the order of device time */
struct sim_item *sim_new_item(enum sim_item_kind kind, CUstream s);
void sim_follow(struct sim_item *item, struct sim_item *before); /* NULL: nothing to wait for */
/* Puts an item behind its stream's last, and hands it over. */
CUresult sim_enqueue(struct sim_driver *d, struct sim_item *item);
void sim_hand_over(struct sim_driver *d, struct sim_item *item); /* a graph's: no stream */
void sim_carry(struct sim_driver *d, double until_ns);
/* Lets time pass until the stream (NULL: all) has nothing left to do, then what waiting costs. */
CUresult sim_wait(struct sim_driver *d, CUstream s, double cost_ns);
CUresult sim_wait_event(struct sim_driver *d, CUevent e, double cost_ns);
void sim_drop_items(struct sim_driver *d);
void sim_free_item(struct sim_item *item);

/* work.c: what an item does when its turn comes, and when it ends */
double sim_startable_ns(struct sim_driver *d, const struct sim_item *item); /* not known: endless */
void sim_begin(struct sim_driver *d, struct sim_item *item, double ns);
void sim_complete(struct sim_driver *d, struct sim_item *item);
bool sim_is_word_reached(struct sim_driver *d, const struct sim_item *item);
double sim_after_kernel(double start_ns, double end_ns, double gap_ns);

/* api.c */
void sim_empty_context(struct sim_driver *d); /* all objects go, and with them a sticky error */

/* power.c */
double sim_look_at_power_ns(const struct sim_driver *d); /* when the next look is due */
void sim_watch_power(struct sim_driver *d);
double sim_joules(const struct sim_driver *d, int gpu); /* of what has run, above idle */

/* api_memory.c */
void sim_free_memory(struct sim_driver *d);
struct sim_pinned *sim_find_pinned(struct sim_driver *d, const void *p);
/* The GPU whose memory that is, by address; -1: none. Peer memory is translated. */
int sim_owner(struct sim_driver *d, uint64_t *va);

/* api_launch.c */
CUresult sim_prepare(struct sim_driver *d, CUfunction f, struct sim_call *call, void **params,
                     void **extra);
void sim_free_call(struct sim_call *call);
CUresult sim_attribute(struct sim_call *call, CUlaunchAttributeID id,
                       const CUlaunchAttributeValue *value);
CUresult sim_check(struct sim_driver *d, const struct sim_call *call);
double sim_call_extra_ns(const struct sim_gpu *g, const struct sim_call *call);

/* api_copy.c */
CUresult sim_copy_item(struct sim_driver *d, const CUDA_MEMCPY3D *copy, struct sim_item *item);
CUresult sim_set_item(struct sim_driver *d, const CUDA_MEMSET_NODE_PARAMS *set,
                      struct sim_item *item);

/* Each fills its part of the table. */
void sim_fill_device(struct ay_driver *t);
void sim_fill_module(struct ay_driver *t);
void sim_fill_launch(struct ay_driver *t);
void sim_fill_memory(struct ay_driver *t);
void sim_fill_vmm(struct ay_driver *t);
void sim_fill_copy(struct ay_driver *t);
void sim_fill_stream(struct ay_driver *t);
void sim_fill_graph(struct ay_driver *t);
void sim_fill_tensor(struct ay_driver *t);
void sim_fill_nvml(struct ay_driver *t);
void sim_free_modules(struct sim_driver *d);
void sim_free_streams(struct sim_driver *d), sim_free_graphs(struct sim_driver *d);
CUstream sim_stream_of(struct sim_driver *d, CUstream s); /* NULL: no such stream */

#endif
