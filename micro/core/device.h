/* device.h - what a backend (dev/gpu, dev/host) gives the bench: one table of functions.
 *
 * `self` is the backend's own state. Handles are the backend's. A function a backend cannot offer
 * is NULL: the bench then says AY_SKIP. Backends know no probe and no kernel. */
#ifndef AY_DEVICE_H
#define AY_DEVICE_H

#include <jansson.h>

#include "core/bench.h"
#include "core/image.h"

enum ay_device_kind { AY_DEVICE_GPU, AY_DEVICE_HOST, AY_DEVICE_SIMULATED };

struct ay_device_ops {
    void (*close)(void *self);
    /* The run record's `device` members beyond name and kind (product, arch, sms, pci, uuid …) and
     * its `environment`; both new references. */
    enum ay_status (*describe)(void *self, json_t **device, json_t **environment,
                               struct ay_error *err);
    /* Clocks, power, temperature, throttle reasons now, as members; each may be null alone. */
    json_t *(*telemetry)(void *self);

    enum ay_status (*alloc)(void *self, uint64_t bytes, ay_addr *out, struct ay_error *err);
    void (*release)(void *self, ay_addr at);
    enum ay_status (*write)(void *self, ay_addr to, const void *from, uint64_t bytes,
                            struct ay_error *err);
    enum ay_status (*read)(void *self, void *to, ay_addr from, uint64_t bytes,
                           struct ay_error *err);
    enum ay_status (*fill)(void *self, ay_addr to, uint8_t byte, uint64_t bytes,
                           struct ay_error *err);
    enum ay_status (*pin)(void *self, uint64_t bytes, enum ay_pinned_kind kind,
                          struct ay_pinned *out, struct ay_error *err);
    void (*unpin)(void *self, struct ay_pinned *p, enum ay_pinned_kind kind);

    /* The image that this device would run for that kernel: embedded bytes and their architecture.
     * AY_SKIP: none here (and why). */
    enum ay_status (*image_of)(void *self, const struct ay_kernel *k, const struct ay_image **out,
                               struct ay_error *err);
    /* Loads on first use. l->is_on_sm has been resolved by the bench: grid and args are final. */
    enum ay_status (*launch)(void *self, const struct ay_launch *l, struct ay_error *err);
    enum ay_status (*occupancy)(void *self, const struct ay_launch *l, uint32_t *ctas_per_sm,
                                struct ay_error *err);
    enum ay_status (*max_clusters)(void *self, const struct ay_launch *l, uint32_t *n,
                                   struct ay_error *err);
    enum ay_status (*set_limit)(void *self, enum ay_limit limit, uint64_t value,
                                struct ay_error *err);
    enum ay_status (*access_window)(void *self, struct ay_stream *s, ay_addr base, uint64_t bytes,
                                    double hit_ratio, struct ay_error *err);

    enum ay_status (*vmm_granularity)(void *self, uint64_t *bytes, struct ay_error *err);
    enum ay_status (*vmm_create)(void *self, uint64_t bytes, struct ay_vmm **out,
                                 struct ay_error *err);
    enum ay_status (*vmm_alias)(void *self, struct ay_vmm *m, uint64_t n_maps, ay_addr *out,
                                struct ay_error *err);
    void (*vmm_release)(void *self, struct ay_vmm *m); /* its mappings too */

    enum ay_status (*stream)(void *self, struct ay_stream **out, struct ay_error *err);
    void (*stream_release)(void *self, struct ay_stream *s);
    enum ay_status (*stream_wait)(void *self, struct ay_stream *s, struct ay_error *err);
    enum ay_status (*event)(void *self, struct ay_event **out, struct ay_error *err);
    void (*event_release)(void *self, struct ay_event *e);
    enum ay_status (*record)(void *self, struct ay_event *e, struct ay_stream *s,
                             struct ay_error *err);
    enum ay_status (*event_done)(void *self, struct ay_event *e, bool *is_done,
                                 struct ay_error *err);
    enum ay_status (*elapsed_ns)(void *self, struct ay_event *from, struct ay_event *to, double *ns,
                                 struct ay_error *err);
    enum ay_status (*stream_after)(void *self, struct ay_stream *s, struct ay_event *e,
                                   struct ay_error *err);
    enum ay_status (*copy)(void *self, enum ay_direction way, uint64_t to, uint64_t from,
                           uint64_t bytes, struct ay_stream *s, struct ay_error *err);
    enum ay_status (*stream_write)(void *self, struct ay_stream *s, ay_addr at, uint32_t value,
                                   struct ay_error *err);
    enum ay_status (*stream_until)(void *self, struct ay_stream *s, ay_addr at, uint32_t value,
                                   struct ay_error *err);

    enum ay_status (*graph)(void *self, struct ay_graph **out, struct ay_error *err);
    void (*graph_release)(void *self, struct ay_graph *g);
    enum ay_status (*graph_add)(void *self, struct ay_graph *g, enum ay_node kind,
                                const struct ay_launch *l, int64_t after, struct ay_error *err);
    enum ay_status (*graph_ready)(void *self, struct ay_graph *g, bool is_device_launch,
                                  struct ay_error *err);
    enum ay_status (*graph_upload)(void *self, struct ay_graph *g, struct ay_stream *s,
                                   struct ay_error *err);
    enum ay_status (*graph_launch)(void *self, struct ay_graph *g, struct ay_stream *s,
                                   struct ay_error *err);
    enum ay_status (*graph_update)(void *self, struct ay_graph *g, struct ay_graph *like,
                                   struct ay_error *err);

    enum ay_status (*peer_count)(void *self, uint32_t *n, struct ay_error *err);
    enum ay_status (*peer_alloc)(void *self, uint32_t peer, uint64_t bytes, ay_addr *out,
                                 struct ay_error *err);
    void (*peer_release)(void *self, uint32_t peer, ay_addr at);
    enum ay_status (*peer_copy)(void *self, uint32_t to_peer, ay_addr to, uint32_t from_peer,
                                ay_addr from, uint64_t bytes, struct ay_stream *s,
                                struct ay_error *err);

    uint64_t (*now_ns)(void *self);
    void (*sleep_ns)(void *self, uint64_t ns);

    /* host only: threads, pages, nodes of this machine's processor (dev/host/host.h). */
    const struct ay_host_ops *host;
};

struct ay_device {
    char name[128]; /* as typed: "sim:plain", "cuda:0", "host" */
    enum ay_device_kind kind;
    struct ay_facts facts;
    const struct ay_device_ops *ops;
    void *self;
};

void ay_device_close(struct ay_device *d); /* safe on NULL and on a zeroed one */

#endif
