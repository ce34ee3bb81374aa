#include "grader/problem/solution_source.h"

#include "base/paths.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BASE_BYTES = 64 << 20, NAME_BYTES = 1024 };

typedef struct Patch {
    const char *path;
    const char *line; /* the current one: `length` bytes, number `number` */
    size_t length;
    int number;
    char base_name[NAME_BYTES]; /* "conv1d/accepted/naive.cu" */
    Text base;
    const char *rest; /* of the base: what no hunk has dealt with */
} Patch;

static Status refuse(const Patch *patch, const char *expected, Message *why)
{
    return fail(STATUS_BAD_INPUT, why, "%s:%d: expected %s, found '%.*s'", patch->path, patch->number, expected,
                (int)(patch->length < 200 ? patch->length : 200), patch->line);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static const char *after_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end == NULL ? text + strlen(text) : end + 1;
}

static void see_line(Patch *patch, const char *line)
{
    patch->line = line;
    patch->length = strcspn(line, "\n");
}

static void next_line(Patch *patch)
{
    see_line(patch, after_line(patch->line));
    patch->number++;
}

static bool line_begins(const Patch *patch, const char *words)
{
    return strncmp(patch->line, words, strlen(words)) == 0;
}

static bool at_end(const Patch *patch)
{
    return *patch->line == '\0';
}

static void add_line(Text *text, const char *line, size_t length)
{
    text_append(text, line, length);
    text_add(text, "\n");
}

/* ---- the base ---------------------------------------------------------------------------------------------------- */

/* Names that lead out of solutions/ could show any file to the author of a patch. */
static bool is_below_solutions(const char *name)
{
    const size_t length = strlen(name);
    return name[0] != '/' && name[0] != '.' && strstr(name, "/.") == NULL && length > 3 &&
           strcmp(name + length - 3, ".cu") == 0;
}

static Status read_base(Patch *patch, Message *why)
{
    static const char begins[] = "--- ";
    char relative[NAME_BYTES + 20], path[4096];
    if (line_begins(patch, begins))
        snprintf(patch->base_name, sizeof patch->base_name, "%.*s", (int)(patch->length - strlen(begins)),
                 patch->line + strlen(begins));
    if (!is_below_solutions(patch->base_name))
        return refuse(patch, "a comment, or the base as '--- conv1d/accepted/naive.cu', a file below solutions/", why);
    snprintf(relative, sizeof relative, "solutions/%s", patch->base_name);
    TRY(paths_home(relative, path, sizeof path, why));
    TRY(text_read_file(path, MAX_BASE_BYTES, &patch->base, why));
    if (patch->base.length == 0 || patch->base.data[patch->base.length - 1] != '\n')
        text_add(&patch->base, "\n");
    for (patch->rest = patch->base.data; strncmp(patch->rest, "//", 2) == 0;)
        patch->rest = after_line(patch->rest);
    next_line(patch);
    if (!line_begins(patch, "+++ "))
        return refuse(patch, "a line that begins with '+++ '", why);
    next_line(patch);
    return STATUS_OK;
}

/* ---- hunks ------------------------------------------------------------------------------------------------------- */

/* The first place of whole lines of `text` that are `lines`. */
static const char *find_lines(const char *text, const char *lines)
{
    const char *at = strstr(text, lines);
    while (at != NULL && at != text && at[-1] != '\n')
        at = strstr(at + 1, lines);
    return at;
}

/* Reads a hunk up to the next one. An empty line is one of the base, since editors remove a space at the end of a line. */
static Status read_hunk(Patch *patch, Text *before, Text *after, Message *why)
{
    next_line(patch);
    for (; !at_end(patch) && !line_begins(patch, "@@"); next_line(patch)) {
        const char kind = patch->length == 0 ? ' ' : patch->line[0];
        const char *line = patch->line + (patch->length > 0);
        const size_t length = patch->length - (patch->length > 0);
        if (kind != ' ' && kind != '-' && kind != '+')
            return refuse(patch, "a line that begins with ' ', '-', '+' or '@@'", why);
        if (kind != '+')
            add_line(before, line, length);
        if (kind != '-')
            add_line(after, line, length);
    }
    return STATUS_OK;
}

static Status replace(Patch *patch, int number, const Text *before, const Text *after, Text *source, Message *why)
{
    if (before->length == 0)
        return fail(STATUS_BAD_INPUT, why, "%s:%d: the hunk has no line of its base, expected one at least",
                    patch->path, number);
    const char *at = find_lines(patch->rest, before->data);
    const bool again = at != NULL && find_lines(after_line(at), before->data) != NULL;
    if (at == NULL || again)
        return fail(STATUS_BAD_INPUT, why,
                    "%s:%d: found the lines of this hunk %s in the rest of solutions/%s, expected once", patch->path,
                    number, again ? "twice or more" : "nowhere", patch->base_name);
    text_append(source, patch->rest, (size_t)(at - patch->rest));
    text_append(source, after->data, after->length);
    patch->rest = at + before->length;
    return STATUS_OK;
}

static Status apply_hunk(Patch *patch, Text *source, Message *why)
{
    const int number = patch->number;
    Text before = {0}, after = {0};
    if (!line_begins(patch, "@@"))
        return refuse(patch, "a hunk, which begins with '@@'", why);
    Status status = read_hunk(patch, &before, &after, why);
    THEN(status, replace(patch, number, &before, &after, source, why));
    text_free(&before);
    text_free(&after);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static Status apply(Patch *patch, Text *source, Message *why)
{
    for (; line_begins(patch, "//"); next_line(patch))
        add_line(source, patch->line, patch->length);
    Status status = read_base(patch, why);
    do
        status = status == STATUS_OK ? apply_hunk(patch, source, why) : status;
    while (status == STATUS_OK && !at_end(patch));
    if (status == STATUS_OK)
        text_add(source, patch->rest);
    return status;
}

bool patch_is_name(const char *file_name)
{
    const char *dot = strrchr(file_name, '.');
    return dot != NULL && strcmp(dot, ".patch") == 0;
}

Status patch_expand(const char *path, Text *source, Message *why)
{
    Patch patch = {.path = path, .number = 1};
    Text whole = {0};
    see_line(&patch, source->data);
    Status status = apply(&patch, &whole, why);
    text_free(&patch.base);
    text_free(source);
    *source = whole;
    return status;
}

/* ---- shared parts ------------------------------------------------------------------------------------------------ */

static bool lies_below_solutions(const char *path)
{
    char folder[4096], real_folder[PATH_MAX], real_path[PATH_MAX];
    Message ignored;
    if (paths_home("solutions", folder, sizeof folder, &ignored) != STATUS_OK ||
        realpath(folder, real_folder) == NULL || realpath(path, real_path) == NULL)
        return false;
    const size_t length = strlen(real_folder);
    return strncmp(real_path, real_folder, length) == 0 && real_path[length] == '/';
}

static Status add_part(const char *name, Text *source, Message *why)
{
    char relative[NAME_BYTES], path[4096];
    Text part = {0};
    snprintf(relative, sizeof relative, "solutions/shared/%s.cuh", name);
    Status status = paths_home(relative, path, sizeof path, why);
    THEN(status, text_read_file(path, MAX_BASE_BYTES, &part, why));
    if (status == STATUS_OK)
        text_append(source, part.data, part.length);
    text_free(&part);
    return status;
}

Status shared_parts_expand(const char *path, Text *source, Message *why)
{
    Text whole = {0};
    Status status = STATUS_OK;
    if (!lies_below_solutions(path))
        return STATUS_OK;
    for (const char *line = source->data; *line != '\0' && status == STATUS_OK; line = after_line(line)) {
        char name[64];
        int end = 0;
        sscanf(line, "#include \"shared/%63[a-z0-9_].cuh\"%n", name, &end);
        if (end > 0 && line[end] == '\n')
            status = add_part(name, &whole, why);
        else
            text_append(&whole, line, (size_t)(after_line(line) - line));
    }
    text_free(source);
    *source = whole;
    return status;
}
