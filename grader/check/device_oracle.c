#include "grader/check/device_oracle.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/paths.h"
#include "base/process.h"
#include "base/text.h"
#include "grader/check/call.h"
#include "grader/check/oracle.h"
#include "grader/check/oracle_kernels.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase_data.h"
#include "harness/broker/broker_confine.h"
#include "harness/broker/control.h"
#include "harness/compile/toolkit.h"
#include "harness/device/device_open.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ==== oracle process ============================================================================================== */

_Static_assert((int)ORACLE_MAX_PARAMETERS == (int)PROBLEM_MAX_PARAMETERS,
               "oracle_kernels.h has room for each parameter");
_Static_assert((int)ORACLE_MAX_RANK == (int)TENSOR_MAX_RANK, "oracle_kernels.h has room for each extent");

typedef struct OracleArray {
    uint64_t address, result; /* on the device, before and after the call; 0: it is only written, or only read */
    uint64_t file;            /* likewise, of the values that each call perturbs */
    size_t count, bytes;
    size_t offset, result_offset; /* in the memory shared with grader and broker */
} OracleArray;

typedef struct OracleOutput { /* what checks one output */
    Problem view;             /* the problem as it is for this output */
    DeviceModule *module;     /* NULL: there is no such output */
    size_t shape[TENSOR_MAX_RANK];
    uint64_t tallies; /* address on the device of one tally for each block of threads */
    uint64_t pass;    /* likewise, of what the kernel `pass` computes; 0: nothing is kept */
    Tally *host_tallies;
    size_t tally_count;
} OracleOutput;

typedef struct OracleProcess {
    int control;
    const char *device_name;
    Device *device;
    Problem problem;
    OracleOutput outputs[PROBLEM_MAX_PARAMETERS];
    size_t output_count;
    OracleReply reply;

    Testcase testcase;
    uint8_t *memory; /* NULL: no case yet */
    size_t memory_bytes;
    bool exchanged; /* arrays travel through an exchange */
    int exchange;   /* its descriptor, until the answer has sent it; -1: none */
    OracleArray arrays[PROBLEM_MAX_PARAMETERS];
} OracleProcess;

/* No failure on this device is the fault of a submission. */
static Status status_of(const OracleProcess *process, CudaError error, const char *doing, Message *why)
{
    DeviceFault fault;
    if (error == CUDA_ERROR_SUCCESS)
        return STATUS_OK;
    process->device->report->fault(process->device, &fault);
    const char *text = fault.kind != DEVICE_NO_FAULT ? fault.text : cuda_error_text(error);
    return fail(STATUS_SYSTEM, why, "the oracle on %s, %s: %s", process->device_name, doing, text);
}

static size_t blocks_for(size_t threads)
{
    return (threads + ORACLE_BLOCK - 1) / ORACLE_BLOCK;
}

/* The kernels that go through the output. */
static size_t blocks_of_output(size_t count)
{
    size_t blocks = blocks_for(count);
    return blocks < ORACLE_BLOCKS ? blocks : ORACLE_BLOCKS;
}

static Status launch_kernel(const OracleProcess *process, DeviceModule *module, const char *kernel,
                            const void *parameters, size_t bytes, size_t blocks, Message *why)
{
    const DeviceLaunch grid = {.function = process->device->modules->function(module, kernel),
                               .shape.grid = {(uint32_t)blocks, 1, 1},
                               .shape.block = {ORACLE_BLOCK, 1, 1},
                               .parameters = parameters,
                               .parameter_bytes = bytes};
    if (grid.function == NULL)
        return fail(STATUS_SYSTEM, why, "grader/check/oracle_kernels.cu: no kernel %s", kernel);
    return status_of(process, process->device->kernels->launch(process->device, &grid), kernel, why);
}

/* --- the problem -------------------------------------------------------------------------------------------------- */

/* INPUT_TYPES, each type once. */
static void add_input_types(const Problem *problem, Text *text)
{
    bool is_known[ELEMENT_TYPE_COUNT] = {false};
    text_add(text, "#define INPUT_TYPES(ROW)");
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *is = &problem->parameters[i];
        if ((is->role & ROLE_IN) != 0 && !is_known[is->type])
            text_printf(text, " ELEMENT_%s(ROW)", element_traits[is->type].name);
        is_known[is->type] = is_known[is->type] || (is->role & ROLE_IN) != 0;
    }
    text_add(text, "\n");
}

static Status build_code(const Problem *view, int compute, Text *image, Message *why)
{
    static const char *const names[] = {
        "check/oracle_kernels.cu", "check/oracle_kernels.h", "check/element.h", "problem/generator.h",
        "check/tally.h",           "../base/chacha20.h",     "../base/element_type.h"};
    enum { FILES = sizeof names / sizeof *names };
    static const char *const options[] = {"-DLANES=1", "-fmad=false", NULL};
    char folder[PATH_MAX], paths[FILES][PATH_MAX + 32], oracle[PATH_MAX], checker[PATH_MAX];
    const char *inputs[FILES + 2] = {oracle};
    const ElementTraits *traits = &element_traits[view->parameters[problem_output(view)].type];
    bool has_checker;
    Text header = {0};
    TRY(paths_home("grader", folder, sizeof folder, why));
    TRY(oracle_find_checker(view, checker, sizeof checker, &has_checker, why));
    inputs[FILES] = has_checker ? checker : NULL;
    for (size_t i = 0; i < FILES; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    for (size_t i = 1; i < FILES; i++)
        inputs[i] = paths[i];
    snprintf(oracle, sizeof oracle, "%s/oracle.h", view->folder);
    text_add(&header, "#include \"base/element_type.h\"\n");
    if (has_checker)
        text_printf(&header, "#define CHECKER_FILE \"%s\"\n", checker);
    oracle_case_header(view, &header);
    text_printf(&header, "typedef %s Output;\n#define OUTPUT_IS_WHOLE %d\n", traits->storage, !(traits->epsilon > 0));
    text_printf(&header, "#define OUTPUT_LOWEST %.17g\n#define OUTPUT_HIGHEST %.17g\n", traits->lowest,
                traits->highest);
    text_printf(&header, "#define OF_EXPECTED %d\n#define ORACLE_FILE \"%s\"\n", view->tolerance.of_expected, oracle);
    add_input_types(view, &header);
    const DeviceCodeJob job = {
        .source = paths[0], .inputs = inputs, .options = options, .include = header.data, .compute = compute};
    Status status = device_code_build(&job, image, why);
    text_free(&header);
    return status;
}

/* As the broker on a real GPU: the process reads what a submission has computed. What the kernel does not offer, the
 * broker's result says. No compiler is needed when the device opens. */
static Status open_confined(OracleProcess *process, Message *why)
{
    char missing[160] = "";
    DeviceFiles files;
    if (device_files(process->device_name, &files))
        broker_confine_driver(&files, missing, sizeof missing);
    TRY(device_open(process->device_name, &process->device, why));
    broker_confine(&(Confinement){.is_real_gpu = true}, missing, sizeof missing);
    return STATUS_OK;
}

static Status take_problem(OracleProcess *process, const OracleRequest *request, Message *why)
{
    TRY(problem_read(request->problem, &process->problem, why));
    if (strcmp(process->problem.revision.hex, request->revision.hex) != 0)
        return fail(STATUS_BAD_INPUT, why, "%s: changed while a submission was judged", process->problem.folder);
    Text images[PROBLEM_MAX_PARAMETERS] = {{0}};
    Status status = STATUS_OK;
    size_t count = 0;
    while (status == STATUS_OK && problem_of_output(&process->problem, count, &process->outputs[count].view)) {
        status = build_code(&process->outputs[count].view, request->compute, &images[count], why);
        count++;
    }
    THEN(status, open_confined(process, why));
    for (size_t i = 0; i < count; i++) {
        THEN(status, process->device->modules->load(process->device, images[i].data, images[i].length,
                                                    &process->outputs[i].module, why));
        text_free(&images[i]);
    }
    process->output_count = status == STATUS_OK ? count : 0;
    return status;
}

/* --- a case ------------------------------------------------------------------------------------------------------- */

static Status drop_case(OracleProcess *process, Message *why)
{
    CudaError error = CUDA_ERROR_SUCCESS;
    for (size_t i = 0; i < PROBLEM_MAX_PARAMETERS; i++) {
        OracleArray *array = &process->arrays[i];
        OracleOutput *output = &process->outputs[i];
        const uint64_t addresses[] = {array->address, array->result, array->file, output->tallies, output->pass};
        for (size_t k = 0; k < sizeof addresses / sizeof *addresses && error == CUDA_ERROR_SUCCESS; k++)
            if (addresses[k] != 0)
                error = process->device->memory->release(process->device, addresses[k]);
        *array = (OracleArray){0};
        output->tallies = output->pass = 0;
        free(output->host_tallies);
        output->host_tallies = NULL;
    }
    if (process->exchanged && error == CUDA_ERROR_SUCCESS)
        error = process->device->exchange->leave(process->device);
    if (process->memory != NULL) {
        if (!process->exchanged)
            device_unpin(process->device, process->memory);
        munmap(process->memory, process->memory_bytes);
        process->memory = NULL;
    }
    process->exchanged = false;
    return status_of(process, error, "freeing memory", why);
}

static Status map_memory(OracleProcess *process, const OracleRequest *request, int descriptor, Message *why)
{
    void *memory = mmap(NULL, request->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED)
        return fail_errno(why, "the oracle's view of the arrays");
    process->memory = memory;
    process->memory_bytes = request->memory_bytes;
    return STATUS_OK;
}

/* If the device cannot share its memory, arrays travel through the host's. */
static Status open_exchange(OracleProcess *process, bool through_host, Message *why)
{
    Device *device = process->device;
    CudaError error = through_host || device->exchange == NULL
                          ? CUDA_ERROR_NOT_SUPPORTED
                          : device->exchange->create(device, process->memory_bytes, &process->exchange);
    process->exchanged = error == CUDA_ERROR_SUCCESS;
    if (error != CUDA_ERROR_SUCCESS && error != CUDA_ERROR_NOT_SUPPORTED)
        return status_of(process, error, "sharing memory", why);
    if (!process->exchanged)
        device_pin(device, process->memory, process->memory_bytes);
    return STATUS_OK;
}

static Status take_array(OracleProcess *process, const OracleRequest *request, size_t parameter, Message *why)
{
    OracleArray *array = &process->arrays[parameter];
    const Problem *problem = &process->problem;
    const Parameter *is = &problem->parameters[parameter];
    size_t shape[TENSOR_MAX_RANK], offset = request->offsets[parameter];
    TRY(problem_shape(problem, parameter, &process->testcase.sizes, shape, &array->count, why));
    array->bytes = array->count * element_bytes(is->type);
    array->result_offset = offset + argument_result_offset(call_argument_role(is), array->bytes);
    if (array->count > UINT32_MAX || array->result_offset > process->memory_bytes ||
        array->bytes > process->memory_bytes - array->result_offset)
        return fail(STATUS_BAD_INPUT, why, "%s: %zu bytes at %zu of a shared memory of %zu",
                    problem->parameters[parameter].name, array->bytes, offset, process->memory_bytes);
    array->offset = offset;
    CudaError error = CUDA_ERROR_SUCCESS;
    if (is->role & ROLE_IN)
        error = process->device->memory->alloc(process->device, array->bytes, &array->address);
    if ((is->role & ROLE_OUT) && error == CUDA_ERROR_SUCCESS)
        error = process->device->memory->alloc(process->device, array->bytes, &array->result);
    return status_of(process, error, "allocating memory", why);
}

/* The grader has put the values of the file where the calls' data will lie. */
static Status take_file(OracleProcess *process, size_t parameter, Message *why)
{
    OracleArray *array = &process->arrays[parameter];
    if (process->testcase.sources[parameter].kind != SOURCE_PERTURBED)
        return STATUS_OK;
    CudaError error = process->device->memory->alloc(process->device, array->bytes, &array->file);
    if (error == CUDA_ERROR_SUCCESS)
        error = process->device->copies->write(process->device, array->file, process->memory + array->offset,
                                               array->bytes, NULL);
    return status_of(process, error, "taking the values of a file", why);
}

static Status take_tallies(OracleProcess *process, OracleOutput *output, Message *why)
{
    size_t count;
    TRY(problem_shape(&output->view, problem_output(&output->view), &process->testcase.sizes, output->shape, &count,
                      why));
    output->tally_count = blocks_of_output(count);
    size_t bytes = output->tally_count * sizeof *output->host_tallies;
    output->host_tallies = allocated(malloc(bytes));
    return status_of(process, process->device->memory->alloc(process->device, bytes, &output->tallies),
                     "allocating memory", why);
}

/* What the kernel `pass` computes is kept if there is memory for it: two doubles for each element. Otherwise `tally`
 * computes it again wherever it needs it. */
static Status take_pass(OracleProcess *process, OracleOutput *output, Message *why)
{
    const Device *device = process->device;
    if (device->modules->function(output->module, "pass") == NULL)
        return STATUS_OK;
    const size_t bytes = 2 * sizeof(double) * process->arrays[problem_output(&output->view)].count;
    CudaError error = device->memory->alloc(process->device, bytes, &output->pass);
    if (error == CUDA_ERROR_MEMORY_ALLOCATION) {
        output->pass = 0;
        return STATUS_OK;
    }
    return status_of(process, error, "allocating memory", why);
}

static Status take_case(OracleProcess *process, const OracleRequest *request, int descriptor, Message *why)
{
    Status status = drop_case(process, why);
    process->testcase = request->testcase;
    THEN(status, map_memory(process, request, descriptor, why));
    THEN(status, open_exchange(process, request->through_host, why));
    for (size_t i = 0; i < process->problem.parameter_count && status == STATUS_OK; i++)
        if (parameter_is_array(&process->problem.parameters[i])) {
            status = take_array(process, request, i, why);
            THEN(status, take_file(process, i, why));
        }
    for (size_t i = 0; i < process->output_count; i++) {
        THEN(status, take_pass(process, &process->outputs[i], why));
        THEN(status, take_tallies(process, &process->outputs[i], why));
    }
    return status;
}

/* --- inputs ------------------------------------------------------------------------------------------------------- */

/* The kernel for each kind of data, NULL: none; and how many numbers each of its threads makes. A constant is a ramp
 * without a step. */
static const struct {
    const char *name;
    size_t numbers;
} KERNELS[] = {
    [SOURCE_UNIFORM] = {"uniform", GENERATOR_WORDS},
    [SOURCE_NORMAL] = {"normal", GENERATOR_NORMALS},
    [SOURCE_INTEGERS] = {"integers", GENERATOR_WORDS},
    [SOURCE_RAMP] = {"ramp", 1},
    [SOURCE_CONSTANT] = {"ramp", 1},
    [SOURCE_PERTURBED] = {"perturbed", GENERATOR_WORDS},
    [SOURCE_IMPULSE] = {NULL, 0},
    [SOURCE_VALUES] = {NULL, 0},
    [SOURCE_FILE] = {NULL, 0},
};

static Status generate_impulse(const OracleProcess *process, const CaseSource *source, ElementType type,
                               const OracleArray *array, Message *why)
{
    uint64_t element; /* room for an element of any type */
    size_t at = source->position < 0 ? array->count / 2 : (size_t)source->position, bytes = element_bytes(type);
    element_store(type, &element, 0, source->a);
    CudaError error = process->device->copies->fill(process->device, array->address, 0, array->bytes, NULL);
    if (error == CUDA_ERROR_SUCCESS)
        error = process->device->copies->write(process->device, array->address + at * bytes, &element, bytes, NULL);
    return status_of(process, error, "making an impulse", why);
}

static Status generate_input(const OracleProcess *process, size_t parameter, const GeneratorKey *secret, Message *why)
{
    char kernel[40];
    const OracleArray *array = &process->arrays[parameter];
    const CaseSource *source = &process->testcase.sources[parameter];
    ElementType type = process->problem.parameters[parameter].type;
    const OracleFill fill = {.key = testcase_key(&process->testcase, parameter, secret),
                             .count = array->count,
                             .a = source->a,
                             .b = source->kind == SOURCE_CONSTANT ? 0 : source->b,
                             .file = (const void *)(uintptr_t)array->file,
                             .data = (void *)(uintptr_t)array->address};
    if (source->kind == SOURCE_IMPULSE)
        return generate_impulse(process, source, type, array, why);
    if (KERNELS[source->kind].name == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: the oracle on a device makes only generated data",
                    process->problem.parameters[parameter].name);
    snprintf(kernel, sizeof kernel, "%s_%s", KERNELS[source->kind].name, element_traits[type].name);
    size_t numbers = KERNELS[source->kind].numbers * GENERATOR_LANES; /* of the threads of one group */
    return launch_kernel(process, process->outputs[0].module, kernel, &fill, sizeof fill,
                         blocks_for((array->count + numbers - 1) / numbers * GENERATOR_LANES), why);
}

static CudaError hand_out(const OracleProcess *process, const OracleArray *array)
{
    if (process->exchanged)
        return process->device->exchange->put(process->device, array->offset, array->address, array->bytes);
    return process->device->copies->read(process->device, process->memory + array->offset, array->address, array->bytes,
                                         NULL);
}

/* Launches all kernels before the copies, so that the copies follow one another. */
static Status fill_inputs(OracleProcess *process, const GeneratorKey *secret, Message *why)
{
    Status status = STATUS_OK;
    const Problem *problem = &process->problem;
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++)
        if ((problem->parameters[i].role & ROLE_IN) != 0)
            status = generate_input(process, i, secret, why);
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++) {
        const OracleArray *array = &process->arrays[i];
        if ((problem->parameters[i].role & ROLE_IN) != 0)
            status = status_of(process, hand_out(process, array), "copying inputs", why);
    }
    return status;
}

/* --- the output --------------------------------------------------------------------------------------------------- */

static CudaError take_in(const OracleProcess *process, const OracleArray *array)
{
    if (process->exchanged)
        return process->device->exchange->take(process->device, array->result, array->result_offset, array->bytes);
    return process->device->copies->write(process->device, array->result, process->memory + array->result_offset,
                                          array->bytes, NULL);
}

static Status tally_output(OracleProcess *process, OracleOutput *output, Message *why)
{
    const size_t parameter = problem_output(&output->view);
    const Tolerance *tolerance = &output->view.tolerance;
    const OracleArray *array = &process->arrays[parameter];
    OracleTally tally = {.count = (uint32_t)array->count,
                         .share = tolerance->unit * tolerance->sum_factor,
                         .output = (const void *)(uintptr_t)array->result,
                         .tallies = (Tally *)(uintptr_t)output->tallies,
                         .pass = (void *)(uintptr_t)output->pass};
    for (size_t i = 0; i < PROBLEM_MAX_PARAMETERS; i++) {
        const OracleArray *other = &process->arrays[i];
        tally.inputs[i] = (const void *)(uintptr_t)(other->address != 0 ? other->address : other->result);
        tally.sizes[i] = process->testcase.sizes.values[i];
    }
    for (size_t i = 0; i < TENSOR_MAX_RANK; i++)
        tally.shape[i] = (uint32_t)output->shape[i];
    Status status = STATUS_OK;
    if (output->pass != 0)
        status = launch_kernel(process, output->module, "pass", &tally, sizeof tally, blocks_of_output(array->count),
                               why);
    THEN(status, launch_kernel(process, output->module, "tally", &tally, sizeof tally, output->tally_count, why));
    THEN(status, status_of(process,
                           process->device->copies->read(process->device, output->host_tallies, output->tallies,
                                                         output->tally_count * sizeof *output->host_tallies, NULL),
                           "comparing", why));
    return status;
}

static Status check_output(OracleProcess *process, OracleOutput *output, bool *accepted, Comparison *comparison,
                           Message *why)
{
    const Problem *view = &output->view;
    const size_t parameter = problem_output(view);
    Tally sum = tally_empty();
    TRY(tally_output(process, output, why));
    for (size_t i = 0; i < output->tally_count; i++)
        tally_add(&sum, &output->host_tallies[i]);
    if (sum.unfit > 0)
        return fail(STATUS_SYSTEM, why, "%s/oracle.h: an expected value is not finite", view->folder);
    checker_summarise(&view->tolerance, true, &sum, process->arrays[parameter].count, view->parameters[parameter].rank,
                      output->shape, comparison);
    *accepted = checker_accepts(&view->tolerance, &sum, comparison->count) && !comparison->rms_exceeded;
    return STATUS_OK;
}

/* Copies the outputs before all else: what is checked is what the process has alone. */
static Status take_outputs(OracleProcess *process, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < process->output_count; i++)
        THEN(status, status_of(process,
                               take_in(process, &process->arrays[problem_output(&process->outputs[i].view)]),
                               "copying the output", why));
    process->reply.taken_s = now_s();
    return status;
}

/* The host explains what is wrong with them. */
static Status give_outputs(OracleProcess *process, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < process->output_count && process->exchanged; i++) {
        const OracleArray *array = &process->arrays[problem_output(&process->outputs[i].view)];
        THEN(status, status_of(process,
                               process->device->copies->read(process->device, process->memory + array->result_offset,
                                                             array->result, array->bytes, NULL),
                               "copying the output to the host", why));
    }
    return status;
}

/* The comparison is that of the first output that is refused, or of the first. */
static Status check_outputs(OracleProcess *process, Message *why)
{
    OracleReply *reply = &process->reply;
    Status status = take_outputs(process, why);
    reply->accepted = true;
    for (size_t i = 0; i < process->output_count && status == STATUS_OK && reply->accepted; i++) {
        Comparison comparison;
        status = check_output(process, &process->outputs[i], &reply->accepted, &comparison, why);
        if (status == STATUS_OK && (i == 0 || !reply->accepted))
            reply->comparison = comparison;
    }
    return status != STATUS_OK || reply->accepted ? status : give_outputs(process, why);
}

/* --- serving ------------------------------------------------------------------------------------------------------ */

/* A request out of turn is a mistake of the grader. */
static Status serve_request(OracleProcess *process, const OracleRequest *request, int descriptor, Message *why)
{
    if (request->kind == ORACLE_PROBLEM && process->device == NULL)
        return take_problem(process, request, why);
    if (request->kind == ORACLE_CASE && process->output_count > 0)
        return take_case(process, request, descriptor, why);
    if (request->kind == ORACLE_FILL && process->outputs[0].tallies != 0)
        return fill_inputs(process, &request->secret, why);
    if (request->kind == ORACLE_CHECK && process->outputs[0].tallies != 0)
        return check_outputs(process, why);
    return fail(STATUS_BAD_INPUT, why, "the oracle on %s: request %d out of turn", process->device_name, request->kind);
}

static bool answer_request(OracleProcess *process, const OracleRequest *request, int descriptor)
{
    double start = now_s();
    process->reply = (OracleReply){.status = STATUS_OK};
    process->reply.status = serve_request(process, request, descriptor, &process->reply.why);
    process->reply.seconds = now_s() - start;
    bool sent = control_send(process->control, &process->reply, sizeof process->reply, NULL, 0, &process->exchange,
                             process->exchange >= 0 ? 1 : 0);
    if (process->exchange >= 0)
        close(process->exchange);
    process->exchange = -1;
    return sent;
}

int oracle_main(int argc, char **argv)
{
    static OracleProcess process; /* large: it holds a testcase */
    OracleRequest request = {0};
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    bool going = true;
    if (argc != 3) {
        fprintf(stderr, "oracle: started by the judge itself, with DESCRIPTOR and DEVICE\n");
        return 2;
    }
    process.exchange = -1;
    process.control = atoi(argv[1]);
    process.device_name = argv[2];
    device_use_only(process.device_name);
    while (going && control_receive(process.control, &request, sizeof request, NULL, 0, descriptors)) {
        going = answer_request(&process, &request, descriptors[0]);
        control_close(descriptors);
    }
    for (size_t i = 0; i < process.output_count; i++) {
        process.device->modules->unload(process.device, process.outputs[i].module);
        free(process.outputs[i].host_tallies);
    }
    if (process.device != NULL)
        process.device->close(process.device);
    problem_free(&process.problem);
    return 0;
}

/* ==== device oracle =============================================================================================== */

/* Opening a device and compiling take 2 s; a check takes milliseconds on a GPU. Beside 25 busy processes the simulated GPU took 120 s. */
enum { ANSWER_SECONDS = 600, MAX_POSTED = 16 };

struct DeviceOracle {
    const Problem *problem;
    char device[64];
    pid_t process; /* 0: it has ended */
    int exit_status;
    int control;
    int exchange;                         /* descriptor from the last answer; -1: none */
    OracleRequestKind posted[MAX_POSTED]; /* requests without an answer, oldest first */
    size_t posted_count;
};

/* --- the process -------------------------------------------------------------------------------------------------- */

static void end_process(DeviceOracle *oracle)
{
    if (oracle->process == 0)
        return;
    close(oracle->control);
    process_kill(oracle->process, &oracle->exit_status);
    oracle->process = 0;
    oracle->posted_count = 0;
}

static Status lost(DeviceOracle *oracle, Message *why)
{
    end_process(oracle);
    return fail(STATUS_SYSTEM, why,
                "the oracle on %s, the judge's process that checks outputs, ended unexpectedly (exit status %d)",
                oracle->device, oracle->exit_status);
}

static Status post(DeviceOracle *oracle, const OracleRequest *request, const int *descriptor, Message *why)
{
    if (oracle->process == 0)
        return lost(oracle, why);
    if (oracle->posted_count == MAX_POSTED)
        return fail(STATUS_BAD_INPUT, why, "the oracle on %s: more than %d requests at a time", oracle->device,
                    MAX_POSTED);
    if (!control_send(oracle->control, request, sizeof *request, NULL, 0, descriptor, descriptor == NULL ? 0 : 1))
        return lost(oracle, why);
    oracle->posted[oracle->posted_count++] = request->kind;
    return STATUS_OK;
}

static bool has_answered(const DeviceOracle *oracle)
{
    struct pollfd control = {.fd = oracle->control, .events = POLLIN};
    int ready;
    do
        ready = poll(&control, 1, ANSWER_SECONDS * 1000);
    while (ready < 0 && errno == EINTR);
    return ready != 0;
}

/* Receives the answer to the oldest request. */
static Status await(DeviceOracle *oracle, OracleReply *reply, Message *why)
{
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    if (!has_answered(oracle)) {
        end_process(oracle);
        return fail(STATUS_SYSTEM, why, "the oracle on %s did not answer within %d s", oracle->device, ANSWER_SECONDS);
    }
    if (!control_receive(oracle->control, reply, sizeof *reply, NULL, 0, descriptors))
        return lost(oracle, why);
    oracle->exchange = descriptors[0];
    memmove(oracle->posted, oracle->posted + 1, --oracle->posted_count * sizeof *oracle->posted);
    return reply->status == STATUS_OK ? STATUS_OK : fail(reply->status, why, "%s", reply->why.text);
}

Status device_oracle_start(const Problem *problem, const char *device, int compute, DeviceOracle **oracle, Message *why)
{
    OracleRequest request = {.kind = ORACLE_PROBLEM, .revision = problem->revision, .compute = compute};
    DeviceOracle *started = allocated(calloc(1, sizeof *started));
    started->problem = problem;
    snprintf(started->device, sizeof started->device, "%s", device);
    snprintf(request.problem, sizeof request.problem, "%s", problem->id);
    Status status = control_start("oracle", started->device, &started->process, &started->control, why);
    if (status == STATUS_OK)
        status = post(started, &request, NULL, why);
    else
        started->process = 0;
    if (status == STATUS_OK)
        *oracle = started;
    else
        device_oracle_stop(started);
    return status;
}

void device_oracle_begin_stop(const DeviceOracle *oracle)
{
    if (oracle != NULL && oracle->process != 0)
        process_begin_kill(oracle->process);
}

void device_oracle_stop(DeviceOracle *oracle)
{
    if (oracle == NULL)
        return;
    end_process(oracle);
    free(oracle);
}

pid_t device_oracle_pid(const DeviceOracle *oracle)
{
    return oracle->process;
}

/* --- the case ---------------------------------------------------------------------------------------------------- */

/* False and errno: the memory could not be written. */
static bool written(int memory, const uint8_t *data, size_t bytes, size_t offset)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t step = pwrite(memory, data + done, bytes - done, (off_t)(offset + done));
        if (step < 0 && errno != EINTR)
            return false;
        done += step > 0 ? (size_t)step : 0;
    }
    return true;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

Status device_oracle_wait(DeviceOracle *oracle, OracleAnswer *answer, Message *why)
{
    Status status = oracle->process == 0 ? lost(oracle, why) : STATUS_OK;
    answer->seconds = 0;
    while (oracle->posted_count > 0) {
        OracleReply reply = {0};
        const OracleRequestKind kind = oracle->posted[0];
        Status one = await(oracle, &reply, status == STATUS_OK ? why : NULL);
        status = status == STATUS_OK ? one : status;
        if (one != STATUS_OK)
            continue;
        answer->seconds += reply.seconds;
        if (kind == ORACLE_CHECK) {
            answer->accepted = reply.accepted;
            answer->comparison = reply.comparison;
            answer->taken_s = reply.taken_s;
        }
    }
    return status;
}

Status device_oracle_ready(DeviceOracle *oracle, Message *why)
{
    OracleAnswer ignored;
    return device_oracle_wait(oracle, &ignored, why);
}

/* Puts the values that each call perturbs where the array of the call will lie; the process keeps a copy. */
static Status give_files(const DeviceOracle *oracle, const Testcase *testcase, int memory, const size_t *offsets,
                         Message *why)
{
    for (size_t i = 0; i < oracle->problem->parameter_count; i++) {
        const CaseSource *source = &testcase->sources[i];
        if ((oracle->problem->parameters[i].role & ROLE_IN) == 0 || source->kind != SOURCE_PERTURBED)
            continue;
        const size_t bytes = tensor_count(&source->literal) * element_bytes(source->literal.type);
        if (!written(memory, source->literal.data, bytes, offsets[i]))
            return fail_errno(why, "the oracle's view of a file");
    }
    return STATUS_OK;
}

Status device_oracle_case(DeviceOracle *oracle, const Testcase *testcase, int memory, size_t memory_bytes,
                          const size_t *offsets, int *exchange, Message *why)
{
    OracleRequest request = {
        .kind = ORACLE_CASE, .testcase = *testcase, .memory_bytes = memory_bytes, .through_host = exchange == NULL};
    for (size_t i = 0; i < oracle->problem->parameter_count; i++)
        if (parameter_is_array(&oracle->problem->parameters[i]))
            request.offsets[i] = offsets[i];
    Status status = device_oracle_ready(oracle, why);
    THEN(status, give_files(oracle, testcase, memory, offsets, why));
    THEN(status, post(oracle, &request, &memory, why));
    THEN(status, device_oracle_ready(oracle, why));
    if (exchange != NULL)
        *exchange = status == STATUS_OK ? oracle->exchange : -1;
    return status;
}

Status device_oracle_fill(DeviceOracle *oracle, const GeneratorKey *secret, Message *why)
{
    const OracleRequest request = {.kind = ORACLE_FILL, .secret = *secret};
    return post(oracle, &request, NULL, why);
}

Status device_oracle_check(DeviceOracle *oracle, Message *why)
{
    const OracleRequest request = {.kind = ORACLE_CHECK};
    return post(oracle, &request, NULL, why);
}
