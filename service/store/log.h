/* log.h - what the service tells its operator: one line for each event, as key=value, on standard error.
 *
 *     time=2026-01-31T12:00:00Z level=info event=claimed judging=12 attempt=1 person="Ada L."
 *
 * Values with spaces, quotes or nothing in them are quoted as in C. So are control characters, marks that change the
 * direction of writing, and bytes that are not UTF-8, so that no name can forge a line.
 *
 *     Log line = log_begin(LEVEL_INFO, "claimed");
 *     log_integer(&line, "judging", 12);
 *     log_text(&line, "person", name);
 *     log_end(&line);  */
#ifndef SERVICE_STORE_LOG_H
#define SERVICE_STORE_LOG_H

#include "base/text.h"

#include <stdint.h>

typedef enum LogLevel { LEVEL_INFO, LEVEL_WARNING, LEVEL_ERROR } LogLevel;

typedef struct Log {
    Text line;
} Log;

/* From now on lines go to an open file instead, which stays the caller's. */
void log_to(int file);

Log log_begin(LogLevel level, const char *event);
void log_text(Log *log, const char *key, const char *value);
void log_integer(Log *log, const char *key, int64_t value);
/* A duration, in thousandths. */
void log_seconds(Log *log, const char *key, double value);
/* Writes the line in one piece, and frees it. */
void log_end(Log *log);

/* A whole event with texts alone: keys and values in turn. */
#define log_event(...) log_texts(__VA_ARGS__, (const char *)0)
__attribute__((sentinel)) void log_texts(LogLevel level, const char *event, ...);

#endif
