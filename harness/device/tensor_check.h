/* tensor_check.h - checks whether CUDA can make a tensor map, and how much memory it leads to.
 *
 * Errors   none; a tensor that CUDA refuses is a finding.
 * Source   CUDA Driver API 13.0, Tensor Map Object Management: cuTensorMapEncodeTiled.  */
#ifndef HARNESS_DEVICE_TENSOR_CHECK_H
#define HARNESS_DEVICE_TENSOR_CHECK_H

#include "harness/device/device.h"

/* Why CUDA refuses a tensor, in a few words; NULL: it does not. */
const char *tensor_refusal(const DeviceTensor *tensor);
/* Bytes from the first element to the end of the last, of a tensor that is not refused; false: more than there can be. */
bool tensor_span(const DeviceTensor *tensor, uint64_t *bytes);

#endif
