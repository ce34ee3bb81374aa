#include "grader/problem/problem_edition.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE_BYTES = 1 << 30 };

/* ---- the files of a folder --------------------------------------------------------------------------------------- */

static int is_judged_by(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return name[0] != '.' && strcmp(name, "statement.md") != 0 && strcmp(name, "starter.cu") != 0;
}

static Status join(char path[PATH_MAX], const char *folder, const char *name, Message *why)
{
    if ((size_t)snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "%.100s...: the name is too long", folder);
}

/* Adds a file to the digest, and writes it into a folder; NULL: nowhere. Only regular files count, as for the judge. */
static Status take_file(const char *folder, const char *name, const char *copy, Hash *hash, Message *why)
{
    char from[PATH_MAX], to[PATH_MAX];
    struct stat info;
    Text content = {0};
    Status status = join(from, folder, name, why);
    if (status != STATUS_OK || (lstat(from, &info) == 0 && !S_ISREG(info.st_mode)))
        return status;
    status = text_read_file(from, MAX_FILE_BYTES, &content, why);
    if (status == STATUS_OK) {
        hash_add_string(hash, name);
        hash_add(hash, content.data, content.length);
    }
    if (status == STATUS_OK && copy != NULL)
        status = join(to, copy, name, why);
    if (status == STATUS_OK && copy != NULL)
        status = text_write_file(to, &content, why);
    text_free(&content);
    return status;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static Status take_folder(const char *folder, const char *copy, Hash *hash, Message *why)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_judged_by, by_bytes);
    if (count < 0)
        return fail_errno(why, "%s: cannot be read", folder);
    Status status = STATUS_OK;
    for (int i = 0; i < count; i++) {
        THEN(status, take_file(folder, entries[i]->d_name, copy, hash, why));
        free(entries[i]);
    }
    free(entries);
    hash_add(hash, "", 0); /* the end of the list */
    return status;
}

/* ---- the edition ------------------------------------------------------------------------------------------------- */

static Status take(const Problem *problem, const char *problem_copy, const char *testcases_copy, Digest *edition,
                   Message *why)
{
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, problem->id);
    Status status = take_folder(problem->folder, problem_copy, &hash, why);
    THEN(status, take_folder(problem->testcases, testcases_copy, &hash, why));
    *edition = hash_end(&hash);
    return status;
}

Status problem_edition(const Problem *problem, Digest *edition, Message *why)
{
    return take(problem, NULL, NULL, edition, why);
}

bool problem_edition_find(const char *keep, const char *edition, char *path, size_t size)
{
    return (size_t)snprintf(path, size, "%s/%s", keep, edition) < size && access(path, F_OK) == 0;
}

/* ---- the copy ---------------------------------------------------------------------------------------------------- */

#define UNFINISHED ".part-" /* begins the name of a folder that is no edition yet, or no longer one */

static Status name_unfinished(char path[PATH_MAX], const char *keep, Message *why)
{
    char name[32];
    snprintf(name, sizeof name, UNFINISHED "%ld", (long)getpid());
    return join(path, keep, name, why);
}

typedef struct EditionCopy { /* under way, of this process alone */
    char root[PATH_MAX], problems[PATH_MAX], testcases[PATH_MAX];
    char problem[PATH_MAX], cases[PATH_MAX];
} EditionCopy;

static Status name_copy(const Problem *problem, const char *keep, EditionCopy *copy, Message *why)
{
    TRY(name_unfinished(copy->root, keep, why));
    TRY(join(copy->problems, copy->root, "problems", why));
    TRY(join(copy->testcases, copy->root, "testcases", why));
    TRY(join(copy->problem, copy->problems, problem->id, why));
    return join(copy->cases, copy->testcases, problem->id, why);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    remove(path);
    return 0;
}

static void remove_tree(const char *path)
{
    enum { MOST_OPEN_FOLDERS = 8 };
    nftw(path, remove_entry, MOST_OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static Status make_folders(const EditionCopy *copy, Message *why)
{
    const char *const folders[] = {copy->root, copy->problems, copy->testcases, copy->problem, copy->cases};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (mkdir(folders[i], 0700) != 0)
            return fail_errno(why, "%s: cannot be made", folders[i]);
    return STATUS_OK;
}

/* What was copied is named by its own digest, since the files may change while they are read. */
static Status keep_copy(const Problem *problem, const char *keep, const Digest *edition, Message *why)
{
    EditionCopy copy;
    char place[PATH_MAX];
    Digest copied;
    TRY(name_copy(problem, keep, &copy, why));
    remove_tree(copy.root); /* of a process that was killed and had this number */
    Status status = make_folders(&copy, why);
    THEN(status, take(problem, copy.problem, copy.cases, &copied, why));
    if (status == STATUS_OK && strcmp(copied.hex, edition->hex) != 0)
        status = fail(STATUS_BUSY, why, "%s: these files are being changed", problem->testcases);
    THEN(status, join(place, keep, edition->hex, why));
    if (status == STATUS_OK && rename(copy.root, place) != 0 && errno != EEXIST && errno != ENOTEMPTY)
        status = fail_errno(why, "%s: cannot be made", place);
    remove_tree(copy.root);
    return status;
}

Status problem_edition_keep(const Problem *problem, const char *keep, Digest *edition, Message *why)
{
    char place[PATH_MAX];
    Status status = problem_edition(problem, edition, why);
    if (status != STATUS_OK || problem_edition_find(keep, edition->hex, place, sizeof place))
        return status;
    return keep_copy(problem, keep, edition, why);
}

/* ---- what nobody needs ------------------------------------------------------------------------------------------- */

static bool is_needed(const char *name, const char *const *needed, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, needed[i]) == 0)
            return true;
    return false;
}

static bool is_edition(const char *name)
{
    return strlen(name) == sizeof(Digest) - 1 && strspn(name, "0123456789abcdef") == sizeof(Digest) - 1;
}

/* Under its own name an edition is whole, or not there. */
static void remove_edition(const char *keep, const char *path)
{
    char doomed[PATH_MAX];
    if (name_unfinished(doomed, keep, NULL) == STATUS_OK && rename(path, doomed) == 0)
        remove_tree(doomed);
}

void problem_editions_prune(const char *keep, const char *const *needed, size_t count)
{
    char path[PATH_MAX];
    DIR *open = opendir(keep);
    for (const struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;) {
        if (join(path, keep, entry->d_name, NULL) != STATUS_OK)
            continue;
        if (strncmp(entry->d_name, UNFINISHED, strlen(UNFINISHED)) == 0)
            remove_tree(path);
        else if (is_edition(entry->d_name) && !is_needed(entry->d_name, needed, count))
            remove_edition(keep, path);
    }
    if (open != NULL)
        closedir(open);
}

/* ---- its way to another host ------------------------------------------------------------------------------------- */

static const char hexadecimal[] = "0123456789abcdef";

static Status pack_file(const char *folder, const char *path, cJSON *list, Message *why)
{
    char whole[PATH_MAX];
    Text content = {0}, hex = {0};
    Status status = join(whole, folder, path, why);
    THEN(status, text_read_file(whole, MAX_FILE_BYTES, &content, why));
    for (size_t i = 0; i < content.length && status == STATUS_OK; i++) {
        const unsigned char byte = (unsigned char)content.data[i];
        text_append(&hex, (const char[]){hexadecimal[byte / 16], hexadecimal[byte % 16]}, 2);
    }
    if (status == STATUS_OK) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "path", path);
        cJSON_AddStringToObject(item, "hex", hex.length == 0 ? "" : hex.data);
        cJSON_AddItemToArray(list, item);
    }
    text_free(&content);
    text_free(&hex);
    return status;
}

/* A copy holds folders down to two levels, and files in the lowest. */
static Status pack_folder(const char *folder, const char *path, int levels, cJSON *list, Message *why)
{
    char whole[PATH_MAX], inner[PATH_MAX];
    struct dirent **entries;
    Status status = join(whole, folder, path, why);
    if (status != STATUS_OK)
        return status;
    const int count = scandir(whole, &entries, is_judged_by, by_bytes);
    if (count < 0)
        return fail_errno(why, "%s: cannot be read", whole);
    for (int i = 0; i < count; i++) {
        THEN(status, join(inner, path, entries[i]->d_name, why));
        THEN(status,
             levels > 1 ? pack_folder(folder, inner, levels - 1, list, why) : pack_file(folder, inner, list, why));
        free(entries[i]);
    }
    free(entries);
    return status;
}

Status problem_edition_pack(const char *folder, cJSON **files, Message *why)
{
    cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "files");
    Status status = pack_folder(folder, "problems", 2, list, why);
    THEN(status, pack_folder(folder, "testcases", 2, list, why));
    *files = status == STATUS_OK ? object : NULL;
    if (status != STATUS_OK)
        cJSON_Delete(object);
    return status;
}

/* "problems/ID/NAME" or "testcases/ID/NAME", where ID is that of all files and no name begins with a dot. */
static bool is_inside(const char *path, char id[NAME_MAX + 1])
{
    const char *first = strchr(path, '/'), *second = first == NULL ? NULL : strchr(first + 1, '/');
    const size_t length = second == NULL ? 0 : (size_t)(second - first - 1);
    if (length == 0 || length > NAME_MAX || first[1] == '.' || second[1] == '.' || second[1] == '\0' ||
        strchr(second + 1, '/') != NULL)
        return false;
    if (id[0] == '\0')
        snprintf(id, NAME_MAX + 1, "%.*s", (int)length, first + 1);
    return strlen(id) == length && strncmp(id, first + 1, length) == 0 &&
           (strncmp(path, "problems/", strlen("problems/")) == 0 ||
            strncmp(path, "testcases/", strlen("testcases/")) == 0);
}

static bool read_hex(const char *hex, Text *content)
{
    if (strlen(hex) % 2 != 0 || strspn(hex, hexadecimal) != strlen(hex))
        return false;
    text_append(content, "", 0);
    for (; *hex != '\0'; hex += 2) {
        const long high = strchr(hexadecimal, hex[0]) - hexadecimal, low = strchr(hexadecimal, hex[1]) - hexadecimal;
        text_append(content, (const char[]){(char)(16 * high + low)}, 1);
    }
    return true;
}

static Status unpack_file(const JsonFile *files, const cJSON *item, const char *root, char id[NAME_MAX + 1],
                          Message *why)
{
    char path[PATH_MAX], folder[PATH_MAX];
    const char *name = json_string(item, "path"), *hex = json_string(item, "hex");
    Text content = {0};
    if (name == NULL || hex == NULL || !is_inside(name, id) || !read_hex(hex, &content)) {
        text_free(&content);
        return json_fail(files, item, why, "expected a file of a problem");
    }
    Status status = join(path, root, name, why);
    if (status == STATUS_OK) {
        strcpy(folder, path);
        *strrchr(folder, '/') = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            status = fail_errno(why, "%s: cannot be made", folder);
    }
    THEN(status, text_write_file(path, &content, why));
    text_free(&content);
    return status;
}

static Status unpack_files(const JsonFile *files, const char *root, char id[NAME_MAX + 1], Message *why)
{
    char inner[PATH_MAX];
    const cJSON *list = json_get(files->root, "files"), *item;
    const char *const folders[] = {"", "problems", "testcases"};
    Status status = STATUS_OK;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && status == STATUS_OK; i++) {
        status = join(inner, root, folders[i], why);
        if (status == STATUS_OK && mkdir(inner, 0700) != 0)
            status = fail_errno(why, "%s: cannot be made", inner);
    }
    cJSON_ArrayForEach(item, list) if (status == STATUS_OK) status = unpack_file(files, item, root, id, why);
    return status;
}

static Status check_edition(const char *root, const char *id, const char *edition, Message *why)
{
    Problem problem;
    Digest found;
    TRY(problem_read_in(root, id, &problem, why));
    Status status = problem_edition(&problem, &found, why);
    if (status == STATUS_OK && strcmp(found.hex, edition) != 0)
        status = fail(STATUS_BAD_INPUT, why, "%s: these are not the files of edition %.16s", id, edition);
    problem_free(&problem);
    return status;
}

Status problem_edition_unpack(const char *keep, const char *edition, const JsonFile *files, Message *why)
{
    char root[PATH_MAX], place[PATH_MAX], id[NAME_MAX + 1] = "";
    TRY(name_unfinished(root, keep, why));
    TRY(join(place, keep, edition, why));
    remove_tree(root);
    Status status = unpack_files(files, root, id, why);
    THEN(status, check_edition(root, id, edition, why));
    if (status == STATUS_OK && rename(root, place) != 0 && errno != EEXIST && errno != ENOTEMPTY)
        status = fail_errno(why, "%s: cannot be made", place);
    remove_tree(root);
    return status;
}
