/* broker.h - the process that owns the device: it runs calls of solve() for the grader, and carries out what the runner
 * asks for meanwhile. It is trusted and disposable: a broker serves one runner and is then replaced.  */
#ifndef HARNESS_BROKER_BROKER_H
#define HARNESS_BROKER_BROKER_H

#include "harness/broker/broker_state.h"

/* ==== broker call ================================================================================================= */

/* The loading of a submission, and one timed call of its solve() on new arrays. */

/* Both serve the runner until the load or the call has ended, and fill in Broker.reply. */
void broker_load(Broker *broker, const ControlRequest *request);
void broker_call(Broker *broker, const ControlRequest *request);

/* ==== broker ====================================================================================================== */

/* The program `convjudge broker DESCRIPTOR DEVICE`: arguments from "broker" on; returns the exit status. The descriptor
 * is the broker's end of the control socket (control.h). */
int broker_main(int argc, char **argv);
/* The whole conversation with the grader, on a Broker that has only its socket and the name of its device. */
void broker_run(Broker *broker);

#endif
