#include "service/web/parts.h"

#include "base/tensor.h"
#include "service/web/board_plots.h"
#include "service/web/template.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- boards ------------------------------------------------------------------------------------------------------ */

/* People with the same rank tie; so does anyone whose time does not differ from theirs. */
static bool ties_with_neighbour(const BoardPage *board, size_t i)
{
    size_t rank = board->standings[i].rank;
    return (i > 0 && board->standings[i - 1].rank == rank) ||
           (i + 1 < board->standing_count && board->standings[i + 1].rank == rank);
}

static bool is_readers(const BoardPage *board, size_t i, const char *reader)
{
    return reader != NULL && strcmp(reader, board->standings[i].person) == 0;
}

static void put_standing(cJSON *row, const BoardPage *board, size_t i, const char *reader)
{
    const Standing *standing = &board->standings[i];
    char place[48] = "";
    if (standing->percentile.n >= 10)
        snprintf(place, sizeof place, "%.0f", standing->percentile.value);
    else if (standing->percentile.n > 0)
        snprintf(place, sizeof place, "%zu of %zu", standing->percentile.slower, standing->percentile.n);
    values_put(row, "rank=%zu ties=%d is_reader=%d submission=%" PRId64 " person=%s place=%s time_utc=%s",
               standing->rank, ties_with_neighbour(board, i), is_readers(board, i, reader),
               board->submissions == NULL ? 0 : board->submissions[i], standing->person, place, standing->time_utc);
    values_time(row, standing->time);
}

static void put_rows(cJSON *tables, const BoardPage *board, const char *label, size_t first, size_t end,
                     const char *reader)
{
    cJSON *table = values_row(tables), *rows = cJSON_AddArrayToObject(table, "rows");
    values_put(table, "label=%s spread=%s is_rest=%d", label, board->standing_count > 10 ? "Percentile" : "Faster than",
               strcmp(label, "The others") == 0);
    for (size_t i = first; i < end; i++)
        put_standing(values_row(rows), board, i, reader);
}

/* A long board shows its first rows and the reader's own row at once. */
static void put_standings(cJSON *page, const BoardPage *board, size_t most, const char *reader)
{
    enum { FIRST_ROWS = 15 };
    cJSON *tables = cJSON_AddArrayToObject(page, "tables");
    const size_t count = board->standing_count < most ? board->standing_count : most;
    const size_t first = count <= FIRST_ROWS + 5 ? count : FIRST_ROWS;
    values_put(page, "left_out=%zu", board->standing_count - count);
    if (count > 0)
        put_rows(tables, board, "Board", 0, first, reader);
    for (size_t i = first; i < board->standing_count; i++)
        if (is_readers(board, i, reader))
            put_rows(tables, board, "Your place", i, i + 1, reader);
    if (count > first)
        put_rows(tables, board, "The others", first, count, reader);
}

void problem_put_boards(cJSON *page, const BoardPage *boards, size_t count, const char *reader)
{
    static const MeasuredTime no_time = {0};
    cJSON *list = cJSON_AddArrayToObject(page, "boards");
    size_t most = count > 0 ? BOARD_ROWS / count : BOARD_ROWS;
    most = most < 50 ? 50 : most;
    for (size_t i = 0; i < count; i++) {
        const BoardPage *board = &boards[i];
        cJSON *row = values_row(list);
        Text plots = {0};
        char id[40];
        values_put(row, "device=%s modelled=%d is_older=%d",
                   board->device_name != NULL ? board->device_name : board->device, board->modelled, board->is_older);
        put_standings(row, board, most, reader);
        snprintf(id, sizeof id, "times-%zu", i + 1);
        plot_times(&plots, id, board, no_time);
        snprintf(id, sizeof id, "best-%zu", i + 1);
        plot_history(&plots, id, "The best time over the weeks", "Who", board->best, board->best_count);
        plot_references(&plots, board, no_time);
        values_markup(row, "plots", &plots);
    }
}

void problem_put_row(cJSON *list, const Problem *problem, const char *verdict, const BoardPage *best)
{
    const bool has_best = best != NULL && best->standing_count > 0;
    cJSON *row = values_row(list);
    values_put(row, "id=%s title=%s difficulty=%s verdict=%s people=%zu best_name=%s device=%s", problem->id,
               problem->title, problem->difficulty, verdict, has_best ? best->standing_count : 0,
               has_best ? best->standings[0].person : "", has_best ? best->device : "");
    values_time(row, has_best ? best->standings[0].time : (MeasuredTime){0});
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static void put_sizes(cJSON *row, const Problem *problem, const Sizes *sizes)
{
    Text text = {0};
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role == ROLE_SIZE)
            text_printf(&text, "%s%s %s", text.length == 0 ? "" : ", ", problem->parameters[i].name,
                        figure_whole((double)sizes->values[i]).text);
        else if (problem->parameters[i].role == ROLE_SCALAR)
            text_printf(&text, "%s%s %.9g", text.length == 0 ? "" : ", ", problem->parameters[i].name,
                        sizes_scalar(sizes, i));
    values_put(row, "sizes=%s", text.data);
    text_free(&text);
}

/* Rows of a small array of two dimensions stand on lines of their own. */
static void add_values(Text *text, const Tensor *tensor)
{
    enum { MOST = 256 };
    size_t count = tensor_count(tensor), row = tensor->rank < 2 ? count : count / tensor->shape[0];
    for (size_t i = 0; i < count && i < MOST; i++)
        text_printf(text, "%s%.7g",
                    i == 0         ? ""
                    : i % row == 0 ? "\n"
                                   : "  ",
                    element_load(tensor->type, tensor->data, i));
    text_add(text, count > MOST ? " …" : "");
}

static void add_source(Text *text, const CaseSource *source)
{
    switch (source->kind) {
    case SOURCE_FILE: text_add(text, "from a file"); break;
    case SOURCE_PERTURBED: text_add(text, "from a file, each value changed a little"); break;
    case SOURCE_UNIFORM: text_printf(text, "random numbers from %g to %g", source->a, source->b); break;
    case SOURCE_NORMAL: text_printf(text, "random numbers, normal, mean %g, deviation %g", source->a, source->b); break;
    case SOURCE_INTEGERS: text_printf(text, "random whole numbers from %g to %g", source->a, source->b); break;
    case SOURCE_IMPULSE: text_printf(text, "%g at one place, 0 elsewhere", source->a); break;
    case SOURCE_RAMP: text_printf(text, "%g, then %g more for each element", source->a, source->b); break;
    case SOURCE_CONSTANT: text_printf(text, "%g everywhere", source->a); break;
    case SOURCE_VALUES: text_add(text, "numbers"); break;
    }
    if (source->pattern.kind != CASE_PATTERN_NONE)
        text_printf(text, ", in the pattern \"%s\"", case_pattern_name(source->pattern.kind));
    if (source->changes > 0)
        text_printf(text, ", but for %d element%s as in an earlier sample", source->changes,
                    source->changes == 1 ? "" : "s");
}

static void put_array(cJSON *list, const char *name, const CaseSource *source, const Tensor *values)
{
    Text words = {0};
    const bool is_literal = source->kind == SOURCE_VALUES && source->changes == 0;
    if (is_literal)
        add_values(&words, values);
    else
        add_source(&words, source);
    values_put(values_row(list), "name=%s is_literal=%d words=%s", name, is_literal, words.data);
    text_free(&words);
}

static void put_sample(cJSON *row, const Problem *problem, const Testcase *sample)
{
    static const CaseSource expected = {.kind = SOURCE_VALUES};
    cJSON *arrays = cJSON_AddArrayToObject(row, "arrays");
    values_put(row, "name=%s", sample->name);
    put_sizes(row, problem, &sample->sizes);
    for (size_t i = 0; i < problem->parameter_count; i++)
        if ((problem->parameters[i].role & ROLE_IN) != 0)
            put_array(arrays, problem->parameters[i].name, &sample->sources[i], &sample->sources[i].literal);
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (sample->expected[i].data != NULL)
            put_array(arrays, problem->parameters[i].name, &expected, &sample->expected[i]);
}

static void put_cases(cJSON *page, const Problem *problem, const TestcaseSet *set)
{
    cJSON *cases = cJSON_AddObjectToObject(page, "cases"), *samples = cJSON_AddArrayToObject(cases, "samples"),
          *timed = cJSON_AddArrayToObject(cases, "timed");
    int hidden = 0;
    for (size_t i = 0; i < set->count; i++) {
        const Testcase *item = &set->cases[i];
        hidden += item->group == CASE_HIDDEN;
        if (item->group == CASE_SAMPLE)
            put_sample(values_row(samples), problem, item);
        if (item->group != CASE_TIMED)
            continue;
        cJSON *row = values_row(timed);
        values_put(row, "name=%s operations=%g bytes=%g", item->name, (double)item->operations, (double)item->bytes);
        put_sizes(row, problem, &item->sizes);
    }
    values_put(cases, "hidden=%d", hidden);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

cJSON *problem_values(const Problem *problem, const TestcaseSet *testcases, const char *markdown, const char *starter)
{
    const ProblemLimits *limits = &problem->limits;
    cJSON *page = cJSON_CreateObject();
    Text statement = {0}, file = {0};
    starter_file(&file, problem->id);
    values_put(page, "id=%s title=%s difficulty=%s starter=%s starter_file=%s", problem->id, problem->title,
               problem->difficulty, starter, file.data);
    statement_html(&statement, markdown);
    values_markup(page, "statement", &statement);
    put_cases(page, problem, testcases);
    values_put(cJSON_AddObjectToObject(page, "limits"),
               "device_bytes=%g host_bytes=%g host_seconds=%g wall_seconds=%g warp_instructions=%g source_bytes=%g",
               (double)limits->device_bytes, (double)limits->host_bytes, (double)limits->host_seconds,
               (double)limits->wall_seconds, (double)limits->warp_instructions, (double)limits->source_bytes);
    text_free(&file);
    return page;
}
