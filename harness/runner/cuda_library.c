#include "harness/runner/cuda_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *found_or_exit(void *found)
{
    if (found == NULL) {
        fprintf(stderr, "convjudge-runner: %s\n", dlerror());
        exit(2);
    }
    return found;
}

void *cuda_library_open(const char *path)
{
    return found_or_exit(dlopen(path, RTLD_NOW | RTLD_GLOBAL));
}

void *cuda_library_function(void *library, const char *name)
{
    return found_or_exit(dlsym(library, name));
}
