/* compile_clang.h - a submission compiled by clang.  */
#ifndef HARNESS_COMPILE_COMPILE_CLANG_H
#define HARNESS_COMPILE_COMPILE_CLANG_H

#include "base/hash.h"
#include "harness/compile/compile_sandbox.h"

/* Makes submission.o and submission.so in folders->out from the sources in folders->in. `module` gets the fatbin that the
 * judge makes of the device step's PTX. */
MUST_USE Status compile_with_clang(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                                   Text *module, Text *output, ProcessEnd *end, Message *why);

/* The options of every compilation, NULL at the end; the folder of the judge's headers follows them. */
extern const char *const COMPILE_CLANG_FLAGS[];

/* Adds these options and the judge's headers. */
MUST_USE Status compile_clang_hash_headers(const char *headers, Hash *hash, Message *why);
/* Adds what a result depends on besides the source and the compiler's version. */
MUST_USE Status compile_hash_clang(const CompileTools *tools, Hash *hash, Message *why);

#endif
