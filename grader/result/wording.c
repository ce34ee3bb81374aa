#include "grader/result/wording.h"

#include "harness/compile/compile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_QUOTED = 80 };

/* The text of a line without the blanks around it; NULL: there is none. */
static const char *line_at(const char *source, long line, size_t *length)
{
    if (line < 1)
        return NULL;
    while (source != NULL && --line > 0) {
        source = strchr(source, '\n');
        source = source == NULL ? NULL : source + 1;
    }
    if (source == NULL)
        return NULL;
    source += strspn(source, " \t\r");
    *length = strcspn(source, "\n");
    while (*length > 0 && isspace((unsigned char)source[*length - 1]))
        (*length)--;
    return *length == 0 ? NULL : source;
}

static void add_quoted(Text *out, const char *quoted, size_t length)
{
    bool is_cut = length > MAX_QUOTED;
    for (length = is_cut ? MAX_QUOTED : length; is_cut && length > 0 && (quoted[length] & 0xC0) == 0x80;)
        length--; /* never cuts a UTF-8 character in two */
    text_add(out, ": `");
    text_append(out, quoted, length);
    text_add(out, is_cut ? "...`" : "`");
}

/* A place is "(FILE:LINE)". */
static void add_with_lines(Text *out, const char *message, const Submission *submission)
{
    const char *name = submission->file_name;
    while (*message != '\0') {
        size_t length = strlen(name);
        bool is_place = *message == '(' && strncmp(message + 1, name, length) == 0 && message[1 + length] == ':';
        if (!is_place) {
            text_append(out, message++, 1);
            continue;
        }
        char *end;
        long line = strtol(message + length + 2, &end, 10);
        const char *quoted = *end == ')' ? line_at(submission->source.data, line, &length) : NULL;
        text_append(out, message, (size_t)(end - message));
        if (quoted != NULL)
            add_quoted(out, quoted, length);
        message = end;
    }
}

/* Replaces the name under which the compiler knew the source. */
static void add_own_name(Text *out, const char *message, const char *file_name)
{
    const char *found;
    while ((found = strstr(message, COMPILE_SOURCE_NAME)) != NULL) {
        text_append(out, message, (size_t)(found - message));
        text_add(out, file_name);
        message = found + strlen(COMPILE_SOURCE_NAME);
    }
    text_add(out, message);
}

void wording_add(Text *out, const Submission *submission, const char *message)
{
    Text own = {0};
    add_own_name(&own, message, submission->file_name);
    add_with_lines(out, own.data == NULL ? "" : own.data, submission);
    text_free(&own);
}

void wording_add_place(Text *out, const Submission *submission, long line)
{
    size_t length;
    const char *quoted = line_at(submission->source.data, line, &length);
    if (quoted == NULL)
        return;
    text_printf(out, " (%s:%ld", submission->file_name, line);
    add_quoted(out, quoted, length);
    text_add(out, ")");
}
