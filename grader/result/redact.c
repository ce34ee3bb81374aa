#include "grader/result/redact.h"

#include "harness/compile/compile.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

/* "32nd", "1st" */
static bool is_ordinal(const char *word, size_t length)
{
    size_t digits = strspn(word, "0123456789");
    return length == digits + 2 && isalpha((unsigned char)word[digits]) && isalpha((unsigned char)word[digits + 1]);
}

void redact_compiler_name(Text *out, const char *message, const char *file_name)
{
    const char *found;
    while ((found = strstr(message, COMPILE_SOURCE_NAME)) != NULL) {
        text_append(out, message, (size_t)(found - message));
        text_add(out, file_name);
        message = found + strlen(COMPILE_SOURCE_NAME);
    }
    text_add(out, message);
}

void redact_numbers(Text *out, const char *message, const char *file_name)
{
    size_t name_length = strlen(file_name);
    while (*message != '\0') {
        size_t length = word_length(message);
        if (name_length > 0 && strncmp(message, file_name, name_length) == 0 && message[name_length] == ':') {
            length = name_length + 1;
            length += strspn(message + length, "0123456789");
            text_append(out, message, length);
        } else if (length > 0 && isdigit((unsigned char)*message)) {
            text_add(out, is_ordinal(message, length) ? "n-th" : "n");
        } else {
            length = length == 0 ? 1 : length;
            text_append(out, message, length);
        }
        message += length;
    }
}
