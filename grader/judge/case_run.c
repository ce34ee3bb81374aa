#include "grader/judge/case_run.h"

#include "base/clock.h"
#include "base/terminal.h"
#include "grader/check/call.h"
#include "harness/compile/compiled.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ==== judgement =================================================================================================== */

__attribute__((format(printf, 3, 4))) static Judgement judgement(Verdict verdict, HiddenFinding finding,
                                                                 const char *format, ...)
{
    Judgement result = {.verdict = verdict, .finding = finding};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result.text, sizeof result.text, format, arguments);
    va_end(arguments);
    return result;
}

static HiddenFinding only(Mistake mistake)
{
    return (HiddenFinding){.mistake = mistake};
}

static HiddenFinding only_kind(MistakeKind kind)
{
    return only((Mistake){.kind = kind});
}

static Judgement accepted(void)
{
    return judgement(VERDICT_ACCEPTED, only_kind(MISTAKE_NONE), "%s", "");
}

/* ---- the first cause --------------------------------------------------------------------------------------------- */

typedef struct PlacedText {
    char text[sizeof(((CallError *)0)->text) + 40];
} PlacedText;

/* "cudaMalloc: out of memory (x.cu:12)" */
static PlacedText placed(const char *text, int line)
{
    PlacedText said;
    snprintf(said.text, sizeof said.text, line == 0 ? "%s" : "%s (%s:%d)", text, COMPILE_SOURCE_NAME, line);
    return said;
}

static PlacedText text_of_error(const CallError *error)
{
    return placed(error->text, error->mistake.line);
}

/* Is the call that failed first the one that asked for too much device memory? */
static bool is_refused_allocation(const CallReport *call)
{
    return call->allocation_refused && call->first_error.error == CUDA_ERROR_MEMORY_ALLOCATION;
}

/* The CUDA call that failed before everything else that went wrong in the call of solve(); MISTAKE_NONE: none did. */
static Mistake mistake_of_error(const CallReport *call)
{
    Mistake mistake = call->first_error.mistake;
    if (is_refused_allocation(call))
        mistake.kind = MISTAKE_DEVICE_MEMORY;
    return mistake;
}

static Judgement judgement_of_memory(const CallReport *call, MistakeKind also, const char *consequence)
{
    Mistake mistake = {.kind = MISTAKE_DEVICE_MEMORY};
    if (is_refused_allocation(call))
        mistake = mistake_of_error(call);
    const HiddenFinding finding = {.mistake = mistake, .also = also};
    return consequence == NULL
               ? judgement(VERDICT_MEMORY_LIMIT_EXCEEDED, finding, "%s",
                           placed(mistake_words(MISTAKE_DEVICE_MEMORY), mistake.line).text)
               : judgement(VERDICT_MEMORY_LIMIT_EXCEEDED, finding, "%s; after that, %s",
                           placed("more device memory than the limit was refused", mistake.line).text, consequence);
}

/* Consequences of the lack are not mistakes of the submission, and are not reported. */
static Judgement judgement_of_lack(const CallReport *call)
{
    return judgement(VERDICT_JUDGE_ERROR, only(call->not_provided.mistake),
                     "a limit of the judge: it does not provide %s", text_of_error(&call->not_provided).text);
}

/* ---- the verdict of a call --------------------------------------------------------------------------------------- */

/* Shared memory that nothing has written is often read beside the data, and thrown away. */
static bool is_suspicious(const DeviceFinding *finding)
{
    return !finding->is_unwritten || finding->is_global;
}

/* The kind of the first finding that may have to do with the mistake, which a hidden case tells with it. */
static MistakeKind suspicion(const CallReport *call)
{
    for (uint32_t i = 0; i < call->findings.count; i++)
        if (is_suspicious(&call->findings.items[i]))
            return call->findings.items[i].mistake.kind;
    return MISTAKE_NONE;
}

/* solve() did not end well. A CUDA call that failed before that is the first cause, and stands first. */
static Judgement judgement_of_end(Verdict verdict, const CallReport *call)
{
    const HiddenFinding first = {.mistake = mistake_of_error(call), .also = call->mistake.kind},
                        alone = {.mistake = call->mistake, .also = suspicion(call)};
    if (call->first_error.error != CUDA_ERROR_SUCCESS)
        return judgement(verdict, first, "%s; after that, %s", text_of_error(&call->first_error).text, call->text);
    return judgement(verdict, alone, "%s", call->text);
}

/* For a call without an output. */
static Judgement judge_outcome(const CallReport *call)
{
    switch (call->outcome) {
    case CALL_OK: break;
    case CALL_RUN_TIME_ERROR:
        if (call->allocation_refused)
            return judgement_of_memory(call, call->mistake.kind, call->text);
        return call->not_provided.error != CUDA_ERROR_SUCCESS ? judgement_of_lack(call)
                                                              : judgement_of_end(VERDICT_RUN_TIME_ERROR, call);
    case CALL_TIME_LIMIT: return judgement_of_end(VERDICT_TIME_LIMIT_EXCEEDED, call);
    case CALL_MEMORY_LIMIT: return judgement_of_end(VERDICT_MEMORY_LIMIT_EXCEEDED, call);
    case CALL_UNSUPPORTED: return judgement(VERDICT_JUDGE_ERROR, only(call->mistake), "%s", call->text);
    case CALL_INTEGRITY_VIOLATION: return judgement(VERDICT_INTEGRITY_VIOLATION, only(call->mistake), "%s", call->text);
    }
    return accepted();
}

/* The first finding about a use of an undefined value; NULL: there is none. */
static const DeviceFinding *undefined_value(const CallReport *call)
{
    for (uint32_t i = 0; i < call->findings.count; i++)
        if (call->findings.items[i].is_undefined)
            return &call->findings.items[i];
    return NULL;
}

/* Which finding the verdict tells beside a wrong output: an undefined value before any other; NULL: there is none. */
static const DeviceFinding *finding_of_wrong_output(const CallReport *call)
{
    const DeviceFinding *undefined = undefined_value(call);
    return undefined == NULL && call->findings.count > 0 ? &call->findings.items[0] : undefined;
}

/* Errors that the submission overlooked explain a wrong output better than its numbers do. */
static Judgement judge_wrong_output(const CallReport *call, const Comparison *comparison)
{
    const DeviceFinding *found = finding_of_wrong_output(call);
    HiddenFinding finding = {.output = comparison->kind};
    if (call->allocation_refused)
        return judgement_of_memory(call, suspicion(call), NULL);
    if (call->not_provided.error != CUDA_ERROR_SUCCESS)
        return judgement_of_lack(call);
    if (call->first_error.error != CUDA_ERROR_SUCCESS)
        return judgement(VERDICT_RUN_TIME_ERROR,
                         (HiddenFinding){.mistake = call->first_error.mistake, .also = suspicion(call)}, "%s",
                         text_of_error(&call->first_error).text);
    if (found == NULL)
        return judgement(VERDICT_WRONG_ANSWER, finding, "%s", comparison->text);
    finding.mistake = found->mistake;
    return judgement(VERDICT_WRONG_ANSWER, finding, "%s; %s", comparison->text, found->text);
}

static bool is_right(const Comparison *comparison)
{
    return comparison->wrong == 0 && !comparison->rms_exceeded;
}

Judgement judgement_of_call(const CallReport *call, const Comparison *comparison, bool kernel_must_write_output)
{
    if (call->outcome != CALL_OK || comparison == NULL)
        return judge_outcome(call);
    if (call->input_changed)
        return judgement(VERDICT_RULE_VIOLATION, only_kind(MISTAKE_INPUT_CHANGED), "%s",
                         mistake_words(MISTAKE_INPUT_CHANGED));
    if (!is_right(comparison))
        return judge_wrong_output(call, comparison);
    if (kernel_must_write_output && call->output_origin == ORIGIN_NO_KERNEL)
        return judgement(VERDICT_RULE_VIOLATION, only_kind(MISTAKE_NOT_BY_KERNEL), "%s",
                         mistake_words(MISTAKE_NOT_BY_KERNEL));
    if (kernel_must_write_output && call->output_origin == ORIGIN_HOST)
        return judgement(VERDICT_RULE_VIOLATION, only_kind(MISTAKE_FROM_HOST), "%s", mistake_words(MISTAKE_FROM_HOST));
    return accepted();
}

bool judgement_needs_rerun(const CallReport *call)
{
    return undefined_value(call) != NULL;
}

Judgement judgement_of_rerun(const CallReport *call, const CallReport *again, const Comparison *comparison)
{
    Judgement decided = judgement_of_call(again, comparison, false);
    if (decided.verdict == VERDICT_ACCEPTED)
        return decided;
    const DeviceFinding *used = undefined_value(call);
    HiddenFinding finding = {.output = {.place = WRONG_PLACE_BY_CHANCE}};
    if (used != NULL)
        finding.mistake = used->mistake;
    return judgement(decided.verdict, finding,
                     "right only by luck: it uses an undefined value, and with another one: %.300s%s%s", decided.text,
                     used == NULL ? "" : "; ", used == NULL ? "" : used->text);
}

typedef struct ConflictText {
    char text[2 * DEVICE_PARTY_BYTES + 100];
} ConflictText;

/* "kernel blur on stream 2 (x.cu:31) does not wait for the copy of 400 bytes from the host on stream 1 (x.cu:27)" */
static ConflictText conflict_text(const DeviceConflict *conflict, ConflictLines lines)
{
    const bool is_host = conflict->second.name[0] == '\0';
    char first[40] = "", second[40] = "";
    ConflictText said;
    if (lines.first != 0)
        snprintf(first, sizeof first, " (%s:%d)", COMPILE_SOURCE_NAME, lines.first);
    if (lines.second != 0)
        snprintf(second, sizeof second, " (%s:%d)", COMPILE_SOURCE_NAME, lines.second);
    if (conflict->is_of_function)
        snprintf(said.text, sizeof said.text, "neither the host nor another stream waits for %s%s",
                 conflict->first.name, first);
    else
        snprintf(said.text, sizeof said.text, "%s%s does not wait for %s%s",
                 is_host ? "the host" : conflict->second.name, second, conflict->first.name, first);
    return said;
}

/* A hidden case reveals only one of the two lines: the one that fails to wait. */
static HiddenFinding hidden_conflict(const DeviceConflict *conflict, ConflictLines lines)
{
    HiddenFinding finding = {.output = {.place = WRONG_PLACE_BY_CHANCE}, .mistake = conflict->mistake};
    finding.mistake.line = conflict->second.name[0] == '\0' ? lines.first : lines.second;
    return finding;
}

/* Describes a call that was right in one order of its operations and, as `wrong` says, wrong in another. */
static Judgement judgement_of_order(const DeviceConflict *conflict, ConflictLines lines, const Judgement *wrong)
{
    return judgement(
        VERDICT_WRONG_ANSWER, hidden_conflict(conflict, lines),
        "right only by luck: %s, and the output depends on which comes first. In one of the orders that CUDA "
        "allows: %.300s",
        conflict_text(conflict, lines).text, wrong->text);
}

/* Describes a call that was right in each order of two operations which may run at the same time (DeviceConflict.is_race). */
static Judgement judgement_of_race(const DeviceConflict *conflict, ConflictLines lines)
{
    if (conflict->mistake.kind == MISTAKE_NO_GRID_WAIT)
        return judgement(
            VERDICT_WRONG_ANSWER, hidden_conflict(conflict, lines),
            "right only by luck: %s before it uses %s. It is launched with programmatic stream serialization, "
            "so that both may run at the same time: let it call cudaGridDependencySynchronize() first",
            conflict_text(conflict, lines).text, conflict->place);
    return judgement(VERDICT_WRONG_ANSWER, hidden_conflict(conflict, lines),
                     "right only by luck: %s, and both change %s; they may do so at the same time",
                     conflict_text(conflict, lines).text, conflict->place);
}

/* ==== limit ======================================================================================================= */

/* A kernel that never ends, though its state does not repeat, is found by its instructions. The limit of the problem
 * (CallLimits.warp_instructions) is made for its largest cases, and takes minutes on a busy machine. So a small case allows fewer,
 * if that is less: some fifty times what a single thread needs that computes everything, and enough for the largest grids. */
static uint64_t most_instructions(const Testcase *testcase)
{
    static const uint64_t LEAST = 100000000, EACH_OPERATION = 500;
    return testcase->attempt_instructions > 0 ? (uint64_t)testcase->attempt_instructions
                                              : LEAST + EACH_OPERATION * (uint64_t)testcase->operations;
}

/* ==== order rerun ================================================================================================= */

/* Finds out whether the result of a call depends on an order that CUDA does not promise.
 *
 * The simulated GPU carries out the operations of a call as late as it may (harness/device/sim_queue.h), and lists
 * operations that nothing orders though they use the same memory (DeviceConflict). If there are any, the call is
 * repeated in the order of the submission, and the conflicts are found to the byte. If one output is right and the other
 * is wrong, the answer is wrong. Then the two operations of each conflict are exchanged alone, and the one that makes
 * the output wrong is named.
 *
 * If both outputs are right, the answer is wrong where two operations change the same bytes: they may run at the same
 * time. So it is where a kernel uses bytes of the kernel before without waiting for it (programmatic stream
 * serialization). Of the other conflicts some are exchanged, and the whole order is drawn once. The key decides which and how, so
 * that no submission can be made for the orders that are tried.
 *
 * What the first call has left in memory would hide that an operation came too late. So these trials are made in processes of
 * their own, as is each first call of a grading.
 *
 * The checker compares the outputs. They need not be equal bit for bit, since atomic sums change with their order. */

enum { MOST_EXCHANGES = 3 }; /* of a call whose outputs are right in both orders */

typedef struct Rerun {
    Grading *judging;
    Call *call;
    bool is_secret;
    const Chacha20Key *key;
    bool needs_load; /* the submission's process is gone, or has seen this case */
    bool is_over;    /* the budget of the grading is used up, or the submission cannot be loaded any more */
} Rerun;

typedef struct Trial { /* one repetition */
    Judgement decided;
    DeviceConflicts conflicts;
    CaseOutput output;
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
                                 .warp_instructions = most_instructions(rerun->call->testcase),
                                 .sample_key = *rerun->key,
                                 .order = order};
    Grading *judging = rerun->judging;
    CallReport report = {0};
    Status status = load_again(rerun, why);
    *trial = (Trial){0};
    if (status != STATUS_OK || rerun->is_over)
        return status;
    status = session_call(judging->session, rerun->call->arguments, rerun->call->problem->parameter_count, &options,
                          &report, why);
    trial->output.compared = status == STATUS_OK && report.outcome == CALL_OK;
    if (trial->output.compared)
        status = call_compare(rerun->call, judging->oracle, NULL, &trial->output.comparison, why);
    trial->decided = judgement_of_call(&report, trial->output.compared ? &trial->output.comparison : NULL, false);
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
        rerun->needs_load = true;
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

/* Had the call `first`, for which `decided` was found, a choice of order? */
static bool order_rerun_is_due(const CallReport *first, const Judgement *decided)
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
    rerun->needs_load = true;
    TRY(try_order(rerun, (DeviceOrder){.kind = DEVICE_ORDER_DRAWN}, &drawn, why));
    if (!rerun->is_over && !is_accepted(&drawn.decided))
        *decided = judgement_of_order(pair, lines_of(rerun, pair), &drawn.decided);
    return STATUS_OK;
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

/* Repeats it. If the order matters, sets `decided`. `key`: that of the call (CallOptions.sample_key). */
static MUST_USE Status order_rerun_try(Grading *judging, Call *call, bool is_secret, const Chacha20Key *key,
                                       const CallReport *first, Judgement *decided, Message *why)
{
    Rerun rerun = {judging, call, is_secret, key, first->outcome != CALL_OK, false};
    Status status = compare_orders(&rerun, first, decided, why);
    return status == STATUS_OK && !rerun.is_over ? load_again(&rerun, why) : status;
}

/* ==== uninitialised rerun ========================================================================================= */

/* Finds out whether an output is right only by luck, because an undefined value happened to
 * suit: memory that nothing has written, or what a shuffle returns of a lane that takes no part.
 *
 * A call that used such values is repeated with other bytes in their place (DEVICE_LARGE_BYTE, DEVICE_NAN_BYTE): floats
 * of 2e8 and NaN. (The bytes of the first call are floats of -4e8, which win a minimum.) If the checker accepts the output
 * each time, it does not depend on them as far as anyone can see. The outputs need not be equal bit for bit, since atomic
 * sums change with their order. */

static Status rerun_with(uint8_t byte, Call *call, bool is_secret, Session *session, const Oracle *oracle,
                         const CallReport *first, CaseOutput *output, Judgement *decided, Message *why)
{
    const CallOptions options = {.check_inputs = true,
                                 .untimed = true,
                                 .is_secret = is_secret,
                                 .warp_instructions = most_instructions(call->testcase),
                                 .uninitialised_byte = byte};
    CallReport again;
    Status status = session_call(session, call->arguments, call->problem->parameter_count, &options, &again, why);
    output->compared = status == STATUS_OK && again.outcome == CALL_OK;
    if (output->compared)
        status = call_compare(call, oracle, NULL, &output->comparison, why);
    if (status == STATUS_OK)
        *decided = judgement_of_rerun(first, &again, output->compared ? &output->comparison : NULL);
    text_free(&again.printed);
    return status;
}

/* The call `first` used such a value, and its output was right. If that of a repetition is not, sets `output`
 * and `decided`. */
static MUST_USE Status uninitialised_rerun_try(Call *call, bool is_secret, Session *session, const Oracle *oracle,
                                               const CallReport *first, CaseOutput *output, Judgement *decided,
                                               Message *why)
{
    static const uint8_t bytes[] = {DEVICE_LARGE_BYTE, DEVICE_NAN_BYTE};
    for (size_t i = 0; i < sizeof bytes && decided->verdict == VERDICT_ACCEPTED; i++)
        TRY(rerun_with(bytes[i], call, is_secret, session, oracle, first, output, decided, why));
    return STATUS_OK;
}

/* ==== case run ==================================================================================================== */

static const double TRIALS_S = 1; /* no trial begins later than this after the first call of the case */

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

/* Is the finding told by a warning? `told`: the verdict tells that one (NULL: none). If the output is right, uninitialised reads of
 * shared memory are harmless. */
static bool is_warning(const CaseResult *item, const DeviceFinding *finding, const DeviceFinding *told)
{
    return finding != told && (item->verdict != VERDICT_ACCEPTED || is_suspicious(finding));
}

/* Only the first call with findings warns of them; the others mostly have the same. What follows from a limit of the judge is not
 * told. */
static void warn_of_findings(Grading *judging, const CaseResult *item, const CallReport *call)
{
    const DeviceFindings *findings = &call->findings;
    const DeviceFinding *told = item->verdict == VERDICT_WRONG_ANSWER ? finding_of_wrong_output(call) : NULL;
    if (judging->findings_told || item->verdict == VERDICT_JUDGE_ERROR)
        return;
    judging->findings_told = told != NULL;
    for (uint32_t i = 0; i < findings->count; i++)
        if (is_warning(item, &findings->items[i], told)) {
            result_warn(judging->result, "%s", judging_wording(judging, findings->items[i].text));
            judging->findings_told = true;
        }
    if (findings->more > 0 && judging->findings_told)
        result_warn(judging->result, "and %u more finding%s of this kind", findings->more,
                    findings->more == 1 ? "" : "s");
}

static void warn_of_what_was_overlooked(Grading *judging, const CallReport *call)
{
    const bool has_failed = call->first_error.error != CUDA_ERROR_SUCCESS;
    if (has_failed)
        result_warn(judging->result, "a CUDA call failed, though the output was right: %s",
                    judging_wording(judging, text_of_error(&call->first_error).text));
    judging->error_told = judging->error_told || has_failed;
    if (call->output_copied)
        result_warn(judging->result, "%s", mistake_words(MISTAKE_OUTPUT_COPIED));
    if (call->pending_at_return)
        judging->result->note = mistake_words(MISTAKE_NOT_SYNCHRONISED);
}

/* A case whose data are secret keeps one warning at most, of what no sample has warned of. */
static void keep_warning(Grading *judging, const CaseResult *item, const CallReport *call)
{
    for (uint32_t i = 0; i < call->findings.count && !judging->findings_told; i++)
        if (is_warning(item, &call->findings.items[i], NULL))
            judging_keep_warning(judging, call->findings.items[i].mistake);
    if (call->first_error.error != CUDA_ERROR_SUCCESS && !judging->error_told)
        judging_keep_warning(judging, call->first_error.mistake);
    if (call->output_copied)
        judging_keep_warning(judging, (Mistake){.kind = MISTAKE_OUTPUT_COPIED});
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

Judgement case_judgement(const Grading *judging, const CaseOutput *output, const CallReport *call)
{
    return judgement_of_call(call, output->compared ? &output->comparison : NULL,
                             judging->job->problem->kernel_must_write_output);
}

/* Do the numbers of an output say anything? They follow from what the verdict says where the judge lacks something, or where nothing
 * was written because of another mistake: there, each is the NaN that stood there before. */
static bool output_tells(const CaseResult *item, const CaseOutput *output)
{
    const bool is_verdict = item->verdict == VERDICT_WRONG_ANSWER || item->verdict == VERDICT_ACCEPTED;
    return output->compared && item->verdict != VERDICT_JUDGE_ERROR &&
           (is_verdict || output->comparison.kind.nature != WRONG_NATURE_NEVER_WRITTEN);
}

/* A sample's data are public: everything may be told. */
static void conclude_sample(Grading *judging, CaseResult *item, const CallReport *call, const CaseOutput *output,
                            const Judgement *decided)
{
    Arena *arena = &judging->result->arena;
    SampleDetails *details = arena_array(arena, 1, sizeof *details);
    *details = (SampleDetails){.compared = output_tells(item, output),
                               .comparison = output->comparison,
                               .elements = output->elements,
                               .printed = ""};
    if (call->printed.length > 0) {
        details->printed = arena_copy(arena, call->printed.data, call->printed.length);
        details->printed_lost = call->printed_lost;
    }
    item->sample = details;
    item->text = judging_wording(judging, decided->text);
    warn_of_findings(judging, item, call);
    if (item->verdict == VERDICT_ACCEPTED)
        warn_of_what_was_overlooked(judging, call);
}

/* Sizes that were drawn for this grading alone are of no use in the next one. */
static const char *with_drawn_sizes(const Grading *judging, const CaseResult *item, const char *finding)
{
    Text sizes = {0};
    sizes_add(&sizes, judging->job->problem, &item->sizes);
    const char *text = arena_printf(&judging->result->arena, "%s; sizes drawn for this grading: %s", finding,
                                    sizes.data);
    text_free(&sizes);
    return text;
}

/* Secret cases: the report and the text stay out of the result. */
static void conclude_secret(Grading *judging, CaseResult *item, const CallReport *call, const Judgement *decided)
{
    if (item->verdict == VERDICT_ACCEPTED) {
        keep_warning(judging, item, call);
        return;
    }
    item->text = judging_hidden_wording(judging, &decided->finding);
    if (item->draws_sizes)
        item->text = with_drawn_sizes(judging, item, item->text);
}

/* The errors of timed cases may be told: their data are worthless in the next grading. */
static CaseErrors errors_of(const CaseResult *item, const CaseOutput *output)
{
    const Comparison *comparison = &output->comparison;
    if (!output->compared)
        return (CaseErrors){0};
    if (item->group != CASE_HIDDEN)
        return (CaseErrors){true, comparison->max_error, comparison->mean_error, comparison->bound};
    const double error = item->verdict == VERDICT_WRONG_ANSWER ? hidden_error(comparison->max_error) : 0;
    return (CaseErrors){.known = error > 0, .max = error};
}

void case_conclude(Grading *judging, CaseResult *item, const CallReport *call, const CaseOutput *output,
                   const Judgement *decided)
{
    item->judged = true;
    item->verdict = decided->verdict;
    item->finding = decided->finding;
    item->errors = errors_of(item, output);
    if (item->group != CASE_HIDDEN)
        item->statistics = call->statistics;
    if (item->group == CASE_SAMPLE)
        conclude_sample(judging, item, call, output, decided);
    else
        conclude_secret(judging, item, call, decided);
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

static void keep_sample(CaseResult *item, const CallReport *report)
{
    item->samples[item->sample_count] = (CaseSample){.event_s = report->event_s,
                                                     .host_s = report->host_s,
                                                     .block = (int)item->sample_count,
                                                     .busy_s = report->busy_s};
    item->sample_count++;
}

/* On a simulated GPU, a timed case has a runner of its own and a single call. Constructors may have worked before it. */
static void charge_constructors(Grading *judging, CaseResult *item)
{
    if (judging->session->traits.clock != SESSION_MODEL || item->sample_count == 0 || !(judging->load.busy_s > 0))
        return;
    item->warm_up = arena_array(&judging->result->arena, 1, sizeof *item->warm_up);
    item->warm_up[0] = judging->load;
    item->warm_up_count = 1;
    item->samples[0].charged_s = timing_excess(item->warm_up, 1, item->samples, 1);
    case_warn_of_charge(judging, item);
}

void case_warn_of_charge(Grading *judging, const CaseResult *item)
{
    double most_s = 0;
    for (size_t i = 0; i < item->sample_count; i++)
        most_s = fmax(most_s, item->samples[i].charged_s);
    if (most_s > 0)
        result_warn(judging->result,
                    "a call kept the device busy for much longer than the timed calls; the rest of its time was spread "
                    "over them: %s each",
                    quantity_time(1e3 * most_s).text);
}

/* Which blocks the sanitizer looks at, and which orders of operations are tried: other ones in each case of each grading,
 * and the same ones with the same seed. */
static Chacha20Key sample_key(const Grading *judging, const CaseResult *item)
{
    const uint32_t purpose = UINT32_MAX; /* of no array (testcase_key()) */
    return generator_derive(&judging->secret, purpose, item->group, (uint32_t)(item - judging->result->cases));
}

/* True if nobody may learn what the submission does with the data, not even its author. */
static bool is_secret(const Grading *judging, const CaseResult *item)
{
    return item->group == CASE_HIDDEN && !judging->job->shows_durations;
}

/* Nothing tells which elements of an array that is read and written were left out: it holds no poison before the call. */
static bool changes_an_input(const Call *call)
{
    bool found = false;
    for (size_t i = 0; i < call->problem->parameter_count; i++)
        found = found || call->arguments[i].role == ARGUMENT_INOUT;
    return found;
}

/* Calls solve(), and again where a timed case needs more samples. `report` is the last call's. */
static Status call_solve(Grading *judging, Call *call, CaseResult *item, CallReport *report, Message *why)
{
    const bool timed = item->group == CASE_TIMED, warms_up = timed && judging->session->traits.clock == SESSION_WALL;
    const CallOptions options = {.check_inputs = true,
                                 .sanitize = true,
                                 .untimed = !timed,
                                 .samples_blocks = timed && judging->session->traits.clock == SESSION_MODEL &&
                                                   !judging->runs_all_blocks && !changes_an_input(call),
                                 .is_secret = is_secret(judging, item),
                                 .repeats_addresses = call->testcase->repeats_addresses,
                                 .warp_instructions = most_instructions(call->testcase),
                                 .sample_key = sample_key(judging, item),
                                 .traced = item->group == CASE_SAMPLE ? judging->job->traced : 0,
                                 .traced_output = judging->job->traced_output};
    const int calls = warms_up ? 1 + CASE_TRIALS : 1;
    const double start_s = now_s();
    Status status = STATUS_OK;
    item->samples = arena_array(&judging->result->arena, (size_t)calls, sizeof *item->samples);
    for (int i = 0; i < calls && status == STATUS_OK && report->outcome == CALL_OK; i++) {
        if (i > 1 && now_s() - start_s > TRIALS_S)
            break;
        text_free(&report->printed);
        status = session_call(judging->session, call->arguments, judging->job->problem->parameter_count, &options,
                              report, why);
        if (status == STATUS_OK && report->outcome == CALL_OK && timed && !(warms_up && i == 0))
            keep_sample(item, report);
    }
    return status;
}

/* Of the first call: later ones only look for its mistakes. */
static void keep_profile(const Grading *judging, const CaseResult *item)
{
    const size_t place = (size_t)(item - judging->result->cases);
    if (judging->profile != NULL && place < JOB_MAX_PROFILES)
        judging->job->profiles[place] = *judging->profile;
}

/* Nothing is known of the output then, and the runner is no longer of use. */
static bool is_given_up(const Grading *judging, const Call *call, const CallReport *report)
{
    return judging->session->traits.clock == SESSION_MODEL && call->testcase->attempt_instructions > 0 &&
           report->outcome == CALL_TIME_LIMIT && report->mistake.kind == MISTAKE_KERNEL_TIME;
}

/* Whether blocks that did not run are missed: by another operation, or because those that were drawn have written less than
 * their part of the output. What blocks stored that run in any case does not count. So a kernel that leaves outputs to a
 * few blocks, or out, gains nothing from blocks that do not run. */
static bool misses_blocks(const Call *call, const CallReport *report)
{
    const double least = 0.995; /* how many blocks were drawn at the borders, which write less, is chance */
    const DeviceStatistics *statistics = &report->statistics;
    if (!call->in_part)
        return false;
    const double bytes = (double)call->arguments[problem_output(call->problem)].bytes;
    const double drawn = call_written_share(call) - (double)statistics->certain_bytes / bytes;
    return statistics->is_sample_unsound || (report->outcome == CALL_OK && drawn < least * statistics->drawn_share);
}

/* Those of a wrong sample. */
static Status keep_elements(Grading *judging, const Call *call, const CaseResult *item, CaseOutput *output,
                            Message *why)
{
    if (item->group != CASE_SAMPLE || output->comparison.wrong == 0)
        return STATUS_OK;
    return call_elements(call, judging->oracle, output->comparison.output, &judging->result->arena, &output->elements,
                         why);
}

/* In the large cases that a simulated GPU times, and in those that it only attempts, computing the expected output would
 * take longer than simulating a good kernel. The elements to compare are drawn when the output exists. */
static Status check_output(Grading *judging, Call *call, const CaseResult *item, CaseOutput *output, Message *why)
{
    const uint32_t purpose = UINT32_MAX - 1; /* of no array, and not that of sample_key() */
    output->compared = true;
    call->in_sample = (item->group == CASE_TIMED || call->testcase->attempt_instructions > 0) &&
                      judging->session->traits.clock == SESSION_MODEL;
    call->sample = generator_derive(&judging->secret, purpose, item->group, (uint32_t)(item - judging->result->cases));
    TRY(call_compare(call, judging->oracle, &judging->earlier, &output->comparison, why));
    return keep_elements(judging, call, item, output, why);
}

/* ---- a wrong output alone ---------------------------------------------------------------------------------------- */

/* What earlier calls have left explains a wrong output if the same call is right in a process of its own. If it is wrong
 * there, too, that output is the one to explain, since nothing else can have a part in it. */

/* False for a call whose output depends on an order or on undefined values, since these may differ the next time; and
 * for cases that are run for partial points, whose explanation is not shown. */
static bool is_to_be_called_alone(const Grading *judging, const CaseResult *item, const CallReport *call,
                                  const Judgement *decided)
{
    const bool is_for_points = item->group == CASE_HIDDEN && result_failed_case(judging->result) != NULL;
    return item->group != CASE_TIMED && decided->verdict == VERDICT_WRONG_ANSWER && !judging->job->is_opinion &&
           judging->earlier.testcases[EARLIER_BEFORE] != NULL && call->conflicts.count == 0 &&
           undefined_value(call) == NULL && !is_for_points;
}

static void blame_earlier_call(Comparison *comparison, Judgement *decided)
{
    WrongOutput *kind = &comparison->kind;
    const size_t where = strcspn(comparison->text, ":");
    if (kind->nature == WRONG_NATURE_STALE)
        return;
    kind->nature = WRONG_NATURE_LEFT_OVER;
    snprintf(comparison->text + where, sizeof comparison->text - where, ": %s", wrong_nature_words(kind->nature));
    *decided = judgement(VERDICT_WRONG_ANSWER, (HiddenFinding){.output = *kind}, "%s", comparison->text);
}

static MUST_USE Status call_alone(Grading *judging, Call *call, const CaseResult *item, CaseOutput *output,
                                  Judgement *decided, Message *why)
{
    const Chacha20Key key = sample_key(judging, item);
    Rerun rerun = {judging, call, is_secret(judging, item), &key, .needs_load = true};
    Trial trial;
    judging->earlier = (EarlierInputs){0};
    Status status = try_order(&rerun, (DeviceOrder){.kind = DEVICE_ORDER_LATE}, &trial, why);
    judging->runner_is_spent = judging->runner_is_spent || rerun.is_over || rerun.needs_load;
    if (status != STATUS_OK || rerun.is_over)
        return status;
    if (is_accepted(&trial.decided)) {
        blame_earlier_call(&output->comparison, decided);
        return STATUS_OK;
    }
    if (trial.decided.verdict != VERDICT_WRONG_ANSWER)
        return STATUS_OK;
    *output = trial.output;
    *decided = trial.decided;
    return keep_elements(judging, call, item, output, why);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

Status case_run(Grading *judging, const Testcase *testcase, CaseResult *item, Message *why)
{
    Call call;
    CallReport report = {0};
    CaseOutput output = {0};
    Status status = call_prepare(judging->job->problem, testcase, judging->session, &call, why);
    if (status == STATUS_OK) {
        call_fill(&call, &judging->secret);
        item->input_bytes = call_input_bytes(&call);
        status = call_solve(judging, &call, item, &report, why);
        keep_profile(judging, item);
    }
    call.in_part = report.statistics.sampled_share > 0 && report.statistics.sampled_share < 1;
    judging->wants_all_blocks = status == STATUS_OK && misses_blocks(&call, &report);
    if (judging->wants_all_blocks) {
        item->sample_count = 0;
        text_free(&report.printed);
        return STATUS_OK;
    }
    judging->runner_is_spent = status == STATUS_OK && is_given_up(judging, &call, &report);
    if (judging->runner_is_spent)
        report = (CallReport){.printed = report.printed};
    else if (status == STATUS_OK && report.outcome == CALL_OK)
        status = check_output(judging, &call, item, &output, why);
    Judgement decided = case_judgement(judging, &output, &report);
    const Chacha20Key key = sample_key(judging, item);
    if (status == STATUS_OK && order_rerun_is_due(&report, &decided) &&
        !(item->group == CASE_TIMED && decided.verdict == VERDICT_ACCEPTED))
        status = order_rerun_try(judging, &call, is_secret(judging, item), &key, &report, &decided, why);
    if (status == STATUS_OK && is_to_be_called_alone(judging, item, &report, &decided))
        status = call_alone(judging, &call, item, &output, &decided, why);
    if (status == STATUS_OK && decided.verdict == VERDICT_ACCEPTED && judgement_needs_rerun(&report))
        status = uninitialised_rerun_try(&call, is_secret(judging, item), judging->session, judging->oracle, &report,
                                         &output, &decided, why);
    if (status == STATUS_OK)
        case_conclude(judging, item, &report, &output, &decided);
    if (status != STATUS_OK || item->verdict != VERDICT_ACCEPTED)
        item->sample_count = 0;
    earlier_inputs_note(&judging->earlier, &call, &judging->secret);
    charge_constructors(judging, item);
    result_time_case(item, &judging->result->device);
    text_free(&report.printed);
    return status;
}
