/* device_oracle.h - the oracle on a device, as the grader sees it. It makes the inputs of timed calls and checks their
 * outputs in full, in a process whose memory no kernel of a submission can reach.
 *
 *     device_oracle_start     compiles and opens the device, in the background
 *     device_oracle_case      takes the memory for the arrays of one call, which the broker shares
 *     device_oracle_fill      makes the inputs of the call with this key
 *     device_oracle_check     compares the output with the one that the inputs filled last give
 *     device_oracle_wait      waits for both
 *
 * Fill and check are posted and done in order, so that checking call k and making the inputs of call k + 1 take one
 * round trip. If a check refuses an output, checker_compare() can explain it: the output is still there, and
 * testcase_fill() makes the same inputs from the key.
 *
 * Errors   every failure is the judge's own fault, even a process that died.  */
#ifndef GRADER_CHECK_DEVICE_ORACLE_H
#define GRADER_CHECK_DEVICE_ORACLE_H

#include "base/hash.h"
#include "base/status.h"
#include "grader/check/checker.h"
#include "grader/problem/generator.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ==== oracle process ============================================================================================== */

/* The oracle on a device: a process of the judge that makes the inputs of calls and checks the
 * outputs, in a context of its own. The grader sends it requests over a socket (harness/broker/control.h):
 *
 *     problem      compiles oracle_kernels.cu and opens the device
 *     case         with a descriptor: the memory that holds the arrays of the case, and at first, in the place of an
 *                  array that calls perturb, the values of its file. If the device can share memory, the
 *                  answer brings a descriptor: an exchange (device.h) of the same layout, to be used instead
 *     fill         puts the inputs of a call into that memory
 *     check        checks the output in that memory against the inputs that were filled last. An output that is refused
 *                  lies in the memory of the host afterwards
 *
 * It answers every request, in order. The functions below are the grader's side. */

typedef enum OracleRequestKind { ORACLE_PROBLEM = 1, ORACLE_CASE, ORACLE_FILL, ORACLE_CHECK } OracleRequestKind;

typedef struct OracleRequest {
    OracleRequestKind kind;
    char problem[80];                       /* problem: its id */
    Digest revision;                        /* problem: the one that the grader has read */
    int compute;                            /* problem: ten times the device's compute capability */
    Testcase testcase;                      /* case; its pointers mean nothing to the process */
    size_t memory_bytes;                    /* case */
    size_t offsets[PROBLEM_MAX_PARAMETERS]; /* case: place of each array in the memory */
    bool through_host;                      /* case: make no exchange */
    GeneratorKey secret;                    /* fill: as for testcase_fill() */
} OracleRequest;

typedef struct OracleReply {
    Status status; /* other than STATUS_OK: a fault of the judge, described by `why`, and the rest is meaningless */
    Message why;
    bool accepted;         /* check */
    Comparison comparison; /* check: as checker_summarise() makes it */
    double seconds;        /* duration of the request, by the clock of the process */
    double taken_s; /* check: when the process had a copy of the output that nobody else can change, by now_s() */
} OracleReply;

/* Runs `convjudge oracle DESCRIPTOR DEVICE`; `argv` begins with "oracle". Returns the exit status. */
int oracle_main(int argc, char **argv);

/* ==== device oracle =============================================================================================== */

typedef struct DeviceOracle DeviceOracle;

typedef struct OracleAnswer {
    bool accepted;         /* of the last check, as are the next two */
    Comparison comparison; /* as checker_summarise() makes it */
    double taken_s;        /* when the oracle had a copy of the output that nobody else can change, by now_s() */
    double seconds;        /* that the process spent on all requests */
} OracleAnswer;

/* `device`: as for device_open(); `compute`: ten times its compute capability. */
MUST_USE Status device_oracle_start(const Problem *problem, const char *device, int compute, DeviceOracle **oracle,
                                    Message *why);
/* Waits until the code is compiled and the device open. */
MUST_USE Status device_oracle_ready(DeviceOracle *oracle, Message *why);

/* Takes device memory for one case. The descriptor `memory`, of `memory_bytes`, stays the caller's; the array of
 * parameter i begins at `offsets[i]`, where the values of a file are put that calls perturb. Sets `*exchange` to a descriptor for session_exchange(), which the caller
 * closes: arrays then travel through device memory, and only an output that is refused is copied into `memory`. -1,
 * or `exchange` NULL: all arrays travel through `memory`. */
MUST_USE Status device_oracle_case(DeviceOracle *oracle, const Testcase *testcase, int memory, size_t memory_bytes,
                                   const size_t *offsets, int *exchange, Message *why);
/* Posts a request for the inputs that testcase_fill() makes of `secret`, bit for bit. Only generated and perturbed data. */
MUST_USE Status device_oracle_fill(DeviceOracle *oracle, const GeneratorKey *secret, Message *why);
/* Posts a request to check the output against the inputs filled last. */
MUST_USE Status device_oracle_check(DeviceOracle *oracle, Message *why);
/* Waits for all posted requests. The members of a check are left alone if there was none. */
MUST_USE Status device_oracle_wait(DeviceOracle *oracle, OracleAnswer *answer, Message *why);

/* The process, which uses the device only between a fill or check and the end of device_oracle_wait(). */
pid_t device_oracle_pid(const DeviceOracle *oracle);
/* Lets it end while the caller does something else, before device_oracle_stop(). Accepts NULL. */
void device_oracle_begin_stop(const DeviceOracle *oracle);
void device_oracle_stop(DeviceOracle *oracle);

#endif
