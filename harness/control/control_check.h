/* control_check.h - checks the messages between the grader and the broker before they are used.
 *
 * Both ends are the judge's own. The checks keep a fault of one end from becoming an access past the end of memory in
 * the other: counts, spans and descriptors must fit each other and the state of the conversation, texts must be
 * terminated, enumerations and flags must have one of their values.  */
#ifndef HARNESS_CONTROL_CONTROL_CHECK_H
#define HARNESS_CONTROL_CONTROL_CHECK_H

#include "harness/control/control.h"
#include "harness/control/control_message.h"

typedef struct ControlState { /* of the broker, before the request */
    bool is_open;             /* the device is */
    bool is_simulated;        /* so that kernels can be explained and probed */
    bool has_runner;          /* a runner has been loaded */
    bool has_exchange;        /* for the present buffers */
    uint64_t buffer_bytes;    /* of the present buffers; 0: there are none */
} ControlState;

bool control_request_is_valid(const ControlRequest *request, const int descriptors[CONTROL_MAX_DESCRIPTORS],
                              const ControlState *state);
bool control_reply_is_valid(const ControlReply *reply);

#endif
