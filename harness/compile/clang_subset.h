/* clang_subset.h - clang compiles a subset of CUDA: is an error about something that only nvcc has?
 *
 * Three things say so: the judge's own CUDA headers, which refuse functions by name (harness/cuda/refusals.h); a header that is
 * missing and belongs to CUDA; and clang's code generator, which has no code for some function of the C library.  */
#ifndef HARNESS_COMPILE_CLANG_SUBSET_H
#define HARNESS_COMPILE_CLANG_SUBSET_H

#include "harness/compile/compile_sandbox.h"
#include "harness/compile/toolkit.h"

#include "base/text.h"

/* Whether clang's first error is about a part of CUDA that is not in the subset. */
bool subset_is_refusal(const Text *output);

/* For the beginning of the diagnostics: names that part, if the compiler's own line does not. False: the output is of no use
 * to a student, because the code generator failed. */
bool subset_headline(const Text *output, const CompileJob *job, Text *diagnostics);

/* For their end: a line about the subset, if that may be the reason for the error. */
void subset_hint(const Text *output, const CompileJob *job, const Toolkit *toolkit, Text *diagnostics);

#endif
