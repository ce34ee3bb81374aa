#include "service/intake/intake_list.h"

void intake_add(Intake *intake, const FoundFile *file)
{
    intake->found = arena_grown(&intake->arena, intake->found, intake->found_count, &intake->found_capacity,
                                sizeof *intake->found);
    intake->found[intake->found_count++] = *file;
}

void intake_refuse(Intake *intake, const char *origin, const char *why)
{
    Arena *arena = &intake->arena;
    intake->refused = arena_grown(arena, intake->refused, intake->refused_count, &intake->refused_capacity,
                                  sizeof *intake->refused);
    intake->refused[intake->refused_count++] = (RefusedFile){arena_string(arena, origin), arena_string(arena, why)};
}

void intake_leave_aside(Intake *intake, const char *origin)
{
    intake->left_aside = arena_grown(&intake->arena, intake->left_aside, intake->left_aside_count,
                                     &intake->left_aside_capacity, sizeof *intake->left_aside);
    intake->left_aside[intake->left_aside_count++] = arena_string(&intake->arena, origin);
}

void intake_free(Intake *intake)
{
    arena_free(&intake->arena);
    *intake = (Intake){0};
}
