/* gpu_ops.h - the functions of a GPU's device table; device.h says what each must do. */
#ifndef AY_GPU_OPS_H
#define AY_GPU_OPS_H

#include "dev/gpu/gpu_impl.h"

enum ay_status gpu_alloc(void *self, uint64_t bytes, ay_addr *out, struct ay_error *err);
void gpu_release(void *self, ay_addr at);
enum ay_status gpu_write(void *self, ay_addr to, const void *from, uint64_t bytes,
                         struct ay_error *err);
enum ay_status gpu_read(void *self, void *to, ay_addr from, uint64_t bytes, struct ay_error *err);
enum ay_status gpu_fill(void *self, ay_addr to, uint8_t byte, uint64_t bytes, struct ay_error *err);
void gpu_unpin(void *self, struct ay_pinned *p, enum ay_pinned_kind kind);
enum ay_status gpu_pin(void *self, uint64_t bytes, enum ay_pinned_kind kind, struct ay_pinned *out,
                       struct ay_error *err);
enum ay_status gpu_set_limit(void *self, enum ay_limit limit, uint64_t value, struct ay_error *err);
enum ay_status gpu_access_window(void *self, struct ay_stream *s, ay_addr base, uint64_t bytes,
                                 double hit_ratio, struct ay_error *err);
enum ay_status gpu_vmm_granularity(void *self, uint64_t *bytes, struct ay_error *err);
enum ay_status gpu_vmm_create(void *self, uint64_t bytes, struct ay_vmm **out,
                             struct ay_error *err);
enum ay_status gpu_vmm_alias(void *self, struct ay_vmm *m, uint64_t n_maps, ay_addr *out,
                             struct ay_error *err);
void gpu_vmm_release(void *self, struct ay_vmm *m);
enum ay_status gpu_stream(void *self, struct ay_stream **out, struct ay_error *err);
void gpu_stream_release(void *self, struct ay_stream *s);
enum ay_status gpu_stream_wait(void *self, struct ay_stream *s, struct ay_error *err);
enum ay_status gpu_event(void *self, struct ay_event **out, struct ay_error *err);
void gpu_event_release(void *self, struct ay_event *e);
enum ay_status gpu_record(void *self, struct ay_event *e, struct ay_stream *s,
                          struct ay_error *err);
enum ay_status gpu_event_done(void *self, struct ay_event *e, bool *is_done, struct ay_error *err);
enum ay_status gpu_elapsed_ns(void *self, struct ay_event *from, struct ay_event *to, double *ns,
                              struct ay_error *err);
enum ay_status gpu_stream_after(void *self, struct ay_stream *s, struct ay_event *e,
                                struct ay_error *err);
enum ay_status gpu_copy(void *self, enum ay_direction way, uint64_t to, uint64_t from,
                        uint64_t bytes, struct ay_stream *s, struct ay_error *err);
enum ay_status gpu_stream_write(void *self, struct ay_stream *s, ay_addr at, uint32_t value,
                                struct ay_error *err);
enum ay_status gpu_stream_until(void *self, struct ay_stream *s, ay_addr at, uint32_t value,
                                struct ay_error *err);
enum ay_status gpu_graph(void *self, struct ay_graph **out, struct ay_error *err);
void gpu_graph_release(void *self, struct ay_graph *x);
enum ay_status gpu_graph_add(void *self, struct ay_graph *x, enum ay_node kind,
                             const struct ay_launch *l, int64_t after, struct ay_error *err);
enum ay_status gpu_graph_ready(void *self, struct ay_graph *x, bool is_device_launch,
                               struct ay_error *err);
enum ay_status gpu_graph_upload(void *self, struct ay_graph *x, struct ay_stream *s,
                                struct ay_error *err);
enum ay_status gpu_graph_launch(void *self, struct ay_graph *x, struct ay_stream *s,
                                struct ay_error *err);
enum ay_status gpu_graph_update(void *self, struct ay_graph *x, struct ay_graph *like,
                                struct ay_error *err);
enum ay_status gpu_peer_count(void *self, uint32_t *n, struct ay_error *err);
enum ay_status gpu_peer_alloc(void *self, uint32_t peer, uint64_t bytes, ay_addr *out,
                              struct ay_error *err);
void gpu_peer_release(void *self, uint32_t peer, ay_addr at);
enum ay_status gpu_peer_copy(void *self, uint32_t to_peer, ay_addr to, uint32_t from_peer,
                             ay_addr from, uint64_t bytes, struct ay_stream *s,
                             struct ay_error *err);

#endif
