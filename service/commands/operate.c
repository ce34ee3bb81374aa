/* operate.c - the commands that work on a store: report, scores, token, backup, restore, rejudge.  */
#include "service/commands/operate.h"

#include "base/paths.h"
#include "base/record.h"
#include "base/terminal.h"
#include "base/text.h"
#include "grader/problem/problem.h"
#include "grader/ranking/person.h"
#include "grader/ranking/ranking.h"
#include "leaderboard/store.h"
#include "service/commands/command_line.h"
#include "service/commands/output.h"
#include "service/course/class_read.h"
#include "service/course/class_summary.h"
#include "service/course/class_watch.h"
#include "service/course/scores.h"
#include "service/store/batch_apply.h"
#include "service/store/batches.h"
#include "service/store/config.h"
#include "service/store/people.h"
#include "service/store/service_store.h"
#include "service/web/report_folder.h"
#include "service/web/summary_page.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== command report ============================================================================================== */

static Status choose_folder(const Options *options, char *path, size_t size, Message *why)
{
    if (options->out == NULL)
        return paths_home("build/report", path, size, why);
    if ((size_t)snprintf(path, size, "%s", options->out) < size && options->out[0] != '\0')
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "report: option '--out': expected the name of a folder");
}

static Status choose_problems(const Options *options, Arena *arena, ReportOrder *order, Message *why)
{
    const char **ids = arena_array(arena, 1, sizeof *ids);
    Status status = STATUS_OK;
    Problem problem;
    ids[0] = options->problem;
    order->problem_count = 1;
    if (options->problem == NULL)
        status = problem_list(arena, &ids, &order->problem_count, why);
    else if ((status = problem_read(options->problem, &problem, why)) == STATUS_OK) /* before a folder is made */
        problem_free(&problem);
    order->problems = ids;
    return status;
}

/* It is no error if nothing has been recorded yet. */
static Status report_open_store(Store **store, Message *why)
{
    *store = NULL;
    Status status = ranking_open(STORE_READ, store, why);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

Status command_report(const Options *options, int *exit_status, Message *why)
{
    char folder[4096];
    Arena arena = {0};
    Store *store = NULL;
    ReportOrder order = {.folder = folder, .with_sources = options->sources};
    size_t pages = 0;
    Status status = options_expect_no_file(options, why);
    THEN(status, choose_folder(options, folder, sizeof folder, why));
    THEN(status, choose_problems(options, &arena, &order, why));
    THEN(status, report_open_store(&store, why));
    THEN(status, report_folder_write(store, &order, &pages, why));
    if (status == STATUS_OK)
        printf("%s/index.html: %zu pages\n", folder, pages);
    store_close(store);
    arena_free(&arena);
    *exit_status = 0;
    return status;
}

/* ==== administered store ========================================================================================== */

/* The database of a service, for the commands with which administrators work on it.
 *
 * The server may run meanwhile. Its settings, or --state, say where the database is. */

/* NOT_FOUND: there is no such database; none is made. `prepare` (may be NULL) is called with the folder first. */
static MUST_USE Status administered_store_open(const Options *options,
                                               Status (*prepare)(const char *folder, Message *why), Store **store,
                                               Message *why)
{
    Config config = {0};
    char path[SERVICE_PATH_BYTES];
    *store = NULL;
    Status status = config_read(options->config, &config, why);
    const char *folder = options->state == NULL ? config.state : options->state;
    THEN(status, service_store_path(folder, path, why));
    if (status == STATUS_OK && prepare != NULL && access(path, F_OK) == 0)
        status = prepare(folder, why);
    THEN(status, store_open(path, STORE_READ, store, why));
    if (status == STATUS_NOT_FOUND)
        status = fail(status, why, "%s: there is no such database, expected the state of `convjudge serve`", path);
    config_free(&config);
    return status;
}

/* ==== command scores ============================================================================================== */

/* The points of a class, from the store of the service or of `grade-class`. */

static Status expect_two_places(const char *names, const char *one, const char *other, Message *why)
{
    if (one != NULL && other != NULL && strcmp(one, other) == 0)
        return fail(STATUS_BAD_INPUT, why, "scores: %s: expected two places, found %s twice", names, one);
    return STATUS_OK;
}

static Status scores_check_options(const Options *options, Message *why)
{
    TRY(options_expect_no_file(options, why));
    if (options->class_file == NULL)
        return fail(STATUS_BAD_INPUT, why, "scores: expected --class FILE, the class.json");
    TRY(expect_two_places("--csv and --json", options->csv, options->json, why));
    TRY(expect_two_places("--csv and --summary", options->csv, options->summary, why));
    TRY(expect_two_places("--json and --summary", options->json, options->summary, why));
    TRY(json_target_check(options->summary, options->class_file, why));
    TRY(json_target_check(options->json, options->class_file, why));
    return json_target_check(options->csv, options->class_file, why);
}

static Status write_text(const char *place, Text *text, Message *why)
{
    Status status = json_target_write(place, text, why);
    text_free(text);
    return status;
}

/* Standard output gets a line for each person, unless one of the files goes there. */
static Status write_scores(const Options *options, const Scores *scores, const Summary *summary, Message *why)
{
    const Site alone = {.is_static = true, .is_alone = true};
    Text text = {0};
    Status status = STATUS_OK;
    bool is_taken = false;
    if (options->csv != NULL) {
        scores_csv(scores, &text);
        status = write_text(options->csv, &text, why);
        is_taken = strcmp(options->csv, "-") == 0;
    }
    if (status == STATUS_OK && options->json != NULL) {
        scores_json(scores, &text);
        status = write_text(options->json, &text, why);
        is_taken = is_taken || strcmp(options->json, "-") == 0;
    }
    if (status == STATUS_OK && options->summary != NULL) {
        summary_page(&text, &alone, summary);
        status = write_text(options->summary, &text, why);
        is_taken = is_taken || strcmp(options->summary, "-") == 0;
    }
    if (status != STATUS_OK || is_taken)
        return status;
    scores_print(scores, &text);
    return write_text("-", &text, why);
}

/* Where `grade-class` has left results for this class file, and nobody names another place, they are what is meant. */
static Status scores_open_store(const Options *options, Arena *arena, Store **store, Message *why)
{
    Options chosen = *options;
    const char *folder = class_state_folder(options->class_file, NULL, arena);
    char path[SERVICE_PATH_BYTES];
    Message ignored;
    if (options->state == NULL && options->config == NULL && service_store_path(folder, path, &ignored) == STATUS_OK &&
        access(path, F_OK) == 0)
        chosen.state = folder;
    return administered_store_open(&chosen, service_store_upgrade, store, why);
}

Status command_scores(const Options *options, int *exit_status, Message *why)
{
    ClassFile class = {0};
    Scores scores;
    Facts facts = {0};
    Summary summary = {0};
    Store *store = NULL;
    Arena arena = {0};
    char person[PERSON_MAX_BYTES + 1];
    Status status = scores_check_options(options, why);
    THEN(status, class_file_read(options->class_file, &class, why));
    THEN(status, scores_open_store(options, &arena, &store, why));
    person_login(person);
    THEN(status, class_take_for(&class, store, person, why));
    THEN(status, store_begin_reading(store, why));
    if (status == STATUS_OK) {
        status = scores_read(store, &class, 0, SIZE_MAX, &arena, &scores, why);
        if (status == STATUS_OK && options->summary != NULL)
            status = summary_facts_read(store, &scores, &facts, why);
        if (store_end_reading(store, status == STATUS_OK ? why : NULL) != STATUS_OK && status == STATUS_OK)
            status = STATUS_SYSTEM;
    }
    if (status == STATUS_OK && options->summary != NULL)
        summary = summary_of(&facts, class.title[0] == '\0' ? "The class" : class.title, utc_now().text, &arena);
    THEN(status, write_scores(options, &scores, &summary, why));
    facts_free(&facts);
    store_close(store);
    class_file_free(&class);
    arena_free(&arena);
    *exit_status = 0;
    return status;
}

/* ==== command token =============================================================================================== */

/* An administrator's work on the store itself: tokens, and a copy. The server may run meanwhile. */

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

static Status add_token(Store *store, const Options *options, const char *name, Arena *arena, Message *why)
{
    const TokenScope scope = options->hand_in_only ? TOKEN_FOR_HAND_IN
                             : options->work_only  ? TOKEN_FOR_WORK
                                                   : TOKEN_FOR_ALL;
    static const char *const actions[] = {"token add", "token add to hand in", "token add to work"};
    Person person;
    PersonRole role;
    Secret token;
    Status status = people_admit(store, name, arena, &person, why);
    if (status == STATUS_OK && options->role != NULL) {
        status = role_parse(options->role, &role, why);
        THEN(status, people_set_role(store, person.id, role, why));
    }
    THEN(status, token_add(store, person.id, scope, &token, why));
    THEN(status, audit_add(store, "administrator", actions[scope], name, why));
    if (status == STATUS_OK)
        printf("%s\n", token.hex);
    if (status == STATUS_OK)
        fprintf(stderr, "This token of %s is not kept and not shown again.\n", person.name);
    return status;
}

static Status revoke_tokens(Store *store, const char *name, Arena *arena, Message *why)
{
    Person person;
    Status status = people_find(store, name, arena, &person, why);
    if (status == STATUS_NOT_FOUND)
        return fail(STATUS_BAD_INPUT, why, "token: there is no person '%s'", name);
    THEN(status, tokens_revoke(store, person.id, why));
    return status == STATUS_OK ? audit_add(store, "administrator", "token revoke", name, why) : status;
}

Status command_token(const Options *options, int *exit_status, Message *why)
{
    Store *store;
    Arena arena = {0};
    const bool adds = options->operand_count == 2 && strcmp(options->operands[0], "add") == 0;
    const bool revokes = options->operand_count == 2 && strcmp(options->operands[0], "revoke") == 0;
    if (!adds && !revokes)
        return fail(STATUS_BAD_INPUT, why, "token: expected 'add NAME' or 'revoke NAME'");
    if ((options->hand_in_only || options->work_only) &&
        (!adds || options->role != NULL || (options->hand_in_only && options->work_only)))
        return fail(STATUS_BAD_INPUT, why, "token: option '--%s-only' belongs to 'add NAME', alone and without a role",
                    options->hand_in_only ? "hand-in" : "work");
    Status status = administered_store_open(options, NULL, &store, why);
    THEN(status, adds ? add_token(store, options, options->operands[1], &arena, why)
                      : revoke_tokens(store, options->operands[1], &arena, why));
    store_close(store);
    arena_free(&arena);
    *exit_status = 0;
    return status;
}

/* ---- people ------------------------------------------------------------------------------------------------------ */

static Status find_named(Store *store, const char *name, Arena *arena, Person *person, Message *why)
{
    Status status = people_find(store, name, arena, person, why);
    return status == STATUS_NOT_FOUND ? fail(STATUS_BAD_INPUT, why, "person: there is no person '%s'", name) : status;
}

Status command_person(const Options *options, int *exit_status, Message *why)
{
    static const char *const verbs[] = {"rename", "merge", "remove"};
    enum { RENAME, MERGE, REMOVE, VERBS };
    char **words = options->operands;
    Store *store;
    Arena arena = {0};
    Person person, into;
    int verb = 0;
    while (verb < VERBS && (options->operand_count == 0 || strcmp(words[0], verbs[verb]) != 0))
        verb++;
    if (verb == VERBS || options->operand_count != (verb == REMOVE ? 2 : 3))
        return fail(STATUS_BAD_INPUT, why, "person: expected 'rename NAME NEW', 'merge NAME INTO' or 'remove NAME'");
    Status status = administered_store_open(options, NULL, &store, why);
    THEN(status, find_named(store, words[1], &arena, &person, why));
    if (verb == MERGE)
        THEN(status, find_named(store, words[2], &arena, &into, why));
    THEN(status, verb == RENAME  ? people_rename(store, &person, words[2], "administrator", why)
                 : verb == MERGE ? people_merge(store, &person, &into, "administrator", why)
                                 : people_remove(store, &person, "administrator", why));
    store_close(store);
    arena_free(&arena);
    *exit_status = 0;
    return status;
}

/* ---- a copy ------------------------------------------------------------------------------------------------------ */

Status command_backup(const Options *options, int *exit_status, Message *why)
{
    Store *store;
    int64_t keep = 0;
    char path[SERVICE_PATH_BYTES];
    TRY(options_expect_file(options, why));
    TRY(options_number(options, "--keep", options->keep, 1, 10000, &keep, why));
    Status status = administered_store_open(options, NULL, &store, why);
    THEN(status, keep > 0 ? service_store_backup_to(store, options->operands[0], keep, path, why)
                          : service_store_backup(store, options->operands[0], why));
    if (status == STATUS_OK && keep > 0)
        printf("%s\n", path);
    store_close(store);
    *exit_status = 0;
    return status;
}

Status command_restore(const Options *options, int *exit_status, Message *why)
{
    Config config = {0};
    char kept[SERVICE_PATH_BYTES];
    int64_t next_number;
    TRY(options_expect_file(options, why));
    Status status = config_read(options->config, &config, why);
    const char *folder = options->state == NULL ? config.state : options->state;
    THEN(status, service_store_restore(folder, options->operands[0], kept, &next_number, why));
    if (status == STATUS_OK)
        printf("%s/convjudge.db is now %s; the next submission is number %lld\n%s%s%s", folder, options->operands[0],
               (long long)next_number, kept[0] == '\0' ? "" : "the database before it is kept as ", kept,
               kept[0] == '\0' ? "" : "\n");
    config_free(&config);
    *exit_status = 0;
    return status;
}

/* ==== rejudge report ============================================================================================== */

/* Rejudgings as text for people, and as JSON (docs/reference/formats.md). */

enum { NUMBER_COLUMNS = 6, PERSON_COLUMNS = 14, VERDICT_COLUMNS = 20, TIME_COLUMNS = 10, RANK_COLUMNS = 6 };

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* "batch 2, problem conv1d, open since 2026-01-31T12:00:00Z: new hidden cases" */
static void add_title(const Batch *batch, Text *out)
{
    const bool is_open = strcmp(batch->state, "open") == 0;
    terminal_print(out, "batch %" PRId64 ", problem %s, %s%s: %s\n", batch->id, batch->problem,
                   is_open ? "open since " : batch->state, is_open ? batch->created_utc : "", batch->reason);
}

/* "    5 of 8 submissions judged; 2 wait, 1 is being judged" */
static void add_progress(const Batch *batch, Text *out)
{
    text_printf(out, "    %lld of %lld submissions judged", (long long)batch->recorded, (long long)batch->judgings);
    const struct {
        int64_t count;
        const char *words;
    } parts[] = {{batch->waiting, "waiting"},
                 {batch->running, "under way"},
                 {batch->held, "held for a person to look at"},
                 {batch->cancelled, "given up"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count > 0)
            text_printf(out, ", %lld %s", (long long)parts[i].count, parts[i].words);
    text_add(out, "\n");
}

/* A line each; "no rejudgings yet". */
static void rejudge_report_list(const Batch *batches, size_t count, Text *out)
{
    if (count == 0)
        text_add(out, "nothing has been judged again yet\n");
    for (size_t i = 0; i < count; i++) {
        add_title(&batches[i], out);
        add_progress(&batches[i], out);
    }
}

/* ---- what is skipped --------------------------------------------------------------------------------------------- */

/* A line for each that a batch skips. */
static void rejudge_report_skips(const BatchSkip *skips, size_t skip_count, Text *out)
{
    for (size_t i = 0; i < skip_count; i++)
        text_printf(out, "    not submission %lld: %s\n", (long long)skips[i].submission, skips[i].why);
}

/* What a new batch holds, and what it skips. */
static void rejudge_report_opened(const Batch *batch, const BatchSkip *skips, size_t skip_count, Text *out)
{
    text_printf(out,
                "batch %lld: %lld submissions of problem %s are judged again; the results stay hidden until --apply\n",
                (long long)batch->id, (long long)batch->judgings, batch->problem);
    rejudge_report_skips(skips, skip_count, out);
    text_printf(out, "`convjudge rejudge --batch %lld` shows what it would change\n", (long long)batch->id);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void add_cell(const char *text, int columns, Text *out)
{
    Text line = {0};
    terminal_add_line(&line, text);
    terminal_pad(out, line.data == NULL ? "" : line.data, columns);
    text_free(&line);
    text_add(out, "  ");
}

static void add_time(const BatchSide *side, Text *out)
{
    const bool timed = side->run != NULL && side->run->time.ms > 0;
    terminal_pad(out, timed ? quantity_time(side->run->time.ms).text : "-", -TIME_COLUMNS);
}

static void add_rank(const BatchSide *side, Text *out)
{
    char rank[32] = "-";
    if (side->rank > 0)
        snprintf(rank, sizeof rank, "%zu", side->rank);
    terminal_pad(out, rank, -RANK_COLUMNS);
}

static void add_head(Text *out)
{
    text_printf(out, "%*s  %-*s  %-*s  %-*s%*s%*s  %-6s%*s%*s\n", NUMBER_COLUMNS, "run", PERSON_COLUMNS, "person",
                VERDICT_COLUMNS, "verdict", VERDICT_COLUMNS + 2, "becomes", TIME_COLUMNS, "time", TIME_COLUMNS,
                "becomes", "", RANK_COLUMNS, "rank", RANK_COLUMNS, "then");
}

static const char *words_of_change(const BatchRow *row)
{
    const Run *before = row->before.run, *after = row->after.run;
    if (before == NULL || after == NULL || !(before->time.ms > 0 && after->time.ms > 0))
        return "";
    return !batch_row_time_differs(row) ? "noise" : after->time.ms < before->time.ms ? "faster" : "slower";
}

static void add_row(const BatchRow *row, Text *out)
{
    text_printf(out, "%*lld  ", NUMBER_COLUMNS, (long long)row->submission);
    add_cell(row->person, PERSON_COLUMNS, out);
    add_cell(row->before.verdict[0] == '\0' ? "-" : row->before.verdict, VERDICT_COLUMNS, out);
    add_cell(row->after.verdict, VERDICT_COLUMNS, out);
    add_time(&row->before, out);
    add_time(&row->after, out);
    text_printf(out, "  %-6s", words_of_change(row));
    add_rank(&row->before, out);
    add_rank(&row->after, out);
    text_add(out, "\n");
}

/* How far a batch is, and a line for each submission that it changes. */
static void rejudge_report_table(const Batch *batch, const BatchRow *rows, size_t count, Text *out)
{
    size_t changes = 0;
    add_title(batch, out);
    add_progress(batch, out);
    for (size_t i = 0; i < count; i++) {
        if (!batch_row_changes(&rows[i]))
            continue;
        if (changes++ == 0)
            add_head(out);
        add_row(&rows[i], out);
    }
    text_printf(out, "%zu of the judged submissions change, %lld stay as they are\n", changes,
                (long long)batch->recorded - (long long)changes);
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

/* clang-format off */

RECORD_WHEN(has_time, Run, it->time.ms > 0)
RECORD_PUT(put_changes, BatchRow, cJSON_AddBoolToObject(object, row->key, batch_row_changes(it)))
RECORD_PUT(put_time_differs, BatchRow, cJSON_AddBoolToObject(object, row->key, batch_row_time_differs(it)))

RECORD_PUBLIC(rejudge_batch_table, Batch,
    ROW(Batch, id, "batch"),
    ROW(Batch, problem, "problem"),
    ROW(Batch, revision, "revision"),
    ROW(Batch, reason, "why"),
    ROW(Batch, state, "state", .about = "number; problem and its present revision; reason; `open`, `applied` or `dropped`"),
    ROW(Batch, created_utc, "created"),
    ROW(Batch, judgings, "submissions", .about = "when it was begun; number of submissions"),
    ROW(Batch, recorded, "judged"),
    ROW(Batch, waiting, "waiting"),
    ROW(Batch, running, "judging"),
    ROW(Batch, held, "held"),
    ROW(Batch, cancelled, "cancelled", .about = "how many are in this state"));

RECORD(rejudge_skip_table, BatchSkip,
    ROW(BatchSkip, submission, "submission"),
    ROW(BatchSkip, why, "why"));

RECORD(rejudge_run_table, Run,
    ROW(Run, board.device, "device"),
    ROW(Run, time.ms, "score_ms", .when = has_time),
    ROW(Run, time.uncertainty, "uncertainty", .when = has_time),
    ROW(Run, time.model, "model_terms", .when = has_time, .sparse = true));

RECORD(rejudge_side_table, BatchSide,
    ROW(BatchSide, state, "state"),
    ROW(BatchSide, verdict, "verdict"),
    ROW_BEHIND(BatchSide, run, NULL, rejudge_run_table),
    ROW(BatchSide, rank, "rank", .sparse = true));

RECORD_PUBLIC(rejudge_row_table, BatchRow,
    ROW(BatchRow, submission, "submission"),
    ROW(BatchRow, person, "person"),
    ROW_OBJECT(BatchRow, before, "before", rejudge_side_table, .brief = true),
    ROW_OBJECT(BatchRow, after, "after", rejudge_side_table, .brief = true, .about = "`state` of the judging, `verdict`, and if known `device`, `score_ms`, `uncertainty`, `model_terms`, `rank` (the author's, while the batch is open)"),
    ROW_HAND("changes", .put = put_changes),
    ROW_HAND("time_differs", .put = put_time_differs, .about = "whether anything changes; whether the times differ by more than noise"));

/* clang-format on */

static void put_batch(cJSON *json, const Batch *batch)
{
    record_write(&rejudge_batch_table, batch, cJSON_AddObjectToObject(json, "batch"));
}

static void put_skips(cJSON *json, const BatchSkip *skips, size_t count)
{
    record_write_list(&rejudge_skip_table, skips, count, NULL, json, "skipped");
}

/* ==== command rejudge ============================================================================================= */

/* An administrator lets submissions be judged again, looks at what that would change, and decides. Works on
 * the store itself, while the server runs; the server hands the work out.  */

static const char administrator[] = "administrator";

typedef struct Rejudging {
    const Options *options;
    Store *store;
    Arena arena;
    cJSON *json;
    Text text;
} Rejudging;

/* ---- a new batch ------------------------------------------------------------------------------------------------- */

/* "1,2,3" */
static Status read_numbers(Rejudging *rejudging, BatchRequest *request, Message *why)
{
    const Options *options = rejudging->options;
    Status status = STATUS_OK;
    if (options->runs == NULL)
        return STATUS_OK;
    char *words = (char *)arena_string(&rejudging->arena, options->runs), *rest;
    int64_t *numbers = arena_array(&rejudging->arena, strlen(words) + 1, sizeof *numbers);
    request->submissions = numbers;
    for (char *word = strtok_r(words, ",", &rest); word != NULL && status == STATUS_OK;
         word = strtok_r(NULL, ",", &rest))
        status = options_run_number(options, "option '--runs'", word, &numbers[request->submission_count++], why);
    if (status == STATUS_OK && request->submission_count == 0)
        return fail(STATUS_BAD_INPUT, why, "rejudge: option '--runs': expected numbers of submissions such as 3,5,8");
    return status;
}

static Status read_since(const Options *options, BatchRequest *request, Message *why)
{
    request->since_utc = options->since == NULL ? "" : options->since;
    if (options->since == NULL || rejudging_is_moment(options->since))
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why,
                "rejudge: option '--since': expected a time such as 2026-01-31T12:00:00Z, found '%s'", options->since);
}

static Status read_request(Rejudging *rejudging, BatchRequest *request, Message *why)
{
    const Options *options = rejudging->options;
    if (options->why == NULL || options->why[strspn(options->why, " \t\r\n")] == '\0')
        return fail(STATUS_BAD_INPUT, why, "rejudge: expected a reason: --why TEXT");
    *request = (BatchRequest){.problem = options->problem, .reason = options->why};
    TRY(read_since(options, request, why));
    return read_numbers(rejudging, request, why);
}

static Status begin(Rejudging *rejudging, Message *why)
{
    BatchRequest request = {0};
    Batch batch;
    BatchSkip *skips;
    size_t skip_count;
    TRY(read_request(rejudging, &request, why));
    TRY(rejudging_begin(rejudging->store, &request, administrator, &rejudging->arena, &batch, &skips, &skip_count,
                        why));
    rejudge_report_opened(&batch, skips, skip_count, &rejudging->text);
    put_batch(rejudging->json, &batch);
    put_skips(rejudging->json, skips, skip_count);
    return STATUS_OK;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static Status list(Rejudging *rejudging, Message *why)
{
    Batch *batches;
    size_t count;
    TRY(batches_list(rejudging->store, &rejudging->arena, &batches, &count, why));
    rejudge_report_list(batches, count, &rejudging->text);
    record_write_list(&rejudge_batch_table, batches, count, NULL, rejudging->json, "batches");
    return STATUS_OK;
}

static Status batch_number(const Options *options, const char *where, const char *text, int64_t *id, Message *why)
{
    char *end;
    *id = strtoll(text, &end, 10);
    if (text[0] >= '1' && text[0] <= '9' && *end == '\0')
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "%s: option '%s': expected the number of a batch, found '%s'",
                options->subcommand, where, text);
}

/* Both are of one moment. */
static Status read_table(Rejudging *rejudging, int64_t id, Batch *batch, BatchRow **rows, size_t *count, Message *why)
{
    TRY(store_begin_reading(rejudging->store, why));
    Status status = batches_read(rejudging->store, id, &rejudging->arena, batch, why);
    THEN(status, batch_table(rejudging->store, id, &rejudging->arena, rows, count, why));
    Status ended = store_end_reading(rejudging->store, status == STATUS_OK ? why : NULL);
    return status == STATUS_OK ? ended : status;
}

static Status show(Rejudging *rejudging, Message *why)
{
    Batch batch;
    BatchRow *rows;
    BatchSkip *skips;
    size_t count, skip_count;
    int64_t id;
    TRY(batch_number(rejudging->options, "--batch", rejudging->options->batch, &id, why));
    TRY(read_table(rejudging, id, &batch, &rows, &count, why));
    TRY(batches_skips(rejudging->store, id, &rejudging->arena, &skips, &skip_count, why));
    rejudge_report_table(&batch, rows, count, &rejudging->text);
    rejudge_report_skips(skips, skip_count, &rejudging->text);
    put_skips(rejudging->json, skips, skip_count);
    put_batch(rejudging->json, &batch);
    record_write_list(&rejudge_row_table, rows, count, NULL, rejudging->json, "submissions");
    return STATUS_OK;
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

static Status say_decided(Rejudging *rejudging, int64_t id, Message *why)
{
    Batch batch;
    TRY(batches_read(rejudging->store, id, &rejudging->arena, &batch, why));
    text_printf(&rejudging->text, "batch %lld is %s\n", (long long)id, batch.state);
    put_batch(rejudging->json, &batch);
    return STATUS_OK;
}

static Status decide(Rejudging *rejudging, Message *why)
{
    const Options *options = rejudging->options;
    const bool applies = options->apply != NULL;
    int64_t id;
    TRY(batch_number(options, applies ? "--apply" : "--drop", applies ? options->apply : options->drop, &id, why));
    TRY(applies ? rejudging_apply(rejudging->store, id, administrator, why)
                : batches_drop(rejudging->store, id, administrator, why));
    return say_decided(rejudging, id, why);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static Status rejudge_check_options(const Options *options, Message *why)
{
    const int asked = (options->problem != NULL) + options->list + (options->batch != NULL) + (options->apply != NULL) +
                      (options->drop != NULL);
    const bool has_more = options->since != NULL || options->runs != NULL || options->why != NULL;
    if (asked != 1)
        return fail(STATUS_BAD_INPUT, why, "rejudge: expected one of --problem, --list, --batch, --apply and --drop");
    if (options->problem == NULL && has_more)
        return fail(STATUS_BAD_INPUT, why, "rejudge: --since, --runs and --why are only for --problem");
    return options_expect_no_file(options, why);
}

Status command_rejudge(const Options *options, int *exit_status, Message *why)
{
    Rejudging rejudging = {.options = options};
    *exit_status = 0;
    Status status = rejudge_check_options(options, why);
    THEN(status, administered_store_open(options, NULL, &rejudging.store, why));
    TRY(status);
    rejudging.json = output_new();
    if (options->problem != NULL)
        status = begin(&rejudging, why);
    else if (options->list)
        status = list(&rejudging, why);
    else
        status = options->batch != NULL ? show(&rejudging, why) : decide(&rejudging, why);
    if (status == STATUS_OK)
        status = output_write(options, rejudging.json, &rejudging.text, why);
    else
        cJSON_Delete(rejudging.json);
    store_close(rejudging.store);
    text_free(&rejudging.text);
    arena_free(&rejudging.arena);
    return status;
}
