/* CUDA's calls that add a node to a graph, and that read or replace its parameters: in the graph, or in one that can be
 * launched.  */
#include "harness/runtime/array_place.h"
#include "harness/runtime/copy.h"
#include "harness/runtime/graph/graph_exec.h"
#include "harness/runtime/launch.h"
#include "harness/runtime/older.h"

#include <string.h>

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
