#include "tests/fake/cuda.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

static bool run_store(Operation *operation)
{
    uint64_t to;
    uint32_t value;
    memcpy(&to, operation->staged, sizeof to);
    memcpy(&value, operation->staged + sizeof to, sizeof value);
    if (is_reachable(to, sizeof value))
        memcpy(at(to), &value, sizeof value);
    else
        fake.error = CUDA_ERROR_ILLEGAL_ADDRESS;
    return true;
}

static bool run_spin(Operation *operation)
{
    uint32_t duration_us;
    memcpy(&duration_us, operation->staged, sizeof duration_us);
    if (operation->ends_s == 0)
        operation->ends_s = now_s() + duration_us * 1e-6;
    return now_s() >= operation->ends_s;
}

bool run_hide(Operation *operation)
{
    return run_spin(operation);
}

static bool run_hang(Operation *operation)
{
    return false;
}

static bool run_fault(Operation *operation)
{
    fake.error = CUDA_ERROR_ILLEGAL_ADDRESS;
    return true;
}

static bool run_print(Operation *operation)
{
    fake.printed++;
    return true;
}

static bool run_nothing(Operation *operation)
{
    return true;
}

/* The judge's own empty kernel, which takes as long as the host needs for a launch. */
static bool run_empty(Operation *operation)
{
    const char *launch_us = getenv("CONVJUDGE_FAKE_CUDA_LAUNCH_US");
    if (operation->ends_s == 0)
        operation->ends_s = now_s() + (launch_us == NULL ? 0 : 1e-6 * atof(launch_us));
    return now_s() >= operation->ends_s;
}

static const struct {
    const char *name;
    bool (*run)(Operation *operation);
    size_t parameter_bytes;
} KERNELS[] = {{"store", run_store, 12}, {"spin", run_spin, 4},   {"hide", run_hide, 4},  {"hang", run_hang, 0},
               {"fault", run_fault, 0},  {"empty", run_empty, 0}, {"print", run_print, 0}};

static Operation kernel_operation(CuFunction function)
{
    Operation operation = {.call = "cuLaunchKernel", .run = run_nothing};
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS; i++)
        if (strcmp(function->name, KERNELS[i].name) == 0 && function->parameter_bytes >= KERNELS[i].parameter_bytes)
            operation.run = KERNELS[i].run;
    return operation;
}

/* The parameters of a launch in the form that the judge uses; NULL if their size is not the kernel's. */
static const void *packed_parameters(CuFunction function, void **extra)
{
    const void *packed = "";
    size_t bytes = 0;
    for (; extra != NULL && *extra != CU_LAUNCH_PARAMETER_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAMETER_BUFFER)
            packed = extra[1];
        else if (extra[0] == CU_LAUNCH_PARAMETER_BYTES)
            bytes = *(size_t *)extra[1];
    }
    return bytes == function->parameter_bytes ? packed : NULL;
}

CudaError cuLaunchKernel(CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared_bytes, CuStream stream, void **parameters,
                         void **extra)
{
    ENTER("cuLaunchKernel %s stream=%d", function->name, number_of(stream));
    uint64_t threads = (uint64_t)block_x * block_y * block_z;
    const void *packed = packed_parameters(function, extra);
    if (grid_x == 0 || grid_y == 0 || grid_z == 0 || threads == 0 || threads > MAX_THREADS ||
        shared_bytes > (unsigned)function->dynamic_shared_bytes || packed == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    Operation operation = kernel_operation(function);
    return leave(append(stream, &operation, packed, function->parameter_bytes));
}

/* A cluster must divide the grid. */
CudaError cuLaunchKernelEx(const CuLaunchConfig *config, CuFunction function, void **parameters, void **extra)
{
    for (unsigned i = 0; i < config->attribute_count; i++)
        for (int j = 0; j < 3 && config->attributes[i].id == CU_LAUNCH_CLUSTER; j++)
            if (config->attributes[i].cluster[j] == 0 || config->grid[j] % config->attributes[i].cluster[j] != 0)
                return CUDA_ERROR_INVALID_VALUE;
    return cuLaunchKernel(function, config->grid[0], config->grid[1], config->grid[2], config->block[0],
                          config->block[1], config->block[2], config->shared_bytes, config->stream, parameters, extra);
}

CudaError cuLaunchCooperativeKernel(CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                    CuStream stream, void **parameters)
{
    ENTER("cuLaunchCooperativeKernel %s stream=%d", function->name, number_of(stream));
    uint64_t threads = (uint64_t)block_x * block_y * block_z;
    if (grid_x == 0 || grid_y == 0 || grid_z == 0 || threads == 0 || threads > MAX_THREADS ||
        shared_bytes > (unsigned)function->dynamic_shared_bytes ||
        (function->parameter_bytes > 0 && parameters == NULL))
        return leave(CUDA_ERROR_INVALID_VALUE);
    Operation operation = kernel_operation(function);
    return leave(
        append(stream, &operation, function->parameter_bytes > 0 ? parameters[0] : "", function->parameter_bytes));
}
