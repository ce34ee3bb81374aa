#include "grader/problem/problem_read.h"

#include "base/json.h"
#include "base/paths.h"
#include "grader/problem/problem_formulas.h"
#include "grader/problem/problem_list.h"
#include "grader/problem/problem_revision.h"
#include "grader/problem/signature.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PROBLEM_BYTES = 1 << 20 };

static const double DEVICE_SECONDS = 10, GRADING_SECONDS = 60, REVIEW_FACTOR = 1.3; /* defaults */

/* The kernels of a whole grading may by default execute as much as this many calls may. An honest grading takes less than
 * twice as much as its longest call, since most cases are small. */
enum { GRADING_CALLS = 8 };

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

/* --- parameters --------------------------------------------------------------------------------------------------- */

/* The types that a parameter of each role may have in the signature. A message names the last one of the role. */
static const struct {
    const char *name;
    ParameterRole role;
    const char *c_type;
    ElementType type;
} role_types[] = {
    {"in", ROLE_IN, "const float*", ELEMENT_FLOAT32},       {"in", ROLE_IN, "const int*", ELEMENT_INT32},
    {"in", ROLE_IN, "const unsigned char*", ELEMENT_UINT8}, {"out", ROLE_OUT, "unsigned char*", ELEMENT_UINT8},
    {"out", ROLE_OUT, "float*", ELEMENT_FLOAT32},           {"size", ROLE_SIZE, "int", ELEMENT_INT32},
};

static Status read_role(const JsonFile *file, const cJSON *item, Parameter *parameter, Message *why)
{
    const cJSON *role = json_get(item, "role");
    const char *expected = NULL;
    for (size_t i = 0; i < LENGTH_OF(role_types); i++) {
        if (strcmp(role->valuestring, role_types[i].name) != 0)
            continue;
        parameter->role = role_types[i].role;
        parameter->type = role_types[i].type;
        expected = role_types[i].c_type;
        if (strcmp(parameter->c_type, expected) == 0)
            return STATUS_OK;
    }
    if (expected == NULL)
        return json_fail(file, role, why, "expected \"in\", \"out\" or \"size\"");
    return json_fail(file, role, why, "\"%s\" is for a parameter such as \"%s\", but the signature has \"%s %s\"",
                     role->valuestring, expected, parameter->c_type, parameter->name);
}

static Status read_range(const JsonFile *file, const cJSON *item, Parameter *parameter, Message *why)
{
    static const JsonKey keys[] = {{"name", JSON_STRING, true},
                                   {"role", JSON_STRING, true},
                                   {"min", JSON_NUMBER, true},
                                   {"max", JSON_NUMBER, true}};
    Status status = json_check(file, item, keys, LENGTH_OF(keys), why);
    if (status == STATUS_OK)
        status = json_integer(file, item, "min", 0, INT32_MAX, &parameter->low, why);
    if (status == STATUS_OK)
        status = json_integer(file, item, "max", parameter->low, INT32_MAX, &parameter->high, why);
    return status;
}

/* problem_read_formulas() compiles the expressions, once the names of all sizes are known. */
static Status read_rank(const JsonFile *file, const cJSON *item, Parameter *parameter, Message *why)
{
    static const JsonKey keys[] = {
        {"name", JSON_STRING, true}, {"role", JSON_STRING, true}, {"shape", JSON_ARRAY, true}};
    Status status = json_check(file, item, keys, LENGTH_OF(keys), why);
    if (status != STATUS_OK)
        return status;
    const cJSON *shape = json_get(item, "shape");
    int rank = cJSON_GetArraySize(shape);
    if (rank < 1 || rank > TENSOR_MAX_RANK)
        return json_fail(file, shape, why, "expected 1 to %d expressions, found %d", TENSOR_MAX_RANK, rank);
    for (const cJSON *extent = shape->child; extent != NULL; extent = extent->next) {
        if (!cJSON_IsString(extent))
            return json_fail(file, shape, why, "expected a list of expressions, each a string");
        parameter->rank++;
    }
    return STATUS_OK;
}

static Status read_parameter(const JsonFile *file, const cJSON *item, const SignatureParameter *declared, Arena *arena,
                             Parameter *parameter, Message *why)
{
    static const JsonKey keys[] = {{"name", JSON_STRING, true},
                                   {"role", JSON_STRING, true},
                                   {"shape", JSON_ARRAY, false},
                                   {"min", JSON_NUMBER, false},
                                   {"max", JSON_NUMBER, false}};
    Status status = json_check(file, item, keys, LENGTH_OF(keys), why);
    if (status != STATUS_OK)
        return status;
    const cJSON *name = json_get(item, "name");
    if (strcmp(name->valuestring, declared->name) != 0)
        return json_fail(file, name, why, "expected \"%s\", which is next in the signature, found \"%s\"",
                         declared->name, name->valuestring);
    *parameter = (Parameter){.name = arena_string(arena, declared->name),
                             .c_type = arena_string(arena, declared->type)};
    status = read_role(file, item, parameter, why);
    if (status != STATUS_OK)
        return status;
    return parameter->role == ROLE_SIZE ? read_range(file, item, parameter, why)
                                        : read_rank(file, item, parameter, why);
}

static Status check_one_output(const JsonFile *file, const Problem *problem, Message *why)
{
    size_t outputs = 0;
    for (size_t i = 0; i < problem->parameter_count; i++)
        outputs += problem->parameters[i].role == ROLE_OUT;
    if (outputs != 1)
        return json_fail(file, json_get(file->root, "parameters"), why,
                         "expected exactly one parameter of role \"out\", found %zu", outputs);
    return STATUS_OK;
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
        Status status = read_parameter(file, item, &signature.parameters[i], &problem->arena, &problem->parameters[i],
                                       why);
        if (status != STATUS_OK)
            return status;
        problem->parameter_count++;
    }
    return check_one_output(file, problem, why);
}

/* --- the other parts ---------------------------------------------------------------------------------------------- */

static Status read_factors(const JsonFile *file, const cJSON *object, Tolerance *tolerance, Message *why)
{
    static const JsonKey keys[] = {{"sum_factor", JSON_NUMBER, true},
                                   {"max_factor", JSON_NUMBER, true},
                                   {"rms", JSON_NUMBER, true},
                                   {"why", JSON_STRING, true}};
    Status status = json_check(file, object, keys, LENGTH_OF(keys), why);
    if (status == STATUS_OK)
        status = json_number(file, object, "sum_factor", 0, 1e6, &tolerance->sum_factor, why);
    if (status == STATUS_OK)
        status = json_number(file, object, "max_factor", 0, 1e6, &tolerance->max_factor, why);
    if (status == STATUS_OK)
        status = json_number(file, object, "rms", 0, 1, &tolerance->rms, why);
    return status;
}

static Status read_levels(const JsonFile *file, const cJSON *object, Tolerance *tolerance, Message *why)
{
    static const JsonKey keys[] = {{"levels", JSON_NUMBER, true}, {"why", JSON_STRING, true}};
    int64_t levels = 0;
    Status status = json_check(file, object, keys, LENGTH_OF(keys), why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "levels", 0, UINT8_MAX, &levels, why);
    tolerance->levels = (double)levels;
    return status;
}

static Status read_tolerance(const JsonFile *file, Problem *problem, Message *why)
{
    const cJSON *object = json_get(file->root, "tolerance");
    Tolerance *tolerance = &problem->tolerance;
    bool has_levels = problem->parameters[problem_output(problem)].type == ELEMENT_UINT8;
    Status status = has_levels ? read_levels(file, object, tolerance, why) : read_factors(file, object, tolerance, why);
    if (status != STATUS_OK)
        return status;
    tolerance->why = arena_string(&problem->arena, json_string(object, "why"));
    if (*tolerance->why == '\0')
        return json_fail(file, json_get(object, "why"), why, "expected a derivation of the tolerance");
    return STATUS_OK;
}

/* What all calls of a grading may take together. */
static Status read_budget(const JsonFile *file, const cJSON *object, ProblemLimits *limits, Message *why)
{
    const int64_t of_a_call = (int64_t)limits->warp_instructions;
    int64_t instructions = GRADING_CALLS * of_a_call;
    limits->grading_seconds = GRADING_SECONDS;
    Status status = json_number(file, object, "grading_device_seconds", 1, 3600, &limits->grading_seconds, why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "sim_grading_warp_instructions", of_a_call, (int64_t)1 << 53, &instructions,
                              why);
    limits->grading_instructions = (uint64_t)instructions;
    return status;
}

static Status read_limits(const JsonFile *file, Problem *problem, Message *why)
{
    static const JsonKey keys[] = {{"device_mebibytes", JSON_NUMBER, true},
                                   {"host_mebibytes", JSON_NUMBER, true},
                                   {"host_seconds", JSON_NUMBER, true},
                                   {"wall_seconds", JSON_NUMBER, true},
                                   {"device_seconds", JSON_NUMBER, false},
                                   {"sim_warp_instructions", JSON_NUMBER, true},
                                   {"grading_device_seconds", JSON_NUMBER, false},
                                   {"sim_grading_warp_instructions", JSON_NUMBER, false},
                                   {"source_bytes", JSON_NUMBER, true}};
    const cJSON *object = json_get(file->root, "limits");
    ProblemLimits *limits = &problem->limits;
    int64_t device_mebibytes = 0, host_mebibytes = 0, warp_instructions = 0, source_bytes = 0;
    Status status = json_check(file, object, keys, LENGTH_OF(keys), why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "device_mebibytes", 1, 1 << 20, &device_mebibytes, why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "host_mebibytes", 1, 1 << 20, &host_mebibytes, why);
    if (status == STATUS_OK)
        status = json_number(file, object, "host_seconds", 0.001, 3600, &limits->host_seconds, why);
    limits->device_seconds = DEVICE_SECONDS;
    if (status == STATUS_OK)
        status = json_number(file, object, "device_seconds", 0.001, 3600, &limits->device_seconds, why);
    if (status == STATUS_OK)
        status = json_number(file, object, "wall_seconds", 0.001, 3600, &limits->wall_seconds, why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "sim_warp_instructions", 1, (int64_t)1 << 50, &warp_instructions, why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "source_bytes", 1, 16 << 20, &source_bytes, why);
    limits->device_bytes = (uint64_t)device_mebibytes << 20;
    limits->host_bytes = (uint64_t)host_mebibytes << 20;
    limits->warp_instructions = (uint64_t)warp_instructions;
    limits->source_bytes = (size_t)source_bytes;
    return status == STATUS_OK ? read_budget(file, object, limits, why) : status;
}

static Status read_constant_filter(const JsonFile *file, const cJSON *name, Problem *problem, Message *why)
{
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *parameter = &problem->parameters[i];
        if (strcmp(parameter->name, name->valuestring) == 0 && parameter->role == ROLE_IN &&
            parameter->type == ELEMENT_FLOAT32)
            problem->constant_filter = parameter->name;
    }
    if (problem->constant_filter == NULL)
        return json_fail(file, name, why, "expected the name of an input of floats, found \"%s\"", name->valuestring);
    return STATUS_OK;
}

static Status read_rules(const JsonFile *file, Problem *problem, Message *why)
{
    static const JsonKey keys[] = {{"kernel_must_write_output", JSON_BOOLEAN, true},
                                   {"constant_filter", JSON_STRING, false}};
    const cJSON *object = json_get(file->root, "rules");
    Status status = json_check(file, object, keys, LENGTH_OF(keys), why);
    if (status != STATUS_OK)
        return status;
    problem->kernel_must_write_output = cJSON_IsTrue(json_get(object, "kernel_must_write_output"));
    const cJSON *filter = json_get(object, "constant_filter");
    return filter == NULL ? STATUS_OK : read_constant_filter(file, filter, problem, why);
}

static Status read_timing(const JsonFile *file, Problem *problem, Message *why)
{
    static const JsonKey keys[] = {{"blocks", JSON_NUMBER, true},
                                   {"warm_up_calls", JSON_NUMBER, true},
                                   {"timed_calls", JSON_NUMBER, true},
                                   {"review_factor", JSON_NUMBER, false}};
    const cJSON *object = json_get(file->root, "timing");
    int64_t blocks = 0, warm_up_calls = 0, timed_calls = 0;
    Status status = json_check(file, object, keys, LENGTH_OF(keys), why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "blocks", 1, 1000, &blocks, why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "warm_up_calls", 0, 1000, &warm_up_calls, why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "timed_calls", 1, 100000, &timed_calls, why);
    problem->review_factor = REVIEW_FACTOR;
    if (status == STATUS_OK)
        status = json_number(file, object, "review_factor", 1.05, 100, &problem->review_factor, why);
    problem->blocks = (int)blocks;
    problem->warm_up_calls = (int)warm_up_calls;
    problem->timed_calls = (int)timed_calls;
    return status;
}

/* --- the whole file ----------------------------------------------------------------------------------------------- */

static Status read_head(const JsonFile *file, const char *id, Problem *problem, Message *why)
{
    static const char *const difficulties[] = {"easy", "medium", "hard"};
    Arena *arena = &problem->arena;
    int64_t schema;
    Status status = json_integer(file, file->root, "schema", 1, 1, &schema, why);
    if (status != STATUS_OK)
        return status;
    if (strcmp(json_string(file->root, "id"), id) != 0)
        return json_fail(file, json_get(file->root, "id"), why, "expected \"%s\", the name of the folder", id);
    problem->title = arena_string(arena, json_string(file->root, "title"));
    problem->signature = arena_string(arena, json_string(file->root, "signature"));
    problem->separable = cJSON_IsTrue(json_get(file->root, "separable"));
    for (size_t i = 0; i < LENGTH_OF(difficulties); i++)
        if (strcmp(json_string(file->root, "difficulty"), difficulties[i]) == 0)
            problem->difficulty = difficulties[i];
    if (problem->difficulty == NULL)
        return json_fail(file, json_get(file->root, "difficulty"), why, "expected \"easy\", \"medium\" or \"hard\"");
    return STATUS_OK;
}

static Status read_root(const JsonFile *file, const char *id, Problem *problem, Message *why)
{
    static const JsonKey keys[] = {
        {"schema", JSON_NUMBER, true},     {"id", JSON_STRING, true},         {"title", JSON_STRING, true},
        {"difficulty", JSON_STRING, true}, {"signature", JSON_STRING, true},  {"parameters", JSON_ARRAY, true},
        {"constraints", JSON_ARRAY, true}, {"operations", JSON_STRING, true}, {"bytes", JSON_STRING, true},
        {"tolerance", JSON_OBJECT, true},  {"limits", JSON_OBJECT, true},     {"rules", JSON_OBJECT, true},
        {"timing", JSON_OBJECT, true},     {"separable", JSON_BOOLEAN, false}};
    static Status (*const parts[])(const JsonFile *, Problem *, Message *) = {
        read_parameters, problem_read_formulas, read_tolerance, read_limits, read_rules, read_timing};
    Status status = json_check(file, file->root, keys, LENGTH_OF(keys), why);
    if (status == STATUS_OK)
        status = read_head(file, id, problem, why);
    for (size_t i = 0; i < LENGTH_OF(parts) && status == STATUS_OK; i++)
        status = parts[i](file, problem, why);
    return status == STATUS_OK ? problem_check_formulas(file, problem, why) : status;
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
    Status status = find_folder(home, "problems", problem, &problem->folder, why);
    if (status == STATUS_OK)
        status = find_folder(home, "testcases", problem, &problem->testcases, why);
    if (status != STATUS_OK)
        return status;
    status = json_read(arena_printf(&problem->arena, "%s/problem.json", problem->folder), MAX_PROBLEM_BYTES, &file,
                       why);
    if (status == STATUS_NOT_FOUND)
        return problem_unknown(id, why);
    if (status != STATUS_OK)
        return status;
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
