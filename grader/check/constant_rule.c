#include "grader/check/constant_rule.h"

#include "grader/check/call.h"
#include "grader/check/checker.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const int64_t MOST_BYTES = 1 << 20; /* arrays of the case, so that a simulated call takes a moment only */

/* ---- the case ---------------------------------------------------------------------------------------------------- */

static size_t filter_index(const Problem *problem)
{
    size_t i = 0;
    while (strcmp(problem->parameters[i].name, problem->constant_filter) != 0)
        i++;
    return i;
}

static size_t filter_elements(const Problem *problem, const Testcase *testcase)
{
    size_t shape[TENSOR_MAX_RANK], count = 0;
    Message unused;
    Status status = problem_shape(problem, filter_index(problem), &testcase->sizes, shape, &count, &unused);
    return status == STATUS_OK ? count : 0;
}

const Testcase *constant_rule_case(const Problem *problem, const TestcaseSet *set)
{
    const Testcase *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < set->count; i++) {
        const Testcase *testcase = &set->cases[i];
        if (testcase->group == CASE_TIMED || testcase->bytes > MOST_BYTES)
            continue;
        size_t elements = filter_elements(problem, testcase);
        if (best != NULL && (elements < most || (elements == most && testcase->bytes <= best->bytes)))
            continue;
        best = testcase;
        most = elements;
    }
    return best;
}

/* Random floats in the same sizes, so that every element of the output depends on all of its taps. */
static Testcase with_random_data(const Problem *problem, const Testcase *testcase)
{
    Testcase random = *testcase;
    memset(random.expected, 0, sizeof random.expected);
    for (size_t i = 0; i < problem->parameter_count; i++)
        if ((problem->parameters[i].role & ROLE_IN) != 0 && problem->parameters[i].type == ELEMENT_FLOAT32)
            random.sources[i] = (CaseSource){.kind = SOURCE_UNIFORM, .a = -1, .b = 1};
    /* A probe replaces values in [1, 2): */
    random.sources[filter_index(problem)] = (CaseSource){.kind = SOURCE_UNIFORM, .a = 1, .b = 2};
    return random;
}

/* ---- conclusions from the output
 * --------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void set_finding(ConstantRuleFinding *finding, ConstantRuleKind kind,
                                                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    finding->kind = kind;
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

static Status output_fits(const Call *call, const Oracle *oracle, bool *fits, Message *why)
{
    Comparison comparison = {0};
    Status status = call_compare(call, oracle, NULL, &comparison, why);
    *fits = comparison.wrong == 0 && !comparison.rms_exceeded;
    return status;
}

static Status find_in_output(Call *call, const Oracle *oracle, ConstantRuleFinding *finding, Message *why)
{
    const char *name = call->problem->constant_filter;
    size_t filter = filter_index(call->problem);
    float *values = call->arguments[filter].data;
    bool through_nothing = false, through_constants = false;
    Status status = output_fits(call, oracle, &through_nothing, why);
    for (size_t i = 0; i < call->counts[filter]; i++)
        values[i] = call_probe_value(values[i]);
    THEN(status, output_fits(call, oracle, &through_constants, why));
    if (!through_constants)
        set_finding(finding, CONSTANT_RULE_BROKEN,
                    "%s was %sread through constant memory: expected all of its values, "
                    "unchanged, in __constant__ arrays, and every tap taken from there",
                    name, through_nothing ? "not " : "only partly ");
    return status;
}

static Status find_in_call(Call *call, const CallReport *report, const Oracle *oracle, ConstantRuleFinding *finding,
                           Message *why)
{
    const char *name = call->problem->constant_filter;
    const bool is_secret = call->testcase->group != CASE_SAMPLE;
    if (report->outcome != CALL_OK) {
        set_finding(finding, report->outcome == CALL_UNSUPPORTED ? CONSTANT_RULE_UNPROVED : CONSTANT_RULE_BROKEN,
                    "a simulated GPU could not prove that %s is read through constant "
                    "memory: %s",
                    name, is_secret ? mistake_words(report->mistake.kind) : report->text);
        finding->line = is_secret ? report->mistake.line : 0;
        return STATUS_OK;
    }
    if (report->direct_load[0] != '\0') {
        set_finding(finding, CONSTANT_RULE_BROKEN,
                    "%s writes the output and loads from %s in global memory; it must be "
                    "read through constant memory",
                    is_secret ? "a kernel" : report->direct_load, name);
        finding->line = is_secret ? report->direct_line : 0;
        return STATUS_OK;
    }
    return find_in_output(call, oracle, finding, why);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

Status constant_rule_check(const Problem *problem, const TestcaseSet *set, const Oracle *oracle, Session *session,
                           const Compiled *compiled, const CallLimits *limits, const GeneratorKey *secret,
                           ConstantRuleFinding *finding, Message *why)
{
    Call call;
    CallReport report = {0};
    const Testcase *testcase = constant_rule_case(problem, set);
    *finding = (ConstantRuleFinding){0};
    if (testcase == NULL)
        return fail(STATUS_BAD_INPUT, why,
                    "problem %s: no sample or hidden case is small enough to prove the rule "
                    "\"constant_filter\" with; at least one must have %lld bytes or less",
                    problem->id, (long long)MOST_BYTES);
    const Testcase random = with_random_data(problem, testcase);
    Status status = call_prepare(problem, &random, session, &call, why);
    if (status == STATUS_OK) {
        call_fill(&call, secret);
        call.arguments[filter_index(problem)].probed = true;
        status = session_load(session, compiled, limits, &report, why);
    }
    if (status == STATUS_OK && report.outcome == CALL_OK) {
        text_free(&report.printed);
        const CallOptions options = {.check_inputs = true, .untimed = true};
        status = session_call(session, call.arguments, problem->parameter_count, &options, &report, why);
    }
    THEN(status, find_in_call(&call, &report, oracle, finding, why));
    text_free(&report.printed);
    return status;
}
