#include "service/class/class_file.h"

#include <stdlib.h>
#include <string.h>

void class_file_free(ClassFile *file)
{
    arena_free(&file->arena);
    *file = (ClassFile){0};
}

const ClassAssignment *class_assignment(const ClassFile *file, const char *id)
{
    for (size_t i = 0; i < file->assignment_count; i++)
        if (strcmp(file->assignments[i].id, id) == 0)
            return &file->assignments[i];
    return NULL;
}

const ClassProblem *class_problem(const ClassAssignment *assignment, const char *problem)
{
    for (size_t i = 0; i < assignment->problem_count; i++)
        if (strcmp(assignment->problems[i].problem, problem) == 0)
            return &assignment->problems[i];
    return NULL;
}

/* ---- people ------------------------------------------------------------------------------------------------------ */

static bool group_has(const ClassGroup *group, const char *person)
{
    for (size_t i = 0; i < group->person_count; i++)
        if (strcmp(group->people[i], person) == 0)
            return true;
    return false;
}

bool class_has_person(const ClassFile *file, const char *person)
{
    for (size_t i = 0; i < file->group_count; i++)
        if (group_has(&file->groups[i], person))
            return true;
    return false;
}

bool class_takes_part(const ClassAssignment *assignment, const char *person)
{
    for (size_t i = 0; i < assignment->group_count; i++)
        if (group_has(assignment->groups[i], person))
            return true;
    return assignment->group_count == 0;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char **class_people(const ClassFile *file, Arena *arena, size_t *count)
{
    size_t all = 0;
    for (size_t i = 0; i < file->group_count; i++)
        all += file->groups[i].person_count;
    const char **people = arena_array(arena, all + 1, sizeof *people);
    all = 0;
    for (size_t i = 0; i < file->group_count; i++)
        for (size_t j = 0; j < file->groups[i].person_count; j++)
            people[all++] = file->groups[i].people[j];
    if (all > 0)
        qsort(people, all, sizeof *people, compare_names);
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (*count == 0 || strcmp(people[*count - 1], people[i]) != 0)
            people[(*count)++] = people[i];
    return people;
}

/* ---- deadlines --------------------------------------------------------------------------------------------------- */

const ClassExtension *class_extension(const ClassFile *file, const ClassAssignment *assignment, const char *person)
{
    for (size_t i = 0; i < file->extension_count; i++)
        if (file->extensions[i].assignment == assignment && strcmp(file->extensions[i].person, person) == 0)
            return &file->extensions[i];
    return NULL;
}

const ClassDeadline *class_deadline(const ClassFile *file, const ClassAssignment *assignment, const char *person)
{
    const ClassExtension *extension = class_extension(file, assignment, person);
    return extension == NULL ? &assignment->deadline : &extension->deadline;
}

int64_t class_last_moment(const ClassDeadline *deadline)
{
    const int64_t last_day = deadline->day_count == 0 ? INT64_MIN : deadline->day_ends_s[deadline->day_count - 1];
    return last_day > deadline->grace_end_s ? last_day : deadline->grace_end_s;
}

int64_t class_closes_s(const ClassFile *file, const ClassAssignment *assignment)
{
    int64_t last = class_last_moment(&assignment->deadline);
    for (size_t i = 0; i < file->extension_count; i++) {
        const int64_t extended = class_last_moment(&file->extensions[i].deadline);
        if (file->extensions[i].assignment == assignment && extended > last)
            last = extended;
    }
    return last;
}

bool class_shows(const ClassFile *file, const ClassAssignment *assignment, const ClassShow *show, int64_t now_s)
{
    switch (show->kind) {
    case SHOW_ALWAYS: return true;
    case SHOW_CLOSED: return now_s > class_closes_s(file, assignment);
    case SHOW_NEVER: return false;
    case SHOW_FROM: return now_s >= show->from.utc_s;
    }
    return false;
}

static bool lists(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

const char **class_problems_with_groups(const ClassFile *file, Arena *arena, size_t *count)
{
    size_t most = 0;
    for (size_t i = 0; i < file->assignment_count; i++)
        most += file->assignments[i].problem_count;
    const char **names = arena_array(arena, most + 1, sizeof *names);
    *count = 0;
    for (size_t i = 0; i < file->assignment_count; i++)
        for (size_t k = 0; k < file->assignments[i].problem_count; k++) {
            const ClassProblem *problem = &file->assignments[i].problems[k];
            if (problem->group_count > 0 && !lists(names, *count, problem->problem))
                names[(*count)++] = problem->problem;
        }
    return names;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

double class_problem_points(const ClassProblem *problem)
{
    double points = problem->accepted;
    for (size_t i = 0; i < problem->group_count; i++)
        points += problem->groups[i].points;
    return problem->band_count == 0 ? points : points + problem->bands[problem->band_count - 1].points;
}

double class_assignment_points(const ClassAssignment *assignment)
{
    double points = 0;
    for (size_t i = 0; i < assignment->problem_count; i++)
        points += class_problem_points(&assignment->problems[i]);
    return points;
}
