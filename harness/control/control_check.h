/* control_check.h - which messages can come from an honest grader, or an honest broker.
 *
 * Both ends are the judge's, but a fault of one must not become memory read or written past its end in the other:
 * counts, spans and descriptors have to fit each other and what went before, and texts have to end.  */
#ifndef HARNESS_CONTROL_CONTROL_CHECK_H
#define HARNESS_CONTROL_CONTROL_CHECK_H

#include "harness/control/control.h"

typedef struct ControlState { /* how far the conversation has come */
    bool is_open, has_runner;
    bool has_exchange;     /* for the buffers at hand */
    uint64_t buffer_bytes; /* 0: none */
} ControlState;

bool control_is_honest(const ControlRequest *request, const int descriptors[CONTROL_MAX_DESCRIPTORS],
                       const ControlState *state);
bool control_is_honest_reply(const ControlReply *reply);

#endif
