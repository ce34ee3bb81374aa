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

/* The inputs of a case and those of the case before. */
typedef struct Earlier {
    const Call *call;
    PreviousInputs *previous;
    const void *inputs[PROBLEM_MAX_PARAMETERS];
} Earlier;

/* Of arrays that are not very large, as large as those of the call: behind a filter that is kept in constant memory lie
 * zeros. */
static const void *const *make_previous_inputs(void *context)
{
    enum { MOST_BYTES = 64 << 20 };
    Earlier *earlier = context;
    PreviousInputs *previous = earlier->previous;
    Call before;
    Message why;
    if (previous == NULL || previous->testcase == NULL ||
        call_describe(earlier->call->problem, previous->testcase, &before, &why) != STATUS_OK)
        return NULL;
    for (size_t i = 0; i < before.problem->parameter_count; i++) {
        const size_t then = before.arguments[i].bytes, now = earlier->call->arguments[i].bytes;
        const size_t bytes = then > now ? then : now;
        if (before.arguments[i].role != ARGUMENT_INPUT || bytes > MOST_BYTES)
            continue;
        if (previous->data[i] == NULL) {
            previous->data[i] = allocated(calloc(bytes, 1));
            testcase_fill(before.problem, before.testcase, i, &previous->secret, previous->data[i], before.counts[i]);
        }
        earlier->inputs[i] = previous->data[i];
    }
    return earlier->inputs;
}

Status call_compare(const Call *call, const Oracle *oracle, PreviousInputs *previous, Comparison *comparison,
                    Message *why)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {0};
    Earlier earlier = {.call = call, .previous = previous};
    for (size_t i = 0; i < call->problem->parameter_count; i++)
        if (call->arguments[i].role == ARGUMENT_INPUT)
            inputs[i] = call->arguments[i].data;
    const SessionArgument *output = &call->arguments[problem_output(call->problem)];
    return checker_compare_sample(call->in_sample ? &call->sample : NULL, call->in_part, call->problem, call->testcase,
                                  oracle, inputs, make_previous_inputs, &earlier, output->data, output->poison_bits,
                                  comparison, why);
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
    const size_t count = output->bytes / sizeof *words, in_word = sizeof *words / output->element_bytes;
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t difference = words[i] ^ call_poison_word(output->poison_bits, output->float_output, i);
        if (in_word == 1)
            written += difference != 0;
        else
            for (unsigned shift = 0; shift < 32; shift += 8)
                written += (difference >> shift & 0xFF) != 0;
    }
    return count == 0 ? 1 : (double)written / (double)(count * in_word);
}

void previous_inputs_note(PreviousInputs *previous, const Call *call, const GeneratorKey *secret)
{
    previous_inputs_free(previous);
    *previous = (PreviousInputs){.testcase = call->testcase, .secret = *secret};
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
