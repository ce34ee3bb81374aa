/* site_similar.c - pairs of submissions that have much in common, as `convjudge similar` has found them.
 *
 * Comparing takes compilers and minutes, which a server has not: it shows what lies in STATE/similar/PROBLEM.json
 * (docs/operating.md says who writes it).  */
#include "service/site/site_answers.h"

#include "grader/problem/problem_list.h"
#include "service/site/similar_file.h"
#include "service/store/service_store.h"

#include <math.h>

enum { MOST_PAIRS = 100 };

/* The larger of the two shares; negative: unknown. */
static double share_of(const cJSON *pair, const char *key)
{
    const cJSON *share;
    double most = -1;
    cJSON_ArrayForEach(share, cJSON_GetObjectItemCaseSensitive(pair, key)) if (cJSON_IsNumber(share))
        most = fmax(most, share->valuedouble);
    return most;
}

/* A person, or a file that is nobody's, with where it comes from. `*submission` 0: of no hand-in. */
static const char *name_of(const Visit *visit, const cJSON *program, int64_t *submission)
{
    const char *person = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "person"));
    const char *from = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "from"));
    const char *file = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "file"));
    *submission = similar_submission(visit, program);
    if (person == NULL && from != NULL && file != NULL)
        return arena_printf(visit->arena, "%s: %s", from, file);
    return arena_string(visit->arena, person != NULL ? person : file != NULL ? file : "?");
}

static void add_pairs(const Visit *visit, const char *problem, const cJSON *found, SimilarRow *pairs, size_t *count)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(found, "pairs"))
    {
        SimilarRow *pair = &pairs[*count];
        if (*count == MOST_PAIRS)
            return;
        *pair = (SimilarRow){
            .problem = problem,
            .key = similar_key(visit, item),
            .same_machine_code = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "same_machine_code")),
            .source = share_of(item, "source"),
            .device_code = share_of(item, "device_code")};
        pair->a = name_of(visit, cJSON_GetObjectItemCaseSensitive(item, "a"), &pair->run_a);
        pair->b = name_of(visit, cJSON_GetObjectItemCaseSensitive(item, "b"), &pair->run_b);
        ++*count;
    }
}

Status site_fill_similar(const Visit *visit, TeacherPage *page, Message *why)
{
    const char **problems;
    size_t count;
    time_t oldest = 0;
    SimilarRow *pairs = arena_array(visit->arena, MOST_PAIRS, sizeof *pairs);
    Status status = problem_list(visit->arena, &problems, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        time_t changed = 0;
        cJSON *found = similar_file(visit, problems[i], &changed);
        if (found != NULL && (oldest == 0 || changed < oldest))
            oldest = changed;
        add_pairs(visit, problems[i], found, pairs, &page->similar_count);
        cJSON_Delete(found);
    }
    page->similar = pairs;
    page->similar_time = oldest == 0 ? NULL : arena_string(visit->arena, utc_of((int64_t)oldest).text);
    return status;
}
