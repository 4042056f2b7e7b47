/* api_graph.c - graphs: instantiated, updated, launched: each launch makes items of the nodes. */
#include "dev/sim/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- graphs ----------------------------------------------------------------------------------- */

static CUresult graph_create(void *self, CUgraph *graph, unsigned flags)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    *graph = NULL;
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    CUgraph const g = calloc(1, sizeof *g);
    if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
    g->next = d->graphs;
    d->graphs = g;
    *graph = g;
    return CUDA_SUCCESS;
}

static CUresult graph_destroy(void *self, CUgraph graph)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    CUgraph *at = &d->graphs;
    while (*at && *at != graph) at = &(*at)->next;
    if (!*at) return CUDA_ERROR_INVALID_VALUE;
    *at = graph->next;
    sim_free_graph(graph);
    return CUDA_SUCCESS;
}

static CUresult instantiate(struct sim_driver *d, CUgraphExec *out, CUgraph graph, bool is_uploaded)
{
    const struct ay_chip *const c = &sim_current(d)->chip;
    *out = NULL;
    if (!sim_is_graph(d, graph)) return CUDA_ERROR_INVALID_VALUE;
    CUgraphExec const e = calloc(1, sizeof *e);
    if (e) e->copy = sim_copy_graph(graph);
    if (!e || !e->copy) {
        free(e);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    e->is_uploaded = is_uploaded;
    e->next = d->execs;
    d->execs = e;
    *out = e;
    sim_pass(d, sim_wavers(d, (double)c->graph_instantiate_base_ns +
                                  (double)graph->n * c->graph_instantiate_node_ns +
                                  (is_uploaded ? (double)c->graph_upload_ns : 0)));
    return d->sticky;
}

enum { KNOWN_FLAGS = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                     CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                     CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY };

static CUresult instantiate_flags(void *self, CUgraphExec *exec, CUgraph graph,
                                  unsigned long long flags)
{
    SIM_ENTER_PRICED(0);
    *exec = NULL;
    /* A graph that kernels launch would need the device runtime's code inside of them. */
    if (flags & ~(unsigned long long)KNOWN_FLAGS) return CUDA_ERROR_NOT_SUPPORTED;
    return instantiate(d, exec, graph, flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD);
}

static CUresult instantiate_params(void *self, CUgraphExec *exec, CUgraph graph,
                                   CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    const CUresult r = instantiate_flags(self, exec, graph, p->flags);
    p->result_out = r == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                                      : CUDA_GRAPH_INSTANTIATE_ERROR;
    p->hErrNode_out = NULL;
    return r;
}

static CUresult exec_destroy(void *self, CUgraphExec exec)
{
    SIM_ENTER_PRICED(SIM_CALL_NS);
    CUgraphExec *at = &d->execs;
    while (*at && *at != exec) at = &(*at)->next;
    if (!*at) return CUDA_ERROR_INVALID_VALUE;
    *at = exec->next;
    sim_free_graph(exec->copy);
    free(exec);
    return CUDA_SUCCESS;
}

void sim_free_graphs(struct sim_driver *d)
{
    while (d->graphs) {
        CUgraph const g = d->graphs;
        d->graphs = g->next;
        sim_free_graph(g);
    }
    while (d->execs) {
        CUgraphExec const e = d->execs;
        d->execs = e->next;
        sim_free_graph(e->copy);
        free(e);
    }
}

static CUresult upload(void *self, CUgraphExec exec, CUstream s)
{
    SIM_ENTER_PRICED(0);
    if (!sim_is_exec(d, exec) || !sim_stream_of(d, s)) return CUDA_ERROR_INVALID_HANDLE;
    exec->is_uploaded = true;
    sim_pass(d, sim_wavers(d, (double)sim_current(d)->chip.graph_upload_ns));
    return d->sticky;
}

/* Same nodes in the same order, and kernels of the same functions, or it is another graph. */
static bool is_alike(const struct CUgraph_st *a, const struct CUgraph_st *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct CUgraphNode_st *const x = a->nodes[i], *const y = b->nodes[i];
        if (x->kind != y->kind || x->n_before != y->n_before ||
            memcmp(x->before, y->before, x->n_before * sizeof *x->before) != 0)
            return false;
    }
    return true;
}

static CUresult exec_update(void *self, CUgraphExec exec, CUgraph graph,
                            CUgraphExecUpdateResultInfo *info)
{
    SIM_ENTER_PRICED(0);
    if (!sim_is_exec(d, exec) || !sim_is_graph(d, graph)) return CUDA_ERROR_INVALID_HANDLE;
    memset(info, 0, sizeof *info);
    sim_pass(d, sim_wavers(d, (double)graph->n * sim_current(d)->chip.graph_update_node_ns));
    info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    if (!is_alike(exec->copy, graph)) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    CUgraph const copy = sim_copy_graph(graph);
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    sim_free_graph(exec->copy);
    exec->copy = copy;
    info->result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    return d->sticky;
}

static CUresult set_params(void *self, CUgraphExec exec, CUgraphNode node,
                           const CUDA_KERNEL_NODE_PARAMS *params)
{
    SIM_ENTER_PRICED(0);
    if (!sim_is_exec(d, exec)) return CUDA_ERROR_INVALID_HANDLE;
    if (!node || node->number >= exec->copy->n || node->kind != SIM_ITEM_KERNEL)
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_call call = {0};
    const CUresult r = sim_node_call(d, params, &call);
    if (r != CUDA_SUCCESS) return r;
    struct CUgraphNode_st *const own = exec->copy->nodes[node->number];
    sim_free_call(&own->call);
    own->call = call;
    sim_pass(d, sim_wavers(d, (double)sim_current(d)->chip.graph_params_ns));
    return d->sticky;
}

/* --- launches --------------------------------------------------------------------------------- */

static struct sim_item *item_of(struct sim_driver *d, const struct CUgraphNode_st *node,
                                struct sim_graph_run *run)
{
    struct sim_item *const item = sim_new_item(node->kind, NULL);
    if (!item) return NULL;
    item->gpu = d->current;
    item->run = run;
    item->transfer = node->transfer;
    item->gap_ns = sim_wavers(d, sim_current(d)->chip.graph_node_device_ns);
    if (sim_copy_call(&item->call, &node->call)) return item;
    sim_free_item(item);
    return NULL;
}

/* Items of all nodes between two empty ones, which stand in the stream. */
static bool expand(struct sim_driver *d, const struct CUgraph_st *g, struct sim_graph_run *run,
                   struct sim_item **items, struct sim_item *begin, struct sim_item *end)
{
    bool has_all = begin && end && run;
    for (size_t i = 0; i < g->n && has_all; i++) {
        items[i] = item_of(d, g->nodes[i], run);
        has_all = items[i] != NULL;
    }
    for (size_t i = 0; i < g->n && has_all; i++) {
        const struct CUgraphNode_st *const node = g->nodes[i];
        run->n_items++;
        if (node->n_before == 0) sim_follow(items[i], begin);
        for (size_t k = 0; k < node->n_before; k++) sim_follow(items[i], items[node->before[k]]);
        sim_follow(end, items[i]);
    }
    if (has_all) return true;
    for (size_t i = 0; i < g->n; i++) sim_free_item(items[i]);
    sim_free_item(begin);
    sim_free_item(end);
    free(run);
    return false;
}

static CUresult graph_launch(void *self, CUgraphExec exec, CUstream s)
{
    SIM_ENTER_PRICED(0);
    CUstream const stream = sim_stream_of(d, s);
    if (!stream || !sim_is_exec(d, exec)) return CUDA_ERROR_INVALID_HANDLE;
    const struct ay_chip *const c = &sim_current(d)->chip;
    const size_t n = exec->copy->n;
    struct sim_item **const items = calloc(n + 1, sizeof *items);
    struct sim_item *const begin = sim_new_item(SIM_ITEM_EMPTY, stream);
    struct sim_item *const end = sim_new_item(SIM_ITEM_EMPTY, stream);
    struct sim_graph_run *const run = n ? calloc(1, sizeof *run) : NULL;
    if (!items || (n && !expand(d, exec->copy, run, items, begin, end))) {
        free(items);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    double call_ns = (double)c->graph_launch_ns + (double)n * c->graph_node_host_ns;
    if (!exec->is_uploaded) call_ns += (double)c->graph_upload_ns;
    exec->is_uploaded = true;
    sim_current(d)->has_launched = true;
    /* As much after its call as a kernel's first instruction is after that of its own. */
    begin->earliest_ns =
        d->host_ns + call_ns + fmax(0, (double)c->launch_start_ns - (double)c->launch_call_ns);
    CUresult r = sim_enqueue(d, begin);
    for (size_t i = 0; i < n; i++) sim_hand_over(d, items[i]);
    if (r == CUDA_SUCCESS) r = sim_enqueue(d, end);
    free(items);
    sim_pass(d, sim_wavers(d, call_ns));
    return r;
}

void sim_fill_graph(struct ay_driver *t)
{
    sim_fill_nodes(t);
    t->GraphCreate = graph_create;
    t->GraphDestroy = graph_destroy;
    t->GraphInstantiateWithFlags = instantiate_flags;
    t->GraphInstantiateWithParams = instantiate_params;
    t->GraphUpload = upload;
    t->GraphLaunch = graph_launch;
    t->GraphExecUpdate = exec_update;
    t->GraphExecKernelNodeSetParams = set_params;
    t->GraphExecDestroy = exec_destroy;
}
