/* broker_device_info.h - the request for the properties of the device.  */
#ifndef HARNESS_BROKER_BROKER_DEVICE_INFO_H
#define HARNESS_BROKER_BROKER_DEVICE_INFO_H

#include "harness/broker/broker_request.h"

Serve serve_device_info;

#endif
