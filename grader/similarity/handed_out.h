/* handed_out.h - what the teacher has handed out, so that nobody has copied it from another student.  */
#ifndef GRADER_SIMILARITY_HANDED_OUT_H
#define GRADER_SIMILARITY_HANDED_OUT_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/problem/submission.h"
#include "grader/similarity/fingerprint.h"

typedef struct HandedOut {
    Text text;           /* of all files */
    Submission *sources; /* of those that may have device code */
    size_t count, capacity;
    Fingerprints *code; /* [count], of the sources, filled in by who compiles; likewise the next */
    Digest *machine_code;
    size_t unreadable; /* files */
    Arena arena;
} HandedOut;

/* Reads starter.cu, unless the problem has none, and the sources, headers and texts in these folders and files. `handed_out`, which is empty,
 * must be freed in any case. NOT_FOUND: one of the paths does not exist. */
MUST_USE Status handed_out_read(const char *problem, const char *const *paths, size_t count, HandedOut *handed_out,
                                Message *why);
void handed_out_free(HandedOut *handed_out);

#endif
