/* submission_cases.c - the cases of a submission, and a wrong output as pictures.  */
#include "base/html.h"
#include "grader/report/trace.h"
#include "service/store/view.h"
#include "service/web/parts.h"
#include "service/web/template.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ==== png ========================================================================================================= */

/* A small picture as the text of a data: URL, for <img src="...">.
 *
 * Source   Portable Network Graphics (PNG) Specification, second edition, W3C, 2003; RFC 1950 and 1951 (the data is stored, not
 *          compressed); RFC 2397 (data:), RFC 4648 (base64). */

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static void add_byte(Text *bytes, unsigned value)
{
    const char byte = (char)value;
    text_append(bytes, &byte, 1);
}

static void add_big_endian(Text *bytes, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        add_byte(bytes, value >> shift & 0xFF);
}

static uint32_t crc_of(const char *bytes, size_t length)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < length; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

static uint32_t adler_of(const char *bytes, size_t length)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < length; i++) {
        a = (a + (unsigned char)bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void add_chunk(Text *file, const char type[4], const Text *data)
{
    add_big_endian(file, (uint32_t)data->length);
    size_t start = file->length;
    text_append(file, type, 4);
    if (data->length > 0)
        text_append(file, data->data, data->length);
    add_big_endian(file, crc_of(file->data + start, file->length - start));
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Eight bits for each of four channels, no interlace. */
static void add_header(Text *file, size_t width, size_t height)
{
    Text data = {0};
    add_big_endian(&data, (uint32_t)width);
    add_big_endian(&data, (uint32_t)height);
    text_append(&data, "\x08\x06\0\0\0", 5);
    add_chunk(file, "IHDR", &data);
    text_free(&data);
}

/* Each row begins with its filter, 0: none. All rows are one stored block of zlib. */
static void add_pixels(Text *file, const uint8_t *pixels, size_t width, size_t height)
{
    Text rows = {0}, data = {0};
    for (size_t y = 0; y < height; y++) {
        add_byte(&rows, 0);
        text_append(&rows, (const char *)pixels + 4 * width * y, 4 * width);
    }
    unsigned length = (unsigned)rows.length & 0xFFFF;
    text_append(&data, "\x78\x01\x01", 3);
    add_byte(&data, length & 0xFF);
    add_byte(&data, length >> 8);
    add_byte(&data, ~length & 0xFF);
    add_byte(&data, ~length >> 8 & 0xFF);
    text_append(&data, rows.data, rows.length);
    add_big_endian(&data, adler_of(rows.data, rows.length));
    add_chunk(file, "IDAT", &data);
    text_free(&data);
    text_free(&rows);
}

static void add_base64(Text *page, const Text *file)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < file->length; i += 3) {
        size_t left = file->length - i;
        const unsigned char *at = (const unsigned char *)file->data + i;
        uint32_t three = (uint32_t)at[0] << 16 | (left > 1 ? (uint32_t)at[1] << 8 : 0) | (left > 2 ? at[2] : 0);
        const char four[4] = {digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=',
                              left > 2 ? digits[three & 63] : '='};
        text_append(page, four, 4);
    }
}

/* `pixels` has 4 bytes for each of width * height pixels, at most 65,535 bytes in all with one more for each row: red,
 * green, blue, opacity. */
static void png_data_url(Text *page, const uint8_t *pixels, size_t width, size_t height)
{
    Text file = {0};
    const Text nothing = {0};
    text_append(&file, "\x89PNG\r\n\x1A\n", 8);
    add_header(&file, width, height);
    add_pixels(&file, pixels, width, height);
    add_chunk(&file, "IEND", &nothing);
    text_add(page, "data:image/png;base64,");
    add_base64(page, &file);
    text_free(&file);
}

/* ==== output pictures ============================================================================================= */

/* A sample's wrong output beside the expected one, as pictures: where it is wrong, what was expected,
 * what came, and the difference.
 *
 * They are drawn from `output` of a case in result.json, which small outputs of two dimensions or of pictures have
 * (docs/reference/formats.md). */

enum { MAX_ELEMENTS = 4096 };

/* An output as a grid of cells; a cell of a picture has several channels. */
typedef struct Grid {
    size_t width, height, channels;
    const cJSON *expected, *got; /* in the order of the memory; null: not a number */
    const cJSON *bounds;
    bool is_bytes; /* levels from 0 to 255 */
} Grid;

static size_t extent(const cJSON *shape, int dimension)
{
    const cJSON *item = cJSON_GetArrayItem(shape, dimension);
    return cJSON_IsNumber(item) && item->valuedouble >= 1 && item->valuedouble <= MAX_ELEMENTS
               ? (size_t)item->valuedouble
               : 0;
}

/* The channels of a row of bytes that holds pixels: three or four times as many bytes as the picture is wide; 1 otherwise. */
static size_t channels_of(const Grid *grid, const cJSON *sizes, size_t row)
{
    double width = view_number(sizes, "width");
    for (size_t channels = 3; channels <= 4; channels++)
        if (grid->is_bytes && width >= 1 && (double)row == width * (double)channels)
            return channels;
    return 1;
}

/* The last dimension is a row; planes stand below each other. */
static bool grid_of(const cJSON *output, const cJSON *sizes, Grid *grid)
{
    const cJSON *shape = view_item(output, "shape");
    int rank = cJSON_GetArraySize(shape);
    *grid = (Grid){.expected = view_item(output, "expected"),
                   .got = view_item(output, "got"),
                   .bounds = view_item(output, "bounds"),
                   .is_bytes = strcmp(view_text(output, "type"), "unsigned char") == 0};
    if (rank < 2)
        return false;
    size_t row = extent(shape, rank - 1);
    grid->channels = channels_of(grid, sizes, row);
    grid->width = row / grid->channels;
    grid->height = 1;
    for (int i = 0; i < rank - 1; i++)
        grid->height *= extent(shape, i);
    size_t count = grid->width * grid->height * grid->channels;
    return grid->width * grid->height > 1 && count <= MAX_ELEMENTS &&
           (size_t)cJSON_GetArraySize(grid->expected) == count && (size_t)cJSON_GetArraySize(grid->got) == count &&
           (size_t)cJSON_GetArraySize(grid->bounds) == count;
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

typedef struct Colour {
    uint8_t red, green, blue, opacity;
} Colour;

static Colour between(Colour from, Colour to, double share)
{
    share = share >= 0 ? fmin(share, 1) : 0;
    return (Colour){(uint8_t)lround(from.red + share * (to.red - from.red)),
                    (uint8_t)lround(from.green + share * (to.green - from.green)),
                    (uint8_t)lround(from.blue + share * (to.blue - from.blue)), 255};
}

static const Colour WHITE = {255, 255, 255, 255}, BLACK = {0, 0, 0, 255}, BLUE = {0, 114, 178, 255},
                    RED = {213, 94, 0, 255}, NOT_A_NUMBER = {204, 121, 167, 255}, RIGHT = {238, 240, 241, 255};

/* ---- the four pictures ------------------------------------------------------------------------------------------- */

typedef enum PictureKind { KIND_MAP, KIND_EXPECTED, KIND_GOT, KIND_DIFFERENCE, KINDS } PictureKind;

typedef struct Values { /* of each element; NaN where it was not a number */
    double *expected, *got, *bound;
    double low, high;  /* of what was expected */
    double difference; /* largest finite one */
    bool has_gaps;     /* something came that is not a number */
} Values;

static void read_list(const cJSON *list, double *values)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        *values++ = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    }
}

static void read_values(const Grid *grid, Values *values)
{
    size_t count = grid->width * grid->height * grid->channels;
    read_list(grid->expected, values->expected);
    read_list(grid->got, values->got);
    read_list(grid->bounds, values->bound);
    values->low = INFINITY;
    values->high = -INFINITY;
    values->difference = 0;
    for (size_t i = 0; i < count; i++) {
        values->has_gaps = values->has_gaps || isnan(values->got[i]);
        values->low = fmin(values->low, values->expected[i]);
        values->high = fmax(values->high, values->expected[i]);
        values->difference = fmax(values->difference, fabs(values->got[i] - values->expected[i]));
    }
    if (grid->is_bytes) {
        values->low = 0;
        values->high = 255;
    }
}

static bool is_wrong(const Values *values, size_t i)
{
    return !(fabs(values->got[i] - values->expected[i]) <= values->bound[i]);
}

static uint8_t level(double value)
{
    return value >= 0 ? (uint8_t)fmin(value, 255) : 0;
}

/* A picture's cell has its own colours, opaque, since what matters is every channel. */
static Colour value_colour(const Grid *grid, const Values *values, const double *list, size_t cell)
{
    const double *at = list + cell * grid->channels;
    if (grid->channels >= 3)
        return (Colour){level(at[0]), level(at[1]), level(at[2]), 255};
    if (isnan(at[0]))
        return NOT_A_NUMBER;
    return between(BLACK, WHITE, (at[0] - values->low) / fmax(values->high - values->low, 1e-30));
}

/* The colour of the largest difference among the channels. */
static Colour difference_colour(const Grid *grid, const Values *values, size_t cell)
{
    double most = 0;
    for (size_t c = 0; c < grid->channels; c++) {
        double difference = values->got[cell * grid->channels + c] - values->expected[cell * grid->channels + c];
        if (isnan(difference))
            return NOT_A_NUMBER;
        most = fabs(difference) > fabs(most) ? difference : most;
    }
    return between(WHITE, most < 0 ? BLUE : RED, fabs(most) / fmax(values->difference, 1e-30));
}

static Colour map_colour(const Grid *grid, const Values *values, size_t cell)
{
    bool wrong = false;
    for (size_t c = 0; c < grid->channels; c++)
        wrong = wrong || is_wrong(values, cell * grid->channels + c);
    return wrong ? RED : RIGHT;
}

static Colour colour_of(const Grid *grid, const Values *values, PictureKind kind, size_t cell)
{
    switch (kind) {
    case KIND_MAP: return map_colour(grid, values, cell);
    case KIND_EXPECTED: return value_colour(grid, values, values->expected, cell);
    case KIND_GOT: return value_colour(grid, values, values->got, cell);
    default: return difference_colour(grid, values, cell);
    }
}

static void add_picture(Text *page, const Grid *grid, const Values *values, PictureKind kind)
{
    static const char *const names[KINDS] = {"Where it is wrong", "Expected", "Got", "Difference"};
    static const char *const words[KINDS] = {"orange: beyond its bound", "", "", "orange: too large, blue: too small"};
    const bool has_gaps = (kind == KIND_GOT || kind == KIND_DIFFERENCE) && values->has_gaps;
    size_t cells = grid->width * grid->height;
    uint8_t *pixels = calloc(cells, 4);
    if (pixels == NULL)
        return;
    for (size_t i = 0; i < cells; i++) {
        Colour colour = colour_of(grid, values, kind, i);
        pixels[4 * i] = colour.red;
        pixels[4 * i + 1] = colour.green;
        pixels[4 * i + 2] = colour.blue;
        pixels[4 * i + 3] = colour.opacity;
    }
    html_raw(page, "<figure><img src=\"");
    png_data_url(page, pixels, grid->width, grid->height);
    html_add(page, "\" width=\"%zu\" height=\"%zu\" alt=\"%s, as a picture of %zu by %zu cells\"><figcaption>%s",
             grid->width, grid->height, names[kind], grid->width, grid->height, names[kind]);
    if (has_gaps || *words[kind] != '\0')
        html_add(page, "<span class=\"more\">%s%s%s</span>", words[kind], has_gaps && *words[kind] != '\0' ? ", " : "",
                 has_gaps ? "purple: not a number" : "");
    html_raw(page, "</figcaption></figure>\n");
    free(pixels);
}

/* ---- the numbers ------------------------------------------------------------------------------------------------- */

static void add_cell(Text *page, const Grid *grid, const Values *values, size_t cell)
{
    for (size_t c = 0; c < grid->channels; c++) {
        size_t i = cell * grid->channels + c;
        const char *separator = c > 0 ? ", " : "";
        if (isnan(values->got[i]))
            html_add(page, "%s?", separator);
        else if (is_wrong(values, i))
            html_add(page, "%s<strong>%.6g</strong> (%.6g)", separator, values->got[i], values->expected[i]);
        else
            html_add(page, "%s%.6g", separator, values->got[i]);
    }
}

static void add_numbers(Text *page, const Grid *grid, const Values *values)
{
    enum { MOST_ROWS = 32, MOST_COLUMNS = 32 };
    size_t rows = grid->height < MOST_ROWS ? grid->height : MOST_ROWS,
           columns = grid->width < MOST_COLUMNS ? grid->width : MOST_COLUMNS;
    html_raw(
        page,
        "<details>\n<summary>The numbers of these pictures</summary>\n<p class=\"note\">What came; where it is wrong, "
        "bold, with the expected value in brackets.</p>\n<div class=\"scroll\" role=\"group\" aria-label=\"Output\" "
        "tabindex=\"0\">\n<table>\n<thead><tr><th scope=\"col\">Row</th>");
    for (size_t x = 0; x < columns; x++)
        html_add(page, "<th scope=\"col\" class=\"number\">%zu</th>", x);
    html_raw(page, "</tr></thead>\n<tbody>\n");
    for (size_t y = 0; y < rows; y++) {
        html_add(page, "<tr><th scope=\"row\">%zu</th>", y);
        for (size_t x = 0; x < columns; x++) {
            html_raw(page, "<td class=\"number\">");
            add_cell(page, grid, values, y * grid->width + x);
            html_raw(page, "</td>");
        }
        html_raw(page, "</tr>\n");
    }
    html_raw(page, "</tbody>\n</table>\n</div>\n");
    if (rows < grid->height || columns < grid->width)
        html_raw(page, "<p class=\"note\">The first 32 rows and columns are shown.</p>\n");
    html_raw(page, "</details>\n");
}

static void draw(Text *page, const Grid *grid)
{
    size_t count = grid->width * grid->height * grid->channels;
    double *memory = calloc(3 * count, sizeof *memory);
    if (memory == NULL)
        return;
    Values values = {.expected = memory, .got = memory + count, .bound = memory + 2 * count};
    read_values(grid, &values);
    html_raw(page, "<div class=\"pictures\">\n");
    for (int kind = 0; kind < KINDS; kind++)
        add_picture(page, grid, &values, (PictureKind)kind);
    html_raw(page, "</div>\n");
    add_numbers(page, grid, &values);
    free(memory);
}

/* Says what is missing where the case has no `output`, and nothing where the output has one dimension. */
static void output_pictures(Text *page, const cJSON *item)
{
    Grid grid;
    const cJSON *output = view_item(item, "output");
    bool has_dimensions = cJSON_GetArraySize(view_item(view_item(item, "first_wrong"), "position")) >= 2;
    if (!has_dimensions)
        return;
    if (output == NULL)
        html_raw(page,
                 "<p class=\"note\">The record of this case keeps only these two elements, so there is no picture of "
                 "its output.</p>\n");
    else if (grid_of(output, view_item(item, "sizes"), &grid))
        draw(page, &grid);
}

/* ==== submission cases ============================================================================================ */

/* ---- the parts --------------------------------------------------------------------------------------------------- */

typedef enum CasePart { PART_SAMPLE, PART_HIDDEN, PART_TIMED, PARTS } CasePart;

/* Sizes are absent of hidden cases alone. */
static CasePart part_of(const cJSON *item)
{
    if (view_true(item, "timed"))
        return PART_TIMED;
    return view_item(item, "sizes") == NULL ? PART_HIDDEN : PART_SAMPLE;
}

static bool is_accepted(const cJSON *item)
{
    return strcmp(view_text(item, "verdict"), "Accepted") == 0;
}

/* The cases behind the first one that failed may not have run. */
static bool was_run(const cJSON *item)
{
    return strcmp(view_text(item, "verdict"), "not run") != 0;
}

/* ---- what a sample's output was ---------------------------------------------------------------------------------- */

static void add_number(Text *text, double value, int digits)
{
    if (isnan(value))
        text_add(text, "not a number");
    else
        text_printf(text, "%.*g", digits, value);
}

static void put_element(cJSON *list, const char *which, const cJSON *element)
{
    static const struct {
        const char *key;
        int digits;
    } numbers[] = {{"expected", 9}, {"got", 9}, {"error", 3}, {"bound", 3}};
    const cJSON *index;
    Text text = {0};
    if (element == NULL)
        return;
    cJSON *row = values_row(list);
    cJSON_ArrayForEach(index, view_item(element, "position"))
    {
        text_printf(&text, "[%.0f]", index->valuedouble);
    }
    values_put(row, "which=%s position=%s", which, text.data == NULL ? "" : text.data);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        text_free(&text);
        add_number(&text, view_number(element, numbers[i].key), numbers[i].digits);
        cJSON_AddStringToObject(row, numbers[i].key, text.data);
    }
    text_free(&text);
}

static void put_printed(cJSON *sample, const cJSON *item)
{
    enum { MOST = 8000 };
    const char *printed = view_text(item, "printed");
    const double lost = view_number(item, "printed_lost");
    const size_t length = strlen(printed), shown = length > MOST ? MOST : length;
    Text text = {0};
    text_append(&text, printed, shown);
    values_put(sample, "printed=%s lost=%g", text.data, (double)(length - shown) + (lost > 0 ? lost : 0));
    text_free(&text);
}

/* ---- a small sample, whole --------------------------------------------------------------------------------------- */

typedef struct SmallArray { /* as rows of numbers */
    const char *name;
    size_t count, columns;
    double values[WHOLE_ELEMENTS];
    bool is_wrong[WHOLE_ELEMENTS];
} SmallArray;

/* One of one dimension stands as a column, so that its numbers stand beside each other's. */
static void add_array(Text *page, const SmallArray *array)
{
    html_add(page, "<table>\n<caption>%s</caption>\n<tbody>\n", array->name);
    for (size_t row = 0; row * array->columns < array->count; row++) {
        html_add(page, "<tr><th scope=\"row\" class=\"number quiet\">%zu</th>", row);
        for (size_t i = row * array->columns; i < (row + 1) * array->columns && i < array->count; i++) {
            html_add(page, "<td class=\"number%s\">", array->is_wrong[i] ? " wrong" : "");
            if (isnan(array->values[i]))
                html_raw(page, "not a number");
            else
                html_add(page, "%.7g", array->values[i]);
            html_raw(page, array->is_wrong[i] ? "<span aria-label=\"wrong\"> ✗</span></td>" : "</td>");
        }
        html_raw(page, "</tr>\n");
    }
    html_raw(page, "</tbody>\n</table>\n");
}

static size_t columns_of(size_t count, size_t first_extent, size_t dimensions)
{
    return dimensions >= 2 && first_extent > 0 ? count / first_extent : 1;
}

static void add_inputs(Text *page, const SubmissionRecord *record, const char *name)
{
    const TestcaseSet *set = record->testcases;
    for (size_t i = 0; record->problem != NULL && set != NULL && i < set->count; i++) {
        const Testcase *sample = &set->cases[i];
        if (sample->group != CASE_SAMPLE || strcmp(sample->name, name) != 0)
            continue;
        for (size_t k = 0; k < record->problem->parameter_count; k++) {
            const Tensor *tensor = &sample->sources[k].literal;
            const bool is_literal = (record->problem->parameters[k].role & ROLE_IN) != 0 &&
                                    sample->sources[k].kind == SOURCE_VALUES && sample->sources[k].change == 0;
            const size_t count = is_literal ? tensor_count(tensor) : 0;
            SmallArray array = {.name = record->problem->parameters[k].name, .count = count};
            if (count == 0 || count > WHOLE_ELEMENTS)
                continue;
            array.columns = columns_of(count, tensor->shape[0], tensor->rank);
            for (size_t n = 0; n < count; n++)
                array.values[n] = element_load(tensor->type, tensor->data, n);
            add_array(page, &array);
        }
    }
}

/* The inputs, what was expected and what came, side by side, the wrong elements marked. */
static void add_whole(Text *page, const SubmissionRecord *record, const cJSON *item)
{
    const cJSON *output = view_item(item, "output"), *shape = view_item(output, "shape");
    const cJSON *lists[] = {view_item(output, "expected"), view_item(output, "got"), view_item(output, "bounds")};
    const size_t count = (size_t)cJSON_GetArraySize(lists[0]);
    if (count == 0 || count > WHOLE_ELEMENTS || (size_t)cJSON_GetArraySize(lists[1]) != count ||
        (size_t)cJSON_GetArraySize(lists[2]) != count)
        return;
    const size_t columns = columns_of(count,
                                      shape == NULL || shape->child == NULL ? 0 : (size_t)shape->child->valuedouble,
                                      (size_t)cJSON_GetArraySize(shape));
    SmallArray expected = {.name = "expected", .count = count, .columns = columns};
    SmallArray got = {.name = "got", .count = count, .columns = columns};
    double bounds[WHOLE_ELEMENTS];
    read_list(lists[0], expected.values);
    read_list(lists[1], got.values);
    read_list(lists[2], bounds);
    for (size_t i = 0; i < count; i++)
        got.is_wrong[i] = !(fabs(got.values[i] - expected.values[i]) <= bounds[i]);
    html_raw(page,
             "<div class=\"scroll\" role=\"group\" aria-label=\"The sample\" tabindex=\"0\"><div class=\"arrays\">\n");
    add_inputs(page, record, view_text(item, "name"));
    add_array(page, &expected);
    add_array(page, &got);
    html_raw(page, "</div></div>\n");
}

/* Why the first wrong element is wrong. What a worker of another version has written is left out. */
static void put_trace(cJSON *sample, const cJSON *item, size_t number)
{
    const cJSON *trace = view_item(item, "trace");
    const JsonFile file = {.path = (char *)"trace", .root = (cJSON *)trace};
    Arena arena = {0};
    TraceView view = {.got = NAN};
    Text markup = {0};
    Message ignored;
    if (trace != NULL && record_read(&trace_view_table, &file, trace, &arena, &view, &ignored) == STATUS_OK &&
        trace_view_is_sound(&view)) {
        values_put(sample, "traced=%s", view.element);
        trace_page(&view, arena_printf(&arena, "trace-%zu", number), &markup);
    }
    values_markup(sample, "trace", &markup);
    arena_free(&arena);
}

static void put_sample(cJSON *list, const SubmissionRecord *record, const cJSON *item)
{
    const cJSON *first = view_item(item, "first_wrong");
    const bool is_wrong = view_number(item, "wrong") > 0 && first != NULL;
    Text pictures = {0}, whole = {0};
    if (!is_wrong && *view_text(item, "printed") == '\0')
        return;
    cJSON *sample = values_row(list), *elements = cJSON_AddArrayToObject(sample, "elements");
    values_put(sample, "name=%s wrong=%g count=%g", view_text(item, "name"), view_number(item, "wrong"),
               view_number(item, "count"));
    if (is_wrong) {
        put_element(elements, "first", first);
        put_element(elements, "worst", view_item(item, "worst_wrong"));
        output_pictures(&pictures, item);
        add_whole(&whole, record, item);
    }
    values_markup(sample, "whole", &whole);
    values_markup(sample, "pictures", &pictures);
    put_trace(sample, item, (size_t)cJSON_GetArraySize(list));
    put_printed(sample, item);
}

/* ---- all cases --------------------------------------------------------------------------------------------------- */

static void put_part(cJSON *parts, const SubmissionRecord *record, CasePart part, const char *name, const char *label)
{
    const cJSON *item, *cases = view_item(record->result, "cases");
    int accepted = 0, run = 0;
    cJSON *row = cJSON_CreateObject(), *all = cJSON_AddArrayToObject(row, "all"),
          *failed = cJSON_AddArrayToObject(row, "failed"), *samples = cJSON_AddArrayToObject(row, "samples");
    cJSON_ArrayForEach(item, cases)
    {
        if (part_of(item) != part)
            continue;
        accepted += is_accepted(item);
        run += was_run(item);
        cJSON_AddItemReferenceToArray(all, (cJSON *)item);
        if (was_run(item) && !is_accepted(item))
            cJSON_AddItemReferenceToArray(failed, (cJSON *)item);
        if (part == PART_SAMPLE)
            put_sample(samples, record, item);
    }
    if (cJSON_GetArraySize(all) == 0) {
        cJSON_Delete(row);
        return;
    }
    values_put(row, "name=%s label=%s count=%d accepted=%d run=%d is_open=%d icon=%s", name, label,
               cJSON_GetArraySize(all), accepted, run, accepted < run,
               run == 0          ? "none"
               : accepted == run ? "good"
                                 : "bad");
    cJSON_AddItemToArray(parts, row);
}

void submission_put_cases(cJSON *page, const SubmissionRecord *record)
{
    cJSON *parts = cJSON_AddArrayToObject(page, "parts");
    put_part(parts, record, PART_SAMPLE, "Samples", "Sample cases");
    put_part(parts, record, PART_HIDDEN, "Hidden cases", "Hidden cases");
    put_part(parts, record, PART_TIMED, "Timed cases", "Timed cases");
}
