/* with_nvcc.h - for tests of what nvcc alone does or says.  */
#ifndef HARNESS_COMPILE_TESTS_WITH_NVCC_H
#define HARNESS_COMPILE_TESTS_WITH_NVCC_H

#include "base/tests/unit.h"

#include "harness/compile/toolkit.h"

#include <stdio.h>

static inline void needs_nvcc(const Toolkit *toolkit)
{
    if (toolkit->kind != TOOLKIT_NVCC)
        skip();
}

/* For programs in which nothing works without nvcc: whether there is one. If not, it prints that all is skipped, in TAP. */
static inline bool has_nvcc(void)
{
    Toolkit found;
    Message why;
    if (toolkit_find_nvcc(&found, &why) == STATUS_OK)
        return true;
    printf("1..1\nok 1 # skip %s\n", why.text);
    return false;
}

#endif
