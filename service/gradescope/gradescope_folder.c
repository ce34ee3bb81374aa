#include "service/gradescope/gradescope_folder.h"

#include "base/json.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* It holds the results of all earlier submissions. */
enum { METADATA_BYTES = 64 * 1024 * 1024 };

Status gradescope_person_parse(const char *name, GradescopePerson *by, Message *why)
{
    static const char *const names[] = {"email", "login", "name"};
    *by = PERSON_BY_EMAIL;
    for (int i = PERSON_BY_EMAIL; i <= PERSON_BY_NAME; i++)
        if (name == NULL || strcmp(name, names[i]) == 0) {
            *by = (GradescopePerson)i;
            return STATUS_OK;
        }
    return fail(STATUS_BAD_INPUT, why, "gradescope: option '--person': expected email, login or name, found '%s'",
                name);
}

void gradescope_folder_places(const char *path, GradescopeFolder *folder)
{
    *folder = (GradescopeFolder){0};
    snprintf(folder->results, sizeof folder->results, "%s/results/results.json", path);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static bool is_cuda(const char *name)
{
    const char *end = strrchr(name, '.');
    return name[0] != '.' && end != NULL && strcmp(end, ".cu") == 0;
}

/* Students hand in beside it what they like: a report, notes. */
Status gradescope_find_file(const char *path, GradescopeFolder *folder, Message *why)
{
    char place[4500];
    int count = 0;
    snprintf(place, sizeof place, "%s/submission", path);
    DIR *list = opendir(place);
    if (list == NULL)
        return fail_errno(why, "%s: cannot be listed", place);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        if (is_cuda(entry->d_name)) {
            snprintf(folder->file, sizeof folder->file, "%s/%s", place, entry->d_name);
            count++;
        }
    closedir(list);
    if (count == 1)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "expected one file that ends in .cu, found %d", count);
}

/* ---- whose it is ------------------------------------------------------------------------------------------------- */

static Status take_person(const JsonFile *file, const cJSON *user, GradescopePerson by, GradescopeFolder *folder,
                          Message *why)
{
    const char *key = by == PERSON_BY_NAME ? "name" : "email";
    const char *text = user == NULL ? NULL : json_string(user, key);
    if (text == NULL || text[0] == '\0')
        return json_fail(file, user, why, "expected \"users\", each with \"%s\"", key);
    snprintf(folder->person, sizeof folder->person, "%.*s",
             (int)(by == PERSON_BY_LOGIN ? strcspn(text, "@") : strlen(text)), text);
    return STATUS_OK;
}

Status gradescope_find_person(const char *path, GradescopePerson by, GradescopeFolder *folder, Message *why)
{
    char place[4500];
    int64_t number = 0;
    JsonFile file;
    snprintf(place, sizeof place, "%s/submission_metadata.json", path);
    Status status = json_read(place, METADATA_BYTES, &file, why);
    if (status != STATUS_OK)
        return status;
    const cJSON *users = json_get(file.root, "users");
    status = json_integer(&file, file.root, "id", 1, INT64_C(1) << 53, &number, why);
    if (status == STATUS_OK)
        status = take_person(&file, cJSON_IsArray(users) ? users->child : NULL, by, folder, why);
    if (status == STATUS_OK && number > 0)
        snprintf(folder->key, sizeof folder->key, "gradescope%lld", (long long)number);
    json_free(&file);
    return status;
}
