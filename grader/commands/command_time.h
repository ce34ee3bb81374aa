/* command_time.h - macros of a source file that are tried with several values each. The file itself lists them:
 *
 *     // sweep: BLOCK=4,8,16,32 TILE=1,2,4
 *     #ifndef BLOCK
 *     #define BLOCK 16
 *     #endif
 *
 * To compile a combination, the macros are defined in lines before the text, so that nothing from the file becomes
 * part of a command line. Names and values are checked. The lines of the file keep their numbers.  */
#ifndef GRADER_COMMANDS_COMMAND_TIME_H
#define GRADER_COMMANDS_COMMAND_TIME_H

#include "base/arena.h"
#include "base/status.h"
#include "base/terminal.h"
#include "base/text.h"
#include "harness/device/ceilings.h"

#include <stddef.h>

/* ==== ceilings now ================================================================================================ */

/* Measures the ceilings of a real GPU (harness/device/), while nobody else uses it. */

/* Shows one step, and what was found. */
MUST_USE Status ceilings_now(const DeviceInfo *info, const CeilingsWork *work, Progress *progress, Ceilings *ceilings,
                             Message *why);

/* ==== sweep ======================================================================================================= */

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

/* NOT_FOUND: the file has no such line. BAD_INPUT: the line is malformed, or a macro has no #ifndef, so that it
 * cannot be set from outside. `file_name` is for messages. */
MUST_USE Status sweep_parse(const char *file_name, const char *source, Sweep *sweep, Message *why);
void sweep_free(Sweep *sweep);

/* The value of a macro in a combination, from 0 to combinations - 1; the last macro changes fastest. */
const char *sweep_value(const Sweep *sweep, size_t combination, size_t macro);
/* "BLOCK=4 TILE=1" */
void sweep_add_name(const Sweep *sweep, size_t combination, Text *out);
/* Adds the source to compile for a combination. */
void sweep_add_source(const Sweep *sweep, size_t combination, const char *source, Text *out);
/* Adds the values that the file itself defines, "BLOCK=16 TILE=2", without macros that it does not define. */
void sweep_add_defaults(const Sweep *sweep, const char *source, Text *out);

#endif
