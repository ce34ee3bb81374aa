/* matrix_descriptor.h - where the elements of a matrix lie that wgmma reads from shared memory.
 *
 * The matrix is made of core matrices of 8 rows of 16 bytes. Rows of A, or columns of B, run along k; where the matrix is
 * turned, they run along m or n. A swizzle makes 2, 4 or 8 core matrices, side by side, one of 8 rows of 32, 64 or 128
 * bytes.
 *
 * Units    bytes.
 * Source   PTX ISA 9.0, Asynchronous Warpgroup Level Matrix Instructions: Shared Memory Matrix Layout, Strides, Matrix
 *          Descriptor Format.  */
#ifndef SIMGPU_CODE_MATRIX_DESCRIPTOR_H
#define SIMGPU_CODE_MATRIX_DESCRIPTOR_H

#include "simgpu/code/tensor_map.h"

typedef struct MatrixDescriptor {
    uint64_t start;           /* in shared memory */
    uint64_t leading, stride; /* the two distances between core matrices */
    TensorSwizzle swizzle;
    bool is_based; /* has an offset for matrices that do not begin where their swizzle does */
} MatrixDescriptor;

MatrixDescriptor matrix_descriptor(uint64_t bits);
/* Where an element of `bytes` lies: number `across` along k, `along` in its row of A or column of B. */
uint64_t matrix_descriptor_place(const MatrixDescriptor *descriptor, bool is_turned, uint32_t along, uint32_t across,
                                 uint32_t bytes);

#endif
