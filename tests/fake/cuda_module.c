#include "tests/fake/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Variable {
    char name[64];
    void *memory;
    size_t bytes;
} Variable;

enum { MAX_SYMBOLS = 16 };
struct CUmod_st {
    CuModule next;
    struct CUfunc_st functions[MAX_SYMBOLS];
    Variable variables[MAX_SYMBOLS];
    size_t function_count, variable_count;
};

static CuModule loaded;
static bool add_symbol(CuModule module, const char *kind, const char *name, size_t number)
{
    if (strcmp(kind, "kernel") == 0 && module->function_count < MAX_SYMBOLS) {
        CuFunction function = &module->functions[module->function_count++];
        *function = (struct CUfunc_st){.parameter_bytes = number, .dynamic_shared_bytes = SHARED_BYTES};
        snprintf(function->name, sizeof function->name, "%s", name);
        return true;
    }
    if (strcmp(kind, "variable") != 0 || module->variable_count == MAX_SYMBOLS)
        return false;
    Variable *variable = &module->variables[module->variable_count++];
    *variable = (Variable){.memory = calloc(1, number + 1), .bytes = number};
    snprintf(variable->name, sizeof variable->name, "%s", name);
    add_region((uint64_t)variable->memory, number, DEVICE_MEMORY);
    return true;
}

static CudaError read_module(CuModule module, const char *text)
{
    char kind[16], name[64];
    size_t number;
    int length, error;
    if (sscanf(text, ".version %*s .target %*s .address_size %*d .visible .entry %63[a-z]", name) == 1)
        return add_symbol(module, "kernel", name, 0) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_KERNEL_IMAGE;
    while (*text != '\0') {
        if (sscanf(text, "error %d", &error) == 1)
            return error;
        if (sscanf(text, "%15s %63s %zu%n", kind, name, &number, &length) != 3 || text[length] != '\n' ||
            !add_symbol(module, kind, name, number))
            return CUDA_ERROR_INVALID_KERNEL_IMAGE;
        text += length + 1;
    }
    return CUDA_ERROR_SUCCESS;
}

static void free_module(CuModule module)
{
    CuModule *link = &loaded;
    while (*link != module)
        link = &(*link)->next;
    *link = module->next;
    for (size_t i = 0; i < module->variable_count; i++) {
        remove_region((uint64_t)module->variables[i].memory);
        free(module->variables[i].memory);
    }
    free(module);
}

CudaError cuModuleLoadData(CuModule *module, const void *image)
{
    ENTER("cuModuleLoadData");
    CudaError error = wait_until_idle();
    if (error != CUDA_ERROR_SUCCESS)
        return leave(error);
    *module = calloc(1, sizeof **module);
    if (*module == NULL)
        abort();
    (*module)->next = loaded;
    loaded = *module;
    error = read_module(*module, image);
    if (error != CUDA_ERROR_SUCCESS)
        free_module(*module);
    return leave(error);
}

CudaError cuModuleUnload(CuModule module)
{
    ENTER("cuModuleUnload");
    CudaError error = wait_until_idle();
    free_module(module);
    return leave(error);
}

CudaError cuModuleGetFunction(CuFunction *function, CuModule module, const char *name)
{
    ENTER("cuModuleGetFunction %s", name);
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0) {
            *function = &module->functions[i];
            return leave(CUDA_ERROR_SUCCESS);
        }
    return leave(CUDA_ERROR_SYMBOL_NOT_FOUND);
}

CudaError cuModuleGetGlobal(CuAddress *address, size_t *bytes, CuModule module, const char *name)
{
    ENTER("cuModuleGetGlobal %s", name);
    for (size_t i = 0; i < module->variable_count; i++)
        if (strcmp(module->variables[i].name, name) == 0) {
            *address = (uint64_t)module->variables[i].memory;
            *bytes = module->variables[i].bytes;
            return leave(CUDA_ERROR_SUCCESS);
        }
    return leave(CUDA_ERROR_SYMBOL_NOT_FOUND);
}

CudaError cuFuncGetAttribute(int *value, int attribute, CuFunction function)
{
    ENTER("cuFuncGetAttribute %d", attribute);
    switch (attribute) {
    case CU_FUNCTION_MAX_THREADS_PER_BLOCK: *value = MAX_THREADS; break;
    case CU_FUNCTION_SHARED_SIZE_BYTES:
    case CU_FUNCTION_CONST_SIZE_BYTES:
    case CU_FUNCTION_LOCAL_SIZE_BYTES: *value = 0; break;
    case CU_FUNCTION_NUM_REGS: *value = 32; break;
    case CU_FUNCTION_PTX_VERSION:
    case CU_FUNCTION_BINARY_VERSION: *value = 90; break;
    case CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = function->dynamic_shared_bytes; break;
    default: return leave(CUDA_ERROR_INVALID_VALUE);
    }
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuFuncSetAttribute(CuFunction function, int attribute, int value)
{
    ENTER("cuFuncSetAttribute %d", attribute);
    if (attribute != CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > SHARED_BYTES_OPTIN)
        return leave(CUDA_ERROR_INVALID_VALUE);
    function->dynamic_shared_bytes = value;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuFuncGetParamInfo(CuFunction function, size_t index, size_t *offset, size_t *bytes)
{
    ENTER("cuFuncGetParamInfo %zu", index);
    if (index > SIZE_MAX / 8 || index * 8 >= function->parameter_bytes)
        return leave(CUDA_ERROR_INVALID_VALUE);
    size_t left = function->parameter_bytes - index * 8;
    *offset = index * 8;
    if (bytes != NULL)
        *bytes = left < 8 ? left : 8;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CuFunction function, int threads,
                                                      size_t dynamic_shared_bytes)
{
    ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor %d", threads);
    if (threads <= 0 || threads > MAX_THREADS)
        return leave(CUDA_ERROR_INVALID_VALUE);
    int by_threads = 2048 / ((threads + 31) / 32 * 32);
    *blocks = by_threads < 32 ? by_threads : 32;
    return leave(CUDA_ERROR_SUCCESS);
}
