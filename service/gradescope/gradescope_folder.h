/* gradescope_folder.h - what Gradescope lays out for an autograder: the submission, whose it is, and where the results go.
 *
 *     submission/                  the student's files
 *     submission_metadata.json     the number of the submission there, and its users
 *     results/results.json         what the autograder writes
 *
 * Source   gradescope-autograders.readthedocs.io, "Autograder Specifications", "Submission Metadata". More keys may come.  */
#ifndef SERVICE_GRADESCOPE_GRADESCOPE_FOLDER_H
#define SERVICE_GRADESCOPE_GRADESCOPE_FOLDER_H

#include "base/status.h"

/* Who a student is at the judge: the whole address of electronic mail, what stands before its '@', or the name. */
typedef enum GradescopePerson { PERSON_BY_EMAIL, PERSON_BY_LOGIN, PERSON_BY_NAME } GradescopePerson;

typedef struct GradescopeFolder {
    char file[5000];    /* the one CUDA file */
    char results[5000]; /* results/results.json */
    char person[200];
    char key[65]; /* the same each time this submission is graded: it stays one submission of the judge's */
} GradescopeFolder;

/* "email", "login" or "name"; NULL is "email". */
MUST_USE Status gradescope_person_parse(const char *name, GradescopePerson *by, Message *why);

/* Where results go is known even where the rest cannot be read. The first of several users counts: those of a group.
 * BAD_INPUT: the student has to change something. */
void gradescope_folder_places(const char *path, GradescopeFolder *folder);
MUST_USE Status gradescope_find_file(const char *path, GradescopeFolder *folder, Message *why);
MUST_USE Status gradescope_find_person(const char *path, GradescopePerson by, GradescopeFolder *folder, Message *why);

#endif
