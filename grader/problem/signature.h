/* signature.h - what is read from the text of a source: the parameters of solve(), of a submission or from a problem's
 * declaration, and the loops.
 *
 * The parameters only help people to leave out the name of the problem. Whether solve() is right, the compiler decides.
 * The loops help to say where a value was computed (grader/report/trace.h).  */
#ifndef GRADER_PROBLEM_SIGNATURE_H
#define GRADER_PROBLEM_SIGNATURE_H

#include "base/arena.h"
#include "base/status.h"

#include <stddef.h>

typedef struct SignatureParameter {
    const char *type; /* normalised: "const float*", "int" */
    const char *name; /* "": the declaration leaves it out */
} SignatureParameter;

typedef struct Signature {
    SignatureParameter *parameters;
    size_t parameter_count;
    int line; /* line of the word `solve`, from 1 */
} Signature;

/* Finds the definition of solve() in CUDA source; skips comments and strings. STATUS_NOT_FOUND: there is none. */
MUST_USE Status signature_find(const char *source, size_t length, Arena *arena, Signature *signature, Message *why);
/* Reads one declaration, as problem.json has it. */
MUST_USE Status signature_parse(const char *declaration, Arena *arena, Signature *signature, Message *why);
/* True if the types agree, and with `names_too` the names as well. */
int signature_matches(const Signature *a, const Signature *b, int names_too);

enum { SOURCE_MOST_LOOPS = 64 };

typedef struct SourceLoop { /* for (int k = 0; k < n; k++) ... */
    const char *variable;   /* "k" */
    int first_line, last_line;
    size_t condition, condition_end; /* of "k < n": offsets in the source */
} SourceLoop;

/* The first loops of a source that have a variable and a condition, and share their lines with no code but loops around them;
 * in their order. Returns how many there are. */
size_t source_loops(const char *source, size_t length, Arena *arena, SourceLoop loops[SOURCE_MOST_LOOPS]);

#endif
