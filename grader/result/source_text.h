/* source_text.h - names and lines in the text of a submission.  */
#ifndef GRADER_RESULT_SOURCE_TEXT_H
#define GRADER_RESULT_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct Name { /* a part of the text */
    const char *text;
    size_t length; /* 0: there is none */
} Name;

static inline bool name_equals(Name a, Name b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* Where a line, counted from 1, begins; NULL: there is none. It ends at the next line break, or with the text. */
static inline const char *source_line(const char *source, long line)
{
    const char *start = line < 1 ? NULL : source;
    for (; start != NULL && line > 1; line--) {
        const char *end = strchr(start, '\n');
        start = end == NULL ? NULL : end + 1;
    }
    return start;
}

#endif
