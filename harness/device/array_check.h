/* array_check.h - checks whether CUDA can create an array, and where the bytes of boxes lie.
 *
 * Shapes   as in device.h: elements in an array, bytes and rows in memory.
 * Errors   none; the answer is false if the arithmetic would overflow.
 * Source   CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability".  */
#ifndef HARNESS_DEVICE_ARRAY_CHECK_H
#define HARNESS_DEVICE_ARRAY_CHECK_H

#include "harness/device/device.h"

/* Elements, for every device of compute capability 6.0 and above. */
enum {
    ARRAY_MAX_WIDTH_1D = 131072,
    ARRAY_MAX_WIDTH_2D = 131072,
    ARRAY_MAX_HEIGHT_2D = 65536,
    ARRAY_MAX_GATHER_2D = 32768, /* width and height, if tex2Dgather() may read the array */
    ARRAY_MAX_EXTENT_3D = 16384, /* each extent */
    ARRAY_MAX_SURFACE_1D = 32768,
    ARRAY_MAX_LAYERED = 32768, /* width and height */
    ARRAY_MAX_LAYERS = 2048
};

/* Bytes of one element; 0: there is no such format. */
uint64_t array_element_bytes(DeviceFormat format, uint32_t channels);
/* Whether such an array can exist, and the bytes of all its elements. */
bool array_check(const DeviceShape *shape, uint64_t *bytes);
/* Whether the box lies in the array, and begins and ends between elements. */
bool array_holds(const DeviceShape *shape, const DevicePlace *place, const DeviceBox *box);
/* Bytes of memory from the first byte of the box to its last; false: rows or slices overlap. */
bool box_span(const DevicePlace *place, const DeviceBox *box, uint64_t *bytes);

#endif
