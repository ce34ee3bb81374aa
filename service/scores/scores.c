#include "service/scores/scores.h"

#include <string.h>

/* ---- counting ----------------------------------------------------------------------------------------------------- */

static void score_person(const ClassFile *class, const PersonFacts *facts, PersonScores *scores, Arena *arena)
{
    *scores = (PersonScores){.facts = facts,
                             .assignments = arena_array(arena, class->assignment_count, sizeof *scores->assignments)};
    for (size_t i = 0; i < class->assignment_count; i++)
        if (class_takes_part(&class->assignments[i], facts->person))
            scores->assignments[scores->count++] = points_of(class, &class->assignments[i], facts->person, facts->facts,
                                                             facts->count, arena);
}

Status scores_read(Store *store, const ClassFile *class, Arena *arena, Scores *scores, Message *why)
{
    PersonFacts *people;
    size_t count;
    *scores = (Scores){.class = class};
    Status status = class_facts_read(store, class, arena, &people, &count, why);
    if (status != STATUS_OK)
        return status;
    scores->people = arena_array(arena, count, sizeof *scores->people);
    for (size_t i = 0; i < count; i++) {
        score_person(class, &people[i], &scores->people[scores->count], arena);
        scores->count += scores->people[scores->count].count > 0;
    }
    return STATUS_OK;
}

const char *scores_groups(const ClassFile *class, const char *person, Arena *arena)
{
    const char *groups = "";
    for (size_t i = 0; i < class->group_count; i++)
        for (size_t k = 0; k < class->groups[i].person_count; k++)
            if (strcmp(class->groups[i].people[k], person) == 0)
                groups = arena_printf(arena, "%s%s%s", groups, groups[0] == '\0' ? "" : ", ", class->groups[i].name);
    return groups;
}

const StoredSubmission *scores_row(const PersonScores *person, const SubmissionFact *fact)
{
    return person->facts->rows[fact - person->facts->facts];
}

/* ---- for people --------------------------------------------------------------------------------------------------- */

void scores_print(const Scores *scores, Text *text)
{
    for (size_t i = 0; i < scores->count; i++) {
        const PersonScores *person = &scores->people[i];
        text_add_printable(text, person->facts->person, strlen(person->facts->person));
        for (size_t k = 0; k < person->count; k++) {
            const AssignmentPoints *points = &person->assignments[k];
            text_printf(text, "%s %s %.15g of %.15g%s", k == 0 ? ":" : ",", points->assignment->id, points->points,
                        points->most, points->is_final ? "" : " (not final)");
        }
        text_add(text, "\n");
    }
}
