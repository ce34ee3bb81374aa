#include "service/intake/intake.h"

#include "base/text.h"
#include "service/intake/commit_time.h"
#include "service/intake/export_name.h"
#include "service/intake/gradescope_metadata.h"
#include "service/intake/owned_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Of a plain file: "ada (1).cu" is Ada's, and "ada-1.cu" where she is known otherwise. */
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
            intake_refuse(intake, origin, "its name holds nothing that could be the name of a person");
            return;
        }
    if (entry->is_folder)
        owned_take_folder(intake, owner, path, origin);
    else if (!owned_is_wanted(file))
        intake_refuse(intake, origin, "is neither a CUDA source nor an archive, expected a name that ends in .cu");
    else
        owned_take_file(intake, owner, path, origin, file);
    if (intake->found_count + intake->refused_count == before)
        intake_refuse(intake, origin, "holds no file whose name ends in .cu");
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
        people[i] = known->people[i].name;
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
    const char *person = export_person(name, strlen(name), &root->intake->arena), *id = "";
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
    if (read->kind == EXPORT_MOODLE && strcmp(person, "Participant") == 0) { /* nobody has another name then */
        person = arena_printf(&root->intake->arena, "Participant %s", read->id);
        id = "";
    }
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
        intake_refuse(root->intake, origin, "is a link or no file at all, expected a file or a folder");
        return;
    }
    if (is_opened(root, entry)) {
        open_folder(root, entry);
        return;
    }
    const ExportName read = export_name_read(entry->name, entry->is_folder, &root->intake->arena);
    if (read.kind == EXPORT_UNCLEAR)
        intake_refuse(root->intake, origin,
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
        intake_refuse(root.intake, root.origin, why.text);
        return;
    }
    const Status status = gradescope_metadata_read(path_in(&root, GRADESCOPE_METADATA_NAME), arena, &root.metadata,
                                                   &why);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        intake_refuse(root.intake, origin_of(&root, GRADESCOPE_METADATA_NAME), why.text);
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
        return fail(STATUS_BAD_INPUT, why, "%s: is no folder, expected one with what the class has handed in", folder);
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
