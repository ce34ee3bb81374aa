/* graph_exec.h - graphs that can be launched.
 *
 * A launch turns the nodes into ordinary requests, in an order that the graph allows: chains of nodes go to the stream of
 * the launch and to further streams, and events carry the dependencies between those. The broker holds all streams of a
 * call back until the host waits, so that launching node by node costs the device no more time than a graph of the
 * driver's would; and each copy and launch is checked, counted and timed as any other.  */
#ifndef HARNESS_RUNTIME_GRAPH_GRAPH_EXEC_H
#define HARNESS_RUNTIME_GRAPH_GRAPH_EXEC_H

#include "harness/runtime/graph/graph.h"

typedef struct CUgraphExec_st GraphExec;

/* The node of the executable graph that belongs to a node of the graph that it was made from. NULL: there is none. */
GraphNode *exec_node(GraphExec *exec, cudaGraphNode_t node);
/* Gives it another child graph, which must have the same form. */
cudaError_t exec_set_child(GraphExec *exec, cudaGraphNode_t node, const Graph *child);

#endif
