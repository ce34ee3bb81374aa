#include "service/course/archive.h"

#include "base/text.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool ends_in(const char *name, const char *const *endings)
{
    const size_t length = strlen(name);
    for (; *endings != NULL; endings++)
        if (length > strlen(*endings) && strcasecmp(name + length - strlen(*endings), *endings) == 0)
            return true;
    return false;
}

bool archive_is_named(const char *name)
{
    static const char *const endings[] = {".zip",  ".tar",    ".tar.gz", ".tgz", ".tar.bz2",
                                          ".tbz2", ".tar.xz", ".txz",    ".7z",  NULL};
    return ends_in(name, endings);
}

bool archive_is_foreign(const char *name)
{
    static const char *const endings[] = {".rar", ".gz",  ".bz2", ".xz",  ".zst", ".lz",
                                          ".lzh", ".ace", ".cab", ".iso", NULL};
    return !archive_is_named(name) && ends_in(name, endings);
}

/* "a/../b" and "/a" are names outside of the folder that an archive is unpacked to. */
static bool leads_out(const char *name)
{
    if (name[0] == '/' || name[0] == '\\' || (name[0] != '\0' && name[1] == ':'))
        return true;
    for (const char *part = name; part != NULL; part = strpbrk(part, "/\\")) {
        part += strspn(part, "/\\");
        if (part[0] == '.' && part[1] == '.' && (part[2] == '\0' || part[2] == '/' || part[2] == '\\'))
            return true;
    }
    return false;
}

/* ---- in the process of its own: from the archive to records -------------------------------------------------------- */

/* What the process writes: for each member a Record, the name and the bytes; at the end one with `is_end`, whose name is the
 * refusal, or empty. */
typedef struct Record {
    uint64_t name_length, length;
    uint32_t has_bytes, is_end;
} Record;

enum { MOST_NAME_BYTES = 4096, BLOCK_BYTES = 65536 };

typedef struct Unpacking {
    struct archive *archive;
    bool (*wanted)(const char *name);
    int output;
    size_t members;
    uint64_t declared, unpacked; /* bytes of all members */
    char refusal[500];
} Unpacking;

static void send(const Unpacking *unpacking, const void *bytes, size_t count)
{
    for (const char *at = bytes; count > 0;) {
        const ssize_t written = write(unpacking->output, at, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            _exit(1);
        at += written;
        count -= (size_t)written;
    }
}

static void send_record(const Unpacking *unpacking, const char *name, const Text *content, bool is_end)
{
    const Record record = {.name_length = strlen(name),
                           .length = content == NULL ? 0 : content->length,
                           .has_bytes = content != NULL,
                           .is_end = is_end};
    send(unpacking, &record, sizeof record);
    send(unpacking, name, record.name_length);
    if (content != NULL)
        send(unpacking, content->data, content->length);
}

__attribute__((format(printf, 2, 3))) static bool refuse(Unpacking *unpacking, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(unpacking->refusal, sizeof unpacking->refusal, format, values);
    va_end(values);
    return false;
}

static bool refuse_damage(Unpacking *unpacking)
{
    const char *said = archive_error_string(unpacking->archive);
    return refuse(unpacking, "cannot be unpacked: %.300s", said == NULL ? "it is damaged" : said);
}

/* Zip files may not know the size of a member before its end, so what comes out counts as well as what is declared. */
static bool is_too_large(Unpacking *unpacking)
{
    if (unpacking->declared <= ARCHIVE_MOST_BYTES && unpacking->unpacked <= ARCHIVE_MOST_BYTES)
        return false;
    refuse(unpacking, "holds more than %d MiB, the limit of an archive", ARCHIVE_MOST_BYTES >> 20);
    return true;
}

static bool check_member(Unpacking *unpacking, struct archive_entry *entry, const char *name)
{
    if (name == NULL || name[0] == '\0' || strlen(name) > MOST_NAME_BYTES)
        return refuse(unpacking, "holds a file whose name cannot be read");
    if (leads_out(name))
        return refuse(unpacking, "holds '%.200s', a path that leads out of the folder", name);
    if (archive_entry_hardlink(entry) != NULL || archive_entry_symlink(entry) != NULL)
        return refuse(unpacking, "holds the link '%.200s', expected files and folders", name);
    if (archive_entry_filetype(entry) != AE_IFREG && archive_entry_filetype(entry) != AE_IFDIR)
        return refuse(unpacking, "holds '%.200s', which is neither a file nor a folder", name);
    if (archive_entry_is_encrypted(entry))
        return refuse(unpacking, "is protected by a password");
    if (++unpacking->members > ARCHIVE_MOST_MEMBERS)
        return refuse(unpacking, "holds more than %d files, the limit of an archive", ARCHIVE_MOST_MEMBERS);
    unpacking->declared += archive_entry_size_is_set(entry) && archive_entry_size(entry) > 0
                               ? (uint64_t)archive_entry_size(entry)
                               : 0;
    return !is_too_large(unpacking);
}

static bool read_content(Unpacking *unpacking, Text *content)
{
    static char block[BLOCK_BYTES];
    text_append(content, "", 0);
    for (;;) {
        const la_ssize_t count = archive_read_data(unpacking->archive, block, sizeof block);
        if (count < 0)
            return refuse_damage(unpacking);
        if (count == 0)
            return true;
        unpacking->unpacked += (uint64_t)count;
        if (is_too_large(unpacking))
            return false;
        text_append(content, block, (size_t)count);
    }
}

static bool take_member(Unpacking *unpacking, struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);
    if (name == NULL)
        name = archive_entry_pathname_utf8(entry);
    if (!check_member(unpacking, entry, name))
        return false;
    if (archive_entry_filetype(entry) == AE_IFDIR)
        return true;
    if (!unpacking->wanted(name)) {
        send_record(unpacking, name, NULL, false);
        return true;
    }
    Text content = {0};
    const bool done = read_content(unpacking, &content);
    if (done)
        send_record(unpacking, name, &content, false);
    text_free(&content);
    return done;
}

static void unpack(Unpacking *unpacking, const char *bytes, size_t length)
{
    struct archive *archive = unpacking->archive = archive_read_new();
    struct archive_entry *entry;
    int end = ARCHIVE_OK;
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_format_zip(archive);
    archive_read_support_format_tar(archive);
    archive_read_support_format_7zip(archive);
    bool goes_on = archive_read_open_memory(archive, bytes, length) == ARCHIVE_OK || refuse_damage(unpacking);
    while (goes_on && (end = archive_read_next_header(archive, &entry)) != ARCHIVE_EOF)
        goes_on = end == ARCHIVE_OK || end == ARCHIVE_WARN ? take_member(unpacking, entry) : refuse_damage(unpacking);
    send_record(unpacking, unpacking->refusal, NULL, true);
}

/* What computing, reading memory and writing to a pipe take; every other call fails. Without the filter nothing is read. */
static bool confine(void)
{
    static const int calls[] = {
        SCMP_SYS(write),        SCMP_SYS(brk),       SCMP_SYS(mmap),       SCMP_SYS(munmap), SCMP_SYS(mremap),
        SCMP_SYS(madvise),      SCMP_SYS(futex),     SCMP_SYS(exit_group), SCMP_SYS(exit),   SCMP_SYS(clock_gettime),
        SCMP_SYS(rt_sigreturn), SCMP_SYS(getrandom), SCMP_SYS(mprotect)};
    const struct rlimit cpu = {ARCHIVE_CPU_SECONDS, ARCHIVE_CPU_SECONDS}, none = {0, 0};
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &none);
#ifndef __SANITIZE_ADDRESS__ /* whose shadow is larger */
    const struct rlimit memory = {1 << 30, 1 << 30};
    setrlimit(RLIMIT_DATA, &memory);
#endif
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    bool done = filter != NULL;
    for (size_t i = 0; i < sizeof calls / sizeof *calls && done; i++)
        done = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) == 0;
    done = done && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return done;
}

static void run_unpacking(int output, const char *bytes, size_t length, bool (*wanted)(const char *name))
{
    static Unpacking unpacking;
    unpacking = (Unpacking){.wanted = wanted, .output = output};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (confine())
        unpack(&unpacking, bytes, length);
    else
        send_record(&unpacking, "cannot be unpacked safely: the kernel offers no filter of system calls", NULL, true);
    _exit(0);
}

/* ---- in the caller: from records to members ----------------------------------------------------------------------- */

typedef struct ArchiveReading {
    int input;
    Arena *arena;
    ArchiveMember *members;
    size_t count, capacity;
    uint64_t total;
    char *refusal; /* NULL: there is none yet */
} ArchiveReading;

static bool receive(const ArchiveReading *reading, void *bytes, size_t count)
{
    for (char *at = bytes; count > 0;) {
        const ssize_t got = read(reading->input, at, count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        count -= (size_t)got;
    }
    return true;
}

/* The other process has read hostile bytes, so nothing that it says is believed. False: there is nothing more. */
static bool receive_record(ArchiveReading *reading)
{
    Record record;
    if (!receive(reading, &record, sizeof record))
        return false;
    reading->total += record.length;
    if (record.name_length > MOST_NAME_BYTES || record.length > ARCHIVE_MOST_BYTES ||
        reading->total > ARCHIVE_MOST_BYTES || (reading->count >= ARCHIVE_MOST_MEMBERS && !record.is_end))
        return false;
    char *name = arena_alloc(reading->arena, record.name_length + 1);
    char *bytes = record.has_bytes ? arena_alloc(reading->arena, record.length + 1) : NULL;
    if (!receive(reading, name, record.name_length) || (bytes != NULL && !receive(reading, bytes, record.length)))
        return false;
    if (record.is_end) {
        reading->refusal = name;
        return false;
    }
    reading->members = arena_grown(reading->arena, reading->members, reading->count, &reading->capacity,
                                   sizeof *reading->members);
    reading->members[reading->count++] = (ArchiveMember){name, bytes, record.length};
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const ArchiveMember *const *)a)->name, (*(const ArchiveMember *const *)b)->name);
}

/* Programs that unpack such an archive do not agree which of the two they keep. */
static const char *name_twice(const ArchiveReading *reading)
{
    const ArchiveMember **sorted = arena_array(reading->arena, reading->count + 1, sizeof *sorted);
    for (size_t i = 0; i < reading->count; i++)
        sorted[i] = &reading->members[i];
    qsort(sorted, reading->count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < reading->count; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            return sorted[i]->name;
    return NULL;
}

static Status judge_end(const ArchiveReading *reading, int how, Message *why)
{
    if (WIFSIGNALED(how) && (WTERMSIG(how) == SIGXCPU || WTERMSIG(how) == SIGKILL))
        return fail(STATUS_BAD_INPUT, why, "takes more than %d s of processor time to unpack", ARCHIVE_CPU_SECONDS);
    if (reading->refusal == NULL)
        return fail(STATUS_BAD_INPUT, why, "crashes the program that unpacks it");
    if (reading->refusal[0] != '\0')
        return fail(STATUS_BAD_INPUT, why, "%s", reading->refusal);
    const char *twice = name_twice(reading);
    return twice == NULL ? STATUS_OK : fail(STATUS_BAD_INPUT, why, "holds '%.200s' twice", twice);
}

Status archive_unpack(const char *bytes, size_t length, bool (*wanted)(const char *name), Arena *arena,
                      ArchiveMember **members, size_t *count, Message *why)
{
    int ends[2], how = 0;
    *members = NULL;
    *count = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(why, "no pipe");
    const pid_t child = fork();
    if (child == 0)
        run_unpacking(ends[1], bytes, length, wanted);
    close(ends[1]);
    ArchiveReading reading = {.input = ends[0], .arena = arena};
    while (child > 0 && receive_record(&reading))
        ;
    close(ends[0]);
    if (child < 0)
        return fail_errno(why, "no process can be started that unpacks it");
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    TRY(judge_end(&reading, how, why));
    *members = reading.members;
    *count = reading.count;
    return STATUS_OK;
}
