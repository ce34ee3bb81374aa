/* broker_module.h - requests about modules, and the functions and variables in them.  */
#ifndef HARNESS_BROKER_BROKER_MODULE_H
#define HARNESS_BROKER_BROKER_MODULE_H

#include "harness/broker/broker_request.h"

/* The function with this number. NULL: there is none. */
BrokerFunction *broker_function(Broker *broker, uint64_t number);

Serve serve_module, serve_function, serve_variable, serve_set_shared, serve_set_limit, serve_occupancy;

#endif
