/* broker_launch.h - the request to launch a kernel.  */
#ifndef HARNESS_BROKER_BROKER_LAUNCH_H
#define HARNESS_BROKER_BROKER_LAUNCH_H

#include "harness/broker/broker_request.h"

Serve serve_launch;

#endif
