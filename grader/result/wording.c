#include "grader/result/wording.h"

#include "grader/result/unset_variable.h"
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

/* Where the message says that a variable is used before it is set, names the variable, if the line shows which. */
static void add_with_variable(Text *out, const char *message, const Submission *submission, long line)
{
    static const char unnamed[] = "uses a variable before";
    const char *found = strstr(message, unnamed), *name = NULL;
    size_t length;
    if (found != NULL && submission->source.data != NULL)
        name = unset_variable_on(submission->source.data, line, &length);
    if (name == NULL) {
        text_add(out, message);
        return;
    }
    text_append(out, message, (size_t)(found - message));
    text_printf(out, "uses '%.*s' before%s", (int)(length < MAX_QUOTED ? length : MAX_QUOTED), name,
                found + strlen(unnamed));
}

/* The first line of the submission that the message names; 0: none. */
static long first_line_in(const char *message, const char *file_name)
{
    size_t length = strlen(file_name);
    for (const char *at = message; (at = strstr(at, file_name)) != NULL; at += length)
        if (at > message && at[-1] == '(' && at[length] == ':')
            return strtol(at + length + 1, NULL, 10);
    return 0;
}

void wording_add(Text *out, const Submission *submission, const char *message)
{
    Text own = {0}, named = {0};
    add_own_name(&own, message, submission->file_name);
    const char *text = own.data == NULL ? "" : own.data;
    add_with_variable(&named, text, submission, first_line_in(text, submission->file_name));
    add_with_lines(out, named.data == NULL ? "" : named.data, submission);
    text_free(&own);
    text_free(&named);
}

void wording_add_mistake(Text *out, const Submission *submission, Mistake mistake)
{
    add_with_variable(out, mistake_words(mistake.kind), submission, mistake.line);
    wording_add_place(out, submission, mistake.line);
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
