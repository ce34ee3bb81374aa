/* pair_page.c - one pair of similar sources, side by side, for teachers.
 *
 * The address names the pair by its runs, or by the run and the beginning of the further source's hash, since tomorrow's list has
 * another order. Lines that the teacher handed out are left out, and so do not count as common.  */
#include "base/html.h"
#include "grader/problem/problem.h"
#include "service/store/service_store.h"
#include "service/store/view.h"
#include "service/web/answer.h"
#include "service/web/site_answers.h"
#include "service/web/template.h"

#include <inttypes.h>
#include <string.h>

/* ==== pair page =================================================================================================== */

/* A page stays below 300 KB or so. */
enum { COLOURS = 6, MOST_LINES = 1500, MOST_BYTES = 100000, MOST_LINE = 1000000 };

typedef struct PairLines {
    int first, last; /* from 1; 0: none */
} PairLines;

static const char *const letters[] = {"a", "b"};

/* [first, last]; {0, 0} for anything else. */
static PairLines read_lines(const cJSON *item)
{
    const cJSON *first = cJSON_GetArrayItem(item, 0), *last = cJSON_GetArrayItem(item, 1);
    if (!cJSON_IsNumber(first) || !cJSON_IsNumber(last) || !(first->valuedouble >= 1) ||
        !(last->valuedouble >= first->valuedouble) || !(last->valuedouble <= MOST_LINE))
        return (PairLines){0, 0};
    return (PairLines){first->valueint, last->valueint};
}

static void put_lines(cJSON *object, const char *key, PairLines lines)
{
    values_put(cJSON_AddObjectToObject(object, key), "first=%d last=%d is_one=%d", lines.first, lines.last,
               lines.first == lines.last);
}

static void put_parts(cJSON *page, const cJSON *pair)
{
    cJSON *parts = cJSON_AddArrayToObject(page, "parts");
    const cJSON *item;
    cJSON_ArrayForEach(item, view_item(pair, "parts"))
    {
        const cJSON *lines = view_item(item, "lines");
        const PairLines a = read_lines(cJSON_GetArrayItem(lines, 0)), b = read_lines(cJSON_GetArrayItem(lines, 1));
        if (a.first == 0 || b.first == 0)
            continue;
        cJSON *part = values_row(parts);
        put_lines(part, letters[0], a);
        put_lines(part, letters[1], b);
    }
}

/* The first part with this line, and its number from 1; NULL: none. */
static const cJSON *part_at(const cJSON *parts, int side, int line, int *number)
{
    const cJSON *part;
    *number = 0;
    cJSON_ArrayForEach(part, parts)
    {
        const cJSON *lines = view_item(part, letters[side]);
        ++*number;
        if (view_number(lines, "first") <= line && line <= view_number(lines, "last"))
            return part;
    }
    *number = 0;
    return NULL;
}

/* The range that the teacher handed out, of which this is a line; {0, 0}: none. */
static PairLines handed_out_at(const cJSON *program, int line)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, view_item(program, "handed_out"))
    {
        const PairLines lines = read_lines(item);
        if (lines.first != 0 && lines.first <= line && line <= lines.last)
            return lines;
    }
    return (PairLines){0, 0};
}

/* The number of the part; on its first line it leads to the other side. */
static void put_line(cJSON *row, const cJSON *parts, int side, int line, const char *text, size_t length,
                     bool *in_comment)
{
    int number;
    const cJSON *part = part_at(parts, side, line, &number);
    values_put(row, "letter=%s line=%d part=%d colour=%d", letters[side], line, number,
               (number + COLOURS - 1) % COLOURS + 1);
    put_source_line(row, text, length, in_comment);
    if (view_number(view_item(part, letters[side]), "first") != line)
        return;
    cJSON *other = cJSON_Duplicate(view_item(part, letters[!side]), true);
    values_put(other, "letter=%s part=%d", letters[!side], number);
    cJSON_AddItemToObject(row, "other", other);
}

static void put_source(cJSON *side, const cJSON *program, const cJSON *parts, int index, const char *source)
{
    cJSON *lines = cJSON_AddArrayToObject(side, "lines");
    const char *at = source;
    bool in_comment = false;
    int line = 0;
    while (*at != '\0' && line < MOST_LINES && at - source < MOST_BYTES) {
        const size_t length = strcspn(at, "\n"), room = (size_t)(MOST_BYTES - (at - source));
        const PairLines left_out = handed_out_at(program, ++line);
        if (left_out.first == 0)
            put_line(values_row(lines), parts, index, line, at, length < room ? length : room, &in_comment);
        else
            html_source(NULL, at, length, &in_comment);
        if (left_out.first == line)
            put_lines(values_row(lines), "handed_out", left_out);
        at += length + (at[length] == '\n');
    }
    values_put(side, "is_cut=%d", *at != '\0');
}

static double share_at(const cJSON *pair, const char *key, int side)
{
    const cJSON *share = cJSON_GetArrayItem(view_item(pair, key), side);
    return cJSON_IsNumber(share) ? share->valuedouble : 0;
}

cJSON *pair_values(const cJSON *pair, const PairSource sources[2])
{
    cJSON *page = cJSON_CreateObject(), *sides = cJSON_AddArrayToObject(page, "sides");
    put_parts(page, pair);
    for (int i = 0; i < 2; i++) {
        const cJSON *program = view_item(pair, letters[i]);
        cJSON *side = values_row(sides);
        const bool is_persons = view_item(program, "person") != NULL;
        const char *name = view_text(program, is_persons ? "person" : "from");
        values_put(side, "letter=%s name=%s file=%s is_persons=%d submission=%" PRId64, letters[i],
                   *name == '\0' ? "?" : name, view_text(program, "file"), is_persons, sources[i].submission);
        values_put(side, "source_share=%g code_share=%g has_source=%d", share_at(pair, "source", i),
                   share_at(pair, "device_code", i), sources[i].source != NULL);
        if (sources[i].source != NULL)
            put_source(side, program, view_item(page, "parts"), i, sources[i].source);
    }
    values_put(page, "same_source=%d same_machine_code=%d", view_true(pair, "same_source"),
               view_true(pair, "same_machine_code"));
    return page;
}

/* ==== site pair =================================================================================================== */

static bool is_problem(const Visit *visit, const char *id)
{
    const char **problems;
    size_t count;
    return problem_list(visit->arena, &problems, &count, NULL) == STATUS_OK && text_is_among(id, problems, count);
}

/* People's sources are in the database, by their hash; the others are in the file itself. */
static Status read_source(const Visit *visit, const cJSON *found, const cJSON *program, PairSource *side, Message *why)
{
    const char *hash = view_text(program, "source_hash");
    side->submission = similar_submission(visit, program);
    if (view_item(program, "person") != NULL && *hash != '\0')
        return submissions_source(visit->service->store, hash, visit->arena, &side->source, why);
    side->source = cJSON_GetStringValue(view_item(view_item(found, "texts"), hash));
    return STATUS_OK;
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

void site_pair(Visit *visit)
{
    time_t changed = 0;
    Message why;
    PairSource sources[2] = {{0}};
    cJSON *found = is_problem(visit, visit->argument) ? similar_file(visit, visit->argument, &changed) : NULL,
          *page = NULL;
    const cJSON *pair = find_pair(visit, found, http_query(visit->request, "pair"));
    Status status = pair == NULL ? fail(STATUS_NOT_FOUND, &why, "there is no such pair any more")
                                 : read_source(visit, found, view_item(pair, "a"), &sources[0], &why);
    THEN(status, read_source(visit, found, view_item(pair, "b"), &sources[1], &why));
    if (status == STATUS_OK) {
        page = pair_values(pair, sources);
        values_put(page, "problem=%s time_utc=%s", visit->argument, utc_of((int64_t)changed).text);
    }
    site_answer(visit, status, &why, "pair", page);
    cJSON_Delete(found);
}
