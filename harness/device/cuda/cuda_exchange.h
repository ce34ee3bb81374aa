/* cuda_exchange.h - device memory that two processes share.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_EXCHANGE_H
#define HARNESS_DEVICE_CUDA_CUDA_EXCHANGE_H

#include "harness/device/device.h"

extern const DeviceExchangeOps CUDA_EXCHANGE_OPS;

#endif
