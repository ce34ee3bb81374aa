/* tensor_map_of.h - the simulated GPU's tensor map for a row of tensor_rows.h.  */
#ifndef SIMGPU_TESTS_TENSOR_MAP_OF_H
#define SIMGPU_TESTS_TENSOR_MAP_OF_H

#include "simgpu/tests/tensor_rows.h"

static TensorMap tensor_map_of(const TensorRow *row, uint64_t address)
{
    TensorMap map = {.mark = TENSOR_MAP_MARK,
                     .address = address,
                     .rank = (uint8_t)row->rank,
                     .type = (uint8_t)row->type,
                     .swizzle = (uint8_t)row->swizzle,
                     .fills_nan = row->fill != 0};
    for (uint32_t i = 0; i < TENSOR_DIMENSIONS; i++) {
        map.extents[i] = i < row->rank ? row->extents[i] : 1;
        map.box[i] = i < row->rank ? (uint16_t)row->box[i] : 1;
        map.steps[i] = i > 0 && i < row->rank ? (uint8_t)row->steps[i] : 1;
        if (i > 0)
            map.strides[i - 1] = row->strides[i - 1];
    }
    return map;
}

#endif
