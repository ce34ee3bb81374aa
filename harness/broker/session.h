/* session.h - one submission under way, as the grader sees it: a process in the sandbox that holds the submission, and
 * calls of solve(), one after the other.
 *
 *     session_open       (gpu_session.h) starts all that does not need the submission: call it before the compiler
 *     session_load       makes the submission ready to be called; on a GPU its constructors run now
 *     session_buffers    memory for the arrays of one call: fill the inputs in place
 *     session_call       copies the inputs in, poisons the outputs, calls solve(), copies the outputs back
 *     session_close      kills and reaps every process
 *
 * Two kinds implement it: gpu_session.c (CUDA on a device that a broker owns) and cpu_session.c (plain C on host
 * pointers, no device). SessionTraits and the return values below say what a kind can do; nobody asks which one it is.
 *
 * After any outcome but CALL_OK the submission's process is gone; session_load() starts another.
 * Whatever the submission does is an outcome. A Status other than STATUS_OK is the judge's own fault.  */
#ifndef HARNESS_BROKER_SESSION_H
#define HARNESS_BROKER_SESSION_H

#include "base/status.h"
#include "harness/broker/solve_call.h"
#include "harness/compile/compile.h"
#include "harness/device/device.h"
#include "harness/device/device_monitor.h"
#include "harness/device/execution_profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ==== call budget ================================================================================================= */

/* The budget of all calls of solve() in one grading together, so that no submission holds the device for long by
 * staying just below the limits of a call (CallLimits).
 *
 * On a real GPU, the seconds of a call run from its start until its work has ended, whoever waits for whom. On a simulated
 * GPU, kernels count by their warp-instructions, the submission's process by what it computes and for how long it does nothing
 * (control.h), and copies by the processor time that the judge takes for them. */

typedef struct CallBudget {
    double seconds, spent_s;                        /* given, and used so far */
    uint64_t warp_instructions, spent_instructions; /* likewise; 0 given: unlimited */
} CallBudget;

double call_budget_seconds_left(const CallBudget *budget);
/* 0: unlimited. */
uint64_t call_budget_instructions_left(const CallBudget *budget);
bool call_budget_is_used_up(const CallBudget *budget);

/* ==== session ===================================================================================================== */

typedef struct Session Session;

typedef struct SessionArgument { /* one parameter of solve() */
    const char *name;
    ArgumentRole role;
    size_t bytes; /* size of the array; inputs and outputs */
    uint32_t element_bytes;
    bool float_output;    /* the elements are floats, which are poisoned with a NaN */
    uint32_t poison_bits; /* set by session_call(): the output held call_poison_word() of them before the call */
    bool probed;    /* an input of floats in [1, 2). While kernels run, constant memory that holds its values holds
                        * call_probe_value() of them, and CallReport.direct_load names a kernel that loads from the
                        * array itself. At most one argument, and only on a device with Device.simulation */
    uint64_t value; /* ARGUMENT_VALUE: the word handed over (an int sign-extended, a float's bits) */
    void *data;     /* set by session_buffers(): host memory of the array, valid until the next session_buffers() */
    void *result; /* likewise, of what the call leaves in an array that it writes; of an ARGUMENT_OUTPUT it is `data` */
} SessionArgument;

typedef struct CallOptions { /* {0}: a timed call and nothing else */
    bool check_inputs;       /* report whether solve() changed an input; not of arrays that are exchanged */
    bool sanitize;           /* look for races and uninitialised reads, on a device that can (DeviceCheck.sanitize) */
    bool is_secret;          /* the data of the call are secret (DeviceCheck.is_secret) */
    bool samples_blocks;     /* DeviceCheck.samples_blocks */
    Chacha20Key sample_key;  /* decides which blocks of a large launch are looked at (DeviceCheck.sample_key) */
    bool repeats_addresses; /* the arrays lie where those of the call before lay, none of them larger than there; in any
                             * other call they lie elsewhere. Of the first call after a start it means nothing */
    DeviceOrder order;      /* of operations that CUDA does not order (DeviceCheck.order) */
    bool untimed;           /* event_s and the statistics may be meaningless, which makes modelled times faster */
    uint64_t warp_instructions; /* of this call, on a device that counts them, if fewer than the other limits; 0: they
                                 * alone count */
    uint64_t traced;        /* 1 + the index of an element of the output, for ExecutionProfile.trace; 0: none. Only with
                      * session_profile() */
    uint32_t traced_output; /* which of the arrays that are written, from 0 */
    uint8_t uninitialised_byte; /* every byte of memory that nobody has written yet, outputs included; 0: outputs are
                                 * poisoned as SessionArgument says, other memory is as the device likes */
} CallOptions;

typedef enum SessionClock {
    SESSION_MODEL,  /* times are computed: each call of the same work takes the same time */
    SESSION_EVENTS, /* a GPU's own clock, which a sitting checks against the host's (grader/judge/measure.h) */
    SESSION_WALL    /* the judge's clock, around calls that repeat in one process */
} SessionClock;

typedef struct SessionTraits {
    bool runs_c;        /* the submission is plain C on host pointers, not CUDA */
    SessionClock clock; /* known once session_device() has succeeded */
    bool has_device;    /* likewise: no other grading uses the device until the session is closed */
} SessionTraits;

typedef struct SessionOps {
    Status (*device)(Session *session, DeviceInfo *info, Message *why);
    Status (*load)(Session *session, const Compiled *compiled, const CallLimits *limits, CallReport *report,
                   Message *why);
    Status (*buffers)(Session *session, SessionArgument *arguments, size_t count, Message *why);
    Status (*call)(Session *session, SessionArgument *arguments, size_t count, const CallOptions *options,
                   CallReport *report, Message *why);
    void (*close)(Session *session);

    /* A kind has all of the following or none (NULL). */
    void (*on_wait)(Session *session, WaitTell *tell, void *context);
    void (*open_ahead)(Session *session, size_t loads);
    double (*open_seconds)(const Session *session);
    size_t (*brokers)(const Session *session, pid_t *pids, size_t room);
    int (*memory)(const Session *session, const uint8_t **base, size_t *bytes);
    Status (*profile)(Session *session, const ExecutionProfile **profile, Message *why);
    Status (*exchange)(Session *session, int descriptor, Message *why);
} SessionOps;

struct Session { /* the first member of each kind's own struct */
    const SessionOps *ops;
    SessionTraits traits;
    CallBudget *budget; /* of the grading; NULL: unlimited */
};

/* Loads and calls count against the budget from now on, and get no more than it leaves; NULL: they count nowhere. A load
 * or call for which nothing is left is not made: its outcome is CALL_TIME_LIMIT. The budget stays the caller's. */
void session_set_budget(Session *session, CallBudget *budget);
/* Describes the device. What only an open device can tell (DeviceInfo) is known once session_load() has succeeded. */
MUST_USE Status session_device(Session *session, DeviceInfo *info, Message *why);
/* `report` says what went wrong if a constructor misbehaves or the object cannot be loaded (outcome not CALL_OK). */
MUST_USE Status session_load(Session *session, const Compiled *compiled, const CallLimits *limits, CallReport *report,
                             Message *why);
/* Sets the `data` of all arrays, which hold anything, such as what those of an earlier call held. */
MUST_USE Status session_buffers(Session *session, SessionArgument *arguments, size_t count, Message *why);
MUST_USE Status session_call(Session *session, SessionArgument *arguments, size_t count, const CallOptions *options,
                             CallReport *report, Message *why);
/* Accepts NULL. */
void session_close(Session *session);

/* `tell` hears about once a second who has the device, while the session waits for it. */
void session_on_wait(Session *session, WaitTell *tell, void *context);
/* So many loads are to come. Each needs a device that nothing has used before, and to open one takes longer than most
 * blocks of calls: the session begins to open them now, and the next load waits until all are open, so that no opening
 * disturbs what is timed. Loads beyond these open theirs as usual. Does nothing unless the session has the device
 * (SessionTraits.has_device). */
void session_open_ahead(Session *session, size_t loads);
/* Returns how long the last load waited for an open device; for the first load, the time since the session was opened.
 * 0: the session has no broker. */
double session_open_seconds(const Session *session);
/* The processes that have the device open: at most `room` of them go to `pids`. Returns how many there are. */
size_t session_brokers(const Session *session, pid_t *pids, size_t room);
/* The memory of session_buffers(), which another process of the judge may share: returns its descriptor (-1: none), and
 * sets its address here and its size. */
int session_memory(const Session *session, const uint8_t **base, size_t *bytes);
/* Every later call fills in the profile, which lives as long as the session. STATUS_UNSUPPORTED, of this function or of
 * those calls: the device cannot tell (Device.simulation). */
MUST_USE Status session_profile(Session *session, const ExecutionProfile **profile, Message *why);
/* Sends arrays through an exchange (device.h) of the same size and layout until the next session_buffers() or
 * session_load(). Another process of the judge has made the exchange. The descriptor stays the caller's.
 * STATUS_UNSUPPORTED: the session cannot reach it, and arrays travel as before. */
MUST_USE Status session_exchange(Session *session, int descriptor, Message *why);

/* ==== array layout ================================================================================================ */

/* The layout of a call's arrays in the memory that they share: each begins on a page of its own. */

static inline bool argument_is_array(const SessionArgument *argument)
{
    return argument->role != ARGUMENT_VALUE;
}

/* Lays the arrays out from `first_offset` on. Returns the offset of the first byte behind them all. */
static inline size_t array_layout(const SessionArgument *arguments, size_t count, size_t first_offset,
                                  size_t offsets[CALL_MAX_PARAMETERS])
{
    size_t offset = first_offset;
    for (size_t i = 0; i < count; i++) {
        offsets[i] = offset;
        const size_t bytes = arguments[i].bytes + argument_result_offset(arguments[i].role, arguments[i].bytes);
        if (argument_is_array(&arguments[i]))
            offset += (bytes + ARRAY_PAGE_BYTES - 1) / ARRAY_PAGE_BYTES * ARRAY_PAGE_BYTES;
    }
    return offset;
}

/* ==== cpu device ================================================================================================== */

/* The processors of this machine, as the device of a CPU baseline. */

bool cpu_device_is_named(const char *device); /* "cpu" */

/* Sets the names in `device`; nothing else in it means anything. */
void cpu_device_describe(DeviceInfo *device);

/* ==== cpu session ================================================================================================= */

/* Sessions with CPU baselines: plain C on host pointers, in the sandbox of every submission, with as
 * many threads as it likes. There is no device and no broker.
 *
 * The first call after each session_buffers() starts a process, so that no call finds what one of another size left
 * behind. Its constructors run then. The arrays that the grader sees are copies: what solve() does to its own arrays
 * changes neither the inputs that the output is checked against nor, later on, the output.
 *
 * Limits   only host_bytes and wall_seconds count.
 * Time     CallReport.event_s is measured by the judge's clock, from the moment solve() is asked for to the moment
 *          it is known to have returned. It includes two wake-ups of a process, some 10 to 50 us. host_s is 0. */

/* Does the same as session_open(), for the device that cpu_device_is_named() knows. */
MUST_USE Status cpu_session_open(Session **session, Message *why);

#endif
