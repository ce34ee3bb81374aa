/* kept_pass.h - what oracle.c and the libraries that it compiles (row.c) tell each other about ORACLE_PASS (element.h).  */
#ifndef GRADER_CHECK_KEPT_PASS_H
#define GRADER_CHECK_KEPT_PASS_H

#include <stdint.h>

/* Which inner sums were read that are not kept: the least and the largest index, and how many. */
typedef struct PassReach {
    int64_t least, most, reads;
} PassReach;

/* The inner sums of `count` elements from `first` on, in row-major order. */
typedef struct KeptPass {
    const double *value, *magnitude;
    int64_t first, count;
    PassReach *reach; /* NULL: nobody wants to know */
} KeptPass;

#endif
