#include "service/summary/facts.h"

#include "service/pages/view.h"

#include <string.h>

size_t facts_person(Facts *facts, const char *name)
{
    for (size_t i = 0; i < facts->people_count; i++)
        if (strcmp(facts->people[i], name) == 0)
            return i;
    facts->people = arena_grown(&facts->arena, facts->people, facts->people_count, &facts->people_room,
                                sizeof *facts->people);
    facts->people[facts->people_count] = arena_string(&facts->arena, name);
    return facts->people_count++;
}

size_t facts_add_task(Facts *facts, const FactTask *task)
{
    Arena *arena = &facts->arena;
    facts->tasks = arena_grown(arena, facts->tasks, facts->task_count, &facts->task_room, sizeof *facts->tasks);
    facts->tasks[facts->task_count] = (FactTask){
        arena_string(arena, task->assignment), arena_string(arena, task->assignment_title),
        arena_string(arena, task->problem), arena_string(arena, task->problem_title)};
    return facts->task_count++;
}

void facts_expect(Facts *facts, size_t person, const char *assignment)
{
    facts->expectations = arena_grown(&facts->arena, facts->expectations, facts->expectation_count,
                                      &facts->expectation_room, sizeof *facts->expectations);
    facts->expectations[facts->expectation_count++] = (FactExpectation){person,
                                                                        arena_string(&facts->arena, assignment)};
}

void facts_add_points(Facts *facts, const FactPoints *points)
{
    facts->points = arena_grown(&facts->arena, facts->points, facts->points_count, &facts->points_room,
                                sizeof *facts->points);
    facts->points[facts->points_count] = *points;
    facts->points[facts->points_count++].assignment = arena_string(&facts->arena, points->assignment);
}

static void take_cases(Facts *facts, FactSubmission *added, const cJSON *result)
{
    const cJSON *list = view_item(result, "cases"), *item;
    added->case_count = 0;
    FactCase *cases = arena_array(&facts->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *cases);
    cJSON_ArrayForEach(item, list)
    {
        const char *verdict = view_text(item, "verdict");
        if (verdict[0] != '\0' && strcmp(verdict, "not run") != 0)
            cases[added->case_count++] = (FactCase){arena_string(&facts->arena, view_text(item, "name")),
                                                    strcmp(verdict, "Accepted") == 0};
    }
    added->cases = cases;
}

static void copy_cases(Facts *facts, FactSubmission *added)
{
    FactCase *cases = arena_array(&facts->arena, added->case_count + 1, sizeof *cases);
    for (size_t i = 0; i < added->case_count; i++)
        cases[i] = (FactCase){arena_string(&facts->arena, added->cases[i].name), added->cases[i].is_passed};
    added->cases = cases;
}

static void take_references(Facts *facts, FactSubmission *added, const cJSON *result)
{
    const cJSON *list = view_item(result, "references"), *item;
    ReferenceTime *references = arena_array(&facts->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *references);
    cJSON_ArrayForEach(item, list)
    {
        const MeasuredTime time = view_time(item, "score_ms");
        if (time.ms > 0)
            references[added->reference_count++] = (ReferenceTime){
                .name = arena_string(&facts->arena, view_text(item, "name")), .time = time};
    }
    added->references = references;
}

void facts_add_submission(Facts *facts, const FactSubmission *submission, const char *verdict, const char *result,
                          const char *source)
{
    Arena *arena = &facts->arena;
    cJSON *object = result == NULL ? NULL : cJSON_Parse(result);
    facts->submissions = arena_grown(arena, facts->submissions, facts->submission_count, &facts->submission_room,
                                     sizeof *facts->submissions);
    FactSubmission *added = &facts->submissions[facts->submission_count++];
    *added = *submission;
    added->file_name = arena_string(arena, submission->file_name);
    added->received_utc = arena_string(arena, submission->received_utc);
    added->device = arena_string(arena, submission->device);
    added->failure = failure_of(object, source, arena);
    if (added->failure.verdict[0] == '\0')
        added->failure.verdict = arena_string(arena, verdict);
    added->is_modelled = view_true(object, "modelled");
    added->reference_count = 0;
    if (submission->cases == NULL)
        take_cases(facts, added, object);
    else
        copy_cases(facts, added);
    take_references(facts, added, object);
    cJSON_Delete(object);
}

void facts_free(Facts *facts)
{
    arena_free(&facts->arena);
    *facts = (Facts){0};
}
