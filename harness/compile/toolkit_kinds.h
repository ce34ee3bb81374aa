/* toolkit_kinds.h - the two kinds of compiler, for toolkit.c, which chooses between them.  */
#ifndef HARNESS_COMPILE_TOOLKIT_KINDS_H
#define HARNESS_COMPILE_TOOLKIT_KINDS_H

#include "harness/compile/toolkit.h"

#include <stdbool.h>

#define HOW_TO_GET_NVCC "run `make toolchain`, or install the CUDA toolkit and set CUDA_HOME to its folder"
#define HOW_TO_GET_EITHER HOW_TO_GET_NVCC "; for the simulated GPU, clang 16 or later is enough"

/* The newest clang on PATH that compiles a small kernel with the judge's headers (harness/cuda/probe.cu). What it answers
 * is kept in the compile cache. STATUS_NOT_FOUND, and why the newest does not, if none does. */
MUST_USE Status toolkit_find_clang(Toolkit *toolkit, Message *why);

/* For program_ask(), with a Toolkit: reads a list such as "sm_90", one on each line, in any order. */
bool toolkit_read_architectures(void *context, const char *output);

/* "clang" and the version. */
void toolkit_set_name(Toolkit *toolkit, const char *compiler);

#endif
