/* broker_request.h - what all functions that carry out a request of the runner share.
 *
 * Every request is hostile until it has been checked. broker_serve.c has copied it out of the shared memory into
 * Broker.record, and has checked its kind and the length of its body. A Serve function looks up every number in it, and
 * checks that every range of addresses belongs to the submission, before anything reaches the device.  */
#ifndef HARNESS_BROKER_BROKER_REQUEST_H
#define HARNESS_BROKER_BROKER_REQUEST_H

#include "harness/broker/broker_state.h"

/* Carries out Broker.record. Fills in the values of the reply, and returns the error of the CUDA call. */
typedef CudaError Serve(Broker *broker, RingReply *reply);

/* The numbers of a request whose body is a RingWords. */
const uint64_t *broker_words(const Broker *broker);
/* Ends the service of the runner: an honest runtime library does not send such a request. */
void broker_violation(Broker *broker, MistakeKind kind, const char *text);
void broker_malformed(Broker *broker);

#endif
