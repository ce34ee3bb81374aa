/* site_appeals.c - a student asks to have a run timed again, and a teacher decides whether that is done.  */
#include "service/site/site_answers.h"

#include "service/api/answer.h"
#include "service/api/visible.h"
#include "service/store/appeal_requests.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_WORDS_BYTES = 500 };

/* ---- for the pages ----------------------------------------------------------------------------------------------- */

static AskedAppeal *listed(Arena *arena, const AppealRequest *requests, size_t count)
{
    AskedAppeal *asked = arena_array(arena, count, sizeof *asked);
    for (size_t i = 0; i < count; i++)
        asked[i] = (AskedAppeal){.id = requests[i].id,
                                 .run = requests[i].run,
                                 .submission = requests[i].submission,
                                 .person = requests[i].person,
                                 .why = requests[i].why,
                                 .asked_utc = requests[i].asked_utc,
                                 .state = requests[i].state,
                                 .answer = requests[i].answer,
                                 .is_done = requests[i].is_done};
    return asked;
}

static bool is_open(const AppealRequest *request)
{
    return strcmp(request->state, "refused") != 0 && !request->is_done;
}

/* Only what has a time can be timed again. */
static bool is_timed(const StoredSubmission *row)
{
    return row->run != 0 && row->time.ms > 0;
}

Status site_fill_appeals(const Visit *visit, const StoredSubmission *row, SubmissionPage *page, Message *why)
{
    AppealRequest *requests;
    size_t count;
    if (!is_timed(row))
        return STATUS_OK;
    Status status = appeal_requests_of_run(visit->service->store, row->run, visit->arena, &requests, &count, why);
    if (status != STATUS_OK)
        return status;
    page->asked = listed(visit->arena, requests, count);
    page->asked_count = count;
    page->can_appeal = row->person_id == visit->person.id && (count == 0 || !is_open(&requests[count - 1]));
    return STATUS_OK;
}

Status site_fill_asked_appeals(const Visit *visit, TeacherPage *page, Message *why)
{
    AppealRequest *requests;
    Status status = appeal_requests_open(visit->service->store, visit->arena, &requests, &page->asked_count, why);
    if (status == STATUS_OK)
        page->asked = listed(visit->arena, requests, page->asked_count);
    return status;
}

/* ---- the forms --------------------------------------------------------------------------------------------------- */

/* The words of a form; NULL: they are too long, which has been answered. */
static const char *words_field(Visit *visit)
{
    const char *words = http_field(visit->request, "why");
    if (words == NULL || strlen(words) <= MOST_WORDS_BYTES)
        return words == NULL ? "" : words;
    answer_error(visit, 400, "expected at most %d bytes of text", MOST_WORDS_BYTES);
    return NULL;
}

static void ask(Visit *visit, const StoredSubmission *row, const char *words)
{
    AppealAnswer answer = APPEAL_ASKED;
    Message why;
    Status status = appeal_requests_ask(visit->service->store, row->id, row->run, visit->person.id, visit->person.name,
                                        words, &answer, &why);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    else if (answer == APPEAL_ASKED_BEFORE)
        answer_error(visit, 409, "an appeal for submission %lld is under way already", (long long)row->id);
    else if (answer == APPEAL_TOO_MANY)
        answer_error(visit, 429, "you have asked for %d appeals within a week, which is the most", MOST_APPEALS);
    else
        answer_elsewhere(visit, arena_printf(visit->arena, "/submissions/%" PRId64, row->id));
}

void site_ask_appeal(Visit *visit)
{
    StoredSubmission row;
    if (!visible_submission(visit, &row))
        return;
    const char *words = words_field(visit);
    if (words == NULL)
        return;
    if (row.person_id != visit->person.id)
        answer_error(visit, 403, "only its author can ask for an appeal; a teacher lets a run be timed again without");
    else if (!is_timed(&row))
        answer_error(visit, 400, "submission %lld has no time that could be measured again", (long long)row.id);
    else if (words[strspn(words, " \t\r\n")] == '\0')
        answer_error(visit, 400, "expected a reason");
    else
        ask(visit, &row, words);
}

void site_decide_appeal(Visit *visit)
{
    const char *decision = http_field(visit->request, "decision"), *words = words_field(visit);
    const int64_t id = words == NULL ? 0 : answer_number(visit, "appeal");
    bool done = false;
    Message why;
    if (id == 0)
        return;
    const bool grants = decision != NULL && strcmp(decision, "grant") == 0;
    if (!grants && (decision == NULL || strcmp(decision, "refuse") != 0)) {
        answer_error(visit, 400, "expected the decision grant or refuse");
        return;
    }
    Status status = appeal_requests_decide(visit->service->store, id, grants, visit->person.name, words, &done, &why);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    else if (!done)
        answer_error(visit, 409, "no appeal with the number %lld waits for a decision", (long long)id);
    else
        answer_elsewhere(visit, "/teacher");
}
