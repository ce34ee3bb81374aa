/* build_folder.h - finds what was built for tests beside the running test program.  */
#ifndef HARNESS_TESTS_BUILD_FOLDER_H
#define HARNESS_TESTS_BUILD_FOLDER_H

#include "base/tests/unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The path of a file in the folder tests/ of the build folder, whether there is such a file or not. The build folder is
 * the lowest folder above the program that holds libbase.a. */
static inline void find_built(const char *name, char *path, size_t size)
{
    char folder[4096], library[4096 + 16];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    assert_true(length > 0);
    folder[length] = '\0';
    do {
        char *slash = strrchr(folder, '/');
        assert_non_null(slash);
        *slash = '\0';
        snprintf(library, sizeof library, "%s/libbase.a", folder);
    } while (access(library, F_OK) != 0);
    assert_true((size_t)snprintf(path, size, "%s/tests/%s", folder, name) < size);
}

#endif
