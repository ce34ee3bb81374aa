#include "service/site/similar_file.h"

#include "service/store/submissions.h"

#include <sys/stat.h>

enum { MOST_BYTES = 64 << 20, HASH_DIGITS = 16 };

/* A file that is missing or no JSON is none. */
cJSON *similar_file(const Visit *visit, const char *problem, time_t *changed)
{
    const char *path = arena_printf(visit->arena, "%s/similar/%s.json", visit->service->config->state, problem);
    struct stat file;
    Text text = {0};
    cJSON *found = NULL;
    if (stat(path, &file) == 0 && text_read_file(path, MOST_BYTES, &text, NULL) == STATUS_OK && text.length > 0) {
        found = cJSON_Parse(text.data);
        *changed = file.st_mtime;
    }
    text_free(&text);
    return found;
}

int64_t similar_submission(const Visit *visit, const cJSON *program)
{
    const cJSON *run = cJSON_GetObjectItemCaseSensitive(program, "run");
    int64_t submission = 0;
    if (!cJSON_IsNumber(run) || !(run->valuedouble >= 1 && run->valuedouble < 1e15) ||
        submissions_of_run(visit->service->store, (int64_t)run->valuedouble, &submission, NULL) != STATUS_OK)
        return 0;
    return submission;
}

/* The run of a person's program, or the beginning of the hash of another one. */
static void add_name(Text *key, const cJSON *program)
{
    const cJSON *run = cJSON_GetObjectItemCaseSensitive(program, "run");
    const char *hash = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "source_hash"));
    if (cJSON_IsNumber(run))
        text_printf(key, "%.0f", run->valuedouble);
    else if (hash != NULL)
        text_printf(key, "%.*s", HASH_DIGITS, hash);
}

const char *similar_key(const Visit *visit, const cJSON *pair)
{
    Text key = {0};
    add_name(&key, cJSON_GetObjectItemCaseSensitive(pair, "a"));
    text_add(&key, "-");
    add_name(&key, cJSON_GetObjectItemCaseSensitive(pair, "b"));
    const char *name = arena_string(visit->arena, key.length < 3 ? "" : key.data);
    text_free(&key);
    return name;
}
