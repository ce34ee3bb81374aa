/* broker_tensor.h - requests for tensor maps.  */
#ifndef HARNESS_BROKER_BROKER_TENSOR_H
#define HARNESS_BROKER_BROKER_TENSOR_H

#include "harness/broker/broker_request.h"

Serve serve_tensor_map;

#endif
