/* value.h - what is known of registers: scalars (frame.h), and the numbers that they are made of.  */
#ifndef SIMGPU_JIT_TRANSLATE_VALUE_H
#define SIMGPU_JIT_TRANSLATE_VALUE_H

#include "simgpu/jit/translate/builder.h"

Atom atom_literal(uint64_t number);
/* The number as an expression of C. */
const char *atom_text(const Builder *b, Atom atom);
/* A new variable of the C; the text is an expression of 64 bits. */
__attribute__((format(printf, 2, 3))) Atom new_atom(Builder *b, const char *format, ...);
/* Is it known to be this number? */
bool is_number(Atom atom, uint64_t number);
/* A part of a scalar at the entry of a basic block: the literal itself, or the variable s<slot>_<part>. */
Atom entry_atom(Atom atom, uint32_t slot, int part);
/* Cuts a number to what part `part` of a value of that size can hold (Value.part). */
uint64_t cut_part(uint64_t number, uint8_t size, int part);
/* The same number in all lanes. */
Value scalar_literal(uint64_t number, uint8_t size);
/* Is it a scalar without steps? */
bool is_same_for_all(const Value *value);
/* Is it a scalar with a step along an irregular axis? */
bool is_irregular(const Value *value);
/* A value that varies from lane to lane, in the register file. */
Value varying_value(uint8_t size);
/* The value of a source; the scalar 0 where there is none. */
Value source_value(Builder *b, Operand operand);
void set_value(Builder *b, Operand operand, Value value);

#endif
