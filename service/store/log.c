#include "service/store/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int output = STDERR_FILENO;

void log_to(int file)
{
    output = file;
}

Log log_begin(LogLevel level, const char *event)
{
    static const char *const names[] = {"info", "warning", "error"};
    Log log = {{0}};
    char now[32] = "";
    time_t seconds = time(NULL);
    struct tm utc;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    text_printf(&log.line, "time=%s level=%s", now, names[level]);
    log_text(&log, "event", event);
    return log;
}

/* Length of a character that may be shown as it is; 0: it must not. `left` is at least 1. */
static size_t plain_length(const unsigned char *s, size_t left)
{
    static const unsigned char lowest[] = {0, 0, 0xC2, 0xE0, 0xF0}; /* first byte, by the length of the character */
    size_t length = s[0] < 0x80 ? 1 : s[0] < lowest[3] ? 2 : s[0] < lowest[4] ? 3 : 4;
    if (length == 1)
        return s[0] >= 0x20 && s[0] != 0x7F && s[0] != '"' && s[0] != '\\';
    if (left < length || !text_is_utf8((const char *)s, length, NULL))
        return 0;
    bool control = s[0] == 0xC2 && s[1] < 0xA0;
    bool mark = s[0] == 0xE2 && ((s[1] == 0x80 && ((s[2] >= 0x8B && s[2] <= 0x8F) || (s[2] >= 0xA8 && s[2] <= 0xAE))) ||
                                 (s[1] == 0x81 && s[2] >= 0xA0 && s[2] <= 0xAF)); /* U+200B..F, U+2028..E, U+2060..F */
    return control || mark ? 0 : length;
}

static void add_escaped(Text *line, unsigned char byte)
{
    if (byte == '\n')
        text_add(line, "\\n");
    else if (byte == '"' || byte == '\\')
        text_printf(line, "\\%c", byte);
    else
        text_printf(line, "\\x%02x", byte);
}

static bool needs_quotes(const char *value)
{
    size_t length = strlen(value);
    bool needed = length == 0;
    for (size_t i = 0, step; i < length && !needed; i += step) {
        step = plain_length((const unsigned char *)value + i, length - i);
        needed = step == 0 || value[i] == ' ' || value[i] == '=';
    }
    return needed;
}

void log_text(Log *log, const char *key, const char *value)
{
    const bool quoted = needs_quotes(value);
    const size_t length = strlen(value);
    text_printf(&log->line, quoted ? " %s=\"" : " %s=", key);
    for (size_t i = 0; i < length;) {
        size_t step = plain_length((const unsigned char *)value + i, length - i);
        if (step == 0)
            add_escaped(&log->line, (unsigned char)value[i]);
        else
            text_append(&log->line, value + i, step);
        i += step == 0 ? 1 : step;
    }
    if (quoted)
        text_add(&log->line, "\"");
}

void log_integer(Log *log, const char *key, int64_t value)
{
    text_printf(&log->line, " %s=%" PRId64, key, value);
}

void log_seconds(Log *log, const char *key, double value)
{
    text_printf(&log->line, " %s=%.3f", key, value);
}

void log_end(Log *log)
{
    text_add(&log->line, "\n");
    for (size_t done = 0; done < log->line.length;) {
        ssize_t count = write(output, log->line.data + done, log->line.length - done);
        if (count < 0 && errno != EINTR)
            break; /* there is no other place to report it */
        done += count < 0 ? 0 : (size_t)count;
    }
    text_free(&log->line);
}

void log_texts(LogLevel level, const char *event, ...)
{
    Log line = log_begin(level, event);
    va_list pairs;
    va_start(pairs, event);
    for (const char *key; (key = va_arg(pairs, const char *)) != NULL;)
        log_text(&line, key, va_arg(pairs, const char *));
    va_end(pairs);
    log_end(&line);
}
