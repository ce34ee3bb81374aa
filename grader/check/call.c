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
    call->arguments[i].role = call_argument_role(parameter);
    call->arguments[i].element_bytes = (uint32_t)element_bytes(parameter->type);
    call->arguments[i].bytes = call->counts[i] * call->arguments[i].element_bytes;
    call->arguments[i].float_output = parameter->role == ROLE_OUT && parameter->type == ELEMENT_FLOAT32;
    return status;
}

uint64_t call_word(const Parameter *parameter, const Sizes *sizes, size_t i)
{
    const float narrow = parameter->role == ROLE_SCALAR ? (float)sizes_scalar(sizes, i) : 0;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return parameter->role == ROLE_SCALAR && parameter->type == ELEMENT_FLOAT32 ? bits : (uint64_t)sizes->values[i];
}

Status call_describe(const Problem *problem, const Testcase *testcase, Call *call, Message *why)
{
    Status status = STATUS_OK;
    *call = (Call){.problem = problem, .testcase = testcase};
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++) {
        call->arguments[i].name = problem->parameters[i].name;
        if (parameter_is_array(&problem->parameters[i])) {
            status = describe_array(problem, testcase, i, call, why);
        } else {
            call->arguments[i].role = ARGUMENT_VALUE;
            call->arguments[i].value = call_word(&problem->parameters[i], &testcase->sizes, i);
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
        if (argument_role_is_read(call->arguments[i].role))
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
        if (!argument_role_is_read(then.arguments[i].role) || bytes > MOST_BYTES)
            continue;
        inputs[i] = allocated(calloc(bytes, 1));
        testcase_fill(then.problem, then.testcase, i, &memory->earlier->secret, inputs[i], then.counts[i]);
    }
    return (const void *const *)inputs;
}

/* What was read, and of arrays that are only written what was written, which checker.h looks at. */
static void arrays_of(const Call *call, const void *arrays[PROBLEM_MAX_PARAMETERS])
{
    for (size_t i = 0; i < PROBLEM_MAX_PARAMETERS; i++)
        arrays[i] = i < call->problem->parameter_count ? call->arguments[i].data : NULL;
}

static Status compare_output(const Call *call, const Oracle *oracle, CallMemory *memory, Comparison *comparison,
                             Message *why)
{
    const void *arrays[PROBLEM_MAX_PARAMETERS];
    const Problem *problem = oracle_problem(oracle);
    const SessionArgument *output = &call->arguments[problem_output(problem)];
    arrays_of(call, arrays);
    return checker_compare_sample(call->in_sample ? &call->sample : NULL, call->in_part, problem, call->testcase,
                                  oracle, arrays, make_earlier_inputs, memory, output->result, output->poison_bits,
                                  comparison, why);
}

static bool is_right(const Comparison *comparison)
{
    return comparison->wrong == 0 && !comparison->rms_exceeded;
}

Status call_compare(const Call *call, const Oracle *oracle, const EarlierInputs *earlier, Comparison *comparison,
                    Message *why)
{
    CallMemory memory = {.call = call, .earlier = earlier};
    Status status = compare_output(call, oracle, &memory, comparison, why);
    for (oracle = oracle_next(oracle); oracle != NULL && status == STATUS_OK && is_right(comparison);
         oracle = oracle_next(oracle)) {
        Comparison of_next;
        status = compare_output(call, oracle, &memory, &of_next, why);
        if (status == STATUS_OK && !is_right(&of_next))
            *comparison = of_next;
    }
    for (int which = 0; which < EARLIER_CASES; which++)
        for (size_t i = 0; i < PROBLEM_MAX_PARAMETERS; i++)
            free(memory.inputs[which][i]);
    return status;
}

Status call_elements(const Call *call, const Oracle *oracle, size_t parameter, Arena *arena, OutputElements *elements,
                     Message *why)
{
    const void *arrays[PROBLEM_MAX_PARAMETERS];
    const SessionArgument *output = &call->arguments[parameter];
    while (problem_output(oracle_problem(oracle)) != parameter && oracle_next(oracle) != NULL)
        oracle = oracle_next(oracle);
    arrays_of(call, arrays);
    return checker_elements(oracle_problem(oracle), call->testcase, oracle, arrays, output->result, output->poison_bits,
                            arena, elements, why);
}

/* Bytes that were written with the value which was there before look as if they were not. How many of them there are follows
 * from those that differ, since the values before are random: of the bytes of a value, the share whose place has it. */
static double hidden_bytes(const uint32_t *words, size_t count, const uint32_t poison[DEVICE_POISON_WORDS])
{
    enum { VALUES = 256, PLACES = 4 * DEVICE_POISON_WORDS };
    double seen[VALUES] = {0}, places[VALUES] = {0}, hidden = 0;
    for (size_t i = 0; i < PLACES; i++)
        places[((const uint8_t *)poison)[i]]++;
    for (size_t i = 0; i < count; i++) {
        const uint32_t before = poison[i % DEVICE_POISON_WORDS];
        for (unsigned shift = 0; words[i] != before && shift < 32; shift += 8)
            seen[words[i] >> shift & 255] += (words[i] >> shift & 255) != (before >> shift & 255);
    }
    for (size_t value = 0; value < VALUES; value++)
        hidden += seen[value] * places[value] / (PLACES - places[value]);
    return hidden;
}

double call_written_share(const Call *call)
{
    const SessionArgument *output = &call->arguments[problem_output(call->problem)];
    const uint32_t *words = output->result;
    const unsigned bits = output->element_bytes < sizeof *words ? 8 * output->element_bytes : 32, in_word = 32 / bits;
    const uint32_t element = UINT32_MAX >> (32 - bits);
    const size_t count = output->bytes / sizeof *words;
    uint32_t poison[DEVICE_POISON_WORDS];
    size_t written = 0;
    if (output->role == ARGUMENT_INOUT)
        return 1;
    call_poison_words(output->poison_bits, output->float_output, poison);
    for (size_t i = 0; i < count; i++) {
        const uint32_t difference = words[i] ^ poison[i % DEVICE_POISON_WORDS];
        for (unsigned shift = 0; shift < 32; shift += bits)
            written += (difference >> shift & element) != 0;
    }
    const double hidden = bits == 8 ? hidden_bytes(words, count, poison) : 0;
    return count == 0 ? 1 : ((double)written + hidden) / (double)(count * in_word);
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
        if (argument_role_is_read(call->arguments[i].role))
            bytes += (int64_t)call->arguments[i].bytes;
    return bytes;
}
