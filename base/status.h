/* status.h - how a function says that it could not do its work.
 *
 * Three outcomes, three channels: it worked (STATUS_OK); the judge or its user is at fault (any other Status, with a
 * Message that says so in one line); the submission is at fault (a verdict, which is data and never a Status).
 * A message names the place, what was found and what was expected.  */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

/* ==== suggestion ================================================================================================== */

/* Finds the known name that a misspelt one probably means.
 *
 * Names are near where few single-character edits (insert, delete, replace, swap neighbours) turn one into the other:
 * at most one edit for every three characters of the word, ignoring case. A word that begins a name is near it, too.
 * Source   optimal string alignment distance: Boytsov, Indexing methods for approximate dictionary searching, ACM JEA
 *          16 (2011), section 2.2. */

typedef struct Suggestion {
    char text[100]; /* "did you mean 'grade'? " with a space at the end; "" if no name is near, or the word is a name */
} Suggestion;

/* `names` stand as a message would list them: "grade, check, sweep". Use it as
 * fail(..., "unknown command '%s'; %sknown commands: %s", word, suggestion_for(word, names).text, names).  */
Suggestion suggestion_for(const char *word, const char *names);
/* The number of edits between a word and a name; negative: the name is not near. */
int suggestion_edits(const char *word, const char *name);

/* ==== status ====================================================================================================== */

typedef enum Status {
    STATUS_OK = 0,
    STATUS_BAD_INPUT,   /* a file, an option or a request is wrong: its author can fix it */
    STATUS_UNSUPPORTED, /* well-formed, but asks for what is not implemented (a PTX instruction, a runtime call) */
    STATUS_NOT_FOUND,   /* the named thing does not exist */
    STATUS_BUSY,        /* somebody else uses it, and waiting did not help */
    STATUS_SYSTEM       /* the operating system or a library refused: disk full, no memory map, fork failed */
} Status;

typedef struct Message {
    char text[1000]; /* one line without a newline; a longer one is cut and ends in "..." */
} Message;

#define MUST_USE __attribute__((warn_unused_result))

/* Writes the line into `why` (which may be NULL) and returns `status`, so that `return fail(...)` is one statement. */
__attribute__((format(printf, 3, 4))) Status fail(Status status, Message *why, const char *format, ...);

/* Does the same as fail() with STATUS_SYSTEM, followed by ": " and the text of the current errno. */
__attribute__((format(printf, 2, 3))) Status fail_errno(Message *why, const char *format, ...);

/* Returns from the function unless the call has succeeded: STATUS_OK is 0, as is a device's CUDA_ERROR_SUCCESS. For
 * functions that have nothing to clean up. */
#define TRY(...)                                                                                                       \
    do {                                                                                                               \
        const __auto_type tried = __VA_ARGS__;                                                                         \
        if (tried != 0)                                                                                                \
            return tried;                                                                                              \
    } while (0)

/* Makes the call unless one before it has failed. For functions that have something to clean up. */
#define THEN(status, ...)                                                                                              \
    do {                                                                                                               \
        if (status == 0)                                                                                               \
            status = __VA_ARGS__;                                                                                      \
    } while (0)

#endif
