#include "grader/terminal/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

enum { DEFAULT_WIDTH = 80, MIN_WIDTH = 40, MAX_WIDTH = 120 };

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

/* Asks the user's locale. The program's own is always UTF-8, since names are. */
static bool wants_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"}; /* the first one that is set decides */
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (is_set(variables[i])) {
            const char *value = getenv(variables[i]);
            return strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL;
        }
    return false;
}

/* Whoever keeps the text for a page of their own says how wide that is. */
static int chosen_width(void)
{
    const char *columns = getenv("COLUMNS");
    int width = columns == NULL ? 0 : atoi(columns);
    return width > 0 ? width : DEFAULT_WIDTH;
}

static int stream_width(FILE *stream)
{
    struct winsize size;
    int width = ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ? chosen_width() : size.ws_col;
    return width < MIN_WIDTH ? MIN_WIDTH : width > MAX_WIDTH ? MAX_WIDTH : width;
}

TerminalStyle terminal_style(FILE *stream)
{
    const char *type = getenv("TERM"), *force = getenv("CLICOLOR_FORCE");
    bool terminal = isatty(fileno(stream)) && type != NULL && strcmp(type, "dumb") != 0;
    bool forced = force != NULL && strcmp(force, "0") != 0 && force[0] != '\0';
    return (TerminalStyle){
        .redraw = terminal,
        .colour = (terminal || forced) && !is_set("NO_COLOR"),
        .utf8 = wants_utf8(),
        .width = stream_width(stream),
    };
}

void terminal_colour(TerminalStyle style, Text *out, TerminalColour colour, const char *text)
{
    static const char *const codes[] = {
        [COLOUR_GOOD] = "\033[1;32m", [COLOUR_BAD] = "\033[1;31m", [COLOUR_MARK] = "\033[1m"};
    if (style.colour)
        text_add(out, codes[colour]);
    text_add(out, text);
    if (style.colour)
        text_add(out, "\033[0m");
}

/* The bytes and columns of the first character of UTF-8 text. An invalid byte counts as one column. */
static size_t next_character(const char *text, int *columns)
{
    wchar_t wide = 0;
    mbstate_t state = {0};
    size_t bytes = mbrtowc(&wide, text, strlen(text), &state);
    if (bytes == (size_t)-1 || bytes == (size_t)-2 || bytes == 0) {
        *columns = 1;
        return 1;
    }
    *columns = wcwidth(wide) < 0 ? 1 : wcwidth(wide);
    return bytes;
}

int terminal_columns(const char *text)
{
    int total = 0, columns;
    for (; *text != '\0'; total += columns)
        text += next_character(text, &columns);
    return total;
}

static void add_spaces(Text *out, int count)
{
    for (int i = 0; i < count; i++)
        text_append(out, " ", 1);
}

void terminal_pad(Text *out, const char *text, int columns)
{
    if (columns < 0) {
        int spaces = -columns - terminal_columns(text);
        add_spaces(out, spaces < 1 ? 1 : spaces);
        text_add(out, text);
        return;
    }
    int used = 0, next;
    while (*text != '\0') {
        size_t bytes = next_character(text, &next);
        if (used + next > columns)
            break;
        text_append(out, text, bytes);
        text += bytes;
        used += next;
    }
    add_spaces(out, columns - used);
}

void terminal_add_line(Text *out, const char *text)
{
    size_t start = out->length;
    text_add_printable(out, text, strlen(text));
    for (size_t i = start; i < out->length; i++)
        if (out->data[i] == '\n' || out->data[i] == '\t')
            out->data[i] = '?';
}
