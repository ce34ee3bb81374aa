/* source_files.h - the files with certain endings in a folder and those below it, in the order of their names.
 *
 * Links and names that begin with a dot are passed over. Folders deeper than twelve, and what comes after 20,000 files, are refused,
 * since a path such as / is a mistake.  */
#ifndef GRADER_SIMILARITY_SOURCE_FILES_H
#define GRADER_SIMILARITY_SOURCE_FILES_H

#include "base/status.h"

#include <stdbool.h>

/* Endings such as ".cu", NULL at the end. */
bool source_file_ends_with(const char *path, const char *const *endings);

/* Calls `take` with each file's path and its name below `path`, in which bytes that are no UTF-8 are '?'. A `path` that is a file itself
 * is taken whatever its ending. */
MUST_USE Status source_files_each(const char *path, const char *const *endings,
                                  void (*take)(void *context, const char *path, const char *name), void *context,
                                  Message *why);

#endif
