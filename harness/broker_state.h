/* broker_state.h - what the files of the broker share: broker.c (the grader's requests), broker_call.c (one call of
 * solve()) and broker_serve.c (the runner's requests).  */
#ifndef HARNESS_BROKER_STATE_H
#define HARNESS_BROKER_STATE_H

#include "harness/control.h"
#include "harness/device/device.h"
#include "harness/handles.h"
#include "harness/ring.h"

typedef enum ServeEnd { /* why the runner is no longer served */
    SERVE_GOING,
    SERVE_DONE,         /* what was waited for has come: loaded, or returned */
    SERVE_LOAD_FAILED,
    SERVE_UNSUPPORTED,  /* GPU code that the device cannot load */
    SERVE_RUNNER_GONE,
    SERVE_HOST_TIME,    /* the runner kept the device waiting for too long */
    SERVE_DEVICE_TIME,  /* a kernel ran past its budget */
    SERVE_VIOLATION     /* a request that an honest runtime does not make */
} ServeEnd;

typedef struct BrokerModule {
    const uint8_t *image; /* as nvcc compiled it; in the memory shared with the grader */
    size_t bytes;
    DeviceModule *loaded; /* NULL until the runner registers it */
} BrokerModule;

typedef struct BrokerFunction {
    DeviceFunction *function;
    char name[RING_MAX_NAME];
} BrokerFunction;

typedef struct BrokerEvent {
    DeviceEvent *event;
    bool untimed;
} BrokerEvent;

typedef struct Broker {
    int control;
    Device *device;
    SessionLimits limits;

    RingReader reader;
    RingRecord record;       /* the request at hand, copied out of the shared memory */
    BrokerModule modules[CONTROL_MAX_MODULES];
    size_t module_count;
    Handles functions, streams, events; /* of BrokerFunction, DeviceStream, BrokerEvent */
    CudaError posted_error;  /* the first error of a posted launch that no reply has told yet */

    uint8_t *buffers;        /* the arrays, shared with the grader */
    size_t buffer_bytes;
    uint64_t arrays[SESSION_MAX_PARAMETERS]; /* device addresses during a call; 0: none */

    ServeEnd end;
    char end_text[700];      /* for SERVE_LOAD_FAILED, _UNSUPPORTED and _VIOLATION */
    double host_seconds;     /* that the runner has kept the device waiting in this call */
    ControlReply reply;      /* being filled in */
} Broker;

/* Serves the runner until it posts `awaited`, or something else ends it; sets `end`. */
void broker_serve(Broker *broker, RingKind awaited);
void broker_load(Broker *broker);
void broker_call(Broker *broker, const ControlRequest *request);

#endif
