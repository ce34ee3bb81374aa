/* pilot_script.h - the command that starts a pilot, and the script that it runs on its node.  */
#ifndef SERVICE_SLURM_PILOT_SCRIPT_H
#define SERVICE_SLURM_PILOT_SCRIPT_H

#include "base/arena.h"
#include "base/text.h"
#include "service/config/config.h"

#include <stddef.h>

typedef struct PilotCommand {
    const SlurmSettings *settings;
    const char *spool;    /* its path from the root */
    const char *program;  /* where the settings name none */
    const char *job_name; /* by which the server knows its pilots again */
} PilotCommand;

/* SPOOL/pilots, which holds what each pilot writes to its standard error: JOB.log. */
const char *pilot_script_folder(const char *spool, Arena *arena);

/* What a shell on the node executes. */
void pilot_script(const PilotCommand *command, Text *script);

/* Words for execve(), NULL at the end, which live in `arena`: sbatch with its options and the script. */
const char **pilot_script_sbatch(const PilotCommand *command, Arena *arena);
/* Likewise squeue, for the pilots of this spool. */
const char **pilot_script_squeue(const PilotCommand *command, Arena *arena);

#endif
