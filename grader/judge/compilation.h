/* compilation.h - compiling the submission that is judged, and other sources for the same problem.  */
#ifndef GRADER_JUDGE_COMPILATION_H
#define GRADER_JUDGE_COMPILATION_H

#include "grader/judge/judging.h"

/* Finds the compiler that suits the session, and names it in the result. */
MUST_USE Status compilation_find_compiler(Grading *judging, Message *why);

/* The step "compile": compiles the submission. A refusal ends the judging with a verdict. `begins` gets `judging`. */
MUST_USE Status compilation_run(Grading *judging, CompileBegins *begins, Message *why);

/* Compiles any source for a device, with nvcc or clang. */
MUST_USE Status compilation_for_device(const Grading *judging, const Submission *submission, const DeviceInfo *device,
                                       Compiled *compiled, Message *why);

/* Compiles a source for a problem on a device; the object lies in the folder `scratch`. */
MUST_USE Status compilation_of(const Problem *problem, const Submission *submission, const DeviceInfo *device,
                               const Toolkit *toolkit, const char *scratch, Compiled *compiled, Message *why);

#endif
