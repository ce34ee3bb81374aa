/* source_share.h - how much of one source can be found in another, as Debian's package similarity-tester sees it.
 *
 * Its program sim_c compares the tokens of C, with all names, numbers and texts taken as equal, so that renaming changes
 * nothing. It runs in the sandbox, because the sources are other people's.  */
#ifndef GRADER_SIMILARITY_SOURCE_SHARE_H
#define GRADER_SIMILARITY_SOURCE_SHARE_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

#define SOURCE_SHARE_PACKAGE "similarity-tester"

/* What CONVJUDGE_SIM_C names, else /usr/bin/sim_c. The sandbox has nothing but /usr. */
const char *source_share_program(void);
bool source_share_is_there(void);

/* Appends the source without the lines that are also in `handout`, spaces aside. Lines without a letter stay. */
void source_share_leave_out(const char *source, const char *handout, Text *rest);

/* Fills in shares[a * count + b], the share of source a that is also in source b, from 0 to 1. Shares below 1 % are 0. */
MUST_USE Status source_share_all(const Text *sources, size_t count, float *shares, Message *why);

#endif
