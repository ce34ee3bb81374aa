/* parse_operand.h - operands, numbers, constant expressions.  */
#ifndef SIMGPU_PTX_PARSE_OPERAND_H
#define SIMGPU_PTX_PARSE_OPERAND_H

#include "simgpu/ptx/parser_state.h"

/* `operand` is all zero; `depth` is the number of operands around this one. */
void parse_operand(Parser *p, PtxOperand *operand, int depth);
/* Reads the elements of `operand`, and `close` behind them. */
void parse_elements(Parser *p, PtxOperand *operand, const char *close, int depth);
int64_t parse_addend(Parser *p);

#endif
