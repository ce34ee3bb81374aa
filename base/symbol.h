/* symbol.h - the name that a programmer gave to a function or variable, read from the one that the compiler made of
 * it.
 *
 * Not __cxa_demangle(), which was tried. It gives the whole declaration, "void (anonymous
 * namespace)::blur<3>(float*)", where reports have room for "blur<3>"; taking the name out of that text again is as
 * long as reading it from the mangled one. It takes 50 KiB of a C++ runtime, and demanglers of the whole ABI have a
 * record of endless recursion on hostile names: these names come from submissions.
 *
 * Source   Itanium C++ ABI, section 5.1 "External Names". Understood are plain, nested and local names, and template
 *          arguments that are whole numbers.  */
#ifndef BASE_SYMBOL_H
#define BASE_SYMBOL_H

#include <stddef.h>

/* "_Z4blurPKfPf" is "blur", "_ZN3one3twoILi3EEEvv" is "one::two<3>", "_ZZ4blurPKfE4tile" is "tile". A name that is not
 * understood stays as it is; one that does not fit into `size` bytes is cut. */
void symbol_name(const char *mangled, char *name, size_t size);

#endif
