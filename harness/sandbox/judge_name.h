/* judge_name.h - names of what a judge leaves behind if it is killed: convjudge.<pid>.<namespace of processes>.<rest>
 *
 * Its janitor (scratch.h), or the next judge, removes what bears the name of a process that is gone. Containers may share the place
 * where such things lie, and process numbers mean something else in each, so that the name holds the number of the namespace as
 * well (0: unknown).  */
#ifndef HARNESS_SANDBOX_JUDGE_NAME_H
#define HARNESS_SANDBOX_JUDGE_NAME_H

#include <stdbool.h>
#include <sys/types.h>

enum { JUDGE_NAME_BYTES = 64 };

/* How all names of a process in this namespace begin. */
void judge_name_begin(pid_t judge, char begin[JUDGE_NAME_BYTES]);
/* The process of a name, in whatever namespace; 0: this is no such name. */
pid_t judge_name_owner(const char *name);
/* Whether it is a name of this process, in this namespace. */
bool judge_name_is_of(const char *name, pid_t judge);

#endif
