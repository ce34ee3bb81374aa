#include "harness/runtime/graph/graph.h"

#include "harness/runtime/client.h"
#include "harness/runtime/wait.h"

#include <stdlib.h>
#include <string.h>

/* ---- copies of work ---------------------------------------------------------------------------------------------- */

static cudaError_t copy_kernel(KernelWork *to, const KernelWork *from)
{
    const RingFunctionInfo *info = from->function->info;
    to->parameters = malloc(info->parameter_bytes + 1);
    to->arguments = malloc((info->parameter_count + 1) * sizeof *to->arguments);
    if (to->parameters == NULL || to->arguments == NULL) {
        free(to->parameters);
        free(to->arguments);
        return cudaErrorMemoryAllocation;
    }
    memcpy(to->parameters, from->parameters, info->parameter_bytes);
    for (uint32_t i = 0; i < info->parameter_count; i++)
        to->arguments[i] = to->parameters + info->offsets[i];
    return cudaSuccess;
}

static bool is_about_memory(const StreamWork *work)
{
    return work->type == cudaGraphNodeTypeMemAlloc || work->type == cudaGraphNodeTypeMemFree;
}

static cudaError_t work_copy(StreamWork *to, const StreamWork *from)
{
    *to = *from;
    if (is_about_memory(from))
        graph_memory_hold(from->memory);
    if (from->type == cudaGraphNodeTypeKernel)
        return copy_kernel(&to->kernel, &from->kernel);
    return from->type == cudaGraphNodeTypeGraph ? graph_copy(&to->child, from->child) : cudaSuccess;
}

static void work_free(StreamWork *work)
{
    if (work->type == cudaGraphNodeTypeKernel) {
        free(work->kernel.parameters);
        free(work->kernel.arguments);
    } else if (work->type == cudaGraphNodeTypeGraph) {
        graph_free(work->child);
    } else if (is_about_memory(work)) {
        graph_memory_let_go(work->memory);
    }
}

/* ---- graphs and nodes -------------------------------------------------------------------------------------------- */

Graph *graph_new(void)
{
    return calloc(1, sizeof(Graph));
}

static void free_node(GraphNode *node)
{
    work_free(&node->work);
    free(node->before);
    free(node);
}

void graph_free(Graph *graph)
{
    for (size_t i = 0; graph != NULL && i < graph->count; i++)
        free_node(graph->nodes[i]);
    if (graph != NULL)
        free(graph->nodes);
    free(graph);
}

static bool make_room(Graph *graph)
{
    if (graph->count < graph->room)
        return true;
    size_t room = 2 * graph->room + 16;
    GraphNode **nodes = realloc(graph->nodes, room * sizeof *nodes);
    if (nodes == NULL)
        return false;
    graph->nodes = nodes;
    graph->room = room;
    return true;
}

bool node_is_before(const GraphNode *node, const GraphNode *other)
{
    for (size_t i = 0; i < other->before_count; i++)
        if (other->before[i] == node)
            return true;
    return false;
}

cudaError_t node_add_before(GraphNode *node, GraphNode *before)
{
    if (before == NULL || before->graph != node->graph || before == node)
        return cudaErrorInvalidValue;
    if (node_is_before(before, node))
        return cudaSuccess;
    GraphNode **all = realloc(node->before, (node->before_count + 1) * sizeof *all);
    if (all == NULL)
        return cudaErrorMemoryAllocation;
    node->before = all;
    all[node->before_count++] = before;
    return cudaSuccess;
}

cudaError_t graph_add(Graph *graph, const StreamWork *work, GraphNode *const *before, size_t count, GraphNode **added)
{
    if (graph == NULL || (count > 0 && before == NULL))
        return cudaErrorInvalidValue;
    GraphNode *node = make_room(graph) ? calloc(1, sizeof *node) : NULL;
    if (node == NULL)
        return cudaErrorMemoryAllocation;
    cudaError_t error = work_copy(&node->work, work);
    if (error != cudaSuccess) {
        free(node);
        return error;
    }
    if (work->type == cudaGraphNodeTypeGraph)
        node->work.child->is_child = true;
    node->work.place = work->place == 0 ? caller_place() : work->place;
    node->graph = graph;
    node->position = graph->count;
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        error = node_add_before(node, before[i]);
    if (error != cudaSuccess) {
        free_node(node);
        return error;
    }
    graph->nodes[graph->count++] = node;
    *added = node;
    return cudaSuccess;
}

void node_remove_before(GraphNode *node, const GraphNode *before)
{
    size_t kept = 0;
    for (size_t i = 0; i < node->before_count; i++)
        if (node->before[i] != before)
            node->before[kept++] = node->before[i];
    node->before_count = kept;
}

void graph_remove(GraphNode *node)
{
    Graph *graph = node->graph;
    for (size_t i = node->position + 1; i < graph->count; i++) {
        graph->nodes[i]->position = i - 1;
        graph->nodes[i - 1] = graph->nodes[i];
    }
    graph->count--;
    for (size_t i = 0; i < graph->count; i++)
        node_remove_before(graph->nodes[i], node);
    free_node(node);
}

cudaError_t node_set_work(GraphNode *node, const StreamWork *work)
{
    StreamWork copy;
    if (node == NULL || node->work.type != work->type)
        return cudaErrorInvalidValue;
    cudaError_t error = work_copy(&copy, work);
    if (error != cudaSuccess)
        return error;
    copy.place = node->work.place;
    work_free(&node->work);
    node->work = copy;
    return cudaSuccess;
}

/* The edges come last, because a node can come before an older one. */
cudaError_t graph_copy(Graph **copy, const Graph *graph)
{
    Graph *made = graph_new();
    cudaError_t error = made == NULL ? cudaErrorMemoryAllocation : cudaSuccess;
    for (size_t i = 0; i < graph->count && error == cudaSuccess; i++) {
        GraphNode *node;
        error = graph_add(made, &graph->nodes[i]->work, NULL, 0, &node);
        if (error == cudaSuccess)
            node->original = graph->nodes[i];
    }
    for (size_t i = 0; i < graph->count && error == cudaSuccess; i++)
        for (size_t j = 0; j < graph->nodes[i]->before_count && error == cudaSuccess; j++)
            error = node_add_before(made->nodes[i], made->nodes[graph->nodes[i]->before[j]->position]);
    if (error != cudaSuccess)
        graph_free(made);
    else
        *copy = made;
    return error;
}

/* Most graphs are made in an order that will do, so that one round over the nodes is enough. */
bool graph_order(const Graph *graph, size_t *order)
{
    size_t placed = 0, placed_before;
    bool *is_placed = calloc(graph->count + 1, sizeof *is_placed);
    if (is_placed == NULL)
        return false;
    do {
        placed_before = placed;
        for (size_t i = 0; i < graph->count; i++) {
            const GraphNode *node = graph->nodes[i];
            bool ready = !is_placed[i];
            for (size_t j = 0; j < node->before_count && ready; j++)
                ready = is_placed[node->before[j]->position];
            if (!ready)
                continue;
            is_placed[i] = true;
            order[placed++] = i;
        }
    } while (placed > placed_before && placed < graph->count);
    free(is_placed);
    return placed == graph->count;
}
