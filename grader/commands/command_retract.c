/* Hides a run from the ranking, by a ruling that keeps the run as evidence. */
#include "grader/commands/command.h"

#include "grader/ranking/person.h"
#include "grader/ranking/ranking.h"
#include "leaderboard/rulings.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

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
    if (status == STATUS_OK)
        status = store_run(store, run, &arena, &recorded, why);
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
    if (status == STATUS_OK)
        status = person_choose(options->person, person, why);
    if (status == STATUS_OK)
        status = ranking_open(STORE_READ, &store, why); /* a database that does not exist is not made for this */
    store_close(store);
    store = NULL;
    if (status == STATUS_OK)
        status = ranking_open(STORE_WRITE, &store, why);
    if (status == STATUS_OK)
        status = add_ruling(store, run, options->why, person, why);
    store_close(store);
    *exit_status = 0;
    return status;
}
