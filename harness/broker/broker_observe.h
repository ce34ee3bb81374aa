/* broker_observe.h - what a simulated GPU observes about the kernels of one call, besides their results.  */
#ifndef HARNESS_BROKER_BROKER_OBSERVE_H
#define HARNESS_BROKER_BROKER_OBSERVE_H

#include "harness/broker/broker_state.h"

typedef struct Observation {
    DeviceProbe probe;
    DeviceCheck check;
} Observation;

/* The arrays of the call are filled. The observation must stay where it is until the end. It has begun only if
 * Broker.reply still has STATUS_OK. */
void broker_observe_begin(Broker *broker, const ControlRequest *request, Observation *observation);
/* Reports what has been found. */
void broker_observe_end(Broker *broker, Observation *observation);

/* Fills in Broker.profile, if there is one, with all launches and copies between the two. */
void broker_profile_begin(Broker *broker);
void broker_profile_end(Broker *broker);

#endif
