/* fault_note.h - notes for the judge what ended the process, and which instruction of the submission did it.
 *
 * The instruction is the innermost one of the submission's object: memcpy() of a device pointer ends in the C library, but
 * the line to show is that of the call. The notes only choose words and a line of a message.  */
#ifndef HARNESS_RUNNER_FAULT_NOTE_H
#define HARNESS_RUNNER_FAULT_NOTE_H

#include "harness/protocol/ring.h"

/* From now on, segmentation faults, divisions by zero, traps, abort() and exit() are noted. Called by the thread that calls
 * solve(), whose stack may overflow. `object_path` stays the caller's. */
void fault_note_begin(RingFault *fault, const char *object_path);

#endif
