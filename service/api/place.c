#include "service/api/place.h"

#include "base/json.h"
#include "grader/report/report_place.h"
#include "grader/result/result_json.h"
#include "leaderboard/standing.h"
#include "service/api/class_rules.h"
#include "service/api/submission_json.h"

#include <string.h>

/* ---- on the board ------------------------------------------------------------------------------------------------ */

/* Of a run that ranks, that of all runs of its code by its author. */
static MeasuredTime time_that_counts(const StoredSubmission *row, const StoredRun *runs, size_t count)
{
    MeasuredTime pooled;
    for (size_t i = 0; i < count; i++)
        if (runs[i].id == row->run && pooled_time(runs, count, row->person, runs[i].machine_code, &pooled))
            return pooled;
    return row->time;
}

static Status find_place(const Visit *visit, const StoredSubmission *row, ClassPlace *place, Message *why)
{
    const Board board = {
        .problem = row->problem, .revision = row->revision, .device = row->device, .epoch = row->epoch};
    StoredRun *runs;
    size_t run_count, person_count, count = 0;
    Status status = store_runs(visit->service->store, &board, visit->arena, &runs, &run_count, why);
    if (status != STATUS_OK)
        return status;
    const Standing *standings = standings_of(runs, run_count, visit->arena, &person_count);
    MeasuredTime *others = arena_array(visit->arena, person_count, sizeof *others);
    for (size_t i = 0; i < person_count; i++)
        if (strcmp(standings[i].person, row->person) != 0)
            others[count++] = standings[i].time;
    *place = (ClassPlace){
        .has_time = row->time.ms > 0, .rank_status = submission_rank_words(row), .person = row->person};
    if (place->has_time)
        place->percentile = percentile_among(time_that_counts(row, runs, run_count), others, count);
    if (strcmp(row->rank_state, "ranked") == 0)
        place->rank = 1 + place->percentile.faster;
    return STATUS_OK;
}

/* ---- result.json ------------------------------------------------------------------------------------------------- */

void place_take_out(cJSON *result)
{
    cJSON_DeleteItemFromObjectCaseSensitive(result, "rank");
    cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(result, "percentile"), "class");
}

static void put_into_result(cJSON *result, const ClassPlace *place)
{
    cJSON *percentile = cJSON_GetObjectItemCaseSensitive(result, "percentile");
    cJSON_DeleteItemFromObjectCaseSensitive(result, "rank_status");
    cJSON_AddStringToObject(result, "rank_status", place->rank_status);
    if (place->rank > 0)
        cJSON_AddNumberToObject(result, "rank", (double)place->rank);
    if (place->has_time && percentile != NULL)
        cJSON_AddItemToObject(percentile, "class", result_percentile_json(&place->percentile));
}

static const char *result_with(const char *text, const ClassPlace *place, Arena *arena)
{
    Text printed = {0};
    cJSON *result = cJSON_Parse(text);
    place_take_out(result);
    if (place != NULL && result != NULL)
        put_into_result(result, place);
    json_keep_digits(result);
    json_print(result, &printed);
    cJSON_Delete(result);
    const char *copy = arena_copy(arena, printed.data == NULL ? "" : printed.data, printed.length);
    text_free(&printed);
    return copy;
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

/* Whether this is a line of grader/report that tells of the class. */
static bool is_of_class(const char *line)
{
    static const char *const heads[] = {"  class ", "  rank "};
    return strncmp(line, heads[0], strlen(heads[0])) == 0 || strncmp(line, heads[1], strlen(heads[1])) == 0;
}

static const char *report_with(const char *text, const ClassPlace *place, Arena *arena)
{
    Text out = {0};
    for (const char *line = text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        const size_t length = end == NULL ? strlen(line) : (size_t)(end - line) + 1;
        if (!is_of_class(line))
            text_append(&out, line, length);
        else if (place != NULL) {
            report_add_class_place(place, &out);
            place = NULL;
        }
        line += length;
    }
    const char *copy = arena_copy(arena, out.data == NULL ? "" : out.data, out.length);
    text_free(&out);
    return copy;
}

Status place_document(const Visit *visit, const StoredSubmission *row, const char *kind, const char *text,
                      const char **shown, Message *why)
{
    ClassPlace place;
    const bool is_hidden = class_hides_board_from(visit, row->problem);
    const bool is_result = strcmp(kind, "result") == 0;
    *shown = text;
    if ((!is_result && strcmp(kind, "report") != 0) || (row->run == 0 && !is_hidden))
        return STATUS_OK;
    Status status = is_hidden ? STATUS_OK : find_place(visit, row, &place, why);
    const ClassPlace *counted = is_hidden ? NULL : &place;
    if (status == STATUS_OK)
        *shown = is_result ? result_with(text, counted, visit->arena) : report_with(text, counted, visit->arena);
    return status;
}
