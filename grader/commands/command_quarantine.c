/* Lists the runs that wait in quarantine, or decides about one of them. */
#include "grader/commands/command.h"

#include "grader/ranking/person.h"
#include "grader/ranking/ranking.h"
#include "grader/report/report_quarantine.h"
#include "grader/terminal/json_target.h"
#include "leaderboard/rulings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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
        return fail(STATUS_BAD_INPUT, why, "quarantine: '--why' belongs to '--accept RUN' or '--reject RUN'");
    if (!decision->is_wanted)
        return STATUS_OK;
    Status status = options_run_number(options, accepts ? "option '--accept'" : "option '--reject'",
                                       accepts ? options->accept : options->reject, &decision->run, why);
    return status == STATUS_OK ? person_choose(options->person, decision->person, why) : status;
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
    if (status == STATUS_OK)
        status = check_run(&run, why);
    if (status == STATUS_OK)
        status = rulings_add(store, &ruling, why);
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
    Status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = store_run(store, runs[i].id, arena, &runs[i], why);
    return status;
}

static Status write_list(const Options *options, const RecordedRun *runs, size_t count, Message *why)
{
    Text text = {0};
    Status status = STATUS_OK;
    if (options->json != NULL) {
        status = report_quarantine_json(runs, count, &text, why);
        if (status == STATUS_OK)
            status = json_target_write(options->json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (options->json == NULL || strcmp(options->json, "-") != 0)) {
        status = report_quarantine(runs, count, &text, why);
        if (status == STATUS_OK)
            status = json_target_write("-", &text, why);
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
    if (status == STATUS_OK)
        status = add_sources(store, runs, count, &arena, why);
    if (status == STATUS_OK)
        status = write_list(options, runs, count, why);
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
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK)
        status = read_decision(options, &decision, why);
    if (status == STATUS_OK)
        status = json_target_check(options->json, "", why);
    if (status != STATUS_OK)
        return status;
    status = open_store(decision.is_wanted, &store, why);
    if (status == STATUS_NOT_FOUND && !decision.is_wanted)
        status = STATUS_OK; /* nothing has been recorded yet */
    if (status == STATUS_OK)
        status = decision.is_wanted ? decide(store, &decision, why) : list(store, options, why);
    store_close(store);
    *exit_status = 0;
    return status;
}
