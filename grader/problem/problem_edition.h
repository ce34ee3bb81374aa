/* problem_edition.h - exactly what the submissions of a problem are judged by, and a copy of it.
 *
 * The edition is the digest of the files below problems/<id>/ and testcases/<id>/, but for those that students read alone: the
 * statement and the starter. Each change of a hidden case or of the oracle makes another edition; a revision (problem.h)
 * changes only where times cannot be compared any more.  */
#ifndef GRADER_PROBLEM_PROBLEM_EDITION_H
#define GRADER_PROBLEM_PROBLEM_EDITION_H

#include "base/json.h"
#include "grader/problem/problem.h"

MUST_USE Status problem_edition(const Problem *problem, Digest *edition, Message *why);

/* Copies these files to KEEP/EDITION/, for problem_read_in() and CONVJUDGE_PROBLEMS, unless they are there. STATUS_BUSY: somebody
 * changes them just now. */
MUST_USE Status problem_edition_keep(const Problem *problem, const char *keep, Digest *edition, Message *why);

/* KEEP/EDITION. False: the name is too long, or there is no such folder. */
bool problem_edition_find(const char *keep, const char *edition, char *path, size_t size);

/* Removes what lies in KEEP but for these editions: others, and what a killed process has left of one. Nobody may copy meanwhile.
 * What cannot be removed now is there for the next time. */
void problem_editions_prune(const char *keep, const char *const *needed, size_t count);

/* For a host that has none of it: the files of the edition in a folder, {"files": [{"path": "problems/ID/NAME", "hex": "..."}]}. */
MUST_USE Status problem_edition_pack(const char *folder, cJSON **files, Message *why);
/* Makes KEEP/EDITION of that. BAD_INPUT: these are not the files of the edition. */
MUST_USE Status problem_edition_unpack(const char *keep, const char *edition, const JsonFile *files, Message *why);

#endif
