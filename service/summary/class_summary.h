/* class_summary.h - from facts to a summary.  */
#ifndef SERVICE_SUMMARY_CLASS_SUMMARY_H
#define SERVICE_SUMMARY_CLASS_SUMMARY_H

#include "service/summary/summary.h"

/* Pure: the same facts give the same summary, which lives in `arena` and beside the facts. */
Summary summary_of(const Facts *facts, const char *title, const char *time_utc, Arena *arena);

#endif
