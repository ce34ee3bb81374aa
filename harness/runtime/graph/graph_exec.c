/* CUDA's calls that add a node to a graph, and that read or replace its parameters: in the graph, or in one that can be
 * launched.  */
#include "harness/runtime/client.h"
#include "harness/runtime/copy.h"
#include "harness/runtime/graph/capture.h"
#include "harness/runtime/graph/graph.h"
#include "harness/runtime/launch.h"
#include "harness/runtime/managed.h"
#include "harness/runtime/wait.h"

#include <stdlib.h>
#include <string.h>

typedef struct CUgraphExec_st GraphExec;

/* ==== work run ==================================================================================================== */

/* Does a piece of work now, on a stream that is not being captured. */

static bool is_one_byte_repeated(const struct cudaMemsetParams *fill)
{
    uint32_t repeated = (uint8_t)fill->value * 0x01010101u;
    return fill->elementSize == 1 || fill->value == (fill->elementSize == 2 ? repeated >> 16 : repeated);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The device fills memory with bytes. Larger elements are written once, and then copied within the device, twice as many
 * each time. */
static cudaError_t fill_elements(const struct cudaMemsetParams *fill, cudaStream_t stream)
{
    char *to = fill->dst;
    size_t element = fill->elementSize, width = fill->width * element;
    cudaError_t error = copy_bytes(to, &fill->value, element, cudaMemcpyDefault, stream);
    for (size_t done = element; done < width && error == cudaSuccess; done *= 2)
        error = copy_bytes(to + done, to, least(done, width - done), cudaMemcpyDefault, stream);
    for (size_t done = 1; done < fill->height && error == cudaSuccess; done *= 2)
        error = box_copy(place_in_memory(to + done * fill->pitch, fill->pitch, 1), place_in_memory(to, fill->pitch, 1),
                         (Box){width, least(done, fill->height - done), 1}, cudaMemcpyDefault, stream);
    return error;
}

static cudaError_t run_fill(const struct cudaMemsetParams *fill, cudaStream_t stream)
{
    size_t width = fill->width * fill->elementSize;
    if (width == 0 || fill->height == 0)
        return cudaSuccess;
    if (!is_one_byte_repeated(fill))
        return fill_elements(fill, stream);
    return fill->height == 1
               ? fill_bytes(fill->dst, (int)fill->value, width, stream)
               : fill_rows_of_bytes(fill->dst, fill->pitch, (int)fill->value, width, fill->height, stream);
}

static cudaError_t run(const StreamWork *work, cudaStream_t stream)
{
    const CopyWork *copy = &work->copy;
    switch (work->type) {
    case cudaGraphNodeTypeKernel: return kernel_launch(&work->kernel, stream, false);
    case cudaGraphNodeTypeMemcpy:
        return copy->is_linear
                   ? copy_bytes(copy->to.pointer, copy->from.pointer, copy->box.width_bytes, copy->kind, stream)
                   : box_copy(copy->to, copy->from, copy->box, copy->kind, stream);
    case cudaGraphNodeTypeMemset: return run_fill(&work->fill, stream);
    case cudaGraphNodeTypeHost: return host_function_run(work->host.fn, work->host.userData, stream);
    case cudaGraphNodeTypeEventRecord: return event_record(work->event, stream);
    case cudaGraphNodeTypeWaitEvent: return stream_wait(stream, work->event);
    case cudaGraphNodeTypeMemAlloc: return graph_memory_renew(work->memory, RING_ALLOCATED, stream);
    case cudaGraphNodeTypeMemFree: return graph_memory_renew(work->memory, RING_FREED, stream);
    case cudaGraphNodeTypeEmpty: return cudaSuccess;
    default: return cudaErrorNotSupported;
    }
}

/* A child graph cannot be run like this. */
static cudaError_t work_run(const StreamWork *work, cudaStream_t stream)
{
    uint32_t place = caller_stand_in(work->place);
    cudaError_t error = run(work, stream);
    caller_stand_in(place);
    return error;
}

/* ==== graph exec ================================================================================================== */

/* Graphs that can be launched.
 *
 * A launch turns the nodes into ordinary requests, in an order that the graph allows: chains of nodes go to the stream of
 * the launch and to further streams, and events carry the dependencies between those. The broker holds all streams of a
 * call back until the host waits, so that launching node by node costs the device no more time than a graph of the
 * driver's would; and each copy and launch is checked, counted and timed as any other. */

/* Lane 0 is the stream of the launch; the others are streams of this library, which all graphs share. More parallel
 * chains than these share lanes, which only adds dependencies. */
enum { MAX_LANES = 16 };

typedef struct NodeStep { /* what a launch does for one node */
    GraphNode *node;
    uint32_t lane;
    bool is_first;     /* in its lane */
    bool is_last;      /* nothing comes after it: the end of the graph waits for it */
    bool has_event;    /* another lane, or the end, waits for it */
    cudaEvent_t event; /* recorded after it */
    GraphExec *child;  /* of a child graph */
} NodeStep;

struct CUgraphExec_st {
    Graph *graph;    /* a copy */
    NodeStep *steps; /* [graph->count] in an order of execution */
    NodeStep **of;   /* [graph->count] by the position of the node */
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
    const NodeStep *last_in_lane[MAX_LANES] = {0};
    uint32_t opened = 0;
    for (size_t i = 0; i < exec->graph->count; i++) {
        NodeStep *step = &exec->steps[i];
        uint32_t lane = MAX_LANES;
        for (size_t j = 0; j < step->node->before_count && lane == MAX_LANES; j++) {
            const NodeStep *before = exec->of[step->node->before[j]->position];
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
        const NodeStep *step = &exec->steps[i];
        for (size_t j = 0; j < step->node->before_count; j++) {
            NodeStep *before = exec->of[step->node->before[j]->position];
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
        NodeStep *step = &exec->steps[i];
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

static cudaError_t run_step(const GraphExec *exec, const NodeStep *step, cudaStream_t lane)
{
    cudaError_t error = cudaSuccess;
    if (step->is_first && step->lane != 0)
        error = stream_wait(lane, exec->start);
    for (size_t i = 0; i < step->node->before_count && error == cudaSuccess; i++) {
        const NodeStep *before = exec->of[step->node->before[i]->position];
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
        const NodeStep *step = &exec->steps[i];
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
/* The node of the executable graph that belongs to a node of the graph that it was made from. NULL: there is none. */
static GraphNode *exec_node(GraphExec *exec, cudaGraphNode_t node)
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

/* Gives it another child graph, which must have the same form. */
static cudaError_t exec_set_child(GraphExec *exec, cudaGraphNode_t node, const Graph *child)
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

/* ==== graph node ================================================================================================== */

/* ---- parameters as work ------------------------------------------------------------------------------------------ */

typedef struct NodeRequest { /* the work that a call describes, or why it cannot be done */
    cudaError_t error;
    StreamWork work;
    uint8_t parameters[MAX_PARAMETER_BYTES]; /* of a kernel */
} NodeRequest;

/* cuLaunchKernel()'s other way to pass parameters (CUDA Driver API 13.0, CU_LAUNCH_PARAM_...). */
static cudaError_t take_buffer(KernelWork *kernel, void **extra)
{
    const void *buffer = NULL;
    size_t bytes = 0;
    for (; *extra != NULL; extra += 2) {
        if ((uintptr_t)*extra == 1)
            buffer = extra[1];
        else if ((uintptr_t)*extra == 2)
            bytes = *(const size_t *)extra[1];
        else
            return cudaErrorInvalidValue;
    }
    if (buffer == NULL || bytes < kernel->function->info->parameter_bytes)
        return cudaErrorInvalidValue;
    memcpy(kernel->parameters, buffer, kernel->function->info->parameter_bytes);
    return cudaSuccess;
}

static void of_kernel(NodeRequest *request, const struct cudaKernelNodeParams *asked)
{
    request->work = (StreamWork){.type = cudaGraphNodeTypeKernel};
    if (asked == NULL) {
        request->error = cudaErrorInvalidValue;
        return;
    }
    KernelWork *kernel = &request->work.kernel;
    kernel->how = (Configuration){
        .grid = asked->gridDim, .block = asked->blockDim, .shared_bytes = asked->sharedMemBytes};
    request->error = kernel_pack(kernel, asked->func, asked->kernelParams, request->parameters);
    if (asked->kernelParams == NULL && asked->extra != NULL && kernel->function != NULL)
        request->error = take_buffer(kernel, asked->extra);
}

static void of_copy(NodeRequest *request, const struct cudaMemcpy3DParms *asked)
{
    request->work = (StreamWork){.type = cudaGraphNodeTypeMemcpy};
    CopyWork *copy = &request->work.copy;
    copy->kind = asked == NULL ? cudaMemcpyDefault : asked->kind;
    request->error = asked == NULL ? cudaErrorInvalidValue : places_of_3d(asked, &copy->to, &copy->from, &copy->box);
}

static void of_bytes(NodeRequest *request, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    request->error = to == NULL || from == NULL ? cudaErrorInvalidValue : cudaSuccess;
    request->work = work_copy_of_bytes(to, from, bytes, kind);
}

static void of_symbol(NodeRequest *request, void *to, const void *from, const void *symbol, size_t bytes, size_t offset,
                      enum cudaMemcpyKind kind)
{
    void *address;
    cudaError_t error = symbol_address(symbol, bytes, offset, &address);
    of_bytes(request, to == NULL ? address : to, from == NULL ? address : from, bytes, kind);
    if (error != cudaSuccess)
        request->error = error;
}

static void of_fill(NodeRequest *request, const struct cudaMemsetParams *asked)
{
    request->work = (StreamWork){.type = cudaGraphNodeTypeMemset};
    request->error = asked == NULL || asked->dst == NULL ||
                             (asked->elementSize != 1 && asked->elementSize != 2 && asked->elementSize != 4) ||
                             (asked->height > 1 && asked->pitch < asked->width * asked->elementSize)
                         ? cudaErrorInvalidValue
                         : cudaSuccess;
    if (request->error == cudaSuccess)
        request->work.fill = *asked;
}

static void of_host(NodeRequest *request, const struct cudaHostNodeParams *asked)
{
    request->error = asked == NULL || asked->fn == NULL ? cudaErrorInvalidValue : cudaSuccess;
    request->work = (StreamWork){.type = cudaGraphNodeTypeHost};
    if (request->error == cudaSuccess)
        request->work.host = *asked;
}

static void of_child(NodeRequest *request, cudaGraph_t child)
{
    request->error = child == NULL ? cudaErrorInvalidValue : cudaSuccess;
    request->work = (StreamWork){.type = cudaGraphNodeTypeGraph, .child = child};
}

static void of_event(NodeRequest *request, enum cudaGraphNodeType type, cudaEvent_t event)
{
    request->error = event == NULL ? cudaErrorInvalidValue : cudaSuccess;
    request->work = (StreamWork){.type = type, .event = event};
}

static void of_any(NodeRequest *request, const struct cudaGraphNodeParams *asked)
{
    request->error = cudaErrorInvalidValue;
    if (asked == NULL)
        return;
    switch (asked->type) {
    case cudaGraphNodeTypeKernel: of_kernel(request, &asked->kernel); break;
    case cudaGraphNodeTypeMemcpy: of_copy(request, &asked->memcpy.copyParams); break;
    case cudaGraphNodeTypeMemset: of_fill(request, &asked->memset); break;
    case cudaGraphNodeTypeHost: of_host(request, &asked->host); break;
    case cudaGraphNodeTypeGraph: of_child(request, asked->graph.graph); break;
    case cudaGraphNodeTypeWaitEvent: of_event(request, asked->type, asked->eventWait.event); break;
    case cudaGraphNodeTypeEventRecord: of_event(request, asked->type, asked->eventRecord.event); break;
    case cudaGraphNodeTypeEmpty: *request = (NodeRequest){.work = {.type = cudaGraphNodeTypeEmpty}}; break;
    default: request->error = missing("nodes of this type in a graph"); break;
    }
}

/* ---- what becomes of the work ------------------------------------------------------------------------------------ */

static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                       const NodeRequest *request)
{
    if (node == NULL || request->error != cudaSuccess)
        return node == NULL ? cudaErrorInvalidValue : request->error;
    client_lock();
    cudaError_t error = graph_add(graph, &request->work, before, count, node);
    client_unlock();
    return error;
}

static cudaError_t set(cudaGraphNode_t node, const NodeRequest *request)
{
    return request->error == cudaSuccess ? node_set_work(node, &request->work) : request->error;
}

static cudaError_t set_in_exec(cudaGraphExec_t exec, cudaGraphNode_t node, const NodeRequest *request)
{
    if (request->error == cudaSuccess && request->work.type == cudaGraphNodeTypeGraph)
        return exec_set_child(exec, node, request->work.child);
    return set(exec_node(exec, node), request);
}

static const StreamWork *work_of(cudaGraphNode_t node, enum cudaGraphNodeType type)
{
    return node != NULL && node->work.type == type ? &node->work : NULL;
}

/* Three calls of CUDA for each kind of node: PARAMETERS are those that describe the work, DESCRIBE makes it of them. */
#define NODE_CALLS(ADD, SET, SET_IN_EXEC, PARAMETERS, DESCRIBE)                                                        \
    cudaError_t ADD(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count, PARAMETERS) \
    {                                                                                                                  \
        NodeRequest request;                                                                                           \
        DESCRIBE;                                                                                                      \
        return result(add(node, graph, before, count, &request));                                                      \
    }                                                                                                                  \
    cudaError_t SET(cudaGraphNode_t node, PARAMETERS)                                                                  \
    {                                                                                                                  \
        NodeRequest request;                                                                                           \
        DESCRIBE;                                                                                                      \
        return result(set(node, &request));                                                                            \
    }                                                                                                                  \
    cudaError_t SET_IN_EXEC(cudaGraphExec_t exec, cudaGraphNode_t node, PARAMETERS)                                    \
    {                                                                                                                  \
        NodeRequest request;                                                                                           \
        DESCRIBE;                                                                                                      \
        return result(set_in_exec(exec, node, &request));                                                              \
    }
#define COMMA ,

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

NODE_CALLS(cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
           const struct cudaKernelNodeParams *parameters, of_kernel(&request, parameters))

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *parameters)
{
    const StreamWork *work = work_of(node, cudaGraphNodeTypeKernel);
    if (work == NULL || parameters == NULL)
        return result(cudaErrorInvalidValue);
    const KernelWork *kernel = &work->kernel;
    *parameters = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)kernel->function->host,
                                                .gridDim = kernel->how.grid,
                                                .blockDim = kernel->how.block,
                                                .sharedMemBytes = (unsigned)kernel->how.shared_bytes,
                                                .kernelParams = kernel->arguments};
    return cudaSuccess;
}

/* Attributes that change the meaning of a launch are refused; the others are hints and ignored. */
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue *value)
{
    if (work_of(node, cudaGraphNodeTypeKernel) == NULL || value == NULL)
        return result(cudaErrorInvalidValue);
    if (attribute == cudaLaunchAttributeClusterDimension)
        return missing("cudaGraphKernelNodeSetAttribute with a cluster");
    if (attribute == cudaLaunchAttributeCooperative)
        node->work.kernel.how.cooperative = value->cooperative != 0;
    if (attribute == cudaLaunchAttributeProgrammaticStreamSerialization)
        node->work.kernel.how.programmatic = value->programmaticStreamSerializationAllowed != 0;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            cudaKernelNodeAttrValue *value)
{
    if (work_of(node, cudaGraphNodeTypeKernel) == NULL || value == NULL)
        return result(cudaErrorInvalidValue);
    memset(value, 0, sizeof *value);
    if (attribute == cudaLaunchAttributeCooperative)
        value->cooperative = node->work.kernel.how.cooperative;
    if (attribute == cudaLaunchAttributeProgrammaticStreamSerialization)
        value->programmaticStreamSerializationAllowed = node->work.kernel.how.programmatic;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to)
{
    bool are_kernels = work_of(from, cudaGraphNodeTypeKernel) != NULL && work_of(to, cudaGraphNodeTypeKernel) != NULL;
    if (are_kernels) {
        to->work.kernel.how.cooperative = from->work.kernel.how.cooperative;
        to->work.kernel.how.programmatic = from->work.kernel.how.programmatic;
    }
    return result(are_kernels ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- copies and fills -------------------------------------------------------------------------------------------- */

NODE_CALLS(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
           const struct cudaMemcpy3DParms *parameters, of_copy(&request, parameters))
NODE_CALLS(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
           void *to COMMA const void *from COMMA size_t bytes COMMA enum cudaMemcpyKind kind,
           of_bytes(&request, to, from, bytes, kind))
NODE_CALLS(
    cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol, cudaGraphExecMemcpyNodeSetParamsToSymbol,
    const void *symbol COMMA const void *from COMMA size_t bytes COMMA size_t offset COMMA enum cudaMemcpyKind kind,
    of_symbol(&request, NULL, from, symbol, bytes, offset, kind))
NODE_CALLS(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
           cudaGraphExecMemcpyNodeSetParamsFromSymbol,
           void *to COMMA const void *symbol COMMA size_t bytes COMMA size_t offset COMMA enum cudaMemcpyKind kind,
           of_symbol(&request, to, NULL, symbol, bytes, offset, kind))
NODE_CALLS(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
           const struct cudaMemsetParams *parameters, of_fill(&request, parameters))

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *parameters)
{
    const StreamWork *work = work_of(node, cudaGraphNodeTypeMemcpy);
    if (work == NULL || parameters == NULL)
        return result(cudaErrorInvalidValue);
    *parameters = parameters_of_3d(&work->copy.to, &work->copy.from, &work->copy.box, work->copy.kind);
    return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *parameters)
{
    const StreamWork *work = work_of(node, cudaGraphNodeTypeMemset);
    if (work == NULL || parameters == NULL)
        return result(cudaErrorInvalidValue);
    *parameters = work->fill;
    return cudaSuccess;
}

/* ---- other nodes ------------------------------------------------------------------------------------------------- */

NODE_CALLS(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams,
           const struct cudaHostNodeParams *parameters, of_host(&request, parameters))
NODE_CALLS(cudaGraphAddEventRecordNode, cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
           cudaEvent_t event, of_event(&request, cudaGraphNodeTypeEventRecord, event))
NODE_CALLS(cudaGraphAddEventWaitNode, cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
           cudaEvent_t event, of_event(&request, cudaGraphNodeTypeWaitEvent, event))

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *parameters)
{
    const StreamWork *work = work_of(node, cudaGraphNodeTypeHost);
    if (work == NULL || parameters == NULL)
        return result(cudaErrorInvalidValue);
    *parameters = work->host;
    return cudaSuccess;
}

static cudaError_t get_event(cudaGraphNode_t node, enum cudaGraphNodeType type, cudaEvent_t *event)
{
    const StreamWork *work = work_of(node, type);
    if (work == NULL || event == NULL)
        return cudaErrorInvalidValue;
    *event = work->event;
    return cudaSuccess;
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return result(get_event(node, cudaGraphNodeTypeEventRecord, event));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return result(get_event(node, cudaGraphNodeTypeWaitEvent, event));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                       size_t count, cudaGraph_t child)
{
    NodeRequest request;
    of_child(&request, child);
    return result(add(node, graph, before, count, &request));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *child)
{
    const StreamWork *work = work_of(node, cudaGraphNodeTypeGraph);
    if (work == NULL || child == NULL)
        return result(cudaErrorInvalidValue);
    *child = work->child;
    return cudaSuccess;
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    return result(exec_set_child(exec, node, child));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count)
{
    const NodeRequest request = {.work = {.type = cudaGraphNodeTypeEmpty}};
    return result(add(node, graph, before, count, &request));
}

/* ---- nodes of any type ------------------------------------------------------------------------------------------- */

/* CUDA 12 declares this name without the data of the edges, so that each later parameter is one place further ahead. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                             const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *parameters)
{
    NodeRequest request;
    if (compiled_before_13()) {
        of_any(&request, (const struct cudaGraphNodeParams *)(uintptr_t)count);
        count = (size_t)(uintptr_t)edges;
    } else {
        of_any(&request, parameters);
    }
    return result(add(node, graph, before, count, &request));
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *parameters)
{
    NodeRequest request;
    of_any(&request, parameters);
    return result(set(node, &request));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *parameters)
{
    NodeRequest request;
    of_any(&request, parameters);
    return result(set_in_exec(exec, node, &request));
}

/* ==== graph call ================================================================================================== */

/* CUDA's calls about graphs as a whole, and about the edges between their nodes.  */

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
