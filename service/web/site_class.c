/* site_class.c - points: a person's own once they are shown, and those of all with the summary for teachers.  */
#include "grader/problem/problem.h"
#include "leaderboard/database.h"
#include "leaderboard/rulings.h"
#include "service/course/class_file.h"
#include "service/course/class_summary.h"
#include "service/course/extensions.h"
#include "service/course/scores.h"
#include "service/course/summary_facts.h"
#include "service/store/judgings.h"
#include "service/store/service_store.h"
#include "service/web/answer.h"
#include "service/web/api.h"
#include "service/web/hand_in.h"
#include "service/web/parts.h"
#include "service/web/site_answers.h"
#include "service/web/summary_page.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ==== site points ================================================================================================= */

enum { RECORDS = 200 };

static const char *title_of(const Visit *visit)
{
    const ClassFile *class = class_of(visit);
    return class->title[0] == '\0' ? visit->service->config->title : class->title;
}

/* ---- one person -------------------------------------------------------------------------------------------------- */

static AssignmentResult result_of(const Visit *visit, const AssignmentPoints *points)
{
    ProblemResult *problems = arena_array(visit->arena, points->assignment->problem_count + 1, sizeof *problems);
    for (size_t i = 0; i < points->assignment->problem_count; i++)
        problems[i] = (ProblemResult){.problem = points->problems[i].problem->problem,
                                      .points = points->problems[i].points,
                                      .most = points->problems[i].most,
                                      .reason = visit->person.role >= PERSON_TEACHER ? points->problems[i].reason
                                                                                     : points->problems[i].told};
    return (AssignmentResult){.title = points->assignment->title,
                              .points = points->points,
                              .most = points->most,
                              .is_final = points->is_final,
                              .problems = problems,
                              .problem_count = points->assignment->problem_count};
}

Status site_fill_points(const Visit *visit, const Person *person, PersonPage *page, Message *why)
{
    const ClassFile *class = class_of(visit);
    const bool is_teacher = visit->person.role >= PERSON_TEACHER;
    PersonFacts facts;
    if (class == NULL)
        return STATUS_OK;
    Status status = class_facts_of_person(visit->service->store, class, person->id, visit->arena, &facts, why);
    AssignmentResult *results = arena_array(visit->arena, class->assignment_count + 1, sizeof *results);
    for (size_t i = 0; i < class->assignment_count && status == STATUS_OK; i++) {
        const ClassAssignment *assignment = &class->assignments[i];
        if (!class_takes_part(assignment, person->name) ||
            (!is_teacher && !class_shows(class, assignment, &assignment->points, time(NULL))))
            continue;
        const AssignmentPoints points = points_of(class, assignment, person->name, facts.facts, facts.count,
                                                  visit->arena);
        results[page->result_count++] = result_of(visit, &points);
    }
    page->results = results;
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* False: there is no class, or its points cannot be read, which has been answered. */
static bool read_scores(Visit *visit, Scores *scores)
{
    Message why;
    if (class_of(visit) == NULL) {
        answer_error(visit, 404, "this server has no class; its setting \"class\" names a class.json");
        return false;
    }
    Status status = scores_read(visit->service->store, class_of(visit), visit->arena, scores, &why);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    return status == STATUS_OK;
}

static void site_points_fill_cells(const PersonScores *person, const ClassFile *class, PointsCell *cells)
{
    for (size_t k = 0; k < person->count; k++) {
        const AssignmentPoints *points = &person->assignments[k];
        cells[points->assignment - class->assignments] = (PointsCell){.points = points->points,
                                                                      .most = points->most,
                                                                      .is_known = true,
                                                                      .is_final = points->is_final,
                                                                      .is_extended = points->extension != NULL};
    }
}

static void fill_points(const Visit *visit, const Scores *scores, PointsPage *page)
{
    const ClassFile *class = scores->class;
    const char **titles = arena_array(visit->arena, class->assignment_count + 1, sizeof *titles);
    const char **people = arena_array(visit->arena, scores->count + 1, sizeof *people);
    PointsCell *cells = arena_array(visit->arena, scores->count * class->assignment_count + 1, sizeof *cells);
    for (size_t i = 0; i < class->assignment_count; i++)
        titles[i] = class->assignments[i].title;
    for (size_t i = 0; i < scores->count; i++) {
        people[i] = scores->people[i].facts->person;
        site_points_fill_cells(&scores->people[i], class, &cells[i * class->assignment_count]);
    }
    page->title = title_of(visit);
    page->assignments = titles;
    page->assignment_count = class->assignment_count;
    page->people = people;
    page->people_count = scores->count;
    page->cells = cells;
}

static Status fill_extensions(const Visit *visit, PointsPage *page, Message *why)
{
    ExtensionRecord *records;
    Status status = extensions_records(visit->service->store, RECORDS, visit->arena, &records, &page->extension_count,
                                       why);
    if (status != STATUS_OK)
        return status;
    ExtensionLine *lines = arena_array(visit->arena, page->extension_count + 1, sizeof *lines);
    for (size_t i = 0; i < page->extension_count; i++)
        lines[i] = (ExtensionLine){records[i].time_utc, records[i].person, records[i].action, records[i].object};
    page->extensions = lines;
    return STATUS_OK;
}

void site_points(Visit *visit)
{
    const Site site = site_of(visit);
    Scores scores;
    PointsPage page = {0};
    Message why;
    if (!read_scores(visit, &scores))
        return;
    fill_points(visit, &scores, &page);
    Status status = fill_extensions(visit, &page, &why);
    if (status == STATUS_OK)
        page_points(&visit->reply->body, &site, &page);
    else
        answer_failure(visit, status, &why);
}

void site_points_csv(Visit *visit)
{
    Scores scores;
    if (!read_scores(visit, &scores))
        return;
    visit->reply->type = "text/csv; charset=utf-8";
    http_reply_header(visit->reply, "Content-Disposition", "attachment; filename=\"scores.csv\"");
    scores_csv(&scores, visit->arena, &visit->reply->body);
}

void site_summary(Visit *visit)
{
    const Site site = site_of(visit);
    Scores scores;
    Facts facts = {0};
    Message why;
    if (!read_scores(visit, &scores))
        return;
    Status status = summary_facts_read(visit->service->store, &scores, &facts, &why);
    if (status == STATUS_OK) {
        const Summary summary = summary_of(&facts, title_of(visit), utc_now().text, visit->arena);
        summary_page(&visit->reply->body, &site, &summary);
    } else {
        answer_failure(visit, status, &why);
    }
    facts_free(&facts);
}

/* ==== site class ================================================================================================== */

/* site_class.c - what class.json adds to pages: deadlines, and the sources of others.  */

/* ---- deadlines --------------------------------------------------------------------------------------------------- */

/* Who has not logged in sees what holds for everybody. */
static const char *person_of(const Visit *visit)
{
    return visit->is_known ? visit->person.name : "";
}

static bool concerns(const Visit *visit, const ClassAssignment *assignment)
{
    return class_takes_part(assignment, person_of(visit)) || (visit->is_known && visit->person.role >= PERSON_TEACHER);
}

const char *const *site_deadlines(const Visit *visit, const char *problem)
{
    const ClassFile *file = class_of(visit);
    const int64_t now_s = time(NULL);
    size_t count = 0;
    if (file == NULL)
        return NULL;
    const char **sentences = arena_array(visit->arena, file->assignment_count + 1, sizeof *sentences);
    for (size_t i = 0; i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        const Due due = due_of(file, assignment, person_of(visit), now_s);
        Text text = {0};
        if (class_problem(assignment, problem) == NULL || !concerns(visit, assignment))
            continue;
        text_printf(&text, "%s: ", assignment->title);
        due_add_outlook(&text, file, &due, now_s);
        text_add(&text, ".");
        sentences[count++] = text_move(&text, visit->arena);
    }
    return sentences;
}

const char *const *site_counts_for(const Visit *visit, const StoredSubmission *row)
{
    Due *dues = NULL;
    const size_t count = class_dues_of(visit->service, row, visit->arena, &dues);
    const char **sentences = arena_array(visit->arena, count + 1, sizeof *sentences);
    for (size_t i = 0; i < count; i++) {
        Text text = {0};
        due_add_submission(&text, class_of(visit), &dues[i], time(NULL));
        text_add(&text, ".");
        text.data[0] = (char)toupper((unsigned char)text.data[0]);
        sentences[i] = text_move(&text, visit->arena);
    }
    return sentences;
}

void site_fill_assignments(const Visit *visit, IndexPage *page)
{
    const ClassFile *file = class_of(visit);
    const int64_t now_s = time(NULL);
    if (file == NULL)
        return;
    AssignmentLine *lines = arena_array(visit->arena, file->assignment_count + 1, sizeof *lines);
    for (size_t i = 0; i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        const Due due = due_of(file, assignment, person_of(visit), now_s);
        Text text = {0};
        if (!concerns(visit, assignment))
            continue;
        const char **problems = arena_array(visit->arena, assignment->problem_count + 1, sizeof *problems);
        for (size_t k = 0; k < assignment->problem_count; k++)
            problems[k] = assignment->problems[k].problem;
        due_add_outlook(&text, file, &due, now_s);
        lines[page->assignment_count++] = (AssignmentLine){assignment->title, problems, text_move(&text, visit->arena)};
    }
    page->assignments = lines;
}

/* ---- sources of others ------------------------------------------------------------------------------------------- */

static OpenSource open_source(const Visit *visit, const StoredSubmission *row, const char *title)
{
    int64_t person;
    const bool has_time = row->time.ms > 0 && !class_hides_board_from(visit, row->problem);
    return (OpenSource){.submission = row->id,
                        .person = visible_name(visit, row->person, &person),
                        .file_name = class_file_name(visit, row),
                        .received = row->received_utc,
                        .problem = row->problem,
                        .problem_title = title,
                        .time = has_time ? row->time : (MeasuredTime){0},
                        .device = has_time ? row->device : ""};
}

static Status read_title(const Visit *visit, const char *id, const char **title, Message *why)
{
    Problem problem;
    Status status = problem_read(id, &problem, why);
    if (status != STATUS_OK)
        return status;
    *title = arena_string(visit->arena, problem.title);
    problem_free(&problem);
    return STATUS_OK;
}

void site_sources(Visit *visit)
{
    const Site site = site_of(visit);
    const char *title;
    StoredSubmission *rows;
    size_t count = 0;
    Message why;
    Status status = read_title(visit, visit->argument, &title, &why);
    if (status == STATUS_OK)
        status = class_open_sources(visit, visit->argument, &rows, &count, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    OpenSource *sources = arena_array(visit->arena, count + 1, sizeof *sources);
    for (size_t i = 0; i < count; i++)
        sources[i] = open_source(visit, &rows[i], title);
    page_sources(&visit->reply->body, &site, visit->argument, title, sources, count);
}

void site_source(Visit *visit)
{
    const Site site = site_of(visit);
    StoredSubmission row;
    const char *source, *title;
    if (!class_readable_source(visit, &row, &source))
        return;
    title = row.problem;
    if (read_title(visit, row.problem, &title, NULL) != STATUS_OK)
        title = row.problem; /* the problem is gone, and its name remains */
    OpenSource shown = open_source(visit, &row, title);
    shown.source = source;
    page_source(&visit->reply->body, &site, &shown);
}

/* ==== site forms ================================================================================================== */

/* site_class.c - what browsers send: logins, hand-ins, decisions. Each ends by leading to a page, so that loading that page
 * again repeats nothing.  */

/* ---- the login --------------------------------------------------------------------------------------------------- */

/* A path of this server, not an address of another one. */
static const char *safe_path(const char *path)
{
    return path != NULL && path[0] == '/' && path[1] != '/' && path[1] != '\\' ? path : "/";
}

void site_login_form(Visit *visit)
{
    const Site site = site_of(visit);
    page_login(&visit->reply->body, &site, NULL, safe_path(http_query(visit->request, "next")));
}

/* The cookie is for requests alone, not for scripts; a proxy with TLS says so, and then it never goes without. */
static void set_cookie(Visit *visit, const char *value, int seconds)
{
    const char *scheme = http_header(visit->request, "X-Forwarded-Proto");
    const bool is_secure = scheme != NULL && strcmp(scheme, "https") == 0;
    http_reply_header(visit->reply, "Set-Cookie",
                      arena_printf(visit->arena, IDENTITY_COOKIE "=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s",
                                   value, seconds, is_secure ? "; Secure" : ""));
}

void site_login(Visit *visit)
{
    const char *token = http_field(visit->request, "token"), *next = safe_path(http_field(visit->request, "next"));
    const Site site = site_of(visit);
    Secret cookie;
    Message why;
    Status status = login_begin(visit->service->store, token == NULL ? "" : token, &cookie, &why);
    if (status == STATUS_OK) {
        set_cookie(visit, cookie.hex, LOGIN_SECONDS);
        answer_redirect(visit, next);
    } else if (status == STATUS_NOT_FOUND) {
        visit->reply->status = 401;
        page_login(&visit->reply->body, &site, "This is not a token that is in force; a teacher gives out new ones.",
                   next);
    } else {
        answer_failure(visit, status, &why);
    }
}

void site_logout(Visit *visit)
{
    const char *cookie = http_cookie(visit->request, IDENTITY_COOKIE);
    Message why;
    Status status = cookie == NULL ? STATUS_OK : login_end(visit->service->store, cookie, &why);
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

void site_hand_in(Visit *visit)
{
    const char *key = http_field(visit->request, "key"), *file = http_field(visit->request, "file");
    const char *text = http_field(visit->request, "source"), *mode = http_field(visit->request, "mode");
    const char *file_name = http_file_name(visit->request, "file");
    const bool is_file = file != NULL && file[0] != '\0';
    const HandInRequest request = {.key = key == NULL ? "" : key,
                                   .file_name = is_file && file_name != NULL ? file_name : "submission.cu",
                                   .source = is_file        ? file
                                             : text == NULL ? ""
                                                            : without_returns(visit->arena, text),
                                   .problem = visit->argument,
                                   .mode = mode};
    int64_t id;
    bool is_new;
    Message why;
    Status status = hand_in(visit, &request, &id, &is_new, &why);
    if (status == STATUS_OK)
        answer_redirect(visit, path_of(visit, id));
    else
        answer_failure(visit, status, &why);
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
    if (status == STATUS_OK)
        status = audit_add(visit->service->store, visit->person.name, kind, path_of(visit, row.id), &why);
    if (status == STATUS_OK)
        answer_redirect(visit, "/teacher");
    else
        answer_failure(visit, status, &why);
}

/* A browser, or a program that looks at links in messages, may open a link without anybody's will: so it only asks. */
void site_join_form(Visit *visit)
{
    const Site site = site_of(visit);
    PersonGroup group;
    Message why;
    Status status = people_find_invitation(visit->service->store, visit->argument, visit->arena, &group, &why);
    if (status == STATUS_OK)
        page_join(&visit->reply->body, &site, group.name, visit->argument);
    else
        answer_failure(visit, status, &why);
}

/* Whoever joins twice is in once. An assignment may be for the group, so class.json is looked at anew. */
void site_join(Visit *visit)
{
    PersonGroup group;
    Message why;
    Status status = people_join_group(visit->service->store, visit->argument, visit->person.id, visit->arena, &group,
                                      &why);
    if (status == STATUS_OK) {
        class_watch_look(visit->service->class_watch, true);
        answer_redirect(visit, "/");
    } else {
        answer_failure(visit, status, &why);
    }
}

/* ==== site people ================================================================================================= */

/* site_class.c - a person's submissions; the class, for teachers.  */

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
        answer_redirect(visit, site_person_path(visit, person.name));
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

static void site_people_fill_cells(const PersonWork *works, size_t count, TeacherPage *page, TeacherCell *cells)
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
    site_people_fill_cells((const PersonWork *)(const void *)rows.items, rows.count, page, cells);
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
