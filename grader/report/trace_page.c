#include "grader/report/trace.h"

#include "base/html.h"
#include "base/svg.h"

#include <math.h>
#include <string.h>

/* A trace as JSON, on the terminal and on a page. */

/* ==== json ======================================================================================================== */

/* clang-format off */
RECORD(row_table, TraceRow,
    ROW(TraceRow, mark, "mark", .required = true, .about = "`first`: the first term that differs; `other`: one more"),
    ROW(TraceRow, term, "term", .required = true),
    ROW(TraceRow, value, "value"),
    ROW(TraceRow, lines, "lines", .required = true),
    ROW(TraceRow, expected, "expected", .required = true, .about = "what the submission adds, its value and the source lines on its way; what the oracle adds; empty: nothing"),
    ROW(TraceRow, left_out, "left_out", .sparse = true, .about = "equal terms that stand before this one and are left out"));
RECORD(map_table, TraceMap,
    ROW(TraceMap, array, "array", .required = true, .about = "an input, or a plane of it"),
    ROW(TraceMap, first_row, "first_row"),
    ROW(TraceMap, first_column, "first_column"),
    ROW(TraceMap, rows, "rows"),
    ROW(TraceMap, columns, "columns", .about = "the part of it that is shown"),
    ROW(TraceMap, cells, "cells", .required = true, .about = "a character for each element: `=` used as by the oracle, `+` only by the submission, `-` only by the oracle, `!` by both in different terms, `.` not used"));
RECORD(step_table, TraceStep,
    ROW(TraceStep, line, "line"),
    ROW(TraceStep, text, "text", .required = true),
    ROW(TraceStep, value, "value", .about = "of a value that is no sum of products: its last operations in their order, with their source lines"));
RECORD_WHEN(has_number, TraceView, !isnan(it->got))
RECORD_PUBLIC(trace_view_table, TraceView,
    ROW(TraceView, case_name, "case", .required = true, .about = "the name of a sample, or the sizes of a case of your own"),
    ROW(TraceView, element, "element", .required = true, .about = "such as `output[3][17]`"),
    ROW(TraceView, got, "got", .when = has_number),
    ROW(TraceView, expected, "expected", .about = "its value, and the right one; without `got`, it has no number"),
    ROW(TraceView, is_wrong, "is_wrong", .about = "the checker does not accept it"),
    ROW(TraceView, writer, "writer", .required = true, .about = "who stored it: a sentence"),
    ROW(TraceView, sentence, "sentence", .required = true, .about = "what is wrong with its terms"),
    ROW_LIST(TraceView, rows, row_count, "rows", row_table),
    ROW_LIST(TraceView, maps, map_count, "maps", map_table),
    ROW_LIST(TraceView, steps, step_count, "steps", step_table));
RECORD_PUBLIC(trace_table, TraceViews,
    ROW_SCHEMA("schema", 1),
    ROW_LIST(TraceViews, items, count, "traces", trace_view_table));
/* clang-format on */

static void add_got(const TraceView *view, Text *out)
{
    if (isnan(view->got))
        text_add(out, "has no number, ");
    else
        text_printf(out, "is %.9g, ", view->got);
}

bool trace_view_is_sound(const TraceView *view)
{
    for (size_t i = 0; i < view->map_count; i++) {
        const TraceMap *map = &view->maps[i];
        if (map->rows > TRACE_MOST_MAP_ROWS || map->columns > TRACE_MOST_MAP_COLUMNS || map->columns == 0 ||
            map->cells == NULL || strlen(map->cells) != map->rows * map->columns)
            return false;
    }
    return view->row_count <= TRACE_MOST_ROWS && view->step_count <= TRACE_MOST_STEPS;
}

/* ---- on the terminal --------------------------------------------------------------------------------------------- */

static void write_row(const TraceRow *row, int columns, TerminalStyle style, Text *out)
{
    const bool is_missing = row->term[0] == '\0', is_same = row->mark[0] == '\0';
    if (row->left_out > 0)
        text_printf(out, "    ... %zu equal terms\n", row->left_out);
    if (is_same)
        text_add(out, "    ");
    else
        terminal_colour(style, out, COLOUR_BAD, strcmp(row->mark, "first") == 0 ? "  > " : "  ! ");
    if (is_missing)
        text_printf(out, "%-*s %12s  %-10s", columns, "nothing", "", "");
    else
        text_printf(out, "%-*s %12.6g  %-10s", columns, row->term, row->value, row->lines);
    text_printf(out, "  %s\n", is_same ? "=" : row->expected[0] == '\0' ? "nothing" : row->expected);
}

/* For example "[2..4]" in "input[2..4][0..3]". */
static void write_map(const TraceMap *map, Text *out)
{
    text_printf(out, "\n    %s", map->array);
    if (map->rows > 1)
        text_printf(out, "[%zu to %zu]", map->first_row, map->first_row + map->rows - 1);
    text_printf(out, "[%zu to %zu]\n", map->first_column, map->first_column + map->columns - 1);
    for (size_t row = 0; row < map->rows; row++)
        text_printf(out, "      %.*s\n", (int)map->columns, map->cells + row * map->columns);
}

void trace_write(const TraceView *view, TerminalStyle style, Text *out)
{
    int columns = 24;
    for (size_t i = 0; i < view->row_count; i++)
        columns = (int)strlen(view->rows[i].term) > columns ? (int)strlen(view->rows[i].term) : columns;
    for (size_t i = 0; i < view->step_count; i++)
        columns = (int)strlen(view->steps[i].text) > columns ? (int)strlen(view->steps[i].text) : columns;
    text_printf(out, "%s of the case \"%s\" ", view->element, view->case_name);
    add_got(view, out);
    text_printf(out, "expected %.9g\n  %s\n\n  ", view->expected, view->writer);
    terminal_colour(style, out, view->is_wrong ? COLOUR_BAD : COLOUR_GOOD, view->sentence);
    text_add(out, "\n");
    if (view->row_count > 0)
        text_printf(out, "\n    %-*s %12s  %-10s  %s\n", columns, "added, in this order", "value", "lines",
                    "the oracle adds");
    for (size_t i = 0; i < view->row_count; i++)
        write_row(&view->rows[i], columns, style, out);
    if (view->step_count > 0)
        text_add(out, "\n  Its last values, line by line:\n");
    for (size_t i = 0; i < view->step_count; i++)
        text_printf(out, "    %-*s %12.6g  %d\n", columns, view->steps[i].text, view->steps[i].value,
                    view->steps[i].line);
    if (view->is_wrong && view->map_count > 0)
        text_add(out,
                 "\n  Elements: = used as by the oracle, + only here, - only by the oracle, ! in different terms\n");
    for (size_t i = 0; i < view->map_count && view->is_wrong; i++)
        write_map(&view->maps[i], out);
}

/* ---- on a page --------------------------------------------------------------------------------------------------- */

enum { MARGIN = 34, LARGEST_CELL = 22 };

/* "Elements of input[0 to 4][0 to 5]. Only in the submission: [2][3]." */
static void describe_map(const TraceMap *map, Text *out)
{
    static const struct {
        char cell;
        const char *words;
    } kinds[] = {{'=', "Used as by the oracle"},
                 {'+', "Used only by the submission"},
                 {'-', "Used only by the oracle"},
                 {'!', "Used by both in different terms"}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        bool is_first = true;
        for (size_t i = 0; i < map->rows * map->columns; i++) {
            if (map->cells[i] != kinds[kind].cell)
                continue;
            text_printf(out, is_first ? "%s: " : ", ", kinds[kind].words);
            if (map->rows > 1 || map->first_row > 0)
                text_printf(out, "[%zu]", map->first_row + i / map->columns);
            text_printf(out, "[%zu]", map->first_column + i % map->columns);
            is_first = false;
        }
        text_add(out, is_first ? "" : ". ");
    }
}

static void draw_cells(const TraceMap *map, double size, Text *page)
{
    static const char signs[] = "=+-!";
    static const char *const classes[] = {"cell same", "cell extra", "cell missing", "cell mixed"};
    int class_of[TRACE_MOST_MAP_ROWS * TRACE_MOST_MAP_COLUMNS];
    svg_rect(page, "cell", MARGIN, MARGIN, size * (double)map->columns, size * (double)map->rows);
    for (size_t i = 0; i < map->rows * map->columns; i++)
        class_of[i] = map->cells[i] == '.' ? -1 : (int)strcspn(signs, (const char[]){map->cells[i], '\0'});
    svg_cells(page, &(CellGrid){(uint32_t)map->rows, (uint32_t)map->columns, MARGIN, MARGIN, size, size}, classes, 4,
              class_of);
    for (size_t i = 0; i < map->rows * map->columns; i++)
        if (class_of[i] > 0)
            svg_label(page, "sign", MARGIN + size * ((double)(i % map->columns) + 0.5) - 0.5,
                      MARGIN + size * ((double)(i / map->columns) + 0.5) + 3, "middle",
                      (const char[]){map->cells[i], '\0'});
}

static void draw_map(const TraceMap *map, const char *id, size_t number, Text *page)
{
    const double size = fmin(LARGEST_CELL, (double)(PLOT_WIDTH - MARGIN) / (double)map->columns);
    char name[80], title[80];
    Text words = {0};
    snprintf(name, sizeof name, "%s-map-%zu", id, number);
    snprintf(title, sizeof title, "Elements of %s", map->array);
    describe_map(map, &words);
    svg_begin(page, name, MARGIN + size * (double)map->rows + 4, title, words.data == NULL ? "" : words.data);
    svg_label(page, "tick", 0, 12, "start", map->array);
    svg_number(page, "tick", MARGIN + size / 2, MARGIN - 6, "middle", map->first_column);
    svg_number(page, "tick", MARGIN + size * ((double)map->columns - 0.5), MARGIN - 6, "middle",
               map->first_column + map->columns - 1);
    for (size_t row = 0; row < map->rows && map->rows > 1; row++)
        svg_number(page, "tick", MARGIN - 5, MARGIN + size * ((double)row + 0.5) + 4, "end", map->first_row + row);
    draw_cells(map, size, page);
    svg_end(page);
    text_free(&words);
}

static void draw_row(const TraceRow *row, Text *page)
{
    const bool is_same = row->mark[0] == '\0';
    if (row->left_out > 0)
        html_add(page, "<tr class=\"quiet\"><td colspan=\"5\">%zu equal terms</td></tr>\n", row->left_out);
    html_add(page, "<tr class=\"%s\"><td>%s</td>", is_same ? "same" : "differs",
             is_same                           ? ""
             : strcmp(row->mark, "first") == 0 ? "first"
                                               : "differs");
    if (row->term[0] == '\0')
        html_raw(page, "<td>nothing</td><td></td><td></td>");
    else
        html_add(page, "<td><code>%s</code></td><td class=\"number\">%g</td><td>%s</td>", row->term, row->value,
                 row->lines);
    if (is_same)
        html_raw(page, "<td>the same</td></tr>\n");
    else if (row->expected[0] == '\0')
        html_raw(page, "<td>nothing</td></tr>\n");
    else
        html_add(page, "<td><code>%s</code></td></tr>\n", row->expected);
}

void trace_page(const TraceView *view, const char *id, Text *page)
{
    Text got = {0};
    add_got(view, &got);
    html_add(page, "<p><code>%s</code> of the case \"%s\" %sexpected %g. %s</p>\n<p class=\"finding\">%s</p>\n",
             view->element, view->case_name, got.data, view->expected, view->writer, view->sentence);
    text_free(&got);
    if (view->row_count > 0)
        html_add(
            page,
            "<div class=\"scroll\" role=\"group\" aria-label=\"Terms of %s\" tabindex=\"0\">\n<table class=\"wide\">\n"
            "<thead><tr><th scope=\"col\"><span class=\"unseen\">Mark</span></th><th scope=\"col\">Added, in this "
            "order</th><th scope=\"col\" class=\"number\">Value</th><th scope=\"col\">Lines</th><th scope=\"col\">The "
            "oracle adds</th></tr></thead>\n<tbody>\n",
            view->element);
    for (size_t i = 0; i < view->row_count; i++)
        draw_row(&view->rows[i], page);
    if (view->row_count > 0)
        html_raw(page, "</tbody></table></div>\n");
    if (view->step_count > 0)
        html_add(page,
                 "<p class=\"note\">Its last values, line by line:</p>\n"
                 "<div class=\"scroll\" role=\"group\" aria-label=\"Values of %s\" tabindex=\"0\">\n<table>\n"
                 "<thead><tr><th scope=\"col\">Line</th><th scope=\"col\">Computed</th><th scope=\"col\" "
                 "class=\"number\">Value</th></tr></thead>\n<tbody>\n",
                 view->element);
    for (size_t i = 0; i < view->step_count; i++)
        html_add(page, "<tr><th scope=\"row\">%d</th><td><code>%s</code></td><td class=\"number\">%g</td></tr>\n",
                 view->steps[i].line, view->steps[i].text, view->steps[i].value);
    if (view->step_count > 0)
        html_raw(page, "</tbody></table></div>\n");
    if (view->map_count > 0)
        html_raw(
            page,
            "<p class=\"note\">Elements that its terms use. Blue: as the oracle does. + only the submission, - only "
            "the oracle, ! both, in different terms.</p>\n<div class=\"plots\">\n");
    for (size_t i = 0; i < view->map_count; i++)
        draw_map(&view->maps[i], id, i, page);
    html_raw(page, view->map_count > 0 ? "</div>\n" : "");
}
