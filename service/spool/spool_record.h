/* spool_record.h - the contents of the spool's files: from structs to JSON and back.
 *
 * Reading is strict: an unknown, missing or repeated key is BAD_INPUT, with file and line.  */
#ifndef SERVICE_SPOOL_SPOOL_RECORD_H
#define SERVICE_SPOOL_SPOOL_RECORD_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "service/spool/spool_contents.h"

void spool_write_job(const SpoolJob *job, Text *text);
/* The job in the file must be `id`. */
MUST_USE Status spool_read_job(const char *path, SpoolId id, Arena *arena, SpoolJob *job, Message *why);

void spool_write_beat(const SpoolClaim *claim, Text *text);
/* Fills in count, step, done and total. */
MUST_USE Status spool_read_beat(const char *path, Arena *arena, SpoolClaim *claim, Message *why);

void spool_write_idle(const SpoolIdle *idle, Text *text);
/* Fills in everything but the worker's name. */
MUST_USE Status spool_read_idle(const char *path, Arena *arena, SpoolIdle *idle, Message *why);

void spool_write_done(const SpoolDone *done, Text *text);
/* The attempt in the file must be `id`. */
MUST_USE Status spool_parse_done(const char *path, SpoolId id, Arena *arena, SpoolDone *done, Message *why);

/* A run by itself, without its source. */
void spool_write_run(const Run *run, Text *text);
/* Messages call the text `name`. */
MUST_USE Status spool_parse_run(const char *name, const char *text, Arena *arena, Run *run, Message *why);

#endif
