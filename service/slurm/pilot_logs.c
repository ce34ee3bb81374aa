#include "service/slurm/pilot_logs.h"

#include "base/text.h"
#include "service/slurm/pilot_script.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL_BYTES = 2000, WORDS_BYTES = 300 };

Status pilot_logs_make(const char *spool, Message *why)
{
    Arena arena = {0};
    const char *folder = pilot_script_folder(spool, &arena);
    const bool made = mkdir(folder, 0700) == 0 || errno == EEXIST;
    Status status = made ? STATUS_OK : fail_errno(why, "%s: this folder cannot be made", folder);
    arena_free(&arena);
    return status;
}

/* The log may be long; its end is enough. */
static void read_tail(const char *path, Text *tail)
{
    char bytes[TAIL_BYTES];
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return;
    if (lseek(file, -TAIL_BYTES, SEEK_END) < 0)
        lseek(file, 0, SEEK_SET);
    const ssize_t count = read(file, bytes, sizeof bytes);
    close(file);
    if (count > 0)
        text_add_printable(tail, bytes, (size_t)count);
}

const char *pilot_logs_last_words(const char *spool, int64_t job, Arena *arena)
{
    Text tail = {0};
    read_tail(arena_printf(arena, "%s/%" PRId64 ".log", pilot_script_folder(spool, arena), job), &tail);
    size_t end = tail.length;
    while (end > 0 && tail.data[end - 1] == '\n')
        end--;
    size_t begin = end;
    while (begin > 0 && tail.data[begin - 1] != '\n')
        begin--;
    const char *words = arena_copy(arena, tail.data == NULL ? "" : tail.data + begin,
                                   end - begin < WORDS_BYTES ? end - begin : WORDS_BYTES);
    text_free(&tail);
    return words;
}

typedef struct PilotLog {
    char *path;
    struct timespec written;
} PilotLog;

static int by_age(const void *a, const void *b)
{
    const struct timespec *left = &((const PilotLog *)a)->written, *right = &((const PilotLog *)b)->written;
    if (left->tv_sec != right->tv_sec)
        return left->tv_sec < right->tv_sec ? -1 : 1;
    return (left->tv_nsec > right->tv_nsec) - (left->tv_nsec < right->tv_nsec);
}

void pilot_logs_limit(const char *spool)
{
    Arena arena = {0};
    const char *folder = pilot_script_folder(spool, &arena);
    PilotLog *logs = NULL;
    size_t count = 0, capacity = 0;
    DIR *names = opendir(folder);
    const struct dirent *item;
    while (names != NULL && (item = readdir(names)) != NULL) {
        struct stat info;
        char *path = arena_printf(&arena, "%s/%s", folder, item->d_name);
        if (strstr(item->d_name, ".log") == NULL || lstat(path, &info) != 0)
            continue;
        logs = arena_grown(&arena, logs, count, &capacity, sizeof *logs);
        logs[count++] = (PilotLog){path, info.st_mtim};
    }
    if (names != NULL)
        closedir(names);
    if (count > PILOT_LOGS_KEPT)
        qsort(logs, count, sizeof *logs, by_age);
    for (size_t i = 0; i + PILOT_LOGS_KEPT < count; i++)
        unlink(logs[i].path);
    arena_free(&arena);
}
