/* export_name.h - what the names in an export say: whose file it is, and whether it was late.
 *
 * Moodle       "Ada Lovelace_17_assignsubmission_file_" (a folder, also without the last '_') or "Ada Lovelace_17_assignsubmission_file_x.cu";
 *              17 is the number of the participant, who is called "Participant" where marking is blind
 * Canvas       "lovelaceada_LATE_17_42_x-1.cu": name, "LATE" if it was, the numbers of person and file, then the file's name, to which
 *              Canvas adds "-1", "-2" and so on where a file of this name was handed in before; "anon_x7Kq2_42_x.cu" where
 *              marking is anonymous
 * Gradescope   "submission_123": a folder; who it is stands in submission_metadata.yml (gradescope_metadata.h)
 * Plain        anything else: the name of the folder, or that of the file without its ending, is the person's
 *
 * GitHub Classroom's "assignment-username" is a plain name until its neighbours are known (intake.c).  */
#ifndef SERVICE_COURSE_EXPORT_NAME_H
#define SERVICE_COURSE_EXPORT_NAME_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* UNCLEAR: the name of a file that fits Moodle and Canvas. People choose a part of it, their own name or that of the file, and
 * could so be taken for somebody else. */
typedef enum ExportKind { EXPORT_PLAIN, EXPORT_MOODLE, EXPORT_CANVAS, EXPORT_GRADESCOPE, EXPORT_UNCLEAR } ExportKind;

typedef struct ExportName {
    ExportKind kind;
    const char *person; /* without control characters, and without spaces at its ends; may be "" */
    const char *id;     /* tells people of the same name apart; "" */
    const char *file;   /* the name under which it was handed in; "" for a folder */
    bool marked_late;
} ExportName;

ExportName export_name_read(const char *name, bool is_folder, Arena *arena);

/* A name as that of a person: control characters become spaces, and runs of spaces one. */
const char *export_person(const char *name, size_t length, Arena *arena);

/* "kernel-2.cu" and "kernel (2).cu" are version 2 of "kernel.cu", which is version 0. `*stem` is the length of "kernel". */
int export_version(const char *file, size_t *stem);

#endif
