/* class_summary.h - from facts to a summary.  */
#ifndef SERVICE_COURSE_CLASS_SUMMARY_H
#define SERVICE_COURSE_CLASS_SUMMARY_H

#include "leaderboard/store.h"
#include "service/course/facts.h"

/* ==== summary ===================================================================================================== */

/* What a teacher wants to know of a class. It follows from facts (facts.h) alone.
 *
 * Solved      everybody with an accepted submission for a task has solved it.
 * Mistakes    by kind (facts.h) over all submissions of a task. A failure of the judge is nobody's mistake.
 * Cases       over all submissions of a task that ran them: those that never failed find nothing, those that never passed may be
 *             wrong themselves, or too hard.
 * Stuck       has nothing accepted, and STUCK_LEAST or more submissions with the same verdict and kind.
 * Reached     a person has reached a reference solution that is not faster by more than both uncertainties.
 * Order       as tasks were added; mistakes of most people first, who is stuck longest first.
 * Owns        nothing: everything lives in an arena, or is the facts'. */

enum { STUCK_LEAST = 3, SUMMARY_EXAMPLES = 3, SUMMARY_MAX_BINS = 21 };

typedef struct VerdictCount {
    const char *verdict;
    size_t submissions;
    size_t people; /* whose state it is: solved, or else the verdict of the last submission */
} VerdictCount;

typedef struct
    MistakeExample { /* of a person; the last submission with this mistake whose line is known, or else the last */
    const char *person, *file_name;
    int64_t submission; /* 0: none to open */
    long line;          /* 0: unknown */
    const char *line_text;
} MistakeExample;

typedef struct MistakeCount { /* one kind */
    const char *verdict, *kind;
    size_t people, submissions;
    MistakeExample examples[SUMMARY_EXAMPLES]; /* of different persons, those with a line first */
    size_t example_count;
} MistakeCount;

typedef struct CaseCount {
    const char *name;
    size_t passed, failed; /* submissions that ran it */
    size_t people;         /* who have run it */
} CaseCount;

typedef struct StuckPerson {
    const char *person, *verdict, *kind, *since_utc, *last_utc;
    size_t submissions;     /* with this verdict and kind */
    MistakeExample example; /* the last of them */
} StuckPerson;

typedef struct TaskBoard { /* times on one device */
    const char *device;
    bool is_modelled;
    Standing *people; /* the best time of each, fastest first; only person and time are set */
    size_t people_count;
    const ReferenceTime *references; /* fastest first */
    size_t reference_count;
    size_t *reached; /* by how many people, of each reference */
} TaskBoard;

typedef struct TaskSummary {
    const FactTask *task;
    size_t submissions, people, solved; /* who have handed in, and solved it */
    VerdictCount *verdicts;             /* most submissions first */
    size_t verdict_count;
    TaskBoard *boards;
    size_t board_count;
    MistakeCount *mistakes;
    size_t mistake_count;
    CaseCount *never_failed, *never_passed;
    size_t never_failed_count, never_passed_count, case_count; /* of all that were run */
    StuckPerson *stuck;
    size_t stuck_count;
} TaskSummary;

typedef struct PointsSummary { /* of an assignment */
    size_t count;              /* people; 0: no points are known */
    double most, mean, median, lowest, highest;
    double width;                  /* of a bin; bin i holds points from i * width to below (i + 1) * width */
    size_t bins[SUMMARY_MAX_BINS]; /* the last one holds the most as well */
    size_t bin_count;
} PointsSummary;

typedef struct AssignmentSummary {
    const char *id, *title;
    PointsSummary points;
    size_t expected;      /* people of whom work is expected */
    const char **nothing; /* of them, who has handed in nothing, by name */
    size_t nothing_count;
    const FactExpectation **refused; /* of them, who has handed in nothing that could be taken */
    size_t refused_count;
    TaskSummary *tasks;
    size_t task_count;
} AssignmentSummary;

typedef struct Summary {
    const char *title; /* of the class */
    const char *time_utc;
    const char *const *people; /* the facts' */
    AssignmentSummary *assignments;
    size_t assignment_count;
} Summary;

/* ==== points summary ============================================================================================== */

/* How points are distributed. */

/* `most` is what can be had. Sorts the values. */
PointsSummary points_summary_of(double *values, size_t count, double most);

/* ==== class summary =============================================================================================== */

/* Pure: the same facts give the same summary, which lives in `arena` and beside the facts. */
Summary summary_of(const Facts *facts, const char *title, const char *time_utc, Arena *arena);

#endif
