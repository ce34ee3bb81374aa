/* broker_host_work.h - charges the work of the host to the modelled clock of a simulated GPU.
 *
 * On a real GPU the clock runs while the host computes between two operations on the device. Simulated operations take
 * no real time, so the broker measures how long the runner's process computes, and lets the device's next operation
 * begin that much later. Only the host's work after data came back from the device counts, because before that it
 * knows no input. The time is the processor time of all threads of the process, which the runner cannot change, and
 * which does not depend on who else uses the machine. Where the kernel does not tell it, it is the time that passes
 * while the broker has nothing to do.
 *
 * Asking for operations takes the host some time, too, which depends on the machine. So that honest submissions have the
 * same modelled times everywhere, a millisecond a call is free, 5 ns for each byte copied, and 20 us for each
 * kernel and copy, and a tenth of the time for which it has waited for a core, up to 5 ms. This buys nothing: the modelled copies and kernels take longer than a GPU would take for the same
 * work.  */
#ifndef HARNESS_BROKER_BROKER_HOST_WORK_H
#define HARNESS_BROKER_BROKER_HOST_WORK_H

#include "harness/broker/broker_state.h"

/* A call begins. */
void broker_host_work_begin(Broker *broker);
/* `bytes` have been copied to or from the host; the reply has not been sent yet. */
void broker_host_work_copied(Broker *broker, uint64_t bytes, bool to_host);
/* The next request is about to be carried out. */
void broker_host_work_charge(Broker *broker);

#endif
