#include "harness/device/cuda_driver.h"
#include "harness/device/device_kinds.h"

Status device_describe_cuda(int ordinal, DeviceInfo *info, Message *why)
{
    const CudaDriver *driver;
    return cuda_driver_open(&driver, why);
}

Status device_open_cuda(int ordinal, Device **device, Message *why)
{
    const CudaDriver *driver;
    return cuda_driver_open(&driver, why);
}
