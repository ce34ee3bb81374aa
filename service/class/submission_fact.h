/* submission_fact.h - what points depend on, of one submission. service/scores finds it in the store.  */
#ifndef SERVICE_CLASS_SUBMISSION_FACT_H
#define SERVICE_CLASS_SUBMISSION_FACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CaseFact { /* of a sample or hidden case */
    const char *name;
    bool is_hidden;
    const char *verdict; /* "Accepted", "Wrong Answer", ...; "" where the case was not judged */
} CaseFact;

/* What a submission's run in the leaderboard is worth; RUN_NONE: it has no time. */
typedef enum RunStanding {
    RUN_NONE,
    RUN_RANKED,
    RUN_UNRANKED,
    RUN_QUARANTINED,
    RUN_RETRACTED,
    RUN_REJECTED
} RunStanding;

typedef struct SubmissionFact {
    int64_t id;          /* its number, for reasons */
    const char *problem; /* id */
    bool has_received;   /* false: nobody knows when it was received */
    int64_t received_s;  /* since 1970 */
    bool marked_late;    /* by the system that it was exported from; matters only without a time */
    const char *source_hash;
    bool is_withdrawn;
    bool is_judged;
    const char *verdict; /* of the whole: "Accepted"; "" unless judged */
    const char *text;    /* the sentence behind another verdict; "" */
    const CaseFact *cases;
    size_t case_count;
    bool has_all_cases; /* a case without a verdict was tried; false: an earlier one ended the judging */
    RunStanding standing;
    const char *standing_why;   /* of a run that does not rank: why; "" */
    double time_ms;             /* 0: not timed; likewise below */
    double roofline;            /* share of the roofline, 0 to 1; negative: unknown */
    double percentile;          /* among the reference solutions, 0 to 100; negative: unknown */
    const char **rungs_reached; /* file names of the reference solutions that it is not slower than */
    size_t rung_count;          /* of them */
    bool rungs_known;           /* false: the times of the reference solutions are not known */
} SubmissionFact;

#endif
