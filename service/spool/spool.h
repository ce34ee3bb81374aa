/* spool.h - the folder through which the head of the service and its workers hand each other jobs and results.
 *
 *     ready/J-N.json       a job: attempt N of judging J. The head writes it, and a worker takes it by renaming it
 *     claimed/J-N.WORKER   the same file, once WORKER has taken it
 *     beat/J-N.WORKER      a counter that WORKER raises each second, and what it is doing
 *     done/J-N.json        how the attempt has ended, with a checksum
 *     idle/WORKER          a counter that WORKER raises every few seconds while it waits (spool_idle.h)
 *     hold/WORKER          WORKER claims nothing while this exists
 *     editions/DIGEST/     files of a problem as they were once (grader/problem/problem_edition.h)
 *     damaged/...          files that could not be read, for a person to look at
 *
 * The folder may lie on a network file system. Every file is written under another name first, which begins with a dot,
 * and then renamed, so that nobody sees half of it. No time of a file counts: clocks of hosts differ. Each function can be
 * repeated after a crash at any point, and files whose names do not fit are ignored. docs/formats.md has the files.
 *
 * Errors   NOT_FOUND: no such file. BAD_INPUT: a file is damaged. SYSTEM: the folder cannot be read or written.  */
#ifndef SERVICE_SPOOL_SPOOL_H
#define SERVICE_SPOOL_SPOOL_H

#include "base/arena.h"
#include "base/status.h"
#include "service/spool/spool_contents.h"

#include <stdbool.h>
#include <stddef.h>

/* Makes the folder and its subfolders where they are missing, and refuses one that others may enter. */
MUST_USE Status spool_make(const char *spool, Message *why);

/* ---- the head ---------------------------------------------------------------------------------------------------- */

/* Offers a job. The same job may be offered again. */
MUST_USE Status spool_offer(const char *spool, const SpoolJob *job, Message *why);
/* Takes an offer back; `*withdrawn` is false if a worker has taken it, or there is none. */
MUST_USE Status spool_withdraw(const char *spool, SpoolId id, bool *withdrawn, Message *why);
/* Everything that workers have taken and the head has not forgotten, in no order. */
MUST_USE Status spool_list_claims(const char *spool, Arena *arena, SpoolClaim **claims, size_t *count, Message *why);
/* The attempts that have ended, in no order. */
MUST_USE Status spool_list_done(const char *spool, Arena *arena, SpoolId **ids, size_t *count, Message *why);
/* Reads how an attempt ended, and checks the checksum. A damaged file is moved aside. */
MUST_USE Status spool_read_done(const char *spool, SpoolId id, Arena *arena, SpoolDone *done, Message *why);
/* Removes all files of an attempt. A worker that is still busy with it stops. */
MUST_USE Status spool_forget(const char *spool, SpoolId id, Message *why);
/* Makes a worker claim nothing more, or lets it claim again. */
MUST_USE Status spool_hold(const char *spool, const char *worker, bool held, Message *why);
/* Removes what writers that were killed have left unfinished. For the head, when it starts. */
MUST_USE Status spool_sweep(const char *spool, Message *why);

/* ---- both -------------------------------------------------------------------------------------------------------- */

enum { SPOOL_EDITIONS_BYTES = 4500 };
/* The folder of the editions. The head writes and removes them, and a job may name one. */
void spool_editions_path(const char *spool, char path[SPOOL_EDITIONS_BYTES]);

/* ---- workers ----------------------------------------------------------------------------------------------------- */

/* The jobs that nobody has taken, the most urgent one first. One whose file is damaged comes before all others, so that a
 * worker takes it and reports it. */
MUST_USE Status spool_list_ready(const char *spool, Arena *arena, SpoolJob **jobs, size_t *count, Message *why);
/* Takes a job; `*claimed` is false if another worker was faster, or the head has taken it back. */
MUST_USE Status spool_claim(const char *spool, SpoolId id, const char *worker, bool *claimed, Message *why);
/* Reads the job of a claim. */
MUST_USE Status spool_read_claimed(const char *spool, const SpoolClaim *claim, Arena *arena, SpoolJob *job,
                                   Message *why);
/* Shows that the worker lives. Not synced to the disk: the next one comes soon. */
MUST_USE Status spool_beat(const char *spool, const SpoolClaim *claim, Message *why);
/* False once the head has forgotten the claim. */
bool spool_is_claimed(const char *spool, const SpoolClaim *claim);
bool spool_is_held(const char *spool, const char *worker);
/* Moves the file of a damaged job aside; the claim stays until spool_finish(). */
MUST_USE Status spool_set_aside(const char *spool, const SpoolClaim *claim, Message *why);
/* Reports the end of an attempt. The claim stays until the head has recorded it, since the head may see the end late. */
MUST_USE Status spool_finish(const char *spool, const SpoolDone *done, Message *why);
/* Whether the end of an attempt is reported, and the head has not forgotten it. */
bool spool_is_done(const char *spool, SpoolId id);
/* Gives up a claim. */
void spool_release(const char *spool, const SpoolClaim *claim);

#endif
