#include "service/scores/judged_fact.h"

#include "base/json.h"
#include "leaderboard/percentile.h"

#include <stdlib.h>
#include <string.h>

static double number_of(const cJSON *object, const char *key, double otherwise)
{
    const cJSON *item = json_get(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

/* ---- cases -------------------------------------------------------------------------------------------------------- */

static const char HIDDEN[] = "hidden ";

static bool is_hidden(const cJSON *item, const char *name)
{
    return strncmp(name, HIDDEN, strlen(HIDDEN)) == 0 && json_get(item, "sizes") == NULL;
}

/* result.json calls a hidden case by its number. */
static const char *name_of(const cJSON *item, const char *name, const CaseNames *names)
{
    const long number = is_hidden(item, name) ? strtol(name + strlen(HIDDEN), NULL, 10) : 0;
    return number >= 1 && (size_t)number <= names->hidden_count ? names->hidden[number - 1] : name;
}

static void take_cases(SubmissionFact *fact, const cJSON *list, const CaseNames *names, Arena *arena)
{
    CaseFact *cases = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof *cases);
    const cJSON *item;
    fact->cases = cases;
    cJSON_ArrayForEach(item, list)
    {
        const char *name = json_string(item, "name"), *verdict = json_string(item, "verdict");
        if (name == NULL || verdict == NULL || cJSON_IsTrue(json_get(item, "timed")))
            continue;
        cases[fact->case_count++] = (CaseFact){
            .name = arena_string(arena, name_of(item, name, names)),
            .is_hidden = is_hidden(item, name),
            .verdict = strcmp(verdict, "not run") == 0 ? "" : arena_string(arena, verdict),
        };
    }
}

/* ---- speed -------------------------------------------------------------------------------------------------------- */

static MeasuredTime time_of(const cJSON *object)
{
    return (MeasuredTime){number_of(object, "score_ms", 0), number_of(object, "uncertainty", 0)};
}

/* Reached is what is not faster by more than both uncertainties. */
static void take_rungs(SubmissionFact *fact, const cJSON *root, Arena *arena)
{
    const cJSON *list = json_get(root, "references"), *item;
    const MeasuredTime mine = time_of(root);
    fact->rungs_reached = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof *fact->rungs_reached);
    cJSON_ArrayForEach(item, list)
    {
        const char *name = json_string(item, "name");
        const MeasuredTime reference = time_of(item);
        if (name == NULL || !(reference.ms > 0) || !(mine.ms > 0))
            continue;
        fact->rungs_known = true;
        if (!time_is_faster(reference, mine))
            fact->rungs_reached[fact->rung_count++] = arena_string(arena, name);
    }
}

static void take_speed(SubmissionFact *fact, const cJSON *root, Arena *arena)
{
    const cJSON *percentile = json_get(root, "percentile");
    fact->time_ms = number_of(root, "score_ms", 0);
    fact->roofline = number_of(root, "roofline", -1);
    fact->percentile = percentile == NULL ? -1 : number_of(json_get(percentile, "references"), "value", -1);
    take_rungs(fact, root, arena);
}

/* In place of those of result.json. */
static void take_all_cases(SubmissionFact *fact, const cJSON *list, Arena *arena)
{
    CaseFact *cases = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof *cases);
    const cJSON *item;
    fact->cases = cases;
    fact->case_count = 0;
    fact->has_all_cases = true;
    cJSON_ArrayForEach(item, list)
    {
        const char *name = json_string(item, "name"), *verdict = json_string(item, "verdict");
        if (name != NULL && verdict != NULL)
            cases[fact->case_count++] = (CaseFact){
                .name = arena_string(arena, name),
                .is_hidden = cJSON_IsTrue(json_get(item, "hidden")),
                .verdict = strcmp(verdict, "not run") == 0 ? "" : arena_string(arena, verdict),
            };
    }
}

void judged_fact_fill(SubmissionFact *fact, const char *result, const char *verdicts, const CaseNames *names,
                      Arena *arena)
{
    JsonFile file;
    Message ignored;
    if (result == NULL || json_parse("result.json", result, strlen(result), &file, &ignored) != STATUS_OK)
        return;
    take_cases(fact, json_get(file.root, "cases"), names, arena);
    take_speed(fact, file.root, arena);
    json_free(&file);
    if (verdicts == NULL || json_parse("verdicts", verdicts, strlen(verdicts), &file, &ignored) != STATUS_OK)
        return;
    take_all_cases(fact, json_get(file.root, "cases"), arena);
    json_free(&file);
}
