/* listing.h - what a compiler made of each line of a submission: its PTX, and its machine code (SASS).
 *
 * PTX   is the text in the module. An instruction belongs to the line of the submission that its .loc names, or into
 *       which a function of a header was inlined.
 * SASS  is what nvdisasm prints, which runs in the sandbox of the compiler. It is a part of the CUDA toolkit, and must
 *       lie beside nvcc.
 * Owns  the texts; they are the listing's.  */
#ifndef HARNESS_COMPILE_LISTING_H
#define HARNESS_COMPILE_LISTING_H

#include "base/text.h"
#include "harness/compile/compiled.h"

#include <stddef.h>

typedef struct ListedCode {
    Text text;    /* an instruction on each line, without indentation; data NULL: none */
    size_t count; /* of instructions */
} ListedCode;

typedef struct Listing {
    ListedCode *ptx, *sass; /* [line_count], of line i + 1 */
    size_t line_count;
    char no_sass[200]; /* why there is no machine code; "": there is */
} Listing;

/* For a source of so many lines and a device of compute capability `compute` (90). */
void listing_make(const Compiled *compiled, int compute, size_t line_count, Listing *listing);
/* Parts of it, for tests: the PTX of a module, and the output of `nvdisasm -g -c`. */
void listing_add_ptx(const char *ptx, size_t bytes, Listing *listing);
void listing_add_sass(const char *text, Listing *listing);
void listing_free(Listing *listing);

#endif
