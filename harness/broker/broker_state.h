/* broker_state.h - everything that a broker knows while it serves one grader and one runner.  */
#ifndef HARNESS_BROKER_BROKER_STATE_H
#define HARNESS_BROKER_BROKER_STATE_H

#include "harness/control/control_message.h"
#include "harness/control/host_clock.h"
#include "harness/device/device.h"
#include "harness/device/sim/execution_profile.h"
#include "harness/broker/handles.h"
#include "harness/protocol/ring.h"

/* Why broker_serve() no longer serves the runner. */
typedef enum ServeEnd {
    SERVE_GOING, /* it still does */
    SERVE_DONE,  /* the awaited request has come: the object is to be loaded, is loaded, or solve() has returned */
    SERVE_LOAD_FAILED, /* the object or its GPU code cannot be loaded */
    SERVE_UNSUPPORTED, /* the device does not support the GPU code */
    SERVE_RUNNER_GONE,
    SERVE_BUDGET,      /* the call took what is left of the grading's budget */
    SERVE_HOST_TIME,   /* the runner kept the device waiting for too long */
    SERVE_WORK_TIME,   /* the device worked for too long while the runner did something else */
    SERVE_TOO_MUCH,    /* it asked for more than one call may ask for */
    SERVE_DEVICE_TIME, /* a kernel exceeded its time limit or budget */
    SERVE_VIOLATION    /* a request that an honest runtime library does not send */
} ServeEnd;

typedef struct BrokerModule {
    const uint8_t *image; /* as nvcc compiled it; in memory shared with the grader */
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

/* What one submission may use at the same time, so that it uses up neither the broker's memory nor the device's tables,
 * which the judge needs as well: simulated memory has 8192 allocations (simgpu/memory/memory.c). The largest programs
 * among the public solutions use 6 streams, 12 events and 16 allocations. */
enum {
    BROKER_MAX_ALLOCATIONS = 4096,
    BROKER_MAX_ARRAYS = 1024,
    BROKER_MAX_STREAMS = 1024,
    BROKER_MAX_EVENTS = 1 << 16,
    BROKER_MAX_TEXTURES = 1 << 16,  /* and as many surfaces */
    BROKER_MAX_REQUESTS = 4000000,  /* in one call */
    BROKER_MAX_SERVING_SECONDS = 60 /* in one call, on the simulated GPU, besides launches */
};

typedef struct BrokerTextures { /* numbers of the existing textures, or surfaces; the device gave them */
    uint64_t number[BROKER_MAX_TEXTURES];
    uint32_t count;
} BrokerTextures;

typedef struct HostWork {      /* of the runner in a call (broker_host_work.h) */
    bool has_no_clock;         /* the grader does not know the time */
    bool has_data;             /* the host has got data of this call, when the clock showed these: */
    double since_s, delayed_s; /* it had computed, and waited for a core, for so long */
    uint64_t copied_bytes;     /* to the host and from it */
    double charged_s;
} HostWork;

typedef struct HostTime { /* of the runner in a call (broker_host_time.h) */
    double own_s;         /* for which it has kept the device waiting */
    double waited_s;   /* for which the broker has waited for it since the last answer, which is not in `own_s` yet */
    bool has_clock;    /* the grader knows the time, on a simulated GPU; it was */
    HostClock seen;    /*   this one at the last answer, */
    double since_s;    /*   which was asked for then, by now_s(), */
    uint32_t requests; /*   after so many requests of the call */
} HostTime;

typedef struct Broker {
    int control; /* the socket to the grader (control.h) */
    const char *device_name;
    bool is_process;                                        /* a process of its own, which confines itself */
    char unconfined[sizeof(((DeviceInfo *)0)->unconfined)]; /* what of its confinement the kernel did not offer */
    Device *device;                                         /* NULL until it is opened */
    int printed; /* reading end of the pipe with the output of the driver of a real GPU; -1: none */
    CallLimits limits;

    RingReader reader;
    RingRecord record;     /* the present request, copied out of the shared memory */
    const uint8_t *images; /* of the modules; memory shared with the grader; NULL: there are none */
    size_t image_bytes;
    BrokerModule modules[CONTROL_MAX_MODULES];
    size_t module_count;
    Handles functions, streams, events; /* of BrokerFunction, DeviceStream, BrokerEvent */
    Handles cuda_arrays;                /* of BrokerArray */
    uint32_t allocation_count;          /* of the submission's own, living */
    BrokerTextures textures, surfaces;
    CudaError posted_error; /* RingReply.posted_error of the next reply */

    uint8_t *buffers; /* host memory of the arrays, shared with the grader */
    size_t buffer_bytes;
    bool has_exchange;                          /* for these buffers */
    bool buffers_pinned;                        /* the device knows them */
    ExecutionProfile *profile;                  /* shared with the grader; NULL: calls are not profiled */
    uint64_t arrays[CALL_MAX_PARAMETERS];       /* device addresses during a call; 0: none */
    uint64_t last_arrays[CALL_MAX_PARAMETERS];  /* likewise of the call before, whose arrays are released */
    uint64_t output_bytes[CALL_MAX_PARAMETERS]; /* of those arrays that are outputs; else 0 */
    uint64_t launches;                          /* of this call */

    ServeEnd end;
    MistakeKind violation;                      /* for SERVE_VIOLATION */
    char end_text[700];                         /* for SERVE_LOAD_FAILED, _UNSUPPORTED, _TOO_MUCH and _VIOLATION */
    double most_requests, most_serving_seconds; /* BROKER_MAX_..., or lower ones for tests (docs/settings.md) */
    uint32_t requests;                          /* of this call */
    double seconds_left;                        /* ControlRequest.seconds_left; 0: unlimited */
    double served_s;                            /* when this call began */
    double serving_seconds; /* processor time of this call, without launches; counted on the simulated GPU */
    double busy_seconds;    /* of this call: the broker worked for the runner */
    HostWork host_work;
    int host_clock; /* host_clock.h; -1: none */
    HostTime host_time;
    double work_seconds;   /* for which a real GPU has worked in this call while the runner did something else */
    char not_provided[60]; /* CallReport.not_provided, of this runner */
    ControlReply reply;    /* being filled in */
} Broker;

#endif
