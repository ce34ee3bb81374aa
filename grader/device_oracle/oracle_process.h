/* oracle_process.h - the oracle on a device: a process of the judge's that makes the inputs of calls, and holds the
 * outputs against what they give, in a context of its own. The grader talks to it over a socket (harness/control/control.h):
 *
 *     grader: problem      the process opens the device and compiles oracle_kernels.cu
 *     grader: case         descriptor: the memory that holds the case's arrays; answered with a descriptor, where the device
 *                          can share memory: an exchange (device.h), laid out like the memory and used in its place
 *     grader: fill         inputs of a call, into that memory
 *     grader: check        the output in that memory, against the inputs that were filled last; an output that is refused
 *                          lies in the memory of the host afterwards
 *
 * Each request is answered, in order. device_oracle.h is the grader's side.  */
#ifndef GRADER_DEVICE_ORACLE_ORACLE_PROCESS_H
#define GRADER_DEVICE_ORACLE_ORACLE_PROCESS_H

#include "base/hash.h"
#include "base/status.h"
#include "grader/check/checker.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum OracleRequestKind { ORACLE_PROBLEM = 1, ORACLE_CASE, ORACLE_FILL, ORACLE_CHECK } OracleRequestKind;

typedef struct OracleRequest {
    OracleRequestKind kind;
    char problem[80];                       /* problem: its id */
    Digest revision;                        /* problem: as the grader read it */
    Testcase testcase;                      /* case; pointers in it mean nothing to the process */
    size_t memory_bytes;                    /* case */
    size_t offsets[PROBLEM_MAX_PARAMETERS]; /* case: of each array in the memory */
    bool through_host;                      /* case: arrays come and go through the memory alone */
    uint64_t secret;                        /* fill: as for testcase_fill() */
} OracleRequest;

typedef struct OracleReply {
    Status status; /* the judge's own trouble, with `why`; the rest counts only where it is STATUS_OK */
    Message why;
    bool accepted;         /* check */
    Comparison comparison; /* check: as checker_summarise() makes it */
    double seconds;        /* that the request took, by the process's clock */
} OracleReply;

/* The program `convjudge oracle DESCRIPTOR DEVICE`: arguments from "oracle" on; the exit status. */
int oracle_main(int argc, char **argv);

#endif
