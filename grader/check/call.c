#include "grader/check/call.h"
#include "base/allocated.h"
#include "grader/problem/testcase_data.h"

#include <stdlib.h>
#include <string.h>

static Status describe_array(const Problem *problem, const Testcase *testcase, size_t i, Call *call, Message *why)
{
    const Parameter *parameter = &problem->parameters[i];
    size_t shape[TENSOR_MAX_RANK];
    Status status = problem_shape(problem, i, &testcase->sizes, shape, &call->counts[i], why);
    call->arguments[i].role = parameter->role == ROLE_IN ? ARGUMENT_INPUT : ARGUMENT_OUTPUT;
    call->arguments[i].element_bytes = (uint32_t)element_bytes(parameter->type);
    call->arguments[i].bytes = call->counts[i] * call->arguments[i].element_bytes;
    call->arguments[i].float_output = parameter->role == ROLE_OUT && parameter->type == ELEMENT_FLOAT32;
    return status;
}

Status call_describe(const Problem *problem, const Testcase *testcase, Call *call, Message *why)
{
    Status status = STATUS_OK;
    *call = (Call){.problem = problem, .testcase = testcase};
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++) {
        call->arguments[i].name = problem->parameters[i].name;
        if (problem->parameters[i].role != ROLE_SIZE) {
            status = describe_array(problem, testcase, i, call, why);
        } else {
            call->arguments[i].role = ARGUMENT_VALUE;
            call->arguments[i].value = (uint64_t)testcase->sizes.values[i];
        }
    }
    return status;
}

Status call_prepare(const Problem *problem, const Testcase *testcase, Session *session, Call *call, Message *why)
{
    Status status = call_describe(problem, testcase, call, why);
    return status == STATUS_OK ? session_buffers(session, call->arguments, problem->parameter_count, why) : status;
}

void call_fill(Call *call, const GeneratorKey *secret)
{
    for (size_t i = 0; i < call->problem->parameter_count; i++)
        if (call->arguments[i].role == ARGUMENT_INPUT)
            testcase_fill(call->problem, call->testcase, i, secret, call->arguments[i].data, call->counts[i]);
}

Status call_compare(const Call *call, const Oracle *oracle, const PreviousInputs *previous, Comparison *comparison,
                    Message *why)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {0}, *before[PROBLEM_MAX_PARAMETERS] = {0};
    for (size_t i = 0; i < call->problem->parameter_count; i++)
        if (call->arguments[i].role == ARGUMENT_INPUT) {
            inputs[i] = call->arguments[i].data;
            if (previous != NULL && previous->bytes[i] >= call->arguments[i].bytes)
                before[i] = previous->data[i];
        }
    const SessionArgument *output = &call->arguments[problem_output(call->problem)];
    return checker_compare_sample(call->in_sample ? &call->sample : NULL, call->in_part, call->problem, call->testcase,
                                  oracle, inputs, before, output->data, output->poison_bits, comparison, why);
}

Status call_elements(const Call *call, const Oracle *oracle, Arena *arena, OutputElements *elements, Message *why)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {0};
    const SessionArgument *output = &call->arguments[problem_output(call->problem)];
    for (size_t i = 0; i < call->problem->parameter_count; i++)
        if (call->arguments[i].role == ARGUMENT_INPUT)
            inputs[i] = call->arguments[i].data;
    return checker_elements(call->problem, call->testcase, oracle, inputs, output->data, output->poison_bits, arena,
                            elements, why);
}

double call_written_share(const Call *call)
{
    const SessionArgument *output = &call->arguments[problem_output(call->problem)];
    const uint32_t *words = output->data;
    const size_t count = output->bytes / sizeof *words;
    size_t written = 0;
    for (size_t i = 0; i < count; i++)
        written += words[i] != output->poison_bits;
    return count == 0 ? 1 : (double)written / (double)count;
}

void previous_inputs_keep(PreviousInputs *previous, const Call *call)
{
    enum { MOST_BYTES = 64 << 20 };
    previous_inputs_free(previous);
    for (size_t i = 0; i < call->problem->parameter_count; i++) {
        const SessionArgument *argument = &call->arguments[i];
        if (argument->role != ARGUMENT_INPUT || argument->data == NULL || argument->bytes > MOST_BYTES)
            continue;
        previous->bytes[i] = argument->bytes;
        previous->data[i] = allocated(malloc(argument->bytes));
        memcpy(previous->data[i], argument->data, argument->bytes);
    }
}

void previous_inputs_free(PreviousInputs *previous)
{
    for (size_t i = 0; i < CALL_MAX_PARAMETERS; i++)
        free(previous->data[i]);
    *previous = (PreviousInputs){0};
}

int64_t call_input_bytes(const Call *call)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < call->problem->parameter_count; i++)
        if (call->arguments[i].role == ARGUMENT_INPUT)
            bytes += (int64_t)call->arguments[i].bytes;
    return bytes;
}
