/* intake.h - finds what a class has handed in, in a folder of files or of folders as other systems export them.
 *
 * Names     export_name.h. A clone, `assignment-username`, belongs to what is left of its name without what the names of all
 *           clones beside it begin with, up to a '-', or without "assignment-" in a folder "assignment-submissions".
 * Folders   what lies directly in the folder is one person's each. A folder is opened as if it were the folder itself where it is
 *           called as `assignments` says, or is GitHub Classroom's "assignment-submissions", or the only entry and an export.
 *           Nothing deeper is: its names are the students'.
 * Archives  are unpacked, two deep (archive.h).
 * Links     symbolic ones and everything that is neither file nor folder are refused.  */
#ifndef SERVICE_COURSE_INTAKE_H
#define SERVICE_COURSE_INTAKE_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== intake list ================================================================================================= */

/* What was found in the folder of a class, what was refused, and what was left aside.
 *
 * Owns     all texts live in `arena`. */

enum { INTAKE_SOURCE_BYTES = 1 << 20 }; /* of one source, for any problem; the problem's own limit comes later */

typedef struct FoundFile {
    const char *person;
    const char *assignment; /* name of the folder; NULL: it lies in none */
    const char *origin;     /* the path in the folder, and in archives in it: "ada.zip/work/kernel.cu" */
    const char *file_name;  /* its last part, without what an export has put before it */
    const char *source;     /* terminated; any bytes */
    size_t source_bytes;
    int version;        /* export_version() */
    int64_t received_s; /* since 1970; 0: the export does not say */
    bool marked_late;
    const char *id; /* of the person in the export; "" */
} FoundFile;

typedef struct RefusedFile {
    const char *origin, *why;
    const char *person, *assignment; /* whose it is, and for what; NULL: unknown */
} RefusedFile;

typedef struct Intake {
    /* By person; the files of one person by time of receipt, by version, by origin. */
    FoundFile *found;
    size_t found_count, found_capacity;
    /* Files that may be submissions and cannot be taken. */
    RefusedFile *refused;
    size_t refused_count, refused_capacity;
    /* Other files: reports, headers, tests. */
    const char **left_aside;
    size_t left_aside_count, left_aside_capacity;
    Arena arena;
} Intake;

/* Copies the texts. */
void intake_refuse(Intake *intake, const char *person, const char *assignment, const char *origin, const char *why);
void intake_free(Intake *intake);

/* ==== intake ====================================================================================================== */

typedef struct IntakeRules {
    const char *const *assignments; /* names of folders */
    size_t assignment_count;
    /* Who is in the class: "ada-2.cu" and "ada_conv.cu" are ada's if she is, and "ada-2" is not. */
    const char *const *people;
    size_t person_count;
    /* The name of whom the export calls so, or gives this number (""); NULL: those of the export stay. */
    const char *(*name_of)(const void *context, const char *name, const char *id);
    const void *context;
} IntakeRules;

/* Nothing is written. Frees nothing of an earlier intake. NOT_FOUND, BAD_INPUT: it is no folder that can be read. */
MUST_USE Status intake_read(const char *folder, const IntakeRules *rules, Intake *intake, Message *why);

#endif
