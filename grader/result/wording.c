#include "grader/result/wording.h"

#include "grader/result/array_name.h"
#include "grader/result/local_variable.h"
#include "grader/result/source_text.h"
#include "harness/compile/compile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_QUOTED = 80 };

/* The text of a line without the blanks around it; NULL: there is none. */
static const char *line_at(const char *source, long line, size_t *length)
{
    const char *start = source_line(source, line);
    if (start == NULL)
        return NULL;
    start += strspn(start, " \t\r");
    *length = strcspn(start, "\n");
    while (*length > 0 && isspace((unsigned char)start[*length - 1]))
        (*length)--;
    return *length == 0 ? NULL : start;
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

/* What a message leaves unnamed, because the simulated GPU does not know the name, and what names it if the line shows
 * which one it is. */
typedef struct Unnamed {
    const char *words, *before, *behind; /* "uses a variable before" becomes "uses 'sum' before" */
    const char *(*name_on)(const char *source, long line, size_t *length);
} Unnamed;

static const Unnamed unnamed[] = {{"uses a variable before", "uses ", " before", unset_variable_on},
                                  {"of a local array", "of local array ", "", local_array_on}};

static void add_with_variable(Text *out, const char *message, const Submission *submission, long line)
{
    for (size_t i = 0; i < sizeof unnamed / sizeof *unnamed; i++) {
        const Unnamed *one = &unnamed[i];
        const char *found = strstr(message, one->words);
        size_t length;
        const char *name = found == NULL || submission->source.data == NULL
                               ? NULL
                               : one->name_on(submission->source.data, line, &length);
        if (name == NULL)
            continue;
        text_append(out, message, (size_t)(found - message));
        text_printf(out, "%s'%.*s'%s%s", one->before, (int)(length < MAX_QUOTED ? length : MAX_QUOTED), name,
                    one->behind, found + strlen(one->words));
        return;
    }
    text_add(out, message);
}

/* Names the parameter in "kernel blur: block ... of an allocation of 100 bytes (parameter 2)". */
static void add_with_parameter(Text *out, const char *message, const Submission *submission)
{
    static const char kernel_is[] = "kernel ", parameter_is[] = " (parameter ";
    char kernel[MISTAKE_NAME_BYTES] = "", name[MISTAKE_NAME_BYTES];
    const char *at = strstr(message, kernel_is), *found = strstr(message, parameter_is);
    size_t length = at == NULL ? 0 : strcspn(at + strlen(kernel_is), " ");
    if (length > 1 && length <= sizeof kernel)
        snprintf(kernel, length, "%s", at + strlen(kernel_is)); /* without the colon behind it */
    uint32_t number = found == NULL ? 0 : (uint32_t)strtoul(found + strlen(parameter_is), NULL, 10);
    if (submission->source.data == NULL ||
        !array_name_of_parameter(submission->source.data, kernel, number, name, sizeof name)) {
        text_add(out, message);
        return;
    }
    found += strcspn(found, ")");
    text_append(out, message, (size_t)(found - message));
    text_printf(out, ", '%s'%s", name, found);
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

static const char *text_of(const Text *text)
{
    return text->data == NULL ? "" : text->data;
}

void wording_add(Text *out, const Submission *submission, const char *message)
{
    Text own = {0}, parameter = {0}, named = {0};
    add_own_name(&own, message, submission->file_name);
    add_with_parameter(&parameter, text_of(&own), submission);
    add_with_variable(&named, text_of(&parameter), submission,
                      first_line_in(text_of(&parameter), submission->file_name));
    add_with_lines(out, text_of(&named), submission);
    text_free(&own);
    text_free(&parameter);
    text_free(&named);
}

/* Leaves the array a name only if it may be told. */
static void choose_name(Mistake *mistake, const char *source)
{
    char *name = mistake->array;
    if (source != NULL && array_name_may_be_told(source, name))
        return;
    if (source == NULL ||
        !array_name_of_parameter(source, mistake->kernel, mistake->parameter, name, sizeof mistake->array) ||
        !array_name_may_be_told(source, name))
        name[0] = '\0';
}

void wording_add_mistake(Text *out, const Submission *submission, Mistake mistake)
{
    Text words = {0};
    choose_name(&mistake, submission->source.data);
    mistake_add(&words, &mistake);
    add_with_variable(out, text_of(&words), submission, mistake.line);
    text_free(&words);
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
