#include "service/course/intake.h"

#include "base/process.h"
#include "base/text.h"
#include "service/course/archive.h"
#include "service/course/export_name.h"
#include "service/course/gradescope_metadata.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Owner {
    const char *const *people; /* one or more: each has handed in the same */
    const char *const *ids;    /* for each, "" where the export has none */
    size_t count;
    const char *assignment; /* NULL */
    int64_t received_s;     /* 0 */
    bool marked_late;
} Owner;

typedef struct FolderEntry {
    const char *name;
    bool is_folder, is_file; /* neither: a link, a device, ... */
} FolderEntry;

/* ==== commit time ================================================================================================= */

/* When the newest commit of a clone was made, by the committer's clock.
 *
 * The clone is a student's, and its settings could make git start programs. So git reads its objects through an empty repository
 * of ours, and never opens the clone itself. */

enum { MOST_BYTES = 4 << 20, OUTPUT_BYTES = 65536, SHA1_DIGITS = 40, SHA256_DIGITS = 64 };

/* git holds a whole commit in memory, and three megabytes of a clone can become three gigabytes. */
static const size_t MEMORY_BYTES = 64 << 20;

static const double PATIENCE_S = 10;

typedef struct Commit {
    char digits[SHA256_DIGITS + 1];
} Commit;

/* The hexadecimal digits that a text begins with, if they are those of a commit. */
static bool take_digits(const char *text, Commit *commit)
{
    const size_t length = strspn(text, "0123456789abcdef");
    if (length != SHA1_DIGITS && length != SHA256_DIGITS)
        return false;
    snprintf(commit->digits, sizeof commit->digits, "%.*s", (int)length, text);
    return true;
}

static bool read_git_file(const char *folder, const char *name, Text *text)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/.git/%s", folder, name) < (int)sizeof path &&
           text_read_file(path, MOST_BYTES, text, NULL) == STATUS_OK;
}

/* A line "DIGITS refs/heads/main" of packed-refs. */
static bool find_packed(const char *folder, const char *name, Commit *commit)
{
    Text packed = {0};
    bool found = false;
    const size_t length = strlen(name);
    if (read_git_file(folder, "packed-refs", &packed))
        for (const char *line = packed.data; line != NULL && *line != '\0' && !found;) {
            const char *end = strchrnul(line, '\n'), *space = memchr(line, ' ', (size_t)(end - line));
            found = space != NULL && (size_t)(end - space - 1) == length && strncmp(space + 1, name, length) == 0 &&
                    take_digits(line, commit);
            line = *end == '\0' ? NULL : end + 1;
        }
    text_free(&packed);
    return found;
}

/* "refs/heads/main" and nothing that leads elsewhere. */
static bool is_reference(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("/-_.", *c) == NULL)
            return false;
    return strncmp(name, "refs/", 5) == 0 && strstr(name, "..") == NULL;
}

static bool find_head(const char *folder, Commit *commit)
{
    static const char mark[] = "ref: ";
    Text head = {0}, loose = {0};
    bool found = false;
    if (read_git_file(folder, "HEAD", &head)) {
        head.data[strcspn(head.data, "\r\n")] = '\0';
        const char *name = head.data + sizeof mark - 1;
        if (strncmp(head.data, mark, sizeof mark - 1) != 0)
            found = take_digits(head.data, commit);
        else if (is_reference(name))
            found = (read_git_file(folder, name, &loose) && take_digits(loose.data, commit)) ||
                    find_packed(folder, name, commit);
    }
    text_free(&head);
    text_free(&loose);
    return found;
}

/* The repository that git needs before it reads anything. */
static bool make_repository(const char *repository)
{
    char path[PATH_MAX + 20];
    Text head = {0};
    bool made = true;
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", repository, i == 0 ? "objects" : "refs");
        made = made && mkdir(path, 0700) == 0;
    }
    snprintf(path, sizeof path, "%s/HEAD", repository);
    text_add(&head, "ref: refs/heads/none\n");
    made = made && text_write_file(path, &head, NULL) == STATUS_OK;
    text_free(&head);
    return made;
}

/* "committer Ada <ada@example.org> 1793919480 +0100" */
static int64_t committed_s(const Text *commit)
{
    const char *line = strstr(commit->data, "\ncommitter "), *body = strstr(commit->data, "\n\n");
    if (line == NULL || (body != NULL && body < line))
        return 0;
    const char *end = strchrnul(line + 1, '\n'), *bracket = memrchr(line, '>', (size_t)(end - line));
    const long long seconds = bracket == NULL ? 0 : strtoll(bracket + 1, NULL, 10);
    return seconds > 0 ? seconds : 0;
}

/* The time of the commit that HEAD of FOLDER/.git names, in seconds since 1970. 0: unknown, or there is no git here. */
static int64_t commit_time_of(const char *folder)
{
    char repository[PATH_MAX], objects[PATH_MAX], option[PATH_MAX + 20];
    Commit commit;
    Text output = {0};
    ProcessEnd end = {0};
    int64_t seconds = 0;
    char whole[PATH_MAX];
    if (!find_head(folder, &commit) || realpath(folder, whole) == NULL ||
        scratch_new(repository, sizeof repository, NULL) != STATUS_OK)
        return 0;
    snprintf(objects, sizeof objects, "GIT_OBJECT_DIRECTORY=%.*s/.git/objects", PATH_MAX - 40, whole);
    snprintf(option, sizeof option, "--git-dir=%s", repository);
    const char *const argv[] = {"/usr/bin/env", "git", option, "cat-file", "commit", commit.digits, NULL};
    const char *const environment[] = {objects,
                                       "PATH=/usr/local/bin:/usr/bin:/bin",
                                       "GIT_CONFIG_NOSYSTEM=1",
                                       "GIT_CONFIG_GLOBAL=/dev/null",
                                       "GIT_TERMINAL_PROMPT=0",
                                       NULL};
    const ProcessSpec spec = {.argv = argv,
                              .environment = environment,
                              .output = -1,
                              .limits = {.no_core = true, .data_bytes = MEMORY_BYTES}};
    text_add(&output, "");
    if (make_repository(repository) && process_run(&spec, PATIENCE_S, OUTPUT_BYTES, &output, &end, NULL) == STATUS_OK &&
        end.exit_status == 0)
        seconds = committed_s(&output);
    text_free(&output);
    scratch_remove(repository);
    return seconds;
}

/* ==== intake list ================================================================================================= */

/* The texts of the file must live in the arena. */
static void intake_add(Intake *intake, const FoundFile *file)
{
    intake->found = arena_grown(&intake->arena, intake->found, intake->found_count, &intake->found_capacity,
                                sizeof *intake->found);
    intake->found[intake->found_count++] = *file;
}

void intake_refuse(Intake *intake, const char *person, const char *assignment, const char *origin, const char *why)
{
    Arena *arena = &intake->arena;
    intake->refused = arena_grown(arena, intake->refused, intake->refused_count, &intake->refused_capacity,
                                  sizeof *intake->refused);
    intake->refused[intake->refused_count++] = (RefusedFile){.origin = arena_string(arena, origin),
                                                             .why = arena_string(arena, why),
                                                             .person = person,
                                                             .assignment = assignment};
}

static void intake_leave_aside(Intake *intake, const char *origin)
{
    intake->left_aside = arena_grown(&intake->arena, intake->left_aside, intake->left_aside_count,
                                     &intake->left_aside_capacity, sizeof *intake->left_aside);
    intake->left_aside[intake->left_aside_count++] = arena_string(&intake->arena, origin);
}

void intake_free(Intake *intake)
{
    arena_free(&intake->arena);
    *intake = (Intake){0};
}

/* ==== owned files ================================================================================================= */

/* Takes what belongs to one person, or to a group that has handed in together, out of files, folders and archives. */

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

static void refuse_owned(Intake *intake, const Owner *owner, const char *origin, const char *why)
{
    for (size_t i = 0; i < owner->count; i++)
        intake_refuse(intake, owner->people[i], owner->assignment, origin, why);
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

/* Whether a name promises a source or an archive. */
static bool owned_is_wanted(const char *name)
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
        refuse_owned(intake, owner, origin,
                     "is a kind of archive that is not unpacked, expected .zip, .tar.gz, .tar.xz or .7z");
    } else if (!is_cuda(name)) {
        take_archive(intake, owner, origin, bytes, length, depth + 1);
    } else if (length > INTAKE_SOURCE_BYTES) {
        (void)!fail(STATUS_BAD_INPUT, &why, "has %zu bytes, expected a source of at most %d", length,
                    INTAKE_SOURCE_BYTES);
        refuse_owned(intake, owner, origin, why.text);
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
        refuse_owned(intake, owner, origin,
                     "is an archive in an archive in an archive, expected at most one in another");
        return;
    }
    const size_t before = intake->found_count + intake->refused_count;
    if (archive_unpack(bytes, length, owned_is_wanted, &intake->arena, &members, &count, &why) != STATUS_OK) {
        refuse_owned(intake, owner, origin, why.text);
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
        refuse_owned(intake, owner, origin, "holds no file whose name ends in .cu");
}

/* ---- files and folders ------------------------------------------------------------------------------------------- */

/* A file at `path`; `name` is that under which it was handed in. What is neither a source nor an archive is left aside. */
static void owned_take_file(Intake *intake, const Owner *owner, const char *path, const char *origin, const char *name)
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
        refuse_owned(intake, owner, origin, names_it ? why.text + length + 2 : why.text);
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

/* The entries of a folder by name, as strcmp() orders them. */
static MUST_USE Status folder_entries(const char *path, Arena *arena, FolderEntry **entries, size_t *count,
                                      Message *why)
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
        refuse_owned(intake, owner, origin, "lies too deep in folders");
        return;
    }
    if (folder_entries(path, &intake->arena, &entries, &count, &why) != STATUS_OK) {
        refuse_owned(intake, owner, origin, why.text);
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
            refuse_owned(intake, owner, inner_origin, "is a link or no file at all, expected a file");
    }
}

/* Everything in a folder, and in the folders in it. */
static void owned_take_folder(Intake *intake, const Owner *owner, const char *path, const char *origin)
{
    take_folder(intake, owner, path, origin, 0);
}

/* ==== intake ====================================================================================================== */

typedef struct Root { /* a folder whose entries are one person's each */
    Intake *intake;
    const IntakeRules *rules;
    const char *path, *origin; /* origin "" or "week-1/" */
    const char *name;          /* of the folder itself */
    const char *assignment;    /* NULL */
    bool is_outermost;
    FolderEntry *entries;
    size_t count;
    GradescopeMetadata metadata;
    const char *clone_prefix; /* "week-1-"; "" */
} Root;

static void read_root(const Root *root);

static const char *path_in(const Root *root, const char *name)
{
    return arena_printf(&root->intake->arena, "%s/%s", root->path, name);
}

static const char *origin_of(const Root *root, const char *name)
{
    return arena_printf(&root->intake->arena, "%s%s", root->origin, name);
}

static bool has_entry(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && lstat(path, &info) == 0;
}

static bool is_hidden(const FolderEntry *entry)
{
    return entry->name[0] == '.' || strcmp(entry->name, "__MACOSX") == 0;
}

static bool is_clone(const Root *root, const FolderEntry *entry)
{
    return entry->is_folder && has_entry(path_in(root, entry->name), ".git");
}

/* ---- whose it is ------------------------------------------------------------------------------------------------- */

static bool is_listed(const char *const *names, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return true;
    return false;
}

static bool is_in_class(const Root *root, const char *name, size_t length)
{
    return is_listed(root->rules->people, root->rules->person_count, name, length);
}

/* Whether "ada.cu", "ada.zip" or a folder "ada" stands in the same folder. */
static bool has_neighbour(const Root *root, const char *stem, size_t length)
{
    for (size_t i = 0; i < root->count; i++) {
        const char *name = root->entries[i].name;
        if (strncmp(name, stem, length) == 0 &&
            (name[length] == '\0' ? root->entries[i].is_folder : name[length] == '.' && root->entries[i].is_file))
            return true;
    }
    return false;
}

/* The longest name of somebody in the class that "ada_conv" begins with; 0: there is none. */
static size_t length_in_class(const Root *root, const char *name)
{
    size_t longest = 0;
    for (size_t i = 0; i < root->rules->person_count; i++) {
        const char *person = root->rules->people[i];
        const size_t length = strlen(person);
        if (length > longest && strncmp(name, person, length) == 0 && name[length] != '\0' &&
            strchr("_-. ", name[length]) != NULL)
            longest = length;
    }
    return longest;
}

/* The owner of a plain file: "ada (1).cu" is Ada's; "ada-1.cu" is hers only if she is known otherwise. */
static const char *person_of_file(const Root *root, const ExportName *read)
{
    size_t stem;
    Arena *arena = &root->intake->arena;
    const char *file = arena_printf(arena, "%s.cu", read->person);
    const int version = export_version(file, &stem);
    if (is_in_class(root, read->person, strlen(read->person)))
        return read->person;
    if (version > 0 && (read->person[strlen(read->person) - 1] == ')' || is_in_class(root, file, stem) ||
                        has_neighbour(root, file, stem)))
        return export_person(file, stem, arena);
    const size_t known = length_in_class(root, read->person);
    return known > 0 ? arena_copy(arena, read->person, known) : read->person;
}

/* The longest assignment that "week-1-ada" begins with; NULL: none. */
static const char *assignment_of_clone(const Root *root, const char *name)
{
    const char *longest = NULL;
    for (size_t i = 0; i < root->rules->assignment_count; i++) {
        const char *id = root->rules->assignments[i];
        const size_t length = strlen(id);
        if (strncmp(name, id, length) == 0 && name[length] == '-' && (longest == NULL || length > strlen(longest)))
            longest = id;
    }
    return longest;
}

/* What the names of all clones begin with, up to a '-' and with something behind it. Where a folder is no clone, those that are
 * tell nothing about each other: people may have handed in ".git" with their files. */
static const char *common_prefix(const Root *root)
{
    static const char ending[] = "-submissions";
    const char *first = NULL;
    size_t length = 0, clones = 0;
    const size_t own = strlen(root->name);
    if (own >= sizeof ending && strcmp(root->name + own - (sizeof ending - 1), ending) == 0)
        return arena_printf(&root->intake->arena, "%.*s-", (int)(own - (sizeof ending - 1)), root->name);
    for (size_t i = 0; i < root->count; i++) {
        const char *name = root->entries[i].name;
        if (!root->entries[i].is_folder || is_hidden(&root->entries[i]))
            continue;
        if (!is_clone(root, &root->entries[i]))
            return "";
        size_t same = 0;
        while (first != NULL && same < length && name[same] == first[same])
            same++;
        length = first == NULL ? strlen(name) : same;
        first = first == NULL ? name : first;
        clones++;
    }
    while (length > 0 && first[length - 1] != '-')
        length--;
    return clones > 1 ? arena_copy(&root->intake->arena, first, length) : "";
}

static const char *without_prefix(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && name[length] != '\0' ? name + length : name;
}

/* ---- one entry --------------------------------------------------------------------------------------------------- */

static void take_owned(const Root *root, const Owner *owner, const FolderEntry *entry, const char *file)
{
    Intake *intake = root->intake;
    const char *path = path_in(root, entry->name), *origin = origin_of(root, entry->name);
    const size_t before = intake->found_count + intake->refused_count;
    for (size_t i = 0; i < owner->count; i++)
        if (owner->people[i][0] == '\0') {
            intake_refuse(intake, NULL, owner->assignment, origin,
                          "its name holds nothing that could be the name of a person");
            return;
        }
    if (entry->is_folder)
        owned_take_folder(intake, owner, path, origin);
    else if (!owned_is_wanted(file))
        refuse_owned(intake, owner, origin,
                     "is neither a CUDA source nor an archive, expected a name that ends in .cu");
    else
        owned_take_file(intake, owner, path, origin, file);
    if (intake->found_count + intake->refused_count == before)
        refuse_owned(intake, owner, origin, "holds no file whose name ends in .cu");
}

/* The number of Moodle is of a participant in one assignment, and says nothing elsewhere. */
static const char *known_name(const Root *root, const char *person, const char *lasting_id)
{
    const IntakeRules *rules = root->rules;
    return rules->name_of == NULL ? person : rules->name_of(rules->context, person, lasting_id);
}

static void take_gradescope(const Root *root, const FolderEntry *entry, const ExportName *read)
{
    const GradescopeSubmission *known = gradescope_metadata_of(&root->metadata, entry->name);
    const size_t count = known == NULL ? 0 : known->person_count;
    const char **people = arena_array(&root->intake->arena, count + 1, sizeof *people);
    const char **ids = arena_array(&root->intake->arena, count + 1, sizeof *ids);
    people[0] = read->person;
    ids[0] = "";
    for (size_t i = 0; i < count; i++) {
        people[i] = known_name(root, known->people[i].name, known->people[i].id);
        ids[i] = known->people[i].id;
    }
    const Owner owner = {.people = people,
                         .ids = ids,
                         .count = count == 0 ? 1 : count,
                         .assignment = root->assignment,
                         .received_s = known == NULL ? 0 : known->received_s};
    take_owned(root, &owner, entry, "");
}

static void take_clone(const Root *root, const FolderEntry *entry)
{
    const char *assignment = assignment_of_clone(root, entry->name);
    const char *prefix = assignment == NULL ? root->clone_prefix
                                            : arena_printf(&root->intake->arena, "%s-", assignment);
    const char *name = without_prefix(entry->name, prefix);
    const char *person = known_name(root, export_person(name, strlen(name), &root->intake->arena), ""), *id = "";
    const Owner owner = {.people = &person,
                         .ids = &id,
                         .count = 1,
                         .assignment = assignment == NULL ? root->assignment : assignment,
                         .received_s = commit_time_of(path_in(root, entry->name))};
    take_owned(root, &owner, entry, "");
}

static void take_named(const Root *root, const FolderEntry *entry, const ExportName *read)
{
    const char *person = read->kind == EXPORT_PLAIN && entry->is_file ? person_of_file(root, read) : read->person;
    const char *id = read->id;
    if (read->kind == EXPORT_MOODLE && strcmp(person, "Participant") == 0) { /* then the export has no names at all */
        person = arena_printf(&root->intake->arena, "Participant %s", read->id);
        id = "";
    }
    person = known_name(root, person, read->kind == EXPORT_MOODLE ? "" : id);
    const Owner owner = {
        .people = &person, .ids = &id, .count = 1, .assignment = root->assignment, .marked_late = read->marked_late};
    take_owned(root, &owner, entry, read->file);
}

/* ---- folders that hold those of people ----------------------------------------------------------------------------- */

/* Whether anything in a folder is called as an export calls it. */
static bool is_export(const Root *root, const FolderEntry *entry)
{
    FolderEntry *entries;
    size_t count;
    bool found = false;
    const char *path = path_in(root, entry->name);
    if (folder_entries(path, &root->intake->arena, &entries, &count, NULL) != STATUS_OK)
        return false;
    for (size_t i = 0; i < count && !found; i++)
        found = strcmp(entries[i].name, GRADESCOPE_METADATA_NAME) == 0 ||
                export_name_read(entries[i].name, entries[i].is_folder, &root->intake->arena).kind != EXPORT_PLAIN ||
                (entries[i].is_folder &&
                 has_entry(arena_printf(&root->intake->arena, "%s/%s", path, entries[i].name), ".git"));
    return found;
}

static bool is_alone(const Root *root)
{
    size_t shown = 0;
    for (size_t i = 0; i < root->count; i++)
        shown += !is_hidden(&root->entries[i]);
    return shown == 1;
}

/* Whether the name of a folder says that it is a person's, who then chose all names in it. */
static bool is_of_person(const Root *root, const FolderEntry *entry)
{
    return is_in_class(root, entry->name, strlen(entry->name)) ||
           export_name_read(entry->name, true, &root->intake->arena).kind != EXPORT_PLAIN;
}

static bool is_opened(const Root *root, const FolderEntry *entry)
{
    const size_t length = strlen(entry->name);
    if (!root->is_outermost || !entry->is_folder || is_clone(root, entry))
        return false;
    return is_listed(root->rules->assignments, root->rules->assignment_count, entry->name, length) ||
           (length > 12 && strcmp(entry->name + length - 12, "-submissions") == 0) ||
           (is_alone(root) && !is_of_person(root, entry) && is_export(root, entry));
}

static void open_folder(const Root *outer, const FolderEntry *entry)
{
    const bool is_assignment = is_listed(outer->rules->assignments, outer->rules->assignment_count, entry->name,
                                         strlen(entry->name));
    const Root root = {.intake = outer->intake,
                       .rules = outer->rules,
                       .path = path_in(outer, entry->name),
                       .origin = arena_printf(&outer->intake->arena, "%s%s/", outer->origin, entry->name),
                       .name = entry->name,
                       .assignment = is_assignment ? entry->name : outer->assignment};
    read_root(&root);
}

static void take_entry(const Root *root, const FolderEntry *entry)
{
    const char *origin = origin_of(root, entry->name);
    if (strcmp(entry->name, GRADESCOPE_METADATA_NAME) == 0)
        return;
    if (is_hidden(entry)) {
        intake_leave_aside(root->intake, origin);
        return;
    }
    if (!entry->is_folder && !entry->is_file) {
        intake_refuse(root->intake, NULL, root->assignment, origin,
                      "is a link or no file at all, expected a file or a folder");
        return;
    }
    if (is_opened(root, entry)) {
        open_folder(root, entry);
        return;
    }
    const ExportName read = export_name_read(entry->name, entry->is_folder, &root->intake->arena);
    if (read.kind == EXPORT_UNCLEAR)
        intake_refuse(root->intake, NULL, root->assignment, origin,
                      "has a name that Moodle or Canvas can have made, for different people; rename it to PERSON.cu");
    else if (read.kind == EXPORT_GRADESCOPE)
        take_gradescope(root, entry, &read);
    else if (read.kind == EXPORT_PLAIN && is_clone(root, entry))
        take_clone(root, entry);
    else
        take_named(root, entry, &read);
}

static void read_root(const Root *given)
{
    Root root = *given;
    Message why;
    Arena *arena = &root.intake->arena;
    if (folder_entries(root.path, arena, &root.entries, &root.count, &why) != STATUS_OK) {
        intake_refuse(root.intake, NULL, root.assignment, root.origin, why.text);
        return;
    }
    const Status status = gradescope_metadata_read(path_in(&root, GRADESCOPE_METADATA_NAME), arena, &root.metadata,
                                                   &why);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        intake_refuse(root.intake, NULL, root.assignment, origin_of(&root, GRADESCOPE_METADATA_NAME), why.text);
    root.clone_prefix = common_prefix(&root);
    for (size_t i = 0; i < root.count; i++)
        take_entry(&root, &root.entries[i]);
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

static int compare_found(const void *a, const void *b)
{
    const FoundFile *first = a, *second = b;
    int order = strcmp(first->person, second->person);
    if (order == 0)
        order = strcmp(or_empty(first->assignment), or_empty(second->assignment));
    if (order == 0)
        order = (first->received_s > second->received_s) - (first->received_s < second->received_s);
    if (order == 0)
        order = first->version - second->version;
    return order == 0 ? strcmp(first->origin, second->origin) : order;
}

static bool are_namesakes(const FoundFile *a, const FoundFile *b)
{
    return strcmp(a->person, b->person) == 0 && strcmp(or_empty(a->assignment), or_empty(b->assignment)) == 0 &&
           strcmp(a->id, b->id) != 0;
}

/* People of one name get their numbers behind it. Numbers of one assignment alone are compared: Moodle gives a person another
 * one for each. */
static void tell_namesakes_apart(Intake *intake)
{
    bool *has_namesake = arena_array(&intake->arena, intake->found_count + 1, sizeof *has_namesake);
    for (size_t i = 1; i < intake->found_count; i++)
        for (size_t k = i; k > 0 && strcmp(intake->found[k - 1].person, intake->found[i].person) == 0; k--)
            if (are_namesakes(&intake->found[k - 1], &intake->found[i]))
                has_namesake[k - 1] = has_namesake[i] = true;
    for (size_t i = 0; i < intake->found_count; i++) {
        FoundFile *file = &intake->found[i];
        if (has_namesake[i] && file->id[0] != '\0')
            file->person = arena_printf(&intake->arena, "%s (%s)", file->person, file->id);
    }
}

static void sort(Intake *intake)
{
    if (intake->found_count > 0)
        qsort(intake->found, intake->found_count, sizeof *intake->found, compare_found);
}

Status intake_read(const char *folder, const IntakeRules *rules, Intake *intake, Message *why)
{
    char whole[PATH_MAX];
    struct stat info;
    *intake = (Intake){0};
    if (stat(folder, &info) != 0 || realpath(folder, whole) == NULL)
        return errno == ENOENT ? fail(STATUS_NOT_FOUND, why, "%s: there is no such folder", folder)
                               : fail_errno(why, "%s", folder);
    if (!S_ISDIR(info.st_mode))
        return fail(STATUS_BAD_INPUT, why, "%s: not a folder, expected one with the submissions of the class", folder);
    const char *slash = strrchr(whole, '/');
    const Root root = {
        .intake = intake, .rules = rules, .path = whole, .origin = "", .name = slash + 1, .is_outermost = true};
    if (access(whole, R_OK | X_OK) != 0)
        return fail_errno(why, "%s", folder);
    read_root(&root);
    sort(intake);
    tell_namesakes_apart(intake);
    sort(intake);
    return STATUS_OK;
}
