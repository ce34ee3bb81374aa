#include "service/scores/result_points.h"

#include "service/class/class_read.h"
#include "service/class/points_parts.h"
#include "service/scores/class_facts.h"

#include <string.h>
#include <time.h>

static const ClassAssignment *assignment_with(const ClassFile *class, const char *problem)
{
    for (size_t i = 0; i < class->assignment_count; i++)
        if (class_problem(&class->assignments[i], problem) != NULL)
            return &class->assignments[i];
    return NULL;
}

static RunStanding standing_of(const char *rank_status)
{
    if (strcmp(rank_status, "ranked") == 0)
        return RUN_RANKED;
    return strncmp(rank_status, "quarantined", strlen("quarantined")) == 0 ? RUN_QUARANTINED : RUN_UNRANKED;
}

static SubmissionFact fact_of(const cJSON *result, const char *verdicts, const CaseNames *names, Arena *arena)
{
    const char *rank_status = outcome_string(result, "rank_status"), *colon = strstr(rank_status, ": ");
    SubmissionFact fact = {.problem = names->problem,
                           .is_judged = true,
                           .verdict = outcome_string(result, "verdict"),
                           .text = outcome_string(result, "text"),
                           .standing = standing_of(rank_status),
                           .standing_why = colon == NULL ? rank_status : colon + 2,
                           .roofline = -1,
                           .percentile = -1};
    Text text = {0};
    json_print(result, &text);
    judged_fact_fill(&fact, text.data, verdicts, names, arena);
    text_free(&text);
    return fact;
}

static OutcomePoints *points_from(const PointsPart *parts, size_t count, Arena *arena)
{
    OutcomePoints *points = arena_array(arena, count, sizeof *points);
    for (size_t i = 0; i < count; i++)
        points[i] = (OutcomePoints){.name = arena_string(arena, parts[i].name),
                                    .points = parts[i].points,
                                    .most = parts[i].most,
                                    .reason = arena_string(arena, parts[i].told)};
    return points;
}

static Status count_points(const ClassFile *class, Arena *arena, Outcome *outcome, Message *why)
{
    const char *problem = outcome_string(outcome->result, "problem");
    const ClassAssignment *assignment = assignment_with(class, problem);
    CaseNames names;
    if (assignment == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: no assignment has the problem %s", class->path, problem);
    Status status = case_names_read(problem, arena, &names, why);
    if (status != STATUS_OK)
        return status;
    const SubmissionFact fact = fact_of(outcome->result, outcome->case_verdicts, &names, arena);
    if (!points_is_decided(&fact))
        return STATUS_OK;
    const PointsPart *parts = points_parts_of(class_problem(assignment, problem), &fact, arena, &outcome->point_count);
    outcome->points = points_from(parts, outcome->point_count, arena);
    outcome->points_are_public = class_shows(class, assignment, &assignment->points, (int64_t)time(NULL));
    return STATUS_OK;
}

Status result_points(const char *class_path, Arena *arena, Outcome *outcome, Message *why)
{
    ClassFile class;
    Status status = class_file_read(class_path, &class, why);
    if (status != STATUS_OK)
        return status;
    if (outcome != NULL)
        status = count_points(&class, arena, outcome, why);
    class_file_free(&class);
    return status;
}
