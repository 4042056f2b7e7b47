/* test_gpu_ops.c - every operation of a GPU, and every way in which a driver refuses it. */
#include <stdlib.h>
#include <string.h>

#include "gpu_world.h"

/* --- every operation, every refusal ----------------------------------------------------------- */

enum { BYTES = 64 };

/* One use of each operation; returns the first that does not succeed. */
static enum ay_status use_memory(struct world *w, ay_addr at)
{
    const struct ay_device_ops *o = w->dev.ops;
    void *g = w->dev.self;
    char host[BYTES] = "content";
    AY_TRY(o->write(g, at, host, BYTES, &w->err));
    AY_TRY(o->copy(g, AY_D2D, at + BYTES, at, BYTES, NULL, &w->err));
    AY_TRY(o->read(g, host, at + BYTES, BYTES, &w->err));
    AY_TRY(o->copy(g, AY_H2D, at, (uintptr_t)host, BYTES, NULL, &w->err));
    AY_TRY(o->copy(g, AY_D2H, (uintptr_t)host, at, BYTES, NULL, &w->err));
    AY_TRY(o->fill(g, at, 0, BYTES, &w->err));
    AY_TRY(o->set_limit(g, AY_LIMIT_STACK, 1024, &w->err));
    AY_TRY(o->access_window(g, NULL, at, BYTES, 1, &w->err));
    for (int kind = AY_PINNED; kind <= AY_PINNED_REGISTERED; kind++) {
        struct ay_pinned p;
        AY_TRY(o->pin(g, BYTES, (enum ay_pinned_kind)kind, &p, &w->err));
        o->unpin(g, &p, (enum ay_pinned_kind)kind);
    }
    return AY_OK;
}

static enum ay_status use_alias(struct world *w, struct ay_vmm *m)
{
    ay_addr at;
    return w->dev.ops->vmm_alias(w->dev.self, m, 3, &at, &w->err);
}

static enum ay_status use_streams(struct world *w, struct ay_stream *s, ay_addr at)
{
    const struct ay_device_ops *o = w->dev.ops;
    void *g = w->dev.self;
    struct ay_event *e;
    bool is_done;
    double ns;
    const struct ay_launch l = {.kernel = &world_kernel, .stream = s};
    const struct ay_launch waited = {.kernel = &world_kernel, .cluster_ctas = 2};
    uint32_t n;
    AY_TRY(o->event(g, &e, &w->err));
    AY_TRY(o->record(g, e, s, &w->err));
    AY_TRY(o->event_done(g, e, &is_done, &w->err));
    AY_TRY(o->elapsed_ns(g, e, e, &ns, &w->err));
    AY_TRY(o->stream_after(g, s, e, &w->err));
    AY_TRY(o->stream_write(g, s, at, 1, &w->err));
    AY_TRY(o->stream_until(g, s, at, 1, &w->err));
    AY_TRY(o->launch(g, &l, &w->err));
    AY_TRY(o->launch(g, &waited, &w->err));
    AY_TRY(o->occupancy(g, &l, &n, &w->err));
    AY_TRY(o->max_clusters(g, &waited, &n, &w->err));
    AY_TRY(o->stream_wait(g, s, &w->err));
    o->event_release(g, e);
    return AY_OK;
}

static enum ay_status use_graph(struct world *w, struct ay_graph *x)
{
    const struct ay_device_ops *o = w->dev.ops;
    void *g = w->dev.self;
    const struct ay_launch l = {.kernel = &world_kernel, .cluster_ctas = 2};
    AY_TRY(o->graph_add(g, x, AY_NODE_KERNEL, &l, -1, &w->err));
    AY_TRY(o->graph_add(g, x, AY_NODE_COPY, NULL, 0, &w->err));
    AY_TRY(o->graph_add(g, x, AY_NODE_EMPTY, NULL, 1, &w->err));
    AY_TRY(o->graph_ready(g, x, false, &w->err));
    AY_TRY(o->graph_upload(g, x, NULL, &w->err));
    AY_TRY(o->graph_launch(g, x, NULL, &w->err));
    return o->graph_update(g, x, x, &w->err);
}

static enum ay_status use_peers(struct world *w)
{
    const struct ay_device_ops *o = w->dev.ops;
    void *g = w->dev.self;
    uint32_t n;
    ay_addr at;
    AY_TRY(o->peer_count(g, &n, &w->err));
    ck_assert_uint_eq(n, 1);
    AY_TRY(o->peer_alloc(g, 0, BYTES, &at, &w->err));
    const enum ay_status s = o->peer_copy(g, AY_SELF, at, 0, at, BYTES, NULL, &w->err);
    o->peer_release(g, 0, at);
    return s;
}

static enum ay_status use_with_memory(struct world *w, ay_addr at)
{
    const struct ay_device_ops *o = w->dev.ops;
    void *g = w->dev.self;
    struct ay_vmm *m;
    struct ay_stream *s;
    struct ay_graph *x;
    AY_TRY(use_memory(w, at));
    AY_TRY(o->vmm_create(g, BYTES, &m, &w->err));
    enum ay_status status = use_alias(w, m);
    o->vmm_release(g, m);
    AY_TRY(status);
    AY_TRY(o->stream(g, &s, &w->err));
    status = use_streams(w, s, at);
    o->stream_release(g, s);
    AY_TRY(status);
    AY_TRY(o->graph(g, &x, &w->err));
    status = use_graph(w, x);
    o->graph_release(g, x);
    AY_TRY(status);
    return use_peers(w);
}

static enum ay_status use_all(struct world *w)
{
    ay_addr at;
    AY_TRY(w->dev.ops->alloc(w->dev.self, 2 * BYTES, &at, &w->err));
    const enum ay_status s = use_with_memory(w, at);
    w->dev.ops->release(w->dev.self, at);
    return s;
}

START_TEST(a_whole_use_of_a_gpu_succeeds_and_leaves_nothing)
{
    struct world w;
    world_begin(&w);
    gpu_world_open(&w);
    ck_assert_msg(use_all(&w) == AY_OK, "%s", w.err.text);
    world_end(&w);
}
END_TEST

/* Which entries the operations above reach, and at which call: opening has called some already. */
static const struct {
    const char *entry;
    int call;
} reached[] = {
    {"cuMemAlloc", 1}, {"cuMemcpyHtoDAsync", 1}, {"cuMemcpyDtoDAsync", 1},
    {"cuMemcpyDtoHAsync", 1}, {"cuMemsetD8Async", 1}, {"cuStreamSynchronize", 1},
    {"cuCtxSetLimit", 1}, {"cuStreamSetAttribute", 1}, {"cuMemHostAlloc", 1},
    {"cuMemHostRegister", 1}, {"cuMemHostGetDevicePointer", 1}, {"cuMemHostGetDevicePointer", 3},
    {"cuMemGetAllocationGranularity", 1}, {"cuMemCreate", 1}, {"cuMemAddressReserve", 1},
    {"cuMemMap", 2}, {"cuMemSetAccess", 1}, {"cuStreamCreate", 2}, {"cuEventCreate", 1},
    {"cuEventRecord", 1}, {"cuEventQuery", 1}, {"cuEventElapsedTime", 1}, {"cuStreamWaitEvent", 1},
    {"cuStreamWriteValue32", 1}, {"cuStreamWaitValue32", 1}, {"cuModuleLoadDataEx", 1},
    {"cuModuleGetFunction", 1}, {"cuFuncLoad", 1}, {"cuLaunchKernel", 1}, {"cuLaunchKernelEx", 1},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor", 1}, {"cuOccupancyMaxActiveClusters", 1},
    {"cuGraphCreate", 1}, {"cuGraphAddKernelNode", 1}, {"cuGraphKernelNodeSetAttribute", 1},
    {"cuGraphAddMemcpyNode", 1}, {"cuGraphAddEmptyNode", 1}, {"cuGraphInstantiateWithFlags", 1},
    {"cuGraphUpload", 1}, {"cuGraphLaunch", 1}, {"cuGraphExecUpdate", 1}, {"cuDeviceGetCount", 2},
    {"cuDeviceGet", 2}, {"cuDevicePrimaryCtxRetain", 2}, {"cuDeviceCanAccessPeer", 1},
    {"cuMemcpyPeerAsync", 1}, {"cuCtxSetCurrent", 2}, {"cuMemAlloc", 3},
};
enum { N_REACHED = sizeof reached / sizeof reached[0] };

START_TEST(each_refusal_is_one_line_with_entry_and_name_and_leaves_nothing)
{
    char fault[96];
    for (size_t i = 0; i < N_REACHED; i++) {
        struct world w;
        snprintf(fault, sizeof fault, "%s@%d=719", reached[i].entry, reached[i].call);
        world_begin_with(&w, fault);
        gpu_world_open(&w);
        ck_assert_msg(use_all(&w) == AY_DEVICE, "%s: not seen", fault);
        ck_assert_msg(strncmp(w.err.text, reached[i].entry, strlen(reached[i].entry)) == 0,
                      "%s: %s", fault, w.err.text);
        must_say(w.err.text, "CUDA_ERROR_LAUNCH_FAILED (719): the kernel failed");
        ck_assert_ptr_null(strchr(w.err.text, '\n'));
        world_end(&w);
    }
}
END_TEST

START_TEST(each_hollow_success_is_noticed_where_something_was_due)
{
    static const char *const due[] = {
        "cuMemAlloc@1", "cuMemHostAlloc@1", "cuMemHostGetDevicePointer@1", "cuMemCreate@1",
        "cuMemAddressReserve@1", "cuStreamCreate@2", "cuEventCreate@1", "cuModuleLoadDataEx@1",
        "cuModuleGetFunction@1", "cuGraphCreate@1", "cuGraphAddKernelNode@1",
        "cuGraphAddMemcpyNode@1", "cuGraphAddEmptyNode@1", "cuGraphInstantiateWithFlags@1",
        "cuMemGetAllocationGranularity@1", "cuDevicePrimaryCtxRetain@2",
    };
    char fault[96];
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++) {
        struct world w;
        snprintf(fault, sizeof fault, "%s=corrupt", due[i]);
        world_begin_with(&w, fault);
        gpu_world_open(&w);
        ck_assert_msg(use_all(&w) == AY_DEVICE, "%s: not seen", fault);
        ck_assert_msg(strncmp(w.err.text, "corrupt: cu", 11) == 0, "%s: %s", fault, w.err.text);
        world_end(&w);
    }
}
END_TEST

static void must_lack(struct world *w, const char *name)
{
    gpu_world_open(w);
    ck_assert_msg(use_all(w) == AY_SKIP, "%s: not noticed", name);
    char text[96];
    snprintf(text, sizeof text, "driver lacks %s", name);
    ck_assert_str_eq(w->err.text, text);
    world_end(w);
}

START_TEST(a_missing_entry_skips_by_its_name)
{
    struct world w;
#define LACK(entry)        \
    world_begin(&w);             \
    w.driver.entry = NULL; \
    must_lack(&w, "cu" #entry);
    LACK(LaunchKernelEx)
    LACK(OccupancyMaxActiveClusters)
    LACK(MemHostRegister)
    LACK(StreamSetAttribute)
    LACK(StreamWriteValue32)
    LACK(StreamWaitValue32)
    LACK(MemGetAllocationGranularity)
    LACK(MemCreate)
    LACK(MemMap)
    LACK(MemSetAccess)
    LACK(GraphCreate)
    LACK(GraphAddKernelNode)
    LACK(GraphInstantiateWithFlags)
    LACK(GraphUpload)
    LACK(GraphExecUpdate)
    LACK(DeviceCanAccessPeer)
    LACK(CtxEnablePeerAccess)
    LACK(MemcpyPeerAsync)
}
END_TEST

START_TEST(peers_that_cannot_skip_with_the_drivers_reason_and_twice_enabled_is_fine)
{
    static const int codes[] = {205, 217, 711};
    for (int i = 0; i < 3; i++) {
        struct world w;
        char fault[64];
        snprintf(fault, sizeof fault, "cuCtxEnablePeerAccess@1=%d", codes[i]);
        world_begin_with(&w, fault);
        gpu_world_open(&w);
        ck_assert_int_eq(use_peers(&w), AY_SKIP);
        must_say(w.err.text, ay_cuda_code_name(codes[i]));
        world_end(&w);
    }
    struct world w;
    world_begin_with(&w, "cuCtxEnablePeerAccess@1=704");
    gpu_world_open(&w);
    ck_assert_int_eq(use_peers(&w), AY_OK);
    world_end(&w);
}
END_TEST

START_TEST(windows_and_limits_that_the_gpu_lacks_skip)
{
    struct world w;
    world_begin_with(&w, "cuCtxSetLimit@1=215");
    fake_override(&w.fake, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0, CUDA_SUCCESS);
    gpu_world_open(&w);
    const struct ay_device_ops *o = w.dev.ops;
    ck_assert_int_eq(o->set_limit(w.dev.self, AY_LIMIT_PERSISTING_L2, 1, &w.err), AY_SKIP);
    ck_assert_int_eq(o->set_limit(w.dev.self, AY_LIMIT_STACK, 1, &w.err), AY_SKIP);
    must_say(w.err.text, "stack");
    ck_assert_int_eq(o->access_window(w.dev.self, NULL, 0, 8192, 1, &w.err), AY_SKIP);
    must_say(w.err.text, "at most 4096");
    world_end(&w);
    world_begin(&w);
    fake_override(&w.fake, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, 0, CUDA_SUCCESS);
    gpu_world_open(&w);
    ck_assert_int_eq(w.dev.ops->access_window(w.dev.self, NULL, 0, 1, 1, &w.err), AY_SKIP);
    world_end(&w);
}
END_TEST

START_TEST(an_event_that_is_not_done_is_no_failure)
{
    struct world w;
    world_begin_with(&w, "cuEventQuery@1=600");
    gpu_world_open(&w);
    struct ay_event *e;
    bool is_done = true;
    ck_assert_int_eq(w.dev.ops->event(w.dev.self, &e, &w.err), AY_OK);
    ck_assert_int_eq(w.dev.ops->event_done(w.dev.self, e, &is_done, &w.err), AY_OK);
    ck_assert(!is_done);
    ck_assert_int_eq(w.dev.ops->event_done(w.dev.self, e, &is_done, &w.err), AY_OK);
    ck_assert(is_done);
    world_end(&w);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_whole_use_of_a_gpu_succeeds_and_leaves_nothing,
        each_refusal_is_one_line_with_entry_and_name_and_leaves_nothing,
        each_hollow_success_is_noticed_where_something_was_due,
        a_missing_entry_skips_by_its_name,
        peers_that_cannot_skip_with_the_drivers_reason_and_twice_enabled_is_fine,
        windows_and_limits_that_the_gpu_lacks_skip,
        an_event_that_is_not_done_is_no_failure,
    };
    return gpu_world_run("gpu_ops", tests, sizeof tests / sizeof tests[0]);
}
