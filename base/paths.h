/* paths.h - where the judge's own files lie, and the environment variables that move them.
 *
 *   CONVJUDGE_HOME      the judge's folder, which holds problems/, testcases/, simgpu/profiles/ and so on
 *   CONVJUDGE_PROBLEMS  another folder that holds problems/ and testcases/
 *   CONVJUDGE_CACHE     the folder of the caches, $XDG_CACHE_HOME/convjudge or ~/.cache/convjudge otherwise
 *   CONVJUDGE_DB        the leaderboard, leaderboard/leaderboard.db otherwise
 *   CONVJUDGE_DEVICES   the folder of measured devices, leaderboard/devices otherwise
 *
 * A variable that is set to an empty string counts as unset.
 * Errors   STATUS_NOT_FOUND where the judge's folder is not found, STATUS_BAD_INPUT where a path is too long.  */
#ifndef BASE_PATHS_H
#define BASE_PATHS_H

#include "base/status.h"

#include <stddef.h>

/* ==== file system ================================================================================================= */

/* Finds out which file systems lie on another host: SQLite's log and locks do not work there. */

/* `*network` is the name of the network file system on which a file or folder lies, "NFS"; NULL: it is a local one. */
MUST_USE Status file_system_network(const char *path, const char **network, Message *why);

/* ==== environment ================================================================================================= */

/* The value of a variable; NULL: it is unset, or empty. */
const char *paths_variable(const char *name);

/* ==== paths ======================================================================================================= */

/* A file of the judge's source tree, "problems" or "simgpu/profiles/h200.json": below CONVJUDGE_HOME, otherwise below
 * the nearest folder above the running program that holds problems/ and simgpu/profiles/, itself (a checkout) or in
 * share/convjudge/ (`make install`). */
MUST_USE Status paths_home(const char *relative, char *path, size_t size, Message *why);

/* A file that was built together with the running program, "libcudart.so.13" or "convjudge-runner": beside the
 * program, or in the nearest folder above it that holds the file (unit tests lie deeper than the programs). */
MUST_USE Status paths_build(const char *relative, char *path, size_t size, Message *why);

/* Finds the path that the environment variable names, or paths_home(relative) if it is unset. */
MUST_USE Status paths_chosen(const char *variable, const char *relative, char *path, size_t size, Message *why);

/* "problems/conv1d" or "testcases/conv1d": below CONVJUDGE_PROBLEMS, otherwise as paths_home(). */
MUST_USE Status paths_problem(const char *relative, char *path, size_t size, Message *why);

/* The folder of the caches, which outlives a checkout: below CONVJUDGE_CACHE, XDG_CACHE_HOME or HOME, the first that is
 * set; where none is, build/cache in the judge's folder. */
MUST_USE Status paths_cache(char *path, size_t size, Message *why);

/* The same, and makes the folder and those above it, closed to others; where that fails, the writer sees it. */
MUST_USE Status paths_make_cache(char *path, size_t size, Message *why);

#endif
