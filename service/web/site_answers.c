/* site_answers.c - the table of pages, what they have in common, and those of administrators.  */
#include "service/web/site_answers.h"

#include "base/html.h"
#include "grader/problem/problem.h"
#include "leaderboard/database.h"
#include "service/course/scores.h"
#include "service/store/batch_apply.h"
#include "service/store/batches.h"
#include "service/store/judgings.h"
#include "service/store/service_store.h"
#include "service/store/submissions.h"
#include "service/store/view.h"
#include "service/web/api.h"
#include "service/web/board_plots.h"
#include "service/web/template.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* ==== site batches ================================================================================================ */

static void put_batch(cJSON *line, const Batch *batch)
{
    values_put(line,
               "number=%" PRId64 " problem=%s reason=%s created=%s state=%s submissions=%" PRId64 " judged=%" PRId64
               " waiting=%" PRId64 " judging=%" PRId64 " held=%" PRId64 " cancelled=%" PRId64,
               batch->id, batch->problem, batch->reason, batch->created_utc, batch->state, batch->judgings,
               batch->recorded, batch->waiting, batch->running, batch->held, batch->cancelled);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static void site_batches(Visit *visit)
{
    cJSON *page = cJSON_CreateObject(), *lines = cJSON_AddArrayToObject(page, "batches");
    Batch *batches;
    const char **problems;
    size_t count = 0, problem_count = 0;
    Message why;
    Status status = batches_list(visit->service->store, visit->arena, &batches, &count, &why);
    THEN(status, problem_list(visit->arena, &problems, &problem_count, &why));
    if (status == STATUS_OK)
        cJSON_AddItemToObject(page, "problems", cJSON_CreateStringArray(problems, (int)problem_count));
    for (size_t i = 0; i < count; i++)
        put_batch(values_row(lines), &batches[i]);
    site_answer(visit, status, &why, "batches", page);
}

static void put_side(cJSON *change, const char *name, const BatchSide *side)
{
    cJSON *object = cJSON_AddObjectToObject(change, name);
    values_put(object, "verdict=%s rank=%zu", side->verdict, side->rank);
    values_time(object, side->run != NULL ? side->run->time : (MeasuredTime){0});
}

static void put_changes(cJSON *page, const Batch *batch, const BatchRow *rows, size_t count)
{
    cJSON *changes = cJSON_AddArrayToObject(page, "changes");
    for (size_t i = 0; i < count; i++) {
        if (!batch_row_changes(&rows[i]))
            continue;
        const Run *before = rows[i].before.run, *after = rows[i].after.run;
        const bool have_times = before != NULL && before->time.ms > 0 && after != NULL && after->time.ms > 0;
        cJSON *change = values_row(changes);
        values_put(change, "number=%" PRId64 " person=%s is_noise=%d", rows[i].submission, rows[i].person,
                   have_times && !batch_row_time_differs(&rows[i]));
        put_side(change, "before", &rows[i].before);
        put_side(change, "after", &rows[i].after);
    }
    const int changed = cJSON_GetArraySize(changes);
    values_put(page, "changed=%d same=%" PRId64, changed, batch->recorded - changed);
}

static void site_batch(Visit *visit)
{
    const int64_t id = answer_number(visit, "batch");
    cJSON *page = cJSON_CreateObject(), *omissions = cJSON_AddArrayToObject(page, "omissions");
    Store *store = visit->service->store;
    Batch batch;
    BatchRow *rows;
    BatchSkip *skips;
    size_t count = 0, skip_count = 0;
    Message why;
    if (id == 0) {
        cJSON_Delete(page);
        return;
    }
    Status status = batches_read(store, id, visit->arena, &batch, &why);
    THEN(status, batch_table(store, id, visit->arena, &rows, &count, &why));
    THEN(status, batches_skips(store, id, visit->arena, &skips, &skip_count, &why));
    if (status == STATUS_OK) {
        put_batch(page, &batch);
        values_put(page, "revision=%s", arena_printf(visit->arena, "%.16s", batch.revision));
        put_changes(page, &batch, rows, count);
    }
    for (size_t i = 0; i < skip_count; i++)
        values_put(values_row(omissions), "number=%" PRId64 " why=%s", skips[i].submission, skips[i].why);
    site_answer(visit, status, &why, "batch", page);
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

/* Ends an answer to a form with the page of the batch. */
static void show_batches(Visit *visit, Status status, int64_t id, const Message *why)
{
    queue_wake(visit->service->queue);
    answer_form(visit, status, arena_printf(visit->arena, "/admin/batches/%" PRId64, id), why);
}

static Status read_reason(const Visit *visit, const char **reason, Message *why)
{
    *reason = form_field(visit, "why", "");
    if ((*reason)[strspn(*reason, " \t\r\n")] == '\0')
        return fail(STATUS_BAD_INPUT, why, "expected a reason");
    return STATUS_OK;
}

static Status read_request(const Visit *visit, BatchRequest *request, Message *why)
{
    *request = (BatchRequest){.problem = http_field(visit->request, "problem"),
                              .since_utc = form_field(visit, "since", "")};
    if (request->problem == NULL)
        return fail(STATUS_BAD_INPUT, why, "expected the name of a problem");
    TRY(read_reason(visit, &request->reason, why));
    if (request->since_utc[0] != '\0' && !rejudging_is_moment(request->since_utc))
        return fail(STATUS_BAD_INPUT, why, "expected a time such as 2026-01-31T12:00:00Z, found '%.40s'",
                    request->since_utc);
    return STATUS_OK;
}

static void site_begin_batch(Visit *visit)
{
    BatchRequest request;
    Batch batch = {0};
    BatchSkip *skips;
    size_t skip_count;
    Message why;
    Status status = read_request(visit, &request, &why);
    THEN(status, rejudging_begin(visit->service->store, &request, visit->person.name, visit->arena, &batch, &skips,
                                 &skip_count, &why));
    show_batches(visit, status == STATUS_NOT_FOUND ? STATUS_BAD_INPUT : status, batch.id, &why);
}

static void decide(Visit *visit, Status (*decision)(Store *store, int64_t id, const char *person, Message *why))
{
    const int64_t id = answer_number(visit, "batch");
    Message why;
    if (id == 0)
        return;
    Status status = decision(visit->service->store, id, visit->person.name, &why);
    show_batches(visit, status, id, &why);
}

static void site_apply_batch(Visit *visit)
{
    decide(visit, rejudging_apply);
}

static void site_drop_batch(Visit *visit)
{
    decide(visit, batches_drop);
}

/* ==== site routes ================================================================================================= */

const Route site_routes[] = {
    {"GET", "/", ACCESS_READERS, site_index, ROUTE_PAGE},
    {"GET", "/problems/*", ACCESS_READERS, site_problem, ROUTE_PAGE},
    {"GET", "/problems/*/starter.cu", ACCESS_READERS, site_starter, ROUTE_PAGE},
    {"POST", "/problems/*/submit", ACCESS_PERSONS, site_hand_in, ROUTE_PAGE},
    {"GET", "/problems/*/sources", ACCESS_PERSONS, site_sources, ROUTE_PAGE},
    {"GET", "/sources/*", ACCESS_PERSONS, site_source, ROUTE_PAGE},
    {"GET", "/submissions/*", ACCESS_PERSONS, site_submission, ROUTE_PAGE},
    {"GET", "/submissions/*/look", ACCESS_PERSONS, site_look, ROUTE_PAGE},
    {"POST", "/submissions/*/withdraw", ACCESS_PERSONS, site_withdraw, ROUTE_PAGE},
    {"POST", "/submissions/*/ruling", ACCESS_TEACHERS, site_ruling, ROUTE_PAGE},
    {"POST", "/submissions/*/release", ACCESS_ADMINS, site_release, ROUTE_PAGE},
    {"GET", "/people/*", ACCESS_PERSONS, site_person, ROUTE_PAGE},
    {"POST", "/people/*/pseudonym", ACCESS_PERSONS, site_pseudonym, ROUTE_PAGE},
    {"POST", "/people/*/rename", ACCESS_TEACHERS, site_rename_person, ROUTE_PAGE},
    {"POST", "/people/*/merge", ACCESS_TEACHERS, site_merge_person, ROUTE_PAGE},
    {"POST", "/people/*/remove", ACCESS_TEACHERS, site_remove_person, ROUTE_PAGE},
    {"GET", "/teacher", ACCESS_TEACHERS, site_teacher, ROUTE_PAGE},
    {"GET", "/teacher/points", ACCESS_TEACHERS, site_points, ROUTE_PAGE},
    {"GET", "/teacher/points.csv", ACCESS_TEACHERS, site_points_csv, ROUTE_PAGE},
    {"GET", "/teacher/summary", ACCESS_TEACHERS, site_summary, ROUTE_PAGE},
    {"GET", "/teacher/similar/*", ACCESS_TEACHERS, site_pair, ROUTE_PAGE},
    {"POST", "/teacher/groups", ACCESS_TEACHERS, site_add_group, ROUTE_PAGE},
    {"GET", "/teacher/groups/*", ACCESS_TEACHERS, site_group, ROUTE_PAGE},
    {"POST", "/teacher/groups/*/link", ACCESS_TEACHERS, site_renew_link, ROUTE_PAGE},
    {"POST", "/teacher/groups/*/end", ACCESS_TEACHERS, site_end_link, ROUTE_PAGE},
    {"POST", "/teacher/groups/*/remove", ACCESS_TEACHERS, site_remove_member, ROUTE_PAGE},
    {"POST", "/teacher/tokens", ACCESS_TEACHERS, site_add_token, ROUTE_PAGE},
    {"POST", "/teacher/tokens/list", ACCESS_TEACHERS, site_add_tokens, ROUTE_PAGE},
    {"GET", "/admin", ACCESS_ADMINS, site_admin, ROUTE_PAGE},
    {"POST", "/admin/workers/*/drain", ACCESS_ADMINS, site_drain, ROUTE_PAGE},
    {"POST", "/admin/workers/*/undrain", ACCESS_ADMINS, site_undrain, ROUTE_PAGE},
    {"POST", "/admin/pause", ACCESS_ADMINS, site_pause, ROUTE_PAGE},
    {"POST", "/admin/resume", ACCESS_ADMINS, site_resume, ROUTE_PAGE},
    {"POST", "/admin/clock", ACCESS_ADMINS, site_correct_clock, ROUTE_PAGE},
    {"GET", "/admin/batches", ACCESS_ADMINS, site_batches, ROUTE_PAGE},
    {"POST", "/admin/batches", ACCESS_ADMINS, site_begin_batch, ROUTE_PAGE},
    {"GET", "/admin/batches/*", ACCESS_ADMINS, site_batch, ROUTE_PAGE},
    {"POST", "/admin/batches/*/apply", ACCESS_ADMINS, site_apply_batch, ROUTE_PAGE},
    {"POST", "/admin/batches/*/drop", ACCESS_ADMINS, site_drop_batch, ROUTE_PAGE},
    {"GET", "/join/*", ACCESS_PERSONS, site_join_form, ROUTE_PAGE},
    {"POST", "/join/*", ACCESS_PERSONS, site_join, ROUTE_PAGE},
    {"GET", "/login", ACCESS_ALL, site_login_form, ROUTE_PAGE},
    {"POST", "/login", ACCESS_ALL, site_login, ROUTE_PAGE},
    {"POST", "/logout", ACCESS_ALL, site_logout, ROUTE_PAGE},
    {"GET", "/static/style.css", ACCESS_ALL, site_style, ROUTE_PAGE},
    {"GET", "/static/live.js", ACCESS_ALL, site_script, ROUTE_PAGE},
    {"GET", "/static/editor.js", ACCESS_ALL, site_editor, ROUTE_PAGE},
    {"GET", "/static/codemirror/*", ACCESS_ALL, site_codemirror, ROUTE_PAGE},
    {0},
};

/* ==== site secrets ================================================================================================ */

/* What teachers make and pages show once: links that invite to a group, and tokens of students. */

static void show_secret(Visit *visit, const char *what, const char *name, const char *secret, const char *text)
{
    cJSON *page = cJSON_CreateObject();
    values_put(page, "what=%s name=%s secret=%s text=%s", what, name, secret, text);
    site_answer(visit, STATUS_OK, NULL, "secret", page);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The link has the name of this server that the teacher's browser used. */
static const char *invitation_link(const Visit *visit, const Secret *invitation)
{
    const char *host = http_header(visit->request, "Host");
    return arena_printf(visit->arena, "%s://%s/join/%s", identity_is_secure(visit) ? "https" : "http",
                        host == NULL ? "" : host, invitation->hex);
}

/* When a link of the form ends: after so many days. */
static Status link_end(const Visit *visit, int64_t *ends_s, Message *why)
{
    enum { MOST_DAYS = 366, USUAL_DAYS = 14 };
    const char *text = http_field(visit->request, "days");
    char *end = NULL;
    const long days = text == NULL || text[0] == '\0' ? USUAL_DAYS : strtol(text, &end, 10);
    if ((end != NULL && *end != '\0') || days < 1 || days > MOST_DAYS)
        return fail(STATUS_BAD_INPUT, why, "days: expected a number from 1 to %d, found '%.20s'", MOST_DAYS, text);
    *ends_s = (int64_t)time(NULL) + days * DAY_S;
    return STATUS_OK;
}

static void show_link(Visit *visit, const char *group, const Secret *invitation, int64_t ends_s)
{
    show_secret(visit, "Group", group, invitation_link(visit, invitation),
                arena_printf(visit->arena,
                             "Give this link to the students of the group. Each logs in, opens it and joins."
                             " It ends at %s, and sooner if you end it.",
                             utc_of(ends_s).text));
}

void site_add_group(Visit *visit)
{
    const char *name = form_field(visit, "name", "");
    int64_t ends_s = 0;
    Secret invitation;
    Message why;
    Status status = link_end(visit, &ends_s, &why);
    THEN(status, people_add_group(visit->service->store, name, ends_s, &invitation, &why));
    THEN(status, audit_add(visit->service->store, visit->person.name, "group add", name, &why));
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    show_link(visit, name, &invitation, ends_s);
}

/* The group of the address. */
static Status find_group(const Visit *visit, PersonGroup *group, Message *why)
{
    char *end;
    const int64_t id = strtoll(visit->argument, &end, 10);
    return *end == '\0' ? people_group(visit->service->store, id, visit->arena, group, why)
                        : fail(STATUS_NOT_FOUND, why, "there is no such group");
}

void site_group(Visit *visit)
{
    cJSON *page = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(page, "members");
    PersonGroup group = {.name = ""};
    GroupMember *members;
    size_t count = 0;
    Message why;
    Status status = find_group(visit, &group, &why);
    if (status == STATUS_OK)
        status = people_members(visit->service->store, group.id, visit->arena, &members, &count, &why);
    for (size_t i = 0; i < count; i++)
        values_put(values_row(list), "person=%s number=%" PRId64 " by_class=%d", members[i].name, members[i].id,
                   members[i].by_class);
    const bool has_ended = group.link_ends_s != 0 && group.link_ends_s <= (int64_t)time(NULL);
    values_put(page, "group=%s number=%" PRId64 " ends=%s has_ended=%d", group.name, group.id,
               group.link_ends_s == 0 ? "" : utc_of(group.link_ends_s).text, has_ended);
    site_answer(visit, status, &why, "group", page);
}

/* Ends an answer to a form of a group's page. */
static void finish_group(Visit *visit, Status status, const char *action, const char *object, Message *why)
{
    if (status == STATUS_OK)
        status = audit_add(visit->service->store, visit->person.name, action, object, why);
    answer_form(visit, status, arena_printf(visit->arena, "/teacher/groups/%s", visit->argument), why);
}

void site_renew_link(Visit *visit)
{
    PersonGroup group;
    Secret invitation;
    int64_t ends_s = 0;
    Message why;
    Status status = find_group(visit, &group, &why);
    if (status == STATUS_OK)
        status = link_end(visit, &ends_s, &why);
    if (status == STATUS_OK)
        status = people_renew_link(visit->service->store, group.id, ends_s, &invitation, &why);
    if (status == STATUS_OK)
        status = audit_add(visit->service->store, visit->person.name, "group link", group.name, &why);
    if (status == STATUS_OK)
        show_link(visit, group.name, &invitation, ends_s);
    else
        answer_failure(visit, status, &why);
}

void site_end_link(Visit *visit)
{
    PersonGroup group = {.name = ""};
    Message why;
    Status status = find_group(visit, &group, &why);
    if (status == STATUS_OK)
        status = people_end_link(visit->service->store, group.id, &why);
    finish_group(visit, status, "group link end", group.name, &why);
}

/* Points may depend on the group, so class.json is read again. */
void site_remove_member(Visit *visit)
{
    const char *number = http_field(visit->request, "person");
    PersonGroup group = {.name = ""};
    Message why;
    Status status = find_group(visit, &group, &why);
    if (status == STATUS_OK)
        status = people_leave_group(visit->service->store, group.id, number == NULL ? 0 : strtoll(number, NULL, 10),
                                    &why);
    if (status == STATUS_OK)
        class_watch_look(visit->service->class_watch, true);
    finish_group(visit, status, "group remove",
                 arena_printf(visit->arena, "%s: person %s", group.name, number == NULL ? "" : number), &why);
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

/* A token is as good as its owner, so a teacher makes none for somebody who may do what students may not. */
static Status make_token(const Visit *visit, const char *name, Person *person, Secret *token, Message *why)
{
    Store *store = visit->service->store;
    TRY(people_admit(store, name, visit->arena, person, why));
    identity_raise_role(visit->service->config, person);
    if (person->role != PERSON_STUDENT)
        return fail(STATUS_BAD_INPUT, why, "tokens are made here for students alone; convjudge token makes others");
    TRY(tokens_revoke(store, person->id, why));
    TRY(token_add(store, person->id, TOKEN_FOR_ALL, token, why));
    return audit_add(store, visit->person.name, "token add", name, why);
}

void site_add_token(Visit *visit)
{
    const char *name = form_field(visit, "name", "");
    Person person;
    Secret token;
    Message why;
    Status status = make_token(visit, name, &person, &token, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    show_secret(visit, "Token of", name, token.hex,
                "Give it to the student alone: anyone who has it can submit under this name.");
}

/* ---- tokens of a list -------------------------------------------------------------------------------------------- */

/* The first cell of a line of a CSV file (RFC 4180), without the spaces around it; `*at` becomes the next line. */
static const char *first_cell(Arena *arena, const char **at)
{
    const char *line = *at;
    const size_t length = strcspn(line, "\n");
    Text cell = {0};
    *at = line + length + (line[length] == '\n');
    line += strspn(line, " \t");
    if (*line == '"')
        for (line++; *line != '\0' && *line != '\n' && (*line != '"' || line[1] == '"'); line += *line == '"' ? 2 : 1)
            text_append(&cell, line, 1);
    else
        text_append(&cell, line, strcspn(line, ",;\t\r\n"));
    while (cell.length > 0 && cell.data[cell.length - 1] == ' ')
        cell.length--;
    const char *copy = arena_copy(arena, cell.data == NULL ? "" : cell.data, cell.length);
    text_free(&cell);
    return copy;
}

/* All of them or none: who got a new token lost the old one, and must be told. A person who stands there twice would get two, of which the
 * second ends the first. */
static Status make_tokens(const Visit *visit, const char *list, Text *csv, Message *why)
{
    enum { MOST_TOKENS = 1000 };
    static const char mark[] = "\uFEFF"; /* with which spreadsheets begin a file */
    struct {
        int64_t person;
        int line;
    } *made = arena_array(visit->arena, MOST_TOKENS, sizeof *made);
    int line = 0, count = 0;
    text_add(csv, "name,token\r\n");
    for (const char *at = list + (strncmp(list, mark, strlen(mark)) == 0 ? strlen(mark) : 0); *at != '\0';) {
        const char *name = first_cell(visit->arena, &at);
        Person person;
        Secret token;
        Message fault;
        line++;
        if (name[0] == '\0' || (line == 1 && (strcasecmp(name, "name") == 0 || strcasecmp(name, "person") == 0)))
            continue;
        if (count == MOST_TOKENS)
            return fail(STATUS_BAD_INPUT, why, "the list has more than %d names", MOST_TOKENS);
        const Status status = make_token(visit, name, &person, &token, &fault);
        if (status != STATUS_OK)
            return fail(status, why, "line %d: %s", line, fault.text);
        for (int i = 0; i < count; i++)
            if (made[i].person == person.id)
                return fail(STATUS_BAD_INPUT, why, "lines %d and %d name the same person, '%s'", made[i].line, line,
                            person.name);
        made[count].person = person.id;
        made[count++].line = line;
        csv_add_cell(csv, name, ",");
        text_printf(csv, "%s\r\n", token.hex);
    }
    return count > 0 ? STATUS_OK : fail(STATUS_BAD_INPUT, why, "the list has no name, expected one on each line");
}

void site_add_tokens(Visit *visit)
{
    size_t bytes = 0;
    const char *file = http_field_bytes(visit->request, "file", &bytes), *text = http_field(visit->request, "names");
    Store *store = visit->service->store;
    Text csv = {0};
    Message why;
    Status status = bytes > 0 && strlen(file) != bytes
                        ? fail(STATUS_BAD_INPUT, &why, "the file is no text in UTF-8, expected a CSV file")
                        : database_begin(store, &why);
    if (status == STATUS_OK)
        status = database_end(store, make_tokens(visit, bytes > 0 ? file : text == NULL ? "" : text, &csv, &why), &why);
    if (status == STATUS_OK) {
        http_reply_header(visit->reply, "Content-Disposition", "attachment; filename=\"tokens.csv\"");
        answer_text(visit, "text/csv; charset=utf-8", csv.data);
    } else {
        answer_failure(visit, status, &why);
    }
    text_free(&csv);
}

/* ==== similar file ================================================================================================ */

enum { MOST_BYTES = 64 << 20, HASH_DIGITS = 16 };

/* A file that is missing or no JSON is none. */
cJSON *similar_file(const Visit *visit, const char *problem, time_t *changed)
{
    const char *path = arena_printf(visit->arena, "%s/similar/%s.json", visit->service->config->state, problem);
    struct stat file;
    Text text = {0};
    cJSON *found = NULL;
    if (stat(path, &file) == 0 && text_read_file(path, MOST_BYTES, &text, NULL) == STATUS_OK && text.length > 0) {
        found = cJSON_Parse(text.data);
        *changed = file.st_mtime;
    }
    text_free(&text);
    return found;
}

int64_t similar_submission(const Visit *visit, const cJSON *program)
{
    const cJSON *run = cJSON_GetObjectItemCaseSensitive(program, "run");
    int64_t submission = 0;
    if (!cJSON_IsNumber(run) || !(run->valuedouble >= 1 && run->valuedouble < 1e15) ||
        submissions_of_run(visit->service->store, (int64_t)run->valuedouble, &submission, NULL) != STATUS_OK)
        return 0;
    return submission;
}

/* The run of a person's program, or the beginning of the hash of another one. */
static void add_name(Text *key, const cJSON *program)
{
    const cJSON *run = cJSON_GetObjectItemCaseSensitive(program, "run");
    const char *hash = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "source_hash"));
    if (cJSON_IsNumber(run))
        text_printf(key, "%.0f", run->valuedouble);
    else if (hash != NULL)
        text_printf(key, "%.*s", HASH_DIGITS, hash);
}

const char *similar_key(const Visit *visit, const cJSON *pair)
{
    Text key = {0};
    add_name(&key, cJSON_GetObjectItemCaseSensitive(pair, "a"));
    text_add(&key, "-");
    add_name(&key, cJSON_GetObjectItemCaseSensitive(pair, "b"));
    const char *name = arena_string(visit->arena, key.length < 3 ? "" : key.data);
    text_free(&key);
    return name;
}

/* ==== site similar ================================================================================================ */

/* Pairs of submissions that have much in common, as `convjudge similar` has found them.
 *
 * Comparing takes compilers and minutes, which a server has not: it shows what lies in STATE/similar/PROBLEM.json
 * (docs/guides/operate.md says who writes it).  */

enum { MOST_PAIRS = 100 };

/* The larger of the two shares; null: unknown. */
static void put_share(cJSON *row, const cJSON *pair, const char *key)
{
    const cJSON *share;
    double most = -1;
    cJSON_ArrayForEach(share, view_item(pair, key)) if (cJSON_IsNumber(share)) most = fmax(most, share->valuedouble);
    cJSON_AddItemToObject(row, key, most < 0 ? cJSON_CreateNull() : cJSON_CreateNumber(most));
}

/* Adds a person, or a file without an author, with its origin. */
static void put_program(const Visit *visit, cJSON *row, const char *key, const cJSON *program)
{
    const char *person = view_text(program, "person"), *from = view_text(program, "from"),
               *file = view_text(program, "file"),
               *name = *person != '\0' ? person
                       : *file != '\0' ? file
                                       : "?";
    if (*person == '\0' && *from != '\0' && *file != '\0')
        name = arena_printf(visit->arena, "%s: %s", from, file);
    values_put(cJSON_AddObjectToObject(row, key), "name=%s submission=%" PRId64, name,
               similar_submission(visit, program));
}

static void add_pairs(const Visit *visit, const char *problem, const cJSON *found, cJSON *pairs)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, view_item(found, "pairs"))
    {
        if (cJSON_GetArraySize(pairs) == MOST_PAIRS)
            return;
        cJSON *pair = values_row(pairs);
        values_put(pair, "problem=%s key=%s same_machine_code=%d", problem, similar_key(visit, item),
                   view_true(item, "same_machine_code"));
        put_share(pair, item, "source");
        put_share(pair, item, "device_code");
        put_program(visit, pair, "a", view_item(item, "a"));
        put_program(visit, pair, "b", view_item(item, "b"));
    }
}

Status site_put_similar(const Visit *visit, cJSON *page, Message *why)
{
    cJSON *pairs = cJSON_AddArrayToObject(page, "similar");
    const char **problems;
    size_t count = 0;
    time_t oldest = 0;
    Status status = problem_list(visit->arena, &problems, &count, why);
    for (size_t i = 0; i < count; i++) {
        time_t changed = 0;
        cJSON *found = similar_file(visit, problems[i], &changed);
        if (found != NULL && (oldest == 0 || changed < oldest))
            oldest = changed;
        add_pairs(visit, problems[i], found, pairs);
        cJSON_Delete(found);
    }
    values_put(page, "similar_time=%s", oldest == 0 ? NULL : arena_string(visit->arena, utc_of((int64_t)oldest).text));
    return status;
}

/* ==== site view =================================================================================================== */

/* What several pages of the server have in common. */

Site site_of(const Visit *visit)
{
    const ClassFile *class = class_of(visit);
    moments_show_in(class == NULL ? NULL : &class->zone);
    return (Site){.zone = class == NULL ? NULL : class->zone.name,
                  .title = visit->service->config->title,
                  .person = visit->is_known ? visit->person.name : NULL,
                  .is_teacher = visit->is_known && visit->person.role >= PERSON_TEACHER,
                  .is_admin = visit->is_known && visit->person.role >= PERSON_ADMIN};
}

static const char *error_words(int status)
{
    switch (status) {
    case 401: return "Who are you?";
    case 403: return "Not for you";
    case 404: return "There is no such page";
    case 413: return "Too large";
    case 429: return "Too many at once";
    case 500:
    case 503: return "The judge cannot answer now";
    default: return "This cannot be done";
    }
}

void site_error(Visit *visit, int status, const char *text)
{
    cJSON *page = cJSON_CreateObject();
    visit->reply->status = status;
    values_put(page, "words=%s text=%s", error_words(status), text);
    site_answer(visit, STATUS_OK, NULL, "error", page);
}

const char *site_person_path(const Visit *visit, const char *name)
{
    Text path = {0};
    text_add(&path, "/people/");
    html_url_part(&path, name);
    const char *copy = arena_string(visit->arena, path.data);
    text_free(&path);
    return copy;
}

void site_answer(Visit *visit, Status status, const Message *why, const char *name, cJSON *values)
{
    const Site site = site_of(visit);
    if (status == STATUS_OK) {
        site_show(&visit->reply->body, &site, name, values);
        return;
    }
    cJSON_Delete(values);
    answer_failure(visit, status, why);
}

cJSON *site_row(cJSON *list, const StoredSubmission *row)
{
    cJSON *line = values_row(list);
    values_put(line,
               "number=%" PRId64 " person=%s problem=%s mode=%s file_name=%s received=%s state=%s verdict=%s device=%s",
               row->id, row->person, row->problem, row->mode, row->file_name, row->received_utc, submission_state(row),
               row->verdict, row->device);
    values_time(line, row->time);
    return line;
}

void site_put_part(cJSON *page, const ListPart *part)
{
    if (part->pages == 1)
        cJSON_AddNullToObject(page, "part");
    else
        values_put(cJSON_AddObjectToObject(page, "part"),
                   "page=%" PRId64 " pages=%" PRId64 " earlier=%" PRId64 " later=%" PRId64, part->page, part->pages,
                   part->page - 1, part->page < part->pages ? part->page + 1 : 0);
}

static void name_best(const Visit *visit, BoardPage *page)
{
    int64_t person;
    for (size_t i = 0; i < page->best_count; i++)
        page->best[i].person = visible_name(visit, page->best[i].person, &person);
}

static Status name_device(const Visit *visit, BoardPage *page, Message *why)
{
    return database_string(visit->service->store, visit->arena, &page->device_name, why,
                           "SELECT device_name FROM runs WHERE id = ?1", "i", page->newest_run);
}

Status site_boards(const Visit *visit, const Problem *problem, Board **boards, size_t *count, Message *why)
{
    Store *store = visit->service->store;
    const char *revision;
    TRY(batches_board_revision(store, problem->id, problem->revision.hex, visit->arena, &revision, why));
    return store_boards(store, problem->id, revision, visit->arena, boards, count, why);
}

Status site_board(const Visit *visit, const Problem *problem, const Board *board, size_t most, BoardPage *page,
                  Message *why)
{
    int64_t *submissions;
    TRY(board_data_read(visit->service->store, problem, board, visit->arena, page, why));
    Status status = visible_standings(visit, page->standings, page->standing_count, most, &submissions, why);
    page->submissions = submissions;
    name_best(visit, page);
    return status == STATUS_OK ? name_device(visit, page, why) : status;
}

Status site_put_outdated(const Visit *visit, cJSON *page, Message *why)
{
    cJSON *list = cJSON_AddArrayToObject(page, "outdated");
    OutdatedBoard *boards;
    size_t count = 0;
    Status status = board_data_outdated(visit->service->store, visit->arena, &boards, &count, why);
    for (size_t i = 0; i < count; i++)
        values_put(values_row(list), "problem=%s device=%s people=%zu", boards[i].problem, boards[i].device,
                   boards[i].people);
    return status;
}

void site_style(Visit *visit)
{
    http_reply_header(visit->reply, "Cache-Control", "max-age=3600");
    answer_text(visit, "text/css; charset=utf-8", style_css);
}

void site_script(Visit *visit)
{
    http_reply_header(visit->reply, "Cache-Control", "max-age=3600");
    answer_text(visit, "text/javascript; charset=utf-8", live_js);
}

void site_editor(Visit *visit)
{
    http_reply_header(visit->reply, "Cache-Control", "max-age=3600");
    answer_text(visit, "text/javascript; charset=utf-8", editor_js);
}

/* ---- CodeMirror -------------------------------------------------------------------------------------------------- */

/* Where Debian's package libjs-codemirror (version 5) has it. Without it the editor is a plain field. */
static const char CODEMIRROR[] = "/usr/share/javascript/codemirror";
enum { CODEMIRROR_BYTES = 2 << 20 };

bool site_has_codemirror(void)
{
    return access(CODEMIRROR, X_OK) == 0;
}

void site_codemirror(Visit *visit)
{
    static const struct {
        const char *name, *path, *type;
    } files[] = {{"codemirror.js", "lib/codemirror.js", "text/javascript; charset=utf-8"},
                 {"clike.js", "mode/clike/clike.js", "text/javascript; charset=utf-8"},
                 {"codemirror.css", "lib/codemirror.css", "text/css; charset=utf-8"}};
    char path[100];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(files[i].name, visit->argument) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", CODEMIRROR, files[i].path);
        if (text_read_file(path, CODEMIRROR_BYTES, &visit->reply->body, NULL) != STATUS_OK)
            break;
        visit->reply->type = files[i].type;
        http_reply_header(visit->reply, "Cache-Control", "max-age=86400");
        return;
    }
    answer_error(visit, 404, "there is no such page");
}

/* ==== site admin ================================================================================================== */

/* The queue, the workers, the disk and what failed, for administrators. */

enum { LISTED = 50 };

/* ---- the queue --------------------------------------------------------------------------------------------------- */

static Status add_state(const Visit *visit, const char *state, cJSON *list, Message *why)
{
    QueuedJob *judgings;
    size_t found;
    Status status = judgings_in_state(visit->service->store, state, LISTED, visit->arena, &judgings, &found, why);
    for (size_t i = 0; i < found && status == STATUS_OK; i++) {
        StoredSubmission row;
        status = submissions_read(visit->service->store, judgings[i].submission, visit->arena, &row, why);
        if (status == STATUS_OK)
            site_row(list, &row);
    }
    return status;
}

/* Adds the queue in the order of judging, and the submissions at which the judge failed. */
static Status put_queue(const Visit *visit, cJSON *page, Message *why)
{
    static const char *const states[] = {"running", "offered", "queued"};
    cJSON *queue = cJSON_AddArrayToObject(page, "queue");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        TRY(add_state(visit, states[i], queue, why));
    return add_state(visit, "held", cJSON_AddArrayToObject(page, "held"), why);
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

static Status put_pause(const Visit *visit, cJSON *page, Message *why)
{
    const Drained *pause;
    TRY(queue_pause(visit->service->store, visit->arena, &pause, why));
    if (pause == NULL)
        cJSON_AddNullToObject(page, "pause");
    else
        values_put(cJSON_AddObjectToObject(page, "pause"), "since=%s why=%s", pause->since_utc, pause->why);
    return STATUS_OK;
}

static Status put_workers(const Visit *visit, cJSON *page, Message *why)
{
    cJSON *list = cJSON_AddArrayToObject(page, "workers");
    KnownWorker *known;
    size_t count = 0;
    Status status = workers_known(visit, &known, &count, why);
    for (size_t i = 0; i < count; i++)
        values_put(values_row(list),
                   "name=%s device=%s state=%s drained=%s since=%s judging=%" PRId64 " judged=%" PRId64
                   " failed=%" PRId64,
                   known[i].name, known[i].device, known[i].state, known[i].drained, known[i].since, known[i].judging,
                   known[i].judged, known[i].failed);
    values_put(page, "lacks_workers=%d", queue_lacks_workers(visit->service->queue));
    return status == STATUS_OK ? put_pause(visit, page, why) : status;
}

static void put_pilots(const Visit *visit, cJSON *page)
{
    if (visit->service->slurm == NULL) {
        cJSON_AddNullToObject(page, "pilots");
        return;
    }
    const SlurmHealth slurm = slurm_health(visit->service->slurm);
    values_put(cJSON_AddObjectToObject(page, "pilots"), "pending=%" PRId64 " running=%" PRId64 " trouble=%s",
               slurm.pending, slurm.running, slurm.trouble.text);
}

/* ---- disk and failures ------------------------------------------------------------------------------------------- */

static double bytes_of(const Visit *visit, const char *name)
{
    struct stat file;
    return stat(arena_printf(visit->arena, "%s/%s", visit->service->config->state, name), &file) == 0
               ? (double)file.st_size
               : 0;
}

static void put_disk(const Visit *visit, cJSON *page)
{
    cJSON *disks = cJSON_AddArrayToObject(page, "disks");
    struct statvfs volume;
    if (statvfs(visit->service->config->state, &volume) == 0)
        values_put(values_row(disks), "name=%s path=%s used_bytes=%g free_bytes=%g", "store",
                   visit->service->config->state, bytes_of(visit, "convjudge.db") + bytes_of(visit, "convjudge.db-wal"),
                   (double)volume.f_bavail * (double)volume.f_frsize);
}

/* The form holds what is likely: the submissions since the jump, and the jump taken back. */
static void put_clock(const Visit *visit, cJSON *page)
{
    const ClockWatch *clock = &visit->service->clock;
    char alarm[200];
    if (!clock_watch_alarm(clock, alarm, sizeof alarm)) {
        cJSON_AddNullToObject(page, "clock");
        return;
    }
    values_put(cJSON_AddObjectToObject(page, "clock"), "alarm=%s first=%" PRId64 " last=%" PRId64 " by=%.0f", alarm,
               clock->first_future != 0 ? clock->first_future : clock->last_before + 1,
               clock->first_future != 0 ? clock->last_future : clock->newest, -clock->jumped_s);
}

void site_admin(Visit *visit)
{
    cJSON *page = cJSON_CreateObject();
    Message why;
    Status status = put_queue(visit, page, &why);
    THEN(status, site_put_outdated(visit, page, &why));
    THEN(status, put_workers(visit, page, &why));
    THEN(status,
         values_query(visit->service->store, cJSON_AddArrayToObject(page, "failures"), &why,
                      "SELECT ended_utc AS time_utc, coalesce(why, outcome) AS what, worker, submission FROM attempt"
                      " JOIN judging ON judging.id = judging WHERE outcome IN ('worker_failed', 'lost')"
                      " ORDER BY ended_utc DESC LIMIT 50",
                      ""));
    put_pilots(visit, page);
    put_disk(visit, page);
    put_clock(visit, page);
    site_answer(visit, status, &why, "admin", page);
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

/* Ends an answer to a form: what was done is noted, and the page shown again. */
static void finish(Visit *visit, Status status, const char *action, const Message *why)
{
    Message trouble = *why;
    THEN(status, audit_add(visit->service->store, visit->person.name, action,
                           visit->argument == NULL ? "" : visit->argument, &trouble));
    queue_wake(visit->service->queue);
    answer_form(visit, status, "/admin", &trouble);
}

void site_release(Visit *visit)
{
    StoredSubmission row;
    bool done = false;
    Message why = {0};
    if (!visible_submission(visit, &row))
        return;
    Status status = judgings_release(visit->service->store, row.judging, &done, &why);
    if (status == STATUS_OK && !done)
        answer_error(visit, 409, "submission %lld is not held", (long long)row.id);
    else
        finish(visit, status, "release", &why);
}

/* Only the name of a drained worker may go into the audit log and the address. */
static Status check_drained(const Visit *visit, const char *worker, Message *why)
{
    Drained *drained;
    size_t count;
    TRY(workers_drained(visit->service->store, visit->arena, &drained, &count, why));
    for (size_t i = 0; i < count; i++)
        if (strcmp(drained[i].worker, worker) == 0)
            return STATUS_OK;
    return fail(STATUS_NOT_FOUND, why, "there is no such worker without work");
}

static int64_t number_of(const Visit *visit, const char *field)
{
    const char *text = http_field(visit->request, field);
    return text == NULL ? 0 : strtoll(text, NULL, 10);
}

void site_correct_clock(Visit *visit)
{
    const bool trusts = strcmp(form_field(visit, "what", ""), "trust") == 0;
    const char *reason = NULL;
    Message why = {0};
    Status status = trusts ? STATUS_OK : read_reason(visit, &reason, &why);
    if (status == STATUS_OK && !trusts)
        status = submissions_correct_receipts(visit->service->store, number_of(visit, "first"),
                                              number_of(visit, "last"), number_of(visit, "by"), visit->person.name,
                                              reason, &why);
    if (status == STATUS_OK)
        clock_watch_trust(&visit->service->clock);
    THEN(status, clock_watch_look(&visit->service->clock, visit->service->store, &why));
    finish(visit, status, trusts ? "trust the clock" : "correct the clock", &why);
}

/* What is being judged goes on to its end. */
void site_pause(Visit *visit)
{
    const char *reason = NULL;
    Message why = {0};
    Status status = read_reason(visit, &reason, &why);
    if (status == STATUS_OK) {
        reason = arena_printf(visit->arena, "%s, by %s", reason, visit->person.name);
        status = worker_drain(visit->service->store, ALL_WORKERS, reason, &why);
    }
    visit->argument = reason; /* which the audit notes */
    finish(visit, status, "pause", &why);
}

void site_resume(Visit *visit)
{
    Message why = {0};
    finish(visit, worker_undrain(visit->service->store, ALL_WORKERS, &why), "resume", &why);
}

void site_drain(Visit *visit)
{
    KnownWorker *known;
    size_t count = 0, i = 0;
    Message why = {0};
    Status status = workers_known(visit, &known, &count, &why);
    while (i < count && strcmp(known[i].name, visit->argument) != 0)
        i++;
    if (status == STATUS_OK && i == count)
        status = fail(STATUS_NOT_FOUND, &why, "there is no such worker");
    if (status == STATUS_OK)
        status = worker_drain(visit->service->store, visit->argument,
                              arena_printf(visit->arena, "taken out by %s", visit->person.name), &why);
    finish(visit, status, "drain", &why);
}

void site_undrain(Visit *visit)
{
    Message why = {0};
    Status status = check_drained(visit, visit->argument, &why);
    THEN(status, worker_undrain(visit->service->store, visit->argument, &why));
    finish(visit, status, "undrain", &why);
}
