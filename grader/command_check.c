#include "grader/command.h"

#include "base/arena.h"
#include "grader/judge.h"
#include "harness/toolkit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a file claims to be, and what became of it. */
typedef struct Claim {
    bool allowed[VERDICT_COUNT]; /* verdicts that it may get */
    char text[200];              /* the same, in words */
} Claim;

typedef struct CheckDevice { /* where the solutions run */
    const char *name;
    bool modelled;
    bool timed;    /* the timed cases, too */
} CheckDevice;

typedef struct Paths {
    Arena arena;
    const char **items;
    size_t count, capacity;
} Paths;

static void paths_add(Paths *paths, const char *path)
{
    if (paths->count == paths->capacity) {
        const char **larger = arena_array(&paths->arena, 2 * paths->capacity + 64, sizeof *larger);
        if (paths->count > 0)
            memcpy(larger, paths->items, paths->count * sizeof *larger);
        paths->items = larger;
        paths->capacity = 2 * paths->capacity + 64;
    }
    paths->items[paths->count++] = arena_string(&paths->arena, path);
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

/* What stands behind `start` in one of the comment lines that the file begins with; NULL where none starts so. */
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

/* Adds the verdicts of a list: "Accepted, Wrong Answer", up to the end of the line. */
static Status claim_list(const Submission *submission, const char *list, Claim *claim, Message *why)
{
    char line[400];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(list, "\r\n"), list);
    for (char *rest = line, *name; (name = strsep(&rest, ",")) != NULL;) {
        name += strspn(name, " ");
        if (!claim_add(claim, name))
            return fail(STATUS_BAD_INPUT, why, "%s:%d: \"%s\" is no verdict", submission->path,
                        text_line_at(submission->source.data, (size_t)(list - submission->source.data)), name);
    }
    return STATUS_OK;
}

/* "// expect: Verdict, Verdict", else the name of its folder. */
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
        if (claim_add(claim, slash == NULL ? folder : slash + 1))
            return STATUS_OK;
    }
    return fail(STATUS_BAD_INPUT, why, "%s: neither its folder nor a line \"// expect: VERDICT\" names a verdict",
                submission->path);
}

/* A real GPU lets pass some of what the simulated one finds: "// on cuda: Verdict, Verdict" says what it may say as
 * well. */
static Status claim_of(const Submission *submission, const CheckDevice *device, Claim *claim, Message *why)
{
    *claim = (Claim){0};
    Status status = claim_anywhere(submission, claim, why);
    const char *list = line_behind(submission->source.data, "// on cuda: ");
    if (status == STATUS_OK && !device->modelled && list != NULL)
        status = claim_list(submission, list, claim, why);
    return status;
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */

/* Judges one file. `why` says what it got where that is not what it claims. */
static Status check_submission(const Submission *submission, const char *problem_id, const CheckDevice *device,
                               Message *why)
{
    Claim claim;
    Problem problem;
    Result result = {0};
    Status status = claim_of(submission, device, &claim, why);
    if (status == STATUS_OK)
        status = submission_problem(submission, problem_id, &problem, why);
    if (status != STATUS_OK)
        return status;
    const JudgeJob job = {
        .problem = &problem, .submission = submission, .device = device->name, .untimed_only = !device->timed};
    status = judge_submission(&job, &result, why);
    if (status == STATUS_OK && !claim.allowed[result.verdict]) {
        const CaseResult *failed = result_failed_case(&result);
        status = fail(STATUS_BAD_INPUT, why, "expected %s, got %s%s%s%s%s", claim.text, verdict_name(result.verdict),
                      failed == NULL ? "" : " in ", failed == NULL ? "" : failed->name,
                      result.text[0] == '\0' ? "" : ": ", result.text);
    }
    result_free(&result);
    problem_free(&problem);
    return status;
}

/* "conv1d" of a file below solutions/conv1d/, else NULL. */
static const char *problem_of_path(const char *path, char *id, size_t size)
{
    const char *solutions = strstr(path, "solutions/");
    if (solutions == NULL || (solutions > path && solutions[-1] != '/'))
        return NULL;
    const char *start = solutions + strlen("solutions/");
    snprintf(id, size, "%.*s", (int)strcspn(start, "/"), start);
    return id;
}

/* One line of TAP; false where the claim does not hold. */
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

/* ---- all files --------------------------------------------------------------------------------------------------- */

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);
    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

/* Every .cu file of a folder and the folders in it, by name. */
static void add_sources(Paths *paths, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        const char *path = arena_printf(&paths->arena, "%s/%s", folder, entries[i]->d_name);
        if (ends_with(path, ".cu"))
            paths_add(paths, path);
        else
            add_sources(paths, path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static Status add_solutions(Paths *paths, const char *problem_id, Message *why)
{
    char folder[4096];
    const char *relative = arena_printf(&paths->arena, "solutions/%s", problem_id);
    Status status = home_path(relative, folder, sizeof folder, why);
    if (status == STATUS_OK)
        add_sources(paths, folder);
    return status;
}

static Status add_all_solutions(Paths *paths, const char *problem_id, Message *why)
{
    const char **ids;
    size_t count;
    if (problem_id != NULL)
        return add_solutions(paths, problem_id, why);
    Status status = problem_list(&paths->arena, &ids, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = add_solutions(paths, ids[i], why);
    return status;
}

/* Many timed calls tell a verdict no better than one; on the simulated GPU it is one. */
static Status choose_device(const Options *options, CheckDevice *device, Message *why)
{
    DeviceInfo info;
    *device = (CheckDevice){.name = options->device == NULL ? "sim" : options->device};
    Status status = device_describe(device->name, &info, why);
    if (status == STATUS_OK) {
        device->modelled = info.modelled;
        device->timed = info.modelled || options->timed;
    }
    return status;
}

Status command_check(const Options *options, int *exit_status, Message *why)
{
    Paths paths = {0};
    CheckDevice device;
    Status status = choose_device(options, &device, why);
    for (int i = 0; i < options->operand_count; i++)
        paths_add(&paths, options->operands[i]);
    if (options->operand_count == 0)
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
