/* sweep.h - macros of a source file that are to be tried with several values each, as the file itself says:
 *
 *     // sweep: BLOCK=4,8,16,32 TILE=1,2,4
 *     #ifndef BLOCK
 *     #define BLOCK 16
 *     #endif
 *
 * A combination is compiled by definitions put before the text, so that nothing of the file's becomes part of a command
 * line; what can be a name or a value is checked. The lines keep their numbers.  */
#ifndef GRADER_AUTHORING_SWEEP_H
#define GRADER_AUTHORING_SWEEP_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

#include <stddef.h>

enum { SWEEP_MAX_MACROS = 8, SWEEP_MAX_VALUES = 64, SWEEP_MAX_COMBINATIONS = 512 };

typedef struct SweepMacro {
    const char *name;
    const char *values[SWEEP_MAX_VALUES];
    size_t count;
} SweepMacro;

typedef struct Sweep {
    SweepMacro macros[SWEEP_MAX_MACROS];
    size_t macro_count;
    size_t combinations;
    Arena arena;
} Sweep;

/* NOT_FOUND: the file has no such line. BAD_INPUT: the line cannot be read, or a macro has no #ifndef that lets it be
 * set from outside. `file_name` is for messages. */
MUST_USE Status sweep_parse(const char *file_name, const char *source, Sweep *sweep, Message *why);
void sweep_free(Sweep *sweep);

/* The value of a macro in a combination, 0 to combinations - 1; the last macro changes fastest. */
const char *sweep_value(const Sweep *sweep, size_t combination, size_t macro);
/* "BLOCK=4 TILE=1" */
void sweep_add_name(const Sweep *sweep, size_t combination, Text *out);
/* The source to compile for it. */
void sweep_add_source(const Sweep *sweep, size_t combination, const char *source, Text *out);
/* "BLOCK=16 TILE=2": what the file itself defines; a macro that it does not define is left out. */
void sweep_add_defaults(const Sweep *sweep, const char *source, Text *out);

#endif
