/* Lists the runs that wait in quarantine, or decides about one of them. */
#include "base/json.h"
#include "base/status.h"
#include "base/terminal.h"
#include "base/text.h"
#include "grader/commands/command.h"
#include "grader/problem/problem.h"
#include "grader/ranking/person.h"
#include "grader/ranking/ranking.h"
#include "grader/ranking/review.h"
#include "grader/report/report_leaderboard.h"
#include "harness/device/device_open.h"
#include "leaderboard/rulings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ==== command leaderboard ========================================================================================= */

/* A device may be named as in --device or as in the table: "sim:h200" and "sim-h200" are the same device, and "sim"
 * means every simulated GPU. */
static bool is_asked_for(const char *asked, const char *device_id)
{
    char id[64];
    if (asked == NULL || strcmp(asked, "auto") == 0)
        return true;
    snprintf(id, sizeof id, "%s", asked);
    for (char *at = id; *at != '\0'; at++)
        *at = *at == ':' ? '-' : *at;
    size_t length = strlen(id);
    return strncmp(id, device_id, length) == 0 && (device_id[length] == '\0' || device_id[length] == '-');
}

/* The label of a board's times, "modelled"; "" for measured ones. The board "sim-h200" is that of the device
 * "sim:h200". */
static const char *times_of(const char *id)
{
    char name[sizeof((DeviceInfo *)0)->id + 1];
    DeviceInfo info;
    Message why;
    if (strncmp(id, "sim-", 4) != 0)
        return "";
    snprintf(name, sizeof name, "sim:%s", id + 4);
    return device_describe(name, &info, &why) == STATUS_OK ? device_time_label(&info) : "modelled";
}

static Status add_board(Store *store, const Problem *problem, const Board *board, Text *out, Message *why)
{
    Arena arena = {0};
    Standings standings;
    Status status = store_standings(store, board, &arena, &standings, why);
    if (status == STATUS_OK)
        report_leaderboard(problem, board, times_of(board->device), standings.people, standings.count, out);
    arena_free(&arena);
    return status;
}

/* Called if no board belongs to the device. A device may have no times yet, but the name must be that of a device.
 * A real GPU need not be in this machine. */
static Status check_device_name(const char *asked, const Board *boards, size_t count, Message *why)
{
    char name[100];
    DeviceInfo info;
    Text names = {0};
    if (strcmp(asked, "cuda") == 0 || strncmp(asked, "cuda:", 5) == 0)
        return STATUS_OK;
    bool simulated = strncmp(asked, "sim-", 4) == 0 || strncmp(asked, "sim:", 4) == 0;
    snprintf(name, sizeof name, "%s%s", simulated ? "sim:" : "", simulated ? asked + 4 : asked);
    Status status = device_describe(name, &info, why);
    if (status == STATUS_OK || simulated)
        return status;
    text_add(&names, "auto, cuda, sim");
    for (size_t i = 0; i < count; i++)
        text_printf(&names, ", %s", boards[i].device);
    status = fail(STATUS_BAD_INPUT, why, "unknown device '%s'; %sexpected one of: %s", asked,
                  suggestion_for(asked, names.data).text, names.data);
    text_free(&names);
    return status;
}

static Status add_boards(Store *store, const Problem *problem, const char *device, Text *out, Message *why)
{
    Arena arena = {0};
    Board *boards;
    size_t count;
    Status status = store_boards(store, problem->id, problem->revision.hex, &arena, &boards, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (is_asked_for(device, boards[i].device))
            status = add_board(store, problem, &boards[i], out, why);
    if (status == STATUS_OK && out->length == 0 && device != NULL)
        status = check_device_name(device, boards, count, why);
    arena_free(&arena);
    return status;
}

/* It is no error if nothing has been recorded yet. */
static Status read_boards(const Problem *problem, const char *device, Text *out, Message *why)
{
    Store *store;
    Status status = ranking_open(STORE_READ, &store, why);
    if (status == STATUS_NOT_FOUND)
        return device == NULL ? STATUS_OK : check_device_name(device, NULL, 0, why);
    THEN(status, add_boards(store, problem, device, out, why));
    store_close(store);
    return status;
}

Status command_leaderboard(const Options *options, int *exit_status, Message *why)
{
    Problem problem;
    Text out = {0};
    TRY(request_problem(options, &problem, why));
    Status status = read_boards(&problem, options->device, &out, why);
    if (status == STATUS_OK && out.length == 0)
        text_printf(&out, "%s (%s): no ranked submissions yet\n", problem.id, problem.title);
    if (status == STATUS_OK)
        fputs(out.data, stdout);
    text_free(&out);
    problem_free(&problem);
    *exit_status = 0;
    return status;
}

/* ==== command quarantine ========================================================================================== */

typedef struct Decision { /* what the command line asks for */
    bool is_wanted;       /* false: a list is wanted */
    int64_t run;
    RulingKind kind;
    const char *why;
    char person[PERSON_MAX_BYTES + 1];
} Decision;

/* ---- the request ------------------------------------------------------------------------------------------------- */

static Status read_decision(const Options *options, Decision *decision, Message *why)
{
    const bool accepts = options->accept != NULL, rejects = options->reject != NULL;
    *decision = (Decision){
        .is_wanted = accepts || rejects, .kind = accepts ? RULING_ACCEPT : RULING_REJECT, .why = options->why};
    if (accepts && rejects)
        return fail(STATUS_BAD_INPUT, why, "quarantine: '--accept' and '--reject' exclude each other");
    if (decision->is_wanted && (options->why == NULL || options->why[strspn(options->why, " ")] == '\0'))
        return fail(STATUS_BAD_INPUT, why, "quarantine: a decision needs its reason: --why TEXT");
    if (!decision->is_wanted && options->why != NULL)
        return fail(STATUS_BAD_INPUT, why, "quarantine: '--why' is only for '--accept RUN' and '--reject RUN'");
    if (!decision->is_wanted)
        return STATUS_OK;
    TRY(options_run_number(options, accepts ? "option '--accept'" : "option '--reject'",
                           accepts ? options->accept : options->reject, &decision->run, why));
    return person_choose(options->person, decision->person, why);
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

/* Only the judge puts runs into quarantine; a teacher hides others by retracting them. */
static Status check_run(const RecordedRun *run, Message *why)
{
    if (strncmp(run->run.rank_status, "quarantined: ", strlen("quarantined: ")) == 0)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "run %" PRId64 " is not in quarantine: %s", run->id, run->run.rank_status);
}

static Status decide(Store *store, const Decision *decision, Message *why)
{
    Arena arena = {0};
    RecordedRun run;
    char now[32];
    time_t seconds = time(NULL);
    struct tm utc;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    const Ruling ruling = {.run = decision->run,
                           .kind = decision->kind,
                           .why = decision->why,
                           .person = decision->person,
                           .time_utc = now};
    Status status = store_run(store, decision->run, &arena, &run, why);
    THEN(status, check_run(&run, why));
    THEN(status, rulings_add(store, &ruling, why));
    if (status == STATUS_OK)
        printf("run %" PRId64 " of %s for %s is %s\n", run.id, run.run.person, run.run.board.problem,
               decision->kind == RULING_ACCEPT ? "accepted, and ranks" : "rejected, and stays hidden");
    arena_free(&arena);
    return status;
}

/* ---- listing ----------------------------------------------------------------------------------------------------- */

/* The list has no sources; they are part of the evidence in JSON. */
static Status add_sources(Store *store, RecordedRun *runs, size_t count, Arena *arena, Message *why)
{
    for (size_t i = 0; i < count; i++)
        TRY(store_run(store, runs[i].id, arena, &runs[i], why));
    return STATUS_OK;
}

static Status write_list(const Options *options, const RecordedRun *runs, size_t count, Message *why)
{
    Text text = {0};
    Status status = STATUS_OK;
    if (options->json != NULL) {
        status = report_quarantine_json(runs, count, &text, why);
        THEN(status, json_target_write(options->json, &text, why));
        text_free(&text);
    }
    if (status == STATUS_OK && (options->json == NULL || strcmp(options->json, "-") != 0)) {
        status = report_quarantine(runs, count, &text, why);
        THEN(status, json_target_write("-", &text, why));
        text_free(&text);
    }
    return status;
}

static Status list(Store *store, const Options *options, Message *why)
{
    Arena arena = {0};
    RecordedRun *runs = NULL;
    size_t count = 0;
    Status status = STATUS_OK;
    if (store != NULL)
        status = store_list_runs(store, options->problem, "quarantined", &arena, &runs, &count, why);
    THEN(status, add_sources(store, runs, count, &arena, why));
    THEN(status, write_list(options, runs, count, why));
    arena_free(&arena);
    return status;
}

/* Deciding creates no database where there is none. */
static Status open_store(bool is_written, Store **store, Message *why)
{
    Status status = ranking_open(STORE_READ, store, why);
    if (status != STATUS_OK || !is_written)
        return status;
    store_close(*store);
    return ranking_open(STORE_WRITE, store, why);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

Status command_quarantine(const Options *options, int *exit_status, Message *why)
{
    Decision decision;
    Store *store = NULL;
    TRY(options_expect_no_file(options, why));
    TRY(read_decision(options, &decision, why));
    TRY(json_target_check(options->json, "", why));
    Status status = open_store(decision.is_wanted, &store, why);
    if (status == STATUS_NOT_FOUND && !decision.is_wanted)
        status = STATUS_OK; /* nothing has been recorded yet */
    THEN(status, decision.is_wanted ? decide(store, &decision, why) : list(store, options, why));
    store_close(store);
    *exit_status = 0;
    return status;
}

/* ==== command retract ============================================================================================= */

/* Hides a run from the ranking, by a ruling that keeps the run as evidence. */

static Status check_request(const Options *options, int64_t *run, Message *why)
{
    if (options->operand_count != 1)
        return fail(STATUS_BAD_INPUT, why, "retract: expected the number of one RUN, found %d words",
                    options->operand_count);
    if (options->why == NULL)
        return fail(STATUS_BAD_INPUT, why, "retract: expected a reason: --why TEXT");
    return options_run_number(options, "RUN", options->operands[0], run, why);
}

static Status add_ruling(Store *store, int64_t run, const char *reason, const char *person, Message *why)
{
    char time_utc[32];
    Arena arena = {0};
    RecordedRun recorded;
    time_t now = time(NULL);
    struct tm utc;
    strftime(time_utc, sizeof time_utc, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    const Ruling ruling = {.run = run, .kind = RULING_RETRACT, .why = reason, .person = person, .time_utc = time_utc};
    Status status = rulings_add(store, &ruling, why);
    THEN(status, store_run(store, run, &arena, &recorded, why));
    if (status == STATUS_OK)
        printf("run %" PRId64 " of %s for %s is retracted\n", run, recorded.run.person, recorded.run.board.problem);
    arena_free(&arena);
    return status;
}

Status command_retract(const Options *options, int *exit_status, Message *why)
{
    int64_t run = 0;
    char person[PERSON_MAX_BYTES + 1];
    Store *store = NULL;
    Status status = check_request(options, &run, why);
    THEN(status, person_choose(options->person, person, why));
    THEN(status, ranking_open(STORE_READ, &store, why)); /* a database that does not exist is not made for this */
    store_close(store);
    store = NULL;
    THEN(status, ranking_open(STORE_WRITE, &store, why));
    THEN(status, add_ruling(store, run, options->why, person, why));
    store_close(store);
    *exit_status = 0;
    return status;
}

/* ==== command verify leaderboard ================================================================================== */

/* Checks that what the leaderboard says follows from what was measured. */

enum { SCHEMA = 1 };

static void add_report(const Findings *findings, const AuditSummary *summary, Text *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        const Finding *finding = &findings->items[i];
        Text line = {0};
        text_printf(&line, "%s: %s: expected %s, found %s", finding->place, finding->what, finding->expected,
                    finding->found);
        text_add_printable(out, line.data, line.length);
        text_add(out, "\n");
        text_free(&line);
    }
    text_printf(out, "%zu run%s, %zu reference time%s", summary->runs, summary->runs == 1 ? "" : "s",
                summary->references, summary->references == 1 ? "" : "s");
    text_add(out, ": ");
    if (findings->count == 0)
        text_add(out, "all is well\n");
    else
        text_printf(out, "%zu thing%s wrong\n", findings->count, findings->count == 1 ? " is" : "s are");
    if (summary->incomplete > 0)
        text_printf(out, "rows of an older version, whose times cannot be computed again: %zu\n", summary->incomplete);
}

static void add_json(const Findings *findings, const AuditSummary *summary, Text *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", SCHEMA);
    cJSON_AddNumberToObject(root, "runs", (double)summary->runs);
    cJSON_AddNumberToObject(root, "reference_times", (double)summary->references);
    cJSON_AddNumberToObject(root, "incomplete", (double)summary->incomplete);
    cJSON *list = cJSON_AddArrayToObject(root, "findings");
    for (size_t i = 0; i < findings->count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "place", findings->items[i].place);
        cJSON_AddStringToObject(item, "what", findings->items[i].what);
        cJSON_AddStringToObject(item, "expected", findings->items[i].expected);
        cJSON_AddStringToObject(item, "found", findings->items[i].found);
        cJSON_AddItemToArray(list, item);
    }
    json_print(root, out);
    cJSON_Delete(root);
}

static Status write_reports(const char *json, const Findings *findings, const AuditSummary *summary, Message *why)
{
    Text text = {0};
    Status status = STATUS_OK;
    if (json != NULL) {
        add_json(findings, summary, &text);
        status = json_target_write(json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (json == NULL || strcmp(json, "-") != 0)) {
        add_report(findings, summary, &text);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    return status;
}

Status command_verify_leaderboard(const Options *options, int *exit_status, Message *why)
{
    Arena arena = {0};
    Findings findings = {.arena = &arena};
    AuditSummary summary;
    Store *store = NULL;
    Status status = options_expect_no_file(options, why);
    THEN(status, json_target_check(options->json, "", why));
    THEN(status, ranking_open(STORE_READ, &store, why));
    THEN(status, store_begin_reading(store, why));
    THEN(status, audit_store(store, &findings, &summary, why));
    THEN(status, store_end_reading(store, why));
    THEN(status, write_reports(options->json, &findings, &summary, why));
    *exit_status = findings.count > 0;
    store_close(store);
    arena_free(&arena);
    return status;
}
