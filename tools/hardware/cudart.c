/* The part of the CUDA runtime that solutions and driver.cu use, over the simulated GPU in the same process. Prints one
 * line of CSV for each launch and each copy: what Nsight Compute would count, and the modelled time.
 *
 * CONVJUDGE_PROFILE names the profile, h200 unless given, in the folder CONVJUDGE_PROFILES. It has no clock: driver.cu does not time with it. With
 * CONVJUDGE_REPLAY no kernel runs (counts.h). CONVJUDGE_LIBRARIES names a folder for translations of kernels into
 * machine code of the host; without it they are interpreted. CONVJUDGE_SAMPLE: launches that would execute
 * more lane-instructions run a sample of their blocks.  */
#include "harness/runtime/cuda_api.h"
#include "simgpu/simgpu.h"
#include "tools/hardware/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAN (16ull << 30)

typedef struct Symbol { /* a kernel or a variable */
    const void *host;
    const char *name;
    SimModule *module;
    struct Symbol *next;
} Symbol;

static SimGpu *gpu;
static Symbol *symbols;
static struct {
    dim3 grid, block;
    size_t shared_bytes;
} pushed;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "cudart: %s: %s\n", what, why);
    exit(1);
}

static SimGpu *the_gpu(void)
{
    HardwareProfile profile;
    Message why;
    const char *name = getenv("CONVJUDGE_PROFILE"), *folder = getenv("CONVJUDGE_PROFILES"),
               *libraries = getenv("CONVJUDGE_LIBRARIES");
    if (gpu != NULL)
        return gpu;
    if (hardware_profile_read(folder != NULL ? folder : "simgpu/profiles", name != NULL ? name : "h200", &profile,
                              &why) != STATUS_OK ||
        simgpu_new(&profile, 0, SPAN, 0, &gpu, &why) != STATUS_OK)
        die("the simulated GPU", why.text);
    if (libraries != NULL)
        simgpu_set_translator(gpu, "/usr/bin/gcc", libraries, SIM_TRANSLATE_WHERE_IT_PAYS);
    return gpu;
}

/* ---- registration ------------------------------------------------------------------------------------------------ */

void **__cudaRegisterFatBinary(void *wrapper)
{
    const struct {
        uint32_t magic, version;
        const void *data;
    } *outer = wrapper;
    const struct {
        uint32_t magic;
        uint16_t version, header_bytes;
        uint64_t payload_bytes;
    } *fatbin = outer->data;
    SimModule *module;
    Message why;
    if (simgpu_module_load(the_gpu(), fatbin, fatbin->header_bytes + fatbin->payload_bytes, &module, &why) != STATUS_OK)
        die("a module", why.text);
    return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
}

void __cudaUnregisterFatBinary(void **handle)
{
}

char __cudaInitModule(void **handle)
{
    return 1;
}

static void add_symbol(void **handle, const void *host, const char *name)
{
    Symbol *symbol = malloc(sizeof *symbol);
    if (symbol == NULL)
        die(name, "out of memory");
    *symbol = (Symbol){.host = host, .name = name, .module = (SimModule *)handle, .next = symbols};
    symbols = symbol;
}

void __cudaRegisterFunction(void **handle, const char *host_function, char *device_function, const char *device_name,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size)
{
    add_symbol(handle, host_function, device_name);
}

void __cudaRegisterVar(void **handle, char *host_variable, char *device_address, const char *device_name, int external,
                       size_t size, int constant, int global)
{
    add_symbol(handle, host_variable, device_name);
}

static const Symbol *find_symbol(const void *host)
{
    for (const Symbol *symbol = symbols; symbol != NULL; symbol = symbol->next)
        if (symbol->host == host || symbol == host)
            return symbol;
    die("a kernel or a variable", "not registered");
    return NULL;
}

static SimFunction *function_of(const void *host)
{
    const Symbol *symbol = find_symbol(host);
    SimFunction *function = simgpu_function(symbol->module, symbol->name);
    if (function == NULL)
        die(symbol->name, "no such kernel in its module");
    return function;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void print_header(void)
{
    static bool printed;
    if (!printed) {
        fputs("kernel,blocks,threads,modelled_us,limiter,occupancy,registers", stdout);
#define COUNTER(NAME, UNIT) fputs("," #NAME, stdout);
#include "simgpu/cost/counters.def"
        puts(",machine_instructions,parts_us");
    }
    printed = true;
}

/* Once the host has waited for the device, the device waits for the host. */
static bool has_waited;

static void print_wait(void)
{
    print_header();
    if (has_waited)
        printf("wait,,,%.4f\n", simgpu_profile(the_gpu())->host_wait_s * 1e6);
    has_waited = false;
}

/* The parts of the modelled time that count: "lsu=12.3 dram=9.8". */
static void print_parts(const Cost *cost)
{
    const char *gap = "";
    for (int i = 0; i < cost->part_count; i++)
        if (cost->parts[i].seconds > 0.05 * cost->seconds) {
            printf("%s%s=%.2f", gap, cost->parts[i].name, cost->parts[i].seconds * 1e6);
            gap = " ";
        }
}

static void print_launch(const SimFunctionInfo *info, const SimLaunch *launch, const SimReport *report)
{
    const SimCounters *c = &report->counters;
    print_wait();
    printf("%s,%llu,%u,%.4f,%s,%.4f,%u", info->name,
           (unsigned long long)launch->shape.grid[0] * launch->shape.grid[1] * launch->shape.grid[2],
           launch->shape.block[0] * launch->shape.block[1] * launch->shape.block[2], report->modelled_s * 1e6,
           report->limiter, report->occupancy, info->registers);
#define COUNTER(NAME, UNIT) printf(",%llu", (unsigned long long)c->NAME);
#include "simgpu/cost/counters.def"
    printf(",%.0f,", report->machine.issue * (double)c->warp_instructions);
    print_parts(counts_last_cost());
    putchar('\n');
    fflush(stdout);
}

static void print_copy(uint64_t bytes, bool across_bus)
{
    print_wait();
    printf("copy,,,%.4f\n", simgpu_copy_seconds(the_gpu(), bytes, across_bus) * 1e6);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, struct CUstream_st *stream)
{
    pushed.grid = grid;
    pushed.block = block;
    pushed.shared_bytes = shared_bytes;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    *grid = pushed.grid;
    *block = pushed.block;
    *shared_bytes = pushed.shared_bytes;
    *(void **)stream = NULL;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host_function)
{
    *kernel = (cudaKernel_t)find_symbol(host_function);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream)
{
    SimFunctionInfo info;
    SimReport report;
    static uint8_t parameters[32768];
    static const Chacha20Key key = {{0}};
    const char *most = getenv("CONVJUDGE_SAMPLE");
    SimLaunch launch = {.function = function_of(kernel),
                        .sample_key = &key,
                        .sample_lane_instructions = most != NULL ? strtoull(most, NULL, 10) : 0,
                        .shape.grid = {grid.x, grid.y, grid.z},
                        .shape.block = {block.x, block.y, block.z},
                        .shape.dynamic_shared_bytes = (uint32_t)shared_bytes,
                        .parameters = parameters};
    simgpu_function_info(launch.function, &info);
    for (uint32_t i = 0; i < info.parameter_count; i++)
        memcpy(parameters + info.parameter_offsets[i], arguments[i], info.parameter_sizes[i]);
    if (counts_are_replayed())
        counts_replay(simgpu_profile(the_gpu()), launch.function, &launch.shape, &report);
    else
        simgpu_launch(the_gpu(), &launch, &report);
    if (report.outcome != SIM_OK)
        die(info.name, report.fault.text);
    print_launch(&info, &launch, &report);
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                               cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    bool is_limit = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize;
    bool refused = is_limit && !simgpu_function_set_dynamic_shared(function_of(kernel), (uint32_t)value);
    return refused ? cudaErrorInvalidValue : cudaSuccess;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool is_on_device(const void *address)
{
    SimAllocation found;
    return simgpu_find(the_gpu(), (uint64_t)address, 1, &found);
}

cudaError_t cudaMalloc(void **address, size_t bytes)
{
    *address = (void *)simgpu_alloc(the_gpu(), bytes);
    return *address == NULL ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaFree(void *address)
{
    return address == NULL || simgpu_release(the_gpu(), (uint64_t)address) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    if (!counts_are_replayed())
        memmove(to, from, bytes);
    print_copy(bytes, !is_on_device(to) || !is_on_device(from));
    has_waited = !is_on_device(to);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    for (size_t row = 0; row < height && !counts_are_replayed(); row++)
        memmove((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
    print_copy(width * height, !is_on_device(to) || !is_on_device(from));
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaGetSymbolAddress(void **address, const void *host)
{
    const Symbol *symbol = find_symbol(host);
    uint64_t at, bytes;
    if (!simgpu_variable(symbol->module, symbol->name, &at, &bytes))
        die(symbol->name, "no such variable in its module");
    *address = (void *)at;
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *host, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    void *address;
    cudaGetSymbolAddress(&address, host);
    return cudaMemcpy((char *)address + offset, from, bytes, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *host, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpyToSymbol(host, from, bytes, offset, kind);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    if (!counts_are_replayed())
        memset(to, value, bytes);
    print_copy(bytes, false);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return cudaMemset(to, value, bytes);
}

/* ---- what needs little doing where everything is done at once ----------------------------------------------------- */

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    has_waited = true;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = NULL;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "the simulated GPU refused";
}

/* ---- there is no clock ------------------------------------------------------------------------------------------- */

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaErrorNotSupported;
}

/* The driver's, at the end of a call: where the host has waited, it comes late with that, too. */
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    print_wait();
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    return cudaErrorNotSupported;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    return cudaErrorNotSupported;
}
