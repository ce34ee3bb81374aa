/* site_class.c - the pages of a class: points, sources of others, people; and the forms that browsers send.  */
#include "base/clock.h"
#include "base/hash.h"
#include "grader/judge/result.h"
#include "grader/problem/problem.h"
#include "leaderboard/database.h"
#include "leaderboard/rulings.h"
#include "service/course/class_file.h"
#include "service/course/class_summary.h"
#include "service/course/extensions.h"
#include "service/course/scores.h"
#include "service/store/judgings.h"
#include "service/store/service_store.h"
#include "service/store/view.h"
#include "service/web/answer.h"
#include "service/web/api.h"
#include "service/web/board_plots.h"
#include "service/web/hand_in.h"
#include "service/web/parts.h"
#include "service/web/site_answers.h"
#include "service/web/summary_page.h"
#include "service/web/template.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ==== site points ================================================================================================= */

static const char *title_of(const Visit *visit)
{
    const ClassFile *class = class_of(visit);
    return class->title[0] == '\0' ? visit->service->config->title : class->title;
}

/* ---- one person -------------------------------------------------------------------------------------------------- */

static void put_result(const Visit *visit, cJSON *row, const AssignmentPoints *points)
{
    cJSON *problems = cJSON_AddArrayToObject(row, "problems");
    values_put(row, "title=%s points=%.6g most=%.6g is_final=%d", points->assignment->title, points->points,
               points->most, points->is_final);
    for (size_t i = 0; i < points->assignment->problem_count; i++) {
        const ProblemPoints *problem = &points->problems[i];
        values_put(values_row(problems), "problem=%s points=%.6g most=%.6g reason=%s", problem->problem->problem,
                   problem->points, problem->most,
                   visit->person.role >= PERSON_TEACHER ? problem->reason : problem->told);
    }
}

/* The points of a person that the visitor may see. */
static Status put_results(const Visit *visit, const Person *person, cJSON *results, Message *why)
{
    const ClassFile *class = class_of(visit);
    const bool is_teacher = visit->person.role >= PERSON_TEACHER;
    PersonFacts facts;
    if (class == NULL)
        return STATUS_OK;
    Status status = class_facts_of_person(visit->service->store, class, person->name, visit->arena, &facts, why);
    for (size_t i = 0; i < class->assignment_count && status == STATUS_OK; i++) {
        const ClassAssignment *assignment = &class->assignments[i];
        if (!class_takes_part(assignment, person->name) ||
            (!is_teacher && !class_shows(class, assignment, &assignment->points, time(NULL))))
            continue;
        const AssignmentPoints points = points_of(class, assignment, &facts, visit->arena);
        put_result(visit, values_row(results), &points);
    }
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* False: there is no class, or its points cannot be read, which has been answered. */
static bool read_scores(Visit *visit, size_t first, size_t most, Scores *scores)
{
    Message why;
    if (class_of(visit) == NULL) {
        answer_error(visit, 404, "this server has no class; its setting \"class\" names a class.json");
        return false;
    }
    Status status = scores_read(visit->service->store, class_of(visit), first, most, visit->arena, scores, &why);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    return status == STATUS_OK;
}

/* The points of an assignment are behind one another in the order of the file; some are not for this person. */
static void put_points(cJSON *row, const ClassFile *class, const PersonScores *person)
{
    cJSON *cells = cJSON_AddArrayToObject(row, "cells");
    double sum = 0;
    size_t next = 0;
    for (size_t i = 0; i < class->assignment_count; i++) {
        const AssignmentPoints *points = &person->assignments[next];
        if (next == person->count || points->assignment != &class->assignments[i]) {
            cJSON_AddItemToArray(cells, cJSON_CreateNull());
            continue;
        }
        values_put(values_row(cells), "points=%.6g is_final=%d is_extended=%d", points->points, points->is_final,
                   points->extension != NULL);
        sum += points->points;
        next++;
    }
    values_put(row, "person=%s sum=%.6g", person->facts->person, sum);
}

void site_points(Visit *visit)
{
    enum { STRANGERS_SHOWN = 20, ON_A_PAGE = 50 };
    const ClassFile *class = class_of(visit);
    const ListPart wanted = list_part(visit, INT64_MAX, ON_A_PAGE);
    size_t count;
    Scores scores;
    Message why;
    if (!read_scores(visit, (size_t)wanted.first, ON_A_PAGE, &scores))
        return;
    const ListPart part = list_part(visit, (int64_t)scores.all, ON_A_PAGE);
    if (part.first != wanted.first && !read_scores(visit, (size_t)part.first, ON_A_PAGE, &scores))
        return;
    cJSON *page = cJSON_CreateObject(), *titles = cJSON_AddArrayToObject(page, "assignments"),
          *people = cJSON_AddArrayToObject(page, "people"), *list = cJSON_AddArrayToObject(page, "strangers");
    site_put_part(page, &part);
    for (size_t i = 0; i < class->assignment_count; i++)
        cJSON_AddItemToArray(titles, cJSON_CreateString(class->assignments[i].title));
    for (size_t i = 0; i < scores.count; i++)
        put_points(values_row(people), class, &scores.people[i]);
    const Stranger *strangers = scores_strangers(&scores, STRANGERS_SHOWN, visit->arena, &count);
    for (size_t i = 0; i < count; i++)
        values_put(values_row(list), "person=%s nearest=%s", strangers[i].person,
                   strangers[i].nearest == NULL ? "" : strangers[i].nearest);
    values_put(page, "class=%s", title_of(visit));
    Status status = values_query(
        visit->service->store, cJSON_AddArrayToObject(page, "extensions"), &why,
        "SELECT time_utc, person, action, object FROM audit WHERE action LIKE 'extension %' OR action LIKE 'override %' ORDER BY id DESC LIMIT 200",
        "");
    site_answer(visit, status, &why, "points", page);
}

void site_points_csv(Visit *visit)
{
    Scores scores;
    if (!read_scores(visit, 0, SIZE_MAX, &scores))
        return;
    visit->reply->type = "text/csv; charset=utf-8";
    http_reply_header(visit->reply, "Content-Disposition", "attachment; filename=\"scores.csv\"");
    scores_csv(&scores, &visit->reply->body);
}

/* ---- the summary ------------------------------------------------------------------------------------------------- */

/* A summary looks at all that a class has submitted, so it is kept for so many times as long as it took: that of a small class is always
 * new, and that of a large one takes a fiftieth of a processor. */
enum { SUMMARY_KEPT = 50, SUMMARY_KEPT_S = 600 };

static struct {
    pthread_mutex_t lock;
    cJSON *values; /* of the page; NULL: there is none yet */
    double until_s;
    bool is_being_made;
} kept_summary = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* NULL: it must be made, by the caller. */
static cJSON *find_summary(void)
{
    pthread_mutex_lock(&kept_summary.lock);
    const bool is_good = kept_summary.values != NULL && (now_s() < kept_summary.until_s || kept_summary.is_being_made);
    cJSON *values = is_good ? cJSON_Duplicate(kept_summary.values, true) : NULL;
    kept_summary.is_being_made = kept_summary.is_being_made || !is_good;
    pthread_mutex_unlock(&kept_summary.lock);
    return values;
}

/* NULL: it could not be made. */
static void keep_summary(const cJSON *values, double took_s)
{
    pthread_mutex_lock(&kept_summary.lock);
    if (values != NULL) {
        cJSON_Delete(kept_summary.values);
        kept_summary.values = cJSON_Duplicate(values, true);
        kept_summary.until_s = now_s() + fmin(SUMMARY_KEPT * took_s, SUMMARY_KEPT_S);
    }
    kept_summary.is_being_made = false;
    pthread_mutex_unlock(&kept_summary.lock);
}

/* NULL: it cannot, which has been answered. */
static cJSON *make_summary(Visit *visit)
{
    const Site site = site_of(visit);
    cJSON *values = NULL;
    Scores scores;
    Facts facts = {0};
    Message why;
    if (!read_scores(visit, 0, SIZE_MAX, &scores))
        return NULL;
    Status status = summary_facts_read(visit->service->store, &scores, &facts, &why);
    if (status == STATUS_OK) {
        const Summary summary = summary_of(&facts, title_of(visit), utc_now().text, visit->arena);
        values = summary_values(&site, &summary);
    } else {
        answer_failure(visit, status, &why);
    }
    facts_free(&facts);
    return values;
}

void site_summary(Visit *visit)
{
    cJSON *values = find_summary();
    if (values == NULL) {
        const double begun_s = now_s();
        values = make_summary(visit);
        keep_summary(values, now_s() - begun_s);
    }
    if (values != NULL)
        site_answer(visit, STATUS_OK, NULL, "summary", values);
}

/* ==== site class ================================================================================================== */

/* What class.json adds to pages: deadlines, and the sources of others. */

/* ---- deadlines --------------------------------------------------------------------------------------------------- */

/* A visitor who has not logged in sees the deadlines that hold for everybody. */
static const char *person_of(const Visit *visit)
{
    return visit->is_known ? visit->person.name : "";
}

static bool concerns(const Visit *visit, const ClassAssignment *assignment)
{
    if (!visit->is_known && time(NULL) < assignment->opens.utc_s)
        return false; /* its problems are not public yet */
    return class_takes_part(assignment, person_of(visit)) || (visit->is_known && visit->person.role >= PERSON_TEACHER);
}

/* "due 2026-11-09 23:59 (Europe/Berlin), in 3 hours" */
static const char *outlook_of(const Visit *visit, const ClassAssignment *assignment)
{
    const int64_t now_s = time(NULL);
    const Due due = due_of(class_of(visit), assignment, person_of(visit), now_s);
    Text text = {0};
    due_add_outlook(&text, class_of(visit), &due, now_s);
    return text_move(&text, visit->arena);
}

const char *site_next_deadline(const Visit *visit)
{
    const ClassFile *file = class_of(visit);
    const ClassAssignment *next = NULL;
    int64_t next_s = INT64_MAX;
    for (size_t i = 0; file != NULL && i < file->assignment_count; i++) {
        const Due due = due_of(file, &file->assignments[i], person_of(visit), time(NULL));
        if (!concerns(visit, &file->assignments[i]) || due.state != DUE_IN_TIME || due.deadline->due.utc_s >= next_s)
            continue;
        next = &file->assignments[i];
        next_s = due.deadline->due.utc_s;
    }
    return next == NULL ? "" : arena_printf(visit->arena, "%s: %s.", next->title, outlook_of(visit, next));
}

void site_put_deadlines(const Visit *visit, const char *problem, cJSON *list)
{
    const ClassFile *file = class_of(visit);
    for (size_t i = 0; file != NULL && i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        if (class_problem(assignment, problem) != NULL && concerns(visit, assignment))
            cJSON_AddItemToArray(list, cJSON_CreateString(arena_printf(visit->arena, "%s: %s.", assignment->title,
                                                                       outlook_of(visit, assignment))));
    }
}

void site_put_counts_for(const Visit *visit, const StoredSubmission *row, cJSON *list)
{
    Due *dues = NULL;
    const size_t count = class_dues_of(visit->service, row, visit->arena, &dues);
    for (size_t i = 0; i < count; i++) {
        Text text = {0};
        due_add_submission(&text, class_of(visit), &dues[i], time(NULL));
        text_add(&text, ".");
        text.data[0] = (char)toupper((unsigned char)text.data[0]);
        cJSON_AddItemToArray(list, cJSON_CreateString(text.data));
        text_free(&text);
    }
}

void site_put_assignments(const Visit *visit, cJSON *list)
{
    const ClassFile *file = class_of(visit);
    for (size_t i = 0; file != NULL && i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        if (!concerns(visit, assignment))
            continue;
        cJSON *row = values_row(list), *problems = cJSON_AddArrayToObject(row, "problems");
        values_put(row, "title=%s outlook=%s", assignment->title, outlook_of(visit, assignment));
        for (size_t k = 0; k < assignment->problem_count; k++)
            cJSON_AddItemToArray(problems, cJSON_CreateString(assignment->problems[k].problem));
    }
}

/* ---- sources of others ------------------------------------------------------------------------------------------- */

static void put_source(const Visit *visit, cJSON *source, const StoredSubmission *row)
{
    int64_t person;
    values_put(source, "number=%" PRId64 " person=%s file_name=%s received=%s", row->id,
               visible_name(visit, row->person, &person), class_file_name(visit, row), row->received_utc);
}

static Status read_title(const Visit *visit, const char *id, const char **title, Message *why)
{
    Problem problem;
    TRY(problem_read(id, &problem, why));
    *title = arena_string(visit->arena, problem.title);
    problem_free(&problem);
    return STATUS_OK;
}

void site_sources(Visit *visit)
{
    cJSON *page = cJSON_CreateObject(), *sources = cJSON_AddArrayToObject(page, "sources");
    const char *title = "";
    StoredSubmission *rows = NULL;
    int64_t people = 0;
    size_t count = 0;
    Message why;
    Status status = read_title(visit, visit->argument, &title, &why);
    THEN(status, class_source_people(visit, visit->argument, &people, &why));
    const ListPart part = list_part(visit, people, PEOPLE_ON_A_PAGE);
    THEN(status,
         class_open_sources(visit, visit->argument, part.first, PEOPLE_ON_A_PAGE, SIZE_MAX, &rows, &count, &why));
    site_put_part(page, &part);
    for (size_t i = 0; i < count; i++) {
        const bool has_time = rows[i].time.ms > 0 && !class_hides_board_from(visit, rows[i].problem);
        cJSON *source = values_row(sources);
        put_source(visit, source, &rows[i]);
        values_put(source, "device=%s", has_time ? rows[i].device : "");
        values_time(source, has_time ? rows[i].time : (MeasuredTime){0});
    }
    values_put(page, "problem=%s problem_title=%s", visit->argument, title);
    site_answer(visit, status, &why, "sources", page);
}

void site_source(Visit *visit)
{
    StoredSubmission row;
    const char *source, *title;
    if (!class_readable_source(visit, &row, &source))
        return;
    if (read_title(visit, row.problem, &title, NULL) != STATUS_OK)
        title = row.problem; /* the problem is gone, and its name remains */
    cJSON *page = cJSON_CreateObject();
    put_source(visit, page, &row);
    values_put(page, "problem=%s problem_title=%s", row.problem, title);
    cJSON_AddItemToObject(page, "source", source_values(source, NULL, NULL));
    site_answer(visit, STATUS_OK, NULL, "source", page);
}

/* ==== site forms ================================================================================================== */

/* What browsers send: logins, hand-ins, decisions. Each ends by leading to a page, so that loading that page
 * again repeats nothing.  */

/* ---- the login --------------------------------------------------------------------------------------------------- */

/* A path of this server, not an address of another one. */
static const char *safe_path(const char *path)
{
    return path != NULL && path[0] == '/' && path[1] != '/' && path[1] != '\\' ? path : "/";
}

/* Browsers send each line of a text field with a carriage return, which its author did not write. Source: HTML Living
 * Standard, "Constructing the entry list". */
static const char *without_returns(Arena *arena, const char *text)
{
    char *copy = arena_string(arena, text), *to = copy;
    for (const char *from = text; *from != '\0'; from++)
        if (from[0] != '\r' || from[1] != '\n')
            *to++ = *from;
    *to = '\0';
    return copy;
}

/* A file, even an empty one, or else the text. A browser that goes back shows the form with its old key, so the key is taken for what is
 * sent with it. */
static HandInRequest hand_in_of_form(const Visit *visit, const char *problem)
{
    size_t bytes = 0;
    const char *file = http_field_bytes(visit->request, "file", &bytes), *name = http_file_name(visit->request, "file");
    const bool has_file = bytes > 0 || name != NULL;
    if (!has_file)
        name = form_field(visit, "file_name", NULL);
    HandInRequest request = {.file_name = name == NULL ? "submission.cu" : name,
                             .source = has_file ? file : without_returns(visit->arena, form_field(visit, "source", "")),
                             .source_bytes = bytes,
                             .problem = problem,
                             .mode = form_field(visit, "mode", NULL)};
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, form_field(visit, "key", ""));
    hash_add_string(&hash, problem);
    hash_add_string(&hash, request.mode == NULL ? "" : request.mode);
    hash_add(&hash, request.source, bytes > 0 ? bytes : strlen(request.source));
    request.key = arena_string(visit->arena, hash_end(&hash).hex);
    return request;
}

/* What was handed in without a login stays in the form, and is handed in with the token. */
static void show_login(Visit *visit, const char *problem, const char *complaint, const char *next)
{
    cJSON *page = cJSON_CreateObject();
    values_put(page, "complaint=%s next=%s", complaint, next);
    if (problem == NULL) {
        cJSON_AddNullToObject(page, "kept");
    } else {
        const HandInRequest kept = hand_in_of_form(visit, problem);
        values_put(cJSON_AddObjectToObject(page, "kept"), "problem=%s key=%s file_name=%s mode=%s source=%s", problem,
                   form_field(visit, "key", ""), kept.file_name, kept.mode == NULL ? "rank" : kept.mode, kept.source);
    }
    site_answer(visit, STATUS_OK, NULL, "login", page);
}

void site_ask_for_login(Visit *visit)
{
    const char *path = visit->request->path, *end = strrchr(path, '/');
    const bool hands_in = strcmp(end, "/submit") == 0;
    visit->reply->status = 401;
    show_login(
        visit, hands_in ? visit->argument : NULL,
        hands_in ? "Your login has ended, so nothing is submitted yet. Your program is below: it is submitted when you "
                   "log in again."
                 : "Your login has ended, so nothing was changed. Log in, and send the form again.",
        "/");
}

void site_login_form(Visit *visit)
{
    show_login(visit, NULL, "", safe_path(http_query(visit->request, "next")));
}

/* The cookie is for requests alone, not for scripts; behind TLS it never goes without. */
static void set_cookie(Visit *visit, const char *value, int seconds)
{
    http_reply_header(visit->reply, "Set-Cookie",
                      arena_printf(visit->arena, "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s",
                                   identity_cookie(visit), value, seconds,
                                   identity_is_secure(visit) ? "; Secure" : ""));
}

/* Of this browser, or of all. */
void site_logout(Visit *visit)
{
    const char *cookie = http_cookie(visit->request, identity_cookie(visit));
    const bool everywhere = visit->is_known && http_field(visit->request, "everywhere") != NULL;
    Message why;
    Status status = everywhere       ? logins_end(visit->service->store, visit->person.id, &why)
                    : cookie != NULL ? login_end(visit->service->store, cookie, &why)
                                     : STATUS_OK;
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    set_cookie(visit, "", 0);
    answer_redirect(visit, "/");
}

/* ---- submissions ------------------------------------------------------------------------------------------------- */

static const char *path_of(const Visit *visit, int64_t submission)
{
    return arena_printf(visit->arena, "/submissions/%" PRId64, submission);
}

static void hand_in_and_show(Visit *visit, const char *problem)
{
    const HandInRequest request = hand_in_of_form(visit, problem);
    int64_t id;
    bool is_new;
    Message why;
    Status status = hand_in(visit, &request, &id, &is_new, &why);
    answer_form(visit, status, path_of(visit, id), &why);
}

void site_login(Visit *visit)
{
    const char *token = form_field(visit, "token", ""), *problem = form_field(visit, "problem", NULL);
    const char *next = safe_path(form_field(visit, "next", NULL));
    Secret cookie;
    Message why;
    Status status = login_begin(visit->service->store, token, &cookie, &why);
    THEN(status, login_owner(visit->service->store, cookie.hex, visit->arena, &visit->person, &why));
    if (status == STATUS_NOT_FOUND) {
        visit->reply->status = 401;
        show_login(visit, problem, "This is not a token that is in force; a teacher gives out new ones.", next);
        return;
    }
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    set_cookie(visit, arena_string(visit->arena, cookie.hex), LOGIN_SECONDS);
    visit->is_known = true;
    identity_raise_role(visit->service->config, &visit->person);
    if (problem != NULL)
        hand_in_and_show(visit, problem);
    else
        answer_redirect(visit, next);
}

void site_hand_in(Visit *visit)
{
    hand_in_and_show(visit, visit->argument);
}

/* The page says what has become of it, whether it could be withdrawn or not. */
void site_withdraw(Visit *visit)
{
    StoredSubmission row;
    bool done;
    if (hand_in_withdraw(visit, &row, &done))
        answer_redirect(visit, path_of(visit, row.id));
}

/* ---- of teachers and of groups ----------------------------------------------------------------------------------- */

void site_ruling(Visit *visit)
{
    const char *kind = http_field(visit->request, "ruling"), *reason = http_field(visit->request, "why");
    StoredSubmission row;
    Message why;
    if (!visible_submission(visit, &row))
        return;
    const bool accepts = kind != NULL && strcmp(kind, "accept") == 0,
               rejects = kind != NULL && strcmp(kind, "reject") == 0;
    if ((!accepts && !rejects) || row.run == 0) {
        answer_error(visit, 400, "expected a decision about a run that was recorded");
        return;
    }
    const UtcTime now = utc_now();
    const Ruling ruling = {.run = row.run,
                           .kind = accepts ? RULING_ACCEPT : RULING_REJECT,
                           .why = reason == NULL ? "" : reason,
                           .person = visit->person.name,
                           .time_utc = now.text};
    Status status = rulings_add(visit->service->store, &ruling, &why);
    THEN(status, audit_add(visit->service->store, visit->person.name, kind, path_of(visit, row.id), &why));
    answer_form(visit, status, "/teacher", &why);
}

/* A browser, or a program that looks at links in messages, may open a link without anybody's will: so it only asks. */
void site_join_form(Visit *visit)
{
    cJSON *page = cJSON_CreateObject();
    PersonGroup group;
    Message why;
    Status status = people_find_invitation(visit->service->store, visit->argument, visit->arena, &group, &why);
    if (status == STATUS_OK)
        values_put(page, "group=%s invitation=%s", group.name, visit->argument);
    site_answer(visit, status, &why, "join", page);
}

/* Joining twice changes nothing. An assignment may be for the group, so class.json is read again. */
void site_join(Visit *visit)
{
    PersonGroup group;
    Message why;
    Status status = people_join_group(visit->service->store, visit->argument, visit->person.id, visit->arena, &group,
                                      &why);
    if (status == STATUS_OK)
        class_watch_look(visit->service->class_watch, true);
    answer_form(visit, status, "/", &why);
}

/* ==== site people ================================================================================================= */

/* A person's submissions; the class, for teachers. */

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
    compared->row = row;
    if (submissions_source(visit->service->store, row.source_hash, visit->arena, &compared->source, why) != STATUS_OK ||
        judgings_document(visit->service->store, row.judging, "result", visit->arena, &result, why) != STATUS_OK)
        return false;
    compared->result = result == NULL ? NULL : cJSON_Parse(result);
    return true;
}

void person_put_rows(cJSON *page, const StoredSubmission *rows, size_t count, int64_t before, int64_t after)
{
    cJSON *list = cJSON_AddArrayToObject(page, "rows");
    Text histories = {0};
    for (size_t i = 0; i < count; i++)
        values_put(site_row(list, &rows[i]), "is_before=%d is_after=%d", before != 0 ? rows[i].id == before : i == 1,
                   after != 0 ? rows[i].id == after : i == 0);
    plot_histories(&histories, rows, count);
    values_markup(page, "histories", &histories);
    values_put(page, "has_two=%d", count >= 2);
}

/* The form that leaves out some of them. */
static void put_filter(const Visit *visit, const SubmissionFilter *filter, cJSON *page)
{
    cJSON *shown = cJSON_AddObjectToObject(page, "filter"), *problems = cJSON_AddArrayToObject(shown, "problems"),
          *verdicts = cJSON_AddArrayToObject(shown, "verdicts");
    const char **ids;
    size_t count = 0;
    const bool has_ids = problem_list(visit->arena, &ids, &count, NULL) == STATUS_OK;
    for (size_t i = 0; has_ids && i < count; i++)
        values_put(values_row(problems), "id=%s is_chosen=%d", ids[i],
                   filter->problem != NULL && strcmp(ids[i], filter->problem) == 0);
    for (int i = 0; i < VERDICT_COUNT; i++)
        values_put(values_row(verdicts), "name=%s is_chosen=%d", verdict_name((Verdict)i),
                   filter->verdict != NULL && strcmp(verdict_name((Verdict)i), filter->verdict) == 0);
    const char *most = http_query(visit->request, "most_ms");
    values_put(shown, "most_ms=%s is_used=%d", most == NULL ? "" : most,
               filter->problem != NULL || filter->verdict != NULL || filter->most_ms > 0);
}

static Status show_person(Visit *visit, const Person *person, Message *why)
{
    SubmissionFilter filter = {.person = person->id, .limit = LISTED};
    StoredSubmission *rows;
    size_t count = 0;
    ComparedSubmission before = {0}, after = {0};
    TRY(filter_of_query(visit, &filter, why));
    cJSON *page = cJSON_CreateObject();
    put_filter(visit, &filter, page);
    Status status = submissions_list(visit->service->store, &filter, visit->arena, &rows, &count, why);
    THEN(status, put_results(visit, person, cJSON_AddArrayToObject(page, "results"), why));
    const bool compares = status == STATUS_OK && read_compared(visit, person, "before", &before, why) &&
                          read_compared(visit, person, "after", &after, why);
    cJSON *changes = compares ? comparison(&before, &after) : NULL;
    if (compares && before.source != NULL && after.source != NULL)
        comparison_put_sources(changes, before.source, after.source);
    if (compares)
        cJSON_AddItemReferenceToObject(page, "comparison", changes);
    person_put_rows(page, rows, count, compares ? before.row.id : 0, compares ? after.row.id : 0);
    values_put(page, "person=%s pseudonym=%s is_reader=%d is_removed=%d decides=%d", person->name, person->pseudonym,
               person->id == visit->person.id, person->is_removed, visit->person.role >= PERSON_TEACHER);
    if (status == STATUS_OK)
        site_answer(visit, status, why, "person", page);
    else
        cJSON_Delete(page);
    cJSON_Delete(changes);
    cJSON_Delete((cJSON *)before.result);
    cJSON_Delete((cJSON *)after.result);
    return status;
}

void site_person(Visit *visit)
{
    Person person;
    Message why;
    Status status = people_find(visit->service->store, visit->argument, visit->arena, &person, &why);
    if (status == STATUS_OK && !visible_to(visit, person.id))
        status = fail(STATUS_NOT_FOUND, &why, "there is no person of this name");
    THEN(status, show_person(visit, &person, &why));
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
}

/* Only the person may set the pseudonym. */
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
    THEN(status, people_set_pseudonym(visit->service->store, person.id, pseudonym, &why));
    answer_form(visit, status, site_person_path(visit, person.name), &why);
}

/* ---- accounts ---------------------------------------------------------------------------------------------------- */

/* A teacher decides about students alone, an administrator about all. */
static Status find_account(const Visit *visit, const char *name, Person *person, Message *why)
{
    TRY(people_find(visit->service->store, name, visit->arena, person, why));
    Person raised = *person;
    identity_raise_role(visit->service->config, &raised);
    if (raised.role > PERSON_STUDENT && visit->person.role < PERSON_ADMIN)
        return fail(STATUS_BAD_INPUT, why, "%s is no student; an administrator decides about this account", name);
    return STATUS_OK;
}

/* class.json is read again: its groups go by the new name. */
static void finish_account(Visit *visit, Status status, const char *name, const Message *why)
{
    if (status == STATUS_OK)
        class_watch_look(visit->service->class_watch, true);
    answer_form(visit, status, site_person_path(visit, name), why);
}

void site_rename_person(Visit *visit)
{
    const char *name = form_field(visit, "name", "");
    Store *store = visit->service->store;
    Person person, renamed = {.name = name};
    Message why;
    Status status = find_account(visit, visit->argument, &person, &why);
    THEN(status, people_rename(store, &person, name, visit->person.name, &why));
    THEN(status, people_find(store, person.name, visit->arena, &renamed, &why)); /* by the former name */
    finish_account(visit, status, renamed.name, &why);
}

void site_merge_person(Visit *visit)
{
    Person person, into = {.name = ""};
    Message why;
    Status status = find_account(visit, visit->argument, &person, &why);
    THEN(status, find_account(visit, form_field(visit, "name", ""), &into, &why));
    THEN(status, people_merge(visit->service->store, &person, &into, visit->person.name, &why));
    finish_account(visit, status == STATUS_NOT_FOUND ? STATUS_BAD_INPUT : status, into.name, &why);
}

void site_remove_person(Visit *visit)
{
    Person person = {.name = ""};
    Message why;
    Status status = find_account(visit, visit->argument, &person, &why);
    if (status == STATUS_OK && person.id == visit->person.id)
        status = fail(STATUS_BAD_INPUT, &why, "this is your own account, expected somebody else's");
    THEN(status, people_remove(visit->service->store, &person, visit->person.name, &why));
    finish_account(visit, status, person.name, &why);
}

/* ---- the class --------------------------------------------------------------------------------------------------- */

static cJSON *list_of(cJSON *page, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(page, name);
}

/* Takes the work of a person, which comes first, on a problem; NULL for the problem: on any. NULL: there is none. */
static cJSON *take_work(cJSON *works, const char *person, const char *problem)
{
    cJSON *work = works->child;
    while (problem != NULL && strcmp(view_text(work, "person"), person) == 0 &&
           strcmp(view_text(work, "problem"), problem) != 0)
        work = work->next;
    return strcmp(view_text(work, "person"), person) == 0 ? cJSON_DetachItemViaPointer(works, work) : NULL;
}

static void put_person(cJSON *page, cJSON *works, const char *person, const char *const *problems, size_t count)
{
    cJSON *row = values_row(list_of(page, "people")), *cells = cJSON_AddArrayToObject(row, "cells");
    values_put(row, "person=%s", person);
    for (size_t i = 0; i < count; i++) {
        cJSON *work = take_work(works, person, problems[i]),
              *solved = cJSON_GetArrayItem(list_of(page, "solved"), (int)i);
        const bool is_solved = view_number(work, "is_solved") > 0;
        cJSON_AddItemToArray(cells, work == NULL ? cJSON_CreateNull() : work);
        cJSON_SetNumberValue(solved, solved->valuedouble + is_solved);
        if (work != NULL && !is_solved)
            cJSON_AddItemToArray(list_of(page, "stuck"), cJSON_Duplicate(work, true));
    }
    for (cJSON *gone; (gone = take_work(works, person, NULL)) != NULL;) /* there is no such problem any more */
        cJSON_Delete(gone);
}

/* Students, and teachers who have tried something. */
#define IS_LISTED                                                                                                      \
    "((role = 'student' AND removed_utc IS NULL) OR EXISTS (SELECT 1 FROM submission WHERE person = person.id"         \
    " AND mode <> 'try'))"

/* The works of a part of the class: of each person and problem. */
static Status read_works(const Visit *visit, const ListPart *part, cJSON *works, Message *why)
{
    return values_query(
        visit->service->store, works, why,
        "SELECT name AS person, problem, tries, since, best > 0 AS is_solved, CASE WHEN best > 0 THEN best ELSE newest"
        " END AS number, (SELECT verdict FROM current_judging AS last WHERE last.submission = newest) AS verdict FROM"
        " (SELECT person.name AS name, submission.problem AS problem, count(*) AS tries, min(received_utc) AS since,"
        " max(submission.id) AS newest, max(CASE WHEN verdict = 'Accepted' THEN submission.id ELSE 0 END) AS best"
        " FROM (SELECT id, name FROM person WHERE " IS_LISTED " ORDER BY name LIMIT ?2 OFFSET ?1) AS person"
        " CROSS JOIN submission ON person.id = submission.person"
        " JOIN current_judging AS judging ON judging.submission = submission.id"
        " WHERE mode <> 'try' AND judging.state <> 'cancelled' GROUP BY person.name, submission.problem)"
        " ORDER BY name",
        "ii", part->first, (int64_t)PEOPLE_ON_A_PAGE);
}

static Status put_class(const Visit *visit, cJSON *page, Message *why)
{
    static const char *const lists[] = {"people", "solved", "stuck"};
    cJSON *works = cJSON_CreateArray();
    const char **people = NULL, **problems;
    size_t count = 0, problem_count = 0;
    int64_t all = 0;
    Store *store = visit->service->store;
    Status status = problem_list(visit->arena, &problems, &problem_count, why);
    THEN(status, database_int(store, &all, why, "SELECT count(*) FROM person WHERE " IS_LISTED, ""));
    const ListPart part = list_part(visit, all, PEOPLE_ON_A_PAGE);
    THEN(status, database_list(store, visit->arena, sizeof *people, database_take_text, &people, &count, why,
                               "SELECT name FROM person WHERE " IS_LISTED " ORDER BY name LIMIT ?2 OFFSET ?1", "ii",
                               part.first, (int64_t)PEOPLE_ON_A_PAGE));
    THEN(status, read_works(visit, &part, works, why));
    site_put_part(page, &part);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            cJSON_AddArrayToObject(page, lists[i]);
        for (size_t i = 0; i < problem_count; i++)
            cJSON_AddItemToArray(list_of(page, "solved"), cJSON_CreateNumber(0));
        cJSON_AddItemToObject(page, "problems", cJSON_CreateStringArray(problems, (int)problem_count));
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        put_person(page, works, people[i], problems, problem_count);
    values_put(page, "people_count=%zu", count);
    cJSON_Delete(works);
    return status;
}

/* The geometric mean of a time of all reviewed cases, as the score is one; 0: none is known. */
static double mean_of_reviews(const cJSON *cases, const char *key)
{
    const cJSON *item;
    double sum = 0;
    int count = 0;
    cJSON_ArrayForEach(item, cases)
    {
        const double ms = view_number(view_item(item, "review"), key);
        if (!view_true(item, "timed"))
            continue;
        if (!(ms > 0))
            return 0;
        sum += log(ms);
        count++;
    }
    return count == 0 ? 0 : exp(sum / count);
}

/* Adds the times that the judge compared the run with. */
static void put_evidence(cJSON *row, const Run *run)
{
    cJSON *cases = cJSON_Parse(run->cases);
    const cJSON *item;
    const char *known = NULL;
    const double known_ms = mean_of_reviews(cases, "known_ms");
    cJSON_ArrayForEach(item, cases)
    {
        const char *of = view_text(view_item(item, "review"), "known_of");
        known = known == NULL && *of != '\0' ? of : known;
    }
    values_put(row, "second_ms=%g known_ms=%g known=%s times_as_fast=%g is_modelled=%d",
               mean_of_reviews(cases, "time_ms"), known_ms, known, known_ms / run->time.ms,
               device_models_times(run->board.device));
    cJSON_Delete(cases);
}

/* Runs that were recorded by hand, without a submission, are decided about by hand, too. */
static Status put_quarantine(const Visit *visit, cJSON *list, Message *why)
{
    RecordedRun *runs;
    size_t count = 0;
    Status status = store_list_runs(visit->service->store, NULL, "quarantined", visit->arena, &runs, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        int64_t id;
        StoredSubmission row;
        status = submissions_of_run(visit->service->store, runs[i].id, &id, why);
        if (status != STATUS_OK || id == 0)
            continue;
        status = submissions_read(visit->service->store, id, visit->arena, &row, why);
        if (status != STATUS_OK)
            break;
        cJSON *listed = values_row(list);
        values_put(listed, "number=%" PRId64 " person=%s problem=%s rank_status=%s device=%s", row.id, row.person,
                   row.problem, row.rank_status, row.device);
        values_time(listed, row.time);
        put_evidence(listed, &runs[i].run);
    }
    return status;
}

static Status put_groups(const Visit *visit, cJSON *list, Message *why)
{
    PersonGroup *groups;
    size_t count = 0;
    Status status = people_list_groups(visit->service->store, visit->arena, &groups, &count, why);
    for (size_t i = 0; i < count; i++)
        values_put(values_row(list), "name=%s members=%" PRId64 " number=%" PRId64, groups[i].name, groups[i].members,
                   groups[i].id);
    return status;
}

void site_teacher(Visit *visit)
{
    cJSON *page = cJSON_CreateObject();
    Message why;
    Status status = put_class(visit, page, &why);
    THEN(status, put_quarantine(visit, cJSON_AddArrayToObject(page, "quarantine"), &why));
    THEN(status, put_groups(visit, cJSON_AddArrayToObject(page, "groups"), &why));
    THEN(status, site_put_similar(visit, page, &why));
    THEN(status, site_put_outdated(visit, page, &why));
    values_put(page, "has_points=%d", class_of(visit) != NULL);
    site_answer(visit, status, &why, "teacher", page);
}
