/* scratch.h - private temporary folders that are gone when their process is, however it ended.
 *
 * A folder is named convjudge.<pid>.XXXXXX and lies in TMPDIR or /tmp. With the first one a janitor is forked, a child
 * that waits for the end of its parent (exit, a signal, kill -9, a crash) and then removes the parent's folders. So no
 * signal handler is needed: removing a tree in one would not be safe, and nothing can be done about kill -9 there.
 * What a janitor that was itself killed has left is swept up by the next process that asks for a folder.  */
#ifndef HARNESS_SANDBOX_SCRATCH_H
#define HARNESS_SANDBOX_SCRATCH_H

#include "base/status.h"

#include <stddef.h>

/* A fresh folder that only this user may enter. */
MUST_USE Status scratch_new(char *path, size_t size, Message *why);
/* Removes the folder with everything in it; what is not there is no error. Symbolic links are never followed. */
void scratch_remove(const char *path);

#endif
