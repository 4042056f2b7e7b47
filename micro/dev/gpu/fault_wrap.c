#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dev/gpu/fault_impl.h"

struct wrapped {
    struct ay_driver under;
    struct ay_faults *faults;
    bool is_injected; /* the last result was made up here */
};

/* What a call writes through its pointers: the last column of the .def files. */
struct slot {
    void *at;
    size_t n_bytes;
    bool is_answer; /* repeated by `corrupt`; otherwise zeroed */
};
#define LAST(p) {(p), sizeof *(p), true}
#define LAST_N(p, n) {(p), (size_t)(n), true}
#define ZERO(p) {(p), sizeof *(p), false}
#define SLOTS(...) {__VA_OPT__(__VA_ARGS__, ){NULL, 0, false}}

/* Counts this call and says what is to happen to it. Does not return from a hang. */
static const struct fault *next_fault(struct wrapped *w, enum ay_entry e)
{
    static const struct fault none = {.kind = FAULT_NONE};
    struct ay_faults *f = w->faults;
    const uint64_t count = ++f->counts[e];
    if (f->watch) *f->watch = (uint32_t)e + 1;
    for (size_t i = 0; i < f->n; i++) {
        const struct fault *x = &f->list[i];
        if (x->entry != (int)e || (x->at && x->at != count)) continue;
        while (x->kind == FAULT_HANG) pause();
        w->is_injected = true;
        return x;
    }
    w->is_injected = false;
    return &none;
}

static void remember(struct ay_faults *f, enum ay_entry e, const struct slot *slots)
{
    size_t used = 0;
    for (; slots->n_bytes; slots++) {
        if (!slots->is_answer || !slots->at || used + slots->n_bytes > LAST_BYTES) continue;
        memcpy(f->last[e] + used, slots->at, slots->n_bytes);
        used += slots->n_bytes;
    }
}

static void corrupt(struct ay_faults *f, enum ay_entry e, const struct slot *slots)
{
    size_t used = 0;
    for (; slots->n_bytes; slots++) {
        if (!slots->at) continue;
        if (slots->is_answer && used + slots->n_bytes <= LAST_BYTES) {
            memcpy(slots->at, f->last[e] + used, slots->n_bytes);
            used += slots->n_bytes;
        } else {
            memset(slots->at, 0, slots->n_bytes);
        }
    }
}

static void done(struct wrapped *w)
{
    if (w->faults->watch) *w->faults->watch = 0;
}

/* One wrapper an entry point. Both libraries answer 0 for success. */
#define WITH_UNDER(...) (w->under.self __VA_OPT__(, ) __VA_ARGS__)
#define WRAPPER(type, wrapper, call, entry, params, args, outs)    \
    static type wrapper AY_WITH_SELF params                        \
    {                                                              \
        struct wrapped *w = self;                                  \
        const struct slot slots[] = SLOTS outs;                    \
        const struct fault *fault = next_fault(w, entry);          \
        type r = (type)0;                                          \
        if (fault->kind == FAULT_CODE)                             \
            r = (type)fault->code;                                 \
        else if (fault->kind == FAULT_CORRUPT)                     \
            corrupt(w->faults, entry, slots);                      \
        else if ((r = w->under.call WITH_UNDER args) == (type)0)   \
            remember(w->faults, entry, slots);                     \
        done(w);                                                   \
        return r;                                                  \
    }
#define X(name, version, need, params, args, outs) \
    WRAPPER(CUresult, wrap_##name, name, AY_ENTRY_cu##name, params, args, outs)
#include "dev/gpu/cuda.def"
#undef X
#define X(name, symbol, older, params, args, outs) \
    WRAPPER(nvmlReturn_t, wrap_nvml##name, nvml##name, AY_ENTRY_nvml##name, params, args, outs)
#include "dev/gpu/nvml.def"
#undef X

static uint64_t now_ns(void *self)
{
    struct wrapped *w = self;
    return w->under.now_ns(w->under.self);
}

static void sleep_ns(void *self, uint64_t ns)
{
    struct wrapped *w = self;
    w->under.sleep_ns(w->under.self, ns);
}

/* What the provider last said is not about a result that was made up here. */
static const char *last_reason(void *self)
{
    struct wrapped *w = self;
    if (w->is_injected || !w->under.last_reason) return NULL;
    return w->under.last_reason(w->under.self);
}

static void close_wrapped(void *self)
{
    struct wrapped *w = self;
    ay_driver_close(&w->under);
    free(w);
}

enum ay_status ay_faults_wrap(struct ay_driver *d, struct ay_faults *f, struct ay_error *err)
{
    struct wrapped *w = calloc(1, sizeof *w);
    if (!w) return AY_FAIL(err, AY_NOMEM, "no memory for the fault layer");
    w->under = *d;
    w->faults = f;
    *d = (struct ay_driver){
        .self = w,
        .origin = w->under.origin,
        .wants_ptx = w->under.wants_ptx,
        .now_ns = now_ns,
        .sleep_ns = sleep_ns,
        .last_reason = last_reason,
        .close = close_wrapped,
#define X(name, version, need, params, args, outs) .name = w->under.name ? wrap_##name : NULL,
#include "dev/gpu/cuda.def"
#undef X
#define X(name, symbol, older, params, args, outs) \
    .nvml##name = w->under.nvml##name ? wrap_nvml##name : NULL,
#include "dev/gpu/nvml.def"
#undef X
    };
    return AY_OK;
}
