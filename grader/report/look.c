#include "grader/report/look.h"

#include "base/elf.h"
#include "base/html.h"
#include "base/paths.h"
#include "base/svg.h"
#include "harness/compile/compile_sandbox.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = SIM_WARP_SIZE };

/* ==== requests ==================================================================================================== */

/* What serves a lane: a sector of global memory, a bank of shared memory, a word of constant memory. */
typedef struct Served {
    uint64_t units[LANES]; /* of each lane the first: number of the sector or word; of shared memory the word */
    int ranks[LANES];      /* of global and constant memory: which of the different units, by address; of shared memory:
                            * the wavefront in which the lane is served; -1: it is not active */
    int count;             /* of the ranks */
    uint32_t least;        /* sectors, words or wavefronts that would do for as many different bytes */
} Served;

static bool has_lane(const WarpRequest *request, int lane)
{
    return request->lanes >> lane & 1;
}

static int compare_addresses(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* Bytes that the lanes ask for, each counted once. */
static uint64_t different_bytes(const WarpRequest *request)
{
    uint64_t starts[LANES] = {0}, sum = 0, end = 0;
    int count = 0;
    for (int lane = 0; lane < LANES; lane++)
        if (has_lane(request, lane))
            starts[count++] = request->addresses[lane];
    qsort(starts, (size_t)count, sizeof *starts, compare_addresses);
    for (int i = 0; i < count; i++) {
        const uint64_t from = starts[i] > end ? starts[i] : end, to = starts[i] + request->bytes;
        sum += to > from ? to - from : 0;
        end = to > end ? to : end;
    }
    return sum;
}

/* Lanes that want different words of one bank wait for each other, within a half of the warp for 8 bytes a lane, and
 * within a quarter for 16 (simgpu/cost/pattern.h). */
static void serve_by_banks(const WarpRequest *request, Served *served)
{
    const int together = request->bytes > 8 ? 8 : request->bytes > 4 ? 16 : LANES;
    int before = 0;
    for (int first = 0; first < LANES; first += together) {
        int deepest = 0;
        for (int lane = first; lane < first + together; lane++) {
            int rank = 0;
            if (!has_lane(request, lane))
                continue;
            bool is_shared = false;
            for (int other = first; other < lane && !is_shared; other++) {
                const bool same_bank = has_lane(request, other) &&
                                       served->units[other] % SHARED_BANKS == served->units[lane] % SHARED_BANKS;
                is_shared = same_bank && served->units[other] == served->units[lane];
                rank = is_shared                                            ? served->ranks[other] - before
                       : same_bank && served->ranks[other] - before >= rank ? served->ranks[other] - before + 1
                                                                            : rank;
            }
            served->ranks[lane] = before + rank;
            deepest = rank + 1 > deepest ? rank + 1 : deepest;
        }
        before += deepest;
    }
    served->count = before;
}

static void serve_by_units(const WarpRequest *request, Served *served)
{
    uint64_t sorted[LANES] = {0};
    int count = 0;
    for (int lane = 0; lane < LANES; lane++)
        if (has_lane(request, lane))
            sorted[count++] = served->units[lane];
    qsort(sorted, (size_t)count, sizeof *sorted, compare_addresses);
    for (int i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[served->count - 1])
            sorted[served->count++] = sorted[i];
    for (int lane = 0; lane < LANES; lane++)
        for (int i = 0; i < served->count && has_lane(request, lane); i++)
            if (sorted[i] == served->units[lane])
                served->ranks[lane] = i;
}

static Served serve(const WarpRequest *request)
{
    const bool in_shared = request->space == PTX_SHARED, is_global = request->space == PTX_GLOBAL;
    const uint64_t unit = is_global ? SECTOR_BYTES : BANK_BYTES, bytes = different_bytes(request);
    const uint64_t whole = is_global ? SECTOR_BYTES : in_shared ? SHARED_BANKS * BANK_BYTES : BANK_BYTES;
    Served served = {.least = (uint32_t)((bytes + whole - 1) / whole)};
    for (int lane = 0; lane < LANES; lane++) {
        served.units[lane] = request->addresses[lane] / unit;
        served.ranks[lane] = -1;
    }
    if (in_shared)
        serve_by_banks(request, &served);
    else
        serve_by_units(request, &served);
    return served;
}

/* ---- accesses of a line ------------------------------------------------------------------------------------------ */

enum { TIMES_OF_FIRST = 8, TIMES_OF_OTHERS = 2, MOST_SHOWN = TIMES_OF_FIRST + REQUEST_WARPS * TIMES_OF_OTHERS };

/* The accesses of a line to one array: a loop that is unrolled has several instructions for them. */
typedef struct Access {
    const ProfileRequest *requests[MOST_SHOWN]; /* in the order in which they were made */
    uint32_t times[MOST_SHOWN];                 /* how often the warp has made one before */
    size_t count;
} Access;

static bool is_own_file(const ExecutionProfile *profile, uint32_t file)
{
    const char *name = profile->files[file < PROFILE_MAX_FILES ? file : 0], *slash = strrchr(name, '/');
    return strcmp(slash == NULL ? name : slash + 1, COMPILE_SOURCE_NAME) == 0;
}

static bool is_of_line(const ExecutionProfile *profile, const ProfileRequest *request, int line)
{
    return request->is.line == line && is_own_file(profile, request->file);
}

static bool is_same_access(const ProfileRequest *a, const ProfileRequest *b)
{
    return a->kernel == b->kernel && a->array == b->array && a->is.line == b->is.line && a->file == b->file &&
           a->is.space == b->is.space && a->is.is_store == b->is.is_store && a->is.bytes == b->is.bytes;
}

static bool is_first_of_access(const ExecutionProfile *profile, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++)
        if (is_same_access(&profile->requests[i], &profile->requests[number]))
            return false;
    return true;
}

/* The `n`-th access of the line, with several requests of the first warp, and some of others; false: there are fewer. */
static bool find_access(const Look *look, size_t n, Access *access)
{
    const ExecutionProfile *profile = look->profile;
    uint32_t times[REQUEST_WARPS] = {0};
    *access = (Access){.count = 0};
    for (uint32_t i = 0; i < profile->request_count; i++) {
        const ProfileRequest *request = &profile->requests[i];
        const uint32_t warp = request->is.warp;
        const bool is_wanted = access->count > 0 ? is_same_access(request, access->requests[0])
                                                 : is_of_line(profile, request, look->line) &&
                                                       is_first_of_access(profile, i) && n-- == 0;
        if (!is_wanted || warp >= REQUEST_WARPS || times[warp] >= (warp == 0 ? TIMES_OF_FIRST : TIMES_OF_OTHERS))
            continue;
        access->requests[access->count] = request;
        access->times[access->count++] = times[warp]++;
    }
    return access->count > 0;
}

bool look_has_line(const ExecutionProfile *profile, int line)
{
    for (uint32_t i = 0; i < profile->request_count; i++)
        if (is_of_line(profile, &profile->requests[i], line))
            return true;
    return false;
}

int look_hottest_line(const ExecutionProfile *profile)
{
    uint64_t most = 0;
    int hottest = 0;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const SimCounters *counters = &profile->lines[i].counts.counters;
        const uint64_t wavefronts = counters->global_load_wavefronts + counters->global_store_sectors +
                                    counters->shared_load_wavefronts + counters->shared_store_wavefronts +
                                    counters->constant_requests + counters->constant_replays;
        if (is_own_file(profile, profile->lines[i].file) && wavefronts > most &&
            look_has_line(profile, profile->lines[i].counts.line)) {
            most = wavefronts;
            hottest = profile->lines[i].counts.line;
        }
    }
    return hottest;
}

/* ==== words ======================================================================================================= */

static const ProfileArray *array_of(const ExecutionProfile *profile, uint32_t number)
{
    return number > 0 && number <= profile->array_count && number <= PROFILE_MAX_ARRAYS ? &profile->arrays[number - 1]
                                                                                        : NULL;
}

static const char *space_words(const WarpRequest *request)
{
    return request->space == PTX_SHARED ? "shared" : request->space == PTX_CONST ? "constant" : "global";
}

/* "input", "array of shared memory" */
static const char *array_words(const ExecutionProfile *profile, const ProfileRequest *request)
{
    const ProfileArray *array = array_of(profile, request->array);
    return array != NULL ? array->name : request->is.space == PTX_SHARED ? "shared memory" : "memory without a name";
}

static void add_access_words(const ExecutionProfile *profile, const ProfileRequest *request, Text *out)
{
    char kernel[SIM_MAX_NAME] = "?";
    if (request->kernel < PROFILE_MAX_KERNELS)
        symbol_name(profile->kernels[request->kernel].name, kernel, sizeof kernel);
    text_printf(out, "Kernel %s %s %s, %s memory, %u bytes for each lane", kernel,
                request->is.is_store ? "stores into" : "loads from", array_words(profile, request),
                space_words(&request->is), request->is.bytes);
}

/* The element of an address in its array; of shared memory, in units of the access. */
static uint64_t element_of(const ExecutionProfile *profile, const ProfileRequest *request, uint64_t address)
{
    const ProfileArray *array = array_of(profile, request->array);
    const uint64_t size = array != NULL && array->element_bytes > 0 ? array->element_bytes : BANK_BYTES;
    return (address - (array == NULL || request->is.space == PTX_SHARED ? 0 : array->address)) / size;
}

/* "4 sectors, 4 would do; 1 wavefront" */
static void add_cost(const WarpRequest *request, const Served *served, Text *out)
{
    const uint32_t got = request->space == PTX_SHARED ? request->wavefronts : request->sectors;
    const char *unit = request->space == PTX_SHARED  ? "wavefront"
                       : request->space == PTX_CONST ? "different word"
                                                     : "sector";
    text_printf(out, "%u %s%s", got, unit, got == 1 ? "" : "s");
    if (got > served->least)
        text_printf(out, ", %u would do", served->least);
}

static void add_request_words(const ExecutionProfile *profile, const Access *access, size_t i, const Served *served,
                              Text *out)
{
    const ProfileRequest *request = access->requests[i];
    uint64_t low = UINT64_MAX, high = 0;
    for (int lane = 0; lane < LANES; lane++) {
        if (!has_lane(&request->is, lane))
            continue;
        const uint64_t element = element_of(profile, request, request->is.addresses[lane]);
        low = element < low ? element : low;
        high = element > high ? element : high;
    }
    text_printf(out, "warp %u, time %u: %s", request->is.warp, access->times[i] + 1,
                request->is.space == PTX_SHARED ? "word" : "element");
    if (low == high)
        text_printf(out, " %llu: ", (unsigned long long)low);
    else
        text_printf(out, "s %llu to %llu: ", (unsigned long long)low, (unsigned long long)high);
    add_cost(&request->is, served, out);
}

/* ---- elements that a block reads --------------------------------------------------------------------------------- */

enum { MOST_ROWS = 24, MOST_COLUMNS = 48 };

typedef struct ReadMap { /* a part of the last two dimensions of an array */
    const char *array;
    uint32_t kernel, first_row, first_column, row_step, column_step, rows,
        columns;                           /* a cell is row_step x column_step */
    double cells[MOST_ROWS][MOST_COLUMNS]; /* the mean number of loads by threads; 0: none */
    double elements, threads, warps;       /* elements that are read; loads of them */
} ReadMap;

/* The elements of a row of the array that solve() gets; 0: it is none of these. */
static uint32_t columns_of(const Look *look, const char *name)
{
    size_t shape[TENSOR_MAX_RANK], count;
    for (size_t i = 0; i < look->problem->parameter_count; i++)
        if (parameter_is_array(&look->problem->parameters[i]) && strcmp(look->problem->parameters[i].name, name) == 0 &&
            problem_shape(look->problem, i, &look->sizes, shape, &count, NULL) == STATUS_OK)
            return look->problem->parameters[i].rank > 1 ? (uint32_t)shape[look->problem->parameters[i].rank - 1]
                                                         : UINT32_MAX;
    return 0;
}

static void widen(uint32_t value, uint32_t *low, uint32_t *high)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

/* The map of reads [from, to) of one kernel and array. */
static bool make_map(const Look *look, uint32_t from, uint32_t to, ReadMap *map)
{
    const ProfileRead *reads = look->profile->reads;
    const ProfileArray *array = array_of(look->profile, reads[from].array);
    const uint32_t width = array == NULL ? 0 : columns_of(look, array->name);
    uint32_t low[2] = {UINT32_MAX, UINT32_MAX}, high[2] = {0, 0};
    if (width == 0)
        return false;
    *map = (ReadMap){.array = array->name, .kernel = reads[from].kernel};
    for (uint32_t i = from; i < to; i++) {
        widen(reads[i].index / width, &low[0], &high[0]);
        widen(reads[i].index % width, &low[1], &high[1]);
        map->elements++;
        map->threads += reads[i].threads;
        map->warps += reads[i].warps;
    }
    map->first_row = low[0];
    map->first_column = low[1];
    map->row_step = (high[0] - low[0]) / MOST_ROWS + 1;
    map->column_step = (high[1] - low[1]) / MOST_COLUMNS + 1;
    map->rows = (high[0] - low[0]) / map->row_step + 1;
    map->columns = (high[1] - low[1]) / map->column_step + 1;
    for (uint32_t i = from; i < to; i++)
        map->cells[(reads[i].index / width - low[0]) / map->row_step]
                  [(reads[i].index % width - low[1]) / map->column_step] += (double)reads[i].threads /
                                                                            (map->row_step * (double)map->column_step);
    return true;
}

/* The `n`-th map; false: there are fewer. Those of arrays that no parameter is are left out. */
static bool find_map(const Look *look, size_t n, ReadMap *map)
{
    const ExecutionProfile *profile = look->profile;
    for (uint32_t from = 0, to; from < profile->read_count; from = to) {
        for (to = from + 1; to < profile->read_count && profile->reads[to].kernel == profile->reads[from].kernel &&
                            profile->reads[to].array == profile->reads[from].array;
             to++)
            continue;
        if (make_map(look, from, to, map) && n-- == 0)
            return true;
    }
    return false;
}

static void add_map_words(const ReadMap *map, Text *out)
{
    text_printf(
        out,
        "The block reads %.0f elements of %s from global memory; its threads load each %.1f times on average, its warps "
        "%.1f times",
        map->elements, map->array, map->threads / map->elements, map->warps / map->elements);
}

/* ==== on the terminal ============================================================================================= */

static char digit(int rank)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    return rank < 0 ? '.' : rank < 36 ? digits[rank] : '#';
}

static void write_request(const Look *look, const Access *access, size_t i, Text *out)
{
    const Served served = serve(&access->requests[i]->is);
    text_add(out, "    ");
    for (int lane = 0; lane < LANES; lane++)
        text_printf(out, "%c", digit(served.ranks[lane]));
    text_add(out, "  ");
    add_request_words(look->profile, access, i, &served, out);
    text_add(out, "\n");
}

static void write_map(const ReadMap *map, Text *out)
{
    text_add(out, "\n  ");
    add_map_words(map, out);
    text_add(out, ".\n");
    if (map->row_step * map->column_step > 1)
        text_printf(out, "  A character stands for %u x %u elements.\n", map->row_step, map->column_step);
    for (uint32_t row = 0; row < map->rows; row++) {
        text_add(out, "    ");
        for (uint32_t column = 0; column < map->columns; column++)
            text_printf(out, "%c", map->cells[row][column] > 0 ? digit((int)lround(map->cells[row][column])) : '.');
        text_add(out, "\n");
    }
}

void look_write(const Look *look, TerminalStyle style, Text *out)
{
    const char *source = text_line(look->submission->source.data, look->line);
    ReadMap map;
    Access access;
    text_printf(out, "case \"%s\", line %d: %.*s\n", look->case_name, look->line,
                source == NULL ? 0 : (int)strcspn(source, "\n"), source == NULL ? "" : source);
    for (size_t n = 0; find_access(look, n, &access); n++) {
        text_add(out, "\n  ");
        add_access_words(look->profile, access.requests[0], out);
        text_printf(out, ".\n  Each character is a lane: %s\n    lane 0  8       16      24\n",
                    access.requests[0]->is.space == PTX_SHARED  ? "the wavefront that serves it."
                    : access.requests[0]->is.space == PTX_CONST ? "which of the different words it wants."
                                                                : "which of the sectors serves it.");
        for (size_t i = 0; i < access.count; i++)
            write_request(look, &access, i, out);
    }
    text_add(out, "\n  ");
    terminal_colour(style, out, COLOUR_MARK, "How often each element is read");
    text_add(out, "\n");
    for (size_t n = 0; find_map(look, n, &map); n++)
        write_map(&map, out);
    if (look->profile->reads_left_out > 0)
        text_printf(out, "  %u elements more are not shown.\n", look->profile->reads_left_out);
}

/* ==== on a page =================================================================================================== */

enum { LANE = 11, LEFT = 46, COLOURS = 6 };

static const char *class_of_rank(int rank)
{
    static const char *const classes[COLOURS] = {"cell rank-0", "cell rank-1", "cell rank-2",
                                                 "cell rank-3", "cell rank-4", "cell rank-5"};
    return rank < 0 ? "cell" : classes[rank % COLOURS];
}

static void draw_label(Text *page, double x, double y, const char *anchor, const char *format, uint64_t number)
{
    char text[40];
    snprintf(text, sizeof text, format, (unsigned long long)number);
    svg_label(page, "tick", x, y, anchor, text);
}

/* Lanes above, what serves them below, and a line for each lane. */
static void draw_request(const Look *look, const Access *access, const char *id, Text *page)
{
    const ProfileRequest *request = access->requests[0];
    const Served served = serve(&request->is);
    const bool in_shared = request->is.space == PTX_SHARED;
    const int boxes = in_shared ? SHARED_BANKS : served.count;
    const double width = in_shared ? LANE : (double)LANES * LANE / (boxes > 0 ? boxes : 1);
    Text words = {0};
    add_request_words(look->profile, access, 0, &served, &words);
    svg_begin(page, id, 108, "Lanes of a warp, and what serves them", words.data);
    svg_label(page, "tick", 0, 22, "start", "lanes");
    svg_label(page, "tick", 0, 90, "start", in_shared ? "banks" : request->is.space == PTX_CONST ? "words" : "sectors");
    for (int box = 0; box < boxes; box++)
        svg_rect(page, in_shared ? "cell" : class_of_rank(box), LEFT + width * box, 80, width - 1, 14);
    for (int lane = 0; lane < LANES; lane++) {
        const double x = LEFT + LANE * lane;
        svg_rect(page, class_of_rank(served.ranks[lane]), x, 12, LANE - 1, 14);
        if (lane % 8 == 0)
            draw_label(page, x, 8, "start", "%llu", (uint64_t)lane);
        if (served.ranks[lane] >= 0)
            svg_line(page, "grid", x + LANE / 2.0, 26,
                     LEFT +
                         width * ((in_shared ? (double)(served.units[lane] % SHARED_BANKS) : served.ranks[lane]) + 0.5),
                     80);
    }
    svg_end(page);
    text_free(&words);
}

/* A row of lanes for each time of each warp: the picture above, in small. */
static void draw_strip(const Access *access, const char *id, Text *page)
{
    enum { ROW = 12 };
    svg_begin(
        page, id, ROW * (double)access->count + 14, "The same for other warps and times",
        "A row for each time of each warp, whose lanes have the colours of what serves them. The table says the same.");
    for (size_t i = 0; i < access->count; i++) {
        const WarpRequest *request = &access->requests[i]->is;
        const Served served = serve(request);
        char label[40];
        snprintf(label, sizeof label, "%u, %u", request->warp, access->times[i] + 1);
        svg_label(page, "tick", 0, ROW * (double)i + 10, "start", label);
        for (int lane = 0; lane < LANES; lane++)
            svg_rect(page, class_of_rank(served.ranks[lane]), LEFT + LANE * lane, ROW * (double)i + 1, LANE - 1,
                     ROW - 2);
    }
    svg_end(page);
}

static void draw_access(const Look *look, const Access *access, size_t number, Text *page)
{
    char id[40];
    Text words = {0};
    add_access_words(look->profile, access->requests[0], &words);
    html_add(page, "<h3>%s</h3>\n<div class=\"plots\">\n", words.data);
    text_free(&words);
    snprintf(id, sizeof id, "request-%zu", number);
    draw_request(look, access, id, page);
    snprintf(id, sizeof id, "strip-%zu", number);
    draw_strip(access, id, page);
    html_raw(
        page,
        "</div>\n<p class=\"note\">On the right, a row for each time of a warp: \"1, 2\" is the second time of warp "
        "1.</p>\n<details><summary>In words</summary>\n<ul>\n");
    for (size_t i = 0; i < access->count; i++) {
        const Served served = serve(&access->requests[i]->is);
        Text line = {0};
        add_request_words(look->profile, access, i, &served, &line);
        html_add(page, "<li>%s</li>\n", line.data);
        text_free(&line);
    }
    html_raw(page, "</ul>\n</details>\n");
}

static const char *class_of_heat(double count, double most)
{
    static const char *const classes[] = {"cell", "cell heat-1", "cell heat-2", "cell heat-3", "cell heat-4"};
    return classes[count <= 0 ? 0 : 1 + (int)fmin(3, 4 * count / (most + 1e-9))];
}

static void draw_map(const ReadMap *map, size_t number, Text *page)
{
    const double size = fmin(16, (double)(PLOT_WIDTH - LEFT) / map->columns);
    double most = 0;
    char id[40];
    Text words = {0};
    for (uint32_t row = 0; row < map->rows; row++)
        for (uint32_t column = 0; column < map->columns; column++)
            most = fmax(most, map->cells[row][column]);
    add_map_words(map, &words);
    html_add(page, "<h3>%s</h3>\n<p>%s. The darkest cell is read %.1f times by threads.</p>\n", map->array, words.data,
             most);
    snprintf(id, sizeof id, "reads-%zu", number);
    svg_begin(page, id, 20 + size * map->rows, "How often each element is read", words.data);
    draw_label(page, LEFT, 12, "start", "%llu", map->first_column);
    draw_label(page, LEFT + size * map->columns, 12, "end", "%llu",
               map->first_column + (uint64_t)map->columns * map->column_step - 1);
    for (uint32_t row = 0; row < map->rows; row++) {
        if (row % 4 == 0)
            draw_label(page, LEFT - 4, 16 + size * row + 9, "end", "%llu",
                       map->first_row + (uint64_t)row * map->row_step);
        for (uint32_t column = 0; column < map->columns; column++)
            if (map->cells[row][column] > 0)
                svg_rect(page, class_of_heat(map->cells[row][column], most), LEFT + size * column, 16 + size * row,
                         size - 0.5, size - 0.5);
    }
    svg_end(page);
    text_free(&words);
}

static Status add_style(Text *page, Message *why)
{
    enum { MOST_BYTES = 1 << 20 };
    char path[PATH_MAX];
    Text style = {0};
    TRY(paths_home("service/web/style.css", path, sizeof path, why));
    TRY(text_read_file(path, MOST_BYTES, &style, why));
    html_raw(page, "<style>\n");
    html_raw(page, style.data);
    html_raw(page, "</style>\n");
    text_free(&style);
    return STATUS_OK;
}

Status look_page(const Look *look, Text *page, Message *why)
{
    const char *source = text_line(look->submission->source.data, look->line);
    ReadMap map;
    Access access;
    html_add(page,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
             "content=\"width=device-width, initial-scale=1\">\n<title>A look inside %s</title>\n",
             look->submission->file_name);
    TRY(add_style(page, why));
    html_add(page,
             "</head>\n<body>\n<main>\n<h1>A look inside %s</h1>\n<p>Case \"%s\", one block in the middle of the "
             "grid.</p>\n",
             look->submission->file_name, look->case_name);
    html_add(page, "<h2>What warps ask for in line %d</h2>\n<pre><code>%.*s</code></pre>\n", look->line,
             source == NULL ? 0 : (int)strcspn(source, "\n"), source == NULL ? "" : source);
    for (size_t n = 0; find_access(look, n, &access); n++)
        draw_access(look, &access, n, page);
    html_raw(page, "<h2>How often each element is read</h2>\n");
    for (size_t n = 0; find_map(look, n, &map); n++)
        draw_map(&map, n, page);
    html_raw(page, "</main>\n</body>\n</html>\n");
    return STATUS_OK;
}
