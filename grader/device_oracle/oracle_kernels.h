/* oracle_kernels.h - the parameters of the kernels of oracle_kernels.cu. Each kernel has one of these structs as
 * its only parameter, and one thread for each element, in blocks of ORACLE_BLOCK. Pointers are addresses on the
 * device.  */
#ifndef GRADER_DEVICE_ORACLE_ORACLE_KERNELS_H
#define GRADER_DEVICE_ORACLE_ORACLE_KERNELS_H

#include "grader/check/tally.h"

#include <stdint.h>

enum { ORACLE_BLOCK = 256, ORACLE_MAX_PARAMETERS = 16, ORACLE_MAX_RANK = 4 };

/* uniform_float32, normal_float32; integers_ and ramp_ with float32, int32 and uint8: an array of generated data. */
typedef struct OracleFill {
    uint64_t key, count;
    double a, b; /* as in CaseSource */
    void *data;
} OracleFill;

/* tally: the output held against what oracle.h makes of the inputs. */
typedef struct OracleTally {
    const void *inputs[ORACLE_MAX_PARAMETERS]; /* at the place of their parameter, as the sizes are */
    int64_t sizes[ORACLE_MAX_PARAMETERS];
    uint32_t shape[ORACLE_MAX_RANK], count; /* of the output */
    double sum_factor;
    const void *output;
    Tally *tallies; /* one for each block of threads, in the order of the elements */
} OracleTally;

#endif
