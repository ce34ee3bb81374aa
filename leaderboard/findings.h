/* findings.h - what is wrong with a leaderboard, as a list of rows with what was expected and what was found.  */
#ifndef LEADERBOARD_FINDINGS_H
#define LEADERBOARD_FINDINGS_H

#include "base/arena.h"

#include <stddef.h>

typedef struct Finding {
    const char *place; /* "runs 3", "link 7", "trigger runs_are_never_changed" */
    const char *what;  /* "score_ms" */
    const char *expected, *found;
} Finding;

typedef struct Findings {
    Arena *arena; /* of the list and its texts */
    Finding *items;
    size_t count, capacity;
} Findings;

/* Copies all texts. */
void findings_add(Findings *findings, const char *place, const char *what, const char *expected, const char *found);

#endif
