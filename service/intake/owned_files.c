#include "service/intake/owned_files.h"

#include "base/text.h"
#include "service/intake/archive.h"
#include "service/intake/export_name.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { MOST_FOLDERS_DEEP = 12, MOST_ARCHIVES_DEEP = 2, MOST_ENTRIES = 20000, ARCHIVE_FILE_BYTES = 64 << 20 };

static void add_found(Intake *intake, const Owner *owner, const char *origin, const char *name, const char *source,
                      size_t bytes)
{
    size_t stem;
    for (size_t i = 0; i < owner->count; i++) {
        const FoundFile file = {.person = owner->people[i],
                                .id = owner->ids[i],
                                .assignment = owner->assignment,
                                .origin = origin,
                                .file_name = arena_string(&intake->arena, name),
                                .source = source,
                                .source_bytes = bytes,
                                .version = export_version(name, &stem),
                                .received_s = owner->received_s,
                                .marked_late = owner->marked_late};
        intake_add(intake, &file);
    }
}

/* ---- what a name promises ---------------------------------------------------------------------------------------- */

static bool is_cuda(const char *name)
{
    const size_t length = strlen(name);
    return length > 3 && strcasecmp(name + length - 3, ".cu") == 0;
}

static const char *last_part(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash == NULL ? name : slash + 1;
}

/* macOS puts what its files have besides their contents into files "._x.cu". */
static bool is_of_macos(const char *name)
{
    return strncmp(last_part(name), "._", 2) == 0;
}

bool owned_is_wanted(const char *name)
{
    return !is_of_macos(name) && (is_cuda(name) || archive_is_named(name) || archive_is_foreign(name));
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static void take_archive(Intake *intake, const Owner *owner, const char *origin, const char *bytes, size_t length,
                         int depth);

/* `bytes` live in the intake's arena. */
static void take_bytes(Intake *intake, const Owner *owner, const char *origin, const char *name, const char *bytes,
                       size_t length, int depth)
{
    Message why;
    if (archive_is_foreign(name)) {
        intake_refuse(intake, origin,
                      "is a kind of archive that is not unpacked, expected .zip, .tar.gz, .tar.xz or .7z");
    } else if (!is_cuda(name)) {
        take_archive(intake, owner, origin, bytes, length, depth + 1);
    } else if (length > INTAKE_SOURCE_BYTES) {
        (void)!fail(STATUS_BAD_INPUT, &why, "has %zu bytes, expected a source of at most %d", length,
                    INTAKE_SOURCE_BYTES);
        intake_refuse(intake, origin, why.text);
    } else {
        add_found(intake, owner, origin, name, bytes, length);
    }
}

static void take_archive(Intake *intake, const Owner *owner, const char *origin, const char *bytes, size_t length,
                         int depth)
{
    ArchiveMember *members;
    size_t count;
    Message why;
    if (depth > MOST_ARCHIVES_DEEP) {
        intake_refuse(intake, origin, "is an archive in an archive in an archive, expected at most one in another");
        return;
    }
    const size_t before = intake->found_count + intake->refused_count;
    if (archive_unpack(bytes, length, owned_is_wanted, &intake->arena, &members, &count, &why) != STATUS_OK) {
        intake_refuse(intake, origin, why.text);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *inside = arena_printf(&intake->arena, "%s/%s", origin, members[i].name);
        if (members[i].bytes == NULL)
            intake_leave_aside(intake, inside);
        else
            take_bytes(intake, owner, inside, last_part(members[i].name), members[i].bytes, members[i].length, depth);
    }
    if (intake->found_count + intake->refused_count == before)
        intake_refuse(intake, origin, "holds no file whose name ends in .cu");
}

/* ---- files and folders ------------------------------------------------------------------------------------------- */

void owned_take_file(Intake *intake, const Owner *owner, const char *path, const char *origin, const char *name)
{
    Text text = {0};
    Message why;
    if (!owned_is_wanted(name)) {
        intake_leave_aside(intake, origin);
        return;
    }
    const size_t most = is_cuda(name) ? INTAKE_SOURCE_BYTES : ARCHIVE_FILE_BYTES;
    if (text_read_file(path, most, &text, &why) != STATUS_OK) {
        /* The message begins with the path, which is named already. */
        const size_t length = strlen(path);
        const bool names_it = strncmp(why.text, path, length) == 0 && strncmp(why.text + length, ": ", 2) == 0;
        intake_refuse(intake, origin, names_it ? why.text + length + 2 : why.text);
    } else {
        const char *bytes = arena_copy(&intake->arena, text.length == 0 ? "" : text.data, text.length);
        take_bytes(intake, owner, arena_string(&intake->arena, origin), name, bytes, text.length, 0);
    }
    text_free(&text);
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const FolderEntry *)a)->name, ((const FolderEntry *)b)->name);
}

Status folder_entries(const char *path, Arena *arena, FolderEntry **entries, size_t *count, Message *why)
{
    size_t capacity = 0;
    *entries = NULL;
    *count = 0;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return fail_errno(why, "%s", path);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct stat info;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (*count == MOST_ENTRIES) {
            closedir(folder);
            return fail(STATUS_BAD_INPUT, why, "%s: the folder has more than %d entries", path, MOST_ENTRIES);
        }
        const bool known = fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0;
        *entries = arena_grown(arena, *entries, *count, &capacity, sizeof **entries);
        (*entries)[(*count)++] = (FolderEntry){arena_string(arena, entry->d_name), known && S_ISDIR(info.st_mode),
                                               known && S_ISREG(info.st_mode)};
    }
    closedir(folder);
    if (*count > 0)
        qsort(*entries, *count, sizeof **entries, compare_entries);
    return STATUS_OK;
}

static void take_folder(Intake *intake, const Owner *owner, const char *path, const char *origin, int depth)
{
    FolderEntry *entries;
    size_t count;
    Message why;
    if (depth > MOST_FOLDERS_DEEP) {
        intake_refuse(intake, origin, "lies too deep in folders");
        return;
    }
    if (folder_entries(path, &intake->arena, &entries, &count, &why) != STATUS_OK) {
        intake_refuse(intake, origin, why.text);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = entries[i].name;
        const char *inner = arena_printf(&intake->arena, "%s/%s", path, name);
        const char *inner_origin = arena_printf(&intake->arena, "%s/%s", origin, name);
        if (entries[i].is_folder && strcmp(name, ".git") != 0 && strcmp(name, "__MACOSX") != 0)
            take_folder(intake, owner, inner, inner_origin, depth + 1);
        else if (entries[i].is_file)
            owned_take_file(intake, owner, inner, inner_origin, name);
        else if (entries[i].is_folder || !owned_is_wanted(name))
            intake_leave_aside(intake, inner_origin);
        else
            intake_refuse(intake, inner_origin, "is a link or no file at all, expected a file");
    }
}

void owned_take_folder(Intake *intake, const Owner *owner, const char *path, const char *origin)
{
    take_folder(intake, owner, path, origin, 0);
}
