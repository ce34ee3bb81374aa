/* jit.h - the translator of the simulated GPU: it turns kernels into C, which gcc compiles to machine code of the host.
 *
 * translate.c   turns Code into C
 * jit.c         decides when a kernel is translated; builds and loads the library; proves accesses to memory and computes
 *               their cost; moves registers there and back, lets the translation run a group of lanes, and keeps what a worker needs for all that
 *
 * `make JIT=` builds without it.  */
#ifndef SIMGPU_JIT_JIT_H
#define SIMGPU_JIT_JIT_H

#include "simgpu/engine/interpreter.h"

extern const Translator jit_translator;

#endif
