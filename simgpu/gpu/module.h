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

/* Loads a fatbin (its PTX must be stored plain: nvcc --no-compress) or PTX text. Names of source files and lines come
 * from .file and .loc. A kernel with an instruction that is not implemented still loads; launching it is refused by
 * name and line. Module variables (.global and .const) are placed and initialised here. */
MUST_USE Status simgpu_module_load(SimGpu *gpu, const void *image, size_t bytes, SimModule **module, Message *why);
void simgpu_module_unload(SimGpu *gpu, SimModule *module);

/* By mangled name; NULL where there is none. */
SimFunction *simgpu_function(SimModule *module, const char *name);
/* A .global or .const variable by name. Both lie in [base, base + span), and simgpu_find() knows them, so that a host copy
 * to a symbol is a plain copy to this address. */
bool simgpu_variable(SimModule *module, const char *name, uint64_t *address, uint64_t *bytes);
/* The .const variables one by one, numbered from 0 in any order; false where there are no more. */
bool simgpu_constant(const SimModule *module, uint32_t number, uint64_t *address, uint64_t *bytes);

void simgpu_function_info(const SimFunction *function, SimFunctionInfo *info);
/* Raises the dynamic shared memory limit of a function, as cudaFuncSetAttribute does; false beyond the opt-in limit. */
bool simgpu_function_set_dynamic_shared(SimFunction *function, uint32_t bytes);

#endif
