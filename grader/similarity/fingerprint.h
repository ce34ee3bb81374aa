/* fingerprint.h - fingerprints of a program's device code, which renaming does not change.
 *
 * Each instruction of the PTX counts as its opcode and the kinds of its operands: registers, names and numbers are not
 * told apart, and neither are the names of kernels, variables and labels. Of all runs of GRAM instructions, winnowing
 * chooses some: the smallest hash in each window of WINDOW neighbouring runs. So whatever two programs have in common
 * over GRAM + WINDOW - 1 = 15 instructions is found.
 *
 * PTX rather than machine code, because ptxas orders instructions and chooses registers anew after each small change.
 * Source   S. Schleimer, D. S. Wilkerson and A. Aiken, Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD
 *          2003, section 4.  */
#ifndef GRADER_SIMILARITY_FINGERPRINT_H
#define GRADER_SIMILARITY_FINGERPRINT_H

#include "base/arena.h"
#include "harness/compile/compiled.h"

#include <stddef.h>
#include <stdint.h>

typedef struct Fingerprints { /* a set */
    uint64_t *hashes;         /* [count], sorted, each once */
    size_t count;
} Fingerprints;

/* Of the modules of a compilation for compute capability `compute` (90). */
Fingerprints fingerprints_of(const Compiled *compiled, int compute, Arena *arena);
/* Of PTX text. */
Fingerprints fingerprints_of_ptx(const char *ptx, size_t bytes, Arena *arena);

/* Removes from `all` whatever is in `known`. */
void fingerprints_remove(Fingerprints *all, const Fingerprints *known);

/* The share of `a` that is also in `b`, from 0 to 1; 0 for an empty set. */
double fingerprints_share(const Fingerprints *a, const Fingerprints *b);

#endif
