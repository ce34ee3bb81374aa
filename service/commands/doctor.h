/* doctor.h - what `convjudge doctor` has found: for each thing that the judge uses how it is, what that costs, and what to
 * do.  */
#ifndef SERVICE_COMMANDS_DOCTOR_H
#define SERVICE_COMMANDS_DOCTOR_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum CheckupLevel {
    CHECKUP_OK,
    CHECKUP_NOTE,   /* it works, but costs something */
    CHECKUP_MISSING /* without it nothing is graded */
} CheckupLevel;

typedef struct CheckupItem {
    CheckupLevel level;
    const char *what;  /* "nvcc" */
    const char *found; /* "13.0.88 in /usr/local/cuda" */
    const char *cost;  /* a sentence or two: what it costs, and what to do; "" where all is well */
} CheckupItem;

typedef struct Checkup {
    CheckupItem *items;
    size_t count, capacity;
    Arena arena;
} Checkup;

/* Adds an item whose `found` is the formatted text. */
__attribute__((format(printf, 5, 6))) void checkup_add(Checkup *checkup, CheckupLevel level, const char *what,
                                                       const char *cost, const char *format, ...);
bool checkup_allows_grading(const Checkup *checkup);
/* As lines for people, folded to `width` columns. */
void checkup_print(const Checkup *checkup, int width, Text *text);
void checkup_json(const Checkup *checkup, Text *text);
void checkup_free(Checkup *checkup);

#endif
