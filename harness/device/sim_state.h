/* sim_state.h - the state of a simulated GPU, which all files of this folder share.  */
#ifndef HARNESS_DEVICE_SIM_STATE_H
#define HARNESS_DEVICE_SIM_STATE_H

#include "harness/device/device.h"
#include "simgpu/simgpu.h"

#include <stdbool.h>
#include <stdint.h>

/* ==== operation set =============================================================================================== */

/* A set of the operations of one window of the queue (sim_queue.h), by their numbers in it. */

enum { QUEUE_OPERATIONS = 1024, SET_WORDS = QUEUE_OPERATIONS / 64 };

typedef struct OperationSet {
    uint64_t window; /* of another window than the queue's: the set is empty */
    uint64_t word[SET_WORDS];
} OperationSet;

static inline bool set_has(const OperationSet *set, uint32_t number)
{
    return set->word[number / 64] >> number % 64 & 1;
}

static inline void set_add(OperationSet *set, uint32_t number)
{
    set->word[number / 64] |= 1ull << number % 64;
}

static inline void set_remove(OperationSet *set, uint32_t number)
{
    set->word[number / 64] &= ~(1ull << number % 64);
}

/* The three sets must be of the same window. */
static inline void set_join(OperationSet *sum, const OperationSet *part)
{
    for (int i = 0; i < SET_WORDS; i++)
        sum->word[i] |= part->word[i];
}

static inline OperationSet set_both(const OperationSet *a, const OperationSet *b)
{
    OperationSet both = {.window = a->window};
    for (int i = 0; i < SET_WORDS; i++)
        both.word[i] = a->word[i] & b->word[i];
    return both;
}

static inline OperationSet set_without(const OperationSet *a, const OperationSet *b)
{
    OperationSet rest = {.window = a->window};
    for (int i = 0; i < SET_WORDS; i++)
        rest.word[i] = a->word[i] & ~b->word[i];
    return rest;
}

/* The lowest and the highest number in the set; -1: it is empty. */
static inline int set_lowest(const OperationSet *set)
{
    for (int i = 0; i < SET_WORDS; i++)
        if (set->word[i] != 0)
            return 64 * i + __builtin_ctzll(set->word[i]);
    return -1;
}

static inline int set_highest(const OperationSet *set)
{
    for (int i = SET_WORDS - 1; i >= 0; i--)
        if (set->word[i] != 0)
            return 64 * i + 63 - __builtin_clzll(set->word[i]);
    return -1;
}

static inline uint32_t set_count(const OperationSet *set)
{
    uint32_t count = 0;
    for (int i = 0; i < SET_WORDS; i++)
        count += (uint32_t)__builtin_popcountll(set->word[i]);
    return count;
}

/* ==== sim state =================================================================================================== */

typedef enum SimEngine { ENGINE_KERNELS, ENGINE_BUS, ENGINE_COUNT } SimEngine;

typedef struct Moment Moment;     /* below */
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
    bool has_waited;                    /* since the last work that took time */
    double engine_done_s[ENGINE_COUNT]; /* when each has found the time for all work so far */
    double device_s; /* of the operation that is carried out: Moment.device_s, if less than its seconds */
    double first_start_s, last_end_s; /* of the bracket; and so is: */
    double busy_s;                    /* in which an operation of it was under way */
    const DeviceStream *last_stream;  /* of the last of them */
    CudaError sticky;
    DeviceFault fault;
    DeviceStatistics statistics;
    bool has_timed_event; /* a timed event was created: its owner may ask how long kernels take */
    double longest_s;
    double kernel_seconds;            /* processor time of the thread that had kernels run */
    uint64_t budget, budget_left;     /* warp-instructions; budget 0: none */
    uint64_t block_budget;            /* of each block; 0: none */
    uint32_t stack_bytes, heap_bytes; /* of later launches; 0: as at first */
    DeviceProbe *probe;               /* NULL: kernels are not probed */
    ExecutionProfile *profile;        /* NULL: no profile is wanted */
    RequestLog *requests;             /* of the launch that is under way, where there is a profile */
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

/* ==== sim time ==================================================================================================== */

/* The modelled time of a simulated GPU.
 *
 * Each operation has a modelled duration; it starts when its stream is ready and the host has finished its waits and its work
 * so far. It needs an engine (the device's kernels and copies, or the bus) for a part of it: for all of a copy, and of a
 * kernel for what others cannot use (Cost.device_s). It ends when its duration is over and the engine has found the time for
 * it and for all that was asked for before. So kernels of several streams hide each other's waiting and fill empty
 * multiprocessors, but no work is done twice as fast.
 *
 * Time does not depend on the order in which the queue carries out operations (sim_queue.h). What happens is noted, in
 * the order in which the submission asks for it, as moments. A moment is entered into the time as soon as the
 * durations of all operations before it are known. */

/* A host's time for a stream, during which the device may have nothing to do: with four kernels on streams of their own, each made
 * just before it, an H200 takes 26 us more for each stream but the first (tests/hardware, conv1d/four_streams, two cases); a host takes 29 us for one
 * (simgpu/calibrate, streams). */
#define SIM_STREAM_CREATION_S 26e-6

typedef enum MomentKind {
    MOMENT_WORK,        /* an operation begins and ends: stream, engine, seconds */
    MOMENT_RECORD,      /* an event is recorded: stream, event */
    MOMENT_WAIT,        /* a stream waits for an event: stream, event */
    MOMENT_STREAM_GONE, /* a stream is destroyed, and freed */
    MOMENT_EVENT_GONE,  /* an event is destroyed, and freed */
    MOMENT_HOST_STREAM, /* the host waits for a stream, */
    MOMENT_HOST_EVENT,  /*   for an event, */
    MOMENT_HOST_ALL,    /*   for all streams, */
    MOMENT_HOST_WORKS   /*   or works: seconds */
} MomentKind;

struct Moment {
    MomentKind kind;
    SimEngine engine;
    DeviceStream *stream; /* NULL: the legacy default stream */
    DeviceEvent *event;
    double seconds, device_s; /* its duration, and for how long of it the engine serves nothing else */
    bool is_unknown;          /* how long the operation takes is not known yet */
    Moment *next;
};

/* Notes a moment. If it is unknown, returns it; it lives until sim_time_tell(). */
Moment *sim_time_note(SimDevice *sim, Moment moment);
/* Tells how long the operation of a MOMENT_WORK takes. */
void sim_time_tell(SimDevice *sim, Moment *moment, double seconds, double device_s);
/* Enters what is noted, although operations were not carried out, and frees it: the device is being closed. */
void sim_time_abandon(SimDevice *sim);
/* When the last operation of all streams ends. All durations must be known. */
double sim_time_end(const SimDevice *sim);

/* ==== sim profile ================================================================================================= */

/* Adds what launches and copies did to the device's ExecutionProfile, which must be set. */

/* NULL: the profile that was set is complete. */
void sim_profile_set(SimDevice *sim, ExecutionProfile *profile);
void sim_profile_launch(SimDevice *sim, const SimLaunch *launch, const SimReport *report);
/* `across_bus`: from or to the host; else within the device. */
void sim_profile_copy(SimDevice *sim, uint64_t bytes, bool across_bus, double seconds);

#endif
