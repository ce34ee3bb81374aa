/* device_atomics.h - atomic functions on global and shared memory. Source: CUDA C++ Programming Guide 13.0, "Atomic
 * Functions".  */
#ifndef CONVJUDGE_DEVICE_ATOMICS_H
#define CONVJUDGE_DEVICE_ATOMICS_H

#include "host_defines.h"

/* Where the sign does not matter, clang's builtins take signed integers of 32 (_i) and 64 bits (_ll). */
#define ATOMIC(name, type, builtin, as)                                                                                \
    static __device__ __forceinline__ type name(type *address, type value)                                             \
    {                                                                                                                  \
        return (type)builtin((as *)address, (as)value);                                                                \
    }
#define ATOMIC_OF_ALL_INTEGERS(name, builtin)                                                                          \
    ATOMIC(name, int, builtin##_i, int)                                                                                \
    ATOMIC(name, unsigned, builtin##_i, int)                                                                           \
    ATOMIC(name, unsigned long long, builtin##_ll, long long)

ATOMIC_OF_ALL_INTEGERS(atomicAdd, __nvvm_atom_add_gen)
ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f, float)
ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d, double)
ATOMIC_OF_ALL_INTEGERS(atomicExch, __nvvm_atom_xchg_gen)
ATOMIC_OF_ALL_INTEGERS(atomicAnd, __nvvm_atom_and_gen)
ATOMIC_OF_ALL_INTEGERS(atomicOr, __nvvm_atom_or_gen)
ATOMIC_OF_ALL_INTEGERS(atomicXor, __nvvm_atom_xor_gen)
ATOMIC(atomicAnd, long long, __nvvm_atom_and_gen_ll, long long)
ATOMIC(atomicOr, long long, __nvvm_atom_or_gen_ll, long long)
ATOMIC(atomicXor, long long, __nvvm_atom_xor_gen_ll, long long)
ATOMIC(atomicMin, int, __nvvm_atom_min_gen_i, int)
ATOMIC(atomicMin, unsigned, __nvvm_atom_min_gen_ui, unsigned)
ATOMIC(atomicMin, long long, __nvvm_atom_min_gen_ll, long long)
ATOMIC(atomicMin, unsigned long long, __nvvm_atom_min_gen_ull, unsigned long long)
ATOMIC(atomicMax, int, __nvvm_atom_max_gen_i, int)
ATOMIC(atomicMax, unsigned, __nvvm_atom_max_gen_ui, unsigned)
ATOMIC(atomicMax, long long, __nvvm_atom_max_gen_ll, long long)
ATOMIC(atomicMax, unsigned long long, __nvvm_atom_max_gen_ull, unsigned long long)
ATOMIC(atomicInc, unsigned, __nvvm_atom_inc_gen_ui, unsigned)
ATOMIC(atomicDec, unsigned, __nvvm_atom_dec_gen_ui, unsigned)
#undef ATOMIC_OF_ALL_INTEGERS
#undef ATOMIC

static __device__ __forceinline__ int atomicSub(int *address, int value)
{
    return atomicAdd(address, -value);
}

static __device__ __forceinline__ unsigned atomicSub(unsigned *address, unsigned value)
{
    return atomicAdd(address, 0u - value);
}

static __device__ __forceinline__ float atomicExch(float *address, float value)
{
    return __builtin_bit_cast(float, atomicExch((int *)address, __builtin_bit_cast(int, value)));
}

#define COMPARE_AND_SWAP(type, builtin, as)                                                                            \
    static __device__ __forceinline__ type atomicCAS(type *address, type expected, type value)                         \
    {                                                                                                                  \
        return (type)builtin((as *)address, (as)expected, (as)value);                                                  \
    }
COMPARE_AND_SWAP(int, __nvvm_atom_cas_gen_i, int)
COMPARE_AND_SWAP(unsigned, __nvvm_atom_cas_gen_i, int)
COMPARE_AND_SWAP(unsigned long long, __nvvm_atom_cas_gen_ll, long long)
#undef COMPARE_AND_SWAP

#endif
