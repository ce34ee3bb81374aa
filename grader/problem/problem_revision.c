#include "grader/problem/problem_revision.h"

#include "base/json.h"
#include "base/text.h"

#include <limits.h>
#include <stdio.h>

enum { MAX_TESTCASES_BYTES = 16 << 20, MAX_DATA_BYTES = 1 << 30 };

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

/* Adds a JSON value, so that neither white space nor the notation of a number matters. */
static void hash_json(Hash *hash, const cJSON *item)
{
    const char kind[] = {cJSON_IsObject(item) ? '{' : cJSON_IsArray(item) ? '[' : cJSON_IsString(item) ? '"' : '0'};
    hash_add(hash, kind, 1);
    if (cJSON_IsString(item))
        hash_add_string(hash, item->valuestring);
    else
        hash_add(hash, &item->valuedouble, sizeof item->valuedouble);
    for (const cJSON *child = item->child; child != NULL; child = child->next) {
        if (child->string != NULL)
            hash_add_string(hash, child->string);
        hash_json(hash, child);
    }
    hash_add(hash, "}", 1);
}

/* Adds the contents of a file of test data; nothing if it cannot be read, which testcases_read() says. */
static void hash_data_file(Hash *hash, const char *folder, const char *name)
{
    char path[PATH_MAX];
    Text content = {0};
    if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
        text_read_file(path, MAX_DATA_BYTES, &content, NULL) == STATUS_OK)
        hash_add(hash, content.data, content.length);
    text_free(&content);
}

/* Adds only what is measured, so that names and reasons may be reworded. */
static void hash_timed_case(Hash *hash, const cJSON *item, const char *folder)
{
    static const char *const keys[] = {"timed", "sizes", "inputs"};
    if (json_get(item, "timed") == NULL)
        return;
    for (size_t i = 0; i < LENGTH_OF(keys); i++) {
        hash_add_string(hash, keys[i]);
        if (json_get(item, keys[i]) != NULL)
            hash_json(hash, json_get(item, keys[i]));
    }
    const cJSON *inputs = json_get(item, "inputs");
    for (const cJSON *source = inputs == NULL ? NULL : inputs->child; source != NULL; source = source->next)
        if (cJSON_IsString(json_get(source, "file")))
            hash_data_file(hash, folder, json_get(source, "file")->valuestring);
}

static Status hash_timed_cases(Hash *hash, const char *folder, const char *name, Message *why)
{
    char path[PATH_MAX + 16];
    JsonFile file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    Status status = json_read(path, MAX_TESTCASES_BYTES, &file, why);
    if (status != STATUS_OK)
        return status;
    const cJSON *cases = json_get(file.root, "cases");
    if (cJSON_IsArray(cases)) /* else testcases_read() says what is wrong */
        for (const cJSON *item = cases->child; item != NULL; item = item->next)
            hash_timed_case(hash, item, folder);
    json_free(&file);
    return STATUS_OK;
}

Status problem_revision(const Problem *problem, Digest *revision, Message *why)
{
    Hash hash;
    const double factors[] = {problem->tolerance.sum_factor, problem->tolerance.max_factor, problem->tolerance.rms};
    hash_begin(&hash);
    for (size_t i = 0; i < problem->parameter_count; i++) {
        hash_add_string(&hash, problem->parameters[i].c_type);
        hash_add_string(&hash, problem->parameters[i].name);
    }
    hash_add(&hash, factors, sizeof factors);
    if (problem->parameters[problem_output(problem)].type == ELEMENT_UINT8)
        hash_add(&hash, &problem->tolerance.levels, sizeof problem->tolerance.levels);
    Status status = hash_timed_cases(&hash, problem->testcases, "sample.json", why);
    if (status == STATUS_OK)
        status = hash_timed_cases(&hash, problem->testcases, "hidden.json", why);
    *revision = hash_end(&hash);
    return status;
}
