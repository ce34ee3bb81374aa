/* sim_state.h - the state of a simulated GPU, which all files of this folder share.  */
#ifndef HARNESS_DEVICE_SIM_SIM_STATE_H
#define HARNESS_DEVICE_SIM_SIM_STATE_H

#include "harness/device/device.h"
#include "harness/device/sim/operation_set.h"
#include "simgpu/simgpu.h"

typedef enum SimEngine { ENGINE_KERNELS, ENGINE_BUS, ENGINE_COUNT } SimEngine;

typedef struct Moment Moment;     /* sim_time.h */
typedef struct SimQueue SimQueue; /* sim_queue.h */

struct DeviceStream {
    double end_s;      /* when its last operation ends */
    bool non_blocking; /* neither waits for the legacy default stream nor holds it up */
    DeviceStreamKind kind;
    bool is_gone;        /* destroyed; it stays in the list until the modelled time has come to that moment */
    uint32_t number;     /* for messages: how many of its kind there were with it; 0: the legacy default stream */
    OperationSet before; /* what its next operation comes after */
    OperationSet kernel; /* what was asked for last, if that is a kernel */
    DeviceStream *next;
};

struct DeviceEvent {
    double at_s;
    bool recorded;
    OperationSet before; /* what it comes after */
};

typedef struct SimDevice {
    Device device; /* first, so that a Device is a SimDevice */
    SimGpu *gpu;
    DeviceStream legacy;
    DeviceStream *streams; /* all others */
    SimQueue *queue;
    uint32_t place;                     /* of what is asked for now (DeviceSimulationOps.set_place) */
    uint64_t turn;                      /* which one DEVICE_HOST_TURN is about */
    Moment *first_moment, *last_moment; /* not entered into the time yet; NULL: none */
    double host_s;                      /* the modelled time that the host has reached by waiting and working */
    double engine_end_s[ENGINE_COUNT];
    double first_start_s, last_end_s; /* of the bracket; and so is: */
    double busy_s;                    /* sum of the durations of its operations */
    CudaError sticky;
    DeviceFault fault;
    DeviceStatistics statistics;
    bool has_timed_event; /* a timed event was created: its owner may ask how long kernels take */
    double longest_s;
    double kernel_seconds;            /* processor time of the thread that had kernels run */
    uint64_t budget, budget_left;     /* warp-instructions; budget 0: none */
    uint32_t stack_bytes, heap_bytes; /* of later launches; 0: as at first */
    DeviceProbe *probe;               /* NULL: kernels are not probed */
    ExecutionProfile *profile;        /* NULL: no profile is wanted */
    DeviceCheck *check;               /* NULL: kernels are not checked */
    uint32_t sanitized_launches;      /* since the check was set */
    struct Touches *stored; /* allocations that any operation has stored into since then, if samples are allowed; and */
    struct Touches *incomplete; /* what kernels that ran in part have stored since the last reset; NULL: none did */
} SimDevice;

static inline SimDevice *sim_of(Device *device)
{
    return (SimDevice *)device;
}

/* A device address is the host address of its byte in this process (simgpu.h). */
static inline void *byte_at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

#endif
