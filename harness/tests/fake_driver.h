/* fake_driver.h - makes device_open("cuda") find the driver library that stands in for NVIDIA's (tests/fake/cuda.h). */
#ifndef HARNESS_TESTS_FAKE_DRIVER_H
#define HARNESS_TESTS_FAKE_DRIVER_H

#include "harness/tests/build_folder.h"

#include <stdlib.h>

/* `name` of a library among what was built for tests, whether there is one of that name or not. */
static inline void use_driver(const char *name)
{
    char path[4096];
    find_built(name, path, sizeof path);
    setenv("CONVJUDGE_CUDA_DRIVER", path, 1);
}

#endif
