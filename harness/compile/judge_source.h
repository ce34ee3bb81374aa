/* judge_source.h - compiling the judge's own sources when they are first needed: what the host's compiler
 * (grader/oracle/oracle.c) and the device's (device_code.c) have in common. Never for submissions: no sandbox is used
 * here.  */
#ifndef HARNESS_COMPILE_JUDGE_SOURCE_H
#define HARNESS_COMPILE_JUDGE_SOURCE_H

#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/sandbox/process.h"

#include <stddef.h>

/* Adds the text of a source file. */
MUST_USE Status judge_source_hash(Hash *hash, const char *path, Message *why);

/* Runs a compiler, with what it prints in `output`, and its own temporary files in `folder`. Not ending in time is a
 * failure; how it ended otherwise is for the caller to judge. */
MUST_USE Status judge_source_run(const char *const *argv, const char *folder, Text *output, ProcessEnd *end,
                                 Message *why);

/* The same, where anything but success is STATUS_BAD_INPUT, with the first line that tells of an error:
 * "problems/conv1d/oracle.h does not compile: ...:7:12: error: ...". `source` is how the message begins. */
MUST_USE Status judge_source_compile(const char *const *argv, const char *folder, const char *source, Message *why);

#endif
