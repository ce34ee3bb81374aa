/* jit.h - the translator of the simulated GPU: it turns kernels into C, which gcc compiles to machine code of the host.
 *
 * jit.c    decides when a kernel is translated and compiled
 * translate/           from Code to C
 * jit.c              from C to a loaded library
 * jit.c              lets a translation run a group of lanes
 * jit.c   moves registers there and back
 * jit.c              checks accesses to memory, and computes their cost
 * jit_state.c          what a worker keeps for all that
 *
 * `make JIT=` builds without it.  */
#ifndef SIMGPU_JIT_JIT_H
#define SIMGPU_JIT_JIT_H

#include "simgpu/engine/interpreter.h"

extern const Translator jit_translator;

#endif
