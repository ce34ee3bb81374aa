#include "grader/ranking/appeal.h"

#include "grader/result/version.h"
#include "grader/timing/timing.h"
#include "harness/device/open/device_open.h"
#include "leaderboard/standing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the device -------------------------------------------------------------------------------------------------- */

enum { MOST_GPUS = 16 };

static bool is_board_of(const Retiming *retiming, const RecordedRun *run)
{
    return strcmp(retiming->board.device, run->run.board.device) == 0 && retiming->board.epoch == run->run.board.epoch;
}

/* "sim-h200" is the board of "sim:h200", and "sim-h200-clang" too, where clang compiles. */
static Status find_simulated(const RecordedRun *run, Retiming *retiming, Message *why)
{
    char name[80];
    const char *profile = run->run.board.device + strlen("sim-");
    size_t length = strlen(profile);
    if (length > 6 && strcmp(profile + length - 6, "-clang") == 0)
        length -= 6;
    snprintf(name, sizeof name, "sim:%.*s", (int)length, profile);
    return retime_find_board(name, retiming, why);
}

static Status find_gpu(const RecordedRun *run, Retiming *retiming, Message *why)
{
    Status status = retime_find_board("cuda:0", retiming, why);
    for (int i = 1; i < MOST_GPUS && status == STATUS_OK && !is_board_of(retiming, run); i++) {
        char name[16];
        Message none;
        Retiming other = *retiming;
        snprintf(name, sizeof name, "cuda:%d", i);
        if (retime_find_board(name, &other, &none) != STATUS_OK)
            break;
        *retiming = other;
        retiming->board.device = retiming->device.id;
    }
    return status;
}

static Status find_device(const RecordedRun *run, const char *asked, Retiming *retiming, Message *why)
{
    const Board *board = &run->run.board;
    Message found;
    Status status = asked != NULL                            ? retime_find_board(asked, retiming, &found)
                    : strncmp(board->device, "sim-", 4) == 0 ? find_simulated(run, retiming, &found)
                                                             : find_gpu(run, retiming, &found);
    if (status != STATUS_OK)
        return fail(status, why, "run %" PRId64 " was timed on %s, which is not here: %.600s", run->id, board->device,
                    found.text);
    retiming->board.device = retiming->device.id;
    if (strcmp(retiming->device.id, board->device) != 0)
        return fail(STATUS_NOT_FOUND, why, "run %" PRId64 " was timed on %s, expected that device, found %s", run->id,
                    board->device, retiming->device.id);
    if (retiming->board.epoch != board->epoch)
        return fail(STATUS_BAD_INPUT, why,
                    "run %" PRId64
                    " was timed by version %d of the timing, and this judge times by version %d: the two do "
                    "not compare",
                    run->id, board->epoch, retiming->board.epoch);
    return STATUS_OK;
}

static Status check_run(const RecordedRun *run, const Problem *problem, Message *why)
{
    if (!(run->run.time.ms > 0))
        return fail(STATUS_BAD_INPUT, why, "run %" PRId64 " has no time: %s", run->id, run->run.verdict);
    if (strcmp(run->state, "unranked") == 0)
        return fail(STATUS_BAD_INPUT, why, "run %" PRId64 " is on no board: %s", run->id, run->run.rank_status);
    if (run->run.source == NULL)
        return fail(STATUS_BAD_INPUT, why, "run %" PRId64 ": the database lacks its source", run->id);
    if (strcmp(run->run.board.revision, problem->revision.hex) != 0)
        return fail(STATUS_BAD_INPUT, why,
                    "run %" PRId64
                    " was judged under another revision of problem %s: %.12s, expected %.12s; its times do not "
                    "compare",
                    run->id, problem->id, run->run.board.revision, problem->revision.hex);
    return STATUS_OK;
}

/* ---- the neighbours ---------------------------------------------------------------------------------------------- */

/* The standings of everybody else, and the place of the run among them: how many are faster. */
typedef struct Others {
    Standing *standings;
    size_t count, before;
} Others;

static Others others_of(const RecordedRun *run, MeasuredTime time, Standing *standings, size_t count)
{
    Others others = {.standings = standings};
    for (size_t i = 0; i < count; i++)
        if (strcmp(standings[i].person, run->run.person) != 0) {
            others.before += standings[i].time.ms < time.ms;
            standings[others.count++] = standings[i];
        }
    return others;
}

static size_t rank_among(const Others *others, MeasuredTime time)
{
    size_t rank = 1;
    for (size_t i = 0; i < others->count; i++)
        rank += time_is_faster(others->standings[i].time, time);
    return rank;
}

static Status add_all(Store *store, const RecordedRun *run, const Others *others, Retiming *retiming, Message *why)
{
    const size_t first = others->before > APPEAL_NEIGHBOURS ? others->before - APPEAL_NEIGHBOURS : 0;
    size_t end = others->before + APPEAL_NEIGHBOURS;
    end = end < others->count ? end : others->count;
    retime_make_room(retiming, 2 * APPEAL_NEIGHBOURS + 1);
    Status status = retime_add_run(store, run->id, NULL, retiming, why);
    for (size_t i = first; i < end && status == STATUS_OK; i++)
        status = retime_add_run(store, others->standings[i].run, NULL, retiming, why);
    retime_sort(retiming);
    return status;
}

/* The place on the board is that of the pooled time, as in standing.h; the figures of the appeal are the runs' own. */
static Status choose(Store *store, const RecordedRun *run, Retiming *retiming, size_t *rank, Message *why)
{
    Arena arena = {0};
    StoredRun *runs;
    size_t run_count, count;
    MeasuredTime time = run->run.time;
    const bool is_ranked = strcmp(run->state, "ranked") == 0;
    Status status = store_runs(store, &run->run.board, &arena, &runs, &run_count, why);
    if (status == STATUS_OK) {
        Standing *standings = standings_of(runs, run_count, &arena, &count);
        if (is_ranked && !pooled_time(runs, run_count, run->run.person, run->run.machine_code, &time))
            time = run->run.time;
        const Others others = others_of(run, time, standings, count);
        *rank = is_ranked ? rank_among(&others, time) : 0;
        status = add_all(store, run, &others, retiming, why);
    }
    arena_free(&arena);
    return status;
}

Status appeal_choose(Store *store, const Problem *problem, const RecordedRun *run, const char *device,
                     Retiming *retiming, size_t *rank, Message *why)
{
    *retiming = (Retiming){.problem = problem};
    *rank = 0;
    Status status = check_run(run, problem, why);
    if (status == STATUS_OK)
        status = find_device(run, device, retiming, why);
    return status == STATUS_OK ? choose(store, run, retiming, rank, why) : status;
}

/* ---- what follows ------------------------------------------------------------------------------------------------ */

static MeasuredTime time_of_rounds(const AppealedTime *time)
{
    Arena arena = {0};
    double *ones = arena_array(&arena, time->round_count + 1, sizeof *ones);
    for (size_t i = 0; i < time->round_count; i++)
        ones[i] = 1;
    const PairedRatio ratio = paired_ratio(time->rounds_ms, ones, time->round_count);
    arena_free(&arena);
    if (ratio.rounds == 0)
        return (MeasuredTime){0};
    const double farthest = fmax(ratio.high - ratio.median, ratio.median - ratio.low);
    return (MeasuredTime){.ms = ratio.median, .uncertainty = timing_uncertainty(farthest / ratio.median, 0)};
}

static bool is_before(const AppealedTime *a, const AppealedTime *b)
{
    const size_t rounds = a->round_count < b->round_count ? a->round_count : b->round_count;
    const PairedRatio ratio = paired_ratio(a->rounds_ms, b->rounds_ms, rounds);
    return paired_order(&ratio) < 0;
}

static void rank_all(Appeal *appeal)
{
    for (size_t i = 0; i < appeal->count; i++) {
        AppealedTime *mine = &appeal->times[i];
        mine->first_rank = 1;
        mine->again_rank = mine->again.ms > 0;
        for (size_t k = 0; k < appeal->count; k++) {
            const AppealedTime *other = &appeal->times[k];
            mine->first_rank += time_is_faster(other->first, mine->first);
            mine->again_rank += mine->again.ms > 0 && is_before(other, mine);
        }
    }
}

void appeal_derive(Appeal *appeal)
{
    for (size_t i = 0; i < appeal->count; i++) {
        AppealedTime *time = &appeal->times[i];
        time->again = strcmp(time->verdict, verdict_name(VERDICT_ACCEPTED)) == 0 ? time_of_rounds(time)
                                                                                 : (MeasuredTime){0};
        time->agrees = time->again.ms > 0 && !time_is_faster(time->first, time->again) &&
                       !time_is_faster(time->again, time->first);
    }
    rank_all(appeal);
    const AppealedTime *own = appeal_own_time(appeal);
    appeal->rank_again = 0;
    if (own != NULL && appeal->rank > 0 && own->again_rank > 0)
        appeal->rank_again = appeal->rank + own->again_rank > own->first_rank
                                 ? appeal->rank + own->again_rank - own->first_rank
                                 : 1;
}

void appeal_of_retiming(const Retiming *retiming, int64_t run, size_t rank, Arena *arena, Appeal *appeal)
{
    *appeal = (Appeal){.run = run,
                       .driver = retiming->device.driver,
                       .toolkit = retiming->toolkit,
                       .judge = CONVJUDGE_VERSION,
                       .sandbox = retiming->sandbox,
                       .rank = rank,
                       .times = arena_array(arena, retiming->count, sizeof *appeal->times),
                       .count = retiming->count};
    for (size_t i = 0; i < retiming->count; i++) {
        const Contender *contender = &retiming->contenders[i];
        appeal->times[i] = (AppealedTime){.run = contender->run,
                                          .person = contender->name,
                                          .first = contender->stored,
                                          .rounds_ms = contender->ms,
                                          .round_count = retiming->rounds,
                                          .verdict = verdict_name(contender->verdict)};
    }
    appeal_derive(appeal);
}
