#include "base/arena.h"
#include "grader/check/call.h"
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
    TRY(call_describe(problem, testcase, call, why));
    return session_buffers(session, call->arguments, problem->parameter_count, why);
}

void call_fill(Call *call, const GeneratorKey *secret)
{
    for (size_t i = 0; i < call->problem->parameter_count; i++)
        if (call->arguments[i].role == ARGUMENT_INPUT)
            testcase_fill(call->problem, call->testcase, i, secret, call->arguments[i].data, call->counts[i]);
}

/* A call, and what it may have kept from earlier ones. */
typedef struct CallMemory {
    const Call *call;
    const EarlierInputs *earlier;
    void *inputs[EARLIER_CASES][PROBLEM_MAX_PARAMETERS]; /* as far as they have been made */
} CallMemory;

/* Arrays that are not very large are as large as those of the call: zeros follow a filter that is kept in constant
 * memory. */
static const void *const *make_earlier_inputs(void *context, EarlierCase which)
{
    enum { MOST_BYTES = 64 << 20 };
    CallMemory *memory = context;
    void **inputs = memory->inputs[which];
    Call then;
    Message why;
    if (memory->earlier == NULL || memory->earlier->testcases[which] == NULL ||
        call_describe(memory->call->problem, memory->earlier->testcases[which], &then, &why) != STATUS_OK)
        return NULL;
    for (size_t i = 0; i < then.problem->parameter_count; i++) {
        const size_t now = memory->call->arguments[i].bytes;
        const size_t bytes = then.arguments[i].bytes > now ? then.arguments[i].bytes : now;
        if (then.arguments[i].role != ARGUMENT_INPUT || bytes > MOST_BYTES)
            continue;
        inputs[i] = allocated(calloc(bytes, 1));
        testcase_fill(then.problem, then.testcase, i, &memory->earlier->secret, inputs[i], then.counts[i]);
    }
    return (const void *const *)inputs;
}

Status call_compare(const Call *call, const Oracle *oracle, const EarlierInputs *earlier, Comparison *comparison,
                    Message *why)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {0};
    CallMemory memory = {.call = call, .earlier = earlier};
    for (size_t i = 0; i < call->problem->parameter_count; i++)
        if (call->arguments[i].role == ARGUMENT_INPUT)
            inputs[i] = call->arguments[i].data;
    const SessionArgument *output = &call->arguments[problem_output(call->problem)];
    const Status status = checker_compare_sample(call->in_sample ? &call->sample : NULL, call->in_part, call->problem,
                                                 call->testcase, oracle, inputs, make_earlier_inputs, &memory,
                                                 output->data, output->poison_bits, comparison, why);
    for (int which = 0; which < EARLIER_CASES; which++)
        for (size_t i = 0; i < PROBLEM_MAX_PARAMETERS; i++)
            free(memory.inputs[which][i]);
    return status;
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
    uint32_t poison[DEVICE_POISON_WORDS];
    size_t written = 0;
    call_poison_words(output->poison_bits, output->float_output, poison);
    for (size_t i = 0; i < count; i++) {
        const uint32_t difference = words[i] ^ poison[i % DEVICE_POISON_WORDS];
        if (in_word == 1)
            written += difference != 0;
        else
            for (unsigned shift = 0; shift < 32; shift += 8)
                written += (difference >> shift & 0xFF) != 0;
    }
    return count == 0 ? 1 : (double)written / (double)(count * in_word);
}

void earlier_inputs_note(EarlierInputs *earlier, const Call *call, const GeneratorKey *secret)
{
    earlier->testcases[EARLIER_BEFORE] = call->testcase;
    if (earlier->testcases[EARLIER_FIRST] == NULL)
        earlier->testcases[EARLIER_FIRST] = call->testcase;
    earlier->secret = *secret;
}

int64_t call_input_bytes(const Call *call)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < call->problem->parameter_count; i++)
        if (call->arguments[i].role == ARGUMENT_INPUT)
            bytes += (int64_t)call->arguments[i].bytes;
    return bytes;
}
