/* judge_source.h - compiles the judge's own sources when they are first needed: oracles for the host (grader/check/oracle.c),
 * kernels for the device, and what clang compiles with the judge's CUDA headers. Without a sandbox: never for submissions.  */
#ifndef HARNESS_COMPILE_JUDGE_SOURCE_H
#define HARNESS_COMPILE_JUDGE_SOURCE_H

#include "base/hash.h"
#include "base/process.h"
#include "base/status.h"
#include "base/text.h"

/* Adds the text of a source file to the hash. */
MUST_USE Status judge_source_hash(Hash *hash, const char *path, Message *why);

/* Runs a compiler whose temporary files lie in `folder`, and appends its output to `output`. A time-out is a failure;
 * `end` says how it ended otherwise. */
MUST_USE Status judge_source_run(const char *const *argv, const char *folder, Text *output, ProcessEnd *end,
                                 Message *why);

/* The same, but anything other than success is STATUS_BAD_INPUT. The message holds the name `source` and the first
 * error: "problems/conv1d/oracle.h does not compile: ...:7:12: error: ...". */
MUST_USE Status judge_source_compile(const char *const *argv, const char *folder, const char *source, Message *why);

/* ==== the judge's CUDA headers, for clang ========================================================================= */

/* The options of every compilation, NULL at the end; the folder of the judge's headers follows them. */
enum { CLANG_FLAGS = 14 };
extern const char *const COMPILE_CLANG_FLAGS[CLANG_FLAGS + 1];

/* Adds these options and the judge's headers. */
MUST_USE Status compile_clang_hash_headers(const char *headers, Hash *hash, Message *why);

#endif
