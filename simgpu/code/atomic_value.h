/* atomic_value.h - what an atomic operation makes of a word.  */
#ifndef SIMGPU_CODE_ATOMIC_VALUE_H
#define SIMGPU_CODE_ATOMIC_VALUE_H

#include "simgpu/code/code.h"

/* What an atomic operation makes of the word `old` of 2^size bytes. */
uint64_t atomic_value(AtomicKind kind, uint32_t size, bool is_signed, uint64_t old, uint64_t b, uint64_t c);

#endif
