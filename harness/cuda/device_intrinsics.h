/* device_intrinsics.h - device functions that stand for one instruction of PTX and are called by their names alone:
 * addresses, packed products, funnel shifts, integer averages, atomics of a chosen scope.
 *
 * Source   CUDA C++ Programming Guide 13.0, "Address Space Conversion Functions", "Atomic Functions"; CUDA Math API
 *          13.0, "Integer Intrinsics", "Double Precision Intrinsics", "Type Casting Intrinsics".  */
#ifndef CONVJUDGE_DEVICE_INTRINSICS_H
#define CONVJUDGE_DEVICE_INTRINSICS_H

#include "device_atomics.h"
#include "host_defines.h"

#define DEVICE static __device__ __forceinline__

/* ---- addresses: generic ones, and those within a state space ----------------------------------------------------- */

#define ADDRESSES(space, number, capital)                                                                              \
    DEVICE size_t __cvta_generic_to_##space(const void *pointer)                                                       \
    {                                                                                                                  \
        return (size_t)(__attribute__((address_space(number))) const void *)pointer;                                   \
    }                                                                                                                  \
    DEVICE void *__cvta_##space##_to_generic(size_t address)                                                           \
    {                                                                                                                  \
        return (void *)(__attribute__((address_space(number))) void *)address;                                         \
    }                                                                                                                  \
    DEVICE unsigned __is##capital(const void *pointer)                                                                 \
    {                                                                                                                  \
        unsigned is;                                                                                                   \
        asm("{\n\t.reg .pred p;\n\tisspacep." #space " p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(is) : "l"(pointer)); \
        return is;                                                                                                     \
    }
ADDRESSES(global, 1, Global)
ADDRESSES(shared, 3, Shared)
ADDRESSES(constant, 4, Constant)
ADDRESSES(local, 5, Local)
#undef ADDRESSES

/* clang copies a parameter of a kernel whose address is taken, so that it is no longer one. */
DEVICE size_t __cvta_generic_to_grid_constant(const void *pointer) { return (size_t)pointer; }
DEVICE void *__cvta_grid_constant_to_generic(size_t address) { return (void *)address; }

/* ---- integers ---------------------------------------------------------------------------------------------------- */

#define FUNNEL_SHIFT(name, operation)                                                                                  \
    DEVICE unsigned name(unsigned low, unsigned high, unsigned shift)                                                  \
    {                                                                                                                  \
        unsigned result;                                                                                               \
        asm("shf." operation ".b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));                 \
        return result;                                                                                                 \
    }
FUNNEL_SHIFT(__funnelshift_l, "l.wrap")
FUNNEL_SHIFT(__funnelshift_lc, "l.clamp")
FUNNEL_SHIFT(__funnelshift_r, "r.wrap")
FUNNEL_SHIFT(__funnelshift_rc, "r.clamp")
#undef FUNNEL_SHIFT

/* The sum of c and the products of the four bytes (dp4a), or of two halves and two of the bytes (dp2a). */
#define PACKED_PRODUCT(name, type, operation)                                                                          \
    DEVICE type name(type a, type b, type c)                                                                           \
    {                                                                                                                  \
        type result;                                                                                                   \
        asm(operation " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));                                     \
        return result;                                                                                                 \
    }
PACKED_PRODUCT(__dp4a, int, "dp4a.s32.s32")
PACKED_PRODUCT(__dp4a, unsigned, "dp4a.u32.u32")
PACKED_PRODUCT(__dp2a_lo, int, "dp2a.lo.s32.s32")
PACKED_PRODUCT(__dp2a_lo, unsigned, "dp2a.lo.u32.u32")
PACKED_PRODUCT(__dp2a_hi, int, "dp2a.hi.s32.s32")
PACKED_PRODUCT(__dp2a_hi, unsigned, "dp2a.hi.u32.u32")
#undef PACKED_PRODUCT

/* The same with the packed numbers as vectors. */
#define OF_VECTORS(name, sum, first, second, word)                                                                     \
    DEVICE sum name(first a, second b, sum c)                                                                          \
    {                                                                                                                  \
        return name(__builtin_bit_cast(word, a), __builtin_bit_cast(word, b), c);                                      \
    }
OF_VECTORS(__dp4a, int, char4, char4, int)
OF_VECTORS(__dp4a, unsigned, uchar4, uchar4, unsigned)
OF_VECTORS(__dp2a_lo, int, short2, char4, int)
OF_VECTORS(__dp2a_lo, unsigned, ushort2, uchar4, unsigned)
OF_VECTORS(__dp2a_hi, int, short2, char4, int)
OF_VECTORS(__dp2a_hi, unsigned, ushort2, uchar4, unsigned)
#undef OF_VECTORS

DEVICE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
DEVICE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
DEVICE unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y) >> 1); }
DEVICE unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y + 1) >> 1); }
DEVICE unsigned __sad(int x, int y, unsigned z) { return (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x) + z; }
DEVICE unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x > y ? x - y : y - x) + z; }
DEVICE long long __mul64hi(long long x, long long y) { return (long long)(((__int128)x * y) >> 64); }
DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)(((unsigned __int128)x * y) >> 64);
}

/* ---- double precision -------------------------------------------------------------------------------------------- */

#define ROUNDED(suffix, mode)                                                                                          \
    DEVICE double __dsub_##suffix(double x, double y) { return __nvvm_add_##mode##_d(x, -y); }                         \
    DEVICE double __ddiv_##suffix(double x, double y) { return __nvvm_div_##mode##_d(x, y); }                          \
    DEVICE double __dsqrt_##suffix(double x) { return __nvvm_sqrt_##mode##_d(x); }                                     \
    DEVICE double __drcp_##suffix(double x) { return __nvvm_rcp_##mode##_d(x); }                                       \
    DEVICE double __ll2double_##suffix(long long x) { return __nvvm_ll2d_##mode(x); }                                  \
    DEVICE double __ull2double_##suffix(unsigned long long x) { return __nvvm_ull2d_##mode(x); }
ROUNDED(rn, rn)
ROUNDED(rz, rz)
ROUNDED(ru, rp)
ROUNDED(rd, rm)
#undef ROUNDED

DEVICE double __int2double_rn(int x) { return x; }
DEVICE double __uint2double_rn(unsigned x) { return x; }
DEVICE double __hiloint2double(int high, int low)
{
    return __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

DEVICE int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
DEVICE int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }

/* ---- warps and time ---------------------------------------------------------------------------------------------- */

/* The lanes of `mask` with this value; __match_all_sync() gives all or none, and says in `*all` which. */
#define MATCH(type, register, bits, as)                                                                                \
    DEVICE unsigned __match_any_sync(unsigned mask, type value)                                                        \
    {                                                                                                                  \
        unsigned lanes;                                                                                                \
        asm volatile("match.any.sync.b" #bits " %0, %1, %2;"                                                           \
                     : "=r"(lanes)                                                                                     \
                     : register(__builtin_bit_cast(as, value)), "r"(mask));                                            \
        return lanes;                                                                                                  \
    }                                                                                                                  \
    DEVICE unsigned __match_all_sync(unsigned mask, type value, int *all)                                              \
    {                                                                                                                  \
        unsigned lanes;                                                                                                \
        asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync.b" #bits " %0|p, %2, %3;\n\tselp.s32 %1, 1, 0, p;\n\t}"     \
                     : "=r"(lanes), "=r"(*all)                                                                         \
                     : register(__builtin_bit_cast(as, value)), "r"(mask));                                            \
        return lanes;                                                                                                  \
    }
MATCH(int, "r", 32, unsigned)
MATCH(unsigned, "r", 32, unsigned)
MATCH(float, "r", 32, unsigned)
MATCH(long, "l", 64, unsigned long long)
MATCH(unsigned long, "l", 64, unsigned long long)
MATCH(long long, "l", 64, unsigned long long)
MATCH(unsigned long long, "l", 64, unsigned long long)
MATCH(double, "l", 64, unsigned long long)
#undef MATCH

/* For kernels that follow each other with programmatic stream serialization. */
DEVICE void cudaGridDependencySynchronize(void)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

DEVICE void cudaTriggerProgrammaticLaunchCompletion(void)
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

DEVICE void __nanosleep(unsigned nanoseconds)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

/* ---- memory: see __ldg() ----------------------------------------------------------------------------------------- */

template <class T> DEVICE T __ldlu(const T *pointer) { return *pointer; }
template <class T> DEVICE T __ldcv(const T *pointer)
{
    asm volatile("" ::: "memory"); /* from memory, not from a register */
    return *pointer;
}
template <class T> DEVICE void __stwb(T *pointer, T value) { *pointer = value; }
template <class T> DEVICE void __stwt(T *pointer, T value)
{
    *pointer = value;
    asm volatile("" ::: "memory");
}

/* ---- atomics of a scope ------------------------------------------------------------------------------------------ */

/* Those of the whole GPU serve for a block, too; nobody outside the GPU sees its memory. The address alone decides the
 * type. */
template <class T> struct convjudge_value {
    typedef T Type;
};
#define SCOPED(name)                                                                                                   \
    template <class T> DEVICE T name##_block(T *address, typename convjudge_value<T>::Type value)                      \
    {                                                                                                                  \
        return name(address, value);                                                                                   \
    }                                                                                                                  \
    template <class T> DEVICE T name##_system(T *address, typename convjudge_value<T>::Type value)                     \
    {                                                                                                                  \
        return name(address, value);                                                                                   \
    }
SCOPED(atomicAdd)
SCOPED(atomicSub)
SCOPED(atomicExch)
SCOPED(atomicMin)
SCOPED(atomicMax)
SCOPED(atomicInc)
SCOPED(atomicDec)
SCOPED(atomicAnd)
SCOPED(atomicOr)
SCOPED(atomicXor)
#undef SCOPED
template <class T>
DEVICE T atomicCAS_block(T *address, typename convjudge_value<T>::Type expected, typename convjudge_value<T>::Type value)
{
    return atomicCAS(address, expected, value);
}
template <class T>
DEVICE T atomicCAS_system(T *address, typename convjudge_value<T>::Type expected,
                          typename convjudge_value<T>::Type value)
{
    return atomicCAS(address, expected, value);
}

#undef DEVICE

#endif
