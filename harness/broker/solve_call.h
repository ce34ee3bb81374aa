/* solve_call.h - one call of a submission's solve(): its parameters, its limits and its outcome.
 *
 * Whatever the submission does is a CallOutcome; a fault of the judge itself is a Status, never an outcome.  */
#ifndef HARNESS_BROKER_SOLVE_CALL_H
#define HARNESS_BROKER_SOLVE_CALL_H

#include "base/text.h"
#include "harness/device/device.h"
#include "harness/protocol/solve.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CALL_MAX_PARAMETERS = SOLVE_MAX_WORDS };

/* The NaN that fills float outputs before a call: another one in each, made from `random`. It is quiet, and its payload is
 * not that of a NaN that arithmetic makes, 0 on x86 and all ones on a GPU (PTX ISA 9.0, "Floating Point Instructions"). */
static inline uint32_t call_poison(uint32_t random)
{
    return 0x7FC00001u | (random & 0x803FFFFCu);
}

/* The word at a place of the output: `poison` itself for floats. Of other elements each byte tells by itself whether it was
 * written (CallOptions.samples_blocks). None is 0 or 255, which many results are cut off at, and neighbours differ, since
 * many results are nearly alike. The words come again after DEVICE_POISON_WORDS. Source: the end of MurmurHash3 (Appleby). */
static inline uint32_t call_poison_word(uint32_t poison, bool of_floats, size_t place)
{
    uint32_t mixed = poison + (uint32_t)(place % DEVICE_POISON_WORDS) * 0x9E3779B9u, word = 0;
    if (of_floats)
        return poison;
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6Bu;
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35u;
    mixed ^= mixed >> 16;
    for (unsigned shift = 0; shift < 32; shift += 8)
        word |= (1 + (mixed >> shift & 0xFF) % 254) << shift;
    return word;
}

/* All of these words, one after the other, which is faster than one for each place of a large output. */
static inline void call_poison_words(uint32_t poison, bool of_floats, uint32_t words[DEVICE_POISON_WORDS])
{
    for (size_t place = 0; place < DEVICE_POISON_WORDS; place++)
        words[place] = call_poison_word(poison, of_floats, place);
}

/* The value that replaces a probed one in [1, 2) (DeviceProbe). The map is exact and one-to-one, and its results lie
 * outside [1, 2). It is not a multiplication by a constant: an output that used the replacement only in part cannot be
 * scaled to look like one that used it throughout. */
static inline float call_probe_value(float value)
{
    return 2 * (3 - value);
}

/* ARGUMENT_INOUT: an array that is read and written. */
typedef enum ArgumentRole { ARGUMENT_INPUT, ARGUMENT_OUTPUT, ARGUMENT_INOUT, ARGUMENT_VALUE } ArgumentRole;

static inline bool argument_role_is_read(ArgumentRole role)
{
    return role == ARGUMENT_INPUT || role == ARGUMENT_INOUT;
}

static inline bool argument_role_is_written(ArgumentRole role)
{
    return role == ARGUMENT_OUTPUT || role == ARGUMENT_INOUT;
}

/* Arrays begin on a page of their own in the memory that judge and broker share. One that is read and written has room
 * for both: what it holds after the call lies so many bytes behind what it holds before. */
enum { ARRAY_PAGE_BYTES = 4096 };

static inline uint64_t argument_result_offset(ArgumentRole role, uint64_t bytes)
{
    return role == ARGUMENT_INOUT ? (bytes + ARRAY_PAGE_BYTES - 1) / ARRAY_PAGE_BYTES * ARRAY_PAGE_BYTES : 0;
}

typedef struct CallLimits {
    uint64_t device_bytes; /* device memory that the submission may hold, without the arrays of the call */
    size_t host_bytes;     /* private memory of the runner */
    double host_seconds;   /* sum of the times in a call during which the device waits for the host code; on a simulated
                                 * GPU those in which it computes, or does nothing although it could have a core */
    double device_seconds; /* run time of all kernels of a call, on a device with a clock */
    double wall_seconds;   /* duration of a call; on a simulated GPU another limit for what `host_seconds` limits, and
                                 * one for the processor time that the judge takes for its copies and other CUDA calls */
    uint64_t warp_instructions; /* work of a call, on a device that counts it; 0: unlimited */
} CallLimits;

typedef enum CallOutcome {
    CALL_OK,             /* solve() returned, the device is idle, no fault */
    CALL_RUN_TIME_ERROR, /* device fault, signal, abort, early exit, ... */
    CALL_TIME_LIMIT,
    CALL_MEMORY_LIMIT, /* the runner outgrew host_bytes */
    CALL_UNSUPPORTED,  /* a limit of the judge: the device does not implement what the GPU code uses, and says what */
    CALL_INTEGRITY_VIOLATION /* a module that nvcc did not compile, a malformed request */
} CallOutcome;

/* The phase in which a submission was when its call or its load ended. */
typedef enum CallPhase {
    PHASE_NONE,    /* its process was being made; nothing of it had run */
    PHASE_LOADING, /* its object was being loaded, which runs its constructors */
    PHASE_SOLVE
} CallPhase;

typedef struct CallError { /* a CUDA call that has failed, or that the judge does not provide */
    CudaError error;       /* 0: there is none */
    uint32_t place;        /* RingRequest.place of the call, from which the session finds the line of `mistake` */
    Mistake mistake;       /* MISTAKE_LAUNCH_REFUSED, _CALL_FAILED or _NOT_PROVIDED */
    char text
        [300]; /* "launch of blur<<<(1,1,1),(2048,1,1)>>>: invalid argument (2048 threads per block, at most 1024)"; of what is
                            * not provided its name alone: "cudaCreateTextureObject with sRGB" */
} CallError;

typedef struct CallReport {
    CallOutcome outcome;
    CallPhase phase;
    Mistake mistake;             /* its kind, where outcome is not CALL_OK */
    char text[700];              /* one sentence for the student; empty where outcome is CALL_OK */
    double event_s, host_s;      /* the bracket around solve() on both clocks; host_s 0 where there is one clock */
    double ended_s;              /* when the bracket ended, by now_s(); 0 where there is one clock */
    double returned_s;           /* when solve() had returned, by now_s() */
    double busy_s;               /* DeviceBracket.busy_s; also of kernels that a constructor launched, before solve() */
    double spent_s;              /* what the call counts against the budget of the grading (session.h): seconds, */
    uint64_t spent_instructions; /*   and warp-instructions on a device that counts them */
    DeviceStatistics statistics;
    ContentOrigin output_origin; /* of all outputs: the worst */
    double examined_s;           /* how long the judge took for that and for clearing up, after it had copied the
                                   * outputs back */
    bool output_copied;          /* a copy within the device wrote into an output after a kernel was launched */
    CallError
        first_error; /* the first error that a CUDA call of solve() returned, checked or not, before any kernel failed */
    CallError not_provided;    /* the first CUDA call of this runner that the judge does not provide, unless an error
                                 * of the submission's own came before it in the same call of solve() */
    bool allocation_refused;   /* an allocation of device memory exceeded the limit */
    bool input_changed;        /* an input array no longer holds what it held */
    DeviceFindings findings;   /* of a call that was watched, */
    DeviceConflicts conflicts; /*   and these, too */
    char direct_load[400];     /* "kernel blur (blur.cu:31)": it wrote the output, and loaded from the probed array
                                 * itself */
    int direct_line;           /* the line of it (Mistake.line) */
    bool pending_at_return;    /* kernels were still under way when solve() returned: it did not synchronise */
    Text printed;              /* what host and device code printed, at most 64 KiB, printable; free it. The session
                                 * fills it in: in a ControlReply it is empty */
    uint64_t printed_lost;     /* bytes printed beyond that */
} CallReport;

#endif
