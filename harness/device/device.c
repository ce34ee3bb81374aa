#include "harness/device/device.h"

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
