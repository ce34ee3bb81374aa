/* opinion_ahead.h - a second opinion that was made before a device was free for the submission.
 *
 * It is judged with a key of its own, which the device then takes as well, so that both judge the same data. The file is a copy
 * of the struct, for this program on this host alone; one of another version, source, problem or set of cases is as good as
 * none.  */
#ifndef GRADER_JUDGE_OPINION_AHEAD_H
#define GRADER_JUDGE_OPINION_AHEAD_H

#include "base/hash.h"
#include "base/status.h"
#include "grader/judge/opinion_process.h"

#include <stdbool.h>

typedef struct OpinionAhead {
    char device[80];     /* as opinion_device() names it */
    Digest subject;      /* of version, source, problem and cases */
    GeneratorKey secret; /* of the data of sample and hidden cases */
    OpinionAnswer answer;
} OpinionAhead;

/* The simulated GPU that gives the opinion: CONVJUDGE_SECOND_OPINION, or "sim" for a real device; NULL: none is wanted. */
const char *opinion_device(bool is_modelled);

/* Judges, and waits for that. */
MUST_USE Status opinion_ahead_make(const Problem *problem, const Submission *submission, const char *device,
                                   JudgeFunction *judge, OpinionAhead *ahead, Message *why);
/* Whoever reads the file sees all of it, or none. */
MUST_USE Status opinion_ahead_write(const char *path, const OpinionAhead *ahead, Message *why);
/* False: there is none about this. */
bool opinion_ahead_read(const char *path, const Problem *problem, const Submission *submission, OpinionAhead *ahead);

#endif
