#include "grader/ranking/retime.h"

#include "grader/judge/judge.h"
#include "leaderboard/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seven ratios bound their median in 98 % of cases (timing.h). Where the ratios of a pair have a standard deviation of 1.8 %, 31
 * rounds tell 2 % in 98 of 100 cases, and take copies for copies in 97 (simulated, with normal distributions). Few looks at the
 * rounds so far keep it so. Modelled times are the same in each round; the second round shows that they are. */
enum { LEAST_ROUNDS = 7, MORE_ROUNDS = 4, MOST_ROUNDS = 31, MODELLED_ROUNDS = 2 };

/* ---- the contenders ---------------------------------------------------------------------------------------------- */

static Submission submission_of(const Run *run)
{
    Submission submission = {.path = run->file_name};
    Text name = {0};
    text_add(&name, run->file_name);
    submission.file_name = name.data;
    text_add(&submission.source, run->source);
    snprintf(submission.hash.hex, sizeof submission.hash.hex, "%s", run->source_hash);
    return submission;
}

static Status add_run(Store *store, int64_t run, MeasuredTime time, Retiming *retiming, Message *why)
{
    Arena arena = {0};
    RecordedRun recorded;
    Status status = store_run(store, run, &arena, &recorded, why);
    if (status == STATUS_OK) {
        const char *person = arena_string(&retiming->arena, recorded.run.person);
        if (recorded.run.source == NULL)
            retiming->missing[retiming->missing_count++] = person;
        else
            retiming->contenders[retiming->count++] = (Contender){
                .name = person, .run = run, .stored = time, .submission = submission_of(&recorded.run)};
    }
    arena_free(&arena);
    return status;
}

static Status add_people(Store *store, size_t top, Retiming *retiming, Message *why)
{
    Arena arena = {0};
    Standings standings;
    Status status = store_standings(store, &retiming->board, &arena, &standings, why);
    if (status == STATUS_OK) {
        const size_t count = standings.count < top ? standings.count : top;
        retiming->contenders = arena_array(&retiming->arena, count + 1, sizeof *retiming->contenders);
        retiming->missing = arena_array(&retiming->arena, count + 1, sizeof *retiming->missing);
        for (size_t i = 0; i < count && status == STATUS_OK; i++)
            status = add_run(store, standings.people[i].run, standings.people[i].time, retiming, why);
    }
    arena_free(&arena);
    return status;
}

static const Reference *best_reference(const References *references)
{
    const Reference *best = NULL;
    for (size_t i = 0; i < references->count; i++) {
        const Reference *reference = &references->solutions[i];
        if (reference->time.time.ms > 0 && reference->submission.source.length > 0 &&
            (best == NULL || reference->time.time.ms < best->time.time.ms))
            best = reference;
    }
    return best;
}

/* There is none where the reference solutions have no times yet. */
static Status add_reference(Store *store, Retiming *retiming, Message *why)
{
    References references;
    TRY(ranking_references(store, retiming->problem, &retiming->board, &references, why));
    const Reference *best = best_reference(&references);
    if (best != NULL) {
        const Run run = {.file_name = best->submission.file_name,
                         .source = best->submission.source.data,
                         .source_hash = best->submission.hash.hex};
        retiming->contenders[retiming->count++] = (Contender){.name = arena_string(&retiming->arena, best->time.name),
                                                              .stored = best->time.time,
                                                              .submission = submission_of(&run)};
    }
    references_free(&references);
    return STATUS_OK;
}

static int by_stored_time(const void *a, const void *b)
{
    const Contender *x = a, *y = b;
    return (x->stored.ms > y->stored.ms) - (x->stored.ms < y->stored.ms);
}

static void sort_contenders(Retiming *retiming)
{
    qsort(retiming->contenders, retiming->count, sizeof *retiming->contenders, by_stored_time);
    for (size_t i = 0; i < retiming->count; i++) {
        Contender *contender = &retiming->contenders[i];
        contender->stored_rank = 1;
        for (size_t k = 0; k < retiming->count; k++)
            contender->stored_rank += time_is_faster(retiming->contenders[k].stored, contender->stored);
    }
}

Status retime_choose(Store *store, const Problem *problem, const char *of, const char *on, size_t top,
                     Retiming *retiming, Message *why)
{
    Board other;
    *retiming = (Retiming){.problem = problem};
    Status status = ranking_find_board(problem, on, &retiming->device, &other, why);
    THEN(status, ranking_find_board(problem, of, &retiming->of, &retiming->board, why));
    retiming->most_rounds = strcmp(retiming->of.id, retiming->device.id) != 0 ? 1
                            : retiming->device.modelled                       ? MODELLED_ROUNDS
                                                                              : MOST_ROUNDS;
    THEN(status, add_people(store, top, retiming, why));
    THEN(status, add_reference(store, retiming, why));
    if (status == STATUS_OK)
        sort_contenders(retiming);
    return status;
}

/* ---- the rounds -------------------------------------------------------------------------------------------------- */

/* One block of calls, in processes of its own. */
static Status time_once(Retiming *retiming, Contender *contender, size_t round, Message *why)
{
    Result result = {0};
    Status status = judge_timed(retiming->problem, &contender->submission, retiming->device.handle, true, &result, why);
    if (status == STATUS_OK && result.verdict == VERDICT_ACCEPTED)
        contender->ms[round] = result.score.ms;
    else if (status == STATUS_OK)
        contender->verdict = result.verdict;
    result_free(&result);
    return status;
}

static Status time_round(Retiming *retiming, Progress *progress, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < retiming->count && status == STATUS_OK; i++) {
        progress_note(progress, "round %zu, at most %zu: %s", retiming->rounds + 1, retiming->most_rounds,
                      retiming->contenders[i].name);
        status = time_once(retiming, &retiming->contenders[i], retiming->rounds, why);
        progress_advance(progress);
    }
    retiming->rounds += status == STATUS_OK;
    return status;
}

static bool all_are_decided(const Retiming *retiming)
{
    for (size_t i = 0; i < retiming->count; i++)
        for (size_t k = 0; k < i; k++) {
            const PairedRatio ratio = retime_ratio(retiming, &retiming->contenders[i], &retiming->contenders[k]);
            if (!paired_is_decided(&ratio))
                return false;
        }
    return true;
}

bool retime_is_done(const Retiming *retiming)
{
    const size_t rounds = retiming->rounds;
    if (rounds >= retiming->most_rounds)
        return true;
    return rounds >= LEAST_ROUNDS && (rounds - LEAST_ROUNDS) % MORE_ROUNDS == 0 && all_are_decided(retiming);
}

static Status time_rounds(Retiming *retiming, Progress *progress, Message *why)
{
    Status status = STATUS_OK;
    progress_begin(progress, "side by side", (int)(retiming->most_rounds * retiming->count));
    while (status == STATUS_OK && !retime_is_done(retiming))
        status = time_round(retiming, progress, why);
    progress_end(progress, status == STATUS_OK ? "all timed" : "failed");
    return status;
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

PairedRatio retime_ratio(const Retiming *retiming, const Contender *a, const Contender *b)
{
    return paired_ratio(a->ms, b->ms, retiming->rounds);
}

static int order_of(const Retiming *retiming, const Contender *a, const Contender *b)
{
    const PairedRatio ratio = retime_ratio(retiming, a, b);
    return paired_order(&ratio);
}

static void rank(Retiming *retiming)
{
    double ones[MOST_ROUNDS];
    for (size_t i = 0; i < retiming->rounds; i++)
        ones[i] = 1;
    for (size_t i = 0; i < retiming->count; i++) {
        Contender *contender = &retiming->contenders[i];
        const PairedRatio times = paired_ratio(contender->ms, ones, retiming->rounds);
        if (times.rounds == 0)
            continue;
        contender->retimed_ms = times.median;
        contender->retimed_rank = 1;
        for (size_t k = 0; k < retiming->count; k++)
            contender->retimed_rank += order_of(retiming, &retiming->contenders[k], contender) < 0;
    }
}

Status retime_run(Retiming *retiming, Progress *progress, Message *why)
{
    for (size_t i = 0; i < retiming->count; i++)
        retiming->contenders[i].ms = arena_array(&retiming->arena, retiming->most_rounds, sizeof(double));
    TRY(time_rounds(retiming, progress, why));
    rank(retiming);
    return STATUS_OK;
}

bool retime_contradicts(const Retiming *retiming)
{
    for (size_t i = 0; i < retiming->count; i++)
        for (size_t k = 0; k < retiming->count; k++) {
            const Contender *before = &retiming->contenders[i], *after = &retiming->contenders[k];
            if (time_is_faster(before->stored, after->stored) && order_of(retiming, after, before) < 0)
                return true;
        }
    return false;
}

bool retime_is_outside(const Contender *contender)
{
    const double factor = time_model_factor(contender->stored), ratio = contender->retimed_ms / contender->stored.ms;
    return factor > 1 && contender->retimed_ms > 0 && !(ratio <= factor && ratio >= 1 / factor);
}

void retime_free(Retiming *retiming)
{
    for (size_t i = 0; i < retiming->count; i++)
        submission_free(&retiming->contenders[i].submission);
    arena_free(&retiming->arena);
    *retiming = (Retiming){0};
}
