#include "grader/problem/problem.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/paths.h"
#include "base/record.h"
#include "base/text.h"
#include "grader/problem/signature.h"

#include <ctype.h>
#include <dirent.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ==== problem ===================================================================================================== */

static const int64_t MAX_ELEMENTS = (int64_t)1 << 31;

Status problem_shape(const Problem *problem, size_t parameter, const Sizes *sizes, size_t shape[TENSOR_MAX_RANK],
                     size_t *count, Message *why)
{
    const Parameter *array = &problem->parameters[parameter];
    int64_t product = 1;
    for (int i = 0; i < array->rank; i++) {
        int64_t extent;
        TRY(expression_evaluate(&array->shape[i], sizes->values, &extent, why));
        if (extent < 1)
            return fail(STATUS_BAD_INPUT, why, "%s has the extent \"%s\" = %lld, expected at least 1", array->name,
                        array->shape[i].text, (long long)extent);
        if (__builtin_mul_overflow(product, extent, &product) || product > MAX_ELEMENTS)
            return fail(STATUS_BAD_INPUT, why, "%s has more than %lld elements", array->name, (long long)MAX_ELEMENTS);
        shape[i] = (size_t)extent;
    }
    *count = (size_t)product;
    return STATUS_OK;
}

size_t problem_output(const Problem *problem)
{
    return problem->output;
}

bool problem_of_output(const Problem *problem, size_t number, Problem *view)
{
    *view = *problem;
    for (size_t i = 0; i < problem->parameter_count; i++) {
        if ((problem->parameters[i].role & ROLE_OUT) == 0 || number-- > 0)
            continue;
        if (i != problem->output) {
            view->output = i;
            view->tolerance = problem->parameters[i].tolerance;
        }
        return true;
    }
    return false;
}

static double as_scalar(const Parameter *scalar, double value)
{
    return scalar->type == ELEMENT_FLOAT32 ? (double)(float)value : value;
}

bool scalar_takes(const Parameter *scalar, double *value)
{
    *value = as_scalar(scalar, *value);
    return *value >= as_scalar(scalar, scalar->least) && *value <= as_scalar(scalar, scalar->most);
}

double sizes_scalar(const Sizes *sizes, size_t parameter)
{
    double value;
    memcpy(&value, &sizes->values[parameter], sizeof value);
    return value;
}

void sizes_set_scalar(Sizes *sizes, size_t parameter, double value)
{
    memcpy(&sizes->values[parameter], &value, sizeof value);
}

void problem_free(Problem *problem)
{
    arena_free(&problem->arena);
    *problem = (Problem){0};
}

/* ==== problem list ================================================================================================ */

bool problem_id_is_valid(const char *id)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    size_t length = strlen(id);
    return length > 0 && length <= PROBLEM_MAX_ID_LENGTH && id[0] != '-' && strspn(id, letters) == length;
}

static int is_problem_folder(const struct dirent *entry)
{
    return entry->d_type != DT_REG && problem_id_is_valid(entry->d_name);
}

Status problem_list(Arena *arena, const char ***ids, size_t *count, Message *why)
{
    char folder[PATH_MAX];
    struct dirent **entries;
    TRY(paths_home("problems", folder, sizeof folder, why));
    int found = scandir(folder, &entries, is_problem_folder, alphasort);
    if (found < 0)
        return fail_errno(why, "%s: cannot be listed", folder);
    *ids = arena_array(arena, (size_t)found + 1, sizeof **ids);
    for (int i = 0; i < found; i++) {
        (*ids)[i] = arena_string(arena, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    *count = (size_t)found;
    return STATUS_OK;
}

/* Fails with STATUS_NOT_FOUND, and names the nearest id and all others. */
static Status problem_unknown(const char *id, Message *why)
{
    Arena arena = {0};
    const char **ids;
    size_t count;
    Status status = problem_list(&arena, &ids, &count, why);
    if (status == STATUS_OK) {
        const char *list = "";
        for (size_t i = 0; i < count; i++)
            list = arena_printf(&arena, "%s%s%s", list, i > 0 ? ", " : "", ids[i]);
        status = fail(STATUS_NOT_FOUND, why, "unknown problem '%.100s'; %sknown problems: %s", id,
                      suggestion_for(id, list).text, count > 0 ? list : "none");
    }
    arena_free(&arena);
    return status;
}

/* ==== problem formulas ============================================================================================ */

/* The expressions of problem.json: shapes, constraints, and the counts of operations and
 * bytes. */

/* --- compiling ---------------------------------------------------------------------------------------------------- */

/* The text is the string `item`; a mistake in it is reported at `place`. */
static Status compile_formula(const JsonFile *file, const cJSON *place, const cJSON *item, Problem *problem,
                              Expression *formula, Message *why)
{
    const char *names[PROBLEM_MAX_PARAMETERS];
    Message unfit = {0};
    if (!cJSON_IsString(item))
        return json_fail(file, place, why, "expected a list of expressions, each a string");
    for (size_t i = 0; i < problem->parameter_count; i++)
        names[i] = problem->parameters[i].role == ROLE_SIZE ? problem->parameters[i].name : NULL;
    if (expression_compile(item->valuestring, names, problem->parameter_count, &problem->arena, formula, &unfit) !=
        STATUS_OK)
        return json_fail(file, place, why, "%s", unfit.text);
    return STATUS_OK;
}

static Status read_shapes(const JsonFile *file, Problem *problem, Message *why)
{
    const cJSON *item = json_get(file->root, "parameters")->child;
    for (size_t i = 0; i < problem->parameter_count; i++, item = item->next) {
        const cJSON *shape = json_get(item, "shape"), *extent = shape == NULL ? NULL : shape->child;
        for (size_t k = 0; extent != NULL; k++, extent = extent->next) {
            TRY(compile_formula(file, shape, extent, problem, &problem->parameters[i].shape[k], why));
        }
        Parameter *array = &problem->parameters[i];
        if (shape != NULL && array->components > 1)
            TRY(expression_compile(arena_printf(&problem->arena, "%d", array->components), NULL, 0, &problem->arena,
                                   &array->shape[array->rank - 1], why));
    }
    return STATUS_OK;
}

static Status read_constraints(const JsonFile *file, Problem *problem, Message *why)
{
    const cJSON *list = json_get(file->root, "constraints");
    Status status = STATUS_OK;
    problem->constraints = arena_array(&problem->arena, (size_t)cJSON_GetArraySize(list) + 1,
                                       sizeof *problem->constraints);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = compile_formula(file, list, item, problem, &problem->constraints[problem->constraint_count++], why);
    return status;
}

/* Compiles them. The problem's parameters must be known, but for their shapes. */
static MUST_USE Status problem_read_formulas(const JsonFile *file, Problem *problem, Message *why)
{
    const cJSON *operations = json_get(file->root, "operations"), *bytes = json_get(file->root, "bytes");
    TRY(read_shapes(file, problem, why));
    TRY(read_constraints(file, problem, why));
    TRY(compile_formula(file, operations, operations, problem, &problem->operations, why));
    return compile_formula(file, bytes, bytes, problem, &problem->bytes, why);
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

static Status check_constraints(const JsonFile *file, const Problem *problem, const Sizes *sizes, bool *hold,
                                Message *why)
{
    Message unfit = {0};
    *hold = true;
    for (size_t i = 0; i < problem->constraint_count; i++) {
        int64_t holds;
        if (expression_evaluate(&problem->constraints[i], sizes->values, &holds, &unfit) != STATUS_OK)
            return json_fail(file, json_get(file->root, "constraints"), why, "%s", unfit.text);
        *hold = *hold && holds != 0;
    }
    return STATUS_OK;
}

static Status check_shapes(const JsonFile *file, const Problem *problem, const Sizes *sizes, Message *why)
{
    Message unfit = {0};
    size_t shape[TENSOR_MAX_RANK], count;
    const cJSON *item = json_get(file->root, "parameters")->child;
    for (size_t i = 0; i < problem->parameter_count; i++, item = item->next)
        if (parameter_is_array(&problem->parameters[i]) &&
            problem_shape(problem, i, sizes, shape, &count, &unfit) != STATUS_OK)
            return json_fail(file, json_get(item, "shape"), why, "%s", unfit.text);
    return STATUS_OK;
}

static Status check_formula(const JsonFile *file, const char *key, const Expression *formula, const Sizes *sizes,
                            Message *why)
{
    Message unfit = {0};
    int64_t value;
    if (expression_evaluate(formula, sizes->values, &value, &unfit) != STATUS_OK)
        return json_fail(file, json_get(file->root, key), why, "%s", unfit.text);
    if (value < 1)
        return json_fail(file, json_get(file->root, key), why,
                         "is %lld for the smallest or largest sizes, expected at least 1", (long long)value);
    return STATUS_OK;
}

/* Checks every formula at these sizes, if the constraints allow them. */
static Status check_formulas_at(const JsonFile *file, const Problem *problem, const Sizes *sizes, Message *why)
{
    bool possible;
    Status status = check_constraints(file, problem, sizes, &possible, why);
    if (status != STATUS_OK || !possible)
        return status;
    TRY(check_shapes(file, problem, sizes, why));
    TRY(check_formula(file, "operations", &problem->operations, sizes, why));
    return check_formula(file, "bytes", &problem->bytes, sizes, why);
}

/* Checks that each one has a sensible value at the least sizes and, if the constraints allow them, at the largest. */
static MUST_USE Status problem_check_formulas(const JsonFile *file, const Problem *problem, Message *why)
{
    Sizes least = {0}, largest = {0};
    bool possible;
    for (size_t i = 0; i < problem->parameter_count; i++) {
        least.values[i] = problem->parameters[i].low;
        largest.values[i] = problem->parameters[i].high;
    }
    TRY(check_constraints(file, problem, &least, &possible, why));
    if (!possible)
        return json_fail(file, json_get(file->root, "constraints"), why,
                         "expected them to hold for the smallest sizes");
    TRY(check_formulas_at(file, problem, &least, why));
    return check_formulas_at(file, problem, &largest, why);
}

/* ==== the course's own files ====================================================================================== */

enum { MAX_SOURCE_BYTES = 1 << 20 };

#define STUDENT_HEADER "student.h"

static Status read_text(Problem *problem, const char *name, const char **text, Message *why)
{
    Text content = {0};
    Status status = text_read_file(arena_printf(&problem->arena, "%s/%s", problem->folder, name), MAX_SOURCE_BYTES,
                                   &content, why);
    if (status == STATUS_OK)
        *text = arena_copy(&problem->arena, content.data, content.length);
    text_free(&content);
    return status;
}

static Status read_header(Problem *problem, const char *name, Message *why)
{
    NamedText *header = &problem->headers[problem->header_count++];
    header->name = arena_string(&problem->arena, name);
    Status status = read_text(problem, name, &header->text, why);
    return status == STATUS_NOT_FOUND ? STATUS_BAD_INPUT : status;
}

static Status read_driver(Problem *problem, Message *why)
{
    Status status = read_text(problem, "driver.cu", &problem->driver, why);
    if (status == STATUS_NOT_FOUND)
        return STATUS_OK;
    return status == STATUS_OK ? read_header(problem, STUDENT_HEADER, why) : status;
}

static bool is_header_name(const char *name)
{
    const size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, ".h") == 0 && name[0] != '.' && strchr(name, '/') == NULL &&
           strcmp(name, "oracle.h") != 0 && strcmp(name, STUDENT_HEADER) != 0;
}

/* Reads driver.cu, student.h and the headers that problem.json names. */
static MUST_USE Status problem_read_sources(const JsonFile *file, Problem *problem, Message *why)
{
    const cJSON *list = json_get(file->root, "headers");
    problem->headers = arena_array(&problem->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *problem->headers);
    Status status = read_driver(problem, why);
    for (const cJSON *item = list == NULL ? NULL : list->child; item != NULL && status == STATUS_OK;
         item = item->next) {
        if (!cJSON_IsString(item) || !is_header_name(item->valuestring))
            return json_fail(file, list, why,
                             "expected names of headers beside problem.json, such as \"wb.h\", and neither oracle.h, "
                             "which is secret, nor student.h, which each submission includes");
        status = read_header(problem, item->valuestring, why);
    }
    return status;
}

/* ==== problem revision ============================================================================================ */

/* The revision of a problem: results can be compared only within one.
 *
 * It is the hash of what is measured: the signature, the timed cases of both testcase files, and the tolerance. Names,
 * reasons and the order of keys may change without a new revision. */

enum { MAX_TESTCASES_BYTES = 16 << 20, MAX_DATA_BYTES = 1 << 30 };

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

/* A server asks for the revisions of all problems for each page of a class, and a testcase file takes longer to read than all else. So
 * what the hash takes in of it is kept, until the file is another one. */
typedef struct TimedCases {
    char *path;
    struct stat file;
    Text bytes; /* for hash_add_again() */
} TimedCases;

enum { KEPT_FILES = 64, KEPT_BYTES = 1 << 16, UNSETTLED_S = 2 };

static TimedCases kept_cases[KEPT_FILES];
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

static TimedCases *place_of(const char *path)
{
    return &kept_cases[fnv_mixed(FNV_BASIS, path, strlen(path)) % KEPT_FILES];
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           memcmp(&a->st_mtim, &b->st_mtim, sizeof a->st_mtim) == 0 &&
           memcmp(&a->st_ctim, &b->st_ctim, sizeof a->st_ctim) == 0;
}

static bool hash_kept(Hash *hash, const char *path, const struct stat *file)
{
    pthread_mutex_lock(&kept_lock);
    const TimedCases *kept = place_of(path);
    const bool found = kept->path != NULL && strcmp(kept->path, path) == 0 && is_same_file(&kept->file, file);
    if (found && kept->bytes.length > 0)
        hash_add_again(hash, kept->bytes.data, kept->bytes.length);
    pthread_mutex_unlock(&kept_lock);
    return found;
}

/* Takes the bytes. A file that changed a moment ago may change again within the same tick of the clock. */
static void keep_cases(const char *path, const struct stat *file, Text *bytes)
{
    if (bytes->length > KEPT_BYTES || time(NULL) < file->st_ctim.tv_sec + UNSETTLED_S) {
        text_free(bytes);
        return;
    }
    pthread_mutex_lock(&kept_lock);
    TimedCases *kept = place_of(path);
    free(kept->path);
    text_free(&kept->bytes);
    *kept = (TimedCases){allocated(strdup(path)), *file, *bytes};
    pthread_mutex_unlock(&kept_lock);
}

typedef struct CaseHash {
    Hash *hash;
    Text bytes;    /* what was added */
    bool has_data; /* of other files, too, which are not kept */
} CaseHash;

static void add_to_hash(CaseHash *cases, const void *bytes, size_t count)
{
    const uint64_t length = count;
    hash_add(cases->hash, bytes, count);
    text_append(&cases->bytes, (const char *)&length, sizeof length);
    text_append(&cases->bytes, bytes, count);
}

static void add_string(CaseHash *cases, const char *string)
{
    add_to_hash(cases, string, strlen(string));
}

/* Adds a JSON value, so that neither white space nor the notation of a number matters. */
static void hash_json(CaseHash *cases, const cJSON *item)
{
    const char kind[] = {cJSON_IsObject(item) ? '{' : cJSON_IsArray(item) ? '[' : cJSON_IsString(item) ? '"' : '0'};
    add_to_hash(cases, kind, 1);
    if (cJSON_IsString(item))
        add_string(cases, item->valuestring);
    else
        add_to_hash(cases, &item->valuedouble, sizeof item->valuedouble);
    for (const cJSON *child = item->child; child != NULL; child = child->next) {
        if (child->string != NULL)
            add_string(cases, child->string);
        hash_json(cases, child);
    }
    add_to_hash(cases, "}", 1);
}

/* Adds the contents of a file of test data; nothing if it cannot be read, which testcases_read() says. */
static void hash_data_file(CaseHash *cases, const char *folder, const char *name)
{
    char path[PATH_MAX];
    Text content = {0};
    cases->has_data = true;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
        text_read_file(path, MAX_DATA_BYTES, &content, NULL) == STATUS_OK)
        hash_add(cases->hash, content.data, content.length);
    text_free(&content);
}

/* Adds only what is measured, so that names and reasons may be reworded. */
static void hash_timed_case(CaseHash *cases, const cJSON *item, const char *folder)
{
    static const char *const keys[] = {"timed", "sizes", "inputs"};
    if (json_get(item, "timed") == NULL)
        return;
    for (size_t i = 0; i < LENGTH_OF(keys); i++) {
        add_string(cases, keys[i]);
        if (json_get(item, keys[i]) != NULL)
            hash_json(cases, json_get(item, keys[i]));
    }
    const cJSON *inputs = json_get(item, "inputs");
    for (const cJSON *source = inputs == NULL ? NULL : inputs->child; source != NULL; source = source->next)
        if (cJSON_IsString(json_get(source, "file")))
            hash_data_file(cases, folder, json_get(source, "file")->valuestring);
}

static Status hash_timed_cases(Hash *hash, const char *folder, const char *name, Message *why)
{
    char path[PATH_MAX + 16];
    struct stat info = {0};
    JsonFile file;
    CaseHash cases = {.hash = hash};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (stat(path, &info) == 0 && hash_kept(hash, path, &info))
        return STATUS_OK;
    TRY(json_read(path, MAX_TESTCASES_BYTES, &file, why));
    const cJSON *list = json_get(file.root, "cases");
    if (cJSON_IsArray(list)) /* else testcases_read() says what is wrong */
        for (const cJSON *item = list->child; item != NULL; item = item->next)
            hash_timed_case(&cases, item, folder);
    json_free(&file);
    if (cases.has_data)
        text_free(&cases.bytes);
    else
        keep_cases(path, &info, &cases.bytes);
    return STATUS_OK;
}

/* The other numbers follow from the type where the bound is that of a sum, or of bytes, which are added elsewhere. */
static void hash_tolerance(Hash *hash, const Parameter *output)
{
    const Tolerance *tolerance = &output->tolerance;
    const double factors[] = {tolerance->sum_factor, tolerance->max_factor, tolerance->rms};
    const double others[] = {tolerance->unit, tolerance->absolute, tolerance->of_expected};
    hash_add(hash, factors, sizeof factors);
    if (tolerance->unit == 1 || (element_is_whole(output->type) && output->type != ELEMENT_UINT8))
        hash_add(hash, others, sizeof others);
}

static MUST_USE Status problem_revision(const Problem *problem, Digest *revision, Message *why)
{
    Hash hash;
    hash_begin(&hash);
    for (size_t i = 0; i < problem->parameter_count; i++) {
        hash_add_string(&hash, problem->parameters[i].c_type);
        hash_add_string(&hash, problem->parameters[i].name);
    }
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role & ROLE_OUT)
            hash_tolerance(&hash, &problem->parameters[i]);
    if (problem->driver != NULL)
        hash_add_string(&hash, problem->driver);
    for (size_t i = 0; i < problem->header_count; i++)
        hash_add_string(&hash, problem->headers[i].text);
    if (problem->parameters[problem->output].type == ELEMENT_UINT8)
        hash_add(&hash, &problem->tolerance.absolute, sizeof problem->tolerance.absolute);
    Status status = hash_timed_cases(&hash, problem->testcases, "sample.json", why);
    THEN(status, hash_timed_cases(&hash, problem->testcases, "hidden.json", why));
    *revision = hash_end(&hash);
    return status;
}

/* ==== problem read ================================================================================================ */

enum { MAX_PROBLEM_BYTES = 1 << 20 };

static const double DEVICE_SECONDS = 10, GRADING_SECONDS = 60, REVIEW_FACTOR = 1.3; /* defaults */

/* The kernels of a whole grading may by default execute as much as this many calls may. An honest grading takes less than
 * twice as much as its longest call, since most cases are small. */
enum { GRADING_CALLS = 8 };

/* --- parameters --------------------------------------------------------------------------------------------------- */

static const struct RoleName {
    const char *name;
    ParameterRole role;
} role_names[] = {
    {"in", ROLE_IN}, {"out", ROLE_OUT}, {"inout", ROLE_INOUT}, {"size", ROLE_SIZE}, {"scalar", ROLE_SCALAR}};

/* What a size's type holds; of 64 bits only what JSON's numbers, which are doubles, hold exactly. */
#define MOST_EXACT (((int64_t)1 << 53) - 1)
static const struct SizeType {
    const char *name;
    int64_t low, high;
} size_types[] = {{"int", INT32_MIN, INT32_MAX},
                  {"size_t", 0, MOST_EXACT},
                  {"unsigned int", 0, UINT32_MAX},
                  {"long int", -MOST_EXACT, MOST_EXACT},
                  {"long long int", -MOST_EXACT, MOST_EXACT},
                  {"unsigned long int", 0, MOST_EXACT},
                  {"unsigned long long int", 0, MOST_EXACT},
                  {"short int", INT16_MIN, INT16_MAX},
                  {"unsigned short int", 0, UINT16_MAX},
                  {"char", INT8_MIN, INT8_MAX},
                  {"signed char", INT8_MIN, INT8_MAX},
                  {"unsigned char", 0, UINT8_MAX},
                  {"bool", 0, 1}};

static const struct SizeType *size_type_of(const char *c_type)
{
    for (size_t i = 0; i < LENGTH_OF(size_types); i++)
        if (strcmp(c_type, size_types[i].name) == 0)
            return &size_types[i];
    return NULL;
}

/* "float", "uchar4": the type of the elements, and how many make up a vector. */
static bool find_element_type(const char *name, Parameter *parameter)
{
    static const char *const same_types[][2] = {{"long int", "long long int"},
                                                {"unsigned long int", "unsigned long long int"},
                                                {"size_t", "unsigned long long int"}};
    const size_t length = strlen(name);
    const char digit = length > 0 ? name[length - 1] : '\0';
    for (size_t i = 0; i < LENGTH_OF(same_types); i++)
        if (strcmp(name, same_types[i][0]) == 0)
            name = same_types[i][1];
    for (size_t type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        const ElementTraits *traits = &element_traits[type];
        const bool is_vector = digit >= '2' && digit <= '4' && strlen(traits->vector) == length - 1 &&
                               strncmp(name, traits->vector, length - 1) == 0;
        if (!is_vector && strcmp(name, traits->c_name) != 0 && strcmp(name, traits->vector) != 0)
            continue;
        parameter->type = (ElementType)type;
        parameter->components = is_vector ? digit - '0' : 1;
        return true;
    }
    return false;
}

/* A pointer to elements; one that is written is not const. */
static bool fits_array(Parameter *parameter, Arena *arena)
{
    static const char is_const[] = "const ";
    const bool is_read_only = strncmp(parameter->c_type, is_const, strlen(is_const)) == 0;
    const char *name = parameter->c_type + (is_read_only ? strlen(is_const) : 0);
    const size_t length = strlen(name);
    return length > 1 && name[length - 1] == '*' && !(is_read_only && (parameter->role & ROLE_OUT) != 0) &&
           find_element_type(arena_copy(arena, name, length - 1), parameter);
}

static bool fits_role(Parameter *parameter, Arena *arena)
{
    if (parameter_is_array(parameter))
        return fits_array(parameter, arena);
    if (parameter->role == ROLE_SCALAR)
        return find_element_type(parameter->c_type, parameter) && parameter->components == 1 &&
               (parameter->type == ELEMENT_FLOAT32 || parameter->type == ELEMENT_FLOAT64);
    return size_type_of(parameter->c_type) != NULL;
}

/* "float* or double*, ..., or a vector of them such as uchar4*" */
static const char *types_of_role(ParameterRole role, Arena *arena)
{
    const char *types = "";
    if (role == ROLE_SCALAR)
        return "float or double";
    for (size_t i = 0; i < LENGTH_OF(size_types) && role == ROLE_SIZE; i++)
        types = arena_printf(arena, "%s%s%s", types, i == 0 ? "one of " : ", ", size_types[i].name);
    for (size_t i = 0; i < ELEMENT_TYPE_COUNT && role != ROLE_SIZE; i++)
        types = arena_printf(arena, "%s%s%s", types, i == 0 ? "a pointer to one of " : ", ", element_traits[i].c_name);
    return role == ROLE_SIZE ? types
                             : arena_printf(arena, "%s, or to a vector such as uchar4%s", types,
                                            role == ROLE_IN ? "" : ", not const");
}

static Status read_role(const JsonFile *file, const cJSON *item, Parameter *parameter, Arena *arena, Message *why)
{
    const cJSON *role = json_get(item, "role");
    size_t i = 0;
    while (i < LENGTH_OF(role_names) && strcmp(role->valuestring, role_names[i].name) != 0)
        i++;
    if (i == LENGTH_OF(role_names))
        return json_fail(file, role, why, "expected \"in\", \"out\", \"inout\", \"size\" or \"scalar\"");
    parameter->role = role_names[i].role;
    if (fits_role(parameter, arena))
        return STATUS_OK;
    return json_fail(file, role, why, "\"%s\" is for %s; the signature has \"%s %s\"", role->valuestring,
                     types_of_role(parameter->role, arena), parameter->c_type, parameter->name);
}

/* Of a size that is a flag: "values": [0, 1, 3]. */
static Status read_value_list(const JsonFile *file, const cJSON *list, Arena *arena, Parameter *parameter, Message *why)
{
    const size_t count = (size_t)cJSON_GetArraySize(list);
    int64_t *values = arena_array(arena, count + 1, sizeof *values);
    const struct SizeType *type = size_type_of(parameter->c_type);
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        const double number = cJSON_IsNumber(item) ? item->valuedouble : NAN;
        const bool rises = parameter->value_count == 0 || number > (double)values[parameter->value_count - 1];
        if (!(rises && number >= (double)type->low && number <= (double)type->high && number == floor(number)))
            return json_fail(file, list, why, "expected whole numbers from %lld to %lld in rising order",
                             (long long)type->low, (long long)type->high);
        values[parameter->value_count++] = (int64_t)number;
    }
    if (count == 0)
        return json_fail(file, list, why, "expected at least one number");
    parameter->values = values;
    parameter->low = values[0];
    parameter->high = values[count - 1];
    return STATUS_OK;
}

static Status read_range(const JsonFile *file, const cJSON *item, Arena *arena, Parameter *parameter, Message *why)
{
    const bool is_list = json_get(item, "values") != NULL && parameter->role == ROLE_SIZE;
    static const JsonKey range_keys[] = {{"name", JSON_STRING, true},
                                         {"role", JSON_STRING, true},
                                         {"min", JSON_NUMBER, true},
                                         {"max", JSON_NUMBER, true}};
    static const JsonKey list_keys[] = {
        {"name", JSON_STRING, true}, {"role", JSON_STRING, true}, {"values", JSON_ARRAY, true}};
    TRY(is_list ? json_check(file, item, list_keys, LENGTH_OF(list_keys), why)
                : json_check(file, item, range_keys, LENGTH_OF(range_keys), why));
    if (is_list)
        return read_value_list(file, json_get(item, "values"), arena, parameter, why);
    if (parameter->role == ROLE_SCALAR) {
        TRY(json_number(file, item, "min", -FLT_MAX, FLT_MAX, &parameter->least, why));
        return json_number(file, item, "max", parameter->least, FLT_MAX, &parameter->most, why);
    }
    const struct SizeType *type = size_type_of(parameter->c_type);
    TRY(json_integer(file, item, "min", type->low, type->high, &parameter->low, why));
    return json_integer(file, item, "max", parameter->low, type->high, &parameter->high, why);
}

/* problem_read_formulas() compiles the expressions, once the names of all sizes are known. */
static Status read_rank(const JsonFile *file, const cJSON *item, Parameter *parameter, Message *why)
{
    static const JsonKey keys[] = {{"name", JSON_STRING, true},
                                   {"role", JSON_STRING, true},
                                   {"shape", JSON_ARRAY, true},
                                   {"tolerance", JSON_OBJECT, false}};
    const bool is_vector = parameter->components > 1;
    TRY(json_check(file, item, keys, LENGTH_OF(keys) - ((parameter->role & ROLE_OUT) == 0), why));
    const cJSON *shape = json_get(item, "shape");
    int rank = cJSON_GetArraySize(shape);
    if (rank < 1 || rank > TENSOR_MAX_RANK - is_vector)
        return json_fail(file, shape, why, "expected 1 to %d expressions, found %d", TENSOR_MAX_RANK - is_vector, rank);
    for (const cJSON *extent = shape->child; extent != NULL; extent = extent->next) {
        if (!cJSON_IsString(extent))
            return json_fail(file, shape, why, "expected a list of expressions, each a string");
        parameter->rank++;
    }
    parameter->rank += is_vector;
    return STATUS_OK;
}

static Status read_parameter(const JsonFile *file, const cJSON *item, const SignatureParameter *declared, Arena *arena,
                             Parameter *parameter, Message *why)
{
    static const JsonKey keys[] = {{"name", JSON_STRING, true},  {"role", JSON_STRING, true},
                                   {"shape", JSON_ARRAY, false}, {"tolerance", JSON_OBJECT, false},
                                   {"min", JSON_NUMBER, false},  {"max", JSON_NUMBER, false},
                                   {"values", JSON_ARRAY, false}};
    TRY(json_check(file, item, keys, LENGTH_OF(keys), why));
    const cJSON *name = json_get(item, "name");
    if (strcmp(name->valuestring, declared->name) != 0)
        return json_fail(file, name, why, "expected \"%s\", which is next in the signature, found \"%s\"",
                         declared->name, name->valuestring);
    *parameter = (Parameter){.name = arena_string(arena, declared->name),
                             .c_type = arena_string(arena, declared->type)};
    TRY(read_role(file, item, parameter, arena, why));
    return parameter_is_array(parameter) ? read_rank(file, item, parameter, why)
                                         : read_range(file, item, arena, parameter, why);
}

static Status find_output(const JsonFile *file, Problem *problem, Message *why)
{
    size_t i = 0;
    while (i < problem->parameter_count && (problem->parameters[i].role & ROLE_OUT) == 0)
        i++;
    problem->output = i;
    return i < problem->parameter_count ? STATUS_OK
                                        : json_fail(file, json_get(file->root, "parameters"), why,
                                                    "expected a parameter of role \"out\" or \"inout\", found none");
}

static Status read_parameters(const JsonFile *file, Problem *problem, Message *why)
{
    Signature signature;
    Message unfit = {0};
    const cJSON *list = json_get(file->root, "parameters");
    if (signature_parse(problem->signature, &problem->arena, &signature, &unfit) != STATUS_OK)
        return json_fail(file, json_get(file->root, "signature"), why, "%s", unfit.text);
    size_t count = (size_t)cJSON_GetArraySize(list);
    if (count != signature.parameter_count || count > PROBLEM_MAX_PARAMETERS)
        return json_fail(file, list, why, "the signature has %zu parameters, found %zu here; at most %d are possible",
                         signature.parameter_count, count, PROBLEM_MAX_PARAMETERS);
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        size_t i = problem->parameter_count;
        TRY(read_parameter(file, item, &signature.parameters[i], &problem->arena, &problem->parameters[i], why));
        problem->parameter_count++;
    }
    return find_output(file, problem, why);
}

/* --- the other parts ---------------------------------------------------------------------------------------------- */

typedef struct WholeTolerance {
    int64_t levels;
    const char *why;
} WholeTolerance;

static const char *const difficulties[] = {"easy", "medium", "hard", NULL};

static Status check_why(const RecordReading *reading, const cJSON *item, const void *member)
{
    return item->valuestring[0] != '\0'
               ? STATUS_OK
               : json_fail(reading->file, item, reading->why, "expected a derivation of the tolerance");
}

/* clang-format off */

RECORD(factors_table, Tolerance,
    ROW(Tolerance, sum_factor, "sum_factor", .required = true, .low = 0, .high = 1e6),
    ROW(Tolerance, max_factor, "max_factor", .required = true, .low = 0, .high = 1e6),
    ROW(Tolerance, rms, "rms", .required = true, .low = 0, .high = 1),
    ROW(Tolerance, why, "why", .required = true, .check = check_why));

RECORD(distance_table, Tolerance,
    ROW(Tolerance, absolute, "absolute", .required = true, .low = 0, .high = 1e6),
    ROW(Tolerance, sum_factor, "relative", .required = true, .low = 0, .high = 1),
    ROW(Tolerance, rms, "rms", .low = 0, .high = 1),
    ROW(Tolerance, why, "why", .required = true, .check = check_why));

RECORD(bound_table, Tolerance,
    ROW(Tolerance, sum_factor, "bound_factor", .required = true, .low = 0, .high = 1e6),
    ROW(Tolerance, rms, "rms", .low = 0, .high = 1),
    ROW(Tolerance, why, "why", .required = true, .check = check_why));

RECORD(levels_table, WholeTolerance,
    ROW(WholeTolerance, levels, "levels", .required = true, .low = 0, .high = UINT8_MAX),
    ROW(WholeTolerance, why, "why", .required = true, .check = check_why));

#define MEBIBYTES (1.0 / (1 << 20))
#define MOST_GRADING_INSTRUCTIONS ((int64_t)1 << 53)

RECORD(limits_table, ProblemLimits,
    ROW(ProblemLimits, device_bytes, "device_mebibytes", .required = true, .low = 1, .high = 1 << 20, .scale = MEBIBYTES),
    ROW(ProblemLimits, host_bytes, "host_mebibytes", .required = true, .low = 1, .high = 1 << 20, .scale = MEBIBYTES, .about = "what a submission may hold"),
    ROW(ProblemLimits, host_seconds, "host_seconds", .required = true, .low = 0.001, .high = 3600),
    ROW(ProblemLimits, wall_seconds, "wall_seconds", .required = true, .low = 0.001, .high = 3600, .about = "of one call. On a simulated GPU the lower one limits the submission's own time, computing or idle, and `wall_seconds` that of copies"),
    ROW(ProblemLimits, device_seconds, "device_seconds", .low = 0.001, .high = 3600, .about = "of the kernels of one call on a real GPU; default 10"),
    ROW(ProblemLimits, warp_instructions, "sim_warp_instructions", .required = true, .low = 1, .high = (double)((int64_t)1 << 50), .about = "of one call on a simulated GPU; in a small case 100 million plus 500 for each of its `operations`, if that is less; one block half of that"),
    ROW(ProblemLimits, source_bytes, "source_bytes", .required = true, .low = 1, .high = 16 << 20, .about = "of the submission's file"),
    ROW(ProblemLimits, compile_seconds, "compile_seconds", .low = 1, .high = 600, .about = "processor time of each program of the compiler; default 20, or `CONVJUDGE_COMPILE_SECONDS` ([settings](settings.md)) if that is more"),
    ROW(ProblemLimits, grading_seconds, "grading_device_seconds", .low = 1, .high = 3600),
    ROW(ProblemLimits, grading_instructions, "sim_grading_warp_instructions", .low = 1, .high = (double)MOST_GRADING_INSTRUCTIONS, .about = "of all calls of a grading; default 60, and 8 times `sim_warp_instructions`"));

RECORD(rules_table, Problem,
    ROW(Problem, kernel_must_write_output, "kernel_must_write_output", .required = true, .about = "whether [a kernel must compute the output](../explanation/security.md#who-computed-the-output)"),
    ROW(Problem, constant_filter, "constant_filter", .about = "optional: the float input that kernels must read through constant memory (`grader/check/constant_rule.h`)"));

RECORD(timing_table, Problem,
    ROW(Problem, blocks, "blocks", .required = true, .low = 1, .high = 1000),
    ROW(Problem, warm_up_calls, "warm_up_calls", .required = true, .low = 0, .high = 1000),
    ROW(Problem, timed_calls, "timed_calls", .required = true, .low = 1, .high = 100000, .about = "with a clock, at most: blocks, and calls of each case in a block ([long calls get fewer](../explanation/timing-and-ranks.md#one-sitting))"),
    ROW(Problem, review_factor, "review_factor", .low = 1.05, .high = 100, .about = "a result this many times faster in a case than any known is [timed again](../explanation/timing-and-ranks.md#too-fast-to-believe); default 1.3"));

RECORD_PUBLIC(problem_table, Problem,
    ROW_SCHEMA("schema", 1),
    ROW(Problem, id, "id", .required = true, .about = "the folder's name: lower-case letters, digits, dashes"),
    ROW(Problem, title, "title", .required = true),
    ROW(Problem, difficulty, "difficulty", .required = true, .names = difficulties, .about = "for people; `easy`, `medium` or `hard`"),
    ROW(Problem, signature, "signature", .required = true, .about = "the C declaration of solve(), without `extern \"C\"` and `;`"),
    ROW_HAND("parameters", .json = JSON_ARRAY, .required = true, .about = "in the order of the signature, each with `name` and [`role`](#parameters); an array with `shape`, 1 to 4 expressions over the sizes, slowest index first; a size or scalar with `min` and `max`, or a size with its possible `values`; an output optionally with a `tolerance` of its own"),
    ROW_HAND("constraints", .json = JSON_ARRAY, .required = true, .about = "expressions that hold for every case, such as `\"kernel_size <= input_size\"`; may be empty"),
    ROW_HAND("operations", .json = JSON_STRING, .required = true),
    ROW_HAND("bytes", .json = JSON_STRING, .required = true, .about = "expressions: floating-point operations of the direct method; the fewest bytes that must move between memory and chip"),
    ROW_HAND("tolerance", .json = JSON_OBJECT, .about = "[the bound of an error](#tolerances) and `why`, its derivation; optional where each output has its own"),
    ROW_OBJECT(Problem, limits, "limits", limits_table, .required = true),
    ROW_HAND("headers", .json = JSON_ARRAY, .about = "optional: names of headers beside problem.json that submissions may include, such as `\"wb.h\"`"),
    ROW_SAME("rules", rules_table, .required = true),
    ROW_SAME("timing", timing_table, .required = true));

/* clang-format on */

/* The keys say what kind of bound it is. */
static Status read_tolerance(const JsonFile *file, const cJSON *object, Arena *arena, Parameter *output, Message *why)
{
    Tolerance *tolerance = &output->tolerance;
    const double epsilon = element_traits[output->type].epsilon;
    WholeTolerance whole = {0};
    if (element_is_whole(output->type)) {
        TRY(record_read(&levels_table, file, object, arena, &whole, why));
        *tolerance = (Tolerance){.absolute = (double)whole.levels, .why = whole.why};
        return STATUS_OK;
    }
    const bool is_distance = json_get(object, "absolute") != NULL || json_get(object, "relative") != NULL;
    const bool is_bound = json_get(object, "bound_factor") != NULL;
    *tolerance = (Tolerance){.unit = is_distance || is_bound ? 1 : epsilon, .of_expected = is_distance};
    return record_read(is_distance ? &distance_table
                       : is_bound  ? &bound_table
                                   : &factors_table,
                       file, object, arena, tolerance, why);
}

/* An output without a tolerance of its own has that of the problem. */
static Status read_tolerances(const JsonFile *file, Problem *problem, Message *why)
{
    const cJSON *item = json_get(file->root, "parameters")->child, *general = json_get(file->root, "tolerance");
    bool is_used = false;
    for (size_t i = 0; i < problem->parameter_count; i++, item = item->next) {
        const cJSON *own = json_get(item, "tolerance");
        if ((problem->parameters[i].role & ROLE_OUT) == 0)
            continue;
        if (own == NULL && general == NULL)
            return json_fail(file, item, why, "the key \"tolerance\" is missing, here or for the whole problem");
        TRY(read_tolerance(file, own == NULL ? general : own, &problem->arena, &problem->parameters[i], why));
        is_used = is_used || own == NULL;
    }
    if (general != NULL && !is_used)
        return json_fail(file, general, why, "each output has a tolerance of its own, so this one means nothing");
    problem->tolerance = problem->parameters[problem->output].tolerance;
    return STATUS_OK;
}

/* The kernels of a grading may execute at least as much as one call. */
static Status check_budget(const JsonFile *file, Problem *problem, Message *why)
{
    ProblemLimits *limits = &problem->limits;
    const int64_t of_a_call = (int64_t)limits->warp_instructions;
    int64_t instructions = GRADING_CALLS * of_a_call;
    Status status = json_integer(file, json_get(file->root, "limits"), "sim_grading_warp_instructions", of_a_call,
                                 MOST_GRADING_INSTRUCTIONS, &instructions, why);
    limits->grading_instructions = (uint64_t)instructions;
    return status;
}

static Status check_constant_filter(const JsonFile *file, Problem *problem, Message *why)
{
    const char *name = problem->constant_filter;
    for (size_t i = 0; i < problem->parameter_count && name != NULL; i++) {
        const Parameter *parameter = &problem->parameters[i];
        if (strcmp(parameter->name, name) == 0 && parameter->role == ROLE_IN && parameter->type == ELEMENT_FLOAT32)
            return STATUS_OK;
    }
    return name == NULL ? STATUS_OK
                        : json_fail(file, json_get(json_get(file->root, "rules"), "constant_filter"), why,
                                    "expected the name of an input of floats, found \"%s\"", name);
}

/* --- the whole file ----------------------------------------------------------------------------------------------- */

static Status read_root(const JsonFile *file, const char *id, Problem *problem, Message *why)
{
    static Status (*const parts[])(const JsonFile *, Problem *,
                                   Message *) = {read_parameters, problem_read_formulas, read_tolerances,
                                                 check_budget,    check_constant_filter, problem_read_sources};
    problem->limits = (ProblemLimits){.device_seconds = DEVICE_SECONDS, .grading_seconds = GRADING_SECONDS};
    problem->review_factor = REVIEW_FACTOR;
    TRY(record_read(&problem_table, file, file->root, &problem->arena, problem, why));
    if (strcmp(problem->id, id) != 0)
        return json_fail(file, json_get(file->root, "id"), why, "expected \"%s\", the name of the folder", id);
    for (size_t i = 0; i < LENGTH_OF(parts); i++)
        TRY(parts[i](file, problem, why));
    return problem_check_formulas(file, problem, why);
}

/* "problems/conv1d" in a folder that holds such; NULL: where the judge's problems lie. */
static Status find_folder(const char *home, const char *kind, Problem *problem, const char **folder, Message *why)
{
    char relative[2 * PROBLEM_MAX_ID_LENGTH], path[PATH_MAX];
    Status status = STATUS_OK;
    snprintf(relative, sizeof relative, "%s/%s", kind, problem->id);
    if (home != NULL && (size_t)snprintf(path, sizeof path, "%s/%s", home, relative) >= sizeof path)
        return fail(STATUS_BAD_INPUT, why, "%.100s...: the name is too long", home);
    if (home == NULL)
        status = paths_problem(relative, path, sizeof path, why);
    *folder = arena_string(&problem->arena, status == STATUS_OK ? path : "");
    return status;
}

static Status read_folder(const char *home, const char *id, Problem *problem, Message *why)
{
    JsonFile file;
    problem->id = arena_string(&problem->arena, id);
    TRY(find_folder(home, "problems", problem, &problem->folder, why));
    TRY(find_folder(home, "testcases", problem, &problem->testcases, why));
    Status status = json_read(arena_printf(&problem->arena, "%s/problem.json", problem->folder), MAX_PROBLEM_BYTES,
                              &file, why);
    if (status == STATUS_NOT_FOUND)
        return problem_unknown(id, why);
    TRY(status);
    status = read_root(&file, id, problem, why);
    json_free(&file);
    return status == STATUS_OK ? problem_revision(problem, &problem->revision, why) : status;
}

Status problem_read(const char *id, Problem *problem, Message *why)
{
    return problem_read_in(NULL, id, problem, why);
}

Status problem_read_in(const char *home, const char *id, Problem *problem, Message *why)
{
    *problem = (Problem){0};
    if (!problem_id_is_valid(id))
        return problem_unknown(id, why);
    Status status = read_folder(home, id, problem, why);
    if (status != STATUS_OK)
        problem_free(problem);
    return status;
}

/* ==== identify ==================================================================================================== */

enum { PROBLEM_LINE_WITHIN = 50 };

/* The id of a line "// problem: ID" or a comment "/" "* problem: ID *" "/"; NULL if the line is neither. */
static const char *id_of_line(const char *at, const char *end, Arena *arena)
{
    static const char word[] = "problem:";
    while (at < end && isspace((unsigned char)*at))
        at++;
    if (end - at < 2 || at[0] != '/' || (at[1] != '/' && at[1] != '*'))
        return NULL;
    for (at += 2; at < end && isspace((unsigned char)*at);)
        at++;
    if ((size_t)(end - at) < strlen(word) || memcmp(at, word, strlen(word)) != 0)
        return NULL;
    for (at += strlen(word); at < end && isspace((unsigned char)*at);)
        at++;
    const char *stop = at;
    while (stop < end && !isspace((unsigned char)*stop) && *stop != '*')
        stop++;
    return arena_copy(arena, at, (size_t)(stop - at));
}

const char *identify_by_line(const char *source, size_t length, Arena *arena)
{
    const char *end = source + length;
    for (int line = 0; line < PROBLEM_LINE_WITHIN && source < end; line++) {
        const char *stop = memchr(source, '\n', (size_t)(end - source));
        stop = stop == NULL ? end : stop;
        const char *id = id_of_line(source, stop, arena);
        if (id != NULL)
            return id;
        source = stop < end ? stop + 1 : end;
    }
    return NULL;
}

static Status read_signature(const char *id, Arena *arena, Signature *signature, Message *why)
{
    Problem problem;
    TRY(problem_read(id, &problem, why));
    Status status = signature_parse(problem.signature, arena, signature, why);
    problem_free(&problem);
    return status;
}

/* Joins the ids: "conv1d, conv2d". */
static const char *joined(Arena *arena, const char *const *ids, size_t count)
{
    const char *text = "";
    for (size_t i = 0; i < count; i++)
        text = arena_printf(arena, "%s%s%s", text, i > 0 ? ", " : "", ids[i]);
    return text;
}

/* Moves the ids of the problems whose signature fits to the front; returns their number. */
static size_t keep_fitting(const char **ids, const Signature *signatures, size_t count, const Signature *wanted,
                           bool names_too)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (signature_matches(&signatures[i], wanted, names_too))
            ids[kept++] = ids[i];
    return kept;
}

static const char advice[] = "add --problem ID, or a line '// problem: ID' to the file";

static Status choose(const char *const *all, const Signature *signatures, size_t count, const Signature *wanted,
                     Arena *arena, const char **id, Message *why)
{
    const char **fitting = arena_array(arena, count + 1, sizeof *fitting);
    memcpy(fitting, all, count * sizeof *fitting);
    size_t by_types = keep_fitting(fitting, signatures, count, wanted, false);
    if (by_types == 0)
        return fail(STATUS_NOT_FOUND, why,
                    "line %d: no problem has the parameters of this solve(); known problems: %s; %s", wanted->line,
                    joined(arena, all, count), advice);
    if (by_types > 1) {
        const char **named = arena_array(arena, count + 1, sizeof *named);
        memcpy(named, all, count * sizeof *named);
        size_t by_names = keep_fitting(named, signatures, count, wanted, true);
        if (by_names != 1)
            return fail(STATUS_NOT_FOUND, why, "line %d: the parameters of solve() fit several problems: %s; %s",
                        wanted->line, joined(arena, fitting, by_types), advice);
        fitting = named;
    }
    *id = fitting[0];
    return STATUS_OK;
}

Status identify_problem(const char *source, size_t length, Arena *arena, const char **id, Message *why)
{
    Signature wanted;
    const char **ids;
    size_t count;
    if ((*id = identify_by_line(source, length, arena)) != NULL)
        return STATUS_OK;
    TRY(problem_list(arena, &ids, &count, why));
    Status status = signature_find(source, length, arena, &wanted, why);
    if (status != STATUS_OK)
        return fail(status, why,
                    "no definition of \"void solve(...)\" found, which would tell the problem; known problems: %s",
                    joined(arena, ids, count));
    Signature *signatures = arena_array(arena, count + 1, sizeof *signatures);
    for (size_t i = 0; i < count; i++) {
        status = read_signature(ids[i], arena, &signatures[i], why);
        TRY(status);
    }
    return choose(ids, signatures, count, &wanted, arena, id, why);
}
