/* opinion_process.h - judges a submission on the simulated GPU while a real one judges it.
 *
 * The work is done by a copy of this process (fork), because two judgings would get in each other's way: it can be
 * killed whatever it is doing, and takes only processor time that nobody else wants (nice 19). It judges samples and
 * hidden cases with the same data, in sandboxes of its own. Fork it before the judge computes anything with threads:
 * OpenMP does not work in the child of a process that has used it.
 *
 * The answer has room for what may be told, and for nothing else.  */
#ifndef GRADER_JUDGE_OPINION_PROCESS_H
#define GRADER_JUDGE_OPINION_PROCESS_H

#include "base/status.h"
#include "grader/judge/job.h"
#include "grader/judge/result.h"

#include <stdbool.h>
#include <sys/types.h>

/* judge_submission() */
typedef Status JudgeFunction(const JudgeJob *job, Result *result, Message *why);

typedef struct OpinionProcess { /* {0}: none */
    pid_t guard;                /* process.h */
    int link;                   /* a socket, to which it writes its answer */
} OpinionProcess;

typedef struct OpinionAnswer {
    Status status; /* not STATUS_OK: the judge failed, `text` says how; nothing else is set but the device */
    char device[sizeof((DeviceInfo){0}.name)];
    Verdict verdict;
    bool has_case; /* a case decided the verdict: */
    bool is_secret;
    char name[200]; /* "three taps", "hidden 4" */
    HiddenFinding finding;
    char text[1000]; /* "" of a secret case */
} OpinionAnswer;

/* Starts judging as `job` says. */
MUST_USE Status opinion_process_start(const JudgeJob *job, JudgeFunction *judge, OpinionProcess *opinion, Message *why);
/* Waits for the answer until `deadline_s` (now_s()); false: there is none. A process that has ended without an answer is a
 * failure of the judge. */
bool opinion_process_await(const OpinionProcess *opinion, double deadline_s, OpinionAnswer *answer);
/* Ends it; whatever it has started dies with it. Accepts none, and leaves none. */
void opinion_process_stop(OpinionProcess *opinion);

#endif
