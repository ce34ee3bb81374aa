/* compile_nvcc.h - a submission compiled by nvcc.  */
#ifndef HARNESS_COMPILE_COMPILE_NVCC_H
#define HARNESS_COMPILE_COMPILE_NVCC_H

#include "base/hash.h"
#include "harness/compile/compile_sandbox.h"

/* Makes submission.o and submission.so in folders->out from the sources in folders->in. Reads the fatbin of nvcc's device
 * step into `module`, before the host compiler gets to see the source. */
MUST_USE Status compile_with_nvcc(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                                  Text *module, Text *output, ProcessEnd *end, Message *why);

/* Adds what a result depends on besides the source and the compiler's version. */
MUST_USE Status compile_hash_nvcc(const CompileTools *tools, Hash *hash, Message *why);

#endif
