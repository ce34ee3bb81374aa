/* Draws the views of look.h, for the terminal and for a page.  */
#include "grader/report/look.h"

#include "base/html.h"
#include "base/paths.h"
#include "base/svg.h"

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

/* Whether each of the lanes asks for the same as the lane whose number differs by the bit `apart`. */
static bool go_in_pairs(const WarpRequest *request, int first, int end, int apart)
{
    for (int lane = first; lane < end; lane++)
        if (has_lane(request, lane) && has_lane(request, lane ^ apart) &&
            request->addresses[lane] != request->addresses[lane ^ apart])
            return false;
    return true;
}

/* How many lanes from this one on are served together: all, with 8 bytes a lane a half of the warp, and with 16 a quarter;
 * two such parts where lanes go in pairs (pattern_wavefronts() in simgpu/cost/pattern.h). */
static int lanes_together(const WarpRequest *request, int first)
{
    const int part = request->bytes > 8 ? 8 : request->bytes > 4 ? 16 : LANES, end = first + 2 * part;
    return part < LANES && first % (2 * part) == 0 &&
                   (go_in_pairs(request, first, end, 1) || go_in_pairs(request, first, end, 2))
               ? 2 * part
               : part;
}

/* Lanes that want different words of one bank wait for each other. */
static void serve_by_banks(const WarpRequest *request, Served *served)
{
    int before = 0;
    for (int first = 0, together; first < LANES; first += together) {
        int deepest = 0;
        together = lanes_together(request, first);
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
    const uint64_t unit = is_global ? SECTOR_BYTES : BANK_BYTES;
    Served served = {.count = 0};
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

/* Addresses count from a multiple of 128 bytes before the array. */
static WarpRequest request_of(const LookAccess *access, const LookRequest *from)
{
    double places[LANES];
    WarpRequest request = {.space = strcmp(access->space, "shared") == 0     ? PTX_SHARED
                                    : strcmp(access->space, "constant") == 0 ? PTX_CONST
                                                                             : PTX_GLOBAL,
                           .bytes = (uint8_t)access->bytes};
    if (!look_numbers(from->lanes, places, LANES))
        return request;
    for (int lane = 0; lane < LANES; lane++)
        if (places[lane] >= 0) {
            request.lanes |= 1u << lane;
            request.addresses[lane] = access->skew + (uint64_t)places[lane];
        }
    return request;
}

/* The same lanes, as they would ask for as many different bytes at the least cost: one after the other, lanes that want the
 * same side by side; or in constant memory all for the same. */
static WarpRequest ideal_of(const WarpRequest *request)
{
    WarpRequest ideal = *request;
    const uint64_t active = (uint64_t)__builtin_popcount(request->lanes);
    const uint64_t wanted = (different_bytes(request) + request->bytes - 1) / request->bytes;
    uint64_t before = 0;
    for (int lane = 0; lane < LANES; lane++)
        if (has_lane(request, lane))
            ideal.addresses[lane] = request->space == PTX_CONST ? 0 : before++ * wanted / active * request->bytes;
    return ideal;
}

/* Sectors, words or wavefronts that would do for as many different bytes. */
static uint32_t least_cost(const WarpRequest *request)
{
    const WarpRequest ideal = ideal_of(request);
    return (uint32_t)serve(&ideal).count;
}

/* The `n`-th access of the line; NULL: there are fewer. */
static const LookAccess *access_of_line(const LookView *view, int line, size_t n)
{
    for (size_t i = 0; i < view->access_count; i++)
        if (view->accesses[i].line == line && n-- == 0)
            return &view->accesses[i];
    return NULL;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* "loads from tile, shared memory" */
static void add_access_words(const LookAccess *access, Text *out)
{
    const bool is_texture = strcmp(access->space, "texture") == 0;
    text_printf(out, "%s %s", access->is_store ? "stores into" : "loads from", access->array);
    if (strcmp(access->array, NAMELESS_SHARED) != 0)
        text_printf(out, ", %s%s", is_texture ? "a texture" : access->space, is_texture ? "" : " memory");
}

/* "4 sectors, 3 would do" */
static void add_cost(uint32_t got, uint32_t least, uint8_t space, Text *out)
{
    const char *unit = space == PTX_SHARED ? "wavefront" : space == PTX_CONST ? "different word" : "sector";
    text_printf(out, "%u %s%s", got, unit, got == 1 ? "" : "s");
    if (got > least)
        text_printf(out, ", %u would do", least);
}

static void add_request_words(const LookAccess *access, const LookRequest *from, Text *out)
{
    const WarpRequest request = request_of(access, from);
    uint64_t low = UINT64_MAX, high = 0;
    for (int lane = 0; lane < LANES; lane++) {
        if (!has_lane(&request, lane))
            continue;
        const uint64_t element = (request.addresses[lane] - access->skew) / access->element_bytes;
        low = element < low ? element : low;
        high = element > high ? element : high;
    }
    text_printf(out, "warp %u, time %u: %s", from->warp, from->time, request.space == PTX_SHARED ? "word" : "element");
    if (low == high)
        text_printf(out, " %llu: ", (unsigned long long)low);
    else
        text_printf(out, "s %llu to %llu: ", (unsigned long long)low, (unsigned long long)high);
    add_cost(from->got, request.space == PTX_CONST ? from->got : least_cost(&request), request.space, out);
}

static const char *character_words(const LookAccess *access)
{
    return strcmp(access->space, "shared") == 0     ? "the wavefront that serves it"
           : strcmp(access->space, "constant") == 0 ? "which of the different words it wants"
           : strcmp(access->space, "texture") == 0  ? "which 32 bytes of the texture's rows hold its texel"
                                                    : "which of the sectors serves it";
}

static const char *const level_words[LOOK_LEVELS] = {"Loads by threads", "Requests of warps to the L1",
                                                     "Fetches from the L2", "Fetches from memory",
                                                     "Blocks that read it, of this one and its neighbours"};

static bool is_constant(const LookMap *map)
{
    return map->means[2] <= 0;
}

static int levels_of(const LookMap *map)
{
    return is_constant(map) ? 2 : LOOK_LEVELS;
}

static void add_map_words(const LookMap *map, Text *out)
{
    text_printf(out, "The block reads %.0f element%s of %s from %s memory. ", map->elements,
                map->elements == 1 ? "" : "s", map->array, is_constant(map) ? "constant" : "global");
    text_printf(out, "Its threads load each %.1f times on average, its warps %.1f times", map->means[0], map->means[1]);
    if (is_constant(map))
        return;
    text_printf(out, ". Each is fetched %.1f times from the L2, and %.1f times from memory", map->means[2],
                map->means[3]);
    text_printf(out, ". Of this block and its neighbours, %.1f read it on average", map->means[4]);
}

/* How a block's share of the L1 makes the levels: said once. */
static const char levels_note[] =
    "Reads are counted by words of 4 bytes. The levels follow from the model of the caches: the block alone, with its share of the "
    "L1. Sectors of 32 bytes are fetched whole, and from memory two at a time. What "
    "neighbouring blocks read as well is fetched by each multiprocessor.";

static const char no_accesses[] = "No access to memory was seen in a line of the file.";
static const char no_reads[] = "The block reads no array in global or constant memory.";

static void add_kernel_words(const LookKernel *kernel, Text *out)
{
    text_printf(out, "Kernel %s: %s block%s of %s threads, ", kernel->name, kernel->grid,
                strcmp(kernel->grid, "1") == 0 ? "" : "s", kernel->block);
    if (kernel->waves < 0.01)
        text_add(out, "less than 0.01 waves. ");
    else
        text_printf(out, "%.3g wave%s. ", kernel->waves, kernel->waves == 1 ? "" : "s");
    text_printf(out, "A multiprocessor holds %u block%s at once, limited by %s", kernel->resident,
                kernel->resident == 1 ? "" : "s", kernel->resident_limit);
    for (size_t i = 0; i < kernel->part_count; i++) {
        const bool is_last = i > 0 && i + 1 == kernel->part_count;
        text_printf(out, "%s%s (%.0f %%)",
                    i == 0    ? ". Its time is spent on "
                    : is_last ? " and "
                              : ", ",
                    kernel->parts[i].name, 100 * kernel->parts[i].share);
    }
}

/* From when on fewer blocks run than before: the last column in which as many run as at most, less a tenth. */
static int tail_begins(const double together[TIMELINE_COLUMNS])
{
    double most = 0;
    int last = TIMELINE_COLUMNS;
    for (int i = 0; i < TIMELINE_COLUMNS; i++)
        most = fmax(most, together[i]);
    while (last > 0 && together[last - 1] < 0.9 * most)
        last--;
    return last;
}

/* "the last 12 % of the time" */
static void add_tail_words(const LookKernel *kernel, const double together[TIMELINE_COLUMNS], Text *out)
{
    const int from = tail_begins(together);
    double sum = 0;
    for (int i = from; i < TIMELINE_COLUMNS; i++)
        sum += together[i];
    if (from == TIMELINE_COLUMNS && together[0] < 0.9 * kernel->places)
        text_printf(out, "Up to the end %.0f of its %u places are in use", together[0], kernel->places);
    else if (from == TIMELINE_COLUMNS)
        text_add(out, "The multiprocessors stay equally busy up to the end");
    else
        text_printf(out, "The tail: in the last %d %% of the time, %.0f %% of its %u places are in use",
                    (TIMELINE_COLUMNS - from) * 100 / TIMELINE_COLUMNS,
                    100 * sum / (TIMELINE_COLUMNS - from) / kernel->places, kernel->places);
}

/* ==== on the terminal ============================================================================================= */

static char digit(double number)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    const long rank = lround(number);
    return rank < 0 ? '.' : rank < 36 ? digits[rank] : '#';
}

static void write_request(const LookAccess *access, const LookRequest *from, Text *out)
{
    const WarpRequest request = request_of(access, from);
    const Served served = serve(&request);
    text_add(out, "    ");
    for (int lane = 0; lane < LANES; lane++)
        text_printf(out, "%c", digit(served.ranks[lane]));
    text_add(out, "  ");
    add_request_words(access, from, out);
    text_add(out, "\n");
}

/* Words of a paragraph on lines of at most 100 characters. */
static void write_paragraph(const Text *words, Text *out)
{
    enum { COLUMNS = 96 };
    for (const char *at = words->data; *at != '\0';) {
        size_t length = strlen(at);
        if (length > COLUMNS)
            for (length = COLUMNS; length > 1 && at[length] != ' '; length--)
                continue;
        text_printf(out, "  %.*s\n", (int)length, at);
        at += length;
        at += *at == ' ';
    }
}

static void write_cells(const LookMap *map, int level, Text *out)
{
    double cells[LOOK_MOST_ROWS * LOOK_MOST_COLUMNS], loads[LOOK_MOST_ROWS * LOOK_MOST_COLUMNS];
    const size_t count = (size_t)map->rows * map->columns;
    if (!look_numbers(map->cells[level], cells, count) || !look_numbers(map->cells[0], loads, count))
        return;
    text_printf(out, "  %s:\n", level_words[level]);
    for (uint32_t row = 0; row < map->rows; row++) {
        text_add(out, "    ");
        for (uint32_t column = 0; column < map->columns; column++) {
            const size_t cell = row * map->columns + column;
            text_printf(out, "%c", loads[cell] > 0 ? digit(cells[cell]) : '.');
        }
        text_add(out, "\n");
    }
}

static void write_map(const LookMap *map, Text *out)
{
    Text words = {0};
    add_map_words(map, &words);
    text_add(&words, ".");
    text_add(out, "\n");
    write_paragraph(&words, out);
    if (map->row_step * map->column_step > 1)
        text_printf(out, "  A character stands for %u x %u elements.\n", map->row_step, map->column_step);
    for (int level = 0; level < levels_of(map); level++)
        if (level == 0 || (strcmp(map->cells[level], map->cells[level - 1]) != 0 && map->rows * map->columns > 1))
            write_cells(map, level, out);
    text_free(&words);
}

static void write_kernel(const LookKernel *kernel, Text *out)
{
    double turns[TIMELINE_ROWS * TIMELINE_COLUMNS], together[TIMELINE_COLUMNS];
    Text words = {0};
    if (!look_numbers(kernel->turns, turns, (size_t)kernel->rows * TIMELINE_COLUMNS) ||
        !look_numbers(kernel->together, together, TIMELINE_COLUMNS))
        return;
    add_kernel_words(kernel, &words);
    text_add(&words, ". ");
    add_tail_words(kernel, together, &words);
    text_add(&words, ".");
    text_add(out, "\n");
    write_paragraph(&words, out);
    text_printf(out, "  Rows: the multiprocessors 0, %u, %u, ... and which of its blocks each runs, in order.\n",
                kernel->step, 2 * kernel->step);
    for (uint32_t row = 0; row < kernel->rows; row++) {
        const double *cells = &turns[row * TIMELINE_COLUMNS];
        uint32_t like = row;
        while (like + 1 < kernel->rows &&
               memcmp(cells, &turns[(like + 1) * TIMELINE_COLUMNS], TIMELINE_COLUMNS * sizeof *cells) == 0)
            like++;
        text_printf(out, "    %4u%s ", row * kernel->step, like > row ? ".." : "  ");
        for (int column = 0; column < TIMELINE_COLUMNS; column++)
            text_printf(out, "%c", cells[column] <= 0 ? '.' : (char)('0' + (int)fmod(cells[column], 10)));
        text_add(out, "\n");
        row = like;
    }
    text_free(&words);
}

static void write_code(const char *name, const char *code, size_t left_out, Text *out)
{
    if (code[0] != '\0')
        text_printf(out, "  %s\n", name);
    for (const char *at = code; *at != '\0'; at = strchr(at, '\n') + 1)
        text_printf(out, "    %.*s\n", (int)strcspn(at, "\n"), at);
    if (left_out > 0)
        text_printf(out, "    %zu instructions more\n", left_out);
}

static const LookLine *line_of(const LookView *view, int line)
{
    for (size_t i = 0; i < view->line_count; i++)
        if (view->lines[i].line == line)
            return &view->lines[i];
    return NULL;
}

static void write_line(const LookView *view, int number, Text *out)
{
    const LookLine *line = line_of(view, number);
    if (line == NULL)
        return;
    text_printf(out, "\n  Line %d: %.1f %% of the time, executions by warps: %llu, registers that hold values: %u.\n",
                number, 100 * line->share, (unsigned long long)line->executions, line->live_registers);
    write_code("PTX", line->ptx, line->ptx_left_out, out);
    write_code("SASS", line->sass, line->sass_left_out, out);
    if (view->no_sass[0] != '\0')
        text_printf(out, "  No SASS: %s.\n", view->no_sass);
}

static void write_heading(const char *heading, TerminalStyle style, Text *out)
{
    text_add(out, "\n  ");
    terminal_colour(style, out, COLOUR_MARK, heading);
    text_add(out, "\n");
}

void look_write(const LookView *view, const char *source, int line, TerminalStyle style, Text *out)
{
    const char *text = line == 0 ? NULL : text_line(source, line);
    const LookAccess *access;
    text_printf(out, "case \"%s\"", view->case_name);
    if (text == NULL)
        text_printf(out, "\n  %s\n", no_accesses);
    else
        text_printf(out, ", line %d: %.*s\n", line, (int)strcspn(text, "\n"), text);
    for (size_t n = 0; (access = access_of_line(view, line, n)) != NULL; n++) {
        text_printf(out, "\n  Kernel %s ", access->kernel);
        add_access_words(access, out);
        text_printf(out, ", %u bytes for each lane.\n  Each character is a lane: %s.\n    lane 0  8       16      24\n",
                    access->bytes, character_words(access));
        for (size_t i = 0; i < access->request_count; i++)
            write_request(access, &access->requests[i], out);
    }
    if (view->unseen[0] != '\0')
        text_printf(out, "\n  Not shown here: %s. Their elements count as read below.\n", view->unseen);
    write_heading("How often each element is read", style, out);
    for (size_t i = 0; i < view->map_count; i++)
        write_map(&view->maps[i], out);
    if (view->map_count == 0)
        text_printf(out, "\n  %s\n", no_reads);
    write_heading("Blocks over time", style, out);
    for (size_t i = 0; i < view->kernel_count; i++)
        write_kernel(&view->kernels[i], out);
    if (text != NULL) {
        write_heading("What the compiler made of the line", style, out);
        write_line(view, line, out);
    }
}

/* ==== on a page =================================================================================================== */

/* ---- a request --------------------------------------------------------------------------------------------------- */

enum { LANE = 11, LEFT = 46, COLOURS = 6 };

static const char *const rank_classes[COLOURS] = {"cell rank-0", "cell rank-1", "cell rank-2",
                                                  "cell rank-3", "cell rank-4", "cell rank-5"};

static const char *class_of_rank(int rank)
{
    return rank < 0 ? "cell" : rank_classes[rank % COLOURS];
}

/* Lanes above, what serves them below, and a line for each lane. */
static void draw_request(const WarpRequest *request, const char *id, const char *title, const char *words, Text *page)
{
    const Served served = serve(request);
    const bool in_shared = request->space == PTX_SHARED;
    const int boxes = in_shared ? SHARED_BANKS : served.count;
    const double width = in_shared ? LANE : (double)LANES * LANE / (boxes > 0 ? boxes : 1);
    svg_begin(page, id, 108, title, words);
    svg_label(page, "tick", 0, 22, "start", "lanes");
    svg_label(page, "tick", 0, 90, "start", in_shared ? "banks" : request->space == PTX_CONST ? "words" : "sectors");
    for (int box = 0; box < boxes; box++)
        svg_rect(page, in_shared ? "cell" : class_of_rank(box), LEFT + width * box, 80, width - 1, 14);
    for (int lane = 0; lane < LANES; lane++) {
        const double x = LEFT + LANE * lane;
        svg_rect(page, class_of_rank(served.ranks[lane]), x, 12, LANE - 1, 14);
        if (lane % 8 == 0)
            svg_number(page, "tick", x, 8, "start", (uint64_t)lane);
        if (served.ranks[lane] >= 0)
            svg_line(page, "grid", x + LANE / 2.0, 26,
                     LEFT +
                         width * ((in_shared ? (double)(served.units[lane] % SHARED_BANKS) : served.ranks[lane]) + 0.5),
                     80);
    }
    svg_end(page);
}

/* A row of lanes for each request. */
static void draw_strip(const LookAccess *access, size_t number, Text *page)
{
    enum { HEIGHT = 12, MOST = 64 };
    const size_t count = access->request_count < MOST ? access->request_count : MOST;
    int class_of[MOST * LANES];
    char id[40];
    snprintf(id, sizeof id, "strip-%zu", number);
    svg_begin(
        page, id, 20 + HEIGHT * (double)count, "The same for other warps and times",
        "A row for each time of each warp, whose lanes have the colours of what serves them. The table says the same.");
    for (size_t i = 0; i < count; i++) {
        char label[40];
        const WarpRequest request = request_of(access, &access->requests[i]);
        const Served served = serve(&request);
        snprintf(label, sizeof label, "%u, %u", access->requests[i].warp, access->requests[i].time);
        svg_label(page, "tick", 0, 22 + HEIGHT * (double)i, "start", label);
        for (int lane = 0; lane < LANES; lane++)
            class_of[i * LANES + (size_t)lane] = served.ranks[lane] < 0 ? -1 : served.ranks[lane] % COLOURS;
    }
    svg_cells(page, &(CellGrid){(uint32_t)count, LANES, LEFT, 12, LANE, HEIGHT}, rank_classes, COLOURS, class_of);
    svg_end(page);
}

static void draw_pair(const LookAccess *access, const LookRequest *from, size_t number, Text *page)
{
    const WarpRequest request = request_of(access, from), ideal = ideal_of(&request);
    const uint32_t least = least_cost(&request);
    char id[40];
    Text words = {0};
    add_request_words(access, from, &words);
    snprintf(id, sizeof id, "request-%zu", number);
    html_add(page, "<figure>\n<figcaption>As it is: %s</figcaption>\n", words.data);
    draw_request(&request, id, "Lanes of a warp, and what serves them", words.data, page);
    text_free(&words);
    add_cost(least, least, request.space, &words);
    snprintf(id, sizeof id, "ideal-%zu", number);
    html_add(page, "</figure>\n<figure>\n<figcaption>At best, %s: %s</figcaption>\n",
             request.space == PTX_CONST ? "where all lanes want the same" : "for as many different bytes", words.data);
    draw_request(&ideal, id, "The same lanes at the least cost", words.data, page);
    html_raw(page, "</figure>\n");
    text_free(&words);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static const LookRequest *find_request(const LookAccess *access, uint32_t warp, uint32_t time)
{
    for (size_t i = 0; i < access->request_count; i++)
        if (access->requests[i].warp == warp && access->requests[i].time == time)
            return &access->requests[i];
    return NULL;
}

static void add_step(const LookChoice *choice, const LookAccess *access, uint32_t warp, uint32_t time,
                     const char *words, Text *page)
{
    if (find_request(access, warp, time) != NULL)
        html_add(page, "<a href=\"%s?line=%d&amp;access=%zu&amp;warp=%u&amp;time=%u#request\">%s</a>\n",
                 choice->address, choice->line, choice->access, warp, time, words);
    else
        html_add(page, "<span class=\"quiet\">%s</span>\n", words);
}

/* Links to the requests beside the chosen one, which is given back. */
static const LookRequest *add_steps(const LookChoice *choice, const LookAccess *access, Text *page)
{
    const LookRequest *shown = find_request(access, choice->warp, choice->time);
    if (shown == NULL)
        shown = &access->requests[0];
    html_add(page, "<p id=\"request\">Warp %u, time %u. ", shown->warp, shown->time);
    add_step(choice, access, shown->warp, shown->time - 1, "Previous time", page);
    add_step(choice, access, shown->warp, shown->time + 1, "Next time", page);
    add_step(choice, access, shown->warp - 1, 1, "Previous warp", page);
    add_step(choice, access, shown->warp + 1, 1, "Next warp", page);
    html_raw(page, "</p>\n");
    return shown;
}

/* Which accesses there are, as links. */
static void add_choices(const LookView *view, const LookChoice *choice, Text *page)
{
    html_raw(page, "<ul class=\"prose\">\n");
    for (size_t i = 0; i < view->access_count; i++) {
        const LookAccess *access = &view->accesses[i];
        size_t of_line = 0;
        for (size_t k = 0; k < i; k++)
            of_line += view->accesses[k].line == access->line;
        html_add(page, "<li><a href=\"%s?line=%d&amp;access=%zu#request\"", choice->address, access->line, of_line);
        if (access->line == choice->line && of_line == choice->access)
            html_raw(page, " aria-current=\"true\"");
        Text words = {0};
        add_access_words(access, &words);
        html_add(page, ">Line %d</a>: %s</li>\n", access->line, words.data);
        text_free(&words);
    }
    html_raw(page, "</ul>\n");
}

static void add_words_of_requests(const LookAccess *access, Text *page)
{
    html_raw(page, "<details><summary>In words</summary>\n<ul>\n");
    for (size_t i = 0; i < access->request_count; i++) {
        Text line = {0};
        add_request_words(access, &access->requests[i], &line);
        html_add(page, "<li>%s</li>\n", line.data);
        text_free(&line);
    }
    html_raw(page, "</ul>\n</details>\n");
}

static void draw_access(const LookAccess *access, const LookChoice *choice, size_t number, Text *page)
{
    Text words = {0};
    add_access_words(access, &words);
    html_add(page, "<h3>%s %s</h3>\n<p>Kernel %s %s, %u bytes for each lane. In the same colour: %s.</p>\n",
             access->is_store ? "Store into" : "Load from", access->array, access->kernel, words.data, access->bytes,
             strcmp(access->space, "shared") == 0     ? "lanes that one wavefront serves"
             : strcmp(access->space, "constant") == 0 ? "lanes that want the same word"
             : strcmp(access->space, "texture") == 0  ? "lanes whose texels lie in the same 32 bytes of a row"
                                                      : "lanes that one sector serves");
    const LookRequest *shown = &access->requests[0];
    if (choice->address != NULL)
        shown = add_steps(choice, access, page);
    html_raw(page, "<div class=\"plots\">\n");
    draw_pair(access, shown, number, page);
    html_raw(page, "<figure>\n<figcaption>All that were kept: \"1, 2\" is the second time of warp 1</figcaption>\n");
    draw_strip(access, number, page);
    html_raw(page, "</figure>\n</div>\n");
    add_words_of_requests(access, page);
    text_free(&words);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

enum { HEATS = 5 };

static void draw_level(const LookMap *map, int level, size_t number, double most, Text *page)
{
    static const char *const classes[HEATS] = {"cell", "cell heat-1", "cell heat-2", "cell heat-3", "cell heat-4"};
    const double size = fmin(16, (double)(PLOT_WIDTH - LEFT) / map->columns);
    double cells[LOOK_MOST_ROWS * LOOK_MOST_COLUMNS];
    int class_of[LOOK_MOST_ROWS * LOOK_MOST_COLUMNS];
    char id[40], caption[120];
    const size_t count = (size_t)map->rows * map->columns;
    if (!look_numbers(map->cells[level], cells, count))
        return;
    for (size_t i = 0; i < count; i++)
        class_of[i] = cells[i] <= 0 ? 0 : 1 + (int)fmin(HEATS - 2, (HEATS - 1) * cells[i] / (most + 1e-9));
    snprintf(id, sizeof id, "reads-%zu-%d", number, level);
    snprintf(caption, sizeof caption, "%s: %.1f on average", level_words[level], map->means[level]);
    html_add(page, "<figure>\n<figcaption>%s</figcaption>\n", caption);
    svg_begin(page, id, 20 + size * map->rows, "How often each element is read", caption);
    svg_number(page, "tick", LEFT, 12, "start", map->first_column);
    if (map->columns > 1)
        svg_number(page, "tick", LEFT + size * map->columns, 12, "end",
                   map->first_column + (uint64_t)map->columns * map->column_step - 1);
    for (uint32_t row = 0; row < map->rows && map->rows > 1; row += 4)
        svg_number(page, "tick", LEFT - 4, 16 + size * row + 9, "end", map->first_row + (uint64_t)row * map->row_step);
    svg_cells(page, &(CellGrid){map->rows, map->columns, LEFT, 16, size, size}, classes, HEATS, class_of);
    svg_end(page);
    html_raw(page, "</figure>\n");
}

/* The numbers of the map, with equal ones in a row put together. */
static void add_table(const LookMap *map, int level, Text *page)
{
    double cells[LOOK_MOST_ROWS * LOOK_MOST_COLUMNS];
    if (!look_numbers(map->cells[level], cells, (size_t)map->rows * map->columns))
        return;
    html_add(page, "<p>%s:</p>\n<ul>\n", level_words[level]);
    for (uint32_t row = 0; row < map->rows; row++) {
        html_add(page, map->rows > 1 ? "<li>row %u: " : "<li>", map->first_row + row * map->row_step);
        for (uint32_t column = 0, end; column < map->columns; column = end) {
            const double *of_row = &cells[row * map->columns];
            for (end = column; end < map->columns && of_row[end] == of_row[column]; end++)
                continue;
            html_add(page, "%s%g", column == 0 ? "" : ", ", of_row[column]);
            if (end > column + 1)
                html_add(page, " (%u times)", end - column);
        }
        html_raw(page, "</li>\n");
    }
    html_raw(page, "</ul>\n");
}

static void draw_map(const LookMap *map, size_t number, Text *page)
{
    Text words = {0};
    add_map_words(map, &words);
    html_add(page, "<h3>%s</h3>\n<p>%s.", map->array, words.data);
    if (map->row_step * map->column_step > 1)
        html_add(page, " A cell stands for %u x %u elements.", map->row_step, map->column_step);
    html_raw(page, "</p>\n<div class=\"plots\">\n");
    for (int level = 0; level < levels_of(map); level++) {
        double cells[LOOK_MOST_ROWS * LOOK_MOST_COLUMNS], most = 0;
        if (look_numbers(map->cells[level], cells, (size_t)map->rows * map->columns))
            for (size_t i = 0; i < (size_t)map->rows * map->columns; i++)
                most = fmax(most, cells[i]);
        draw_level(map, level, number, most, page);
    }
    html_raw(page, "</div>\n<details><summary>In numbers</summary>\n");
    for (int level = 0; level < levels_of(map); level++)
        add_table(map, level, page);
    html_raw(page, "</details>\n");
    text_free(&words);
}

/* ---- blocks over time -------------------------------------------------------------------------------------------- */

static void draw_kernel(const LookKernel *kernel, size_t number, Text *page)
{
    static const char *const classes[] = {"cell rank-0", "cell rank-3"};
    enum { TOP = 60, ROW = 5, BOTTOM = 22, MOST_TOLD_APART = TIMELINE_COLUMNS / 3 };
    double turns[TIMELINE_ROWS * TIMELINE_COLUMNS], together[TIMELINE_COLUMNS];
    int class_of[TIMELINE_ROWS * TIMELINE_COLUMNS];
    const double width = (double)(PLOT_WIDTH - LEFT) / TIMELINE_COLUMNS;
    char id[40];
    Text words = {0};
    const size_t count = (size_t)kernel->rows * TIMELINE_COLUMNS;
    if (!look_numbers(kernel->turns, turns, count) || !look_numbers(kernel->together, together, TIMELINE_COLUMNS))
        return;
    add_kernel_words(kernel, &words);
    html_add(page, "<h3>%s</h3>\n<p>%s. ", kernel->name, words.data);
    text_free(&words);
    add_tail_words(kernel, together, &words);
    html_add(page,
             "%s.</p>\n<div class=\"plots\">\n<figure>\n<figcaption>Above: blocks under way. Below: a row for "
             "each of the multiprocessors 0, %u, %u, ...%s</figcaption>\n",
             words.data, kernel->step, 2 * kernel->step,
             kernel->most_waves > MOST_TOLD_APART ? "" : "; the colour changes with each block");
    snprintf(id, sizeof id, "blocks-%zu", number);
    svg_begin(page, id, TOP + ROW * kernel->rows + BOTTOM, "Blocks over time", words.data);
    for (size_t i = 0; i < count; i++)
        class_of[i] = turns[i] <= 0 ? -1 : kernel->most_waves > MOST_TOLD_APART ? 0 : (int)fmod(turns[i], 2);
    for (int column = 0; column < TIMELINE_COLUMNS; column++) {
        const double height = 44 * fmin(1, together[column] / fmax(1, kernel->places));
        if (height > 0)
            svg_rect(page, "cell rank-5", LEFT + width * column, 52 - height, width - 0.5, height);
    }
    svg_number(page, "tick", LEFT - 4, 16, "end", kernel->places);
    svg_rect(page, "cell", LEFT, TOP, PLOT_WIDTH - LEFT, ROW * kernel->rows);
    svg_cells(page, &(CellGrid){kernel->rows, TIMELINE_COLUMNS, LEFT, TOP, width, ROW}, classes, 2, class_of);
    svg_label(page, "tick", LEFT - 4, TOP + 9, "end", "0");
    svg_number(page, "tick", LEFT - 4, TOP + ROW * kernel->rows, "end", (uint64_t)(kernel->rows - 1) * kernel->step);
    svg_label(page, "tick", LEFT, TOP + ROW * kernel->rows + 16, "start", "start");
    svg_label(page, "tick", PLOT_WIDTH, TOP + ROW * kernel->rows + 16, "end", "end of the last block");
    svg_end(page);
    html_raw(page, "</figure>\n<figure>\n<figcaption>What its time is spent on</figcaption>\n<table>\n<thead><tr><th "
                   "scope=\"col\">Part</th><th scope=\"col\" class=\"number\">Share</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < kernel->part_count; i++)
        html_add(page, "<tr><th scope=\"row\">%s</th><td class=\"number\">%.0f&nbsp;%%</td></tr>\n",
                 kernel->parts[i].name, 100 * kernel->parts[i].share);
    html_raw(page, "</tbody>\n</table>\n</figure>\n</div>\n");
    text_free(&words);
}

/* ---- source, PTX and machine code -------------------------------------------------------------------------------- */

static void add_code_cell(const char *code, size_t left_out, Text *page)
{
    html_raw(page, "<td class=\"code\">");
    if (code[0] != '\0')
        html_add(page, "<pre tabindex=\"0\"><code>%s</code></pre>", code);
    if (left_out > 0)
        html_add(page, "<span class=\"more quiet\">%zu instructions more</span>", left_out);
    html_raw(page, "</td>");
}

static void add_source_row(const LookView *view, const char *text, int number, bool has_sass, Text *page)
{
    const LookLine *line = line_of(view, number);
    const size_t length = strcspn(text, "\n");
    html_add(page, "<tr id=\"L%d\"><th scope=\"row\">%d</th><td class=\"text\">%.*s</td>", number, number, (int)length,
             text);
    if (line != NULL && line->executions > 0)
        html_add(page,
                 "<td class=\"number\">%.1f&nbsp;%%</td><td class=\"number\">%.0f</td><td class=\"number\">%u</td>",
                 100 * line->share, (double)line->executions, line->live_registers);
    else
        html_raw(page, "<td></td><td></td><td></td>");
    add_code_cell(line == NULL ? "" : line->ptx, line == NULL ? 0 : line->ptx_left_out, page);
    if (has_sass)
        add_code_cell(line == NULL ? "" : line->sass, line == NULL ? 0 : line->sass_left_out, page);
    html_raw(page, "</tr>\n");
}

static void add_source(const LookView *view, const char *source, Text *page)
{
    enum { MOST_LINES = 400 };
    const bool has_sass = view->no_sass[0] == '\0';
    html_add(page,
             "<h2>Source, PTX%s</h2>\n<p>Warps: how often a warp executed the line. Registers: those of PTX that hold "
             "values there, at most.",
             has_sass ? " and SASS" : "");
    if (!has_sass)
        html_add(page, " There is no SASS: %s.", view->no_sass);
    html_raw(page, "</p>\n<div class=\"source listing\" role=\"group\" aria-label=\"Source and code\" "
                   "tabindex=\"0\">\n<table>\n<thead><tr><th scope=\"col\">Line</th><th scope=\"col\">Source</th><th "
                   "scope=\"col\" class=\"number\">Time</th><th scope=\"col\" class=\"number\">Warps</th><th "
                   "scope=\"col\" class=\"number\">Registers</th><th scope=\"col\">PTX</th>");
    html_raw(page, has_sass ? "<th scope=\"col\">SASS</th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
    const char *text = source;
    for (int number = 1; text != NULL && *text != '\0' && number <= MOST_LINES; number++) {
        add_source_row(view, text, number, has_sass, page);
        text = strchr(text, '\n');
        text = text == NULL ? NULL : text + 1;
    }
    html_raw(page, "</tbody>\n</table>\n</div>\n");
    if (text != NULL && *text != '\0')
        html_add(page, "<p class=\"note\">Lines after %d are not shown here.</p>\n", MOST_LINES);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

void look_sections(const LookView *view, const char *source, const LookChoice *choice, Text *page)
{
    const char *text = choice->line == 0 ? NULL : text_line(source, choice->line);
    const LookAccess *access;
    html_add(page, "<p>Case \"%s\". What is said of one block is of the one in the middle of the grid.</p>\n",
             view->case_name);
    if (text == NULL)
        html_add(page, "<h2>What warps ask for</h2>\n<p>%s</p>\n", no_accesses);
    else
        html_add(page, "<h2>What warps ask for in line %d</h2>\n<pre tabindex=\"0\"><code>%.*s</code></pre>\n",
                 choice->line, (int)strcspn(text + strspn(text, " \t"), "\n"), text + strspn(text, " \t"));
    if (choice->address != NULL) {
        add_choices(view, choice, page);
        access = access_of_line(view, choice->line, choice->access);
        if (access != NULL)
            draw_access(access, choice, choice->access, page);
    }
    for (size_t n = 0; choice->address == NULL && (access = access_of_line(view, choice->line, n)) != NULL; n++)
        draw_access(access, choice, n, page);
    if (view->unseen[0] != '\0')
        html_add(page, "<p class=\"note\">Not shown here: %s. Their elements count as read below.</p>\n", view->unseen);
    html_raw(page, "<h2>How often each element is read</h2>\n");
    if (view->map_count > 0)
        html_add(page, "<p>%s</p>\n", levels_note);
    for (size_t i = 0; i < view->map_count; i++)
        draw_map(&view->maps[i], i, page);
    if (view->map_count == 0)
        html_add(page, "<p>%s</p>\n", no_reads);
    html_raw(page, "<h2>Blocks over time</h2>\n");
    for (size_t i = 0; i < view->kernel_count; i++)
        draw_kernel(&view->kernels[i], i, page);
    add_source(view, source, page);
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

Status look_page(const LookView *view, const char *file_name, const char *source, int line, Text *page, Message *why)
{
    html_add(page,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
             "content=\"width=device-width, initial-scale=1\">\n<title>A look inside %s</title>\n",
             file_name);
    TRY(add_style(page, why));
    html_add(page, "</head>\n<body>\n<main>\n<h1>A look inside %s</h1>\n", file_name);
    look_sections(view, source, &(LookChoice){.line = line}, page);
    html_raw(page, "</main>\n</body>\n</html>\n");
    return STATUS_OK;
}
