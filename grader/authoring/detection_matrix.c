#include "grader/authoring/detection_matrix.h"

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

void detection_begin(DetectionMatrix *matrix, const TestcaseSet *set)
{
    *matrix = (DetectionMatrix){0};
    matrix->last = &matrix->first;
    matrix->cases = arena_array(&matrix->arena, set->count, sizeof *matrix->cases);
    matrix->found = arena_array(&matrix->arena, set->count, sizeof *matrix->found);
    matrix->is_left_out = arena_array(&matrix->arena, set->count, sizeof *matrix->is_left_out);
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i].group == CASE_HIDDEN) {
            matrix->is_left_out[matrix->case_count] = set->cases[i].attempt_instructions > 0;
            matrix->cases[matrix->case_count++] = set->cases[i].name;
        }
}

void detection_free(DetectionMatrix *matrix)
{
    arena_free(&matrix->arena);
    *matrix = (DetectionMatrix){0};
}

static void append_row(DetectionMatrix *matrix, const char *solution, const char *row_marks)
{
    DetectionRow *row = arena_alloc(&matrix->arena, sizeof *row);
    row->solution = arena_string(&matrix->arena, solution);
    row->marks = arena_string(&matrix->arena, row_marks);
    *matrix->last = row;
    matrix->last = &row->next;
}

/* A solution that is wrong in every case shows nothing about any one of them. */
static bool is_wrong_everywhere(const DetectionMatrix *matrix, const char *row)
{
    for (size_t i = 0; i < matrix->case_count; i++)
        if (row[i] == '.' || (row[i] == ' ' && !matrix->is_left_out[i]))
            return false;
    return true;
}

void detection_add(DetectionMatrix *matrix, const char *solution, const Result *result)
{
    char *row = arena_alloc(&matrix->arena, matrix->case_count + 1);
    size_t hidden = 0, judged = 0;
    memset(row, ' ', matrix->case_count);
    for (size_t i = 0; i < result->case_count && hidden < matrix->case_count; i++) {
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
    append_row(matrix, solution, row);
    for (size_t i = 0; i < matrix->case_count && !is_wrong_everywhere(matrix, row); i++)
        matrix->found[i] += row[i] != '.' && row[i] != ' ';
}

size_t detection_idle_case(const DetectionMatrix *matrix)
{
    size_t i = 0;
    while (i < matrix->case_count && matrix->found[i] > 0)
        i++;
    return i;
}

static int widest_name(const DetectionMatrix *matrix)
{
    size_t width = strlen("hidden case");
    for (const DetectionRow *row = matrix->first; row != NULL; row = row->next)
        width = strlen(row->solution) > width ? strlen(row->solution) : width;
    return (int)width;
}

/* Two lines with the numbers of the cases as columns: tens above ones. */
static void add_numbers(const DetectionMatrix *matrix, const char *prefix, int width, Text *text)
{
    text_printf(text, "%s%-*s  ", prefix, width, "hidden case");
    for (size_t i = 1; i <= matrix->case_count; i++)
        text_printf(text, "%c", i < 10 ? ' ' : (char)('0' + i / 10 % 10));
    text_printf(text, "\n%s%-*s  ", prefix, width, "");
    for (size_t i = 1; i <= matrix->case_count; i++)
        text_printf(text, "%c", (char)('0' + i % 10));
    text_add(text, "\n");
}

void detection_text(const DetectionMatrix *matrix, const char *prefix, Text *text)
{
    int width = widest_name(matrix);
    add_numbers(matrix, prefix, width, text);
    for (const DetectionRow *row = matrix->first; row != NULL; row = row->next)
        text_printf(text, "%s%-*s  %s\n", prefix, width, row->solution, row->marks);
    for (size_t i = 0; i < matrix->case_count; i++)
        text_printf(text, "%shidden %-2zu finds %-2zu  %s\n", prefix, i + 1, matrix->found[i], matrix->cases[i]);
}
