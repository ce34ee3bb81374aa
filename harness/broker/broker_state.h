/* broker_state.h - everything that a broker knows while it serves one grader and one runner.  */
#ifndef HARNESS_BROKER_BROKER_STATE_H
#define HARNESS_BROKER_BROKER_STATE_H

#include "harness/control/control_message.h"
#include "harness/device/device.h"
#include "harness/device/sim/execution_profile.h"
#include "harness/broker/handles.h"
#include "harness/protocol/ring.h"

typedef enum ServeEnd { /* why the runner is no longer served */
                        SERVE_GOING,
                        SERVE_DONE, /* what was waited for has come: loaded, or returned */
                        SERVE_LOAD_FAILED,
                        SERVE_UNSUPPORTED, /* GPU code that the device cannot load */
                        SERVE_RUNNER_GONE,
                        SERVE_HOST_TIME,   /* the runner kept the device waiting for too long */
                        SERVE_DEVICE_TIME, /* a kernel ran past its budget */
                        SERVE_VIOLATION    /* a request that an honest runtime does not make */
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

typedef struct BrokerArray {
    DeviceArray *array;
    DeviceShape shape;
} BrokerArray;

enum { BROKER_MAX_TEXTURES = 1 << 16 };

typedef struct BrokerTextures { /* those that live, by the number that the device gave them */
    uint64_t number[BROKER_MAX_TEXTURES];
    uint32_t count;
} BrokerTextures;

typedef struct Broker {
    int control;
    const char *device_name;
    Device *device; /* NULL until it is opened */
    int printed;    /* what kernels print on a real GPU, whose driver writes to standard output; -1: none */
    CallLimits limits;

    RingReader reader;
    RingRecord record;     /* the request at hand, copied out of the shared memory */
    const uint8_t *images; /* the modules' memory, shared with the grader; NULL: there are none */
    size_t image_bytes;
    BrokerModule modules[CONTROL_MAX_MODULES];
    size_t module_count;
    Handles functions, streams, events; /* of BrokerFunction, DeviceStream, BrokerEvent */
    Handles cuda_arrays;                /* of BrokerArray */
    BrokerTextures textures;
    CudaError posted_error; /* the first error of a posted launch that no reply has told yet */

    uint8_t *buffers; /* the arrays, shared with the grader */
    size_t buffer_bytes;
    bool has_exchange;                    /* for these buffers */
    bool buffers_pinned;                  /* once a call's arrays have come through them */
    ExecutionProfile *profile;            /* shared with the grader; NULL: none is wanted */
    uint64_t arrays[CALL_MAX_PARAMETERS]; /* device addresses during a call; 0: none */

    ServeEnd end;
    char end_text[700];    /* for SERVE_LOAD_FAILED, _UNSUPPORTED and _VIOLATION */
    double host_seconds;   /* that the runner has kept the device waiting in this call */
    char not_provided[60]; /* CallReport.not_provided, of the runner at hand */
    ControlReply reply;    /* being filled in */
} Broker;

#endif
