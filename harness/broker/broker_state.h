/* broker_state.h - what the files of the broker share: broker.c (the grader's requests), broker_call.c (one call of
 * solve()), broker_serve.c (the runner's requests), and the files that answer them by their subject.  */
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

/* The whole conversation with the grader, on a Broker that knows no more than its socket and the name of its device. */
void broker_run(Broker *broker);
/* Serves the runner until it posts `awaited`, or something else ends it; sets `end`. */
void broker_serve(Broker *broker, RingKind awaited);
void broker_load(Broker *broker);
void broker_call(Broker *broker, const ControlRequest *request);

/* ---- broker_serve.c ---------------------------------------------------------------------------------------------- */

typedef CudaError Serve(Broker *broker, RingReply *reply);

/* The body of a request that lists [0], [1], ... */
const uint64_t *broker_words(const Broker *broker);
/* For the report: the first error that a call of the submission met; `hint` may be empty. */
void broker_note_error(Broker *broker, CudaError error, const char *call, const char *hint);
/* The same of a call that CUDA has and the judge does not provide. */
void broker_note_missing(Broker *broker, const char *call, const char *hint);
/* A request that an honest runtime does not make: the runner is served no more. */
void broker_violation(Broker *broker, const char *text);
void broker_malformed(Broker *broker);

/* ---- broker_module.c: modules, functions, variables, launches ---------------------------------------------------- */

Serve serve_module, serve_function, serve_variable, serve_set_shared, serve_occupancy, serve_launch;

/* ---- broker_memory.c --------------------------------------------------------------------------------------------- */

/* Whether the bytes lie in one allocation or variable, which may be the judge's. */
bool broker_owns(Broker *broker, uint64_t address, uint64_t bytes);

Serve serve_alloc, serve_release, serve_memory_info, serve_owned, serve_write, serve_read, serve_copy, serve_fill;

/* ---- broker_device_info.c ---------------------------------------------------------------------------------------- */

Serve serve_device_info;

/* ---- broker_stream.c: streams and events ------------------------------------------------------------------------- */

/* Stream 0 is the device's NULL. False where the number stands for nothing. */
bool broker_stream(Broker *broker, uint64_t number, DeviceStream **stream);

Serve serve_synchronize, serve_stream_new, serve_stream_free, serve_stream_synchronize, serve_stream_query,
    serve_stream_wait, serve_event_new, serve_event_free, serve_event_record, serve_event_synchronize,
    serve_event_query, serve_event_elapsed;

/* ---- broker_texture.c: boxes, arrays, textures ------------------------------------------------------------------- */

Serve serve_copy_box, serve_fill_rows, serve_array_new, serve_array_free, serve_texture_new, serve_texture_free;

#endif
