/* value.h - scalars and the numbers that they are made of.  */
#ifndef SIMGPU_JIT_TRANSLATE_VALUE_H
#define SIMGPU_JIT_TRANSLATE_VALUE_H

#include "simgpu/jit/translate/builder.h"

Atom atom_literal(uint64_t number);
const char *atom_text(const Builder *b, Atom atom);
/* A new variable with this value; the text is that of an expression of 64 bits. */
__attribute__((format(printf, 2, 3))) Atom new_atom(Builder *b, const char *format, ...);
bool is_number(Atom atom, uint64_t number);
/* The variable that holds a part of a slot at the beginning of a basic block, or the literal that is known there. */
Atom entry_atom(Atom atom, uint32_t slot, int part);
/* Part `part` of a value of that size: as in Value. */
uint64_t cut_part(uint64_t number, uint8_t size, int part);
Value scalar_literal(uint64_t number, uint8_t size);
bool is_same_for_all(const Value *value);
/* Is there a step on an irregular axis? */
bool is_irregular(const Value *value);
/* A value in the register file that differs between lanes. */
Value varying_value(uint8_t size);
/* The value of a source; a scalar 0 for none. */
Value source_value(Builder *b, Operand operand);
void set_value(Builder *b, Operand operand, Value value);

#endif
