/* broker_call.h - loads a submission, and runs one call of its solve() with fresh arrays and between two clocks.  */
#ifndef HARNESS_BROKER_BROKER_CALL_H
#define HARNESS_BROKER_BROKER_CALL_H

#include "harness/broker/broker_state.h"

/* Both serve the runner meanwhile, and fill in Broker.reply. */
void broker_load(Broker *broker);
void broker_call(Broker *broker, const ControlRequest *request);

#endif
