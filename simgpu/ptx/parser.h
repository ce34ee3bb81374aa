/* parser.h - reads PTX text into a module (ptx.h).
 *
 * parser.c reads the parts of statements first, then the module, its directives, functions and statements.  */
#ifndef SIMGPU_PTX_PARSER_H
#define SIMGPU_PTX_PARSER_H

#include "base/status.h"
#include "simgpu/ptx/ptx.h"

/* An error is one line "<name>:<line>: ..." in `why`. */
MUST_USE Status ptx_parse(const char *name, const char *text, size_t length, PtxModule *module, Message *why);
void ptx_free(PtxModule *module);
const PtxFunction *ptx_function(const PtxModule *module, const char *name);

#endif
