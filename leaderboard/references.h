/* references.h - times of reference solutions as a file, leaderboard/references/<device>.json (docs/formats.md).
 *
 * A machine can use the times that another one with the same model of GPU has taken.  */
#ifndef LEADERBOARD_REFERENCES_H
#define LEADERBOARD_REFERENCES_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"

#include <stddef.h>

/* Reads the times of one board, in the order of the file; none if the file does not exist or has no times for this
 * problem, revision and epoch. */
MUST_USE Status references_read(const char *path, const Board *board, Arena *arena, ReferenceTime **times,
                                size_t *count, Message *why);

/* Replaces this problem's times in the file by those of one board. Times of other problems stay if they are of the same
 * epoch. */
MUST_USE Status references_write(const char *path, const Board *board, const ReferenceTime *times, size_t count,
                                 Message *why);

#endif
