/* text.h - a byte string that grows, and reading and writing whole files.
 *
 * `Text text = {0};` is empty; once anything was added, `data` is terminated by a zero byte after `length`.
 * text_free() frees the bytes and leaves an empty text.  */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct Text {
    char *data;
    size_t length;
    size_t capacity;
} Text;

/* A file's last name and what it holds, terminated. */
typedef struct NamedText {
    const char *name, *text;
} NamedText;

void text_append(Text *text, const char *bytes, size_t count);
void text_add(Text *text, const char *string);
__attribute__((format(printf, 2, 3))) void text_printf(Text *text, const char *format, ...);
__attribute__((format(printf, 2, 0))) void text_vprintf(Text *text, const char *format, va_list arguments);

typedef void TextEscape(Text *text, const char *bytes, size_t length);
/* printf() whose %s are escaped; the format and the numbers are added as they are. Conversions: %s %.*s %d %u %zu %f %g %c %%, and
 * PRId64. */
__attribute__((format(printf, 3, 0))) void text_add_escaped(Text *text, TextEscape *escape, const char *format,
                                                            va_list arguments);
void text_free(Text *text);

/* Reads a whole regular file. Symbolic links, folders, devices and files of more than `max_bytes` are refused. */
MUST_USE Status text_read_file(const char *path, size_t max_bytes, Text *text, Message *why);

/* The same for an open file; messages call it `path`. */
MUST_USE Status text_read_open_file(int file, const char *path, size_t max_bytes, Text *text, Message *why);

/* Replaces the file at `path` by `text`. It is written beside the old one, synced and renamed, so that neither a
 * reader nor a crash ever sees half of it. */
MUST_USE Status text_write_file(const char *path, const Text *text, Message *why);

/* True if the text is valid UTF-8 without zero bytes; otherwise `*bad_offset` (may be NULL) is the first bad byte. */
bool text_is_utf8(const char *data, size_t length, size_t *bad_offset);

/* The line of a byte offset, counted from 1. */
int text_line_at(const char *data, size_t offset);

/* The beginning of a line, counted from 1; NULL if the text has fewer. It ends at the next line break, or with the text. */
const char *text_line(const char *text, long line);

/* True if a character can be part of a C identifier: a letter, a digit or an underscore. */
bool text_in_word(char c);

/* The first place where `word` is a whole word, not part of a longer one; NULL if there is none. */
const char *text_find_word(const char *text, const char *word);

/* Appends `source` as it may be shown on a terminal: control characters other than newline and tab become '?', so
 * that a submission cannot move the cursor, clear the screen or colour a fake verdict; and so do those that turn the direction
 * of writing round, which would show a line in another order than it has. */
void text_add_printable(Text *text, const char *source, size_t length);

/* Appends a word of a shell's command line, in quotes if it needs them. */
void text_add_word(Text *text, const char *word);

/* True if a text that another process wrote is terminated within its `size` bytes. */
bool text_is_terminated(const char *text, size_t size);

/* Whether a list of texts holds this one. */
bool text_is_among(const char *text, const char *const *list, size_t count);

/* Compare pointers to texts, and doubles, for qsort(). */
int order_texts(const void *a, const void *b);
int order_numbers(const void *a, const void *b);

/* The text in memory of the arena; "": it was empty. Frees the text itself. */
const char *text_move(Text *text, Arena *arena);

#endif
