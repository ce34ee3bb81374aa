/* oracle_process.h - the oracle on a device: a process of the judge that makes the inputs of calls and checks the
 * outputs, in a context of its own. The grader sends it requests over a socket (harness/control/control.h):
 *
 *     problem      compiles oracle_kernels.cu and opens the device
 *     case         with a descriptor: the memory that holds the arrays of the case, and at first, in the place of an
 *                  array that calls perturb, the values of its file. If the device can share memory, the
 *                  answer brings a descriptor: an exchange (device.h) of the same layout, to be used instead
 *     fill         puts the inputs of a call into that memory
 *     check        checks the output in that memory against the inputs that were filled last. An output that is refused
 *                  lies in the memory of the host afterwards
 *
 * It answers every request, in order. device_oracle.h is the grader's side.  */
#ifndef GRADER_DEVICE_ORACLE_ORACLE_PROCESS_H
#define GRADER_DEVICE_ORACLE_ORACLE_PROCESS_H

#include "base/hash.h"
#include "base/status.h"
#include "grader/check/checker.h"
#include "grader/problem/generator.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
