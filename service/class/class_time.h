/* class_time.h - the times of class.json as they are written: "2026-11-09T23:59", with seconds or without, in the class's
 * zone, or with an offset of its own: "2026-11-09T22:59:00Z", "2026-11-09T23:59+01:00".  */
#ifndef SERVICE_CLASS_CLASS_TIME_H
#define SERVICE_CLASS_CLASS_TIME_H

#include "service/class/class_file.h"

/* `earlier`: of two moments with the same local time the earlier one counts. BAD_INPUT: it is no such time. */
MUST_USE Status class_time_parse(const char *written, const Zone *zone, bool earlier, Arena *arena, ClassTime *time,
                                 Message *why);

/* Grace and late days of a deadline. */
ClassDeadline class_deadline_of(ClassTime due, const ClassLate *late, const Zone *zone, Arena *arena);

typedef struct TimeText {
    char text[64];
} TimeText;
/* "2026-11-09 23:59", with seconds only if they are not 0. */
TimeText class_time_local(const Zone *zone, int64_t utc_s);
/* "2026-11-09T22:59:00Z" */
TimeText class_time_utc(int64_t utc_s);

#endif
