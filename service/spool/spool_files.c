#include "service/spool/spool_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */

SpoolPath spool_folder(const char *spool, const char *folder)
{
    SpoolPath path;
    snprintf(path.text, sizeof path.text, "%s/%s", spool, folder);
    return path;
}

static SpoolPath path_of(const char *spool, const char *folder, const char *dot, SpoolId id, const char *ending)
{
    SpoolPath path;
    snprintf(path.text, sizeof path.text, "%s/%s/%s%" PRId64 "-%d.%s", spool, folder, dot, id.judging, id.attempt,
             ending);
    return path;
}

SpoolPath spool_path(const char *spool, const char *folder, SpoolId id, const char *ending)
{
    return path_of(spool, folder, "", id, ending);
}

SpoolPath spool_temporary(const char *spool, const char *folder, SpoolId id, const char *ending)
{
    return path_of(spool, folder, ".", id, ending);
}

static SpoolPath worker_path(const char *spool, const char *folder, const char *dot, const char *worker)
{
    SpoolPath path;
    snprintf(path.text, sizeof path.text, "%s/%s/%s%s", spool, folder, dot, worker);
    return path;
}

SpoolPath spool_worker_path(const char *spool, const char *folder, const char *worker)
{
    return worker_path(spool, folder, "", worker);
}

SpoolPath spool_worker_temporary(const char *spool, const char *folder, const char *worker)
{
    return worker_path(spool, folder, ".", worker);
}

/* A number as the spool writes it: from 1, without zeros in front. */
static bool read_number(const char **at, int64_t most, char after, int64_t *number)
{
    char *end;
    if (**at < '1' || **at > '9')
        return false;
    errno = 0;
    *number = strtoll(*at, &end, 10);
    if (errno != 0 || *number > most || *end != after)
        return false;
    *at = end + 1;
    return true;
}

static bool read_name(const char *name, SpoolEntry *entry)
{
    int64_t attempt;
    if (!read_number(&name, INT64_MAX, '-', &entry->id.judging) || !read_number(&name, INT32_MAX, '.', &attempt) ||
        !spool_worker_is_valid(name))
        return false;
    entry->id.attempt = (int)attempt;
    strcpy(entry->ending, name);
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static Status write_all(int file, const SpoolPath *path, const Text *text, SpoolSync sync, Message *why)
{
    for (size_t done = 0; done < text->length;) {
        ssize_t count = write(file, text->data + done, text->length - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_errno(why, "%s: cannot be written", path->text);
        done += (size_t)count;
    }
    if (sync == SPOOL_SYNCED && fsync(file) != 0)
        return fail_errno(why, "%s: cannot be written", path->text);
    return STATUS_OK;
}

/* On a network file system close() is what tells of a full disk. */
static Status write_new(const SpoolPath *path, const Text *text, SpoolSync sync, Message *why)
{
    int file = open(path->text, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return fail_errno(why, "%s: cannot be written", path->text);
    Status status = write_all(file, path, text, sync, why);
    if (close(file) != 0 && status == STATUS_OK)
        status = fail_errno(why, "%s: cannot be written", path->text);
    return status;
}

static Status sync_folder(const SpoolPath *path, Message *why)
{
    int file = open(path->text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    Status status = file < 0 || (fsync(file) != 0 && errno != EINVAL)
                        ? fail_errno(why, "%s: cannot be synced", path->text)
                        : STATUS_OK;
    if (file >= 0)
        close(file);
    return status;
}

static Status put(const SpoolPath *temporary, const SpoolPath *path, const Text *text, SpoolSync sync, Message *why)
{
    Status status = write_new(temporary, text, sync, why);
    if (status == STATUS_OK && rename(temporary->text, path->text) != 0)
        status = fail_errno(why, "%s: cannot be renamed", temporary->text);
    if (status != STATUS_OK)
        unlink(temporary->text);
    return status;
}

Status spool_put(const char *spool, const char *folder, SpoolId id, const char *ending, const Text *text,
                 SpoolSync sync, Message *why)
{
    const SpoolPath place = spool_folder(spool, folder), path = spool_path(spool, folder, id, ending),
                    temporary = spool_temporary(spool, folder, id, ending);
    Status status = put(&temporary, &path, text, sync, why);
    return status == STATUS_OK && sync == SPOOL_SYNCED ? sync_folder(&place, why) : status;
}

Status spool_put_worker(const char *spool, const char *folder, const char *worker, const Text *text, Message *why)
{
    const SpoolPath path = spool_worker_path(spool, folder, worker),
                    temporary = spool_worker_temporary(spool, folder, worker);
    return put(&temporary, &path, text, SPOOL_NOT_SYNCED, why);
}

/* All names of a folder, without the dot of those that are being written. */
static Status list_names(const char *spool, const char *folder, bool unfinished, Arena *arena, const char ***names,
                         size_t *count, Message *why)
{
    const SpoolPath path = spool_folder(spool, folder);
    size_t capacity = 0;
    DIR *listing = opendir(path.text);
    *names = NULL;
    *count = 0;
    if (listing == NULL)
        return fail_errno(why, "%s: cannot be read", path.text);
    const struct dirent *item;
    while (errno = 0, (item = readdir(listing)) != NULL) {
        if ((item->d_name[0] == '.') != unfinished)
            continue;
        *names = arena_grown(arena, *names, *count, &capacity, sizeof **names);
        (*names)[(*count)++] = arena_string(arena, item->d_name + unfinished);
    }
    Status status = errno == 0 ? STATUS_OK : fail_errno(why, "%s: cannot be read", path.text);
    closedir(listing);
    return status;
}

Status spool_list(const char *spool, const char *folder, bool unfinished, Arena *arena, SpoolEntry **entries,
                  size_t *count, Message *why)
{
    const char **names;
    size_t name_count;
    Status status = list_names(spool, folder, unfinished, arena, &names, &name_count, why);
    *entries = arena_array(arena, name_count, sizeof **entries);
    *count = 0;
    for (size_t i = 0; i < name_count; i++)
        if (read_name(names[i], &(*entries)[*count]))
            ++*count;
    return status;
}

Status spool_list_workers(const char *spool, const char *folder, bool unfinished, Arena *arena, const char ***workers,
                          size_t *count, Message *why)
{
    size_t name_count;
    Status status = list_names(spool, folder, unfinished, arena, workers, &name_count, why);
    *count = 0;
    for (size_t i = 0; i < name_count; i++)
        if (spool_worker_is_valid((*workers)[i]))
            (*workers)[(*count)++] = (*workers)[i];
    return status;
}

Status spool_remove(const SpoolPath *path, Message *why)
{
    if (unlink(path->text) == 0 || errno == ENOENT)
        return STATUS_OK;
    return fail_errno(why, "%s: cannot be removed", path->text);
}

bool spool_exists(const SpoolPath *path)
{
    SpoolPath folder = *path;
    char *const slash = strrchr(folder.text, '/');
    *slash = '\0';
    DIR *names = opendir(folder.text);
    if (names == NULL)
        return false;
    const struct dirent *item;
    while (errno = 0, (item = readdir(names)) != NULL && strcmp(item->d_name, slash + 1) != 0)
        ;
    const int error = errno;
    closedir(names);
    errno = item != NULL ? 0 : error != 0 ? error : ENOENT;
    return item != NULL;
}
