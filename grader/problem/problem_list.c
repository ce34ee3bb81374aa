#include "grader/problem/problem_list.h"

#include "base/paths.h"
#include "base/suggestion.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool problem_id_is_valid(const char *id)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    size_t length = strlen(id);
    return length > 0 && length <= PROBLEM_MAX_ID_LENGTH && id[0] != '-' && strspn(id, letters) == length;
}

static int is_problem_folder(const struct dirent *entry)
{
    return entry->d_type != DT_REG && problem_id_is_valid(entry->d_name);
}

Status problem_list(Arena *arena, const char ***ids, size_t *count, Message *why)
{
    char folder[PATH_MAX];
    struct dirent **entries;
    Status status = paths_home("problems", folder, sizeof folder, why);
    if (status != STATUS_OK)
        return status;
    int found = scandir(folder, &entries, is_problem_folder, alphasort);
    if (found < 0)
        return fail_errno(why, "%s: cannot be listed", folder);
    *ids = arena_array(arena, (size_t)found + 1, sizeof **ids);
    for (int i = 0; i < found; i++) {
        (*ids)[i] = arena_string(arena, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    *count = (size_t)found;
    return STATUS_OK;
}

Status problem_unknown(const char *id, Message *why)
{
    Arena arena = {0};
    const char **ids;
    size_t count;
    Status status = problem_list(&arena, &ids, &count, why);
    if (status == STATUS_OK) {
        const char *list = "";
        for (size_t i = 0; i < count; i++)
            list = arena_printf(&arena, "%s%s%s", list, i > 0 ? ", " : "", ids[i]);
        status = fail(STATUS_NOT_FOUND, why, "unknown problem '%.100s'; %sknown problems: %s", id,
                      suggestion_for(id, list).text, count > 0 ? list : "none");
    }
    arena_free(&arena);
    return status;
}
