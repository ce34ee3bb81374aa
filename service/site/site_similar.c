/* site_similar.c - pairs of submissions that have much in common, as `convjudge similar` has found them.
 *
 * Comparing takes compilers and minutes, which a server has not: it shows what lies in STATE/similar/PROBLEM.json
 * (docs/operating.md says who writes it).  */
#include "service/site/site_answers.h"

#include "grader/problem/problem_list.h"
#include "service/store/service_store.h"

#include <math.h>
#include <sys/stat.h>

enum { MOST_BYTES = 1 << 20, MOST_PAIRS = 100 };

/* The larger of the two shares; negative: unknown. */
static double share_of(const cJSON *pair, const char *key)
{
    const cJSON *share;
    double most = -1;
    cJSON_ArrayForEach(share, cJSON_GetObjectItemCaseSensitive(pair, key)) if (cJSON_IsNumber(share))
        most = fmax(most, share->valuedouble);
    return most;
}

/* A person, or a file that is nobody's. `*submission` 0: of no hand-in. */
static const char *name_of(const Visit *visit, const cJSON *program, int64_t *submission)
{
    const cJSON *run = cJSON_GetObjectItemCaseSensitive(program, "run");
    const char *person = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "person"));
    const char *file = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "file"));
    *submission = 0;
    if (cJSON_IsNumber(run) &&
        submissions_of_run(visit->service->store, (int64_t)run->valuedouble, submission, NULL) != STATUS_OK)
        *submission = 0;
    return arena_string(visit->arena, person != NULL ? person : file != NULL ? file : "?");
}

static void add_pairs(const Visit *visit, const char *problem, const cJSON *found, SimilarPair *pairs, size_t *count)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(found, "pairs"))
    {
        SimilarPair *pair = &pairs[*count];
        if (*count == MOST_PAIRS)
            return;
        *pair = (SimilarPair){
            .problem = problem, .source = share_of(item, "source"), .device_code = share_of(item, "device_code")};
        pair->a = name_of(visit, cJSON_GetObjectItemCaseSensitive(item, "a"), &pair->run_a);
        pair->b = name_of(visit, cJSON_GetObjectItemCaseSensitive(item, "b"), &pair->run_b);
        ++*count;
    }
}

/* A file that is missing or no JSON is none. */
static cJSON *read_found(const Visit *visit, const char *problem, time_t *changed)
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

Status site_fill_similar(const Visit *visit, TeacherPage *page, Message *why)
{
    const char **problems;
    size_t count;
    time_t oldest = 0;
    SimilarPair *pairs = arena_array(visit->arena, MOST_PAIRS, sizeof *pairs);
    Status status = problem_list(visit->arena, &problems, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        time_t changed = 0;
        cJSON *found = read_found(visit, problems[i], &changed);
        if (found != NULL && (oldest == 0 || changed < oldest))
            oldest = changed;
        add_pairs(visit, problems[i], found, pairs, &page->similar_count);
        cJSON_Delete(found);
    }
    page->similar = pairs;
    page->similar_time = oldest == 0 ? NULL : arena_string(visit->arena, utc_of((int64_t)oldest).text);
    return status;
}
