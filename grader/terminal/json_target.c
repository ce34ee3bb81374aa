#include "grader/terminal/json_target.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same_file(const char *path, const struct stat *info)
{
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == info->st_dev && other.st_ino == info->st_ino;
}

Status json_target_check(const char *path, const char *submission, Message *why)
{
    struct stat info;
    char folder[4096];
    if (path == NULL || strcmp(path, "-") == 0)
        return STATUS_OK;
    if (*path == '\0')
        return fail(STATUS_BAD_INPUT, why, "--json: an empty name, expected a file or -");
    if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return fail(STATUS_BAD_INPUT, why, "%s: not a regular file, expected a place for the result", path);
    if (lstat(path, &info) == 0 && is_same_file(submission, &info))
        return fail(STATUS_BAD_INPUT, why, "%s: the submission itself, expected a place for the result", path);
    const char *slash = strrchr(path, '/');
    int length = slash == NULL ? 0 : (int)(slash - path) + 1;
    snprintf(folder, sizeof folder, "%.*s.", length, path);
    if (access(folder, W_OK | X_OK) != 0)
        return fail_errno(why, "%s: the result cannot be written there", path);
    return STATUS_OK;
}

static Status write_to_stdout(const Text *text, Message *why)
{
    if (fwrite(text->data, 1, text->length, stdout) != text->length || fflush(stdout) != 0)
        return fail_errno(why, "standard output: cannot be written");
    return STATUS_OK;
}

Status json_target_write(const char *path, const Text *text, Message *why)
{
    return strcmp(path, "-") == 0 ? write_to_stdout(text, why) : text_write_file(path, text, why);
}
