#include "grader/commands/command_check.h"

#include "base/compile_cache.h"
#include "base/hash.h"
#include "base/paths.h"
#include "base/process.h"
#include "base/terminal.h"
#include "grader/commands/command.h"
#include "grader/commands/inspection.h"
#include "grader/commands/mutant_trial.h"
#include "grader/judge/judge.h"
#include "grader/problem/expression.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "grader/ranking/ranking.h"
#include "grader/report/explain_report.h"
#include "grader/judge/result_json.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== detection matrix ============================================================================================ */

static const char marks[VERDICT_COUNT] = {
    [VERDICT_ACCEPTED] = '.',
    [VERDICT_WRONG_ANSWER] = 'W',
    [VERDICT_RUN_TIME_ERROR] = 'R',
    [VERDICT_TIME_LIMIT_EXCEEDED] = 'T',
    [VERDICT_MEMORY_LIMIT_EXCEEDED] = 'M',
    [VERDICT_COMPILE_ERROR] = 'C',
    [VERDICT_RULE_VIOLATION] = 'V',
    [VERDICT_INTEGRITY_VIOLATION] = 'I',
    [VERDICT_JUDGE_ERROR] = 'J',
};

void detection_begin(DetectionMatrix *matrix, const TestcaseSet *set)
{
    *matrix = (DetectionMatrix){0};
    matrix->last = &matrix->first;
    matrix->cases = arena_array(&matrix->arena, set->count, sizeof *matrix->cases);
    matrix->found = arena_array(&matrix->arena, set->count, sizeof *matrix->found);
    matrix->is_left_out = arena_array(&matrix->arena, set->count, sizeof *matrix->is_left_out);
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i].group == CASE_HIDDEN) {
            matrix->is_left_out[matrix->case_count] = set->cases[i].attempt_instructions > 0;
            matrix->cases[matrix->case_count++] = set->cases[i].name;
        }
}

void detection_free(DetectionMatrix *matrix)
{
    arena_free(&matrix->arena);
    *matrix = (DetectionMatrix){0};
}

static void append_row(DetectionMatrix *matrix, const char *solution, const char *row_marks)
{
    DetectionRow *row = arena_alloc(&matrix->arena, sizeof *row);
    row->solution = arena_string(&matrix->arena, solution);
    row->marks = arena_string(&matrix->arena, row_marks);
    *matrix->last = row;
    matrix->last = &row->next;
}

/* A solution that is wrong in every case shows nothing about any one of them. */
static bool is_wrong_everywhere(const DetectionMatrix *matrix, const char *row)
{
    for (size_t i = 0; i < matrix->case_count; i++)
        if (row[i] == '.' || (row[i] == ' ' && !matrix->is_left_out[i]))
            return false;
    return true;
}

bool detection_marks(const DetectionMatrix *matrix, const Result *result, char *row)
{
    size_t hidden = 0, judged = 0;
    memset(row, ' ', matrix->case_count);
    row[matrix->case_count] = '\0';
    for (size_t i = 0; i < result->case_count && hidden < matrix->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->group != CASE_HIDDEN)
            continue;
        if (item->judged)
            row[hidden] = marks[item->verdict];
        judged += item->judged;
        hidden++;
    }
    return judged > 0;
}

void detection_add(DetectionMatrix *matrix, const char *solution, const char *row)
{
    append_row(matrix, solution, row);
    for (size_t i = 0; i < matrix->case_count && !is_wrong_everywhere(matrix, row); i++)
        matrix->found[i] += row[i] != '.' && row[i] != ' ';
}

size_t detection_idle_case(const DetectionMatrix *matrix)
{
    size_t i = 0;
    while (i < matrix->case_count && matrix->found[i] > 0)
        i++;
    return i;
}

static int widest_name(const DetectionMatrix *matrix)
{
    size_t width = strlen("hidden case");
    for (const DetectionRow *row = matrix->first; row != NULL; row = row->next)
        width = strlen(row->solution) > width ? strlen(row->solution) : width;
    return (int)width;
}

/* Two lines with the numbers of the cases as columns: tens above ones. */
static void add_numbers(const DetectionMatrix *matrix, const char *prefix, int width, Text *text)
{
    text_printf(text, "%s%-*s  ", prefix, width, "hidden case");
    for (size_t i = 1; i <= matrix->case_count; i++)
        text_printf(text, "%c", i < 10 ? ' ' : (char)('0' + i / 10 % 10));
    text_printf(text, "\n%s%-*s  ", prefix, width, "");
    for (size_t i = 1; i <= matrix->case_count; i++)
        text_printf(text, "%c", (char)('0' + i % 10));
    text_add(text, "\n");
}

void detection_text(const DetectionMatrix *matrix, const char *prefix, Text *text)
{
    int width = widest_name(matrix);
    add_numbers(matrix, prefix, width, text);
    for (const DetectionRow *row = matrix->first; row != NULL; row = row->next)
        text_printf(text, "%s%-*s  %s\n", prefix, width, row->solution, row->marks);
    for (size_t i = 0; i < matrix->case_count; i++)
        text_printf(text, "%shidden %-2zu finds %-2zu  %s\n", prefix, i + 1, matrix->found[i], matrix->cases[i]);
}

/* ==== limits inspection =========================================================================================== */

/* True for hidden and timed cases. Samples are public, so they may show that they reach a limit. */
static bool is_secret(const Testcase *testcase)
{
    return testcase->group != CASE_SAMPLE;
}

static bool some_case_has(const TestcaseSet *set, size_t parameter, int64_t value)
{
    for (size_t i = 0; i < set->count; i++)
        if (is_secret(&set->cases[i]) && set->cases[i].sizes.values[parameter] == value)
            return true;
    return false;
}

/* Whether a size cannot grow by one, or shrink by one, without breaking the constraint. */
static bool is_on_the_edge(const Problem *problem, const Expression *constraint, const Testcase *testcase)
{
    for (size_t i = 0; i < problem->parameter_count; i++)
        for (int step = -1; step <= 1 && problem->parameters[i].role == ROLE_SIZE; step += 2) {
            Sizes beyond = testcase->sizes;
            int64_t holds = 1;
            Message unfit;
            beyond.values[i] += step;
            if (expression_evaluate(constraint, beyond.values, &holds, &unfit) == STATUS_OK && !holds)
                return true;
        }
    return false;
}

static Status inspect_constraint(const Problem *problem, const Expression *constraint, const TestcaseSet *set,
                                 Message *why)
{
    for (size_t i = 0; i < set->count; i++)
        if (is_secret(&set->cases[i]) && is_on_the_edge(problem, constraint, &set->cases[i]))
            return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "testcases/%s: no hidden or timed case is as large as %s lets it be",
                problem->id, constraint->text);
}

static Status inspect_sizes(const Problem *problem, const TestcaseSet *set, Message *why)
{
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *size = &problem->parameters[i];
        if (size->role != ROLE_SIZE)
            continue;
        if (!some_case_has(set, i, size->low))
            return fail(STATUS_BAD_INPUT, why, "testcases/%s: no hidden or timed case has the least %s, %lld",
                        problem->id, size->name, (long long)size->low);
        for (size_t k = 0; k < size->value_count; k++)
            if (!some_case_has(set, i, size->values[k]))
                return fail(STATUS_BAD_INPUT, why, "testcases/%s: no hidden or timed case has %s = %lld", problem->id,
                            size->name, (long long)size->values[k]);
        if (!some_case_has(set, i, size->high))
            return fail(STATUS_BAD_INPUT, why, "testcases/%s: no hidden or timed case has the largest %s, %lld",
                        problem->id, size->name, (long long)size->high);
    }
    return STATUS_OK;
}

Status inspect_limits(const Problem *problem, const TestcaseSet *set, Message *why)
{
    TRY(inspect_sizes(problem, set, why));
    for (size_t i = 0; i < problem->constraint_count; i++)
        TRY(inspect_constraint(problem, &problem->constraints[i], set, why));
    return STATUS_OK;
}

/* ==== command check =============================================================================================== */

/* Judges one file. Fails if the verdict is not one that the file claims. */
static Status check_submission(const Submission *submission, const char *problem_id, const CheckDevice *device,
                               Message *why)
{
    Problem problem;
    Result result;
    TRY(submission_problem(submission, problem_id, &problem, why));
    Status status = solution_judge(submission, &problem, device, false, &result, why);
    result_free(&result);
    problem_free(&problem);
    return status;
}

/* "conv1d" for a file below solutions/conv1d/, else NULL. */
static const char *problem_of_path(const char *path, char *id, size_t size)
{
    const char *solutions = strstr(path, "solutions/");
    if (solutions == NULL || (solutions > path && solutions[-1] != '/'))
        return NULL;
    const char *start = solutions + strlen("solutions/");
    snprintf(id, size, "%.*s", (int)strcspn(start, "/"), start);
    return id;
}

/* Prints one line of TAP; false if the file does not get the verdict that it claims. */
static bool check_file(const char *path, const char *problem_id, const CheckDevice *device, size_t number)
{
    Submission submission;
    Message why = {0};
    char id[256];
    if (problem_id == NULL)
        problem_id = problem_of_path(path, id, sizeof id);
    Status status = submission_read(path, &submission, &why);
    if (status == STATUS_OK) {
        status = check_submission(&submission, problem_id, device, &why);
        submission_free(&submission);
    }
    printf("%s %zu - %s\n", status == STATUS_OK ? "ok" : "not ok", number, path);
    if (status != STATUS_OK)
        printf("# %s\n", why.text);
    fflush(stdout);
    return status == STATUS_OK;
}

static Status add_all_solutions(Paths *paths, const char *problem_id, Message *why)
{
    const char **ids;
    size_t count;
    if (problem_id != NULL)
        return paths_add_solutions(paths, problem_id, why);
    TRY(problem_list(&paths->arena, &ids, &count, why));
    for (size_t i = 0; i < count; i++)
        TRY(paths_add_solutions(paths, ids[i], why));
    return STATUS_OK;
}

Status command_check(const Options *options, int *exit_status, Message *why)
{
    Paths paths = {0};
    CheckDevice device;
    Status status = check_device(options->device, options->timed, &device, why);
    for (int i = 0; i < options->operand_count; i++)
        paths_add(&paths, options->operands[i]);
    if (status == STATUS_OK && options->operand_count == 0)
        status = add_all_solutions(&paths, options->problem, why);
    if (status == STATUS_OK && paths.count == 0)
        status = fail(STATUS_NOT_FOUND, why, "no solutions to check");
    if (status == STATUS_OK) {
        *exit_status = 0;
        printf("1..%zu\n", paths.count);
        for (size_t i = 0; i < paths.count; i++)
            if (!check_file(paths.items[i], options->problem, &device, i + 1))
                *exit_status = 1;
    }
    arena_free(&paths.arena);
    return status;
}

/* ==== command check problem ======================================================================================= */

/* The time of a shorter case is mostly that of the launch, not of the kernel; with a longer one a class would wait too
 * long for its results. */
static const double LEAST_MS = 0.05, MOST_MS = 50;

/* A few calls are enough to see whether a time lies between bounds that are a factor of 1000 apart. */
static void time_briefly(Problem *problem)
{
    problem->blocks = 1;
    problem->warm_up_calls = 2;
    problem->timed_calls = 10;
}

enum { MAX_DIAGNOSTIC_LINES = 20 };

/* The times of the reference solutions for one timed case. */
typedef struct CaseTimes {
    const char *name;
    double fastest_ms, slowest_ms; /* 0: no reference solution has a time */
} CaseTimes;

typedef struct Checking {
    Problem problem;
    TestcaseSet set;
    CheckDevice device;
    Paths solutions;
    DetectionMatrix matrix;
    CaseTimes *times;          /* [set.count] */
    ReferenceTime *references; /* [reference_count] times of the accepted solutions, in the arena of the paths */
    size_t reference_count;
    uint64_t seeds; /* with the data of which each of these is judged */
    MutantCheck *mutants;
    size_t number;    /* of lines of TAP printed so far */
    size_t missing;   /* of these, the ones that are not ok */
    Text diagnostics; /* of the compiler, about the file of the current step; empty: it took the file */
    Digest content;   /* of the judge, the problem and its testcases */
    size_t known;     /* judgings that were known from an earlier check of the same content */
    Progress progress;
} Checking;

/* ---- what was judged before -------------------------------------------------------------------------------------- */

/* Judging the solutions takes minutes, and mostly one of them has changed. So the compile cache keeps what a judging
 * showed, under the digest of everything that it depends on. A fault of the judge is not kept. */

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int is_content(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return is_visible(entry) && strcmp(entry->d_name, "starter.cu") != 0 && (dot == NULL || strcmp(dot, ".md") != 0);
}

static void hash_file(const char *path, Hash *hash)
{
    enum { MOST_BYTES = 1 << 30 };
    Text content = {0};
    if (text_read_file(path, MOST_BYTES, &content, NULL) == STATUS_OK) {
        hash_add_string(hash, path);
        hash_add(hash, content.data, content.length);
    }
    text_free(&content);
}

static void hash_folder(const char *folder, int (*is_wanted)(const struct dirent *entry), Hash *hash)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_wanted, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path)
            hash_file(path, hash);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static Digest content_of(const Problem *problem, const CheckDevice *device)
{
    char profiles[PATH_MAX];
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, "convjudge check-problem 2");
    hash_add_string(&hash, device->name);
    hash_file("/proc/self/exe", &hash);
    if (paths_home("simgpu/profiles", profiles, sizeof profiles, NULL) == STATUS_OK)
        hash_folder(profiles, is_visible, &hash);
    hash_folder(problem->folder, is_content, &hash);
    hash_folder(problem->testcases, is_content, &hash);
    return hash_end(&hash);
}

/* The key of what `kind` of judging showed about some text. */
static Digest key_of(const Checking *checking, const char *kind, const Text *text)
{
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, checking->content.hex);
    hash_add_string(&hash, kind);
    hash_add(&hash, text->data, text->length);
    return hash_end(&hash);
}

/* What one judging showed. The strings lie in the arena of the solutions. */
typedef struct Finding {
    Status status; /* and the message, if something is missing */
    Message why;
    bool is_reference, has_row;
    MeasuredTime score; /* of a reference solution */
    double share;       /* of its bound that it needed with many seeds */
    const char *texts[4];
    const double *case_ms; /* [set.count] 0: no time */
} Finding;

enum { FINDING_ROW, FINDING_CASES, FINDING_DIAGNOSTICS, FINDING_NAME, FINDING_TEXTS };

static void keep_finding(const Checking *checking, const Digest *key, const Finding *finding)
{
    Text bytes = {0};
    if (finding->status != STATUS_OK && finding->status != STATUS_BAD_INPUT)
        return;
    text_append(&bytes, (const char *)finding, sizeof *finding);
    text_append(&bytes, (const char *)finding->case_ms, checking->set.count * sizeof *finding->case_ms);
    for (int i = 0; i < FINDING_TEXTS; i++)
        text_append(&bytes, finding->texts[i], strlen(finding->texts[i]) + 1);
    compile_cache_write(NULL, key, &bytes);
    text_free(&bytes);
}

/* A finding without a time or a text. */
static Finding new_finding(Checking *checking)
{
    Finding finding = {.status = STATUS_OK, .texts = {"", "", "", ""}};
    finding.case_ms = arena_array(&checking->solutions.arena, checking->set.count, sizeof *finding.case_ms);
    return finding;
}

static bool find_finding(Checking *checking, const Digest *key, Finding *finding)
{
    Text bytes = {0};
    const size_t times = checking->set.count * sizeof *finding->case_ms;
    bool is_known = compile_cache_read(NULL, key, &bytes) && bytes.length > sizeof *finding + times;
    if (is_known) {
        double *case_ms = arena_array(&checking->solutions.arena, checking->set.count, sizeof *case_ms);
        memcpy(finding, bytes.data, sizeof *finding);
        memcpy(case_ms, bytes.data + sizeof *finding, times);
        finding->case_ms = case_ms;
        const char *at = bytes.data + sizeof *finding + times;
        for (int i = 0; i < FINDING_TEXTS; i++) {
            finding->texts[i] = arena_string(&checking->solutions.arena, at);
            at += strlen(at) + 1;
        }
    }
    text_free(&bytes);
    checking->known += is_known;
    return is_known;
}

/* ---- reporting --------------------------------------------------------------------------------------------------- */

/* Prints the first lines of a text, each after "#   ". */
static void print_lines(const Text *text)
{
    const char *line = text->data, *end = text->data + text->length;
    for (int i = 0; i < MAX_DIAGNOSTIC_LINES && line < end; i++) {
        int length = (int)strcspn(line, "\n");
        printf("#   %.*s\n", length, line);
        line += length + 1;
    }
}

/* Prints one line of TAP, and what is missing. Returns `status`. */
static Status report_step(Checking *checking, const char *what, Status status, const Message *why)
{
    printf("%s %zu - %s\n", status == STATUS_OK ? "ok" : "not ok", ++checking->number, what);
    if (status != STATUS_OK)
        printf("# missing: %s\n", why->text);
    if (status != STATUS_OK)
        print_lines(&checking->diagnostics);
    checking->missing += status != STATUS_OK;
    text_free(&checking->diagnostics);
    fflush(stdout);
    return status;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static const struct FileStep {
    const char *what;
    Status (*inspect)(const Problem *problem, const TestcaseSet *set, Message *why);
} file_steps[] = {
    {"there are hidden cases and timed cases", inspect_groups},
    {"the cases reach every limit of the sizes", inspect_limits},
    {"the first sample is a literal example", inspect_example},
    {"oracle.h agrees with literal expected values", inspect_literals},
    {"oracle.h agrees with itself in long double", inspect_precision},
};

enum { FILE_STEPS = sizeof file_steps / sizeof *file_steps };

static void inspect_files(Checking *checking)
{
    Message why = {0};
    report_step(checking, "statement.md shows signature, sections and limits",
                inspect_statement(&checking->problem, &why), &why);
    for (size_t i = 0; i < FILE_STEPS; i++)
        report_step(checking, file_steps[i].what, file_steps[i].inspect(&checking->problem, &checking->set, &why),
                    &why);
    report_step(checking, "solutions say their intensity or their mistake", inspect_headers(&checking->solutions, &why),
                &why);
}

/* ---- submissions ------------------------------------------------------------------------------------------------- */

/* What the compiler says about a file that it refuses. */
static const char *diagnostics_of(Checking *checking, const Result *result)
{
    return result->compiled.outcome == COMPILE_OK || result->compiled.diagnostics.data == NULL
               ? ""
               : arena_string(&checking->solutions.arena, result->compiled.diagnostics.data);
}

static void judge_starter(Checking *checking, const char *path, const Submission *starter, Finding *finding)
{
    Result result = {0};
    const JudgeJob job = {
        .problem = &checking->problem, .submission = starter, .device = checking->device.name, .untimed_only = true};
    finding->status = judge_submission(&job, &result, &finding->why);
    if (finding->status == STATUS_OK && result.verdict != VERDICT_WRONG_ANSWER)
        finding->status = fail(STATUS_BAD_INPUT, &finding->why, "%s: expected Wrong Answer, got %s%s%s", path,
                               verdict_name(result.verdict), result.text[0] == '\0' ? "" : ": ", result.text);
    finding->texts[FINDING_DIAGNOSTICS] = diagnostics_of(checking, &result);
    result_free(&result);
}

/* The result has some of the cases of the set, found by name. */
static const double *times_of(Checking *checking, const Result *result)
{
    double *case_ms = arena_array(&checking->solutions.arena, checking->set.count, sizeof *case_ms);
    for (size_t i = 0; i < result->case_count; i++)
        for (size_t k = 0; k < checking->set.count; k++)
            if (strcmp(result->cases[i].name, checking->set.cases[k].name) == 0)
                case_ms[k] = result->cases[i].time.ms;
    return case_ms;
}

static const char *cases_of(Checking *checking, const Result *result)
{
    Text cases = {0};
    result_cases_json(result, &cases);
    return text_move(&cases, &checking->solutions.arena);
}

static void keep_reference(Checking *checking, const char *name, MeasuredTime score, const char *cases)
{
    checking->references[checking->reference_count++] = (ReferenceTime){
        .name = arena_string(&checking->solutions.arena, name), .time = score, .cases = cases};
}

static void judge_solution(Checking *checking, const char *path, const Submission *submission, Finding *finding)
{
    Result result;
    Claim claim;
    CheckDevice device = checking->device;
    char *row = arena_array(&checking->solutions.arena, checking->matrix.case_count + 1, 1);
    finding->status = claim_of(submission, device.modelled, &claim, &finding->why);
    if (finding->status != STATUS_OK)
        return;
    device.timed = device.modelled || claim.allowed[VERDICT_ACCEPTED];
    finding->status = solution_judge(submission, &checking->problem, &device, true, &result, &finding->why);
    finding->texts[FINDING_DIAGNOSTICS] = diagnostics_of(checking, &result);
    finding->is_reference = finding->status == STATUS_OK && result.verdict == VERDICT_ACCEPTED &&
                            solution_is_reference(path);
    finding->score = result.score;
    if (finding->is_reference)
        finding->texts[FINDING_CASES] = cases_of(checking, &result);
    if (finding->status == STATUS_OK && result.verdict == VERDICT_ACCEPTED)
        finding->case_ms = times_of(checking, &result);
    else if (finding->status == STATUS_OK)
        finding->has_row = detection_marks(&checking->matrix, &result, row);
    finding->texts[FINDING_ROW] = row;
    result_free(&result);
}

/* What a file of any kind showed; those of many seeds and the starter have no times and no row. */
static void take_finding(Checking *checking, const char *path, const Submission *submission, const Finding *finding)
{
    const char *slash = strrchr(path, '/');
    text_add(&checking->diagnostics, finding->texts[FINDING_DIAGNOSTICS]);
    if (finding->is_reference)
        keep_reference(checking, submission->file_name, finding->score, finding->texts[FINDING_CASES]);
    if (finding->has_row)
        detection_add(&checking->matrix, slash == NULL ? path : slash + 1, finding->texts[FINDING_ROW]);
    for (size_t k = 0; k < checking->set.count; k++) {
        CaseTimes *times = &checking->times[k];
        const double ms = finding->case_ms[k];
        if (!(ms > 0))
            continue;
        times->name = checking->set.cases[k].name;
        times->fastest_ms = times->fastest_ms > 0 && times->fastest_ms < ms ? times->fastest_ms : ms;
        times->slowest_ms = times->slowest_ms > ms ? times->slowest_ms : ms;
    }
}

typedef void JudgeFile(Checking *checking, const char *path, const Submission *submission, Finding *finding);

/* Judges a file, unless that is known, and sets `finding`. */
static Status find_or_judge(Checking *checking, const char *path, const char *kind, JudgeFile *judge, Finding *finding,
                            Message *why)
{
    Submission submission;
    TRY(submission_read(path, &submission, why));
    Text claimed = {0}; /* the folder is a claim */
    text_printf(&claimed, "%s\n", path);
    text_append(&claimed, submission.source.data, submission.source.length);
    const Digest key = key_of(checking, kind, &claimed);
    *finding = new_finding(checking);
    if (!find_finding(checking, &key, finding)) {
        judge(checking, path, &submission, finding);
        keep_finding(checking, &key, finding);
    }
    take_finding(checking, path, &submission, finding);
    *why = finding->why;
    text_free(&claimed);
    submission_free(&submission);
    return finding->status;
}

static void check_starter(Checking *checking)
{
    char path[4096];
    Message why = {0};
    Finding finding;
    snprintf(path, sizeof path, "%s/starter.cu", checking->problem.folder);
    report_step(checking, "starter.cu compiles, runs and gets Wrong Answer",
                find_or_judge(checking, path, "starter", judge_starter, &finding, &why), &why);
}

static void check_solutions(Checking *checking)
{
    for (size_t i = 0; i < checking->solutions.count; i++) {
        const char *path = checking->solutions.items[i], *shown = strstr(path, "solutions/");
        Message why = {0};
        Finding finding;
        report_step(checking, shown == NULL ? path : shown,
                    find_or_judge(checking, path, "solution", judge_solution, &finding, &why), &why);
    }
}

/* ---- what the solutions showed ----------------------------------------------------------------------------------- */

static Status check_detection(Checking *checking, Message *why)
{
    const DetectionMatrix *matrix = &checking->matrix;
    Text text = {0};
    size_t idle = detection_idle_case(matrix);
    Status status = STATUS_OK;
    detection_text(matrix, "# ", &text);
    fputs(text.data, stdout);
    text_free(&text);
    if (idle < matrix->case_count)
        status = fail(STATUS_BAD_INPUT, why, "hidden case %zu, \"%s\", finds no wrong solution", idle + 1,
                      matrix->cases[idle]);
    return report_step(checking, "every hidden case finds a wrong solution", status, why);
}

/* A case is too small if even the slowest reference solution is too fast, and too large if even the fastest is too
 * slow. */
static Status judge_times(const Checking *checking, Message *why)
{
    for (size_t i = 0; i < checking->set.count; i++) {
        const CaseTimes *times = &checking->times[i];
        if (checking->set.cases[i].group != CASE_TIMED)
            continue;
        if (!(times->slowest_ms > 0))
            return fail(STATUS_BAD_INPUT, why, "no reference solution has a time for \"%s\"",
                        checking->set.cases[i].name);
        if (times->slowest_ms < LEAST_MS || times->fastest_ms > MOST_MS)
            return fail(STATUS_BAD_INPUT, why, "\"%s\" takes %.3g to %.3g ms, expected 50 us to 50 ms", times->name,
                        times->fastest_ms, times->slowest_ms);
    }
    return STATUS_OK;
}

/* ---- the ladder -------------------------------------------------------------------------------------------------- */

/* The share of the reference solutions that the last step must leave behind. */
static const double TOP_QUARTER = 75;

static const ReferenceTime *reference_of(const Checking *checking, const char *name)
{
    for (size_t i = 0; i < checking->reference_count; i++)
        if (strcmp(checking->references[i].name, name) == 0)
            return &checking->references[i];
    return NULL;
}

/* NULL: no file in accepted/ has this name. */
static const char *path_of_reference(const Checking *checking, const char *name)
{
    for (size_t i = 0; i < checking->solutions.count; i++) {
        const char *slash = strrchr(checking->solutions.items[i], '/');
        if (solution_is_reference(checking->solutions.items[i]) && slash != NULL && strcmp(slash + 1, name) == 0)
            return checking->solutions.items[i];
    }
    return NULL;
}

/* Sets the times of `from` in each case, as they are on the device that is checked. */
static Status take_times(const ReferenceTime *from, ExplainRun *run, Message *why)
{
    Arena arena = {0};
    CaseTime *times;
    size_t count;
    Status status = case_times_read(from->name, from->cases, &arena, &times, &count, why);
    for (size_t i = 0; i < run->case_count && status == STATUS_OK; i++) {
        const MeasuredTime *time = case_times_find(times, count, run->cases[i].item->name);
        run->cases[i].time.ms = 0;
        if (time != NULL)
            run->cases[i].time = *time;
    }
    arena_free(&arena);
    return status;
}

/* What `explain` says about the kernel that a step begins with: it must be this step. */
static Status expect_step(const Checking *checking, const Steps *steps, const LadderStep *step, Message *why)
{
    const ReferenceTime *from = reference_of(checking, step->from);
    const CaseChoice all = {.number = 0};
    Submission submission;
    ExplainRun run = {.case_count = 0};
    TRY(submission_read(path_of_reference(checking, step->from), &submission, why));
    Status status = explain_run(&checking->problem, &submission, "sim", &all, NULL, &run, why);
    if (status == STATUS_OK && run.result.verdict != VERDICT_ACCEPTED)
        status = fail(STATUS_BAD_INPUT, why, "%s: expected %s to be accepted, found %s: %s", step->path, step->from,
                      verdict_name(run.result.verdict), run.result.text);
    THEN(status, take_times(from, &run, why));
    THEN(status,
         explain_run_next(&run, steps, checking->references, checking->reference_count, from->time, false, why));
    if (status == STATUS_OK && (run.next.step != step || run.next.is_taken))
        status = fail(STATUS_BAD_INPUT, why, "%s: expected to be told for %s, found %s", step->path, step->from,
                      run.next.step == NULL || run.next.is_taken ? "no step that holds" : run.next.step->name);
    else if (status == STATUS_OK && explain_run_tells_defect(&run))
        status = fail(STATUS_BAD_INPUT, why, "%s: expected to be told for %s, found \"%s\", %.0f %% of the score",
                      step->path, step->from, run.advice[0].id, 100 * run.advice[0].gain);
    explain_run_free(&run);
    submission_free(&submission);
    return status;
}

static Status check_gain(const Checking *checking, const LadderStep *step, Message *why)
{
    const ReferenceTime *from = reference_of(checking, step->from), *example = reference_of(checking, step->example);
    if (from == NULL || example == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: %s: expected a file in solutions/%s/accepted", step->path,
                    from == NULL ? step->from : step->example, checking->problem.id);
    if (example->time.ms > (1 - STEP_LEAST_GAIN) * from->time.ms)
        return fail(STATUS_BAD_INPUT, why, "%s: %s takes %.4g ms, expected at least %.0f %% less than %s, %.4g ms",
                    step->path, step->example, example->time.ms, 100 * STEP_LEAST_GAIN, step->from, from->time.ms);
    return STATUS_OK;
}

/* A sketch is what its example says, and compiles. */
static Status check_sketch(const Checking *checking, const LadderStep *step, Message *why)
{
    Submission example, sketch;
    Result result = {0};
    Text text = {0};
    TRY(submission_read(path_of_reference(checking, step->example), &example, why));
    Status status = steps_check_sketch(step, example.source.data, why);
    submission_free(&example);
    TRY(status);
    text_printf(&text, "%s\n", step->sketch);
    TRY(submission_take(step->path, &text, &sketch, why));
    const JudgeJob job = {
        .problem = &checking->problem, .submission = &sketch, .device = checking->device.name, .samples_only = true};
    status = judge_submission(&job, &result, why);
    if (status == STATUS_OK && result.verdict == VERDICT_COMPILE_ERROR)
        status = fail(STATUS_BAD_INPUT, why, "%s: expected a sketch that compiles: %s", step->path, result.text);
    result_free(&result);
    submission_free(&sketch);
    return status;
}

static Status check_top(const Checking *checking, const LadderStep *last, Message *why)
{
    const ReferenceTime *example = reference_of(checking, last->example);
    MeasuredTime *times = zeroed(checking->reference_count, sizeof *times);
    for (size_t i = 0; i < checking->reference_count; i++)
        times[i] = checking->references[i].time;
    const Percentile place = percentile_among(example->time, times, checking->reference_count);
    free(times);
    return place.value >= TOP_QUARTER
               ? STATUS_OK
               : fail(STATUS_BAD_INPUT, why, "%s: %s has percentile %.0f, expected at least %.0f of the last step",
                      last->path, last->example, place.value, TOP_QUARTER);
}

/* From the kernel that the first step begins with, each example must be told the next step. */
static Status climb(const Checking *checking, const Steps *steps, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < steps->count && status == STATUS_OK; i++) {
        const LadderStep *step = &steps->steps[i];
        if (i > 0 && strcmp(step->from, steps->steps[i - 1].example) != 0)
            status = fail(STATUS_BAD_INPUT, why, "%s: from %s: expected the example of the step before, %s", step->path,
                          step->from, steps->steps[i - 1].example);
        THEN(status, check_gain(checking, step, why));
        THEN(status, check_sketch(checking, step, why));
        THEN(status, expect_step(checking, steps, step, why));
    }
    return status;
}

/* Adds the file and its times. */
static void add_file_and_times(const Checking *checking, const char *name, Text *text)
{
    const char *path = path_of_reference(checking, name);
    const ReferenceTime *reference = reference_of(checking, name);
    Submission submission;
    text_printf(text, "%s\n", name);
    if (path != NULL && submission_read(path, &submission, NULL) == STATUS_OK) {
        text_append(text, submission.source.data, submission.source.length);
        submission_free(&submission);
    }
    if (reference != NULL)
        text_printf(text, "%a %a %s %s\n", reference->time.ms, reference->time.uncertainty, reference->time.model,
                    reference->cases);
}

/* A climb depends on the steps and on the files that they name, beside the content. */
static Digest key_of_climb(const Checking *checking, const Steps *steps)
{
    char folder[PATH_MAX];
    Text text = {0};
    Hash hash;
    hash_begin(&hash);
    if (snprintf(folder, sizeof folder, "%s/ladder", checking->problem.folder) < (int)sizeof folder)
        hash_folder(folder, is_visible, &hash);
    text_printf(&text, "%s\n", hash_end(&hash).hex);
    for (size_t i = 0; i < steps->count; i++) {
        add_file_and_times(checking, steps->steps[i].from, &text);
        add_file_and_times(checking, steps->steps[i].example, &text);
    }
    const Digest key = key_of(checking, "ladder", &text);
    text_free(&text);
    return key;
}

static Status find_or_climb(Checking *checking, const Steps *steps, Message *why)
{
    const Digest key = key_of_climb(checking, steps);
    Finding finding = new_finding(checking);
    if (find_finding(checking, &key, &finding)) {
        printf("# climbed before, with the same content\n");
    } else {
        finding.status = climb(checking, steps, &finding.why);
        keep_finding(checking, &key, &finding);
    }
    *why = finding.why;
    return finding.status;
}

/* Up to the fastest quarter. */
static Status check_ladder(Checking *checking, Message *why)
{
    Steps steps;
    Text what = {0};
    Status status = steps_read(&checking->problem, &steps, why);
    text_printf(&what, "the ladder of %s climbs from step to step%s", checking->problem.id,
                status == STATUS_OK && steps.count == 0 ? " # SKIP there is none" : "");
    if (status == STATUS_OK && steps.count > 0) {
        status = find_or_climb(checking, &steps, why);
        THEN(status, check_top(checking, &steps.steps[steps.count - 1], why));
    }
    status = report_step(checking, what.data, status, why);
    steps_free(&steps);
    text_free(&what);
    return status;
}

/* The mutants come last, since they take longest. */
static Status check_mutants(Checking *checking, Message *why)
{
    Text name = {0};
    if (!check_mutants_are_wanted(checking->mutants))
        return report_step(checking, "the cases find the mistakes in mutants # SKIP none are wanted", STATUS_OK, why);
    Status status = check_mutants_run(checking->mutants, why);
    check_mutants_name(checking->mutants, &name);
    report_step(checking, name.data, status, why);
    text_free(&name);
    return status;
}

/* ---- what chance may do ------------------------------------------------------------------------------------------ */

/* Rounding errors depend on the data, which are new in each grading, so a tolerance that is too tight refuses a right
 * solution now and then. The accepted solutions run the cases where chance can do most, those of few outputs and many
 * operations, with the data of many seeds, and must stay within half of every bound. The seeds are the same each time. */
enum { SEEDS = 200, SEEDED_CASES = 2, MOST_OPERATIONS = 1 << 20 };

typedef struct Nearest { /* of all calls, the one whose output came nearest to a bound */
    double share;        /* of the bound */
    const char *name;    /* of the case */
    const char *solution;
} Nearest;

static bool is_drawn(SourceKind kind)
{
    return kind == SOURCE_UNIFORM || kind == SOURCE_NORMAL || kind == SOURCE_INTEGERS || kind == SOURCE_PERTURBED;
}

static bool has_drawn_data(const Problem *problem, const Testcase *testcase)
{
    bool found = false;
    for (size_t i = 0; i < problem->parameter_count; i++)
        found = found || ((problem->parameters[i].role & ROLE_IN) != 0 && is_drawn(testcase->sources[i].kind));
    return found && testcase->group != CASE_TIMED && testcase->expected[problem_output(problem)].data == NULL &&
           testcase->attempt_instructions == 0 && testcase->operations <= MOST_OPERATIONS;
}

static size_t output_count(const Problem *problem, const Testcase *testcase)
{
    size_t shape[TENSOR_MAX_RANK], count = 0;
    Message unfit; /* testcases_read() has refused such sizes */
    return problem_shape(problem, problem_output(problem), &testcase->sizes, shape, &count, &unfit) == STATUS_OK ? count
                                                                                                                 : 0;
}

static bool has_more_chance(const Problem *problem, const Testcase *a, const Testcase *b)
{
    const size_t outputs_of_a = output_count(problem, a), outputs_of_b = output_count(problem, b);
    return outputs_of_a != outputs_of_b ? outputs_of_a < outputs_of_b : a->operations > b->operations;
}

/* The cases that are run with many seeds, first the one where chance can do most. */
static size_t choose_seeded(const Checking *checking, const Testcase *chosen[SEEDED_CASES])
{
    size_t count = 0;
    for (size_t i = 0; i < checking->set.count; i++) {
        const Testcase *testcase = &checking->set.cases[i];
        size_t place = count;
        if (!has_drawn_data(&checking->problem, testcase))
            continue;
        while (place > 0 && has_more_chance(&checking->problem, testcase, chosen[place - 1]))
            place--;
        count += count < SEEDED_CASES;
        for (size_t k = count - 1; k > place; k--)
            chosen[k] = chosen[k - 1];
        if (place < count)
            chosen[place] = testcase;
    }
    return count;
}

/* As a sample: its numbers may be told, and its data follow from the seed alone. */
static Testcase with_seed(const Problem *problem, const Testcase *testcase, uint64_t seed, Arena *arena)
{
    Testcase sample = *testcase;
    sample.group = CASE_SAMPLE;
    sample.repeats_addresses = false;
    sample.name = arena_printf(arena, "\"%s\", seed %llu", testcase->name, (unsigned long long)seed);
    for (size_t i = 0; i < problem->parameter_count; i++) {
        sample.sources[i].seeded = true;
        sample.sources[i].seed = seed * PROBLEM_MAX_PARAMETERS + i;
    }
    return sample;
}

static TestcaseSet set_of_seeds(const Checking *checking, uint64_t seeds)
{
    const Testcase *chosen[SEEDED_CASES];
    const size_t count = choose_seeded(checking, chosen);
    TestcaseSet set = {0};
    set.cases = arena_array(&set.arena, seeds * count, sizeof *set.cases);
    for (uint64_t seed = 1; seed <= seeds; seed++)
        for (size_t i = 0; i < count; i++, set.count++) {
            set.cases[set.count] = with_seed(&checking->problem, chosen[i], seed, &set.arena);
            set.cases[set.count].number = (int)set.count + 1;
        }
    return set;
}

static void halve(Tolerance *tolerance)
{
    tolerance->sum_factor /= 2;
    tolerance->max_factor /= 2;
    tolerance->rms /= 2;
    if (tolerance->unit > 0)
        tolerance->absolute /= 2;
}

/* Levels are whole numbers, of which there may be no half. */
static Problem with_half_the_tolerance(const Problem *problem)
{
    Problem half = *problem;
    halve(&half.tolerance);
    for (size_t i = 0; i < half.parameter_count; i++)
        halve(&half.parameters[i].tolerance);
    return half;
}

/* The larger of both errors, each as a share of its bound; infinite where an output is. */
static double share_of_bound(const Comparison *comparison)
{
    const double error = comparison->wrong > 0 ? comparison->worst.error : comparison->max_error;
    const double of_element = error == 0 ? 0 : error / comparison->bound;
    const double of_rms = comparison->rms_bound > 0 ? comparison->rms / comparison->rms_bound : 0;
    return !(of_element <= of_rms) ? of_element : of_rms;
}

static void note_nearest(const Result *result, const char *solution, Arena *arena, Nearest *nearest)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->sample == NULL || !item->sample->compared ||
            share_of_bound(&item->sample->comparison) <= nearest->share)
            continue;
        *nearest = (Nearest){.share = share_of_bound(&item->sample->comparison),
                             .name = arena_string(arena, item->name),
                             .solution = solution};
    }
}

static Status refuse_seed(const Result *result, const char *solution, Message *why)
{
    const CaseResult *failed = result_failed_case(result);
    if (failed == NULL || failed->sample == NULL || !failed->sample->compared)
        return fail(STATUS_BAD_INPUT, why, "%s%s%s: %s%s%s", solution, failed == NULL ? "" : " in ",
                    failed == NULL ? "" : failed->name, verdict_name(result->verdict),
                    result->text[0] == '\0' ? "" : ": ", result->text);
    const Comparison *comparison = &failed->sample->comparison;
    const bool is_element = comparison->wrong > 0;
    return fail(STATUS_BAD_INPUT, why, "%s in %s: %s of %.2g, expected at most %.2g, half of what \"tolerance\" allows",
                solution, failed->name, is_element ? "an error" : "a root mean square error",
                is_element ? comparison->worst.error : comparison->rms,
                is_element ? comparison->worst.bound : comparison->rms_bound);
}

/* A JudgeFile. */
static void run_seeds(Checking *checking, const char *path, const Submission *submission, Finding *finding)
{
    TestcaseSet set = set_of_seeds(checking, checking->seeds);
    const Problem half = with_half_the_tolerance(&checking->problem);
    Result result = {0};
    Nearest nearest = {0};
    const JudgeJob job = {.problem = &half,
                          .submission = submission,
                          .cases = &set,
                          .device = checking->device.name,
                          .untimed_only = true,
                          .shows_durations = true};
    if (set.count > 0)
        finding->status = judge_submission(&job, &result, &finding->why);
    note_nearest(&result, path, &checking->solutions.arena, &nearest);
    if (finding->status == STATUS_OK && set.count > 0 && result.verdict != VERDICT_ACCEPTED)
        finding->status = refuse_seed(&result, submission->file_name, &finding->why);
    finding->share = nearest.share;
    finding->texts[FINDING_NAME] = nearest.name == NULL ? "" : nearest.name;
    result_free(&result);
    arena_free(&set.arena);
}

static Status judge_seeds(Checking *checking, Message *why)
{
    const bool is_halved = checking->problem.tolerance.sum_factor > 0;
    Finding nearest = new_finding(checking);
    const char *solution = "";
    Status status = STATUS_OK;
    progress_begin(&checking->progress, "200 seeds", (int)checking->reference_count);
    for (size_t i = 0; i < checking->solutions.count && status == STATUS_OK; i++) {
        const char *path = checking->solutions.items[i], *slash = strrchr(path, '/');
        Finding finding;
        if (!solution_is_reference(path))
            continue;
        status = find_or_judge(checking, path, "seeds", run_seeds, &finding, why);
        progress_advance(&checking->progress);
        if (status != STATUS_OK || finding.share <= nearest.share)
            continue;
        nearest = finding;
        solution = slash == NULL ? path : slash + 1;
    }
    progress_end(&checking->progress, status == STATUS_OK ? "within half of every bound" : "beyond half of a bound");
    if (nearest.share > 0)
        printf("# nearest to its bound: %s in %s, with %.2g %% of it\n", solution, nearest.texts[FINDING_NAME],
               100 * nearest.share / (is_halved ? 2 : 1));
    return status;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static Status open_checking(const Options *options, Checking *checking, Message *why)
{
    checking->seeds = SEEDS;
    TRY(options_expect_problem(options, why));
    TRY(check_device(options->device, true, &checking->device, why));
    TRY(problem_read(options->problem, &checking->problem, why));
    TRY(testcases_read(&checking->problem, &checking->set, why));
    TRY(paths_add_solutions(&checking->solutions, options->problem, why));
    checking->content = content_of(&checking->problem, &checking->device);
    checking->progress = progress_new(stderr);
    time_briefly(&checking->problem);
    Status status = check_mutants_open(options, &checking->problem, &checking->solutions, &checking->device,
                                       &checking->content, &checking->mutants, why);
    detection_begin(&checking->matrix, &checking->set);
    checking->times = arena_array(&checking->solutions.arena, checking->set.count, sizeof *checking->times);
    checking->references = arena_array(&checking->solutions.arena, checking->solutions.count,
                                       sizeof *checking->references);
    return status;
}

static void close_checking(Checking *checking)
{
    check_mutants_close(checking->mutants);
    text_free(&checking->diagnostics);
    detection_free(&checking->matrix);
    arena_free(&checking->solutions.arena);
    testcases_free(&checking->set);
    problem_free(&checking->problem);
}

/* What --only may name. Other parts do without what a part left out would have shown. */
typedef enum CheckPart {
    PART_CASES = 1,
    PART_SOLUTIONS = 2,
    PART_LADDER = 4,
    PART_MUTANTS = 8,
    ALL_PARTS = 15
} CheckPart;

static Status parts_of(const char *name, unsigned *parts, Message *why)
{
    static const struct {
        const char *name;
        CheckPart part;
    } names[] = {
        {"cases", PART_CASES}, {"solutions", PART_SOLUTIONS}, {"mutants", PART_MUTANTS}, {"ladder", PART_LADDER}};
    *parts = name == NULL ? ALL_PARTS : 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && name != NULL; i++)
        if (strcmp(names[i].name, name) == 0)
            *parts = names[i].part;
    return *parts != 0 ? STATUS_OK
                       : fail(STATUS_BAD_INPUT, why, "--only %s: expected cases, solutions, mutants or ladder", name);
}

static size_t lines_of(const Checking *checking, unsigned parts)
{
    return ((parts & PART_CASES) != 0 ? FILE_STEPS + 4 : 0) +
           ((parts & PART_SOLUTIONS) != 0 ? checking->solutions.count + 4 : 0) + ((parts & PART_LADDER) != 0) +
           ((parts & PART_MUTANTS) != 0);
}

static void check_cases(Checking *checking)
{
    Message why = {0};
    inspect_files(checking);
    report_step(checking, "there are enough hidden cases, reference solutions and wrong solutions",
                inspect_counts(&checking->problem, &checking->set, &checking->solutions, &why), &why);
    report_step(checking, "the hidden cases have every class of values",
                inspect_values(&checking->problem, &checking->set, &checking->diagnostics, &why), &why);
}

static void check_what_is_judged(Checking *checking)
{
    Message why = {0};
    check_starter(checking);
    check_solutions(checking);
    (void)check_detection(checking, &why);
    report_step(checking, "timed cases take 50 us to 50 ms", judge_times(checking, &why), &why);
    report_step(checking, "accepted solutions stay within half of every bound with 200 seeds",
                judge_seeds(checking, &why), &why);
}

/* An accepted solution has the time that was stored for its source on this device, or is judged now. */
static Status take_reference(Checking *checking, const Reference *reference, Message *why)
{
    Arena *arena = &checking->solutions.arena;
    Finding finding;
    if (reference->time.time.ms > 0) {
        checking->references[checking->reference_count++] = (ReferenceTime){
            .name = arena_string(arena, reference->time.name),
            .time = reference->time.time,
            .cases = reference->time.cases == NULL ? NULL : arena_string(arena, reference->time.cases),
        };
        return STATUS_OK;
    }
    return find_or_judge(checking, path_of_reference(checking, reference->submission.file_name), "solution",
                         judge_solution, &finding, why);
}

static void check_ladder_alone(Checking *checking)
{
    Message why = {0};
    DeviceInfo device;
    Board board;
    References references = {0};
    Status status = ranking_find_board(&checking->problem, checking->device.name, &device, &board, &why);
    THEN(status, ranking_references(NULL, &checking->problem, &board, &references, &why));
    for (size_t i = 0; i < references.count && status == STATUS_OK; i++)
        status = take_reference(checking, &references.solutions[i], &why);
    references_free(&references);
    if (status == STATUS_OK)
        (void)check_ladder(checking, &why);
    else
        report_step(checking, "the accepted solutions have times", status, &why);
}

/* Names everything that is missing. Mutants of a problem that lacks something would be judged twice. */
static void check_parts(Checking *checking, unsigned parts)
{
    Message why = {0};
    printf("1..%zu\n", lines_of(checking, parts));
    if (parts & PART_CASES)
        check_cases(checking);
    if (parts & PART_SOLUTIONS)
        check_what_is_judged(checking);
    if (checking->known > 0)
        printf("# judged before, with the same content: %zu files\n", checking->known);
    if (parts == PART_LADDER)
        check_ladder_alone(checking);
    else if (parts & PART_LADDER)
        (void)check_ladder(checking, &why);
    if ((parts & PART_MUTANTS) && checking->missing > 0)
        report_step(checking, "the cases find the mistakes in mutants # SKIP until nothing else is missing", STATUS_OK,
                    &why);
    else if (parts & PART_MUTANTS)
        (void)check_mutants(checking, &why);
}

Status command_check_problem(const Options *options, int *exit_status, Message *why)
{
    Checking checking = {0};
    unsigned parts;
    TRY(parts_of(options->only, &parts, why));
    Status status = open_checking(options, &checking, why);
    if (status == STATUS_OK) {
        check_parts(&checking, parts);
        *exit_status = checking.missing > 0;
    }
    close_checking(&checking);
    return status;
}

/* ==== command import ============================================================================================== */

/* The script's last line says why; those before it say what it could not read. */
static Status refuse_import(Text *said, Message *why)
{
    while (said->length > 0 && said->data[said->length - 1] == '\n')
        said->data[--said->length] = '\0';
    const char *last = said->length == 0 ? NULL : strrchr(said->data, '\n');
    last = last == NULL ? said->data : last + 1;
    if (last != said->data)
        fprintf(stderr, "%.*s", (int)(last - said->data), said->data);
    return fail(STATUS_BAD_INPUT, why, "%s", last == NULL ? "import: python3 failed" : last);
}

/* The first line is the new problem's id, the others say what is left to do. */
static Status run_import(const Options *options, Text *said, Message *why)
{
    const double MOST_S = 600;
    const size_t MOST_BYTES = 1 << 20;
    char script[PATH_MAX], home[PATH_MAX];
    ProcessEnd end;
    TRY(paths_home("grader/commands/import.py", script, sizeof script, why));
    TRY(paths_home("", home, sizeof home, why));
    const char *const argv[] = {"/usr/bin/env", "python3",        "-B", script, options->operands[0],
                                home,           options->problem, NULL};
    const ProcessSpec spec = {.argv = argv, .environment = (const char *const *)environ};
    TRY(process_run(&spec, MOST_S, MOST_BYTES, said, &end, why));
    if (end.exit_status == 127)
        return fail(STATUS_UNSUPPORTED, why, "import: python3 is missing; install it");
    if (end.exit_status != 0)
        return refuse_import(said, why);
    return STATUS_OK;
}

static Status read_imported(const char *id, Message *why)
{
    Problem problem;
    TestcaseSet set;
    TRY(problem_read(id, &problem, why));
    Status status = testcases_read(&problem, &set, why);
    if (status == STATUS_OK)
        testcases_free(&set);
    problem_free(&problem);
    return status;
}

Status command_import(const Options *options, int *exit_status, Message *why)
{
    Text said = {0};
    Message unfit;
    if (options->operand_count != 1)
        return fail(STATUS_BAD_INPUT, why, "import: expected one FOLDER, found %d", options->operand_count);
    Status status = run_import(options, &said, why);
    if (status == STATUS_OK && said.length > 0) {
        char *notes = said.data, *id = strsep(&notes, "\n");
        printf("problems/%s/\ntestcases/%s/\n", id, id);
        for (char *line; (line = strsep(&notes, "\n")) != NULL;)
            if (*line != '\0')
                printf("to do: %s\n", line);
        const bool is_read = read_imported(id, &unfit) == STATUS_OK;
        if (!is_read)
            printf("to do: %s\n", unfit.text);
        printf("Then check it: convjudge check-problem --problem %s\n", id);
        *exit_status = !is_read;
    }
    text_free(&said);
    return status;
}
