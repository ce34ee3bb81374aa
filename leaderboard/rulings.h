/* rulings.h - what a teacher decided about runs: to retract one, to accept one out of quarantine, or to reject it.
 *
 * A ruling is a row of its own, so the run and all earlier rulings stay as evidence. The newest ruling of a run is in
 * force. What follows from it is the view `run_states` in schema.sql.  */
#ifndef LEADERBOARD_RULINGS_H
#define LEADERBOARD_RULINGS_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"

#include <stdint.h>

typedef enum RulingKind { RULING_RETRACT, RULING_ACCEPT, RULING_REJECT } RulingKind;

typedef struct Ruling {
    int64_t run;
    RulingKind kind;
    const char *why;      /* not empty */
    const char *person;   /* who decided it */
    const char *time_utc; /* "2026-01-31T12:00:00Z" */
} Ruling;

/* NOT_FOUND: there is no such run. BAD_INPUT: `why` is empty, or the run would not rank even if accepted. */
MUST_USE Status rulings_add(Store *store, const Ruling *ruling, Message *why);
/* The same, within a transaction that the caller begins by database_begin() and ends by database_end(). */
MUST_USE Status rulings_put(Store *store, const Ruling *ruling, Message *why);

/* The ruling in force, allocated in `arena`; `run` 0 in it if there is none. */
MUST_USE Status rulings_in_force(Store *store, int64_t run, Arena *arena, Ruling *ruling, Message *why);

#endif
