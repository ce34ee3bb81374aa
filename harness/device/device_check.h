/* device_check.h - what the kernels and the order of a call are checked for on a simulated device, and what was found.  */
#ifndef HARNESS_DEVICE_DEVICE_CHECK_H
#define HARNESS_DEVICE_DEVICE_CHECK_H

#include "base/chacha20.h"
#include "harness/device/mistake.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct DeviceNamed { /* an array of the call, for messages */
    const char *name;
    uint64_t address, bytes;
    uint32_t element_bytes;
    bool is_unwritten; /* its contents mean nothing: reading it before a kernel has written it is a finding */
} DeviceNamed;

enum { DEVICE_MAX_FINDINGS = 4, DEVICE_MAX_NAMED = 16, DEVICE_POISON_WORDS = 1024 };

typedef struct DeviceFinding { /* undefined behaviour that did not stop the kernel */
    bool is_undefined;         /* the kernel used a value that could be anything: of an inactive lane in a shuffle, */
    bool is_unwritten;         /*   or of bytes that nothing has written, */
    bool is_global;            /*     in global memory */
    Mistake mistake;
    char text[600]; /* one sentence: what happened, and where */
} DeviceFinding;

typedef struct DeviceFindings {
    DeviceFinding items[DEVICE_MAX_FINDINGS];
    uint32_t count, more; /* findings listed here; findings beyond those */
} DeviceFindings;

/* In which order a call's operations are carried out, where CUDA does not order them (sim/sim_queue.h). */
typedef enum DeviceOrderKind {
    DEVICE_ORDER_LATE,   /* as late as possible, and of several operations the last one first */
    DEVICE_ORDER_ISSUED, /* as the submission asked for them */
    DEVICE_ORDER_DRAWN   /* when, and which one first, is drawn with DeviceCheck.sample_key */
} DeviceOrderKind;
typedef struct DeviceOrder {
    DeviceOrderKind kind;
    bool is_exact;        /* conflicts are found to the byte, which takes longer; else by what lies between the first
                           * and the last byte that is used */
    uint32_t held, until; /* DEVICE_ORDER_ISSUED: operation `held`, counted from 1, waits as long as it may, and until
                           * operation `until` has been carried out; 0: none */
} DeviceOrder;

enum { DEVICE_PARTY_BYTES = 200 };
typedef struct DeviceParty {       /* an operation */
    char name[DEVICE_PARTY_BYTES]; /* "kernel blur on stream 2" */
    uint32_t place; /* where host code asked for it (RingRequest.place), as the submission says; 0: unknown */
} DeviceParty;

/* Two operations that nothing orders, though they use the same memory; or a copy whose memory the host can use too
 * early. */
typedef struct DeviceConflict {
    DeviceOrder order; /* the order of the submission, but with these two exchanged */
    Mistake mistake;
    DeviceParty first, second; /* `second` does not wait for `first`; without a name it is the host, */
    bool is_of_function;       /*   or whoever uses what `first`, a function of the host, does */
    bool is_race;              /* both change the same bytes (DeviceOrder.is_exact): they may do so at the same time */
    char place[100];           /* of a race: "output[12]" */
} DeviceConflict;

enum { DEVICE_MAX_CONFLICTS = 8 };
typedef struct DeviceConflicts {
    DeviceConflict items[DEVICE_MAX_CONFLICTS];
    uint32_t count, more;    /* conflicts listed here; conflicts beyond those */
    bool is_fault_unordered; /* a kernel ended with a fault, before something that was asked for earlier */
} DeviceConflicts;

/* Bytes of undefined values that show: of floats of 2e8, which win a maximum, and of NaN, which survives a factor of
 * zero. Where new memory is to hold one of them, every other block holds the other one in shared and local memory and in
 * variables that are not set, because a kernel may notice results that are all NaN, and do without them. */
enum { DEVICE_LARGE_BYTE = 0x4D, DEVICE_NAN_BYTE = 0xFF };

/* What the kernels of a call are checked for, and what was found. */
typedef struct DeviceCheck {
    DeviceNamed arrays[DEVICE_MAX_NAMED];
    size_t array_count;
    uint8_t uninitialised_byte; /* value of every byte of new memory; 0: the device chooses */
    bool sanitize;   /* look for races and reads of uninitialised memory, in launches of moderate size. A race
                                 * that can change the result is a fault */
    bool is_untimed; /* nobody asks for times and counters: as long as there was no timed event, a device with
                                 * modelled times may count instructions only, and give launches any time */
    bool is_secret;  /* the call must leave no trace outside of the device, such as a translated kernel on disk */
    const Chacha20Key *sample_key; /* decides which blocks of large launches are looked at, and what is drawn in
                                    * DEVICE_ORDER_DRAWN; NULL: the device chooses */
    bool samples_blocks; /* launches that would take long may run a random sample of their blocks, drawn with sample_key
                          * (DeviceStatistics.sampled_share) */
    uint64_t output_address, output_bytes;       /* with samples_blocks: the output, whose 32-bit words held */
    uint32_t output_poison[DEVICE_POISON_WORDS]; /* these before the call, over and over */
    DeviceOrder order;
    DeviceFindings findings;   /* filled in; faults are not among them */
    DeviceConflicts conflicts; /* filled in */
} DeviceCheck;

#endif
