/* Answers questions of a program about a stream that is being captured.  */
#include "harness/runtime/graph/capture.h"

#include "harness/runtime/client.h"
#include "harness/runtime/graph/graph.h"
#include "harness/runtime/managed.h"

#include <pthread.h>
#include <stdlib.h>

/* The captures under way, for all parts of this file. All of it is guarded by client_lock(). */

typedef struct Ends { /* nodes behind which the next one comes */
    cudaGraphNode_t *nodes;
    size_t count;
} Ends;

typedef struct Captured Captured;

typedef struct Capture {
    unsigned long long id;
    cudaStream_t origin; /* where it was begun, and must end */
    pthread_t thread;
    enum cudaStreamCaptureMode mode;
    Graph *graph;
    bool owns_graph; /* until it ends */
    bool is_broken;  /* something happened that ends it with an error */
    Captured *streams, *events;
    struct Capture *next;
} Capture;

struct Captured { /* a stream that is being captured, or an event that was recorded in one */
    void *handle;
    Ends ends;
    Captured *next;
};

/* ==== capture ===================================================================================================== */

static Capture *all_captures;
static unsigned long long last_id;
static __thread enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

/* ---- ends -------------------------------------------------------------------------------------------------------- */

static bool add_end(Ends *ends, cudaGraphNode_t node)
{
    for (size_t i = 0; i < ends->count; i++)
        if (ends->nodes[i] == node)
            return true;
    cudaGraphNode_t *nodes = realloc(ends->nodes, (ends->count + 1) * sizeof *nodes);
    if (nodes == NULL)
        return false;
    ends->nodes = nodes;
    nodes[ends->count++] = node;
    return true;
}

/* False: no memory. */
static bool capture_add_ends(Ends *to, const Ends *from)
{
    bool added = true;
    for (size_t i = 0; i < from->count && added; i++)
        added = add_end(to, from->nodes[i]);
    return added;
}

static Captured *captured_of(Captured *all, const void *handle)
{
    while (all != NULL && all->handle != handle)
        all = all->next;
    return all;
}

/* Finds the entry of a handle, or makes one without ends. */
static Captured *captured_make(Captured **all, void *handle)
{
    Captured *found = captured_of(*all, handle);
    if (found != NULL)
        return found;
    found = calloc(1, sizeof *found);
    if (found == NULL)
        return NULL;
    *found = (Captured){.handle = handle, .next = *all};
    *all = found;
    return found;
}

static void free_captured(Captured *all)
{
    while (all != NULL) {
        Captured *next = all->next;
        free(all->ends.nodes);
        free(all);
        all = next;
    }
}

static void forget_captured(Captured **all, const void *handle)
{
    while (*all != NULL && (*all)->handle != handle)
        all = &(*all)->next;
    if (*all == NULL)
        return;
    Captured *found = *all;
    *all = found->next;
    found->next = NULL;
    free_captured(found);
}

/* ---- captures ---------------------------------------------------------------------------------------------------- */

/* Stream handles that mean the legacy default stream; each other handle is a stream of its own. */
static bool is_legacy(cudaStream_t stream)
{
    return stream == NULL || stream == cudaStreamLegacy || stream == HOST_WAITS;
}

/* The capture of a stream, and its entry there; NULL: the stream is not being captured. */
static Capture *capture_of(cudaStream_t stream, Captured **captured)
{
    for (Capture *capture = all_captures; capture != NULL && !is_legacy(stream); capture = capture->next)
        if ((*captured = captured_of(capture->streams, stream)) != NULL)
            return capture;
    return NULL;
}

static Capture *capture_with_event(cudaEvent_t event, Captured **captured)
{
    for (Capture *capture = all_captures; capture != NULL; capture = capture->next)
        if ((*captured = captured_of(capture->events, event)) != NULL)
            return capture;
    return NULL;
}

static cudaError_t break_off(Capture *capture, cudaError_t error)
{
    capture->is_broken = true;
    return error;
}

/* Work on the legacy stream would have to wait for the captured streams, except for those that are non-blocking. */
static cudaError_t legacy_allowed(void)
{
    cudaError_t error = cudaSuccess;
    for (Capture *capture = all_captures; capture != NULL; capture = capture->next)
        for (Captured *stream = capture->streams; stream != NULL; stream = stream->next)
            if (!stream_is_non_blocking(stream->handle))
                error = break_off(capture, cudaErrorStreamCaptureImplicit);
    return error;
}

bool capture_takes(cudaStream_t stream, const StreamWork *work, cudaError_t *error)
{
    Captured *captured;
    GraphNode *node;
    if (all_captures == NULL)
        return false;
    client_lock();
    Capture *capture = capture_of(stream, &captured);
    *error = capture == NULL && is_legacy(stream) ? legacy_allowed() : cudaSuccess;
    if (capture != NULL && capture->is_broken) {
        *error = cudaErrorStreamCaptureInvalidated;
    } else if (capture != NULL) {
        *error = graph_add(capture->graph, work, captured->ends.nodes, captured->ends.count, &node);
        captured->ends.count = 0;
        if (*error == cudaSuccess && !add_end(&captured->ends, node))
            *error = cudaErrorMemoryAllocation;
        if (*error != cudaSuccess)
            break_off(capture, *error);
    }
    client_unlock();
    return capture != NULL || *error != cudaSuccess;
}

/* An external event is recorded, or waited for, whenever the graph runs. */
static StreamWork external(enum cudaGraphNodeType type, cudaEvent_t event)
{
    return (StreamWork){.type = type, .event = event};
}

bool capture_takes_record(cudaStream_t stream, cudaEvent_t event, unsigned flags, cudaError_t *error)
{
    Captured *captured;
    const StreamWork work = external(cudaGraphNodeTypeEventRecord, event);
    if (all_captures == NULL)
        return false;
    if ((flags & cudaEventRecordExternal) != 0)
        return capture_takes(stream, &work, error);
    client_lock();
    Capture *capture = capture_of(stream, &captured);
    *error = capture == NULL && is_legacy(stream) ? legacy_allowed() : cudaSuccess;
    capture_forget_event(event);
    if (capture != NULL && capture->is_broken) {
        *error = cudaErrorStreamCaptureInvalidated;
    } else if (capture != NULL) {
        Captured *recorded = captured_make(&capture->events, event);
        if (recorded == NULL || !capture_add_ends(&recorded->ends, &captured->ends))
            *error = break_off(capture, cudaErrorMemoryAllocation);
    }
    client_unlock();
    return capture != NULL || *error != cudaSuccess;
}

/* A stream that is captured cannot wait for what is not captured, nor for another capture. */
static cudaError_t join(Capture *capture, Capture *of_event, cudaStream_t stream, const Captured *recorded)
{
    if (of_event == NULL)
        return break_off(capture, cudaErrorStreamCaptureIsolation);
    if (capture != NULL && capture != of_event) {
        break_off(of_event, cudaErrorStreamCaptureMerge);
        return break_off(capture, cudaErrorStreamCaptureMerge);
    }
    if (of_event->is_broken)
        return cudaErrorStreamCaptureInvalidated;
    if (is_legacy(stream))
        return break_off(of_event, cudaErrorStreamCaptureImplicit);
    Captured *joined = captured_make(&of_event->streams, stream);
    return joined != NULL && capture_add_ends(&joined->ends, &recorded->ends)
               ? cudaSuccess
               : break_off(of_event, cudaErrorMemoryAllocation);
}

bool capture_takes_wait(cudaStream_t stream, cudaEvent_t event, unsigned flags, cudaError_t *error)
{
    Captured *captured, *recorded = NULL;
    const StreamWork work = external(cudaGraphNodeTypeWaitEvent, event);
    if (all_captures == NULL)
        return false;
    if ((flags & cudaEventWaitExternal) != 0)
        return capture_takes(stream, &work, error);
    client_lock();
    Capture *capture = capture_of(stream, &captured), *of_event = capture_with_event(event, &recorded);
    *error = capture == NULL && of_event == NULL && is_legacy(stream) ? legacy_allowed() : cudaSuccess;
    if (capture != NULL || of_event != NULL)
        *error = join(capture, of_event, stream, recorded);
    client_unlock();
    return capture != NULL || of_event != NULL || *error != cudaSuccess;
}

/* ---- what capture does not allow --------------------------------------------------------------------------------- */

cudaError_t capture_allows_wait(cudaStream_t stream)
{
    Captured *captured;
    if (all_captures == NULL)
        return cudaSuccess;
    client_lock();
    Capture *capture = capture_of(stream, &captured);
    cudaError_t error = capture != NULL     ? break_off(capture, cudaErrorStreamCaptureUnsupported)
                        : is_legacy(stream) ? legacy_allowed()
                                            : cudaSuccess;
    client_unlock();
    return error;
}

cudaError_t capture_allows_event(cudaEvent_t event)
{
    Captured *recorded;
    if (all_captures == NULL)
        return cudaSuccess;
    client_lock();
    Capture *capture = capture_with_event(event, &recorded);
    cudaError_t error = capture == NULL ? cudaSuccess : break_off(capture, cudaErrorCapturedEvent);
    client_unlock();
    return error == cudaSuccess ? capture_allows_unsafe() : error;
}

cudaError_t capture_allows_device_wait(void)
{
    cudaError_t error = cudaSuccess;
    if (all_captures == NULL)
        return cudaSuccess;
    client_lock();
    for (Capture *capture = all_captures; capture != NULL; capture = capture->next)
        error = break_off(capture, cudaErrorStreamCaptureUnsupported);
    client_unlock();
    return error;
}

static bool forbids_unsafe(const Capture *capture)
{
    if (thread_mode == cudaStreamCaptureModeRelaxed || capture->mode == cudaStreamCaptureModeRelaxed)
        return false;
    bool is_own = pthread_equal(capture->thread, pthread_self()) != 0;
    return is_own || (capture->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal);
}

cudaError_t capture_allows_unsafe(void)
{
    cudaError_t error = cudaSuccess;
    if (all_captures == NULL)
        return cudaSuccess;
    client_lock();
    for (Capture *capture = all_captures; capture != NULL; capture = capture->next)
        if (forbids_unsafe(capture))
            error = break_off(capture, cudaErrorStreamCaptureUnsupported);
    client_unlock();
    return error;
}

bool capture_is_active(cudaStream_t stream)
{
    Captured *captured;
    client_lock();
    bool active = capture_of(stream, &captured) != NULL;
    client_unlock();
    return active;
}

bool capture_fills(cudaGraph_t graph)
{
    client_lock();
    Capture *capture = all_captures;
    while (capture != NULL && capture->graph != graph)
        capture = capture->next;
    client_unlock();
    return capture != NULL;
}

void capture_forget_event(cudaEvent_t event)
{
    client_lock();
    for (Capture *capture = all_captures; capture != NULL; capture = capture->next)
        forget_captured(&capture->events, event);
    client_unlock();
}

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

static cudaError_t begin(cudaStream_t stream, Graph *graph, const cudaGraphNode_t *before, size_t count,
                         enum cudaStreamCaptureMode mode)
{
    Captured *captured;
    if (is_legacy(stream))
        return cudaErrorStreamCaptureUnsupported;
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed || (count > 0 && before == NULL))
        return cudaErrorInvalidValue;
    if (capture_of(stream, &captured) != NULL)
        return cudaErrorIllegalState;
    Capture *capture = calloc(1, sizeof *capture);
    if (capture == NULL)
        return cudaErrorMemoryAllocation;
    *capture = (Capture){.id = ++last_id,
                         .origin = stream,
                         .thread = pthread_self(),
                         .mode = mode,
                         .graph = graph != NULL ? graph : graph_new(),
                         .owns_graph = graph == NULL,
                         .next = all_captures};
    captured = captured_make(&capture->streams, stream);
    if (capture->graph == NULL || captured == NULL ||
        !capture_add_ends(&captured->ends, &(Ends){(cudaGraphNode_t *)before, count})) {
        free_captured(capture->streams);
        free(capture);
        return cudaErrorMemoryAllocation;
    }
    all_captures = capture;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    client_lock();
    cudaError_t error = begin(stream, NULL, NULL, 0, mode);
    client_unlock();
    return result(error);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *before,
                                          const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode)
{
    client_lock();
    cudaError_t error = graph == NULL ? cudaErrorInvalidValue : begin(stream, graph, before, count, mode);
    client_unlock();
    return result(error);
}

/* Does the node come before one of the ends, or is it one? Marks all such nodes. */
static void mark_before(const Ends *ends, bool *reached)
{
    for (size_t i = 0; i < ends->count; i++) {
        const GraphNode *node = ends->nodes[i];
        if (reached[node->position])
            continue;
        reached[node->position] = true;
        mark_before(&(Ends){node->before, node->before_count}, reached);
    }
}

/* The last work of every captured stream must come before the end of the stream where the capture was begun. */
static cudaError_t check_joined(const Capture *capture, const Captured *origin)
{
    bool *reached = calloc(capture->graph->count + 1, sizeof *reached);
    cudaError_t error = reached == NULL ? cudaErrorMemoryAllocation : cudaSuccess;
    if (reached != NULL)
        mark_before(&origin->ends, reached);
    for (const Captured *stream = capture->streams; stream != NULL && error == cudaSuccess; stream = stream->next)
        for (size_t i = 0; i < stream->ends.count; i++)
            if (!reached[stream->ends.nodes[i]->position])
                error = cudaErrorStreamCaptureUnjoined;
    free(reached);
    return error;
}

static void finish(Capture *capture)
{
    Capture **link = &all_captures;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    free_captured(capture->streams);
    free_captured(capture->events);
    free(capture);
}

static cudaError_t end(cudaStream_t stream, cudaGraph_t *graph)
{
    Captured *captured;
    Capture *capture = capture_of(stream, &captured);
    if (capture == NULL)
        return cudaErrorIllegalState;
    if (capture->origin != stream)
        return break_off(capture, cudaErrorStreamCaptureUnmatched);
    if (capture->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(capture->thread, pthread_self()))
        return break_off(capture, cudaErrorStreamCaptureWrongThread);
    cudaError_t error = capture->is_broken ? cudaErrorStreamCaptureInvalidated : check_joined(capture, captured);
    if (error == cudaSuccess)
        *graph = capture->graph;
    else if (capture->owns_graph)
        graph_free(capture->graph);
    finish(capture);
    return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    if (graph == NULL)
        return result(cudaErrorInvalidValue);
    *graph = NULL;
    client_lock();
    cudaError_t error = end(stream, graph);
    client_unlock();
    return result(error);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    if (mode == NULL || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return result(cudaErrorInvalidValue);
    enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}

/* ==== capture info ================================================================================================ */

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
