/* ring.h - the memory that a broker shares with a runner, which is not trusted, and how messages pass through it.
 *
 * Layout     one memfd that holds a RingMemory. It is sealed, so that neither side can change its size. It holds no
 *            pointers. The broker copies a request out before it looks at it, and reads no position twice.
 * Requests   go from the runner to the broker (ring_message.h) as records in a circular buffer: a RingRequest, then
 *            `body_bytes` of body. There is one producer at a time (the runtime library holds a lock) and one consumer.
 * Replies    go from the broker to the runner, through one slot, since one call is under way at a time.
 * Commands   go from the broker to the runner, through one slot that is written only while the runner waits for it.
 * Waiting    spins for some microseconds, then sleeps on a futex. Neither side notices here that the other has died.
 *            The grader does: it kills the runner, or wakes the broker with ring_wake_broker().
 * Source     Linux futex(2), memfd_create(2), fcntl(2) "File Sealing".  */
#ifndef HARNESS_PROTOCOL_RING_H
#define HARNESS_PROTOCOL_RING_H

#include "harness/protocol/ring_message.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RING_BYTES = 1 << 20,         /* of the circular buffer; a power of two */
    RING_STAGING_BYTES = 16 << 20 /* pages that are never used cost no memory */
};

typedef struct RingRequest { /* the head of a record */
    uint32_t kind;           /* RingKind */
    uint32_t body_bytes;     /* at most RING_MAX_BODY; the body is padded to a multiple of 8 */
    uint32_t wants_reply;    /* 1: a call; 0: posted */
    uint32_t place;          /* 1 + the offset in the submission's object of the instruction that asks; 0: unknown */
} RingRequest;

/* What ended the runner. It only chooses the words of a message and a line, since the submission can write it. */
typedef struct RingFault {
    _Atomic uint64_t address; /* 1 + the address at which host code caused a segmentation fault; 0: none */
    _Atomic uint64_t place;   /* 1 + the offset in the submission's object of the instruction that did it; 0: unknown */
    _Atomic uint32_t is_on_stack; /* 1: the address belongs to the stack, which is full */
    _Atomic uint32_t is_damage;   /* 1: the C library has found memory overwritten */
} RingFault;

typedef struct RingMemory {
    _Alignas(64) _Atomic uint64_t written;     /* bytes that the runner has put into the buffer since the beginning */
    _Alignas(64) _Atomic uint64_t taken;       /* bytes that the broker has taken out since the beginning */
    _Alignas(64) _Atomic uint32_t doorbell;    /* how often it has rung; a futex, on which the broker sleeps */
    _Atomic uint32_t broker_sleeps;            /* 1: whoever writes a record rings the doorbell */
    _Alignas(64) _Atomic uint32_t reply_count; /* a futex, on which the runner sleeps */
    _Atomic uint32_t runner_sleeps;            /* 1: whoever changes a count wakes the runner */
    _Atomic uint32_t waits_for_launches;       /* 1: the runner waits for launches, too */
    _Atomic uint32_t has_turns;                /* 1: the broker serves what only a simulated device can do */
    RingReply reply;
    _Alignas(64) RingFault fault;
    _Alignas(64) _Atomic uint32_t command_count; /* a futex, on which the runner sleeps */
    RingCommand command;
    _Alignas(4096) uint8_t buffer[RING_BYTES];
    _Alignas(4096) uint8_t staging[RING_STAGING_BYTES]; /* bulk data of requests and replies */
} RingMemory;

/* A sealed memfd, or -1 with errno. */
int ring_create(void);
/* NULL with errno. EINVAL: the descriptor is not a sealed ring of the right size. */
RingMemory *ring_map(int descriptor);
void ring_unmap(RingMemory *ring);

/* ---- the runner's side ------------------------------------------------------------------------------------------- */

/* Puts a record into the buffer, whose body is two pieces (the second may be empty), and wakes the broker. False if
 * there is no room now. For a RING_FLUSH there always is, and after its reply the buffer is empty. `place`: RingRequest.place. */
bool ring_send(RingMemory *ring, uint32_t kind, bool wants_reply, uint32_t place, const void *body, size_t bytes,
               const void *more, size_t more_bytes);
/* The number of replies so far. A caller reads it before it sends a call. */
uint32_t ring_replies(RingMemory *ring);
/* Waits for the reply after the `replies_before`-th. */
void ring_await_reply(RingMemory *ring, uint32_t replies_before, RingReply *reply);
/* Shall the runner wait until a launch that it posts is done? */
bool ring_waits_for_launches(const RingMemory *ring);
/* May the runner use RING_COPY_AWAY, RING_HOST_CALL and RING_RENEW? */
bool ring_has_turns(const RingMemory *ring);
/* Waits for the command after the `commands_before`-th. */
void ring_await_command(RingMemory *ring, uint32_t commands_before, RingCommand *command);

/* ---- the broker's side ------------------------------------------------------------------------------------------- */

/* From now on, or no longer: while a launch is being carried out, an honest runner does nothing else, so that the
 * broker can tell what it does in between. */
void ring_wait_for_launches(RingMemory *ring, bool wait);

/* The broker serves these, or does not. */
void ring_set_turns(RingMemory *ring, bool has_turns);

typedef struct RingReader {
    RingMemory *ring;
    uint64_t taken; /* RingMemory.taken is for the runner; the broker never reads it back */
} RingReader;

typedef struct RingRecord { /* a request, copied out of the shared memory */
    RingRequest head;
    _Alignas(16) uint8_t body[RING_MAX_BODY];
} RingRecord;

typedef enum RingTake { RING_EMPTY, RING_TAKEN, RING_BROKEN } RingTake;

/* Copies the next record out. RING_BROKEN: an honest runtime library cannot have left the memory in this state. */
RingTake ring_take(RingReader *reader, RingRecord *record);
/* Has the runner asked for nothing that has not been taken? */
bool ring_is_empty(const RingReader *reader);
/* How often the doorbell has rung. The broker reads it before it looks at anything else that may end a sleep. */
uint32_t ring_doorbell(RingMemory *ring);
/* Spins for some microseconds until there is a record. False if none has come. */
bool ring_spin(RingReader *reader);
/* Sleeps until there may be a record, the doorbell has rung more often than `doorbell`, or `seconds` have passed. */
void ring_sleep(RingReader *reader, uint32_t doorbell, double seconds);
void ring_reply(RingMemory *ring, const RingReply *reply);
void ring_command(RingMemory *ring, const RingCommand *command);

/* ---- both sides, and the grader ---------------------------------------------------------------------------------- */

/* Rings the doorbell, which ends a ring_sleep(). */
void ring_wake_broker(RingMemory *ring);

#endif
