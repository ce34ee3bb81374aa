#include "grader/problem/case_source.h"

#include "base/allocated.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MAX_SEED = 9007199254740992.0; /* 2^53: larger whole numbers are not exact in JSON */

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

/* --- numbers of an element type ----------------------------------------------------------------------------------- */

static const struct {
    double lowest, highest;
} ranges[] = {
    [ELEMENT_FLOAT32] = {-FLT_MAX, FLT_MAX},
    [ELEMENT_INT32] = {INT32_MIN, INT32_MAX},
    [ELEMENT_UINT8] = {0, UINT8_MAX},
};

static bool is_element(ElementType type, double value)
{
    return value >= ranges[type].lowest && value <= ranges[type].highest &&
           (type == ELEMENT_FLOAT32 || value == floor(value));
}

/* --- literal values and files ------------------------------------------------------------------------------------- */

static Tensor new_tensor(const SourceArray *array)
{
    Tensor tensor = {array->parameter->type, array->parameter->rank, {0}, NULL};
    memcpy(tensor.shape, array->shape, sizeof tensor.shape);
    tensor.data = allocated(calloc(array->count, element_bytes(tensor.type)));
    return tensor;
}

Status case_source_values(const SourceReader *reader, const cJSON *list, const SourceArray *array, Tensor *tensor)
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
        if (!cJSON_IsNumber(item) || !is_element(type, item->valuedouble))
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

static bool all_finite(const float *values, size_t count)
{
    size_t i = 0;
    while (i < count && isfinite(values[i]))
        i++;
    return i == count;
}

/* Converts the levels of a picture, 0 to 255, to floats. */
static void widen(Tensor *tensor, const SourceArray *array)
{
    Tensor wide = new_tensor(array);
    for (size_t i = 0; i < array->count; i++)
        ((float *)wide.data)[i] = ((const uint8_t *)tensor->data)[i];
    tensor_free(tensor);
    *tensor = wide;
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

Status case_source_file(const char *path, const SourceArray *array, Tensor *tensor, Message *why)
{
    ElementType type = array->parameter->type;
    Status status = tensor_read(path, tensor, why);
    if (status != STATUS_OK)
        return status;
    if (lacks_alpha(tensor, array))
        add_alpha(tensor, array);
    if (!has_shape(tensor, array))
        return refuse_shape(path, array, tensor, why);
    if (tensor->type == ELEMENT_UINT8 && type == ELEMENT_FLOAT32)
        widen(tensor, array);
    if (tensor->type != type)
        return fail(STATUS_BAD_INPUT, why, "%s: expected elements of type %s, found %s", path, element_c_name(type),
                    element_c_name(tensor->type));
    if (type == ELEMENT_FLOAT32 && !all_finite(tensor->data, array->count))
        return fail(STATUS_BAD_INPUT, why, "%s: an element is infinite or NaN", path);
    return STATUS_OK;
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
    Status status = has_shape(tensor, array) ? tensor_read_raw(path, tensor, why)
                                             : refuse_shape(path, array, tensor, why);
    if (status == STATUS_OK && tensor->type == ELEMENT_FLOAT32 && !all_finite(tensor->data, array->count))
        status = fail(STATUS_BAD_INPUT, why, "%s: an element is infinite or NaN", path);
    return status;
}

static bool is_raw(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".bin") == 0;
}

static Status read_data_file(const SourceReader *reader, const cJSON *object, const SourceArray *array, Tensor *tensor)
{
    char path[PATH_MAX];
    Message unfit = {0};
    Status status = STATUS_OK;
    *tensor = (Tensor){.type = array->parameter->type};
    const cJSON *name = json_get(object, "file"), *shape = json_get(object, "shape");
    if (is_raw(name->valuestring) != (shape != NULL))
        return json_fail(reader->file, object, reader->why,
                         "expected \"shape\" for a file of elements alone (.bin), and for no other");
    status = path_beside(reader, name, path, sizeof path);
    if (status == STATUS_OK && shape != NULL)
        status = read_shape(reader, shape, tensor);
    if (status != STATUS_OK)
        return status;
    status = shape != NULL ? read_raw_file(path, array, tensor, &unfit) : case_source_file(path, array, tensor, &unfit);
    return status == STATUS_OK ? status : json_fail(reader->file, name, reader->why, "%s", unfit.text);
}

Status case_source_data_file(const SourceReader *reader, const cJSON *object, const SourceArray *array, Tensor *tensor)
{
    static const JsonKey keys[] = {{"file", JSON_STRING, true}, {"shape", JSON_ARRAY, false}};
    Status status = json_check(reader->file, object, keys, LENGTH_OF(keys), reader->why);
    return status == STATUS_OK ? read_data_file(reader, object, array, tensor) : status;
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
    Status status = json_number(reader->file, object, "perturb", -FLT_MAX, FLT_MAX, &share, reader->why);
    if (status != STATUS_OK)
        return status;
    if (!(share > 0 && share <= 0.5))
        return json_fail(reader->file, item, reader->why,
                         "expected a share of the range of the file's values, above 0 and at most 0.5");
    const ValueRange range = range_of(&source->literal, array->count);
    const double change = share * (range.high - range.low);
    source->kind = SOURCE_PERTURBED;
    source->a = source->literal.type == ELEMENT_FLOAT32 ? (double)(float)change : floor(change);
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
                                   {"perturb", JSON_NUMBER, false},
                                   {"seed", JSON_NUMBER, false}};
    const cJSON *seed = json_get(object, "seed");
    source->kind = SOURCE_FILE;
    Status status = json_check(reader->file, object, keys, LENGTH_OF(keys), reader->why);
    if (status == STATUS_OK && json_get(object, "perturb") == NULL && seed != NULL)
        return json_fail(reader->file, seed, reader->why, "a file has a seed only with \"perturb\"");
    if (status == STATUS_OK)
        status = read_data_file(reader, object, array, &source->literal);
    if (status == STATUS_OK && json_get(object, "perturb") != NULL)
        status = read_perturbation(reader, object, array, source);
    return status;
}

/* --- generators --------------------------------------------------------------------------------------------------- */

/* The keys of each generator and their defaults; `a` and `b` are those of CaseSource. */
static const struct GeneratorKind {
    const char *name;
    SourceKind kind;
    const char *a, *b;
    double default_a, default_b;
    bool random; /* takes a seed */
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
    if (array->parameter->type != ELEMENT_FLOAT32)
        return json_fail(reader->file, item, reader->why, "makes floats; for %s, use \"integers\"",
                         array->parameter->name);
    if (!((float)source->a < (float)source->b) || !isfinite((float)source->b - (float)source->a))
        return json_fail(reader->file, item, reader->why,
                         "expected \"low\" below \"high\", at a distance that is a finite float");
    return STATUS_OK;
}

static Status check_normal(const SourceReader *reader, const cJSON *item, const SourceArray *array,
                           const CaseSource *source)
{
    if (array->parameter->type != ELEMENT_FLOAT32)
        return json_fail(reader->file, item, reader->why, "makes floats; for %s, use \"integers\"",
                         array->parameter->name);
    if (source->b < 0 || !isfinite((float)(fabs(source->a) + 6 * source->b)))
        return json_fail(reader->file, item, reader->why,
                         "expected a \"deviation\" of at least 0, and finite values up to 6 deviations from the mean");
    return STATUS_OK;
}

/* Floats have every whole number up to 2^24. */
static Status check_integers(const SourceReader *reader, const cJSON *item, const SourceArray *array,
                             const CaseSource *source)
{
    ElementType type = array->parameter->type;
    double low = type == ELEMENT_FLOAT32 ? -16777216 : ranges[type].lowest;
    double high = type == ELEMENT_FLOAT32 ? 16777216 : ranges[type].highest;
    if (source->a != floor(source->a) || source->b != floor(source->b) || source->a > source->b || source->a < low ||
        source->b > high)
        return json_fail(reader->file, item, reader->why,
                         "expected whole numbers from %.0f to %.0f, \"low\" not above \"high\"", low, high);
    return STATUS_OK;
}

static Status check_impulse(const SourceReader *reader, const cJSON *item, const SourceArray *array, CaseSource *source)
{
    if (!is_element(array->parameter->type, source->a))
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
    ElementType type = array->parameter->type;
    double step = source->kind == SOURCE_RAMP ? source->b : 0;
    double last = source->a + step * (double)(array->count - 1);
    if (!is_element(type, source->a) || !is_element(type, last) || (type != ELEMENT_FLOAT32 && step != floor(step)))
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
    JsonKey keys[4] = {{"generator", JSON_STRING, true}};
    size_t count = 1;
    keys[count++] = (JsonKey){kind->a, JSON_NUMBER, false};
    if (kind->b != NULL)
        keys[count++] = (JsonKey){kind->b, JSON_NUMBER, false};
    if (kind->random)
        keys[count++] = (JsonKey){"seed", JSON_NUMBER, false};
    *source = (CaseSource){.kind = kind->kind, .a = kind->default_a, .b = kind->default_b, .position = -1};
    Status status = json_check(reader->file, object, keys, count, reader->why);
    if (status == STATUS_OK)
        status = json_number(reader->file, object, kind->a, -FLT_MAX, FLT_MAX, &source->a, reader->why);
    if (status == STATUS_OK && kind->b != NULL)
        status = json_number(reader->file, object, kind->b, -FLT_MAX, FLT_MAX, &source->b, reader->why);
    if (status == STATUS_OK && kind->random)
        status = read_seed(reader, object, source);
    return status == STATUS_OK ? check_generator(reader, name, array, source) : status;
}

/* --- any source --------------------------------------------------------------------------------------------------- */

Status case_source_read(const SourceReader *reader, const cJSON *object, const SourceArray *array, CaseSource *source)
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
    return json_fail(reader->file, object, reader->why, "expected \"values\", \"file\" or \"generator\"");
}

bool case_source_is_random(const CaseSource *source)
{
    return source->kind == SOURCE_UNIFORM || source->kind == SOURCE_NORMAL || source->kind == SOURCE_INTEGERS ||
           source->kind == SOURCE_PERTURBED;
}

bool case_source_is_drawn_anew(const CaseSource *source)
{
    return case_source_is_random(source) && !source->seeded;
}

bool case_source_is_same(const CaseSource *a, const CaseSource *b)
{
    if (case_source_is_drawn_anew(a) || a->kind != b->kind || a->seeded != b->seeded || a->seed != b->seed ||
        a->a != b->a || a->b != b->b || a->position != b->position)
        return false;
    if (a->literal.data == NULL || b->literal.data == NULL)
        return a->literal.data == b->literal.data;
    const size_t bytes = tensor_count(&a->literal) * element_bytes(a->literal.type);
    return tensor_count(&b->literal) * element_bytes(b->literal.type) == bytes &&
           memcmp(a->literal.data, b->literal.data, bytes) == 0;
}
