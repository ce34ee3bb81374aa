/* intake_list.h - what was found in the folder of a class, what was refused, and what was left aside.
 *
 * Owns     all texts live in `arena`.  */
#ifndef SERVICE_INTAKE_INTAKE_LIST_H
#define SERVICE_INTAKE_INTAKE_LIST_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
} RefusedFile;

typedef struct Intake {
    /* By person; the files of one person by time of receipt, by version, by origin. */
    FoundFile *found;
    size_t found_count, found_capacity;
    /* What may be a submission and cannot be taken. */
    RefusedFile *refused;
    size_t refused_count, refused_capacity;
    /* Other files: reports, headers, tests. */
    const char **left_aside;
    size_t left_aside_count, left_aside_capacity;
    Arena arena;
} Intake;

/* The texts of the file must live in the arena; the other two copy theirs. */
void intake_add(Intake *intake, const FoundFile *file);
void intake_refuse(Intake *intake, const char *origin, const char *why);
void intake_leave_aside(Intake *intake, const char *origin);
void intake_free(Intake *intake);

#endif
