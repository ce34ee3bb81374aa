
#include "base/arena.h"
#include "harness/device/cuda_gate.h"
#include "harness/device/cuda_memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 4096 };

/* A module never gets more managed memory than the device has free. */
static CudaError check_managed(CudaDevice *cuda, const void *image, size_t bytes)
{
    size_t free_bytes = 0, all_bytes;
    uint64_t managed = cuda_managed_bytes(image, bytes);
    if (managed == 0)
        return CUDA_ERROR_SUCCESS;
    CudaError error = cuda_note(cuda, cuda->driver->cuMemGetInfo(&free_bytes, &all_bytes));
    bool fits = managed <= free_bytes && managed <= cuda->memory_limit;
    return error != CUDA_ERROR_SUCCESS || fits ? error : CUDA_ERROR_MEMORY_ALLOCATION;
}

static Status module_load(Device *device, const void *image, size_t bytes, DeviceModule **module, Message *why)
{
    CudaDevice *cuda = cuda_of(device);
    DeviceModule *loaded = zeroed(1, sizeof *loaded);
    CudaError error = cuda_release(cuda);
    THEN(error, check_managed(cuda, image, bytes));
    THEN(error, cuda_note(cuda, cuda->driver->cuModuleLoadData(&loaded->raw, image)));
    if (error != CUDA_ERROR_SUCCESS) {
        free(loaded);
        return fail(error == CUDA_ERROR_MEMORY_ALLOCATION ? STATUS_BAD_INPUT : STATUS_UNSUPPORTED, why,
                    "the driver cannot load the GPU code: %s", cuda_error_text(error));
    }
    loaded->cuda = cuda;
    loaded->next = cuda->modules;
    cuda->modules = loaded;
    *module = loaded;
    return STATUS_OK;
}

static void free_function(DeviceFunction *function)
{
    free(function->name);
    free(function->offsets);
    free(function->sizes);
    free(function);
}

static void free_module(DeviceModule *module)
{
    while (module->functions != NULL) {
        DeviceFunction *next = module->functions->next;
        free_function(module->functions);
        module->functions = next;
    }
    while (module->variables != NULL) {
        CudaVariable *next = module->variables->next;
        free(module->variables->name);
        free(module->variables);
        module->variables = next;
    }
    free(module);
}

void cuda_modules_free(CudaDevice *cuda)
{
    while (cuda->modules != NULL) {
        DeviceModule *next = cuda->modules->next;
        free_module(cuda->modules);
        cuda->modules = next;
    }
}

static void module_unload(Device *device, DeviceModule *module)
{
    CudaDevice *cuda = cuda_of(device);
    DeviceModule **link = &cuda->modules;
    while (*link != module)
        link = &(*link)->next;
    *link = module->next;
    if (cuda_wait_all(cuda) == CUDA_ERROR_SUCCESS)
        cuda_note(cuda, cuda->driver->cuModuleUnload(module->raw));
    free_module(module);
}

static bool read_parameters(DeviceFunction *function)
{
    size_t offset, bytes;
    function->offsets = calloc(MOST_PARAMETERS, sizeof *function->offsets);
    function->sizes = calloc(MOST_PARAMETERS, sizeof *function->sizes);
    if (function->offsets == NULL || function->sizes == NULL)
        return false;
    while (function->parameter_count < MOST_PARAMETERS &&
           function->driver->cuFuncGetParamInfo(function->raw, function->parameter_count, &offset, &bytes) ==
               CUDA_ERROR_SUCCESS) {
        function->offsets[function->parameter_count] = (uint32_t)offset;
        function->sizes[function->parameter_count++] = (uint32_t)bytes;
        function->parameter_bytes = (uint32_t)(offset + bytes);
    }
    return true;
}

static DeviceFunction *function_new(DeviceModule *module, const char *name)
{
    DeviceFunction *function = calloc(1, sizeof *function);
    if (function == NULL)
        return NULL;
    function->driver = module->cuda->driver;
    function->name = strdup(name);
    if (function->name == NULL ||
        module->cuda->driver->cuModuleGetFunction(&function->raw, module->raw, name) != CUDA_ERROR_SUCCESS ||
        !read_parameters(function)) {
        free_function(function);
        return NULL;
    }
    function->next = module->functions;
    module->functions = function;
    return function;
}

static DeviceFunction *module_function(DeviceModule *module, const char *name)
{
    for (DeviceFunction *known = module->functions; known != NULL; known = known->next)
        if (strcmp(known->name, name) == 0)
            return known;
    return cuda_release(module->cuda) == CUDA_ERROR_SUCCESS ? function_new(module, name) : NULL;
}

static bool module_variable(DeviceModule *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    CuAddress found;
    size_t size;
    for (const CudaVariable *known = module->variables; known != NULL; known = known->next)
        if (strcmp(known->name, name) == 0) {
            *address = known->address;
            *bytes = known->bytes;
            return true;
        }
    if (cuda_release(module->cuda) != CUDA_ERROR_SUCCESS ||
        module->cuda->driver->cuModuleGetGlobal(&found, &size, module->raw, name) != CUDA_ERROR_SUCCESS)
        return false;
    CudaVariable *variable = malloc(sizeof *variable);
    char *copy = strdup(name);
    if (variable == NULL || copy == NULL) {
        free(variable);
        free(copy);
        return false;
    }
    *variable = (CudaVariable){.name = copy, .address = found, .bytes = size, .next = module->variables};
    module->variables = variable;
    *address = found;
    *bytes = size;
    return true;
}

const DeviceModuleOps CUDA_MODULE_OPS = {
    .load = module_load,
    .unload = module_unload,
    .function = module_function,
    .variable = module_variable,
};

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static uint32_t attribute(const DeviceFunction *function, int which)
{
    int value = 0;
    return function->driver->cuFuncGetAttribute(&value, which, function->raw) == CUDA_ERROR_SUCCESS && value > 0
               ? (uint32_t)value
               : 0;
}

static void kernel_info(DeviceFunction *function, DeviceFunctionInfo *info)
{
    *info = (DeviceFunctionInfo){
        .parameter_count = function->parameter_count,
        .parameter_bytes = function->parameter_bytes,
        .parameter_offsets = function->offsets,
        .parameter_sizes = function->sizes,
        .registers = attribute(function, CU_FUNCTION_NUM_REGS),
        .static_shared_bytes = attribute(function, CU_FUNCTION_SHARED_SIZE_BYTES),
        .local_bytes = attribute(function, CU_FUNCTION_LOCAL_SIZE_BYTES),
        .constant_bytes = attribute(function, CU_FUNCTION_CONST_SIZE_BYTES),
        .max_threads_per_block = attribute(function, CU_FUNCTION_MAX_THREADS_PER_BLOCK),
        .max_dynamic_shared_bytes = attribute(function, CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES),
        .ptx_version = (int)attribute(function, CU_FUNCTION_PTX_VERSION),
        .binary_version = (int)attribute(function, CU_FUNCTION_BINARY_VERSION),
    };
}

static CudaError set_dynamic_shared(DeviceFunction *function, uint32_t bytes)
{
    if (bytes > INT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    return function->driver->cuFuncSetAttribute(function->raw, CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
}

static CudaError set_stack(Device *device, uint32_t bytes)
{
    return cuda_of(device)->driver->cuCtxSetLimit(CU_LIMIT_STACK, bytes);
}

static CudaError set_heap(Device *device, uint32_t bytes)
{
    return cuda_of(device)->driver->cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP, bytes);
}

static uint32_t kernel_occupancy(Device *device, DeviceFunction *function, uint32_t threads,
                                 uint32_t dynamic_shared_bytes)
{
    int blocks = 0;
    if (threads > INT32_MAX || cuda_of(device)->driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(
                                   &blocks, function->raw, (int)threads, dynamic_shared_bytes) != CUDA_ERROR_SUCCESS)
        return 0;
    return (uint32_t)blocks;
}

static void remember_kernel(CudaDevice *cuda, const char *name)
{
    for (unsigned i = 0; i < cuda->last_kernel_count; i++)
        if (cuda->last_kernels[i] == name)
            return;
    if (cuda->last_kernel_count < CUDA_LAST_KERNELS)
        cuda->last_kernels[cuda->last_kernel_count++] = name;
}

/* Only a launch that asks for clusters needs the newer call. */
static CudaError launch_shape(CudaDevice *cuda, const DeviceLaunch *launch, CuStream stream, void **extra)
{
    const LaunchShape *shape = &launch->shape;
    if (shape->cluster[0] == 0)
        return cuda->driver->cuLaunchKernel(launch->function->raw, shape->grid[0], shape->grid[1], shape->grid[2],
                                            shape->block[0], shape->block[1], shape->block[2],
                                            shape->dynamic_shared_bytes, stream, NULL, extra);
    CuLaunchAttribute cluster = {.id = CU_LAUNCH_CLUSTER};
    CuLaunchConfig config = {
        .shared_bytes = shape->dynamic_shared_bytes, .stream = stream, .attributes = &cluster, .attribute_count = 1};
    memcpy(cluster.cluster, shape->cluster, sizeof cluster.cluster);
    memcpy(config.grid, shape->grid, sizeof config.grid);
    memcpy(config.block, shape->block, sizeof config.block);
    return cuda->driver->cuLaunchKernelEx(&config, launch->function->raw, NULL, extra);
}

/* The driver takes the parameters of a cooperative launch one by one. */
static CudaError launch_together(const CudaDriver *driver, const DeviceLaunch *launch, CuStream stream)
{
    const DeviceFunction *function = launch->function;
    const LaunchShape *shape = &launch->shape;
    void *parameters[MOST_PARAMETERS];
    for (uint32_t i = 0; i < function->parameter_count; i++)
        parameters[i] = (uint8_t *)(uintptr_t)launch->parameters + function->offsets[i];
    return driver->cuLaunchCooperativeKernel(function->raw, shape->grid[0], shape->grid[1], shape->grid[2],
                                             shape->block[0], shape->block[1], shape->block[2],
                                             shape->dynamic_shared_bytes, stream, parameters);
}

static CudaError launch_alone(CudaDevice *cuda, const DeviceLaunch *launch, CuStream stream)
{
    size_t bytes = launch->parameter_bytes;
    void *extra[] = {CU_LAUNCH_PARAMETER_BUFFER, (void *)(uintptr_t)launch->parameters, CU_LAUNCH_PARAMETER_BYTES,
                     &bytes, CU_LAUNCH_PARAMETER_END};
    return launch_shape(cuda, launch, stream, bytes == 0 ? NULL : extra);
}

static CudaError launch_kernel(Device *device, const DeviceLaunch *launch)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    if (launch->parameter_bytes != launch->function->parameter_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    TRY(cuda_enter(cuda, launch->stream, &raw));
    CudaError error = launch->is_cooperative ? launch_together(cuda->driver, launch, raw)
                                             : launch_alone(cuda, launch, raw);
    if (error == CUDA_ERROR_SUCCESS) {
        cuda->statistics.kernels++;
        cuda->host_origin.kernels++;
        remember_kernel(cuda, launch->function->name);
    }
    return cuda_note(cuda, error);
}

const DeviceKernelOps CUDA_KERNEL_OPS = {
    .info = kernel_info,
    .set_dynamic_shared = set_dynamic_shared,
    .set_stack = set_stack,
    .set_heap = set_heap,
    .occupancy = kernel_occupancy,
    .launch = launch_kernel,
};
