/* broker_module.h - requests about modules, functions and variables, and launches.  */
#ifndef HARNESS_BROKER_BROKER_MODULE_H
#define HARNESS_BROKER_BROKER_MODULE_H

#include "harness/broker/broker_request.h"

Serve serve_module, serve_function, serve_variable, serve_set_shared, serve_occupancy, serve_launch;

#endif
