#include "grader/judge/judgement.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 2, 3))) static Judgement judgement(Verdict verdict, const char *format, ...)
{
    Judgement result = {.verdict = verdict};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result.text, sizeof result.text, format, arguments);
    va_end(arguments);
    return result;
}

/* For a call without an output: solve() did not end well. */
static Judgement judge_outcome(const CallReport *call)
{
    switch (call->outcome) {
    case CALL_OK: break;
    case CALL_RUN_TIME_ERROR:
        if (call->allocation_refused)
            return judgement(VERDICT_MEMORY_LIMIT_EXCEEDED,
                             "more device memory than the limit was refused; after that, %s", call->text);
        if (call->not_provided[0] != '\0')
            return judgement(VERDICT_JUDGE_ERROR, "a limit of the judge: it does not provide %s; after that, %s",
                             call->not_provided, call->text);
        return judgement(VERDICT_RUN_TIME_ERROR, "%s", call->text);
    case CALL_TIME_LIMIT: return judgement(VERDICT_TIME_LIMIT_EXCEEDED, "%s", call->text);
    case CALL_MEMORY_LIMIT: return judgement(VERDICT_MEMORY_LIMIT_EXCEEDED, "%s", call->text);
    case CALL_UNSUPPORTED: return judgement(VERDICT_JUDGE_ERROR, "%s", call->text);
    case CALL_INTEGRITY_VIOLATION: return judgement(VERDICT_INTEGRITY_VIOLATION, "%s", call->text);
    }
    return judgement(VERDICT_ACCEPTED, "%s", "");
}

/* The first finding about a use of an undefined value; NULL: there is none. */
static const char *undefined_value(const CallReport *call)
{
    for (uint32_t i = 0; i < call->findings.count; i++)
        if (call->findings.items[i].is_undefined)
            return call->findings.items[i].text;
    return NULL;
}

/* Errors that the submission overlooked explain a wrong output better than its numbers do. */
static Judgement judge_wrong_output(const CallReport *call, const Comparison *comparison)
{
    if (call->allocation_refused)
        return judgement(VERDICT_MEMORY_LIMIT_EXCEEDED,
                         "solve() asked for more device memory than the limit, and was refused");
    if (call->not_provided[0] != '\0')
        return judgement(VERDICT_JUDGE_ERROR,
                         "a limit of the judge: it does not provide %s, and the output is wrong without it: %s",
                         call->not_provided, comparison->kind);
    if (call->first_error != 0)
        return judgement(VERDICT_RUN_TIME_ERROR, "%s", call->first_error_text);
    if (undefined_value(call) != NULL)
        return judgement(VERDICT_WRONG_ANSWER, "%s; %s", comparison->kind, undefined_value(call));
    return judgement(VERDICT_WRONG_ANSWER, "%s", comparison->kind);
}

static bool is_right(const Comparison *comparison)
{
    return comparison->wrong == 0 && !comparison->rms_exceeded;
}

static const char LET_KERNELS_WRITE[] =
    "let a kernel write to it directly, or copy a kernel's results to it on the device "
    "with cudaMemcpyDeviceToDevice";

Judgement judgement_of_call(const CallReport *call, const Comparison *comparison, bool kernel_must_write_output)
{
    if (call->outcome != CALL_OK || comparison == NULL)
        return judge_outcome(call);
    if (call->input_changed)
        return judgement(VERDICT_RULE_VIOLATION, "solve() changed one of its input arrays");
    if (!is_right(comparison))
        return judge_wrong_output(call, comparison);
    if (kernel_must_write_output && call->output_origin == ORIGIN_NO_KERNEL)
        return judgement(VERDICT_RULE_VIOLATION, "no kernel wrote the output: %s", LET_KERNELS_WRITE);
    if (kernel_must_write_output && call->output_origin == ORIGIN_HOST)
        return judgement(VERDICT_RULE_VIOLATION,
                         "a part of the output, or all of it, was copied from the host or from an "
                         "input: %s",
                         LET_KERNELS_WRITE);
    return judgement(VERDICT_ACCEPTED, "%s", "");
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
    const char *used = undefined_value(call);
    return judgement(decided.verdict,
                     "right only by luck: it uses an undefined value, and with another one: %.300s%s%s", decided.text,
                     used == NULL ? "" : "; ", used == NULL ? "" : used);
}
