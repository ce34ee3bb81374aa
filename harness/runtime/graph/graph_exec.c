#include "harness/runtime/graph/graph_exec.h"

#include "harness/runtime/graph/capture.h"
#include "harness/runtime/older.h"
#include "harness/runtime/stream.h"
#include "harness/runtime/graph/work_run.h"

#include <stdlib.h>
#include <string.h>

/* Lane 0 is the stream of the launch; the others are streams of this library, which all graphs share. More parallel
 * chains than these share lanes, which only adds dependencies. */
enum { MAX_LANES = 16 };

typedef struct Step { /* what a launch does for one node */
    GraphNode *node;
    uint32_t lane;
    bool is_first;     /* in its lane */
    bool is_last;      /* nothing comes after it: the end of the graph waits for it */
    bool has_event;    /* another lane, or the end, waits for it */
    cudaEvent_t event; /* recorded after it */
    GraphExec *child;  /* of a child graph */
} Step;

struct CUgraphExec_st {
    Graph *graph; /* a copy */
    Step *steps;  /* [graph->count] in an order of execution */
    Step **of;    /* [graph->count] by the position of the node */
    uint32_t lanes;
    cudaEvent_t start; /* recorded before the first step, if there are several lanes */
    bool has_start;
    unsigned long long flags;
    cudaStream_t last_stream; /* of the last launch */
    bool was_launched;
};

static cudaStream_t lane_streams[MAX_LANES]; /* [0] is not used */

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* A node continues the lane of a node that comes before it, if it is the first to do so; else it takes a new one. */
static void choose_lanes(GraphExec *exec)
{
    const Step *last_in_lane[MAX_LANES] = {0};
    uint32_t opened = 0;
    for (size_t i = 0; i < exec->graph->count; i++) {
        Step *step = &exec->steps[i];
        uint32_t lane = MAX_LANES;
        for (size_t j = 0; j < step->node->before_count && lane == MAX_LANES; j++) {
            const Step *before = exec->of[step->node->before[j]->position];
            if (last_in_lane[before->lane] == before)
                lane = before->lane;
        }
        if (lane == MAX_LANES)
            lane = opened++ % MAX_LANES;
        step->lane = lane;
        step->is_first = last_in_lane[lane] == NULL;
        last_in_lane[lane] = step;
    }
    exec->lanes = opened < MAX_LANES ? opened : MAX_LANES;
}

static void choose_events(GraphExec *exec)
{
    for (size_t i = 0; i < exec->graph->count; i++)
        exec->steps[i].is_last = true;
    for (size_t i = 0; i < exec->graph->count; i++) {
        const Step *step = &exec->steps[i];
        for (size_t j = 0; j < step->node->before_count; j++) {
            Step *before = exec->of[step->node->before[j]->position];
            before->is_last = false;
            before->has_event |= before->lane != step->lane;
        }
    }
    for (size_t i = 0; i < exec->graph->count; i++)
        exec->steps[i].has_event |= exec->steps[i].is_last && exec->steps[i].lane != 0;
}

static cudaError_t make_events(GraphExec *exec)
{
    cudaError_t error = exec->lanes > 1 ? event_new(&exec->start, cudaEventDisableTiming) : cudaSuccess;
    exec->has_start = exec->lanes > 1 && error == cudaSuccess;
    for (size_t i = 0; i < exec->graph->count && error == cudaSuccess; i++) {
        Step *step = &exec->steps[i];
        if (step->has_event)
            error = event_new(&step->event, cudaEventDisableTiming);
        step->has_event = step->has_event && error == cudaSuccess;
    }
    for (uint32_t lane = 1; lane < exec->lanes && error == cudaSuccess; lane++)
        if (lane_streams[lane] == NULL)
            error = stream_new_of_graph(&lane_streams[lane]);
    return error;
}

static void exec_free(GraphExec *exec)
{
    for (size_t i = 0; exec->steps != NULL && i < exec->graph->count; i++) {
        if (exec->steps[i].has_event)
            event_free(exec->steps[i].event);
        if (exec->steps[i].child != NULL)
            exec_free(exec->steps[i].child);
    }
    if (exec->has_start)
        event_free(exec->start);
    graph_free(exec->graph);
    free(exec->steps);
    free(exec->of);
    free(exec);
}

static cudaError_t exec_new(GraphExec **made, const Graph *graph, unsigned long long flags);

static cudaError_t plan(GraphExec *exec)
{
    size_t count = exec->graph->count;
    size_t *order = malloc((count + 1) * sizeof *order);
    exec->steps = calloc(count + 1, sizeof *exec->steps);
    exec->of = calloc(count + 1, sizeof *exec->of);
    cudaError_t error = order == NULL || exec->steps == NULL || exec->of == NULL ? cudaErrorMemoryAllocation
                        : !graph_order(exec->graph, order)                       ? cudaErrorInvalidValue
                                                                                 : cudaSuccess;
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        GraphNode *node = exec->graph->nodes[order[i]];
        exec->steps[i].node = node;
        exec->of[order[i]] = &exec->steps[i];
        if (node->work.type == cudaGraphNodeTypeGraph)
            error = exec_new(&exec->steps[i].child, node->work.child, 0);
    }
    free(order);
    if (error != cudaSuccess)
        return error;
    choose_lanes(exec);
    choose_events(exec);
    return make_events(exec);
}

static cudaError_t exec_new(GraphExec **made, const Graph *graph, unsigned long long flags)
{
    GraphExec *exec = calloc(1, sizeof *exec);
    if (exec == NULL)
        return cudaErrorMemoryAllocation;
    exec->flags = flags;
    cudaError_t error = graph_copy(&exec->graph, graph);
    if (error == cudaSuccess)
        error = plan(exec);
    if (error == cudaSuccess)
        *made = exec;
    else
        exec_free(exec);
    return error;
}

/* ---- the launch -------------------------------------------------------------------------------------------------- */

static cudaError_t exec_run(GraphExec *exec, cudaStream_t stream);

static cudaError_t run_step(const GraphExec *exec, const Step *step, cudaStream_t lane)
{
    cudaError_t error = cudaSuccess;
    if (step->is_first && step->lane != 0)
        error = stream_wait(lane, exec->start);
    for (size_t i = 0; i < step->node->before_count && error == cudaSuccess; i++) {
        const Step *before = exec->of[step->node->before[i]->position];
        if (before->lane != step->lane)
            error = stream_wait(lane, before->event);
    }
    if (error == cudaSuccess && !step->node->disabled)
        error = step->child != NULL ? exec_run(step->child, lane) : work_run(&step->node->work, lane);
    return error == cudaSuccess && step->has_event ? event_record(step->event, lane) : error;
}

static cudaError_t exec_run(GraphExec *exec, cudaStream_t stream)
{
    cudaError_t error = exec->has_start ? event_record(exec->start, stream) : cudaSuccess;
    for (size_t i = 0; i < exec->graph->count && error == cudaSuccess; i++) {
        const Step *step = &exec->steps[i];
        error = run_step(exec, step, step->lane == 0 ? stream : lane_streams[step->lane]);
    }
    for (size_t i = 0; i < exec->graph->count && error == cudaSuccess; i++)
        if (exec->steps[i].is_last && exec->steps[i].lane != 0)
            error = stream_wait(stream, exec->steps[i].event);
    return error;
}

/* Launches of one executable graph come one after the other, whatever their streams (CUDA Runtime API,
 * cudaGraphLaunch). */
static cudaError_t wait_for_last_launch(GraphExec *exec, cudaStream_t stream)
{
    cudaEvent_t ended;
    if (!exec->was_launched || exec->last_stream == stream)
        return cudaSuccess;
    cudaError_t error = event_new(&ended, cudaEventDisableTiming);
    if (error != cudaSuccess)
        return error;
    if (event_record(ended, exec->last_stream) == cudaSuccess) /* else the stream was destroyed */
        error = stream_wait(stream, ended);
    event_free(ended);
    return error;
}

static cudaError_t launch(GraphExec *exec, cudaStream_t stream)
{
    const StreamWork work = {.type = cudaGraphNodeTypeGraph, .child = exec == NULL ? NULL : exec->graph};
    cudaError_t error;
    if (exec == NULL)
        return cudaErrorInvalidValue;
    if (capture_takes(stream, &work, &error))
        return error;
    error = wait_for_last_launch(exec, stream);
    if (error == cudaSuccess)
        error = exec_run(exec, stream);
    exec->last_stream = stream;
    exec->was_launched = true;
    return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    client_lock();
    cudaError_t error = launch(exec, stream);
    client_unlock();
    return result(error);
}

/* The nodes are sent to the device at each launch, so that there is nothing to do before. */
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    return result(exec == NULL ? cudaErrorInvalidValue : cudaSuccess);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    if (exec == NULL || graph == NULL)
        return cudaErrorInvalidValue;
    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0)
        return missing("graphs that kernels launch");
    client_lock();
    cudaError_t error = capture_fills(graph) ? cudaErrorIllegalState : exec_new(exec, graph, flags);
    client_unlock();
    return error;
}

/* In CUDA 11 the third parameter is where to report a node, and a text follows. */
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return result(instantiate(exec, graph, compiled_for_11() ? 0 : flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return result(instantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *parameters)
{
    if (parameters == NULL)
        return result(cudaErrorInvalidValue);
    cudaError_t error = instantiate(exec, graph, parameters->flags);
    parameters->errNode_out = NULL;
    parameters->result_out = error == cudaSuccess ? 0 : 1;
    return result(error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    if (exec == NULL)
        return result(cudaErrorInvalidValue);
    client_lock();
    exec_free(exec);
    client_unlock();
    return cudaSuccess;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    if (exec == NULL || flags == NULL)
        return result(cudaErrorInvalidValue);
    *flags = exec->flags;
    return cudaSuccess;
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* After an update, programs may also name nodes of the newer graph, which has the same form. */
GraphNode *exec_node(GraphExec *exec, cudaGraphNode_t node)
{
    if (exec == NULL || node == NULL)
        return NULL;
    for (size_t i = 0; i < exec->graph->count; i++)
        if (exec->graph->nodes[i]->original == node)
            return exec->graph->nodes[i];
    GraphNode *alike = node->position < exec->graph->count ? exec->graph->nodes[node->position] : NULL;
    return alike != NULL && alike->work.type == node->work.type ? alike : NULL;
}

static bool same_befores(const GraphNode *node, const GraphNode *other)
{
    bool same = node->before_count == other->before_count;
    for (size_t i = 0; i < node->before_count && same; i++)
        same = node->before[i]->position == other->before[i]->position;
    return same;
}

static enum cudaGraphExecUpdateResult compare(const Graph *old, const Graph *graph, cudaGraphNode_t *at)
{
    *at = NULL;
    if (old->count != graph->count)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < graph->count; i++) {
        *at = graph->nodes[i];
        if (old->nodes[i]->work.type != graph->nodes[i]->work.type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (!same_befores(old->nodes[i], graph->nodes[i]))
            return cudaGraphExecUpdateErrorTopologyChanged;
    }
    *at = NULL;
    return cudaGraphExecUpdateSuccess;
}

static cudaError_t update(GraphExec *exec, const Graph *graph, cudaGraphExecUpdateResultInfo *info)
{
    info->result = compare(exec->graph, graph, &info->errorNode);
    for (size_t i = 0; i < graph->count && info->result == cudaGraphExecUpdateSuccess; i++) {
        GraphNode *node = exec->graph->nodes[i];
        const GraphNode *from = graph->nodes[i];
        GraphExec *child = exec->of[i]->child;
        cudaError_t error = child != NULL ? update(child, from->work.child, info) : node_set_work(node, &from->work);
        if (error != cudaSuccess && info->result == cudaGraphExecUpdateSuccess)
            info->result = cudaGraphExecUpdateError;
    }
    return info->result == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
}

cudaError_t exec_set_child(GraphExec *exec, cudaGraphNode_t node, const Graph *child)
{
    cudaGraphExecUpdateResultInfo info = {0};
    GraphNode *found = exec_node(exec, node);
    if (found == NULL || child == NULL || found->work.type != cudaGraphNodeTypeGraph)
        return cudaErrorInvalidValue;
    return update(exec->of[found->position]->child, child, &info);
}

/* In CUDA 11 the third parameter is where to report a node, and a fourth one where to report the result. */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    cudaGraphExecUpdateResultInfo found = {0};
    if (exec == NULL || graph == NULL)
        return result(cudaErrorInvalidValue);
    client_lock();
    cudaError_t error = update(exec, graph, &found);
    client_unlock();
    if (info != NULL && compiled_for_11())
        *(cudaGraphNode_t *)(void *)info = found.errorNode;
    else if (info != NULL)
        *info = found;
    return result(error);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
    GraphNode *found = exec_node(exec, node);
    if (found == NULL)
        return result(cudaErrorInvalidValue);
    found->disabled = enabled == 0;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
    const GraphNode *found = exec_node(exec, node);
    if (found == NULL || enabled == NULL)
        return result(cudaErrorInvalidValue);
    *enabled = !found->disabled;
    return cudaSuccess;
}
