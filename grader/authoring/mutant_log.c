#include "grader/authoring/mutant_log.h"

#include "base/allocated.h"
#include "base/hash.h"
#include "base/paths.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CASES_BYTES = 16 << 20 };

typedef struct LogEntry {
    Digest key;
    MutantFate fate;
} LogEntry;

struct MutantLog {
    FILE *file;
    Digest cases;
    LogEntry *entries; /* sorted */
    size_t count;
};

static const char *const fate_names[FATES] = {
    [FATE_REFUSED] = "refused", [FATE_SAME_CODE] = "same-code",        [FATE_BEYOND_JUDGE] = "beyond-judge",
    [FATE_FOUND] = "found",     [FATE_FOUND_IN_TIMED] = "found-timed", [FATE_SURVIVED] = "survived",
};

/* ---- the hash of the cases --------------------------------------------------------------------------------------- */

static Status add_file(Hash *hash, const char *folder, const char *problem_id, const char *name, Message *why)
{
    char relative[PATH_MAX], path[PATH_MAX];
    Text content = {0};
    snprintf(relative, sizeof relative, "%s/%s/%s", folder, problem_id, name);
    Status status = paths_home(relative, path, sizeof path, why);
    if (status == STATUS_OK)
        status = text_read_file(path, MAX_CASES_BYTES, &content, why);
    if (status == STATUS_OK)
        hash_add(hash, content.data, content.length);
    text_free(&content);
    return status;
}

static Status hash_cases(const char *problem_id, Digest *cases, Message *why)
{
    Hash hash;
    hash_begin(&hash);
    Status status = add_file(&hash, "problems", problem_id, "problem.json", why);
    if (status == STATUS_OK)
        status = add_file(&hash, "testcases", problem_id, "sample.json", why);
    if (status == STATUS_OK)
        status = add_file(&hash, "testcases", problem_id, "hidden.json", why);
    *cases = hash_end(&hash);
    return status;
}

static Digest key_of(const MutantLog *log, const Text *source)
{
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, log->cases.hex);
    hash_add(&hash, source->data, source->length);
    return hash_end(&hash);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const LogEntry *)a)->key.hex, ((const LogEntry *)b)->key.hex);
}

/* False if the line is none that mutant_log_add() has written. */
static bool read_line(const char *line, LogEntry *entry)
{
    char name[16];
    if (sscanf(line, "%64[0-9a-f] %15s", entry->key.hex, name) != 2)
        return false;
    for (entry->fate = 0; entry->fate < FATES; entry->fate++)
        if (strcmp(name, fate_names[entry->fate]) == 0)
            return true;
    return false;
}

static void read_entries(const char *path, MutantLog *log)
{
    char line[128];
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return; /* the first time */
    while (fgets(line, sizeof line, file) != NULL) {
        if ((log->count & (log->count - 1)) == 0)
            log->entries = allocated(realloc(log->entries, (log->count == 0 ? 1 : 2 * log->count) * sizeof(LogEntry)));
        log->count += read_line(line, &log->entries[log->count]);
    }
    fclose(file);
    if (log->count > 0)
        qsort(log->entries, log->count, sizeof *log->entries, compare_entries);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

Status mutant_log_open(const char *path, const char *problem_id, MutantLog **log, Message *why)
{
    MutantLog *new = *log = zeroed(1, sizeof **log);
    Status status = hash_cases(problem_id, &new->cases, why);
    if (status != STATUS_OK)
        return status;
    read_entries(path, new);
    new->file = fopen(path, "ae");
    return new->file == NULL ? fail_errno(why, "%s", path) : STATUS_OK;
}

void mutant_log_close(MutantLog *log)
{
    if (log == NULL)
        return;
    if (log->file != NULL)
        fclose(log->file);
    free(log->entries);
    free(log);
}

bool mutant_log_knows(const MutantLog *log, const Text *source, MutantFate *fate)
{
    const LogEntry wanted = {.key = key_of(log, source)};
    const LogEntry *found = log->count == 0
                                ? NULL
                                : bsearch(&wanted, log->entries, log->count, sizeof wanted, compare_entries);
    if (found != NULL)
        *fate = found->fate;
    return found != NULL;
}

Status mutant_log_add(MutantLog *log, const Text *source, MutantFate fate, Message *why)
{
    const Digest key = key_of(log, source);
    if (fate == FATE_SURVIVED)
        return STATUS_OK;
    if (fprintf(log->file, "%s %s\n", key.hex, fate_names[fate]) < 0 || fflush(log->file) != 0)
        return fail_errno(why, "the log of mutants cannot be written");
    return STATUS_OK;
}
