/* task_summary.h - what became of one task.  */
#ifndef SERVICE_SUMMARY_TASK_SUMMARY_H
#define SERVICE_SUMMARY_TASK_SUMMARY_H

#include "service/summary/summary.h"

TaskSummary task_summary_of(const Facts *facts, size_t task, Arena *arena);

#endif
