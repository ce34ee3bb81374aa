/* archive.h - takes the files out of an archive that a student has handed in: zip, tar (also compressed) and 7z.
 *
 * Nothing is written to a disk: members are read into memory. libarchive reads the bytes in a process of its own, which may
 * do nothing but compute and answer, for a few seconds of processor time, so that a hostile archive reaches nothing.
 *
 * Errors   BAD_INPUT: the archive is damaged, encrypted, too large or hostile: it holds links, devices, a name twice, or names
 *          that lead out of a folder. Nothing of it is taken then. SYSTEM: no process can be started.  */
#ifndef SERVICE_COURSE_ARCHIVE_H
#define SERVICE_COURSE_ARCHIVE_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    ARCHIVE_MOST_MEMBERS = 2000,
    ARCHIVE_MOST_BYTES = 64 << 20, /* of all members together, unpacked */
    ARCHIVE_CPU_SECONDS = 10
};

typedef struct ArchiveMember {
    const char *name; /* "folder/x.cu"; any bytes but zero */
    const char *bytes;
    size_t length;
} ArchiveMember;

/* Whether the ending of a name is that of an archive that can be unpacked. */
bool archive_is_named(const char *name);
/* Whether it is that of another kind of archive. */
bool archive_is_foreign(const char *name);

/* The regular files of the archive in their order; folders are left out. `bytes` NULL in those that `wanted` refuses. */
MUST_USE Status archive_unpack(const char *bytes, size_t length, bool (*wanted)(const char *name), Arena *arena,
                               ArchiveMember **members, size_t *count, Message *why);

#endif
