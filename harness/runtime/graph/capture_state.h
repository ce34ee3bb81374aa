/* capture_state.h - the captures under way, for the files that implement capture.h. All of it is guarded by client_lock().
 */
#ifndef HARNESS_RUNTIME_GRAPH_CAPTURE_STATE_H
#define HARNESS_RUNTIME_GRAPH_CAPTURE_STATE_H

#include "harness/runtime/graph/graph.h"

#include <pthread.h>

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

/* The capture of a stream, and its entry there; NULL: the stream is not being captured. */
Capture *capture_of(cudaStream_t stream, Captured **captured);
/* False: no memory. */
bool capture_add_ends(Ends *to, const Ends *from);

#endif
