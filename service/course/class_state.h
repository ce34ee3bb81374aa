/* class_state.h - where the results of a class lie, if nobody says so: one folder of state (service_store.h) for each class file.  */
#ifndef SERVICE_COURSE_CLASS_STATE_H
#define SERVICE_COURSE_CLASS_STATE_H

#include "base/arena.h"

/* "course/class.state" for "course/class.json"; without a class file (NULL) "submissions.state" for the folder "submissions/". */
const char *class_state_folder(const char *class_file, const char *submissions, Arena *arena);

#endif
