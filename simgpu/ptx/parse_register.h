/* parse_register.h - declares the registers of a function, and finds them by name.  */
#ifndef SIMGPU_PTX_PARSE_REGISTER_H
#define SIMGPU_PTX_PARSE_REGISTER_H

#include "simgpu/ptx/parser_state.h"

void parse_registers(Parser *p);
/* The number of a register in the function; -1: no register has that name. */
int find_register(Parser *p, const Token *token);

#endif
