/* compile_modules.h - whether an object holds no GPU code but the device step's module, and a digest that tells whether
 * two objects compile to the same code.  */
#ifndef HARNESS_COMPILE_COMPILE_MODULES_H
#define HARNESS_COMPILE_COMPILE_MODULES_H

#include "harness/compile/compiled.h"

/* Whether the shared object's section .nv_fatbin, if it has one, holds the device step's fatbin and nothing else. Host
 * assembly can fill that section. */
bool module_is_alone(const Text *module, const Text *object);

/* Of everything that runs, on device and host: code, data, relocations, and what is done before solve(). Equal for sources
 * that differ only in their files' names, comments and lines. */
Digest machine_code_digest(const CompileModule *modules, size_t count, int compute, const Text *host_object);

#endif
