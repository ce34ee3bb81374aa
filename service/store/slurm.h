/* slurm.h - keeps as many pilots in Slurm as the queue is worth: batch jobs in which workers run.
 *
 * Record    What Slurm says decides only whether to start a pilot. What was handed in, and what became of it, is in the
 *           store, so a controller that forgets jobs or repeats them loses and repeats nothing.
 * Course    A thread of its own runs squeue and sbatch as child processes with a time limit. Nothing is asked while
 *           nothing waits and no pilot is known. Each pilot is started after a fresh list, so that never more than
 *           configured run, also after a restart of the server or an sbatch that timed out; pilots that have a job and
 *           that Slurm no longer lists count, too.
 * Failures  are told once (log.h), and tried again after growing pauses. So is a pilot that has ended without taking
 *           anything although something waited: its node has a fault.
 * Threads   slurm_health() may be called from any.  */
#ifndef SERVICE_STORE_SLURM_H
#define SERVICE_STORE_SLURM_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "service/store/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== known pilots ================================================================================================ */

/* The pilots that are believed to take part, by the ids of their jobs: those that Slurm listed last,
 * and those that were started since. */

typedef struct KnownPilot {
    int64_t job;
    bool has_claimed; /* its worker has had a job */
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

/* ==== pilot logs ================================================================================================== */

/* FOLDER/JOB.log: what a pilot, or Slurm about it, wrote to standard output and error. */

enum { PILOT_LOGS_KEPT = 200 };

/* Makes the folder, for its owner alone. */
MUST_USE Status pilot_logs_make(const char *folder, Message *why);
/* The last line of a pilot's log, which may be "". */
const char *pilot_logs_last_words(const char *folder, int64_t job, Arena *arena);
/* Removes the oldest logs where there are more than PILOT_LOGS_KEPT. */
void pilot_logs_limit(const char *folder);

/* ==== pilot script ================================================================================================ */

/* The command that starts a pilot, and the script that it runs on its node. */

typedef struct PilotCommand {
    const SlurmSettings *settings;
    const char *server;   /* as --server names it */
    const char *logs;     /* folder for what each pilot writes to its standard error, JOB.log; its path from the root */
    const char *program;  /* where the settings name none */
    const char *job_name; /* by which the server knows its pilots again */
} PilotCommand;

/* What a shell on the node executes. */
void pilot_script(const PilotCommand *command, Text *script);

/* Words for execve(), NULL at the end, which live in `arena`: sbatch with its options and the script. */
const char **pilot_script_sbatch(const PilotCommand *command, Arena *arena);
/* Likewise squeue, for the pilots of this server. */
const char **pilot_script_squeue(const PilotCommand *command, Arena *arena);

/* ==== pilots ====================================================================================================== */

/* What Slurm says of the pilots, and how many more of them there should be: pure functions.
 *
 * A pilot is a batch job in which a worker runs. Its worker is called slurm-JOB-RESTARTS-NUMBER, where the
 * random number keeps two jobs apart that Slurm has given one id. */

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

/* How many more to start. The first comes as soon as something waits, the next ones only if they are worth an
 * allocation. */
int64_t pilots_to_start(int64_t waiting, int64_t alive, int64_t most);

/* Seconds until the next try after so many failures in a row: 0 after none, then from 2 s up to 5 minutes. */
double pilots_pause_s(int failures);

/* Whether the reason of a job that waits is the ordinary one: others are in front of it. */
bool pilots_is_ordinary(const char *reason);

/* ==== slurm ======================================================================================================= */

typedef struct Slurm Slurm;

typedef struct SlurmOptions { /* all of it must outlive the thread */
    const SlurmSettings *settings;
    const char *state;   /* folder of the store, which must be open already */
    const char *server;  /* for pilots, where the settings name none */
    const char *program; /* convjudge, where the settings name none */
} SlurmOptions;

MUST_USE Status slurm_start(const SlurmOptions *options, Slurm **slurm, Message *why);
/* The pilots stay: they end by themselves, and a server that starts again finds them. */
void slurm_stop(Slurm *slurm);

typedef struct SlurmHealth {
    int64_t pending, running; /* pilots, when Slurm was last asked */
    int64_t started;          /* by this server */
    int64_t failures;         /* of commands, and pilots that took nothing, by this server */
    Message trouble;          /* the present one; "": none */
} SlurmHealth;
SlurmHealth slurm_health(Slurm *slurm);

#endif
