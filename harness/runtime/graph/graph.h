/* graph.h - graphs of work: nodes, and which of them come before which.
 *
 * A graph lies in the submission's process alone. When it is launched (graph_exec.c), its nodes become the same requests
 * to the broker as any other launch or copy, so that the broker needs no trust in it.
 *
 * Owns     a graph owns its nodes, a node its work. A handle of CUDA is the pointer to the struct.
 * Threads  the functions here take no lock; those that CUDA declares do.  */
#ifndef HARNESS_RUNTIME_GRAPH_GRAPH_H
#define HARNESS_RUNTIME_GRAPH_GRAPH_H

#include "harness/runtime/launch.h"

typedef struct CUgraphNode_st {
    StreamWork work;
    cudaGraph_t graph;
    cudaGraphNode_t *before; /* [before_count] the nodes that must end before this one begins */
    size_t before_count;
    size_t position;          /* in its graph, in the order of creation */
    cudaGraphNode_t original; /* the node of which this one is a copy; only to be compared */
    bool disabled;            /* in a graph that can be launched: it does nothing */
} GraphNode;

typedef struct CUgraph_st {
    GraphNode **nodes;
    size_t count, room;
    bool is_child; /* it belongs to a node */
} Graph;

Graph *graph_new(void);
void graph_free(Graph *graph);
/* Nodes of the copy have the positions of the originals. */
cudaError_t graph_copy(Graph **copy, const Graph *graph);

/* Adds a node with a copy of `work`. cudaErrorInvalidValue: a node of `before` is not in this graph. */
cudaError_t graph_add(Graph *graph, const StreamWork *work, GraphNode *const *before, size_t count, GraphNode **node);
void graph_remove(GraphNode *node);
bool node_is_before(const GraphNode *node, const GraphNode *other);
cudaError_t node_add_before(GraphNode *node, GraphNode *before);
void node_remove_before(GraphNode *node, const GraphNode *before);
/* Replaces the work of a node by a copy of other work of the same type. */
cudaError_t node_set_work(GraphNode *node, const StreamWork *work);

/* Fills in the positions of all nodes, each behind all that come before it. False: they form a circle. */
bool graph_order(const Graph *graph, size_t *order);

#endif
