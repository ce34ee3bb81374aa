#include "grader/report/ncu.h"

#include "base/paths.h"
#include "base/scratch.h"
#include "grader/check/call.h"
#include "grader/judge/compilation.h"
#include "harness/compile/judge_source.h"
#include "harness/compile/toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The raw page of ncu begins with about 200 attributes of the device. */
enum { MAX_COLUMNS = 1024, NOT_FOUND_EXIT = 127, MAX_ARGUMENTS = 16 + PROBLEM_MAX_PARAMETERS };

static const struct {
    const char *name;
    double factor; /* converts from the unit that --print-units base gives */
} metrics[NCU_METRICS] = {
    [NCU_SECONDS] = {"gpu__time_duration.sum", 1e-9},
    [NCU_OCCUPANCY] = {"sm__warps_active.avg.pct_of_peak_sustained_active", 0.01},
    [NCU_WARP_INSTRUCTIONS] = {"smsp__inst_executed.sum", 1},
    [NCU_LOAD_REQUESTS] = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1},
    [NCU_LOAD_SECTORS] = {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1},
    [NCU_STORE_SECTORS] = {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1},
    [NCU_SHARED_WAVEFRONTS] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 1},
    [NCU_DRAM_BYTES] = {"dram__bytes.sum", 1},
};

/* ---- the table --------------------------------------------------------------------------------------------------- */

typedef struct NcuField { /* one field of ncu's output, without its quotes */
    const char *start;
    size_t length;
} NcuField;

typedef struct NcuRow {
    NcuField fields[MAX_COLUMNS]; /* further fields are ignored */
    size_t count;
} NcuRow;

/* Reads one field, quoted or not, up to the comma or the end of the line. */
static const char *read_field(const char *at, NcuField *field)
{
    bool quoted = *at == '"';
    field->start = at += quoted;
    for (; *at != '\0' && *at != '\n'; at++) {
        if (quoted && at[0] == '"' && at[1] == '"')
            at++;
        else if (*at == (quoted ? '"' : ','))
            break;
    }
    field->length = (size_t)(at - field->start);
    return at + (quoted && *at == '"');
}

static const char *read_row(const char *at, NcuRow *row)
{
    row->count = 0;
    while (*at != '\0' && *at != '\n' && row->count < MAX_COLUMNS) {
        at = read_field(at, &row->fields[row->count++]);
        at += *at == ',';
    }
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

static int find_column(const NcuRow *head, const char *name)
{
    for (size_t i = 0; i < head->count; i++)
        if (head->fields[i].length == strlen(name) && memcmp(head->fields[i].start, name, strlen(name)) == 0)
            return (int)i;
    return -1;
}

/* Reads a number such as "1,234.5"; negative: there is none. */
static double number_of(const NcuRow *row, int column)
{
    char plain[64];
    size_t length = 0;
    if (column < 0 || (size_t)column >= row->count)
        return -1;
    const NcuField *field = &row->fields[column];
    for (size_t i = 0; i < field->length && length + 1 < sizeof plain; i++)
        if (field->start[i] != ',')
            plain[length++] = field->start[i];
    plain[length] = '\0';
    char *end;
    double number = strtod(plain, &end);
    return end == plain ? -1 : number;
}

/* Drops parameters and return type: "void blur<3>(const float *, float *)" becomes "blur<3>". */
static void plain_name(const NcuField *shown, char name[128])
{
    size_t type = shown->length > 5 && memcmp(shown->start, "void ", 5) == 0 ? 5 : 0;
    const char *start = shown->start + type, *arguments = memchr(start, '(', shown->length - type);
    snprintf(name, 128, "%.*s", arguments == NULL ? (int)(shown->length - type) : (int)(arguments - start), start);
}

static NcuKernel *find_kernel(NcuMeasurement *measurement, const NcuField *shown)
{
    char name[128];
    plain_name(shown, name);
    for (size_t i = 0; i < measurement->count; i++)
        if (strcmp(measurement->kernels[i].name, name) == 0)
            return &measurement->kernels[i];
    if (measurement->count == NCU_MAX_KERNELS)
        return NULL;
    NcuKernel *kernel = &measurement->kernels[measurement->count++];
    *kernel = (NcuKernel){.launches = 0};
    strcpy(kernel->name, name);
    return kernel;
}

static void add_launch(NcuKernel *kernel, const NcuRow *head, const NcuRow *row)
{
    for (int metric = 0; metric < NCU_METRICS; metric++) {
        double value = number_of(row, find_column(head, metrics[metric].name)) * metrics[metric].factor;
        double *sum = &kernel->values[metric];
        if (value < 0 || *sum < 0)
            *sum = -1;
        else if (metric == NCU_OCCUPANCY)
            *sum = (*sum * kernel->launches + value) / (kernel->launches + 1);
        else
            *sum += value;
    }
    kernel->launches++;
}

/* Parses the table that ncu prints with --csv --page raw. What the program itself printed before is skipped. */
static MUST_USE Status ncu_parse(const char *output, NcuMeasurement *measurement, Message *why)
{
    NcuRow head, row;
    const char *at = strncmp(output, "\"ID\",", 5) == 0 ? output : strstr(output, "\n\"ID\",");
    *measurement = (NcuMeasurement){0};
    if (at == NULL)
        return fail(STATUS_SYSTEM, why, "ncu printed no table, expected a line that begins with \"ID\"");
    at = read_row(at + (*at == '\n'), &head);
    int name = find_column(&head, "Kernel Name");
    while (*at != '\0' && name >= 0) {
        at = read_row(at, &row);
        bool is_launch = (size_t)name < row.count && row.fields[0].length > 0; /* the row of units has no id */
        NcuKernel *kernel = is_launch ? find_kernel(measurement, &row.fields[name]) : NULL;
        if (kernel != NULL)
            add_launch(kernel, &head, &row);
    }
    return measurement->count > 0 ? STATUS_OK : fail(STATUS_SYSTEM, why, "ncu saw no kernel");
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* "float:1024", "value:32": the arguments of convjudge-runner in its role "direct". */
static Status add_arguments(const Problem *problem, const Sizes *sizes, Arena *arena, const char **argv, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++) {
        size_t shape[TENSOR_MAX_RANK], count = 0;
        const Parameter *parameter = &problem->parameters[i];
        if (!parameter_is_array(parameter)) {
            argv[i] = arena_printf(arena, "value:%lld", (long long)call_word(parameter, sizes, i));
            continue;
        }
        status = problem_shape(problem, i, sizes, shape, &count, why);
        bool is_float = parameter->type == ELEMENT_FLOAT32;
        argv[i] = arena_printf(arena, "%s:%zu", is_float ? "float" : "byte",
                               is_float ? count : count * element_bytes(parameter->type));
    }
    return status;
}

static void add_metric_names(Text *names)
{
    for (int metric = 0; metric < NCU_METRICS; metric++)
        text_printf(names, "%s%s", metric > 0 ? "," : "", metrics[metric].name);
}

static Status ncu_error(const Text *output, int exit_status, Message *why)
{
    if (exit_status == NOT_FOUND_EXIT)
        return fail(STATUS_NOT_FOUND, why, "Nsight Compute's ncu is not installed, or not in PATH");
    const char *error = output->length == 0 ? NULL : strstr(output->data, "==ERROR==");
    error = error != NULL ? error : output->length == 0 ? "it printed nothing" : output->data;
    return fail(STATUS_SYSTEM, why, "ncu ended with exit status %d: %.*s", exit_status, (int)strcspn(error, "\n"),
                error);
}

static Status run_ncu(const Problem *problem, const Sizes *sizes, const char *object, const char *runtime,
                      const char *folder, Text *output, Message *why)
{
    char runner[4096];
    Arena arena = {0};
    Text names = {0};
    ProcessEnd end = {0};
    add_metric_names(&names);
    /* --clock-control none: the GPU keeps the clock that gradings run at. */
    const char *argv[MAX_ARGUMENTS] = {"/usr/bin/env", "ncu",  "--clock-control", "none",  "--csv",
                                       "--page",       "raw",  "--print-units",   "base",  "--metrics",
                                       names.data,     runner, "direct",          runtime, object};
    Status status = paths_build("convjudge-runner", runner, sizeof runner, why);
    THEN(status, add_arguments(problem, sizes, &arena, argv + 15, why));
    THEN(status, judge_source_run(argv, folder, output, &end, why));
    if (status == STATUS_OK && end.exit_status != 0)
        status = ncu_error(output, end.exit_status, why);
    text_free(&names);
    arena_free(&arena);
    return status;
}

static Status measure_in(const char *folder, const Problem *problem, const Submission *submission, const Sizes *sizes,
                         const DeviceInfo *device, Text *output, Message *why)
{
    Toolkit toolkit;
    Compiled compiled = {0};
    char runtime[4200];
    Status status = toolkit_find(&toolkit, why);
    THEN(status, compilation_of(problem, submission, device, &toolkit, folder, &compiled, why));
    if (status == STATUS_OK && compiled.outcome != COMPILE_OK)
        status = fail(STATUS_BAD_INPUT, why, "%s does not compile for %s", submission->file_name, device->name);
    if (status == STATUS_OK) {
        snprintf(runtime, sizeof runtime, "%s/lib64/libcudart.so", toolkit.root);
        status = run_ncu(problem, sizes, compiled.object_path, runtime, folder, output, why);
    }
    compiled_free(&compiled);
    return status;
}

Status ncu_measure(const Problem *problem, const Submission *submission, const Sizes *sizes, const DeviceInfo *device,
                   NcuMeasurement *measurement, Message *why)
{
    char folder[256];
    Text output = {0};
    *measurement = (NcuMeasurement){0};
    TRY(scratch_new(folder, sizeof folder, why));
    Status status = measure_in(folder, problem, submission, sizes, device, &output, why);
    THEN(status, ncu_parse(output.data == NULL ? "" : output.data, measurement, why));
    text_free(&output);
    scratch_remove(folder);
    return status;
}
