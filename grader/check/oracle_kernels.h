/* oracle_kernels.h - the parameters of the kernels of oracle_kernels.cu. Each kernel has one of these structs as
 * its only parameter, in blocks of ORACLE_BLOCK threads. Where random numbers are made, there is one thread for each
 * block of ChaCha20 (generator.h), in whole groups; in the kernels of the output at most ORACLE_BLOCKS blocks, whose
 * threads take as many elements as there are; else one thread for each element. Pointers are addresses on the device.  */
#ifndef GRADER_CHECK_ORACLE_KERNELS_H
#define GRADER_CHECK_ORACLE_KERNELS_H

#include "grader/check/tally.h"
#include "grader/problem/generator.h"

#include <stdint.h>

/* So many blocks that the last ones to end hardly matter, and so few that the host adds up their tallies in
 * microseconds. */
enum { ORACLE_BLOCK = 256, ORACLE_BLOCKS = 2048, ORACLE_MAX_PARAMETERS = 16, ORACLE_MAX_RANK = 4 };

/* Of uniform_, normal_, integers_, ramp_ and perturbed_, each with the name of a type, such as float32: they fill an array. */
typedef struct OracleFill {
    GeneratorKey key;
    uint64_t count;
    double a, b;      /* as in CaseSource */
    const void *file; /* of perturbed_: its elements, of the array's type */
    void *data;
} OracleFill;

/* Of pass, which computes what ORACLE_PASS gives, where oracle.h has one, and of tally, which compares the output with
 * the values that oracle.h computes from the inputs. */
typedef struct OracleTally {
    const void *inputs[ORACLE_MAX_PARAMETERS]; /* indexed by parameter, and so are the sizes */
    int64_t sizes[ORACLE_MAX_PARAMETERS];
    uint32_t shape[ORACLE_MAX_RANK], count; /* of the output */
    double share;                   /* of S, that an error may be: unit sum_factor of Tolerance */
    const void *output;
    Tally *tallies; /* one for each block of threads */
    void *pass;     /* a Sum (grader/check/element.h) for each element of the output; NULL: none are kept */
} OracleTally;

#endif
