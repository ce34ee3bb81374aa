/* child.h - runs this very program as a child process, `convjudge grade ...`, and follows it.
 *
 * The child is the first of a process group of its own, and dies with its parent. Both of its outputs are bounded.  */
#ifndef SERVICE_WORKER_CHILD_H
#define SERVICE_WORKER_CHILD_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>

#define CHILD_PROGRAM "/proc/self/exe"

typedef struct ChildProgress {
    char step[64];   /* "timed cases"; "": unknown */
    int done, total; /* 0 of 0: unknown */
} ChildProgress;

typedef struct ChildSpec {
    const char *const *arguments;   /* CHILD_PROGRAM, "grade", ...; NULL at the end */
    const char *const *environment; /* "NAME=value", NULL at the end */
    /* Asked at least ten times each second. False: the child is killed, with all that it has started. */
    bool (*goes_on)(void *context, const ChildProgress *progress);
    void *context;
} ChildSpec;

typedef struct ChildEnd {
    bool killed;          /* since goes_on() said so */
    int exit_status;      /* as a shell reports it: 0 to 255, 128 + signal */
    char last_words[500]; /* the last line on its standard error that is no progress; "": there is none */
} ChildEnd;

/* Runs the child to its end, and appends the first `keep_bytes` of its standard output. */
MUST_USE Status child_run(const ChildSpec *spec, size_t keep_bytes, Text *output, ChildEnd *end, Message *why);

#endif
