/* spool_files.h - the names of the spool's files, and how a file comes into being: whole, or not at all.  */
#ifndef SERVICE_SPOOL_SPOOL_FILES_H
#define SERVICE_SPOOL_SPOOL_FILES_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "service/spool/spool_contents.h"

#include <stdbool.h>
#include <stddef.h>

enum { SPOOL_PATH_BYTES = 4096 };

typedef struct SpoolPath {
    char text[SPOOL_PATH_BYTES];
} SpoolPath;

typedef struct SpoolEntry { /* a file "J-N.ENDING" */
    SpoolId id;
    char ending[SPOOL_WORKER_BYTES + 1]; /* "json", or the name of a worker */
} SpoolEntry;

typedef enum SpoolSync { SPOOL_NOT_SYNCED, SPOOL_SYNCED } SpoolSync;

/* SPOOL/FOLDER; SPOOL/FOLDER/J-N.ENDING; SPOOL/FOLDER/.J-N.ENDING, the name of a file that is being written. */
SpoolPath spool_folder(const char *spool, const char *folder);
SpoolPath spool_path(const char *spool, const char *folder, SpoolId id, const char *ending);
SpoolPath spool_temporary(const char *spool, const char *folder, SpoolId id, const char *ending);

/* SPOOL/FOLDER/WORKER, and SPOOL/FOLDER/.WORKER while it is being written. */
SpoolPath spool_worker_path(const char *spool, const char *folder, const char *worker);
SpoolPath spool_worker_temporary(const char *spool, const char *folder, const char *worker);

/* Writes a file that only its owner may read, whether there is one already or not. Synced, file and folder survive a crash
 * of the machine. */
MUST_USE Status spool_put(const char *spool, const char *folder, SpoolId id, const char *ending, const Text *text,
                          SpoolSync sync, Message *why);

/* The same for a file of a worker, which need not survive a crash of the machine. */
MUST_USE Status spool_put_worker(const char *spool, const char *folder, const char *worker, const Text *text,
                                 Message *why);

/* The files of a folder whose names fit; with `unfinished`, those that are being written. */
MUST_USE Status spool_list(const char *spool, const char *folder, bool unfinished, Arena *arena, SpoolEntry **entries,
                           size_t *count, Message *why);

/* The workers that have a file in a folder; with `unfinished`, those whose file is being written. */
MUST_USE Status spool_list_workers(const char *spool, const char *folder, bool unfinished, Arena *arena,
                                   const char ***workers, size_t *count, Message *why);

/* Removes a file; a missing one is no error. */
MUST_USE Status spool_remove(const SpoolPath *path, Message *why);

/* Whether there is such a file, by listing its folder: asked for a single name, a network file system answers from what it
 * remembers for a while, also that there was none. False with errno ENOENT: there is none; with another one: nobody knows. */
bool spool_exists(const SpoolPath *path);

#endif
