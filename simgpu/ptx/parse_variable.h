/* parse_variable.h - variables and their initial values.  */
#ifndef SIMGPU_PTX_PARSE_VARIABLE_H
#define SIMGPU_PTX_PARSE_VARIABLE_H

#include "simgpu/ptx/parser_state.h"

/* The state space that ".shared" and its like name; PTX_NO_SPACE: the token names none. */
PtxSpace space_of(const Token *token);
PtxVariable *parse_variable(Parser *p);
/* Adds each variable at the front of the list. */
void parse_variables(Parser *p, PtxVariable **list);

#endif
