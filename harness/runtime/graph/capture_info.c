/* What a program can ask about a stream that is being captured.  */
#include "harness/runtime/graph/capture_state.h"
#include "harness/runtime/older.h"

typedef struct CaptureInfo {
    enum cudaStreamCaptureStatus status;
    unsigned long long id;
    cudaGraph_t graph;
    Ends ends;
} CaptureInfo;

static CaptureInfo info_of(cudaStream_t stream)
{
    Captured *captured;
    client_lock();
    const Capture *capture = capture_of(stream, &captured);
    CaptureInfo info = {.status = cudaStreamCaptureStatusNone};
    if (capture != NULL)
        info = (CaptureInfo){capture->is_broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive,
                             capture->id, capture->graph, captured->ends};
    client_unlock();
    return info;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    if (status == NULL)
        return result(cudaErrorInvalidValue);
    *status = info_of(stream).status;
    return cudaSuccess;
}

/* CUDA 12 and 11 declare this name with the first three parameters. */
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **before,
                                     const cudaGraphEdgeData **edges, size_t *count)
{
    if (status == NULL)
        return result(cudaErrorInvalidValue);
    CaptureInfo info = info_of(stream);
    *status = info.status;
    if (info.status != cudaStreamCaptureStatusActive)
        return cudaSuccess;
    if (id != NULL)
        *id = info.id;
    if (compiled_before_13())
        return cudaSuccess;
    if (graph != NULL)
        *graph = info.graph;
    if (before != NULL)
        *before = info.ends.nodes;
    if (edges != NULL)
        *edges = NULL;
    if (count != NULL)
        *count = info.ends.count;
    return cudaSuccess;
}

static cudaError_t update_ends(cudaStream_t stream, cudaGraphNode_t *before, size_t count, unsigned flags)
{
    Captured *captured;
    Capture *capture = capture_of(stream, &captured);
    if (capture == NULL || capture->is_broken)
        return cudaErrorIllegalState;
    if (flags > cudaStreamSetCaptureDependencies || (count > 0 && before == NULL))
        return cudaErrorInvalidValue;
    if (flags == cudaStreamSetCaptureDependencies)
        captured->ends.count = 0;
    return capture_add_ends(&captured->ends, &(Ends){before, count}) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *before,
                                                const cudaGraphEdgeData *edges, size_t count, unsigned flags)
{
    client_lock();
    cudaError_t error = compiled_before_13() ? update_ends(stream, before, (size_t)(uintptr_t)edges, (unsigned)count)
                                             : update_ends(stream, before, count, flags);
    client_unlock();
    return result(error);
}
