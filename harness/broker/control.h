/* control.h - the socket between the grader and a process of the judge's own that has a device: the broker, or the
 * oracle.
 *
 * A packet (SOCK_SEQPACKET) is one message: a struct of fixed size, bytes of any number behind it, and descriptors.  */
#ifndef HARNESS_BROKER_CONTROL_H
#define HARNESS_BROKER_CONTROL_H

#include "base/status.h"
#include "harness/broker/solve_call.h"
#include "harness/device/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ==== control message ============================================================================================= */

/* The messages between grader and broker, over a socket (the functions below).
 *
 *     broker: hello           what is known of the device, or why there is none
 *     grader: open            descriptor: the lock of a real device; the broker answers when the device is open. May be
 *                             sent before the hello has come
 *     grader: load            descriptors: ring, modules, and the broker's end of a host clock; the
 *                             broker calibrates the device, and answers when the constructors have run
 *     grader: buffers         descriptor: the arrays of a call; no answer
 *     grader: exchange        descriptor: device memory of the same size and layout as the buffers (device.h); the
 *                             broker answers whether it can use it
 *     grader: profile         descriptor: an ExecutionProfile, which later calls fill in; no answer
 *     grader: call            the broker answers when solve() has returned
 *     grader: runner gone     during a load or a call, whose answer then comes at once
 *
 * The modules lie one after the other in their memory; each has its ControlSpan. The runner never sees this
 * socket. */

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
    uint64_t traced;                          /* CallOptions.traced */
    uint32_t traced_output;                   /* CallOptions.traced_output */
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
    bool is_compiling; /* a kernel is being translated: when the connection ends, the broker finishes that first */
} ControlReply;

/* ==== control ===================================================================================================== */

enum { CONTROL_MAX_DESCRIPTORS = 3 };

/* Starts this program again as `subcommand DESCRIPTOR DEVICE`, where DESCRIPTOR is the other end of `*socket`. The
 * child dies with this process (process.h); process_kill() ends it sooner. */
MUST_USE Status control_start(const char *subcommand, const char *device, pid_t *child, int *socket, Message *why);

/* Sends `message`, then the bytes of `more` (none if NULL), in one packet. False if the other end is closed. */
bool control_send(int socket, const void *message, size_t bytes, const void *more, size_t more_bytes,
                  const int *descriptors, size_t descriptor_count);

/* Receives a message of exactly `bytes`, up to `more_size` bytes behind it, and descriptors (-1: none), which the
 * caller closes. False if the other end is closed, or sent a packet of another size. */
bool control_receive(int socket, void *message, size_t bytes, void *more, size_t more_size,
                     int descriptors[CONTROL_MAX_DESCRIPTORS]);
/* Closes the descriptors that are not -1. */
void control_close(const int descriptors[CONTROL_MAX_DESCRIPTORS]);

/* ==== control check =============================================================================================== */

/* Checks the messages between the grader and the broker before they are used.
 *
 * Both ends are the judge's own. The checks keep a fault of one end from becoming an access past the end of memory in
 * the other: counts, spans and descriptors must fit each other and the state of the conversation, texts must be
 * terminated, enumerations and flags must have one of their values. */

typedef struct ControlState { /* of the broker, before the request */
    bool is_open;             /* the device is */
    bool is_simulated;        /* so that kernels can be explained and probed */
    bool has_runner;          /* a runner has been loaded */
    bool has_exchange;        /* for the present buffers */
    uint64_t buffer_bytes;    /* of the present buffers; 0: there are none */
} ControlState;

bool control_request_is_valid(const ControlRequest *request, const int descriptors[CONTROL_MAX_DESCRIPTORS],
                              const ControlState *state);
bool control_reply_is_valid(const ControlReply *reply);

/* ==== host clock ================================================================================================== */

/* The questions of a broker about how long the submission's process has computed, or waited for a core.
 *
 * The broker of a simulated GPU has a namespace of processes of its own, and cannot ask the kernel. It asks the grader
 * over a socket of its own (SOCK_SEQPACKET), and waits for the answer. All times are sums since the process began. */

typedef enum HostQuestion {
    HOST_COMPUTED = 1, /* `computed_s` alone, which the kernel tells at once */
    HOST_ALL
} HostQuestion;

typedef struct HostClock {
    double computed_s;      /* processor time of all threads; below 0: unknown */
    double used_s;          /* that of the processes that it has started, and of its sandbox, too */
    double delayed_s;       /* for which any of their threads could have run, and others had the cores */
    bool is_runnable;       /* one of them runs, or waits for a core now */
    double judge_delayed_s; /* for which the broker could have run, and others had the cores */
} HostClock;

/* The ends for the two; false: there are none. */
bool host_clock_new(int *graders, int *brokers);
/* false: unknown. */
bool host_clock_ask(int brokers, HostQuestion question, HostClock *clock);
/* Takes a question that has come, and answers it. False if there was none, because the broker is gone. */
bool host_clock_question(int graders, HostQuestion *question);
bool host_clock_answer(int graders, HostClock clock);
/* Returns the submission's own share of `waited_s`, the time for which the broker waited between two answers: the time
 * in which it computed or did nothing at all, without the time in which it was kept from a core. `silent`: it asked for
 * nothing in between, so the broker was not late for anything. */
double host_clock_own_s(const HostClock *before, const HostClock *after, double waited_s, bool silent);

#endif
