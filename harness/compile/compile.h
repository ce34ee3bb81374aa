/* compile.h - turns a submission's source into a shared object, inside the sandbox.
 *
 * The source is compiled as C++17 or C++20 (compile_language.h) with -O3 and line information: by nvcc to machine code for the
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

#include "base/status.h"
#include "harness/compile/compile_job.h"
#include "harness/compile/compiled.h"
#include "harness/compile/toolkit.h"

/* `scratch` is a private folder (sandbox/scratch.h). A fault of the submission is an outcome, not a Status. */
MUST_USE Status compile_submission(const CompileJob *job, const Toolkit *toolkit, const char *scratch,
                                   Compiled *compiled, Message *why);

#endif
