/* mma.h - matrices in the registers of a warp, and their products: half precision, bfloat16 and TF32. The functions are
 * clang's own, which become PTX's wmma. Those of whole numbers and of double are refused.
 *
 * Source   CUDA C++ Programming Guide 13.0, "Warp Matrix Functions"; PTX ISA 9.0, "Warp Level Matrix Instructions".  */
#ifndef CONVJUDGE_MMA_H
#define CONVJUDGE_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#define DEVICE static __device__ __forceinline__

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32; /* stored as float */
}

DEVICE float __float_to_tf32(float x)
{
    int bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __int_as_float(bits);
}

/* ---- what a thread holds of a matrix ----------------------------------------------------------------------------- */

template <class Element, int count, class Stored = Element> struct __align__(8) __frag_base {
    enum { num_elements = count, num_storage_elements = count };
    typedef Element element_type;
    typedef Stored storage_element_type;
    Stored x[count];
};

template <class Use, int m, int n, int k, class Element, class Layout = void> class fragment {
    static_assert(m == 0, "matrices of this type or size need nvcc: clang compiles a subset of CUDA without them");
};

template <class Element, int count, class Stored>
DEVICE void fill_fragment(__frag_base<Element, count, Stored> &matrix, const Stored &value)
{
#pragma unroll
    for (int i = 0; i < count; i++)
        matrix.x[i] = value;
}

/* ---- the operands: clang's functions have the registers as whole numbers ------------------------------------------- */

#define LAID_OUT(Use, m, n, k, Element, count, Stored, Layout, load, is_by_columns)                                    \
    template <>                                                                                                        \
    class fragment<Use, m, n, k, Element, Layout> : public __frag_base<Element, count, Stored> {};                     \
    DEVICE void load_matrix_sync(fragment<Use, m, n, k, Element, Layout> &matrix, const Stored *from, unsigned stride) \
    {                                                                                                                  \
        int registers[sizeof matrix.x / sizeof(int)];                                                                  \
        load(registers, (const int *)from, stride, is_by_columns);                                                     \
        __builtin_memcpy(matrix.x, registers, sizeof registers);                                                       \
    }
#define OPERAND(Use, m, n, k, Element, count, Stored, load)                                                            \
    LAID_OUT(Use, m, n, k, Element, count, Stored, row_major, load, 0)                                                 \
    LAID_OUT(Use, m, n, k, Element, count, Stored, col_major, load, 1)
OPERAND(matrix_a, 16, 16, 16, __half, 16, __half, __hmma_m16n16k16_ld_a)
OPERAND(matrix_b, 16, 16, 16, __half, 16, __half, __hmma_m16n16k16_ld_b)
OPERAND(matrix_a, 32, 8, 16, __half, 16, __half, __hmma_m32n8k16_ld_a)
OPERAND(matrix_b, 32, 8, 16, __half, 16, __half, __hmma_m32n8k16_ld_b)
OPERAND(matrix_a, 8, 32, 16, __half, 16, __half, __hmma_m8n32k16_ld_a)
OPERAND(matrix_b, 8, 32, 16, __half, 16, __half, __hmma_m8n32k16_ld_b)
OPERAND(matrix_a, 16, 16, 16, __nv_bfloat16, 8, __nv_bfloat16, __mma_bf16_m16n16k16_ld_a)
OPERAND(matrix_b, 16, 16, 16, __nv_bfloat16, 8, __nv_bfloat16, __mma_bf16_m16n16k16_ld_b)
OPERAND(matrix_a, 32, 8, 16, __nv_bfloat16, 16, __nv_bfloat16, __mma_bf16_m32n8k16_ld_a)
OPERAND(matrix_b, 32, 8, 16, __nv_bfloat16, 4, __nv_bfloat16, __mma_bf16_m32n8k16_ld_b)
OPERAND(matrix_a, 8, 32, 16, __nv_bfloat16, 4, __nv_bfloat16, __mma_bf16_m8n32k16_ld_a)
OPERAND(matrix_b, 8, 32, 16, __nv_bfloat16, 16, __nv_bfloat16, __mma_bf16_m8n32k16_ld_b)
OPERAND(matrix_a, 16, 16, 8, precision::tf32, 4, float, __mma_tf32_m16n16k8_ld_a)
OPERAND(matrix_b, 16, 16, 8, precision::tf32, 4, float, __mma_tf32_m16n16k8_ld_b)
#undef OPERAND
#undef LAID_OUT

/* ---- the sums: eight a thread; halves are two in a register -------------------------------------------------------- */

#define SUMS(m, n, k, Element, Register, load, store)                                                                  \
    template <> class fragment<accumulator, m, n, k, Element> : public __frag_base<Element, 8> {};                     \
    DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, Element> &sums, const Element *from, unsigned stride,  \
                                 layout_t layout)                                                                      \
    {                                                                                                                  \
        Register registers[sizeof sums.x / sizeof(Register)];                                                          \
        if (layout == mem_row_major)                                                                                   \
            load(registers, (const Register *)from, stride, 0);                                                        \
        else                                                                                                           \
            load(registers, (const Register *)from, stride, 1);                                                        \
        __builtin_memcpy(sums.x, registers, sizeof registers);                                                         \
    }                                                                                                                  \
    DEVICE void store_matrix_sync(Element *to, const fragment<accumulator, m, n, k, Element> &sums, unsigned stride,   \
                                  layout_t layout)                                                                     \
    {                                                                                                                  \
        Register registers[sizeof sums.x / sizeof(Register)];                                                          \
        __builtin_memcpy(registers, sums.x, sizeof registers);                                                         \
        if (layout == mem_row_major)                                                                                   \
            store((Register *)to, registers, stride, 0);                                                               \
        else                                                                                                           \
            store((Register *)to, registers, stride, 1);                                                               \
    }
SUMS(16, 16, 16, float, float, __hmma_m16n16k16_ld_c_f32, __hmma_m16n16k16_st_c_f32)
SUMS(32, 8, 16, float, float, __hmma_m32n8k16_ld_c_f32, __hmma_m32n8k16_st_c_f32)
SUMS(8, 32, 16, float, float, __hmma_m8n32k16_ld_c_f32, __hmma_m8n32k16_st_c_f32)
SUMS(16, 16, 8, float, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
SUMS(16, 16, 16, __half, int, __hmma_m16n16k16_ld_c_f16, __hmma_m16n16k16_st_c_f16)
SUMS(32, 8, 16, __half, int, __hmma_m32n8k16_ld_c_f16, __hmma_m32n8k16_st_c_f16)
SUMS(8, 32, 16, __half, int, __hmma_m8n32k16_ld_c_f16, __hmma_m8n32k16_st_c_f16)
#undef SUMS

/* ---- products ---------------------------------------------------------------------------------------------------- */

template <class Layout> struct convjudge_layout {
    enum { is_by_columns = 0 };
};
template <> struct convjudge_layout<col_major> {
    enum { is_by_columns = 1 };
};

#define PRODUCT(m, n, k, Element, Result, ResultRegister, Added, AddedRegister, multiply)                              \
    template <class LayoutOfA, class LayoutOfB>                                                                        \
    DEVICE void mma_sync(fragment<accumulator, m, n, k, Result> &result,                                               \
                         const fragment<matrix_a, m, n, k, Element, LayoutOfA> &a,                                     \
                         const fragment<matrix_b, m, n, k, Element, LayoutOfB> &b,                                     \
                         const fragment<accumulator, m, n, k, Added> &added)                                           \
    {                                                                                                                  \
        int of_a[sizeof a.x / sizeof(int)], of_b[sizeof b.x / sizeof(int)];                                            \
        AddedRegister of_added[sizeof added.x / sizeof(AddedRegister)];                                                \
        ResultRegister of_result[sizeof result.x / sizeof(ResultRegister)];                                            \
        __builtin_memcpy(of_a, a.x, sizeof of_a);                                                                      \
        __builtin_memcpy(of_b, b.x, sizeof of_b);                                                                      \
        __builtin_memcpy(of_added, added.x, sizeof of_added);                                                          \
        multiply(of_result, of_a, of_b, of_added,                                                                      \
                 2 * convjudge_layout<LayoutOfA>::is_by_columns + convjudge_layout<LayoutOfB>::is_by_columns, 0);      \
        __builtin_memcpy(result.x, of_result, sizeof of_result);                                                       \
    }
#define PRODUCTS_OF_HALVES(m, n, k, multiply)                                                                          \
    PRODUCT(m, n, k, __half, float, float, float, float, multiply##_f32f32)                                            \
    PRODUCT(m, n, k, __half, float, float, __half, int, multiply##_f32f16)                                             \
    PRODUCT(m, n, k, __half, __half, int, float, float, multiply##_f16f32)                                             \
    PRODUCT(m, n, k, __half, __half, int, __half, int, multiply##_f16f16)
PRODUCTS_OF_HALVES(16, 16, 16, __hmma_m16n16k16_mma)
PRODUCTS_OF_HALVES(32, 8, 16, __hmma_m32n8k16_mma)
PRODUCTS_OF_HALVES(8, 32, 16, __hmma_m8n32k16_mma)
PRODUCT(16, 16, 16, __nv_bfloat16, float, float, float, float, __mma_bf16_m16n16k16_mma_f32)
PRODUCT(32, 8, 16, __nv_bfloat16, float, float, float, float, __mma_bf16_m32n8k16_mma_f32)
PRODUCT(8, 32, 16, __nv_bfloat16, float, float, float, float, __mma_bf16_m8n32k16_mma_f32)
PRODUCT(16, 16, 8, precision::tf32, float, float, float, float, __mma_tf32_m16n16k8_mma_f32)
#undef PRODUCTS_OF_HALVES
#undef PRODUCT

} /* namespace wmma */
} /* namespace nvcuda */

#undef DEVICE

#endif
