/* symbol.h - the name that a programmer gave a function, out of the one that the compiler made of it.
 *
 * Source   Itanium C++ ABI, section 5.1 "External Names": of it, plain, nested and local names and integer template arguments.  */
#ifndef BASE_SYMBOL_H
#define BASE_SYMBOL_H

#include <stddef.h>

/* "_Z4blurPKfPf" is "blur", "_ZN3one3twoILi3EEEvv" is "one::two<3>", "_ZZ4blurPKfE4tile" is "tile"; what is not understood stays as it is, and what
 * does not fit into `size` bytes is cut. */
void symbol_name(const char *mangled, char *name, size_t size);

#endif
