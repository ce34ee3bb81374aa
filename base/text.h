/* text.h - a growing byte string, and whole files read into one.
 *
 * `Text text = {0};` is empty; `data` is terminated by a zero byte beyond `length` as soon as anything was added.
 * text_free() gives the bytes back and leaves an empty text.  */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/status.h"

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct Text {
    char *data;
    size_t length;
    size_t capacity;
} Text;

void text_append(Text *text, const char *bytes, size_t count);
void text_add(Text *text, const char *string);
__attribute__((format(printf, 2, 3))) void text_printf(Text *text, const char *format, ...);
__attribute__((format(printf, 2, 0))) void text_vprintf(Text *text, const char *format, va_list arguments);
void text_free(Text *text);

/* Reads a whole regular file. Symbolic links, folders, devices and files of more than `max_bytes` are refused. */
MUST_USE Status text_read_file(const char *path, size_t max_bytes, Text *text, Message *why);

/* The same of a file that is open; messages call it `path`. */
MUST_USE Status text_read_open_file(int file, const char *path, size_t max_bytes, Text *text, Message *why);

/* Replaces the file at `path` by `text`: written beside it, synced and renamed, so that a reader or a crash never meets
 * half of it. */
MUST_USE Status text_write_file(const char *path, const Text *text, Message *why);

/* Valid UTF-8 without zero bytes. `*bad_offset` is the first byte that is not. */
bool text_is_utf8(const char *data, size_t length, size_t *bad_offset);

/* 1-based line of a byte offset. */
int text_line_at(const char *data, size_t offset);

/* Whether a character may stand within a word of C: a letter, a digit or an underscore. */
bool text_in_word(char c);

/* The first place where `word` stands by itself, not within a longer one; NULL where it does not. */
const char *text_find_word(const char *text, const char *word);

/* Copies `source` for showing on a terminal: control characters but newline and tab become '?', so that a submission
 * cannot move the cursor, clear the screen or colour a fake verdict. */
void text_add_printable(Text *text, const char *source, size_t length);

/* Whether a text that another process filled in ends within its `size` bytes. */
bool text_is_terminated(const char *text, size_t size);

#endif
