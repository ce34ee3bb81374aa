/* module.h - modules: the kernels and variables of a fatbin or of PTX text.  */
#ifndef SIMGPU_GPU_MODULE_H
#define SIMGPU_GPU_MODULE_H

#include "base/status.h"
#include "simgpu/code/function.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SimGpu SimGpu;
typedef struct SimModule SimModule;
typedef struct SimFunction SimFunction;

/* Loads PTX text, or a fatbin that holds uncompressed PTX (nvcc --no-compress). Source files and lines come from .file
 * and .loc. A kernel with an instruction that is not implemented loads; its launch is refused, with the name and line
 * of the instruction. Module variables (.global and .const) are allocated and initialised. */
MUST_USE Status simgpu_module_load(SimGpu *gpu, const void *image, size_t bytes, SimModule **module, Message *why);
void simgpu_module_unload(SimGpu *gpu, SimModule *module);

/* The kernel with that mangled name; NULL where there is none. */
SimFunction *simgpu_function(SimModule *module, const char *name);
/* A .global or .const variable by name; false where there is none. Its bytes lie in device memory, and simgpu_find()
 * knows them, so that cudaMemcpyToSymbol() is a plain copy to this address. */
bool simgpu_variable(SimModule *module, const char *name, uint64_t *address, uint64_t *bytes);
/* The .const variables, numbered from 0 in any order; false where there are no more. */
bool simgpu_constant(const SimModule *module, uint32_t number, uint64_t *address, uint64_t *bytes);

void simgpu_function_info(const SimFunction *function, SimFunctionInfo *info);
/* Sets the limit of dynamic shared memory of a function, as cudaFuncSetAttribute() does; false beyond the opt-in
 * limit. */
bool simgpu_function_set_dynamic_shared(SimFunction *function, uint32_t bytes);

#endif
