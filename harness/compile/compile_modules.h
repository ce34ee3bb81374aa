/* compile_modules.h - the device code in a compiled object, and a digest that tells whether two objects compile to
 * the same code.  */
#ifndef HARNESS_COMPILE_COMPILE_MODULES_H
#define HARNESS_COMPILE_COMPILE_MODULES_H

#include "base/status.h"
#include "harness/compile/compiled.h"

/* The fatbins in the .nv_fatbin section of a shared object, copied into the arena. */
MUST_USE Status modules_read(const char *object_path, Arena *arena, CompileModule **modules, size_t *count,
                             Message *why);

/* Equal for submissions that compile to the same code, whatever their names, comments and lines. */
Digest machine_code_digest(const CompileModule *modules, size_t count, int compute, const Text *host_object);

#endif
