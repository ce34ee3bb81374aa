/* site_answers.h - the pages and forms of the server: each function answers one route with a template that it
 * fills in from the store.  */
#ifndef SERVICE_WEB_SITE_ANSWERS_H
#define SERVICE_WEB_SITE_ANSWERS_H

#include "service/store/submissions.h"
#include "service/web/answer.h"
#include "service/web/parts.h"

#include <cjson/cJSON.h>
#include <time.h>

/* ==== site answers ================================================================================================ */

/* What surrounds a page for this visitor. */
Site site_of(const Visit *visit);
/* Service.show_error and Service.ask_for_login. */
void site_error(Visit *visit, int status, const char *text);
void site_ask_for_login(Visit *visit);
/* Answers with a page of service/web/pages/, or with the failure; deletes the values. */
void site_answer(Visit *visit, Status status, const Message *why, const char *name, cJSON *values);
/* Adds one line to a list, for {{>submission_row}}. */
/* Adds "part", what leads to the other parts of a list; null where there is one alone. */
void site_put_part(cJSON *page, const ListPart *part);
cJSON *site_row(cJSON *list, const StoredSubmission *row);
/* The boards of a problem that people see now, allocated in the visit's arena. */
MUST_USE Status site_boards(const Visit *visit, const Problem *problem, Board **boards, size_t *count, Message *why);
/* The board of a problem on a device, as the visitor may see it: the first `most` people, and the visitor, with their names. */
MUST_USE Status site_board(const Visit *visit, const Problem *problem, const Board *board, size_t most, BoardPage *page,
                           Message *why);

/* "Week 1: due ..." of the assignment that is due next; "": none. */
const char *site_next_deadline(const Visit *visit);

/* Adds sentences about the deadlines of a problem for the visitor, and the assignments with theirs. */
void site_put_deadlines(const Visit *visit, const char *problem, cJSON *list);
void site_put_assignments(const Visit *visit, cJSON *list);
/* Sentences about what a submission counts for. */
void site_put_counts_for(const Visit *visit, const StoredSubmission *row, cJSON *list);

/* Adds the list "outdated": boards whose submissions are to be judged again after an upgrade. */
MUST_USE Status site_put_outdated(const Visit *visit, cJSON *page, Message *why);
/* What `convjudge similar` has left for the teacher's page. */
MUST_USE Status site_put_similar(const Visit *visit, cJSON *page, Message *why);
/* The submissions of a person, newest first, and those that are chosen for a comparison; 0: the latest two. */
void person_put_rows(cJSON *page, const StoredSubmission *rows, size_t count, int64_t before, int64_t after);
/* The path of a person's page. */
const char *site_person_path(const Visit *visit, const char *name);

/* Pages */
void site_index(Visit *visit);
void site_problem(Visit *visit);
void site_starter(Visit *visit);
void site_submission(Visit *visit);
void site_look(Visit *visit);
void site_sources(Visit *visit);
void site_source(Visit *visit);
void site_person(Visit *visit);
void site_teacher(Visit *visit);
void site_points(Visit *visit);
void site_points_csv(Visit *visit);
void site_summary(Visit *visit);
void site_pair(Visit *visit);
void site_admin(Visit *visit);
void site_style(Visit *visit);
void site_script(Visit *visit);

/* Forms, and the login */
void site_login_form(Visit *visit);
void site_login(Visit *visit);
void site_logout(Visit *visit);
void site_editor(Visit *visit);
void site_codemirror(Visit *visit);
bool site_has_codemirror(void);
void site_hand_in(Visit *visit);
void site_withdraw(Visit *visit);
void site_ruling(Visit *visit);
void site_join_form(Visit *visit);
void site_join(Visit *visit);
void site_pseudonym(Visit *visit);
void site_rename_person(Visit *visit);
void site_merge_person(Visit *visit);
void site_remove_person(Visit *visit);
void site_add_group(Visit *visit);
void site_add_token(Visit *visit);
void site_add_tokens(Visit *visit);
void site_group(Visit *visit);
void site_renew_link(Visit *visit);
void site_end_link(Visit *visit);
void site_remove_member(Visit *visit);
void site_release(Visit *visit);
void site_undrain(Visit *visit);
void site_drain(Visit *visit);
void site_pause(Visit *visit);
void site_resume(Visit *visit);
void site_correct_clock(Visit *visit);

/* ==== site routes ================================================================================================= */

/* The addresses of the pages. */

extern const Route site_routes[];

/* ==== similar file ================================================================================================ */

/* What `convjudge similar` has left in STATE/similar/PROBLEM.json (docs/reference/formats.md).
 *
 * Another program wrote it: whatever is missing or of another kind is passed over. */

/* For cJSON_Delete(). NULL: there is none, or it is no JSON. The problem must be one of problem_list(). */
cJSON *similar_file(const Visit *visit, const char *problem, time_t *changed);

/* The hand-in of a person's program; 0: none. */
int64_t similar_submission(const Visit *visit, const cJSON *program);

/* What names a pair: "12-34", or "12-0f3a..." with a further source. "": it has no name. */
const char *similar_key(const Visit *visit, const cJSON *pair);

typedef struct PairSource { /* of one side of a pair, from the store */
    const char *source;     /* NULL: unknown */
    int64_t submission;     /* to open; 0: none */
} PairSource;

/* The values of {{#page pair}} but its problem and time. */
cJSON *pair_values(const cJSON *pair, const PairSource sources[2]);

#endif
