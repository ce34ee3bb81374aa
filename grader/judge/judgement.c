#include "grader/judge/judgement.h"

#include <stdarg.h>
#include <stdio.h>

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

/* For a call without an output: solve() did not end well. */
static Judgement judge_outcome(const CallReport *call)
{
    switch (call->outcome) {
    case CALL_OK: break;
    case CALL_RUN_TIME_ERROR:
        if (call->allocation_refused)
            return judgement(VERDICT_MEMORY_LIMIT_EXCEEDED, only_kind(MISTAKE_DEVICE_MEMORY),
                             "more device memory than the limit was refused; after that, %s", call->text);
        if (call->not_provided[0] != '\0')
            return judgement(VERDICT_JUDGE_ERROR, only_kind(MISTAKE_NOT_PROVIDED),
                             "a limit of the judge: it does not provide %s; after that, %s", call->not_provided,
                             call->text);
        return judgement(VERDICT_RUN_TIME_ERROR, only(call->mistake), "%s", call->text);
    case CALL_TIME_LIMIT: return judgement(VERDICT_TIME_LIMIT_EXCEEDED, only(call->mistake), "%s", call->text);
    case CALL_MEMORY_LIMIT: return judgement(VERDICT_MEMORY_LIMIT_EXCEEDED, only(call->mistake), "%s", call->text);
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

/* Errors that the submission overlooked explain a wrong output better than its numbers do. */
static Judgement judge_wrong_output(const CallReport *call, const Comparison *comparison)
{
    const DeviceFinding *undefined = undefined_value(call);
    HiddenFinding finding = {.output = comparison->kind};
    if (call->allocation_refused)
        return judgement(VERDICT_MEMORY_LIMIT_EXCEEDED, only_kind(MISTAKE_DEVICE_MEMORY), "%s",
                         mistake_words(MISTAKE_DEVICE_MEMORY));
    if (call->not_provided[0] != '\0')
        return judgement(VERDICT_JUDGE_ERROR, only_kind(MISTAKE_NOT_PROVIDED),
                         "a limit of the judge: it does not provide %s, and the output is wrong without it: %s",
                         call->not_provided, comparison->text);
    if (call->first_error != 0)
        return judgement(VERDICT_RUN_TIME_ERROR, only_kind(call->first_error_kind), "%s", call->first_error_text);
    if (undefined == NULL)
        return judgement(VERDICT_WRONG_ANSWER, finding, "%s", comparison->text);
    finding.mistake = undefined->mistake;
    return judgement(VERDICT_WRONG_ANSWER, finding, "%s; %s", comparison->text, undefined->text);
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

/* Of the two lines a hidden case tells one: of what fails to wait. */
static HiddenFinding hidden_conflict(const DeviceConflict *conflict, ConflictLines lines)
{
    HiddenFinding finding = {.output = {.place = WRONG_PLACE_BY_CHANCE}, .mistake = conflict->mistake};
    finding.mistake.line = conflict->second.name[0] == '\0' ? lines.first : lines.second;
    return finding;
}

Judgement judgement_of_order(const DeviceConflict *conflict, ConflictLines lines, const Judgement *wrong)
{
    return judgement(
        VERDICT_WRONG_ANSWER, hidden_conflict(conflict, lines),
        "right only by luck: %s, and the output depends on which comes first. In one of the orders that CUDA "
        "allows: %.300s",
        conflict_text(conflict, lines).text, wrong->text);
}

Judgement judgement_of_race(const DeviceConflict *conflict, ConflictLines lines)
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
