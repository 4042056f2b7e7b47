/* gpu_graph.c - graphs of kernels, small copies and empty nodes. */
#include <stdlib.h>
#include <string.h>

#include "dev/gpu/gpu_ops.h"

struct ay_graph {
    CUgraph graph;
    CUgraphExec exec; /* NULL: not instantiated */
    size_t n, cap;
    CUgraphNode *nodes;
};

enum ay_status gpu_graph(void *self, struct ay_graph **out, struct ay_error *err)
{
    struct gpu *g = self;
    CUgraph handle = NULL;
    GPU_CALL(GraphCreate, (&handle, 0), "%s", "");
    GPU_GIVEN(handle, GraphCreate);
    struct ay_graph *x = calloc(1, sizeof *x);
    if (!x) {
        GPU_QUIET(GraphDestroy, (handle));
        return AY_FAIL(err, AY_NOMEM, "no memory for a graph");
    }
    x->graph = handle;
    *out = x;
    return AY_OK;
}

void gpu_graph_release(void *self, struct ay_graph *x)
{
    struct gpu *g = self;
    if (!x) return;
    if (x->exec) GPU_QUIET(GraphExecDestroy, (x->exec));
    GPU_QUIET(GraphDestroy, (x->graph));
    free(x->nodes);
    free(x);
}

static enum ay_status set_attribute(struct gpu *g, CUgraphNode node, CUkernelNodeAttrID id,
                                    CUkernelNodeAttrValue value, struct ay_error *err)
{
    GPU_CALL(GraphKernelNodeSetAttribute, (node, id, &value), "%s", "");
    return AY_OK;
}

static enum ay_status add_kernel(struct gpu *g, struct ay_graph *x, const struct ay_launch *l,
                                 const CUgraphNode *after, CUgraphNode *out, struct ay_error *err)
{
    struct gpu_function *f;
    if (l->is_pdl)
        return AY_FAIL(err, AY_SKIP, "programmatic dependent launch inside a graph is not offered");
    AY_TRY(gpu_prepare(g, l, &f, err));
    size_t n_bytes;
    void *args[GPU_ARGS_WORDS];
    const CUDA_KERNEL_NODE_PARAMS p = {
        .func = f->handle,
        .gridDimX = l->n_ctas ? l->n_ctas : 1,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = l->n_threads ? l->n_threads : 1,
        .blockDimY = 1,
        .blockDimZ = 1,
        .sharedMemBytes = l->shared_bytes,
        .extra = gpu_args_of(l, &n_bytes, args),
    };
    GPU_CALL(GraphAddKernelNode, (out, x->graph, after, after != NULL, &p), "of kernel %s",
             f->entry);
    GPU_GIVEN(*out, GraphAddKernelNode);
    if (l->cluster_ctas)
        AY_TRY(set_attribute(g, *out, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                             (CUkernelNodeAttrValue){.clusterDim = {l->cluster_ctas, 1, 1}}, err));
    if (l->is_cooperative)
        AY_TRY(set_attribute(g, *out, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                             (CUkernelNodeAttrValue){.cooperative = 1}, err));
    return AY_OK;
}

/* The bench names no addresses: what such a node costs is the question, not what it moves. */
static enum ay_status add_copy(struct gpu *g, struct ay_graph *x, const CUgraphNode *after,
                               CUgraphNode *out, struct ay_error *err)
{
    if (!g->copy_from) {
        CUdeviceptr at = 0;
        GPU_CALL(MemAlloc, (&at, 2 * GPU_COPY_NODE_BYTES), "for copy nodes");
        GPU_GIVEN(at, MemAlloc);
        g->copy_from = at;
        g->copy_to = at + GPU_COPY_NODE_BYTES;
    }
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = g->copy_from;
    c.dstDevice = g->copy_to;
    c.WidthInBytes = c.srcPitch = c.dstPitch = GPU_COPY_NODE_BYTES;
    c.Height = c.Depth = c.srcHeight = c.dstHeight = 1;
    GPU_CALL(GraphAddMemcpyNode, (out, x->graph, after, after != NULL, &c, g->context), "%s", "");
    GPU_GIVEN(*out, GraphAddMemcpyNode);
    return AY_OK;
}

static enum ay_status add_empty(struct gpu *g, struct ay_graph *x, const CUgraphNode *after,
                                CUgraphNode *out, struct ay_error *err)
{
    GPU_CALL(GraphAddEmptyNode, (out, x->graph, after, after != NULL), "%s", "");
    GPU_GIVEN(*out, GraphAddEmptyNode);
    return AY_OK;
}

enum ay_status gpu_graph_add(void *self, struct ay_graph *x, enum ay_node kind,
                             const struct ay_launch *l, int64_t after, struct ay_error *err)
{
    struct gpu *g = self;
    if (after >= 0 && (uint64_t)after >= x->n)
        return AY_FAIL(err, AY_USAGE, "node %lld of a graph of %zu", (long long)after, x->n);
    if (x->n == x->cap) {
        const size_t cap = x->cap ? 2 * x->cap : 64;
        CUgraphNode *more = realloc(x->nodes, cap * sizeof *more);
        if (!more) return AY_FAIL(err, AY_NOMEM, "no memory for %zu nodes", cap);
        x->nodes = more;
        x->cap = cap;
    }
    const CUgraphNode *before = after < 0 ? NULL : &x->nodes[after];
    CUgraphNode node = NULL;
    switch (kind) {
    case AY_NODE_KERNEL: AY_TRY(add_kernel(g, x, l, before, &node, err)); break;
    case AY_NODE_COPY: AY_TRY(add_copy(g, x, before, &node, err)); break;
    case AY_NODE_EMPTY: AY_TRY(add_empty(g, x, before, &node, err)); break;
    }
    x->nodes[x->n++] = node;
    return AY_OK;
}

enum ay_status gpu_graph_ready(void *self, struct ay_graph *x, bool is_device_launch,
                               struct ay_error *err)
{
    struct gpu *g = self;
    const unsigned long long flags =
        is_device_launch ? CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH : 0;
    if (x->exec) GPU_QUIET(GraphExecDestroy, (x->exec));
    x->exec = NULL;
    GPU_CALL(GraphInstantiateWithFlags, (&x->exec, x->graph, flags), "of %zu nodes", x->n);
    GPU_GIVEN(x->exec, GraphInstantiateWithFlags);
    return AY_OK;
}

static enum ay_status need_exec(const struct ay_graph *x, struct ay_error *err)
{
    if (x->exec) return AY_OK;
    return AY_FAIL(err, AY_USAGE, "the graph has not been made ready");
}

enum ay_status gpu_graph_upload(void *self, struct ay_graph *x, struct ay_stream *s,
                                struct ay_error *err)
{
    struct gpu *g = self;
    AY_TRY(need_exec(x, err));
    GPU_CALL(GraphUpload, (x->exec, gpu_stream_of(g, s)), "of %zu nodes", x->n);
    return AY_OK;
}

enum ay_status gpu_graph_launch(void *self, struct ay_graph *x, struct ay_stream *s,
                                struct ay_error *err)
{
    struct gpu *g = self;
    AY_TRY(need_exec(x, err));
    GPU_CALL(GraphLaunch, (x->exec, gpu_stream_of(g, s)), "of %zu nodes", x->n);
    return AY_OK;
}

enum ay_status gpu_graph_update(void *self, struct ay_graph *x, struct ay_graph *like,
                                struct ay_error *err)
{
    struct gpu *g = self;
    CUgraphExecUpdateResultInfo info;
    memset(&info, 0, sizeof info);
    AY_TRY(need_exec(x, err));
    GPU_CALL(GraphExecUpdate, (x->exec, like->graph, &info), "of %zu nodes (cause %d)", x->n,
             (int)info.result);
    return AY_OK;
}
