/* owned_files.h - takes what belongs to one person, or to a group that has handed in together, out of files, folders and archives.  */
#ifndef SERVICE_INTAKE_OWNED_FILES_H
#define SERVICE_INTAKE_OWNED_FILES_H

#include "base/status.h"
#include "service/intake/intake_list.h"

typedef struct Owner {
    const char *const *people; /* one or more: each has handed in the same */
    const char *const *ids;    /* for each, "" where the export has none */
    size_t count;
    const char *assignment; /* NULL */
    int64_t received_s;     /* 0 */
    bool marked_late;
} Owner;

/* Whether a name promises a source or an archive. */
bool owned_is_wanted(const char *name);

/* A file at `path`; `name` is that under which it was handed in. What is neither a source nor an archive is left aside. */
void owned_take_file(Intake *intake, const Owner *owner, const char *path, const char *origin, const char *name);
/* Everything in a folder, and in the folders in it. */
void owned_take_folder(Intake *intake, const Owner *owner, const char *path, const char *origin);

typedef struct FolderEntry {
    const char *name;
    bool is_folder, is_file; /* neither: a link, a device, ... */
} FolderEntry;

/* The entries of a folder by name, as strcmp() orders them. */
MUST_USE Status folder_entries(const char *path, Arena *arena, FolderEntry **entries, size_t *count, Message *why);

#endif
