/* shared_modules.h - the GPU code of a submission in memory that its broker can map.  */
#ifndef HARNESS_SESSION_SHARED_MODULES_H
#define HARNESS_SESSION_SHARED_MODULES_H

#include "harness/compile/compile.h"
#include "harness/control/control_message.h"
#include "harness/session/shared_memory.h"

/* Copies the modules into `modules`, and their places into the request. STATUS_UNSUPPORTED: they are more than
 * CONTROL_MAX_MODULES. */
MUST_USE Status shared_modules_new(const Compiled *compiled, ControlRequest *request, SharedMemory *modules,
                                   Message *why);

#endif
