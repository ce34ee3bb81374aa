/* scratch.h - private temporary folders that are removed when their process ends, however it ends. So is what the process
 * and its children leave unfinished in the compile cache, and its control groups.
 *
 * A folder lies in TMPDIR or /tmp, and is named as judge_name.h says. The first one starts a janitor, a forked child
 * that waits for the end of its parent (exit, a signal, kill -9, a crash) and then removes the parent's folders. No
 * signal handler is needed: it could not remove a tree safely, and kill -9 would not run it. If the janitor itself is
 * killed, the next process that makes a folder removes the rest.  */
#ifndef HARNESS_SANDBOX_SCRATCH_H
#define HARNESS_SANDBOX_SCRATCH_H

#include "base/status.h"

#include <stddef.h>

/* Starts the janitor if it has not been started. */
MUST_USE Status scratch_guard(Message *why);
/* Makes a folder that only this user may enter. */
MUST_USE Status scratch_new(char *path, size_t size, Message *why);
/* Removes the folder with everything in it; a missing folder is no error. Symbolic links are never followed. */
void scratch_remove(const char *path);

#endif
