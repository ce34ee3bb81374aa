#include "base/compile_cache.h"

#include "base/arena.h"
#include "base/paths.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define UNFINISHED ".new."
#define MAX_CACHE_BYTES (1ull << 30)

enum { MAX_ENTRY_BYTES = 256 << 20, DIGEST_BYTES = sizeof(Digest) - 1, UNFINISHED_AFTER_S = 3600 };

/* ---- trust ------------------------------------------------------------------------------------------------------- */

static bool is_private(const struct stat *info)
{
    return info->st_uid == geteuid() && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Closes the descriptor and returns -1 where others could have written what it is open on. */
static int keep_private(int descriptor)
{
    struct stat info;
    if (descriptor >= 0 && (fstat(descriptor, &info) != 0 || !is_private(&info))) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/* The folder's path; false where there is none. */
static bool find_folder(const char *folder, char *path)
{
    if (folder == NULL)
        return paths_cache(path, PATH_MAX, NULL) == STATUS_OK;
    return snprintf(path, PATH_MAX, "%s", folder) < PATH_MAX;
}

/* All work is done relative to this descriptor, so that it stays in the folder that was checked. -1: not to be used. */
static int open_folder(const char *folder)
{
    char path[PATH_MAX];
    return find_folder(folder, path) ? keep_private(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) : -1;
}

static int make_folder(const char *folder)
{
    char path[PATH_MAX];
    if (folder != NULL)
        mkdir(folder, 0700); /* it may exist */
    else if (paths_make_cache(path, sizeof path, NULL) != STATUS_OK)
        return -1;
    return open_folder(folder);
}

static Digest entry_digest(const Digest *key, const char *content, size_t bytes)
{
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, key->hex);
    hash_add(&hash, content, bytes);
    return hash_end(&hash);
}

/* Cuts the digest off the end of an entry, if it matches. */
static bool check_digest(const Digest *key, Text *entry)
{
    if (entry->length < DIGEST_BYTES)
        return false;
    size_t bytes = entry->length - DIGEST_BYTES;
    Digest digest = entry_digest(key, entry->data, bytes);
    if (memcmp(digest.hex, entry->data + bytes, DIGEST_BYTES) != 0)
        return false;
    entry->length = bytes;
    entry->data[bytes] = '\0';
    return true;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

typedef struct CacheEntry {
    char name[sizeof(Digest)];
    struct timespec used;
    unsigned long long bytes;
} CacheEntry;

typedef struct EntryList {
    CacheEntry *entries;
    size_t count, capacity;
} EntryList;

static void add_entry(EntryList *list, const char *name, const struct stat *info)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity * 2 + 64;
        list->entries = allocated(realloc(list->entries, list->capacity * sizeof *list->entries));
    }
    CacheEntry *entry = &list->entries[list->count++];
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->used = info->st_mtim;
    entry->bytes = (unsigned long long)info->st_size;
}

/* Whether the process that worked on it is gone: the system has released its lock then. Where the file system knows no
 * such locks, age decides. */
static bool is_abandoned(int unfinished, const struct stat *info)
{
    if (unfinished >= 0 && flock(unfinished, LOCK_EX | LOCK_NB) == 0)
        return true;
    return (unfinished < 0 || errno != EWOULDBLOCK) && time(NULL) - info->st_mtim.tv_sec > UNFINISHED_AFTER_S;
}

/* False if somebody took it for abandoned before it could be locked. */
static bool lock_unfinished(int unfinished)
{
    struct stat info;
    flock(unfinished, LOCK_EX); /* not every file system can */
    return fstat(unfinished, &info) == 0 && info.st_nlink > 0;
}

/* A file, or a workplace with the files in it. */
static void remove_unfinished(int at, const char *name)
{
    if (unlinkat(at, name, 0) == 0)
        return;
    int folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *files = folder < 0 ? NULL : fdopendir(folder);
    for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;)
        unlinkat(folder, file->d_name, 0);
    if (files != NULL)
        closedir(files);
    unlinkat(at, name, AT_REMOVEDIR);
}

/* Removes it if it is abandoned, and says so. */
static bool sweep_unfinished(int at, const char *name, const struct stat *info)
{
    int unfinished = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool abandoned = is_abandoned(unfinished, info);
    if (abandoned)
        remove_unfinished(at, name);
    if (unfinished >= 0)
        close(unfinished);
    return abandoned;
}

/* Lists the entries (`list` may be NULL) and removes what was left unfinished; returns how much of that is in work. Files
 * of other names are not the cache's. */
static size_t list_entries(int at, EntryList *list)
{
    size_t in_work = 0;
    int again = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *files = again < 0 ? NULL : fdopendir(again);
    for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
        struct stat info;
        const char *name = file->d_name;
        bool is_entry = strspn(name, "0123456789abcdef") == DIGEST_BYTES && strlen(name) == DIGEST_BYTES;
        bool is_unfinished = strncmp(name, UNFINISHED, strlen(UNFINISHED)) == 0;
        if ((!is_entry && !is_unfinished) || fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (is_entry && list != NULL && !S_ISDIR(info.st_mode))
            add_entry(list, name, &info);
        else if (is_unfinished && !sweep_unfinished(at, name, &info))
            in_work++;
    }
    if (files != NULL)
        closedir(files);
    return in_work;
}

static int compare_last_use(const void *a, const void *b)
{
    const struct timespec *first = &((const CacheEntry *)a)->used, *second = &((const CacheEntry *)b)->used;
    if (first->tv_sec != second->tv_sec)
        return first->tv_sec < second->tv_sec ? 1 : -1; /* the most recent first */
    return (first->tv_nsec < second->tv_nsec) - (first->tv_nsec > second->tv_nsec);
}

static void evict_entries(int at)
{
    EntryList list = {0};
    unsigned long long bytes = 0;
    list_entries(at, &list);
    if (list.count > 0)
        qsort(list.entries, list.count, sizeof *list.entries, compare_last_use);
    for (size_t i = 0; i < list.count; i++) {
        bytes += list.entries[i].bytes;
        if (i >= COMPILE_CACHE_ENTRIES || bytes > MAX_CACHE_BYTES)
            unlinkat(at, list.entries[i].name, 0);
    }
    free(list.entries);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static bool read_entry(int at, const Digest *key, Text *entry)
{
    int file = keep_private(openat(at, key->hex, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file < 0)
        return false;
    bool good = text_read_open_file(file, key->hex, MAX_ENTRY_BYTES, entry, NULL) == STATUS_OK &&
                check_digest(key, entry);
    if (good)
        futimens(file, NULL); /* it has been used just now */
    close(file);
    return good;
}

bool compile_cache_read(const char *folder, const Digest *key, Text *content)
{
    Text entry = {0};
    int at = open_folder(folder);
    bool good = at >= 0 && read_entry(at, key, &entry);
    if (good)
        text_append(content, entry.data, entry.length);
    text_free(&entry);
    if (at >= 0)
        close(at);
    return good;
}

/* The name that the library gets says what is in it: dlopen() returns what it has loaded under a name before. */
void *compile_cache_load(const char *folder, const Digest *key)
{
    char path[40 + sizeof key->hex];
    Text entry = {0};
    int at = open_folder(folder);
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", at, key->hex);
    void *library = at >= 0 && read_entry(at, key, &entry) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    text_free(&entry);
    if (at >= 0)
        close(at);
    return library;
}

static bool write_content(int file, const Digest *key, const Text *content)
{
    Digest digest = entry_digest(key, content->data, content->length);
    FILE *stream = fdopen(file, "w");
    if (stream == NULL) {
        close(file);
        return false;
    }
    bool written = (content->length == 0 || fwrite(content->data, content->length, 1, stream) == 1) &&
                   fwrite(digest.hex, DIGEST_BYTES, 1, stream) == 1;
    return fclose(stream) == 0 && written;
}

enum { WRITE_TRIES = 5 };

/* False if somebody took it for abandoned before it was locked; then it is worth another try. */
static bool write_entry(int at, const Digest *key, const Text *content)
{
    unsigned long long number;
    char unfinished[40];
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return true;
    snprintf(unfinished, sizeof unfinished, UNFINISHED "%016llx", number);
    int file = openat(at, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int lock = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 3); /* write_content() closes the file */
    const bool is_swept = lock >= 0 && !lock_unfinished(lock);
    if (is_swept)
        close(file);
    else if (lock < 0 || !write_content(file, key, content) || renameat(at, unfinished, at, key->hex) != 0)
        unlinkat(at, unfinished, 0);
    if (lock >= 0)
        close(lock);
    return !is_swept;
}

void compile_cache_write(const char *folder, const Digest *key, const Text *content)
{
    int at = content->length <= MAX_ENTRY_BYTES - DIGEST_BYTES ? make_folder(folder) : -1;
    if (at < 0)
        return;
    for (int try = 0; try < WRITE_TRIES && !write_entry(at, key, content); try++) {
    }
    evict_entries(at);
    close(at);
}

bool compile_cache_workplace(const char *folder, char *path, size_t size, int *lock)
{
    char parent[PATH_MAX];
    int at = make_folder(folder);
    if (at < 0)
        return false;
    close(at);
    if (!find_folder(folder, parent) || (size_t)snprintf(path, size, "%s/" UNFINISHED "XXXXXX", parent) >= size ||
        mkdtemp(path) == NULL)
        return false;
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*lock >= 0 && lock_unfinished(*lock))
        return true;
    if (*lock >= 0)
        close(*lock);
    rmdir(path);
    return false;
}

static size_t sweep_folder(const char *folder)
{
    int at = open_folder(folder);
    size_t in_work = at < 0 ? 0 : list_entries(at, NULL);
    if (at >= 0)
        close(at);
    return in_work;
}

size_t compile_cache_sweep(const char *folder)
{
    char parent[PATH_MAX], translations[PATH_MAX];
    size_t in_work = sweep_folder(folder);
    if (folder == NULL && find_folder(NULL, parent) &&
        (size_t)snprintf(translations, sizeof translations, "%s/" COMPILE_CACHE_TRANSLATIONS, parent) <
            sizeof translations)
        in_work += sweep_folder(translations);
    return in_work;
}
