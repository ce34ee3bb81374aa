#include "grader/similarity/handed_out.h"

#include "base/paths.h"
#include "grader/similarity/source_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void take_handed_out(void *context, const char *path, const char *name)
{
    static const char *const device_code[] = {".cu", NULL};
    HandedOut *handed_out = context;
    Message ignored;
    Submission submission = {0};
    (void)name;
    if (submission_read(path, &submission, &ignored) != STATUS_OK) {
        handed_out->unreadable++;
        return;
    }
    submission.path = arena_string(&handed_out->arena, path);
    text_printf(&handed_out->text, "%s\n", submission.source.data);
    if (!source_file_ends_with(path, device_code)) {
        submission_free(&submission);
        return;
    }
    handed_out->sources = arena_grown(&handed_out->arena, handed_out->sources, handed_out->count, &handed_out->capacity,
                                      sizeof submission);
    handed_out->sources[handed_out->count++] = submission;
}

Status handed_out_read(const char *problem, const char *const *paths, size_t count, HandedOut *handed_out, Message *why)
{
    static const char *const endings[] = {".cu", ".cuh", ".h", ".hpp", ".c", ".cpp", ".md", ".txt", NULL};
    char relative[200], path[4096];
    struct stat info;
    text_add(&handed_out->text, "");
    snprintf(relative, sizeof relative, "problems/%s/starter.cu", problem);
    Status status = paths_home(relative, path, sizeof path, why);
    if (status == STATUS_OK && stat(path, &info) == 0)
        take_handed_out(handed_out, path, "starter.cu");
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (stat(paths[i], &info) != 0)
            return fail(STATUS_NOT_FOUND, why, "%s: cannot be read: %s", paths[i], strerror(errno));
        status = source_files_each(paths[i], endings, take_handed_out, handed_out, why);
    }
    return status;
}

void handed_out_free(HandedOut *handed_out)
{
    for (size_t i = 0; i < handed_out->count; i++)
        submission_free(&handed_out->sources[i]);
    text_free(&handed_out->text);
    arena_free(&handed_out->arena);
}
