#include "service/class/class_problem_read.h"

#include "base/suggestion.h"
#include "grader/problem/problem_read.h"
#include "grader/problem/testcase_read.h"
#include "grader/ranking/ladder.h"

#include <string.h>

enum { MAX_POINTS = 1000000 };

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

/* ---- groups of cases --------------------------------------------------------------------------------------------- */

static bool group_lists(const ClassCaseGroup *group, const char *name)
{
    for (size_t i = 0; i < group->case_count; i++)
        if (strcmp(group->cases[i], name) == 0)
            return true;
    return false;
}

static Status add_case(const ClassReading *reading, const cJSON *item, const char *name, ClassCaseGroup *group)
{
    if (group_lists(group, name))
        return json_fail(reading->file, item, reading->why, "case \"%s\" is listed twice in group \"%s\"", name,
                         group->name);
    group->cases[group->case_count++] = arena_string(&reading->class->arena, name);
    return STATUS_OK;
}

static Status add_all(const ClassReading *reading, const cJSON *item, const TestcaseSet *set, CaseGroup kind,
                      ClassCaseGroup *group)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < set->count && status == STATUS_OK; i++)
        if (set->cases[i].group == kind)
            status = add_case(reading, item, set->cases[i].name, group);
    return status;
}

static Status refuse_case(const ClassReading *reading, const cJSON *item, const TestcaseSet *set)
{
    Text names = {0};
    text_add(&names, "samples, hidden");
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i].group != CASE_TIMED)
            text_printf(&names, ", %s", set->cases[i].name);
    Status status = json_fail(reading->file, item, reading->why, "no case is called \"%s\"; %sexpected one of: %s",
                              item->valuestring, suggestion_for(item->valuestring, names.data).text, names.data);
    text_free(&names);
    return status;
}

static Status read_case(const ClassReading *reading, const cJSON *item, const TestcaseSet *set, ClassCaseGroup *group)
{
    size_t untimed = 0, timed = 0;
    if (!cJSON_IsString(item))
        return json_fail(reading->file, item, reading->why, "expected a list of names of cases");
    if (strcmp(item->valuestring, "samples") == 0)
        return add_all(reading, item, set, CASE_SAMPLE, group);
    if (strcmp(item->valuestring, "hidden") == 0)
        return add_all(reading, item, set, CASE_HIDDEN, group);
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->cases[i].name, item->valuestring) == 0)
            *(set->cases[i].group == CASE_TIMED ? &timed : &untimed) += 1;
    if (untimed == 0 && timed > 0)
        return json_fail(reading->file, item, reading->why,
                         "\"%s\" is a timed case, expected a sample or a hidden one: timed cases are judged only where "
                         "all others are accepted",
                         item->valuestring);
    if (untimed == 0)
        return refuse_case(reading, item, set);
    if (untimed > 1)
        return json_fail(reading->file, item, reading->why, "the problem has %zu cases called \"%s\", expected one",
                         untimed, item->valuestring);
    return add_case(reading, item, item->valuestring, group);
}

static Status read_case_group(const ClassReading *reading, const cJSON *item, const TestcaseSet *set,
                              ClassProblem *problem)
{
    static const JsonKey keys[] = {
        {"name", JSON_STRING, true}, {"cases", JSON_ARRAY, true}, {"points", JSON_NUMBER, true}};
    ClassCaseGroup *group = &problem->groups[problem->group_count];
    const cJSON *list = json_get(item, "cases");
    Status status = json_check(reading->file, item, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = class_read_name(reading, json_get(item, "name"), &group->name);
    for (size_t i = 0; i < problem->group_count && status == STATUS_OK; i++)
        if (strcmp(problem->groups[i].name, group->name) == 0)
            return json_fail(reading->file, json_get(item, "name"), reading->why, "there are two groups \"%s\"",
                             group->name);
    if (status == STATUS_OK)
        status = json_number(reading->file, item, "points", 0, MAX_POINTS, &group->points, reading->why);
    if (status == STATUS_OK && list->child == NULL)
        return json_fail(reading->file, list, reading->why, "expected at least one case");
    if (status == STATUS_OK)
        group->cases = arena_array(&reading->class->arena, set->count, sizeof *group->cases);
    if (status == STATUS_OK)
        problem->group_count++;
    for (const cJSON *name = status == STATUS_OK ? list->child : NULL; name != NULL && status == STATUS_OK;
         name = name->next)
        status = read_case(reading, name, set, group);
    return status;
}

static Status read_case_groups(const ClassReading *reading, const cJSON *list, const TestcaseSet *set,
                               ClassProblem *problem)
{
    Status status = STATUS_OK;
    if (list == NULL)
        return STATUS_OK;
    problem->groups = arena_array(&reading->class->arena, (size_t)cJSON_GetArraySize(list), sizeof *problem->groups);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = read_case_group(reading, item, set, problem);
    return status;
}

/* ---- speed ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double most; /* of at_least */
} measures[] = {
    [MEASURE_ROOFLINE] = {"roofline", 1}, [MEASURE_RUNG] = {"rung", 0}, [MEASURE_PERCENTILE] = {"percentile", 100}};

static Status read_rung(const ClassReading *reading, const cJSON *rung, const Problem *found, ClassProblem *problem,
                        ClassBand *band)
{
    Ladder ladder;
    Text names = {0};
    Status status = ladder_read(found, &ladder, reading->why);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < ladder.count && band->rung == NULL; i++) {
        const char *name = ladder.rungs[i].time.name;
        const size_t length = strlen(name) - strlen(".cu");
        if (strcmp(name, rung->valuestring) == 0 ||
            (strlen(rung->valuestring) == length && strncmp(name, rung->valuestring, length) == 0))
            band->rung = arena_string(&reading->class->arena, name);
        text_printf(&names, "%s%s", i > 0 ? ", " : "", name);
    }
    const char *known = names.data == NULL ? "none" : names.data;
    if (band->rung == NULL)
        status = json_fail(reading->file, rung, reading->why,
                           "%s has no reference solution \"%s\"; %sexpected one of: %s", problem->problem,
                           rung->valuestring, suggestion_for(rung->valuestring, known).text, known);
    for (size_t i = 0; i < problem->band_count && status == STATUS_OK; i++)
        if (strcmp(problem->bands[i].rung, band->rung) == 0)
            status = json_fail(reading->file, rung, reading->why, "\"%s\" is listed twice", band->rung);
    text_free(&names);
    ladder_free(&ladder);
    return status;
}

static Status read_band(const ClassReading *reading, const cJSON *item, const Problem *found, ClassProblem *problem)
{
    static const JsonKey number_keys[] = {{"at_least", JSON_NUMBER, true}, {"points", JSON_NUMBER, true}};
    static const JsonKey rung_keys[] = {{"rung", JSON_STRING, true}, {"points", JSON_NUMBER, true}};
    const bool is_rung = problem->measure == MEASURE_RUNG;
    ClassBand band = {0};
    const ClassBand *before = problem->band_count == 0 ? NULL : &problem->bands[problem->band_count - 1];
    Status status = json_check(reading->file, item, is_rung ? rung_keys : number_keys, LENGTH_OF(rung_keys),
                               reading->why);
    if (status == STATUS_OK)
        status = json_number(reading->file, item, "points", 0, MAX_POINTS, &band.points, reading->why);
    if (status == STATUS_OK && is_rung)
        status = read_rung(reading, json_get(item, "rung"), found, problem, &band);
    if (status == STATUS_OK && !is_rung)
        status = json_number(reading->file, item, "at_least", 0, measures[problem->measure].most, &band.at_least,
                             reading->why);
    if (status != STATUS_OK)
        return status;
    if (before != NULL && band.points <= before->points)
        return json_fail(reading->file, json_get(item, "points"), reading->why,
                         "expected more points than in the band before (%.15g), found %.15g", before->points,
                         band.points);
    if (before != NULL && !is_rung && band.at_least <= before->at_least)
        return json_fail(reading->file, json_get(item, "at_least"), reading->why,
                         "expected more than in the band before (%.15g), found %.15g", before->at_least, band.at_least);
    problem->bands[problem->band_count++] = band;
    return STATUS_OK;
}

static Status read_measure(const ClassReading *reading, const cJSON *item, ClassMeasure *measure)
{
    for (size_t i = MEASURE_ROOFLINE; i < LENGTH_OF(measures); i++)
        if (strcmp(measures[i].name, item->valuestring) == 0)
            *measure = (ClassMeasure)i;
    return *measure != MEASURE_NONE
               ? STATUS_OK
               : json_fail(reading->file, item, reading->why,
                           "expected \"roofline\", \"rung\" or \"percentile\", found \"%s\"", item->valuestring);
}

static Status read_speed(const ClassReading *reading, const cJSON *object, const Problem *found, ClassProblem *problem)
{
    static const JsonKey keys[] = {{"measure", JSON_STRING, true}, {"bands", JSON_ARRAY, true}};
    const cJSON *list = json_get(object, "bands");
    if (object == NULL)
        return STATUS_OK;
    Status status = json_check(reading->file, object, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = read_measure(reading, json_get(object, "measure"), &problem->measure);
    if (status != STATUS_OK)
        return status;
    if (list->child == NULL)
        return json_fail(reading->file, list, reading->why, "expected at least one band");
    problem->bands = arena_array(&reading->class->arena, (size_t)cJSON_GetArraySize(list), sizeof *problem->bands);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = read_band(reading, item, found, problem);
    return status;
}

/* ---- the problem ------------------------------------------------------------------------------------------------- */

static Status read_points(const ClassReading *reading, const cJSON *object, const Problem *found,
                          const TestcaseSet *set, ClassProblem *problem)
{
    static const JsonKey keys[] = {
        {"accepted", JSON_NUMBER, false}, {"cases", JSON_ARRAY, false}, {"speed", JSON_OBJECT, false}};
    Status status = json_check(reading->file, object, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = json_number(reading->file, object, "accepted", 0, MAX_POINTS, &problem->accepted, reading->why);
    if (status == STATUS_OK)
        status = read_case_groups(reading, json_get(object, "cases"), set, problem);
    if (status == STATUS_OK)
        status = read_speed(reading, json_get(object, "speed"), found, problem);
    if (status == STATUS_OK && !(class_problem_points(problem) > 0))
        return json_fail(reading->file, object, reading->why, "expected more than 0 points in all");
    return status;
}

Status class_problem_read(const ClassReading *reading, const cJSON *item, ClassProblem *problem)
{
    static const JsonKey keys[] = {{"problem", JSON_STRING, true}, {"points", JSON_OBJECT, true}};
    Problem found;
    TestcaseSet set;
    Message unfit = {0};
    Status status = json_check(reading->file, item, keys, LENGTH_OF(keys), reading->why);
    if (status != STATUS_OK)
        return status;
    const cJSON *id = json_get(item, "problem");
    if (problem_read(id->valuestring, &found, &unfit) != STATUS_OK)
        return json_fail(reading->file, id, reading->why, "%s", unfit.text);
    problem->problem = arena_string(&reading->class->arena, id->valuestring);
    status = testcases_read(&found, &set, reading->why);
    if (status == STATUS_OK) {
        status = read_points(reading, json_get(item, "points"), &found, &set, problem);
        testcases_free(&set);
    }
    problem_free(&found);
    return status;
}
