#include "base/terminal.h"

#include "base/clock.h"
#include "base/paths.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

/* ==== quantity ==================================================================================================== */

static const double LEAST_SHOWN = 0.001; /* of rates and ratios */
static const double MOST_SHOWN = 9999999, MOST_PERCENT = 99999, MOST_HOURS = 9999;

__attribute__((format(printf, 1, 2))) static Quantity quantity(const char *format, ...)
{
    Quantity made;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made.text, sizeof made.text, format, arguments);
    va_end(arguments);
    return made;
}

static bool is_absent(double value)
{
    return isnan(value) || value < 0;
}

/* `digits` digits, or all digits before the point, for which %g would write an exponent. */
static Quantity with_digits(double value, int digits)
{
    if (is_absent(value))
        return quantity("-");
    if (value > 0 && value < LEAST_SHOWN)
        return quantity("<%g", LEAST_SHOWN);
    if (value > MOST_SHOWN)
        return quantity(">%.0f", MOST_SHOWN);
    return value < pow(10, digits) - 0.5 ? quantity("%.*g", digits, value) : quantity("%.0f", value);
}

Quantity quantity_time(double ms)
{
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}, {"h", 3600e3}};
    enum { HOURS = sizeof units / sizeof *units - 1 };
    int unit = 0;
    if (is_absent(ms))
        return quantity("-");
    if (ms == 0)
        return quantity("0 us");
    if (ms < units[0].ms)
        return quantity("<1 ns");
    while (unit < HOURS && ms >= units[unit + 1].ms)
        unit++;
    if (ms > MOST_HOURS * units[HOURS].ms)
        return quantity(">%.0f h", MOST_HOURS);
    return quantity("%.4g %s", ms / units[unit].ms, units[unit].name);
}

Quantity quantity_percent(double share, int decimals)
{
    double percent = 100 * share, step = pow(10, -decimals);
    if (is_absent(percent))
        return quantity("-");
    if (percent > MOST_PERCENT)
        return quantity(">%.0f %%", MOST_PERCENT);
    if (percent > 0 && percent < step / 2)
        return quantity("<%g %%", step);
    return quantity("%.*f %%", percent < 100 - step / 2 ? decimals : 0, percent);
}

Quantity quantity_rate(double rate)
{
    return with_digits(rate, rate < 0.1 ? 2 : 4);
}

Quantity quantity_ratio(double ratio)
{
    return with_digits(ratio, 3);
}

Quantity quantity_count(double count)
{
    static const char *const units[] = {"", "K", "M", "G", "T", "P", "E"};
    enum { LARGEST = sizeof units / sizeof *units - 1 };
    int unit = 0;
    if (is_absent(count))
        return quantity("-");
    for (; unit < LARGEST && count >= 999.5; unit++)
        count /= 1000;
    if (count >= 999.5)
        return quantity(">999%s", units[LARGEST]);
    return quantity("%.*f%s", unit == 0 || count >= 99.95 ? 0 : 1, count, units[unit]);
}

Quantity quantity_mean(double mean)
{
    return mean >= 0 && mean < 999.95 ? quantity("%.1f", mean) : quantity_count(mean);
}

Quantity quantity_error(double error)
{
    return is_absent(error) ? quantity("-") : quantity("%.2g", error);
}

/* ==== json target ================================================================================================= */

static bool is_same_file(const char *path, const struct stat *info)
{
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == info->st_dev && other.st_ino == info->st_ino;
}

Status json_target_check(const char *path, const char *submission, Message *why)
{
    struct stat info;
    char folder[4096];
    if (path == NULL || strcmp(path, "-") == 0)
        return STATUS_OK;
    if (*path == '\0')
        return fail(STATUS_BAD_INPUT, why, "--json: an empty name, expected a file or -");
    if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return fail(STATUS_BAD_INPUT, why, "%s: not a regular file, expected a place for the result", path);
    if (lstat(path, &info) == 0 && is_same_file(submission, &info))
        return fail(STATUS_BAD_INPUT, why, "%s: the submission itself, expected a place for the result", path);
    const char *slash = strrchr(path, '/');
    int length = slash == NULL ? 0 : (int)(slash - path) + 1;
    snprintf(folder, sizeof folder, "%.*s.", length, path);
    if (access(folder, W_OK | X_OK) != 0)
        return fail_errno(why, "%s: the result cannot be written there", path);
    return STATUS_OK;
}

static Status write_to_stdout(const Text *text, Message *why)
{
    if (fwrite(text->data, 1, text->length, stdout) != text->length || fflush(stdout) != 0)
        return fail_errno(why, "standard output: cannot be written");
    return STATUS_OK;
}

Status json_target_write(const char *path, const Text *text, Message *why)
{
    return strcmp(path, "-") == 0 ? write_to_stdout(text, why) : text_write_file(path, text, why);
}

/* ==== progress ==================================================================================================== */

enum { STEP_COLUMNS = 20, BAR_COLUMNS = 30 };
static const double REDRAW_S = 0.05, NOTE_S = 10;

Progress progress_new(FILE *stream)
{
    const char *wanted = getenv("CONVJUDGE_PROGRESS");
    bool lines = wanted != NULL && strcmp(wanted, "lines") == 0;
    return (Progress){.stream = stream, .style = terminal_style(stream), .lines = lines};
}

/* A long name is cut, so that a space remains before the text that follows. */
static void add_step(Text *line, const char *step)
{
    terminal_pad(line, step, STEP_COLUMNS - 1);
    text_add(line, " ");
}

static void add_bar(const Progress *progress, Text *line)
{
    int done = progress->done < progress->total ? progress->done : progress->total; /* a repeated step counts again */
    int filled = BAR_COLUMNS * done / progress->total;
    text_add(line, "[");
    for (int i = 0; i < BAR_COLUMNS; i++)
        text_add(line, i >= filled ? "." : progress->style.utf8 ? "█" : "#");
    text_printf(line, "] %d/%d", done, progress->total);
}

static void draw_bar(Progress *progress)
{
    Text line = {0};
    text_add(&line, "\r\033[K"); /* go to the first column and clear the line */
    add_step(&line, progress->step);
    if (progress->total > 0)
        add_bar(progress, &line);
    else
        text_add(&line, "...");
    fwrite(line.data, 1, line.length, progress->stream);
    fflush(progress->stream);
    text_free(&line);
    progress->drawn_at_s = now_s();
}

/* Writes the step's name and its outcome. Where a line cannot be redrawn, the name is there already. */
static void write_step(const Progress *progress, const char *outcome)
{
    Text line = {0};
    if (progress->style.redraw)
        text_add(&line, "\r\033[K");
    if (progress->style.redraw || outcome[0] == '\0')
        add_step(&line, progress->step);
    text_add(&line, outcome);
    fwrite(line.data, 1, line.length, progress->stream);
    fflush(progress->stream);
    text_free(&line);
}

/* Writes in one piece, so that no other process's line gets into it. */
static void write_line(const Progress *progress)
{
    Text line = {0};
    text_printf(&line, "progress %d/%d ", progress->done, progress->total);
    terminal_add_line(&line, progress->step);
    text_add(&line, "\n");
    fwrite(line.data, 1, line.length, progress->stream);
    fflush(progress->stream);
    text_free(&line);
}

void progress_begin(Progress *progress, const char *step, int total)
{
    progress_begin_at(progress, step, 0, total);
}

void progress_begin_at(Progress *progress, const char *step, int done, int total)
{
    if (progress == NULL)
        return;
    progress->step = step;
    progress->done = done;
    progress->total = total;
    if (progress->lines)
        write_line(progress);
    else if (progress->style.redraw)
        draw_bar(progress);
    else
        write_step(progress, "");
}

void progress_advance(Progress *progress)
{
    if (progress == NULL)
        return;
    progress->done++;
    if (progress->lines)
        write_line(progress);
    else if (progress->style.redraw && now_s() - progress->drawn_at_s >= REDRAW_S)
        draw_bar(progress);
}

void progress_skip(Progress *progress, int parts)
{
    if (progress != NULL)
        progress->total -= parts;
}

void progress_note(Progress *progress, const char *format, ...)
{
    char text[300];
    Text line = {0};
    va_list arguments;
    if (progress == NULL || progress->lines || (!progress->style.redraw && now_s() - progress->noted_at_s < NOTE_S))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    progress->noted_at_s = now_s();
    terminal_add_line(&line, text);
    if (!progress->style.redraw)
        text_add(&line, "\n");
    write_step(progress, line.data);
    if (!progress->style.redraw)
        write_step(progress, "");
    text_free(&line);
}

void progress_end(Progress *progress, const char *outcome)
{
    if (progress == NULL || progress->lines)
        return;
    Text line = {0};
    terminal_add_line(&line, outcome);
    text_add(&line, "\n");
    write_step(progress, line.data);
    text_free(&line);
}

/* ==== terminal ==================================================================================================== */

enum { DEFAULT_WIDTH = 80, MIN_WIDTH = 40, MAX_WIDTH = 120 };

/* Asks the user's locale. The program's own is always UTF-8, since names are. */
static bool wants_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"}; /* the first one that is set decides */
    const char *value = NULL;
    for (size_t i = 0; value == NULL && i < sizeof variables / sizeof *variables; i++)
        value = paths_variable(variables[i]);
    return value != NULL && (strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL);
}

/* Callers that keep the text for a page of their own set COLUMNS to its width. */
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
        .colour = (terminal || forced) && paths_variable("NO_COLOR") == NULL,
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

static void add_line_bytes(Text *out, const char *text, size_t length)
{
    size_t start = out->length;
    text_add_printable(out, text, length);
    for (size_t i = start; i < out->length; i++)
        if (out->data[i] == '\n' || out->data[i] == '\t')
            out->data[i] = '?';
}

void terminal_add_line(Text *out, const char *text)
{
    add_line_bytes(out, text, strlen(text));
}

void terminal_print(Text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_add_escaped(out, add_line_bytes, format, arguments);
    va_end(arguments);
}
