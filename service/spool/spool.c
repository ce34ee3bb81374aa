#include "service/spool/spool.h"

#include "service/spool/spool_files.h"
#include "service/spool/spool_idle.h"
#include "service/spool/spool_record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const subfolders[] = {"ready", "claimed",  "beat",    "done", "idle",
                                         "hold",  "editions", "damaged", NULL};

/* ---- the folder -------------------------------------------------------------------------------------------------- */

/* A source that waits is nobody's business, and who can write here can write results. */
static Status make_private(const char *path, Message *why)
{
    struct stat info;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return fail_errno(why, "%s: this folder cannot be made", path);
    if (stat(path, &info) != 0)
        return fail_errno(why, "%s: cannot be inspected", path);
    if (!S_ISDIR(info.st_mode))
        return fail(STATUS_BAD_INPUT, why, "%s: expected a folder", path);
    if (info.st_uid != geteuid())
        return fail(STATUS_BAD_INPUT, why, "%s: this folder belongs to the user %u, expected %u, who runs this", path,
                    info.st_uid, geteuid());
    if ((info.st_mode & 077) != 0)
        return fail(STATUS_BAD_INPUT, why, "%s: others may enter this folder (mode %o), expected mode 700", path,
                    info.st_mode & 0777);
    return STATUS_OK;
}

Status spool_make(const char *spool, Message *why)
{
    Status status = strlen(spool) < SPOOL_PATH_BYTES / 2
                        ? make_private(spool, why)
                        : fail(STATUS_BAD_INPUT, why, "%s: a name of %zu bytes, expected less than %d", spool,
                               strlen(spool), SPOOL_PATH_BYTES / 2);
    for (const char *const *name = subfolders; *name != NULL && status == STATUS_OK; name++)
        status = make_private(spool_folder(spool, *name).text, why);
    return status;
}

/* ---- offers ------------------------------------------------------------------------------------------------------ */

Status spool_offer(const char *spool, const SpoolJob *job, Message *why)
{
    Text text = {0};
    spool_write_job(job, &text);
    Status status = spool_put(spool, "ready", job->id, "json", &text, SPOOL_SYNCED, why);
    text_free(&text);
    return status;
}

Status spool_withdraw(const char *spool, SpoolId id, bool *withdrawn, Message *why)
{
    const SpoolPath path = spool_path(spool, "ready", id, "json");
    *withdrawn = unlink(path.text) == 0;
    return *withdrawn || errno == ENOENT ? STATUS_OK : fail_errno(why, "%s: cannot be removed", path.text);
}

/* Reads a job; one whose file is damaged is a job, too. */
static Status take_job(const SpoolPath *path, SpoolId id, Arena *arena, SpoolJob *job, Message *why)
{
    Message damage;
    Status status = spool_read_job(path->text, id, arena, job, &damage);
    if (status == STATUS_BAD_INPUT) {
        *job = (SpoolJob){.id = id, .priority = -INFINITY, .damage = arena_string(arena, damage.text)};
        return STATUS_OK;
    }
    return status == STATUS_OK ? status : fail(status, why, "%s", damage.text);
}

static int compare_ids(SpoolId a, SpoolId b)
{
    if (a.judging != b.judging)
        return a.judging < b.judging ? -1 : 1;
    return (a.attempt > b.attempt) - (a.attempt < b.attempt);
}

static int compare_jobs(const void *a, const void *b)
{
    const SpoolJob *left = a, *right = b;
    if (left->priority != right->priority)
        return left->priority < right->priority ? -1 : 1;
    return compare_ids(left->id, right->id);
}

Status spool_list_ready(const char *spool, Arena *arena, SpoolJob **jobs, size_t *count, Message *why)
{
    SpoolEntry *entries;
    size_t entry_count;
    Status status = spool_list(spool, "ready", false, arena, &entries, &entry_count, why);
    *jobs = arena_array(arena, entry_count, sizeof **jobs);
    *count = 0;
    for (size_t i = 0; i < entry_count && status == STATUS_OK; i++) {
        if (strcmp(entries[i].ending, "json") != 0)
            continue;
        const SpoolPath path = spool_path(spool, "ready", entries[i].id, "json");
        status = take_job(&path, entries[i].id, arena, &(*jobs)[*count], why);
        if (status == STATUS_OK)
            ++*count;
        else if (status == STATUS_NOT_FOUND) /* somebody has taken it meanwhile */
            status = STATUS_OK;
    }
    if (*count > 0)
        qsort(*jobs, *count, sizeof **jobs, compare_jobs);
    return status;
}

/* ---- claims ------------------------------------------------------------------------------------------------------ */

static SpoolPath claim_path(const char *spool, const SpoolClaim *claim)
{
    return spool_path(spool, "claimed", claim->id, claim->worker);
}

/* A network file system can report the failure of a rename that it has carried out: the answer to the first request was
 * lost, and the second request found the file gone. */
Status spool_claim(const char *spool, SpoolId id, const char *worker, bool *claimed, Message *why)
{
    const SpoolPath from = spool_path(spool, "ready", id, "json"), to = spool_path(spool, "claimed", id, worker);
    const bool renamed = rename(from.text, to.text) == 0;
    const int error = errno;
    *claimed = renamed || spool_exists(&to);
    errno = error;
    return *claimed || error == ENOENT ? STATUS_OK : fail_errno(why, "%s: cannot be taken", from.text);
}

Status spool_read_claimed(const char *spool, const SpoolClaim *claim, Arena *arena, SpoolJob *job, Message *why)
{
    const SpoolPath path = claim_path(spool, claim);
    return take_job(&path, claim->id, arena, job, why);
}

bool spool_is_claimed(const char *spool, const SpoolClaim *claim)
{
    const SpoolPath path = claim_path(spool, claim);
    return spool_exists(&path) || errno != ENOENT;
}

/* A beat that cannot be read is like one that is missing: the next one is due within a second. */
Status spool_list_claims(const char *spool, Arena *arena, SpoolClaim **claims, size_t *count, Message *why)
{
    SpoolEntry *entries;
    Status status = spool_list(spool, "claimed", false, arena, &entries, count, why);
    *claims = arena_array(arena, *count, sizeof **claims);
    for (size_t i = 0; i < *count && status == STATUS_OK; i++) {
        SpoolClaim *claim = &(*claims)[i];
        *claim = (SpoolClaim){.id = entries[i].id, .step = ""};
        strcpy(claim->worker, entries[i].ending);
        Message ignored;
        const SpoolPath path = spool_path(spool, "beat", claim->id, claim->worker);
        if (spool_read_beat(path.text, arena, claim, &ignored) != STATUS_OK)
            claim->count = 0;
    }
    return status;
}

Status spool_beat(const char *spool, const SpoolClaim *claim, Message *why)
{
    Text text = {0};
    spool_write_beat(claim, &text);
    Status status = spool_put(spool, "beat", claim->id, claim->worker, &text, SPOOL_NOT_SYNCED, why);
    text_free(&text);
    return status;
}

/* The claim keeps its file, so that a crash loses nothing. */
Status spool_set_aside(const char *spool, const SpoolClaim *claim, Message *why)
{
    const SpoolPath from = claim_path(spool, claim), to = spool_path(spool, "damaged", claim->id, claim->worker);
    if (link(from.text, to.text) == 0 || errno == EEXIST)
        return STATUS_OK;
    return fail_errno(why, "%s: cannot be moved aside", from.text);
}

void spool_release(const char *spool, const SpoolClaim *claim)
{
    const SpoolPath beat = spool_path(spool, "beat", claim->id, claim->worker),
                    unfinished = spool_temporary(spool, "beat", claim->id, claim->worker),
                    claimed = claim_path(spool, claim);
    unlink(beat.text);
    unlink(unfinished.text);
    unlink(claimed.text);
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

Status spool_finish(const char *spool, const SpoolDone *done, Message *why)
{
    Text text = {0};
    spool_write_done(done, &text);
    Status status = spool_put(spool, "done", done->id, "json", &text, SPOOL_SYNCED, why);
    text_free(&text);
    return status;
}

bool spool_is_done(const char *spool, SpoolId id)
{
    const SpoolPath path = spool_path(spool, "done", id, "json");
    return spool_exists(&path);
}

Status spool_list_done(const char *spool, Arena *arena, SpoolId **ids, size_t *count, Message *why)
{
    SpoolEntry *entries;
    size_t entry_count;
    Status status = spool_list(spool, "done", false, arena, &entries, &entry_count, why);
    *ids = arena_array(arena, entry_count, sizeof **ids);
    *count = 0;
    for (size_t i = 0; i < entry_count; i++)
        if (strcmp(entries[i].ending, "json") == 0)
            (*ids)[(*count)++] = entries[i].id;
    return status;
}

Status spool_read_done(const char *spool, SpoolId id, Arena *arena, SpoolDone *done, Message *why)
{
    const SpoolPath path = spool_path(spool, "done", id, "json"), aside = spool_path(spool, "damaged", id, "json");
    Status status = spool_parse_done(path.text, id, arena, done, why);
    if (status == STATUS_BAD_INPUT && rename(path.text, aside.text) != 0)
        return fail_errno(why, "%s: damaged, and cannot be moved aside", path.text);
    return status;
}

/* ---- what the head decides --------------------------------------------------------------------------------------- */

static bool is_same(SpoolId a, SpoolId b)
{
    return compare_ids(a, b) == 0;
}

/* Removes the files of the attempt in a folder of workers' files. */
static Status forget_in(const char *spool, const char *folder, SpoolId id, Message *why)
{
    Arena arena = {0};
    SpoolEntry *entries;
    size_t count;
    Status status = spool_list(spool, folder, false, &arena, &entries, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const SpoolPath path = spool_path(spool, folder, id, entries[i].ending);
        if (is_same(entries[i].id, id))
            status = spool_remove(&path, why);
    }
    arena_free(&arena);
    return status;
}

/* The end goes last, so that a head that is killed here finds it again and repeats this. */
Status spool_forget(const char *spool, SpoolId id, Message *why)
{
    const SpoolPath ready = spool_path(spool, "ready", id, "json"), done = spool_path(spool, "done", id, "json");
    Status status = spool_remove(&ready, why);
    if (status == STATUS_OK)
        status = forget_in(spool, "claimed", id, why);
    if (status == STATUS_OK)
        status = forget_in(spool, "beat", id, why);
    return status == STATUS_OK ? spool_remove(&done, why) : status;
}

static SpoolPath hold_path(const char *spool, const char *worker)
{
    const SpoolPath folder = spool_folder(spool, "hold");
    return spool_folder(folder.text, worker);
}

Status spool_hold(const char *spool, const char *worker, bool held, Message *why)
{
    const SpoolPath path = hold_path(spool, worker);
    if (!held)
        return spool_remove(&path, why);
    int file = open(path.text, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return fail_errno(why, "%s: cannot be made", path.text);
    close(file);
    return STATUS_OK;
}

bool spool_is_held(const char *spool, const char *worker)
{
    const SpoolPath path = hold_path(spool, worker);
    return spool_exists(&path);
}

void spool_editions_path(const char *spool, char path[SPOOL_EDITIONS_BYTES])
{
    snprintf(path, SPOOL_EDITIONS_BYTES, "%s", spool_folder(spool, "editions").text);
}

/* ---- leftovers --------------------------------------------------------------------------------------------------- */

static bool has_claim(const SpoolEntry *claims, size_t count, SpoolId id)
{
    for (size_t i = 0; i < count; i++)
        if (is_same(claims[i].id, id))
            return true;
    return false;
}

/* Removes the files of a folder, finished or not, of attempts that nobody has claimed. Whoever writes such a file claims
 * first, so the claims are read after the files. */
static Status sweep_folder(const char *spool, const char *folder, bool unfinished, Arena *arena, Message *why)
{
    SpoolEntry *entries, *claims;
    size_t count, claim_count;
    Status status = spool_list(spool, folder, unfinished, arena, &entries, &count, why);
    if (status == STATUS_OK)
        status = spool_list(spool, "claimed", false, arena, &claims, &claim_count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const SpoolPath path = unfinished ? spool_temporary(spool, folder, entries[i].id, entries[i].ending)
                                          : spool_path(spool, folder, entries[i].id, entries[i].ending);
        if (!has_claim(claims, claim_count, entries[i].id))
            status = spool_remove(&path, why);
    }
    return status;
}

Status spool_sweep(const char *spool, Message *why)
{
    Arena arena = {0};
    Status status = sweep_folder(spool, "ready", true, &arena, why);
    if (status == STATUS_OK)
        status = sweep_folder(spool, "done", true, &arena, why);
    if (status == STATUS_OK)
        status = sweep_folder(spool, "beat", true, &arena, why);
    if (status == STATUS_OK)
        status = sweep_folder(spool, "beat", false, &arena, why);
    if (status == STATUS_OK)
        status = spool_sweep_idle(spool, why);
    arena_free(&arena);
    return status;
}
