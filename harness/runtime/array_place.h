/* array_place.h - where a box lies in an array.  */
#ifndef HARNESS_RUNTIME_ARRAY_PLACE_H
#define HARNESS_RUNTIME_ARRAY_PLACE_H

#include "harness/runtime/array.h"
#include "harness/runtime/box.h"

size_t array_row_bytes(const RuntimeArray *array);
/* A box that exceeds the array is refused before anything is copied. */
cudaError_t array_check_box(const RuntimeArray *array, const Place *place, const Box *box);
cudaError_t array_place(cudaArray_const_t handle, size_t x_bytes, size_t y, size_t z, const Box *box, Place *place);

/* The places and the box of a copy in three dimensions, and the other way round. */
cudaError_t places_of_3d(const struct cudaMemcpy3DParms *what, Place *target, Place *source, Box *box);
struct cudaMemcpy3DParms parameters_of_3d(const Place *target, const Place *source, const Box *box,
                                          enum cudaMemcpyKind kind);

#endif
