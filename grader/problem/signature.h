/* signature.h - reads the parameters of solve() out of a submission's text or a problem's declaration.
 *
 * Reading the source is a convenience for people, never a rule or a defence: the compiler has the last word.  */
#ifndef GRADER_PROBLEM_SIGNATURE_H
#define GRADER_PROBLEM_SIGNATURE_H

#include "base/arena.h"
#include "base/status.h"

#include <stddef.h>

typedef struct SignatureParameter {
    const char *type; /* normalised: "const float*", "int" */
    const char *name; /* "" where the declaration leaves it out */
} SignatureParameter;

typedef struct Signature {
    SignatureParameter *parameters;
    size_t parameter_count;
    int line; /* of the word `solve`, 1-based */
} Signature;

/* The definition of solve() in CUDA source, comments and strings skipped; STATUS_NOT_FOUND where there is none. */
MUST_USE Status signature_find(const char *source, size_t length, Arena *arena, Signature *signature, Message *why);
/* One declaration, as problem.json has it. */
MUST_USE Status signature_parse(const char *declaration, Arena *arena, Signature *signature, Message *why);
/* Whether types agree; `names_too`: and names. */
int signature_matches(const Signature *a, const Signature *b, int names_too);

#endif
