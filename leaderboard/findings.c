#include "leaderboard/findings.h"

void findings_add(Findings *findings, const char *place, const char *what, const char *expected, const char *found)
{
    findings->items = arena_grown(findings->arena, findings->items, findings->count, &findings->capacity,
                                  sizeof *findings->items);
    findings->items[findings->count++] = (Finding){
        .place = arena_string(findings->arena, place),
        .what = arena_string(findings->arena, what),
        .expected = arena_string(findings->arena, expected),
        .found = arena_string(findings->arena, found),
    };
}
