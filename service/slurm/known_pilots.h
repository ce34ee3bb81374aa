/* known_pilots.h - the pilots that are believed to take part, by the ids of their jobs: those that Slurm listed last,
 * and those that were started since.  */
#ifndef SERVICE_SLURM_KNOWN_PILOTS_H
#define SERVICE_SLURM_KNOWN_PILOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct KnownPilot {
    int64_t job;
    bool has_claimed; /* its worker has taken something from the spool */
    bool is_seen;     /* in the present list */
} KnownPilot;

typedef struct KnownPilots {
    KnownPilot *items;
    int64_t count;
    size_t capacity;
} KnownPilots;

/* Begins a list: none has been seen yet. */
void known_pilots_begin(KnownPilots *known);
/* A pilot takes part, known before or not. */
void known_pilots_see(KnownPilots *known, int64_t job);
/* Takes one away that the list does not have; false: there is none left. */
bool known_pilots_take_ended(KnownPilots *known, KnownPilot *ended);
/* A worker of this job has taken something; false: no such pilot is known. */
bool known_pilots_note_claim(KnownPilots *known, int64_t job);
void known_pilots_free(KnownPilots *known);

#endif
