/* signature.h - reads the parameters of solve() from the text of a submission or from a problem's declaration.
 *
 * This only helps people to leave out the name of the problem. Whether solve() is right, the compiler decides.  */
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

#endif
