#include "grader/problem/custom_case.h"

#include "base/status.h"
#include "base/text.h"
#include "grader/problem/testcase.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters by their names ----------------------------------------------------------------------------------- */

enum { NUMBERS = ROLE_SIZE | ROLE_SCALAR };

/* "input_size, kernel_size": those with one of the roles. */
static const char *names_of(const Problem *problem, unsigned role, Arena *arena)
{
    const char *names = "";
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role & role)
            names = arena_printf(arena, "%s%s%s", names, *names == '\0' ? "" : ", ", problem->parameters[i].name);
    return names;
}

/* The parameter of a role with this name; parameter_count if there is none. */
static size_t find_parameter(const Problem *problem, unsigned role, const char *name)
{
    size_t i = 0;
    while (i < problem->parameter_count &&
           ((problem->parameters[i].role & role) == 0 || strcmp(problem->parameters[i].name, name) != 0))
        i++;
    return i;
}

static Status refuse_name(const Problem *problem, unsigned role, const char *name, Arena *arena, Message *why)
{
    const char *names = names_of(problem, role, arena);
    return fail(STATUS_BAD_INPUT, why, "%s '%s' is no %s of %s; %sexpected: %s",
                role == NUMBERS ? "sizes:" : "data:", name, role == NUMBERS ? "size" : "input", problem->id,
                suggestion_for(name, names).text, names);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Cuts off the spaces around it. */
static char *trimmed(char *text)
{
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
    return text;
}

static Status read_scalar(const Parameter *parameter, size_t i, const char *number, Testcase *testcase, Message *why)
{
    char *end;
    double value = strtod(number, &end);
    if (end == number || *end != '\0' || !scalar_takes(parameter, &value))
        return fail(STATUS_BAD_INPUT, why,
                    "sizes: %s: expected a number from %g to %g, as the statement says, found '%s'", parameter->name,
                    parameter->least, parameter->most, number);
    sizes_set_scalar(&testcase->sizes, i, value);
    return STATUS_OK;
}

static Status read_size(const Problem *problem, char *item, Testcase *testcase, bool *given, Arena *arena, Message *why)
{
    char *number = strchr(item, '='), *end;
    if (number == NULL)
        return fail(STATUS_BAD_INPUT, why, "sizes: expected name=number, found '%s'; sizes of %s: %s", item,
                    problem->id, names_of(problem, NUMBERS, arena));
    *number++ = '\0';
    item = trimmed(item);
    number = trimmed(number);
    size_t i = find_parameter(problem, NUMBERS, item);
    if (i == problem->parameter_count)
        return refuse_name(problem, NUMBERS, item, arena, why);
    const Parameter *parameter = &problem->parameters[i];
    if (given[i])
        return fail(STATUS_BAD_INPUT, why, "sizes: %s is given twice", item);
    given[i] = true;
    if (parameter->role == ROLE_SCALAR)
        return read_scalar(parameter, i, number, testcase, why);
    errno = 0;
    long long value = strtoll(number, &end, 10);
    if (end == number || *end != '\0' || errno != 0 || value < parameter->low || value > parameter->high)
        return fail(STATUS_BAD_INPUT, why,
                    "sizes: %s: expected a number from %lld to %lld, as the statement says, found '%s'%s", item,
                    (long long)parameter->low, (long long)parameter->high, number,
                    strchr(number, '=') == NULL ? "" : "; commas separate sizes");
    testcase->sizes.values[i] = value;
    return STATUS_OK;
}

static Status check_sizes(const Problem *problem, const Testcase *testcase, const bool *given, Arena *arena,
                          Message *why)
{
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (!parameter_is_array(&problem->parameters[i]) && !given[i])
            return fail(STATUS_BAD_INPUT, why, "sizes: %s is missing; sizes of %s: %s", problem->parameters[i].name,
                        problem->id, names_of(problem, NUMBERS, arena));
    Message unfit;
    if (sizes_check(problem, &testcase->sizes, &unfit) != STATUS_OK)
        return fail(STATUS_BAD_INPUT, why, "sizes: %s", unfit.text);
    return STATUS_OK;
}

static Status read_sizes(const Problem *problem, const char *sizes, Testcase *testcase, Arena *arena, Message *why)
{
    bool given[PROBLEM_MAX_PARAMETERS] = {false};
    char *rest = arena_copy(arena, sizes, strlen(sizes)), *item;
    Status status = STATUS_OK;
    while (status == STATUS_OK && (item = strsep(&rest, ",")) != NULL)
        status = read_size(problem, item, testcase, given, arena, why);
    THEN(status, check_sizes(problem, testcase, given, arena, why));
    return status == STATUS_OK ? testcase_count_work(problem, testcase, why) : status;
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

static CaseSource random_source(ElementType type, uint64_t seed, size_t parameter)
{
    CaseSource source = {.kind = SOURCE_INTEGERS, .seeded = true, .a = -9, .b = 9, .position = -1};
    source.seed = seed * PROBLEM_MAX_PARAMETERS + parameter; /* no two arrays are alike */
    if (type == ELEMENT_UINT8) {
        source.a = 0;
        source.b = UINT8_MAX;
    } else if (element_is_whole(type) && element_traits[type].lowest == 0) {
        source.a = 0;
    } else if (!element_is_whole(type)) {
        source.kind = SOURCE_UNIFORM;
        source.a = -1;
        source.b = 1;
    }
    return source;
}

/* The name of the file for an input in "photo.npy,filter=taps.npy"; NULL: none. Marks it as used. */
static const char *file_for(const Problem *problem, size_t parameter, char **items, size_t count)
{
    const char *name = problem->parameters[parameter].name;
    const size_t length = strlen(name);
    for (size_t i = 0; i < count; i++) {
        char *item = items[i];
        if (item == NULL || !(strncmp(item, name, length) == 0 && item[length] == '='))
            continue;
        items[i] = NULL;
        return item + length + 1;
    }
    return NULL;
}

/* "photo.png/255": a picture whose levels from 0 to 255 become numbers from 0 to 1. No file's name ends so. */
static Status read_file(const char *file, const SourceArray *array, Tensor *tensor, Message *why)
{
    const char *slash = strrchr(file, '/');
    char path[PATH_MAX], *end = NULL;
    const double divisor = slash == NULL ? 0 : strtod(slash + 1, &end);
    if (!(divisor > 0 && isfinite(divisor)) || *end != '\0')
        return case_source_file(file, 1, array, tensor, why);
    snprintf(path, sizeof path, "%.*s", (int)(slash - file), file);
    return case_source_file(path, divisor, array, tensor, why);
}

static Status read_array(const Problem *problem, size_t parameter, const char *file, uint64_t seed, Testcase *testcase,
                         Message *why)
{
    SourceArray array = {.parameter = &problem->parameters[parameter]};
    CaseSource *source = &testcase->sources[parameter];
    Status status = problem_shape(problem, parameter, &testcase->sizes, array.shape, &array.count, why);
    if (status != STATUS_OK || file == NULL) {
        *source = random_source(array.parameter->type, seed, parameter);
        return status;
    }
    source->kind = SOURCE_FILE;
    return read_file(file, &array, &source->literal, why);
}

static Status read_data(const Problem *problem, const CustomCase *own, Testcase *testcase, Arena *arena, Message *why)
{
    char *items[PROBLEM_MAX_PARAMETERS] = {NULL}, *item;
    char *rest = own->data == NULL ? NULL : arena_copy(arena, own->data, strlen(own->data));
    size_t count = 0;
    Status status = STATUS_OK;
    bool first = true;
    while ((item = strsep(&rest, ",")) != NULL && count < PROBLEM_MAX_PARAMETERS)
        items[count++] = item; /* a full array holds some that are no input's, and these are refused below */
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++) {
        if ((problem->parameters[i].role & ROLE_IN) == 0)
            continue;
        const char *file = file_for(problem, i, items, count);
        if (file == NULL && first && count > 0 && items[0] != NULL && strchr(items[0], '=') == NULL) {
            file = items[0];
            items[0] = NULL;
        }
        first = false;
        status = read_array(problem, i, file, own->seed, testcase, why);
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if (items[i] != NULL) {
            items[i][strcspn(items[i], "=")] = '\0';
            status = find_parameter(problem, ROLE_IN, items[i]) < problem->parameter_count
                         ? fail(STATUS_BAD_INPUT, why, "data: %s is given twice", items[i])
                         : refuse_name(problem, ROLE_IN, items[i], arena, why);
        }
    return status;
}

/* ---- the case ---------------------------------------------------------------------------------------------------- */

static void begin_cases(TestcaseSet *set, size_t count)
{
    *set = (TestcaseSet){.count = count};
    set->cases = arena_array(&set->arena, count, sizeof *set->cases);
    for (size_t i = 0; i < count; i++)
        set->cases[i] = (Testcase){.why = "", .group = CASE_SAMPLE, .number = (int)i + 1};
}

static Status end_cases(TestcaseSet *set, Status status)
{
    if (status != STATUS_OK)
        testcases_free(set);
    return status;
}

Status custom_case_make(const Problem *problem, const CustomCase *own, TestcaseSet *set, Message *why)
{
    begin_cases(set, 1);
    Testcase *testcase = &set->cases[0];
    testcase->name = arena_string(&set->arena, own->sizes);
    Status status = read_sizes(problem, own->sizes, testcase, &set->arena, why);
    THEN(status, read_data(problem, own, testcase, &set->arena, why));
    return end_cases(set, status);
}

Status custom_cases_of(const Problem *problem, const Sizes *sizes, size_t count, uint64_t seed, TestcaseSet *set,
                       Message *why)
{
    const CustomCase own = {.seed = seed};
    Status status = STATUS_OK;
    begin_cases(set, count);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        Text name = {0};
        sizes_add_options(&name, problem, &sizes[i]);
        set->cases[i].name = arena_string(&set->arena, name.data);
        text_free(&name);
        set->cases[i].sizes = sizes[i];
        status = testcase_count_work(problem, &set->cases[i], why);
        THEN(status, read_data(problem, &own, &set->cases[i], &set->arena, why));
    }
    return end_cases(set, status);
}
