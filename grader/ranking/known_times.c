#include "grader/ranking/known_times.h"

#include "grader/ranking/ranking.h"
#include "leaderboard/case_times.h"
#include "leaderboard/rulings.h"

#include <inttypes.h>

/* Takes the times that are better than those known so far. */
static Status take_times(const Result *result, const char *name, const char *cases, bool vetted, Arena *arena,
                         KnownTime *known, Message *why)
{
    CaseTime *times;
    size_t count;
    Status status = case_times_read(name, cases, arena, &times, &count, why);
    for (size_t i = 0; i < result->case_count && status == STATUS_OK; i++) {
        const MeasuredTime *time = case_times_find(times, count, result->cases[i].name);
        if (time == NULL || result->cases[i].group != CASE_TIMED)
            continue;
        if (!(known[i].best_ms > 0) || time->ms < known[i].best_ms) {
            known[i].best_ms = time->ms;
            known[i].of = name;
        }
        if (vetted && (!(known[i].vetted_ms > 0) || time->ms < known[i].vetted_ms))
            known[i].vetted_ms = time->ms;
    }
    return status;
}

static Status take_run(Store *store, const Result *result, const StoredRun *run, Arena *arena, KnownTime *known,
                       Message *why)
{
    Ruling ruling;
    Status status = rulings_in_force(store, run->id, arena, &ruling, why);
    if (status != STATUS_OK)
        return status;
    const bool accepted = ruling.run != 0 && ruling.kind == RULING_ACCEPT;
    return take_times(result, arena_printf(arena, "run %" PRId64, run->id), run->cases, accepted, arena, known, why);
}

Status known_times_read(Store *store, const Result *result, Arena *arena, KnownTime **times, Message *why)
{
    const Board board = ranking_board(result);
    StoredRun *runs;
    size_t run_count;
    *times = arena_array(arena, result->case_count, sizeof **times);
    Status status = store_runs(store, &board, arena, &runs, &run_count, why);
    for (size_t i = 0; i < result->ladder_count && status == STATUS_OK; i++)
        status = take_times(result, result->ladder[i].name, result->ladder[i].cases, true, arena, *times, why);
    for (size_t i = 0; i < run_count && status == STATUS_OK; i++)
        status = take_run(store, result, &runs[i], arena, *times, why);
    return status;
}
