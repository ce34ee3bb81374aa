/* broker_note.h - what the report says about the CUDA calls of a submission, and what the runner reports about
 * itself.  */
#ifndef HARNESS_BROKER_BROKER_NOTE_H
#define HARNESS_BROKER_BROKER_NOTE_H

#include "harness/broker/broker_request.h"

/* The report names the first CUDA call of a solve() that failed. `hint` says why; it may be empty. */
void broker_note_error(Broker *broker, MistakeKind kind, CudaError error, const char *call, const char *hint);
/* The same for a call that CUDA has and the judge does not provide. */
void broker_note_missing(Broker *broker, const char *call, const char *hint);

Serve serve_note_error, serve_note_missing, serve_note_memory, serve_load_failed;

#endif
