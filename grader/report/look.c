#include "grader/report/look.h"

#include "base/elf.h"
#include "grader/report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== sequences =================================================================================================== */

/* Two equal numbers are a run, and three whole ones with the same distance. */
static const char *sequence_of(const double *numbers, size_t count, Arena *arena)
{
    Text out = {0};
    for (size_t i = 0, end; i < count; i = end) {
        const double step = i + 1 < count ? numbers[i + 1] - numbers[i] : 0;
        const bool is_whole = numbers[i] == floor(numbers[i]) && step == floor(step);
        for (end = i + 1; end < count && (step == 0 || is_whole) && numbers[end] - numbers[end - 1] == step; end++)
            continue;
        end = end == i + 2 && step != 0 ? i + 1 : end;
        text_printf(&out, "%s%.15g", i == 0 ? "" : " ", numbers[i]);
        if (step != 0 && end > i + 1)
            text_printf(&out, "%+.15g", step);
        if (end > i + 1)
            text_printf(&out, "*%zu", end - i);
    }
    text_add(&out, "");
    return text_move(&out, arena);
}

bool look_numbers(const char *sequence, double *numbers, size_t count)
{
    size_t at = 0;
    for (char *next = (char *)sequence; next != NULL && *next != '\0';) {
        const char *const from = next;
        const double start = strtod(from, &next);
        const double step = *next == '+' || *next == '-' ? strtod(next, &next) : 0;
        const unsigned long long times = *next == '*' ? strtoull(next + 1, &next, 10) : 1;
        if (next == from || (*next != ' ' && *next != '\0') || times > count - at || !isfinite(start) ||
            !isfinite(step))
            return false;
        for (unsigned long long i = 0; i < times; i++)
            numbers[at++] = start + step * (double)i;
        next += *next == ' ';
    }
    return sequence != NULL && at == count;
}

/* Enough digits for a picture. */
static double rounded(double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", number);
    return strtod(text, NULL);
}

/* ==== requests ==================================================================================================== */

enum {
    TIMES_OF_FIRST = 8,
    TIMES_OF_OTHERS = 4,
    MOST_REQUESTS_SHOWN = TIMES_OF_FIRST + REQUEST_WARPS * TIMES_OF_OTHERS
};
enum { MOST_ACCESSES = 40 };

static const SimArray *array_of(const ExecutionProfile *profile, uint32_t number)
{
    return number > 0 && number <= profile->array_count && number <= PROFILE_MAX_ARRAYS ? &profile->arrays[number - 1]
                                                                                        : NULL;
}

static const char *kernel_name(const ExecutionProfile *profile, uint32_t kernel, Arena *arena)
{
    char name[SIM_MAX_NAME] = "?";
    if (kernel < PROFILE_MAX_KERNELS)
        symbol_name(profile->kernels[kernel].name, name, sizeof name);
    return arena_string(arena, name);
}

static bool is_same_access(const ProfileRequest *a, const ProfileRequest *b)
{
    return a->kernel == b->kernel && a->array == b->array && a->is.line == b->is.line && a->file == b->file &&
           a->is.space == b->is.space && a->is.is_texture == b->is.is_texture && a->is.is_store == b->is.is_store &&
           a->is.bytes == b->is.bytes;
}

static LookRequest request_of(const ProfileRequest *from, uint64_t start, uint32_t time, Arena *arena)
{
    double places[SIM_WARP_SIZE];
    for (int lane = 0; lane < SIM_WARP_SIZE; lane++)
        places[lane] = from->is.lanes >> lane & 1 ? (double)(from->is.addresses[lane] - start) : -1;
    return (LookRequest){.warp = from->is.warp,
                         .time = time,
                         .lanes = sequence_of(places, SIM_WARP_SIZE, arena),
                         .got = from->is.space == PTX_SHARED ? from->is.wavefronts : from->is.sectors};
}

/* Several requests of the first warp, and fewer of others. */
static void take_requests(const ExecutionProfile *profile, uint32_t first, uint64_t start, LookAccess *access,
                          Arena *arena)
{
    uint32_t times[REQUEST_WARPS] = {0};
    access->requests = arena_array(arena, MOST_REQUESTS_SHOWN, sizeof *access->requests);
    for (uint32_t i = first; i < profile->request_count; i++) {
        const ProfileRequest *request = &profile->requests[i];
        const uint32_t warp = request->is.warp;
        if (!is_same_access(request, &profile->requests[first]) || warp >= REQUEST_WARPS ||
            times[warp] >= (warp == 0 ? TIMES_OF_FIRST : TIMES_OF_OTHERS))
            continue;
        access->requests[access->request_count++] = request_of(request, start, ++times[warp], arena);
    }
}

static LookAccess access_of(const ExecutionProfile *profile, uint32_t first, Arena *arena)
{
    const ProfileRequest *request = &profile->requests[first];
    const SimArray *array = array_of(profile, request->array);
    const bool in_shared = request->is.space == PTX_SHARED;
    const uint64_t start = array == NULL ? 0 : array->address;
    LookAccess access = {.line = request->is.line,
                         .kernel = kernel_name(profile, request->kernel, arena),
                         .array = array != NULL ? arena_string(arena, array->name)
                                  : in_shared   ? NAMELESS_SHARED
                                                : "memory without a name",
                         .space = in_shared                        ? "shared"
                                  : request->is.space == PTX_CONST ? "constant"
                                  : request->is.is_texture         ? "texture"
                                                                   : "global",
                         .is_store = request->is.is_store,
                         .bytes = request->is.bytes,
                         .element_bytes = array != NULL && array->element_bytes > 0 ? array->element_bytes : BANK_BYTES,
                         .skew = (uint32_t)(start % CACHE_LINE_BYTES)};
    take_requests(profile, first, start, &access, arena);
    return access;
}

static void view_accesses(const ExecutionProfile *profile, Arena *arena, LookView *view)
{
    view->accesses = arena_array(arena, MOST_ACCESSES, sizeof *view->accesses);
    for (uint32_t i = 0; i < profile->request_count && view->access_count < MOST_ACCESSES; i++) {
        bool is_first = explain_is_own_file(profile, profile->requests[i].file) && profile->requests[i].is.line > 0;
        for (uint32_t k = 0; k < i && is_first; k++)
            is_first = !is_same_access(&profile->requests[k], &profile->requests[i]);
        if (is_first)
            view->accesses[view->access_count++] = access_of(profile, i, arena);
    }
}

bool look_has_line(const LookView *view, int line)
{
    for (size_t i = 0; i < view->access_count; i++)
        if (view->accesses[i].line == line)
            return true;
    return false;
}

static int hottest_line(const ExecutionProfile *profile, const LookView *view)
{
    uint64_t most = 0;
    int hottest = 0;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const SimCounters *counters = &profile->lines[i].counts.counters;
        const uint64_t wavefronts = counters->global_load_wavefronts + counters->global_store_sectors +
                                    counters->shared_load_wavefronts + counters->shared_store_wavefronts +
                                    counters->constant_requests + counters->constant_replays +
                                    counters->texture_sectors;
        if (explain_is_own_file(profile, profile->lines[i].file) && wavefronts > most &&
            look_has_line(view, profile->lines[i].counts.line)) {
            most = wavefronts;
            hottest = profile->lines[i].counts.line;
        }
    }
    return hottest;
}

/* ==== elements that a block reads ================================================================================= */

enum { MOST_MAPS = 4 };

/* The elements of a row of the array that solve() gets, or of a texture. Another array of the submission's is one row. */
static uint32_t columns_of(const Look *look, const SimArray *array)
{
    size_t shape[TENSOR_MAX_RANK], count;
    for (size_t i = 0; i < look->problem->parameter_count; i++) {
        const Parameter *parameter = &look->problem->parameters[i];
        if (parameter_is_array(parameter) && strcmp(parameter->name, array->name) == 0 && parameter->rank > 1 &&
            problem_shape(look->problem, i, &look->sizes, shape, &count, NULL) == STATUS_OK)
            return (uint32_t)shape[parameter->rank - 1];
    }
    return array->columns > 0 ? array->columns : UINT32_MAX;
}

static void widen(uint32_t value, uint32_t *low, uint32_t *high)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

static double loads_at(const ProfileRead *read, int level)
{
    const uint32_t loads[LOOK_LEVELS] = {read->threads, read->warps, read->l2, read->memory, read->blocks};
    return loads[level];
}

/* The map of `count` reads of one kernel and array: of words of 4 bytes, which may hold several elements. */
static LookMap map_of(const Look *look, const ProfileRead *reads, size_t count, Arena *arena)
{
    const ExecutionProfile *profile = look->explanation->profile;
    const SimArray *array = array_of(profile, reads->array);
    const uint32_t width = columns_of(look, array),
                   bytes = array->element_bytes > 0 ? array->element_bytes : BANK_BYTES;
    const uint32_t in_word = bytes < BANK_BYTES ? BANK_BYTES / bytes : 1;
    uint32_t low[2] = {UINT32_MAX, UINT32_MAX}, high[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        widen(reads[i].index / width, &low[0], &high[0]);
        widen(reads[i].index % width, &low[1], &high[1]);
    }
    LookMap map = {.kernel = kernel_name(profile, reads->kernel, arena),
                   .array = arena_string(arena, array->name),
                   .first_row = low[0],
                   .first_column = low[1],
                   .row_step = (high[0] - low[0]) / LOOK_MOST_ROWS + 1,
                   .column_step = ((high[1] - low[1]) / in_word / LOOK_MOST_COLUMNS + 1) * in_word,
                   .elements = (double)count * BANK_BYTES / bytes};
    map.rows = (high[0] - low[0]) / map.row_step + 1;
    map.columns = (high[1] - low[1]) / map.column_step + 1;
    for (int level = 0; level < LOOK_LEVELS; level++) {
        double sums[LOOK_MOST_ROWS * LOOK_MOST_COLUMNS] = {0};
        uint32_t read[LOOK_MOST_ROWS * LOOK_MOST_COLUMNS] = {0};
        for (size_t i = 0; i < count; i++) {
            const size_t cell = (reads[i].index / width - low[0]) / map.row_step * map.columns +
                                (reads[i].index % width - low[1]) / map.column_step;
            sums[cell] += loads_at(&reads[i], level);
            map.means[level] += loads_at(&reads[i], level) / (double)count;
            read[cell]++;
        }
        for (size_t i = 0; i < (size_t)map.rows * map.columns; i++)
            sums[i] = read[i] == 0 ? 0 : rounded(sums[i] / read[i]);
        map.cells[level] = sequence_of(sums, (size_t)map.rows * map.columns, arena);
    }
    return map;
}

static void view_maps(const Look *look, Arena *arena, LookView *view)
{
    const ExecutionProfile *profile = look->explanation->profile;
    view->maps = arena_array(arena, MOST_MAPS, sizeof *view->maps);
    for (uint32_t from = 0, to; from < profile->read_count && view->map_count < MOST_MAPS; from = to) {
        const ProfileRead *first = &profile->reads[from];
        for (to = from + 1; to < profile->read_count && profile->reads[to].kernel == first->kernel &&
                            profile->reads[to].array == first->array;
             to++)
            continue;
        if (array_of(profile, first->array) != NULL)
            view->maps[view->map_count++] = map_of(look, first, to - from, arena);
    }
}

/* ==== blocks over time ============================================================================================ */

enum { MOST_KERNELS = 6, MOST_PARTS = 5 };
static const double LEAST_PART = 0.02;

static int compare_parts(const void *a, const void *b)
{
    const LookPart *one = a, *other = b;
    return (one->share < other->share) - (one->share > other->share);
}

/* The weights of the cost model say which fraction of the time each part stands for. */
static void view_parts(const Explanation *explanation, const ExplainedKernel *from, LookKernel *kernel, Arena *arena)
{
    const Cost *cost = &from->cost;
    double weights[COST_MAX_PARTS], rest = 1;
    LookPart *parts = arena_array(arena, COST_MAX_PARTS + 1, sizeof *parts);
    const double in_parts = fmax(0, 1 - explanation->hardware->launch_s / cost->seconds);
    combine_weights(cost->parts, cost->part_count, cost->blocks_together, explanation->hardware, weights);
    for (int i = 0; i < cost->part_count; i++) {
        const bool is_latency = strcmp(cost->parts[i].name, "latency") == 0;
        const double share = weights[i] * in_parts;
        rest -= share;
        if (share >= LEAST_PART)
            parts[kernel->part_count++] = (LookPart){is_latency ? "warps waiting for their own loads and results"
                                                                : limiter_words(cost->parts[i].name),
                                                     share};
    }
    if (rest >= LEAST_PART)
        parts[kernel->part_count++] = (LookPart){"the launch", rest};
    qsort(parts, kernel->part_count, sizeof *parts, compare_parts);
    kernel->part_count = kernel->part_count < MOST_PARTS ? kernel->part_count : MOST_PARTS;
    kernel->parts = parts;
}

static const char *extents(const uint32_t size[3], Arena *arena)
{
    return size[2] > 1   ? arena_printf(arena, "%u x %u x %u", size[0], size[1], size[2])
           : size[1] > 1 ? arena_printf(arena, "%u x %u", size[0], size[1])
                         : arena_printf(arena, "%u", size[0]);
}

static LookKernel kernel_of(const Explanation *explanation, uint32_t index, Arena *arena)
{
    const ExplainedKernel *from = &explanation->kernels[index];
    const ProfileKernel *profile = from->profile;
    const BlockTimeline *timeline = &profile->timeline;
    double turns[TIMELINE_ROWS * TIMELINE_COLUMNS], together[TIMELINE_COLUMNS];
    LookKernel kernel = {.name = arena_string(arena, from->name),
                         .grid = extents(profile->shape.grid, arena),
                         .block = extents(profile->shape.block, arena),
                         .seconds = profile->seconds,
                         .launches = profile->launches,
                         .resident = from->resident_blocks,
                         .places = timeline->places,
                         .resident_limit = from->occupancy_limit,
                         .waves = from->waves,
                         .rows = timeline->rows,
                         .step = timeline->step,
                         .most_waves = timeline->most_waves};
    for (size_t i = 0; i < (size_t)timeline->rows * TIMELINE_COLUMNS; i++)
        turns[i] = timeline->waves[i / TIMELINE_COLUMNS][i % TIMELINE_COLUMNS];
    for (size_t i = 0; i < TIMELINE_COLUMNS; i++)
        together[i] = rounded(timeline->together[i]);
    kernel.turns = sequence_of(turns, (size_t)timeline->rows * TIMELINE_COLUMNS, arena);
    kernel.together = sequence_of(together, TIMELINE_COLUMNS, arena);
    view_parts(explanation, from, &kernel, arena);
    return kernel;
}

static void view_kernels(const Explanation *explanation, Arena *arena, LookView *view)
{
    const ExecutionProfile *profile = explanation->profile;
    view->kernels = arena_array(arena, MOST_KERNELS, sizeof *view->kernels);
    for (uint32_t i = 0; i < profile->kernel_count && view->kernel_count < MOST_KERNELS; i++)
        if (profile->kernels[i].timeline.rows > 0)
            view->kernels[view->kernel_count++] = kernel_of(explanation, i, arena);
}

/* ==== lines ======================================================================================================= */

enum { MOST_OF_LINE = 48, MOST_OF_ALL = 500 }; /* instructions that are shown */

/* The first lines of the code, as many as there is room for. */
static const char *shown_code(const ListedCode *code, size_t *room, size_t *left_out, Arena *arena)
{
    const size_t most = *room < MOST_OF_LINE ? *room : MOST_OF_LINE;
    const char *end = code->text.data;
    size_t shown = 0;
    while (end != NULL && *end != '\0' && shown < most) {
        const char *newline = strchr(end, '\n');
        shown += newline[-1] != ':';
        end = newline + 1;
    }
    *room -= shown;
    *left_out = code->count - shown;
    return shown == 0 ? "" : arena_copy(arena, code->text.data, (size_t)(end - code->text.data));
}

static int compare_shares(const void *a, const void *b)
{
    const LookLine *one = *(LookLine *const *)a, *other = *(LookLine *const *)b;
    return one->share != other->share ? (one->share < other->share) - (one->share > other->share)
                                      : (one->line > other->line) - (one->line < other->line);
}

/* The lines that take most time first, as there may not be room for all. */
static void show_code(const Listing *listing, LookView *view, Arena *arena)
{
    size_t ptx_room = MOST_OF_ALL, sass_room = MOST_OF_ALL;
    LookLine **by_share = zeroed(view->line_count + 1, sizeof *by_share);
    for (size_t i = 0; i < view->line_count; i++)
        by_share[i] = &view->lines[i];
    qsort(by_share, view->line_count, sizeof *by_share, compare_shares);
    for (size_t i = 0; i < view->line_count; i++) {
        LookLine *line = by_share[i];
        line->ptx = shown_code(&listing->ptx[line->line - 1], &ptx_room, &line->ptx_left_out, arena);
        line->sass = shown_code(&listing->sass[line->line - 1], &sass_room, &line->sass_left_out, arena);
    }
    free(by_share);
}

static void view_lines(const Look *look, Arena *arena, LookView *view)
{
    const Explanation *explanation = look->explanation;
    const ExecutionProfile *profile = explanation->profile;
    const Listing *listing = look->listing;
    LookLine *all = zeroed(listing->line_count + 1, sizeof *all);
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const ProfileLine *line = &profile->lines[i];
        if (!explain_is_own_line(explanation, line) || line->counts.line < 1 ||
            (size_t)line->counts.line > listing->line_count)
            continue;
        LookLine *to = &all[line->counts.line - 1];
        to->executions += line->counts.executions;
        to->share += explanation->line_shares[i];
        to->live_registers = line->counts.live_registers > to->live_registers ? line->counts.live_registers
                                                                              : to->live_registers;
    }
    view->lines = arena_array(arena, listing->line_count + 1, sizeof *view->lines);
    for (size_t i = 0; i < listing->line_count; i++) {
        if (all[i].executions == 0 && listing->ptx[i].count == 0 && listing->sass[i].count == 0)
            continue;
        all[i].line = (int)i + 1;
        view->lines[view->line_count++] = all[i];
    }
    free(all);
    show_code(listing, view, arena);
}

/* ==== the view ==================================================================================================== */

static const char *unseen_requests(const ExecutionProfile *profile)
{
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        if (profile->kernels[i].counters.bulk_load_sectors > 0)
            return "bulk copies, which a single thread asks for";
    return "";
}

void look_view(const Look *look, Arena *arena, LookView *view)
{
    const ExecutionProfile *profile = look->explanation->profile;
    *view = (LookView){.case_name = arena_string(arena, look->case_name),
                       .seconds = look->explanation->seconds,
                       .no_sass = arena_string(arena, look->listing->no_sass),
                       .unseen = unseen_requests(profile)};
    view_accesses(profile, arena, view);
    view_maps(look, arena, view);
    view_kernels(look->explanation, arena, view);
    view_lines(look, arena, view);
    view->hottest_line = hottest_line(profile, view);
}

/* clang-format off */
RECORD(request_table, LookRequest,
    ROW(LookRequest, warp, "warp"),
    ROW(LookRequest, time, "time", .about = "the warp, and which time of it, from 1"),
    ROW(LookRequest, lanes, "lanes", .required = true, .about = "of each of the 32 lanes, the first byte of the array that it asks for; -1: not active"),
    ROW(LookRequest, got, "got", .about = "sectors of global memory, wavefronts of shared memory, different words of constant memory"));
RECORD(access_table, LookAccess,
    ROW(LookAccess, line, "line"),
    ROW(LookAccess, kernel, "kernel", .required = true),
    ROW(LookAccess, array, "array", .required = true, .about = "the line of the submission, its kernel, and what it accesses"),
    ROW(LookAccess, space, "space", .required = true, .about = "`global`, `shared`, `constant` or `texture`"),
    ROW(LookAccess, is_store, "is_store"),
    ROW(LookAccess, bytes, "bytes", .low = 1, .high = 16, .about = "of each lane"),
    ROW(LookAccess, element_bytes, "element_bytes", .low = 1, .high = 4096),
    ROW(LookAccess, skew, "skew", .high = CACHE_LINE_BYTES - 1, .about = "of the array; bytes from a multiple of 128 to its start"),
    ROW_LIST(LookAccess, requests, request_count, "requests", request_table));
RECORD(map_table, LookMap,
    ROW(LookMap, kernel, "kernel", .required = true),
    ROW(LookMap, array, "array", .required = true, .about = "who reads what"),
    ROW(LookMap, first_row, "first_row"),
    ROW(LookMap, first_column, "first_column"),
    ROW(LookMap, row_step, "row_step", .low = 1, .high = UINT32_MAX),
    ROW(LookMap, column_step, "column_step", .low = 1, .high = UINT32_MAX),
    ROW(LookMap, rows, "rows", .low = 1, .high = LOOK_MOST_ROWS),
    ROW(LookMap, columns, "columns", .low = 1, .high = LOOK_MOST_COLUMNS, .about = "the first element of the first cell; elements that a cell stands for; numbers of cells"),
    ROW(LookMap, elements, "elements", .about = "that the block reads"),
    ROW(LookMap, cells[0], "by_threads", .required = true),
    ROW(LookMap, cells[1], "by_warps", .required = true),
    ROW(LookMap, cells[2], "from_l2", .required = true),
    ROW(LookMap, cells[3], "from_memory", .required = true, .about = "loads of an element, the mean over a cell"),
    ROW(LookMap, cells[4], "by_blocks", .required = true, .about = "blocks that read it, of this one and its neighbours"),
    ROW_NUMBERS(LookMap, means, "means", .about = "the same five over all elements"));
RECORD(part_table, LookPart,
    ROW(LookPart, name, "name", .required = true),
    ROW(LookPart, share, "share", .about = "what the time is spent on"));
RECORD(kernel_table, LookKernel,
    ROW(LookKernel, name, "name", .required = true),
    ROW(LookKernel, grid, "grid", .required = true),
    ROW(LookKernel, block, "block", .required = true),
    ROW(LookKernel, seconds, "seconds"),
    ROW(LookKernel, launches, "launches", .about = "the kernel, its shape, its time in all launches"),
    ROW(LookKernel, resident, "resident"),
    ROW(LookKernel, places, "places", .about = "blocks at once, on a multiprocessor and on all that the grid uses"),
    ROW(LookKernel, resident_limit, "resident_limit", .required = true, .about = "what keeps more blocks from being resident"),
    ROW(LookKernel, waves, "waves", .about = "how often the grid fills all multiprocessors"),
    ROW_LIST(LookKernel, parts, part_count, "parts", part_table),
    ROW(LookKernel, rows, "rows", .low = 1, .high = TIMELINE_ROWS),
    ROW(LookKernel, step, "step", .low = 1, .high = UINT32_MAX, .about = "a row of `turns` for each `step`-th multiprocessor"),
    ROW(LookKernel, most_waves, "most_waves", .about = "blocks that a place runs one after the other"),
    ROW(LookKernel, together, "together", .required = true, .about = "blocks under way, in 60 parts of the time"),
    ROW(LookKernel, turns, "turns", .required = true, .about = "which of its place's blocks a multiprocessor runs then, row by row"));
RECORD(line_table, LookLine,
    ROW(LookLine, line, "line", .low = 1, .high = INT32_MAX),
    ROW(LookLine, share, "share"),
    ROW(LookLine, executions, "executions", .about = "of the call's modelled time; by warps"),
    ROW(LookLine, live_registers, "live_registers", .about = "registers of PTX that hold values there"),
    ROW(LookLine, ptx, "ptx", .required = true),
    ROW(LookLine, sass, "sass", .required = true),
    ROW(LookLine, ptx_left_out, "ptx_left_out", .sparse = true),
    ROW(LookLine, sass_left_out, "sass_left_out", .sparse = true, .about = "its instructions, one on each line; those that are not shown"));
RECORD_PUBLIC(look_table, LookView,
    ROW_SCHEMA("schema", 1),
    ROW(LookView, case_name, "case", .required = true, .about = "the name of a case, or the sizes of a case of your own"),
    ROW(LookView, seconds, "seconds", .about = "modelled"),
    ROW(LookView, no_sass, "no_sass", .required = true, .about = "why there is no machine code"),
    ROW(LookView, unseen, "unseen", .required = true, .about = "what no picture shows among the requests"),
    ROW(LookView, hottest_line, "hottest_line", .about = "whose accesses take most wavefronts"),
    ROW_LIST(LookView, accesses, access_count, "accesses", access_table),
    ROW_LIST(LookView, maps, map_count, "maps", map_table),
    ROW_LIST(LookView, kernels, kernel_count, "kernels", kernel_table),
    ROW_LIST(LookView, lines, line_count, "lines", line_table));
/* clang-format on */

static bool is_sound_access(const LookAccess *access)
{
    double lanes[SIM_WARP_SIZE];
    for (size_t i = 0; i < access->request_count; i++)
        if (!look_numbers(access->requests[i].lanes, lanes, SIM_WARP_SIZE))
            return false;
    return access->request_count > 0 && access->request_count <= MOST_REQUESTS_SHOWN;
}

static bool is_sound_map(const LookMap *map)
{
    double cells[LOOK_MOST_ROWS * LOOK_MOST_COLUMNS];
    bool is_sound = true;
    for (int level = 0; level < LOOK_LEVELS; level++)
        is_sound = is_sound && look_numbers(map->cells[level], cells, (size_t)map->rows * map->columns);
    return is_sound;
}

static bool is_sound_kernel(const LookKernel *kernel)
{
    double turns[TIMELINE_ROWS * TIMELINE_COLUMNS];
    return look_numbers(kernel->turns, turns, (size_t)kernel->rows * TIMELINE_COLUMNS) &&
           look_numbers(kernel->together, turns, TIMELINE_COLUMNS);
}

bool look_view_is_sound(const LookView *view)
{
    bool is_sound = view->access_count <= MOST_ACCESSES && view->map_count <= MOST_MAPS &&
                    view->kernel_count <= MOST_KERNELS;
    for (size_t i = 0; i < view->access_count && is_sound; i++)
        is_sound = is_sound_access(&view->accesses[i]);
    for (size_t i = 0; i < view->map_count && is_sound; i++)
        is_sound = is_sound_map(&view->maps[i]);
    for (size_t i = 0; i < view->kernel_count && is_sound; i++)
        is_sound = is_sound_kernel(&view->kernels[i]);
    return is_sound;
}
