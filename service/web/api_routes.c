/* api_routes.c - the routes of the API, of workers, and of monitoring (/healthz and /metrics).  */
#include "service/web/api_routes.h"

#include "base/clock.h"
#include "base/record.h"
#include "grader/problem/problem.h"
#include "leaderboard/database.h"
#include "leaderboard/store.h"
#include "service/course/class_facts.h"
#include "service/course/class_file.h"
#include "service/course/scores.h"
#include "service/store/judgings.h"
#include "service/store/service_store.h"
#include "service/store/submissions.h"
#include "service/store/view.h"
#include "service/web/hand_in.h"
#include "service/web/live.h"
#include "service/web/site_answers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

/* ==== board answer ================================================================================================ */

/* A problem's board, as JSON (docs/reference/api.md) or as CSV (RFC 4180) for a table of marks. */

/* The board of the device that the query names, or the first one. */
static const Board *choose_board(const Visit *visit, const Board *boards, size_t count)
{
    const char *device = http_query(visit->request, "device");
    for (size_t i = 0; i < count; i++)
        if (device == NULL || strcmp(boards[i].device, device) == 0)
            return &boards[i];
    return NULL;
}

/* False: the failure has been answered. The device stays NULL where the board is empty. */
static bool read_board(Visit *visit, BoardPage *page)
{
    Problem problem;
    Board *boards;
    size_t count;
    Message why;
    *page = (BoardPage){0};
    Status status = problem_read(visit->argument, &problem, &why);
    if (status == STATUS_OK && (class_hides_board_from(visit, problem.id) || !class_shows_problem(visit, problem.id))) {
        problem_free(&problem);
        answer_error(visit, 403, "the board of %s is not shown now", visit->argument);
        return false;
    }
    if (status == STATUS_OK) {
        status = site_boards(visit, &problem, &boards, &count, &why);
        const Board *board = status == STATUS_OK ? choose_board(visit, boards, count) : NULL;
        if (board != NULL)
            status = site_board(visit, &problem, board, SIZE_MAX, page, &why);
        problem_free(&problem);
    }
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    return status == STATUS_OK;
}

static void board_answer(Visit *visit)
{
    BoardPage shown;
    if (!read_board(visit, &shown))
        return;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "problem", visit->argument);
    if (shown.device != NULL) {
        cJSON_AddStringToObject(object, "device", shown.device);
        cJSON_AddBoolToObject(object, "modelled", shown.modelled);
        cJSON_AddBoolToObject(object, "older", shown.is_older);
    }
    cJSON *list = cJSON_AddArrayToObject(object, "standings");
    for (size_t i = 0; i < shown.standing_count; i++) {
        const Standing *standing = &shown.standings[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "rank", (double)standing->rank);
        cJSON_AddStringToObject(item, "person", standing->person);
        view_put_time(item, "time_ms", standing->time);
        cJSON_AddStringToObject(item, "time_utc", standing->time_utc);
        if (shown.submissions[i] != 0)
            cJSON_AddNumberToObject(item, "submission", (double)shown.submissions[i]);
        cJSON_AddItemToArray(list, item);
    }
    answer_json(visit, 200, object);
}

static void board_answer_csv(Visit *visit)
{
    BoardPage shown;
    if (!read_board(visit, &shown))
        return;
    Text *out = &visit->reply->body;
    visit->reply->type = "text/csv; charset=utf-8";
    text_add(out, "rank,person,time_ms,uncertainty,model_factor,time_utc\r\n");
    for (size_t i = 0; i < shown.standing_count; i++) {
        const Standing *standing = &shown.standings[i];
        text_printf(out, "%zu,", standing->rank);
        csv_add_cell(out, standing->person, ",");
        text_printf(out, "%.9g,%.3g,%.4g,%s\r\n", standing->time.ms, standing->time.uncertainty,
                    time_model_factor(standing->time), standing->time_utc);
    }
}

/* ==== class answers =============================================================================================== */

/* Assignments with their deadlines, and the sources of others. */

/* ---- assignments ------------------------------------------------------------------------------------------------- */

static const char *state_name(DueState state)
{
    static const char *const names[] = {
        [DUE_NOT_OPEN] = "not open", [DUE_IN_TIME] = "open", [DUE_LATE] = "late", [DUE_CLOSED] = "closed"};
    return names[state];
}

static cJSON *assignment_item(const ClassFile *file, const Due *due, int64_t now_s)
{
    const ClassAssignment *assignment = due->assignment;
    Text text = {0};
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "assignment", assignment->id);
    cJSON_AddStringToObject(item, "title", assignment->title);
    cJSON *problems = cJSON_AddArrayToObject(item, "problems");
    for (size_t i = 0; i < assignment->problem_count; i++)
        cJSON_AddItemToArray(problems, cJSON_CreateString(assignment->problems[i].problem));
    cJSON_AddStringToObject(item, "state", state_name(due->state));
    if (assignment->opens.written != NULL)
        cJSON_AddStringToObject(item, "opens_utc", class_time_utc(assignment->opens.utc_s).text);
    cJSON_AddStringToObject(item, "due", class_time_local(&file->zone, due->deadline->due.utc_s).text);
    cJSON_AddStringToObject(item, "zone", file->zone.name);
    cJSON_AddStringToObject(item, "due_utc", class_time_utc(due->deadline->due.utc_s).text);
    cJSON_AddStringToObject(item, "closes_utc", class_time_utc(class_last_moment(due->deadline)).text);
    due_add_outlook(&text, file, due, now_s);
    cJSON_AddStringToObject(item, "text", text.data);
    text_free(&text);
    return item;
}

static void class_answer_assignments(Visit *visit)
{
    const ClassFile *file = class_of(visit);
    const int64_t now_s = time(NULL);
    cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "assignments");
    for (size_t i = 0; file != NULL && i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        const Due due = due_of(file, assignment, visit->person.name, now_s);
        if (visit->person.role >= PERSON_TEACHER || class_takes_part(assignment, visit->person.name))
            cJSON_AddItemToArray(list, assignment_item(file, &due, now_s));
    }
    answer_json(visit, 200, object);
}

/* ---- sources of others ------------------------------------------------------------------------------------------- */

static cJSON *source_item(const Visit *visit, const StoredSubmission *row)
{
    int64_t person;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "submission", (double)row->id);
    cJSON_AddStringToObject(item, "person", visible_name(visit, row->person, &person));
    cJSON_AddStringToObject(item, "problem", row->problem);
    cJSON_AddStringToObject(item, "file_name", class_file_name(visit, row));
    cJSON_AddStringToObject(item, "received", row->received_utc);
    if (row->time.ms > 0 && !class_hides_board_from(visit, row->problem)) {
        view_put_time(item, "score_ms", row->time);
        cJSON_AddStringToObject(item, "device", row->device);
    }
    return item;
}

static void class_answer_sources(Visit *visit)
{
    Problem problem;
    StoredSubmission *rows;
    ListPart part;
    int64_t people = 0;
    size_t count = 0;
    Message why;
    Status status = problem_read(visit->argument, &problem, &why);
    if (status == STATUS_OK) {
        status = class_source_people(visit, problem.id, &people, &why);
        part = list_part(visit, people, PEOPLE_ON_A_PAGE);
        THEN(status,
             class_open_sources(visit, problem.id, part.first, PEOPLE_ON_A_PAGE, SIZE_MAX, &rows, &count, &why));
        problem_free(&problem);
    }
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "sources");
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(list, source_item(visit, &rows[i]));
    cJSON_AddNumberToObject(object, "pages", (double)part.pages);
    answer_json(visit, 200, object);
}

static void class_answer_source(Visit *visit)
{
    StoredSubmission row;
    const char *source;
    if (!class_readable_source(visit, &row, &source))
        return;
    if (source == NULL) {
        answer_error(visit, 404, "the source of submission %lld is not kept", (long long)row.id);
        return;
    }
    cJSON *item = source_item(visit, &row);
    cJSON_AddStringToObject(item, "source", source);
    answer_json(visit, 200, item);
}

/* ==== points answer =============================================================================================== */

/* GET /api/v1/submissions/N/points: what one submission gives points for, part by part, if it counts.
 *
 * Nothing is taken off for being late, and no other submission is looked at: the whole is told by `convjudge scores`. */

/* The first assignment that is for the author and has the problem. */
static const ClassAssignment *assignment_of(const ClassFile *class, const StoredSubmission *row)
{
    for (size_t i = 0; i < class->assignment_count; i++)
        if (class_takes_part(&class->assignments[i], row->person) &&
            class_problem(&class->assignments[i], row->problem) != NULL)
            return &class->assignments[i];
    return NULL;
}

static const SubmissionFact *fact_of(const PersonFacts *person, int64_t submission)
{
    for (size_t i = 0; i < person->count; i++)
        if (person->facts[i].id == submission)
            return &person->facts[i];
    return NULL;
}

/* The sentences are those for students, which name no hidden case. */
RECORD(part_table, PointsPart, ROW(PointsPart, name, "name"), ROW(PointsPart, points, "points"),
       ROW(PointsPart, most, "most"), ROW(PointsPart, told, "text"));

static void answer(Visit *visit, const ClassAssignment *assignment, const SubmissionFact *fact, bool shown)
{
    size_t count;
    const PointsPart *parts = points_parts_of(class_problem(assignment, fact->problem), fact, visit->arena,
                                              visit->arena, &count);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "submission", (double)fact->id);
    cJSON_AddStringToObject(object, "assignment", assignment->id);
    cJSON_AddBoolToObject(object, "shown", shown);
    record_write_list(&part_table, parts, count, NULL, object, "parts");
    answer_json(visit, 200, object);
}

static void points_answer(Visit *visit)
{
    const ClassFile *class = class_of(visit);
    StoredSubmission row;
    PersonFacts person;
    Message why;
    if (!visible_submission(visit, &row))
        return;
    const ClassAssignment *assignment = class == NULL ? NULL : assignment_of(class, &row);
    if (assignment == NULL) {
        answer_error(visit, 404, "submission %lld is for no assignment of the class", (long long)row.id);
        return;
    }
    const bool shown = class_shows(class, assignment, &assignment->points, (int64_t)time(NULL));
    if (!shown && visit->person.role < PERSON_TEACHER && !visit->hands_in_only) {
        answer_error(visit, 403, "the points of %s are not shown yet", assignment->title);
        return;
    }
    Status status = class_facts_of_person(visit->service->store, class, row.person, visit->arena, &person, &why);
    const SubmissionFact *fact = status == STATUS_OK ? fact_of(&person, row.id) : NULL;
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    else if (fact == NULL)
        answer_error(visit, 404, "submission %lld counts for nothing: it was not for the ranking", (long long)row.id);
    else if (!points_is_decided(fact))
        answer_error(visit, 409, "submission %lld is not judged yet", (long long)row.id);
    else
        answer(visit, assignment, fact, shown);
}

/* ==== operating routes ============================================================================================ */

enum { HEALTH_SECONDS = 5, LEAST_FREE_BYTES = 64 << 20 };

/* Tries the store, and looks for room for it. */
static void look_at_store(Service *service)
{
    struct statvfs volume;
    Message why = {0};
    service->store_trouble.text[0] = '\0';
    if (service_store_check(service->store, &why) != STATUS_OK)
        service->store_trouble = why;
    else if (statvfs(service->config->state, &volume) == 0 &&
             (double)volume.f_bavail * (double)volume.f_frsize < LEAST_FREE_BYTES)
        fail(STATUS_SYSTEM, &service->store_trouble, "%s: less than %d MiB are free on its disk",
             service->config->state, LEAST_FREE_BYTES >> 20);
}

/* What a student would notice. However often it is asked, the store is tried once in HEALTH_SECONDS. */
static void answer_health(Visit *visit)
{
    Service *service = visit->service;
    char alarm[200], lost[SERVICE_PATH_BYTES];
    const Drained *pause = NULL;
    Message why;
    const char *silent = queue_silent_worker(service->queue);
    const char *trouble = queue_trouble(service->queue);
    if (service->checked_s == 0 || now_s() > service->checked_s + HEALTH_SECONDS) {
        look_at_store(service);
        service->checked_s = now_s();
    }
    if (service->store_trouble.text[0] != '\0')
        answer_failure(visit, STATUS_SYSTEM, &service->store_trouble);
    else if (clock_watch_alarm(&service->clock, alarm, sizeof alarm))
        answer_error(visit, 503, "%s", alarm);
    else if (trouble[0] != '\0')
        answer_error(visit, 503, "the queue is in trouble: %s", trouble);
    else if (service_store_was_lost(service->config->state, lost))
        answer_error(visit, 503,
                     "the store was gone and is a new, empty one; restore a copy (convjudge restore), or remove %s",
                     lost);
    else if (queue_pause(service->store, visit->arena, &pause, &why) != STATUS_OK)
        answer_failure(visit, STATUS_SYSTEM, &why);
    else if (pause != NULL)
        answer_error(visit, 503, "the queue is paused since %s: %s", pause->since_utc, pause->why);
    else if (silent[0] != '\0')
        answer_error(visit, 503, "the worker %s hangs: it has not shown a sign of life", silent);
    else if (queue_lacks_workers(service->queue))
        answer_error(visit, 503, "submissions wait, and no worker is there to judge them");
    else
        answer_text(visit, "text/plain; charset=utf-8", "ok\n");
}

typedef struct Count {
    const char *label;
    int64_t count;
} Count;

static void take_count(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Count *)item = (Count){.label = database_text(arena, row, 0), .count = sqlite3_column_int64(row, 1)};
}

/* One metric, with a line for each value of its label. */
static Status add_metric(Visit *visit, const char *name, const char *type, const char *help, const char *label,
                         const char *sql, Message *why)
{
    Text *out = &visit->reply->body;
    Rows rows = {.arena = visit->arena, .item_bytes = sizeof(Count)};
    Status status = database_query(visit->service->store, &rows, take_count, why, sql, "");
    const Count *counts = (const Count *)(const void *)rows.items;
    text_printf(out, "# HELP convjudge_%s %s\n# TYPE convjudge_%s %s\n", name, help, name, type);
    for (size_t i = 0; i < rows.count; i++)
        text_printf(out, "convjudge_%s{%s=\"%s\"} %lld\n", name, label, counts[i].label, (long long)counts[i].count);
    return status;
}

static void add_pilots(Visit *visit, SlurmHealth slurm)
{
    text_printf(&visit->reply->body,
                "# HELP convjudge_pilots Pilots in Slurm, when it was last asked.\n# TYPE convjudge_pilots gauge\n"
                "convjudge_pilots{state=\"pending\"} %lld\nconvjudge_pilots{state=\"running\"} %lld\n"
                "# HELP convjudge_pilots_started_total Pilots that this server has started.\n"
                "# TYPE convjudge_pilots_started_total counter\nconvjudge_pilots_started_total %lld\n"
                "# HELP convjudge_slurm_failures_total Commands of Slurm that failed, and pilots that took nothing.\n"
                "# TYPE convjudge_slurm_failures_total counter\nconvjudge_slurm_failures_total %lld\n"
                "# HELP convjudge_slurm_trouble 1 while a pilot cannot be started or does not start.\n"
                "# TYPE convjudge_slurm_trouble gauge\nconvjudge_slurm_trouble %d\n",
                (long long)slurm.pending, (long long)slurm.running, (long long)slurm.started, (long long)slurm.failures,
                slurm.trouble.text[0] != '\0');
}

/* Pilots that have ended are not missed. */
static Status add_workers(Visit *visit, Message *why)
{
    static const struct {
        const char *state, *label;
    } states[] = {
        {"judging", "judging"}, {"idle", "idle"}, {"gets no work", "gets_no_work"}, {"not there", "not_there"}};
    Text *out = &visit->reply->body;
    KnownWorker *workers;
    size_t count;
    TRY(workers_known(visit, &workers, &count, why));
    text_printf(out, "# HELP convjudge_workers Workers by state.\n# TYPE convjudge_workers gauge\n");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        int number = 0;
        for (size_t k = 0; k < count; k++)
            number += strcmp(workers[k].state, states[i].state) == 0;
        text_printf(out, "convjudge_workers{state=\"%s\"} %d\n", states[i].label, number);
    }
    text_printf(out,
                "# HELP convjudge_workers_lacking 1 while something waits and no worker is there.\n"
                "# TYPE convjudge_workers_lacking gauge\nconvjudge_workers_lacking %d\n",
                queue_lacks_workers(visit->service->queue));
    return STATUS_OK;
}

/* Prometheus' text format, version 0.0.4. Only labels from fixed lists: no names of people. */
static void answer_metrics(Visit *visit)
{
    Message why;
    Status status = add_metric(visit, "judgings", "gauge", "Judgings by state.", "state",
                               "SELECT state, count(*) FROM judging GROUP BY state", &why);
    THEN(status, add_metric(visit, "attempts_total", "counter", "Attempts that have ended, by outcome.", "outcome",
                            "SELECT outcome, count(*) FROM attempt WHERE outcome IS NOT NULL GROUP BY outcome", &why));
    THEN(status, add_metric(visit, "verdicts_total", "counter", "Judgings that are recorded, by verdict.", "verdict",
                            "SELECT verdict, count(*) FROM judging WHERE verdict IS NOT NULL GROUP BY verdict", &why));
    THEN(status, add_metric(visit, "workers_drained", "gauge", "Workers that get no more work.", "reason",
                            "SELECT 'failures', count(*) FROM drained", &why));
    THEN(status, add_workers(visit, &why));
    if (status != STATUS_OK) {
        text_free(&visit->reply->body);
        answer_failure(visit, status, &why);
        return;
    }
    if (visit->service->slurm != NULL)
        add_pilots(visit, slurm_health(visit->service->slurm));
    visit->reply->type = "text/plain; version=0.0.4; charset=utf-8";
}

const Route operating_routes[] = {
    {"GET", "/healthz", ACCESS_ALL, answer_health, ROUTE_CHANGES},
    {"GET", "/metrics", ACCESS_ALL, answer_metrics, ROUTE_DATA},
    {0},
};

/* ==== work routes ================================================================================================= */

/* What workers ask and say (service/store/queue.h). */

/* False: the body is no JSON, which has been answered. */
static bool read_message(Visit *visit, JsonFile *file)
{
    Message why;
    Status status = json_parse("request", visit->request->body, visit->request->body_bytes, file, &why);
    if (status != STATUS_OK)
        answer_error(visit, 400, "%s", why.text);
    return status == STATUS_OK;
}

static void answer_claim(Visit *visit)
{
    JsonFile file;
    WorkClaim claim;
    Message why;
    if (!read_message(visit, &file))
        return;
    Status status = work_read_claim(&file, visit->arena, &claim, &why);
    THEN(status, queue_claim(visit->service->queue, visit->person.id, &claim, &visit->reply->events, &why));
    json_free(&file);
    visit->reply->type = "application/json";
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
}

static void answer_alive(Visit *visit)
{
    JsonFile file;
    WorkProgress progress;
    Message why;
    bool goes_on = false;
    if (!read_message(visit, &file))
        return;
    Status status = work_read_progress(&file, visit->arena, &progress, &why);
    THEN(status, queue_note_alive(visit->service->queue, visit->person.id, &progress, &goes_on, &why));
    json_free(&file);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddBoolToObject(object, "goes_on", goes_on);
    answer_json(visit, 200, object);
}

static void answer_done(Visit *visit)
{
    JsonFile file;
    const char *outcome = "";
    Message why;
    if (!read_message(visit, &file))
        return;
    Status status = queue_finish(visit->service->queue, visit->person.id, &file, &outcome, &why);
    json_free(&file);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "outcome", outcome);
    answer_json(visit, 200, object);
}

static void answer_edition(Visit *visit)
{
    cJSON *files;
    Message why;
    Status status = queue_edition(visit->service->queue, visit->argument, &files, &why);
    if (status == STATUS_OK)
        answer_json(visit, 200, files);
    else
        answer_failure(visit, status, &why);
}

const Route work_routes[] = {
    {"POST", "/api/v1/work/claim", ACCESS_WORKERS, answer_claim, ROUTE_DATA},
    {"POST", "/api/v1/work/alive", ACCESS_WORKERS, answer_alive, ROUTE_DATA},
    {"POST", "/api/v1/work/done", ACCESS_WORKERS, answer_done, ROUTE_DATA},
    {"GET", "/api/v1/work/editions/*", ACCESS_WORKERS, answer_edition, ROUTE_CHANGES},
    {0},
};

/* ==== api routes ================================================================================================== */

/* The interface of docs/reference/api.md. */

/* ---- who and what ------------------------------------------------------------------------------------------------ */

static void answer_me(Visit *visit)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "person", visit->person.name);
    cJSON_AddStringToObject(object, "role", role_name(visit->person.role));
    cJSON_AddStringToObject(object, "pseudonym", visit->person.pseudonym);
    answer_json(visit, 200, object);
}

static void answer_problems(Visit *visit)
{
    const char **ids;
    size_t count;
    Message why;
    Status status = problem_list(visit->arena, &ids, &count, &why);
    cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "problems");
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        Problem problem;
        if (!class_shows_problem(visit, ids[i]) || problem_read(ids[i], &problem, NULL) != STATUS_OK)
            continue; /* nothing can be handed in for it now */
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "id", problem.id);
        cJSON_AddStringToObject(item, "title", problem.title);
        cJSON_AddItemToArray(list, item);
        problem_free(&problem);
    }
    if (status == STATUS_OK) {
        answer_json(visit, 200, object);
        return;
    }
    cJSON_Delete(object);
    answer_failure(visit, status, &why);
}

/* ---- submissions ------------------------------------------------------------------------------------------------- */

static void answer_submission_row(Visit *visit, int status_code, int64_t id)
{
    StoredSubmission row;
    cJSON *object;
    Message why;
    Status status = submissions_read(visit->service->store, id, visit->arena, &row, &why);
    THEN(status, submission_json(visit->service, &row, true, &object, &why));
    if (status == STATUS_OK)
        answer_json(visit, status_code, object);
    else
        answer_failure(visit, status, &why);
}

static void take_submission(Visit *visit, const char *person)
{
    JsonFile file;
    Message why;
    int64_t id = 0;
    bool is_new = false;
    Status status = json_parse("request", visit->request->body, visit->request->body_bytes, &file, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, STATUS_BAD_INPUT, &why);
        return;
    }
    HandInRequest request = {.person = person};
    status = record_read(&hand_in_table, &file, file.root, NULL, &request, &why);
    THEN(status, hand_in(visit, &request, &id, &is_new, &why));
    json_free(&file);
    if (status == STATUS_OK)
        answer_submission_row(visit, is_new ? 201 : 200, id);
    else if (status == STATUS_BAD_INPUT && id != 0)
        answer_error(visit, 409, "%s", why.text);
    else
        answer_failure(visit, status, &why);
}

static void answer_hand_in(Visit *visit)
{
    take_submission(visit, NULL);
}

static void answer_hand_in_for(Visit *visit)
{
    take_submission(visit, visit->argument);
}

static void answer_events(Visit *visit)
{
    StoredSubmission row;
    if (!visible_submission(visit, &row))
        return;
    if (live_open(visit->service->live, visit->person.id, row.id, &visit->reply->events)) {
        visit->reply->type = "text/event-stream";
        return;
    }
    http_reply_header(visit->reply, "Retry-After", "5");
    answer_error(visit, 429, "too many streams are open; ask for /api/v1/submissions/%lld now and then instead",
                 (long long)row.id);
}

static void answer_withdraw(Visit *visit)
{
    StoredSubmission row;
    bool done;
    if (!hand_in_withdraw(visit, &row, &done))
        return;
    if (done)
        answer_submission_row(visit, 200, row.id);
    else
        answer_error(visit, 409, "submission %lld does not wait any more", (long long)row.id);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const Route api_routes[] = {
    {"GET", "/api/v1/me", ACCESS_PERSONS, answer_me, ROUTE_DATA},
    {"GET", "/api/v1/problems", ACCESS_READERS, answer_problems, ROUTE_DATA},
    {"POST", "/api/v1/submissions", ACCESS_PERSONS, answer_hand_in, ROUTE_DATA},
    {"POST", "/api/v1/people/*/submissions", ACCESS_TEACHERS_AND_KITS, answer_hand_in_for, ROUTE_DATA},
    {"GET", "/api/v1/submissions", ACCESS_PERSONS, api_list, ROUTE_DATA},
    {"GET", "/api/v1/submissions/*", ACCESS_PERSONS_AND_KITS, api_submission, ROUTE_DATA},
    {"DELETE", "/api/v1/submissions/*", ACCESS_PERSONS, answer_withdraw, ROUTE_DATA},
    {"GET", "/api/v1/submissions/*/report", ACCESS_PERSONS_AND_KITS, api_report, ROUTE_DATA},
    {"GET", "/api/v1/submissions/*/result", ACCESS_PERSONS_AND_KITS, api_result, ROUTE_DATA},
    {"GET", "/api/v1/submissions/*/points", ACCESS_PERSONS_AND_KITS, points_answer, ROUTE_DATA},
    {"GET", "/api/v1/submissions/*/explain", ACCESS_PERSONS, api_explain, ROUTE_DATA},
    {"GET", "/api/v1/submissions/*/comparison", ACCESS_PERSONS, api_comparison, ROUTE_DATA},
    {"GET", "/api/v1/submissions/*/events", ACCESS_PERSONS_AND_KITS, answer_events, ROUTE_CHANGES},
    {"GET", "/api/v1/history", ACCESS_PERSONS, api_history, ROUTE_DATA},
    {"GET", "/api/v1/assignments", ACCESS_PERSONS, class_answer_assignments, ROUTE_DATA},
    {"GET", "/api/v1/problems/*/sources", ACCESS_PERSONS, class_answer_sources, ROUTE_DATA},
    {"GET", "/api/v1/sources/*", ACCESS_PERSONS, class_answer_source, ROUTE_DATA},
    {"GET", "/api/v1/boards/*", ACCESS_READERS, board_answer, ROUTE_DATA},
    {"GET", "/api/v1/boards/*/csv", ACCESS_READERS, board_answer_csv, ROUTE_DATA},
    {0},
};
