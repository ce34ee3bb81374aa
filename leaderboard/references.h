/* references.h - times of reference solutions as a file, leaderboard/references/<device>.json (docs/formats.md).
 *
 * A machine need not time what another of the same model has timed.  */
#ifndef LEADERBOARD_REFERENCES_H
#define LEADERBOARD_REFERENCES_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"

#include <stddef.h>

/* The times of one board, in the file's order; none where the file does not exist or holds no times of this problem,
 * revision and epoch. */
MUST_USE Status references_read(const char *path, const Board *board, Arena *arena, ReferenceTime **times,
                                size_t *count, Message *why);

/* Puts the times of one board into the file in place of what it held of this problem. Those of other problems stay,
 * where they are of the same epoch. */
MUST_USE Status references_write(const char *path, const Board *board, const ReferenceTime *times, size_t count,
                                 Message *why);

#endif
