/* commit_time.h - when the newest commit of a clone was made, by the clock of whoever committed.
 *
 * The clone is a student's, and its settings could make git start programs. So git reads its objects through an empty repository
 * of ours, and never opens the clone itself.  */
#ifndef SERVICE_INTAKE_COMMIT_TIME_H
#define SERVICE_INTAKE_COMMIT_TIME_H

#include <stdint.h>

/* In seconds since 1970, of what HEAD means in FOLDER/.git. 0: unknown, or there is no git here. */
int64_t commit_time_of(const char *folder);

#endif
