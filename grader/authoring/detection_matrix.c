#include "grader/authoring/detection_matrix.h"

#include <stdbool.h>
#include <string.h>

static const char marks[VERDICT_COUNT] = {
    [VERDICT_ACCEPTED] = '.',
    [VERDICT_WRONG_ANSWER] = 'W',
    [VERDICT_RUN_TIME_ERROR] = 'R',
    [VERDICT_TIME_LIMIT_EXCEEDED] = 'T',
    [VERDICT_MEMORY_LIMIT_EXCEEDED] = 'M',
    [VERDICT_COMPILE_ERROR] = 'C',
    [VERDICT_RULE_VIOLATION] = 'V',
    [VERDICT_INTEGRITY_VIOLATION] = 'I',
    [VERDICT_JUDGE_ERROR] = 'J',
};

void detection_begin(DetectionMatrix *catches, const TestcaseSet *set)
{
    *catches = (DetectionMatrix){0};
    catches->last = &catches->first;
    catches->cases = arena_array(&catches->arena, set->count, sizeof *catches->cases);
    catches->found = arena_array(&catches->arena, set->count, sizeof *catches->found);
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i].group == CASE_HIDDEN)
            catches->cases[catches->case_count++] = set->cases[i].name;
}

void detection_free(DetectionMatrix *catches)
{
    arena_free(&catches->arena);
    *catches = (DetectionMatrix){0};
}

static void append_row(DetectionMatrix *catches, const char *solution, const char *row_marks)
{
    DetectionRow *row = arena_alloc(&catches->arena, sizeof *row);
    row->solution = arena_string(&catches->arena, solution);
    row->marks = arena_string(&catches->arena, row_marks);
    *catches->last = row;
    catches->last = &row->next;
}

/* Wrong in every case: none in particular was needed to find it. */
static bool is_wrong_everywhere(const char *row)
{
    return strpbrk(row, ". ") == NULL;
}

void detection_add(DetectionMatrix *catches, const char *solution, const Result *result)
{
    char *row = arena_alloc(&catches->arena, catches->case_count + 1);
    size_t hidden = 0, judged = 0;
    memset(row, ' ', catches->case_count);
    for (size_t i = 0; i < result->case_count && hidden < catches->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->group != CASE_HIDDEN)
            continue;
        if (item->judged)
            row[hidden] = marks[item->verdict];
        judged += item->judged;
        hidden++;
    }
    if (judged == 0)
        return;
    append_row(catches, solution, row);
    for (size_t i = 0; i < catches->case_count && !is_wrong_everywhere(row); i++)
        catches->found[i] += row[i] != '.' && row[i] != ' ';
}

size_t detection_idle_case(const DetectionMatrix *catches)
{
    size_t i = 0;
    while (i < catches->case_count && catches->found[i] > 0)
        i++;
    return i;
}

static int widest_name(const DetectionMatrix *catches)
{
    size_t width = strlen("hidden case");
    for (const DetectionRow *row = catches->first; row != NULL; row = row->next)
        width = strlen(row->solution) > width ? strlen(row->solution) : width;
    return (int)width;
}

/* The numbers of the cases stand upright: tens above ones. */
static void add_numbers(const DetectionMatrix *catches, const char *prefix, int width, Text *text)
{
    text_printf(text, "%s%-*s  ", prefix, width, "hidden case");
    for (size_t i = 1; i <= catches->case_count; i++)
        text_printf(text, "%c", i < 10 ? ' ' : (char)('0' + i / 10 % 10));
    text_printf(text, "\n%s%-*s  ", prefix, width, "");
    for (size_t i = 1; i <= catches->case_count; i++)
        text_printf(text, "%c", (char)('0' + i % 10));
    text_add(text, "\n");
}

void detection_text(const DetectionMatrix *catches, const char *prefix, Text *text)
{
    int width = widest_name(catches);
    add_numbers(catches, prefix, width, text);
    for (const DetectionRow *row = catches->first; row != NULL; row = row->next)
        text_printf(text, "%s%-*s  %s\n", prefix, width, row->solution, row->marks);
    for (size_t i = 0; i < catches->case_count; i++)
        text_printf(text, "%shidden %-2zu finds %-2zu  %s\n", prefix, i + 1, catches->found[i], catches->cases[i]);
}
