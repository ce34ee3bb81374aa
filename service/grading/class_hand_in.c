#include "service/grading/class_hand_in.h"

#include "grader/problem/identify.h"
#include "grader/problem/problem_read.h"
#include "grader/problem/submission.h"
#include "service/store/people.h"
#include "service/store/submissions.h"

#include <string.h>
#include <time.h>

enum { MOST_NAME_BYTES = 100, MOST_CANDIDATES = 200 };

/* ---- which problem ----------------------------------------------------------------------------------------------- */

typedef struct FileCandidates { /* the problems that a file may be for, each once */
    const char *ids[MOST_CANDIDATES];
    size_t count;
} FileCandidates;

static bool has_candidate(const FileCandidates *candidates, const char *id)
{
    for (size_t i = 0; i < candidates->count; i++)
        if (strcmp(candidates->ids[i], id) == 0)
            return true;
    return false;
}

static void add_assignment(FileCandidates *candidates, const ClassAssignment *assignment)
{
    for (size_t i = 0; i < assignment->problem_count; i++)
        if (candidates->count < MOST_CANDIDATES && !has_candidate(candidates, assignment->problems[i].problem))
            candidates->ids[candidates->count++] = assignment->problems[i].problem;
}

static FileCandidates candidates_of(const ClassRun *run, const FoundFile *file)
{
    FileCandidates candidates = {.count = 0};
    const ClassAssignment *assignment = run->class == NULL || file->assignment == NULL
                                            ? NULL
                                            : class_assignment(run->class, file->assignment);
    if (assignment != NULL)
        add_assignment(&candidates, assignment);
    else if (run->class != NULL)
        for (size_t i = 0; i < run->class->assignment_count; i++)
            add_assignment(&candidates, &run->class->assignments[i]);
    return candidates;
}

/* `*problem` is to be freed. NOT_FOUND and BAD_INPUT: the file has none. */
static Status find_problem(const ClassRun *run, const FoundFile *file, const Submission *submission, Problem *problem,
                           Message *why)
{
    Arena *arena = &run->intake->arena;
    const FileCandidates candidates = candidates_of(run, file);
    const char *id = run->problem;
    if (id == NULL)
        id = identify_by_line(submission->source.data, submission->source.length, arena);
    if (id == NULL && candidates.count == 1)
        id = candidates.ids[0];
    Status status = submission_problem(submission, id, problem, why);
    if (status != STATUS_OK || candidates.count == 0 || has_candidate(&candidates, problem->id))
        return status;
    status = fail(STATUS_BAD_INPUT, why, "is for the problem %s, which %s does not have in %s", problem->id,
                  run->class->path, file->assignment == NULL ? "any assignment" : file->assignment);
    problem_free(problem);
    return status;
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */

/* The end of a name that is too long for the store's users tells more than its beginning. */
static const char *short_name(const char *name)
{
    const size_t length = strlen(name);
    const char *at = length > MOST_NAME_BYTES ? name + length - MOST_NAME_BYTES : name;
    while (((unsigned char)*at & 0xC0) == 0x80)
        at++;
    return at;
}

/* The newest submission of the same person and problem before this one. */
static const HandedIn *one_before(const ClassRun *run, const HandedIn *item)
{
    for (size_t i = run->count; i-- > 0 && strcmp(run->items[i].file->person, item->file->person) == 0;)
        if (strcmp(run->items[i].problem, item->problem) == 0)
            return &run->items[i];
    return NULL;
}

static Digest key_of(const ClassRun *run, const HandedIn *item)
{
    Hash hash;
    int occurrences = 0;
    for (size_t i = run->count; i-- > 0 && strcmp(run->items[i].file->person, item->file->person) == 0;) {
        const HandedIn *other = &run->items[i];
        occurrences += other->same_as == NULL && strcmp(other->problem, item->problem) == 0 &&
                       strcmp(other->source_hash, item->source_hash) == 0;
    }
    hash_begin(&hash);
    hash_add_string(&hash, "convjudge grade-class 1");
    hash_add_string(&hash, item->problem);
    hash_add_string(&hash, item->source_hash);
    hash_add(&hash, &occurrences, sizeof occurrences);
    return hash_end(&hash);
}

static Status put(Store *store, ClassRun *run, HandedIn *item, const Submission *submission, const Problem *problem,
                  Message *why)
{
    static const OrderRule rule = {0};
    Person person;
    const HandedIn *before = one_before(run, item);
    Status status = people_admit(store, item->file->person, &run->intake->arena, &person, why);
    if (status != STATUS_OK)
        return status;
    if (before != NULL && strcmp(before->source_hash, item->source_hash) == 0) {
        item->same_as = before->same_as == NULL ? before->file->origin : before->same_as;
        item->submission = before->submission;
        return STATUS_OK;
    }
    const Digest key = key_of(run, item);
    const HandIn row = {.person = person.id,
                        .key = key.hex,
                        .problem = problem->id,
                        .revision = problem->revision.hex,
                        .mode = "rank",
                        .sizes = "",
                        .file_name = short_name(submission->file_name),
                        .source = submission->source.data,
                        .source_hash = submission->hash.hex,
                        .origin = item->file->origin,
                        .origin_received_s = item->file->received_s,
                        .origin_marked_late = item->file->marked_late};
    return submissions_hand_in(store, &row, &rule, &item->submission, &item->is_new, why);
}

static Status check_time(const FoundFile *file, Message *why)
{
    if (file->received_s <= (int64_t)time(NULL) + 24 * 3600)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "was handed in in the future, as its export has it");
}

static Status take_file(Store *store, ClassRun *run, const FoundFile *file, Message *why)
{
    Arena *arena = &run->intake->arena;
    HandedIn item = {.file = file, .state = "", .verdict = "", .failure = ""};
    Submission submission;
    Problem problem;
    Text source = {0};
    text_append(&source, file->source, file->source_bytes);
    Status status = check_time(file, why);
    if (status != STATUS_OK) {
        text_free(&source);
        return status;
    }
    status = submission_take(file->file_name, &source, &submission, why);
    if (status != STATUS_OK)
        return status;
    status = find_problem(run, file, &submission, &problem, why);
    if (status == STATUS_OK) {
        item.problem = arena_string(arena, problem.id);
        item.source_hash = arena_string(arena, submission.hash.hex);
        status = put(store, run, &item, &submission, &problem, why);
        problem_free(&problem);
    }
    submission_free(&submission);
    if (status == STATUS_OK)
        run->items[run->count++] = item;
    return status;
}

/* A message that begins with the name of the file, "x.cu: " or "x.cu:12: ", would name it twice. */
static const char *without_name(Arena *arena, const char *text, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(text, name, length) != 0 || text[length] != ':')
        return text;
    text += length + 1;
    return text[0] == ' ' ? text + 1 : arena_printf(arena, "line %s", text);
}

Status class_hand_in(Store *store, ClassRun *run, Message *why)
{
    Intake *intake = run->intake;
    run->items = arena_array(&intake->arena, intake->found_count + 1, sizeof *run->items);
    run->count = 0;
    for (size_t i = 0; i < intake->found_count; i++) {
        const FoundFile *file = &intake->found[i];
        Message reason;
        const Status status = take_file(store, run, file, &reason);
        if (status == STATUS_BAD_INPUT || status == STATUS_NOT_FOUND) {
            intake_refuse(intake, file->origin, without_name(&intake->arena, reason.text, file->file_name));
        } else if (status != STATUS_OK) {
            *why = reason;
            return status;
        }
    }
    return STATUS_OK;
}
