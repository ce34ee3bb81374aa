/* pages.h - the pages of the judge: functions from what is known to HTML.
 *
 * They read no file, no database and no clock: their callers fill the structs below, from the store, from result.json and
 * explain.json (docs/formats.md), and from the problem. Whatever is unknown is NULL or 0, and its part of the page is left
 * out. Whether the one who asks may see something is decided before: a caller leaves out what is not for them.
 *
 * Use      Text page = {0};
 *          page_submission(&page, &site, &submission);
 *          ... send it with PAGES_CONTENT_SECURITY_POLICY ...
 *          text_free(&page);
 * Texts    are UTF-8 as people wrote them; the pages escape them (html.h).
 * Times    of the day are UTC, "2026-01-31T12:00:00Z".  */
#ifndef SERVICE_PAGES_PAGES_H
#define SERVICE_PAGES_PAGES_H

#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "leaderboard/store.h"
#include "leaderboard/standing.h"
#include "leaderboard/store.h"
#include "service/pages/site.h"

#include <cjson/cJSON.h>

/* ---- boards ------------------------------------------------------------------------------------------------------ */

typedef struct BestTime {
    const char *time_utc, *person;
    MeasuredTime time;
} BestTime;

typedef struct BoardPage {     /* the times on one board */
    const char *device;        /* "sim-h200" */
    const char *device_name;   /* "NVIDIA H200 (simulated)"; NULL: unknown */
    bool modelled;             /* times of a simulated GPU */
    const Standing *standings; /* under the names that the reader may see */
    size_t standing_count;
    const int64_t *submissions;      /* of each standing, what may be opened; 0: not for this reader. NULL: none */
    const ReferenceTime *references; /* fastest first */
    size_t reference_count;
    BestTime *best; /* each time that the board's best improved, oldest first */
    size_t best_count;
} BoardPage;

/* ---- a submission ------------------------------------------------------------------------------------------------ */

typedef struct SubmissionPage {
    int64_t number;
    const char *person, *problem, *problem_title, *file_name;
    const char *received; /* NULL: unknown, as of a run of a report */
    const char *mode;     /* "try", "test", "rank" */
    const char *state;    /* "waiting", "judging", "judged", "held", "withdrawn" */
    int64_t ahead;        /* while it waits */
    double expected_s;    /* likewise; 0: unknown */
    const char *step;     /* while it is judged; NULL: unknown */
    int64_t done, total;  /* of the step; total 0: unknown */
    bool can_withdraw;

    const cJSON *result;    /* the object of result.json, or submission_of_run(); NULL: not judged yet */
    const cJSON *sitting;   /* the object of Run.sitting, for the roofline; NULL: unknown */
    const cJSON *explain;   /* the object of explain.json; NULL: none */
    const char *source;     /* NULL: unknown, or not for this reader */
    const BoardPage *board; /* NULL: none; its standings hold this submission under `person` if it ranks */
    int64_t run;            /* its number in the leaderboard; 0: none */
    const StoredRun *again; /* later times of the same source, oldest first */
    size_t again_count;
    int64_t rank, of;              /* 0: does not rank */
    const char *const *counts_for; /* sentences about deadlines, up to NULL; NULL: none */
    const char *retracted;         /* why a teacher has hidden it; NULL: it is not hidden */
} SubmissionPage;

/* What the database keeps of a run, in the form of result.json, without what it does not keep. For cJSON_Delete(). NULL: the run's
 * `cases` are no JSON. */
cJSON *submission_of_run(const Run *run);

void page_submission(Text *page, const Site *site, const SubmissionPage *submission);

/* ---- a problem --------------------------------------------------------------------------------------------------- */

typedef struct ProblemPage {
    const Problem *problem;
    const TestcaseSet *testcases; /* sample and timed cases are shown; hidden ones are counted */
    const char *statement;        /* statement.md */
    const char *starter;          /* the text of starter.cu; NULL: none */
    const BoardPage *boards;
    size_t board_count;
    const char *const *groups;    /* that the board can be filtered by; NULL-terminated; NULL: none */
    const char *group;            /* the one that is shown; NULL: everybody */
    const char *const *deadlines; /* sentences, up to NULL; NULL: none */
    bool hides_board;             /* `boards` is empty, because they are not for this reader now */
    bool has_sources;             /* sources of others may be read: /problems/ID/sources */
    const char *key; /* of the next submission, for a form to hand in: POST /problems/ID/submit as multipart/form-data
                                * with `key`, `file`, `source` and `mode`. NULL: no form */
} ProblemPage;

void page_problem(Text *page, const Site *site, const ProblemPage *problem);

/* ---- a person ---------------------------------------------------------------------------------------------------- */

typedef struct SubmissionLine { /* one line of a list of submissions */
    int64_t number;
    const char *person, *problem, *file_name, *received, *state;
    const char *verdict;     /* NULL: not judged yet */
    const char *rank_status; /* NULL: unknown */
    MeasuredTime time;       /* ms 0: none */
    const char *device;      /* NULL: none */
} SubmissionLine;

typedef struct ComparedSubmission {
    SubmissionLine row;
    const char *source;  /* NULL: unknown */
    const cJSON *result; /* as in SubmissionPage; NULL: none */
} ComparedSubmission;

typedef struct ProblemResult { /* points */
    const char *problem;
    double points, most;
    const char *reason; /* a sentence or more */
} ProblemResult;

typedef struct AssignmentResult {
    const char *title;
    double points, most;
    bool is_final;
    const ProblemResult *problems;
    size_t problem_count;
} AssignmentResult;

typedef struct PersonPage {
    const AssignmentResult *results; /* that are shown to this reader */
    size_t result_count;
    const char *person;
    const char *pseudonym; /* "": none. NULL: no form to choose one: POST /people/NAME/pseudonym with `pseudonym` */
    const SubmissionLine *rows; /* newest first */
    size_t row_count;
    const ComparedSubmission *before, *after; /* what changed between them; NULL: nothing is compared */
} PersonPage;

void page_person(Text *page, const Site *site, const PersonPage *person);

/* ---- a teacher --------------------------------------------------------------------------------------------------- */

typedef struct TeacherCell { /* one person's work on one problem */
    int64_t tries;           /* submissions; 0: none */
    bool is_solved;
    int64_t submission;  /* the best, or else the newest */
    const char *verdict; /* of it */
    const char *since;   /* the first try, where it is not solved; NULL: unknown */
} TeacherCell;

typedef struct QuarantinedRun {
    SubmissionLine row;
    const char *known; /* what it is compared with: "tiled.cu"; NULL: unknown */
    double known_ms;   /* 0: unknown */
    double second_ms;  /* in the second sitting; 0: none */
    const char *rank_status;
} QuarantinedRun;

typedef struct SimilarRow {
    const char *problem, *a, *b; /* persons, or files of nobody's */
    int64_t run_a, run_b;        /* submissions; 0: there is none to open */
    const char *key;             /* of its page: /teacher/similar/PROBLEM?pair=KEY; NULL or "": none */
    bool same_machine_code;
    double source, device_code; /* shares, 0 to 1; negative: unknown */
} SimilarRow;

typedef struct TeacherGroup {
    const char *name;
    int64_t members;
} TeacherGroup;

typedef struct TeacherPage {
    bool has_points;             /* the server has a class: /teacher/points and /teacher/summary */
    const char *const *problems; /* ids */
    size_t problem_count;
    const char *const *people;
    size_t people_count;
    const TeacherCell *cells; /* [people][problems] */
    const QuarantinedRun *quarantine;
    size_t quarantine_count;
    const SimilarRow *similar;
    size_t similar_count;
    const char *similar_time; /* when the pairs were looked for; NULL: never */
    const TeacherGroup *groups;
    size_t group_count;
} TeacherPage;

/* With two forms: POST /teacher/groups and POST /teacher/tokens, both with `name`. */
void page_teacher(Text *page, const Site *site, const TeacherPage *teacher);

typedef struct SecretPage { /* what is shown once */
    const char *title;      /* "Token of Grace" */
    const char *secret;
    const char *text; /* what to do with it */
    const char *back; /* path of the page to go on to */
} SecretPage;

void page_secret(Text *page, const Site *site, const SecretPage *secret);

/* ---- an administrator -------------------------------------------------------------------------------------------- */

typedef struct AdminPage {
    const SubmissionLine *queue; /* in the order in which they will be judged */
    size_t queue_count;
    const SubmissionLine *held; /* each with a form: POST /submissions/N/release */
    size_t held_count;
    const struct AdminWorker {
        const char *name, *device, *state; /* "judging", "idle", "gets no work", "not there", "ended" */
        const char
            *drained;      /* why it gets no more work, with a form: POST /admin/workers/NAME/undrain; NULL: it does */
        const char *since; /* of its last attempt; NULL: it has had none */
        int64_t judging;   /* a submission; 0: none */
        int64_t judged, failed; /* attempts */
    } * workers;
    size_t worker_count;
    bool lacks_workers;        /* something waits, and no worker has been there for a while */
    const struct AdminPilots { /* the batch jobs of Slurm in which workers run */
        int64_t pending, running;
        const char *trouble; /* "": none */
    } * pilots;              /* NULL: there are none */
    const struct AdminDisk {
        const char *name, *path; /* "store", "/var/lib/convjudge" */
        uint64_t used_bytes, free_bytes;
    } * disks;
    size_t disk_count;
    const struct AdminFailure {
        const char *time_utc, *what, *worker;
        int64_t submission; /* 0: none */
    } * failures;           /* newest first */
    size_t failure_count;
} AdminPage;

void page_admin(Text *page, const Site *site, const AdminPage *admin);

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

typedef struct ProblemRow {
    const char *id, *title, *difficulty;
    size_t people;         /* who rank on any board */
    const char *verdict;   /* of the reader's best submission; NULL: none */
    const char *best_name; /* who is fastest; NULL: nobody yet */
    MeasuredTime best;
    const char *best_device;
} ProblemRow;

typedef struct AssignmentLine {
    const char *title;
    const char *const *problems; /* ids, up to NULL */
    const char *outlook;         /* "due 2026-11-09 23:59 (Europe/Berlin), in 3 hours" */
} AssignmentLine;

typedef struct IndexPage {
    const AssignmentLine *assignments;
    size_t assignment_count;
    const ProblemRow *problems;
    size_t problem_count;
    const SubmissionLine *recent; /* the reader's own; of a report, the newest that rank */
    size_t recent_count;
} IndexPage;

void page_index(Text *page, const Site *site, const IndexPage *index);

/* The form that asks for a token: POST /login with `token` and `next`. `complaint` is a sentence about the last try, or
 * NULL; `next` is the path to go on to, or NULL. */
void page_login(Text *page, const Site *site, const char *complaint, const char *next);

/* `status` is that of HTTP; `text` one sentence. */
void page_error(Text *page, const Site *site, int status, const char *text);

#endif
