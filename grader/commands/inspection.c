#include "grader/commands/inspection.h"

#include "base/paths.h"
#include "base/text.h"
#include "grader/check/checker.h"
#include "grader/check/oracle.h"
#include "grader/problem/testcase.h"
#include "grader/problem/testcase_data.h"
#include "harness/broker/session.h"
#include "harness/device/device_open.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== inspection ================================================================================================== */

enum { MAX_STATEMENT_BYTES = 1 << 20, LOOKS = 64 /* elements per case that are evaluated twice */ };

/* Enough cases to tell mistakes apart, enough reference solutions for a ranking, enough mistakes to test the cases. */
enum { LEAST_HIDDEN_CASES = 14, LEAST_REFERENCES = 6, LEAST_WRONG = 8 };

static const GeneratorKey SEED = {{1}}; /* for data that is drawn anew in every run; any value will do */

#define EXAMPLE "\n## Example\n"
#define INTENSITY "\n## Arithmetic intensity\n"

/* ---- the statement ----------------------------------------------------------------------------------------------- */

/* Replaces every run of white space by one space, since a signature may be broken into lines. */
static Text squeezed(const char *source)
{
    Text text = {0};
    text_add(&text, "");
    for (const char *at = source; *at != '\0'; at++)
        if (!isspace((unsigned char)*at))
            text_append(&text, at, 1);
        else if (text.length > 0 && text.data[text.length - 1] != ' ')
            text_append(&text, " ", 1);
    return text;
}

static bool shows_squeezed(const Text *statement, const char *wanted)
{
    Text whole = squeezed(statement->data), part = squeezed(wanted);
    bool found = strstr(whole.data, part.data) != NULL;
    text_free(&whole);
    text_free(&part);
    return found;
}

/* "4,096" */
static void with_commas(int64_t value, char *out, size_t size)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)value);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether the number stands somewhere, not as a part of a longer one. */
static bool shows_number(const char *text, const char *number)
{
    size_t length = strlen(number);
    for (const char *at = text; (at = strstr(at, number)) != NULL; at++) {
        const char *end = at + length;
        bool begins = at == text || (!is_digit(at[-1]) && at[-1] != ',' && at[-1] != '.');
        bool ends = !is_digit(end[0]) && !((end[0] == ',' || end[0] == '.') && is_digit(end[1]));
        if (begins && ends)
            return true;
    }
    return false;
}

/* What students must define: solve(), or with a driver what student.h says behind the comment that it may begin with. */
static const char *asked_for(const Problem *problem)
{
    if (problem->driver == NULL)
        return problem->signature;
    const char *text = problem->headers[0].text;
    const char *end = strncmp(text, "/*", 2) == 0 ? strstr(text, "*/") : NULL;
    text = end == NULL ? text : end + 2;
    return text + strspn(text, " \t\r\n");
}

static Status find_in_statement(const Problem *problem, const Text *statement, Message *why)
{
    static const char *const sections[] = {EXAMPLE, "\n## What to write\n", INTENSITY, "\n## When it is right\n",
                                           "\n## How fast it is\n"};
    if (!shows_squeezed(statement, asked_for(problem)))
        return fail(STATUS_BAD_INPUT, why, "%s/statement.md: the signature is missing: %s", problem->folder,
                    asked_for(problem));
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strstr(statement->data, sections[i]) == NULL)
            return fail(STATUS_BAD_INPUT, why, "%s/statement.md: the section \"%.*s\" is missing", problem->folder,
                        (int)strlen(sections[i]) - 2, sections[i] + 1);
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *size = &problem->parameters[i];
        char plain[32], commas[48];
        snprintf(plain, sizeof plain, "%lld", (long long)size->high);
        with_commas(size->high, commas, sizeof commas);
        if (size->role == ROLE_SIZE && !shows_number(statement->data, plain) && !shows_number(statement->data, commas))
            return fail(STATUS_BAD_INPUT, why, "%s/statement.md: the limit of %s is missing: %s", problem->folder,
                        size->name, commas);
    }
    return STATUS_OK;
}

static Status read_statement(const Problem *problem, Text *statement, Message *why)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/statement.md", problem->folder);
    TRY(text_read_file(path, MAX_STATEMENT_BYTES, statement, why));
    if (statement->length == 0)
        return fail(STATUS_BAD_INPUT, why, "%s: empty", path);
    return STATUS_OK;
}

Status inspect_statement(const Problem *problem, Message *why)
{
    Text statement = {0};
    Status status = read_statement(problem, &statement, why);
    THEN(status, find_in_statement(problem, &statement, why));
    text_free(&statement);
    return status;
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

static bool has_other_data(const Problem *problem, const Testcase *a, const Testcase *b)
{
    for (size_t i = 0; i < problem->parameter_count; i++)
        if ((problem->parameters[i].role & ROLE_IN) != 0 && !case_source_is_same(&a->sources[i], &b->sources[i]))
            return true;
    return false;
}

static bool has_same_sizes(const Problem *problem, const Testcase *a, const Testcase *b)
{
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (!parameter_is_array(&problem->parameters[i]) && a->sizes.values[i] != b->sizes.values[i])
            return false;
    return true;
}

static bool some_case_repeats(const Problem *problem, const TestcaseSet *set, bool addresses)
{
    for (size_t i = 1; i < set->count; i++) {
        const Testcase *before = &set->cases[i - 1], *testcase = &set->cases[i];
        if (before->group == CASE_HIDDEN && testcase->group == CASE_HIDDEN &&
            has_same_sizes(problem, before, testcase) && has_other_data(problem, before, testcase) &&
            testcase->repeats_addresses == addresses)
            return true;
    }
    return false;
}

static Status find_repetition(const Problem *problem, const TestcaseSet *set, Message *why)
{
    static const char *const whose = "has the sizes of the one before it and other data";
    if (!some_case_repeats(problem, set, true))
        return fail(STATUS_BAD_INPUT, why, "testcases/%s: no hidden case with \"addresses\": \"repeat\" %s",
                    problem->id, whose);
    if (!some_case_repeats(problem, set, false))
        return fail(STATUS_BAD_INPUT, why, "testcases/%s: no hidden case without \"addresses\" %s", problem->id, whose);
    return STATUS_OK;
}

Status inspect_groups(const Problem *problem, const TestcaseSet *set, Message *why)
{
    static const char *const missing[] = {
        [CASE_SAMPLE] = "no sample case", [CASE_HIDDEN] = "no hidden case", [CASE_TIMED] = "no timed case"};
    for (int group = CASE_SAMPLE; group <= CASE_TIMED; group++) {
        size_t i = 0;
        while (i < set->count && (int)set->cases[i].group != group)
            i++;
        if (i == set->count)
            return fail(STATUS_BAD_INPUT, why, "testcases/%s: %s", problem->id, missing[group]);
    }
    return find_repetition(problem, set, why);
}

static Status not_literal(const Problem *problem, const char *what, Message *why)
{
    return fail(STATUS_BAD_INPUT, why,
                "testcases/%s/sample.json: the first case, the statement's example, must be literal: numbers for %s",
                problem->id, what);
}

/* Whether the section "Example" shows every number of the array. */
static Status shows_array(const Problem *problem, const char *section, const Tensor *array, const char *name,
                          Message *why)
{
    for (size_t i = 0; i < tensor_count(array); i++) {
        char number[40];
        snprintf(number, sizeof number, element_is_whole(array->type) ? "%.0f" : "%.7g",
                 element_load(array->type, array->data, i));
        if (!shows_number(section, number))
            return fail(STATUS_BAD_INPUT, why,
                        "%s/statement.md: the example does not show %s, element %zu of %s of the "
                        "first sample",
                        problem->folder, number, i, name);
    }
    return STATUS_OK;
}

static Status example_is_shown(const Problem *problem, const Testcase *first, Message *why)
{
    Text statement = {0};
    Status status = read_statement(problem, &statement, why);
    char *section = status == STATUS_OK ? strstr(statement.data, EXAMPLE) : NULL;
    if (status == STATUS_OK && section == NULL)
        status = fail(STATUS_BAD_INPUT, why, "%s/statement.md: no section \"## Example\"", problem->folder);
    char *next = section == NULL ? NULL : strstr(section + 1, "\n## ");
    if (next != NULL)
        *next = '\0';
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++)
        if ((problem->parameters[i].role & ROLE_IN) != 0)
            status = shows_array(problem, section, &first->sources[i].literal, problem->parameters[i].name, why);
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++)
        if (problem->parameters[i].role & ROLE_OUT)
            status = shows_array(problem, section, &first->expected[i], "\"expected\"", why);
    text_free(&statement);
    return status;
}

Status inspect_example(const Problem *problem, const TestcaseSet *set, Message *why)
{
    const Testcase *first = &set->cases[0]; /* samples come first */
    if (set->count == 0 || first->group != CASE_SAMPLE)
        return fail(STATUS_BAD_INPUT, why, "testcases/%s: no sample case", problem->id);
    for (size_t i = 0; i < problem->parameter_count; i++)
        if ((problem->parameters[i].role & ROLE_IN) != 0 && first->sources[i].kind != SOURCE_VALUES)
            return not_literal(problem, problem->parameters[i].name, why);
    if (first->expected[problem_output(problem)].data == NULL)
        return not_literal(problem, "\"expected\"", why);
    return example_is_shown(problem, first, why);
}

/* ---- the oracle -------------------------------------------------------------------------------------------------- */

/* A case with the arrays of its inputs. */
typedef struct CaseArrays {
    const Testcase *testcase;
    void *inputs[PROBLEM_MAX_PARAMETERS];
    size_t output_count;
} CaseArrays;

static void case_arrays_free(CaseArrays *arrays)
{
    for (size_t i = 0; i < PROBLEM_MAX_PARAMETERS; i++)
        free(arrays->inputs[i]);
}

/* The caller frees it even after an error. */
static Status case_arrays_make(const Problem *problem, const Testcase *testcase, CaseArrays *arrays, Message *why)
{
    Status status = STATUS_OK;
    *arrays = (CaseArrays){.testcase = testcase};
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++) {
        const Parameter *parameter = &problem->parameters[i];
        size_t shape[TENSOR_MAX_RANK], count = 0;
        if (!parameter_is_array(parameter))
            continue;
        status = problem_shape(problem, i, &testcase->sizes, shape, &count, why);
        if (i == problem_output(problem))
            arrays->output_count = count;
        if (status != STATUS_OK || parameter->role == ROLE_OUT)
            continue;
        arrays->inputs[i] = malloc(count * element_bytes(parameter->type));
        if (arrays->inputs[i] == NULL)
            return fail_errno(why, "%s of \"%s\"", parameter->name, testcase->name);
        testcase_fill(problem, testcase, i, &SEED, arrays->inputs[i], count);
    }
    return status;
}

/* Compares the literal values with the oracle's, as if they were a submission's output. */
static Status inspect_literal(const Problem *problem, const Testcase *testcase, const Oracle *oracle, Message *why)
{
    CaseArrays arrays;
    Comparison comparison = {0};
    Testcase unanswered = *testcase;
    const Tensor *literal = &testcase->expected[problem_output(problem)];
    memset(unanswered.expected, 0, sizeof unanswered.expected);
    Status status = case_arrays_make(problem, testcase, &arrays, why);
    THEN(status, checker_compare(problem, &unanswered, oracle, (const void *const *)arrays.inputs, NULL, literal->data,
                                 call_poison(0), &comparison, why));
    if (status == STATUS_OK && comparison.wrong > 0)
        status = fail(STATUS_BAD_INPUT, why,
                      "testcases/%s, \"%s\": element %zu of \"expected\" is %.9g, but oracle.h says %.9g", problem->id,
                      testcase->name, comparison.first.index, comparison.first.got, comparison.first.expected);
    case_arrays_free(&arrays);
    return status;
}

Status inspect_literals(const Problem *problem, const TestcaseSet *set, Message *why)
{
    Oracle *oracle;
    Status status = oracle_open(problem, &oracle, why);
    TRY(status);
    for (const Oracle *of = oracle; of != NULL; of = oracle_next(of))
        for (size_t i = 0; i < set->count && status == STATUS_OK; i++)
            if (set->cases[i].expected[problem_output(oracle_problem(of))].data != NULL)
                status = inspect_literal(oracle_problem(of), &set->cases[i], of, why);
    oracle_close(oracle);
    return status;
}

static Status inspect_element(const Problem *problem, const CaseArrays *arrays, const Oracle *oracle,
                              const Oracle *wide, size_t index, Message *why)
{
    const Sizes *sizes = &arrays->testcase->sizes;
    const void *const *inputs = (const void *const *)arrays->inputs;
    double value = 0, wide_value = 0, magnitude, wide_magnitude = 0;
    Status status = oracle_evaluate(oracle, sizes, inputs, index, 1, &value, &magnitude, why);
    THEN(status, oracle_evaluate(wide, sizes, inputs, index, 1, &wide_value, &wide_magnitude, why));
    if (status != STATUS_OK || fabs(value - wide_value) <= 1e-12 * wide_magnitude)
        return status;
    return fail(STATUS_BAD_INPUT, why, "%s/oracle.h: element %zu of \"%s\" is %.17g in double and %.17g in long double",
                problem->folder, index, arrays->testcase->name, value, wide_value);
}

static Status inspect_elements(const Problem *problem, const Testcase *testcase, const Oracle *oracle,
                               const Oracle *wide, Message *why)
{
    CaseArrays arrays;
    Status status = case_arrays_make(problem, testcase, &arrays, why);
    size_t last = arrays.output_count == 0 ? 0 : arrays.output_count - 1;
    size_t looks = last + 1 < LOOKS ? last + 1 : LOOKS;
    for (size_t i = 0; i < looks && status == STATUS_OK; i++)
        status = inspect_element(problem, &arrays, oracle, wide, looks == 1 ? 0 : last * i / (looks - 1), why);
    case_arrays_free(&arrays);
    return status;
}

Status inspect_precision(const Problem *problem, const TestcaseSet *set, Message *why)
{
    Oracle *oracle = NULL, *wide = NULL;
    Status status = oracle_open(problem, &oracle, why);
    THEN(status, oracle_open_wide(problem, &wide, why));
    for (size_t i = 0; i < set->count && status == STATUS_OK; i++)
        if (set->cases[i].group == CASE_SAMPLE || set->cases[i].group == CASE_HIDDEN)
            status = inspect_elements(problem, &set->cases[i], oracle, wide, why);
    oracle_close(oracle);
    oracle_close(wide);
    return status;
}

/* ---- classes of values ------------------------------------------------------------------------------------------- */

/* On lines of so many elements running sums in float go astray. So do sums of products on tensor cores in one accumulator,
 * from so many operations on; of many more, those of a right solution may. */
enum { LONG_LINE = 1000, MANY_OPERATIONS = 800 };

/* An array of a case, and what its elements have in common. */
typedef struct ArrayValues {
    const Parameter *parameter;
    const CaseSource *source;
    size_t shape[TENSOR_MAX_RANK], count;
    const void *data;
    size_t nonzero;
    double least, most, sum, second; /* `second`: the second largest magnitude */
} ArrayValues;

static double value_at(const ArrayValues *array, size_t index)
{
    return element_load(array->parameter->type, array->data, index);
}

static void summarise(ArrayValues *array)
{
    double largest = 0;
    array->least = INFINITY;
    array->most = -INFINITY;
    for (size_t i = 0; i < array->count; i++) {
        const double value = value_at(array, i), magnitude = fabs(value);
        array->nonzero += value != 0;
        array->least = fmin(array->least, value);
        array->most = fmax(array->most, value);
        array->sum += value;
        array->second = fmax(array->second, fmin(magnitude, largest));
        largest = fmax(largest, magnitude);
    }
}

static bool is_zero(const ArrayValues *array)
{
    return array->nonzero == 0;
}

static bool is_equal(const ArrayValues *array)
{
    return array->count > 1 && array->nonzero > 0 && array->least == array->most;
}

static bool is_positive(const ArrayValues *array)
{
    return array->nonzero > 0 && array->least >= 0;
}

static bool is_like_identity(const ArrayValues *array)
{
    return array->count >= 3 && fabs(array->sum - 1) < 1e-6 && value_at(array, array->count / 2) == 1 &&
           array->nonzero > 1;
}

static bool is_symmetric_by_its_ends(const ArrayValues *array)
{
    bool is_symmetric = true;
    for (size_t i = 0; i < array->count / 2; i++)
        is_symmetric = is_symmetric && value_at(array, i) == value_at(array, array->count - 1 - i);
    return !is_symmetric && value_at(array, 0) != 0 && value_at(array, 0) == value_at(array, array->count - 1);
}

/* At most half of the elements are not the product of what lies along the axes, but at least one. */
static bool is_nearly_a_product(const ArrayValues *array)
{
    const double first = value_at(array, 0);
    size_t others = 0;
    for (size_t i = 0; i < array->count && first != 0; i++) {
        double product = first;
        size_t stride = array->count;
        for (int axis = 0; axis < array->parameter->rank; axis++) {
            stride /= array->shape[axis];
            product *= value_at(array, i / stride % array->shape[axis] * stride) / first;
        }
        others += fabs(product - value_at(array, i)) > 1e-5 * fabs(product);
    }
    return others > 0 && others <= array->count / 2 && array->least != array->most;
}

static bool is_sparse(const ArrayValues *array)
{
    return array->nonzero > 0 && array->nonzero <= array->count / 8;
}

static bool has_one_huge(const ArrayValues *array)
{
    return array->second > 0 && fmax(fabs(array->least), fabs(array->most)) >= 1000 * array->second;
}

static bool is_equal_but_for_some(const ArrayValues *array)
{
    return array->source->kind == SOURCE_CONSTANT && array->source->changes > 0;
}

static bool changes_in_a_row(const ArrayValues *array)
{
    return array->source->changes >= 2;
}

/* The input is the array with the most elements in all cases together; filters are the others. */
typedef enum ValueScope { EACH_ARRAY, THE_INPUT, SOME_FILTER } ValueScope;

static const struct ValueClass {
    const char *what;
    ValueScope scope;
    bool (*holds)(const ArrayValues *array);
    bool of_floats; /* no array of bytes or whole numbers must have it */
    size_t least;   /* elements that an array needs to have it */
    int rank;       /* axes that it needs */
} value_classes[] = {
    {"all elements are zero", EACH_ARRAY, is_zero, false, 1, 1},
    {"all elements are equal, and not zero", EACH_ARRAY, is_equal, false, 2, 1},
    {"all elements but one are equal", THE_INPUT, is_equal_but_for_some, false, 3, 1},
    {"one element differs from the case before, as in {\"as_before\": true, \"change\": 1}, twice in a row", EACH_ARRAY,
     changes_in_a_row, false, 2, 1},
    {"one element is a thousand times as large as all others", THE_INPUT, has_one_huge, true, 100, 1},
    {"the middle tap and the sum of all taps are 1, and others are not 0", SOME_FILTER, is_like_identity, true, 3, 1},
    {"the first and the last tap are equal, and the filter is not symmetric", SOME_FILTER, is_symmetric_by_its_ends,
     true, 5, 1},
    {"one tap in eight or fewer is not zero", SOME_FILTER, is_sparse, true, 8, 1},
    {"most taps, but not all, are products of one vector for each axis", SOME_FILTER, is_nearly_a_product, true, 9, 2},
};

enum { VALUE_CLASSES = sizeof value_classes / sizeof *value_classes };

/* What the cases have been found to have. */
typedef struct ValuesFound {
    const Problem *problem;
    size_t input;                                      /* the parameter with the most elements */
    size_t largest[PROBLEM_MAX_PARAMETERS];            /* elements of the largest array of each parameter */
    bool found[VALUE_CLASSES][PROBLEM_MAX_PARAMETERS]; /* by class and parameter */
    bool draws_sizes, has_filter;
    size_t longest_line;     /* of the input in any case; and where no array has a negative element: */
    size_t longest_positive; /* the same */
    size_t longest_equal;    /* and where a filter's taps are equal besides */
    double most_terms;       /* operations for each output in any case; and where no array has a negative element: */
    double most_positive;    /* the same */
} ValuesFound;

static bool is_class_of(const ValuesFound *found, const struct ValueClass *class, size_t parameter)
{
    const Parameter *array = &found->problem->parameters[parameter];
    return (array->role & ROLE_IN) != 0 && (class->scope != THE_INPUT || parameter == found->input) &&
           (class->scope != SOME_FILTER || parameter != found->input) &&
           (!class->of_floats || array->type == ELEMENT_FLOAT32) && array->rank >= class->rank &&
           found->largest[parameter] >= class->least;
}

static void find_in_array(ValuesFound *found, size_t parameter, ArrayValues *array)
{
    summarise(array);
    for (size_t i = 0; i < VALUE_CLASSES; i++)
        if (array->count >= value_classes[i].least && is_class_of(found, &value_classes[i], parameter))
            found->found[i][parameter] = found->found[i][parameter] || value_classes[i].holds(array);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t longest_extent(const ArrayValues *array)
{
    size_t longest = 0;
    for (int axis = 0; axis < array->parameter->rank; axis++)
        longest = larger(longest, array->shape[axis]);
    return longest;
}

static Status find_in_case(const Testcase *testcase, ValuesFound *found, Message *why)
{
    const Problem *problem = found->problem;
    bool is_all_positive = true, has_equal_taps = false;
    size_t line = 0;
    CaseArrays arrays;
    Status status = case_arrays_make(problem, testcase, &arrays, why);
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++) {
        ArrayValues array = {
            .parameter = &problem->parameters[i], .source = &testcase->sources[i], .data = arrays.inputs[i]};
        if ((problem->parameters[i].role & ROLE_IN) == 0)
            continue;
        status = problem_shape(problem, i, &testcase->sizes, array.shape, &array.count, why);
        if (status != STATUS_OK)
            break;
        find_in_array(found, i, &array);
        is_all_positive = is_all_positive && (is_positive(&array) || (i != found->input && is_zero(&array)));
        has_equal_taps = has_equal_taps || (i != found->input && is_equal(&array));
        line = i == found->input ? longest_extent(&array) : line;
        found->has_filter = found->has_filter || i != found->input;
    }
    const double terms = (double)testcase->operations / (double)larger(1, arrays.output_count);
    case_arrays_free(&arrays);
    found->draws_sizes = found->draws_sizes || testcase->draws_sizes;
    found->longest_line = larger(found->longest_line, line);
    found->most_terms = fmax(found->most_terms, terms);
    if (is_all_positive) {
        found->longest_positive = larger(found->longest_positive, line);
        found->most_positive = fmax(found->most_positive, terms);
        found->longest_equal = has_equal_taps ? larger(found->longest_equal, line) : found->longest_equal;
    }
    return status;
}

static Status find_largest(const TestcaseSet *set, ValuesFound *found, Message *why)
{
    const Problem *problem = found->problem;
    double totals[PROBLEM_MAX_PARAMETERS] = {0};
    for (size_t i = 0; i < set->count; i++)
        for (size_t k = 0; k < problem->parameter_count; k++) {
            size_t shape[TENSOR_MAX_RANK], count;
            if ((problem->parameters[k].role & ROLE_IN) == 0 || set->cases[i].group != CASE_HIDDEN)
                continue;
            TRY(problem_shape(problem, k, &set->cases[i].sizes, shape, &count, why));
            totals[k] += (double)count;
            found->largest[k] = larger(found->largest[k], count);
        }
    for (size_t k = 0; k < problem->parameter_count; k++)
        if (totals[k] > totals[found->input])
            found->input = k;
    return STATUS_OK;
}

/* "row_filter or column_filter: no hidden case in which ...": a filter's class is missing only where no filter has it. */
static void report_class(const ValuesFound *found, const struct ValueClass *class, const bool *has, Text *missing)
{
    Text names = {0};
    bool one_has = false;
    for (size_t i = 0; i < found->problem->parameter_count; i++) {
        const bool is_wanted = is_class_of(found, class, i);
        one_has = one_has || (is_wanted && has[i]);
        if (is_wanted && (class->scope == SOME_FILTER || !has[i]))
            text_printf(&names, "%s%s",
                        names.length == 0             ? ""
                        : class->scope == SOME_FILTER ? " or "
                                                      : ", ",
                        found->problem->parameters[i].name);
    }
    if (names.length > 0 && !(class->scope == SOME_FILTER && one_has))
        text_printf(missing, "%s: no hidden case in which %s\n", names.data, class->what);
    text_free(&names);
}

static void report_positive(const ValuesFound *found, Text *missing)
{
    const Parameter *input = &found->problem->parameters[found->input];
    if (input->type != ELEMENT_FLOAT32)
        return;
    const double many = fmin(MANY_OPERATIONS, found->most_terms / 2);
    if (found->most_positive < many)
        text_printf(missing, "no hidden case without negative elements has %.0f operations for each output\n", many);
    if (found->longest_line >= LONG_LINE && found->longest_positive < LONG_LINE)
        text_printf(missing, "no hidden case without negative elements has a line of %d elements of %s\n",
                    (int)LONG_LINE, input->name);
    if (found->longest_line >= LONG_LINE && found->longest_equal < LONG_LINE && found->has_filter)
        text_printf(missing,
                    "no hidden case with equal taps and without negative elements has a line of %d elements of %s\n",
                    (int)LONG_LINE, input->name);
}

Status inspect_values(const Problem *problem, const TestcaseSet *set, Text *missing, Message *why)
{
    ValuesFound found = {.problem = problem};
    const size_t start = missing->length;
    Status status = find_largest(set, &found, why);
    for (size_t i = 0; i < set->count && status == STATUS_OK; i++)
        if (set->cases[i].group == CASE_HIDDEN)
            status = find_in_case(&set->cases[i], &found, why);
    TRY(status);
    for (size_t i = 0; i < VALUE_CLASSES; i++)
        report_class(&found, &value_classes[i], found.found[i], missing);
    report_positive(&found, missing);
    if (!found.draws_sizes)
        text_add(missing, "no hidden case draws its sizes, as in \"sizes\": {\"length\": [100, 2000]}\n");
    if (missing->length == start)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why,
                "testcases/%s: these classes of values (docs/guides/add-a-problem.md, section 7)", problem->id);
}

/* ---- the solutions ----------------------------------------------------------------------------------------------- */

static bool is_below(const char *path, const char *folder)
{
    char part[64];
    snprintf(part, sizeof part, "/%s/", folder);
    return strstr(path, part) != NULL;
}

bool solution_is_reference(const char *path)
{
    return is_below(path, verdict_folder(VERDICT_ACCEPTED));
}

static bool is_wrong(const char *path)
{
    return !solution_is_reference(path) && !is_below(path, "cpu_baselines") && !is_below(path, "rivals");
}

/* The length of the comment lines at the beginning of a file. */
static size_t header_length(const char *source)
{
    size_t length = 0;
    while (strncmp(source + length, "//", 2) == 0)
        length += strcspn(source + length, "\n") + 1;
    return length;
}

static Status inspect_header(const char *path, Message *why)
{
    Submission submission;
    const char *shown = strstr(path, "solutions/");
    Status status = submission_read(path, &submission, why);
    TRY(status);
    char *header = submission.source.data;
    size_t length = header_length(header);
    header[length < submission.source.length ? length : submission.source.length] = '\0';
    if (solution_is_reference(path) && (strcasestr(header, "operation") == NULL || strcasestr(header, "byte") == NULL))
        status = fail(STATUS_BAD_INPUT, why,
                      "%s: the comment at the top does not state the arithmetic intensity, in "
                      "operations per byte",
                      shown);
    if (is_wrong(path) && strstr(header, "Mistake: ") == NULL)
        status = fail(STATUS_BAD_INPUT, why, "%s: the comment at the top does not name the mistake, \"// Mistake: \"",
                      shown);
    submission_free(&submission);
    return status;
}

Status inspect_headers(const Paths *solutions, Message *why)
{
    for (size_t i = 0; i < solutions->count; i++)
        TRY(inspect_header(solutions->items[i], why));
    return STATUS_OK;
}

/* ---- enough of everything ---------------------------------------------------------------------------------------- */

static Status expect_at_least(size_t least, size_t found, const char *place, const char *what, const char *id,
                              Message *why)
{
    if (found >= least)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "%s/%s: %zu %s, expected at least %zu", place, id, found, what, least);
}

static size_t count_solutions(const Paths *solutions, bool (*counts)(const char *path))
{
    size_t count = 0;
    for (size_t i = 0; i < solutions->count; i++)
        count += counts(solutions->items[i]);
    return count;
}

Status inspect_counts(const Problem *problem, const TestcaseSet *set, const Paths *solutions, Message *why)
{
    size_t hidden = 0;
    for (size_t i = 0; i < set->count; i++)
        hidden += set->cases[i].group == CASE_HIDDEN;
    TRY(expect_at_least(LEAST_HIDDEN_CASES, hidden, "testcases", "hidden cases", problem->id, why));
    TRY(expect_at_least(LEAST_REFERENCES, count_solutions(solutions, solution_is_reference), "solutions",
                        "reference solutions", problem->id, why));
    return expect_at_least(LEAST_WRONG, count_solutions(solutions, is_wrong), "solutions", "wrong solutions",
                           problem->id, why);
}

/* ==== solution ==================================================================================================== */

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);
    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

/* ---- what a file claims ------------------------------------------------------------------------------------------ */

static bool claim_add(Claim *claim, const char *name)
{
    Verdict verdict;
    if (!verdict_parse(name, &verdict))
        return false;
    if (claim->allowed[verdict])
        return true;
    claim->allowed[verdict] = true;
    size_t length = strlen(claim->text);
    snprintf(claim->text + length, sizeof claim->text - length, "%s%s", length == 0 ? "" : " or ",
             verdict_name(verdict));
    return true;
}

/* The rest of the first comment line that starts with `start`, among the comment lines at the beginning of the
 * file; NULL if there is none. */
static const char *line_behind(const char *text, const char *start)
{
    while (text != NULL && strncmp(text, "//", 2) == 0) {
        if (strncmp(text, start, strlen(start)) == 0)
            return text + strlen(start);
        const char *end = strchr(text, '\n');
        text = end == NULL ? NULL : end + 1;
    }
    return NULL;
}

static Status refuse_verdict(const Submission *submission, int line, const char *name, Message *why)
{
    Text names = {0};
    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
        text_printf(&names, "%s%s", verdict > 0 ? ", " : "", verdict_name((Verdict)verdict));
    Status status = fail(STATUS_BAD_INPUT, why, "%s:%d: unknown verdict '%s'; %sexpected one of: %s", submission->path,
                         line, name, suggestion_for(name, names.data).text, names.data);
    text_free(&names);
    return status;
}

/* Adds the verdicts of a list: "Accepted, Wrong Answer", up to the end of the line. */
static Status claim_list(const Submission *submission, const char *list, Claim *claim, Message *why)
{
    char line[400];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(list, "\r\n"), list);
    for (char *rest = line, *name; (name = strsep(&rest, ",")) != NULL;) {
        name += strspn(name, " ");
        if (!claim_add(claim, name))
            return refuse_verdict(
                submission, text_line_at(submission->source.data, (size_t)(list - submission->source.data)), name, why);
    }
    return STATUS_OK;
}

/* `name` is that of a folder below solutions/<id>/. */
static bool claim_folder(Claim *claim, const char *name)
{
    const bool is_accepted = strcmp(name, "cpu_baselines") == 0 || strcmp(name, "rivals") == 0;
    return claim_add(claim, is_accepted ? verdict_folder(VERDICT_ACCEPTED) : name);
}

/* The claim for any device: from a line "// expect: Verdict, Verdict", else from the name of the folder. */
static Status claim_anywhere(const Submission *submission, Claim *claim, Message *why)
{
    const char *list = line_behind(submission->source.data, "// expect: ");
    if (list != NULL)
        return claim_list(submission, list, claim, why);
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", submission->path);
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = '\0';
        slash = strrchr(folder, '/');
        if (claim_folder(claim, slash == NULL ? folder : slash + 1))
            return STATUS_OK;
    }
    return fail(STATUS_BAD_INPUT, why,
                "%s: names no verdict, expected a folder such as wrong_answer/ or a line \"// expect: VERDICT\"",
                submission->path);
}

Status claim_of(const Submission *submission, bool modelled, Claim *claim, Message *why)
{
    *claim = (Claim){0};
    Status status = claim_anywhere(submission, claim, why);
    const char *list = line_behind(submission->source.data, "// on cuda: ");
    if (status == STATUS_OK && !modelled && list != NULL)
        status = claim_list(submission, list, claim, why);
    return status;
}

/* ---- whether it is so -------------------------------------------------------------------------------------------- */

Status check_device(const char *name, bool timed, CheckDevice *device, Message *why)
{
    DeviceInfo info;
    *device = (CheckDevice){.name = name == NULL ? "sim" : name};
    TRY(device_describe(device->name, &info, why));
    device->modelled = info.modelled;
    device->timed = info.modelled || timed;
    return STATUS_OK;
}

static bool is_said(const Result *result, const char *words)
{
    bool said = strstr(result->text, words) != NULL || (result->note != NULL && strstr(result->note, words) != NULL);
    for (size_t i = 0; i < result->warning_count; i++)
        said = said || strstr(result->warnings[i], words) != NULL;
    return said;
}

/* Whether the author of the file is told what its lines "// says: ..." hold. */
static Status check_words(const Submission *submission, const Result *result, Message *why)
{
    static const char start[] = "// says: ";
    for (const char *line = submission->source.data; (line = line_behind(line, start)) != NULL;) {
        char words[400];
        snprintf(words, sizeof words, "%.*s", (int)strcspn(line, "\r\n"), line);
        if (!is_said(result, words))
            return fail(STATUS_BAD_INPUT, why, "expected the words \"%s\", got %s: %s", words,
                        verdict_name(result->verdict), result->text);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return STATUS_OK;
}

Status solution_judge(const Submission *submission, const Problem *problem, const CheckDevice *device,
                      bool beyond_samples, Result *result, Message *why)
{
    Claim claim;
    *result = (Result){0};
    TRY(claim_of(submission, device->modelled, &claim, why));
    const bool on_cpu = submission_is_c(submission);
    const JudgeJob job = {.problem = problem,
                          .submission = submission,
                          .device = on_cpu ? "cpu" : device->name,
                          .untimed_only = on_cpu || !device->timed,
                          .beyond_samples = beyond_samples,
                          .shows_durations = true};
    Status status = judge_submission(&job, result, why);
    if (status == STATUS_OK && claim.allowed[result->verdict])
        return device->modelled ? check_words(submission, result, why) : STATUS_OK;
    TRY(status);
    const CaseResult *failed = result_failed_case(result);
    return fail(STATUS_BAD_INPUT, why, "expected %s, got %s%s%s%s%s", claim.text, verdict_name(result->verdict),
                failed == NULL ? "" : " in ", failed == NULL ? "" : failed->name, result->text[0] == '\0' ? "" : ": ",
                result->text);
}

/* ---- where the files are ----------------------------------------------------------------------------------------- */

void paths_add(Paths *paths, const char *path)
{
    paths->items = arena_grown(&paths->arena, paths->items, paths->count, &paths->capacity, sizeof *paths->items);
    paths->items[paths->count++] = arena_string(&paths->arena, path);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Every .cu, .c and .patch file of a folder and the folders in it, by name. */
static void add_sources(Paths *paths, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        const char *path = arena_printf(&paths->arena, "%s/%s", folder, entries[i]->d_name);
        if (ends_with(path, ".cu") || ends_with(path, ".c") || ends_with(path, ".patch"))
            paths_add(paths, path);
        else
            add_sources(paths, path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

Status paths_add_solutions(Paths *paths, const char *problem_id, Message *why)
{
    char folder[4096];
    const char *relative = arena_printf(&paths->arena, "solutions/%s", problem_id);
    TRY(paths_home(relative, folder, sizeof folder, why));
    add_sources(paths, folder);
    return STATUS_OK;
}
