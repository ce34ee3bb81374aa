/* fake_driver.h - has device_open("cuda") find the driver library that stands in for NVIDIA's (tests/fake/cuda.h). */
#ifndef HARNESS_TESTS_FAKE_DRIVER_H
#define HARNESS_TESTS_FAKE_DRIVER_H

#include "base/tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* `name` of a file beside the other things built for tests, whether it is there or not. */
static inline void use_driver(const char *name)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(length > 0);
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    size_t folder = strlen(path);
    assert_true((size_t)snprintf(path + folder, sizeof path - folder, "/../../tests/%s", name) < sizeof path - folder);
    setenv("CONVJUDGE_CUDA_DRIVER", path, 1);
}

#endif
