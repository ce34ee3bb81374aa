/* device_functions.h - device functions other than arithmetic: barriers, warp functions, bits, conversions, loads,
 * printf(). Each is one or a few instructions of PTX.
 *
 * Source   CUDA C++ Programming Guide 13.0, "C++ Language Extensions"; CUDA Math API 13.0, "Intrinsics".  */
#ifndef CONVJUDGE_DEVICE_FUNCTIONS_H
#define CONVJUDGE_DEVICE_FUNCTIONS_H

#include "host_defines.h"

#define DEVICE static __device__ __forceinline__

/* ---- barriers and fences; __syncthreads() is clang's own --------------------------------------------------------- */

DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
DEVICE void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
DEVICE void __threadfence() { __nvvm_membar_gl(); }
DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

/* ---- warps ------------------------------------------------------------------------------------------------------- */

DEVICE unsigned __activemask()
{
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

DEVICE int __all_sync(unsigned mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
DEVICE int __any_sync(unsigned mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
DEVICE int __uni_sync(unsigned mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
DEVICE unsigned __ballot_sync(unsigned mask, int predicate) { return __nvvm_vote_ballot_sync(mask, predicate); }

/* Shuffles values of 4 or 8 bytes in words of 4. `limits` is the operand c of shfl: the segment of `width` lanes that a
 * lane may read from, and the last lane of it (PTX ISA, "shfl.sync"). */
#define SHUFFLE(name, builtin, last_lane)                                                                              \
    template <class T> DEVICE T name(unsigned mask, T value, int lane, int width = 32)                           \
    {                                                                                                                  \
        static_assert(sizeof value == 4 || sizeof value == 8, #name "() takes values of 4 or 8 bytes");                \
        int words[sizeof value / 4], limits = (32 - width) << 8 | (last_lane);                                   \
        __builtin_memcpy(words, &value, sizeof value);                                                                 \
        for (int &word : words)                                                                                        \
            word = builtin(mask, word, lane, limits);                                                                  \
        __builtin_memcpy(&value, words, sizeof value);                                                                 \
        return value;                                                                                                  \
    }
SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, 31)
SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, 0)
SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, 31)
SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, 31)
#undef SHUFFLE

#define REDUCE(name, type, operation)                                                                                  \
    DEVICE type name(unsigned mask, type value)                                                                        \
    {                                                                                                                  \
        asm volatile("redux.sync." operation " %0, %0, %1;" : "+r"(value) : "r"(mask));                                \
        return value;                                                                                                  \
    }
REDUCE(__reduce_add_sync, int, "add.s32")
REDUCE(__reduce_add_sync, unsigned, "add.u32")
REDUCE(__reduce_min_sync, int, "min.s32")
REDUCE(__reduce_min_sync, unsigned, "min.u32")
REDUCE(__reduce_max_sync, int, "max.s32")
REDUCE(__reduce_max_sync, unsigned, "max.u32")
REDUCE(__reduce_and_sync, unsigned, "and.b32")
REDUCE(__reduce_or_sync, unsigned, "or.b32")
REDUCE(__reduce_xor_sync, unsigned, "xor.b32")
#undef REDUCE

/* ---- integers and bits ------------------------------------------------------------------------------------------- */

DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(x); }
DEVICE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(x); }
DEVICE int __ffs(int x) { return x == 0 ? 0 : __builtin_ctz(x) + 1; }
DEVICE int __ffsll(long long x) { return x == 0 ? 0 : __builtin_ctzll(x) + 1; }
DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) { return __nvvm_prmt(x, y, selector); }
DEVICE int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
DEVICE unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
DEVICE int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
DEVICE unsigned __umul24(unsigned x, unsigned y) { return __nvvm_mul24_ui(x, y); }

/* ---- conversions ------------------------------------------------------------------------------------------------- */

DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

#define CONVERSIONS(from, to, name, letters)                                                                           \
    DEVICE to name##_rn(from x) { return __nvvm_##letters##_rn(x); }                                                   \
    DEVICE to name##_rz(from x) { return __nvvm_##letters##_rz(x); }                                                   \
    DEVICE to name##_ru(from x) { return __nvvm_##letters##_rp(x); }                                                   \
    DEVICE to name##_rd(from x) { return __nvvm_##letters##_rm(x); }
CONVERSIONS(float, int, __float2int, f2i)
CONVERSIONS(float, unsigned, __float2uint, f2ui)
CONVERSIONS(float, long long, __float2ll, f2ll)
CONVERSIONS(float, unsigned long long, __float2ull, f2ull)
CONVERSIONS(double, int, __double2int, d2i)
CONVERSIONS(double, unsigned, __double2uint, d2ui)
CONVERSIONS(double, long long, __double2ll, d2ll)
CONVERSIONS(double, unsigned long long, __double2ull, d2ull)
CONVERSIONS(double, float, __double2float, d2f)
CONVERSIONS(int, float, __int2float, i2f)
CONVERSIONS(unsigned, float, __uint2float, ui2f)
CONVERSIONS(long long, float, __ll2float, ll2f)
CONVERSIONS(unsigned long long, float, __ull2float, ull2f)
#undef CONVERSIONS

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The choice of a cache does not change the result of a load; clang makes it. */
template <class T> DEVICE T __ldg(const T *pointer) { return *pointer; }
template <class T> DEVICE T __ldca(const T *pointer) { return *pointer; }
template <class T> DEVICE T __ldcg(const T *pointer) { return *pointer; }
template <class T> DEVICE T __ldcs(const T *pointer) { return *pointer; }
template <class T> DEVICE void __stcg(T *pointer, T value) { *pointer = value; }
template <class T> DEVICE void __stcs(T *pointer, T value) { *pointer = value; }

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

DEVICE long clock() { return __nvvm_read_ptx_sreg_clock(); }
DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
DEVICE void __trap() { __builtin_trap(); }

/* clang translates printf() into a call of vprintf(), a system call of CUDA (PTX Interoperability, "System Calls"). */
extern "C" __device__ int vprintf(const char *format, const char *arguments);
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                                        size_t character_bytes);
extern "C" __device__ inline void __assert_fail(const char *message, const char *file, unsigned line,
                                                const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}

#undef DEVICE

#endif
