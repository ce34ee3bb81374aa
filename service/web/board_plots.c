#include "service/web/board_plots.h"

#include "base/svg.h"
#include "grader/ranking/ranking.h"
#include "harness/device/ceilings.h"
#include "harness/device/device_open.h"
#include "leaderboard/database.h"
#include "service/store/service_store.h"
#include "service/web/parts.h"
#include "service/web/template.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== board data ================================================================================================== */

static Status read_references(Store *store, const Problem *problem, const Board *board, Arena *arena, BoardPage *page,
                              Message *why)
{
    References references;
    TRY(ranking_references(store, problem, board, &references, why));
    page->references = references_times(&references, arena, &page->reference_count);
    references_free(&references);
    return STATUS_OK;
}

/* The name of a simulated GPU is that of its profile, of a real one that of the calibrated device. NULL: unknown. */
static const char *device_name(const char *id, Arena *arena)
{
    char name[sizeof((DeviceInfo *)0)->id + 1];
    DeviceInfo info;
    Ceilings ceilings;
    Message why;
    snprintf(name, sizeof name, "sim:%s", strncmp(id, "sim-", strlen("sim-")) == 0 ? id + strlen("sim-") : "");
    if (name[strlen("sim:")] != '\0')
        return device_describe(name, &info, &why) == STATUS_OK ? arena_string(arena, info.name) : NULL;
    return ceilings_read(id, &ceilings, &why) == STATUS_OK ? arena_string(arena, ceilings.name) : NULL;
}

Status board_data_read(Store *store, const Problem *problem, const Board *board, Arena *arena, BoardPage *page,
                       Message *why)
{
    Standings standings = {0};
    Status status = STATUS_OK;
    *page = (BoardPage){.device = arena_string(arena, board->device),
                        .device_name = device_name(board->device, arena),
                        .modelled = device_models_times(board->device),
                        .is_older = board->is_older};
    if (store != NULL)
        status = store_standings(store, board, arena, &standings, why);
    TRY(status);
    page->standings = standings.people;
    page->standing_count = standings.count;
    page->newest_run = standings.newest_run;
    page->best = arena_array(arena, standings.best_count, sizeof *page->best);
    for (; page->best_count < standings.best_count; page->best_count++)
        page->best[page->best_count] = (BestTime){.time_utc = standings.best[page->best_count].time_utc,
                                                  .person = standings.best[page->best_count].person,
                                                  .time = standings.best[page->best_count].time};
    return read_references(store, problem, board, arena, page, why);
}

Status board_data_list(Store *store, const Problem *problem, Arena *arena, Board **boards, size_t *count, Message *why)
{
    *boards = NULL;
    *count = 0;
    return store == NULL ? STATUS_OK
                         : store_boards(store, problem->id, problem->revision.hex, arena, boards, count, why);
}

static bool is_outdated(const Board *board)
{
    char name[sizeof((DeviceInfo *)0)->id + 8];
    DeviceInfo info;
    if (board->is_older || strncmp(board->device, "sim-", strlen("sim-")) != 0)
        return board->is_older;
    snprintf(name, sizeof name, "sim:%s", board->device + strlen("sim-"));
    return device_describe(name, &info, NULL) == STATUS_OK && info.epoch > board->epoch;
}

static Status add_outdated(Store *store, const Problem *problem, Rows *found, Message *why)
{
    Board *boards;
    Standings standings;
    size_t count = 0;
    Status status = board_data_list(store, problem, found->arena, &boards, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (!is_outdated(&boards[i]))
            continue;
        status = store_standings(store, &boards[i], found->arena, &standings, why);
        if (status == STATUS_OK)
            *(OutdatedBoard *)database_rows_next(found) = (OutdatedBoard){boards[i].problem, boards[i].device,
                                                                          standings.count};
    }
    return status;
}

Status board_data_outdated(Store *store, Arena *arena, OutdatedBoard **boards, size_t *count, Message *why)
{
    Rows found = {.arena = arena, .item_bytes = sizeof(OutdatedBoard)};
    const char **ids;
    size_t id_count = 0;
    Status status = problem_list(arena, &ids, &id_count, why);
    for (size_t i = 0; i < id_count && status == STATUS_OK; i++) {
        Problem problem;
        if (problem_read(ids[i], &problem, NULL) != STATUS_OK)
            continue; /* nothing is judged for it now */
        status = add_outdated(store, &problem, &found, why);
        problem_free(&problem);
    }
    *boards = (OutdatedBoard *)(void *)found.items;
    *count = found.count;
    return status;
}

/* ==== board plots ================================================================================================= */

static const double LEFT = 12, RIGHT = PLOT_WIDTH - 12;

/* ---- the range of all times -------------------------------------------------------------------------------------- */

typedef struct PlotRange {
    double low, high;
} PlotRange;

static void include(PlotRange *range, MeasuredTime time)
{
    if (!(time.ms > 0))
        return;
    range->low = fmin(range->low, time.ms / (1 + time_reach(time)));
    range->high = fmax(range->high, time.ms * (1 + time_reach(time)));
}

static PlotRange range_of(const BoardPage *board, MeasuredTime you)
{
    PlotRange range = {INFINITY, 0};
    for (size_t i = 0; i < board->standing_count; i++)
        include(&range, board->standings[i].time);
    for (size_t i = 0; i < board->reference_count; i++)
        include(&range, board->references[i].time);
    include(&range, you);
    return range;
}

static void add_time_axis(Text *page, const PlotAxis *axis, double y)
{
    double ticks[AXIS_MAX_TICKS];
    int count = axis_ticks(axis, 52, ticks);
    svg_line(page, "axis", LEFT, y, RIGHT, y);
    for (int i = 0; i < count; i++) {
        double x = axis_at(axis, ticks[i]);
        svg_line(page, "axis", x, y, x, y + 4);
        svg_label(page, "tick", x, y + 17,
                  x < LEFT + 20    ? "start"
                  : x > RIGHT - 20 ? "end"
                                   : "middle",
                  figure_time(ticks[i]).text);
    }
}

/* ---- people ------------------------------------------------------------------------------------------------------ */

enum { MAX_DISCS = 80, MAX_LEVELS = 11, BINS = 38 };
static const double DISC = 4.5, LEVEL = 10.5, STACK = MAX_LEVELS * 10.5;

/* The level of each disc above the axis, so that none covers another; the number of levels, 0 if there is no room. */
static int stack_discs(const BoardPage *board, const PlotAxis *axis, int levels[MAX_DISCS])
{
    double last[MAX_LEVELS];
    int used = 0;
    if (board->standing_count > MAX_DISCS)
        return 0;
    for (int level = 0; level < MAX_LEVELS; level++)
        last[level] = -INFINITY;
    for (size_t i = 0; i < board->standing_count; i++) {
        double x = axis_at(axis, board->standings[i].time.ms);
        int level = 0;
        while (level < MAX_LEVELS && x - last[level] < 2 * DISC + 1)
            level++;
        if (level == MAX_LEVELS)
            return 0;
        last[level] = x;
        levels[i] = level;
        used = level + 1 > used ? level + 1 : used;
    }
    return used;
}

static void add_discs(Text *page, const BoardPage *board, const PlotAxis *axis, const int *levels, double y)
{
    for (size_t i = 0; i < board->standing_count; i++) {
        const Standing *standing = &board->standings[i];
        double at = y - 7 - DISC - levels[i] * LEVEL, ms = standing->time.ms;
        const double reach = 1 + time_reach(standing->time);
        Text tip = {0};
        text_printf(&tip, "%s: %s", standing->person, figure_measured(standing->time).text);
        svg_line(page, "others-line", axis_at(axis, ms / reach), at, axis_at(axis, ms * reach), at);
        svg_disc(page, "others", axis_at(axis, ms), at, DISC, tip.data);
        text_free(&tip);
    }
}

static void add_histogram(Text *page, const BoardPage *board, const PlotAxis *axis, double y)
{
    size_t counts[BINS] = {0}, most = 1;
    char label[40];
    double width = (RIGHT - LEFT) / BINS;
    for (size_t i = 0; i < board->standing_count; i++) {
        int bin = (int)((axis_at(axis, board->standings[i].time.ms) - LEFT) / width);
        bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
        counts[bin]++;
        most = counts[bin] > most ? counts[bin] : most;
    }
    for (int bin = 0; bin < BINS; bin++) {
        double height = STACK * (double)counts[bin] / (double)most;
        if (counts[bin] > 0)
            svg_rect(page, "others-bar", LEFT + bin * width + 0.5, y - 7 - height, width - 1, height);
    }
    snprintf(label, sizeof label, "%zu people", most);
    svg_line(page, "grid", LEFT, y - 7 - STACK, RIGHT, y - 7 - STACK);
    svg_label(page, "tick", RIGHT, y - 7 - STACK - 4, "end", label);
}

/* ---- all times --------------------------------------------------------------------------------------------------- */

static void add_references(Text *page, const BoardPage *board, const PlotAxis *axis, double y)
{
    for (size_t i = 0; i < board->reference_count; i++) {
        Text tip = {0};
        text_printf(&tip, "%s: %s", board->references[i].name, figure_measured(board->references[i].time).text);
        svg_diamond(page, "reference", axis_at(axis, board->references[i].time.ms), y, 5.5, tip.data);
        text_free(&tip);
    }
}

static void add_you(Text *page, const PlotAxis *axis, MeasuredTime you, double top, double y)
{
    if (!(you.ms > 0))
        return;
    double x = axis_at(axis, you.ms), low = axis_at(axis, you.ms / (1 + time_reach(you))),
           high = axis_at(axis, you.ms * (1 + time_reach(you)));
    svg_rect(page, "me-band", low, top, fmax(high - low, 1), y - top);
    svg_line(page, "me-line", x, top, x, y);
    svg_label(page, "strong", x, top - 5, x < 120 ? "start" : x > PLOT_WIDTH - 120 ? "end" : "middle", "you are here");
}

/* Persons, references and the submission in one order, for the table. */
typedef struct PlotEntry {
    const char *name, *kind;
    MeasuredTime time;
} PlotEntry;

static int by_time(const void *a, const void *b)
{
    const PlotEntry *x = a, *y = b;
    return (x->time.ms > y->time.ms) - (x->time.ms < y->time.ms);
}

static void put_entries(cJSON *values, const BoardPage *board, MeasuredTime you)
{
    enum { MOST = 250 };
    cJSON *list = cJSON_AddArrayToObject(values, "entries");
    size_t count = 0;
    PlotEntry *entries = zeroed(board->standing_count + board->reference_count + 1, sizeof *entries);
    for (size_t i = 0; i < board->standing_count; i++)
        entries[count++] = (PlotEntry){board->standings[i].person, "person", board->standings[i].time};
    for (size_t i = 0; i < board->reference_count; i++)
        entries[count++] = (PlotEntry){board->references[i].name, "reference solution", board->references[i].time};
    if (you.ms > 0)
        entries[count++] = (PlotEntry){"this submission", "you", you};
    qsort(entries, count, sizeof *entries, by_time);
    values_put(values, "total=%zu left_out=%d", count, count > MOST);
    for (size_t i = 0; i < count && i < MOST; i++) {
        cJSON *row = values_row(list);
        values_put(row, "name=%s kind=%s", entries[i].name, entries[i].kind);
        values_time(row, entries[i].time);
    }
    free(entries);
}

/* Shows a plot with its numbers. */
static void show_plot(Text *page, const char *name, cJSON *values, Text *plot)
{
    values_markup(values, "plot", plot);
    template_show(page, name, values);
    cJSON_Delete(values);
}

void plot_times(Text *page, const char *id, const BoardPage *board, MeasuredTime you)
{
    int levels[MAX_DISCS];
    PlotRange range = range_of(board, you);
    if (!(range.high > 0))
        return;
    PlotAxis axis = axis_around(range.low, range.high, LEFT, RIGHT, true);
    int used = stack_discs(board, &axis, levels);
    bool has_discs = used > 0 || board->standing_count == 0;
    double stack = has_discs ? fmax(used * LEVEL, 30) : STACK, top = 20, y = top + 10 + stack + 8;
    cJSON *values = cJSON_CreateObject();
    Text plot = {0};
    svg_begin(&plot, id, y + 24, "All times on this board",
              "Times of people and of reference solutions along a logarithmic axis. The table below has the numbers.");
    add_you(&plot, &axis, you, top, y);
    if (has_discs)
        add_discs(&plot, board, &axis, levels, y);
    else
        add_histogram(&plot, board, &axis, y);
    add_time_axis(&plot, &axis, y);
    add_references(&plot, board, &axis, y);
    svg_end(&plot);
    values_put(values, "people=%s has_references=%d has_you=%d",
               board->standing_count == 0 ? ""
               : has_discs                ? "a person"
                                          : "people",
               board->reference_count > 0, you.ms > 0);
    put_entries(values, board, you);
    show_plot(page, "all_times", values, &plot);
}

/* ---- the reference solutions -------------------------------------------------------------------------------------------------- */

/* The slowest of the references that are significantly faster than `you`. */
static const ReferenceTime *next_reference(const BoardPage *board, MeasuredTime you)
{
    const ReferenceTime *next = NULL;
    for (size_t i = 0; i < board->reference_count; i++)
        if (you.ms > 0 && time_is_faster(board->references[i].time, you))
            next = &board->references[i];
    return next;
}

/* A reference has the name of a reference solution; NULL: it is the submission itself. */
static void put_reference(cJSON *list, const ReferenceTime *reference, MeasuredTime you, double longest, bool is_next)
{
    const MeasuredTime time = reference == NULL ? you : reference->time;
    cJSON *row = values_row(list);
    values_put(row, "name=%s is_you=%d is_next=%d width=%.1f times_as_fast=%g",
               reference == NULL ? "this submission" : reference->name, reference == NULL, is_next,
               100 * time.ms / longest, you.ms / time.ms);
    values_time(row, time);
}

void plot_references(Text *page, const BoardPage *board, MeasuredTime you)
{
    const ReferenceTime *next = next_reference(board, you);
    double longest = you.ms;
    bool you_stand = !(you.ms > 0);
    if (board->reference_count == 0)
        return;
    for (size_t i = 0; i < board->reference_count; i++)
        longest = fmax(longest, board->references[i].time.ms);
    cJSON *values = cJSON_CreateObject(), *references = cJSON_AddArrayToObject(values, "references");
    for (size_t i = 0; i < board->reference_count; i++) {
        const ReferenceTime *reference = &board->references[i];
        if (!you_stand && you.ms < reference->time.ms) {
            put_reference(references, NULL, you, longest, false);
            you_stand = true;
        }
        put_reference(references, reference, you, longest, reference == next);
    }
    if (!you_stand)
        put_reference(references, NULL, you, longest, false);
    values_put(values, "has_you=%d", you.ms > 0);
    if (next == NULL)
        cJSON_AddNullToObject(values, "next");
    else
        values_put(cJSON_AddObjectToObject(values, "next"), "name=%s times_as_fast=%g", next->name,
                   you.ms / next->time.ms);
    template_show(page, "references", values);
    cJSON_Delete(values);
}

/* ---- the best over the weeks ------------------------------------------------------------------------------------- */

static void add_steps(Text *page, const BestTime *times, size_t count, const PlotAxis *across, const PlotAxis *up)
{
    double x = 0, y = 0;
    for (size_t i = 0; i < count; i++) {
        double next_x = axis_at(across, (double)utc_seconds(times[i].time_utc)), next_y = axis_at(up, times[i].time.ms);
        if (i > 0) {
            svg_line(page, "best-line", x, y, next_x, y);
            svg_line(page, "best-line", next_x, y, next_x, next_y);
        }
        x = next_x;
        y = next_y;
    }
    svg_line(page, "best-line", x, y, RIGHT, y);
    for (size_t i = 0; i < count; i++) {
        Text tip = {0};
        text_printf(&tip, "%s, %s: %s", figure_day(times[i].time_utc).text, times[i].person,
                    figure_measured(times[i].time).text);
        svg_disc(page, "best", axis_at(across, (double)utc_seconds(times[i].time_utc)), axis_at(up, times[i].time.ms),
                 4, tip.data);
        text_free(&tip);
    }
}

static void add_time_scale(Text *page, const PlotAxis *up, double left, double bottom)
{
    double ticks[AXIS_MAX_TICKS];
    int count = axis_ticks(up, 22, ticks);
    for (int i = 0; i < count; i++) {
        double y = axis_at(up, ticks[i]);
        svg_line(page, "grid", left, y, RIGHT, y);
        svg_label(page, "tick", left - 6, y + 4, "end", figure_time(ticks[i]).text);
    }
    svg_line(page, "axis", left, bottom, RIGHT, bottom);
}

static void draw_history(Text *page, const char *id, const char *title, const BestTime *times, size_t count)
{
    const double left = 62, top = 10, bottom = 150;
    double first = (double)utc_seconds(times[0].time_utc), last = (double)utc_seconds(times[count - 1].time_utc),
           low = INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, times[i].time.ms);
        high = fmax(high, times[i].time.ms);
    }
    PlotAxis across = {
        .low = first, .high = fmax(last + (last - first) * 0.08, first + 1), .from = left + 8, .to = RIGHT};
    PlotAxis up = axis_around(low, high, bottom, top, true);
    svg_begin(page, id, bottom + 24, title, "Times by the day, joined by steps. The table below has the numbers.");
    add_time_scale(page, &up, left, bottom);
    add_steps(page, times, count, &across, &up);
    svg_label(page, "tick", left, bottom + 17, "start", figure_day(times[0].time_utc).text);
    svg_label(page, "tick", RIGHT, bottom + 17, "end", figure_day(times[count - 1].time_utc).text);
    svg_end(page);
}

void plot_history(Text *page, const char *id, const char *title, const char *who, const BestTime *times, size_t count)
{
    enum { MOST = 100 };
    const size_t left_out = count > MOST ? count - MOST : 0;
    if (count < 2)
        return;
    cJSON *values = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(values, "times");
    Text plot = {0};
    draw_history(&plot, id, title, times + left_out, count - left_out);
    values_put(values, "title=%s who=%s left_out=%zu", title, who, left_out);
    for (size_t i = left_out; i < count; i++) {
        cJSON *row = values_row(list);
        values_put(row, "time_utc=%s person=%s", times[i].time_utc, times[i].person);
        values_time(row, times[i].time);
    }
    show_plot(page, "history", values, &plot);
}

/* The timed submissions of the problem of rows[first] on its device, oldest first; 0 if an earlier row began the same list. */
static size_t history_of(const StoredSubmission *rows, size_t row_count, size_t first, BestTime *times)
{
    size_t count = 0;
    for (size_t i = row_count; i-- > 0;) {
        bool belongs = rows[i].time.ms > 0 && strcmp(rows[i].problem, rows[first].problem) == 0 &&
                       strcmp(rows[i].device, rows[first].device) == 0;
        if (belongs && i < first)
            return 0;
        if (belongs)
            times[count++] = (BestTime){
                .time_utc = rows[i].received_utc, .person = rows[i].file_name, .time = rows[i].time};
    }
    return count;
}

void plot_histories(Text *page, const StoredSubmission *rows, size_t row_count)
{
    enum { MOST = 12 };
    BestTime *times = calloc(row_count + 1, sizeof *times);
    int shown = 0;
    for (size_t i = 0; times != NULL && i < row_count && shown < MOST; i++) {
        Text id = {0}, title = {0};
        size_t count = rows[i].time.ms > 0 ? history_of(rows, row_count, i, times) : 0;
        text_printf(&id, "history-%zu", i);
        text_printf(&title, "%s on %s%s", rows[i].problem, rows[i].device,
                    device_models_times(rows[i].device) ? ", modelled times" : "");
        if (count >= 2)
            plot_history(page, id.data, title.data, "File", times, count);
        shown += count >= 2;
        text_free(&id);
        text_free(&title);
    }
    free(times);
}
