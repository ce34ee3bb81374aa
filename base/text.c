#include "base/text.h"

#include "base/arena.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void text_reserve(Text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return;
    size_t capacity = text->capacity < 128 ? 256 : text->capacity * 2;
    text->capacity = capacity < needed ? needed : capacity;
    text->data = allocated(realloc(text->data, text->capacity));
}

void text_append(Text *text, const char *bytes, size_t count)
{
    text_reserve(text, count);
    if (count > 0)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void text_add(Text *text, const char *string)
{
    text_append(text, string, strlen(string));
}

void text_vprintf(Text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    text_reserve(text, (size_t)length);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    text->length += (size_t)length;
    va_end(again);
}

void text_printf(Text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

/* A conversion in a format: "%5.1f". */
typedef struct Conversion {
    char text[16];
    size_t length; /* in the format */
    char kind;     /* 'f' */
    char size;     /* 'l' or 'z'; 0: none */
} Conversion;

static Conversion conversion_at(const char *percent)
{
    Conversion found = {0};
    found.length = 1 + strspn(percent + 1, "-+ #0123456789.*lz") + 1;
    snprintf(found.text, sizeof found.text, "%.*s", (int)found.length, percent);
    found.kind = percent[found.length - 1];
    found.size = percent[found.length - 2];
    return found;
}

/* The arguments of a number are those of the conversion, so printf() writes it; a number has nothing to escape. */
static void add_number(Text *text, const Conversion *conversion, va_list *arguments)
{
    char number[400];
    const char *format = conversion->text;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (strchr("fgeG", conversion->kind) != NULL)
        snprintf(number, sizeof number, format, va_arg(*arguments, double));
    else if (conversion->size == 'l' || conversion->size == 'z')
        snprintf(number, sizeof number, format, va_arg(*arguments, long));
    else
        snprintf(number, sizeof number, format, va_arg(*arguments, int));
#pragma GCC diagnostic pop
    text_add(text, number);
}

static void add_string(Text *text, TextEscape *escape, const Conversion *conversion, va_list *arguments)
{
    bool has_length = strchr(conversion->text, '*') != NULL;
    int most = has_length ? va_arg(*arguments, int) : -1;
    const char *string = va_arg(*arguments, const char *);
    escape(text, string, most < 0 ? strlen(string) : strnlen(string, (size_t)most));
}

void text_add_escaped(Text *text, TextEscape *escape, const char *format, va_list arguments)
{
    va_list rest;
    va_copy(rest, arguments);
    while (*format != '\0') {
        const size_t plain = strcspn(format, "%");
        text_append(text, format, plain);
        format += plain;
        if (*format == '\0')
            break;
        const Conversion conversion = conversion_at(format);
        if (conversion.kind == '%')
            text_add(text, "%");
        else if (conversion.kind == 's')
            add_string(text, escape, &conversion, &rest);
        else
            add_number(text, &conversion, &rest);
        format += conversion.length;
    }
    va_end(rest);
}

void text_free(Text *text)
{
    free(text->data);
    *text = (Text){0};
}

static Status read_all(int file, const char *path, size_t max_bytes, Text *text, Message *why)
{
    char piece[65536];
    for (;;) {
        ssize_t count = read(file, piece, sizeof piece);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_errno(why, "%s: cannot be read", path);
        if (count == 0)
            break;
        if (text->length + (size_t)count > max_bytes)
            return fail(STATUS_BAD_INPUT, why, "%s: more than %zu bytes, which is the limit", path, max_bytes);
        text_append(text, piece, (size_t)count);
    }
    text_append(text, "", 0);
    return STATUS_OK;
}

Status text_read_open_file(int file, const char *path, size_t max_bytes, Text *text, Message *why)
{
    struct stat info;
    Status status = STATUS_OK;
    if (fstat(file, &info) != 0)
        status = fail_errno(why, "%s: cannot be inspected", path);
    else if (S_ISDIR(info.st_mode))
        status = fail(STATUS_BAD_INPUT, why, "%s: a folder, expected a regular file", path);
    else if (!S_ISREG(info.st_mode))
        status = fail(STATUS_BAD_INPUT, why, "%s: not a regular file", path);
    else if ((unsigned long long)info.st_size > max_bytes)
        status = fail(STATUS_BAD_INPUT, why, "%s: %lld bytes, the limit is %zu", path, (long long)info.st_size,
                      max_bytes);
    else
        status = read_all(file, path, max_bytes, text, why);
    if (status != STATUS_OK)
        text_free(text);
    return status;
}

Status text_read_file(const char *path, size_t max_bytes, Text *text, Message *why)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 && errno == ELOOP)
        return fail(STATUS_BAD_INPUT, why, "%s: a symbolic link, expected a regular file", path);
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR))
        return fail(STATUS_NOT_FOUND, why, "%s: no such file", path);
    if (file < 0)
        return fail_errno(why, "%s: cannot be opened", path);
    Status status = text_read_open_file(file, path, max_bytes, text, why);
    close(file);
    return status;
}

static Status write_all(int file, const char *path, const Text *text, Message *why)
{
    for (size_t done = 0; done < text->length;) {
        ssize_t count = write(file, text->data + done, text->length - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_errno(why, "%s: cannot be written", path);
        done += (size_t)count;
    }
    if (fsync(file) != 0 && errno != EINVAL)
        return fail_errno(why, "%s: cannot be written", path);
    return STATUS_OK;
}

Status text_write_file(const char *path, const Text *text, Message *why)
{
    Text temporary = {0};
    text_printf(&temporary, "%s.XXXXXX", path);
    int file = mkstemp(temporary.data);
    Status status;
    if (file < 0) {
        status = fail_errno(why, "%s: cannot be written", path);
    } else {
        status = write_all(file, path, text, why);
        fchmod(file, 0644);
        close(file);
        if (status == STATUS_OK && rename(temporary.data, path) != 0)
            status = fail_errno(why, "%s: cannot be replaced", path);
        if (status != STATUS_OK)
            unlink(temporary.data);
    }
    text_free(&temporary);
    return status;
}

/* Length of the UTF-8 sequence at `s` (RFC 3629, section 4); 0 if it is invalid. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
    unsigned char low = 0x80, high = 0xBF;
    size_t length;
    if (s[0] >= 0x01 && s[0] <= 0x7F)
        return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF)
        length = 2;
    else if ((s[0] & 0xF0) == 0xE0)
        length = 3;
    else if (s[0] >= 0xF0 && s[0] <= 0xF4)
        length = 4;
    else
        return 0;
    if (left < length)
        return 0;
    if (s[0] == 0xE0)
        low = 0xA0; /* shorter forms exist */
    if (s[0] == 0xED)
        high = 0x9F; /* surrogates */
    if (s[0] == 0xF0)
        low = 0x90; /* shorter forms exist */
    if (s[0] == 0xF4)
        high = 0x8F; /* beyond U+10FFFF */
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

bool text_is_utf8(const char *data, size_t length, size_t *bad_offset)
{
    size_t offset = 0;
    while (offset < length) {
        const bool is_ascii = data[offset] > 0;
        size_t step = is_ascii ? 1 : utf8_length((const unsigned char *)data + offset, length - offset);
        if (step == 0) {
            if (bad_offset != NULL)
                *bad_offset = offset;
            return false;
        }
        offset += step;
    }
    return true;
}

int text_line_at(const char *data, size_t offset)
{
    int line = 1;
    for (size_t i = 0; i < offset; i++)
        line += data[i] == '\n';
    return line;
}

const char *text_line(const char *text, long line)
{
    const char *start = line < 1 ? NULL : text;
    for (; start != NULL && line > 1; line--) {
        const char *end = strchr(start, '\n');
        start = end == NULL ? NULL : end + 1;
    }
    return start;
}

bool text_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *text_find_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        if ((at == text || !text_in_word(at[-1])) && !text_in_word(at[length]))
            return at;
    return NULL;
}

/* Whether a character of three bytes reorders what stands around it, so that a reader sees another text than the compiler.
 * Source   Unicode Standard Annex 9, "Explicit Directional Embeddings and Overrides", "Isolates" and "Implicit Marks": U+200E,
 *          U+200F, U+202A to U+202E, U+2066 to U+2069. */
static bool is_reordering(const unsigned char *s)
{
    return s[0] == 0xE2 && ((s[1] == 0x80 && (s[2] == 0x8E || s[2] == 0x8F || (s[2] >= 0xAA && s[2] <= 0xAE))) ||
                            (s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9));
}

void text_add_printable(Text *text, const char *source, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned char first = (unsigned char)source[i];
        size_t step = utf8_length((const unsigned char *)source + i, length - i);
        bool control = (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F ||
                       (step == 2 && first == 0xC2 && (unsigned char)source[i + 1] < 0xA0) || /* C1 controls */
                       (step == 2 && first == 0xD8 &&
                        (unsigned char)source[i + 1] == 0x9C) || /* U+061C, a mark as below */
                       (step == 3 && is_reordering((const unsigned char *)source + i));
        if (step == 0 || control)
            text_append(text, "?", 1);
        else
            text_append(text, source + i, step);
        i += step == 0 ? 1 : step;
    }
}

void text_add_word(Text *text, const char *word)
{
    bool is_plain = *word != '\0';
    for (const char *at = word; *at != '\0'; at++)
        is_plain = is_plain && (isalnum((unsigned char)*at) || strchr("_./+-:,=", *at) != NULL);
    if (is_plain) {
        text_add(text, word);
        return;
    }
    text_add(text, "'");
    for (const char *at = word; *at != '\0'; at++)
        if (*at == '\'')
            text_add(text, "'\\''");
        else
            text_append(text, at, 1);
    text_add(text, "'");
}

bool text_is_terminated(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

const char *text_move(Text *text, Arena *arena)
{
    const char *copy = arena_copy(arena, text->data == NULL ? "" : text->data, text->length);
    text_free(text);
    return copy;
}

bool text_is_among(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

int order_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int order_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
