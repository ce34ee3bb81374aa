/* json_target.h - the place that `--json FILE` names: a file, or "-" for standard output.  */
#ifndef GRADER_TERMINAL_JSON_TARGET_H
#define GRADER_TERMINAL_JSON_TARGET_H

#include "base/status.h"
#include "base/text.h"

/* Finds out before minutes of judging whether the result can be written. Writing replaces the file, so it must not be a
 * device such as /dev/null, or the submission. `path` may be NULL: nothing will be written. */
MUST_USE Status json_target_check(const char *path, const char *submission, Message *why);
MUST_USE Status json_target_write(const char *path, const Text *text, Message *why);

#endif
