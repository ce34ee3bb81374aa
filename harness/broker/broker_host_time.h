/* broker_host_time.h - how long the runner keeps the device waiting in a call, which CallLimits.host_seconds limits.
 *
 * On a real GPU that is the time for which the broker waits while the device has nothing to do. A simulated GPU computes on the
 * same cores as the submission and everything else, so that a busy machine makes everybody wait: there it is the time
 * for which the runner computes, or does nothing although it could have a core (host_clock.h). It is known of
 * intervals of some hundredths of a second, at whose ends the broker asks the grader. Where nobody can tell, the time
 * for which the broker waits counts.  */
#ifndef HARNESS_BROKER_BROKER_HOST_TIME_H
#define HARNESS_BROKER_BROKER_HOST_TIME_H

#include "harness/broker/broker_state.h"

/* The runner is about to load the object. Nothing has counted so far. */
void broker_host_time_start(Broker *broker);
/* A call begins. */
void broker_host_time_begin(Broker *broker);
/* The broker has waited for the runner. */
void broker_host_time_add(Broker *broker, double waited_s);
/* The call has ended: settles what has been added since the last answer. */
void broker_host_time_end(Broker *broker);
/* The limit, and what is left of it. */
double broker_host_time_limit(const Broker *broker);
double broker_host_time_left(const Broker *broker);

#endif
