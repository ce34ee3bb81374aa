#include "harness/device/device_info.h"

const char *device_time_label(const DeviceInfo *info)
{
    return !info->modelled ? "" : info->calibrated ? "modelled" : "modelled, uncalibrated";
}
