#include "service/intake/commit_time.h"

#include "base/text.h"
#include "harness/sandbox/process.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 4 << 20, OUTPUT_BYTES = 65536, SHA1_DIGITS = 40, SHA256_DIGITS = 64 };

/* git holds a whole commit in memory, and three megabytes of a clone can become three gigabytes. */
static const size_t MEMORY_BYTES = 64 << 20;

static const double PATIENCE_S = 10;

typedef struct Commit {
    char digits[SHA256_DIGITS + 1];
} Commit;

/* The hexadecimal digits that a text begins with, if they are those of a commit. */
static bool take_digits(const char *text, Commit *commit)
{
    const size_t length = strspn(text, "0123456789abcdef");
    if (length != SHA1_DIGITS && length != SHA256_DIGITS)
        return false;
    snprintf(commit->digits, sizeof commit->digits, "%.*s", (int)length, text);
    return true;
}

static bool read_git_file(const char *folder, const char *name, Text *text)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/.git/%s", folder, name) < (int)sizeof path &&
           text_read_file(path, MOST_BYTES, text, NULL) == STATUS_OK;
}

/* A line "DIGITS refs/heads/main" of packed-refs. */
static bool find_packed(const char *folder, const char *name, Commit *commit)
{
    Text packed = {0};
    bool found = false;
    const size_t length = strlen(name);
    if (read_git_file(folder, "packed-refs", &packed))
        for (const char *line = packed.data; line != NULL && *line != '\0' && !found;) {
            const char *end = strchrnul(line, '\n'), *space = memchr(line, ' ', (size_t)(end - line));
            found = space != NULL && (size_t)(end - space - 1) == length && strncmp(space + 1, name, length) == 0 &&
                    take_digits(line, commit);
            line = *end == '\0' ? NULL : end + 1;
        }
    text_free(&packed);
    return found;
}

/* "refs/heads/main" and nothing that leads elsewhere. */
static bool is_reference(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("/-_.", *c) == NULL)
            return false;
    return strncmp(name, "refs/", 5) == 0 && strstr(name, "..") == NULL;
}

static bool find_head(const char *folder, Commit *commit)
{
    static const char mark[] = "ref: ";
    Text head = {0}, loose = {0};
    bool found = false;
    if (read_git_file(folder, "HEAD", &head)) {
        head.data[strcspn(head.data, "\r\n")] = '\0';
        const char *name = head.data + sizeof mark - 1;
        if (strncmp(head.data, mark, sizeof mark - 1) != 0)
            found = take_digits(head.data, commit);
        else if (is_reference(name))
            found = (read_git_file(folder, name, &loose) && take_digits(loose.data, commit)) ||
                    find_packed(folder, name, commit);
    }
    text_free(&head);
    text_free(&loose);
    return found;
}

/* The repository that git needs before it reads anything. */
static bool make_repository(const char *repository)
{
    char path[PATH_MAX + 20];
    Text head = {0};
    bool made = true;
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", repository, i == 0 ? "objects" : "refs");
        made = made && mkdir(path, 0700) == 0;
    }
    snprintf(path, sizeof path, "%s/HEAD", repository);
    text_add(&head, "ref: refs/heads/none\n");
    made = made && text_write_file(path, &head, NULL) == STATUS_OK;
    text_free(&head);
    return made;
}

/* "committer Ada <ada@example.org> 1793919480 +0100" */
static int64_t committed_s(const Text *commit)
{
    const char *line = strstr(commit->data, "\ncommitter "), *body = strstr(commit->data, "\n\n");
    if (line == NULL || (body != NULL && body < line))
        return 0;
    const char *end = strchrnul(line + 1, '\n'), *bracket = memrchr(line, '>', (size_t)(end - line));
    const long long seconds = bracket == NULL ? 0 : strtoll(bracket + 1, NULL, 10);
    return seconds > 0 ? seconds : 0;
}

int64_t commit_time_of(const char *folder)
{
    char repository[PATH_MAX], objects[PATH_MAX], option[PATH_MAX + 20];
    Commit commit;
    Text output = {0};
    ProcessEnd end = {0};
    int64_t seconds = 0;
    char whole[PATH_MAX];
    if (!find_head(folder, &commit) || realpath(folder, whole) == NULL ||
        scratch_new(repository, sizeof repository, NULL) != STATUS_OK)
        return 0;
    snprintf(objects, sizeof objects, "GIT_OBJECT_DIRECTORY=%.*s/.git/objects", PATH_MAX - 40, whole);
    snprintf(option, sizeof option, "--git-dir=%s", repository);
    const char *const argv[] = {"/usr/bin/env", "git", option, "cat-file", "commit", commit.digits, NULL};
    const char *const environment[] = {objects,
                                       "PATH=/usr/local/bin:/usr/bin:/bin",
                                       "GIT_CONFIG_NOSYSTEM=1",
                                       "GIT_CONFIG_GLOBAL=/dev/null",
                                       "GIT_TERMINAL_PROMPT=0",
                                       NULL};
    const ProcessSpec spec = {.argv = argv,
                              .environment = environment,
                              .output = -1,
                              .limits = {.no_core = true, .data_bytes = MEMORY_BYTES}};
    text_add(&output, "");
    if (make_repository(repository) && process_run(&spec, PATIENCE_S, OUTPUT_BYTES, &output, &end, NULL) == STATUS_OK &&
        end.exit_status == 0)
        seconds = committed_s(&output);
    text_free(&output);
    scratch_remove(repository);
    return seconds;
}
