#include "service/api/class_rules.h"

#include "base/json.h"
#include "service/api/answer.h"
#include "service/api/visible.h"
#include "service/class/class_time.h"
#include "service/classroom/showing.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static const ClassFile *class_file(const Service *service)
{
    return class_watch_file(service->class_watch);
}

const ClassFile *class_of(const Visit *visit)
{
    return class_file(visit->service);
}

static bool is_teacher(const Visit *visit)
{
    return visit->is_known && visit->person.role >= PERSON_TEACHER;
}

/* ---- handing in -------------------------------------------------------------------------------------------------- */

Status class_expect_open(const Visit *visit, const char *problem, const char *mode, Message *why)
{
    const ClassFile *file = class_of(visit);
    const int64_t now_s = time(NULL);
    if (file == NULL || is_teacher(visit) || strcmp(mode, "rank") != 0)
        return STATUS_OK;
    const ClassAssignment *later = due_opens_later(file, problem, visit->person.name, now_s);
    if (later == NULL)
        return STATUS_OK;
    const Due due = due_of(file, later, visit->person.name, now_s);
    Text text = {0};
    due_add_outlook(&text, file, &due, now_s);
    Status status = fail(STATUS_BAD_INPUT, why,
                         "%s %s; until then %s can be handed in with the modes try and test alone", later->title,
                         text.data, problem);
    text_free(&text);
    return status;
}

size_t class_dues_of(const Service *service, const StoredSubmission *row, Arena *arena, Due **dues)
{
    const ClassFile *file = class_file(service);
    if (file == NULL || strcmp(row->mode, "rank") != 0 || row->handed_in_s == 0)
        return 0;
    *dues = arena_array(arena, file->assignment_count, sizeof **dues);
    return due_list(file, row->problem, row->person, row->handed_in_s, *dues);
}

static cJSON *due_item(const ClassFile *file, const Due *due)
{
    Text text = {0};
    cJSON *item = cJSON_CreateObject();
    due_add_submission(&text, file, due, time(NULL));
    cJSON_AddStringToObject(item, "assignment", due->assignment->id);
    cJSON_AddStringToObject(item, "title", due->assignment->title);
    cJSON_AddBoolToObject(item, "counts", due->state == DUE_IN_TIME || due->state == DUE_LATE);
    cJSON_AddStringToObject(item, "due", class_time_local(&file->zone, due->deadline->due.utc_s).text);
    cJSON_AddStringToObject(item, "zone", file->zone.name);
    cJSON_AddStringToObject(item, "due_utc", class_time_utc(due->deadline->due.utc_s).text);
    if (due->state == DUE_LATE) {
        cJSON_AddNumberToObject(item, "days_late", (double)due->days_late);
        json_put_number(item, "taken_off_percent", due->taken_off);
    }
    cJSON_AddStringToObject(item, "text", text.data);
    text_free(&text);
    return item;
}

void class_add_counts(const Service *service, const StoredSubmission *row, cJSON *object)
{
    Arena arena = {0};
    Due *dues = NULL;
    const size_t count = class_dues_of(service, row, &arena, &dues);
    cJSON *list = count == 0 ? NULL : cJSON_AddArrayToObject(object, "counts_for");
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(list, due_item(class_file(service), &dues[i]));
    arena_free(&arena);
}

/* ---- boards ------------------------------------------------------------------------------------------------------ */

bool class_hides_board(const Service *service, const char *problem)
{
    const ClassFile *file = class_file(service);
    return file != NULL && !showing_board(file, problem, time(NULL));
}

bool class_hides_board_from(const Visit *visit, const char *problem)
{
    return !is_teacher(visit) && class_hides_board(visit->service, problem);
}

/* ---- sources of others ------------------------------------------------------------------------------------------- */

/* Whether the visitor has handed in something that belongs to the assignment. */
static Status has_handed_in(const Visit *visit, const ClassAssignment *assignment, const char *problem, bool *has,
                            Message *why)
{
    const SubmissionFilter filter = {.problem = problem, .person = visit->person.id, .limit = INT32_MAX};
    StoredSubmission *rows;
    size_t count = 0;
    Status status = submissions_list(visit->service->store, &filter, visit->arena, &rows, &count, why);
    *has = false;
    for (size_t i = 0; i < count && status == STATUS_OK && !*has; i++)
        *has = strcmp(rows[i].mode, "rank") == 0 && strcmp(rows[i].state, "cancelled") != 0 &&
               showing_belongs(class_of(visit), assignment, visit->person.name, rows[i].handed_in_s);
    return status;
}

static bool is_acceptable(const StoredSubmission *row)
{
    return strcmp(row->mode, "rank") == 0 && strcmp(row->verdict, "Accepted") == 0 &&
           strcmp(row->rank_state, "quarantined") != 0 && strcmp(row->rank_state, "retracted") != 0 &&
           strcmp(row->rank_state, "rejected") != 0;
}

Status class_shows_source(const Visit *visit, const StoredSubmission *row, bool *shows, Message *why)
{
    const ClassFile *file = class_of(visit);
    *shows = visible_to(visit, row->person_id);
    if (*shows || file == NULL || !visit->is_known || !is_acceptable(row))
        return STATUS_OK;
    const ClassAssignment *assignment = showing_source(file, row->problem, visit->person.name, row->person,
                                                       row->handed_in_s, time(NULL));
    return assignment == NULL ? STATUS_OK : has_handed_in(visit, assignment, row->problem, shows, why);
}

bool class_readable_source(Visit *visit, StoredSubmission *row, const char **source)
{
    Message why;
    bool shows = false;
    const int64_t id = answer_number(visit, "submission");
    if (id == 0)
        return false;
    Status status = submissions_read(visit->service->store, id, visit->arena, row, &why);
    if (status == STATUS_OK)
        status = class_shows_source(visit, row, &shows, &why);
    if (status == STATUS_OK && !shows)
        status = fail(STATUS_NOT_FOUND, &why, "there is no submission %" PRId64, id);
    if (status == STATUS_OK)
        status = submissions_source(visit->service->store, row->source_hash, visit->arena, source, &why);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    return status == STATUS_OK;
}

static bool is_listed(const StoredSubmission *rows, size_t count, int64_t person)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].person_id == person)
            return true;
    return false;
}

Status class_open_sources(const Visit *visit, const char *problem, StoredSubmission **rows, size_t *count, Message *why)
{
    StoredSubmission *accepted;
    size_t accepted_count = 0;
    *count = 0;
    Status status = submissions_accepted(visit->service->store, problem, visit->arena, &accepted, &accepted_count, why);
    *rows = arena_array(visit->arena, accepted_count + 1, sizeof **rows);
    for (size_t i = 0; i < accepted_count && status == STATUS_OK; i++) {
        bool shows = false;
        if (accepted[i].person_id == visit->person.id || is_listed(*rows, *count, accepted[i].person_id))
            continue;
        status = class_shows_source(visit, &accepted[i], &shows, why);
        if (status == STATUS_OK && shows)
            (*rows)[(*count)++] = accepted[i];
    }
    return status;
}

const char *class_file_name(const Visit *visit, const StoredSubmission *row)
{
    return visible_to(visit, row->person_id) ? row->file_name
                                             : arena_printf(visit->arena, "submission-%" PRId64 ".cu", row->id);
}
