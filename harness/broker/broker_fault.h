/* broker_fault.h - faults of the judge itself, which end a call without an outcome.  */
#ifndef HARNESS_BROKER_BROKER_FAULT_H
#define HARNESS_BROKER_BROKER_FAULT_H

#include "harness/broker/broker_state.h"

/* False after the first fault; Broker.reply then describes it. */
bool broker_is_ok(const Broker *broker);
/* Unless `error` is success, it is a fault: "the judge's own DOING failed". Where a simulated GPU has no memory left, the
 * process ends like everywhere else (base/allocated.h). */
void broker_require(Broker *broker, CudaError error, const char *doing);

#endif
