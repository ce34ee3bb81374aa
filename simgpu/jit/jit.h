/* jit.h - the translator that gives kernels to gcc as C (translate.h).  */
#ifndef SIMGPU_JIT_JIT_H
#define SIMGPU_JIT_JIT_H

#include "simgpu/engine/translator.h"

extern const Translator jit_translator;

#endif
