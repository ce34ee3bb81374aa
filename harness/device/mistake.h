/* mistake.h - the kind of a mistake, its source line and the array that it concerns: all that may be told of it where
 * the data are secret.
 *
 * A text about a mistake says much more, but a submission can put what it likes into a text: names of kernels, sizes,
 * addresses, notes. So whoever writes a text sets the kind as well, from a fixed list (mistake.def). A submission chooses
 * the names here, too; those that may be told are chosen by grader/result/array_name.h.  */
#ifndef HARNESS_DEVICE_MISTAKE_H
#define HARNESS_DEVICE_MISTAKE_H

#include "base/text.h"

#include <stdint.h>

#define MISTAKE(constant, words) MISTAKE_##constant,
typedef enum MistakeKind {
#include "harness/device/mistake.def"
    MISTAKE_KINDS
} MistakeKind;
#undef MISTAKE

typedef enum MistakeSide { MISTAKE_SIDE_UNKNOWN, MISTAKE_BEFORE, MISTAKE_PAST, MISTAKE_SIDES } MistakeSide;

enum { MISTAKE_NAME_BYTES = 64 };

typedef struct Mistake {
    MistakeKind kind;
    int line; /* of the submission's own source; 0: unknown. A submission chooses it: `#line` can make it any number */
    MistakeSide side;               /* of the array at which an access lies outside of it */
    char array[MISTAKE_NAME_BYTES]; /* name of the array; "": unknown */
    char kernel[MISTAKE_NAME_BYTES];
    uint32_t parameter; /* of the kernel, from 1: it points to the array; 0: unknown */
} Mistake;

/* `file` is the name of a source file as the compiler knew it, NULL: unknown. Lines of other files than the
 * submission's are unknown as well. */
Mistake mistake_at(MistakeKind kind, const char *file, int line);

/* "a kernel executes a trap, or an assertion fails"; of an unknown number the words of MISTAKE_OTHER. */
const char *mistake_words(MistakeKind kind);
/* The same, with the side and the name of the array, as far as they are known: "a kernel reads past the end of shared
 * array 's'". */
void mistake_add(Text *out, const Mistake *mistake);

#endif
