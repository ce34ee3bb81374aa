#include "service/scores/scores_csv.h"

#include "service/class/class_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A spreadsheet takes a cell for a formula that begins with one of these; some part cells at semicolons or tabs. */
static bool begins_formula(const char *text, size_t at)
{
    return strchr("=+-@\t\r", text[at]) != NULL && (at == 0 || strchr(",;\t\r\n", text[at - 1]) != NULL);
}

static void add_cell(Text *text, const char *cell, const char *end)
{
    const bool quoted = strpbrk(cell, "\",;\t\r\n") != NULL || cell[0] == ' ';
    text_add(text, quoted ? "\"" : "");
    for (size_t i = 0; cell[i] != '\0'; i++) {
        if (begins_formula(cell, i))
            text_add(text, "'");
        if (cell[i] == '"')
            text_add(text, "\"");
        text_append(text, &cell[i], 1);
    }
    text_printf(text, "%s%s", quoted ? "\"" : "", end);
}

static void add_submission(const Scores *scores, const PersonScores *person, const ProblemPoints *points, Text *text)
{
    const SubmissionFact *fact = points->counts;
    char number[32] = "", late[32] = "";
    if (fact != NULL)
        snprintf(number, sizeof number, "%" PRId64, fact->id);
    if (fact != NULL && points->late_s > 0)
        snprintf(late, sizeof late, "%" PRId64, points->late_s);
    add_cell(text, number, ",");
    add_cell(text, fact == NULL ? "" : scores_row(person, fact)->file_name, ",");
    add_cell(text, fact == NULL ? "" : fact->verdict, ",");
    add_cell(text,
             fact == NULL || !fact->has_received ? "" : class_time_local(&scores->class->zone, fact->received_s).text,
             ",");
    add_cell(text, late, ",");
}

static void add_row(const Scores *scores, const PersonScores *person, const AssignmentPoints *assignment,
                    const ProblemPoints *points, Arena *arena, Text *text)
{
    add_cell(text, person->facts->person, ",");
    add_cell(text, scores_groups(scores->class, person->facts->person, arena), ",");
    add_cell(text, assignment->assignment->id, ",");
    add_cell(text, points->problem->problem, ",");
    text_printf(text, "%.15g,%.15g,%s,", points->points, points->most, points->is_final ? "yes" : "no");
    add_submission(scores, person, points, text);
    add_cell(text, points->reason, "\r\n");
}

void scores_csv(const Scores *scores, Arena *arena, Text *text)
{
    text_add(text,
             "person,groups,assignment,problem,points,most,final,submission,file,verdict,received,late_s,reason\r\n");
    for (size_t i = 0; i < scores->count; i++) {
        const PersonScores *person = &scores->people[i];
        for (size_t k = 0; k < person->count; k++)
            for (size_t n = 0; n < person->assignments[k].assignment->problem_count; n++)
                add_row(scores, person, &person->assignments[k], &person->assignments[k].problems[n], arena, text);
    }
}
