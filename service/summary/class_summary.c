#include "service/summary/class_summary.h"

#include "service/summary/points_summary.h"
#include "service/summary/task_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PointsSummary points_of(const Facts *facts, const char *assignment, Arena *arena)
{
    double *values = arena_array(arena, facts->points_count + 1, sizeof *values), most = 0;
    size_t count = 0;
    for (size_t i = 0; i < facts->points_count; i++)
        if (strcmp(facts->points[i].assignment, assignment) == 0) {
            values[count++] = facts->points[i].points;
            most = fmax(most, facts->points[i].most);
        }
    return points_summary_of(values, count, most);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_nothing(const Facts *facts, AssignmentSummary *summary, Arena *arena)
{
    bool *has = arena_array(arena, facts->people_count + 1, sizeof *has);
    for (size_t i = 0; i < facts->submission_count; i++)
        if (strcmp(facts->tasks[facts->submissions[i].task].assignment, summary->id) == 0)
            has[facts->submissions[i].person] = true;
    summary->nothing = arena_array(arena, facts->people_count + 1, sizeof *summary->nothing);
    for (size_t i = 0; i < facts->expectation_count; i++) {
        const FactExpectation *expected = &facts->expectations[i];
        if (strcmp(expected->assignment, summary->id) != 0)
            continue;
        summary->expected++;
        if (!has[expected->person])
            summary->nothing[summary->nothing_count++] = facts->people[expected->person];
    }
    qsort(summary->nothing, summary->nothing_count, sizeof *summary->nothing, by_name);
}

static AssignmentSummary *assignment_of(Summary *summary, const FactTask *task)
{
    for (size_t i = 0; i < summary->assignment_count; i++)
        if (strcmp(summary->assignments[i].id, task->assignment) == 0)
            return &summary->assignments[i];
    AssignmentSummary *added = &summary->assignments[summary->assignment_count++];
    *added = (AssignmentSummary){.id = task->assignment, .title = task->assignment_title};
    return added;
}

Summary summary_of(const Facts *facts, const char *title, const char *time_utc, Arena *arena)
{
    Summary summary = {.title = arena_string(arena, title), .time_utc = arena_string(arena, time_utc)};
    summary.assignments = arena_array(arena, facts->task_count + 1, sizeof *summary.assignments);
    for (size_t i = 0; i < facts->task_count; i++) {
        AssignmentSummary *assignment = assignment_of(&summary, &facts->tasks[i]);
        if (assignment->tasks == NULL)
            assignment->tasks = arena_array(arena, facts->task_count, sizeof *assignment->tasks);
        assignment->tasks[assignment->task_count++] = task_summary_of(facts, i, arena);
    }
    for (size_t i = 0; i < summary.assignment_count; i++) {
        summary.assignments[i].points = points_of(facts, summary.assignments[i].id, arena);
        list_nothing(facts, &summary.assignments[i], arena);
    }
    return summary;
}
