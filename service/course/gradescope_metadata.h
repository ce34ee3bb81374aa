/* gradescope_metadata.h - submission_metadata.yml, which Gradescope puts beside the folders of an export.
 *
 *     submission_123456:
 *       :submitters:
 *       - :name: Ada Lovelace
 *         :sid: '17'
 *         :email: ada@example.org
 *       :created_at: 2026-11-09 22:58:00.000000000 Z
 *
 * Other keys mean nothing here. A group has several submitters.
 * Errors   BAD_INPUT with the line: it is not YAML, or not such a file. NOT_FOUND: there is none.  */
#ifndef SERVICE_COURSE_GRADESCOPE_METADATA_H
#define SERVICE_COURSE_GRADESCOPE_METADATA_H

#include "base/arena.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#define GRADESCOPE_METADATA_NAME "submission_metadata.yml"

typedef struct MetadataPerson {
    const char *name; /* as that of a person (export_name.h) */
    const char *id;   /* student id, else e-mail address; "" */
} MetadataPerson;

typedef struct GradescopeSubmission {
    const char *folder; /* "submission_123456" */
    MetadataPerson *people;
    size_t person_count;
    int64_t received_s; /* since 1970; 0: unknown */
} GradescopeSubmission;

typedef struct GradescopeMetadata {
    GradescopeSubmission *items; /* in the arena */
    size_t count;
} GradescopeMetadata;

MUST_USE Status gradescope_metadata_read(const char *path, Arena *arena, GradescopeMetadata *metadata, Message *why);
/* NULL: it says nothing of this folder. */
const GradescopeSubmission *gradescope_metadata_of(const GradescopeMetadata *metadata, const char *folder);

#endif
