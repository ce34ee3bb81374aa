#include "grader/commands/inspection.h"

#include "base/paths.h"
#include "base/text.h"
#include "grader/check/checker.h"
#include "grader/check/oracle.h"
#include "grader/problem/testcase.h"
#include "grader/problem/testcase_data.h"
#include "harness/broker/session.h"
#include "harness/device/cuda/device_open.h"

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

static Status find_in_statement(const Problem *problem, const Text *statement, Message *why)
{
    static const char *const sections[] = {EXAMPLE, "\n## What to write\n", INTENSITY, "\n## When it is right\n",
                                           "\n## How fast it is\n"};
    if (!shows_squeezed(statement, problem->signature))
        return fail(STATUS_BAD_INPUT, why, "%s/statement.md: the signature is missing: %s", problem->folder,
                    problem->signature);
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
    Status status = text_read_file(path, MAX_STATEMENT_BYTES, statement, why);
    if (status == STATUS_OK && statement->length == 0)
        status = fail(STATUS_BAD_INPUT, why, "%s: empty", path);
    return status;
}

Status inspect_statement(const Problem *problem, Message *why)
{
    Text statement = {0};
    Status status = read_statement(problem, &statement, why);
    if (status == STATUS_OK)
        status = find_in_statement(problem, &statement, why);
    text_free(&statement);
    return status;
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

static bool has_other_data(const Problem *problem, const Testcase *a, const Testcase *b)
{
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role == ROLE_IN && !case_source_is_same(&a->sources[i], &b->sources[i]))
            return true;
    return false;
}

static bool has_same_sizes(const Problem *problem, const Testcase *a, const Testcase *b)
{
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role == ROLE_SIZE && a->sizes.values[i] != b->sizes.values[i])
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
        snprintf(number, sizeof number, array->type == ELEMENT_FLOAT32 ? "%.7g" : "%.0f",
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
        if (problem->parameters[i].role == ROLE_IN)
            status = shows_array(problem, section, &first->sources[i].literal, problem->parameters[i].name, why);
    if (status == STATUS_OK)
        status = shows_array(problem, section, &first->expected, "\"expected\"", why);
    text_free(&statement);
    return status;
}

Status inspect_example(const Problem *problem, const TestcaseSet *set, Message *why)
{
    const Testcase *first = &set->cases[0]; /* samples come first */
    if (set->count == 0 || first->group != CASE_SAMPLE)
        return fail(STATUS_BAD_INPUT, why, "testcases/%s: no sample case", problem->id);
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role == ROLE_IN && first->sources[i].kind != SOURCE_VALUES)
            return not_literal(problem, problem->parameters[i].name, why);
    if (first->expected.data == NULL)
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
        if (parameter->role == ROLE_SIZE)
            continue;
        status = problem_shape(problem, i, &testcase->sizes, shape, &count, why);
        if (parameter->role == ROLE_OUT)
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
    unanswered.expected.data = NULL;
    Status status = case_arrays_make(problem, testcase, &arrays, why);
    if (status == STATUS_OK)
        status = checker_compare(problem, &unanswered, oracle, (const void *const *)arrays.inputs, NULL,
                                 testcase->expected.data, call_poison(0), &comparison, why);
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
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < set->count && status == STATUS_OK; i++)
        if (set->cases[i].expected.data != NULL)
            status = inspect_literal(problem, &set->cases[i], oracle, why);
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
    if (status == STATUS_OK)
        status = oracle_evaluate(wide, sizes, inputs, index, 1, &wide_value, &wide_magnitude, why);
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
    if (status == STATUS_OK)
        status = oracle_open_wide(problem, &wide, why);
    for (size_t i = 0; i < set->count && status == STATUS_OK; i++)
        if (set->cases[i].group == CASE_SAMPLE || set->cases[i].group == CASE_HIDDEN)
            status = inspect_elements(problem, &set->cases[i], oracle, wide, why);
    oracle_close(oracle);
    oracle_close(wide);
    return status;
}

/* ---- the solutions ----------------------------------------------------------------------------------------------- */

static bool is_below(const char *path, const char *folder)
{
    char part[64];
    snprintf(part, sizeof part, "/%s/", folder);
    return strstr(path, part) != NULL;
}

static bool is_reference(const char *path)
{
    return is_below(path, verdict_folder(VERDICT_ACCEPTED));
}

static bool is_wrong(const char *path)
{
    return !is_reference(path) && !is_below(path, "cpu_baselines") && !is_below(path, "rivals");
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
    if (status != STATUS_OK)
        return status;
    char *header = submission.source.data;
    size_t length = header_length(header);
    header[length < submission.source.length ? length : submission.source.length] = '\0';
    if (is_reference(path) && (strcasestr(header, "operation") == NULL || strcasestr(header, "byte") == NULL))
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
    Status status = STATUS_OK;
    for (size_t i = 0; i < solutions->count && status == STATUS_OK; i++)
        status = inspect_header(solutions->items[i], why);
    return status;
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
    Status status = expect_at_least(LEAST_HIDDEN_CASES, hidden, "testcases", "hidden cases", problem->id, why);
    if (status == STATUS_OK)
        status = expect_at_least(LEAST_REFERENCES, count_solutions(solutions, is_reference), "solutions",
                                 "reference solutions", problem->id, why);
    if (status == STATUS_OK)
        status = expect_at_least(LEAST_WRONG, count_solutions(solutions, is_wrong), "solutions", "wrong solutions",
                                 problem->id, why);
    return status;
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
    Status status = device_describe(device->name, &info, why);
    if (status == STATUS_OK) {
        device->modelled = info.modelled;
        device->timed = info.modelled || timed;
    }
    return status;
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
    Status status = claim_of(submission, device->modelled, &claim, why);
    if (status != STATUS_OK)
        return status;
    const bool on_cpu = submission_is_c(submission);
    const JudgeJob job = {.problem = problem,
                          .submission = submission,
                          .device = on_cpu ? "cpu" : device->name,
                          .untimed_only = on_cpu || !device->timed,
                          .beyond_samples = beyond_samples,
                          .shows_durations = true};
    status = judge_submission(&job, result, why);
    if (status == STATUS_OK && claim.allowed[result->verdict])
        return device->modelled ? check_words(submission, result, why) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
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
    Status status = paths_home(relative, folder, sizeof folder, why);
    if (status == STATUS_OK)
        add_sources(paths, folder);
    return status;
}
