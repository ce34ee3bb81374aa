/* The cache: <folder>/<key>/{object,host_object,report}. An entry is written under another name and renamed into place,
 * so a reader, another grader or a kill never meets half of one; its digest is checked on reading, so neither does a
 * power failure. Reading an entry makes it young; the oldest go when there are too many. */
#include "base/paths.h"
#include "harness/compile/compile_parts.h"

#include "harness/sandbox/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_ENTRIES = 2000, /* the tests compile some 700: were it fewer, each would find its own gone */
    UNFINISHED_AFTER_S = 3600
};
#define MAX_BYTES (1ull << 30)
#define UNFINISHED ".new."

static Digest digest_of(const CompilerRun *run)
{
    Hash hash;
    hash_begin(&hash);
    hash_add(&hash, run->object.data, run->object.length);
    hash_add(&hash, run->host_object.data, run->host_object.length);
    hash_add(&hash, run->output.data, run->output.length);
    return hash_end(&hash);
}

static bool read_part(const char *entry, const char *name, Text *text)
{
    char path[PATH_MAX];
    return (size_t)snprintf(path, sizeof path, "%s/%s", entry, name) < sizeof path &&
           text_read_file(path, COMPILE_FILE_BYTES, text, NULL) == STATUS_OK;
}

static bool write_part(const char *entry, const char *name, const Text *text)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", entry, name) >= sizeof path)
        return false;
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return false;
    bool written = text->length == 0 || fwrite(text->data, text->length, 1, file) == 1;
    return fclose(file) == 0 && written;
}

/* The report is one line, "<seconds> <digest>", and the compiler's output. */
static bool read_entry(const char *entry, CompilerRun *run)
{
    Text report = {0};
    char digest[65] = "";
    int head = 0;
    bool good = read_part(entry, "report", &report) && read_part(entry, "object", &run->object) &&
                read_part(entry, "host_object", &run->host_object) &&
                sscanf(report.data, "%lf %64[0-9a-f]%n", &run->seconds, digest, &head) == 2 &&
                report.data[head] == '\n';
    if (good)
        text_append(&run->output, report.data + head + 1, report.length - (size_t)head - 1);
    text_free(&report);
    return good && strcmp(digest_of(run).hex, digest) == 0;
}

static bool write_entry(const char *entry, const CompilerRun *run)
{
    Text report = {0};
    text_printf(&report, "%.6f %s\n", run->seconds, digest_of(run).hex);
    text_append(&report, run->output.data, run->output.length);
    bool good = write_part(entry, "report", &report) && write_part(entry, "object", &run->object) &&
                write_part(entry, "host_object", &run->host_object);
    text_free(&report);
    return good;
}

void compiler_run_free(CompilerRun *run)
{
    text_free(&run->object);
    text_free(&run->host_object);
    text_free(&run->output);
}

bool cache_get(const Digest *key, CompilerRun *run)
{
    char folder[PATH_MAX], entry[PATH_MAX + 80];
    if (paths_cache(folder, sizeof folder, NULL) != STATUS_OK)
        return false;
    snprintf(entry, sizeof entry, "%s/%s", folder, key->hex);
    if (!read_entry(entry, run)) {
        compiler_run_free(run);
        scratch_remove(entry); /* a spoilt one would stand in the way of a good one */
        return false;
    }
    utimensat(AT_FDCWD, entry, NULL, 0);
    return true;
}

/* ---- keeping it small -------------------------------------------------------------------------------------------- */

typedef struct Entry {
    char name[80];
    time_t used;
    unsigned long long bytes;
} Entry;

static unsigned long long bytes_below(int at, const char *name)
{
    static const char *const parts[] = {"object", "host_object", "report"};
    unsigned long long bytes = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char path[128];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", name, parts[i]);
        if (fstatat(at, path, &info, AT_SYMLINK_NOFOLLOW) == 0)
            bytes += (unsigned long long)info.st_size;
    }
    return bytes;
}

static void remove_entry(const char *folder, const char *name)
{
    char path[PATH_MAX + NAME_MAX + 2];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    scratch_remove(path);
}

static int compare_use(const void *a, const void *b)
{
    time_t first = ((const Entry *)a)->used, second = ((const Entry *)b)->used;
    return (first < second) - (first > second); /* the youngest first */
}

/* Lists the entries; what a killed grader has left unfinished is removed on the way. */
static size_t list(const char *folder, Entry *entries, size_t capacity)
{
    DIR *open_folder = opendir(folder);
    size_t count = 0;
    if (open_folder == NULL)
        return 0;
    for (struct dirent *found; count < capacity && (found = readdir(open_folder)) != NULL;) {
        struct stat info;
        bool unfinished = strncmp(found->d_name, UNFINISHED, strlen(UNFINISHED)) == 0;
        if ((!unfinished && strlen(found->d_name) != 64) ||
            fstatat(dirfd(open_folder), found->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (unfinished && time(NULL) - info.st_mtime > UNFINISHED_AFTER_S)
            remove_entry(folder, found->d_name);
        if (unfinished)
            continue;
        Entry *entry = &entries[count++];
        snprintf(entry->name, sizeof entry->name, "%.79s", found->d_name);
        entry->used = info.st_mtime;
        entry->bytes = bytes_below(dirfd(open_folder), found->d_name);
    }
    closedir(open_folder);
    return count;
}

static void trim(const char *folder)
{
    enum { CAPACITY = 4 * MAX_ENTRIES };
    unsigned long long bytes = 0;
    Entry *entries = calloc(CAPACITY, sizeof *entries);
    if (entries == NULL)
        return;
    size_t count = list(folder, entries, CAPACITY);
    qsort(entries, count, sizeof *entries, compare_use);
    for (size_t i = 0; i < count; i++) {
        bytes += entries[i].bytes;
        if (i >= MAX_ENTRIES || bytes > MAX_BYTES)
            remove_entry(folder, entries[i].name);
    }
    free(entries);
}

void cache_put(const Digest *key, const CompilerRun *run)
{
    char folder[PATH_MAX], fresh[PATH_MAX + 80], entry[PATH_MAX + 80];
    if (paths_cache(folder, sizeof folder, NULL) != STATUS_OK)
        return;
    mkdir(folder, 0700);
    snprintf(fresh, sizeof fresh, "%s/" UNFINISHED "XXXXXX", folder);
    snprintf(entry, sizeof entry, "%s/%s", folder, key->hex);
    if (mkdtemp(fresh) == NULL)
        return;
    if (!write_entry(fresh, run) || rename(fresh, entry) != 0) /* it fails where another grader was faster */
        scratch_remove(fresh);
    trim(folder);
}
