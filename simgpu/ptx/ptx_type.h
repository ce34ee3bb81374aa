/* ptx_type.h - the types of PTX registers and values.
 *
 * Source   PTX ISA 9.0, "Fundamental Types", "Packed Data Types".  */
#ifndef SIMGPU_PTX_PTX_TYPE_H
#define SIMGPU_PTX_PTX_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum PtxType {
    PTX_NO_TYPE,
    PTX_PRED,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_BF16,
    PTX_F16X2,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64,
    PTX_OTHER_TYPE /* .b128, .texref, ...: known to PTX, not to this simulator */
} PtxType;

PtxType ptx_type(const char *name, size_t length); /* of "f32"; PTX_NO_TYPE: no type has that name */
const char *ptx_type_name(PtxType type);           /* for PTX_OTHER_TYPE any of them */
uint32_t ptx_type_bytes(PtxType type);             /* a predicate takes one */
bool ptx_type_is_signed(PtxType type);
bool ptx_type_is_float(PtxType type);
bool ptx_type_is_half(PtxType type); /* .f16, .bf16, and pairs of them */
bool ptx_type_is_pair(PtxType type); /* .f16x2, .bf16x2 */

#endif
