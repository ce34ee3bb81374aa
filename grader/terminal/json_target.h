/* json_target.h - the place that `--json FILE` names: a file, or "-" for standard output.  */
#ifndef GRADER_TERMINAL_JSON_TARGET_H
#define GRADER_TERMINAL_JSON_TARGET_H

#include "base/status.h"
#include "base/text.h"

/* A result that cannot be written is found before minutes of judging. Writing replaces the file, so it must be none of
 * the things that are needed, such as /dev/null and the submission. `path` may be NULL: nothing is to be written. */
MUST_USE Status json_target_check(const char *path, const char *submission, Message *why);
MUST_USE Status json_target_write(const char *path, const Text *text, Message *why);

#endif
