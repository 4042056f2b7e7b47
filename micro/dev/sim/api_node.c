/* api_node.c - nodes of graphs: kept as they were asked for. */
#include "dev/sim/graph.h"

#include <stdlib.h>
#include <string.h>

/* --- nodes ------------------------------------------------------------------------------------ */

static void free_node(struct CUgraphNode_st *node)
{
    if (!node) return;
    sim_free_call(&node->call);
    free(node->before);
    free(node);
}

void sim_free_graph(CUgraph g)
{
    if (!g) return;
    for (size_t i = 0; i < g->n; i++) free_node(g->nodes[i]);
    free(g->nodes);
    free(g);
}

bool sim_copy_call(struct sim_call *to, const struct sim_call *from)
{
    *to = *from;
    if (!from->params) return true;
    to->params = malloc(from->config.params_bytes + 1);
    if (!to->params) return false;
    memcpy(to->params, from->params, from->config.params_bytes);
    to->config.params = to->params;
    return true;
}

static CUresult append(CUgraph g, struct CUgraphNode_st *node)
{
    if (g->n == g->room) {
        const size_t room = g->room ? 2 * g->room : 32;
        struct CUgraphNode_st **const more = realloc(g->nodes, room * sizeof(*g->nodes));
        if (!more) return CUDA_ERROR_OUT_OF_MEMORY;
        g->nodes = more;
        g->room = room;
    }
    node->graph = g;
    node->number = g->n;
    g->nodes[g->n++] = node;
    return CUDA_SUCCESS;
}

static struct CUgraphNode_st *new_node(enum sim_item_kind kind, size_t n_before)
{
    struct CUgraphNode_st *const node = calloc(1, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    node->n_before = n_before;
    node->before = calloc(n_before + 1, sizeof *node->before);
    if (node->before) return node;
    free(node);
    return NULL;
}

bool sim_is_graph(const struct sim_driver *d, CUgraph g)
{
    for (CUgraph known = d->graphs; known; known = known->next)
        if (known == g) return true;
    return false;
}

bool sim_is_exec(const struct sim_driver *d, CUgraphExec e)
{
    for (CUgraphExec known = d->execs; known; known = known->next)
        if (known == e) return true;
    return false;
}

/* Takes over `node`. */
static CUresult add(struct sim_driver *d, CUgraph g, struct CUgraphNode_st *node,
                    const CUgraphNode *before, CUgraphNode *out)
{
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; i < node->n_before && r == CUDA_SUCCESS; i++) {
        if (!before[i] || before[i]->graph != g) r = CUDA_ERROR_INVALID_VALUE;
        else node->before[i] = before[i]->number;
    }
    if (r == CUDA_SUCCESS) r = append(g, node);
    if (r != CUDA_SUCCESS) {
        free_node(node);
        return r;
    }
    *out = node;
    sim_pass(d, sim_wavers(d, sim_current(d)->chip.graph_add_node_ns));
    return d->sticky;
}

CUresult sim_node_call(struct sim_driver *d, const CUDA_KERNEL_NODE_PARAMS *p,
                            struct sim_call *call)
{
    CUresult r = sim_prepare(d, p->func, call, p->kernelParams, p->extra);
    if (r != CUDA_SUCCESS) return r;
    struct sim_launch_config *const c = &call->config;
    memcpy(c->grid, (uint32_t[3]){p->gridDimX, p->gridDimY, p->gridDimZ}, sizeof c->grid);
    memcpy(c->block, (uint32_t[3]){p->blockDimX, p->blockDimY, p->blockDimZ}, sizeof c->block);
    c->dynamic_shared_bytes = p->sharedMemBytes;
    r = sim_check(d, call);
    if (r != CUDA_SUCCESS) sim_free_call(call);
    return r;
}

static CUresult add_kernel(void *self, CUgraphNode *out, CUgraph g, const CUgraphNode *before,
                           size_t n_before, const CUDA_KERNEL_NODE_PARAMS *params)
{
    SIM_ENTER_PRICED(0);
    *out = NULL;
    if (!sim_is_graph(d, g) || !params) return CUDA_ERROR_INVALID_VALUE;
    struct CUgraphNode_st *const node = new_node(SIM_ITEM_KERNEL, n_before);
    if (!node) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult r = sim_node_call(d, params, &node->call);
    if (r == CUDA_SUCCESS) return add(d, g, node, before, out);
    free_node(node);
    return r;
}

static CUresult add_copy(void *self, CUgraphNode *out, CUgraph g, const CUgraphNode *before,
                         size_t n_before, const CUDA_MEMCPY3D *params, CUcontext context)
{
    SIM_ENTER_PRICED(0);
    (void)context;
    *out = NULL;
    if (!sim_is_graph(d, g) || !params) return CUDA_ERROR_INVALID_VALUE;
    struct CUgraphNode_st *const node = new_node(SIM_ITEM_COPY, n_before);
    if (!node) return CUDA_ERROR_OUT_OF_MEMORY;
    struct sim_item item = {0};
    const CUresult r = sim_copy_item(d, params, &item);
    node->transfer = item.transfer;
    if (r == CUDA_SUCCESS) return add(d, g, node, before, out);
    free_node(node);
    return r;
}

static CUresult add_set(void *self, CUgraphNode *out, CUgraph g, const CUgraphNode *before,
                        size_t n_before, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    SIM_ENTER_PRICED(0);
    (void)context;
    *out = NULL;
    if (!sim_is_graph(d, g) || !params) return CUDA_ERROR_INVALID_VALUE;
    struct CUgraphNode_st *const node = new_node(SIM_ITEM_SET, n_before);
    if (!node) return CUDA_ERROR_OUT_OF_MEMORY;
    struct sim_item item = {0};
    const CUresult r = sim_set_item(d, params, &item);
    node->transfer = item.transfer;
    if (r == CUDA_SUCCESS) return add(d, g, node, before, out);
    free_node(node);
    return r;
}

static CUresult add_empty(void *self, CUgraphNode *out, CUgraph g, const CUgraphNode *before,
                          size_t n_before)
{
    SIM_ENTER_PRICED(0);
    *out = NULL;
    if (!sim_is_graph(d, g)) return CUDA_ERROR_INVALID_VALUE;
    struct CUgraphNode_st *const node = new_node(SIM_ITEM_EMPTY, n_before);
    return node ? add(d, g, node, before, out) : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult set_attribute(void *self, CUgraphNode node, CUkernelNodeAttrID a,
                              const CUkernelNodeAttrValue *value)
{
    SIM_ENTER_PRICED(0);
    if (!node || node->kind != SIM_ITEM_KERNEL) return CUDA_ERROR_INVALID_VALUE;
    const CUresult r = sim_attribute(&node->call, a, value);
    return r == CUDA_SUCCESS ? sim_check(d, &node->call) : r;
}

CUgraph sim_copy_graph(const struct CUgraph_st *g)
{
    CUgraph const copy = calloc(1, sizeof *copy);
    for (size_t i = 0; copy && i < g->n; i++) {
        const struct CUgraphNode_st *const from = g->nodes[i];
        struct CUgraphNode_st *const node = new_node(from->kind, from->n_before);
        if (node && sim_copy_call(&node->call, &from->call) && append(copy, node) == CUDA_SUCCESS) {
            memcpy(node->before, from->before, from->n_before * sizeof *from->before);
            node->transfer = from->transfer;
            continue;
        }
        free_node(node);
        sim_free_graph(copy);
        return NULL;
    }
    return copy;
}

void sim_fill_nodes(struct ay_driver *t)
{
    t->GraphAddKernelNode = add_kernel;
    t->GraphAddMemcpyNode = add_copy;
    t->GraphAddMemsetNode = add_set;
    t->GraphAddEmptyNode = add_empty;
    t->GraphKernelNodeSetAttribute = set_attribute;
}
