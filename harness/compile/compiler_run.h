/* compiler_run.h - what a compiler left, and how the compile cache keeps it. */
#ifndef HARNESS_COMPILE_COMPILER_RUN_H
#define HARNESS_COMPILE_COMPILER_RUN_H

#include "base/hash.h"
#include "base/text.h"

#include <stdbool.h>

typedef struct CompilerRun {
    Text module;      /* the fatbin of the device step, as it was before the host's side was compiled */
    Text object;      /* submission.so */
    Text host_object; /* submission.o */
    Text output;      /* what was printed, unchanged */
    double seconds;
} CompilerRun;

void compiler_run_free(CompilerRun *run);

/* False, and the run is empty, where the cache does not have it. */
bool compiler_run_read(const Digest *key, CompilerRun *run);
void compiler_run_write(const Digest *key, const CompilerRun *run);

#endif
