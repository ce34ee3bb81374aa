#include "grader/explain/explain_listing.h"

#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FIGURES = 49,      /* columns of them */
    LEAST_SOURCE = 22, /* columns of the source that they leave room for */
    GAP_LINES = 3      /* lines without instructions that are shown around those with instructions */
};

void explain_source_line(const char *text, size_t length, int columns, Text *out)
{
    Text line = {0}, shown = {0};
    for (size_t i = 0; i < length; i++)
        text_append(&line, text[i] == '\t' ? "    " : &text[i], text[i] == '\t' ? 4 : 1);
    terminal_add_line(&shown, line.data == NULL ? "" : line.data);
    if (shown.data != NULL && terminal_columns(shown.data) > columns)
        terminal_pad(out, shown.data, columns);
    else
        text_add(out, shown.data == NULL ? "" : shown.data);
    text_free(&line);
    text_free(&shown);
}

/* Adds a mean in a column, which stays empty if there is nothing to count. */
static void add_mean(Text *out, double sum, double count, int columns)
{
    terminal_pad(out, count > 0 ? quantity_mean(sum / count).text : "", -columns);
}

typedef struct ListingRow { /* one source line, summed over kernels */
    double share;
    SimLine counts;
} ListingRow;

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

/* The rows of the submission's lines, [count + 1] by number. `*elsewhere` is the share of lines in other files. */
static ListingRow *gather_rows(const Explanation *explanation, size_t count, Arena *arena, double *elsewhere)
{
    ListingRow *rows = arena_array(arena, count + 1, sizeof *rows);
    *elsewhere = 0;
    for (uint32_t i = 0; i < explanation->profile->line_count; i++) {
        const ProfileLine *line = &explanation->profile->lines[i];
        bool own = explain_is_own_line(explanation, line) && line->counts.line >= 1 &&
                   (size_t)line->counts.line <= count;
        if (own) {
            rows[line->counts.line].share += explanation->line_shares[i];
            simgpu_line_add(&rows[line->counts.line].counts, &line->counts);
        } else {
            *elsewhere += explanation->line_shares[i];
        }
    }
    return rows;
}

static void add_figures(const ListingRow *row, Text *out)
{
    const SimLine *line = &row->counts;
    const SimCounters *counters = &line->counters;
    double requests = (double)(counters->global_load_requests + counters->global_store_requests);
    double sectors = (double)(counters->global_load_sectors + counters->global_store_sectors);
    double ideal = (double)(line->ideal_load_sectors + line->ideal_store_sectors);
    double shared = (double)(counters->shared_load_requests + counters->shared_store_requests);
    double wavefronts = (double)(counters->shared_load_wavefronts + counters->shared_store_wavefronts);
    double constant = (double)counters->constant_requests;
    terminal_pad(out, quantity_percent(row->share, 1).text, -7);
    terminal_pad(out, quantity_count((double)line->executions).text, -7);
    add_mean(out, (double)counters->lane_instructions, (double)counters->warp_instructions, 6);
    if (requests > 0)
        add_mean(out, sectors, requests, 6);
    else
        add_mean(out, (double)counters->texture_sectors, (double)counters->texture_requests, 6);
    add_mean(out, ideal, requests, 6);
    add_mean(out, shared > 0 ? wavefronts : constant + (double)counters->constant_replays,
             shared > 0 ? shared : constant, 7);
    double divergent = fmin(1, (double)counters->divergent_branches / (double)line->executions);
    terminal_pad(out, divergent > 0 ? quantity_percent(divergent, 0).text : "", -10);
}

static bool is_near_code(const ListingRow *rows, size_t count, size_t line)
{
    for (size_t other = line > GAP_LINES ? line - GAP_LINES : 1; other <= line + GAP_LINES && other <= count; other++)
        if (rows[other].counts.executions > 0)
            return true;
    return false;
}

/* How many columns of figures are shown: those that leave room for the source, from the left. The figures end at each of
 * these columns. */
static int figures_shown(int room)
{
    static const int ends[] = {FIGURES, 39, 32, 20, 7};
    size_t i = 0;
    while (i + 1 < sizeof ends / sizeof *ends && room - ends[i] < LEAST_SOURCE)
        i++;
    return ends[i];
}

static void add_heading(int figures, Text *out)
{
    char above[80], heading[80];
    snprintf(above, sizeof above, "%32s%7s%10s", "sectors", "wave-", "divergent");
    snprintf(heading, sizeof heading, "%7s%7s%6s%6s%6s%7s%10s", "time", "warps", "lanes", "got", "ideal", "fronts",
             "branches");
    text_add(out, "\n");
    if (figures > (int)strspn(above, " "))
        text_printf(out, "%6s%.*s\n", "", figures, above);
    text_printf(out, "%6s%.*s\n", "line", figures, heading);
}

static void add_row(const ListingRow *row, int figures, Text *out)
{
    Text all = {0};
    if (row->counts.executions > 0)
        add_figures(row, &all);
    text_printf(out, "%-*.*s", figures, figures, all.data == NULL ? "" : all.data);
    text_free(&all);
}

void explain_listing(const Explanation *explanation, const char *source, TerminalStyle style, int width, Text *out)
{
    enum { AROUND = 9 }; /* columns of the number and of the bar */
    Arena arena = {0};
    const int room = width - AROUND, figures = figures_shown(room);
    size_t count = count_lines(source);
    double elsewhere, own = 0;
    const ListingRow *rows = gather_rows(explanation, count, &arena, &elsewhere);
    bool skipped = false;
    add_heading(figures, out);
    for (size_t number = 1; number <= count; number++) {
        size_t length = strcspn(source, "\n");
        bool shown = is_near_code(rows, count, number);
        if (shown) {
            text_add(out, skipped && own > 0 ? "   ...\n" : "");
            text_printf(out, "%6zu", number);
            add_row(&rows[number], figures, out);
            text_add(out, style.utf8 ? " │ " : " | ");
            explain_source_line(source, length, room - figures, out);
            text_add(out, "\n");
        }
        own += rows[number].share;
        skipped = !shown;
        source += length + (source[length] == '\n');
    }
    text_printf(out, "%6s%7s in lines of headers, %s in launches, starts of blocks, copies, waits and events\n", "",
                quantity_percent(elsewhere, 1).text, quantity_percent(fmax(0, 1 - own - elsewhere), 1).text);
    if (figures < FIGURES)
        text_add(out, "      a wider terminal shows more columns\n");
    arena_free(&arena);
}
