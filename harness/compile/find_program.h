/* find_program.h - looks for compilers and asks them what they are.  */
#ifndef HARNESS_COMPILE_FIND_PROGRAM_H
#define HARNESS_COMPILE_FIND_PROGRAM_H

#include "base/status.h"
#include "harness/compile/toolkit.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Writes the path of a program, links resolved; false where `path` is none. */
bool program_at(const char *path, char program[PATH_MAX]);
/* The same for the first of this name on PATH, relative folders left out. */
bool program_on_path(const char *name, char program[PATH_MAX]);

typedef bool ProgramAnswer(void *context, const char *output);

/* Runs a program that answers at once. STATUS_NOT_FOUND with "<program>: does not report <what>; <advice>" where it fails
 * or `read` finds nothing in its output. */
MUST_USE Status program_ask(const char *const *argv, ProgramAnswer *read, void *context, const char *what,
                            const char *advice, Message *why);

/* Copies the text that follows `name` in an answer, up to one of the characters `ends`; false if there is none or no room. */
bool program_read_after(const char *output, const char *name, const char *ends, char *value, size_t size);

/* For program_ask(), with a Toolkit: reads a list such as "sm_90", one on each line, in any order. */
bool toolkit_read_architectures(void *context, const char *output);
/* Its name: "clang" and the version. */
void toolkit_set_name(Toolkit *toolkit, const char *compiler);

#endif
