/* pilots.h - what Slurm says of the pilots, and how many more of them there should be: pure functions.
 *
 * A pilot is a batch job in which a worker drains the spool. Its worker is called slurm-JOB-RESTARTS-NUMBER, where the
 * random number keeps two jobs apart that Slurm has given one id. */
#ifndef SERVICE_SLURM_PILOTS_H
#define SERVICE_SLURM_PILOTS_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SUBMISSIONS_PER_PILOT = 8 }; /* so many must wait for each further pilot: about a minute's work */

typedef enum PilotState { PILOT_PENDING, PILOT_RUNNING, PILOT_ENDING } PilotState;

typedef struct PilotJob {
    int64_t job; /* its id in Slurm */
    PilotState state;
    const char *reason; /* why it does not run yet, in Slurm's word: "Resources" */
} PilotJob;

#define SQUEUE_FORMAT "%i|%T|%r"

/* Reads what squeue printed with that format, one job a line. The array and its texts live in `arena`. BAD_INPUT: a
 * line has another form. */
MUST_USE Status pilots_parse(const char *text, Arena *arena, PilotJob **pilots, size_t *count, Message *why);

/* The id of the job that sbatch has named, "17" or "17;cluster"; 0: none. */
int64_t pilots_job_of_sbatch(const char *text);

/* The id of the job that a worker runs in; 0: it is no pilot's. */
int64_t pilots_job_of_worker(const char *worker);

/* How many of them take part: those that end do not. */
int64_t pilots_alive(const PilotJob *pilots, size_t count);

/* How many more to start. The first comes as soon as something waits, the next ones only if they are worth an
 * allocation. */
int64_t pilots_to_start(int64_t waiting, int64_t alive, int64_t most);

/* Seconds until the next try after so many failures in a row: 0 after none, then from 2 s up to 5 minutes. */
double pilots_pause_s(int failures);

/* Whether the reason of a job that waits is the ordinary one: others are in front of it. */
bool pilots_is_ordinary(const char *reason);

#endif
