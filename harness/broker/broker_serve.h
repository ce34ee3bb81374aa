/* broker_serve.h - takes requests of the runner off the ring and has them carried out, one after the other.  */
#ifndef HARNESS_BROKER_BROKER_SERVE_H
#define HARNESS_BROKER_BROKER_SERVE_H

#include "harness/broker/broker_state.h"

/* Empty tables of handles, with their limits. */
void broker_begin(Broker *broker);
/* What this call counts against the budget of the grading so far. On the simulated GPU kernels do not count here. */
double broker_spent_s(const Broker *broker);
/* Serves the runner until it sends `awaited`, or until something else ends it; sets Broker.end. */
void broker_serve(Broker *broker, RingKind awaited);

#endif
