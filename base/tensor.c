#include "base/tensor.h"

#include "base/arena.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const size_t MAX_FILE_BYTES = (size_t)1 << 30;

#define ELEMENT_TRAITS(NAME, NAME_TEXT, STORAGE, C_NAME, VECTOR, NPY, READ, MAKE, LOWEST, HIGHEST, EPSILON)              \
    [ELEMENT_##NAME] = {.name = #NAME_TEXT,                                                                            \
                        .storage = #STORAGE,                                                                           \
                        .c_name = C_NAME,                                                                              \
                        .vector = VECTOR,                                                                              \
                        .npy = NPY,                                                                                    \
                        .make = #MAKE,                                                                                 \
                        .bytes = sizeof(STORAGE),                                                                      \
                        .lowest = LOWEST,                                                                              \
                        .highest = HIGHEST,                                                                            \
                        .epsilon = EPSILON},
const ElementTraits element_traits[ELEMENT_TYPE_COUNT] = {ELEMENT_TYPES(ELEMENT_TRAITS)};

size_t element_bytes(ElementType type)
{
    return element_traits[type].bytes;
}

const char *element_c_name(ElementType type)
{
    return element_traits[type].c_name;
}

bool element_is_whole(ElementType type)
{
    return !(element_traits[type].epsilon > 0);
}

bool element_holds(ElementType type, double value)
{
    return value >= element_traits[type].lowest && value <= element_traits[type].highest &&
           (!element_is_whole(type) || value == floor(value));
}

#define ELEMENT_LOAD(NAME, NAME_TEXT, STORAGE, C_NAME, VECTOR, NPY, READ, ...)                                         \
    case ELEMENT_##NAME:                                                                                               \
        for (size_t i = 0; i < count; i++)                                                                             \
            values[i] = READ(((const STORAGE *)array)[first + i]);                                                     \
        break;

void element_load_all(ElementType type, const void *array, size_t first, size_t count, double *values)
{
    switch (type) {
        ELEMENT_TYPES(ELEMENT_LOAD)
    case ELEMENT_TYPE_COUNT: break;
    }
}

double element_load(ElementType type, const void *array, size_t index)
{
    double value = 0;
    element_load_all(type, array, index, 1, &value);
    return value;
}

#define ELEMENT_STORE(NAME, NAME_TEXT, STORAGE, C_NAME, VECTOR, NPY, READ, MAKE, ...)                                  \
    case ELEMENT_##NAME:                                                                                               \
        for (size_t i = 0; i < count; i++)                                                                             \
            ((STORAGE *)array)[first + i] = MAKE(values[i]);                                                           \
        break;

void element_store_all(ElementType type, void *array, size_t first, size_t count, const double *values)
{
    switch (type) {
        ELEMENT_TYPES(ELEMENT_STORE)
    case ELEMENT_TYPE_COUNT: break;
    }
}

void element_store(ElementType type, void *array, size_t index, double value)
{
    element_store_all(type, array, index, 1, &value);
}

size_t tensor_count(const Tensor *tensor)
{
    size_t count = 1;
    for (int i = 0; i < tensor->rank; i++)
        count *= tensor->shape[i];
    return count;
}

void tensor_free(Tensor *tensor)
{
    free(tensor->data);
    *tensor = (Tensor){0};
}

/* A file being read: `at` moves from the first byte to `end`. */
typedef struct TensorReader {
    const char *path;
    const unsigned char *at, *end;
} TensorReader;

static size_t left(const TensorReader *reader)
{
    return (size_t)(reader->end - reader->at);
}

/* Reads a decimal number of at most nine digits, which cannot overflow; -1 if there is none. */
static long read_decimal(TensorReader *reader)
{
    long value = 0;
    int digits = 0;
    while (left(reader) > 0 && isdigit(*reader->at) && digits < 10) {
        value = value * 10 + (*reader->at++ - '0');
        digits++;
    }
    return digits >= 1 && digits <= 9 ? value : -1;
}

/* The rest of the file must be the elements, exactly. */
static Status take_elements(TensorReader *reader, Tensor *tensor, Message *why)
{
    size_t bytes = element_bytes(tensor->type);
    for (int i = 0; i < tensor->rank; i++)
        if (__builtin_mul_overflow(bytes, tensor->shape[i], &bytes))
            return fail(STATUS_BAD_INPUT, why, "%s: the shape is too large", reader->path);
    if (bytes != left(reader))
        return fail(STATUS_BAD_INPUT, why, "%s: expected %zu bytes of elements, as its shape says, found %zu",
                    reader->path, bytes, left(reader));
    tensor->data = allocated(malloc(bytes > 0 ? bytes : 1)); /* not more than the file, for which there was memory */
    memcpy(tensor->data, reader->at, bytes);
    return STATUS_OK;
}

/* --- .pgm and .ppm: Netpbm, "PGM format specification" and "PPM format specification" ----------------------------- */

static void skip_space_and_comments(TensorReader *reader)
{
    while (left(reader) > 0 && (isspace(*reader->at) || *reader->at == '#')) {
        if (*reader->at == '#')
            while (left(reader) > 0 && *reader->at != '\n')
                reader->at++;
        else
            reader->at++;
    }
}

static Status netpbm_number(TensorReader *reader, const char *what, long high, long *value, Message *why)
{
    skip_space_and_comments(reader);
    *value = read_decimal(reader);
    if (*value < 1 || *value > high)
        return fail(STATUS_BAD_INPUT, why, "%s: expected the %s, a number from 1 to %ld, in the header", reader->path,
                    what, high);
    return STATUS_OK;
}

static Status read_netpbm(TensorReader *reader, bool colour, Tensor *tensor, Message *why)
{
    const char *magic = colour ? "P6" : "P5";
    long columns, rows, maximum;
    if (left(reader) < 2 || memcmp(reader->at, magic, 2) != 0)
        return fail(STATUS_BAD_INPUT, why, "%s: expected the file to begin with \"%s\"", reader->path, magic);
    reader->at += 2;
    TRY(netpbm_number(reader, "width", 1 << 20, &columns, why));
    TRY(netpbm_number(reader, "height", 1 << 20, &rows, why));
    TRY(netpbm_number(reader, "largest value", 255, &maximum, why));
    if (left(reader) < 1 || !isspace(*reader->at))
        return fail(STATUS_BAD_INPUT, why, "%s: expected one white-space character after the header", reader->path);
    reader->at++;
    *tensor = (Tensor){ELEMENT_UINT8, colour ? 3 : 2, {(size_t)rows, (size_t)columns, 3}, NULL};
    return take_elements(reader, tensor, why);
}

static Status read_pgm(TensorReader *reader, const Tensor *wanted, Tensor *tensor, Message *why)
{
    return read_netpbm(reader, false, tensor, why);
}

static Status read_ppm(TensorReader *reader, const Tensor *wanted, Tensor *tensor, Message *why)
{
    return read_netpbm(reader, true, tensor, why);
}

/* --- .npy: NumPy, "NEP 1, A simple file format for NumPy arrays" -------------------------------------------------- */

/* The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. `*header` becomes
 * that part of the file, and the reader moves past it. */
static Status npy_header(TensorReader *reader, TensorReader *header, Message *why)
{
    const unsigned char *start = reader->at;
    if (left(reader) < 12 || memcmp(start, "\x93NUMPY", 6) != 0 || start[6] < 1 || start[6] > 3)
        return fail(STATUS_BAD_INPUT, why, "%s: expected a .npy file of version 1, 2 or 3, as numpy.save() writes it",
                    reader->path);
    size_t length = start[8] | (size_t)start[9] << 8;
    reader->at += 10;
    if (start[6] > 1) {
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
        reader->at += 2;
    }
    if (length > left(reader))
        return fail(STATUS_BAD_INPUT, why, "%s: the file ends inside its header", reader->path);
    *header = (TensorReader){reader->path, reader->at, reader->at + length};
    reader->at += length;
    return STATUS_OK;
}

/* Moves past `'key':` and white space; false if the header has no such key. */
static bool npy_find(const TensorReader *header, const char *key, TensorReader *value)
{
    const unsigned char *found = memmem(header->at, left(header), key, strlen(key));
    if (found == NULL)
        return false;
    *value = (TensorReader){header->path, found + strlen(key), header->end};
    skip_space_and_comments(value);
    return true;
}

static bool starts_with(const TensorReader *reader, const char *prefix)
{
    return left(reader) >= strlen(prefix) && memcmp(reader->at, prefix, strlen(prefix)) == 0;
}

static Status npy_type(const TensorReader *header, ElementType *type, Message *why)
{
    TensorReader value = {header->path, (const unsigned char *)"none", (const unsigned char *)"none" + 4};
    int length = 0; /* of what is there */
    char types[100] = "";
    (void)npy_find(header, "'descr':", &value);
    for (*type = 0; *type < ELEMENT_TYPE_COUNT; ++*type) {
        const char *npy = element_traits[*type].npy;
        if (npy != NULL && starts_with(&value, npy))
            return STATUS_OK;
        if (npy != NULL)
            snprintf(types + strlen(types), sizeof types - strlen(types), "%s%s", *types == '\0' ? "" : ", ", npy);
    }
    while (length < 8 && (size_t)length < left(&value) && value.at[length] != ',')
        length++;
    return fail(STATUS_BAD_INPUT, why,
                "%s: expected elements of one of the types %s, found %.*s; numpy converts them: "
                "a.astype(numpy.float32)",
                header->path, types, length, (const char *)value.at);
}

/* "(3, 4)" or "(3,)" */
static bool npy_shape(const TensorReader *header, Tensor *tensor)
{
    TensorReader value;
    if (!npy_find(header, "'shape':", &value) || !starts_with(&value, "("))
        return false;
    value.at++;
    for (tensor->rank = 0; tensor->rank < TENSOR_MAX_RANK;) {
        skip_space_and_comments(&value);
        long extent = read_decimal(&value);
        if (extent < 0)
            return false;
        tensor->shape[tensor->rank++] = (size_t)extent;
        if (starts_with(&value, ","))
            value.at++;
        skip_space_and_comments(&value);
        if (starts_with(&value, ")"))
            return true;
    }
    return false;
}

static Status read_npy(TensorReader *reader, const Tensor *wanted, Tensor *tensor, Message *why)
{
    TensorReader header = {0}, order;
    TRY(npy_header(reader, &header, why));
    TRY(npy_type(&header, &tensor->type, why));
    if (!npy_find(&header, "'fortran_order':", &order) || !starts_with(&order, "False"))
        return fail(STATUS_BAD_INPUT, why,
                    "%s: expected rows one after the other ('fortran_order': False); numpy arranges them: "
                    "numpy.ascontiguousarray(a)",
                    reader->path);
    if (!npy_shape(&header, tensor))
        return fail(STATUS_BAD_INPUT, why, "%s: expected a shape of 1 to %d extents", reader->path, TENSOR_MAX_RANK);
    return take_elements(reader, tensor, why);
}

/* --- .png: libpng, "The simplified API" --------------------------------------------------------------------------- */

static Status read_png(TensorReader *reader, const Tensor *wanted, Tensor *tensor, Message *why)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    bool is_read = png_image_begin_read_from_memory(&image, reader->at, left(reader)) != 0;
    if (is_read && (image.format & PNG_FORMAT_FLAG_LINEAR) != 0) {
        png_image_free(&image);
        return fail(STATUS_BAD_INPUT, why, "%s: expected 8 bits for each channel, found 16", reader->path);
    }
    image.format = (image.format & PNG_FORMAT_FLAG_ALPHA) != 0   ? PNG_FORMAT_RGBA
                   : (image.format & PNG_FORMAT_FLAG_COLOR) != 0 ? PNG_FORMAT_RGB
                                                                 : PNG_FORMAT_GRAY;
    const size_t channels = PNG_IMAGE_PIXEL_CHANNELS(image.format);
    *tensor = (Tensor){ELEMENT_UINT8, channels == 1 ? 2 : 3, {image.height, image.width, channels}, NULL};
    if (is_read && tensor_count(tensor) > MAX_FILE_BYTES) {
        png_image_free(&image);
        return fail(STATUS_BAD_INPUT, why, "%s: the picture is too large", reader->path);
    }
    if (is_read) {
        tensor->data = allocated(malloc(tensor_count(tensor)));
        is_read = png_image_finish_read(&image, NULL, tensor->data, 0, NULL) != 0;
    }
    return is_read ? STATUS_OK : fail(STATUS_BAD_INPUT, why, "%s: libpng says: %s", reader->path, image.message);
}

/* --- text: numbers, with spaces, commas, semicolons or line breaks between them ----------------------------------- */

typedef struct NumberTable {
    double *numbers;
    size_t count;
    size_t lines, first_line; /* lines with numbers; how many the first of them has */
    bool is_even;             /* all of these lines have as many */
} NumberTable;

static Status read_numbers(const TensorReader *reader, NumberTable *table, Message *why)
{
    const char *at = (const char *)reader->at, *const end = (const char *)reader->end;
    size_t in_line = 0;
    table->numbers = allocated(malloc((left(reader) / 2 + 1) * sizeof *table->numbers));
    table->is_even = true;
    for (int line = 1;; at++) {
        char *behind;
        if (at == end || *at == '\n') {
            table->is_even = table->is_even && (in_line == 0 || table->lines == 0 || in_line == table->first_line);
            table->first_line = table->lines == 0 ? in_line : table->first_line;
            table->lines += in_line > 0;
            in_line = 0;
            line++;
        }
        if (at == end)
            return STATUS_OK;
        if (isspace((unsigned char)*at) || *at == ',' || *at == ';')
            continue;
        table->numbers[table->count] = strtod(at, &behind);
        if (behind == at || behind > end || !(behind == end || strchr(" \t\r\n,;", *behind) != NULL))
            return fail(STATUS_BAD_INPUT, why, "%s: line %d: expected a number, found '%.*s'", reader->path, line,
                        (int)strcspn(at, " \t\r\n,;") < 20 ? (int)strcspn(at, " \t\r\n,;") : 20, at);
        table->count++;
        in_line++;
        at = behind - 1;
    }
}

/* Are the first `rank` numbers extents, and the others as many as these say? */
static bool begins_with_shape(const NumberTable *table, size_t rank, Tensor *tensor)
{
    double product = 1;
    if (rank == 0 || rank > TENSOR_MAX_RANK || table->count <= rank)
        return false;
    tensor->rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        const double extent = table->numbers[i];
        if (!(extent >= 1 && extent <= (double)MAX_FILE_BYTES && extent == floor(extent)))
            return false;
        tensor->shape[i] = (size_t)extent;
        product *= extent;
    }
    return product == (double)(table->count - rank);
}

/* The extents stand in the first line, or a count alone does. A table has its own: one for lines, one for columns. Where numbers
 * could be read both ways, there are as many as are wanted. */
static Status shape_of_text(const TensorReader *reader, const NumberTable *table, const Tensor *wanted, Tensor *tensor,
                            Message *why)
{
    const bool is_all_wanted = table->is_even && table->count == tensor_count(wanted);
    if (!is_all_wanted && (begins_with_shape(table, table->first_line, tensor) || begins_with_shape(table, 1, tensor)))
        return STATUS_OK;
    if (!table->is_even || table->count == 0)
        return fail(STATUS_BAD_INPUT, why,
                    "%s: expected the count of the numbers, or 1 to %d extents, in the first line, and so many numbers "
                    "after it; or lines of equal length; found %zu numbers, %zu of them in the first line",
                    reader->path, TENSOR_MAX_RANK, table->count, table->first_line);
    tensor->rank = table->lines > 1 && table->first_line > 1 ? 2 : 1;
    tensor->shape[0] = tensor->rank == 2 ? table->lines : table->count;
    tensor->shape[1] = table->first_line;
    return STATUS_OK;
}

/* A count alone says nothing about extents, so the numbers take the wanted ones. */
static void take_wanted_shape(const Tensor *wanted, Tensor *tensor)
{
    if (tensor->rank != 1 || wanted->rank <= 1 || tensor_count(wanted) != tensor->shape[0])
        return;
    tensor->rank = wanted->rank;
    memcpy(tensor->shape, wanted->shape, sizeof tensor->shape);
}

static Status read_text(TensorReader *reader, const Tensor *wanted, Tensor *tensor, Message *why)
{
    NumberTable table = {0};
    *tensor = (Tensor){.type = wanted->type};
    Status status = read_numbers(reader, &table, why);
    THEN(status, shape_of_text(reader, &table, wanted, tensor, why));
    if (status == STATUS_OK) {
        const size_t count = tensor_count(tensor);
        const double *numbers = table.numbers + table.count - count;
        tensor->data = allocated(malloc(count * element_bytes(tensor->type)));
        for (size_t i = 0; i < count && status == STATUS_OK; i++)
            if (element_holds(tensor->type, numbers[i]))
                element_store(tensor->type, tensor->data, i, numbers[i]);
            else
                status = fail(STATUS_BAD_INPUT, why, "%s: element %zu: expected a number of type %s, found %g",
                              reader->path, i, element_c_name(tensor->type), numbers[i]);
        take_wanted_shape(wanted, tensor);
    }
    free(table.numbers);
    return status;
}

/* --- elements alone ----------------------------------------------------------------------------------------------- */

static Status read_elements(TensorReader *reader, const Tensor *wanted, Tensor *tensor, Message *why)
{
    *tensor = *wanted;
    tensor->data = NULL;
    return take_elements(reader, tensor, why);
}

/* Courses call both so: text that begins with a count, and elements alone. */
static Status read_text_or_elements(TensorReader *reader, const Tensor *wanted, Tensor *tensor, Message *why)
{
    const unsigned char *at = reader->at;
    while (at < reader->end && (isspace(*at) || isalnum(*at) || strchr("+-.,;", *at) != NULL) && *at != '\0')
        at++;
    return (at == reader->end ? read_text : read_elements)(reader, wanted, tensor, why);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

typedef Status (*FormatReader)(TensorReader *reader, const Tensor *wanted, Tensor *tensor, Message *why);

static const struct {
    const char *ending;
    FormatReader read;
} formats[] = {{".npy", read_npy},  {".pgm", read_pgm},      {".ppm", read_ppm},
               {".png", read_png},  {".csv", read_text},     {".dat", read_text},
               {".txt", read_text}, {".bin", read_elements}, {".raw", read_text_or_elements}};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static FormatReader format_of(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        const size_t ending = strlen(formats[i].ending);
        if (length > ending && strcasecmp(path + length - ending, formats[i].ending) == 0)
            return formats[i].read;
    }
    return NULL;
}

Status tensor_read(const char *path, const Tensor *wanted, Tensor *tensor, Message *why)
{
    const FormatReader read = format_of(path);
    Text text = {0};
    *tensor = (Tensor){0};
    if (read == NULL) {
        for (size_t i = 0; i < FORMAT_COUNT; i++)
            text_printf(&text, "%s%s", i == 0 ? "" : i + 1 == FORMAT_COUNT ? " or " : ", ", formats[i].ending);
        Status status = fail(STATUS_BAD_INPUT, why, "%s: expected a name that ends in %s", path, text.data);
        text_free(&text);
        return status;
    }
    TRY(text_read_file(path, MAX_FILE_BYTES, &text, why));
    TensorReader reader = {path, (unsigned char *)text.data, (unsigned char *)text.data + text.length};
    Status status = read(&reader, wanted, tensor, why);
    text_free(&text);
    if (status != STATUS_OK)
        tensor_free(tensor);
    return status;
}

Status tensor_read_raw(const char *path, Tensor *tensor, Message *why)
{
    Text text = {0};
    tensor->data = NULL;
    Status status = text_read_file(path, MAX_FILE_BYTES, &text, why);
    if (status == STATUS_OK) {
        TensorReader reader = {path, (unsigned char *)text.data, (unsigned char *)text.data + text.length};
        status = take_elements(&reader, tensor, why);
    }
    text_free(&text);
    return status;
}
