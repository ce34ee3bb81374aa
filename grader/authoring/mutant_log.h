/* mutant_log.h - a file with the mutants that need not be judged again, so that a long check can go on where it stopped.
 *
 * Layout   a line for each mutant: a hash of its source and of the cases, a space, and the name of its fate. A survivor
 *          has no line: it is judged again, perhaps with a better judge. A line that was cut off is ignored.
 * Cases    the hash covers problem.json and the testcases: with other cases every mutant is judged again.  */
#ifndef GRADER_AUTHORING_MUTANT_LOG_H
#define GRADER_AUTHORING_MUTANT_LOG_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>

typedef enum MutantFate {
    FATE_REFUSED,        /* does not compile */
    FATE_SAME_CODE,      /* compiles to the machine code of the original */
    FATE_BEYOND_JUDGE,   /* needs what the judge lacks */
    FATE_FOUND,          /* is not accepted */
    FATE_FOUND_IN_TIMED, /* the same, by a timed case alone */
    FATE_SURVIVED,       /* is accepted */
    FATES
} MutantFate;

typedef struct MutantLog MutantLog;

/* Reads the file, if there is one, and opens it to add lines. */
MUST_USE Status mutant_log_open(const char *path, const char *problem_id, MutantLog **log, Message *why);
/* NULL is allowed. */
void mutant_log_close(MutantLog *log);

/* Whether the file had a line for this source when it was opened. */
bool mutant_log_knows(const MutantLog *log, const Text *source, MutantFate *fate);
/* Adds a line at once, unless the mutant has survived. */
MUST_USE Status mutant_log_add(MutantLog *log, const Text *source, MutantFate fate, Message *why);

#endif
