/* compile.h - turns a submission's source into a shared object, inside the sandbox.
 *
 * The source is compiled as C++17 or C++20 with -O3 and line information: by nvcc to machine code for the
 * device and PTX, or by clang to PTX alone (with the judge's own CUDA headers, harness/cuda/). Fatbins are stored
 * uncompressed, and the object is linked against the judge's own libcudart. A prototype made from the problem's
 * signature is included first (-include), so that a wrong signature is an error at the student's own line. It also
 * defines
 *
 *     extern "C" void convjudge_call(const unsigned long long *arguments);
 *
 * which calls solve() with each 64-bit word converted to its parameter's type (pointers, int; float by its bits).
 * "solve.h", which older submissions include, is on the include path and holds the same prototype.
 *
 * Compilations that succeed are kept in the compile cache (base/compile_cache.h) under the hash of source, prototype,
 * flags, toolkit and the judge's runtime.  */
#ifndef HARNESS_COMPILE_COMPILE_H
#define HARNESS_COMPILE_COMPILE_H

#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/compile/compile_sandbox.h"
#include "harness/compile/compiled.h"
#include "harness/compile/toolkit.h"

#include <stddef.h>

/* ==== compile modules ============================================================================================= */

/* Checks that an object holds no GPU code but the device step's module, and computes a digest that is equal if two
 * objects compile to the same code. */

/* True if the shared object's section .nv_fatbin, if it has one, holds the device step's fatbin and nothing else. Host
 * assembly can fill that section. */
bool module_is_alone(const Text *module, const Text *object);

/* Computes the digest of everything that runs, on device and host: code, data, relocations, and what is done before
 * solve(). It is equal for sources that differ only in their files' names, comments and lines. */
Digest machine_code_digest(const CompileModule *modules, size_t count, int compute, const Text *host_object);

/* ==== compile clang =============================================================================================== */

/* A submission compiled by clang. */

/* ==== compile language ============================================================================================ */

/* Finds the C++ standard of a submission, how much of the C++ library it is compiled with, and whether for one
 * architecture alone. */

enum { COMPILE_LANGUAGE_FLAGS = 5 };

/* Appends the compiler's arguments for this source to `argv`, which has room for COMPILE_LANGUAGE_FLAGS more than the
 * `count` that it holds. Gives back the new count. */
size_t compile_language_flags(const char *source, const Toolkit *toolkit, const char **argv, size_t count);

/* "a" where this source uses what only this architecture has (toolkit_gencode()), else "". */
const char *compile_features(const char *source, const Toolkit *toolkit, int compute);

/* The argument for g++, which compiles the host's side that nvcc leaves. */
const char *compile_language_of_host(const char *source, const Toolkit *toolkit);

/* ==== compile ===================================================================================================== */

/* `scratch` is a private folder (sandbox/scratch.h). A fault of the submission is an outcome, not a Status. */
MUST_USE Status compile_submission(const CompileJob *job, const Toolkit *toolkit, const char *scratch,
                                   Compiled *compiled, Message *why);

/* ==== clang subset ================================================================================================ */

/* Clang compiles a subset of CUDA: is an error about something that only nvcc has?
 *
 * Three things say so: the judge's own CUDA headers, which refuse functions by name (harness/cuda/refusals.h); a header that is
 * missing and belongs to CUDA; and clang's code generator, which has no code for some function of the C library. */

/* True if clang's first error is about a part of CUDA that is not in the subset. */
bool subset_is_refusal(const Text *output);

/* Names that part at the beginning of the diagnostics, if the compiler's own line does not. False: the output is of no
 * use to a student, because the code generator failed. */
bool subset_headline(const Text *output, const CompileJob *job, Text *diagnostics);

/* Adds a line about the subset at their end, if that may be the reason for the error. */
void subset_hint(const Text *output, const CompileJob *job, const Toolkit *toolkit, Text *diagnostics);

/* ==== compile cpu ================================================================================================= */

/* Turns a CPU baseline into a shared object: plain C with the same solve() as a submission, on host
 * pointers, compiled by gcc -O3 -march=native with OpenMP and POSIX threads, in the same sandbox as a submission. */

/* Does the same as compile_submission(). The object has no modules and no kernels, and is not cached. */
MUST_USE Status compile_for_cpu(const CompileJob *job, const char *scratch, Compiled *compiled, Message *why);

#endif
