/* capture.h - while a stream is being captured, work on it becomes nodes of a graph instead of being done.
 *
 * A captured stream knows its ends: the nodes that come before the next one. An event that is recorded in it keeps the
 * ends of that moment, and a stream that waits for the event is captured, too, from then on.
 *
 * Source   CUDA Programming Guide 13.0, "Creating a Graph Using Stream Capture"; which calls end a capture with an error:
 *          CUDA Runtime API, cudaStreamBeginCapture, cudaThreadExchangeStreamCaptureMode and the errors 900 to 908.  */
#ifndef HARNESS_RUNTIME_GRAPH_CAPTURE_H
#define HARNESS_RUNTIME_GRAPH_CAPTURE_H

#include "harness/runtime/launch.h"

/* True: `work` is dealt with. It has become a node, or capture does not allow it; `error` says which. */
bool capture_takes(cudaStream_t stream, const StreamWork *work, cudaError_t *error);
/* The same for recording an event in a stream, and for making a stream wait for one. */
bool capture_takes_record(cudaStream_t stream, cudaEvent_t event, unsigned flags, cudaError_t *error);
bool capture_takes_wait(cudaStream_t stream, cudaEvent_t event, unsigned flags, cudaError_t *error);

/* Errors of calls that capture does not allow, which also end it: the host waits for a stream (NULL: a default stream)
 * or asks it, for an event, or for the whole device. */
cudaError_t capture_allows_wait(cudaStream_t stream);
cudaError_t capture_allows_event(cudaEvent_t event);
cudaError_t capture_allows_device_wait(void);
/* The same for calls that CUDA counts as potentially unsafe, such as cudaMalloc(). */
cudaError_t capture_allows_unsafe(void);

bool capture_is_active(cudaStream_t stream);
/* Is the graph being filled? */
bool capture_fills(cudaGraph_t graph);
void capture_forget_event(cudaEvent_t event);

#endif
