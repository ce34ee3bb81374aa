/* control.h - what grader and broker tell each other, over a socket pair of their own (SOCK_SEQPACKET: one message, one
 * packet). Both are the judge's; the runner never sees this socket.
 *
 *     broker: hello           what is known of the device, or why there is none
 *     grader: open            descriptor: the device's lock, if it has one; broker answers when the device is open
 *     grader: load            descriptors: ring, modules      broker answers when the constructors have run
 *     grader: buffers         descriptor: the call's arrays   no answer
 *     grader: exchange        descriptor: the same arrays, laid out alike, in device memory (device.h); broker
 *                             answers whether it can reach it
 *     grader: profile         descriptor: a ExecutionProfile that calls fill in   no answer
 *     grader: call            broker answers when solve() has returned
 *     grader: runner gone     while a load or a call is under way; the broker answers that one at once
 *
 * The modules lie one behind the other in their memory, as the offsets say.  */
#ifndef HARNESS_CONTROL_CONTROL_H
#define HARNESS_CONTROL_CONTROL_H

#include "harness/session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONTROL_MAX_MODULES = 64, CONTROL_MAX_PRINTED = 64 * 1024, CONTROL_MAX_DESCRIPTORS = 2 };

typedef enum ControlKind {
    CONTROL_OPEN = 1,
    CONTROL_LOAD,
    CONTROL_BUFFERS,
    CONTROL_EXCHANGE,
    CONTROL_PROFILE,
    CONTROL_CALL,
    CONTROL_RUNNER_GONE
} ControlKind;

typedef struct ControlSpan { /* bytes of a shared memory */
    uint64_t offset, bytes;
} ControlSpan;

typedef struct ControlArgument { /* a SessionArgument without its pointers */
    char name[32];
    uint32_t element_bytes;
    ArgumentRole role;
    bool float_output, probed;
    uint64_t value;
    ControlSpan span; /* in the buffers */
} ControlArgument;

typedef struct ControlRequest {
    ControlKind kind;
    SessionLimits limits;                              /* load */
    uint32_t module_count;                             /* load */
    ControlSpan modules[CONTROL_MAX_MODULES];          /* load */
    uint64_t memory_bytes;                             /* load: of the modules; buffers, exchange, profile */
    uint32_t argument_count;                           /* call */
    bool check_inputs;                                 /* call: whether solve() left them as they were */
    bool exchanged;                                    /* call: the arrays come and go through the exchange */
    bool is_watched;                                   /* call: session_watch() */
    bool is_untimed;                                   /* call: session_time() */
    uint8_t uninitialised_byte;                        /* call: session_set_uninitialised_byte() */
    ControlArgument arguments[SESSION_MAX_PARAMETERS]; /* call */
} ControlRequest;

typedef struct ControlReply {
    Status status; /* the judge's own trouble, with `why`; the rest counts only where it is STATUS_OK */
    Message why;
    DeviceInfo device;        /* hello, open */
    CallReport report;        /* load, call; `printed` is not used: */
    uint32_t printed_bytes;   /* what kernels printed follows the reply */
    bool runner_gone;         /* no other reason ended the call: how the runner ended says why */
    bool host_memory_refused; /* the runner was refused memory at some time */
} ControlReply;

/* Starts this program again as `subcommand DESCRIPTOR DEVICE`: a process of the judge's that owns a device, with the
 * other end of `*socket` as its descriptor. It dies with this one (process.h); process_kill() ends it. */
MUST_USE Status control_start(const char *subcommand, const char *device, pid_t *child, int *socket, Message *why);

/* False where the other side is gone. */
bool control_send(int socket, const void *message, size_t bytes, const void *more, size_t more_bytes,
                  const int *descriptors, size_t descriptor_count);

/* What came: a message of exactly `bytes`, at most `more_size` bytes more, and descriptors (-1 where there are none).
 * False where the other side is gone, or sent something else. */
bool control_receive(int socket, void *message, size_t bytes, void *more, size_t more_size,
                     int descriptors[CONTROL_MAX_DESCRIPTORS]);
void control_close(const int descriptors[CONTROL_MAX_DESCRIPTORS]);

#endif
