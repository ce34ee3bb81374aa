/* class_read.h - reads class.json.
 *
 * Refuses what is unknown, missing, repeated, of the wrong kind or contradictory (a problem that does not exist, a case that the
 * problem does not have, a deadline before the assignment opens, a band below the one before), with file, line and key.
 * Sets and restores TZ: see zone.h. Needs setlocale().
 * Errors   BAD_INPUT: the file is wrong; NOT_FOUND: there is no such file.  */
#ifndef SERVICE_COURSE_CLASS_READ_H
#define SERVICE_COURSE_CLASS_READ_H

#include "base/status.h"
#include "service/course/class_file.h"

/* The rows of class.json. */
extern const struct RecordTable class_table;

MUST_USE Status class_file_read(const char *path, ClassFile *file, Message *why);

/* The folders and files of `handed_out` and `earlier` exist. Not every machine that reads the file has them. */
MUST_USE Status class_file_check_paths(const ClassFile *file, Message *why);

#endif
