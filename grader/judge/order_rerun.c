#include "grader/judge/order_rerun.h"

#include "harness/compile/host_line.h"

enum { MOST_EXCHANGES = 3 }; /* of a call whose outputs are right in both orders */

typedef struct Rerun {
    Grading *judging;
    Call *call;
    bool is_secret;
    const Chacha20Key *key;
    bool needs_load; /* the submission's process is gone */
    bool is_over;    /* the budget of the grading is used up, or the submission cannot be loaded any more */
} Rerun;

typedef struct Trial { /* one repetition */
    Judgement decided;
    DeviceConflicts conflicts;
} Trial;

static bool is_accepted(const Judgement *decided)
{
    return decided->verdict == VERDICT_ACCEPTED;
}

static int line_of(const Rerun *rerun, const DeviceParty *party)
{
    return party->place == 0 ? 0 : host_line(rerun->judging->result->compiled.object_path, party->place - 1);
}

static ConflictLines lines_of(const Rerun *rerun, const DeviceConflict *conflict)
{
    return (ConflictLines){line_of(rerun, &conflict->first), line_of(rerun, &conflict->second)};
}

static Status load_again(Rerun *rerun, Message *why)
{
    CallReport report = {0};
    Grading *judging = rerun->judging;
    if (!rerun->needs_load)
        return STATUS_OK;
    Status status = session_load(judging->session, &judging->result->compiled, &judging->limits, &report, why);
    rerun->is_over = status != STATUS_OK || report.outcome != CALL_OK;
    rerun->needs_load = false;
    judging->ended = judging->ended || rerun->is_over;
    text_free(&report.printed);
    return status;
}

static Status try_order(Rerun *rerun, DeviceOrder order, Trial *trial, Message *why)
{
    const CallOptions options = {.check_inputs = true,
                                 .untimed = true,
                                 .is_secret = rerun->is_secret,
                                 .sample_key = *rerun->key,
                                 .order = order};
    Grading *judging = rerun->judging;
    CallReport report = {0};
    Comparison comparison;
    Status status = load_again(rerun, why);
    *trial = (Trial){0};
    if (status != STATUS_OK || rerun->is_over)
        return status;
    status = session_call(judging->session, rerun->call->arguments, rerun->call->problem->parameter_count, &options,
                          &report, why);
    bool has_output = status == STATUS_OK && report.outcome == CALL_OK;
    if (has_output)
        status = call_compare(rerun->call, judging->oracle, NULL, &comparison, why);
    trial->decided = judgement_of_call(&report, has_output ? &comparison : NULL, false);
    trial->conflicts = report.conflicts;
    rerun->needs_load = report.outcome != CALL_OK;
    rerun->is_over = report.outcome == CALL_TIME_LIMIT;
    text_free(&report.printed);
    return status;
}

static bool is_found(const DeviceConflict *conflict)
{
    return conflict->first.name[0] != '\0';
}

/* Finds a conflict of two operations, or of the host, that alone makes a right output wrong, from a drawn one on; without
 * one, `found` stays as it is. */
static Status find_culprit(Rerun *rerun, const DeviceConflicts *conflicts, uint32_t most, bool of_host,
                           DeviceConflict *found, Judgement *wrong, Message *why)
{
    Status status = STATUS_OK;
    for (uint32_t i = 0; i < conflicts->count && most > 0 && status == STATUS_OK && !rerun->is_over; i++) {
        const DeviceConflict *conflict = &conflicts->items[(rerun->key->words[0] + i) % conflicts->count];
        Trial trial;
        if ((conflict->order.until == 0) != of_host)
            continue;
        status = try_order(rerun, conflict->order, &trial, why);
        most--;
        if (status != STATUS_OK || rerun->is_over || is_accepted(&trial.decided))
            continue;
        *found = *conflict;
        *wrong = trial.decided;
        break;
    }
    return status;
}

/* Where two operations are to blame, the host is not, even if it would help that it waits. */
static Status find_pair_or_host(Rerun *rerun, const DeviceConflicts *conflicts, DeviceConflict *found, Judgement *wrong,
                                Message *why)
{
    DeviceConflict pair = {0};
    Status status = find_culprit(rerun, conflicts, DEVICE_MAX_CONFLICTS, false, &pair, wrong, why);
    if (status != STATUS_OK || rerun->is_over)
        return status;
    if (!is_found(&pair))
        return find_culprit(rerun, conflicts, DEVICE_MAX_CONFLICTS, true, found, wrong, why);
    *found = pair;
    return STATUS_OK;
}

/* A conflict of two operations, a race if there is one; NULL: there is none. */
static const DeviceConflict *worst_pair(const DeviceConflicts *conflicts)
{
    const DeviceConflict *worst = NULL;
    for (uint32_t i = 0; i < conflicts->count; i++) {
        const DeviceConflict *conflict = &conflicts->items[i];
        if (conflict->order.until != 0 && (worst == NULL || (conflict->is_race && !worst->is_race)))
            worst = conflict;
    }
    return worst;
}

/* Without a trial that shows it, as where memory already holds what an earlier call has left there: a pair that was found to
 * the byte before any other conflict. */
static DeviceConflict likely_culprit(const DeviceConflicts *exact, const DeviceConflicts *rough)
{
    const DeviceConflict *pair = worst_pair(exact);
    return pair != NULL ? *pair : rough->count > 0 ? rough->items[0] : exact->items[0];
}

bool order_rerun_is_due(const CallReport *first, const Judgement *decided)
{
    return (first->conflicts.count > 0 || first->conflicts.is_fault_unordered) &&
           (is_accepted(decided) || decided->verdict == VERDICT_WRONG_ANSWER ||
            (decided->verdict == VERDICT_RUN_TIME_ERROR && first->outcome == CALL_RUN_TIME_ERROR));
}

/* The outputs are right both in the late order and in that of the submission, which `conflicts` are of. */
static Status look_further(Rerun *rerun, const DeviceConflicts *conflicts, Judgement *decided, Message *why)
{
    const DeviceConflict *pair = worst_pair(conflicts);
    DeviceConflict culprit = {0};
    Judgement wrong;
    Trial drawn;
    if (pair == NULL)
        return STATUS_OK;
    if (pair->is_race) {
        *decided = judgement_of_race(pair, lines_of(rerun, pair));
        return STATUS_OK;
    }
    Status status = find_culprit(rerun, conflicts, MOST_EXCHANGES, false, &culprit, &wrong, why);
    if (status != STATUS_OK || rerun->is_over || is_found(&culprit)) {
        if (status == STATUS_OK && is_found(&culprit))
            *decided = judgement_of_order(&culprit, lines_of(rerun, &culprit), &wrong);
        return status;
    }
    status = try_order(rerun, (DeviceOrder){.kind = DEVICE_ORDER_DRAWN}, &drawn, why);
    if (status == STATUS_OK && !rerun->is_over && !is_accepted(&drawn.decided))
        *decided = judgement_of_order(pair, lines_of(rerun, pair), &drawn.decided);
    return status;
}

static Status compare_orders(Rerun *rerun, const CallReport *first, Judgement *decided, Message *why)
{
    const bool was_right = is_accepted(decided);
    Trial issued;
    const bool is_exact = worst_pair(&first->conflicts) != NULL; /* the host alone has no footprint */
    Status status = try_order(rerun, (DeviceOrder){.kind = DEVICE_ORDER_ISSUED, .is_exact = is_exact}, &issued, why);
    if (status != STATUS_OK || rerun->is_over)
        return status;
    if (was_right == is_accepted(&issued.decided)) /* else wrong in any order */
        return was_right ? look_further(rerun, &issued.conflicts, decided, why) : STATUS_OK;
    DeviceConflict culprit = likely_culprit(&issued.conflicts, &first->conflicts);
    Judgement wrong = was_right ? issued.decided : *decided;
    if (!was_right)
        status = find_pair_or_host(rerun, &issued.conflicts, &culprit, &wrong, why);
    if (status == STATUS_OK && is_found(&culprit))
        *decided = judgement_of_order(&culprit, lines_of(rerun, &culprit), &wrong);
    return status;
}

Status order_rerun_try(Grading *judging, Call *call, bool is_secret, const Chacha20Key *key, const CallReport *first,
                       Judgement *decided, Message *why)
{
    Rerun rerun = {judging, call, is_secret, key, first->outcome != CALL_OK, false};
    Status status = compare_orders(&rerun, first, decided, why);
    return status == STATUS_OK && !rerun.is_over ? load_again(&rerun, why) : status;
}
