/* compile_language.h - which C++ a submission is written in, how much of the C++ library it is compiled with, and
 * whether for one architecture alone.  */
#ifndef HARNESS_COMPILE_COMPILE_LANGUAGE_H
#define HARNESS_COMPILE_COMPILE_LANGUAGE_H

#include "harness/compile/toolkit.h"

#include <stddef.h>

enum { COMPILE_LANGUAGE_FLAGS = 5 };

/* Appends the compiler's arguments for this source to `argv`, which has room for COMPILE_LANGUAGE_FLAGS more than the
 * `count` that it holds. Gives back the new count. */
size_t compile_language_flags(const char *source, const Toolkit *toolkit, const char **argv, size_t count);

/* "a" where this source uses what only this architecture has (toolkit_gencode()), else "". */
const char *compile_features(const char *source, const Toolkit *toolkit, int compute);

/* The argument for g++, which compiles the host's side that nvcc leaves. */
const char *compile_language_of_host(const char *source, const Toolkit *toolkit);

#endif
