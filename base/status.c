#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ==== suggestion ================================================================================================== */

enum { MAX_LENGTH = 64, EDIT_PER_CHARACTERS = 3, SHORTEST_BEGINNING = 3 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
    return strncasecmp(&a, &b, 1) == 0;
}

/* Whether the last two characters of both beginnings are the same, swapped. */
static bool is_swap(const char *a, const char *b, size_t i, size_t j)
{
    return i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
}

/* The number of edits between two names of at most MAX_LENGTH characters. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int edits[MAX_LENGTH + 1][MAX_LENGTH + 1]; /* between the first i characters of `a` and the first j of `b` */
    for (size_t i = 0; i <= a_length; i++)
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                edits[i][j] = (int)(i + j);
                continue;
            }
            int replaced = edits[i - 1][j - 1] + !same_letter(a[i - 1], b[j - 1]);
            edits[i][j] = least(replaced, 1 + least(edits[i - 1][j], edits[i][j - 1]));
            if (is_swap(a, b, i, j))
                edits[i][j] = least(edits[i][j], 1 + edits[i - 2][j - 2]);
        }
    return edits[a_length][b_length];
}

/* A beginning counts as one edit. */
static int edits_between(const char *word, size_t word_length, const char *name, size_t length)
{
    bool begins = word_length >= SHORTEST_BEGINNING && strncasecmp(name, word, word_length) == 0;
    return begins && word_length < length ? 1 : distance(word, word_length, name, length);
}

static int edits_allowed(size_t length)
{
    return length < EDIT_PER_CHARACTERS ? length > 1 : (int)length / EDIT_PER_CHARACTERS;
}

int suggestion_edits(const char *word, const char *name)
{
    const size_t word_length = strlen(word), length = strlen(name);
    if (word_length > MAX_LENGTH || length > MAX_LENGTH)
        return -1;
    const int edits = edits_between(word, word_length, name, length);
    return edits <= edits_allowed(word_length) ? edits : -1;
}

Suggestion suggestion_for(const char *word, const char *names)
{
    Suggestion suggestion = {""};
    size_t word_length = strlen(word);
    int nearest = edits_allowed(word_length) + 1;
    if (word_length > MAX_LENGTH)
        return suggestion;
    for (const char *name = names; *(name += strspn(name, ", ")) != '\0';) {
        size_t length = strcspn(name, ",");
        if (length == word_length && memcmp(name, word, length) == 0)
            return (Suggestion){""};
        if (length <= MAX_LENGTH && edits_between(word, word_length, name, length) < nearest) {
            nearest = edits_between(word, word_length, name, length);
            snprintf(suggestion.text, sizeof suggestion.text, "did you mean '%.*s'? ", (int)length, name);
        }
        name += length;
    }
    return suggestion;
}

/* ==== status ====================================================================================================== */

static void message_set(Message *why, const char *format, va_list arguments)
{
    if (why == NULL)
        return;
    int length = vsnprintf(why->text, sizeof why->text, format, arguments);
    if (length >= (int)sizeof why->text)
        strcpy(why->text + sizeof why->text - 4, "...");
}

Status fail(Status status, Message *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_set(why, format, arguments);
    va_end(arguments);
    return status;
}

Status fail_errno(Message *why, const char *format, ...)
{
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    message_set(why, format, arguments);
    va_end(arguments);
    if (why != NULL) {
        size_t length = strlen(why->text);
        snprintf(why->text + length, sizeof why->text - length, ": %s", strerror(error));
    }
    return STATUS_SYSTEM;
}
