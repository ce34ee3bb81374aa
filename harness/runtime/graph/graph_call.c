/* CUDA's calls about graphs as a whole, and about the edges between their nodes.  */
#include "harness/runtime/graph/capture.h"
#include "harness/runtime/graph/graph.h"
#include "harness/runtime/older.h"

#include <string.h>

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    if (graph == NULL || flags != 0)
        return result(cudaErrorInvalidValue);
    *graph = graph_new();
    return result(*graph == NULL ? cudaErrorMemoryAllocation : cudaSuccess);
}

/* A child graph lives as long as its node. */
cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    if (graph == NULL || graph->is_child || capture_fills(graph))
        return result(cudaErrorInvalidValue);
    graph_free(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    return result(clone == NULL || graph == NULL ? cudaErrorInvalidValue : graph_copy(clone, graph));
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t node, cudaGraph_t clone)
{
    for (size_t i = 0; found != NULL && clone != NULL && i < clone->count; i++)
        if (clone->nodes[i]->original == node) {
            *found = clone->nodes[i];
            return cudaSuccess;
        }
    return result(cudaErrorInvalidValue);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    if (node == NULL || capture_fills(node->graph))
        return result(cudaErrorInvalidValue);
    graph_remove(node);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    if (node == NULL || type == NULL)
        return result(cudaErrorInvalidValue);
    *type = node->work.type;
    return cudaSuccess;
}

/* ---- lists of nodes and edges ------------------------------------------------------------------------------------ */

typedef struct NodeList { /* what a program asks for: it may ask for the count alone */
    cudaGraphNode_t *nodes;
    size_t room, count;
} NodeList;

static void list(NodeList *to, GraphNode *node)
{
    if (to->nodes != NULL && to->count < to->room)
        to->nodes[to->count] = node;
    to->count++;
}

/* CUDA sets the places that are left over to NULL, and the count to the number of nodes (CUDA Runtime API,
 * cudaGraphGetNodes). */
static cudaError_t give_list(const NodeList *from, size_t *count)
{
    for (size_t i = from->count; from->nodes != NULL && i < from->room; i++)
        from->nodes[i] = NULL;
    *count = from->nodes == NULL || from->count < from->room ? from->count : from->room;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    if (graph == NULL || count == NULL)
        return result(cudaErrorInvalidValue);
    NodeList found = {.nodes = nodes, .room = *count};
    for (size_t i = 0; i < graph->count; i++)
        list(&found, graph->nodes[i]);
    return give_list(&found, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    if (graph == NULL || count == NULL)
        return result(cudaErrorInvalidValue);
    NodeList found = {.nodes = nodes, .room = *count};
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->before_count == 0)
            list(&found, graph->nodes[i]);
    return give_list(&found, count);
}

static void clear_edges(cudaGraphEdgeData *edges, size_t count)
{
    if (edges != NULL)
        memset(edges, 0, count * sizeof *edges);
}

static cudaError_t get_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                             size_t *count)
{
    if (graph == NULL || count == NULL || (from == NULL) != (to == NULL))
        return cudaErrorInvalidValue;
    NodeList befores = {.nodes = from, .room = *count}, afters = {.nodes = to, .room = *count};
    for (size_t i = 0; i < graph->count; i++)
        for (size_t j = 0; j < graph->nodes[i]->before_count; j++) {
            list(&befores, graph->nodes[i]->before[j]);
            list(&afters, graph->nodes[i]);
        }
    give_list(&befores, count);
    clear_edges(edges, *count);
    return give_list(&afters, count);
}

static cudaError_t get_befores(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count)
{
    if (node == NULL || count == NULL)
        return cudaErrorInvalidValue;
    NodeList found = {.nodes = nodes, .room = *count};
    for (size_t i = 0; i < node->before_count; i++)
        list(&found, node->before[i]);
    give_list(&found, count);
    clear_edges(edges, *count);
    return cudaSuccess;
}

static cudaError_t get_afters(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count)
{
    if (node == NULL || count == NULL)
        return cudaErrorInvalidValue;
    NodeList found = {.nodes = nodes, .room = *count};
    for (size_t i = 0; i < node->graph->count; i++)
        if (node_is_before(node, node->graph->nodes[i]))
            list(&found, node->graph->nodes[i]);
    give_list(&found, count);
    clear_edges(edges, *count);
    return cudaSuccess;
}

static cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count,
                                bool add)
{
    cudaError_t error = graph == NULL || (count > 0 && (from == NULL || to == NULL)) ? cudaErrorInvalidValue
                                                                                     : cudaSuccess;
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        if (from[i] == NULL || to[i] == NULL || from[i]->graph != graph || to[i]->graph != graph)
            error = cudaErrorInvalidValue;
        else if (node_is_before(from[i], to[i]) == add)
            error = cudaErrorInvalidValue; /* an edge is there already, or is not there */
        else if (add)
            error = node_add_before(to[i], from[i]);
        else
            node_remove_before(to[i], from[i]);
    }
    return error;
}

/* CUDA 13 has given the names of these calls one more parameter, the data of the edges, which are not looked at: programs
 * compiled with older headers pass the count in its place. */
static size_t count_of(const void *edges, size_t count)
{
    return compiled_before_13() ? (size_t)(uintptr_t)edges : count;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count)
{
    return result(compiled_before_13() ? get_edges(graph, from, to, NULL, (size_t *)(void *)edges)
                                       : get_edges(graph, from, to, edges, count));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                         size_t *count)
{
    return result(compiled_before_13() ? get_befores(node, nodes, NULL, (size_t *)(void *)edges)
                                       : get_befores(node, nodes, edges, count));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                           size_t *count)
{
    return result(compiled_before_13() ? get_afters(node, nodes, NULL, (size_t *)(void *)edges)
                                       : get_afters(node, nodes, edges, count));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges, size_t count)
{
    return result(change_edges(graph, from, to, count_of(edges, count), true));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count)
{
    return result(change_edges(graph, from, to, count_of(edges, count), false));
}
