/* site_pair.c - one pair of similar sources, side by side, for teachers.
 *
 * The address names the pair by its runs, or by the run and the beginning of the further source's hash, since tomorrow's list has
 * another order.  */
#include "service/site/site_answers.h"

#include "grader/problem/problem_list.h"
#include "service/api/answer.h"
#include "service/pairs/pair_page.h"
#include "service/store/service_store.h"
#include "service/site/similar_file.h"

#include <string.h>

enum { MOST_LINE = 1000000 };

static bool is_problem(const Visit *visit, const char *id)
{
    const char **problems;
    size_t count;
    if (problem_list(visit->arena, &problems, &count, NULL) != STATUS_OK)
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(problems[i], id) == 0)
            return true;
    return false;
}

/* [first, last]; false for anything else. */
static bool read_lines(const cJSON *item, PairLines *lines)
{
    const cJSON *first = cJSON_GetArrayItem(item, 0), *last = cJSON_GetArrayItem(item, 1);
    if (!cJSON_IsNumber(first) || !cJSON_IsNumber(last) || !(first->valuedouble >= 1) ||
        !(last->valuedouble >= first->valuedouble) || !(last->valuedouble <= MOST_LINE))
        return false;
    *lines = (PairLines){first->valueint, last->valueint};
    return true;
}

static void read_parts(const Visit *visit, const cJSON *pair, PairPage *page)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(pair, "parts"), *item;
    PairPart *parts = arena_array(visit->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *parts);
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *lines = cJSON_GetObjectItemCaseSensitive(item, "lines");
        PairPart *part = &parts[page->part_count];
        page->part_count += read_lines(cJSON_GetArrayItem(lines, 0), &part->lines[0]) &&
                            read_lines(cJSON_GetArrayItem(lines, 1), &part->lines[1]);
    }
    page->parts = parts;
}

static double share_at(const cJSON *pair, const char *key, int side)
{
    const cJSON *share = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(pair, key), side);
    return cJSON_IsNumber(share) ? share->valuedouble : 0;
}

static const char *text_of(const Visit *visit, const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text == NULL ? NULL : arena_string(visit->arena, text);
}

static void read_handed_out(const Visit *visit, const cJSON *program, PairSide *side)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(program, "handed_out"), *item;
    PairLines *lines = arena_array(visit->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *lines);
    cJSON_ArrayForEach(item, list)
    {
        side->handed_out_count += read_lines(item, &lines[side->handed_out_count]);
    }
    side->handed_out = lines;
}

/* People's sources are in the database, by their hash; the others are in the file itself. */
static Status read_side(const Visit *visit, const cJSON *found, const cJSON *pair, int index, PairSide *side,
                        Message *why)
{
    const cJSON *program = cJSON_GetObjectItemCaseSensitive(pair, index == 0 ? "a" : "b");
    const char *hash = text_of(visit, program, "source_hash"), *file = text_of(visit, program, "file");
    side->is_persons = text_of(visit, program, "person") != NULL;
    side->name = text_of(visit, program, side->is_persons ? "person" : "from");
    side->file = file == NULL ? "" : file;
    side->name = side->name == NULL ? "?" : side->name;
    side->submission = similar_submission(visit, program);
    side->source_share = share_at(pair, "source", index);
    side->code_share = share_at(pair, "device_code", index);
    read_handed_out(visit, program, side);
    if (hash == NULL)
        return STATUS_OK;
    if (!side->is_persons) {
        side->source = text_of(visit, cJSON_GetObjectItemCaseSensitive(found, "texts"), hash);
        return STATUS_OK;
    }
    return submissions_source(visit->service->store, hash, visit->arena, &side->source, why);
}

static const cJSON *find_pair(const Visit *visit, const cJSON *found, const char *key)
{
    const cJSON *pair;
    cJSON_ArrayForEach(pair, cJSON_GetObjectItemCaseSensitive(found, "pairs"))
    {
        if (key != NULL && strcmp(similar_key(visit, pair), key) == 0)
            return pair;
    }
    return NULL;
}

static Status show(Visit *visit, const cJSON *found, const cJSON *pair, time_t changed, Message *why)
{
    const Site site = site_of(visit);
    PairPage page = {.problem = visit->argument, .time_utc = arena_string(visit->arena, utc_of((int64_t)changed).text)};
    Status status = read_side(visit, found, pair, 0, &page.sides[0], why);
    if (status == STATUS_OK)
        status = read_side(visit, found, pair, 1, &page.sides[1], why);
    if (status != STATUS_OK)
        return status;
    read_parts(visit, pair, &page);
    page.same_source = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(pair, "same_source"));
    page.same_machine_code = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(pair, "same_machine_code"));
    page_pair(&visit->reply->body, &site, &page);
    return STATUS_OK;
}

void site_pair(Visit *visit)
{
    time_t changed = 0;
    Message why;
    cJSON *found = is_problem(visit, visit->argument) ? similar_file(visit, visit->argument, &changed) : NULL;
    const cJSON *pair = find_pair(visit, found, http_query(visit->request, "pair"));
    Status status = pair == NULL ? fail(STATUS_NOT_FOUND, &why, "there is no such pair any more")
                                 : show(visit, found, pair, changed, &why);
    cJSON_Delete(found);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
}
