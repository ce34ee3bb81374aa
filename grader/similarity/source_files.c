#include "grader/similarity/source_files.h"

#include "base/arena.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_DEPTH = 12, MOST_FILES = 20000 };

typedef struct FolderWalk {
    const char *root;
    const char *const *endings;
    void (*take)(void *context, const char *path, const char *name);
    void *context;
    int files;
    Arena arena;
} FolderWalk;

bool source_file_ends_with(const char *path, const char *const *endings)
{
    const size_t length = strlen(path);
    for (; *endings != NULL; endings++) {
        const size_t ending = strlen(*endings);
        if (length > ending && strcmp(path + length - ending, *endings) == 0)
            return true;
    }
    return false;
}

static void take_file(FolderWalk *walk, const char *path, const char *name)
{
    char *shown = arena_string(&walk->arena, name);
    size_t bad;
    while (!text_is_utf8(shown, strlen(shown), &bad))
        shown[bad] = '?';
    walk->take(walk->context, path, shown);
}

static int select_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static Status walk_folder(FolderWalk *walk, const char *folder, const char *below, int depth, Message *why);

static Status walk_entry(FolderWalk *walk, const char *path, const char *name, int depth, Message *why)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return STATUS_OK; /* it has just gone */
    if (S_ISDIR(info.st_mode))
        return walk_folder(walk, path, arena_printf(&walk->arena, "%s/", name), depth + 1, why);
    if (!S_ISREG(info.st_mode) || !source_file_ends_with(path, walk->endings))
        return STATUS_OK;
    if (++walk->files > MOST_FILES)
        return fail(STATUS_BAD_INPUT, why, "%s: more than %d files, expected a folder of sources", walk->root,
                    MOST_FILES);
    take_file(walk, path, name);
    return STATUS_OK;
}

static Status walk_folder(FolderWalk *walk, const char *folder, const char *below, int depth, Message *why)
{
    struct dirent **entries;
    Status status = STATUS_OK;
    if (depth > MOST_DEPTH)
        return fail(STATUS_BAD_INPUT, why, "%s: folders in folders, %d deep, expected a folder of sources", folder,
                    depth);
    const int count = scandir(folder, &entries, select_shown, alphasort);
    if (count < 0)
        return fail(STATUS_NOT_FOUND, why, "%s: cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (status == STATUS_OK)
            status = walk_entry(walk, arena_printf(&walk->arena, "%s/%s", folder, entries[i]->d_name),
                                arena_printf(&walk->arena, "%s%s", below, entries[i]->d_name), depth, why);
        free(entries[i]);
    }
    free(entries);
    return status;
}

Status source_files_each(const char *path, const char *const *endings,
                         void (*take)(void *context, const char *path, const char *name), void *context, Message *why)
{
    FolderWalk walk = {.root = path, .endings = endings, .take = take, .context = context};
    struct stat info;
    Status status = STATUS_OK;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        const char *slash = strrchr(path, '/');
        take_file(&walk, path, slash == NULL ? path : slash + 1);
    } else {
        status = walk_folder(&walk, path, "", 0, why);
    }
    arena_free(&walk.arena);
    return status;
}
