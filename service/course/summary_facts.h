/* summary_facts.h - what a summary for the teacher (service/course) wants to know, from scores and the store.
 *
 * A task is a problem of an assignment. A submission belongs to it if it was handed in from when the assignment opened until it
 * closed for this person, or at a time that nobody knows.  */
#ifndef SERVICE_COURSE_SUMMARY_FACTS_H
#define SERVICE_COURSE_SUMMARY_FACTS_H

#include "service/course/scores.h"
#include "service/course/facts.h"

/* Adds to `facts`, which may hold some in any case: for facts_free(). */
MUST_USE Status summary_facts_read(Store *store, const Scores *scores, Facts *facts, Message *why);

#endif
