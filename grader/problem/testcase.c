#include "grader/problem/testcase.h"

#include "base/allocated.h"
#include "base/json.h"
#include "base/paths.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE_BYTES = 16 << 20, MAX_NAME_LENGTH = 100 };

static const double MAX_SEED = 9007199254740992.0; /* 2^53: up to here a number of JSON is exact */

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

/* One of the two files while it is read. */
typedef struct Reading {
    const Problem *problem;
    TestcaseSet *set;
    const char *folder; /* testcases/<id>, absolute */
    bool hidden;
    JsonFile file;
    Message *why;
} Reading;

/* One input array whose source is read: where it is to go, and what it must be like. */
typedef struct Array {
    const Parameter *parameter;
    size_t shape[TENSOR_MAX_RANK], count;
} Array;

/* --- numbers of an element type ----------------------------------------------------------------------------------- */

static const struct {
    double lowest, highest;
} ranges[] = {
    [ELEMENT_FLOAT32] = {-FLT_MAX, FLT_MAX},
    [ELEMENT_INT32] = {INT32_MIN, INT32_MAX},
    [ELEMENT_UINT8] = {0, UINT8_MAX},
};

static bool is_element(ElementType type, double value)
{
    return value >= ranges[type].lowest && value <= ranges[type].highest &&
           (type == ELEMENT_FLOAT32 || value == floor(value));
}

/* --- literal values and files ------------------------------------------------------------------------------------- */

static Tensor new_tensor(const Array *array)
{
    Tensor tensor = {array->parameter->type, array->parameter->rank, {0}, NULL};
    memcpy(tensor.shape, array->shape, sizeof tensor.shape);
    tensor.data = allocated(calloc(array->count, element_bytes(tensor.type)));
    return tensor;
}

static Status read_values(Reading *reading, const cJSON *list, const Array *array, Tensor *tensor)
{
    ElementType type = array->parameter->type;
    size_t found = 0;
    for (const cJSON *item = list->child; item != NULL; item = item->next)
        found++;
    if (found != array->count)
        return json_fail(&reading->file, list, reading->why, "expected %zu numbers, as the shape of %s says, found %zu",
                         array->count, array->parameter->name, found);
    *tensor = new_tensor(array);
    size_t i = 0;
    for (const cJSON *item = list->child; item != NULL; item = item->next, i++) {
        if (!cJSON_IsNumber(item) || !is_element(type, item->valuedouble))
            return json_fail(&reading->file, item, reading->why, "element %zu of %s: expected a number of type %s", i,
                             array->parameter->name, element_c_name(type));
        element_store(type, tensor->data, i, item->valuedouble);
    }
    return STATUS_OK;
}

static bool has_shape(const Tensor *tensor, const Array *array)
{
    return tensor->rank == array->parameter->rank &&
           memcmp(tensor->shape, array->shape, (size_t)tensor->rank * sizeof *array->shape) == 0;
}

static bool all_finite(const float *values, size_t count)
{
    size_t i = 0;
    while (i < count && isfinite(values[i]))
        i++;
    return i == count;
}

/* The levels of a picture as floating-point numbers: 0 to 255. */
static void widen(Tensor *tensor, const Array *array)
{
    Tensor wide = new_tensor(array);
    for (size_t i = 0; i < array->count; i++)
        ((float *)wide.data)[i] = ((const uint8_t *)tensor->data)[i];
    tensor_free(tensor);
    *tensor = wide;
}

/* A .ppm for an array of four bytes a pixel, whether pixels have an index of their own or not. */
static bool lacks_alpha(const Tensor *tensor, const Array *array)
{
    return tensor->type == ELEMENT_UINT8 && array->parameter->type == ELEMENT_UINT8 && tensor->rank == 3 &&
           tensor->shape[2] == 3 && array->parameter->rank > 1 && array->shape[0] == tensor->shape[0] &&
           array->count == 4 * tensor->shape[0] * tensor->shape[1];
}

/* RGB becomes RGBA, opaque. */
static void add_alpha(Tensor *tensor, const Array *array)
{
    Tensor opaque = new_tensor(array);
    const uint8_t *from = tensor->data;
    for (size_t i = 0; i < array->count; i++)
        ((uint8_t *)opaque.data)[i] = i % 4 == 3 ? UINT8_MAX : *from++;
    tensor_free(tensor);
    *tensor = opaque;
}

static Status read_data_file(Reading *reading, const cJSON *name, const Array *array, Tensor *tensor)
{
    char path[PATH_MAX];
    Message unfit = {0};
    ElementType type = array->parameter->type;
    if (strchr(name->valuestring, '/') != NULL || name->valuestring[0] == '.')
        return json_fail(&reading->file, name, reading->why, "expected the name of a file beside this one");
    if (snprintf(path, sizeof path, "%s/%s", reading->folder, name->valuestring) >= (int)sizeof path)
        return json_fail(&reading->file, name, reading->why, "the name is too long");
    if (tensor_read(path, tensor, &unfit) != STATUS_OK)
        return json_fail(&reading->file, name, reading->why, "%s", unfit.text);
    if (lacks_alpha(tensor, array))
        add_alpha(tensor, array);
    if (!has_shape(tensor, array))
        return json_fail(&reading->file, name, reading->why, "the array in the file has not the shape of %s",
                         array->parameter->name);
    if (tensor->type == ELEMENT_UINT8 && type == ELEMENT_FLOAT32)
        widen(tensor, array);
    if (tensor->type != type)
        return json_fail(&reading->file, name, reading->why, "expected elements of type %s, the file has %s",
                         element_c_name(type), element_c_name(tensor->type));
    if (type == ELEMENT_FLOAT32 && !all_finite(tensor->data, array->count))
        return json_fail(&reading->file, name, reading->why, "an element of the file is infinite or no number");
    return STATUS_OK;
}

/* --- generators --------------------------------------------------------------------------------------------------- */

/* Keys of each generator, with what they are when left out; `a` and `b` as in CaseSource. */
static const struct GeneratorKind {
    const char *name;
    SourceKind kind;
    const char *a, *b;
    double default_a, default_b;
    bool random; /* has a seed */
} generator_kinds[] = {
    {"uniform", SOURCE_UNIFORM, "low", "high", -1, 1, true},
    {"normal", SOURCE_NORMAL, "mean", "deviation", 0, 1, true},
    {"integers", SOURCE_INTEGERS, "low", "high", -9, 9, true},
    {"impulse", SOURCE_IMPULSE, "value", "position", 1, -1, false},
    {"ramp", SOURCE_RAMP, "start", "step", 0, 1, false},
    {"constant", SOURCE_CONSTANT, "value", NULL, 1, 0, false},
};

static Status check_uniform(Reading *reading, const cJSON *item, const Array *array, const CaseSource *source)
{
    if (array->parameter->type != ELEMENT_FLOAT32)
        return json_fail(&reading->file, item, reading->why, "makes float elements; %s wants \"integers\"",
                         array->parameter->name);
    if (!((float)source->a < (float)source->b) || !isfinite((float)source->b - (float)source->a))
        return json_fail(&reading->file, item, reading->why, "expected \"low\" below \"high\" by a finite float");
    return STATUS_OK;
}

static Status check_normal(Reading *reading, const cJSON *item, const Array *array, const CaseSource *source)
{
    if (array->parameter->type != ELEMENT_FLOAT32)
        return json_fail(&reading->file, item, reading->why, "makes float elements; %s wants \"integers\"",
                         array->parameter->name);
    if (source->b < 0 || !isfinite((float)(fabs(source->a) + 6 * source->b)))
        return json_fail(&reading->file, item, reading->why,
                         "expected a \"deviation\" of 0 or more, and finite numbers up to 6 deviations");
    return STATUS_OK;
}

/* A float has whole numbers up to 2^24 without gaps. */
static Status check_integers(Reading *reading, const cJSON *item, const Array *array, const CaseSource *source)
{
    ElementType type = array->parameter->type;
    double low = type == ELEMENT_FLOAT32 ? -16777216 : ranges[type].lowest;
    double high = type == ELEMENT_FLOAT32 ? 16777216 : ranges[type].highest;
    if (source->a != floor(source->a) || source->b != floor(source->b) || source->a > source->b || source->a < low ||
        source->b > high)
        return json_fail(&reading->file, item, reading->why,
                         "expected whole numbers from %.0f to %.0f, \"low\" not above \"high\"", low, high);
    return STATUS_OK;
}

static Status check_impulse(Reading *reading, const cJSON *item, const Array *array, CaseSource *source)
{
    if (!is_element(array->parameter->type, source->a))
        return json_fail(&reading->file, item, reading->why, "expected a \"value\" of type %s",
                         element_c_name(array->parameter->type));
    if (source->b != floor(source->b) || source->b < -1 || source->b >= (double)array->count)
        return json_fail(&reading->file, item, reading->why, "expected a \"position\" from 0 to %zu", array->count - 1);
    source->position = (int64_t)source->b;
    return STATUS_OK;
}

/* A ramp is monotonous, so its ends and its step tell. A constant is a ramp with no step. */
static Status check_ramp(Reading *reading, const cJSON *item, const Array *array, const CaseSource *source)
{
    ElementType type = array->parameter->type;
    double step = source->kind == SOURCE_RAMP ? source->b : 0;
    double last = source->a + step * (double)(array->count - 1);
    if (!is_element(type, source->a) || !is_element(type, last) || (type != ELEMENT_FLOAT32 && step != floor(step)))
        return json_fail(&reading->file, item, reading->why, "expected every element to be a number of type %s",
                         element_c_name(type));
    return STATUS_OK;
}

static Status check_generator(Reading *reading, const cJSON *item, const Array *array, CaseSource *source)
{
    switch (source->kind) {
    case SOURCE_UNIFORM: return check_uniform(reading, item, array, source);
    case SOURCE_NORMAL: return check_normal(reading, item, array, source);
    case SOURCE_INTEGERS: return check_integers(reading, item, array, source);
    case SOURCE_IMPULSE: return check_impulse(reading, item, array, source);
    case SOURCE_RAMP:
    case SOURCE_CONSTANT: return check_ramp(reading, item, array, source);
    case SOURCE_VALUES:
    case SOURCE_FILE: break;
    }
    return STATUS_OK;
}

static const struct GeneratorKind *find_generator(const char *name)
{
    for (size_t i = 0; i < LENGTH_OF(generator_kinds); i++)
        if (strcmp(name, generator_kinds[i].name) == 0)
            return &generator_kinds[i];
    return NULL;
}

static Status read_seed(Reading *reading, const cJSON *object, CaseSource *source)
{
    int64_t seed = 0;
    Status status = json_integer(&reading->file, object, "seed", 0, (int64_t)MAX_SEED, &seed, reading->why);
    source->seeded = json_get(object, "seed") != NULL;
    source->seed = (uint64_t)seed;
    return status;
}

static Status read_generator(Reading *reading, const cJSON *object, const Array *array, CaseSource *source)
{
    const cJSON *name = json_get(object, "generator");
    const struct GeneratorKind *kind = cJSON_IsString(name) ? find_generator(name->valuestring) : NULL;
    if (kind == NULL)
        return json_fail(&reading->file, name, reading->why,
                         "expected uniform, normal, integers, impulse, ramp or constant");
    JsonKey keys[4] = {{"generator", JSON_STRING, true}};
    size_t count = 1;
    keys[count++] = (JsonKey){kind->a, JSON_NUMBER, false};
    if (kind->b != NULL)
        keys[count++] = (JsonKey){kind->b, JSON_NUMBER, false};
    if (kind->random)
        keys[count++] = (JsonKey){"seed", JSON_NUMBER, false};
    *source = (CaseSource){.kind = kind->kind, .a = kind->default_a, .b = kind->default_b, .position = -1};
    Status status = json_check(&reading->file, object, keys, count, reading->why);
    if (status == STATUS_OK)
        status = json_number(&reading->file, object, kind->a, -FLT_MAX, FLT_MAX, &source->a, reading->why);
    if (status == STATUS_OK && kind->b != NULL)
        status = json_number(&reading->file, object, kind->b, -FLT_MAX, FLT_MAX, &source->b, reading->why);
    if (status == STATUS_OK && kind->random)
        status = read_seed(reading, object, source);
    return status == STATUS_OK ? check_generator(reading, name, array, source) : status;
}

/* --- one case ----------------------------------------------------------------------------------------------------- */

static Status read_source(Reading *reading, const cJSON *object, const Array *array, CaseSource *source)
{
    static const JsonKey values_key[] = {{"values", JSON_ARRAY, true}}, file_key[] = {{"file", JSON_STRING, true}};
    Status status;
    if (json_get(object, "generator") != NULL)
        return read_generator(reading, object, array, source);
    if (json_get(object, "values") != NULL) {
        source->kind = SOURCE_VALUES;
        status = json_check(&reading->file, object, values_key, 1, reading->why);
        return status == STATUS_OK ? read_values(reading, json_get(object, "values"), array, &source->literal) : status;
    }
    if (json_get(object, "file") != NULL) {
        source->kind = SOURCE_FILE;
        status = json_check(&reading->file, object, file_key, 1, reading->why);
        return status == STATUS_OK ? read_data_file(reading, json_get(object, "file"), array, &source->literal)
                                   : status;
    }
    return json_fail(&reading->file, object, reading->why, "expected \"values\", \"file\" or \"generator\"");
}

/* An object with one member for each parameter of the role. */
static Status check_members(Reading *reading, const cJSON *object, ParameterRole role, JsonKind kind)
{
    JsonKey keys[PROBLEM_MAX_PARAMETERS];
    size_t count = 0;
    for (size_t i = 0; i < reading->problem->parameter_count; i++)
        if (reading->problem->parameters[i].role == role)
            keys[count++] = (JsonKey){reading->problem->parameters[i].name, kind, true};
    return json_check(&reading->file, object, keys, count, reading->why);
}

static Status check_constraints(Reading *reading, const cJSON *sizes, const Testcase *testcase)
{
    const Problem *problem = reading->problem;
    for (size_t i = 0; i < problem->constraint_count; i++) {
        int64_t holds = 0;
        Status status = problem_evaluate(problem, problem->constraints[i], &testcase->sizes, &holds, reading->why);
        if (status != STATUS_OK)
            return status;
        if (!holds)
            return json_fail(&reading->file, sizes, reading->why, "expected %s", problem->constraints[i]);
    }
    return STATUS_OK;
}

static Status read_sizes(Reading *reading, const cJSON *sizes, Testcase *testcase)
{
    Status status = check_members(reading, sizes, ROLE_SIZE, JSON_NUMBER);
    for (size_t i = 0; i < reading->problem->parameter_count && status == STATUS_OK; i++) {
        const Parameter *parameter = &reading->problem->parameters[i];
        if (parameter->role == ROLE_SIZE)
            status = json_integer(&reading->file, sizes, parameter->name, parameter->low, parameter->high,
                                  &testcase->sizes.values[i], reading->why);
    }
    return status == STATUS_OK ? check_constraints(reading, sizes, testcase) : status;
}

static Status shape_of(Reading *reading, const cJSON *item, const Testcase *testcase, size_t parameter, Array *array)
{
    Message unfit = {0};
    array->parameter = &reading->problem->parameters[parameter];
    memset(array->shape, 0, sizeof array->shape);
    if (problem_shape(reading->problem, parameter, &testcase->sizes, array->shape, &array->count, &unfit) != STATUS_OK)
        return json_fail(&reading->file, item, reading->why, "%s", unfit.text);
    return STATUS_OK;
}

static bool is_drawn_anew(const CaseSource *source)
{
    bool random = source->kind == SOURCE_UNIFORM || source->kind == SOURCE_NORMAL || source->kind == SOURCE_INTEGERS;
    return random && !source->seeded;
}

/* What a submission saw once, or what its author can guess, does not count for speed on a real GPU. */
static Status check_fresh(Reading *reading, const cJSON *item, const Testcase *testcase, const CaseSource *source)
{
    if (testcase->group != CASE_TIMED_CUDA || is_drawn_anew(source))
        return STATUS_OK;
    return json_fail(&reading->file, item, reading->why,
                     "every timed call sees new data: expected a random generator without a seed");
}

static Status read_inputs(Reading *reading, const cJSON *inputs, Testcase *testcase)
{
    Array array;
    Status status = check_members(reading, inputs, ROLE_IN, JSON_OBJECT);
    for (size_t i = 0; i < reading->problem->parameter_count && status == STATUS_OK; i++) {
        if (reading->problem->parameters[i].role != ROLE_IN)
            continue;
        const cJSON *item = json_get(inputs, reading->problem->parameters[i].name);
        status = shape_of(reading, item, testcase, i, &array);
        if (status == STATUS_OK)
            status = read_source(reading, item, &array, &testcase->sources[i]);
        if (status == STATUS_OK)
            status = check_fresh(reading, item, testcase, &testcase->sources[i]);
    }
    return status;
}

static Status read_expected(Reading *reading, const cJSON *expected, Testcase *testcase)
{
    Array array;
    if (expected == NULL)
        return STATUS_OK;
    for (size_t i = 0; i < reading->problem->parameter_count; i++)
        if (reading->problem->parameters[i].role == ROLE_IN && is_drawn_anew(&testcase->sources[i]))
            return json_fail(&reading->file, expected, reading->why,
                             "%s is drawn anew in every run: expected a seed for it",
                             reading->problem->parameters[i].name);
    Status status = shape_of(reading, expected, testcase, problem_output(reading->problem), &array);
    return status == STATUS_OK ? read_values(reading, expected, &array, &testcase->expected) : status;
}

static Status read_group(Reading *reading, const cJSON *timed, Testcase *testcase)
{
    testcase->group = reading->hidden ? CASE_HIDDEN : CASE_SAMPLE;
    if (timed == NULL)
        return STATUS_OK;
    testcase->group = CASE_TIMED_CUDA;
    if (strcmp(timed->valuestring, "cuda") == 0)
        return STATUS_OK;
    testcase->group = CASE_TIMED_SIM;
    if (strcmp(timed->valuestring, "sim") == 0)
        return STATUS_OK;
    return json_fail(&reading->file, timed, reading->why, "expected \"cuda\" or \"sim\"");
}

static Status read_name(Reading *reading, const cJSON *object, Testcase *testcase)
{
    const cJSON *name = json_get(object, "name"), *reason = json_get(object, "why");
    size_t length = strlen(name->valuestring);
    if (length == 0 || length > MAX_NAME_LENGTH)
        return json_fail(&reading->file, name, reading->why, "expected 1 to %d characters", MAX_NAME_LENGTH);
    for (const cJSON *other = object->prev; other->next != NULL; other = other->prev) /* the first's prev is the last */
        if (strcmp(json_get(other, "name")->valuestring, name->valuestring) == 0)
            return json_fail(&reading->file, name, reading->why, "\"%s\" is the name of two cases", name->valuestring);
    testcase->name = arena_string(&reading->set->arena, name->valuestring);
    testcase->why = reason == NULL ? "" : arena_string(&reading->set->arena, reason->valuestring);
    return STATUS_OK;
}

static Status read_formulas(Reading *reading, Testcase *testcase)
{
    const Problem *problem = reading->problem;
    Status status = problem_evaluate(problem, problem->operations, &testcase->sizes, &testcase->operations,
                                     reading->why);
    if (status == STATUS_OK)
        status = problem_evaluate(problem, problem->bytes, &testcase->sizes, &testcase->bytes, reading->why);
    return status;
}

static Status read_case(Reading *reading, const cJSON *object, Testcase *testcase)
{
    const JsonKey keys[] = {{"name", JSON_STRING, true},     {"why", JSON_STRING, reading->hidden},
                            {"sizes", JSON_OBJECT, true},    {"inputs", JSON_OBJECT, true},
                            {"expected", JSON_ARRAY, false}, {"timed", JSON_STRING, false}};
    Status status = json_check(&reading->file, object, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = read_name(reading, object, testcase);
    if (status == STATUS_OK)
        status = read_group(reading, json_get(object, "timed"), testcase);
    if (status == STATUS_OK)
        status = read_sizes(reading, json_get(object, "sizes"), testcase);
    if (status == STATUS_OK)
        status = read_inputs(reading, json_get(object, "inputs"), testcase);
    if (status == STATUS_OK)
        status = read_expected(reading, json_get(object, "expected"), testcase);
    return status == STATUS_OK ? read_formulas(reading, testcase) : status;
}

/* --- both files --------------------------------------------------------------------------------------------------- */

static Status read_cases(Reading *reading)
{
    static const JsonKey keys[] = {{"schema", JSON_NUMBER, true}, {"cases", JSON_ARRAY, true}};
    TestcaseSet *set = reading->set;
    int64_t schema;
    Status status = json_check(&reading->file, reading->file.root, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = json_integer(&reading->file, reading->file.root, "schema", 1, 1, &schema, reading->why);
    if (status != STATUS_OK)
        return status;
    const cJSON *list = json_get(reading->file.root, "cases");
    size_t added = (size_t)cJSON_GetArraySize(list);
    if (added == 0)
        return json_fail(&reading->file, list, reading->why, "expected at least one case");
    Testcase *cases = arena_array(&set->arena, set->count + added, sizeof *cases);
    if (set->count > 0)
        memcpy(cases, set->cases, set->count * sizeof *cases);
    set->cases = cases;
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = read_case(reading, item, &set->cases[set->count++]);
    return status;
}

static Status read_file(const Problem *problem, bool hidden, TestcaseSet *set, Message *why)
{
    char relative[PATH_MAX], folder[PATH_MAX], path[PATH_MAX + 16];
    snprintf(relative, sizeof relative, "testcases/%s", problem->id);
    Status status = paths_home(relative, folder, sizeof folder, why);
    if (status != STATUS_OK)
        return status;
    Reading reading = {.problem = problem, .set = set, .folder = folder, .hidden = hidden, .why = why};
    snprintf(path, sizeof path, "%s/%s", folder, hidden ? "hidden.json" : "sample.json");
    status = json_read(path, MAX_FILE_BYTES, &reading.file, why);
    if (status != STATUS_OK)
        return status;
    status = read_cases(&reading);
    json_free(&reading.file);
    return status;
}

/* Samples, then hidden, then timed; the order within a group stays. */
static void sort_and_number(TestcaseSet *set)
{
    Testcase *sorted = arena_array(&set->arena, set->count + 1, sizeof *sorted);
    size_t count = 0;
    for (int group = CASE_SAMPLE; group <= CASE_TIMED_SIM; group++) {
        int number = 0;
        for (size_t i = 0; i < set->count; i++)
            if ((int)set->cases[i].group == group) {
                sorted[count] = set->cases[i];
                sorted[count++].number = ++number;
            }
    }
    set->cases = sorted;
}

Status testcases_read(const Problem *problem, TestcaseSet *set, Message *why)
{
    *set = (TestcaseSet){0};
    Status status = read_file(problem, false, set, why);
    if (status == STATUS_OK)
        status = read_file(problem, true, set, why);
    if (status == STATUS_OK)
        sort_and_number(set);
    else
        testcases_free(set);
    return status;
}

void testcases_free(TestcaseSet *set)
{
    for (size_t i = 0; i < set->count; i++) {
        tensor_free(&set->cases[i].expected);
        for (size_t j = 0; j < PROBLEM_MAX_PARAMETERS; j++)
            tensor_free(&set->cases[i].sources[j].literal);
    }
    arena_free(&set->arena);
    *set = (TestcaseSet){0};
}
