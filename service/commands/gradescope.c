/* What a kit for Gradescope runs in its container: hands the student's file in for him, waits, and writes results/results.json,
 * whatever comes of it. All else is as with `submit --wait`. */

#include "base/json.h"
#include "grader/report/exchange.h"
#include "service/commands/command_line.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* The student's name at the judge: the whole e-mail address, the part before its '@', or the name. */
typedef enum GradescopePerson { PERSON_BY_EMAIL, PERSON_BY_LOGIN, PERSON_BY_NAME } GradescopePerson;

typedef struct GradescopeFolder {
    char file[5000];    /* the one CUDA file */
    char results[5000]; /* results/results.json */
    char person[200];
    char key[65]; /* the same each time this submission is graded: it stays one submission of the judge's */
} GradescopeFolder;

/* ==== gradescope folder =========================================================================================== */

/* What Gradescope lays out for an autograder: the submission, whose it is, and where the results go.
 *
 *     submission/                  the student's files
 *     submission_metadata.json     the number of the submission there, and its users
 *     results/results.json         what the autograder writes
 *
 * Source   gradescope-autograders.readthedocs.io, "Autograder Specifications", "Submission Metadata". More keys may come. */

/* It holds the results of all earlier submissions. */
enum { METADATA_BYTES = 64 * 1024 * 1024 };

/* "email", "login" or "name"; NULL is "email". */
static MUST_USE Status gradescope_person_parse(const char *name, GradescopePerson *by, Message *why)
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

/* Where results go is known even where the rest cannot be read. The first of several users counts: those of a group.
 * BAD_INPUT: the student has to change something. */
static void gradescope_folder_places(const char *path, GradescopeFolder *folder)
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
static MUST_USE Status gradescope_find_file(const char *path, GradescopeFolder *folder, Message *why)
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

static MUST_USE Status gradescope_find_person(const char *path, GradescopePerson by, GradescopeFolder *folder,
                                              Message *why)
{
    char place[4500];
    int64_t number = 0;
    JsonFile file;
    snprintf(place, sizeof place, "%s/submission_metadata.json", path);
    TRY(json_read(place, METADATA_BYTES, &file, why));
    const cJSON *users = json_get(file.root, "users");
    Status status = json_integer(&file, file.root, "id", 1, INT64_C(1) << 53, &number, why);
    THEN(status, take_person(&file, cJSON_IsArray(users) ? users->child : NULL, by, folder, why));
    if (status == STATUS_OK && number > 0)
        snprintf(folder->key, sizeof folder->key, "gradescope%lld", (long long)number);
    json_free(&file);
    return status;
}

/* ==== command gradescope ========================================================================================== */

static const char DEFAULT_FOLDER[] = "/autograder";

static Status check_options(const Options *options, GradescopePerson *by, Message *why)
{
    if (options->operand_count > 1)
        return fail(STATUS_BAD_INPUT, why, "gradescope: expected one FOLDER at most, found %d", options->operand_count);
    return gradescope_person_parse(options->by, by, why);
}

static Status find_all(const char *path, GradescopePerson by, GradescopeFolder *folder, ExchangeFailure *failure)
{
    failure->fault = FAULT_OF_FILE;
    TRY(gradescope_find_file(path, folder, &failure->reason));
    failure->fault = FAULT_OF_JUDGE;
    return gradescope_find_person(path, by, folder, &failure->reason);
}

Status command_gradescope(const Options *options, int *exit_status, Message *why)
{
    const char *path = options->operand_count == 1 ? options->operands[0] : DEFAULT_FOLDER;
    GradescopeFolder folder;
    GradescopePerson by;
    ExchangeFailure failure = {0};
    TRY(check_options(options, &by, why));
    gradescope_folder_places(path, &folder);
    const ExchangeFiles files = {.gradescope = folder.results};
    TRY(exchange_check(&files, "", why));
    failure.status = find_all(path, by, &folder, &failure);
    if (failure.status != STATUS_OK)
        return exchange_fail(&files, &failure, why);
    char *file = folder.file;
    const Options submit = {.subcommand = "submit",
                            .problem = options->problem,
                            .person = folder.person,
                            .server = options->server,
                            .key = folder.key[0] == '\0' ? NULL : folder.key,
                            .wait = true,
                            .minutes = options->minutes,
                            .gradescope = folder.results,
                            .operands = &file,
                            .operand_count = 1};
    return command_submit(&submit, exit_status, why);
}
