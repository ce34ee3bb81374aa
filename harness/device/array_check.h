/* array_check.h - whether an array is one that CUDA makes, and where the bytes of boxes lie.
 *
 * Shapes   as in device.h: elements in an array, bytes and rows in memory.
 * Errors   none; false is the answer, also where the arithmetic would overflow.
 * Source   CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability".  */
#ifndef HARNESS_DEVICE_ARRAY_CHECK_H
#define HARNESS_DEVICE_ARRAY_CHECK_H

#include "harness/device/device.h"

/* Elements, on every device of compute capability 6.0 and above. */
enum {
    ARRAY_MAX_WIDTH_1D = 131072,
    ARRAY_MAX_WIDTH_2D = 131072,
    ARRAY_MAX_HEIGHT_2D = 65536,
    ARRAY_MAX_GATHER_2D = 32768, /* on either side, where tex2Dgather() may read it */
    ARRAY_MAX_EXTENT_3D = 16384  /* on each side */
};

/* Bytes of one element; 0 where there is no such format. */
uint64_t array_element_bytes(DeviceFormat format, uint32_t channels);
/* Whether there can be such an array, and the bytes of all its elements. */
bool array_check(const DeviceShape *shape, uint64_t *bytes);
/* Whether the box lies in the array: its bytes begin and end between elements. */
bool array_holds(const DeviceShape *shape, const DevicePlace *place, const DeviceBox *box);
/* Bytes of memory from the first of the box to its last; false where rows or slices overlap. */
bool box_span(const DevicePlace *place, const DeviceBox *box, uint64_t *bytes);

#endif
