/* exchange.h - the files that --gradescope and --junit name: checked before the work, written after it, whatever came of it.
 *
 * A system that finds no file shows its users nothing useful, so one is written for a grading that failed, too.  */
#ifndef GRADER_EXCHANGE_EXCHANGE_H
#define GRADER_EXCHANGE_EXCHANGE_H

#include "base/status.h"
#include "grader/exchange/outcome.h"

typedef struct ExchangeFiles { /* NULL: not wanted */
    const char *gradescope, *junit;
} ExchangeFiles;

/* Refuses what cannot be written, or would replace the submission. */
MUST_USE Status exchange_check(const ExchangeFiles *files, const char *submission, Message *why);
MUST_USE Status exchange_write(const ExchangeFiles *files, const Outcome *outcome, Message *why);

typedef enum ExchangeFault {
    FAULT_OF_JUDGE, /* or of whoever runs it */
    FAULT_OF_FILE,
    NO_VERDICT_YET /* nobody waits any longer; the reason is how it stands */
} ExchangeFault;

typedef struct ExchangeFailure {
    Status status;
    Message reason;
    ExchangeFault fault;
    const char *keeper; /* as in Outcome; likewise the next */
    long long submission;
} ExchangeFailure;

/* Writes the same for a grading that failed. Returns the failure, unless it could not be written. */
MUST_USE Status exchange_fail(const ExchangeFiles *files, const ExchangeFailure *failure, Message *why);

#endif
