/* site_answers.c - rejudgings, for administrators: what `convjudge rejudge` does, on pages.  */
#include "service/web/site_answers.h"

#include "grader/problem/problem.h"
#include "leaderboard/database.h"
#include "service/store/batches.h"
#include "service/store/judgings.h"
#include "service/store/batch_apply.h"
#include "service/store/service_store.h"
#include "service/web/api.h"
#include "service/web/api_routes.h"
#include "service/web/board_plots.h"
#include "service/web/html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* ==== site batches ================================================================================================ */

static BatchLine line_of(const Batch *batch)
{
    return (BatchLine){.number = batch->id,
                       .problem = batch->problem,
                       .reason = batch->reason,
                       .created = batch->created_utc,
                       .state = batch->state,
                       .submissions = batch->judgings,
                       .judged = batch->recorded,
                       .waiting = batch->waiting,
                       .judging = batch->running,
                       .held = batch->held,
                       .cancelled = batch->cancelled};
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

void site_batches(Visit *visit)
{
    const Site site = site_of(visit);
    Batch *batches;
    const char **problems;
    size_t count = 0, problem_count = 0;
    Message why;
    Status status = batches_list(visit->service->store, visit->arena, &batches, &count, &why);
    if (status == STATUS_OK)
        status = problem_list(visit->arena, &problems, &problem_count, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    BatchLine *lines = arena_array(visit->arena, count, sizeof *lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = line_of(&batches[i]);
    page_batches(&visit->reply->body, &site, lines, count, problems, problem_count);
}

static BatchVerdict verdict_of(const BatchSide *side)
{
    BatchVerdict verdict = {.verdict = side->verdict, .rank = side->rank};
    if (side->run != NULL)
        verdict.time = side->run->time;
    return verdict;
}

static void fill_changes(const Visit *visit, const BatchRow *rows, size_t count, BatchPage *page)
{
    BatchChange *changes = arena_array(visit->arena, count, sizeof *changes);
    for (size_t i = 0; i < count; i++) {
        if (!batch_row_changes(&rows[i]))
            continue;
        BatchChange *change = &changes[page->change_count++];
        *change = (BatchChange){.submission = rows[i].submission,
                                .person = rows[i].person,
                                .file_name = rows[i].file_name,
                                .before = verdict_of(&rows[i].before),
                                .after = verdict_of(&rows[i].after)};
        change->is_noise = change->before.time.ms > 0 && change->after.time.ms > 0 && !batch_row_time_differs(&rows[i]);
    }
    page->changes = changes;
}

static void fill_omissions(const Visit *visit, const BatchSkip *skips, size_t count, BatchPage *page)
{
    BatchOmission *omissions = arena_array(visit->arena, count, sizeof *omissions);
    for (size_t i = 0; i < count; i++)
        omissions[i] = (BatchOmission){.submission = skips[i].submission, .why = skips[i].why};
    page->omissions = omissions;
    page->omission_count = count;
}

void site_batch(Visit *visit)
{
    const Site site = site_of(visit);
    const int64_t id = answer_number(visit, "batch");
    Store *store = visit->service->store;
    Batch batch;
    BatchRow *rows;
    BatchSkip *skips;
    size_t count = 0, skip_count = 0;
    Message why;
    if (id == 0)
        return;
    Status status = batches_read(store, id, visit->arena, &batch, &why);
    if (status == STATUS_OK)
        status = batch_table(store, id, visit->arena, &rows, &count, &why);
    if (status == STATUS_OK)
        status = batches_skips(store, id, visit->arena, &skips, &skip_count, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    BatchPage page = {.line = line_of(&batch), .revision = batch.revision};
    fill_changes(visit, rows, count, &page);
    fill_omissions(visit, skips, skip_count, &page);
    page_batch(&visit->reply->body, &site, &page);
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

/* Ends an answer to a form with the page of the batch. */
static void show_batches(Visit *visit, Status status, int64_t id, const Message *why)
{
    queue_wake(visit->service->queue);
    if (status == STATUS_OK)
        answer_redirect(visit, arena_printf(visit->arena, "/admin/batches/%" PRId64, id));
    else
        answer_failure(visit, status, why);
}

static Status read_request(const Visit *visit, BatchRequest *request, Message *why)
{
    const char *problem = http_field(visit->request, "problem"), *reason = http_field(visit->request, "why");
    const char *since = http_field(visit->request, "since");
    *request = (BatchRequest){.problem = problem, .reason = reason, .since_utc = since == NULL ? "" : since};
    if (problem == NULL)
        return fail(STATUS_BAD_INPUT, why, "expected the name of a problem");
    if (reason == NULL || reason[strspn(reason, " \t\r\n")] == '\0')
        return fail(STATUS_BAD_INPUT, why, "expected a reason");
    if (request->since_utc[0] != '\0' && !rejudging_is_moment(request->since_utc))
        return fail(STATUS_BAD_INPUT, why, "expected a time such as 2026-01-31T12:00:00Z, found '%.40s'", since);
    return STATUS_OK;
}

void site_begin_batch(Visit *visit)
{
    BatchRequest request;
    Batch batch = {0};
    BatchSkip *skips;
    size_t skip_count;
    Message why;
    Status status = read_request(visit, &request, &why);
    if (status == STATUS_OK)
        status = rejudging_begin(visit->service->store, &request, visit->person.name, visit->arena, &batch, &skips,
                                 &skip_count, &why);
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

void site_apply_batch(Visit *visit)
{
    decide(visit, rejudging_apply);
}

void site_drop_batch(Visit *visit)
{
    decide(visit, batches_drop);
}

/* ==== site routes ================================================================================================= */

const Route site_routes[] = {
    {"GET", "/", ACCESS_READERS, site_index, true},
    {"GET", "/problems/*", ACCESS_READERS, site_problem, true},
    {"GET", "/problems/*/starter.cu", ACCESS_READERS, site_starter, true},
    {"POST", "/problems/*/submit", ACCESS_PERSONS, site_hand_in, true},
    {"GET", "/problems/*/sources", ACCESS_PERSONS, site_sources, true},
    {"GET", "/sources/*", ACCESS_PERSONS, site_source, true},
    {"GET", "/submissions/*", ACCESS_PERSONS, site_submission, true},
    {"POST", "/submissions/*/withdraw", ACCESS_PERSONS, site_withdraw, true},
    {"POST", "/submissions/*/ruling", ACCESS_TEACHERS, site_ruling, true},
    {"POST", "/submissions/*/release", ACCESS_ADMINS, site_release, true},
    {"GET", "/people/*", ACCESS_PERSONS, site_person, true},
    {"POST", "/people/*/pseudonym", ACCESS_PERSONS, site_pseudonym, true},
    {"GET", "/teacher", ACCESS_TEACHERS, site_teacher, true},
    {"GET", "/teacher/points", ACCESS_TEACHERS, site_points, true},
    {"GET", "/teacher/points.csv", ACCESS_TEACHERS, site_points_csv, true},
    {"GET", "/teacher/summary", ACCESS_TEACHERS, site_summary, true},
    {"GET", "/teacher/similar/*", ACCESS_TEACHERS, site_pair, true},
    {"POST", "/teacher/groups", ACCESS_TEACHERS, site_add_group, true},
    {"POST", "/teacher/tokens", ACCESS_TEACHERS, site_add_token, true},
    {"GET", "/admin", ACCESS_ADMINS, site_admin, true},
    {"POST", "/admin/workers/*/undrain", ACCESS_ADMINS, site_undrain, true},
    {"GET", "/admin/batches", ACCESS_ADMINS, site_batches, true},
    {"POST", "/admin/batches", ACCESS_ADMINS, site_begin_batch, true},
    {"GET", "/admin/batches/*", ACCESS_ADMINS, site_batch, true},
    {"POST", "/admin/batches/*/apply", ACCESS_ADMINS, site_apply_batch, true},
    {"POST", "/admin/batches/*/drop", ACCESS_ADMINS, site_drop_batch, true},
    {"GET", "/join/*", ACCESS_PERSONS, site_join_form, true},
    {"POST", "/join/*", ACCESS_PERSONS, site_join, true},
    {"GET", "/login", ACCESS_ALL, site_login_form, true},
    {"POST", "/login", ACCESS_ALL, site_login, true},
    {"POST", "/logout", ACCESS_ALL, site_logout, true},
    {"GET", "/static/style.css", ACCESS_ALL, site_style, true},
    {"GET", "/static/live.js", ACCESS_ALL, site_script, true},
    {0},
};

/* ==== site secrets ================================================================================================ */

/* site_answers.c - what teachers make and pages show once: links that invite to a group, and tokens of students.  */

static void show_secret(Visit *visit, const SecretPage *page)
{
    const Site site = site_of(visit);
    page_secret(&visit->reply->body, &site, page);
}

static const char *name_field(const Visit *visit)
{
    const char *name = http_field(visit->request, "name");
    return name == NULL ? "" : name;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* With the name of this server as the teacher's browser knows it. */
static const char *invitation_link(const Visit *visit, const Secret *invitation)
{
    const char *host = http_header(visit->request, "Host"), *scheme = http_header(visit->request, "X-Forwarded-Proto");
    const bool is_secure = scheme != NULL && strcmp(scheme, "https") == 0;
    return arena_printf(visit->arena, "%s://%s/join/%s", is_secure ? "https" : "http", host == NULL ? "" : host,
                        invitation->hex);
}

void site_add_group(Visit *visit)
{
    const char *name = name_field(visit);
    Secret invitation;
    Message why;
    Status status = people_add_group(visit->service->store, name, &invitation, &why);
    if (status == STATUS_OK)
        status = audit_add(visit->service->store, visit->person.name, "group add", name, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    show_secret(visit,
                &(SecretPage){.title = arena_printf(visit->arena, "Group %s", name),
                              .secret = invitation_link(visit, &invitation),
                              .text = "Give this link to the students of the group. Each logs in, opens it and joins.",
                              .back = "/teacher"});
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

/* A token is as good as its owner, so a teacher makes none for somebody who may do what students may not. */
static Status make_token(const Visit *visit, const char *name, Secret *token, Message *why)
{
    Store *store = visit->service->store;
    Person person;
    Status status = people_admit(store, name, visit->arena, &person, why);
    if (status != STATUS_OK)
        return status;
    identity_raise_role(visit->service->config, &person);
    if (person.role != PERSON_STUDENT)
        return fail(STATUS_BAD_INPUT, why, "tokens are made here for students alone; convjudge token makes others");
    status = tokens_revoke(store, person.id, why);
    if (status == STATUS_OK)
        status = token_add(store, person.id, TOKEN_FOR_ALL, token, why);
    return status == STATUS_OK ? audit_add(store, visit->person.name, "token add", name, why) : status;
}

void site_add_token(Visit *visit)
{
    const char *name = name_field(visit);
    Secret token;
    Message why;
    Status status = make_token(visit, name, &token, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    show_secret(visit, &(SecretPage){.title = arena_printf(visit->arena, "Token of %s", name),
                                     .secret = token.hex,
                                     .text = "Give it to the student alone: whoever has it hands in under this name.",
                                     .back = "/teacher"});
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

/* site_answers.c - pairs of submissions that have much in common, as `convjudge similar` has found them.
 *
 * Comparing takes compilers and minutes, which a server has not: it shows what lies in STATE/similar/PROBLEM.json
 * (docs/operating.md says who writes it).  */

enum { MOST_PAIRS = 100 };

/* The larger of the two shares; negative: unknown. */
static double share_of(const cJSON *pair, const char *key)
{
    const cJSON *share;
    double most = -1;
    cJSON_ArrayForEach(share, cJSON_GetObjectItemCaseSensitive(pair, key)) if (cJSON_IsNumber(share))
        most = fmax(most, share->valuedouble);
    return most;
}

/* A person, or a file that is nobody's, with where it comes from. `*submission` 0: of no hand-in. */
static const char *name_of(const Visit *visit, const cJSON *program, int64_t *submission)
{
    const char *person = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "person"));
    const char *from = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "from"));
    const char *file = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "file"));
    *submission = similar_submission(visit, program);
    if (person == NULL && from != NULL && file != NULL)
        return arena_printf(visit->arena, "%s: %s", from, file);
    return arena_string(visit->arena, person != NULL ? person : file != NULL ? file : "?");
}

static void add_pairs(const Visit *visit, const char *problem, const cJSON *found, SimilarRow *pairs, size_t *count)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(found, "pairs"))
    {
        SimilarRow *pair = &pairs[*count];
        if (*count == MOST_PAIRS)
            return;
        *pair = (SimilarRow){
            .problem = problem,
            .key = similar_key(visit, item),
            .same_machine_code = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "same_machine_code")),
            .source = share_of(item, "source"),
            .device_code = share_of(item, "device_code")};
        pair->a = name_of(visit, cJSON_GetObjectItemCaseSensitive(item, "a"), &pair->run_a);
        pair->b = name_of(visit, cJSON_GetObjectItemCaseSensitive(item, "b"), &pair->run_b);
        ++*count;
    }
}

Status site_fill_similar(const Visit *visit, TeacherPage *page, Message *why)
{
    const char **problems;
    size_t count;
    time_t oldest = 0;
    SimilarRow *pairs = arena_array(visit->arena, MOST_PAIRS, sizeof *pairs);
    Status status = problem_list(visit->arena, &problems, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        time_t changed = 0;
        cJSON *found = similar_file(visit, problems[i], &changed);
        if (found != NULL && (oldest == 0 || changed < oldest))
            oldest = changed;
        add_pairs(visit, problems[i], found, pairs, &page->similar_count);
        cJSON_Delete(found);
    }
    page->similar = pairs;
    page->similar_time = oldest == 0 ? NULL : arena_string(visit->arena, utc_of((int64_t)oldest).text);
    return status;
}

/* ==== site view =================================================================================================== */

/* site_answers.c - what several pages of the server have in common.  */

Site site_of(const Visit *visit)
{
    return (Site){.title = visit->service->config->title,
                  .person = visit->is_known ? visit->person.name : NULL,
                  .is_teacher = visit->is_known && visit->person.role >= PERSON_TEACHER,
                  .is_admin = visit->is_known && visit->person.role >= PERSON_ADMIN};
}

void site_error(Visit *visit, int status, const char *text)
{
    const Site site = site_of(visit);
    visit->reply->status = status;
    page_error(&visit->reply->body, &site, status, text);
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

static const char *or_null(const char *text)
{
    return text[0] == '\0' ? NULL : text;
}

SubmissionLine site_line(const StoredSubmission *row)
{
    return (SubmissionLine){.number = row->id,
                            .person = row->person,
                            .problem = row->problem,
                            .file_name = row->file_name,
                            .received = row->received_utc,
                            .state = submission_state(row),
                            .verdict = or_null(row->verdict),
                            .rank_status = or_null(row->rank_status),
                            .time = row->time,
                            .device = or_null(row->device)};
}

SubmissionLine *site_lines(Arena *arena, const StoredSubmission *rows, size_t count)
{
    SubmissionLine *lines = arena_array(arena, count + 1, sizeof *lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = site_line(&rows[i]);
    return lines;
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
                           "SELECT device_name FROM runs WHERE device = ?1 ORDER BY id DESC LIMIT 1", "t",
                           page->device);
}

Status site_boards(const Visit *visit, const Problem *problem, Board **boards, size_t *count, Message *why)
{
    Store *store = visit->service->store;
    const char *revision;
    Status status = batches_board_revision(store, problem->id, problem->revision.hex, visit->arena, &revision, why);
    return status == STATUS_OK ? store_boards(store, problem->id, revision, visit->arena, boards, count, why) : status;
}

Status site_board(const Visit *visit, const Problem *problem, const Board *board, BoardPage *page, Message *why)
{
    int64_t *submissions;
    Status status = board_data_read(visit->service->store, problem, board, visit->arena, page, why);
    if (status != STATUS_OK)
        return status;
    Standing *named = arena_array(visit->arena, page->standing_count + 1, sizeof *named);
    if (page->standing_count > 0)
        memcpy(named, page->standings, page->standing_count * sizeof *named);
    status = visible_standings(visit, named, page->standing_count, &submissions, why);
    page->standings = named;
    page->submissions = submissions;
    name_best(visit, page);
    return status == STATUS_OK ? name_device(visit, page, why) : status;
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

/* ==== site admin ================================================================================================== */

/* site_answers.c - the queue, the workers, the disk and what failed, for administrators.  */

enum { LISTED = 50 };

/* ---- the queue --------------------------------------------------------------------------------------------------- */

static Status add_state(const Visit *visit, const char *state, SubmissionLine *lines, size_t *count, Message *why)
{
    QueuedJob *judgings;
    size_t found;
    Status status = judgings_in_state(visit->service->store, state, LISTED, visit->arena, &judgings, &found, why);
    for (size_t i = 0; i < found && status == STATUS_OK; i++) {
        StoredSubmission row;
        status = submissions_read(visit->service->store, judgings[i].submission, visit->arena, &row, why);
        if (status == STATUS_OK)
            lines[(*count)++] = site_line(&row);
    }
    return status;
}

static Status fill_queue(const Visit *visit, AdminPage *page, Message *why)
{
    static const char *const states[] = {"running", "offered", "queued"};
    SubmissionLine *lines = arena_array(visit->arena, 3 * LISTED, sizeof *lines);
    Status status = STATUS_OK;
    for (size_t i = 0; i < sizeof states / sizeof *states && status == STATUS_OK; i++)
        status = add_state(visit, states[i], lines, &page->queue_count, why);
    page->queue = lines;
    return status;
}

static Status fill_held(const Visit *visit, AdminPage *page, Message *why)
{
    SubmissionLine *lines = arena_array(visit->arena, LISTED, sizeof *lines);
    page->held = lines;
    return add_state(visit, "held", lines, &page->held_count, why);
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

static Status fill_workers(const Visit *visit, AdminPage *page, Message *why)
{
    KnownWorker *known;
    size_t count;
    Status status = workers_known(visit, &known, &count, why);
    struct AdminWorker *workers = arena_array(visit->arena, count, sizeof *workers);
    for (size_t i = 0; i < count; i++)
        workers[i] = (struct AdminWorker){.name = known[i].name,
                                          .device = known[i].device,
                                          .state = known[i].state,
                                          .drained = known[i].drained,
                                          .since = known[i].since,
                                          .judging = known[i].judging,
                                          .judged = known[i].judged,
                                          .failed = known[i].failed};
    page->workers = workers;
    page->worker_count = count;
    page->lacks_workers = queue_lacks_workers(visit->service->queue);
    return status;
}

static void fill_pilots(const Visit *visit, AdminPage *page)
{
    if (visit->service->slurm == NULL)
        return;
    const SlurmHealth slurm = slurm_health(visit->service->slurm);
    struct AdminPilots *pilots = arena_alloc(visit->arena, sizeof *pilots);
    *pilots = (struct AdminPilots){
        .pending = slurm.pending, .running = slurm.running, .trouble = arena_string(visit->arena, slurm.trouble.text)};
    page->pilots = pilots;
}

/* ---- disk and failures ------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const Visit *visit, const char *name)
{
    struct stat file;
    return stat(arena_printf(visit->arena, "%s/%s", visit->service->config->state, name), &file) == 0
               ? (uint64_t)file.st_size
               : 0;
}

static void fill_disk(const Visit *visit, AdminPage *page)
{
    struct AdminDisk *disk = arena_alloc(visit->arena, sizeof *disk);
    struct statvfs volume;
    if (statvfs(visit->service->config->state, &volume) != 0)
        return;
    *disk = (struct AdminDisk){.name = "store",
                               .path = visit->service->config->state,
                               .used_bytes = bytes_of(visit, "convjudge.db") + bytes_of(visit, "convjudge.db-wal"),
                               .free_bytes = (uint64_t)volume.f_bavail * volume.f_frsize};
    page->disks = disk;
    page->disk_count = 1;
}

static void take_failure(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(struct AdminFailure *)item = (struct AdminFailure){.time_utc = database_text(arena, row, 0),
                                                         .what = database_text(arena, row, 1),
                                                         .worker = database_text(arena, row, 2),
                                                         .submission = sqlite3_column_int64(row, 3)};
}

static Status fill_failures(const Visit *visit, AdminPage *page, Message *why)
{
    Rows rows = {.arena = visit->arena, .item_bytes = sizeof *page->failures};
    Status status = database_query(
        visit->service->store, &rows, take_failure, why,
        "SELECT ended_utc, coalesce(why, outcome), coalesce(worker, ''), submission FROM attempt"
        " JOIN judging ON judging.id = judging WHERE outcome IN ('worker_failed', 'lost')"
        " ORDER BY ended_utc DESC LIMIT 50",
        "");
    page->failures = (const struct AdminFailure *)(const void *)rows.items;
    page->failure_count = rows.count;
    return status;
}

void site_admin(Visit *visit)
{
    const Site site = site_of(visit);
    AdminPage page = {0};
    Message why;
    Status status = fill_queue(visit, &page, &why);
    if (status == STATUS_OK)
        status = fill_held(visit, &page, &why);
    if (status == STATUS_OK)
        status = fill_workers(visit, &page, &why);
    if (status == STATUS_OK)
        status = fill_failures(visit, &page, &why);
    fill_pilots(visit, &page);
    fill_disk(visit, &page);
    if (status == STATUS_OK)
        page_admin(&visit->reply->body, &site, &page);
    else
        answer_failure(visit, status, &why);
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

/* Ends an answer to a form: what was done is noted, and the page shown again. */
static void finish(Visit *visit, Status status, const char *action, const Message *why)
{
    Message trouble = *why;
    if (status == STATUS_OK)
        status = audit_add(visit->service->store, visit->person.name, action, visit->argument, &trouble);
    queue_wake(visit->service->queue);
    if (status == STATUS_OK)
        answer_redirect(visit, "/admin");
    else
        answer_failure(visit, status, &trouble);
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

/* A name that nobody has drained is no part of a path. */
static Status check_drained(const Visit *visit, const char *worker, Message *why)
{
    Drained *drained;
    size_t count;
    Status status = workers_drained(visit->service->store, visit->arena, &drained, &count, why);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        if (strcmp(drained[i].worker, worker) == 0)
            return STATUS_OK;
    return fail(STATUS_NOT_FOUND, why, "there is no such worker without work");
}

void site_undrain(Visit *visit)
{
    Message why = {0};
    Status status = check_drained(visit, visit->argument, &why);
    if (status == STATUS_OK)
        status = worker_undrain(visit->service->store, visit->argument, &why);
    finish(visit, status, "undrain", &why);
}
