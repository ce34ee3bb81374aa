/* broker_state.h - everything that a broker knows while it serves one grader and one runner.  */
#ifndef HARNESS_BROKER_BROKER_STATE_H
#define HARNESS_BROKER_BROKER_STATE_H

#include "harness/broker/control.h"
#include "harness/device/device.h"
#include "harness/device/execution_profile.h"
#include "harness/protocol/ring.h"

#include <stdint.h>

/* ==== handles ===================================================================================================== */

/* Gives numbers to objects, for a process that must not see pointers.
 *
 * A number is never used again: after its object has been removed, it never names another one. */

enum { HANDLES_MAX = 1 << 20 }; /* numbers that are given in all */

typedef struct Handles { /* {.first = F, .most = M} is empty; numbers start at F, which is not 0 */
    uint64_t first;
    void **objects;
    uint32_t count, capacity;
    uint32_t living, most; /* objects now, and the limit on them; most 0: HANDLES_MAX */
} Handles;

/* The number of the object; 0: there are too many. */
uint64_t handles_add(Handles *handles, void *object);
/* NULL: the number has no object. */
void *handles_get(const Handles *handles, uint64_t number);
/* The same, and removes the object. */
void *handles_remove(Handles *handles, uint64_t number);
void handles_free(Handles *handles);

/* ==== broker state ================================================================================================ */

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

/* Limits on what one submission may use at the same time, so that it uses up neither the broker's memory nor the
 * device's tables, which the judge needs as well: simulated memory has 8192 allocations (simgpu/memory/memory.c). The
 * largest programs among the public solutions use 6 streams, 12 events and 16 allocations. */
enum {
    BROKER_MAX_ALLOCATIONS = 4096,
    BROKER_MAX_ARRAYS = 1024,
    BROKER_MAX_STREAMS = 1024,
    BROKER_MAX_EVENTS = 1 << 16,
    BROKER_MAX_TEXTURES = 1 << 16 /* and as many surfaces */
};

typedef struct BrokerMost {       /* what takes long to reach */
    double requests;              /* in one call */
    double serving_seconds;       /* in one call, on the simulated GPU, besides launches */
    unsigned long long own_bytes; /* of a simulated GPU's broker, */
    unsigned per_device_byte;     /*   and beyond these so many for each byte of the device's memory */
} BrokerMost;

extern BrokerMost broker_most; /* constant, but for tests of the limits, which lower it before a broker begins */

typedef struct BrokerTextures { /* numbers of the existing textures, or surfaces; the device gave them */
    uint64_t number[BROKER_MAX_TEXTURES];
    uint32_t count;
} BrokerTextures;

typedef struct HostWork {      /* of the runner in a call */
    bool has_no_clock;         /* the grader does not know the time */
    bool has_data;             /* the host has learned something in this call, when the clock showed these: */
    double since_s, delayed_s; /* it had computed, and waited for a core, for so long */
    uint64_t copied_bytes;     /* to the host and from it */
    double charged_s;
    double asked_s; /* when the clock was last asked, by now_s() */
} HostWork;

typedef struct HostTime { /* of the runner in a call */
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
    MistakeKind violation;  /* for SERVE_VIOLATION */
    char end_text[700];     /* for SERVE_LOAD_FAILED, _UNSUPPORTED, _TOO_MUCH and _VIOLATION */
    uint32_t requests;      /* of this call */
    double seconds_left;    /* ControlRequest.seconds_left; 0: unlimited */
    double served_s;        /* when this call began */
    double serving_seconds; /* processor time of this call, without launches; counted on the simulated GPU */
    double busy_seconds;    /* of this call: the broker worked for the runner */
    HostWork host_work;
    int host_clock; /* control.h; -1: none */
    HostTime host_time;
    double work_seconds;    /* for which a real GPU has worked in this call while the runner did something else */
    CallError not_provided; /* CallReport.not_provided, of this runner */
    ControlReply reply;     /* being filled in */
} Broker;

/* ==== broker request ============================================================================================== */

/* Data that all functions share which carry out a request of the runner.
 *
 * Every request is hostile until it has been checked. broker_serve.c has copied it out of the shared memory into
 * Broker.record, and has checked its kind and the length of its body. A Serve function looks up every number in it, and
 * checks that every range of addresses belongs to the submission, before anything reaches the device. */

/* Carries out Broker.record. Fills in the values of the reply, and returns the error of the CUDA call. */
typedef CudaError Serve(Broker *broker, RingReply *reply);

/* The numbers of a request whose body is a RingWords. */
const uint64_t *broker_words(const Broker *broker);
/* Ends the service of the runner: an honest runtime library does not send such a request. */
void broker_violation(Broker *broker, MistakeKind kind, const char *text);
void broker_malformed(Broker *broker);

/* ==== broker note ================================================================================================= */

/* Facts for the report about the CUDA calls of a submission, and what the runner reports about itself. */

/* Has a kernel failed? Then every later call fails, too; its own arguments are not the reason. */
bool broker_has_fault(const Broker *broker, DeviceFault *fault);
/* The report names the first CUDA call of a solve() that failed while no kernel had. `what` says which: its name, or "launch of
 * blur<<<...>>>". `hint` says why; it may be empty. */
void broker_note_error(Broker *broker, Mistake mistake, CudaError error, const char *what, const char *hint);
/* The same for a call that CUDA has and the judge does not provide. */
void broker_note_missing(Broker *broker, const char *call, const char *hint);

Serve serve_note_error, serve_note_missing, serve_note_memory, serve_load_failed;

/* ==== broker host time ============================================================================================ */

/* The time for which the runner keeps the device waiting in a call, which CallLimits.host_seconds limits.
 *
 * On a real GPU that is the time for which the broker waits while the device has nothing to do. A simulated GPU computes on the
 * same cores as the submission and everything else, so that a busy machine makes everybody wait: there it is the time
 * for which the runner computes, or does nothing although it could have a core (control.h). The
 * broker asks the grader for it every few hundredths of a second. If it is unknown, the time for which the broker waits
 * counts. */

/* The runner is about to load the object. Nothing has counted so far. */
void broker_host_time_start(Broker *broker);
/* A call begins. */
void broker_host_time_begin(Broker *broker);
/* The broker has waited for the runner. */
void broker_host_time_add(Broker *broker, double waited_s);
/* The call has ended: settles what has been added since the last answer. */
void broker_host_time_end(Broker *broker);
/* The limit, and what is left of it. */
double broker_host_time_limit(const Broker *broker);
double broker_host_time_left(const Broker *broker);

/* ==== broker host work ============================================================================================ */

/* Charges the work of the host to the modelled clock of a simulated GPU.
 *
 * On a real GPU the clock runs while the host computes between two operations on the device. Simulated operations take
 * no real time, so the broker measures how long the runner's process computes, and lets the device's next operation
 * begin that much later. Only the host's work after it has learned something from the device counts, because before that it
 * knows no input: after it has copied data, asked for the time between events, asked whether something has ended, or
 * waited for that. The time is the processor time of all threads of the process, which the runner cannot change, and
 * which does not depend on who else uses the machine. Where the kernel does not tell it, it is the time that passes
 * while the broker has nothing to do.
 *
 * Asking for operations takes the host some time, too, which depends on the machine. So that honest submissions have the
 * same modelled times everywhere, a millisecond a call is free, 5 ns for each byte copied, and 20 us for each
 * kernel and copy, and a tenth of the time for which it has waited for a core, up to 5 ms. This buys nothing: the modelled copies and kernels take longer than a GPU would take for the same
 * work. */

/* A call begins. */
void broker_host_work_begin(Broker *broker);
/* `bytes` have been copied to or from the host; the reply has not been sent yet. */
void broker_host_work_copied(Broker *broker, uint64_t bytes, bool to_host);
/* The host has learned something else: how long an operation took, or that it has ended. */
void broker_host_work_learned(Broker *broker);
/* The next request is about to be carried out. `is_query`: it only asks whether something has ended; what is due then may
 * be charged with a later request. */
void broker_host_work_charge(Broker *broker, bool is_query);

/* ==== broker serve ================================================================================================ */

/* Takes requests of the runner off the ring and has them carried out, one after the other. */

/* Empty tables of handles, with their limits. */
void broker_begin(Broker *broker);
/* Returns what this call counts so far against the budget of the grading. On the simulated GPU kernels do not count
 * here. */
double broker_spent_s(const Broker *broker);
/* Serves the runner until it sends `awaited`, or until something else ends it; sets Broker.end. */
void broker_serve(Broker *broker, RingKind awaited);

#endif
