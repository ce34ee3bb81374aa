#include "service/web/answer.h"

#include "base/json.h"
#include "grader/judge/result_json.h"
#include "grader/report/report.h"
#include "leaderboard/database.h"
#include "service/course/class_file.h"
#include "service/store/judgings.h"
#include "service/store/service_store.h"
#include "service/store/submissions.h"
#include "service/store/view.h"
#include "service/web/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ==== answer ====================================================================================================== */

void answer_json(Visit *visit, int status, cJSON *object)
{
    visit->reply->status = status;
    visit->reply->type = "application/json";
    json_print(object, &visit->reply->body);
    cJSON_Delete(object);
}

void answer_error(Visit *visit, int status, const char *format, ...)
{
    Text text = {0};
    va_list values;
    va_start(values, format);
    text_vprintf(&text, format, values);
    va_end(values);
    if (visit->wants_page) {
        visit->service->show_error(visit, status, text.data);
    } else {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "error", text.data);
        answer_json(visit, status, object);
    }
    text_free(&text);
}

void answer_failure(Visit *visit, Status status, const Message *why)
{
    const int code = status == STATUS_NOT_FOUND   ? 404
                     : status == STATUS_BAD_INPUT ? 400
                     : visit->is_limited          ? 429
                                                  : 503;
    if (code == 503)
        http_reply_header(visit->reply, "Retry-After", "5");
    answer_error(visit, code, "%s", why->text);
}

static const char *query_text(const Visit *visit, const char *name)
{
    const char *text = http_query(visit->request, name);
    return text == NULL || text[0] == '\0' ? NULL : text;
}

Status filter_of_query(const Visit *visit, SubmissionFilter *filter, Message *why)
{
    const char *since = query_text(visit, "since"), *most = query_text(visit, "most_ms");
    char *end = NULL;
    Verdict verdict;
    filter->problem = query_text(visit, "problem");
    filter->verdict = query_text(visit, "verdict");
    filter->since_s = since == NULL ? 0 : utc_seconds(since);
    filter->most_ms = most == NULL ? 0 : strtod(most, &end);
    if (filter->verdict != NULL && !verdict_parse(filter->verdict, &verdict))
        return fail(STATUS_BAD_INPUT, why, "verdict: expected one such as Accepted, found '%.40s'", filter->verdict);
    if (since != NULL && filter->since_s == 0)
        return fail(STATUS_BAD_INPUT, why, "since: expected a time such as 2026-01-31T12:00:00Z, found '%.40s'", since);
    if (most != NULL && (*end != '\0' || !(filter->most_ms > 0)))
        return fail(STATUS_BAD_INPUT, why, "most_ms: expected a number above 0, found '%.40s'", most);
    return STATUS_OK;
}

ListPart list_part(const Visit *visit, int64_t count, int64_t on_a_page)
{
    const char *text = query_text(visit, "page");
    const int64_t pages = count <= on_a_page ? 1 : count / on_a_page + (count % on_a_page > 0);
    const int64_t wanted = text == NULL ? 1 : strtoll(text, NULL, 10);
    const int64_t page = wanted < 1 ? 1 : wanted > pages ? pages : wanted;
    return (ListPart){.page = page, .pages = pages, .first = (page - 1) * on_a_page};
}

void answer_text(Visit *visit, const char *type, const char *text)
{
    visit->reply->type = type;
    text_add(&visit->reply->body, text);
}

void answer_redirect(Visit *visit, const char *path)
{
    visit->reply->status = 303;
    http_reply_header(visit->reply, "Location", path);
}

void answer_form(Visit *visit, Status status, const char *path, const Message *why)
{
    if (status == STATUS_OK)
        answer_redirect(visit, path);
    else
        answer_failure(visit, status, why);
}

const char *form_field(const Visit *visit, const char *name, const char *otherwise)
{
    const char *value = http_field(visit->request, name);
    return value == NULL ? otherwise : value;
}

int64_t answer_number(Visit *visit, const char *noun)
{
    char *end;
    const long long number = strtoll(visit->argument, &end, 10);
    if (visit->argument[0] >= '1' && visit->argument[0] <= '9' && *end == '\0' && strlen(visit->argument) < 18)
        return number;
    answer_error(visit, 404, "there is no %s '%s'", noun, visit->argument);
    return 0;
}

/* ==== visible ===================================================================================================== */

static bool is_teacher(const Visit *visit)
{
    return visit->is_known && visit->person.role >= PERSON_TEACHER;
}

bool visible_to(const Visit *visit, int64_t person)
{
    return visit->is_known && (visit->person.id == person || visit->person.role >= PERSON_TEACHER);
}

/* A token that hands in for others may see what it has handed in. */
static Status check_sender(const Visit *visit, int64_t id, bool *is_sender, Message *why)
{
    int64_t sender = 0;
    Status status = visit->hands_in_only ? submissions_sender(visit->service->store, id, &sender, why) : STATUS_OK;
    *is_sender = sender != 0 && sender == visit->person.id;
    return status;
}

bool visible_submission(Visit *visit, StoredSubmission *row)
{
    Message why;
    bool is_sender = false;
    const int64_t id = answer_number(visit, "submission");
    if (id == 0)
        return false;
    Status status = submissions_read(visit->service->store, id, visit->arena, row, &why);
    THEN(status, check_sender(visit, id, &is_sender, &why));
    if (status == STATUS_OK && !is_sender && !visible_to(visit, row->person_id))
        status = fail(STATUS_NOT_FOUND, &why, "there is no submission %lld", (long long)id);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    return status == STATUS_OK;
}

const char *visible_name(const Visit *visit, const char *name, int64_t *id)
{
    Person person = {0};
    *id = 0;
    const bool is_hidden = !visit->is_known && !visit->service->config->has_public_names;
    if (people_find(visit->service->store, name, visit->arena, &person, NULL) != STATUS_OK)
        return is_hidden ? "somebody" : name;
    *id = person.id;
    if (person.pseudonym[0] != '\0' && !visible_to(visit, person.id))
        return person.pseudonym;
    return is_hidden ? "somebody" : name;
}

Status visible_standings(const Visit *visit, Standing *standings, size_t count, size_t most, int64_t **submissions,
                         Message *why)
{
    Status status = STATUS_OK;
    *submissions = arena_array(visit->arena, count + 1, sizeof **submissions);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        int64_t person;
        const bool is_own = visit->is_known && strcmp(standings[i].person, visit->person.name) == 0;
        if (i >= most && !is_own) {
            if (!is_teacher(visit))
                standings[i].person = ""; /* who has a pseudonym must not be shown by mistake */
            continue;
        }
        standings[i].person = visible_name(visit, standings[i].person, &person);
        if (person != 0 && visible_to(visit, person))
            status = submissions_of_run(visit->service->store, standings[i].run, &(*submissions)[i], why);
    }
    return status;
}

/* ==== class rules ================================================================================================= */

static const ClassFile *class_file(const Service *service)
{
    return class_watch_file(service->class_watch);
}

const ClassFile *class_of(const Visit *visit)
{
    return class_file(visit->service);
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
                         "%s %s; until then %s can be submitted with the modes try and test only", later->title,
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

/* Adds "counts_for" where there are such. */
static void class_add_counts(const Service *service, const StoredSubmission *row, cJSON *object)
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

/* Whether class.json hides the board of a problem from students at present. */
static bool class_hides_board(const Service *service, const char *problem)
{
    const ClassFile *file = class_file(service);
    return file != NULL && !showing_board(file, problem, time(NULL));
}

bool class_hides_board_from(const Visit *visit, const char *problem)
{
    return !is_teacher(visit) && class_hides_board(visit->service, problem);
}

bool class_shows_problem(const Visit *visit, const char *problem)
{
    const ClassFile *file = class_file(visit->service);
    return visit->is_known || file == NULL || showing_problem(file, problem, time(NULL));
}

bool class_shows_step(const Visit *visit, const char *problem, bool code)
{
    const ClassFile *file = class_file(visit->service);
    if (is_teacher(visit) || file == NULL)
        return is_teacher(visit) || !code;
    return code ? showing_code(file, problem, time(NULL)) : showing_sketch(file, problem, time(NULL));
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

/* Of which assignments the visitor may read what others handed in. */
typedef struct OpenAssignments {
    bool is_any; /* a teacher */
    const ClassAssignment **items;
    size_t count;
} OpenAssignments;

static Status find_open(const Visit *visit, const char *problem, OpenAssignments *open, Message *why)
{
    const ClassFile *file = class_of(visit);
    Status status = STATUS_OK;
    *open = (OpenAssignments){.is_any = is_teacher(visit)};
    if (file == NULL || !visit->is_known)
        return STATUS_OK;
    open->items = arena_array(visit->arena, file->assignment_count, sizeof *open->items);
    for (size_t i = 0; i < file->assignment_count && status == STATUS_OK; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        bool has = false;
        if (showing_sources(file, assignment, problem, visit->person.name, time(NULL)))
            status = has_handed_in(visit, assignment, problem, &has, why);
        if (has)
            open->items[open->count++] = assignment;
    }
    return status;
}

/* Whether the visitor may read the source of a submission: his own, a teacher everybody's; of others what was accepted, once an
 * assignment that he has handed in for is closed and class.json shows the sources. */
static bool shows_source(const Visit *visit, const OpenAssignments *open, const StoredSubmission *row)
{
    bool shows = open->is_any || visible_to(visit, row->person_id);
    for (size_t i = 0; i < open->count && !shows && is_acceptable(row); i++)
        shows = showing_belongs(class_of(visit), open->items[i], row->person, row->handed_in_s);
    return shows;
}

bool class_readable_source(Visit *visit, StoredSubmission *row, const char **source)
{
    Message why;
    OpenAssignments open;
    const int64_t id = answer_number(visit, "submission");
    if (id == 0)
        return false;
    Status status = submissions_read(visit->service->store, id, visit->arena, row, &why);
    THEN(status, find_open(visit, row->problem, &open, &why));
    if (status == STATUS_OK && !shows_source(visit, &open, row))
        status = fail(STATUS_NOT_FOUND, &why, "there is no submission %" PRId64, id);
    THEN(status, submissions_source(visit->service->store, row->source_hash, visit->arena, source, &why));
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    return status == STATUS_OK;
}

static void take_person(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(int64_t *)item = sqlite3_column_int64(row, 0);
}

/* Adds the newest of a person that the visitor may read; nearly always that is the newest of all. */
static Status add_source_of(const Visit *visit, const OpenAssignments *open, const char *problem, int64_t person,
                            Rows *found, Message *why)
{
    static const int64_t most[] = {1, INT64_MAX};
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        StoredSubmission *rows;
        size_t count = 0, i = 0;
        TRY(submissions_accepted(visit->service->store, problem, person, most[k], visit->arena, &rows, &count, why));
        while (i < count && !shows_source(visit, open, &rows[i]))
            i++;
        if (i < count)
            *(StoredSubmission *)database_rows_next(found) = rows[i];
        if (i < count || count == 0)
            break;
    }
    return STATUS_OK;
}

Status class_source_people(const Visit *visit, const char *problem, int64_t *count, Message *why)
{
    return database_int(visit->service->store, count, why,
                        "SELECT count(DISTINCT person) FROM submission WHERE problem = ?1 AND person <> ?2", "ti",
                        problem, visit->person.id);
}

Status class_open_sources(const Visit *visit, const char *problem, int64_t first, int64_t people, size_t most,
                          StoredSubmission **rows, size_t *count, Message *why)
{
    Rows found = {.arena = visit->arena, .item_bytes = sizeof **rows};
    int64_t *persons;
    size_t person_count = 0;
    OpenAssignments open;
    Status status = find_open(visit, problem, &open, why);
    if (status == STATUS_OK && (open.is_any || open.count > 0))
        status = database_list(visit->service->store, visit->arena, sizeof *persons, take_person, &persons,
                               &person_count, why,
                               "SELECT DISTINCT person FROM submission WHERE problem = ?1 AND person <> ?2"
                               " ORDER BY person LIMIT ?4 OFFSET ?3",
                               "tiii", problem, visit->person.id, first, people);
    for (size_t i = 0; i < person_count && found.count < most && status == STATUS_OK; i++)
        status = add_source_of(visit, &open, problem, persons[i], &found, why);
    *rows = (StoredSubmission *)(void *)found.items;
    *count = found.count;
    return status;
}

const char *class_file_name(const Visit *visit, const StoredSubmission *row)
{
    return visible_to(visit, row->person_id) ? row->file_name
                                             : arena_printf(visit->arena, "submission-%" PRId64 ".cu", row->id);
}

/* ==== submission json ============================================================================================= */

const char *submission_state(const StoredSubmission *row)
{
    static const char *const names[][2] = {{"queued", "waiting"},  {"offered", "waiting"}, {"running", "judging"},
                                           {"recorded", "judged"}, {"held", "held"},       {"cancelled", "withdrawn"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(row->state, names[i][0]) == 0)
            return names[i][1];
    return row->state;
}

bool submission_has_ended(const StoredSubmission *row)
{
    return strcmp(row->state, "recorded") == 0 || strcmp(row->state, "held") == 0 ||
           strcmp(row->state, "cancelled") == 0;
}

/* "3 ahead, about 40 s" */
static void add_stand(cJSON *object, int64_t ahead, double expected_s)
{
    char text[80];
    int length = ahead == 0 ? snprintf(text, sizeof text, "next")
                            : snprintf(text, sizeof text, "%" PRId64 " ahead", ahead);
    if (expected_s > 0)
        snprintf(text + length, sizeof text - (size_t)length, ", about %.0f %s",
                 expected_s < 100    ? expected_s
                 : expected_s < 6000 ? expected_s / 60
                                     : expected_s / 3600,
                 expected_s < 100    ? "s"
                 : expected_s < 6000 ? "min"
                                     : "h");
    cJSON_AddStringToObject(object, "stand", text);
}

/* The author learns how many are ahead, and about how long it takes, from the last judgings' durations. */
static Status add_outlook(const Service *service, const StoredSubmission *row, cJSON *object, Message *why)
{
    QueueOutlook outlook;
    TRY(judgings_outlook(service->store, row->position, &outlook, why));
    const double expected_s = outlook.mean_s > 0 ? ceil((double)(outlook.ahead + 1) * outlook.mean_s) : 0;
    cJSON_AddNumberToObject(object, "ahead", (double)outlook.ahead);
    if (expected_s > 0)
        cJSON_AddNumberToObject(object, "expected_s", expected_s);
    add_stand(object, outlook.ahead, expected_s);
    return STATUS_OK;
}

static void add_progress(const Service *service, const StoredSubmission *row, cJSON *object)
{
    QueueProgress progress;
    if (!queue_progress(service->queue, row->judging, &progress) || progress.step[0] == '\0')
        return;
    cJSON *item = cJSON_AddObjectToObject(object, "progress");
    cJSON_AddStringToObject(item, "step", progress.step);
    if (progress.total > 0) {
        cJSON_AddNumberToObject(item, "done", progress.done);
        cJSON_AddNumberToObject(item, "total", progress.total);
    }
}

static Status add_rank(const Service *service, const StoredSubmission *row, cJSON *object, Message *why)
{
    Arena arena = {0};
    const Board board = {
        .problem = row->problem, .revision = row->revision, .device = row->device, .epoch = row->epoch};
    Standings standings;
    Status status = store_standings(service->store, &board, &arena, &standings, why);
    for (size_t i = 0; i < standings.count; i++)
        if (strcmp(standings.people[i].person, row->person) == 0) {
            cJSON_AddNumberToObject(object, "rank", (double)standings.people[i].rank);
            cJSON_AddNumberToObject(object, "of", (double)standings.count);
        }
    arena_free(&arena);
    return status;
}

/* Why the judge does not rank a run, or has put it aside, is in rank_status; what a teacher decided, in rank_state. */
const char *submission_rank_words(const StoredSubmission *row)
{
    const bool is_the_judges = strcmp(row->rank_state, "unranked") == 0 || strcmp(row->rank_state, "quarantined") == 0;
    return is_the_judges ? row->rank_status : row->rank_state;
}

static void add_result(const StoredSubmission *row, cJSON *object)
{
    cJSON_AddStringToObject(object, "verdict", row->verdict);
    cJSON_AddStringToObject(object, "text", row->text);
    cJSON_AddStringToObject(object, "device", row->device);
    if (row->run == 0)
        return;
    cJSON_AddStringToObject(object, "device_name", row->device_name);
    cJSON_AddBoolToObject(object, "modelled", device_models_times(row->device));
    cJSON_AddStringToObject(object, "rank_status", submission_rank_words(row));
    if (row->time.ms > 0)
        view_put_time(object, "score_ms", row->time);
}

Status submission_json(const Service *service, const StoredSubmission *row, bool whole, cJSON **object, Message *why)
{
    const char *state = submission_state(row);
    Status status = STATUS_OK;
    cJSON *made = cJSON_CreateObject();
    cJSON_AddNumberToObject(made, "submission", (double)row->id);
    cJSON_AddStringToObject(made, "person", row->person);
    cJSON_AddStringToObject(made, "problem", row->problem);
    cJSON_AddStringToObject(made, "mode", row->mode);
    cJSON_AddStringToObject(made, "file_name", row->file_name);
    cJSON_AddStringToObject(made, "source_hash", row->source_hash);
    cJSON_AddStringToObject(made, "received", row->received_utc);
    cJSON_AddStringToObject(made, "state", state);
    class_add_counts(service, row, made);
    if (strcmp(state, "judged") == 0)
        add_result(row, made);
    if (whole && strcmp(state, "waiting") == 0)
        status = add_outlook(service, row, made, why);
    else if (whole && strcmp(state, "judging") == 0)
        add_progress(service, row, made);
    else if (whole && strcmp(row->rank_state, "ranked") == 0 && !class_hides_board(service, row->problem))
        status = add_rank(service, row, made, why);
    if (status == STATUS_OK)
        *object = made;
    else
        cJSON_Delete(made);
    return status;
}

/* ==== place ======================================================================================================= */

/* ---- on the board ------------------------------------------------------------------------------------------------ */

static Status find_place(const Visit *visit, const StoredSubmission *row, ClassPlace *place, Message *why)
{
    const Board board = {
        .problem = row->problem, .revision = row->revision, .device = row->device, .epoch = row->epoch};
    *place = (ClassPlace){
        .has_time = row->time.ms > 0, .rank_status = submission_rank_words(row), .person = row->person};
    if (!place->has_time)
        return STATUS_OK;
    Status status = store_place(visit->service->store, &board, row->person, row->run, row->time, &place->percentile,
                                why);
    if (strcmp(row->rank_state, "ranked") == 0)
        place->rank = 1 + place->percentile.faster;
    return status;
}

/* ---- result.json ------------------------------------------------------------------------------------------------- */

void place_take_out(cJSON *result)
{
    cJSON_DeleteItemFromObjectCaseSensitive(result, "rank");
    cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(result, "percentile"), "class");
}

static void put_into_result(cJSON *result, const ClassPlace *place)
{
    cJSON *percentile = cJSON_GetObjectItemCaseSensitive(result, "percentile");
    cJSON_DeleteItemFromObjectCaseSensitive(result, "rank_status");
    cJSON_AddStringToObject(result, "rank_status", place->rank_status);
    if (place->rank > 0)
        cJSON_AddNumberToObject(result, "rank", (double)place->rank);
    if (place->has_time && percentile != NULL)
        cJSON_AddItemToObject(percentile, "class", result_percentile_json(&place->percentile));
}

static const char *result_with(const char *text, const ClassPlace *place, Arena *arena)
{
    Text printed = {0};
    cJSON *result = cJSON_Parse(text);
    place_take_out(result);
    if (place != NULL && result != NULL)
        put_into_result(result, place);
    json_keep_digits(result);
    json_print(result, &printed);
    cJSON_Delete(result);
    const char *copy = arena_copy(arena, printed.data == NULL ? "" : printed.data, printed.length);
    text_free(&printed);
    return copy;
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

/* Whether this is a line of grader/report that tells of the class. */
static bool is_of_class(const char *line)
{
    static const char *const heads[] = {"  class ", "  rank "};
    return strncmp(line, heads[0], strlen(heads[0])) == 0 || strncmp(line, heads[1], strlen(heads[1])) == 0;
}

static const char *report_with(const char *text, const ClassPlace *place, Arena *arena)
{
    Text out = {0};
    for (const char *line = text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        const size_t length = end == NULL ? strlen(line) : (size_t)(end - line) + 1;
        if (!is_of_class(line))
            text_append(&out, line, length);
        else if (place != NULL) {
            report_add_class_place(place, &out);
            place = NULL;
        }
        line += length;
    }
    const char *copy = arena_copy(arena, out.data == NULL ? "" : out.data, out.length);
    text_free(&out);
    return copy;
}

Status place_document(const Visit *visit, const StoredSubmission *row, const char *kind, const char *text,
                      const char **shown, Message *why)
{
    ClassPlace place;
    const bool is_hidden = class_hides_board_from(visit, row->problem);
    const bool is_result = strcmp(kind, "result") == 0;
    *shown = text;
    if ((!is_result && strcmp(kind, "report") != 0) || (row->run == 0 && !is_hidden))
        return STATUS_OK;
    TRY(is_hidden ? STATUS_OK : find_place(visit, row, &place, why));
    const ClassPlace *counted = is_hidden ? NULL : &place;
    *shown = is_result ? result_with(text, counted, visit->arena) : report_with(text, counted, visit->arena);
    return STATUS_OK;
}

/* ==== workers ===================================================================================================== */

typedef struct WorkerRow {
    KnownWorker worker;
    bool is_recent;
} WorkerRow;

static void take_worker(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(WorkerRow *)item = (WorkerRow){
        .worker = {.name = database_text(arena, row, 0),
                   .device = database_text(arena, row, 1),
                   .since = database_text(arena, row, 2),
                   .judging = sqlite3_column_int64(row, 3),
                   .judged = sqlite3_column_int64(row, 4),
                   .failed = sqlite3_column_int64(row, 5),
                   .drained = sqlite3_column_type(row, 6) == SQLITE_NULL ? NULL : database_text(arena, row, 6)},
        .is_recent = sqlite3_column_int(row, 7) != 0};
}

static Status read_rows(const Visit *visit, Rows *rows, Message *why)
{
    return database_query(
        visit->service->store, rows, take_worker, why,
        "SELECT worker, coalesce((SELECT device FROM attempt AS last JOIN judging ON judging.id = last.judging"
        "   WHERE last.worker = attempt.worker AND outcome IS 'judged' ORDER BY last.offered_utc DESC LIMIT 1), ''),"
        " max(coalesce(ended_utc, offered_utc)),"
        " coalesce((SELECT submission FROM judging CROSS JOIN attempt AS now ON now.judging = judging.id AND now.n = judging.attempt"
        "   WHERE " IS_UNFINISHED "state IN ('offered', 'running') AND now.worker = attempt.worker LIMIT 1), 0),"
        " sum(outcome IS 'judged'), sum(outcome IN ('worker_failed', 'lost')),"
        " (SELECT why FROM drained WHERE drained.worker = attempt.worker),"
        " max(offered_utc) > strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-7 day')"
        " FROM attempt WHERE worker IS NOT NULL GROUP BY worker"
        " HAVING worker NOT GLOB 'slurm-*' OR max(offered_utc) > strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 day')"
        " ORDER BY worker",
        "");
}

static const IdleWorker *find_idle(const IdleWorker *idle, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(idle[i].name, name) == 0)
            return &idle[i];
    return NULL;
}

static bool has_attempts(const WorkerRow *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].worker.name, name) == 0)
            return true;
    return false;
}

static const char *state_of(const KnownWorker *worker, const IdleWorker *idle)
{
    if (worker->drained != NULL)
        return "gets no work";
    if (worker->judging != 0)
        return "judging";
    if (idle != NULL)
        return "idle";
    return strncmp(worker->name, "slurm-", strlen("slurm-")) == 0 ? "ended" : "not there";
}

static int compare_idle(const void *a, const void *b)
{
    return strcmp(((const IdleWorker *)a)->name, ((const IdleWorker *)b)->name);
}

Status workers_known(const Visit *visit, KnownWorker **workers, size_t *count, Message *why)
{
    Rows found = {.arena = visit->arena, .item_bytes = sizeof(WorkerRow)};
    IdleWorker *idle;
    size_t idle_count;
    queue_idle_workers(visit->service->queue, visit->arena, &idle, &idle_count);
    Status status = read_rows(visit, &found, why);
    const WorkerRow *rows = (const WorkerRow *)(const void *)found.items;
    KnownWorker *known = arena_array(visit->arena, found.count + idle_count, sizeof *known);
    *workers = known;
    *count = 0;
    for (size_t i = 0; i < found.count; i++) {
        KnownWorker worker = rows[i].worker;
        const IdleWorker *one = find_idle(idle, idle_count, worker.name);
        worker.state = state_of(&worker, one);
        if (one != NULL && worker.device[0] == '\0')
            worker.device = one->device;
        if (one != NULL || rows[i].is_recent || worker.judging != 0 || worker.drained != NULL)
            known[(*count)++] = worker;
    }
    if (idle_count > 0)
        qsort(idle, idle_count, sizeof *idle, compare_idle);
    for (size_t i = 0; i < idle_count && status == STATUS_OK; i++) {
        KnownWorker worker = {.name = idle[i].name, .device = idle[i].device};
        status = database_string(visit->service->store, visit->arena, &worker.drained, why,
                                 "SELECT why FROM drained WHERE worker = ?1", "t", worker.name);
        worker.state = state_of(&worker, &idle[i]);
        if (!has_attempts(rows, found.count, worker.name))
            known[(*count)++] = worker;
    }
    return status;
}
