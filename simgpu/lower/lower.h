/* lower.h - from PTX to code.h.  */
#ifndef SIMGPU_LOWER_LOWER_H
#define SIMGPU_LOWER_LOWER_H

#include "base/status.h"
#include "simgpu/code/code.h"

/* Decodes one kernel. STATUS_UNSUPPORTED names the instruction and its source line. Module variables must have been
 * placed. The code keeps no pointer into the module but names of files. */
MUST_USE Status code_lower(const PtxModule *module, const PtxFunction *function, Code *code, Message *why);

#endif
