#include "grader/problem/testcase_read.h"

#include "base/json.h"
#include "base/paths.h"
#include "grader/problem/case_source.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FILE_BYTES = 16 << 20, MAX_NAME_LENGTH = 100 };

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

/* One of the two files, being read. */
typedef struct TestcaseReading {
    const Problem *problem;
    TestcaseSet *set;
    bool hidden;
    JsonFile file;
    Message *why;
    SourceReader reader; /* of the same file */
} TestcaseReading;

/* --- one case ----------------------------------------------------------------------------------------------------- */

/* Checks that the object has one member for each parameter of the role. */
static Status check_members(TestcaseReading *reading, const cJSON *object, ParameterRole role, JsonKind kind)
{
    JsonKey keys[PROBLEM_MAX_PARAMETERS];
    size_t count = 0;
    for (size_t i = 0; i < reading->problem->parameter_count; i++)
        if (reading->problem->parameters[i].role == role)
            keys[count++] = (JsonKey){reading->problem->parameters[i].name, kind, true};
    return json_check(&reading->file, object, keys, count, reading->why);
}

static Status check_constraints(TestcaseReading *reading, const cJSON *sizes, const Testcase *testcase)
{
    const Problem *problem = reading->problem;
    for (size_t i = 0; i < problem->constraint_count; i++) {
        int64_t holds = 0;
        Status status = expression_evaluate(&problem->constraints[i], testcase->sizes.values, &holds, reading->why);
        if (status != STATUS_OK)
            return status;
        if (!holds)
            return json_fail(&reading->file, sizes, reading->why, "expected %s", problem->constraints[i].text);
    }
    return STATUS_OK;
}

static Status read_sizes(TestcaseReading *reading, const cJSON *sizes, Testcase *testcase)
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

static Status shape_of(TestcaseReading *reading, const cJSON *item, const Testcase *testcase, size_t parameter,
                       SourceArray *array)
{
    Message unfit = {0};
    array->parameter = &reading->problem->parameters[parameter];
    memset(array->shape, 0, sizeof array->shape);
    if (problem_shape(reading->problem, parameter, &testcase->sizes, array->shape, &array->count, &unfit) != STATUS_OK)
        return json_fail(&reading->file, item, reading->why, "%s", unfit.text);
    return STATUS_OK;
}

/* No timed call may see data that the submission has seen before, or that its author can guess. */
static Status check_is_drawn_anew(TestcaseReading *reading, const cJSON *item, const Testcase *testcase,
                                  const CaseSource *source)
{
    if (testcase->group != CASE_TIMED || case_source_is_drawn_anew(source))
        return STATUS_OK;
    return json_fail(&reading->file, item, reading->why,
                     "every timed call must get new data: expected a random generator or a file with \"perturb\", "
                     "without a seed");
}

static Status read_inputs(TestcaseReading *reading, const cJSON *inputs, Testcase *testcase)
{
    SourceArray array;
    Status status = check_members(reading, inputs, ROLE_IN, JSON_OBJECT);
    for (size_t i = 0; i < reading->problem->parameter_count && status == STATUS_OK; i++) {
        if (reading->problem->parameters[i].role != ROLE_IN)
            continue;
        const cJSON *item = json_get(inputs, reading->problem->parameters[i].name);
        status = shape_of(reading, item, testcase, i, &array);
        if (status == STATUS_OK)
            status = case_source_read(&reading->reader, item, &array, &testcase->sources[i]);
        if (status == STATUS_OK)
            status = check_is_drawn_anew(reading, item, testcase, &testcase->sources[i]);
    }
    return status;
}

/* The bytes of an array of the case. */
static Status bytes_of(TestcaseReading *reading, const cJSON *item, const Testcase *testcase, size_t parameter,
                       size_t *bytes)
{
    SourceArray array;
    Status status = shape_of(reading, item, testcase, parameter, &array);
    *bytes = status == STATUS_OK ? array.count * element_bytes(array.parameter->type) : 0;
    return status;
}

/* An array that grew might not find room where it lay. */
static Status check_fits(TestcaseReading *reading, const cJSON *item, const Testcase *testcase, const Testcase *before)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < reading->problem->parameter_count && status == STATUS_OK; i++) {
        size_t bytes = 0, room = 0;
        if (reading->problem->parameters[i].role == ROLE_SIZE)
            continue;
        status = bytes_of(reading, item, testcase, i, &bytes);
        if (status == STATUS_OK)
            status = bytes_of(reading, item, before, i, &room);
        if (status == STATUS_OK && bytes > room)
            status = json_fail(&reading->file, item, reading->why,
                               "%s has %zu bytes: expected at most %zu, as in the case before, \"%s\"",
                               reading->problem->parameters[i].name, bytes, room, before->name);
    }
    return status;
}

/* The case before this one in its group; NULL: it is the first. */
static const Testcase *case_before(const TestcaseSet *set, const Testcase *testcase)
{
    for (const Testcase *other = testcase; other-- > set->cases;)
        if (other->group == testcase->group)
            return other;
    return NULL;
}

/* Where the arrays of a timed call lie must not be foreseen. */
static Status read_addresses(TestcaseReading *reading, const cJSON *addresses, Testcase *testcase)
{
    const Testcase *before = case_before(reading->set, testcase);
    if (addresses == NULL)
        return STATUS_OK;
    testcase->repeats_addresses = true;
    if (strcmp(addresses->valuestring, "repeat") != 0)
        return json_fail(&reading->file, addresses, reading->why, "expected \"repeat\"");
    if (testcase->group == CASE_TIMED)
        return json_fail(&reading->file, addresses, reading->why, "the addresses of timed cases are random");
    if (before == NULL)
        return json_fail(&reading->file, addresses, reading->why, "no case comes before this one in its group");
    return check_fits(reading, addresses, testcase, before);
}

/* What is random is new in every grading, but for what has a seed in a sample. */
static bool is_known(const Testcase *testcase, const CaseSource *source)
{
    return !case_source_is_random(source) || (source->seeded && testcase->group == CASE_SAMPLE);
}

static Status read_expected(TestcaseReading *reading, const cJSON *expected, Testcase *testcase)
{
    SourceArray array;
    if (expected == NULL)
        return STATUS_OK;
    for (size_t i = 0; i < reading->problem->parameter_count; i++)
        if (reading->problem->parameters[i].role == ROLE_IN && !is_known(testcase, &testcase->sources[i]))
            return json_fail(&reading->file, expected, reading->why,
                             "the data of %s are new in every grading: expected values or a file for them%s",
                             reading->problem->parameters[i].name, testcase->group == CASE_SAMPLE ? ", or a seed" : "");
    Status status = shape_of(reading, expected, testcase, problem_output(reading->problem), &array);
    if (status != STATUS_OK)
        return status;
    if (cJSON_IsArray(expected))
        return case_source_values(&reading->reader, expected, &array, &testcase->expected);
    if (cJSON_IsObject(expected))
        return case_source_data_file(&reading->reader, expected, &array, &testcase->expected);
    return json_fail(&reading->file, expected, reading->why, "expected a list of numbers, or {\"file\": \"...\"}");
}

static Status read_group(TestcaseReading *reading, const cJSON *timed, Testcase *testcase)
{
    testcase->group = reading->hidden ? CASE_HIDDEN : CASE_SAMPLE;
    if (timed == NULL)
        return STATUS_OK;
    if (!cJSON_IsTrue(timed))
        return json_fail(&reading->file, timed, reading->why,
                         "expected true, or no \"timed\" at all: all devices time the same cases");
    testcase->group = CASE_TIMED;
    return STATUS_OK;
}

static Status read_name(TestcaseReading *reading, const cJSON *object, Testcase *testcase)
{
    const cJSON *name = json_get(object, "name"), *reason = json_get(object, "why");
    size_t length = strlen(name->valuestring);
    if (length == 0 || length > MAX_NAME_LENGTH)
        return json_fail(&reading->file, name, reading->why, "expected 1 to %d characters", MAX_NAME_LENGTH);
    for (const cJSON *other = object->prev; other->next != NULL;
         other = other->prev) /* cJSON: the first one's prev is the last */
        if (strcmp(json_get(other, "name")->valuestring, name->valuestring) == 0)
            return json_fail(&reading->file, name, reading->why, "two cases have the name \"%s\"", name->valuestring);
    testcase->name = arena_string(&reading->set->arena, name->valuestring);
    testcase->why = reason == NULL ? "" : arena_string(&reading->set->arena, reason->valuestring);
    return STATUS_OK;
}

/* For sizes that a quick kernel reaches on a simulated GPU and a slow one does not, which is right all the same. */
static Status read_attempt(TestcaseReading *reading, const cJSON *object, Testcase *testcase)
{
    static const char *const key = "sim_attempt_warp_instructions";
    const cJSON *attempt = json_get(object, key);
    if (attempt == NULL)
        return STATUS_OK;
    if (testcase->group != CASE_HIDDEN)
        return json_fail(&reading->file, attempt, reading->why, "only a hidden case that is not timed can be given up");
    return json_integer(&reading->file, object, key, 1, (int64_t)1 << 50, &testcase->attempt_instructions,
                        reading->why);
}

static Status read_formulas(TestcaseReading *reading, Testcase *testcase)
{
    const Problem *problem = reading->problem;
    Status status = expression_evaluate(&problem->operations, testcase->sizes.values, &testcase->operations,
                                        reading->why);
    if (status == STATUS_OK)
        status = expression_evaluate(&problem->bytes, testcase->sizes.values, &testcase->bytes, reading->why);
    return status;
}

static Status read_case(TestcaseReading *reading, const cJSON *object, Testcase *testcase)
{
    const JsonKey keys[] = {{"name", JSON_STRING, true},       {"why", JSON_STRING, reading->hidden},
                            {"sizes", JSON_OBJECT, true},      {"inputs", JSON_OBJECT, true},
                            {"expected", JSON_ANY, false},     {"timed", JSON_ANY, false},
                            {"addresses", JSON_STRING, false}, {"sim_attempt_warp_instructions", JSON_NUMBER, false}};
    Status status = json_check(&reading->file, object, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = read_name(reading, object, testcase);
    if (status == STATUS_OK)
        status = read_group(reading, json_get(object, "timed"), testcase);
    if (status == STATUS_OK)
        status = read_attempt(reading, object, testcase);
    if (status == STATUS_OK)
        status = read_sizes(reading, json_get(object, "sizes"), testcase);
    if (status == STATUS_OK)
        status = read_addresses(reading, json_get(object, "addresses"), testcase);
    if (status == STATUS_OK)
        status = read_inputs(reading, json_get(object, "inputs"), testcase);
    if (status == STATUS_OK)
        status = read_expected(reading, json_get(object, "expected"), testcase);
    return status == STATUS_OK ? read_formulas(reading, testcase) : status;
}

/* --- both files --------------------------------------------------------------------------------------------------- */

static Status read_cases(TestcaseReading *reading)
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
    char path[PATH_MAX + 16];
    TestcaseReading reading = {.problem = problem, .set = set, .hidden = hidden, .why = why};
    reading.reader = (SourceReader){.file = &reading.file, .folder = problem->testcases, .why = why};
    snprintf(path, sizeof path, "%s/%s", problem->testcases, hidden ? "hidden.json" : "sample.json");
    Status status = json_read(path, MAX_FILE_BYTES, &reading.file, why);
    if (status != STATUS_OK)
        return status;
    status = read_cases(&reading);
    json_free(&reading.file);
    return status;
}

/* Sorts by group and numbers the cases of each group; within a group, the order stays. */
static void sort_and_number(TestcaseSet *set)
{
    Testcase *sorted = arena_array(&set->arena, set->count + 1, sizeof *sorted);
    size_t count = 0;
    for (int group = CASE_SAMPLE; group <= CASE_TIMED; group++) {
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
