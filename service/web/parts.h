/* parts.h - what many pages are made of: figures, and the values of problems and submissions.  */
#ifndef SERVICE_WEB_PARTS_H
#define SERVICE_WEB_PARTS_H

#include "base/arena.h"
#include "base/text.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "leaderboard/store.h"
#include "service/course/class_file.h"
#include "service/store/submissions.h"
#include "service/web/site.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== figure ====================================================================================================== */

/* Numbers and times of the day as pages show them: as terminal.h, with the signs of print (µs, ±, no-break
 * spaces), and with no more digits than the uncertainty allows. */

typedef struct Figure {
    char text[80]; /* UTF-8 without control characters */
} Figure;

/* "41.23 µs" */
Figure figure_time(double ms);
/* "162.7 ± 0.8 µs": the uncertainty has one digit, or two where the first is 1; the time ends at the same place. "162.7 µs" without
 * an uncertainty, "-" without a time. "158.2 µs (118–212)": modelled, and between which times nine in ten lie on a GPU. */
Figure figure_measured(MeasuredTime time);
/* A rate or another number whose relative uncertainty is known: "4,498", "164.9". */
Figure figure_within(double value, double uncertainty);
/* A whole number in groups of three: "1,500,000". */
Figure figure_whole(double number);
/* "12.5 MiB" */
Figure figure_bytes(double bytes);
/* "40 s", "3 min", "2 h" */
Figure figure_duration(double seconds);
/* "23 Nov 2026, 13:24 UTC" of "2026-11-23T13:24:16Z"; another text as it is. */
Figure figure_moment(const char *time_utc);
/* Moments and days are shown in this zone, whose name the foot of the page says; NULL: in UTC, which each moment says. */
void moments_show_in(const Zone *zone);
/* "23 Nov 2026" */
Figure figure_day(const char *time_utc);

/* ==== pages ======================================================================================================= */

/* Values of pages (template.h) that a server, a report and tests fill in alike.
 *
 * Whether the one who asks may see something is decided before: a caller leaves out what is not for them. Texts are UTF-8 as people wrote
 * them; the templates escape them. Times of the day are UTC, "2026-01-31T12:00:00Z". */

/* ---- boards ------------------------------------------------------------------------------------------------------ */

typedef struct BestTime {
    const char *time_utc, *person;
    MeasuredTime time;
} BestTime;

enum { BOARD_ROWS = 300 }; /* that a page shows at most, of all its boards together */

typedef struct BoardPage {   /* the times on one board */
    const char *device;      /* "sim-h200" */
    const char *device_name; /* "NVIDIA H200 (simulated)"; NULL: unknown */
    bool modelled;           /* times of a simulated GPU */
    bool is_older;           /* of an earlier version of the judge, which timed in another way */
    Standing *standings;     /* under the names that the reader may see */
    size_t standing_count;
    const int64_t *submissions;      /* of each standing, what may be opened; 0: not for this reader. NULL: none */
    const ReferenceTime *references; /* fastest first */
    size_t reference_count;
    BestTime *best; /* each time that the board's best improved, oldest first */
    size_t best_count;
    int64_t newest_run; /* of those that count; 0: none */
} BoardPage;

/* ---- a submission ------------------------------------------------------------------------------------------------ */

typedef struct SubmissionRecord { /* what is known of a judged submission */
    const cJSON *result;          /* the object of result.json, or submission_of_run(); NULL: not judged yet */
    const cJSON *sitting;         /* the object of Run.sitting, for the roofline; NULL: unknown */
    const cJSON *explain;         /* the object of explain.json; NULL: none */
    const char *source;           /* NULL: unknown, or not for this reader */
    const Problem *problem;       /* with its testcases, whose samples a wrong output stands beside; NULL: unknown */
    const TestcaseSet *testcases;
    const BoardPage *board; /* NULL: none; its standings hold the submission under its person's name if it ranks */
} SubmissionRecord;

/* Adds what is shown of it to the values of {{#page submission}}, which have "state" and "person" already. The documents stay the
 * caller's, and must live until the page is shown. */
void submission_put(cJSON *page, const SubmissionRecord *record);
/* Adds the part "parts": the verdict of each case, and what is wrong with a sample's output. A hidden case has its verdict and the
 * judge's words, nothing else: result.json holds no more of it. A wrong sample of up to WHOLE_ELEMENTS elements is shown whole, beside
 * its inputs where the problem is known. */
enum { WHOLE_ELEMENTS = 64 };
void submission_put_cases(cJSON *page, const SubmissionRecord *record);

/* A line of a source as `text`, which a page shows as markup; in_comment as html_source() has it. */
void put_source_line(cJSON *row, const char *line, size_t length, bool *in_comment);

/* The values of {{>source_view}}; null: there is no source. `explain` is the object of explain.json, or NULL: the source alone;
 * `result` that of result.json, whose compiler's messages stand at their lines, or NULL. A long source is cut, and the page says so. */
cJSON *source_values(const char *source, const cJSON *explain, const cJSON *result);

typedef struct ComparedSubmission {
    StoredSubmission row;
    const char *source;  /* NULL: unknown */
    const cJSON *result; /* the object of result.json; NULL: none */
} ComparedSubmission;

/* What changed between two submissions, as docs/reference/formats.md says: for the page, and for `convjudge compare`. */
cJSON *comparison(const ComparedSubmission *before, const ComparedSubmission *after);
/* Adds to it what changed between their sources; with that it has the values of {{>comparison}}. */
void comparison_put_sources(cJSON *page, const char *before, const char *after);

/* What the database keeps of a run, in the form of result.json, without what it does not keep. For cJSON_Delete(). NULL: the run's
 * `cases` are no JSON. */
cJSON *submission_of_run(const Run *run);

/* ---- a problem --------------------------------------------------------------------------------------------------- */

/* The values of {{#page problem}} that a server and a report have in common, but the boards. */
cJSON *problem_values(const Problem *problem, const TestcaseSet *testcases, const char *markdown, const char *starter);
/* A statement from Markdown to HTML. libcmark does the work, with raw HTML off. It knows no tables, so these are split off first: lines
 * that begin with '|', the second of them with only '|', '-' and ':'. The statement's own title is left out, since the page has one, and
 * its headings are one level lower than written. */
void statement_html(Text *page, const char *markdown);
/* `reader` is the name of the person who looks at them; NULL: unknown. */
void problem_put_boards(cJSON *page, const BoardPage *boards, size_t count, const char *reader);
/* For {{>problem_row}}. `verdict` is that of the reader's best submission, "": none; `best` is the board that counts, NULL: none. */
void problem_put_row(cJSON *list, const Problem *problem, const char *verdict, const BoardPage *best);

/* Whether times on a device are modelled, by its id; NULL: unknown. */
bool device_models_times(const char *device);

typedef enum DiffKind { DIFF_SAME, DIFF_REMOVED, DIFF_ADDED } DiffKind;

typedef struct DiffLine {
    DiffKind kind;
    size_t before, after; /* numbers from 1; 0 of the text that does not have it */
    const char *text;     /* within one of both texts, not terminated */
    size_t length;
} DiffLine;

/* What changed between two texts, line by line: a shortest list of changes, by the longest common subsequence of lines. Where the
 * parts that differ have more than 2000 lines on both sides, they count as replaced as a whole. The list lives in `arena`; its
 * lines point into both texts. */
DiffLine *diff_lines(const char *before, const char *after, Arena *arena, size_t *count);

#endif
