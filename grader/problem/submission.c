#include "grader/problem/problem.h"
#include "grader/problem/submission.h"

#include "base/arena.h"
#include "base/terminal.h"
#include "grader/problem/solution_source.h"

#include <string.h>

enum {
    MOST_BYTES = 64 * 1024 * 1024
}; /* for any problem; the limit of the problem itself is checked once it is known */

/* Some editors of Windows save so: with a mark of the order of bytes, or every other byte of ASCII text is 0. */
static bool is_utf16(const Text *source)
{
    const unsigned char *bytes = (const unsigned char *)source->data;
    if (source->length < 2)
        return false;
    return (bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff) ||
           (source->length % 2 == 0 && (bytes[0] == 0) != (bytes[1] == 0));
}

static Status vet(const char *path, const Text *source, Message *why)
{
    size_t bad = 0;
    if (source->length == 0)
        return fail(STATUS_BAD_INPUT, why, "%s: the file is empty, expected CUDA source text", path);
    if (text_is_utf8(source->data, source->length, &bad))
        return STATUS_OK;
    if (is_utf16(source))
        return fail(STATUS_BAD_INPUT, why,
                    "%s: the file is UTF-16 text, expected UTF-8; save it again with that encoding", path);
    if (source->data[bad] == '\0')
        return fail(STATUS_BAD_INPUT, why, "%s:%d: byte %zu is a NUL character, expected CUDA source text", path,
                    text_line_at(source->data, bad), bad);
    return fail(STATUS_BAD_INPUT, why, "%s:%d: byte %zu is not UTF-8 text, expected CUDA source text", path,
                text_line_at(source->data, bad), bad);
}

static Status take(const char *path, Text *source, Submission *submission, Message *why)
{
    *submission = (Submission){.path = path, .source = *source};
    *source = (Text){0};
    Status status = vet(path, &submission->source, why);
    if (status != STATUS_OK) {
        submission_free(submission);
        return status;
    }
    const char *slash = strrchr(path, '/');
    Text name = {0};
    terminal_add_line(&name, slash == NULL ? path : slash + 1);
    submission->file_name = name.data;
    if (patch_is_name(name.data)) /* messages name lines of the source that it stands for */
        strcpy(strrchr(name.data, '.'), ".cu");
    submission->hash = hash_of_one(submission->source.data, submission->source.length);
    return STATUS_OK;
}

/* A patch shows parts of solutions in messages, so it is none that students may hand in. */
Status submission_take(const char *path, Text *source, Submission *submission, Message *why)
{
    if (!patch_is_name(path))
        return take(path, source, submission, why);
    text_free(source);
    *submission = (Submission){0};
    return fail(STATUS_BAD_INPUT, why, "%s: a patch of a solution, expected a file with CUDA source text", path);
}

Status submission_read(const char *path, Submission *submission, Message *why)
{
    Text source = {0};
    *submission = (Submission){0};
    Status status = text_read_file(path, MOST_BYTES, &source, why);
    THEN(status, vet(path, &source, why));
    if (status == STATUS_OK && patch_is_name(path))
        status = patch_expand(path, &source, why);
    THEN(status, shared_parts_expand(path, &source, why));
    if (status == STATUS_OK)
        return take(path, &source, submission, why);
    text_free(&source);
    return status;
}

void submission_free(Submission *submission)
{
    Text name = {.data = submission->file_name};
    text_free(&name);
    text_free(&submission->source);
    *submission = (Submission){0};
}

bool submission_is_c(const Submission *submission)
{
    const char *dot = strrchr(submission->file_name, '.');
    return dot != NULL && strcmp(dot, ".c") == 0;
}

Status submission_problem(const Submission *submission, const char *id, Problem *problem, Message *why)
{
    Arena arena = {0};
    Status status = STATUS_OK;
    if (id == NULL)
        status = identify_problem(submission->source.data, submission->source.length, &arena, &id, why);
    THEN(status, problem_read(id, problem, why));
    arena_free(&arena);
    if (status != STATUS_OK)
        return status;
    if (submission->source.length <= problem->limits.source_bytes)
        return STATUS_OK;
    status = fail(STATUS_BAD_INPUT, why, "%s: %zu bytes, the limit of problem %s is %zu", submission->path,
                  submission->source.length, problem->id, problem->limits.source_bytes);
    problem_free(problem);
    return status;
}
