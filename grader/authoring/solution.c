#include "grader/authoring/solution.h"

#include "base/paths.h"
#include "base/suggestion.h"
#include "harness/device/open/device_open.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    bool said = strstr(result->text, words) != NULL;
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
