/* mistakes.h - the same mistake, made by several people, or by one person again and again.  */
#ifndef SERVICE_SUMMARY_MISTAKES_H
#define SERVICE_SUMMARY_MISTAKES_H

#include "service/summary/summary.h"

/* `own` are the submissions of a task, those of one person one after the other in the order of their receipt. */
void mistakes_count(const Facts *facts, const FactSubmission *const *own, size_t count, TaskSummary *summary,
                    Arena *arena);
void mistakes_find_stuck(const Facts *facts, const FactSubmission *const *own, size_t count, TaskSummary *summary,
                         Arena *arena);

#endif
