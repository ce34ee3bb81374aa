/* site_people.c - a person's submissions; the class, for teachers.  */
#include "service/site/site_answers.h"

#include "grader/problem/problem_list.h"
#include "leaderboard/database.h"
#include "service/api/answer.h"
#include "service/api/class_rules.h"
#include "service/api/visible.h"
#include "service/store/judgings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 200 };

/* ---- a person ---------------------------------------------------------------------------------------------------- */

/* One of the two submissions that the query wants compared; false: it wants none, or none that is this person's. */
static bool read_compared(const Visit *visit, const Person *person, const char *name, ComparedSubmission *compared,
                          Message *why)
{
    const char *number = http_query(visit->request, name), *result;
    StoredSubmission row;
    if (number == NULL ||
        submissions_read(visit->service->store, strtoll(number, NULL, 10), visit->arena, &row, why) != STATUS_OK ||
        row.person_id != person->id)
        return false;
    compared->row = site_line(&row);
    if (submissions_source(visit->service->store, row.source_hash, visit->arena, &compared->source, why) != STATUS_OK ||
        judgings_document(visit->service->store, row.judging, "result", visit->arena, &result, why) != STATUS_OK)
        return false;
    compared->result = result == NULL ? NULL : cJSON_Parse(result);
    return true;
}

static Status show_person(Visit *visit, const Person *person, Message *why)
{
    const Site site = site_of(visit);
    const SubmissionFilter filter = {.person = person->id, .limit = LISTED};
    StoredSubmission *rows;
    ComparedSubmission before = {0}, after = {0};
    PersonPage page = {.person = person->name, .pseudonym = person->id == visit->person.id ? person->pseudonym : NULL};
    Status status = submissions_list(visit->service->store, &filter, visit->arena, &rows, &page.row_count, why);
    if (status != STATUS_OK)
        return status;
    page.rows = site_lines(visit->arena, rows, page.row_count);
    status = site_fill_points(visit, person, &page, why);
    if (status != STATUS_OK)
        return status;
    if (read_compared(visit, person, "before", &before, why) && read_compared(visit, person, "after", &after, why)) {
        page.before = &before;
        page.after = &after;
    }
    page_person(&visit->reply->body, &site, &page);
    cJSON_Delete((cJSON *)before.result);
    cJSON_Delete((cJSON *)after.result);
    return STATUS_OK;
}

void site_person(Visit *visit)
{
    Person person;
    Message why;
    Status status = people_find(visit->service->store, visit->argument, visit->arena, &person, &why);
    if (status == STATUS_OK && !visible_to(visit, person.id))
        status = fail(STATUS_NOT_FOUND, &why, "there is no person of this name");
    if (status == STATUS_OK)
        status = show_person(visit, &person, &why);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
}

/* Nobody but oneself chooses what others call one. */
void site_pseudonym(Visit *visit)
{
    const char *pseudonym = http_field(visit->request, "pseudonym");
    Person person;
    Message why;
    Status status = people_find(visit->service->store, visit->argument, visit->arena, &person, &why);
    if (status == STATUS_OK && !visible_to(visit, person.id))
        status = fail(STATUS_NOT_FOUND, &why, "there is no person of this name");
    if (status == STATUS_OK && person.id != visit->person.id) {
        answer_error(visit, 403, "everybody chooses his or her own pseudonym");
        return;
    }
    if (status == STATUS_OK && pseudonym == NULL)
        status = fail(STATUS_BAD_INPUT, &why, "expected a pseudonym");
    if (status == STATUS_OK)
        status = people_set_pseudonym(visit->service->store, person.id, pseudonym, &why);
    if (status == STATUS_OK)
        answer_elsewhere(visit, site_person_path(visit, person.name));
    else
        answer_failure(visit, status, &why);
}

/* ---- the class --------------------------------------------------------------------------------------------------- */

typedef struct PersonWork { /* of one person on one problem */
    const char *person, *problem, *verdict, *since;
    int64_t tries, best, newest;
    bool is_solved;
} PersonWork;

static void take_work(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(PersonWork *)item = (PersonWork){.person = database_text(arena, row, 0),
                                       .problem = database_text(arena, row, 1),
                                       .tries = sqlite3_column_int64(row, 2),
                                       .since = database_text(arena, row, 3),
                                       .newest = sqlite3_column_int64(row, 4),
                                       .best = sqlite3_column_int64(row, 5),
                                       .verdict = database_text(arena, row, 6),
                                       .is_solved = sqlite3_column_int64(row, 5) != 0};
}

static size_t index_of(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static void fill_cells(const PersonWork *works, size_t count, TeacherPage *page, TeacherCell *cells)
{
    for (size_t i = 0; i < count; i++) {
        const size_t person = index_of(page->people, page->people_count, works[i].person);
        const size_t problem = index_of(page->problems, page->problem_count, works[i].problem);
        if (person == page->people_count || problem == page->problem_count)
            continue;
        cells[person * page->problem_count + problem] = (TeacherCell){
            .tries = works[i].tries,
            .is_solved = works[i].is_solved,
            .submission = works[i].is_solved ? works[i].best : works[i].newest,
            .verdict = works[i].is_solved ? "Accepted" : works[i].verdict,
            .since = works[i].is_solved ? NULL : works[i].since,
        };
    }
}

/* Students, and teachers who have tried something. */
static void list_class(const Visit *visit, const Person *people, const PersonWork *works, size_t work_count,
                       TeacherPage *page)
{
    const char **names = arena_array(visit->arena, page->people_count + 1, sizeof *names);
    size_t listed = 0;
    for (size_t i = 0; i < page->people_count; i++) {
        bool belongs = people[i].role == PERSON_STUDENT;
        for (size_t k = 0; k < work_count && !belongs; k++)
            belongs = strcmp(works[k].person, people[i].name) == 0;
        if (belongs)
            names[listed++] = people[i].name;
    }
    page->people = names;
    page->people_count = listed;
}

static Status fill_class(const Visit *visit, TeacherPage *page, Message *why)
{
    Rows rows = {.arena = visit->arena, .item_bytes = sizeof(PersonWork)};
    Person *people;
    const char **ids;
    Status status = problem_list(visit->arena, &ids, &page->problem_count, why);
    if (status == STATUS_OK)
        status = people_list(visit->service->store, 0, visit->arena, &people, &page->people_count, why);
    if (status == STATUS_OK)
        status = database_query(
            visit->service->store, &rows, take_work, why,
            "SELECT name, problem, tries, since, newest, best,"
            " (SELECT coalesce(verdict, '') FROM current_judging AS last WHERE last.submission = newest) FROM"
            " (SELECT person.name AS name, submission.problem AS problem, count(*) AS tries, min(received_utc) AS since,"
            " max(submission.id) AS newest, max(CASE WHEN verdict = 'Accepted' THEN submission.id ELSE 0 END) AS best"
            " FROM submission JOIN person ON person.id = submission.person"
            " JOIN current_judging AS judging ON judging.submission = submission.id"
            " WHERE mode <> 'try' AND judging.state <> 'cancelled' GROUP BY person.name, submission.problem)",
            "");
    if (status != STATUS_OK)
        return status;
    page->problems = ids;
    list_class(visit, people, (const PersonWork *)(const void *)rows.items, rows.count, page);
    TeacherCell *cells = arena_array(visit->arena, page->people_count * page->problem_count + 1, sizeof *cells);
    fill_cells((const PersonWork *)(const void *)rows.items, rows.count, page, cells);
    page->cells = cells;
    return STATUS_OK;
}

/* The geometric mean of a time of all reviewed cases, as the score is one; 0: none is known. */
static double mean_of_reviews(const cJSON *cases, const char *key)
{
    const cJSON *item;
    double sum = 0;
    int count = 0;
    cJSON_ArrayForEach(item, cases)
    {
        const cJSON *ms = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(item, "review"), key);
        if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "timed")))
            continue;
        if (!cJSON_IsNumber(ms) || !(ms->valuedouble > 0))
            return 0;
        sum += log(ms->valuedouble);
        count++;
    }
    return count == 0 ? 0 : exp(sum / count);
}

/* What the judge compared it with, from the cases of the run. */
static void fill_evidence(const Visit *visit, const Run *run, QuarantinedRun *listed)
{
    cJSON *cases = cJSON_Parse(run->cases);
    const cJSON *item;
    listed->second_ms = mean_of_reviews(cases, "time_ms");
    listed->known_ms = mean_of_reviews(cases, "known_ms");
    cJSON_ArrayForEach(item, cases)
    {
        const cJSON *review = cJSON_GetObjectItemCaseSensitive(item, "review");
        const char *known = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(review, "known_of"));
        if (known != NULL && listed->known == NULL)
            listed->known = arena_string(visit->arena, known);
    }
    cJSON_Delete(cases);
}

/* Runs that were recorded by hand, without a submission, are decided about by hand, too. */
static Status fill_quarantine(const Visit *visit, TeacherPage *page, Message *why)
{
    RecordedRun *runs;
    size_t count;
    Status status = store_list_runs(visit->service->store, NULL, "quarantined", visit->arena, &runs, &count, why);
    QuarantinedRun *listed = arena_array(visit->arena, count + 1, sizeof *listed);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        int64_t id;
        StoredSubmission row;
        status = submissions_of_run(visit->service->store, runs[i].id, &id, why);
        if (status != STATUS_OK || id == 0)
            continue;
        status = submissions_read(visit->service->store, id, visit->arena, &row, why);
        if (status != STATUS_OK)
            break;
        listed[page->quarantine_count] = (QuarantinedRun){.row = site_line(&row), .rank_status = row.rank_status};
        fill_evidence(visit, &runs[i].run, &listed[page->quarantine_count++]);
    }
    page->quarantine = listed;
    return status;
}

static Status fill_groups(const Visit *visit, TeacherPage *page, Message *why)
{
    PersonGroup *groups;
    Status status = people_list_groups(visit->service->store, visit->arena, &groups, &page->group_count, why);
    TeacherGroup *listed = arena_array(visit->arena, page->group_count + 1, sizeof *listed);
    for (size_t i = 0; status == STATUS_OK && i < page->group_count; i++)
        listed[i] = (TeacherGroup){.name = groups[i].name, .members = groups[i].members};
    page->groups = listed;
    return status;
}

void site_teacher(Visit *visit)
{
    const Site site = site_of(visit);
    TeacherPage page = {.has_points = class_of(visit) != NULL};
    Message why;
    Status status = fill_class(visit, &page, &why);
    if (status == STATUS_OK)
        status = fill_quarantine(visit, &page, &why);
    if (status == STATUS_OK)
        status = fill_groups(visit, &page, &why);
    if (status == STATUS_OK)
        status = site_fill_similar(visit, &page, &why);
    if (status == STATUS_OK)
        page_teacher(&visit->reply->body, &site, &page);
    else
        answer_failure(visit, status, &why);
}
