#include "harness/device/device.h"

Status device_calibrate(Device *device, Message *why)
{
    const CudaError error = device->hardware == NULL ? CUDA_ERROR_SUCCESS : device->hardware->calibrate(device);
    return error == CUDA_ERROR_SUCCESS
               ? STATUS_OK
               : fail(STATUS_SYSTEM, why, "%s: calibration: %s", device->info.name, cuda_error_text(error));
}

void device_pin(Device *device, void *memory, size_t bytes)
{
    if (device->hardware != NULL)
        device->hardware->pin(device, memory, bytes);
}

void device_unpin(Device *device, void *memory)
{
    if (device->hardware != NULL)
        device->hardware->unpin(device, memory);
}
