/* control_message.h - what the grader and the broker tell each other, over the socket of control.h.
 *
 *     broker: hello           what is known of the device, or why there is none
 *     grader: open            descriptor: the lock of a real device; the broker answers when the device is open. May be
 *                             sent before the hello has come
 *     grader: load            descriptors: ring, modules, and the broker's end of a host clock (host_clock.h); the
 *                             broker calibrates the device, and answers when the constructors have run
 *     grader: buffers         descriptor: the arrays of a call; no answer
 *     grader: exchange        descriptor: device memory of the same size and layout as the buffers (device.h); the
 *                             broker answers whether it can use it
 *     grader: profile         descriptor: an ExecutionProfile, which later calls fill in; no answer
 *     grader: call            the broker answers when solve() has returned
 *     grader: runner gone     during a load or a call, whose answer then comes at once
 *
 * The modules lie one behind the other in their memory; each has its ControlSpan. The runner never sees this
 * socket. */
#ifndef HARNESS_CONTROL_CONTROL_MESSAGE_H
#define HARNESS_CONTROL_CONTROL_MESSAGE_H

#include "base/status.h"
#include "harness/control/solve_call.h"
#include "harness/device/device.h"

#include <stdbool.h>
#include <stdint.h>

/* Exit status of a broker that reached its limit on memory. */
enum { CONTROL_OUT_OF_MEMORY = 77 };
enum { CONTROL_MAX_MODULES = 64, CONTROL_MAX_PRINTED = 64 * 1024 };

typedef enum ControlKind {
    CONTROL_OPEN = 1,
    CONTROL_LOAD,
    CONTROL_BUFFERS,
    CONTROL_EXCHANGE,
    CONTROL_PROFILE,
    CONTROL_CALL,
    CONTROL_RUNNER_GONE
} ControlKind;

typedef struct ControlSpan { /* a range of bytes in shared memory */
    uint64_t offset, bytes;
} ControlSpan;

typedef struct ControlArgument { /* one parameter of solve() */
    char name[32];
    ArgumentRole role;
    uint32_t element_bytes;
    bool float_output; /* poison it with `poison_bits`, else with random bytes */
    uint32_t poison_bits;
    bool probed;      /* DeviceProbe.source */
    uint64_t value;   /* of an ARGUMENT_VALUE */
    ControlSpan span; /* of an array: its place in the buffers */
} ControlArgument;

static inline bool control_is_array(const ControlArgument *argument)
{
    return argument->role != ARGUMENT_VALUE;
}

typedef struct ControlRequest {
    ControlKind kind;
    CallLimits limits;                        /* load */
    uint32_t module_count;                    /* load */
    ControlSpan modules[CONTROL_MAX_MODULES]; /* load */
    uint64_t memory_bytes;                    /* load: of the modules; buffers, exchange, profile: of the memory */
    double seconds_left;                      /* load, call: most that CallReport.spent_s may be; 0: unlimited */
    uint64_t warp_instructions_left;          /* load, call: likewise of spent_instructions */
    uint32_t argument_count;                  /* call; and so are all that follow */
    bool check_inputs;                        /* compare the input arrays after solve() with what they held before */
    bool exchanged;                           /* copy the arrays through the exchange, not through the buffers */
    uint64_t warp_instructions;               /* most of this call, on a device that counts them; 0: no such limit */
    bool sanitize;                            /* DeviceCheck.sanitize */
    bool is_untimed;                          /* DeviceCheck.is_untimed */
    bool samples_blocks;                      /* DeviceCheck.samples_blocks */
    bool is_secret;                           /* DeviceCheck.is_secret */
    bool repeats_addresses;                   /* CallOptions.repeats_addresses */
    Chacha20Key sample_key;                   /* DeviceCheck.sample_key */
    DeviceOrder order;                        /* DeviceCheck.order */
    uint8_t uninitialised_byte;               /* DeviceCheck.uninitialised_byte */
    ControlArgument arguments[CALL_MAX_PARAMETERS];
} ControlRequest;

typedef struct ControlReply {
    Status status; /* other than STATUS_OK: a fault of the judge, described by `why`, and the rest is meaningless */
    Message why;
    DeviceInfo device;        /* hello, open, load */
    CallReport report;        /* load, call; its `printed` is empty */
    uint32_t printed_bytes;   /* length of what kernels printed, which follows the reply */
    bool runner_gone;         /* the call ended because the runner's process did; its exit status says why */
    bool host_memory_refused; /* the runner has been refused memory */
} ControlReply;

#endif
