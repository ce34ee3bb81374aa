/* mistake.h - the kind of a mistake, and the source line of it: all that may be told of it where the data are secret.
 *
 * A text about a mistake says much more, but a submission can put what it likes into a text: names of kernels, sizes,
 * addresses, notes. So whoever writes a text sets the kind as well, from a fixed list (mistake.def).  */
#ifndef HARNESS_DEVICE_MISTAKE_H
#define HARNESS_DEVICE_MISTAKE_H

#define MISTAKE(constant, words) MISTAKE_##constant,
typedef enum MistakeKind {
#include "harness/device/mistake.def"
    MISTAKE_KINDS
} MistakeKind;
#undef MISTAKE

typedef struct Mistake {
    MistakeKind kind;
    int line; /* of the submission's own source; 0: unknown. A submission chooses it: `#line` can make it any number */
} Mistake;

/* `file` is the name of a source file as the compiler knew it, NULL: unknown. Lines of other files than the
 * submission's are unknown as well. */
Mistake mistake_at(MistakeKind kind, const char *file, int line);

/* "a kernel executes a trap, or an assertion fails"; of an unknown number the words of MISTAKE_OTHER. */
const char *mistake_words(MistakeKind kind);

#endif
