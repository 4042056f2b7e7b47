/* graph.h - what graphs of the simulated driver are made of. */
#ifndef AY_SIM_GRAPH_H
#define AY_SIM_GRAPH_H

#include "dev/sim/api.h"

struct CUgraphNode_st {
    CUgraph graph;
    size_t number;
    enum sim_item_kind kind;
    struct sim_call call;
    struct sim_transfer transfer;
    size_t *before; /* numbers of earlier nodes */
    size_t n_before;
};

struct CUgraph_st {
    CUgraph next;
    struct CUgraphNode_st **nodes;
    size_t n, room;
};

struct CUgraphExec_st {
    CUgraphExec next;
    CUgraph copy; /* its own, so that the graph may go */
    bool is_uploaded;
};

/* api_node.c */
bool sim_is_graph(const struct sim_driver *d, CUgraph g);
bool sim_is_exec(const struct sim_driver *d, CUgraphExec e);
void sim_free_graph(CUgraph g); /* one graph, out of its list */
CUgraph sim_copy_graph(const struct CUgraph_st *g);
bool sim_copy_call(struct sim_call *to, const struct sim_call *from);
CUresult sim_node_call(struct sim_driver *d, const CUDA_KERNEL_NODE_PARAMS *p,
                       struct sim_call *call);
void sim_fill_nodes(struct ay_driver *t);

#endif
