/* broker_call.h - the loading of a submission, and one timed call of its solve() on new arrays.  */
#ifndef HARNESS_BROKER_BROKER_CALL_H
#define HARNESS_BROKER_BROKER_CALL_H

#include "harness/broker/broker_state.h"

/* Both serve the runner until the load or the call has ended, and fill in Broker.reply. */
void broker_load(Broker *broker, const ControlRequest *request);
void broker_call(Broker *broker, const ControlRequest *request);

#endif
