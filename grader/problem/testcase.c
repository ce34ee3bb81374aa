#include "grader/problem/testcase.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ==== case source ================================================================================================= */

static const double MAX_SEED = 9007199254740992.0; /* 2^53: larger whole numbers are not exact in JSON */

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

/* --- literal values and files ------------------------------------------------------------------------------------- */

/* Type and shape of the array, without elements. */
static Tensor tensor_like(const SourceArray *array)
{
    Tensor tensor = {array->parameter->type, array->parameter->rank, {0}, NULL};
    memcpy(tensor.shape, array->shape, sizeof tensor.shape);
    return tensor;
}

static Tensor new_tensor(const SourceArray *array)
{
    Tensor tensor = tensor_like(array);
    tensor.data = allocated(calloc(array->count, element_bytes(tensor.type)));
    return tensor;
}

/* A list of numbers. */
static Status case_source_values(const SourceReader *reader, const cJSON *list, const SourceArray *array,
                                 Tensor *tensor)
{
    ElementType type = array->parameter->type;
    size_t found = 0;
    for (const cJSON *item = list->child; item != NULL; item = item->next)
        found++;
    if (found != array->count)
        return json_fail(reader->file, list, reader->why, "expected %zu numbers, as the shape of %s says, found %zu",
                         array->count, array->parameter->name, found);
    *tensor = new_tensor(array);
    size_t i = 0;
    for (const cJSON *item = list->child; item != NULL; item = item->next, i++) {
        if (!cJSON_IsNumber(item) || !element_holds(type, item->valuedouble))
            return json_fail(reader->file, item, reader->why, "element %zu of %s: expected a number of type %s", i,
                             array->parameter->name, element_c_name(type));
        element_store(type, tensor->data, i, item->valuedouble);
    }
    return STATUS_OK;
}

static bool has_shape(const Tensor *tensor, const SourceArray *array)
{
    return tensor->rank == array->parameter->rank &&
           memcmp(tensor->shape, array->shape, (size_t)tensor->rank * sizeof *array->shape) == 0;
}

static bool all_finite(const Tensor *tensor, size_t count)
{
    size_t i = 0;
    while (i < count && isfinite(element_load(tensor->type, tensor->data, i)))
        i++;
    return i == count;
}

/* Converts the elements to the array's type, such as levels of a picture to floats, if it can hold each of them as it is. */
static bool convert(Tensor *tensor, const SourceArray *array)
{
    const ElementType from = tensor->type, to = array->parameter->type;
    Tensor converted = new_tensor(array);
    size_t i = 0;
    for (double value; i < array->count; i++) {
        value = element_load(from, tensor->data, i);
        if (!element_holds(to, value))
            break;
        element_store(to, converted.data, i, value);
        if (element_load(to, converted.data, i) != value)
            break;
    }
    tensor_free(i == array->count ? tensor : &converted);
    if (i == array->count)
        *tensor = converted;
    return i == array->count;
}

/* True for a .ppm that is to fill an array with four bytes for each pixel, whatever its rank. */
static bool lacks_alpha(const Tensor *tensor, const SourceArray *array)
{
    return tensor->type == ELEMENT_UINT8 && array->parameter->type == ELEMENT_UINT8 && tensor->rank == 3 &&
           tensor->shape[2] == 3 && array->parameter->rank > 1 && array->shape[0] == tensor->shape[0] &&
           array->count == 4 * tensor->shape[0] * tensor->shape[1];
}

/* Makes opaque RGBA of RGB. */
static void add_alpha(Tensor *tensor, const SourceArray *array)
{
    Tensor opaque = new_tensor(array);
    const uint8_t *from = tensor->data;
    for (size_t i = 0; i < array->count; i++)
        ((uint8_t *)opaque.data)[i] = i % 4 == 3 ? UINT8_MAX : *from++;
    tensor_free(tensor);
    *tensor = opaque;
}

/* "3 x 4", in `text` */
static const char *shape_text(const size_t *shape, int rank, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < rank && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%zu", i == 0 ? "" : " x ", shape[i]);
    return text;
}

static Status refuse_shape(const char *path, const SourceArray *array, const Tensor *tensor, Message *why)
{
    char expected[100], found[100];
    return fail(STATUS_BAD_INPUT, why, "%s: expected the shape of %s, %s, found %s", path, array->parameter->name,
                shape_text(array->shape, array->parameter->rank, expected, sizeof expected),
                shape_text(tensor->shape, tensor->rank, found, sizeof found));
}

/* Whether a picture of four channels fills an array of bytes with as many rows, whatever its rank. */
static bool has_its_channels(const Tensor *tensor, const SourceArray *array)
{
    return tensor->type == ELEMENT_UINT8 && array->parameter->type == ELEMENT_UINT8 && tensor->rank == 3 &&
           tensor->shape[2] == 4 && array->parameter->rank > 1 && array->shape[0] == tensor->shape[0] &&
           array->count == tensor_count(tensor);
}

static Status divide(const char *path, double divisor, Tensor *tensor, Message *why)
{
    const size_t count = tensor_count(tensor);
    if (divisor == 1)
        return STATUS_OK;
    if (element_is_whole(tensor->type))
        return fail(STATUS_BAD_INPUT, why,
                    "%s: only floats can be divided, expected no divisor for elements of type %s", path,
                    element_c_name(tensor->type));
    for (size_t i = 0; i < count; i++)
        element_store(tensor->type, tensor->data, i, element_load(tensor->type, tensor->data, i) / divisor);
    return STATUS_OK;
}

Status case_source_file(const char *path, double divisor, const SourceArray *array, Tensor *tensor, Message *why)
{
    ElementType type = array->parameter->type;
    const Tensor wanted = tensor_like(array);
    TRY(tensor_read(path, &wanted, tensor, why));
    if (has_its_channels(tensor, array)) {
        tensor->rank = wanted.rank;
        memcpy(tensor->shape, wanted.shape, sizeof wanted.shape);
    }
    if (lacks_alpha(tensor, array))
        add_alpha(tensor, array);
    if (!has_shape(tensor, array))
        return refuse_shape(path, array, tensor, why);
    if (!all_finite(tensor, array->count))
        return fail(STATUS_BAD_INPUT, why, "%s: an element is infinite or NaN", path);
    const ElementType found = tensor->type;
    if (found != type && !convert(tensor, array))
        return fail(STATUS_BAD_INPUT, why, "%s: expected elements of type %s, found %s, not all of which it can hold",
                    path, element_c_name(type), element_c_name(found));
    return divide(path, divisor, tensor, why);
}

static Status path_beside(const SourceReader *reader, const cJSON *name, char *path, size_t size)
{
    if (strchr(name->valuestring, '/') != NULL || name->valuestring[0] == '.')
        return json_fail(reader->file, name, reader->why, "expected the name of a file beside this one");
    if (snprintf(path, size, "%s/%s", reader->folder, name->valuestring) >= (int)size)
        return json_fail(reader->file, name, reader->why, "the name is too long");
    return STATUS_OK;
}

static Status read_shape(const SourceReader *reader, const cJSON *list, Tensor *tensor)
{
    tensor->rank = 0;
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (tensor->rank == TENSOR_MAX_RANK || !cJSON_IsNumber(item) || item->valuedouble < 1 ||
            item->valuedouble > INT32_MAX || item->valuedouble != floor(item->valuedouble))
            return json_fail(reader->file, list, reader->why, "expected 1 to %d whole numbers from 1 on",
                             TENSOR_MAX_RANK);
        tensor->shape[tensor->rank++] = (size_t)item->valuedouble;
    }
    return STATUS_OK;
}

static Status read_raw_file(const char *path, const SourceArray *array, Tensor *tensor, Message *why)
{
    TRY(has_shape(tensor, array) ? tensor_read_raw(path, tensor, why) : refuse_shape(path, array, tensor, why));
    if (!all_finite(tensor, array->count))
        return fail(STATUS_BAD_INPUT, why, "%s: an element is infinite or NaN", path);
    return STATUS_OK;
}

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && strcasecmp(name + length - end, ending) == 0;
}

static Status read_data_file(const SourceReader *reader, const cJSON *object, const SourceArray *array, Tensor *tensor)
{
    char path[PATH_MAX];
    Message unfit = {0};
    Status status = STATUS_OK;
    *tensor = (Tensor){.type = array->parameter->type};
    const cJSON *name = json_get(object, "file"), *shape = json_get(object, "shape");
    double divisor = 1;
    if (ends_in(name->valuestring, ".bin") && shape == NULL)
        return json_fail(reader->file, object, reader->why, "expected \"shape\" for a file of elements alone (.bin)");
    if (!ends_in(name->valuestring, ".bin") && !ends_in(name->valuestring, ".raw") && shape != NULL)
        return json_fail(reader->file, object, reader->why,
                         "expected \"shape\" only for a file of elements alone (.bin, .raw)");
    TRY(json_number(reader->file, object, "divide", FLT_MIN, FLT_MAX, &divisor, reader->why));
    status = path_beside(reader, name, path, sizeof path);
    if (status == STATUS_OK && shape != NULL)
        status = read_shape(reader, shape, tensor);
    TRY(status);
    status = shape != NULL ? read_raw_file(path, array, tensor, &unfit)
                           : case_source_file(path, 1, array, tensor, &unfit);
    THEN(status, divide(path, divisor, tensor, &unfit));
    return status == STATUS_OK ? status : json_fail(reader->file, name, reader->why, "%s", unfit.text);
}

/* The array in what an object {"file": NAME} names, in a file beside the reader's: as above, or with "shape", a list of
 * numbers, one of the array's own elements alone (.bin). */
static Status case_source_data_file(const SourceReader *reader, const cJSON *object, const SourceArray *array,
                                    Tensor *tensor)
{
    static const JsonKey keys[] = {
        {"file", JSON_STRING, true}, {"shape", JSON_ARRAY, false}, {"divide", JSON_NUMBER, false}};
    TRY(json_check(reader->file, object, keys, LENGTH_OF(keys), reader->why));
    return read_data_file(reader, object, array, tensor);
}

/* --- seeds ------------------------------------------------------------------------------------------------------- */

static Status read_seed(const SourceReader *reader, const cJSON *object, CaseSource *source)
{
    int64_t seed = 0;
    Status status = json_integer(reader->file, object, "seed", 0, (int64_t)MAX_SEED, &seed, reader->why);
    source->seeded = json_get(object, "seed") != NULL;
    source->seed = (uint64_t)seed;
    return status;
}

/* --- perturbed files ---------------------------------------------------------------------------------------------- */

typedef struct ValueRange {
    double low, high;
} ValueRange;

static ValueRange range_of(const Tensor *tensor, size_t count)
{
    ValueRange range = {INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        const double value = element_load(tensor->type, tensor->data, i);
        range.low = fmin(range.low, value);
        range.high = fmax(range.high, value);
    }
    return range;
}

/* Moves values from the ends of the file's range inward, so that a change cannot lead out of it. Cutting off changed
 * values instead would leave some of them as they are in the file, where an attacker knows them. */
static void make_room(Tensor *tensor, size_t count, ValueRange range, double change)
{
    for (size_t i = 0; i < count; i++) {
        const double value = element_load(tensor->type, tensor->data, i);
        element_store(tensor->type, tensor->data, i, fmin(fmax(value, range.low + change), range.high - change));
    }
}

static Status read_perturbation(const SourceReader *reader, const cJSON *object, const SourceArray *array,
                                CaseSource *source)
{
    const cJSON *item = json_get(object, "perturb");
    double share = 0;
    TRY(json_number(reader->file, object, "perturb", -FLT_MAX, FLT_MAX, &share, reader->why));
    if (!(share > 0 && share <= 0.5))
        return json_fail(reader->file, item, reader->why,
                         "expected a share of the range of the file's values, above 0 and at most 0.5");
    const ValueRange range = range_of(&source->literal, array->count);
    const double change = share * (range.high - range.low);
    source->kind = SOURCE_PERTURBED;
    source->a = element_is_whole(source->literal.type) ? fmin(floor(change), INT32_MAX) : (double)(float)change;
    if (!(source->a > 0))
        return json_fail(reader->file, item, reader->why,
                         "the values of %s reach from %g to %g: a share of %g of that changes nothing",
                         array->parameter->name, range.low, range.high, share);
    if (!isfinite((float)(range.high - range.low)))
        return json_fail(reader->file, item, reader->why,
                         "the values of %s reach from %g to %g, which is no finite float", array->parameter->name,
                         range.low, range.high);
    make_room(&source->literal, array->count, range, source->a);
    return read_seed(reader, object, source);
}

static Status read_file_source(const SourceReader *reader, const cJSON *object, const SourceArray *array,
                               CaseSource *source)
{
    static const JsonKey keys[] = {{"file", JSON_STRING, true},
                                   {"shape", JSON_ARRAY, false},
                                   {"divide", JSON_NUMBER, false},
                                   {"perturb", JSON_NUMBER, false},
                                   {"seed", JSON_NUMBER, false}};
    const cJSON *seed = json_get(object, "seed");
    source->kind = SOURCE_FILE;
    TRY(json_check(reader->file, object, keys, LENGTH_OF(keys), reader->why));
    if (json_get(object, "perturb") == NULL && seed != NULL)
        return json_fail(reader->file, seed, reader->why, "a file has a seed only with \"perturb\"");
    TRY(read_data_file(reader, object, array, &source->literal));
    if (json_get(object, "perturb") != NULL)
        TRY(read_perturbation(reader, object, array, source));
    return STATUS_OK;
}

/* --- patterns ----------------------------------------------------------------------------------------------------- */

/* The keys of each pattern and their defaults; `a`, `b` and `c` are those of CasePattern. */
static const struct PatternRow {
    const char *name;
    CasePatternKind kind;
    const char *a, *b, *c;
    double default_a, default_b, default_c;
} pattern_rows[] = {
    {"sparse", CASE_PATTERN_SPARSE, "one_in", "others", "run", 8, 0, 1},
    {"emboss", CASE_PATTERN_EMBOSS, "middle", NULL, NULL, 1, 0, 0},
    {"ends", CASE_PATTERN_ENDS, NULL, NULL, NULL, 0, 0, 0},
    {"product", CASE_PATTERN_PRODUCT, "change", NULL, NULL, 0.001, 0, 0},
};

const char *case_pattern_name(CasePatternKind kind)
{
    for (size_t i = 0; i < LENGTH_OF(pattern_rows); i++)
        if (pattern_rows[i].kind == kind)
            return pattern_rows[i].name;
    return "";
}

static const struct PatternRow *find_pattern(const char *name)
{
    for (size_t i = 0; i < LENGTH_OF(pattern_rows); i++)
        if (strcmp(name, pattern_rows[i].name) == 0)
            return &pattern_rows[i];
    return NULL;
}

static Status check_pattern(const SourceReader *reader, const cJSON *item, const SourceArray *array,
                            const CasePattern *pattern)
{
    if (array->parameter->type != ELEMENT_FLOAT32)
        return json_fail(reader->file, item, reader->why, "is for arrays of floats, which %s is not",
                         array->parameter->name);
    if (pattern->kind == CASE_PATTERN_SPARSE &&
        (pattern->a != floor(pattern->a) || !(pattern->a >= 2) || !(fabs(pattern->b) <= 1)))
        return json_fail(reader->file, item, reader->why,
                         "expected a whole number \"one_in\" from 2 on, and \"others\" from -1 to 1");
    if (pattern->kind == CASE_PATTERN_SPARSE && (pattern->c != floor(pattern->c) || !(pattern->c >= 1)))
        return json_fail(reader->file, item, reader->why, "expected a whole number \"run\" from 1 on");
    if (pattern->kind == CASE_PATTERN_EMBOSS && array->count % 2 == 0)
        return json_fail(reader->file, item, reader->why, "%s has %zu elements: expected an odd number, with a middle",
                         array->parameter->name, array->count);
    if (pattern->kind == CASE_PATTERN_PRODUCT && (pattern->a == 0 || !(fabs(pattern->a) <= 1)))
        return json_fail(reader->file, item, reader->why, "expected a \"change\" from -1 to 1 that is not 0");
    return STATUS_OK;
}

/* Products of four numbers, and what is added to one, stay finite. */
static Status check_pattern_range(const SourceReader *reader, const cJSON *item, const CaseSource *source)
{
    static const double most = 1e9;
    const double largest = source->kind == SOURCE_NORMAL ? fabs(source->a) + 6 * source->b
                                                         : fmax(fabs(source->a), fabs(source->b));
    if (source->pattern.kind == CASE_PATTERN_NONE || largest <= most)
        return STATUS_OK;
    return json_fail(reader->file, item, reader->why, "expected numbers from -%g to %g for a pattern", most, most);
}

/* Adds the keys that the object may have, if it names a pattern. */
static Status add_pattern_keys(const SourceReader *reader, const cJSON *object, JsonKey *keys, size_t *count)
{
    const cJSON *name = json_get(object, "pattern");
    const struct PatternRow *row = cJSON_IsString(name) ? find_pattern(name->valuestring) : NULL;
    if (name == NULL)
        return STATUS_OK;
    if (row == NULL)
        return json_fail(reader->file, name, reader->why, "expected sparse, emboss, ends or product");
    keys[(*count)++] = (JsonKey){"pattern", JSON_STRING, false};
    if (row->a != NULL)
        keys[(*count)++] = (JsonKey){row->a, JSON_NUMBER, false};
    if (row->b != NULL)
        keys[(*count)++] = (JsonKey){row->b, JSON_NUMBER, false};
    if (row->c != NULL)
        keys[(*count)++] = (JsonKey){row->c, JSON_NUMBER, false};
    return STATUS_OK;
}

static Status read_pattern(const SourceReader *reader, const cJSON *object, const SourceArray *array,
                           CasePattern *pattern)
{
    const cJSON *name = json_get(object, "pattern");
    if (name == NULL)
        return STATUS_OK;
    const struct PatternRow *row = find_pattern(name->valuestring);
    *pattern = (CasePattern){row->kind, row->default_a, row->default_b, row->default_c};
    Status status = STATUS_OK;
    if (row->a != NULL)
        status = json_number(reader->file, object, row->a, -FLT_MAX, FLT_MAX, &pattern->a, reader->why);
    if (status == STATUS_OK && row->b != NULL)
        status = json_number(reader->file, object, row->b, -FLT_MAX, FLT_MAX, &pattern->b, reader->why);
    if (status == STATUS_OK && row->c != NULL)
        status = json_number(reader->file, object, row->c, 1, 1 << 30, &pattern->c, reader->why);
    return status == STATUS_OK ? check_pattern(reader, name, array, pattern) : status;
}

/* --- generators --------------------------------------------------------------------------------------------------- */

/* The keys of each generator and their defaults; `a` and `b` are those of CaseSource. */
static const struct GeneratorKind {
    const char *name;
    SourceKind kind;
    const char *a, *b;
    double default_a, default_b;
    bool random; /* takes a seed and a pattern */
} generator_kinds[] = {
    {"uniform", SOURCE_UNIFORM, "low", "high", -1, 1, true},
    {"normal", SOURCE_NORMAL, "mean", "deviation", 0, 1, true},
    {"integers", SOURCE_INTEGERS, "low", "high", -9, 9, true},
    {"impulse", SOURCE_IMPULSE, "value", "position", 1, -1, false},
    {"ramp", SOURCE_RAMP, "start", "step", 0, 1, false},
    {"constant", SOURCE_CONSTANT, "value", NULL, 1, 0, false},
};

static Status check_uniform(const SourceReader *reader, const cJSON *item, const SourceArray *array,
                            const CaseSource *source)
{
    if (element_is_whole(array->parameter->type))
        return json_fail(reader->file, item, reader->why, "makes floats; for %s, use \"integers\"",
                         array->parameter->name);
    if (!((float)source->a < (float)source->b) || !isfinite((float)source->b - (float)source->a) ||
        !element_holds(array->parameter->type, source->a) || !element_holds(array->parameter->type, source->b))
        return json_fail(reader->file, item, reader->why,
                         "expected \"low\" below \"high\", at a distance that is a finite float");
    return STATUS_OK;
}

static Status check_normal(const SourceReader *reader, const cJSON *item, const SourceArray *array,
                           const CaseSource *source)
{
    if (element_is_whole(array->parameter->type))
        return json_fail(reader->file, item, reader->why, "makes floats; for %s, use \"integers\"",
                         array->parameter->name);
    if (source->b < 0 || !isfinite((float)(fabs(source->a) + 6 * source->b)) ||
        !element_holds(array->parameter->type, fabs(source->a) + 6 * source->b))
        return json_fail(reader->file, item, reader->why,
                         "expected a \"deviation\" of at least 0, and finite values up to 6 deviations from the mean");
    return STATUS_OK;
}

/* Floating-point numbers have every whole number up to 2 / epsilon; a generator's lie at most 2^32 - 1 apart. */
static Status check_integers(const SourceReader *reader, const cJSON *item, const SourceArray *array,
                             const CaseSource *source)
{
    const ElementTraits *traits = &element_traits[array->parameter->type];
    const bool is_whole = element_is_whole(array->parameter->type);
    const double high = is_whole ? traits->highest : fmin(2 / traits->epsilon, INT32_MAX);
    const double low = is_whole ? traits->lowest : -high;
    if (source->a != floor(source->a) || source->b != floor(source->b) || source->a > source->b || source->a < low ||
        source->b > high || source->b - source->a > UINT32_MAX)
        return json_fail(reader->file, item, reader->why,
                         "expected whole numbers from %.0f to %.0f, \"low\" not above \"high\" and at most %u below it",
                         low, high, UINT32_MAX);
    return STATUS_OK;
}

static Status check_impulse(const SourceReader *reader, const cJSON *item, const SourceArray *array, CaseSource *source)
{
    if (!element_holds(array->parameter->type, source->a))
        return json_fail(reader->file, item, reader->why, "expected a \"value\" of type %s",
                         element_c_name(array->parameter->type));
    if (source->b != floor(source->b) || source->b < -1 || source->b >= (double)array->count)
        return json_fail(reader->file, item, reader->why, "expected a \"position\" from 0 to %zu", array->count - 1);
    source->position = (int64_t)source->b;
    return STATUS_OK;
}

/* A ramp is monotonic, so it is enough to check its ends and its step. A constant is a ramp without a step. */
static Status check_ramp(const SourceReader *reader, const cJSON *item, const SourceArray *array,
                         const CaseSource *source)
{
    const ElementType type = array->parameter->type;
    const double step = source->kind == SOURCE_RAMP ? source->b : 0;
    double last = source->a + step * (double)(array->count - 1);
    if (!element_holds(type, source->a) || !element_holds(type, last) ||
        (element_is_whole(type) && step != floor(step)))
        return json_fail(reader->file, item, reader->why, "expected every element to be a number of type %s",
                         element_c_name(type));
    return STATUS_OK;
}

static Status check_generator(const SourceReader *reader, const cJSON *item, const SourceArray *array,
                              CaseSource *source)
{
    switch (source->kind) {
    case SOURCE_UNIFORM: return check_uniform(reader, item, array, source);
    case SOURCE_NORMAL: return check_normal(reader, item, array, source);
    case SOURCE_INTEGERS: return check_integers(reader, item, array, source);
    case SOURCE_IMPULSE: return check_impulse(reader, item, array, source);
    case SOURCE_RAMP:
    case SOURCE_CONSTANT: return check_ramp(reader, item, array, source);
    case SOURCE_VALUES:
    case SOURCE_FILE:
    case SOURCE_PERTURBED: break;
    }
    return STATUS_OK;
}

static const struct GeneratorKind *find_generator(const char *name)
{
    for (size_t i = 0; i < LENGTH_OF(generator_kinds); i++)
        if (strcmp(name, generator_kinds[i].name) == 0)
            return &generator_kinds[i];
    return NULL;
}

static Status read_generator(const SourceReader *reader, const cJSON *object, const SourceArray *array,
                             CaseSource *source)
{
    const cJSON *name = json_get(object, "generator");
    const struct GeneratorKind *kind = cJSON_IsString(name) ? find_generator(name->valuestring) : NULL;
    if (kind == NULL)
        return json_fail(reader->file, name, reader->why,
                         "expected uniform, normal, integers, impulse, ramp or constant");
    JsonKey keys[8] = {{"generator", JSON_STRING, true}};
    size_t count = 1;
    Status status = STATUS_OK;
    keys[count++] = (JsonKey){kind->a, JSON_NUMBER, false};
    if (kind->b != NULL)
        keys[count++] = (JsonKey){kind->b, JSON_NUMBER, false};
    if (kind->random) {
        keys[count++] = (JsonKey){"seed", JSON_NUMBER, false};
        status = add_pattern_keys(reader, object, keys, &count);
    }
    *source = (CaseSource){.kind = kind->kind, .a = kind->default_a, .b = kind->default_b, .position = -1};
    THEN(status, json_check(reader->file, object, keys, count, reader->why));
    THEN(status, json_number(reader->file, object, kind->a, -FLT_MAX, FLT_MAX, &source->a, reader->why));
    if (status == STATUS_OK && kind->b != NULL)
        status = json_number(reader->file, object, kind->b, -FLT_MAX, FLT_MAX, &source->b, reader->why);
    if (status == STATUS_OK && kind->random)
        status = read_seed(reader, object, source);
    THEN(status, check_generator(reader, name, array, source));
    THEN(status, read_pattern(reader, object, array, &source->pattern));
    return status == STATUS_OK ? check_pattern_range(reader, name, source) : status;
}

/* --- any source --------------------------------------------------------------------------------------------------- */

/* Refuses what does not fit the array: another shape, numbers that its type does not have. */
static Status case_source_read(const SourceReader *reader, const cJSON *object, const SourceArray *array,
                               CaseSource *source)
{
    static const JsonKey values_key[] = {{"values", JSON_ARRAY, true}};
    Status status;
    if (json_get(object, "generator") != NULL)
        return read_generator(reader, object, array, source);
    if (json_get(object, "values") != NULL) {
        source->kind = SOURCE_VALUES;
        status = json_check(reader->file, object, values_key, 1, reader->why);
        return status == STATUS_OK ? case_source_values(reader, json_get(object, "values"), array, &source->literal)
                                   : status;
    }
    if (json_get(object, "file") != NULL)
        return read_file_source(reader, object, array, source);
    return json_fail(reader->file, object, reader->why,
                     "expected \"values\", \"file\", \"generator\" or \"as_before\"");
}

/* True for data from a random generator, those of a file that are perturbed, and those of which a drawn element changes. */
static bool case_source_is_random(const CaseSource *source)
{
    return source->kind == SOURCE_UNIFORM || source->kind == SOURCE_NORMAL || source->kind == SOURCE_INTEGERS ||
           source->kind == SOURCE_PERTURBED || source->changes > 0;
}

/* True if every grading gets other data: random ones without a seed in the file. */
static bool case_source_is_drawn_anew(const CaseSource *source)
{
    return case_source_is_random(source) && !source->seeded;
}

bool case_source_is_same(const CaseSource *a, const CaseSource *b)
{
    if (case_source_is_drawn_anew(a) || a->kind != b->kind || a->seeded != b->seeded || a->seed != b->seed ||
        a->a != b->a || a->b != b->b || a->position != b->position || a->change != b->change ||
        a->changes != b->changes || a->pattern.kind != b->pattern.kind || a->pattern.a != b->pattern.a ||
        a->pattern.b != b->pattern.b || a->pattern.c != b->pattern.c)
        return false;
    if (a->literal.data == NULL || b->literal.data == NULL)
        return a->literal.data == b->literal.data;
    const size_t bytes = tensor_count(&a->literal) * element_bytes(a->literal.type);
    return tensor_count(&b->literal) * element_bytes(b->literal.type) == bytes &&
           memcmp(a->literal.data, b->literal.data, bytes) == 0;
}

/* ==== testcase ==================================================================================================== */

void testcases_free(TestcaseSet *set)
{
    for (size_t i = 0; i < set->count; i++) {
        for (size_t j = 0; j < PROBLEM_MAX_PARAMETERS; j++) {
            tensor_free(&set->cases[i].expected[j]);
            tensor_free(&set->cases[i].sources[j].literal);
        }
    }
    arena_free(&set->arena);
    *set = (TestcaseSet){0};
}

cJSON *sizes_json(const Problem *problem, const Sizes *sizes)
{
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role == ROLE_SIZE)
            cJSON_AddNumberToObject(object, problem->parameters[i].name, (double)sizes->values[i]);
        else if (problem->parameters[i].role == ROLE_SCALAR)
            cJSON_AddNumberToObject(object, problem->parameters[i].name, sizes_scalar(sizes, i));
    return object;
}

static void add_sizes(Text *out, const Problem *problem, const Sizes *sizes, const char *equals, const char *comma)
{
    const char *separator = "";
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *parameter = &problem->parameters[i];
        if (parameter_is_array(parameter))
            continue;
        text_printf(out, "%s%s%s", separator, parameter->name, equals);
        if (parameter->role == ROLE_SIZE)
            text_printf(out, "%lld", (long long)sizes->values[i]);
        else
            text_printf(out, "%.9g", sizes_scalar(sizes, i));
        separator = comma;
    }
}

void sizes_add(Text *out, const Problem *problem, const Sizes *sizes)
{
    add_sizes(out, problem, sizes, " ", ", ");
}

void sizes_add_options(Text *out, const Problem *problem, const Sizes *sizes)
{
    add_sizes(out, problem, sizes, "=", ",");
}

static bool is_possible(const Parameter *size, int64_t value)
{
    bool is_listed = size->values == NULL;
    for (size_t i = 0; i < size->value_count; i++)
        is_listed = is_listed || size->values[i] == value;
    return is_listed && value >= size->low && value <= size->high;
}

static Status check_size(const Problem *problem, size_t parameter, const Sizes *sizes, Message *why)
{
    const Parameter *size = &problem->parameters[parameter];
    Text list = {0};
    if (size->role == ROLE_SCALAR) {
        double value = sizes_scalar(sizes, parameter);
        return scalar_takes(size, &value)
                   ? STATUS_OK
                   : fail(STATUS_BAD_INPUT, why, "%s: expected a number from %g to %g, as the statement says, found %g",
                          size->name, size->least, size->most, value);
    }
    if (is_possible(size, sizes->values[parameter]))
        return STATUS_OK;
    if (size->values == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: expected a number from %lld to %lld, as the statement says", size->name,
                    (long long)size->low, (long long)size->high);
    for (size_t i = 0; i < size->value_count; i++)
        text_printf(&list, "%s%lld", i == 0 ? "" : ", ", (long long)size->values[i]);
    const Status status = fail(STATUS_BAD_INPUT, why, "%s: expected one of %s, as the statement says, found %lld",
                               size->name, list.data, (long long)sizes->values[parameter]);
    text_free(&list);
    return status;
}

Status sizes_check(const Problem *problem, const Sizes *sizes, Message *why)
{
    size_t shape[TENSOR_MAX_RANK], count;
    int64_t holds = 1;
    Status status = STATUS_OK;
    for (size_t i = 0; i < problem->constraint_count && status == STATUS_OK; i++) {
        status = expression_evaluate(&problem->constraints[i], sizes->values, &holds, why);
        if (status == STATUS_OK && !holds)
            status = fail(STATUS_BAD_INPUT, why, "expected %s, as the statement says", problem->constraints[i].text);
    }
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++)
        status = parameter_is_array(&problem->parameters[i]) ? problem_shape(problem, i, sizes, shape, &count, why)
                                                             : check_size(problem, i, sizes, why);
    return status;
}

Status testcase_count_work(const Problem *problem, Testcase *testcase, Message *why)
{
    TRY(expression_evaluate(&problem->operations, testcase->sizes.values, &testcase->operations, why));
    return expression_evaluate(&problem->bytes, testcase->sizes.values, &testcase->bytes, why);
}

/* ==== drawn sizes ================================================================================================= */

/* Of a size with a list of values, one of those between both; of a scalar, one that a float holds. */
static int64_t draw_size(const Problem *problem, const Testcase *testcase, size_t parameter, uint32_t word)
{
    const Parameter *is = &problem->parameters[parameter];
    const int64_t least = testcase->least.values[parameter], most = testcase->most.values[parameter];
    size_t first = 0, end = is->value_count;
    if (is->role == ROLE_SCALAR) {
        Sizes drawn;
        sizes_set_scalar(&drawn, parameter,
                         generator_uniform(word, (float)sizes_scalar(&testcase->least, parameter),
                                           (float)sizes_scalar(&testcase->most, parameter)));
        return least == most ? least : drawn.values[parameter];
    }
    while (first < end && is->values[first] < least)
        first++;
    while (end > first && is->values[end - 1] > most)
        end--;
    return first < end ? is->values[generator_integer(word, (int64_t)first, (int64_t)end - 1)]
                       : generator_integer(word, least, most);
}

/* Computes the sizes that follow from others, in the order of the parameters. */
static Status derive_sizes(const Problem *problem, const Testcase *testcase, Sizes *sizes, Message *why)
{
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (testcase->derived[i].text != NULL)
            TRY(expression_evaluate(&testcase->derived[i], sizes->values, &sizes->values[i], why));
    return STATUS_OK;
}

/* False if they do not fit. */
static bool attempt_sizes(const Problem *problem, const Testcase *testcase, const GeneratorKey *secret,
                          uint32_t attempt, Sizes *sizes)
{
    _Static_assert((int)PROBLEM_MAX_PARAMETERS <= (int)GENERATOR_WORDS,
                   "a block of the cipher has a word for each size");
    const GeneratorKey key = generator_derive(secret, CASE_KEY_SIZES, (uint32_t)testcase->number, 0);
    const Chacha20Block block = generator_data(&key, attempt);
    *sizes = testcase->least;
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (!parameter_is_array(&problem->parameters[i]))
            sizes->values[i] = draw_size(problem, testcase, i, block.words[i]);
    return derive_sizes(problem, testcase, sizes, NULL) == STATUS_OK && sizes_check(problem, sizes, NULL) == STATUS_OK;
}

static Status draw_sizes(const Problem *problem, Testcase *testcase, const GeneratorKey *secret, Message *why)
{
    enum { ATTEMPTS = 1000 }; /* at least one in ten holds (testcases_read()) */
    uint32_t attempt = 0;
    do {
        if (attempt == ATTEMPTS)
            return fail(STATUS_BAD_INPUT, why, "case \"%s\": none of %d sizes drawn keeps the problem's constraints",
                        testcase->name, ATTEMPTS);
    } while (!attempt_sizes(problem, testcase, secret, attempt++, &testcase->sizes));
    return testcase_count_work(problem, testcase, why);
}

Status testcases_draw(const Problem *problem, TestcaseSet *set, const GeneratorKey *secret, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < set->count && status == STATUS_OK; i++)
        if (set->cases[i].draws_sizes)
            status = draw_sizes(problem, &set->cases[i], secret, why);
    return status;
}

/* ==== testcase read =============================================================================================== */

enum { MAX_FILE_BYTES = 16 << 20, MAX_NAME_LENGTH = 100 };

/* One of the two files, being read. */
typedef struct TestcaseReading {
    const Problem *problem;
    TestcaseSet *set;
    bool hidden;
    JsonFile file;
    Message *why;
    SourceReader reader; /* of the same file */
} TestcaseReading;

/* --- one case ----------------------------------------------------------------------------------------------------- */

/* Checks that the object has one member for each parameter with one of the roles. */
static Status check_members(TestcaseReading *reading, const cJSON *object, unsigned roles, JsonKind kind)
{
    JsonKey keys[PROBLEM_MAX_PARAMETERS];
    size_t count = 0;
    for (size_t i = 0; i < reading->problem->parameter_count; i++)
        if (reading->problem->parameters[i].role & roles)
            keys[count++] = (JsonKey){reading->problem->parameters[i].name, kind, true};
    return json_check(&reading->file, object, keys, count, reading->why);
}

/* An expression over other sizes, such as "2 * radius + 1". */
static Status read_derived_size(TestcaseReading *reading, const cJSON *sizes, size_t parameter, Testcase *testcase)
{
    const Problem *problem = reading->problem;
    const cJSON *item = json_get(sizes, problem->parameters[parameter].name);
    const char *names[PROBLEM_MAX_PARAMETERS] = {NULL};
    Message unfit = {0};
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *other = &problem->parameters[i];
        if (other->role == ROLE_SIZE && (i < parameter || !cJSON_IsString(json_get(sizes, other->name))))
            names[i] = other->name;
    }
    if (problem->parameters[parameter].role != ROLE_SIZE)
        return json_fail(&reading->file, item, reading->why, "expected a number: only a size follows from others");
    if (expression_compile(item->valuestring, names, problem->parameter_count, &reading->set->arena,
                           &testcase->derived[parameter], &unfit) != STATUS_OK)
        return json_fail(&reading->file, item, reading->why, "%s", unfit.text);
    return STATUS_OK;
}

/* Adds the number to the sizes: whole, of a size; as a float of a float. */
static bool take_number(const Parameter *size, size_t parameter, const cJSON *number, Sizes *sizes)
{
    double value = cJSON_IsNumber(number) ? number->valuedouble : NAN;
    if (size->role == ROLE_SCALAR && scalar_takes(size, &value)) {
        sizes_set_scalar(sizes, parameter, value);
        return true;
    }
    if (size->role == ROLE_SCALAR || !(value >= (double)size->low && value <= (double)size->high) ||
        value != floor(value))
        return false;
    sizes->values[parameter] = (int64_t)value;
    return true;
}

/* A number; a list of two, the least and the largest of the numbers that it is drawn from; or an expression. */
static Status read_size(TestcaseReading *reading, const cJSON *sizes, size_t parameter, Testcase *testcase)
{
    const Parameter *size = &reading->problem->parameters[parameter];
    const cJSON *item = json_get(sizes, size->name), *first = cJSON_IsArray(item) ? item->child : item;
    const cJSON *second = cJSON_IsArray(item) && first != NULL ? first->next : item;
    Sizes *least = &testcase->least, *most = &testcase->most;
    if (cJSON_IsString(item))
        return read_derived_size(reading, sizes, parameter, testcase);
    const bool is_range = cJSON_IsArray(item) && cJSON_GetArraySize(item) == 2;
    bool fits = take_number(size, parameter, first, least) && take_number(size, parameter, second, most) &&
                (is_range || !cJSON_IsArray(item));
    if (fits && is_range)
        fits = size->role == ROLE_SCALAR ? sizes_scalar(least, parameter) < sizes_scalar(most, parameter)
                                         : least->values[parameter] < most->values[parameter];
    testcase->draws_sizes = testcase->draws_sizes || is_range;
    if (fits)
        return STATUS_OK;
    if (size->role == ROLE_SCALAR)
        return json_fail(&reading->file, item, reading->why,
                         "expected a number from %g to %g, or two, the smaller one first, to draw it from", size->least,
                         size->most);
    return json_fail(&reading->file, item, reading->why,
                     "expected a whole number from %lld to %lld, or two, the smaller one first, to draw it from%s",
                     (long long)size->low, (long long)size->high,
                     cJSON_IsArray(item) || cJSON_IsNumber(item) ? "" : ", or an expression over other sizes");
}

/* The first of some attempts that holds becomes an example. One in ten must hold, so that a drawing soon ends. */
static Status check_drawn_sizes(TestcaseReading *reading, const cJSON *sizes, Testcase *testcase)
{
    enum { ATTEMPTS = 200, LEAST = ATTEMPTS / 10 };
    static const GeneratorKey known;
    uint32_t holding = 0;
    if (testcase->group != CASE_HIDDEN)
        return json_fail(&reading->file, sizes, reading->why,
                         "only a hidden case that is not timed can draw its sizes");
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        Sizes drawn;
        if (attempt_sizes(reading->problem, testcase, &known, i, &drawn) && holding++ == 0)
            testcase->sizes = drawn;
    }
    if (holding >= LEAST)
        return STATUS_OK;
    return json_fail(&reading->file, sizes, reading->why,
                     "%u of %d sizes drawn keep the problem's constraints, expected at least %d", holding, ATTEMPTS,
                     LEAST);
}

static Status read_sizes(TestcaseReading *reading, const cJSON *sizes, Testcase *testcase)
{
    Status status = check_members(reading, sizes, ROLE_SIZE | ROLE_SCALAR, JSON_ANY);
    for (size_t i = 0; i < reading->problem->parameter_count && status == STATUS_OK; i++)
        if (!parameter_is_array(&reading->problem->parameters[i]))
            status = read_size(reading, sizes, i, testcase);
    testcase->sizes = testcase->least;
    if (status == STATUS_OK && testcase->draws_sizes)
        return check_drawn_sizes(reading, sizes, testcase);
    Message unfit;
    if (status == STATUS_OK && derive_sizes(reading->problem, testcase, &testcase->sizes, &unfit) != STATUS_OK)
        return json_fail(&reading->file, sizes, reading->why, "%s", unfit.text);
    if (status == STATUS_OK && sizes_check(reading->problem, &testcase->sizes, &unfit) != STATUS_OK)
        return json_fail(&reading->file, sizes, reading->why, "%s", unfit.text);
    return status;
}

static Status shape_of(TestcaseReading *reading, const cJSON *item, const Testcase *testcase, size_t parameter,
                       SourceArray *array)
{
    Message unfit = {0};
    array->parameter = &reading->problem->parameters[parameter];
    memset(array->shape, 0, sizeof array->shape);
    if (problem_shape(reading->problem, parameter, &testcase->sizes, array->shape, &array->count, &unfit) != STATUS_OK)
        return json_fail(&reading->file, item, reading->why, "%s", unfit.text);
    return STATUS_OK;
}

/* No timed call may see data that the submission has seen before, or that its author can guess. */
static Status check_is_drawn_anew(TestcaseReading *reading, const cJSON *item, const Testcase *testcase,
                                  const CaseSource *source)
{
    if (testcase->group != CASE_TIMED ||
        (case_source_is_drawn_anew(source) && source->pattern.kind == CASE_PATTERN_NONE))
        return STATUS_OK;
    return json_fail(&reading->file, item, reading->why,
                     "every timed call must get new data: expected a random generator or a file with \"perturb\", "
                     "without a seed%s",
                     source->pattern.kind == CASE_PATTERN_NONE ? "" : " or a pattern");
}

/* The case before this one in its group; NULL: it is the first. */
static const Testcase *case_before(const TestcaseSet *set, const Testcase *testcase)
{
    for (const Testcase *other = testcase; other-- > set->cases;)
        if (other->group == testcase->group)
            return other;
    return NULL;
}

/* Data without a random generator get a seed for the positions of their changes, larger than those of any file. */
static Status read_change(TestcaseReading *reading, const cJSON *object, const Testcase *testcase,
                          const SourceArray *array, CaseSource *source)
{
    const cJSON *change = json_get(object, "change");
    const ElementType type = array->parameter->type;
    const double before = source->change;
    Status status = json_number(&reading->file, object, "change", -FLT_MAX, FLT_MAX, &source->change, reading->why);
    if (status != STATUS_OK || change == NULL)
        return status;
    if (source->changes > 0 && source->change != before)
        return json_fail(&reading->file, change, reading->why, "expected %g, as in the case before", before);
    if (!element_is_whole(type)
            ? source->change == 0
            : source->change != floor(source->change) || !(source->change >= 1) || source->change > UINT8_MAX / 2)
        return json_fail(&reading->file, change, reading->why, "expected %s",
                         element_is_whole(type) ? "a whole number from 1 to 127" : "a number other than 0");
    if (!source->seeded)
        source->seed = (uint64_t)MAX_SEED + (uint64_t)testcase->number;
    source->seeded = true;
    source->changes++;
    return STATUS_OK;
}

/* {"as_before": true, "change": 1}: the array of the case before, but for one element. Changes add up from case to case. */
static Status read_as_before(TestcaseReading *reading, const cJSON *object, const Testcase *testcase, size_t parameter,
                             const SourceArray *array, CaseSource *source)
{
    static const JsonKey keys[] = {{"as_before", JSON_BOOLEAN, true}, {"change", JSON_NUMBER, false}};
    const Testcase *before = case_before(reading->set, testcase);
    SourceArray then;
    TRY(json_check(&reading->file, object, keys, LENGTH_OF(keys), reading->why));
    if (!cJSON_IsTrue(json_get(object, "as_before")) || testcase->group == CASE_TIMED)
        return json_fail(&reading->file, object, reading->why,
                         "expected \"as_before\": true, in a case that is not timed");
    if (before == NULL)
        return json_fail(&reading->file, object, reading->why, "no case comes before this one in its group");
    TRY(shape_of(reading, object, before, parameter, &then));
    if (before->draws_sizes || testcase->draws_sizes || memcmp(then.shape, array->shape, sizeof then.shape) != 0)
        return json_fail(&reading->file, object, reading->why,
                         "expected the shape of %s in the case before, \"%s\", without a size that is drawn",
                         array->parameter->name, before->name);
    *source = before->sources[parameter];
    source->literal.data = NULL;
    if (case_source_is_drawn_anew(source))
        return json_fail(&reading->file, object, reading->why, "%s of the case before, \"%s\", needs a seed",
                         array->parameter->name, before->name);
    if (before->sources[parameter].literal.data != NULL) {
        source->literal = new_tensor(array);
        memcpy(source->literal.data, before->sources[parameter].literal.data,
               array->count * element_bytes(array->parameter->type));
    }
    return read_change(reading, object, testcase, array, source);
}

/* The sources that have data for arrays of any size. */
static Status check_fits_drawn_sizes(TestcaseReading *reading, const cJSON *item, const Testcase *testcase,
                                     const CaseSource *source)
{
    const bool fits = source->kind == SOURCE_UNIFORM || source->kind == SOURCE_NORMAL ||
                      source->kind == SOURCE_INTEGERS || source->kind == SOURCE_CONSTANT ||
                      (source->kind == SOURCE_IMPULSE && source->position < 0);
    if (!testcase->draws_sizes || (fits && source->pattern.kind != CASE_PATTERN_EMBOSS))
        return STATUS_OK;
    return json_fail(&reading->file, item, reading->why,
                     "expected uniform, normal, integers, constant, or an impulse in the middle: the sizes are drawn");
}

static Status read_source(TestcaseReading *reading, const cJSON *item, Testcase *testcase, size_t parameter)
{
    CaseSource *source = &testcase->sources[parameter];
    SourceArray array;
    TRY(shape_of(reading, item, testcase, parameter, &array));
    TRY(json_get(item, "as_before") != NULL ? read_as_before(reading, item, testcase, parameter, &array, source)
                                            : case_source_read(&reading->reader, item, &array, source));
    TRY(check_fits_drawn_sizes(reading, item, testcase, source));
    return check_is_drawn_anew(reading, item, testcase, source);
}

static Status read_inputs(TestcaseReading *reading, const cJSON *inputs, Testcase *testcase)
{
    Status status = check_members(reading, inputs, ROLE_IN, JSON_OBJECT);
    for (size_t i = 0; i < reading->problem->parameter_count && status == STATUS_OK; i++)
        if (reading->problem->parameters[i].role & ROLE_IN)
            status = read_source(reading, json_get(inputs, reading->problem->parameters[i].name), testcase, i);
    return status;
}

/* The bytes of an array of the case. */
static Status bytes_of(TestcaseReading *reading, const cJSON *item, const Testcase *testcase, size_t parameter,
                       size_t *bytes)
{
    SourceArray array;
    Status status = shape_of(reading, item, testcase, parameter, &array);
    *bytes = status == STATUS_OK ? array.count * element_bytes(array.parameter->type) : 0;
    return status;
}

/* An array that grew might not find room where it lay. */
static Status check_fits(TestcaseReading *reading, const cJSON *item, const Testcase *testcase, const Testcase *before)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < reading->problem->parameter_count && status == STATUS_OK; i++) {
        size_t bytes = 0, room = 0;
        if (!parameter_is_array(&reading->problem->parameters[i]))
            continue;
        status = bytes_of(reading, item, testcase, i, &bytes);
        THEN(status, bytes_of(reading, item, before, i, &room));
        if (status == STATUS_OK && bytes > room)
            status = json_fail(&reading->file, item, reading->why,
                               "%s has %zu bytes: expected at most %zu, as in the case before, \"%s\"",
                               reading->problem->parameters[i].name, bytes, room, before->name);
    }
    return status;
}

/* Where the arrays of a timed call lie must not be foreseen. */
static Status read_addresses(TestcaseReading *reading, const cJSON *addresses, Testcase *testcase)
{
    const Testcase *before = case_before(reading->set, testcase);
    if (addresses == NULL)
        return STATUS_OK;
    testcase->repeats_addresses = true;
    if (strcmp(addresses->valuestring, "repeat") != 0)
        return json_fail(&reading->file, addresses, reading->why, "expected \"repeat\"");
    if (testcase->group == CASE_TIMED)
        return json_fail(&reading->file, addresses, reading->why, "the addresses of timed cases are random");
    if (before == NULL)
        return json_fail(&reading->file, addresses, reading->why, "no case comes before this one in its group");
    if (before->draws_sizes || testcase->draws_sizes)
        return json_fail(&reading->file, addresses, reading->why, "the sizes of \"%s\" are drawn in every grading",
                         before->draws_sizes ? before->name : testcase->name);
    return check_fits(reading, addresses, testcase, before);
}

/* Random data is redrawn for each grading, except in samples with a seed. */
static bool is_known(const Testcase *testcase, const CaseSource *source)
{
    return !case_source_is_random(source) || (source->seeded && testcase->group == CASE_SAMPLE);
}

static Status read_expected_array(TestcaseReading *reading, const cJSON *expected, size_t parameter, Testcase *testcase)
{
    SourceArray array;
    TRY(shape_of(reading, expected, testcase, parameter, &array));
    if (cJSON_IsArray(expected))
        return case_source_values(&reading->reader, expected, &array, &testcase->expected[parameter]);
    if (cJSON_IsObject(expected))
        return case_source_data_file(&reading->reader, expected, &array, &testcase->expected[parameter]);
    return json_fail(&reading->file, expected, reading->why, "expected a list of numbers, or {\"file\": \"...\"}");
}

/* With several outputs, an object with a member for each of them. */
static Status read_expected(TestcaseReading *reading, const cJSON *expected, Testcase *testcase)
{
    const Problem *problem = reading->problem;
    Problem second;
    if (expected == NULL)
        return STATUS_OK;
    for (size_t i = 0; i < problem->parameter_count; i++)
        if ((problem->parameters[i].role & ROLE_IN) && !is_known(testcase, &testcase->sources[i]))
            return json_fail(&reading->file, expected, reading->why,
                             "the data of %s are new in every grading: expected values or a file for them%s",
                             problem->parameters[i].name, testcase->group == CASE_SAMPLE ? ", or a seed" : "");
    if (testcase->draws_sizes)
        return json_fail(&reading->file, expected, reading->why, "the sizes of the case are drawn in every grading");
    if (!problem_of_output(problem, 1, &second))
        return read_expected_array(reading, expected, problem_output(problem), testcase);
    if (!cJSON_IsObject(expected))
        return json_fail(&reading->file, expected, reading->why,
                         "expected an object with values for each output: there are several");
    TRY(check_members(reading, expected, ROLE_OUT, JSON_ANY));
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role & ROLE_OUT)
            TRY(read_expected_array(reading, json_get(expected, problem->parameters[i].name), i, testcase));
    return STATUS_OK;
}

static Status read_group(TestcaseReading *reading, const cJSON *timed, Testcase *testcase)
{
    testcase->group = reading->hidden ? CASE_HIDDEN : CASE_SAMPLE;
    if (timed == NULL)
        return STATUS_OK;
    if (!cJSON_IsTrue(timed))
        return json_fail(&reading->file, timed, reading->why,
                         "expected true, or no \"timed\" at all: all devices time the same cases");
    testcase->group = CASE_TIMED;
    return STATUS_OK;
}

static Status read_name(TestcaseReading *reading, const cJSON *object, Testcase *testcase)
{
    const cJSON *name = json_get(object, "name"), *reason = json_get(object, "why");
    size_t length = strlen(name->valuestring);
    if (length == 0 || length > MAX_NAME_LENGTH)
        return json_fail(&reading->file, name, reading->why, "expected 1 to %d characters", MAX_NAME_LENGTH);
    for (const cJSON *other = object->prev; other->next != NULL;
         other = other->prev) /* cJSON: the first one's prev is the last */
        if (strcmp(json_get(other, "name")->valuestring, name->valuestring) == 0)
            return json_fail(&reading->file, name, reading->why, "two cases have the name \"%s\"", name->valuestring);
    testcase->name = arena_string(&reading->set->arena, name->valuestring);
    testcase->why = reason == NULL ? "" : arena_string(&reading->set->arena, reason->valuestring);
    return STATUS_OK;
}

/* For sizes at which a kernel that is right but slow reaches the limits of a simulated GPU. */
static Status read_attempt(TestcaseReading *reading, const cJSON *object, Testcase *testcase)
{
    static const char *const key = "sim_attempt_warp_instructions";
    const cJSON *attempt = json_get(object, key);
    if (attempt == NULL)
        return STATUS_OK;
    if (testcase->group != CASE_HIDDEN)
        return json_fail(&reading->file, attempt, reading->why, "only a hidden case that is not timed can be given up");
    return json_integer(&reading->file, object, key, 1, (int64_t)1 << 50, &testcase->attempt_instructions,
                        reading->why);
}

static Status read_case(TestcaseReading *reading, const cJSON *object, Testcase *testcase)
{
    const JsonKey keys[] = {{"name", JSON_STRING, true},       {"why", JSON_STRING, reading->hidden},
                            {"sizes", JSON_OBJECT, true},      {"inputs", JSON_OBJECT, true},
                            {"expected", JSON_ANY, false},     {"timed", JSON_ANY, false},
                            {"addresses", JSON_STRING, false}, {"sim_attempt_warp_instructions", JSON_NUMBER, false}};
    TRY(json_check(&reading->file, object, keys, LENGTH_OF(keys), reading->why));
    TRY(read_name(reading, object, testcase));
    TRY(read_group(reading, json_get(object, "timed"), testcase));
    TRY(read_attempt(reading, object, testcase));
    TRY(read_sizes(reading, json_get(object, "sizes"), testcase));
    TRY(read_addresses(reading, json_get(object, "addresses"), testcase));
    TRY(read_inputs(reading, json_get(object, "inputs"), testcase));
    TRY(read_expected(reading, json_get(object, "expected"), testcase));
    return testcase_count_work(reading->problem, testcase, reading->why);
}

/* --- both files --------------------------------------------------------------------------------------------------- */

static Status read_cases(TestcaseReading *reading)
{
    static const JsonKey keys[] = {{"schema", JSON_NUMBER, true}, {"cases", JSON_ARRAY, true}};
    TestcaseSet *set = reading->set;
    int64_t schema;
    Status status = json_check(&reading->file, reading->file.root, keys, LENGTH_OF(keys), reading->why);
    THEN(status, json_integer(&reading->file, reading->file.root, "schema", 1, 1, &schema, reading->why));
    TRY(status);
    const cJSON *list = json_get(reading->file.root, "cases");
    size_t added = (size_t)cJSON_GetArraySize(list);
    if (added == 0)
        return json_fail(&reading->file, list, reading->why, "expected at least one case");
    Testcase *cases = arena_array(&set->arena, set->count + added, sizeof *cases);
    if (set->count > 0)
        memcpy(cases, set->cases, set->count * sizeof *cases);
    set->cases = cases;
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = read_case(reading, item, &set->cases[set->count++]);
    return status;
}

static Status read_file(const Problem *problem, bool hidden, TestcaseSet *set, Message *why)
{
    char path[PATH_MAX + 16];
    TestcaseReading reading = {.problem = problem, .set = set, .hidden = hidden, .why = why};
    reading.reader = (SourceReader){.file = &reading.file, .folder = problem->testcases, .why = why};
    snprintf(path, sizeof path, "%s/%s", problem->testcases, hidden ? "hidden.json" : "sample.json");
    TRY(json_read(path, MAX_FILE_BYTES, &reading.file, why));
    Status status = read_cases(&reading);
    json_free(&reading.file);
    return status;
}

/* Sorts by group and numbers the cases of each group; within a group, the order stays. */
static void sort_and_number(TestcaseSet *set)
{
    Testcase *sorted = arena_array(&set->arena, set->count + 1, sizeof *sorted);
    size_t count = 0;
    for (int group = CASE_SAMPLE; group <= CASE_TIMED; group++) {
        int number = 0;
        for (size_t i = 0; i < set->count; i++)
            if ((int)set->cases[i].group == group) {
                sorted[count] = set->cases[i];
                sorted[count++].number = ++number;
            }
    }
    set->cases = sorted;
}

Status testcases_read(const Problem *problem, TestcaseSet *set, Message *why)
{
    *set = (TestcaseSet){0};
    Status status = read_file(problem, false, set, why);
    THEN(status, read_file(problem, true, set, why));
    if (status == STATUS_OK)
        sort_and_number(set);
    else
        testcases_free(set);
    return status;
}
